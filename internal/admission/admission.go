// SPDX-License-Identifier: Apache-2.0

// Package admission shares out a bounded amount of a resource among the work of
// a process: how much memory documents take, how many connections clients hold,
// how much room is left on a disk.
package admission

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// ErrBusy means that there was no room in time, or that the room was taken
// back for older work.
var ErrBusy = errors.New("no room")

// Unlimited is a limit, a number of bytes or a time without a bound.
const Unlimited = -1

// leaving is how long growing work waits for the room of work that was ended.
// The goroutines of ended work look at their contexts far more often.
const leaving = 2 * time.Second

// Pool shares out bytes. The shares of a pool hold no more than its limit
// together, except that the oldest share may always grow: otherwise shares that
// all wait for more would wait for each other.
//
// A Pool is safe for concurrent use.
type Pool struct {
	limit int64

	mu      sync.Mutex
	used    int64         // guarded by mu; the sum of shares
	last    uint64        // guarded by mu; the latest ticket
	shares  []*Share      // guarded by mu; by ticket, the oldest first
	queue   []*turn       // guarded by mu; by ticket
	growing int           // guarded by mu; calls of Grow that wait
	changed chan struct{} // guarded by mu; closed at the next change; nil if nobody waits
	refused int64         // guarded by mu
	short   time.Time     // guarded by mu; when something was refused last
}

// turn is a place in the queue.
type turn struct {
	ticket uint64
	since  time.Time
}

// Share is what one piece of work holds of a pool.
type Share struct {
	pool   *Pool
	ticket uint64
	end    context.CancelCauseFunc // of the work's context; may be nil
	held   int64                   // guarded by pool.mu
	most   int64                   // guarded by pool.mu
	ended  bool                    // guarded by pool.mu; its room is wanted back
}

// NewPool returns a pool of limit bytes, or without a bound if limit is
// [Unlimited].
func NewPool(limit int64) *Pool { return &Pool{limit: limit} }

// Limit returns the bytes that the pool shares out; [Unlimited]: no bound.
func (p *Pool) Limit() int64 { return p.limit }

// Used returns the bytes that are held now.
func (p *Pool) Used() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.used
}

// Refused returns how often [ErrBusy] was the answer.
func (p *Pool) Refused() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refused
}

// Short reports whether the pool refused something within the last while, or
// somebody has waited for that long.
func (p *Pool) Short(while time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if !p.short.IsZero() && now.Sub(p.short) < while {
		return true
	}
	return slices.ContainsFunc(p.queue, func(t *turn) bool { return now.Sub(t.since) >= while })
}

// Ticket returns a place in the order of age. Work that was ended for older
// work keeps its ticket when it begins anew, so that it is the oldest one day.
func (p *Pool) Ticket() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last++
	return p.last
}

// Take waits until n bytes are free and returns a share of them. A share that
// is larger than the pool is one of the whole pool. Take returns [ErrBusy] after
// wait, which is [Unlimited] for no bound, and the cause of ctx after its end.
// The share calls end with [ErrBusy] if older work needs its room; end may be nil.
// The caller releases the share when the work has ended.
func (p *Pool) Take(ctx context.Context, ticket uint64, n int64, wait time.Duration, end context.CancelCauseFunc) (*Share, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.limit >= 0 {
		n = min(n, p.limit)
	}
	s := &Share{pool: p, ticket: ticket, end: end, held: n, most: n}
	t := &turn{ticket: ticket, since: time.Now()}
	at, _ := slices.BinarySearchFunc(p.queue, ticket, func(t *turn, ticket uint64) int { return compare(t.ticket, ticket) })
	p.queue = slices.Insert(p.queue, at, t)
	defer func() {
		p.queue = slices.DeleteFunc(p.queue, func(o *turn) bool { return o == t })
		p.wake()
	}()
	late, stop := timeout(wait)
	defer stop()
	for p.queue[0] != t || !p.fits(n) {
		err := p.wait(ctx, late)
		if errors.Is(err, errLate) {
			return nil, p.refuse()
		}
		if err != nil {
			return nil, err
		}
	}
	p.used += n
	at, _ = slices.BinarySearchFunc(p.shares, ticket, func(s *Share, ticket uint64) int { return compare(s.ticket, ticket) })
	p.shares = slices.Insert(p.shares, at, s)
	return s, nil
}

func compare(a, b uint64) int {
	if a < b {
		return -1
	}
	return 1 // behind its equals
}

// timeout returns a channel that fires after wait; nil if wait has no bound.
func timeout(wait time.Duration) (<-chan time.Time, func() bool) {
	if wait < 0 {
		return nil, func() bool { return false }
	}
	t := time.NewTimer(wait)
	return t.C, t.Stop
}

