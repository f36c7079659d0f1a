// SPDX-License-Identifier: Apache-2.0

package sharing_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/internal/service/sharing"
	"example.com/curlew/job"
)

// full is a result with all that is passed on as JSON, and a payload that is not text.
func full() *crawl.SharedResult {
	return &crawl.SharedResult{
		Answer: pace.Good, Wait: time.Second, Took: time.Minute, Cookies: []string{"a=b"},
		URL: "http://a.test/", Status: 200, Bytes: 3, Cached: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), Cost: 2, Note: []byte{0},
		Links: []crawl.Link{{URL: "http://a.test/x"}}, Refused: 1, Schemes: 2, Cut: 3, Canonical: "http://a.test/c", Body: 1<<64 - 1, Sketch: []uint32{7},
		Payload: []byte("\xff\x00payload"),
	}
}

// TestPage encodes results and decodes them again.
func TestPage(t *testing.T) {
	empty := full()
	empty.Payload = nil
	for name, want := range map[string]*crawl.SharedResult{"zero": {}, "full": full(), "no payload": empty} {
		b, err := sharing.EncodePage(want, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		got, err := sharing.DecodePage(b)
		if err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s: %v, %s", name, err, cmp.Diff(got, want))
		}
	}
}

// TestTooLarge checks the bound of a result, with the last byte that fits.
func TestTooLarge(t *testing.T) {
	p := full()
	all, err := sharing.EncodePage(p, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := sharing.EncodePage(p, len(all)); err != nil || !bytes.Equal(b, all) {
		t.Errorf("a result of exactly the bound: %q, %v", b, err)
	}
	b, err := sharing.EncodePage(p, len(all)-1)
	if err != nil {
		t.Fatal(err)
	}
	want := &crawl.SharedResult{TooLarge: true, Answer: p.Answer, Took: p.Took, Wait: p.Wait}
	if got, err := sharing.DecodePage(b); err != nil || !cmp.Equal(got, want) {
		t.Errorf("%v, %s", err, cmp.Diff(got, want))
	}
	if p.Payload == nil {
		t.Error("the result has lost its payload")
	}
}

// TestDamaged decodes bytes that are not a result.
func TestDamaged(t *testing.T) {
	for _, b := range []string{"", "\x05{}", "\x02{]", "\x00", "\x80", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\x0e" + `{"Status":"x"}`} {
		if got, err := sharing.DecodePage([]byte(b)); !errors.Is(err, job.ErrCorrupt) {
			t.Errorf("%q: %v, %v, want %v", b, got, err, job.ErrCorrupt)
		}
	}
	// The payload is what follows the head, whatever the head says.
	if got, err := sharing.DecodePage([]byte("\x12" + `{"Payload":"eHh4"}`)); err != nil || got.Payload != nil {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestDo passes a page as bytes, and gives an assistant bytes that are not a task.
func TestDo(t *testing.T) {
	site := []byte("-- http://a.test/ --\n<a href=/x>x</a>\n-- http://a.test/x --\nx\n")
	c := crawl.Config{URL: "http://a.test/", Sitemap: crawl.SitemapSkip, Visit: func(_ context.Context, p *crawl.Page) error {
		p.Payload = []byte(p.URL)
		return nil
	}}
	e := crawl.Engine{Fetcher: fetchtest.New(t, site)}
	helper, err := e.Assist(c)
	if err != nil {
		t.Fatal(err)
	}
	defer helper.Close()
	for _, task := range []string{"", "{", "{}", "null", `{"Lease":{"URL":"x"}}`, `{"Lease":{"URL":"http://a.test/x","Task":1}}`} {
		if b, err := sharing.Do(t.Context(), helper, []byte(task), nil); err == nil {
			t.Errorf("task %q: %q", task, b)
		}
	}
	tasks := 0
	c.Share = sharing.Pages(func(ctx context.Context, task []byte, _ time.Duration, here func()) ([]byte, error) {
		switch tasks++; tasks {
		case 1:
			return nil, job.ErrLost
		case 2:
			return []byte("damaged"), nil
		}
		return sharing.Do(ctx, helper, task, nil)
	})
	shared := 0
	for p, err := range e.Run(t.Context(), c) {
		if err != nil {
			t.Fatal(err)
		}
		if p.Err != nil || string(p.Payload) != p.URL {
			t.Errorf("%s: %v, payload %q", p.URL, p.Err, p.Payload)
		}
		if p.Shared {
			shared++
		}
	}
	if shared != 1 || tasks != 3 {
		t.Errorf("%d pages are shared after %d tasks, want 1 after 3", shared, tasks)
	}
}

// TestKind checks that processes help each other only if they have the same configuration.
func TestKind(t *testing.T) {
	own := sharing.Kind(true, 12, "a b")
	if again := sharing.Kind(true, 12, "a b"); again != own {
		t.Errorf("%q and %q for the same configuration", own, again)
	}
	for _, other := range [][]any{{}, {true, 12}, {false, 12, "a b"}, {true, 1, "2", "a b"}, {true, 12, "a", "b"}, {true, "12", "a b"}} {
		if sharing.Kind(other...) == own {
			t.Errorf("%v has the kind of another configuration", other)
		}
	}
}

// FuzzPage decodes foreign bytes. What can be decoded can be encoded and decoded again.
func FuzzPage(f *testing.F) {
	b, err := sharing.EncodePage(full(), 1<<20)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte("\x02{}" + strings.Repeat("x", 10)))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := sharing.DecodePage(b)
		if err != nil {
			return
		}
		again, err := sharing.EncodePage(p, 1<<30)
		if err != nil {
			t.Fatal(err)
		}
		got, err := sharing.DecodePage(again)
		if err != nil || !bytes.Equal(got.Payload, p.Payload) || got.URL != p.URL {
			t.Errorf("%+v, %v, want %+v", got, err, p)
		}
	})
}
