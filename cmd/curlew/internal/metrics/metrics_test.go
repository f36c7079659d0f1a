// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/fetch"
	"example.com/curlew/job"
	"example.com/curlew/observe"
)

// line is a sample of the text format.
var line = regexp.MustCompile(`^([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\\\|\\"|\\n)*",?)*)\})? (-?[0-9.e+-]+|[+-]Inf|NaN)$`)

// parse reads the text format strictly, and returns the values by their names with labels.
func parse(t *testing.T, text string) map[string]float64 {
	t.Helper()
	values, kinds, last := map[string]float64{}, map[string]string{}, ""
	if !strings.HasSuffix(text, "\n") {
		t.Error("the last line has no end")
	}
	for l := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		if help, ok := strings.CutPrefix(l, "# HELP "); ok {
			var what string
			if last, what, _ = strings.Cut(help, " "); what == "" || kinds[last] != "" {
				t.Errorf("%q: no text, or a second one", l)
			}
			continue
		}
		if kind, ok := strings.CutPrefix(l, "# TYPE "); ok {
			name, kind, _ := strings.Cut(kind, " ")
			if name != last || kinds[name] != "" {
				t.Errorf("%q follows the metric %s", l, last)
			}
			kinds[name] = kind
			continue
		}
		m := line.FindStringSubmatch(l)
		if m == nil {
			t.Errorf("%q is no sample", l)
			continue
		}
		base := m[1]
		if kinds[last] == "histogram" {
			base = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(base, "_bucket"), "_sum"), "_count")
		}
		if base != last {
			t.Errorf("%q follows the metric %s", l, last)
		}
		value, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			t.Errorf("%q: %v", l, err)
		}
		key := strings.TrimPrefix(m[1], "curlew_") + "{" + m[2] + "}"
		if _, twice := values[key]; twice {
			t.Errorf("%q is there twice", key)
		}
		values[key] = value
	}
	return values
}

// get asks for the metrics.
func get(t *testing.T, m *Metrics) map[string]float64 {
	t.Helper()
	w := httptest.NewRecorder()
	m.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	if got := w.Header().Get("Content-Type"); w.Code != http.StatusOK || got != "text/plain; version=0.0.4; charset=utf-8" {
		t.Errorf("%d, %q", w.Code, got)
	}
	return parse(t, w.Body.String())
}

