// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"example.com/curlew/agent/internal/budget"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/journal"
)

// gate is asked for every URL before it is requested: it knows the scope, and
// asks the threat hook once for each.
type gate struct {
	mu    sync.Mutex // guards asked
	asked map[string]*verdict
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
func (r *Run) allow(ctx context.Context, url string, h *budget.Hold) error {
	c := value.Canonical(url)
	if c == "" || !r.scope.Allows(c) {
		r.budget.Drop(h)
		return errOutside
	}
	r.gate.mu.Lock()
	v := r.gate.asked[c]
	first := v == nil
	if first {
		v = &verdict{done: make(chan struct{})}
		r.gate.asked[c] = v
	}
	r.gate.mu.Unlock()
	if first {
		v.err = r.scan(ctx, c, h)
		if v.err != nil && ctx.Err() != nil || errors.Is(v.err, budget.ErrBroke) { // no verdict: whoever comes next asks again
			r.gate.mu.Lock()
			delete(r.gate.asked, c)
			r.gate.mu.Unlock()
		}
		close(v.done)
		return v.err
	}
	r.budget.Drop(h)
	select {
	case <-v.done:
		return v.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// scan asks the threat hook.
func (r *Run) scan(ctx context.Context, c string, h *budget.Hold) error {
	_, cleared := r.cleared[c]
	if r.e.Admit == nil || cleared {
		r.budget.Drop(h)
		return nil
	}
	id := journal.CallID("scan", c)
	if !r.payer.known(id) && (h == nil || h.Amount < 0) {
		if !r.budget.Try(r.payer.rates.Scan, true) {
			return budget.ErrBroke
		}
		h = &budget.Hold{Amount: r.payer.rates.Scan}
	}
	a, err := r.payer.pay(ctx, id, h, func(ctx context.Context) (journal.AnswerRecord, Credits, error) {
		spent, err := guarded(r.control, "Admit", func() (Credits, error) { return r.e.Admit(ctx, &r.task, c) })
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
func (r *Run) admitted(url string) bool {
	c := value.Canonical(url)
	r.gate.mu.Lock()
	v := r.gate.asked[c]
	r.gate.mu.Unlock()
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
func (r *Run) strangers(hops []string) []string {
	return slices.DeleteFunc(slices.Clone(hops), r.admitted)
}
