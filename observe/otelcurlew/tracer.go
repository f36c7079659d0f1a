// SPDX-License-Identifier: Apache-2.0

package otelcurlew

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"example.com/curlew/agent"
	"example.com/curlew/agent/journal"
	"example.com/curlew/crawl"
	"example.com/curlew/observe"
	"example.com/curlew/observe/label"
)

// name is the name of the instrumentation scope.
const name = "example.com/curlew/observe/otelcurlew"

// Tracer creates spans from its traces. The zero value creates none. A Tracer
// is safe for concurrent use. It must not be copied, nor changed after its
// first use.
type Tracer struct {
	Provider trace.TracerProvider // nil means no spans

	jobs sync.Map // maps the id of a running job to its context.Context, for callbacks that get no context
}

// tracer returns the tracer of the Provider, or one that does nothing.
func (t *Tracer) tracer() trace.Tracer {
	if t.Provider == nil {
		return noop.NewTracerProvider().Tracer(name)
	}
	return t.Provider.Tracer(name)
}

// Trace returns a trace that creates spans for the requests, jobs, pages and
// webhooks of a Service.
func (t *Tracer) Trace() *observe.Trace {
	tracer := t.tracer()
	return &observe.Trace{
		Request: func(ctx context.Context, r observe.Request) (context.Context, func(observe.RequestEnd)) {
			title := method(r.Method)
			if r.Route != "" {
				title += " " + r.Route
			}
			ctx, span := tracer.Start(ctx, title, trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(
				attribute.String("http.request.method", method(r.Method)), attribute.String("curlew.request.id", r.ID),
			))
			if r.Route != "" {
				span.SetAttributes(attribute.String("http.route", r.Route))
			}
			return ctx, func(e observe.RequestEnd) {
				span.SetAttributes(attribute.Int("http.response.status_code", e.Status))
				span.SetAttributes(team(e.Team)...)
				if e.Status >= 500 {
					span.SetStatus(codes.Error, "") // semantic conventions: client errors do not mark a server span as failed
				}
				span.End()
			}
		},
		Job: func(ctx context.Context, j observe.Job) (context.Context, func(error)) {
			ctx, span := tracer.Start(ctx, "job "+j.Kind, trace.WithAttributes(about(j.ID, j.Team, attribute.String("curlew.job.kind", j.Kind))...))
			t.jobs.Store(j.ID, ctx)
			return ctx, func(err error) {
				t.jobs.Delete(j.ID)
				end(span, err)
			}
		},
		Page: func(ctx context.Context, p observe.Page) (context.Context, func(error)) {
			ctx, span := tracer.Start(ctx, "page "+p.Endpoint, trace.WithAttributes(about(p.Job, p.Team, attribute.String("curlew.endpoint", p.Endpoint))...))
			return ctx, func(err error) { end(span, err) }
		},
		Webhook: func(ctx context.Context, w observe.Webhook) (context.Context, func(error)) {
			ctx, span := tracer.Start(ctx, "webhook "+w.Event, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
				about(w.Job, w.Team, attribute.String("curlew.event", w.Event), attribute.Int("curlew.attempt", w.Attempt))...,
			))
			return ctx, func(err error) { end(span, err) }
		},
		Crawl: func(j observe.Job) *crawl.Trace {
			if ctx, ok := t.jobs.Load(j.ID); ok {
				return t.Crawl(ctx.(context.Context))
			}
			return nil
		},
	}
}

// Crawl returns a trace that creates spans for the requests of a crawl, below
// the span of ctx. It is for programs that run a crawl.Engine themselves.
func (t *Tracer) Crawl(ctx context.Context) *crawl.Trace {
	tracer := t.tracer()
	return &crawl.Trace{Fetched: func(f crawl.Fetched) {
		now := time.Now()
		_, span := tracer.Start(ctx, "fetch "+label.Task(f.Task), trace.WithSpanKind(trace.SpanKindClient), trace.WithTimestamp(now.Add(-f.Took)), trace.WithAttributes(
			attribute.Int("curlew.bytes", f.Bytes),
		))
		if f.Err == nil {
			span.SetAttributes(attribute.Int("http.response.status_code", f.Status))
		}
		end(span, f.Err, trace.WithTimestamp(now))
	}}
}

// Agent returns a trace that creates spans for the model calls of an
// agent.Engine. If a job with the id of the task is running, they are children of
// its span, otherwise of the span of ctx.
func (t *Tracer) Agent(ctx context.Context) *agent.Trace {
	tracer := t.tracer()
	return &agent.Trace{
		Called: func(id string, c agent.CallTrace) {
			now := time.Now()
			_, span := tracer.Start(t.under(ctx, id), "model "+string(c.Role), trace.WithSpanKind(trace.SpanKindClient), trace.WithTimestamp(now.Add(-c.Duration)), trace.WithAttributes(
				attribute.String("curlew.role", string(c.Role)),
				attribute.Int("gen_ai.usage.input_tokens", c.Usage.Input),
				attribute.Int("gen_ai.usage.output_tokens", c.Usage.Output),
				attribute.Int64("curlew.credits.millionths", int64(c.Spent)),
			))
			end(span, c.Err, trace.WithTimestamp(now))
		},
		Event: func(id string, e journal.Event) {
			trace.SpanFromContext(t.under(ctx, id)).AddEvent("agent "+string(e.Kind), trace.WithAttributes(
				attribute.Int64("curlew.seq", e.Seq), attribute.Int64("curlew.credits.millionths", int64(e.Spent)),
			))
		},
	}
}

// under returns the context of the running job id, or ctx if there is none.
func (t *Tracer) under(ctx context.Context, id string) context.Context {
	if job, ok := t.jobs.Load(id); ok {
		return job.(context.Context)
	}
	return ctx
}

// end ends a span with the class of err. The text of err is omitted, because it
// may contain URLs.
func end(span trace.Span, err error, options ...trace.SpanEndOption) {
	if err != nil {
		span.SetAttributes(attribute.String("error.type", label.Outcome(err)))
		span.SetStatus(codes.Error, "")
	}
	span.End(options...)
}

// about returns the attributes that identify a job and its owner.
func about(id, of string, more ...attribute.KeyValue) []attribute.KeyValue {
	if id != "" {
		more = append(more, attribute.String("curlew.job.id", id))
	}
	return append(more, team(of)...)
}

// team returns the attribute for a team, or nil if it is not known.
func team(id string) []attribute.KeyValue {
	if id == "" {
		return nil
	}
	return []attribute.KeyValue{attribute.String("curlew.team", id)}
}

// method returns the method of a request if it is known, because a client may
// send any word.
func method(m string) string {
	if m = label.Method(m); m == "other" {
		return "_OTHER" // the value that the semantic conventions define for unknown methods
	}
	return m
}
