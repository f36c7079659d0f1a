// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/fetch"
	"example.com/curlew/httpapi"
	"example.com/curlew/job"
)

// tagged is a Fetcher whose pages have an ETag. It records requests. An empty
// page gives 404.
type tagged struct {
	mu    sync.Mutex
	pages map[string]string // guarded by mu
	asked map[string]int    // guarded by mu; "304 URL", "200 URL"
	bare  bool              // pages have no ETag
}

func (w *tagged) Fetch(_ context.Context, r *fetch.Request) (*fetch.Response, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	body, ok := w.pages[r.URL]
	if to, moved := strings.CutPrefix(body, "-> "); moved {
		resp := &fetch.Response{URL: r.URL, Status: 302, Header: http.Header{"Location": {to}}}
		if err := r.Redirect(fetch.Hop{From: r.URL, To: to, Status: 302, Count: 1}); err != nil {
			return resp, nil
		}
	}
	status := http.StatusOK
	tag := fmt.Sprintf(`"%x"`, len(body)*7+strings.Count(body, "a"))
	h := http.Header{"Content-Type": {"text/html"}}
	if !w.bare {
		h.Set("ETag", tag)
	}
	switch {
	case !ok || body == "":
		status, body = http.StatusNotFound, "Not here."
	case !w.bare && r.Header.Get("If-None-Match") == tag:
		status, body = http.StatusNotModified, ""
	}
	if !strings.HasSuffix(r.URL, "robots.txt") {
		w.asked[fmt.Sprint(status, " ", strings.TrimPrefix(r.URL, "http://a.test"))]++
	}
	return &fetch.Response{URL: r.URL, Status: status, Header: h, Body: []byte(body)}, nil
}

// sinceStatus contains the members of the status of a crawl with since.
type sinceStatus struct {
	Status                 string
	Completed, CreditsUsed int
	Changes                *struct{ New, Changed, Same, Gone int }
	Warning                string
	Data                   []struct {
		Markdown string
		Metadata struct {
			SourceURL, Change, BodyHash, ScrapeID string
			StatusCode, CreditsUsed               int
		}
	}
}

// crawlSince runs a crawl to its end.
func crawlSince(t *testing.T, s *curlew.Service, body string) (id string, st sinceStatus) {
	t.Helper()
	id = crawled(t, s, body)
	if err := json.Unmarshal([]byte(said(t, s, "GET", "/v2/crawl/"+id+"?limit=1000", "")), &st); err != nil {
		t.Fatal(err)
	}
	return id, st
}

// changes returns the pages of a crawl with their change, sorted.
func (st *sinceStatus) changes() []string {
	var all []string
	for _, d := range st.Data {
		all = append(all, d.Metadata.Change+" "+strings.TrimPrefix(d.Metadata.SourceURL, "http://a.test"))
	}
	slices.Sort(all)
	return all
}

