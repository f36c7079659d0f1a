// SPDX-License-Identifier: Apache-2.0

package slots_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/fetch"
	"example.com/curlew/internal/service/slots"
)

// hops is a fetcher that makes several requests, each with its turn.
type hops []string

func (h hops) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Response, error) {
	var resp *fetch.Response
	for _, url := range h {
		end, err := r.Turn(ctx, url)
		if err != nil {
			return nil, err
		}
		resp = &fetch.Response{URL: url, Status: 200}
		end(resp, nil)
	}
	return resp, nil
}

// asker returns an asker, and the URLs for which it takes a turn.
func asker(urls ...string) (*slots.Asker, *[]string) {
	var taken []string
	return &slots.Asker{
		Fetcher: hops(urls), Line: pace.NewLine(new(pace.Hosts), false),
		Claim: func(url string) pace.Claim { taken = append(taken, url); return pace.Claim{Most: 1} },
	}, &taken
}

// TestAsker checks that each request has a turn at its host. The first turn may
// have been taken before.
func TestAsker(t *testing.T) {
	for name, tt := range map[string]struct {
		first string
		urls  []string
		want  []string
	}{
		"one page":             {"", []string{"http://a.test/"}, []string{"http://a.test/"}},
		"taken before":         {"http://a.test/", []string{"http://a.test/"}, nil},
		"a redirect":           {"http://a.test/", []string{"http://a.test/", "http://b.test/"}, []string{"http://b.test/"}},
		"on the same host":     {"http://a.test/", []string{"http://a.test/", "http://a.test/b"}, []string{"http://a.test/b"}}, // the first turn has ended
		"taken at another one": {"http://c.test/", []string{"http://a.test/"}, []string{"http://a.test/"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			a, taken := asker(tt.urls...)
			defer a.Line.Leave()
			if tt.first != "" {
				var err error
				if a.First, err = crawl.TakeTurn(t.Context(), a.Line, tt.first, pace.Claim{Most: 1}); err != nil {
					t.Fatal(err)
				}
			}
			resp, err := a.Fetch(t.Context(), &fetch.Request{URL: tt.urls[0]})
			if err != nil || resp.URL != tt.urls[len(tt.urls)-1] || !slices.Equal(*taken, tt.want) {
				t.Errorf("%s: %v, turns at %q, want %q", name, err, *taken, tt.want)
			}
			// All turns have been returned, so there is one at each host again.
			for _, url := range append(tt.urls, "http://c.test/") {
				turn, err := crawl.TakeTurn(t.Context(), a.Line, url, pace.Claim{Most: 1})
				if err != nil {
					t.Errorf("%s: %s afterwards: %v", name, url, err)
				}
				turn.End(nil, nil)
			}
		})
	}
}

// TestAskerWaits checks that others can use its slot while it waits for a turn,
// and that it does not wait longer than its patience.
func TestAskerWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var teams slots.Teams
		seat, _, err := teams.Sit(t.Context(), "us", 1)
		if err != nil {
			t.Fatal(err)
		}
		defer seat.Drop()
		a, _ := asker("http://a.test/")
		defer a.Line.Leave()
		a.Seat, a.Patience = seat, time.Minute
		held, err := crawl.TakeTurn(t.Context(), a.Line, "http://a.test/x", pace.Claim{Most: 1})
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Second, func() {
			if n := teams.Used("us"); n != 0 {
				t.Errorf("%d slots are in use during the wait", n)
			}
		})
		time.AfterFunc(10*time.Second, func() { held.End(nil, nil) })
		began := time.Now()
		if _, err := a.Fetch(t.Context(), &fetch.Request{URL: "http://a.test/"}); err != nil || time.Since(began) < 10*time.Second || teams.Used("us") != 1 {
			t.Errorf("%v after %v, %d slots in use afterwards", err, time.Since(began), teams.Used("us"))
		}
		held, err = crawl.TakeTurn(t.Context(), a.Line, "http://a.test/x", pace.Claim{Most: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer held.End(nil, nil)
		began = time.Now()
		if _, err := a.Take(t.Context(), "http://a.test/"); !errors.Is(err, fetch.ErrTimeout) || time.Since(began) != time.Minute {
			t.Errorf("%v after %v, want its patience", err, time.Since(began))
		}
	})
}
