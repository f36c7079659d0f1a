// SPDX-License-Identifier: Apache-2.0

// Package observe defines the events that a service reports to a program, for metrics,
// spans and logs.
//
// The nested modules example.com/curlew/observe/promcurlew and
// example.com/curlew/observe/otelcurlew make a [Trace] for Prometheus and
// OpenTelemetry. [Join] combines several traces.
package observe

import (
	"context"

	"example.com/curlew/crawl"
)

// Trace reports what a Service and its front ends do. Each func is called when an
// operation begins. It returns a context for the rest of the operation, and a func
// that is called once when the operation ends. Both may be nil. Nil funcs are not
// called. The funcs are called by several goroutines at once and must not block.
// They get no URL, text or key.
type Trace struct {
	Request func(ctx context.Context, r Request) (context.Context, func(RequestEnd))
	Job     func(ctx context.Context, j Job) (context.Context, func(error)) // a nil error means that the job has completed
	Page    func(ctx context.Context, p Page) (context.Context, func(error))
	Webhook func(ctx context.Context, w Webhook) (context.Context, func(error)) // called for each attempt

	// Crawl returns a trace for the engine of a crawl job, or nil.
	Crawl func(j Job) *crawl.Trace
}

// Request is a request to a front end.
type Request struct {
	ID     string // id, as in the header X-Request-Id
	Method string
	Route  string // such as /v2/crawl/{id}; empty if no route matches
}

// RequestEnd says how a request was answered.
type RequestEnd struct {
	Status int    // HTTP status; 101 for a WebSocket
	Team   string // empty if unknown
}

// Job is a running job: a crawl, a batch, an agent or the delivery of webhooks. A job
// that continues after a restart is reported again.
type Job struct{ ID, Kind, Team string }

// Page is the fetching and formatting of a page or document. For a page of a crawl it
// is only the formatting, because [crawl.Trace.Fetched] reports the fetching.
type Page struct {
	Endpoint string // scrape, parse, crawl or batch_scrape
	Job      string // empty if the page belongs to no job
	Team     string // empty if the caller is the program itself
}

// Webhook is one attempt to deliver an event.
type Webhook struct {
	Job, Team string
	Event     string // such as crawl.page
	Attempt   int    // from 1
}

// BeginRequest calls t.Request. Like the other Begin methods, it may be called on a
// nil Trace, and the context and func that it returns are never nil.
func (t *Trace) BeginRequest(ctx context.Context, r Request) (context.Context, func(RequestEnd)) {
	if t == nil {
		return ctx, func(RequestEnd) {}
	}
	return begin(ctx, t.Request, r)
}

// BeginJob calls t.Job.
func (t *Trace) BeginJob(ctx context.Context, j Job) (context.Context, func(error)) {
	if t == nil {
		return ctx, func(error) {}
	}
	return begin(ctx, t.Job, j)
}

// BeginPage calls t.Page.
func (t *Trace) BeginPage(ctx context.Context, p Page) (context.Context, func(error)) {
	if t == nil {
		return ctx, func(error) {}
	}
	return begin(ctx, t.Page, p)
}

// BeginWebhook calls t.Webhook.
func (t *Trace) BeginWebhook(ctx context.Context, w Webhook) (context.Context, func(error)) {
	if t == nil {
		return ctx, func(error) {}
	}
	return begin(ctx, t.Webhook, w)
}

// OfCrawl returns the trace for the engine of a crawl job, or nil.
func (t *Trace) OfCrawl(j Job) *crawl.Trace {
	if t == nil || t.Crawl == nil {
		return nil
	}
	return t.Crawl(j)
}

// begin calls f. f and both of its results may be nil; begin's results are not.
func begin[T, E any](ctx context.Context, f func(context.Context, T) (context.Context, func(E)), what T) (context.Context, func(E)) {
	if f == nil {
		return ctx, func(E) {}
	}
	under, end := f(ctx, what)
	if under == nil {
		under = ctx
	}
	if end == nil {
		end = func(E) {}
	}
	return under, end
}

// Join combines several traces into one, for example for metrics and for spans. The
// new trace calls the traces in their order, each with the context that the previous
// one has returned. It calls the funcs for the end in the opposite order. Nil traces
// and nil funcs are skipped. If all traces are nil, Join returns nil.
func Join(traces ...*Trace) *Trace {
	var joined *Trace
	for _, t := range traces {
		switch {
		case t == nil:
		case joined == nil:
			joined = new(*t)
		default:
			joined.Request = joinBegins(joined.Request, t.Request)
			joined.Job = joinBegins(joined.Job, t.Job)
			joined.Page = joinBegins(joined.Page, t.Page)
			joined.Webhook = joinBegins(joined.Webhook, t.Webhook)
			joined.Crawl = joinCrawls(joined.Crawl, t.Crawl)
		}
	}
	return joined
}

// joinBegins returns a func that calls a and then b, either of which may be nil.
func joinBegins[T, E any](a, b func(context.Context, T) (context.Context, func(E))) func(context.Context, T) (context.Context, func(E)) {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return func(ctx context.Context, what T) (context.Context, func(E)) {
		ctx, endA := begin(ctx, a, what)
		ctx, endB := begin(ctx, b, what)
		return ctx, func(e E) {
			endB(e)
			endA(e)
		}
	}
}

// joinCrawls returns a func that joins the traces of a and b, either of which may be
// nil.
func joinCrawls(a, b func(Job) *crawl.Trace) func(Job) *crawl.Trace {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return func(j Job) *crawl.Trace { return crawl.JoinTraces(a(j), b(j)) }
}