// TestSince crawls a site twice. Pages that have not changed are delivered
// again without a body, their links are followed, and each page reports its
// change.
func TestSince(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := &tagged{asked: map[string]int{}, pages: map[string]string{
			"http://a.test/":        `<main><p>Home <a href="/same">1</a> <a href="/changed">2</a> <a href="/gone">3</a> <a href="/moved">4</a></p></main>`,
			"http://a.test/same":    `<main><p>Same. <a href="/below">b</a></p></main>`,
			"http://a.test/below":   "<p>Below.</p>",
			"http://a.test/changed": `<p>Before. <a href="/orphan">o</a></p>`,
			"http://a.test/orphan":  "<p>Orphan.</p>",
			"http://a.test/gone":    "<p>Soon gone.</p>",
			"http://a.test/moved":   "-> http://a.test/here",
			"http://a.test/here":    "<p>Here.</p>",
		}}
		s := &curlew.Service{Fetcher: web}
		first, st := crawlSince(t, s, `{"url":"http://a.test/","sitemap":"skip"}`)
		if st.Completed != 7 || st.Changes != nil || strings.Contains(said(t, s, "GET", "/v2/crawl/"+first, ""), "change\"") {
			t.Errorf("the first crawl: %+v", st)
		}
		web.pages["http://a.test/changed"] = `<p>After. <a href="/fresh">f</a></p>`
		web.pages["http://a.test/fresh"] = "<p>Fresh.</p>"
		web.pages["http://a.test/gone"] = ""
		web.asked = map[string]int{}
		second, st := crawlSince(t, s, `{"url":"http://a.test/","sitemap":"skip","since":"`+first+`"}`)
		want := []string{"changed /changed", "new /fresh", "same /", "same /below", "same /moved", "same /orphan", "same /same"}
		if diff := gocmp.Diff(want, st.changes()); diff != "" {
			t.Errorf("changes (-want +got):\n%s", diff)
		}
		if c := st.Changes; c == nil || *c != struct{ New, Changed, Same, Gone int }{1, 1, 5, 1} {
			t.Errorf("counts: %+v", c)
		}
		asked := map[string]int{
			"304 /": 1, "304 /same": 1, "304 /below": 1, "304 /orphan": 1, "304 /here": 1,
			"200 /changed": 1, "200 /fresh": 1, "200 /moved": 1, "404 /gone": 1,
		}
		delete(web.asked, "200 /moved") // a redirect
		delete(asked, "200 /moved")
		if diff := gocmp.Diff(asked, web.asked); diff != "" {
			t.Errorf("asked (-want +got):\n%s", diff)
		}
		if st.CreditsUsed != 2+3 { // five half credits, rounded up
			t.Errorf("%d credits, want 5", st.CreditsUsed)
		}
		sum, ids := 0, map[string]bool{}
		for _, d := range st.Data {
			sum += d.Metadata.CreditsUsed
			ids[d.Metadata.ScrapeID] = true
			if d.Markdown == "" || d.Metadata.StatusCode != 200 || !strings.HasPrefix(d.Metadata.BodyHash, "sha256:") {
				t.Errorf("%+v", d)
			}
		}
		if sum != st.CreditsUsed || len(ids) != len(st.Data) {
			t.Errorf("documents cost %d, with %d ids", sum, len(ids))
		}
		if faults := said(t, s, "GET", "/v2/crawl/"+second+"/errors", ""); !strings.Contains(faults, `"gone":["http://a.test/gone"]`) || !strings.Contains(faults, `"errors":[]`) {
			t.Errorf("errors: %s", faults)
		}

		// A third crawl compares with the second, whose copies come from the
		// first. A page that is no longer linked is still known and requested.
		// The page that was gone is still linked, and counts as a new page with
		// status 404.
		web.asked = map[string]int{}
		_, st = crawlSince(t, s, `{"url":"http://a.test/","sitemap":"skip","since":"`+second+`"}`)
		if c := st.Changes; *c != struct{ New, Changed, Same, Gone int }{1, 0, 7, 0} || st.CreditsUsed != 5 || st.Completed != 8 {
			t.Errorf("the third: %+v, %d credits", c, st.CreditsUsed)
		}
		// Another form cannot use the copies, so the bodies are compared.
		_, st = crawlSince(t, s, `{"url":"http://a.test/","sitemap":"skip","since":"`+second+`","scrapeOptions":{"formats":["html"]}}`)
		if c := st.Changes; c.Same != 7 || c.Changed+c.Gone != 0 || st.CreditsUsed != 8 {
			t.Errorf("another form: %+v, %d credits", c, st.CreditsUsed)
		}
		// Without validators, bodies are compared as well.
		web.bare = true
		_, st = crawlSince(t, s, `{"url":"http://a.test/","sitemap":"skip","since":"`+second+`"}`)
		if c := st.Changes; c.Same != 7 || st.CreditsUsed != 8 {
			t.Errorf("no validators: %+v, %d credits", c, st.CreditsUsed)
		}
		web.bare = false
		// Limits of pages and depth still apply. A page that the crawl did not
		// reach because of its limit does not count as gone. A page beyond the
		// depth does.
		_, st = crawlSince(t, s, `{"url":"http://a.test/","sitemap":"skip","limit":3,"since":"`+second+`"}`)
		if c := st.Changes; st.Completed != 3 || c.Same != 3 || c.Gone != 0 {
			t.Errorf("limit: %d pages, %+v", st.Completed, c)
		}
		_, st = crawlSince(t, s, `{"url":"http://a.test/","sitemap":"skip","maxDiscoveryDepth":1,"since":"`+second+`"}`)
		if c := st.Changes; st.Completed != 5 || c.Same != 4 || c.Gone != 3 {
			t.Errorf("depth: %d pages, %+v", st.Completed, c)
		}
		if err := s.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestSinceLimit checks that crawls that end at their limit say that the counts of changes
// are not those of the whole site.
func TestSinceLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := &tagged{asked: map[string]int{}, pages: map[string]string{
			"http://a.test/":  `<p>Home <a href="/1">1</a> <a href="/2">2</a></p>`,
			"http://a.test/1": "<p>One.</p>",
			"http://a.test/2": "<p>Two.</p>",
		}}
		s := &curlew.Service{Fetcher: web}
		const earlier, own = "The crawl of since ended at its limit of 2 page(s)", "This crawl ended at its limit of 2 page(s)"
		for _, c := range []struct {
			first, second string // limits
			earlier, own  bool
		}{{"2", "2", true, true}, {"2", "9", true, false}, {"9", "2", false, true}, {"9", "9", false, false}} {
			first, _ := crawlSince(t, s, `{"url":"http://a.test/","sitemap":"skip","limit":`+c.first+`}`)
			second, _ := crawlSince(t, s, `{"url":"http://a.test/","sitemap":"skip","limit":`+c.second+`,"since":"`+first+`"}`)
			answer := said(t, s, "GET", "/v2/crawl/"+second, "")
			if strings.Contains(answer, earlier) != c.earlier || strings.Contains(answer, own) != c.own {
				t.Errorf("limits %s and %s: %s", c.first, c.second, answer)
			}
		}
	})
}

