// SPDX-License-Identifier: Apache-2.0

// Package promcurlew counts the events of observe.Trace, crawl.Trace and
// agent.Trace as metrics in the Prometheus text format.
//
//	var m promcurlew.Metrics
//	service := &curlew.Service{Trace: m.Trace()}
//	mux.Handle("GET /metrics", m.Handler())
//
// A program with a registry of its own registers the Metrics there instead,
// because Metrics is a prometheus.Collector. The package starts nothing and
// does not use the global registry.
//
// If Metrics.Backlog is set, it also reports the work in a store that several processes
// share, and with Metrics.Hosts the pauses of hosts; see docs/postgresql.md.
//
// The values of each label are limited: route, method and status of a request,
// kind of a job, endpoint of a page, event of a webhook, task of a crawl's
// request, role of a model call, and outcome. Labels contain no URL, host, key,
// job or text of a request, so jobs with zero data retention are counted like
// all others. There is a label for teams only if Metrics.Team is set. The label of
// [Proxies] has the hosts of the proxies.
//
// The handler requires no key. Mount it so that only the scraper can reach it.
package promcurlew
