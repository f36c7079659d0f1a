// SPDX-License-Identifier: Apache-2.0

package promcurlew_test

import (
	"bufio"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	client "github.com/prometheus/client_golang/prometheus"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/agent"
	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/llm"
	"example.com/curlew/crawl"
	"example.com/curlew/crawl/frontier"
	"example.com/curlew/fetch"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/httpapi"
	"example.com/curlew/observe"
	"example.com/curlew/observe/promcurlew"
)

const site = `
-- http://secret-host.test/ --
<title>Home</title><p>Text of home.</p>
<a href="/one?token=secret-query">one</a> <a href="/broken">broken</a> <a href="/closed">closed</a> <a href="https://other.test/">away</a>
-- http://secret-host.test/robots.txt --
User-agent: *
Disallow: /closed
-- http://secret-host.test/one --
<title>One</title><p>Text of one.</p>
-- http://secret-host.test/one?token=secret-query --
<title>One</title><p>Text of one.</p>
-- http://secret-host.test/broken --
HTTP 500
X-Latency: 1s

No.
`

// scrape returns the samples of h by name and labels, without buckets and sums.
func scrape(t *testing.T, h http.Handler) map[string]string {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	if got := w.Header().Get("Content-Type"); w.Code != 200 || !strings.HasPrefix(got, "text/plain; version=0.0.4") {
		t.Fatalf("%d %s", w.Code, got)
	}
	samples := map[string]string{}
	form := regexp.MustCompile(`^curlew_[a-z_]+(\{([a-z]+="[^"]*",?)+\})? [0-9.e+-]+$`)
	for lines := bufio.NewScanner(w.Body); lines.Scan(); {
		line := lines.Text()
		if strings.HasPrefix(line, "#") {
			continue
		}
		if !form.MatchString(line) {
			t.Errorf("no sample: %q", line)
		}
		if name, value, _ := strings.Cut(line, " "); !regexp.MustCompile("_bucket|_sum").MatchString(name) {
			samples[name] = value
		}
	}
	return samples
}

func TestCrawl(t *testing.T) {
	for _, retained := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) { testCrawl(t, retained) })
	}
}

// testCrawl checks the metrics of a real crawl and of other requests.
func testCrawl(t *testing.T, retained bool) {
	var m promcurlew.Metrics
	service := &curlew.Service{Fetcher: fetchtest.New(t, []byte(site)), Trace: m.Trace()}
	h, err := httpapi.NewHandler(service, &httpapi.Options{Authenticator: httpapi.StaticKeys(map[string]account.Team{
		"secret-key": {ID: "secret-team", Policy: account.Policy{ZeroRetention: account.RetentionAllowed}},
	})})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(method, path, body, key string) int {
		r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+key)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code
	}
	if status := ask("POST", "/v2/crawl", fmt.Sprintf(`{"url":"http://secret-host.test/","sitemap":"skip","zeroDataRetention":%t}`, retained), "secret-key"); status != 200 {
		t.Fatal(status)
	}
	synctest.Wait()
	metrics := m.Handler()
	if got := scrape(t, metrics)[`curlew_jobs_running{kind="crawl"}`]; got != "1" {
		t.Errorf("%s crawls run while a page is awaited, want 1", got)
	}
	time.Sleep(time.Hour)
	ask("POST", "/v2/scrape", `{"url":"http://secret-host.test/one"}`, "secret-key")
	ask("POST", "/v2/scrape", `{"url":"http://no-host.test/"}`, "secret-key")
	ask("POST", "/v2/scrape", `{}`, "wrong-key")
	ask("SECRET-VERB", "/secret-path", ``, "secret-key")
	got := scrape(t, metrics)
	want := map[string]string{
		`curlew_requests_total{method="POST",route="/v2/crawl",status="200"}`:  "1",
		`curlew_requests_total{method="POST",route="/v2/scrape",status="200"}`: "2", // a name that does not resolve is not a server error
		`curlew_requests_total{method="POST",route="/v2/scrape",status="401"}`: "1",
		`curlew_requests_total{method="other",route="none",status="404"}`:      "1",
		`curlew_requests_running{method="POST",route="/v2/scrape"}`:            "0",
		`curlew_jobs_running{kind="crawl"}`:                                    "0",
		`curlew_jobs_total{kind="crawl",outcome="ok"}`:                         "1",
		`curlew_job_duration_seconds_count{kind="crawl"}`:                      "1",
		`curlew_pages_total{endpoint="crawl",outcome="ok"}`:                    "3",
		`curlew_pages_total{endpoint="scrape",outcome="ok"}`:                   "1",
		`curlew_pages_total{endpoint="scrape",outcome="dns"}`:                  "1",
		`curlew_crawl_requests_total{outcome="2xx",task="page"}`:               "2",
		`curlew_crawl_requests_total{outcome="2xx",task="robots"}`:             "1",
		`curlew_crawl_links_total{rule="none"}`:                                "2",
		`curlew_crawl_links_total{rule="external"}`:                            "1",
		`curlew_crawl_robots_blocked_total`:                                    "1",
		`curlew_crawl_committed_total{outcome="robots",task="robots"}`:         "1",
	}
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s is %q, want %q", name, got[name], value)
		}
	}
	for name := range got {
		if regexp.MustCompile(`(?i)secret|test|http:`).MatchString(name) {
			t.Errorf("a label tells what it must not: %s", name)
		}
	}
	if t.Failed() {
		for _, name := range slices.Sorted(maps.Keys(got)) {
			t.Log(name, got[name])
		}
	}
	if err := service.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestAgent reports arbitrary numbers, as providers may.
