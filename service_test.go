// SPDX-License-Identifier: Apache-2.0

package curlew_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew"
	"example.com/curlew/crawl"
	"example.com/curlew/fetch"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/job"
	"example.com/curlew/observe"
	"example.com/curlew/parse"
	"example.com/curlew/threat"
)

func TestScrape(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rules, err := threat.Compile(threat.Policy{Mode: threat.Normal, Blacklist: []string{"bad.test"}, Failure: threat.Open})
		if err != nil {
			t.Fatal(err)
		}
		service := curlew.Service{Fetcher: fetchtest.New(t, []byte(`
-- http://a.test/ --
<title>A</title><p>Hello.</p>
-- http://a.test/hop --
HTTP 302
Location: http://bad.test/

-- http://a.test/slow --
HTTP 200
X-Latency: 2h

-- http://a.test/cut.txt --
HTTP 200
Content-Type: text/plain
X-Fault: truncate

Hello, you.
-- http://a.test/teapot --
HTTP 418

<p>I'm a teapot.</p>
-- http://a.test/odd --
HTTP 599

<p>Odd.</p>
-- http://bad.test/ --
<p>Bad.</p>
`))}
		gate := func() *threat.Gate { return &threat.Gate{Rules: rules} }
		for _, test := range []struct {
			url     string
			options *curlew.ScrapeOptions
			err     error
			text    string // part of the Markdown
			fault   string // metadata.error
			warning string
		}{
			{url: "http://a.test/", text: "Hello.\n"},
			{url: "http://a.test/", options: &curlew.ScrapeOptions{Gate: gate()}, text: "Hello.\n"},
			{url: "http://bad.test/", options: &curlew.ScrapeOptions{Gate: gate()}, err: threat.ErrBlocked},
			{url: "http://a.test/hop", options: &curlew.ScrapeOptions{Gate: gate()}, err: threat.ErrBlocked},
			{url: "http://a.test/hop", text: "Bad.\n"},
			{url: "http://a.test/slow", err: fetch.ErrTimeout},
			{url: "http://a.test/slow", options: &curlew.ScrapeOptions{Timeout: time.Second}, err: fetch.ErrTimeout},
			{url: "http://a.test/slow", options: &curlew.ScrapeOptions{Timeout: curlew.Unlimited}, warning: "The page has no content: neither text nor images."},
			{url: "http://a.test/cut.txt", text: "Hello,", warning: "The server sent less than it announced."},
			{url: "http://a.test/teapot", text: "I'm a teapot.\n", fault: "I'm a teapot"},
			{url: "http://a.test/odd", text: "Odd.\n", fault: "Status 599"},
			{url: "http://c.test/", err: fetch.ErrDNS},
		} {
			doc, err := service.Scrape(t.Context(), test.url, test.options)
			if !errors.Is(err, test.err) || (err == nil) != (test.err == nil) {
				t.Errorf("%s: %v, want %v", test.url, err, test.err)
			}
			if err != nil {
				continue
			}
			if *doc.Markdown != test.text || doc.Metadata.Error != test.fault || doc.Warning != test.warning {
				t.Errorf("%s: %q, error %q, warning %q", test.url, *doc.Markdown, doc.Metadata.Error, doc.Warning)
			}
		}
	})
}

func TestParse(t *testing.T) {
	service := new(curlew.Service)
	doc, err := service.Parse(t.Context(), parse.Source{Name: "a.md", Data: strings.NewReader("# A\n"), Size: 4}, nil)
	if err != nil || !strings.HasPrefix(*doc.Markdown, "# A") || doc.Metadata.SourceURL != "a.md" || doc.Metadata.StatusCode != 200 {
		t.Errorf("%+v, %v", doc, err)
	}
	if _, err := service.Parse(t.Context(), parse.Source{Name: "a.gif", Data: strings.NewReader("GIF89a"), Size: 6}, nil); !errors.Is(err, parse.ErrUnsupported) {
		t.Errorf("an image: %v", err)
	}
}

