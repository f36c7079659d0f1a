// SPDX-License-Identifier: Apache-2.0

package otelcurlew_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/agent"
	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/llm"
	"example.com/curlew/crawl"
	"example.com/curlew/fetch"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/httpapi"
	"example.com/curlew/observe"
	"example.com/curlew/observe/otelcurlew"
)

const site = `
-- http://secret-host.test/ --
<title>Home</title><p>Text of home.</p>
<a href="/one?token=secret-query">one</a> <a href="/broken">broken</a>
-- http://secret-host.test/one?token=secret-query --
<title>One</title><p>Text of one.</p>
-- http://secret-host.test/broken --
HTTP 200
X-Fault: reset
`

// record returns a Tracer, and the exporter that keeps its spans.
func record(t *testing.T) (*otelcurlew.Tracer, *tracetest.InMemoryExporter) {
	t.Helper()
	spans := tracetest.NewInMemoryExporter()
	return &otelcurlew.Tracer{Provider: sdk.NewTracerProvider(sdk.WithSyncer(spans))}, spans
}

// drawn returns how often each path of spans from the root occurs. The paths
// contain the classes of errors.
func drawn(spans tracetest.SpanStubs) map[string]int {
	byID := map[string]tracetest.SpanStub{}
	for _, s := range spans {
		byID[s.SpanContext.SpanID().String()] = s
	}
	var path func(s tracetest.SpanStub) string
	path = func(s tracetest.SpanStub) string {
		if parent, ok := byID[s.Parent.SpanID().String()]; ok {
			return path(parent) + " > " + s.Name
		}
		return s.Name
	}
	paths := map[string]int{}
	for _, s := range spans {
		paths[strings.TrimSpace(path(s)+" "+attr(s, "error.type"))]++
	}
	return paths
}

// attr returns an attribute as text, or "" if there is none.
func attr(s tracetest.SpanStub, key string) string {
	i := slices.IndexFunc(s.Attributes, func(kv attribute.KeyValue) bool { return string(kv.Key) == key })
	if i < 0 {
		return ""
	}
	return s.Attributes[i].Value.String()
}

func TestCrawl(t *testing.T) {
	for _, retained := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) { testCrawl(t, retained) })
	}
}

