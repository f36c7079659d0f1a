// SPDX-License-Identifier: Apache-2.0

package otelcurlew_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"example.com/curlew/crawl/pace"
	"example.com/curlew/job"
	"example.com/curlew/observe/otelcurlew"
)

func TestGauges(t *testing.T) {
	var fault error
	g := otelcurlew.Gauges{
		Backlog: func(context.Context) (job.Backlog, error) {
			return job.Backlog{
				Running: map[string]job.KindBacklog{"crawl": {Jobs: 3, Oldest: time.Minute}},
				Orphans: 2, Waiting: 7, Oldest: 1500 * time.Millisecond, Taken: 4, Processes: 5, Lease: 12 * time.Second,
			}, fault
		},
		Hosts: func() pace.Figures {
			return pace.Figures{Hosts: 9, InFlight: 8, Waiting: map[pace.Cause]int{pace.CrawlDelay: 6}, Gap: 2 * time.Second}
		},
	}
	reader := metric.NewManualReader()
	provider := metric.NewMeterProvider(metric.WithReader(reader))
	defer func() { _ = provider.Shutdown(t.Context()) }()
	if _, err := g.Register(provider.Meter("test")); err != nil {
		t.Fatal(err)
	}
	collect := func() (map[string]float64, error) {
		var data metricdata.ResourceMetrics
		err := reader.Collect(t.Context(), &data)
		got := map[string]float64{}
		for _, scope := range data.ScopeMetrics {
			for _, m := range scope.Metrics {
				for _, p := range m.Data.(metricdata.Gauge[float64]).DataPoints {
					var name strings.Builder
					name.WriteString(m.Name)
					for _, a := range p.Attributes.ToSlice() {
						name.WriteString(" " + a.Value.AsString())
					}
					got[name.String()] = p.Value
				}
			}
		}
		return got, err
	}
	hosts := map[string]float64{
		"curlew.hosts": 9, "curlew.hosts.requests": 8, "curlew.hosts.longest_pause": 2, "curlew.hosts.waiting crawl-delay": 6, "curlew.hosts.waiting unreachable": 0,
		"curlew.hosts.waiting retry-after": 0, "curlew.hosts.waiting overload": 0, "curlew.hosts.waiting busy": 0,
	}
	want := map[string]float64{
		"curlew.store.jobs crawl": 3, "curlew.store.job.oldest crawl": 60, "curlew.store.jobs.orphaned": 2, "curlew.store.tasks.waiting": 7, "curlew.store.task.oldest": 1.5,
		"curlew.store.tasks.taken": 4, "curlew.store.processes": 5, "curlew.store.lease": 12,
	}
	maps.Copy(want, hosts)
	if got, err := collect(); err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	fault = errors.New("down")
	if got, err := collect(); !errors.Is(err, fault) || !maps.Equal(got, hosts) {
		t.Errorf("without a store: %v, %v; want %v", got, err, hosts)
	}
}