// TestSinceRestart ends the process during a crawl with since and checks the
// final counts.
func TestSinceRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := &tagged{asked: map[string]int{}, pages: map[string]string{}}
		var home strings.Builder
		for i := range 20 {
			fmt.Fprintf(&home, `<a href="/%d">x</a> `, i)
			web.pages[fmt.Sprintf("http://a.test/%d", i)] = fmt.Sprintf("<p>Page %d.</p>", i)
		}
		web.pages["http://a.test/"] = home.String()
		dir := t.TempDir()
		var first, second string
		for round := range 3 {
			files, err := job.OpenFiles(dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			s := &curlew.Service{Fetcher: web, Store: files}
			switch round {
			case 0:
				first = crawled(t, s, `{"url":"http://a.test/","sitemap":"skip"}`)
				web.pages["http://a.test/3"], web.pages["http://a.test/15"] = "", "<p>Other.</p>"
				var started struct{ ID string }
				if err := json.Unmarshal([]byte(said(t, s, "POST", "/v2/crawl", `{"url":"http://a.test/","sitemap":"skip","delay":1,"since":"`+first+`"}`)), &started); err != nil {
					t.Fatal(err)
				}
				second = started.ID
				time.Sleep(10 * time.Second)
			case 1:
				if err := s.Resume(t.Context()); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Minute)
			}
			if round > 0 {
				var st sinceStatus
				if err := json.Unmarshal([]byte(said(t, s, "GET", "/v2/crawl/"+second+"?limit=1000", "")), &st); err != nil {
					t.Fatal(err)
				}
				if c := st.Changes; st.Status != "completed" || c == nil || c.Same != 19 || c.Changed != 1 || c.Gone != 1 || c.New != 0 || st.CreditsUsed < 11 || st.CreditsUsed > 12 {
					t.Errorf("round %d: %s, %+v, %d credits", round, st.Status, c, st.CreditsUsed)
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

// TestSinceRefused refers to crawls that cannot be compared with.
func TestSinceRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, s := newHandler(t, "-- http://a.test/ --\n<p>A.</p>\n", account.Policy{ZeroRetention: account.RetentionAllowed}, httpapi.Options{})
		start := func(body string, header ...string) string {
			_, answer := ask(t, h, "POST", "/v2/crawl", body, header...)
			var started struct{ ID string }
			_ = json.Unmarshal([]byte(answer), &started)
			return started.ID
		}
		running := start(`{"url":"http://a.test/","delay":60,"ignoreQueryParameters":true}`)
		if w, body := ask(t, h, "POST", "/v2/crawl", `{"url":"http://a.test/","since":"`+running+`"}`); w.Code != 400 && w.Code != 200 || w.Code == 400 && !strings.Contains(body, "has not ended") {
			t.Errorf("running: %d %s", w.Code, body)
		}
		time.Sleep(time.Minute)
		ended := start(`{"url":"http://a.test/"}`)
		short := start(`{"url":"http://a.test/","retainHours":1}`)
		silent := start(`{"url":"http://a.test/","zeroDataRetention":true}`)
		long := start(`{"url":"http://a.test/","retainHours":720}`)
		time.Sleep(2 * time.Hour)
		for _, test := range []struct {
			name, body, key string
			status          int
			text            string
		}{
			{"ended", `{"url":"http://a.test/","since":"` + strings.ToUpper(ended) + `"}`, "fc-test", 200, `"success":true`},
			{"expired", `{"url":"http://a.test/","since":"` + short + `"}`, "fc-test", 404, "The crawl of since was not found."},
			{"unknown", `{"url":"http://a.test/","since":"0199d7a4-0000-7000-8000-000000000000"}`, "fc-test", 404, "The crawl of since was not found."},
			{"no retention", `{"url":"http://a.test/","since":"` + silent + `"}`, "fc-test", 400, "zero data retention"},
			{"no id", `{"url":"http://a.test/","since":"yesterday"}`, "fc-test", 400, `"path":["since"]`},
			{"no hours", `{"url":"http://a.test/","retainHours":0}`, "fc-test", 400, `"path":["retainHours"]`},
			{"a month and an hour", `{"url":"http://a.test/","retainHours":721}`, "fc-test", 400, `"path":["retainHours"]`},
			{"without retention now", `{"url":"http://a.test/","zeroDataRetention":true,"since":"` + ended + `"}`, "fc-test", 200, `"success":true`},
		} {
			w, body := ask(t, h, "POST", "/v2/crawl", test.body, "Authorization", "Bearer "+test.key)
			if w.Code != test.status || !strings.Contains(body, test.text) {
				t.Errorf("%s: %d %s", test.name, w.Code, body)
			}
		}
		time.Sleep(29 * 24 * time.Hour)
		for id, want := range map[string]int{long: 200, ended: 404} {
			if w, body := ask(t, h, "GET", "/v2/crawl/"+id, ""); w.Code != want {
				t.Errorf("after 29 days: %d %s, want %d", w.Code, body, want)
			}
		}
		if err := s.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
