// SPDX-License-Identifier: Apache-2.0

package promcurlew

import (
	"github.com/prometheus/client_golang/prometheus"

	"example.com/curlew/crawl/pace"
)

// described are the gauges that are read when the metrics are collected.
var described = map[string]*prometheus.Desc{
	"store_up":                    desc("store_up", "Whether the store that several processes share answered when the metrics were collected."),
	"store_jobs":                  desc("store_jobs", "Running jobs in the store.", "kind"),
	"store_job_oldest_seconds":    desc("store_job_oldest_seconds", "Age of the oldest running job in the store.", "kind"),
	"store_jobs_orphaned":         desc("store_jobs_orphaned", "Running jobs in the store that no living process works on."),
	"store_tasks_waiting":         desc("store_tasks_waiting", "Tasks in the store that no process has begun."),
	"store_task_oldest_seconds":   desc("store_task_oldest_seconds", "How long the oldest waiting task in the store has waited."),
	"store_tasks_taken":           desc("store_tasks_taken", "Tasks in the store that are in progress."),
	"store_processes":             desc("store_processes", "Living processes that share the store."),
	"store_lease_seconds":         desc("store_lease_seconds", "Time until this process is taken for dead."),
	"hosts":                       desc("hosts", "Hosts that the scheduler remembers."),
	"hosts_requests_running":      desc("hosts_requests_running", "Requests to hosts that are in flight."),
	"hosts_waiting":               desc("hosts_waiting", "Hosts at which a job waits, by the reason.", "cause"),
	"hosts_longest_pause_seconds": desc("hosts_longest_pause_seconds", "The longest pause that a host gets between two requests."),
}

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(namespace+"_"+name, help, labels, nil)
}

// gauge sends the value of a gauge.
func gauge(metrics chan<- prometheus.Metric, name string, value float64, labels ...string) {
	metrics <- prometheus.MustNewConstMetric(described[name], prometheus.GaugeValue, value, labels...)
}

// collectBacklog reads the store. If that does not answer, only store_up is reported.
func (m *Metrics) collectBacklog(metrics chan<- prometheus.Metric) {
	if m.Backlog == nil {
		return
	}
	b, err := m.Backlog()
	if err != nil {
		gauge(metrics, "store_up", 0)
		return
	}
	gauge(metrics, "store_up", 1)
	for kind, r := range b.Running {
		gauge(metrics, "store_jobs", float64(r.Jobs), kind)
		gauge(metrics, "store_job_oldest_seconds", r.Oldest.Seconds(), kind)
	}
	gauge(metrics, "store_jobs_orphaned", float64(b.Orphans))
	gauge(metrics, "store_tasks_waiting", float64(b.Waiting))
	gauge(metrics, "store_task_oldest_seconds", b.Oldest.Seconds())
	gauge(metrics, "store_tasks_taken", float64(b.Taken))
	gauge(metrics, "store_processes", float64(b.Processes))
	gauge(metrics, "store_lease_seconds", b.Lease.Seconds())
}

// collectHosts reads the scheduler of hosts.
func (m *Metrics) collectHosts(metrics chan<- prometheus.Metric) {
	if m.Hosts == nil {
		return
	}
	f := m.Hosts()
	gauge(metrics, "hosts", float64(f.Hosts))
	gauge(metrics, "hosts_requests_running", float64(f.InFlight))
	for _, c := range []pace.Cause{pace.Unreachable, pace.RetryAfter, pace.CrawlDelay, pace.Overload, pace.Busy} {
		gauge(metrics, "hosts_waiting", float64(f.Waiting[c]), string(c))
	}
	gauge(metrics, "hosts_longest_pause_seconds", f.Gap.Seconds())
}
