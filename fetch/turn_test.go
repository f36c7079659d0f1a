// SPDX-License-Identifier: Apache-2.0

package fetch_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/fetch"
	"example.com/curlew/fetch/fetchtest"
)

const turnWeb = `-- a.test/ --
HTTP 302
Location: http://b.test/
X-Latency: 3s
-- b.test/ --
HTTP 200
X-Latency: 3s
Cache-Control: max-age=600

here
-- a.test/kept --
HTTP 301
Location: http://b.test/
Cache-Control: max-age=600
-- a.test/hang --
HTTP 200
X-Fault: hang
`

// TestTurnTimeout uses turns that are granted after an hour. The wait must not
// count towards the timeout, which still limits all requests together.
func TestTurnTimeout(t *testing.T) {
	for _, test := range []struct {
		path    string
		timeout time.Duration
		want    error
		took    time.Duration
	}{
		{"/", 7 * time.Second, nil, 2*time.Hour + 6*time.Second},
		{"/", 5 * time.Second, fetch.ErrTimeout, 2*time.Hour + 5*time.Second},
		{"/", fetch.Unlimited, nil, 2*time.Hour + 6*time.Second},
		{"/hang", 5 * time.Second, fetch.ErrTimeout, time.Hour + 5*time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			_, err := fetchtest.New(t, []byte(turnWeb)).Fetch(t.Context(), &fetch.Request{
				URL: "http://a.test" + test.path, Timeout: test.timeout, Retries: fetch.Unlimited,
				Turn: func(context.Context, string) (func(*fetch.Response, error), error) {
					time.Sleep(time.Hour)
					return nil, nil
				},
			})
			if took := time.Since(began); !errors.Is(err, test.want) || took != test.took {
				t.Errorf("%s within %v: %v after %v, want %v after %v", test.path, test.timeout, err, took, test.want, test.took)
			}
		})
	}
}

// TestTurnCached checks that a cached response takes no turn.
func TestTurnCached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.New(t, []byte(turnWeb))
		site.Cache = new(fetch.MemoryCache)
		var took []string
		get := func(path string) {
			_, err := site.Fetch(t.Context(), &fetch.Request{
				URL: "http://a.test" + path, MaxAge: time.Hour,
				Turn: func(_ context.Context, url string) (func(*fetch.Response, error), error) {
					took = append(took, url)
					return func(*fetch.Response, error) {}, nil
				},
			})
			if err != nil {
				t.Error(err)
			}
		}
		get("/kept")
		get("/kept")
		get("/")
		if want := []string{"http://a.test/kept", "http://b.test/", "http://a.test/"}; !slices.Equal(took, want) {
			t.Errorf("turns at %q, want %q", took, want)
		}
	})
}

// TestTurnEnds ends the context of a fetch that waits for its turn.
func TestTurnEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, fetch.ErrTimeout)
		defer cancel()
		site := fetchtest.New(t, []byte(turnWeb))
		began := time.Now()
		_, err := site.Fetch(ctx, &fetch.Request{
			URL: "http://a.test/", Timeout: time.Second,
			Turn: func(ctx context.Context, _ string) (func(*fetch.Response, error), error) {
				<-ctx.Done()
				return nil, context.Cause(ctx)
			},
		})
		if !errors.Is(err, fetch.ErrTimeout) || time.Since(began) != time.Minute || len(site.Log()) != 0 {
			t.Errorf("%v after %v and %d requests", err, time.Since(began), len(site.Log()))
		}
	})
}
