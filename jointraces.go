// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"context"

	"example.com/curlew/crawl"
)

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
