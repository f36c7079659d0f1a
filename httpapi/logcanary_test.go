// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/agent"
	"example.com/curlew/agent/llm"
	"example.com/curlew/crawl"
	"example.com/curlew/fetch"
	"example.com/curlew/httpapi"
	"example.com/curlew/internal/test/webtest"
	"example.com/curlew/job"
	"example.com/curlew/parse"
	"example.com/curlew/threat"
	"example.com/curlew/webhook"
)

// failing is a Fetcher that always fails with the same error.
type failing struct{ err error }

func (f failing) Fetch(_ context.Context, r *fetch.Request) (*fetch.Response, error) {
	return nil, &fetch.Error{URL: r.URL, Err: f.err}
}

// dumb is a model that always fails with the same error.
type dumb struct{ err error }

func (d dumb) Complete(context.Context, llm.Call) (llm.Reply, error) { return llm.Reply{}, d.err }

// logCanaries are words that no log may contain. Each is used in one place.
var logCanaries = []string{
	"kanarikey", "kanarisecret", "kanariheader", "kanarihook", "kanariquery", "kanaritoken", "kanariprompt", "kanarischema",
	"kanarimeta", "kanaritext", "kanarifile", "kanaripassword", "kanariname", "kanariorigin",
}

// canaryRequests returns requests to every route with a canary in each field.
func canaryRequests() [][4]string { // method, path, body, media type
	const (
		model = `,{"type":"json","prompt":"kanariprompt","schema":{"type":"object","title":"kanarischema","properties":{"a":{"type":"string"}}}}`
		page  = `"headers":{"X-Token":"kanariheader","Cookie":"a=kanariheader"},"includeTags":["main"],"auditMetadata":{"username":"kanariname"},` +
			`"formats":["markdown","links"` + model + `]`
		url  = `http://a.test/page?token=kanariquery`
		hook = `"webhook":{"url":"http://hook.test/in?token=kanaritoken","headers":{"Authorization":"Bearer kanarihook"},"metadata":{"a":"kanarimeta"}}`
		id   = "/01890a5d-ac96-774b-bcce-b302099a8057"
		form = "multipart/form-data; boundary=b"
		file = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"kanarifile.%s\"\r\n\r\n%s kanaritext\r\n"
	)
	options := "--b\r\nContent-Disposition: form-data; name=\"options\"\r\n\r\n{" + strings.Replace(page, `"headers":{"X-Token":"kanariheader","Cookie":"a=kanariheader"},`, "", 1) + "}\r\n"
	requests := [][4]string{
		{"POST", "/v2/crawl", `{"url":"` + url + `","sitemap":"skip",` + hook + `,"scrapeOptions":{` + page + `},"origin":"kanariorigin"}`},
		{"POST", "/v2/crawl", `{"url":"` + url + `","prompt":"kanariprompt"}`},
		{"POST", "/v2/crawl", `{"url":"http://user:kanaripassword@a.test/?token=kanariquery"}`},
		{"POST", "/v2/crawl", `{"url":"` + url + `","includePaths":["(kanariprompt"],"kanarikey":1}`},
		{"POST", "/v2/crawl/params-preview", `{"url":"` + url + `","prompt":"kanariprompt"}`},
		{"POST", "/v2/batch/scrape", `{"urls":["` + url + `","http://b.test/?token=kanariquery"],` + hook + `,` + page + `}`},
		{"POST", "/v2/scrape", `{"url":"` + url + `",` + page + `}`},
		{"POST", "/v2/scrape", `{"url":"` + url + `","parsers":[{"type":"pdf","password":"kanaripassword"}]}`},
		{"POST", "/v2/scrape", `{"url":"` + url + `","password":"kanaripassword"}`},
		{"POST", "/v2/crawl", `{"url":"` + url + `","scrapeOptions":{"parsers":[{"type":"pdf","password":"kanaripassword"}]}}`},
		{"POST", "/v2/batch/scrape", `{"urls":["` + url + `"],"parsers":[{"type":"pdf","password":"kanaripassword"}]}`},
		{"POST", "/v2/scrape", `{"url":"` + url + `","actions":[{"type":"write","text":"kanaritext"}]}`},
		{"POST", "/v2/scrape", `{"url":"` + url + `","kanariquery`},
		{"POST", "/v2/map", `{"url":"` + url + `","search":"kanariprompt"}`},
		{"POST", "/v2/agent", `{"prompt":"kanariprompt","urls":["` + url + `"],` + hook + `,"schema":{"type":"object","title":"kanarischema","properties":{"a":{"type":"string"}}}}`},
		{"POST", "/v2/parse/upload-url", `{"filename":"kanarifile.pdf","contentType":"application/pdf"}`},
		{"POST", "/v2/parse", `{"uploadRef":"kanaritoken"}`, "application/json"},
		{"PUT", "/v2/parse/upload" + id + "?token=kanaritoken", "kanaritext", "application/pdf"},
		{"GET", "/v2/crawl/kanariquery?token=kanariquery", ""},
		{"GET", "/kanariquery?token=kanariquery", ""},
		{"DELETE", "/v2/crawl" + id + "?token=kanariquery", ""},
	}
	for kind, begin := range map[string]string{
		"pdf": "%PDF-1.7\n", "docx": "PK\x03\x04", "txt": "", "html": "<p>", "xlsx": "PK\x03\x04", "rtf": `{\rtf1 `, "doc": "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "eml": "From: kanaritext\r\n\r\n",
	} {
		requests = append(requests, [4]string{"POST", "/v2/parse", options + fmt.Sprintf(file, kind, begin) + "--b--\r\n", form})
		locked := strings.Replace(options, "{", `{"password":"kanaripassword","parsers":[{"type":"pdf","password":"kanaripassword"}],`, 1)
		requests = append(requests, [4]string{"POST", "/v2/parse", locked + fmt.Sprintf(file, kind, begin) + "--b--\r\n", form})
	}
	// Without a model the request with formats for it is refused, so send these
	// instead.
	for _, r := range requests {
		if strings.Contains(r[2], model) {
			requests = append(requests, [4]string{r[0], r[1], strings.ReplaceAll(r[2], model, ""), r[3]})
		}
	}
	for _, r := range httpapi.RoutePatterns() {
		method, path, _ := strings.Cut(r, " ")
		path = strings.NewReplacer("/{id}", id, "{sid}", "1").Replace(path)
		requests = append(requests, [4]string{method, path + "?token=kanariquery", `{"kanarischema":"kanaritext"}`, "application/json"})
	}
	return requests
}

