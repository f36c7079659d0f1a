// SPDX-License-Identifier: Apache-2.0

package curlew_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/agent"
	"example.com/curlew/agent/llm"
	"example.com/curlew/agent/search"
	"example.com/curlew/audit"
	"example.com/curlew/crawl/scope"
	"example.com/curlew/fetch"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/format"
	"example.com/curlew/job"
	"example.com/curlew/parse"
)

const threePages = `-- http://a.test/ --
<title>Home</title><p>Home. <a href="/one">one</a> <a href="/two">two</a> <a href="/none">none</a> <a href="/out/x">x</a></p>
-- http://a.test/one --
<title>One</title><p>One.</p>
-- http://a.test/two --
<title>Two</title><p>Two.</p>
`

// TestCrawlJob starts a crawl in Go and calls every method of its job.
func TestCrawlJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service := &curlew.Service{Fetcher: fetchtest.New(t, []byte(threePages))}
		request := &curlew.CrawlRequest{URL: "a.test", Start: curlew.Start{Memo: json.RawMessage(`{"mine":1}`), Caller: curlew.Caller{Team: account.Team{ID: "us"}}}}
		request.Exclude = []string{"^/out/"}
		load := service.Load(&request.Caller)
		if last, err := load.LastSuccess(t.Context()); err != nil || !last.IsZero() {
			t.Errorf("last success before any job: %v, %v", last, err)
		}
		j, err := service.StartCrawl(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		st, err := j.Wait(t.Context())
		if last, err := load.LastSuccess(t.Context()); err != nil || !last.Equal(st.Ended) || last.IsZero() {
			t.Errorf("last success: %v, %v, want %v", last, err, st.Ended)
		}
		if last, err := service.Load(new(curlew.Caller)).LastSuccess(t.Context()); err != nil || !last.IsZero() {
			t.Errorf("last success of another team: %v, %v", last, err)
		}
		if err != nil || st.State != job.Completed || st.Delivered != 4 || st.Credits != 4 || st.ID != j.ID() || st.Kind != curlew.KindCrawl {
			t.Errorf("%+v, %v", st, err)
		}
		var titles []string
		for doc, err := range j.Pages(t.Context(), 0) {
			if err != nil {
				t.Fatal(err)
			}
			titles = append(titles, doc.Metadata.Title)
		}
		slices.Sort(titles)
		if diff := cmp.Diff([]string{"Home", "Not found", "One", "Two"}, titles); diff != "" {
			t.Errorf("pages (-want +got):\n%s", diff)
		}
		n := 0
		for doc, err := range j.Watch(t.Context(), 2) {
			if n++; err != nil || doc.Markdown == nil {
				t.Errorf("%+v, %v", doc, err)
			}
		}
		if n != 2 {
			t.Errorf("watched %d documents from the third on", n)
		}
		e, err := j.Explain(t.Context(), scope.Ref{}, "http://a.test/out/x")
		if err != nil || e.Follow || e.Rule != "excluded" {
			t.Errorf("%+v, %v", e, err)
		}

		again, err := service.Job(t.Context(), "us", j.ID())
		if err != nil || string(again.Memo()) != `{"mine":1}` || again.URL() != "http://a.test/" || !again.State().Final() {
			t.Errorf("%+v, %v", again, err)
		}
		if err := again.Cancel(t.Context()); !errors.Is(err, curlew.ErrFinished) {
			t.Errorf("cancelled after its end: %v", err)
		}
		if _, err := service.Job(t.Context(), "", j.ID()); !errors.Is(err, job.ErrNotFound) {
			t.Errorf("another team's job: %v", err)
		}
		for other, err := range service.Jobs(t.Context(), "us", job.Filter{}) {
			if err != nil || other.ID() != j.ID() {
				t.Errorf("%+v, %v", other, err)
			}
		}
		if err := service.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if _, err := service.StartCrawl(t.Context(), request); !errors.Is(err, job.ErrShutdown) {
			t.Errorf("after the shutdown: %v", err)
		}
	})
}

