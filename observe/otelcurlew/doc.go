// SPDX-License-Identifier: Apache-2.0

// Package otelcurlew draws what a Service does: curlew.Trace, crawl.Trace, agent.Trace
// -> OpenTelemetry spans. It needs the API of OpenTelemetry alone; SDK, exporter
// and sampler are the host's, behind a TracerProvider.
//
//	tracer := &otelcurlew.Tracer{Provider: provider}
//	service := &curlew.Service{Trace: tracer.Trace()}
//
// A request to the handler is a server span, below the span that its ctx carries:
// the host's own middleware reads traceparent headers. Below it are the pages that
// it brings and the jobs that it starts; below a job its pages, the requests of
// its crawl, and its model calls; below the job that delivers webhooks each
// attempt. A job that goes on after a restart begins a trace of its own.
//
// Attributes name the route, kinds, ids of requests and jobs, the team, figures,
// and the class of an error in error.type. No URL, host, header, key or text is
// told, errors' texts included, so that jobs with zero data retention leave
// nothing in a trace but that they were.
package otelcurlew
