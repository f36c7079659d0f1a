// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"

	"example.com/curlew/agent/llm"
)

// budget spends no more than its ceiling: who wants to spend reserves the most
// it can cost, and commits what it did. Who cannot be served while others hold
// reservations waits, first come first served, and landing before all else; where
// nobody holds any, it is refused. Who holds a reservation must not wait for another.
type budget struct {
	mu       sync.Mutex // guards all below
	ceiling  Credits
	tranche  Credits // set aside for landing
	spent    Credits
	reserved Credits
	holds    int
	waiting  []*wait
	closed   bool // nothing more but landing
}

// wait is one who waits for credits.
type wait struct {
	amount  Credits
	landing bool
	keep    bool      // refused, it holds nothing, but still keeps others waiting
	ready   chan bool // receives once: whether it was granted
}

// errBroke means that a reservation does not fit.
var errBroke = errors.New("credits are spent")

func newBudget(ceiling Credits) *budget {
	if ceiling < 0 {
		return &budget{ceiling: math.MaxInt64 / 4}
	}
	return &budget{ceiling: ceiling / llm.Credit * llm.Credit}
}

// free returns what can be reserved.
func (b *budget) free(landing bool) Credits {
	left := b.ceiling - b.spent - b.reserved
	if !landing {
		left -= b.tranche
	}
	return left
}

// try reserves n at once, or not at all.
func (b *budget) try(n Credits, landing bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n > b.free(landing) || b.closed && !landing {
		return false
	}
	b.reserved += n
	b.holds++
	return true
}

// reserve reserves n, and waits for it as long as others may give some back.
func (b *budget) reserve(ctx context.Context, n Credits, landing bool) error {
	return b.exchange(ctx, nil, n, landing)
}

// exchange reserves n in the place of a reservation, which may be nil, in one
// step: nobody who waits comes between. Where that is refused h is one of
// nothing, for another try; it is to be dropped.
func (b *budget) exchange(ctx context.Context, h *hold, n Credits, landing bool) error {
	b.mu.Lock()
	w := &wait{n, landing, h != nil && h.amount >= 0, make(chan bool, 1)}
	at := len(b.waiting)
	if landing { // what is there is read before more is brought
		at = slices.IndexFunc(b.waiting, func(o *wait) bool { return !o.landing })
		if at < 0 {
			at = len(b.waiting)
		}
	}
	b.waiting = slices.Insert(b.waiting, at, w)
	if w.keep {
		b.reserved -= h.amount
		b.holds--
		h.amount = -1
	}
	b.serve()
	b.mu.Unlock()
	select {
	case ok := <-w.ready:
		if !ok {
			if w.keep {
				h.amount = 0
			}
			return errBroke
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
	if <-w.ready { // granted meanwhile
		b.reserved -= n
		b.holds--
		b.serve()
	} else if w.keep {
		b.holds--
		b.serve()
	}
	return context.Cause(ctx)
}

// serve grants and refuses those who wait, in their order.
func (b *budget) serve() {
	for len(b.waiting) > 0 {
		w := b.waiting[0]
		switch {
		case b.closed && !w.landing:
			b.refuse(w)
		case w.amount <= b.free(w.landing):
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

// refuse refuses one who waits; b.mu is held.
func (b *budget) refuse(w *wait) {
	if w.keep {
		b.holds++
	}
	w.ready <- false
}

// commit gives back a reservation of n, of which spent is spent; what is above
// the reservation is returned, and not charged.
func (b *budget) commit(n, spent Credits) (overrun Credits) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if spent > n {
		overrun, spent = spent-n, n
	}
	b.reserved -= n
	b.holds--
	b.spent += max(spent, 0)
	b.serve()
	return overrun
}

// split makes several reservations of one.
func (b *budget) split(parts int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.holds += parts - 1
}

// charge adds what was spent before the run.
func (b *budget) charge(n Credits) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spent += n
}

// close refuses all but landing.
func (b *budget) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.serve()
}

// ceilingPart returns a part of the ceiling; nothing where there is none.
func (b *budget) ceilingPart(of Credits) Credits {
	if b.ceiling >= math.MaxInt64/8 {
		return 0
	}
	return b.ceiling / of
}

// land gives the tranche free.
func (b *budget) land() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tranche = 0
	b.serve()
}

// setAside sets the tranche, at most a quarter of what is left: of a few credits
// most are for pages.
func (b *budget) setAside(n Credits) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tranche = min(n, max(b.ceiling-b.spent, 0)/4)
}

// total returns what is spent.
func (b *budget) total() Credits {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.spent
}

// tenths returns how many tenths of the ceiling are left, rounded up.
func (b *budget) tenths() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	left := max(b.ceiling-b.spent, 0)
	if b.ceiling <= 0 {
		return 0
	}
	return int((left*10 + b.ceiling - 1) / b.ceiling)
}

// price is what tokens cost a run.
type price struct{ in, cached, out float64 } // credits in millionths a token

func newPrice(r llm.Rates, p llm.Profile) price {
	rate := p.Rate
	if rate == 0 {
		rate = 1
	}
	return price{float64(r.Input) * rate / 1e6, float64(r.Cached) * rate / 1e6, float64(r.Output) * rate / 1e6}
}

// bound is the most that a call of so many bytes can cost.
func (p price) bound(size, output int) Credits {
	return Credits(math.Ceil(float64(size/2+1)*max(p.in, p.cached) + float64(output)*p.out))
}

// of returns what usage costs.
func (p price) of(u llm.Usage) Credits {
	cached := min(max(u.Cached, 0), max(u.Input, 0))
	return Credits(math.Ceil(float64(max(u.Input, 0)-cached)*p.in + float64(cached)*p.cached + float64(max(u.Output, 0))*p.out))
}
