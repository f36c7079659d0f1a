// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/client"
	"example.com/curlew/fetch"
	"example.com/curlew/httpapi"
	"example.com/curlew/internal/test/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

// site is a site of 250 pages, of which each links the next two.
type site struct{ hold chan struct{} } // page 5 waits for it, if it is not nil

func (s site) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Response, error) {
	const n = 250
	resp := &fetch.Response{URL: r.URL, Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/html"}}}
	if strings.HasSuffix(r.URL, "/robots.txt") || strings.Contains(r.URL, "sitemap") {
		resp.Status = http.StatusNotFound
		return resp, nil
	}
	var i int
	if _, err := fmt.Sscanf(r.URL, "https://site.test/%d", &i); err != nil && r.URL != "https://site.test/" {
		return nil, &fetch.Error{URL: r.URL, Err: fetch.ErrDNS}
	}
	if i == 5 && s.hold != nil {
		select {
		case <-s.hold:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	var text strings.Builder
	fmt.Fprintf(&text, "<title>Page %d</title><main><h1>Page %d</h1>", i, i)
	for to := 2*i + 1; to <= 2*i+2 && to < n; to++ {
		fmt.Fprintf(&text, `<p><a href="/%d">%d</a></p>`, to, to)
	}
	resp.Body = []byte(text.String())
	return resp, nil
}

// served returns a client of a handler over s.
func served(t *testing.T, s *curlew.Service) *client.Client {
	t.Helper()
	team := account.Team{ID: "a", Policy: account.Policy{MaxQueuedPages: curlew.Unlimited}}
	h, err := httpapi.NewHandler(s, &httpapi.Options{Authenticator: httpapi.StaticKeys(map[string]account.Team{"k": team})})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(h)
	transport := &http.Transport{DisableKeepAlives: true}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			t.Error(err)
		}
		server.Close()
	})
	return &client.Client{BaseURL: server.URL, Key: "k", HTTP: &http.Client{Transport: transport}, Poll: time.Millisecond}
}

// held returns a client of a site whose page 5 is answered when a job is cancelled.
func held(t *testing.T) *client.Client {
	t.Helper()
	hold := make(chan struct{})
	c := served(t, &curlew.Service{Fetcher: site{hold: hold}})
	c.HTTP.Transport = releasing{c.HTTP.Transport, sync.OnceFunc(func() { close(hold) })}
	return c
}

// releasing calls release when something is deleted.
type releasing struct {
	http.RoundTripper
	release func()
}

func (r releasing) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method == http.MethodDelete {
		r.release()
	}
	return r.RoundTripper.RoundTrip(req)
}

// TestCrawl crawls more pages than one answer has, and gets each of them once.
func TestCrawl(t *testing.T) {
	c := served(t, &curlew.Service{Fetcher: site{}})
	seen := map[string]bool{}
	for d, err := range c.Crawl(t.Context(), &client.Crawl{URL: "https://site.test/", Limit: new(230)}) {
		if err != nil {
			t.Fatal(err)
		}
		if seen[d.Metadata.SourceURL] || !strings.HasPrefix(d.Markdown, "# Page") || !strings.Contains(string(d.Raw), "scrapeId") {
			t.Errorf("%s again, or incomplete: %s", d.Metadata.SourceURL, d.Raw)
		}
		seen[d.Metadata.SourceURL] = true
	}
	if len(seen) != 230 {
		t.Errorf("%d pages", len(seen))
	}
}