// TestLogCanary sends requests with canaries to every route while each part
// behind it fails in all known ways. No log line may contain a canary.
func TestLogCanary(t *testing.T) {
	unknown := errors.New("disk /dev/sda1 is full")
	errs := []error{
		fetch.ErrURL, fetch.ErrScheme, fetch.ErrHeader, fetch.ErrAddress, fetch.ErrDNS, fetch.ErrConnect, fetch.ErrTLS, fetch.ErrTimeout,
		fetch.ErrProtocol, fetch.ErrTooLarge, fetch.ErrInflate, fetch.ErrRedirects, fetch.ErrNotCached, crawl.ErrRobots, crawl.ErrHostDown,
		crawl.ErrDenied, crawl.ErrRedirectLoop, parse.ErrUnsupported, parse.ErrCorrupt, parse.ErrEncrypted, parse.ErrPassword, parse.ErrLimit, parse.ErrOCRRequired,
		threat.ErrBlocked, llm.ErrProvider, agent.ErrBudget, context.DeadlineExceeded, unknown,
	}
	good := fakeWeb{
		"http://a.test/page?token=kanariquery": `<title>kanaritext</title><p>kanaritext <a href="/next?token=kanariquery">kanaritext</a></p>`,
		"http://a.test/robots.txt":             "Disallow: /kanariquery",
	}
	services := map[string]*curlew.Service{
		"panic":        {Fetcher: panicking{}},
		"broken store": {Fetcher: good, Store: brokenStore{new(job.Memory)}},
		"dead store":   {Fetcher: good, Store: deadStore{new(job.Memory)}},
		"good web":     {Fetcher: good},
		"bad model":    {Fetcher: good, Agent: &agent.Engine{Model: dumb{unknown}}},
		"no model":     {Fetcher: good, Agent: &agent.Engine{Model: dumb{llm.ErrProvider}}},
	}
	for _, err := range errs {
		services[err.Error()] = &curlew.Service{Fetcher: failing{err}}
	}
	var all strings.Builder
	for name, service := range services {
		synctest.Test(t, func(t *testing.T) { all.WriteString(logOf(t, name, service)) })
	}
	for _, told := range []string{"webhook given up", "request failed", "job failed", `"panic"`} {
		if !strings.Contains(all.String(), told) {
			t.Errorf("no log says %q: the requests do not get so far", told)
		}
	}
}

// logOf sends all requests and returns the log.
func logOf(t *testing.T, name string, service *curlew.Service) string {
	t.Helper()
	hooks := webtest.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if body, _ := io.ReadAll(r.Body); bytes.Contains(body, []byte(".started")) {
			panic(http.ErrAbortHandler)
		}
		http.Redirect(w, r, "http://hook.test/?token=kanaritoken", http.StatusFound)
	}))
	defer hooks.Close()
	var logged safeBuffer
	logger := slog.New(slog.NewJSONHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	service.Logger = logger
	service.Webhooks = over(webhook.Config{Secret: func(context.Context, string) (string, error) { return "kanarisecret", nil }}, hooks)
	if service.Agent != nil {
		service.Agent.Logger = logger
	}
	h, err := httpapi.NewHandler(service, &httpapi.Options{Logger: logger, Authenticator: httpapi.StaticKeys(map[string]account.Team{
		"kanarikey": {ID: "team"},
	})})
	if err != nil {
		t.Fatal(err)
	}
	started := map[string]bool{}
	for _, r := range canaryRequests() {
		for _, key := range []string{"Bearer kanarikey", "Bearer kanarikey-wrong", "kanarikey", ""} {
			w, answer := ask(t, h, r[0], r[1], r[2], "Authorization", key, "Content-Type", r[3])
			var a struct{ ID string }
			if json.Unmarshal([]byte(answer), &a) == nil && a.ID != "" && w.Code == http.StatusOK {
				started[a.ID] = true
			}
		}
	}
	time.Sleep(time.Hour) // until webhook deliveries are given up
	for id := range started {
		for _, path := range []string{"/v2/crawl/", "/v2/batch/scrape/", "/v2/agent/"} {
			ask(t, h, "GET", path+id+"?token=kanariquery", "", "Authorization", "Bearer kanarikey")
			ask(t, h, "GET", path+id+"/errors?token=kanariquery", "", "Authorization", "Bearer kanarikey")
		}
	}
	if err := service.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	text := logged.String()
	for _, word := range logCanaries {
		for line := range strings.Lines(text) {
			if strings.Contains(strings.ToLower(line), word) {
				t.Errorf("%s: %s is in the log: %.600s", name, word, line)
				break
			}
		}
	}
	return text
}
