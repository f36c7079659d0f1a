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

// gate admits URLs. No URL is requested without a verdict, and the threat hook is
// called once for each URL.
type gate struct {
	payer   *payer
	scope   linkrank.Scope
	admit   Admit // nil means that only the scope decides
	task    *Task
	cleared map[string]bool // canonical URLs that were admitted before the start

	mu    sync.Mutex // guards asked
	asked map[string]*verdict
}

// newGate returns the gate of a task. Scans that were made before the start are
// charged.
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

// verdict is the decision about one canonical URL.
type verdict struct {
	done chan struct{} // closed when err is set
	err  error
}

// Reasons why the gate refuses a URL.
var (
	errOutside = fmt.Errorf("%w: not in the scope of the task", ErrScope)
	errRefused = fmt.Errorf("%w: refused by policy", ErrScope)
)

// allow returns nil if it admits a URL, or else the reason. The scan is paid from h. If
// h is nil, it must be paid at once, because a request in progress must not wait with
// its reservation for that of the scan.
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
		if v.err != nil && ctx.Err() != nil || errors.Is(v.err, budget.ErrBroke) { // there is no verdict, so the next caller asks again
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

// headers returns the headers of the task for a URL, or nil. Only hosts of the task's
// own URLs get them, with the same port, and not without encryption if the task's URL
// uses https.
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

// scan calls the threat hook.
func (g *gate) scan(ctx context.Context, c string, h *budget.Hold) error {
	if g.admit == nil || g.cleared[c] {
		g.payer.budget.Drop(h)
		return nil
	}
	id := value.CallID("scan", c)
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

// admitted reports whether the gate has admitted a URL.
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

// strangers returns the hops that the gate has refused, or was not asked about.
func (g *gate) strangers(hops []string) []string {
	return slices.DeleteFunc(slices.Clone(hops), g.admitted)
}
