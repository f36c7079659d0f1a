// SPDX-License-Identifier: Apache-2.0

// Package metrics serves the metrics of the program curlew in the text format of
// Prometheus. Names and meanings are those of the module observe/promcurlew, which a program
// of one's own uses. That module links the client library of Prometheus and with it some
// megabytes of code for formats that the text format does without.
package metrics

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/crawl"
	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/job"
	"example.com/curlew/observe"
	"example.com/curlew/observe/label"
)

// Metrics counts the events of its trace. The zero value is ready to use. It is safe for
// concurrent use. Its fields must be set before the first request.
type Metrics struct {
	Version string // of the program

	// Backlog reads the store that servers share. Nil means that there is none.
	Backlog func(ctx context.Context) (job.Backlog, error)

	// Hosts reads the scheduler of hosts. Nil means no metrics of hosts.
	Hosts func() pace.Figures

	// Credits returns the spent and the reserved credits of all teams. Nil means no
	// metrics of credits.
	Credits func(ctx context.Context) (spent, reserved int, err error)

	mu     sync.Mutex
	events map[string]map[string]*series // guarded by mu; by the name and the labels

	collecting sync.Mutex // held while the metrics are read, because that asks the database
}

// series is one counter or histogram, or one gauge.
type series struct {
	value   float64 // of a histogram: the sum
	count   uint64
	buckets []uint64 // not cumulative; nil if it is no histogram
}

// bounds are the upper bounds of the buckets of durations, in seconds.
var bounds = [...]float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300}

// helps are the texts of all metrics. A name that ends with _total is a counter, and one that
// ends with _duration_seconds is a histogram.
var helps = map[string]string{
	"requests_total":                   "HTTP requests that have ended.",
	"requests_running":                 "HTTP requests in progress.",
	"request_duration_seconds":         "Durations in seconds: HTTP requests.",
	"jobs_total":                       "Jobs that have ended.",
	"jobs_running":                     "Jobs in progress.",
	"job_duration_seconds":             "Durations in seconds: Jobs.",
	"pages_total":                      "Pages and documents that have ended.",
	"pages_running":                    "Pages and documents in progress.",
	"page_duration_seconds":            "Durations in seconds: Pages and documents.",
	"webhook_attempts_total":           "Attempts to deliver a webhook event that have ended.",
	"webhook_attempts_running":         "Attempts to deliver a webhook event in progress.",
	"webhook_attempt_duration_seconds": "Durations in seconds: Attempts to deliver a webhook event.",
	"crawl_requests_total":             "Requests of crawls that have ended.",
	"crawl_request_duration_seconds":   "Durations in seconds: Requests of crawls.",
	"crawl_received_bytes_total":       "Decoded bytes that crawls have received.",
	"crawl_committed_total":            "Finished and postponed tasks of crawls, by outcome.",
	"crawl_robots_blocked_total":       "URLs that only robots.txt disallows.",
	"crawl_warnings_total":             "robots.txt files and sitemaps that could not be read.",
	"credits_spent_total":              "Credits that all teams have spent.",
	"credits_reserved":                 "Credits that are reserved for work in progress.",
	"store_up":                         "Whether the store that several processes share answered when the metrics were collected.",
	"store_jobs":                       "Running jobs in the store.",
	"store_job_oldest_seconds":         "Age of the oldest running job in the store.",
	"store_jobs_orphaned":              "Running jobs in the store that no living process works on.",
	"store_tasks_waiting":              "Tasks in the store that no process has begun.",
	"store_task_oldest_seconds":        "How long the oldest waiting task in the store has waited.",
	"store_tasks_taken":                "Tasks in the store that are in progress.",
	"store_processes":                  "Living processes that share the store.",
	"store_lease_seconds":              "Time until this process is taken for dead.",
	"hosts":                            "Hosts that the scheduler remembers.",
	"hosts_requests_running":           "Requests to hosts that are in flight.",
	"hosts_waiting":                    "Hosts at which a job waits, by the reason.",
	"hosts_longest_pause_seconds":      "The longest pause that a host gets between two requests.",
	"build_info":                       "The version of the program.",
	"process_goroutines":               "Goroutines of the process.",
	"process_heap_bytes":               "Bytes of live and dead objects on the heap.",
	"process_start_time_seconds":       "Start time of the process, in seconds since 1970.",
}

// started is the start time of the process.
var started = time.Now()