// TestStartRefuses starts invalid requests. The error names the wrong field,
// and no credits are used.
func TestStartRefuses(t *testing.T) {
	forms := func(f ...format.Form) curlew.ScrapeOptions {
		return curlew.ScrapeOptions{ParseOptions: curlew.ParseOptions{Format: format.Options{Forms: f}}}
	}
	ledger := new(account.Ledger)
	service := &curlew.Service{Fetcher: fakeWeb{}, Credits: ledger}
	limited := curlew.Start{Caller: curlew.Caller{Team: account.Team{ID: "default", Policy: account.Policy{AllowFormats: []string{"markdown"}, Blocklist: []string{"bad.test"}}}}}
	for name, c := range map[string]struct {
		start func() (*curlew.Job, error)
		why   error
		field string
	}{
		"no URL": {func() (*curlew.Job, error) {
			return service.StartCrawl(t.Context(), &curlew.CrawlRequest{})
		}, curlew.ErrRequest, "URL"},
		"pattern": {func() (*curlew.Job, error) {
			r := &curlew.CrawlRequest{URL: "a.test"}
			r.Include = []string{"("}
			return service.StartCrawl(t.Context(), r)
		}, curlew.ErrRequest, "CrawlOptions"},
		"since": {func() (*curlew.Job, error) {
			return service.StartCrawl(t.Context(), &curlew.CrawlRequest{URL: "a.test", Since: "00000000-0000-7000-8000-000000000000"})
		}, job.ErrNotFound, ""},
		"prompt": {func() (*curlew.Job, error) {
			return service.StartCrawl(t.Context(), &curlew.CrawlRequest{URL: "a.test", Prompt: "news"})
		}, curlew.ErrRequest, ""},
		"format": {func() (*curlew.Job, error) {
			return service.StartCrawl(t.Context(), &curlew.CrawlRequest{URL: "a.test", Start: limited, Page: forms(format.RawHTML)})
		}, account.ErrForbidden, ""},
		"retention": {func() (*curlew.Job, error) {
			return service.StartCrawl(t.Context(), &curlew.CrawlRequest{URL: "a.test", Start: curlew.Start{ZeroRetention: true}})
		}, account.ErrForbidden, ""},
		"blocklist": {func() (*curlew.Job, error) {
			return service.StartBatch(t.Context(), &curlew.BatchRequest{URLs: []string{"www.bad.test"}, Start: limited})
		}, curlew.ErrRequest, ""},
		"second URL": {func() (*curlew.Job, error) {
			return service.StartBatch(t.Context(), &curlew.BatchRequest{URLs: []string{"a.test", "ftp://a.test"}})
		}, curlew.ErrRequest, "URLs[1]"},
		"search": {func() (*curlew.Job, error) {
			_, err := service.Search(t.Context(), &search.Request{Text: "birds", Include: []string{"https://a.test/"}}, nil)
			return nil, err
		}, curlew.ErrRequest, "Include[0]"},
		"nil search": {func() (*curlew.Job, error) {
			_, err := service.Search(t.Context(), nil, nil)
			return nil, err
		}, curlew.ErrRequest, ""},
		"no agent": {func() (*curlew.Job, error) {
			return service.StartAgent(t.Context(), &curlew.AgentRequest{AgentOptions: curlew.AgentOptions{Prompt: "Who?"}})
		}, curlew.ErrEngine, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := c.start()
			e, ok := errors.AsType[*curlew.Error](err)
			if !errors.Is(err, c.why) || c.field != "" && (!ok || e.Field != c.field || !strings.HasPrefix(e.Error(), c.field+": ")) {
				t.Errorf("%v", err)
			}
		})
	}
	if b, err := ledger.Balance(t.Context(), "default"); err != nil || b.Spent != 0 {
		t.Errorf("%+v, %v", b, err)
	}
}

