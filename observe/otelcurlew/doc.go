// SPDX-License-Identifier: Apache-2.0

// Package otelcurlew creates OpenTelemetry spans from observe.Trace, crawl.Trace
// and agent.Trace. It needs only the OpenTelemetry API. The program provides
// the SDK, the exporter and the sampler by a TracerProvider.
//
//	tracer := &otelcurlew.Tracer{Provider: provider}
//	service := &curlew.Service{Trace: tracer.Trace()}
//
// A request to the handler is a server span below the span in its context, so
// middleware of the program should read the traceparent header. Below it are
// the pages that it fetches and the jobs that it starts. Below a job are its
// pages, the requests of its crawl, and its model calls. Below a job that
// delivers webhooks are its attempts. A job that continues after a restart
// starts a new trace.
//
// Attributes contain routes, kinds, ids of requests and jobs, the team, and
// counts. The class of an error is in error.type. Spans contain no URL, host,
// header, key or text, not even that of errors. So a trace of a job with zero
// data retention shows only that the job existed.
package otelcurlew
