// SPDX-License-Identifier: Apache-2.0

package otelcurlew

import (
	"context"
	"slices"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"example.com/curlew"
	"example.com/curlew/agent"
	"example.com/curlew/agent/journal"
	"example.com/curlew/crawl"
)

// name of the instrumentation, as its tracer has it.
const name = "example.com/curlew/observe/otelcurlew"

// Tracer makes spans of what is told to its traces. The zero value is silent. It
// is neither copied nor changed after its first use, and safe for concurrent use.
type Tracer struct {
	Provider trace.TracerProvider // nil: no spans

	jobs sync.Map // id -> context.Context of a job at work, for what is told without one
}

func (t *Tracer) tracer() trace.Tracer {
	if t.Provider == nil {
		return noop.NewTracerProvider().Tracer(name)
	}
	return t.Provider.Tracer(name)
}

// Trace returns what draws the requests, jobs, pages and webhooks of a Service.
func (t *Tracer) Trace() *curlew.Trace {
	tracer := t.tracer()
	return &curlew.Trace{
		Request: func(ctx context.Context, r curlew.RequestTrace) (context.Context, func(curlew.RequestEnd)) {
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
			return ctx, func(e curlew.RequestEnd) {
				span.SetAttributes(attribute.Int("http.response.status_code", e.Status))
				span.SetAttributes(team(e.Team)...)
				if e.Status >= 500 {
					span.SetStatus(codes.Error, "") // semantic conventions: what is the client's fault is none of the server's span
				}
				span.End()
			}
		},
		Job: func(ctx context.Context, j curlew.JobTrace) (context.Context, func(error)) {
			ctx, span := tracer.Start(ctx, "job "+j.Kind, trace.WithAttributes(about(j.ID, j.Team, attribute.String("curlew.job.kind", j.Kind))...))
			t.jobs.Store(j.ID, ctx)
			return ctx, func(err error) {
				t.jobs.Delete(j.ID)
				end(span, err)
			}
		},
		Page: func(ctx context.Context, p curlew.PageTrace) (context.Context, func(error)) {
			ctx, span := tracer.Start(ctx, "page "+p.Endpoint, trace.WithAttributes(about(p.Job, p.Team, attribute.String("curlew.endpoint", p.Endpoint))...))
			return ctx, func(err error) { end(span, err) }
		},
		Webhook: func(ctx context.Context, w curlew.WebhookTrace) (context.Context, func(error)) {
			ctx, span := tracer.Start(ctx, "webhook "+w.Event, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
				about(w.Job, w.Team, attribute.String("curlew.event", w.Event), attribute.Int("curlew.attempt", w.Attempt))...,
			))
			return ctx, func(err error) { end(span, err) }
		},
		Crawl: func(j curlew.JobTrace) *crawl.Trace {
			if ctx, ok := t.jobs.Load(j.ID); ok {
				return t.Crawl(ctx.(context.Context))
			}
			return nil
		},
	}
}

// Crawl returns what draws the requests of a crawl as spans below that of ctx: for
// programs that run a crawl.Engine of their own.
func (t *Tracer) Crawl(ctx context.Context) *crawl.Trace {
	tracer := t.tracer()
	return &crawl.Trace{Fetched: func(f crawl.Fetched) {
		now := time.Now()
		_, span := tracer.Start(ctx, "fetch "+task(f.Task), trace.WithSpanKind(trace.SpanKindClient), trace.WithTimestamp(now.Add(-f.Took)), trace.WithAttributes(
			attribute.Int("curlew.bytes", f.Bytes),
		))
		if f.Err == nil {
			span.SetAttributes(attribute.Int("http.response.status_code", f.Status))
		}
		end(span, f.Err, trace.WithTimestamp(now))
	}}
}

// Agent returns what draws the model calls of an agent.Engine, as its Trace: below
// the job whose id is the task's, where it is at work, else below the span of ctx.
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

// under returns the ctx of a job at work; of another, ctx.
func (t *Tracer) under(ctx context.Context, id string) context.Context {
	if job, ok := t.jobs.Load(id); ok {
		return job.(context.Context)
	}
	return ctx
}

// end ends a span with how its thing has ended; errors' texts may hold URLs, and
// are left out.
func end(span trace.Span, err error, options ...trace.SpanEndOption) {
	if class := outcome(err); class != "" {
		span.SetAttributes(attribute.String("error.type", class))
		span.SetStatus(codes.Error, "")
	}
	span.End(options...)
}

// about returns the attributes that say whose a thing is.
func about(id, of string, more ...attribute.KeyValue) []attribute.KeyValue {
	if id != "" {
		more = append(more, attribute.String("curlew.job.id", id))
	}
	return append(more, team(of)...)
}

func team(id string) []attribute.KeyValue {
	if id == "" {
		return nil
	}
	return []attribute.KeyValue{attribute.String("curlew.team", id)}
}

// method returns the method of a request; a client may send any word.
func method(m string) string {
	if slices.Contains([]string{"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"}, m) {
		return m
	}
	return "_OTHER" // the semantic conventions' word
}

func task(t crawl.Task) string {
	switch t {
	case crawl.RobotsTask:
		return "robots"
	case crawl.SitemapTask:
		return "sitemap"
	}
	return "page"
}