func TestMetrics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &Metrics{
			Version: "1\"\\\n\xff",
			Backlog: func(context.Context) (job.Backlog, error) {
				return job.Backlog{
					Running: map[string]job.KindBacklog{"crawl": {Jobs: 2, Oldest: 90 * time.Second}}, Orphans: 1, Waiting: 3, Oldest: 1500 * time.Millisecond,
					Taken: 4, Processes: 2, Lease: -time.Second,
				}, nil
			},
			Hosts: func() pace.Figures {
				return pace.Figures{Hosts: 5, InFlight: 6, Waiting: map[pace.Cause]int{pace.CrawlDelay: 2}, Gap: 10 * time.Second}
			},
			Credits: func(context.Context) (int, int, error) { return 1 << 40, 7, nil },
		}
		tr := m.Trace()
		ctx, end := tr.BeginRequest(t.Context(), observe.Request{Method: "BREW", Route: ""})
		time.Sleep(30 * time.Millisecond)
		end(observe.RequestEnd{Status: 405})
		_, _ = tr.BeginRequest(ctx, observe.Request{Method: "GET", Route: "/v2/crawl/{id}"})
		_, ended := tr.BeginJob(ctx, observe.Job{Kind: "crawl"})
		time.Sleep(10 * time.Minute)
		ended(job.ErrCancelled)
		_, ended = tr.BeginPage(ctx, observe.Page{Endpoint: "scrape"})
		ended(&fetch.Error{Err: fetch.ErrTimeout})
		_, ended = tr.BeginWebhook(ctx, observe.Webhook{Event: "crawl.page"})
		ended(nil)
		c := tr.OfCrawl(observe.Job{})
		c.Fetched(crawl.Fetched{Status: 200, Bytes: 100, Took: time.Second})
		c.Fetched(crawl.Fetched{Status: 999, Task: frontier.RobotsTask})
		c.Blocked("")
		c.Warned("", nil)
		c.Committed(frontier.Commit{Outcome: frontier.Retry, Lease: frontier.Lease{Task: frontier.SitemapTask}})
		got := get(t, m)
		for name, want := range map[string]float64{
			`requests_total{method="other",route="none",status="405"}`:                1,
			`requests_running{method="other",route="none"}`:                           0,
			`requests_running{method="GET",route="/v2/crawl/{id}"}`:                   1,
			`request_duration_seconds_bucket{method="other",route="none",le="0.025"}`: 0,
			`request_duration_seconds_bucket{method="other",route="none",le="0.05"}`:  1,
			`request_duration_seconds_bucket{method="other",route="none",le="+Inf"}`:  1,
			`request_duration_seconds_sum{method="other",route="none"}`:               .03,
			`jobs_total{kind="crawl",outcome="cancelled"}`:                            1,
			`job_duration_seconds_bucket{kind="crawl",le="300"}`:                      0,
			`job_duration_seconds_count{kind="crawl"}`:                                1,
			`pages_total{endpoint="scrape",outcome="scrape_timeout"}`:                 1,
			`webhook_attempts_total{event="crawl.page",outcome="ok"}`:                 1,
			`crawl_requests_total{task="page",outcome="2xx"}`:                         1,
			`crawl_requests_total{task="robots",outcome="other"}`:                     1,
			`crawl_received_bytes_total{task="page"}`:                                 100,
			`crawl_robots_blocked_total{}`:                                            1,
			`crawl_warnings_total{}`:                                                  1,
			`crawl_committed_total{task="sitemap",outcome="retry"}`:                   1,
			`credits_spent_total{}`:                                                   1 << 40,
			`credits_reserved{}`:                                                      7,
			`store_up{}`:                                                              1,
			`store_jobs{kind="crawl"}`:                                                2,
			`store_job_oldest_seconds{kind="crawl"}`:                                  90,
			`store_jobs_orphaned{}`:                                                   1,
			`store_tasks_waiting{}`:                                                   3,
			`store_task_oldest_seconds{}`:                                             1.5,
			`store_tasks_taken{}`:                                                     4,
			`store_processes{}`:                                                       2,
			`store_lease_seconds{}`:                                                   -1,
			`hosts{}`:                                                                 5,
			`hosts_requests_running{}`:                                                6,
			`hosts_waiting{cause="crawl-delay"}`:                                      2,
			`hosts_waiting{cause="busy"}`:                                             0,
			`hosts_longest_pause_seconds{}`:                                           10,
			"build_info{version=\"1\\\"\\\\\\n\uFFFD\"}":                              1,
		} {
			if v, ok := got[name]; !ok || v != want {
				t.Errorf("%s is %v, %v; want %v", name, v, ok, want)
			}
		}
		if t.Failed() {
			t.Log(string(m.collect(t.Context())))
		}
	})
}

// TestMetricsOf asks a program without a shared store, and one whose store does not answer.
func TestMetricsOf(t *testing.T) {
	for name := range get(t, new(Metrics)) {
		if !strings.HasPrefix(name, "process_") && !strings.HasPrefix(name, "build_info") {
			t.Errorf("%s is reported", name)
		}
	}
	away := errors.New("the database does not answer")
	got := get(t, &Metrics{
		Backlog: func(context.Context) (job.Backlog, error) { return job.Backlog{}, away },
		Credits: func(context.Context) (int, int, error) { return 0, 0, away },
	})
	for name := range got {
		if strings.HasPrefix(name, "store_") && name != "store_up{}" || strings.HasPrefix(name, "credits_") {
			t.Errorf("%s is reported", name)
		}
	}
	if v, ok := got["store_up{}"]; !ok || v != 0 {
		t.Errorf("store_up is %v, %v", v, ok)
	}
	w := httptest.NewRecorder()
	new(Metrics).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/metrics", nil))
	if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") == "" {
		t.Errorf("POST: %d", w.Code)
	}
}

// TestMetricsBusy counts many events while the metrics are read.
func TestMetricsBusy(t *testing.T) {
	const workers, each = 8, 200
	m := new(Metrics)
	tr := m.Trace()
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for range each {
				_, end := tr.BeginPage(t.Context(), observe.Page{Endpoint: "scrape"})
				end(nil)
			}
		})
	}
	for range 10 {
		get(t, m)
	}
	all.Wait()
	if n := get(t, m)[`pages_total{endpoint="scrape",outcome="ok"}`]; n != workers*each {
		t.Errorf("%v pages, want %d", n, workers*each)
	}
}

// TestHelps checks that each metric has a text.
func TestHelps(t *testing.T) {
	for name, text := range helps {
		if text == "" || strings.ContainsAny(text, "\\\n") {
			t.Errorf("%s: %q", name, text)
		}
	}
}
