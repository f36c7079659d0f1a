// SPDX-License-Identifier: Apache-2.0

package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/fetch"
)

// slowWeb answers after a second, except for a URL that hangs. If a URL has two
// responses, the second shows that the site was asked again.
func slowWeb(requests *atomic.Int64) http.Handler {
	var mu sync.Mutex
	seen := map[string]int{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		mu.Lock()
		seen[r.URL.Path]++
		n := seen[r.URL.Path]
		mu.Unlock()
		wait := time.Second
		if r.URL.Path == "/hang" && n == 1 {
			wait = time.Hour
		}
		select {
		case <-time.After(wait):
		case <-r.Context().Done():
			return
		}
		switch r.URL.Path {
		case "/tagged":
			if r.Header.Get("If-None-Match") != "" {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			w.Header().Set("ETag", `"1"`)
		case "/no-store":
			w.Header().Set("Cache-Control", "no-store")
		case "/cookie":
			w.Header().Set("Set-Cookie", "a=b")
		case "/error":
			w.WriteHeader(http.StatusInternalServerError)
		case "/broken":
			panic(http.ErrAbortHandler)
		case "/moved":
			w.Header().Set("Location", "/landing")
			w.WriteHeader(http.StatusFound)
		}
		_, _ = fmt.Fprint(w, "answer ", n)
	})
}

// many starts the requests at intervals of a millisecond. It returns their
// bodies or errors in the same order.
func many(t *testing.T, c *fetch.Client, requests ...fetch.Request) (bodies []string) {
	bodies = make([]string, len(requests))
	var wg sync.WaitGroup
	for i := range requests {
		wg.Go(func() {
			r := requests[i]
			r.URL = "http://a.test" + r.URL
			resp, err := c.Fetch(t.Context(), &r)
			if err != nil {
				bodies[i] = errors.Unwrap(err).Error()
				return
			}
			bodies[i] = string(resp.Body)
			if !resp.Cached.IsZero() {
				bodies[i] += ", shared"
			}
			clear(resp.Body) // the body belongs to the caller
			clear(resp.Header)
		})
		time.Sleep(time.Millisecond)
	}
	wg.Wait()
	return bodies
}

// TestFlights starts several fetches of the same key at once.
func TestFlights(t *testing.T) {
	const none = fetch.Unlimited
	get := func(path string) fetch.Request { return fetch.Request{URL: path, MaxAge: time.Hour, Retries: none} }
	with := func(r fetch.Request, change func(*fetch.Request)) fetch.Request { change(&r); return r }
	mine := func(p string) fetch.Request {
		return with(get("/"), func(r *fetch.Request) { r.Partition, r.Header = p, http.Header{"X-A": {"1"}} })
	}
	tests := []struct {
		name     string
		before   []fetch.Request // one after the other
		requests []fetch.Request // at the same time
		want     []string
		asked    int64 // number of requests that the site receives for requests
		any      bool  // which of the later fetches asks the site depends on timing
	}{
		{
			name: "one asks", requests: []fetch.Request{get("/"), get("/"), get("/")},
			want: []string{"answer 1", "answer 1, shared", "answer 1, shared"}, asked: 1,
		},
		{
			name: "other keys", requests: []fetch.Request{get("/"), get("/x"), get("/?")},
			want: []string{"answer 1", "answer 1", "answer 2"}, asked: 3,
		},
		{
			name:     "who wants it fresh asks, and others take what it gets",
			requests: []fetch.Request{{URL: "/"}, {URL: "/"}, get("/")},
			want:     []string{"answer 1", "answer 2", "answer 1, shared"}, asked: 2,
		},
		{
			name:     "partitions",
			requests: []fetch.Request{mine("a"), mine("b"), mine("a"), get("/")},
			want:     []string{"answer 1", "answer 2", "answer 1, shared", "answer 3"}, asked: 3,
		},
		{
			name: "authorization is nobody else's",
			requests: []fetch.Request{
				with(get("/"), func(r *fetch.Request) { r.Header = http.Header{"Authorization": {"x"}} }),
				with(get("/"), func(r *fetch.Request) { r.Header = http.Header{"Authorization": {"x"}} }),
			},
			want: []string{"answer 1", "answer 2"}, asked: 2,
		},
		{
			name: "lockdown neither waits nor asks",
			requests: []fetch.Request{
				get("/"), with(get("/"), func(r *fetch.Request) { r.Lockdown = true }), {URL: "/", MinAge: 1},
			},
			want: []string{"answer 1", fetch.ErrNotCached.Error(), fetch.ErrNotCached.Error()}, asked: 1,
		},
		{
			name: "what may not be kept is not shared; who keeps nothing takes",
			requests: []fetch.Request{
				with(get("/"), func(r *fetch.Request) { r.NoStore = true }), get("/"), with(get("/"), func(r *fetch.Request) { r.NoStore = true }),
			},
			want: []string{"answer 1", "answer 2", "answer 2, shared"}, asked: 2,
		},
		{
			name: "a page of no-store", requests: []fetch.Request{get("/no-store"), get("/no-store"), get("/no-store")},
			want: []string{"answer 1", "answer 2", "answer 3"}, asked: 3, any: true,
		},
		{
			name: "a page with a cookie", requests: []fetch.Request{get("/cookie"), get("/cookie")},
			want: []string{"answer 1", "answer 2"}, asked: 2,
		},
		{
			name: "an error page", requests: []fetch.Request{get("/error"), get("/error")},
			want: []string{"answer 1", "answer 2"}, asked: 2,
		},
		{
			name: "a site that fails, fails each", requests: []fetch.Request{get("/broken"), get("/broken")},
			want: []string{fetch.ErrConnect.Error(), fetch.ErrConnect.Error()}, asked: 2,
		},
		{
			name:     "a leader whose time is over is followed by one of those who wait",
			requests: []fetch.Request{with(get("/hang"), func(r *fetch.Request) { r.Timeout = 2 * time.Second }), get("/hang"), get("/hang")},
			want:     []string{fetch.ErrTimeout.Error(), "answer 2", "answer 2, shared"}, asked: 2, any: true,
		},
		{
			name:     "a leader that wants little",
			requests: []fetch.Request{with(get("/"), func(r *fetch.Request) { r.MaxBytes = 3 }), get("/"), get("/")},
			want:     []string{fetch.ErrTooLarge.Error(), "answer 2", "answer 2, shared"}, asked: 2, any: true,
		},
		{
			name: "one who waits has its own time and bound",
			requests: []fetch.Request{
				get("/"), with(get("/"), func(r *fetch.Request) { r.Timeout = 500 * time.Millisecond }),
				with(get("/"), func(r *fetch.Request) { r.MaxBytes = 3 }),
				with(get("/"), func(r *fetch.Request) { r.MaxBytes, r.Cut = 3, true }),
			},
			want: []string{"answer 1", fetch.ErrTimeout.Error(), fetch.ErrTooLarge.Error(), "ans, shared"}, asked: 1,
		},
		{
			name:     "nobody waits for ever",
			requests: []fetch.Request{with(get("/hang"), func(r *fetch.Request) { r.Timeout = time.Minute }), get("/hang")},
			want:     []string{fetch.ErrTimeout.Error(), "answer 2"}, asked: 2,
		},
		{
			name:   "a condition",
			before: []fetch.Request{get("/tagged")}, requests: []fetch.Request{get("/tagged"), get("/tagged")},
			want: []string{"answer 1", "answer 1, shared"}, asked: 1,
		},
		{
			name: "a redirect", requests: []fetch.Request{get("/moved"), get("/moved"), get("/landing")},
			want: []string{"answer 1, shared", "answer 1, shared", "answer 1"}, asked: 2,
		},
	}
	for _, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			var n atomic.Int64
			c := over(t, &fetch.Client{Cache: new(fetch.MemoryCache)}, slowWeb(&n))
			for _, r := range test.before {
				many(t, c, r)
				time.Sleep(2 * time.Hour)
			}
			before := n.Load()
			got := many(t, c, test.requests...)
			if test.any {
				slices.Sort(got[1:])
			}
			for i := range got {
				if got[i] != test.want[i] {
					t.Errorf("%s: fetch %d brought %q, want %q", test.name, i, got[i], test.want[i])
				}
			}
			if asked := n.Load() - before; asked != test.asked {
				t.Errorf("%s: %d requests, want %d", test.name, asked, test.asked)
			}
		})
	}
}

