// SPDX-License-Identifier: Apache-2.0

package promcurlew

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"example.com/curlew/crawl/pace"
	"example.com/curlew/job"
)

// Metrics counts the events of its traces. The zero value is ready to use.
// Metrics is safe for concurrent use. It must not be copied, nor changed after
// its first use.
type Metrics struct {
	// Buckets are the upper bounds of the histograms of durations, in seconds
	// and ascending. Nil means 5 ms to 5 min.
	Buckets []float64

	// Team returns the value of the label team for requests, jobs, pages and
	// webhooks of a team. Each value creates a set of series, so the program
	// should limit their number. If it is nil, there is no such label.
	Team func(id string) string

	// Backlog reads a store that several processes share, by the method of that name of
	// postgres.Store. It is called whenever the metrics are collected, and should give up
	// after some seconds. If it is nil, there are no metrics of the store.
	Backlog func() (job.Backlog, error)

	// Hosts reads the scheduler of hosts, such as the method Figures of pace.Hosts. It is
	// called whenever the metrics are collected. If it is nil, there are no metrics of
	// hosts.
	Hosts func() pace.Figures

	once sync.Once
	all  []prometheus.Collector // all metrics below

	requests, jobs, pages, hooks activity
	fetches                      activity // requests of crawls
	fetchBytes, links, committed *prometheus.CounterVec
	robots, warnings             prometheus.Counter
	calls                        activity // model calls of agents
	tokens, credits, events      *prometheus.CounterVec
}

// activity are the metrics of something that begins and ends.
type activity struct {
	running *prometheus.GaugeVec // nil if only the end is reported
	ended   *prometheus.CounterVec
	took    *prometheus.HistogramVec
}

// Describe implements prometheus.Collector.
func (m *Metrics) Describe(descs chan<- *prometheus.Desc) {
	m.prepare()
	for _, c := range m.all {
		c.Describe(descs)
	}
	for name, d := range described {
		if strings.HasPrefix(name, "store") && m.Backlog != nil || strings.HasPrefix(name, "hosts") && m.Hosts != nil {
			descs <- d
		}
	}
}

// Collect implements prometheus.Collector.
func (m *Metrics) Collect(metrics chan<- prometheus.Metric) {
	m.prepare()
	for _, c := range m.all {
		c.Collect(metrics)
	}
	m.collectBacklog(metrics)
	m.collectHosts(metrics)
}

// Handler returns a handler that serves only these metrics, in the Prometheus
// text format or in another format that the scraper requests.
func (m *Metrics) Handler() http.Handler {
	r := prometheus.NewRegistry()
	r.MustRegister(m) // cannot fail, because the registry is empty
	return promhttp.HandlerFor(r, promhttp.HandlerOpts{})
}

// prepare creates the metrics.
func (m *Metrics) prepare() {
	m.once.Do(func() {
		team := []string{"team"}
		if m.Team == nil {
			team = nil
		}
		m.requests = m.activity("request", "HTTP requests", []string{"method", "route"}, append([]string{"status"}, team...), true)
		m.jobs = m.activity("job", "Jobs", []string{"kind"}, append([]string{"outcome"}, team...), true)
		m.pages = m.activity("page", "Pages and documents", []string{"endpoint"}, append([]string{"outcome"}, team...), true)
		m.hooks = m.activity("webhook_attempt", "Attempts to deliver a webhook event", []string{"event"}, append([]string{"outcome"}, team...), true)

		m.fetches = m.activity("crawl_request", "Requests of crawls", []string{"task"}, []string{"outcome"}, false)
		m.fetchBytes = m.counters("crawl_received_bytes_total", "Decoded bytes that crawls have received.", "task")
		m.links = m.counters("crawl_links_total", "Links that crawls have found, by the rule that excludes them.", "rule")
		m.committed = m.counters("crawl_committed_total", "Finished and postponed tasks of crawls, by outcome.", "task", "outcome")
		m.robots = m.counters("crawl_robots_blocked_total", "URLs that only robots.txt disallows.").WithLabelValues()
		m.warnings = m.counters("crawl_warnings_total", "robots.txt files and sitemaps that could not be read.").WithLabelValues()

		m.calls = m.activity("agent_call", "Model calls of agents", []string{"role"}, []string{"outcome"}, false)
		m.tokens = m.counters("agent_tokens_total", "Tokens of model calls. Cached tokens count as input too, reasoning tokens as output.", "role", "kind")
		m.credits = m.counters("agent_credits_total", "Credits charged for model calls.", "role")
		m.events = m.counters("agent_events_total", "Events of agent runs.", "kind")
	})
}

// activity creates the metrics of something that begins and ends. The labels known
// are set when it begins, the labels later when it ends.
func (m *Metrics) activity(name, help string, known, later []string, running bool) activity {
	a := activity{
		ended: m.counters(name+"s_total", help+" that have ended.", slices.Concat(known, later)...),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: namespace, Name: name + "_duration_seconds", Help: "Durations in seconds: " + help + ".", Buckets: m.buckets(),
		}, known),
	}
	m.all = append(m.all, a.took)
	if running {
		a.running = prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: name + "s_running", Help: help + " in progress."}, known)
		m.all = append(m.all, a.running)
	}
	return a
}

// counters creates a family of counters.
func (m *Metrics) counters(name, help string, labels ...string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
	m.all = append(m.all, c)
	return c
}

const namespace = "curlew"

// buckets returns Buckets, or the default.
func (m *Metrics) buckets() []float64 {
	if m.Buckets != nil {
		return m.Buckets
	}
	return []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300}
}

// begin counts the start of an activity, and returns a function that counts its
// end.
func (a *activity) begin(known ...string) func(later ...string) {
	start := time.Now()
	a.running.WithLabelValues(known...).Inc()
	return func(later ...string) {
		a.running.WithLabelValues(known...).Dec()
		a.end(time.Since(start), known, later...)
	}
}

// end counts the end of an activity.
func (a *activity) end(took time.Duration, known []string, later ...string) {
	a.took.WithLabelValues(known...).Observe(took.Seconds())
	a.ended.WithLabelValues(slices.Concat(known, later)...).Inc()
}