// TestBatchAppend appends URLs to a running batch. The policy refuses one of
// them.
func TestBatchAppend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service := &curlew.Service{Fetcher: slowWeb{fetchtest.New(t, []byte(threePages))}}
		caller := curlew.Caller{Team: account.Team{ID: "us", Policy: account.Policy{Blocklist: []string{"bad.test"}}}}
		j, err := service.StartBatch(t.Context(), &curlew.BatchRequest{Start: curlew.Start{Caller: caller}, URLs: []string{"http://a.test/"}})
		if err != nil {
			t.Fatal(err)
		}
		more, err := service.StartBatch(t.Context(), &curlew.BatchRequest{Start: curlew.Start{Caller: caller}, URLs: []string{"http://a.test/one", "bad.test"}, AppendTo: j.ID()})
		if err != nil || more.ID() != j.ID() || !slices.Equal(more.Refused(), []string{"bad.test"}) {
			t.Fatalf("%+v, %v", more, err)
		}
		if st, err := j.Wait(t.Context()); err != nil || st.Delivered != 2 {
			t.Errorf("%+v, %v", st, err)
		}
		_, err = service.StartBatch(t.Context(), &curlew.BatchRequest{Start: curlew.Start{Caller: caller}, URLs: []string{"a.test"}, AppendTo: j.ID()})
		if !errors.Is(err, curlew.ErrFinished) {
			t.Errorf("appended after the end of the batch: %v", err)
		}
	})
}

// TestCallerPays scrapes, parses and maps for a team. Credits are used, and
// work beyond them is refused.
func TestCallerPays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ledger := &account.Ledger{Plan: map[string]int{"us": 3}}
		service := &curlew.Service{Fetcher: fetchtest.New(t, []byte(threePages)), Credits: ledger}
		caller := &curlew.Caller{Team: account.Team{ID: "us"}}
		o := &curlew.ScrapeOptions{ParseOptions: curlew.ParseOptions{Caller: caller}}
		doc, err := service.Scrape(t.Context(), "http://a.test/one", o)
		if err != nil || doc.Metadata.CreditsUsed != 1 || doc.Metadata.ScrapeID == "" {
			t.Fatalf("%+v, %v", doc, err)
		}
		site, err := service.Map(t.Context(), "http://a.test/", &curlew.MapOptions{Caller: caller})
		if err != nil || site.Credits != 1 || len(site.URLs) != 5 {
			t.Fatalf("%+v, %v", site, err)
		}
		if doc, err = service.Scrape(t.Context(), "http://a.test/two", o); err != nil {
			t.Fatalf("%+v, %v", doc, err)
		}
		if _, err = service.Scrape(t.Context(), "http://a.test/", o); !errors.Is(err, account.ErrPayment) {
			t.Errorf("without credits: %v", err)
		}
		if b, err := service.Balance(t.Context(), "us"); err != nil || b.Left != 0 || b.Spent != 3 {
			t.Errorf("%+v, %v", b, err)
		}
	})
}

// TestPlan lets a model choose options from a prompt. Options in the request
// take precedence.
func TestPlan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service := &curlew.Service{Fetcher: fetchtest.New(t, []byte(threePages)), Agent: &agent.Engine{Model: planning{}}}
		r := &curlew.CrawlRequest{URL: "http://a.test/", Prompt: "the first"}
		r.Exclude = []string{"/two$"}
		j, err := service.StartCrawl(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if st, err := j.Wait(t.Context()); err != nil || st.Delivered != 1 || r.Include != nil || r.Limit != 0 {
			t.Errorf("%+v, %v; the caller's request became %+v", st, err, r)
		}
		service = &curlew.Service{Fetcher: fetchtest.New(t, []byte("-- http://a.test/ --\n<p><a href=one>a</a> <a href=one/>b</a>\n-- http://a.test/one --\n<p>one\n-- http://a.test/one/ --\n<p>two\n")), Agent: &agent.Engine{Model: planning{}}}
		if j, err = service.StartCrawl(t.Context(), &curlew.CrawlRequest{URL: "http://a.test/", Prompt: "all", CrawlOptions: curlew.CrawlOptions{Include: []string{"."}}, Limit: 9}); err != nil {
			t.Fatal(err)
		}
		if st, err := j.Wait(t.Context()); err != nil || st.Delivered != 3 {
			t.Errorf("similar URLs, which the plan keeps apart: %+v, %v", st, err)
		}
	})
}

// planning is a model that always returns the same plan.
type planning struct{}

func (planning) Complete(context.Context, llm.Call) (llm.Reply, error) {
	return llm.Reply{JSON: json.RawMessage(`{"includePaths":["^/(one|two)?$"],"limit":1,"deduplicateSimilarURLs":false}`)}, nil
}

