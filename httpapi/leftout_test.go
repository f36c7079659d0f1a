// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew"
	"example.com/curlew/crawl"
	"example.com/curlew/fetch"
	"example.com/curlew/job"
)

// TestWaitingCrawl checks that the statistics of a crawl that waits for a host
// name the host, the reason and the time.
func TestWaitingCrawl(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := fakeWeb{
			"http://a.test/":           `<a href="/b">b</a><a href="/c">c</a>`,
			"http://a.test/b":          "b",
			"http://a.test/c":          "c",
			"http://a.test/robots.txt": "User-agent: *\nCrawl-delay: 7",
		}
		s := &curlew.Service{Fetcher: web}
		var started struct{ ID string }
		if err := json.Unmarshal([]byte(said(t, s, "POST", "/v2/crawl", `{"url":"http://a.test/","sitemap":"skip"}`)), &started); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		answer := said(t, s, "GET", "/v2/crawl/"+started.ID+"?stats=true", "")
		var st struct {
			Hosts []struct {
				Host, Cause string
				GapMS       int
				Until       time.Time
			}
			WaitingUntil time.Time
			Stats        struct{ Delivered, Queued int }
		}
		if err := json.Unmarshal([]byte(answer), &st); err != nil {
			t.Fatal(err)
		}
		if len(st.Hosts) != 1 || st.Hosts[0].Host != "a.test" || st.Hosts[0].Cause != "crawl-delay" || st.Hosts[0].GapMS != 7000 {
			t.Fatalf("hosts: %s", answer)
		}
		if wait := time.Until(st.WaitingUntil); wait <= 0 || wait > 7*time.Second || !st.Hosts[0].Until.Equal(st.WaitingUntil) {
			t.Errorf("waiting until: %s", answer)
		}
		if st.Stats.Delivered != 1 || st.Stats.Queued != 2 {
			t.Errorf("figures: %s", answer)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if answer := said(t, s, "GET", "/v2/crawl/"+started.ID+"?stats=true", ""); strings.Contains(answer, `"hosts"`) || !strings.Contains(answer, `"queued":0`) {
			t.Errorf("at the end: %s", answer)
		}
	})
}

// almanac is an endless site with a page for each month.
type almanac struct{}

func (almanac) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Response, error) {
	resp := &fetch.Response{URL: r.URL, Status: 200, Header: http.Header{"Content-Type": {"text/html"}}}
	var n int
	switch _, path, _ := strings.Cut(strings.TrimPrefix(r.URL, "http://"), "/"); {
	case path == "robots.txt", strings.Contains(path, "sitemap"):
		resp.Status = 404
	case path == "":
		resp.Body = []byte(`<a href="/month/0">calendar</a> <a href="/about">about</a> <a href="/about">again</a> <a href="http://b.test/">b</a>`)
	case path == "about":
		resp.Body = []byte("<p>A site with a calendar.</p>")
	default:
		_, _ = fmt.Sscanf(path, "month/%d", &n)
		resp.Body = fmt.Appendf(nil, `<h1>Month %d</h1><p>Nothing happens in this month, nor in any other.</p><a href="/month/%d">next</a>`, n, n+1)
	}
	return resp, nil
}

// TestEndlessSite checks that the warning, the statistics and the explanation
// of a URL say what a crawl has left out of an endless site, before and after a
// restart.
func TestEndlessSite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		id := ""
		for range 2 {
			files, err := job.OpenFiles(dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			s := &curlew.Service{Fetcher: almanac{}, Store: files, Traps: crawl.Traps{Suspects: 25}}
			if id == "" {
				id = crawled(t, s, `{"url":"http://a.test/"}`)
			}
			var st struct {
				Completed int
				Warning   string
				Stats     map[string]any
			}
			answer := said(t, s, "GET", "/v2/crawl/"+id+"?limit=1&stats=true", "")
			if err := json.Unmarshal([]byte(answer), &st); err != nil {
				t.Fatal(err, answer)
			}
			if st.Completed < 50 || st.Completed > 80 || !strings.Contains(st.Warning, "At least 1 known URL(s)") ||
				!strings.Contains(st.Warning, "like /month/N, for example http://a.test/month/") {
				t.Errorf("%d pages, warning %q", st.Completed, st.Warning)
			}
			for name, want := range map[string]float64{"delivered": float64(st.Completed), "endless": 1, "endlessTaken": 25, "scope": 1, "duplicate": 1, "queued": 0, "robots": 0, "failed": 0} {
				if st.Stats[name] != want {
					t.Errorf("stats: %s is %v, want %v", name, st.Stats[name], want)
				}
			}
			if rules, ok := st.Stats["rules"].(map[string]any); !ok || rules["external"] != 1.0 || rules["endless"] != 1.0 || len(rules) != 3 {
				t.Errorf("rules: %v", st.Stats["rules"])
			}
			if !strings.Contains(answer, "stats=true") {
				t.Errorf("next asks for no figures: %s", answer)
			}
			if answer := said(t, s, "GET", "/v2/crawl/"+id+"?limit=1", ""); strings.Contains(answer, `"stats":`) {
				t.Errorf("figures that nobody asked for: %s", answer)
			}
			for path, want := range map[string]string{"/month/9999": `"follow":false,"rule":"endless","value":"/month/N: the crawl requests such URLs last and only so many. It delivered 25 of`, "/about": `"follow":true,"rule":""`} {
				if answer := said(t, s, "GET", "/v2/crawl/"+id+"/explain?url="+path, ""); !strings.Contains(answer, want) {
					t.Errorf("explained: %s", answer)
				}
			}
			if err := s.Shutdown(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := files.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestDeepest checks that a crawl says how many pages are at its limit of depth, because
// nothing counts the links of these pages.
func TestDeepest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := fakeWeb{
			"http://a.test/":    `<a href="/b">b</a><a href="/c">c</a>`,
			"http://a.test/b":   `<a href="/b/1">1</a><a href="/b/2">2</a>`,
			"http://a.test/c":   "c",
			"http://a.test/b/1": "1",
			"http://a.test/b/2": "2",
		}
		s := &curlew.Service{Fetcher: web}
		for depth, want := range []string{`{"depth":0,"pages":1}`, `{"depth":1,"pages":2}`, `{"depth":2,"pages":2}`, `{"depth":2,"pages":2}`} {
			var started struct{ ID string }
			body := fmt.Sprintf(`{"url":"http://a.test/","sitemap":"skip","maxDiscoveryDepth":%d}`, depth)
			if err := json.Unmarshal([]byte(said(t, s, "POST", "/v2/crawl", body)), &started); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
			synctest.Wait()
			if answer := said(t, s, "GET", "/v2/crawl/"+started.ID+"?stats=true", ""); !strings.Contains(answer, `"deepest":`+want) {
				t.Errorf("depth %d: want %s in %s", depth, want, answer)
			}
		}
	})
}
