// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/fetch"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/fetch/render"
	"example.com/curlew/httpapi"
)

// fakeBrowser is a Renderer whose page says what it was asked for. The selector #missing
// has no element. The page /crash crashes the browser, and /full has no free tab.
type fakeBrowser struct{}

func (fakeBrowser) Abilities() render.Abilities {
	return render.Abilities{
		Steps:      []render.Kind{render.Wait, render.Click, render.Write, render.Press, render.Scroll, render.Screenshot, render.Scrape, render.PDF, render.Script},
		Screenshot: true, FullPage: true, PDF: true, Mobile: true, Languages: true, Scroll: true, Guarded: true,
	}
}

func (fakeBrowser) Render(ctx context.Context, r *render.Request) (*render.Page, error) {
	if err := r.Gate(ctx, render.Document{URL: r.URL, Cause: render.Start}); err != nil {
		return nil, err
	}
	switch {
	case strings.HasSuffix(r.URL, "/crash"):
		return nil, render.ErrCrashed
	case strings.HasSuffix(r.URL, "/full"):
		return nil, render.ErrBusy
	}
	asked := fmt.Sprintf("wait %v, mobile %v, languages %v, %d steps, header %q", r.Wait, r.Mobile, r.Languages, len(r.Steps), r.Header.Get("X-Mine"))
	if r.Scroll != nil {
		asked += fmt.Sprintf(", scroll %+v", *r.Scroll)
	}
	page := &render.Page{
		URL: r.URL, Status: http.StatusOK, Ready: render.ReadyQuiet,
		HTML: fmt.Appendf(nil, "<!DOCTYPE html><title>Shown</title><main><p>A browser shows this page: %s.</p></main>", asked),
	}
	for i, s := range r.Steps {
		result := render.Result{Step: i, URL: r.URL}
		switch s.Kind {
		case render.Screenshot:
			result.Type, result.Data = "image/png", fmt.Appendf(nil, "picture %+v", s.Shot)
		case render.PDF:
			result.Type, result.Data = "application/pdf", fmt.Appendf(nil, "%%PDF %+v", s.Paper)
		case render.Scrape:
			result.Type, result.Data = "text/html", []byte("<p>Call me at 555-0100 or bob@a.test.</p>")
		case render.Script:
			result.Type, result.Value = "number", []byte("42")
		default:
			if s.Selector == "#missing" {
				return nil, &render.StepError{Index: i, Kind: s.Kind, Reason: "element not found: #missing"}
			}
			continue
		}
		page.Results = append(page.Results, result)
	}
	if s := r.Screenshot; s != nil {
		page.Screenshot = &render.Picture{Type: "image/png", Data: fmt.Appendf(nil, "picture %+v", *s)}
		if s.Quality > 0 {
			page.Screenshot.Type = "image/jpeg"
		}
	}
	return page, nil
}

// htmlOnly is a Renderer that can only show HTML.
type htmlOnly struct{ fakeBrowser }

func (htmlOnly) Abilities() render.Abilities { return render.Abilities{Guarded: true} }

// unguarded is a Renderer whose pages can reach every address.
type unguarded struct{ fakeBrowser }

func (unguarded) Abilities() render.Abilities {
	a := fakeBrowser{}.Abilities()
	a.Guarded = false
	return a
}

// browserWeb has pages for tests with a browser.
const browserPage = "<title>Plain</title><main><p>A page without scripts.</p></main>"