// errLate means that nothing changed in time.
var errLate = errors.New("too late")

// fits reports whether a new share of n bytes can be had. Work that grows goes
// before work that has not begun. The caller holds mu.
func (p *Pool) fits(n int64) bool {
	return p.limit < 0 || p.oldest() == nil || p.growing == 0 && p.used+n <= p.limit
}

// oldest returns the oldest share that goes on; nil if there is none. The caller
// holds mu.
func (p *Pool) oldest() *Share {
	for _, s := range p.shares {
		if !s.ended {
			return s
		}
	}
	return nil
}

// wait returns at the next change, and why there is nothing to wait for any
// more. The caller holds mu.
func (p *Pool) wait(ctx context.Context, late <-chan time.Time) error {
	if p.changed == nil {
		p.changed = make(chan struct{})
	}
	changed := p.changed
	p.mu.Unlock()
	defer p.mu.Lock()
	select {
	case <-changed:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-late:
		return errLate
	}
}

// refuse counts a refusal. The caller holds mu.
func (p *Pool) refuse() error {
	p.refused++
	p.short = time.Now()
	return ErrBusy
}

// wake tells those who wait of a change. The caller holds mu.
func (p *Pool) wake() {
	if p.changed != nil {
		close(p.changed)
		p.changed = nil
	}
}

// Grow adds n bytes to the share. If they do not fit, it waits until they do, and
// the work ends with [ErrBusy] after wait, which is [Unlimited] for no bound. The
// oldest share gets what it asks for in any case: the youngest work is ended for
// it. Grow returns the cause of ctx after its end.
func (s *Share) Grow(ctx context.Context, n int64, wait time.Duration) error {
	p := s.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	p.growing++
	defer func() { p.growing--; p.wake() }()
	late, stop := timeout(wait)
	defer stop()
	for !s.ended && p.limit >= 0 && p.used+n > p.limit {
		first := s == p.oldest()
		if !first {
			if err := p.wait(ctx, late); errors.Is(err, errLate) {
				p.dismiss(s)
			} else if err != nil {
				return err
			}
			continue
		}
		p.makeRoom(s, n)
		if len(p.shares) == 1 {
			break
		}
		leave, stop := timeout(leaving)
		err := p.wait(ctx, leave)
		stop()
		if errors.Is(err, errLate) {
			break // what was ended does not leave, and somebody has to go on
		} else if err != nil {
			return err
		}
	}
	if s.ended {
		return ErrBusy
	}
	s.add(n)
	return nil
}

// Wait adds n bytes to the share as soon as they are free, and ends nobody for
// them. It returns [ErrBusy] after wait. The oldest share gets them at once.
func (s *Share) Wait(ctx context.Context, n int64, wait time.Duration) error {
	p := s.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	late, stop := timeout(wait)
	defer stop()
	for p.limit >= 0 && p.used+n > p.limit && s != p.oldest() {
		err := p.wait(ctx, late)
		if errors.Is(err, errLate) {
			return p.refuse()
		}
		if err != nil {
			return err
		}
	}
	s.add(n)
	return nil
}

// Try adds n bytes to the share if they are free, and reports whether they were.
func (s *Share) Try(n int64) bool {
	p := s.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.limit >= 0 && p.used+n > p.limit {
		return false
	}
	s.add(n)
	return true
}

func (s *Share) add(n int64) {
	s.held += n
	s.pool.used += n
	s.most = max(s.most, s.held)
}

// makeRoom ends the youngest work until n more bytes fit once it has left, and
// never s. The caller holds mu.
func (p *Pool) makeRoom(s *Share, n int64) {
	left := p.used
	for _, o := range p.shares {
		if o.ended {
			left -= o.held
		}
	}
	for _, o := range slices.Backward(p.shares) {
		if left+n <= p.limit {
			return
		}
		if !o.ended && o != s {
			left -= o.held
			p.dismiss(o)
		}
	}
}

// dismiss ends the work of a share. The caller holds mu.
func (p *Pool) dismiss(s *Share) {
	s.ended = true
	_ = p.refuse()
	if s.end != nil {
		s.end(ErrBusy)
	}
}

// Abandon says that nobody waits for the work any more. It keeps its bytes until
// it has ended, but it is not the oldest work that others wait for.
func (s *Share) Abandon() {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	s.ended = true
	s.pool.wake()
}

// Most returns the most bytes that the share held.
func (s *Share) Most() int64 {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	return s.most
}

// Release gives the share back. It may be called more than once, and on nil.
func (s *Share) Release() {
	if s == nil {
		return
	}
	p := s.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shares = slices.DeleteFunc(p.shares, func(o *Share) bool { return o == s })
	p.used -= s.held
	s.held = 0
	p.wake()
}
