// SPDX-License-Identifier: Apache-2.0

package promcurlew

import (
	"github.com/prometheus/client_golang/prometheus"

	"example.com/curlew/fetch"
)

// Proxies returns a collector of the figures of a pool of proxies: fetches, failures
// because of the proxy, and whether the proxy is in use. The label proxy is the number of
// the proxy in its list, with its host and port.
func Proxies(pool *fetch.Pool) prometheus.Collector {
	describe := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc("curlew_proxy_"+name, help, []string{"proxy"}, nil)
	}
	return &proxies{
		pool:     pool,
		fetches:  describe("fetches_total", "Fetches through a proxy that have ended."),
		failures: describe("failures_total", "Fetches that failed because of the proxy."),
		healthy:  describe("healthy", "1 if the proxy is in use, 0 while it is out of order."),
	}
}

type proxies struct {
	pool                       *fetch.Pool
	fetches, failures, healthy *prometheus.Desc
}

// Describe implements prometheus.Collector.
func (p *proxies) Describe(descs chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{p.fetches, p.failures, p.healthy} {
		descs <- d
	}
}

// Collect implements prometheus.Collector.
func (p *proxies) Collect(metrics chan<- prometheus.Metric) {
	for _, s := range p.pool.Stats() {
		healthy := 1.0
		if !s.Out.IsZero() {
			healthy = 0
		}
		metrics <- prometheus.MustNewConstMetric(p.fetches, prometheus.CounterValue, float64(s.Fetches), s.Name)
		metrics <- prometheus.MustNewConstMetric(p.failures, prometheus.CounterValue, float64(s.Failures), s.Name)
		metrics <- prometheus.MustNewConstMetric(p.healthy, prometheus.GaugeValue, healthy, s.Name)
	}
}
