// SPDX-License-Identifier: Apache-2.0

//go:build linux

package chrome_test

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"example.com/curlew/fetch/chrome"
	"example.com/curlew/fetch/render"
)

// TestPool shows pages in a pool of a local browser and one at a URL. It kills the second one
// while it shows a page. No page fails, and the pages after it are shown by the first one.
func TestPool(t *testing.T) {
	t.Parallel()
	at := serve(t, site())
	url, kill := runningUntil(t, func(string) bool { return true })
	first := start(t, chrome.Options{Tabs: 2})
	second, err := chrome.Start(t.Context(), &chrome.Options{URL: url, Tabs: 2, Script: true, Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Address: netip.MustParseAddr("127.0.0.3")})
	if err != nil {
		t.Fatal(err)
	}
	pool := chrome.NewPool(first, second)
	a := render.AbilitiesOf(pool)
	if a.Can(render.Script) || !a.Can(render.Click) || !a.Guarded {
		t.Errorf("the abilities are %+v", a)
	}
	killed := sync.OnceFunc(kill)
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() {
			r := &render.Request{URL: at + "/", Timeout: patience, Gate: func(context.Context, render.Document) error {
				if i == 1 {
					killed()
				}
				return nil
			}}
			if p, err := pool.Render(t.Context(), r); err != nil || !strings.Contains(string(p.HTML), "made by a script") {
				t.Errorf("page %d: %+v, %v", i, p, err)
			}
		})
	}
	all.Wait()
	killed()
	if _, err := second.Render(t.Context(), &render.Request{URL: at + "/", Timeout: patience}); !errors.Is(err, chrome.ErrUnavailable) {
		t.Errorf("a browser that is gone: %v, want ErrUnavailable", err)
	}
	s, p, err := pool.Open(t.Context(), &render.Request{URL: at + "/", Timeout: patience})
	if err != nil || !strings.Contains(string(p.HTML), "made by a script") {
		t.Fatalf("a session: %+v, %v", p, err)
	}
	if _, err := s.Do(t.Context(), nil); err != nil {
		t.Errorf("a session: %v", err)
	}
	for range 2 {
		if err := pool.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	}
	if _, err := pool.Render(t.Context(), &render.Request{URL: at + "/"}); !errors.Is(err, render.ErrClosed) {
		t.Errorf("a closed pool: %v, want ErrClosed", err)
	}
}

// TestMemory checks that a browser which uses too much memory gets no further pages, and that
// one which uses much more is killed.
func TestMemory(t *testing.T) {
	t.Parallel()
	at := serve(t, site())
	b := start(t, chrome.Options{})
	s, _, err := b.Open(t.Context(), &render.Request{URL: at + "/", Timeout: patience})
	if err != nil {
		t.Fatal(err)
	}
	first := b.Pid()
	b.Recycle(1 << 40)
	show(t, b, &render.Request{URL: at + "/"})
	if b.Pid() != first {
		t.Error("a browser below the limit was replaced")
	}
	used := chrome.Memory(first)
	if used < 10<<20 {
		t.Fatalf("the browser uses %d bytes", used)
	}
	b.Recycle(used * 3 / 4)
	show(t, b, &render.Request{URL: at + "/"})
	second := b.Pid()
	if second == first {
		t.Error("a browser over the limit was not replaced")
	}
	if _, err := s.Do(t.Context(), nil); err != nil {
		t.Errorf("a page in the replaced browser: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	s, _, err = b.Open(t.Context(), &render.Request{URL: at + "/", Timeout: patience})
	if err != nil {
		t.Fatal(err)
	}
	b.Recycle(1)
	if _, err := s.Do(t.Context(), nil); err == nil {
		t.Error("a browser far over the limit was not killed")
	}
	show(t, b, &render.Request{URL: at + "/"})
}