// TestLeave stops reading a crawl, which cancels it.
func TestLeave(t *testing.T) {
	c := held(t)
	for _, err := range c.Crawl(t.Context(), &client.Crawl{URL: "https://site.test/", Limit: new(230)}) {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	if q, err := c.Queue(t.Context()); err != nil || q.Jobs != 0 {
		t.Errorf("%+v, %v: the crawl is still running", q, err)
	}
	c = held(t)
	job, err := c.StartCrawl(t.Context(), &client.Crawl{URL: "https://site.test/"})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Cancel(t.Context(), client.CrawlJob, job.ID); err != nil {
		t.Fatal(err)
	}
	var last error
	for _, err := range c.Watch(t.Context(), client.CrawlJob, job.ID, 0) {
		last = err
	}
	if !errors.Is(last, client.ErrJob) || !strings.Contains(last.Error(), "cancelled") {
		t.Errorf("a cancelled job ends with %v", last)
	}
	if now, err := c.Status(t.Context(), client.CrawlJob, job.ID, 0, 1); err != nil || !now.Ended() || now.CreatedAt.IsZero() {
		t.Errorf("%+v, %v", now, err)
	}
	if e, err := c.Explain(t.Context(), job.ID, "https://other.test/"); err != nil || e.Decision.Follow || e.Decision.Rule != "external" {
		t.Errorf("%+v, %v", e, err)
	}
	if e, err := c.Errors(t.Context(), client.CrawlJob, job.ID); err != nil || e.ErrorsTotal != 0 {
		t.Errorf("%+v, %v", e, err)
	}
}

// TestPages makes the calls that need no polling, and a batch.
func TestPages(t *testing.T) {
	c := served(t, &curlew.Service{Fetcher: site{}})
	d, err := c.Scrape(t.Context(), &client.Page{URL: "https://site.test/3", Scrape: client.Scrape{Formats: []client.Format{{Type: "markdown"}, {Type: "links"}}, RedactPII: &client.Redact{On: false}}})
	if err != nil || len(d.Links) != 2 || d.Metadata.StatusCode != http.StatusOK {
		t.Errorf("%+v, %v", d, err)
	}
	m, err := c.Map(t.Context(), &client.Map{URL: "https://site.test/"})
	if err != nil || len(m.Links) != 3 {
		t.Errorf("%+v, %v", m, err)
	}
	f, err := c.Parse(t.Context(), "birds.csv", strings.NewReader("name,size\ncurlew,55\n"), nil)
	if err != nil || !strings.Contains(f.Markdown, "| curlew | 55 |") {
		t.Errorf("%+v, %v", f, err)
	}
	if f, err = c.Parse(t.Context(), "birds.csv", io.MultiReader(strings.NewReader("a,b\n"), broken{}), &client.Parse{}); err == nil {
		t.Errorf("a file that cannot be read gives %+v", f)
	}
	if credits, err := c.Credits(t.Context()); err != nil || credits.Remaining != 2147483647 {
		t.Errorf("%+v, %v", credits, err)
	}
	b, err := c.StartBatch(t.Context(), &client.Batch{URLs: []string{"https://site.test/1", "https://nowhere.test/"}})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, err := range c.Watch(t.Context(), client.BatchJob, b.ID, 0) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if e, err := c.Errors(t.Context(), client.BatchJob, b.ID); err != nil || e.ErrorsTotal != 1 || n != 1 {
		t.Errorf("%d pages, %+v, %v", n, e, err)
	}
}

// broken is a file that cannot be read.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("bad sector") }

// TestRefused checks the errors of answers.
func TestRefused(t *testing.T) {
	c := served(t, &curlew.Service{Fetcher: site{}})
	other := *c
	other.Key = "other"
	for name, tt := range map[string]struct {
		call   func() error
		status int
		says   string
	}{
		"key": {func() error { _, err := other.Credits(t.Context()); return err }, 401, "Invalid token"},
		"schema": {func() error {
			_, err := c.StartCrawl(t.Context(), &client.Crawl{URL: "https://site.test/", Limit: new(0)})
			return err
		}, 400, "limit"},
		"job": {func() error {
			_, err := c.Status(t.Context(), client.CrawlJob, "0198a7c2-0000-7000-8000-000000000000", 0, 0)
			return err
		}, 404, "Job not found"},
		"id":     {func() error { _, err := c.Status(t.Context(), client.CrawlJob, "../x", 0, 0); return err }, 400, "Invalid job ID"},
		"name":   {func() error { _, err := c.Scrape(t.Context(), &client.Page{URL: "https://nowhere.test/"}); return err }, 200, "SCRAPE_DNS_RESOLUTION_ERROR"},
		"agent":  {func() error { _, err := c.StartAgent(t.Context(), &client.Agent{Prompt: "x"}); return err }, 501, "ENGINE_NOT_CONFIGURED"},
		"search": {func() error { _, err := c.Search(t.Context(), &client.Search{Query: "x"}); return err }, 501, "ENGINE_NOT_CONFIGURED"},
		"extract": {func() error {
			_, err := c.StartExtract(t.Context(), &client.Extract{URLs: []string{"https://site.test/"}})
			return err
		}, 501, "ENGINE_NOT_CONFIGURED"},
		"run":   {func() error { _, err := c.Agent(t.Context(), "0198a7c2-0000-7000-8000-000000000000"); return err }, 404, "not found"},
		"wait":  {func() error { _, err := c.WaitAgent(t.Context(), "0198a7c2-0000-7000-8000-000000000000"); return err }, 404, "not found"},
		"stop":  {func() error { return c.CancelAgent(t.Context(), "0198a7c2-0000-7000-8000-000000000000") }, 404, "not found"},
		"parts": {func() error { _, err := c.Extract(t.Context(), "0198a7c2-0000-7000-8000-000000000000"); return err }, 404, "not found"},
	} {
		err := tt.call()
		refused, ok := errors.AsType[*client.Error](err)
		if !ok || refused.Status != tt.status || !strings.Contains(err.Error(), tt.says) || refused.RequestID == "" {
			t.Errorf("%s: %v (%+v)", name, err, refused)
		}
	}
}

// answers is a server in the same process, so that a test in a bubble needs no network.
type answers http.HandlerFunc

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	a(w, r)
	resp := w.Result()
	resp.Request = r
	return resp, nil
}

