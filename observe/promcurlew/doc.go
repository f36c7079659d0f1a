// SPDX-License-Identifier: Apache-2.0

// Package promcurlew counts what a Service does: curlew.Trace, crawl.Trace,
// agent.Trace -> metrics in the Prometheus text format.
//
//	var m promcurlew.Metrics
//	service := &curlew.Service{Trace: m.Trace()}
//	mux.Handle("GET /metrics", m.Handler())
//
// A host that has a registry of its own registers the Metrics there instead: it
// is a Collector. Nothing is started, and no global registry is touched.
//
// Each label has a bounded set of values: route, method and status of a request,
// kind of a job, endpoint of a page, event of a webhook, task of a crawl's
// request, role of a model call, and how a thing has ended. No URL, host, key,
// job or text of a request is among them, so jobs with zero data retention are
// counted as all others are. Teams are labels only where Metrics.Team says so.
//
// The handler wants no key: mount it where only the scraper reaches it.
package promcurlew