// TestBrowserOptions sends each option that needs a browser to servers with different
// browsers.
func TestBrowserOptions(t *testing.T) {
	const (
		none     = "needs a browser, and none is configured"
		unable   = "cannot be done by its browser"
		unshown  = "has no effect: pages are not rendered"
		nowhere  = "The option location has no effect: there is no choice of places."
		abroad   = "The option location.country has no effect: requests are sent from the place of this server."
		noEngine = "The format screenshot is not supported by this server: it has no engine for it"
		shown    = "A browser shows this page"
		plain    = "A page without scripts"
	)
	browsers := map[string]render.Renderer{
		"none": nil, "html": htmlOnly{}, "all": fakeBrowser{}, "unguarded": unguarded{}, "trusted": render.Trusted(unguarded{}),
	}
	for body, want := range map[string]map[string][]string{
		`"waitFor":100`: {"none": {plain, unshown}, "html": {shown, "wait 100ms"}, "all": {shown, "wait 100ms"}, "unguarded": {plain, unshown}, "trusted": {shown}},
		`"mobile":true`: {"none": {plain, unshown}, "html": {plain, "The option mobile has no effect: the browser of this server cannot show pages as a phone does."}, "all": {shown, "mobile true"}},
		`"location":{"country":"DE","languages":["de"]}`: {"none": {plain, nowhere}, "html": {plain, abroad, "location.languages has no effect"}, "all": {shown, "[de]", abroad}},
		`"actions":[{"type":"click","selector":"a"}]`:    {"none": {"SCRAPE_ACTIONS_NOT_SUPPORTED", "Actions are not supported by this server: the action click needs a browser, and none is configured."}, "html": {"SCRAPE_ACTIONS_NOT_SUPPORTED", unable}, "all": {shown, "1 steps"}, "unguarded": {none}},
		`"formats":["screenshot"]`:                       {"none": {"BAD_REQUEST", noEngine}, "html": {"BAD_REQUEST", noEngine}, "all": {`"screenshot":"http`}},
		`"scroll":{"maxScrolls":7,"button":"#more"}`:     {"none": {plain, "The option scroll has no effect: pages are not rendered."}, "html": {plain, "cannot scroll to the end"}, "all": {shown, "MaxScrolls:7", "Button:#more"}},
		`"formats":["screenshot@fullPage"]`:              {"none": {"BAD_REQUEST", noEngine}, "html": {"BAD_REQUEST", noEngine}, "all": {`"screenshot":"http`}},
		`"actions":[]`:                                   {"none": {plain}, "html": {plain}, "all": {plain}},
		`"formats":["rawBase64"],"waitFor":5`:            {"none": {unshown}, "all": {"rawBase64 is the page as the server sends it"}},
	} {
		for name, texts := range want {
			t.Run(name+" "+body, func(t *testing.T) {
				h := browserHandler(t, browsers[name], account.Policy{})
				got := postScrape(t, h, `{"url":"http://a.test/",`+body+`}`)
				for _, text := range texts {
					if !strings.Contains(got, text) {
						t.Errorf("%q is missing in %s", text, got)
					}
				}
				if name != "none" && name != "unguarded" && strings.Contains(got, "not rendered") {
					t.Errorf("a server with a browser answers %s", got)
				}
			})
		}
	}
}

// browserHandler returns a handler with a browser over a web of one page.
func browserHandler(t *testing.T, r render.Renderer, p account.Policy, more ...func(*curlew.Service)) *httpapi.Handler {
	t.Helper()
	s := &curlew.Service{Fetcher: fakeWeb{"http://a.test/": browserPage}, Renderer: r}
	for _, set := range more {
		set(s)
	}
	h, err := httpapi.NewHandler(s, &httpapi.Options{Authenticator: httpapi.StaticKeys(map[string]account.Team{"fc-test": {ID: "team", Policy: p}})})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Shutdown(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return h
}

// postScrape returns the answer to a scrape.
func postScrape(t *testing.T, h http.Handler, body string) string {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://host.test/v2/scrape", strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer fc-test")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Body.String()
}

// TestFiles reads the files of a scrape by their URLs, and by wrong ones.
func TestFiles(t *testing.T) {
	h := browserHandler(t, fakeBrowser{}, account.Policy{})
	var answer struct {
		Data struct {
			Screenshot string
			Actions    struct{ Screenshots, PDFs []string }
		}
	}
	got := postScrape(t, h, `{"url":"http://a.test/","formats":["markdown",{"type":"screenshot","quality":80}],"actions":[{"type":"pdf"},{"type":"screenshot"}]}`)
	if err := json.Unmarshal([]byte(got), &answer); err != nil {
		t.Fatal(err)
	}
	get := func(url string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, url, nil))
		return w
	}
	for url, want := range map[string][2]string{
		answer.Data.Screenshot:             {"image/jpeg", "picture"},
		answer.Data.Actions.Screenshots[0]: {"image/png", "picture"},
		answer.Data.Actions.PDFs[0]:        {"application/pdf", "%PDF"},
	} {
		w := get(url)
		if head := w.Header(); w.Code != http.StatusOK || head.Get("Content-Type") != want[0] || !strings.HasPrefix(w.Body.String(), want[1]) ||
			head.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(head.Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("%s: %d %v %q", url, w.Code, head, w.Body)
		}
	}
	url := answer.Data.Screenshot
	at, key, _ := strings.Cut(url, "?sig=")
	place := at[:strings.LastIndexByte(at, '/')+1]
	for _, wrong := range []string{
		at, at + "?sig=", at + "?sig=" + key[1:], at + "?sig=" + strings.Repeat("A", len(key)), place + "0?sig=" + key, place + "99?sig=" + key,
		place + "-1?sig=" + key, place + "x?sig=" + key, "http://host.test/v2/files/" + noJob + "/0?sig=" + key, "http://host.test/v2/files/x/0?sig=" + key,
	} {
		if w := get(wrong); w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "File not found") {
			t.Errorf("%s: %d %s", wrong, w.Code, w.Body)
		}
	}
	got = postScrape(t, h, `{"url":"http://a.test/","formats":["screenshot@fullPage"]}`)
	if err := json.Unmarshal([]byte(got), &answer); err != nil {
		t.Fatal(err)
	}
	if w := get(answer.Data.Screenshot); !strings.Contains(w.Body.String(), "Full:true") {
		t.Errorf("screenshot@fullPage: %q", w.Body)
	}
}

