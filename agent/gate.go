// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"example.com/curlew/agent/internal/budget"
	"example.com/curlew/agent/internal/linkrank"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/journal"
	"example.com/curlew/internal/weburl"
)

// gate admits URLs: none is requested without a verdict, and the threat hook is
// asked once for each.
type gate struct {
	payer   *payer
	scope   linkrank.Scope
	admit   Admit // nil: only the scope decides
	task    *Task
	cleared map[string]bool // canonical URLs that were admitted before the start

	mu    sync.Mutex // guards asked
	asked map[string]*verdict
}

// newGate returns the gate of a task. Scans before the start are charged.
func newGate(p *payer, scope linkrank.Scope, admit Admit, t *Task) *gate {
	g := &gate{payer: p, scope: scope, admit: admit, task: t, cleared: map[string]bool{}, asked: map[string]*verdict{}}
	for u, cost := range t.Cleared {
		if c := value.Canonical(u); c != "" && !g.cleared[c] {
			g.cleared[c] = true
			p.cleared(cost)
		}
	}
	return g
}

// verdict is the answer for one canonical URL.
type verdict struct {
	done chan struct{} // closed when err is set
	err  error
}

// Why a gate refuses.
var (
	errOutside = fmt.Errorf("%w: not in the scope of the task", ErrScope)
	errRefused = fmt.Errorf("%w: refused by policy", ErrScope)
)

// allow admits a URL or says why not. The scan is paid from h, which may be
// nil, or else at once or not at all: a request may be under way whose own
// reservation must not wait for this one.
func (g *gate) allow(ctx context.Context, url string, h *budget.Hold) error {
	c := value.Canonical(url)
	if c == "" || !g.scope.Allows(c) {
		g.payer.budget.Drop(h)
		return errOutside
	}
	g.mu.Lock()
	v := g.asked[c]
	first := v == nil
	if first {
		v = &verdict{done: make(chan struct{})}
		g.asked[c] = v
	}
	g.mu.Unlock()
	if first {
		v.err = g.scan(ctx, c, h)
		if v.err != nil && ctx.Err() != nil || errors.Is(v.err, budget.ErrBroke) { // no verdict: whoever comes next asks again
			g.mu.Lock()
			delete(g.asked, c)
			g.mu.Unlock()
		}
		close(v.done)
		return v.err
	}
	g.payer.budget.Drop(h)
	select {
	case <-v.done:
		return v.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// headers returns the headers of the task for a URL: those of one on a host of the
// task's own URLs, port included, that is asked no less safely.
func (g *gate) headers(url string) map[string]string {
	u, err := weburl.Parse(url)
	if err != nil || len(g.task.Headers) == 0 {
		return nil
	}
	for _, raw := range g.task.URLs {
		own, err := weburl.Parse(raw)
		if err == nil && own.HostPort() == u.HostPort() && (own.Scheme() == u.Scheme() || u.Scheme() == "https") {
			return maps.Clone(g.task.Headers)
		}
	}
	return nil
}

// scan asks the threat hook.
func (g *gate) scan(ctx context.Context, c string, h *budget.Hold) error {
	if g.admit == nil || g.cleared[c] {
		g.payer.budget.Drop(h)
		return nil
	}
	id := journal.CallID("scan", c)
	if !g.payer.known(id) && (h == nil || h.Amount < 0) {
		if !g.payer.budget.Try(g.payer.rates.Scan, true) {
			return budget.ErrBroke
		}
		h = &budget.Hold{Amount: g.payer.rates.Scan}
	}
	a, err := g.payer.pay(ctx, id, h, func(ctx context.Context) (journal.AnswerRecord, Credits, error) {
		spent, err := guarded(g.payer.control, "Admit", func() (Credits, error) { return g.admit(ctx, g.task, c) })
		if ctx.Err() != nil && err != nil {
			return journal.AnswerRecord{}, spent, context.Cause(ctx)
		}
		if err != nil {
			return journal.AnswerRecord{Fault: "refused", Detail: value.Clip(err.Error(), 300)}, spent, nil
		}
		return journal.AnswerRecord{}, spent, nil
	})
	if err != nil {
		return err
	}
	if a.Fault != "" {
		return errRefused
	}
	return nil
}

// admitted reports whether the gate let a URL pass.
func (g *gate) admitted(url string) bool {
	c := value.Canonical(url)
	g.mu.Lock()
	v := g.asked[c]
	g.mu.Unlock()
	if v == nil {
		return false
	}
	select {
	case <-v.done:
		return v.err == nil
	default:
		return false
	}
}

// strangers returns the hops that the gate was not asked for, or refused.
func (g *gate) strangers(hops []string) []string {
	return slices.DeleteFunc(slices.Clone(hops), g.admitted)
}