// labels returns the text of labels, given as names and values in turn.
func labels(pairs ...string) string {
	var b strings.Builder
	for i := 0; i+1 < len(pairs); i += 2 {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(pairs[i] + `="` + escape.Replace(strings.ToValidUTF8(pairs[i+1], "\uFFFD")) + `"`)
	}
	return b.String()
}

var escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// add adds n to a counter or gauge.
func (m *Metrics) add(name string, n float64, pairs ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.of(name, labels(pairs...)).value += n
}

// of returns a series. The caller holds mu.
func (m *Metrics) of(name, labels string) *series {
	if m.events == nil {
		m.events = map[string]map[string]*series{}
	}
	if m.events[name] == nil {
		m.events[name] = map[string]*series{}
	}
	s := m.events[name][labels]
	if s == nil {
		s = new(series)
		m.events[name][labels] = s
	}
	return s
}

// took adds a duration to a histogram.
func (m *Metrics) took(name string, d time.Duration, pairs ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.of(name, labels(pairs...))
	if s.buckets == nil {
		s.buckets = make([]uint64, len(bounds))
	}
	s.value += d.Seconds()
	s.count++
	if i, _ := slices.BinarySearch(bounds[:], d.Seconds()); i < len(bounds) {
		s.buckets[i]++
	}
}

// begin counts the start of an activity such as "request", and returns a func that counts
// its end with further labels.
func (m *Metrics) begin(name string, pairs ...string) func(more ...string) {
	start := time.Now()
	m.add(name+"s_running", 1, pairs...)
	return func(more ...string) {
		m.add(name+"s_running", -1, pairs...)
		m.took(name+"_duration_seconds", time.Since(start), pairs...)
		m.add(name+"s_total", 1, slices.Concat(pairs, more)...)
	}
}

// outcome returns "ok", why work was stopped, or the code of an error in lower case.
func outcome(err error) string {
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, job.ErrShutdown):
		return "shutdown"
	case errors.Is(err, job.ErrCancelled), errors.Is(err, context.Canceled):
		return "cancelled"
	case errors.Is(err, account.ErrPayment):
		return "credits"
	}
	code, _ := curlew.Fault(err)
	return strings.ToLower(cmp.Or(code, "error"))
}

// Trace returns a trace that counts what a Service and its handler do.
func (m *Metrics) Trace() *observe.Trace {
	crawls := m.crawl() // the same for all crawls
	return &observe.Trace{
		Request: func(ctx context.Context, r observe.Request) (context.Context, func(observe.RequestEnd)) {
			end := m.begin("request", "method", label.Method(r.Method), "route", cmp.Or(r.Route, "none"))
			return ctx, func(e observe.RequestEnd) { end("status", strconv.Itoa(e.Status)) }
		},
		Job: func(ctx context.Context, j observe.Job) (context.Context, func(error)) {
			end := m.begin("job", "kind", j.Kind)
			return ctx, func(err error) { end("outcome", outcome(err)) }
		},
		Page: func(ctx context.Context, p observe.Page) (context.Context, func(error)) {
			end := m.begin("page", "endpoint", p.Endpoint)
			return ctx, func(err error) { end("outcome", outcome(err)) }
		},
		Webhook: func(ctx context.Context, w observe.Webhook) (context.Context, func(error)) {
			end := m.begin("webhook_attempt", "event", w.Event)
			return ctx, func(err error) { end("outcome", outcome(err)) }
		},
		Crawl: func(observe.Job) *crawl.Trace { return crawls },
	}
}

// crawl returns a trace that counts what crawls do.
func (m *Metrics) crawl() *crawl.Trace {
	return &crawl.Trace{
		Fetched: func(f crawl.Fetched) {
			how := outcome(f.Err)
			if f.Err == nil {
				how = label.Status(f.Status)
			}
			m.took("crawl_request_duration_seconds", f.Took, "task", label.Task(f.Task))
			m.add("crawl_requests_total", 1, "task", label.Task(f.Task), "outcome", how)
			m.add("crawl_received_bytes_total", float64(f.Bytes), "task", label.Task(f.Task))
		},
		Blocked: func(string) { m.add("crawl_robots_blocked_total", 1) },
		Warned:  func(string, error) { m.add("crawl_warnings_total", 1) },
		Committed: func(c frontier.Commit) {
			m.add("crawl_committed_total", 1, "task", label.Task(c.Lease.Task), "outcome", label.Commit(c.Outcome))
		},
	}
}

