// SPDX-License-Identifier: Apache-2.0

package promcurlew_test

import (
	"errors"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"example.com/curlew/crawl/pace"
	"example.com/curlew/job"
	"example.com/curlew/observe/promcurlew"
)

func TestGauges(t *testing.T) {
	var fault error
	m := promcurlew.Metrics{
		Backlog: func() (job.Backlog, error) {
			return job.Backlog{
				Running: map[string]job.KindBacklog{"crawl": {Jobs: 3, Oldest: time.Minute}, "webhook": {Jobs: 1, Oldest: time.Second}},
				Orphans: 2, Waiting: 7, Oldest: 1500 * time.Millisecond, Taken: 4, Processes: 5, Lease: 12 * time.Second,
			}, fault
		},
		Hosts: func() pace.Figures {
			return pace.Figures{Hosts: 9, InFlight: 8, Waiting: map[pace.Cause]int{pace.CrawlDelay: 6}, Gap: 2 * time.Second}
		},
	}
	got := scrape(t, m.Handler())
	want := map[string]string{
		"curlew_store_up": "1", `curlew_store_jobs{kind="crawl"}`: "3", `curlew_store_jobs{kind="webhook"}`: "1",
		`curlew_store_job_oldest_seconds{kind="crawl"}`: "60", `curlew_store_job_oldest_seconds{kind="webhook"}`: "1",
		"curlew_store_jobs_orphaned": "2", "curlew_store_tasks_waiting": "7", "curlew_store_task_oldest_seconds": "1.5", "curlew_store_tasks_taken": "4",
		"curlew_store_processes": "5", "curlew_store_lease_seconds": "12",
		"curlew_hosts": "9", "curlew_hosts_requests_running": "8", "curlew_hosts_longest_pause_seconds": "2",
		`curlew_hosts_waiting{cause="unreachable"}`: "0", `curlew_hosts_waiting{cause="retry-after"}`: "0", `curlew_hosts_waiting{cause="crawl-delay"}`: "6",
		`curlew_hosts_waiting{cause="overload"}`: "0", `curlew_hosts_waiting{cause="busy"}`: "0",
	}
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s is %q, want %q", name, got[name], value)
		}
	}
	fault = errors.New("down")
	down := scrape(t, m.Handler())
	if _, there := down["curlew_store_tasks_waiting"]; down["curlew_store_up"] != "0" || there || down["curlew_hosts"] != "9" {
		t.Errorf("without a store: %s", gocmp.Diff(want, down))
	}
}