// lateCache answers its first Get only after another fetch has put its page.
type lateCache struct {
	fetch.MemoryCache
	first       sync.Once
	looked, put chan struct{}
}

func (l *lateCache) Get(ctx context.Context, k fetch.Key) ([]byte, error) {
	value, err := l.MemoryCache.Get(ctx, k)
	l.first.Do(func() {
		close(l.looked)
		<-l.put
	})
	return value, err
}

// TestFlightLanded checks that a fetch looks into the cache again if another
// fetch of the same page finished after its first look.
func TestFlightLanded(t *testing.T) {
	var n atomic.Int64
	cache := &lateCache{looked: make(chan struct{}), put: make(chan struct{})}
	c := over(t, &fetch.Client{Cache: cache}, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, n.Add(1))
	}))
	r := fetch.Request{URL: "http://a.test/", MaxAge: time.Hour}
	var wg sync.WaitGroup
	wg.Go(func() {
		resp, err := c.Fetch(t.Context(), &r)
		if err != nil || string(resp.Body) != "1" || resp.Cached.IsZero() {
			t.Errorf("the late one: %+v, %v", resp, err)
		}
	})
	<-cache.looked
	if _, err := c.Fetch(t.Context(), &fetch.Request{URL: r.URL}); err != nil { // this request does not accept cached pages
		t.Error(err)
	}
	close(cache.put)
	wg.Wait()
	if n.Load() != 1 {
		t.Errorf("%d requests, want 1", n.Load())
	}
}

// TestFlightsCrowd requests a page many times at once while leaders are
// cancelled.
func TestFlightsCrowd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n atomic.Int64
		c := over(t, &fetch.Client{Cache: new(fetch.MemoryCache)}, slowWeb(&n))
		var wg sync.WaitGroup
		left := errors.New("left")
		for i := range 64 {
			wg.Go(func() {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				if i%2 == 0 {
					time.AfterFunc(time.Duration(100+i)*time.Millisecond, func() { cancel(left) })
				}
				resp, err := c.Fetch(ctx, &fetch.Request{URL: "http://a.test/", MaxAge: time.Hour})
				switch {
				case i%2 == 0 && !errors.Is(err, left):
					t.Errorf("one that left: %v", err)
				case i%2 == 1 && (err != nil || resp.Status != http.StatusOK):
					t.Errorf("one that stayed: %v", err)
				}
			})
		}
		wg.Wait()
		if n.Load() > 33 { // all leaders but the last were cancelled
			t.Errorf("%d requests, want at most 33", n.Load())
		}
	})
}
