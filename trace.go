// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"context"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/scope"
	"example.com/curlew/job"
)

// Trace reports what a Service and its Handlers do, for metrics and spans. Each func is
// called when something begins. It returns the context under which that continues, and
// a func that is called once when it ends. Nil funcs are not called. The funcs are
// called by several goroutines at once and must not block. They get no URL, text or key.
//
// The nested modules example.com/curlew/observe/promcurlew and
// example.com/curlew/observe/otelcurlew make one.
type Trace struct {
	Request func(ctx context.Context, r RequestTrace) (context.Context, func(RequestEnd))
	Job     func(ctx context.Context, j JobTrace) (context.Context, func(error)) // nil: completed
	Page    func(ctx context.Context, p PageTrace) (context.Context, func(error))
	Webhook func(ctx context.Context, w WebhookTrace) (context.Context, func(error)) // one attempt

	// Crawl returns a trace for the engine of a crawl job, or nil.
	Crawl func(j JobTrace) *crawl.Trace
}

// RequestTrace is a request to a Handler.
type RequestTrace struct {
	ID     string // as in X-Request-Id
	Method string
	Route  string // such as /v2/crawl/{id}; empty: no route matches
}

// RequestEnd says how a request was answered.
type RequestEnd struct {
	Status int    // of HTTP; 101 for a WebSocket
	Team   string // empty: unknown
}

// JobTrace is a job at work: a crawl, a batch, an agent or the delivery of webhooks. A
// job that continues after a restart begins again.
type JobTrace struct{ ID, Kind, Team string }

// PageTrace is the fetching and formatting of a page or document. For a page of a crawl
// it is only the formatting, because [crawl.Trace.Fetched] reports the fetching.
type PageTrace struct {
	Endpoint string // scrape, parse, crawl, batch_scrape
	Job      string // empty: it belongs to no job
	Team     string // empty: the caller is a program
}

// WebhookTrace is one attempt to deliver an event.
type WebhookTrace struct {
	Job, Team string
	Event     string // such as crawl.page
	Attempt   int    // from 1
}

// begin calls f. Both f and what it returns may be nil.
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

// job returns work that tells t when it begins and ends.
func (t *Trace) job(work job.Work) job.Work {
	if t == nil || t.Job == nil {
		return work
	}
	return func(ctx context.Context, j *job.Job, space job.Space) (err error) {
		ctx, end := begin(ctx, t.Job, JobTrace{j.ID, j.Kind, j.Owner})
		defer func() {
			if v := recover(); v != nil {
				end(errPanic)
				panic(v) // the runner reports it
			}
			end(err)
		}()
		return work(ctx, j, space)
	}
}

// crawlTrace returns the trace of a crawl job: what counts the pages that are
// left, keep, and the host's.
func (w *work) crawlTrace(keep func(scope.RobotsFile)) *crawl.Trace {
	var host *crawl.Trace
	if own := w.parts.service.Trace; own != nil && own.Crawl != nil {
		host = own.Crawl(JobTrace{w.job, KindCrawl, w.team})
	}
	var stats func() frontier.Stats // set before a task begins
	count := func() {
		now := stats()
		w.parts.backlog.set(w.team, w.Op, now.Total(w.Limit)-now.Delivered)
	}
	ours := &crawl.Trace{
		Started: func(live func() frontier.Stats) {
			stats = live
			count()
		},
		Committed: func(frontier.Commit) { count() },
		Robots:    keep,
	}
	return crawl.JoinTraces(ours, host)
}

// request begins the trace of a request.
func (t *Trace) request(ctx context.Context, r RequestTrace) (context.Context, func(RequestEnd)) {
	if t == nil {
		return ctx, func(RequestEnd) {}
	}
	return begin(ctx, t.Request, r)
}

// page begins the trace of a page.
func (t *Trace) page(ctx context.Context, p PageTrace) (context.Context, func(error)) {
	if t == nil {
		return ctx, func(error) {}
	}
	return begin(ctx, t.Page, p)
}

// JoinTraces returns a trace that calls each of traces in their order, each under
// the ctx of the one before, and their ends in the opposite order: a Service has
// one Trace, and a program may want metrics, spans and a log. Nil traces and nil
// funcs are left out. It returns nil if all traces are nil.
func JoinTraces(traces ...*Trace) *Trace {
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

// joinCrawls returns a func whose trace is that of a and that of b.
func joinCrawls(a, b func(JobTrace) *crawl.Trace) func(JobTrace) *crawl.Trace {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return func(j JobTrace) *crawl.Trace { return crawl.JoinTraces(a(j), b(j)) }
}