// TestBusy repeats a request that the server was too busy for, and gives up if it must
// wait too long or too often. It runs in fake time.
func TestBusy(t *testing.T) {
	for name, tt := range map[string]struct {
		after    string // Retry-After
		refusals int
		retries  int // of the client
		file     io.Reader
		requests int
		least    time.Duration // the pauses, which chance makes longer by a quarter at most
		says     string        // the error; empty if the call succeeds
	}{
		"soon":         {after: "1", refusals: 2, requests: 3, least: 2 * time.Second},
		"unsaid":       {refusals: 3, requests: 4, least: 7 * time.Second},
		"file":         {after: "1", refusals: 1, file: strings.NewReader("x"), requests: 2, least: time.Second},
		"used file":    {after: "1", refusals: 1, file: io.MultiReader(strings.NewReader("x")), requests: 1, least: time.Second, says: "cannot be read again"},
		"long":         {after: "120", refusals: 1, requests: 2, least: 2 * time.Minute},
		"too long":     {after: "121", refusals: 1, requests: 1, says: "later"},
		"too often":    {after: "1", refusals: 9, requests: 4, least: 3 * time.Second, says: "later"},
		"only once":    {after: "1", refusals: 9, retries: -1, requests: 1, says: "later"},
		"no such time": {after: "-7", refusals: 1, requests: 2, least: time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				requests := 0
				server := answers(func(w http.ResponseWriter, r *http.Request) {
					if _, err := io.Copy(io.Discard, r.Body); err != nil {
						t.Error(err)
					}
					if requests++; requests <= tt.refusals {
						if tt.after != "" {
							w.Header().Set("Retry-After", tt.after)
						}
						w.WriteHeader([]int{http.StatusTooManyRequests, http.StatusServiceUnavailable}[requests%2])
						fmt.Fprint(w, `{"error":"later"}`)
						return
					}
					fmt.Fprint(w, `{"success":true,"data":{"markdown":"hello"}}`)
				})
				c := &client.Client{HTTP: &http.Client{Transport: server}, Retries: tt.retries}
				begun := time.Now()
				var d *client.Document
				var err error
				if tt.file != nil {
					d, err = c.Parse(t.Context(), "a.txt", tt.file, nil)
				} else {
					d, err = c.Scrape(t.Context(), &client.Page{URL: "a.test"})
				}
				switch {
				case tt.says != "" && (err == nil || !strings.Contains(err.Error(), tt.says)):
					t.Errorf("%v, want %q", err, tt.says)
				case tt.says == "" && (err != nil || d.Markdown != "hello"):
					t.Errorf("%+v, %v", d, err)
				}
				// A pause is also longer by the nanosecond that makes its range valid.
				if took, most := time.Since(begun), tt.least+tt.least/4+time.Millisecond; requests != tt.requests || took < tt.least || took > most {
					t.Errorf("%d requests in %v, want %d in %v to %v", requests, took, tt.requests, tt.least, most)
				}
			})
		})
	}
}

// TestImpatient ends a pause when the context ends, and says both reasons.
func TestImpatient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := answers(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "60")
			w.WriteHeader(http.StatusTooManyRequests)
			fmt.Fprint(w, `{"error":"later"}`)
		})
		c := &client.Client{HTTP: &http.Client{Transport: server}}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		begun := time.Now()
		_, err := c.Map(ctx, &client.Map{URL: "a.test"})
		if refused, ok := errors.AsType[*client.Error](err); !ok || refused.RetryAfter != time.Minute || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		if took := time.Since(begun); took != 5*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// TestHostile reads answers that no server of the contract gives.
func TestHostile(t *testing.T) {
	answer := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, answer) }))
	defer server.Close()
	c := &client.Client{BaseURL: server.URL + "/", Key: "secret", HTTP: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
	for text, want := range map[string]string{
		"<html>":                             "does not answer with JSON",
		`{"success":false,"error":"no"}`:     "200: no",
		`{"status":"scraping","data":7}`:     "decode the answer",
		`{"status":"scraping","data":[7]}`:   "document 0",
		`{"status":"failed","error":"disk"}`: "the job was not completed: failed disk",
		`{"status":"scraping","next":"http://other.test/v2/crawl/x?skip=1"}`: "sends none",
	} {
		answer = text
		var last error
		for _, err := range c.Watch(t.Context(), client.CrawlJob, "x", 0) {
			last = err
		}
		if last == nil || !strings.Contains(last.Error(), want) {
			t.Errorf("%s: %v, want %q", text, last, want)
		}
	}
}

func ExampleClient() {
	c := &client.Client{BaseURL: "http://127.0.0.1:3002", Key: "fc-secret"}
	for doc, err := range c.Crawl(context.Background(), &client.Crawl{URL: "https://example.com/docs/", Limit: new(100)}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(doc.Metadata.SourceURL, len(doc.Markdown))
	}
}
