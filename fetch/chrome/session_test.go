// SPDX-License-Identifier: Apache-2.0

//go:build linux

package chrome_test

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"example.com/curlew/fetch/chrome"
	"example.com/curlew/fetch/render"
)

// TestSession checks the limits of sessions, and that a step whose document is refused leaves
// the page before it open. The rest is in CheckRenderer.
func TestSession(t *testing.T) {
	t.Parallel()
	at := serve(t, site())
	b := start(t, chrome.Options{Tabs: 2, Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})
	refused := errors.New("refused by the test")
	job, end := context.WithCancelCause(t.Context())
	s, p, err := b.Open(job, &render.Request{URL: at + "/form", Timeout: patience, Gate: func(_ context.Context, d render.Document) error {
		if strings.Contains(d.URL, "q=bad") {
			if d.From != at+"/form" || d.Cause != render.Clicked {
				t.Errorf("the document is %+v", d)
			}
			return refused
		}
		return nil
	}})
	if err != nil || !strings.Contains(string(p.HTML), "<form") {
		t.Fatalf("%+v, %v", p, err)
	}
	if _, _, err := b.Open(t.Context(), &render.Request{URL: at + "/", Timeout: time.Second}); !errors.Is(err, render.ErrBusy) {
		t.Errorf("a second session on two tabs: %v, want ErrBusy", err)
	}
	show(t, b, &render.Request{URL: at + "/"}) // the other tab is free
	if _, err := s.Do(t.Context(), []render.Step{{Kind: "dance"}}); !errors.Is(err, render.ErrUnsupported) {
		t.Errorf("a step that is not known: %v", err)
	}
	send := func(text string) (*render.Page, error) {
		return s.Do(t.Context(), []render.Step{
			{Kind: render.Click, Selector: "input"},
			{Kind: render.Press, Text: "Control+a"},
			{Kind: render.Write, Text: text},
			{Kind: render.Click, Selector: "#b"},
			{Kind: render.Wait, Selector: "p"},
		})
	}
	if _, err := send("bad"); !errors.Is(err, refused) {
		t.Errorf("a document that the gate refuses: %v", err)
	}
	if p, err := send("good"); err != nil || !strings.Contains(string(p.HTML), "got good") || len(p.Hops) != 1 || p.URL != at+"/sent?q=good" {
		t.Errorf("after a refused document: %+v, %v", p, err)
	}
	over := errors.New("the job has ended")
	end(over)
	if _, err := s.Do(t.Context(), nil); !errors.Is(err, over) {
		t.Errorf("after the job has ended: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	s, _, err = b.Open(t.Context(), &render.Request{URL: at + "/", Timeout: patience}) // its place is free again
	if err != nil {
		t.Fatal(err)
	}
	b.Kill()
	if _, err := s.Do(t.Context(), []render.Step{{Kind: render.Click, Selector: "h1"}}); !errors.Is(err, render.ErrCrashed) {
		t.Errorf("after the browser was killed: %v, want ErrCrashed", err)
	}
	if _, err := s.Do(t.Context(), nil); !errors.Is(err, render.ErrCrashed) && !errors.Is(err, render.ErrClosed) {
		t.Errorf("a second call after that: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