// answerIn is how long the store may take to answer.
const answerIn = 5 * time.Second

// ServeHTTP serves the metrics at every path.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	text := m.collect(r.Context())
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	_, _ = w.Write(text) // the client may have left
}

// collect returns all metrics.
func (m *Metrics) collect(ctx context.Context) []byte {
	m.collecting.Lock()
	defer m.collecting.Unlock()
	ctx, cancel := context.WithTimeout(ctx, answerIn)
	defer cancel()
	all := map[string]map[string]*series{}
	set := func(name string, value float64, pairs ...string) {
		if all[name] == nil {
			all[name] = map[string]*series{}
		}
		all[name][labels(pairs...)] = &series{value: value}
	}
	m.collectStore(ctx, set)
	if m.Hosts != nil {
		f := m.Hosts()
		set("hosts", float64(f.Hosts))
		set("hosts_requests_running", float64(f.InFlight))
		for _, c := range []pace.Cause{pace.Unreachable, pace.RetryAfter, pace.CrawlDelay, pace.Overload, pace.Busy} {
			set("hosts_waiting", float64(f.Waiting[c]), "cause", string(c))
		}
		set("hosts_longest_pause_seconds", f.Gap.Seconds())
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	set("process_goroutines", float64(runtime.NumGoroutine()))
	set("process_heap_bytes", float64(memory.HeapAlloc))
	set("process_start_time_seconds", float64(started.Unix()))
	set("build_info", 1, "version", m.Version)

	m.mu.Lock()
	defer m.mu.Unlock()
	maps.Copy(all, m.events)
	return write(all)
}

// collectStore reads the store and the credits. If the store does not answer, only store_up
// is reported of it.
func (m *Metrics) collectStore(ctx context.Context, set func(name string, value float64, pairs ...string)) {
	if m.Credits != nil {
		if spent, reserved, err := m.Credits(ctx); err == nil {
			set("credits_spent_total", float64(spent))
			set("credits_reserved", float64(reserved))
		}
	}
	if m.Backlog == nil {
		return
	}
	b, err := m.Backlog(ctx)
	if err != nil {
		set("store_up", 0)
		return
	}
	set("store_up", 1)
	for kind, r := range b.Running {
		set("store_jobs", float64(r.Jobs), "kind", kind)
		set("store_job_oldest_seconds", r.Oldest.Seconds(), "kind", kind)
	}
	set("store_jobs_orphaned", float64(b.Orphans))
	set("store_tasks_waiting", float64(b.Waiting))
	set("store_task_oldest_seconds", b.Oldest.Seconds())
	set("store_tasks_taken", float64(b.Taken))
	set("store_processes", float64(b.Processes))
	set("store_lease_seconds", b.Lease.Seconds())
}

// write writes metrics in the text format.
func write(all map[string]map[string]*series) []byte {
	var b []byte
	for _, name := range slices.Sorted(maps.Keys(all)) {
		kind, full := "gauge", "curlew_"+name
		switch {
		case strings.HasSuffix(name, "_total"):
			kind = "counter"
		case strings.HasSuffix(name, "_duration_seconds"):
			kind = "histogram"
		}
		b = append(b, "# HELP "+full+" "+helps[name]+"\n# TYPE "+full+" "+kind+"\n"...)
		for _, labels := range slices.Sorted(maps.Keys(all[name])) {
			s := all[name][labels]
			if kind != "histogram" {
				b = sample(b, full, labels, s.value)
				continue
			}
			before := labels
			if before != "" {
				before += ","
			}
			sum := uint64(0)
			for i, bound := range bounds {
				sum += s.buckets[i]
				b = sample(b, full+"_bucket", before+`le="`+number(bound)+`"`, float64(sum))
			}
			b = sample(b, full+"_bucket", before+`le="+Inf"`, float64(s.count))
			b = sample(b, full+"_sum", labels, s.value)
			b = sample(b, full+"_count", labels, float64(s.count))
		}
	}
	return b
}

// sample appends a line.
func sample(b []byte, name, labels string, value float64) []byte {
	b = append(b, name...)
	if labels != "" {
		b = append(b, "{"+labels+"}"...)
	}
	return append(b, " "+number(value)+"\n"...)
}

// number returns a number as text.
func number(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.FormatInt(int64(v), 10)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