// slowWeb is a Fetcher that takes one second for a page.
type slowWeb struct{ fetch.Fetcher }

func (w slowWeb) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Response, error) {
	time.Sleep(time.Second)
	return w.Fetcher.Fetch(ctx, r)
}

// TestShutdown checks that a Service refuses work after Shutdown, and that results can still
// be read.
func TestShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service := &curlew.Service{Fetcher: slowWeb{fetchtest.New(t, []byte(threePages))}}
		j, err := service.StartCrawl(t.Context(), &curlew.CrawlRequest{URL: "http://a.test/"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := j.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		batch, err := service.StartBatch(t.Context(), &curlew.BatchRequest{URLs: []string{"http://a.test/"}})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(service.Shutdown(t.Context()), service.Shutdown(t.Context())); err != nil {
			t.Fatal(err)
		}
		_, scraped := service.Scrape(t.Context(), "http://a.test/", nil)
		_, mapped := service.Map(t.Context(), "http://a.test/", nil)
		_, parsed := service.Parse(t.Context(), parse.Bytes("a.txt", []byte("a")), nil)
		_, started := service.StartBatch(t.Context(), &curlew.BatchRequest{URLs: []string{"http://a.test/"}})
		_, appended := service.StartBatch(t.Context(), &curlew.BatchRequest{URLs: []string{"http://a.test/"}, AppendTo: batch.ID()}) // in memory, it would never be fetched
		for name, err := range map[string]error{"Scrape": scraped, "Map": mapped, "Parse": parsed, "StartBatch": started, "AppendTo": appended, "Ready": service.Ready(t.Context())} {
			if !errors.Is(err, job.ErrShutdown) {
				t.Errorf("%s: %v", name, err)
			}
		}
		n := 0
		for range j.Pages(t.Context(), 0) {
			n++
		}
		if n == 0 {
			t.Error("no pages can be read")
		}
	})
}

