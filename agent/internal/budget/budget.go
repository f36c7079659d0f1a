// SPDX-License-Identifier: Apache-2.0

// Package budget reserves and spends the credits of a run within its ceiling.
package budget

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"

	"example.com/curlew/agent/llm"
)

// Budget makes sure that a run spends no more than its ceiling. Before something is
// done, its caller reserves the most that it can cost, and afterwards commits what it
// did cost. If a reservation does not fit, the caller waits while others hold one.
// Waiters are served in order, calls for the final answer first. If nobody holds a
// reservation, the request takes the credits that are set aside for the final answer,
// or is refused. A caller that holds a reservation must not wait for another.
type Budget struct {
	Ceiling llm.Credits // must not be changed

	mu       sync.Mutex  // guards the fields below
	tranche  llm.Credits // set aside for the final answer
	spent    llm.Credits
	reserved llm.Credits
	holds    int
	waiting  []*wait
	closed   bool // only the final answer may still reserve
}

// wait is a caller that waits for credits.
type wait struct {
	amount  llm.Credits
	landing bool
	keep    bool      // it gave up a reservation to wait; if it is refused, it gets back one of nothing
	ready   chan bool // receives one value: whether the reservation was granted
}

// ErrBroke means that there are not enough credits for a reservation.
var ErrBroke = errors.New("credits are spent")

// New returns the budget of a run. A negative ceiling means that there is no ceiling.
// Parts of a credit are cut off.
func New(ceiling llm.Credits) *Budget {
	if ceiling < 0 {
		return &Budget{Ceiling: math.MaxInt64 / 4}
	}
	return &Budget{Ceiling: ceiling / llm.Credit * llm.Credit}
}

// free returns how many credits can be reserved. landing is set for the final answer.
func (b *Budget) free(landing bool) llm.Credits {
	left := b.Ceiling - b.spent - b.reserved
	if !landing {
		left -= b.tranche
	}
	return left
}

// Try reserves n credits at once, or reserves nothing and returns false.
func (b *Budget) Try(n llm.Credits, landing bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n > b.free(landing) || b.closed && !landing {
		return false
	}
	b.reserved += n
	b.holds++
	return true
}

// Reserve reserves n credits. If they are not free, it waits as long as other callers
// may give some back.
func (b *Budget) Reserve(ctx context.Context, n llm.Credits, landing bool) error {
	return b.exchange(ctx, nil, n, landing)
}

// exchange replaces the reservation h, which may be nil, by one of n credits. This is
// one step, so that no other waiter takes the credits in between. If it is refused, h
// becomes a reservation of nothing, so that the caller can try again and must drop h in
// the end.
func (b *Budget) exchange(ctx context.Context, h *Hold, n llm.Credits, landing bool) error {
	b.mu.Lock()
	w := &wait{n, landing, h != nil && h.Amount >= 0, make(chan bool, 1)}
	at := len(b.waiting)
	if landing { // pages that were fetched are read before others are fetched
		at = slices.IndexFunc(b.waiting, func(o *wait) bool { return !o.landing })
		if at < 0 {
			at = len(b.waiting)
		}
	}
	b.waiting = slices.Insert(b.waiting, at, w)
	if w.keep {
		b.reserved -= h.Amount
		b.holds--
		h.Amount = -1
	}
	b.serve()
	b.mu.Unlock()
	select {
	case ok := <-w.ready:
		if !ok {
			if w.keep {
				h.Amount = 0
			}
			return ErrBroke
		}
		return nil
	case <-ctx.Done():
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, other := range b.waiting {
		if other == w {
			b.waiting = append(b.waiting[:i:i], b.waiting[i+1:]...)
			b.serve()
			return context.Cause(ctx)
		}
	}
	if <-w.ready { // it was granted at the moment at which ctx ended
		b.reserved -= n
		b.holds--
		b.serve()
	} else if w.keep {
		b.holds--
		b.serve()
	}
	return context.Cause(ctx)
}

// serve grants or refuses the reservations of waiters, in their order.
func (b *Budget) serve() {
	for len(b.waiting) > 0 {
		w := b.waiting[0]
		switch {
		case b.closed && !w.landing:
			b.refuse(w)
		case w.amount <= b.free(w.landing):
			b.reserved += w.amount
			b.holds++
			w.ready <- true
		case b.holds == 0 && w.amount <= b.free(true): // nothing else fits
			b.tranche = max(b.free(true)-w.amount, 0)
			b.reserved += w.amount
			b.holds++
			w.ready <- true
		case b.holds == 0:
			b.refuse(w)
		default:
			return
		}
		b.waiting = b.waiting[1:]
	}
}

// refuse refuses a waiter. The caller holds mu.
func (b *Budget) refuse(w *wait) {
	if w.keep {
		b.holds++
	}
	w.ready <- false
}

// Commit ends a reservation of n credits, of which spent were spent. If more was spent
// than reserved, the excess is charged as far as nobody else has reserved those
// credits. The rest of the excess is returned and not charged.
func (b *Budget) Commit(n, spent llm.Credits) (overrun llm.Credits) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if spent > n {
		overrun = max(spent-n-max(b.free(true), 0), 0)
		spent -= overrun
	}
	b.reserved -= n
	b.holds--
	b.spent += max(spent, 0)
	b.serve()
	return overrun
}

