// SPDX-License-Identifier: Apache-2.0

package promcurlew

import (
	"cmp"
	"context"
	"strconv"

	"example.com/curlew/agent"
	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/llm"
	"example.com/curlew/crawl"
	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/scope"
	"example.com/curlew/observe"
	"example.com/curlew/observe/label"
)

// Trace returns a trace that counts the requests, jobs, pages and webhooks of a
// Service, and its crawls like [Metrics.Crawl].
func (m *Metrics) Trace() *observe.Trace {
	m.prepare()
	told := m.Crawl()
	return &observe.Trace{
		Request: func(ctx context.Context, r observe.Request) (context.Context, func(observe.RequestEnd)) {
			end := m.requests.begin(label.Method(r.Method), cmp.Or(r.Route, "none"))
			return ctx, func(e observe.RequestEnd) { end(m.team(e.Team, strconv.Itoa(e.Status))...) }
		},
		Job: func(ctx context.Context, j observe.Job) (context.Context, func(error)) {
			end := m.jobs.begin(j.Kind)
			return ctx, func(err error) { end(m.team(j.Team, label.Outcome(err))...) }
		},
		Page: func(ctx context.Context, p observe.Page) (context.Context, func(error)) {
			end := m.pages.begin(p.Endpoint)
			return ctx, func(err error) { end(m.team(p.Team, label.Outcome(err))...) }
		},
		Webhook: func(ctx context.Context, w observe.Webhook) (context.Context, func(error)) {
			end := m.hooks.begin(w.Event)
			return ctx, func(err error) { end(m.team(w.Team, label.Outcome(err))...) }
		},
		Crawl: func(observe.Job) *crawl.Trace { return told },
	}
}

// team returns labels. If Metrics.Team is set, it appends the label of the team.
func (m *Metrics) team(id string, labels ...string) []string {
	if m.Team == nil {
		return labels
	}
	return append(labels, m.Team(id))
}

// Crawl returns a trace that counts the requests, links and tasks of crawls. It
// is for programs that run a crawl.Engine themselves.
func (m *Metrics) Crawl() *crawl.Trace {
	m.prepare()
	return &crawl.Trace{
		Fetched: func(f crawl.Fetched) {
			how := label.Outcome(f.Err)
			if f.Err == nil {
				how = label.Status(f.Status)
			}
			m.fetches.end(f.Took, []string{label.Task(f.Task)}, how)
			m.fetchBytes.WithLabelValues(label.Task(f.Task)).Add(float64(f.Bytes))
		},
		Found: func(_ string, _ crawl.Link, r scope.Rule) {
			m.links.WithLabelValues(cmp.Or(r.String(), "none")).Inc()
		},
		Blocked: func(string) { m.robots.Inc() },
		Warned:  func(string, error) { m.warnings.Inc() },
		Committed: func(c frontier.Commit) {
			m.committed.WithLabelValues(label.Task(c.Lease.Task), label.Commit(c.Outcome)).Inc()
		},
	}
}

// Agent returns a trace that counts the model calls and events of an
// agent.Engine.
func (m *Metrics) Agent() *agent.Trace {
	m.prepare()
	return &agent.Trace{
		Called: func(_ string, c agent.CallTrace) {
			role := string(c.Role)
			m.calls.end(c.Duration, []string{role}, label.Outcome(c.Err))
			for kind, n := range map[string]int{
				"input": c.Usage.Input, "cached": c.Usage.Cached, "output": c.Usage.Output, "reasoning": c.Usage.Reasoning,
			} {
				m.tokens.WithLabelValues(role, kind).Add(float64(max(n, 0))) // a provider may report any number
			}
			m.credits.WithLabelValues(role).Add(float64(max(c.Spent, 0)) / float64(llm.Credit))
		},
		Event: func(_ string, e journal.Event) { m.events.WithLabelValues(string(e.Kind)).Inc() },
	}
}