// TestStop stops an agent at once after its start, perhaps before its work has begun, and
// jobs that cannot be stopped.
func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service := &curlew.Service{Fetcher: slowWeb{fetchtest.New(t, []byte(threePages))}, Agent: &agent.Engine{Model: namer{}}}
		ask := curlew.AgentOptions{Prompt: "Who is it?", URLs: []string{"http://a.test/"}, Schema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}}}`)}
		j, err := service.StartAgent(t.Context(), &curlew.AgentRequest{AgentOptions: ask})
		if err != nil {
			t.Fatal(err)
		}
		if err := j.Agent().Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := j.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if answer, err := j.Agent().Answer(t.Context()); err != nil || answer == nil || answer.StopReason != "stopped" {
			t.Errorf("%+v, %v", answer, err)
		}
		if err := j.Agent().Stop(t.Context()); !errors.Is(err, curlew.ErrFinished) {
			t.Errorf("stopped after its end: %v", err)
		}
		batch, err := service.StartBatch(t.Context(), &curlew.BatchRequest{URLs: []string{"http://a.test/"}})
		if err != nil {
			t.Fatal(err)
		}
		if err := batch.Agent().Stop(t.Context()); !errors.Is(err, curlew.ErrRequest) {
			t.Errorf("a batch was stopped: %v", err)
		}
		if err := errors.Join(batch.Cancel(t.Context()), batch.Cancel(t.Context())); err != nil {
			t.Errorf("cancelled twice: %v", err)
		}
		for _, err := range batch.Pages(t.Context(), -1) {
			if !errors.Is(err, job.ErrInvalid) {
				t.Errorf("pages from -1: %v", err)
			}
		}
	})
}

// TestUnavailable checks that a crawl and a batch say how many pages the site did not give until their retries were
// used up, also after a restart. A page that does not exist is not one of them.
func TestUnavailable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := fetchtest.New(t, []byte("-- http://a.test/ --\n<a href=/1>1</a> <a href=/2>2</a> <a href=/3>3</a>\n"+
			"-- http://a.test/1 --\nHTTP 404\n\nx\n-- http://a.test/2 --\nHTTP 429\n\nx\n-- http://a.test/3 --\nHTTP 503\n\nx\n"))
		dir, id, batch := t.TempDir(), "", ""
		for restarted := range 2 {
			files, err := job.OpenFiles(dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			service := &curlew.Service{Fetcher: web, Store: files}
			if restarted == 0 {
				j, err := service.StartCrawl(t.Context(), &curlew.CrawlRequest{URL: "http://a.test/"})
				if err != nil {
					t.Fatal(err)
				}
				b, err := service.StartBatch(t.Context(), &curlew.BatchRequest{URLs: []string{"http://a.test/", "http://a.test/1", "http://a.test/2", "http://a.test/3"}})
				if err != nil {
					t.Fatal(err)
				}
				_, failed := j.Wait(t.Context())
				if _, err := b.Wait(t.Context()); err != nil || failed != nil {
					t.Fatal(err, failed)
				}
				id, batch = j.ID(), b.ID()
			}
			j, err := service.Job(t.Context(), "", id)
			if err != nil {
				t.Fatal(err)
			}
			status, err := j.Status(t.Context())
			if err != nil || status.Delivered != 4 || status.Crawl.Unavailable != 2 || !strings.Contains(status.Warning, "For 2 page(s)") {
				t.Errorf("restarted %d times: %+v, %v", restarted, status, err)
			}
			if j, err = service.Job(t.Context(), "", batch); err != nil {
				t.Fatal(err)
			}
			status, err = j.Status(t.Context())
			if err != nil || status.Delivered != 4 || status.Events != 0 || !strings.Contains(status.Warning, "For 2 page(s)") {
				t.Errorf("batch, restarted %d times: %+v, %v", restarted, status, err)
			}
			if err := errors.Join(service.Shutdown(t.Context()), files.Close()); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// stuck is a Fetcher that answers nothing. At the end of its ctx it returns the error of the
// ctx, and not the cause.
type stuck struct{ asked chan struct{} }

func (f stuck) Fetch(ctx context.Context, _ *fetch.Request) (*fetch.Response, error) {
	f.asked <- struct{}{}
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestAuditEnd checks that the audit log says why a page did not end, whatever the Fetcher
// returns.
func TestAuditEnd(t *testing.T) {
	for want, end := range map[string]func(*testing.T, *curlew.Service, *curlew.Job) error{
		"failure The server is shutting down.": func(t *testing.T, s *curlew.Service, _ *curlew.Job) error { return s.Shutdown(t.Context()) },
		"cancelled The job was cancelled.":     func(t *testing.T, _ *curlew.Service, j *curlew.Job) error { return j.Cancel(t.Context()) },
	} {
		synctest.Test(t, func(t *testing.T) {
			web, log := stuck{make(chan struct{})}, new(audit.Recent)
			service := &curlew.Service{Fetcher: web, Audit: log}
			j, err := service.StartBatch(t.Context(), &curlew.BatchRequest{URLs: []string{"http://a.test/"}})
			if err != nil {
				t.Fatal(err)
			}
			<-web.asked
			if err := end(t, service, j); err != nil {
				t.Fatal(err)
			}
			shut(t, service)
			events, err := log.Recent(t.Context(), "default", time.Time{})
			if err != nil || len(events) != 1 || string(events[0].Result)+" "+events[0].Error.Message != want {
				t.Errorf("%+v, want %s", events, want)
			}
		})
	}
}

// TestAuditLeft checks that the audit log does not call it a failure of the server if a caller
// stops waiting for a page.
func TestAuditLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, log := stuck{make(chan struct{}, 1)}, new(audit.Recent)
		service := &curlew.Service{Fetcher: web, Audit: log}
		waiting, stop := context.WithCancel(t.Context())
		go func() { <-web.asked; stop() }()
		if _, err := service.Scrape(waiting, "http://a.test/", &curlew.ScrapeOptions{ParseOptions: curlew.ParseOptions{Caller: new(curlew.Caller)}}); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		events, err := log.Recent(t.Context(), "default", time.Time{})
		if err != nil || len(events) != 1 || events[0].Result != audit.Cancelled || events[0].Error.Code != "" {
			t.Errorf("%+v, %v", events, err)
		}
	})
}
