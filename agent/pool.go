// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"slices"
	"sync"
)

// pool bounds the model calls of all runs of an engine. Runs that wait are
// served in turn, each with its oldest call: a run with many calls does not
// keep others out. The zero value has no slot taken.
type pool struct {
	mu    sync.Mutex // guards all below
	taken int
	turns []*turn // runs that wait, the next first
}

// turn is the calls of one run that wait, the oldest first; there is at least
// one.
type turn struct {
	run   *payer
	calls []chan struct{} // closed when the slot is theirs
}

// take waits for a slot among n; the func gives it back.
func (p *pool) take(ctx context.Context, r *payer, n int) (give func(), err error) {
	p.mu.Lock()
	if p.taken < n {
		p.taken++
		p.mu.Unlock()
		return p.give, nil
	}
	ready := make(chan struct{})
	i := slices.IndexFunc(p.turns, func(t *turn) bool { return t.run == r })
	if i < 0 {
		i = len(p.turns)
		p.turns = append(p.turns, &turn{run: r})
	}
	p.turns[i].calls = append(p.turns[i].calls, ready)
	p.mu.Unlock()
	select {
	case <-ready:
		return p.give, nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, t := range p.turns {
		if k := slices.Index(t.calls, ready); k >= 0 {
			if t.calls = slices.Delete(t.calls, k, k+1); len(t.calls) == 0 {
				p.turns = slices.Delete(p.turns, i, i+1)
			}
			return nil, context.Cause(ctx)
		}
	}
	p.next() // granted meanwhile
	return nil, context.Cause(ctx)
}

func (p *pool) give() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next()
}

// next hands a slot on; p.mu is held.
func (p *pool) next() {
	if len(p.turns) == 0 {
		p.taken--
		return
	}
	t := p.turns[0]
	p.turns = p.turns[1:]
	close(t.calls[0])
	if t.calls = t.calls[1:]; len(t.calls) > 0 {
		p.turns = append(p.turns, t)
	}
}