// testCrawl traces a real crawl with a webhook, and other requests.
func testCrawl(t *testing.T, retained bool) {
	tracer, spans := record(t)
	service := &curlew.Service{Fetcher: fetchtest.New(t, []byte(site)), Trace: tracer.Trace()}
	h, err := httpapi.NewHandler(service, &httpapi.Options{Authenticator: httpapi.StaticKeys(map[string]account.Team{
		"secret-key": {ID: "team-a", Policy: account.Policy{ZeroRetention: account.RetentionAllowed}},
	})})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(method, path, body, key string) string {
		r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+key)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Body.String()
	}
	started := ask("POST", "/v2/crawl", fmt.Sprintf(`{"url":"http://secret-host.test/","sitemap":"skip","zeroDataRetention":%t}`, retained), "secret-key")
	var crawled struct{ ID string }
	if err := json.Unmarshal([]byte(started), &crawled); err != nil || crawled.ID == "" {
		t.Fatal(started, err)
	}
	time.Sleep(time.Hour)
	ask("POST", "/v2/scrape", `{"url":"http://no-host.test/"}`, "secret-key")
	ask("POST", "/v2/scrape", `{}`, "wrong-key")
	ask("SECRET-VERB", "/secret-path", ``, "secret-key")

	got := drawn(spans.GetSpans())
	const under = "POST /v2/crawl > job crawl"
	want := map[string]int{
		"POST /v2/crawl":                    1,
		under:                               1,
		under + " > page crawl":             2,
		under + " > fetch page":             2,
		under + " > fetch page connect":     got[under+" > fetch page connect"], // once for each try
		under + " > fetch robots":           1,
		"POST /v2/scrape":                   2,
		"POST /v2/scrape > page scrape dns": 1,
		"_OTHER":                            1,
	}
	if want[under+" > fetch page connect"] == 0 {
		t.Error("no request to a broken page")
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
	for _, s := range spans.GetSpans() {
		text, err := json.Marshal(struct {
			Name                      string
			Attributes, Events, Links any
			Status                    any
		}{s.Name, s.Attributes, s.Events, s.Links, s.Status})
		if err != nil || regexp.MustCompile(`(?i)secret|http:|\.test|Text of`).Match(text) {
			t.Errorf("a span tells what it must not: %s, %v", text, err)
		}
		switch s.Name {
		case "job crawl", "page crawl":
			if attr(s, "curlew.job.id") != crawled.ID || attr(s, "curlew.team") != "team-a" {
				t.Errorf("%s is about %v", s.Name, s.Attributes)
			}
		case "fetch page", "fetch robots":
			if s.EndTime.Before(s.StartTime) || attr(s, "http.response.status_code") == "" && attr(s, "error.type") == "" {
				t.Errorf("%s: %v to %v, %v", s.Name, s.StartTime, s.EndTime, s.Attributes)
			}
		}
	}
	if err := service.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestWebhook checks that attempts are below the job that delivers, and that a
// failed one is marked.
func TestWebhook(t *testing.T) {
	tracer, spans := record(t)
	trace := tracer.Trace()
	ctx, endJob := trace.Job(t.Context(), observe.Job{ID: "j", Kind: "webhook", Team: "a"})
	_, end := trace.Webhook(ctx, observe.Webhook{Job: "c", Team: "a", Event: "crawl.page", Attempt: 2})
	end(errors.New("http://secret.test refused"))
	endJob(nil)
	if diff := gocmp.Diff(map[string]int{"job webhook": 1, "job webhook > webhook crawl.page error": 1}, drawn(spans.GetSpans())); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
	s := spans.GetSpans()[0]
	if attr(s, "curlew.attempt") != "2" || s.Status.Code != codes.Error || s.Status.Description != "" || len(s.Events) != 0 {
		t.Errorf("%+v", s)
	}
}

// TestAgent checks that model calls are below their job while it is running,
// and else below ctx.
func TestAgent(t *testing.T) {
	tracer, spans := record(t)
	whole, root := tracer.Provider.Tracer("test").Start(t.Context(), "program")
	told := tracer.Agent(whole)
	_, endJob := tracer.Trace().Job(t.Context(), observe.Job{ID: "j", Kind: "agent"})
	told.Called("j", agent.CallTrace{Role: llm.RolePlan, Usage: llm.Usage{Input: 9, Output: 2}, Spent: 5, Duration: time.Second})
	told.Event("j", journal.Event{Kind: journal.EventPhase, Seq: 3})
	endJob(nil)
	told.Called("j", agent.CallTrace{Role: llm.RoleWrite, Err: llm.ErrProvider})
	root.End()
	want := map[string]int{"job agent": 1, "job agent > model plan": 1, "program": 1, "program > model write provider": 1}
	if diff := gocmp.Diff(want, drawn(spans.GetSpans())); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
	call := spans.GetSpans()[0]
	if attr(call, "gen_ai.usage.input_tokens") != "9" || call.EndTime.Sub(call.StartTime) < time.Second {
		t.Errorf("%+v", call)
	}
	if job := spans.GetSpans()[1]; len(job.Events) != 1 || job.Events[0].Name != "agent phase" {
		t.Errorf("%+v", job.Events)
	}
}

// TestSilent uses a Tracer without a Provider.
func TestSilent(t *testing.T) {
	var tracer otelcurlew.Tracer
	trace := tracer.Trace()
	ctx, end := trace.Request(t.Context(), observe.Request{Method: "GET"})
	end(observe.RequestEnd{Status: http.StatusInternalServerError})
	tracer.Crawl(ctx).Fetched(crawl.Fetched{Err: fetch.ErrDNS})
	tracer.Agent(ctx).Event("none", journal.Event{})
	if trace.Crawl(observe.Job{ID: "none"}) != nil {
		t.Error("a crawl of no job is drawn")
	}
}