// TestDocument shows pages of a crawl that are not HTML, and one without a
// body.
func TestDocument(t *testing.T) {
	service := new(curlew.Service)
	for body, want := range map[string]string{
		"":                    "",
		"just text":           "just text",
		`{"a":1}`:             "```json\n{\n  \"a\": 1\n}\n```\n",
		"<p>Some <b>HTML</b>": "Some **HTML**\n",
	} {
		p := &crawl.Page{URL: "http://a.test/x", Status: 200, Body: []byte(body)}
		doc, err := service.Document(t.Context(), p, nil)
		if err != nil || *doc.Markdown != want || doc.Metadata.SourceURL != "http://a.test/x" {
			t.Errorf("%q: %+v, %v, want %q", body, doc, err, want)
		}
	}
	if _, err := service.Document(t.Context(), &crawl.Page{URL: "http://a.test/", Err: fetch.ErrTimeout}, nil); !errors.Is(err, fetch.ErrTimeout) {
		t.Errorf("a page that failed: %v, want its error", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := service.Document(cancelled, &crawl.Page{URL: "http://a.test/", Body: []byte("<p>x")}, new(curlew.ParseOptions)); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}

func TestMap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service := curlew.Service{Fetcher: fetchtest.New(t, []byte(`
-- http://a.test/ --
<p><a href="/alpha">a</a> <a href="/beta/gamma">b</a> <a href="/gamma">g</a> <a href="http://sub.a.test/">s</a> <a href="/x?y">x</a> <a href="/x?z">x</a>
-- http://slow.test/ --
HTTP 200
X-Latency: 1h

<p>Late.
-- http://sub.a.test/ --
<p>Sub.
`))}
		for _, test := range []struct {
			name    string
			options *curlew.MapOptions
			want    string
		}{
			{"default", nil, "/ /alpha /beta/gamma /gamma http://sub.a.test/ /x?y"},
			{"search", &curlew.MapOptions{Search: "Gamma BETA", Limit: 2}, "/beta/gamma /gamma"},
			{"no subdomains", &curlew.MapOptions{NoSubdomain: true, KeepQuery: true}, "/ /alpha /beta/gamma /gamma /x?y /x?z"},
			{"limit", &curlew.MapOptions{Limit: 3}, "/ /alpha /beta/gamma"},
			{"no limit", &curlew.MapOptions{Limit: curlew.Unlimited, Search: "sub"}, "http://sub.a.test/ / /alpha /beta/gamma /gamma /x?y"},
			{"include", &curlew.MapOptions{Include: []string{"gamma"}, Exclude: []string{"^/gamma"}}, "/beta/gamma"},
			{"sitemap only", &curlew.MapOptions{Sitemap: crawl.SitemapOnly}, "/"},
		} {
			urls, err := service.Map(t.Context(), "http://a.test/", test.options)
			got := strings.ReplaceAll(strings.Join(urls.URLs, " "), "http://a.test/", "/")
			if got != test.want || err != nil {
				t.Errorf("%s: %s, %v, want %s", test.name, got, err, test.want)
			}
		}
		if _, err := service.Map(t.Context(), "http://nowhere.test/", nil); !errors.Is(err, fetch.ErrDNS) {
			t.Errorf("nowhere: %v", err)
		}
		start := time.Now()
		if _, err := service.Map(t.Context(), "http://slow.test/", &curlew.MapOptions{Timeout: 5 * time.Second}); err == nil {
			t.Error("a map that times out has no error")
		}
		if d := time.Since(start); d > 6*time.Second {
			t.Errorf("a timeout of 5 s took %v", d)
		}
	})
}

// TestMapRobotsCut maps a site whose robots.txt is not read to its end.
func TestMapRobotsCut(t *testing.T) {
	service := curlew.Service{Fetcher: fetchtest.New(t, []byte("-- http://a.test/ --\n<p>A.\n-- http://a.test/robots.txt --\n"+strings.Repeat("#\n", 255<<10)+"User-agent: *\nDisallow: /\n"))}
	m, err := service.Map(t.Context(), "http://a.test/", nil)
	if err != nil || !strings.Contains(m.Warning, "first 500 KiB of http://a.test/robots.txt") {
		t.Errorf("%q, %v", m.Warning, err)
	}
}

// TestBatchPanics uses a Fetcher that panics. Its pages fail, but the batch
// does not. The Trace is told that the pages have ended.
func TestBatchPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var open, failed atomic.Int64
		trace := &observe.Trace{Page: func(context.Context, observe.Page) (context.Context, func(error)) {
			open.Add(1)
			return nil, func(err error) {
				if open.Add(-1); err != nil {
					failed.Add(1)
				}
			}
		}}
		service := &curlew.Service{Fetcher: panicking{}, Trace: trace}
		j, err := service.StartBatch(t.Context(), &curlew.BatchRequest{URLs: []string{"a.test", "b.test"}})
		if err != nil {
			t.Fatal(err)
		}
		st, err := j.Wait(t.Context())
		if err != nil || st.State != job.Completed || st.Delivered != 0 || st.Total != 0 || st.Failed != 2 {
			t.Errorf("%+v, %v", st, err)
		}
		for e, err := range j.Errors(t.Context(), 0) {
			if err != nil || e.Code != "UNKNOWN_ERROR" || strings.Contains(e.Text, "so it goes") {
				t.Errorf("%+v, %v", e, err)
			}
		}
		if open.Load() != 0 || failed.Load() != 2 {
			t.Errorf("%d pages have not ended and %d have failed, want 0 and 2", open.Load(), failed.Load())
		}
	})
}