// TestFilesCached checks that a page from the cache has the URL of its screenshot, and that a
// screenshot of another kind is taken anew.
func TestFilesCached(t *testing.T) {
	site := fetchtest.New(t, []byte("-- a.test/ --\n"+browserPage+"\n"))
	site.Cache = new(fetch.MemoryCache)
	h := browserHandler(t, fakeBrowser{}, account.Policy{}, func(s *curlew.Service) { s.Fetcher = site })
	scrape := func(format, more string) (screenshot, state string) {
		t.Helper()
		var answer struct {
			Data struct {
				Screenshot string
				Metadata   struct{ CacheState string }
			}
		}
		got := postScrape(t, h, `{"url":"http://a.test/","maxAge":60000,"formats":["`+format+`"]`+more+`}`)
		if err := json.Unmarshal([]byte(got), &answer); err != nil || answer.Data.Screenshot == "" {
			t.Fatal(got, err)
		}
		return answer.Data.Screenshot, answer.Data.Metadata.CacheState
	}
	first, state := scrape("screenshot", "")
	if state != "miss" {
		t.Errorf("the first page is a %s", state)
	}
	for more, want := range map[string]string{"": "hit", `,"lockdown":true`: "hit", `,"mobile":true`: "miss"} {
		if again, state := scrape("screenshot", more); again != first || state != want { // the picture is the same in all cases
			t.Errorf("%s: %s %q, and %q at first", more, state, again, first)
		}
	}
	if full, state := scrape("screenshot@fullPage", ""); full == first || state != "miss" {
		t.Errorf("the full page: %s %q, and %q at first", state, full, first)
	}
}

// TestScrollAllowed checks that the option scroll needs the actions that it does.
func TestScrollAllowed(t *testing.T) {
	for _, test := range []struct {
		actions []string
		want    string
	}{{nil, "MaxScrolls:0"}, {[]string{"scroll", "click"}, "MaxScrolls:0"}, {[]string{"scroll"}, "may not ask for the option scroll"}, {[]string{}, "may not ask for the option scroll"}} {
		h := browserHandler(t, fakeBrowser{}, account.Policy{AllowActions: test.actions})
		if got := postScrape(t, h, `{"url":"http://a.test/","scroll":{}}`); !strings.Contains(got, test.want) {
			t.Errorf("%q: %s", test.actions, got)
		}
	}
}

// TestFilesRetained checks that nothing of a scrape with zero data retention is stored.
func TestFilesRetained(t *testing.T) {
	h := browserHandler(t, fakeBrowser{}, account.Policy{ZeroRetention: account.RetentionForced})
	if got := postScrape(t, h, `{"url":"http://a.test/","formats":["screenshot"]}`); !strings.Contains(got, `"screenshot":"data:image/png;base64,`) {
		t.Error(got)
	}
}

// TestServiceBrowser uses the browser without HTTP.
func TestServiceBrowser(t *testing.T) {
	s := &curlew.Service{Fetcher: fakeWeb{"http://a.test/": browserPage}, Renderer: fakeBrowser{}}
	doc, err := s.Scrape(t.Context(), "http://a.test/", &curlew.ScrapeOptions{Browser: &render.Request{Mobile: true, Steps: []render.Step{{Kind: render.Script, Text: "return 42"}}}})
	if err != nil {
		t.Fatal(err)
	}
	if !doc.Metadata.Rendered || doc.Actions == nil || len(doc.Actions.JavascriptReturns) != 1 || string(doc.Actions.JavascriptReturns[0].Value) != "42" {
		t.Errorf("got %+v", doc)
	}
	s = &curlew.Service{Fetcher: fakeWeb{"http://a.test/": browserPage}}
	if _, err := s.Scrape(t.Context(), "http://a.test/", &curlew.ScrapeOptions{Browser: &render.Request{Mobile: true}}); !errors.Is(err, curlew.ErrRequest) {
		t.Errorf("without a browser: %v", err)
	}
}