// Split turns one reservation into several, whose amounts add up to it.
func (b *Budget) Split(parts int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.holds += parts - 1
}

// Charge adds credits that were spent before the run.
func (b *Budget) Charge(n llm.Credits) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spent += n
}

// Close refuses all reservations except those for the final answer.
func (b *Budget) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.serve()
}

// CeilingPart returns the ceiling divided by of, or zero if there is no ceiling.
func (b *Budget) CeilingPart(of llm.Credits) llm.Credits {
	if b.Ceiling >= math.MaxInt64/8 {
		return 0
	}
	return b.Ceiling / of
}

// Land frees the credits that were set aside.
func (b *Budget) Land() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tranche = 0
	b.serve()
}

// SetAside sets the credits that are set aside for the final answer. They are at most a
// quarter of what is left, because most of a few credits are needed for pages.
func (b *Budget) SetAside(n llm.Credits) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tranche = min(n, max(b.Ceiling-b.spent, 0)/4)
}

// Total returns the spent credits.
func (b *Budget) Total() llm.Credits {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.spent
}

// Tenths returns how many tenths of the ceiling are left, rounded up.
func (b *Budget) Tenths() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	left := max(b.Ceiling-b.spent, 0)
	if b.Ceiling <= 0 {
		return 0
	}
	return int((left*10 + b.Ceiling - 1) / b.Ceiling)
}

// Price contains the prices of tokens in a run.
type Price struct{ in, cached, out float64 } // millionths of a credit for each token

// NewPrice returns the prices of tokens at these rates, for a profile of models.
func NewPrice(r llm.Rates, p llm.Profile) Price {
	rate := p.Rate
	if rate == 0 {
		rate = 1
	}
	return Price{float64(r.Input) * rate / 1e6, float64(r.Cached) * rate / 1e6, float64(r.Output) * rate / 1e6}
}

// Bound returns the most that a call can cost. size is the length of its prompt in
// bytes, and output the maximum number of tokens of the reply.
func (p Price) Bound(size, output int) llm.Credits {
	return llm.Credits(math.Ceil(float64(size/2+1)*max(p.in, p.cached) + float64(output)*p.out))
}

// Of returns the cost of usage.
func (p Price) Of(u llm.Usage) llm.Credits {
	cached := min(max(u.Cached, 0), max(u.Input, 0))
	return llm.Credits(math.Ceil(float64(max(u.Input, 0)-cached)*p.in + float64(cached)*p.cached + float64(max(u.Output, 0))*p.out))
}

// Hold is a reservation that one call may use. Once it is used or dropped, its amount
// is -1.
type Hold struct{ Amount llm.Credits }

// Drop gives back a reservation that was not used. h may be nil.
func (b *Budget) Drop(h *Hold) {
	if h != nil && h.Amount >= 0 {
		b.Commit(h.Amount, 0)
		h.Amount = -1
	}
}

// Use returns a reservation of at least n credits: h, if it is large enough, or a new
// one in its place, for which it may have to wait.
func (b *Budget) Use(ctx context.Context, h *Hold, n llm.Credits, landing bool) (*Hold, error) {
	if h != nil && h.Amount >= n {
		return h, nil
	}
	if err := b.exchange(ctx, h, n, landing); err != nil {
		return nil, err
	}
	return &Hold{n}, nil
}