// brokenStore fails when a page is stored.
type brokenStore struct{ job.Store }

func (b brokenStore) Space(ctx context.Context, id string) (job.Space, error) {
	s, err := b.Store.Space(ctx, id)
	return brokenSpace{s}, err
}

type brokenSpace struct{ job.Space }

func (brokenSpace) Append(context.Context, ...job.Item) error {
	return errors.New("disk /dev/sda1 is full")
}

// TestJobFails uses a store that fails. The job fails without a reason for the
// team, and the log of the host gives the reason.
func TestJobFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		service := &curlew.Service{
			Fetcher: fetchtest.New(t, []byte(oneSite)), Store: brokenStore{new(job.Memory)}, Logger: slog.New(slog.NewTextHandler(&log, nil)),
		}
		j, err := service.StartBatch(t.Context(), &curlew.BatchRequest{URLs: []string{"a.test"}})
		if err != nil {
			t.Fatal(err)
		}
		st, err := j.Wait(t.Context())
		if err != nil || st.State != job.Failed || st.Err != "the job could not continue" {
			t.Errorf("%+v, %v", st, err)
		}
		if !strings.Contains(log.String(), "sda1") {
			t.Errorf("the log says %q", log.String())
		}
		if err := service.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestMapErrors maps URLs that cannot be mapped. The error names the URL.
func TestMapErrors(t *testing.T) {
	service := &curlew.Service{Fetcher: fakeWeb{}}
	for url, want := range map[string]string{
		"http://user:secret@none.test/": "map http://none.test/: ",
		"none.test":                     "map: ",
	} {
		_, err := service.Map(t.Context(), url, &curlew.MapOptions{Robots: crawl.RobotsIgnore, Sitemap: crawl.SitemapSkip})
		if err == nil || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), "none.test") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// TestLocalName checks that the refusal of a host without a dot names the way to allow it.
func TestLocalName(t *testing.T) {
	web := fetchtest.New(t, []byte("-- http://localhost/ --\nHello.\n"))
	service := &curlew.Service{Fetcher: web}
	for url, want := range map[string]bool{"http://localhost:8080/": true, "http://a.b/": false, "ftp://localhost/": false} {
		_, err := service.StartCrawl(t.Context(), &curlew.CrawlRequest{URL: url})
		if !errors.Is(err, curlew.ErrRequest) || strings.Contains(err.Error(), "Service.LocalNames") != want {
			t.Errorf("%s: %v", url, err)
		}
	}
	service = &curlew.Service{Fetcher: web, LocalNames: true}
	if _, err := service.StartCrawl(t.Context(), &curlew.CrawlRequest{URL: "localhost"}); err != nil {
		t.Error(err)
	}
	shut(t, service)
}

// TestTraced checks that pages which no team pays for are reported too.
func TestTraced(t *testing.T) {
	var got []string
	trace := &observe.Trace{Page: func(ctx context.Context, p observe.Page) (context.Context, func(error)) {
		return ctx, func(err error) { got = append(got, fmt.Sprint(p, " ", err != nil)) }
	}}
	service := &curlew.Service{Fetcher: fetchtest.New(t, []byte("-- http://a.test/ --\nHello.\n")), Trace: trace}
	if _, err := service.Scrape(t.Context(), "http://a.test/", nil); err != nil {
		t.Error(err)
	}
	if _, err := service.Scrape(t.Context(), "nowhere", nil); err == nil {
		t.Error("a page without a host was fetched")
	}
	if _, err := service.Parse(t.Context(), parse.Bytes("a.txt", []byte("Hello.")), nil); err != nil {
		t.Error(err)
	}
	if _, err := service.Document(t.Context(), nil, nil); err == nil {
		t.Error("no page gives a document")
	}
	want := []string{"{scrape  } false", "{scrape  } true", "{parse  } false", "{crawl  } true"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
