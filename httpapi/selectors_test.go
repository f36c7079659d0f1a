// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"example.com/curlew"
	"example.com/curlew/fetch"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/format"
	"example.com/curlew/httpapi"
	"example.com/curlew/job"
)

// These selectors and this page made an earlier matcher backtrack. The first
// selector is for nested elements and the second for wide ones.
const (
	deepSelector = "x-y div div div div div div div div"
	wideSelector = "x ~ p ~ p ~ p ~ p"
)

var (
	nestedPage  = strings.Repeat("<div>", 300) + "<p>Words</p>" + strings.Repeat("</div>", 300)
	siblingPage = strings.Repeat("<p>a", 20_000)
)

// TestSelectorsEnd checks that such selectors in a request, in a style sheet of
// the page and in filter lists are answered in time and leave no goroutine.
func TestSelectorsEnd(t *testing.T) {
	var site strings.Builder
	for name, page := range map[string]string{
		"deep": nestedPage, "wide": siblingPage,
		"deep-style": "<style>" + deepSelector + ", " + deepSelector + " p{color:red}</style>" + nestedPage,
		"wide-style": "<style>" + wideSelector + "{color:red}x + p + p ~ p{color:blue}</style>" + siblingPage,
	} {
		fmt.Fprintf(&site, "-- http://a.test/%s --\n<!doctype html><title>A</title><body>%s\n", name, page)
	}
	ads, err := format.ReadAdRules(strings.NewReader("##" + deepSelector + "\n##" + wideSelector + "\n##p:has(~ p ~ p ~ x)\na.test##" + deepSelector + " p\n"))
	if err != nil || ads.Rules() != 4 {
		t.Fatalf("%d rules, %v", ads.Rules(), err)
	}
	service := curlew.Service{Fetcher: fetchtest.New(t, []byte(site.String())), Format: format.Engine{Ads: ads}}
	before := runtime.NumGoroutine()
	selectors := []string{deepSelector, wideSelector, ":not(" + deepSelector + ")", "div:has(" + deepSelector + ")", "p:has(~ p ~ p ~ x)", "p:nth-last-child(odd) ~ p:nth-last-of-type(3n+1) ~ x", "div:contains('zzz')"}
	for _, page := range []string{"deep", "wide"} {
		for _, text := range selectors {
			s, err := format.ParseSelector(text)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range []format.Options{
				{Include: []format.Selector{s}},
				{Exclude: []format.Selector{s}},
				{Forms: []format.Form{format.Attributes}, Attributes: []format.Attribute{{Selector: text, Attribute: "id"}}},
			} {
				ends(t, &service, "http://a.test/"+page, o)
			}
		}
	}
	for _, page := range []string{"deep-style", "wide-style"} {
		ends(t, &service, "http://a.test/"+page, format.Options{Forms: []format.Form{format.BrandingForm}})
	}
	calm(t, before)
}

// calm waits until there are no more goroutines than before.
func calm(t *testing.T, before int) {
	t.Helper()
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

// ends scrapes with a timeout of one second. An answer that comes much later
// would mean that the matcher backtracks without end.
func ends(t *testing.T, service *curlew.Service, url string, o format.Options) {
	t.Helper()
	begin := time.Now()
	_, err := service.Scrape(t.Context(), url, &curlew.ScrapeOptions{Timeout: time.Second, ParseOptions: curlew.ParseOptions{Format: o}})
	if err != nil && !errors.Is(err, fetch.ErrTimeout) {
		t.Errorf("%s: %v", url, err)
	}
	if took := time.Since(begin); took > 15*time.Second {
		t.Fatalf("%s took %v with include %v, exclude %v, attributes %v", url, took, o.Include, o.Exclude, o.Attributes)
	}
}

// TestSelectorsOfRequests uses such selectors in requests. A scrape is
// answered. A crawl that is deleted while it works ends and does not restart in
// the next process. A crawl that was running continues there and ends.
func TestSelectorsOfRequests(t *testing.T) {
	web := fakeWeb{}
	for i := range 20 {
		page := nestedPage
		if i%2 == 1 {
			page = siblingPage
		}
		web[fmt.Sprintf("http://a.test/%d", i)] = page
		web["http://a.test/"] += fmt.Sprintf("<a href=/%d>%d</a> ", i, i)
	}
	options := fmt.Sprintf(`"includeTags":[%q,%q,":not(%s)"],"excludeTags":["%s x","div:has(%s)"],"formats":["markdown",{"type":"attributes","selectors":[{"selector":%q,"attribute":"id"}]}],"timeout":1000`,
		deepSelector, wideSelector, deepSelector, wideSelector, deepSelector, wideSelector)
	dir := t.TempDir()
	before := runtime.NumGoroutine()
	open := func() (h *httpapi.Handler, service *curlew.Service, end func()) {
		files, err := job.OpenFiles(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		service = &curlew.Service{Fetcher: web, Store: files}
		if h, err = httpapi.NewHandler(service, &httpapi.Options{InsecureNoAuth: true}); err != nil {
			t.Fatal(err)
		}
		return h, service, func() {
			if err := service.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
			if err := files.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	h, _, end := open()
	start := func() (id string) {
		w, answer := ask(t, h, "POST", "/v2/crawl", `{"url":"http://a.test/","sitemap":"skip","scrapeOptions":{`+options+`}}`)
		var started struct{ ID string }
		if err := json.Unmarshal([]byte(answer), &started); err != nil || started.ID == "" {
			t.Fatal(w.Code, answer)
		}
		return started.ID
	}
	// until waits for a status. A matcher that backtracks without end would
	// never reach it.
	until := func(id, status string) {
		t.Helper()
		var body string
		for begin := time.Now(); time.Since(begin) < time.Minute; time.Sleep(20 * time.Millisecond) {
			if _, body = ask(t, h, "GET", "/v2/crawl/"+id, ""); strings.Contains(body, `"status":"`+status+`"`) {
				return
			}
		}
		t.Fatalf("not %s after a minute: %.300s", status, body)
	}

	for _, path := range []string{"0", "1"} {
		begin := time.Now()
		w, body := ask(t, h, "POST", "/v2/scrape", `{"url":"http://a.test/`+path+`",`+options+`}`)
		if took := time.Since(begin); w.Code != 200 && w.Code != 408 || took > 15*time.Second {
			t.Errorf("%s: %d after %v: %.300s", path, w.Code, took, body)
		}
	}
	deleted := start()
	if w, body := ask(t, h, "DELETE", "/v2/crawl/"+deleted, ""); w.Code != 200 {
		t.Error(w.Code, body)
	}
	until(deleted, "cancelled")
	interrupted := start()
	end()
	calm(t, before)

	h, service, end := open()
	if err := service.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	until(deleted, "cancelled")
	until(interrupted, "completed")
	end()
	calm(t, before)
}