func TestAgent(t *testing.T) {
	var m promcurlew.Metrics
	trace := m.Agent()
	trace.Called("job-1", agent.CallTrace{
		Role: llm.RolePlan, Model: "m", Usage: llm.Usage{Input: 100, Cached: 40, Output: 7, Reasoning: 2},
		Spent: llm.Credit / 2, Duration: 3 * time.Second,
	})
	trace.Called("job-2", agent.CallTrace{Role: llm.RolePlan, Usage: llm.Usage{Input: -5}, Spent: -1, Err: llm.ErrProvider})
	trace.Event("job-1", journal.Event{Kind: journal.EventPage, Page: &journal.PageRecord{}})
	want := map[string]string{
		`curlew_agent_calls_total{outcome="ok",role="plan"}`:       "1",
		`curlew_agent_calls_total{outcome="provider",role="plan"}`: "1",
		`curlew_agent_call_duration_seconds_count{role="plan"}`:    "2",
		`curlew_agent_tokens_total{kind="input",role="plan"}`:      "100",
		`curlew_agent_tokens_total{kind="cached",role="plan"}`:     "40",
		`curlew_agent_tokens_total{kind="output",role="plan"}`:     "7",
		`curlew_agent_tokens_total{kind="reasoning",role="plan"}`:  "2",
		`curlew_agent_credits_total{role="plan"}`:                  "0.5",
		`curlew_agent_events_total{kind="page"}`:                   "1",
		`curlew_crawl_robots_blocked_total`:                        "0",
		`curlew_crawl_warnings_total`:                              "0",
	}
	if diff := gocmp.Diff(want, scrape(t, m.Handler())); diff != "" {
		t.Errorf("samples (-want +got):\n%s", diff)
	}
}

// TestOutcomes checks the classes of errors, and that no label contains the
// text of an error.
func TestOutcomes(t *testing.T) {
	var m promcurlew.Metrics
	fetched := m.Crawl().Fetched
	tests := map[string]error{
		"dns":   fmt.Errorf("secret: %w", &fetch.Error{URL: "http://secret.test/", Err: fetch.ErrDNS}),
		"error": errors.New("secret"),
	}
	want := map[string]string{"curlew_crawl_robots_blocked_total": "0", "curlew_crawl_warnings_total": "0"}
	for class, err := range tests {
		fetched(crawl.Fetched{Err: err})
		want[`curlew_crawl_requests_total{outcome="`+class+`",task="page"}`] = "1"
	}
	for status, class := range map[int]string{200: "2xx", 799: "other", -1: "other"} {
		fetched(crawl.Fetched{Status: status, Task: frontier.SitemapTask, Bytes: 10})
		if class != "other" {
			want[`curlew_crawl_requests_total{outcome="`+class+`",task="sitemap"}`] = "1"
		}
	}
	want[`curlew_crawl_requests_total{outcome="other",task="sitemap"}`] = "2"
	want[`curlew_crawl_received_bytes_total{task="page"}`], want[`curlew_crawl_received_bytes_total{task="sitemap"}`] = "0", "30"
	want[`curlew_crawl_request_duration_seconds_count{task="page"}`] = fmt.Sprint(len(tests))
	want[`curlew_crawl_request_duration_seconds_count{task="sitemap"}`] = "3"
	if diff := gocmp.Diff(want, scrape(t, m.Handler())); diff != "" {
		t.Errorf("samples (-want +got):\n%s", diff)
	}
}

// TestTeam uses a program with a limited team label and a registry of its own.
func TestTeam(t *testing.T) {
	m := promcurlew.Metrics{Buckets: []float64{1}, Team: func(id string) string {
		if id == "big" {
			return id
		}
		return "rest"
	}}
	registry := client.NewPedanticRegistry()
	if err := registry.Register(&m); err != nil {
		t.Fatal(err)
	}
	trace := m.Trace()
	for _, team := range []string{"big", "a", "b"} {
		_, end := trace.Job(t.Context(), observe.Job{Kind: "crawl", Team: team})
		end(nil)
		_, end = trace.Webhook(t.Context(), observe.Webhook{Event: "crawl.page", Team: team, Attempt: 1})
		end(errors.New("refused"))
	}
	got := scrape(t, m.Handler())
	for name, value := range map[string]string{
		`curlew_jobs_total{kind="crawl",outcome="ok",team="big"}`:                       "1",
		`curlew_jobs_total{kind="crawl",outcome="ok",team="rest"}`:                      "2",
		`curlew_webhook_attempts_total{event="crawl.page",outcome="error",team="rest"}`: "2",
		`curlew_webhook_attempts_running{event="crawl.page"}`:                           "0",
		`curlew_webhook_attempt_duration_seconds_count{event="crawl.page"}`:             "3",
	} {
		if got[name] != value {
			t.Errorf("%s is %q, want %q", name, got[name], value)
		}
	}
	if families, err := registry.Gather(); err != nil || len(families) == 0 {
		t.Errorf("%d families, %v", len(families), err)
	}
}
