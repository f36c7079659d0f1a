// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"example.com/curlew"
	"example.com/curlew/crawl"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/httpapi"
	"example.com/curlew/observe"
)

// TestTrace has each thing told once when it begins and once when it ends, and
// no URL among what is told.
func TestTrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		told := map[string]int{}
		tell := func(format string, args ...any) {
			mu.Lock()
			defer mu.Unlock()
			told[fmt.Sprintf(format, args...)]++
		}
		type under struct{}
		service := &curlew.Service{Fetcher: fetchtest.New(t, []byte(hookSite)), Trace: &observe.Trace{
			Request: func(ctx context.Context, r observe.Request) (context.Context, func(observe.RequestEnd)) {
				return context.WithValue(ctx, under{}, r.Route), func(e observe.RequestEnd) { tell("%s %s: %d %s", r.Method, r.Route, e.Status, e.Team) }
			},
			Job: func(ctx context.Context, j observe.Job) (context.Context, func(error)) {
				tell("%s begins under %v", j.Kind, ctx.Value(under{}))
				return ctx, func(err error) { tell("%s %s ends: %v", j.Kind, j.Team, err) }
			},
			Page: func(ctx context.Context, p observe.Page) (context.Context, func(error)) {
				return nil, func(err error) { tell("page of %s %s: %v", p.Endpoint, p.Team, err == nil) }
			},
			Crawl: func(observe.Job) *crawl.Trace {
				return &crawl.Trace{Fetched: func(crawl.Fetched) { tell("fetched") }}
			},
		}}
		h, err := httpapi.NewHandler(service, &httpapi.Options{InsecureNoAuth: true})
		if err != nil {
			t.Fatal(err)
		}
		ask(t, h, "POST", "/v2/crawl", `{"url":"a.test","limit":2,"sitemap":"skip"}`)
		time.Sleep(time.Minute)
		ask(t, h, "POST", "/v2/batch/scrape", `{"urls":["a.test/broken"]}`)
		time.Sleep(time.Minute)
		ask(t, h, "POST", "/v2/scrape", `{"url":"a.test/one"}`)
		ask(t, h, "GET", "/nowhere", "")
		ask(t, h, "POST", "/v2/scrape", `{`)
		synctest.Wait()
		want := map[string]int{
			"POST /v2/crawl: 200 default": 1, "crawl begins under /v2/crawl": 1, "crawl default ends: <nil>": 1, "page of crawl default: true": 2, "fetched": 3,
			"POST /v2/batch/scrape: 200 default": 1, "batch_scrape begins under /v2/batch/scrape": 1, "batch_scrape default ends: <nil>": 1, "page of batch_scrape default: false": 1,
			"POST /v2/scrape: 200 default": 1, "page of scrape default: true": 1, "POST /v2/scrape: 400 default": 1, "GET : 404 ": 1,
		}
		if diff := gocmp.Diff(want, told); diff != "" {
			t.Errorf("told (-want +got):\n%s", diff)
		}
		if err := service.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestHealth(t *testing.T) {
	service := new(curlew.Service)
	h := httpapi.Health(service)
	get := func(path string) string {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", path, nil))
		return fmt.Sprint(w.Code, " ", strings.TrimSpace(w.Body.String()))
	}
	if got := []string{get("/livez"), get("/readyz")}; !slices.Equal(got, []string{"200 ok", "200 ok"}) {
		t.Error(got)
	}
	if err := service.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := []string{get("/livez"), get("/readyz")}; !slices.Equal(got, []string{"200 ok", "503 shutting down"}) {
		t.Error(got)
	}
	broken := &curlew.Service{Store: deadStore{}}
	w := httptest.NewRecorder()
	httpapi.Health(broken).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/readyz", nil))
	if w.Code != http.StatusServiceUnavailable || strings.Contains(w.Body.String(), "disk") {
		t.Error(w.Code, w.Body)
	}
}
