// SPDX-License-Identifier: Apache-2.0

package pages_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/curlew/crawl/pace"
	"example.com/curlew/fetch"
	"example.com/curlew/internal/service/admission"
	"example.com/curlew/internal/service/pages"
	"example.com/curlew/internal/service/reading"
	"example.com/curlew/parse"
	"example.com/curlew/threat"
)

// answers is a Fetcher with a fixed response for each URL, and with a cache that has
// those that are Cached.
type answers map[string]fetch.Response

func (a answers) Fetch(_ context.Context, r *fetch.Request) (*fetch.Response, error) {
	resp, ok := a[r.URL]
	if !ok || r.Lockdown && resp.Cached.IsZero() {
		return nil, &fetch.Error{URL: r.URL, Err: fetch.ErrNotCached}
	}
	resp.URL = r.URL
	return &resp, nil
}

func (answers) Caching() bool { return true }

// pipeline returns a Pipeline over a fetcher, with bytes of memory for documents.
func pipeline(f fetch.Fetcher, bytes int64) *pages.Pipeline {
	p := &pages.Pipeline{Fetcher: f, Parser: new(parse.Engine), Hosts: new(pace.Hosts), Logger: slog.New(slog.DiscardHandler), Busy: func(err error) error { return err }}
	p.Budget.Memory, p.Budget.Wait, p.Budget.Logger = admission.NewPool(bytes), time.Millisecond, p.Logger
	return p
}

// TestScrape checks what a document says about a response beside its content.
func TestScrape(t *testing.T) {
	body := []byte("<title>A</title><p>Some words.")
	html := http.Header{"Content-Type": {"text/html"}}
	p := pipeline(answers{
		"http://a.test/":    {Status: 200, Header: html, Body: body},
		"http://a.test/cut": {Status: 200, Header: html, Body: body, Truncated: true},
		"http://a.test/end": {Status: 200, Header: html, Body: body, Excess: true},
		"http://a.test/rot": {Status: 200, Header: http.Header{"Content-Encoding": {"rot13"}}, Body: body},
		"http://a.test/no":  {Status: 404, Header: html, Body: body},
		"http://a.test/old": {Status: 200, Header: html, Body: body, Cached: time.Unix(0, 0)},
		"http://a.test/0":   {Status: 200, Header: http.Header{"Content-Type": {"application/pdf"}}, Body: []byte(" \n")},
		"http://a.test/csv": {Status: 200, Header: http.Header{"Content-Disposition": {`attachment; filename="..\\a.csv"`}}, Body: []byte("a,b\n1,2\n")},
	}, admission.Unlimited)
	for path, want := range map[string]string{"": "200  ", "cut": "200   The server sent less", "end": "200   The page goes on after the end", "rot": "200   The server names a content coding that is unknown", "no": "404 Not Found ", "old": "200  hit", "0": "200  ", "csv": "200  "} {
		doc, err := p.Scrape(t.Context(), &pages.Visit{Request: fetch.Request{URL: "http://a.test/" + path}})
		if err != nil {
			t.Errorf("/%s: %v", path, err)
			continue
		}
		m := &doc.Metadata
		got := strings.Join([]string{map[int]string{200: "200", 404: "404"}[m.StatusCode], m.Error, m.CacheState}, " ")
		if doc.Warning != "" {
			got += " " + doc.Warning
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("/%s: %q, want %q", path, got, want)
		}
		if path == "csv" && !strings.Contains(*doc.Markdown, "| 1 | 2 |") {
			t.Errorf("read as %q", *doc.Markdown)
		}
	}
}

// TestRefused checks that nothing is fetched if the gate refuses, and that the
// hook names the lack of memory.
func TestRefused(t *testing.T) {
	rules, err := threat.Compile(threat.Policy{Mode: threat.Normal, Blacklist: []string{"bad.test"}, Failure: threat.Open})
	if err != nil {
		t.Fatal(err)
	}
	p := pipeline(answers{"http://a.test/": {Status: 200, Body: []byte("Some words.")}}, 1<<20)
	visit := &pages.Visit{Request: fetch.Request{URL: "http://bad.test/"}, Gate: &threat.Gate{Rules: rules}}
	if _, err := p.Scrape(t.Context(), visit); !errors.Is(err, threat.ErrBlocked) {
		t.Errorf("%v", err)
	}
	held, err := p.Budget.Memory.Take(t.Context(), p.Budget.Memory.Ticket(), 1<<20, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Release()
	busy := errors.New("short of memory")
	p.Busy = func(err error) error {
		if errors.Is(err, admission.ErrBusy) {
			return busy
		}
		return err
	}
	visit.Request.URL = "http://a.test/"
	if _, err := p.Scrape(t.Context(), visit); !errors.Is(err, busy) {
		t.Errorf("%v", err)
	}
}

// TestTurns checks that only pages that are not cached take a turn at their host.
func TestTurns(t *testing.T) {
	p := pipeline(answers{"http://a.test/": {Status: 200}, "http://a.test/old": {Status: 200, Cached: time.Unix(0, 0)}}, admission.Unlimited)
	line := pace.NewLine(p.Hosts, false)
	defer line.Leave()
	for _, test := range []struct {
		path string
		age  time.Duration
		want bool
	}{{"", 0, true}, {"", time.Hour, true}, {"old", 0, true}, {"old", time.Hour, false}} {
		v := &pages.Visit{Reading: pages.Reading{Line: line}, Request: fetch.Request{URL: "http://a.test/" + test.path, MaxAge: test.age, Timeout: time.Hour}}
		turn, err := p.TakeTimelyTurn(t.Context(), v)
		if err != nil || (turn != nil) != test.want || v.Request.Timeout > time.Hour {
			t.Errorf("/%s, %v: %v, %v, %v", test.path, test.age, turn, v.Request.Timeout, err)
		}
		turn.End(nil, nil)
	}
}

// TestViews reads a page in both forms.
func TestViews(t *testing.T) {
	p := pipeline(answers{}, admission.Unlimited)
	body := []byte("<title>A</title><nav><a href=/x>Menu of the site</a></nav><main><h1>A</h1><p>These are the words of the article, and there are enough of them.</main>")
	v, err := p.Views(t.Context(), "http://a.test/", &fetch.Response{URL: "http://a.test/b", Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: body}, reading.Terms{})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(*v.Main.Markdown, "article") || strings.Contains(*v.Main.Markdown, "Menu") || !strings.Contains(*v.Full.Markdown, "Menu") {
		t.Errorf("%q, %q", *v.Main.Markdown, *v.Full.Markdown)
	}
	if v.Input.SourceURL != "http://a.test/" || v.Input.URL != "http://a.test/b" {
		t.Errorf("%s, %s", v.Input.SourceURL, v.Input.URL)
	}
}
