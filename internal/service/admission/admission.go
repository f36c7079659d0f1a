// SPDX-License-Identifier: Apache-2.0

// Package admission divides a limited resource among the work of a process:
// memory for documents, connections of clients, free space on a disk.
package admission

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"example.com/curlew/internal/sorting"
)

// ErrBusy means that the resource was not available in time, or was taken back
// for older work.
var ErrBusy = errors.New("resource exhausted")

// Unlimited means no limit, for numbers of bytes and for times.
const Unlimited = -1

// leaving is how long growing work waits until cancelled work has released its
// share. Cancelled work normally notices this much earlier.
const leaving = 2 * time.Second

// Pool divides a number of bytes into shares. The sum of the shares stays
// within the limit, except that the oldest share may always grow. Otherwise
// shares that all wait for more could wait for each other forever.
//
// A Pool is safe for concurrent use.
type Pool struct {
	limit int64

	mu      sync.Mutex
	used    int64         // guarded by mu; sum of the shares
	last    uint64        // guarded by mu; the latest ticket
	shares  []*Share      // guarded by mu; by ticket, the oldest first
	queue   []*turn       // guarded by mu; by ticket
	growing int           // guarded by mu; waiting calls of Grow
	changed chan struct{} // guarded by mu; closed at the next change; nil if no goroutine waits
	refused int64         // guarded by mu
	short   time.Time     // guarded by mu; time of the last refusal
}

// turn is a place in the queue.
type turn struct {
	ticket uint64
	since  time.Time
}

// Share is the part of a pool that one piece of work holds.
type Share struct {
	pool   *Pool
	ticket uint64
	end    context.CancelCauseFunc // cancels the work's context; may be nil
	held   int64                   // guarded by pool.mu
	most   int64                   // guarded by pool.mu
	ended  bool                    // guarded by pool.mu; the work was cancelled to free its bytes
}

// NewPool returns a pool of limit bytes. The limit may be [Unlimited].
func NewPool(limit int64) *Pool { return &Pool{limit: limit} }

// Limit returns the size of the pool in bytes, or [Unlimited].
func (p *Pool) Limit() int64 { return p.limit }

// Used returns the number of bytes in use.
func (p *Pool) Used() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.used
}

// Refused returns how often [ErrBusy] was returned.
func (p *Pool) Refused() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refused
}

// Short reports whether the pool has refused a request during the last while,
// or a caller has waited for that long.
func (p *Pool) Short(while time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if !p.short.IsZero() && now.Sub(p.short) < while {
		return true
	}
	return slices.ContainsFunc(p.queue, func(t *turn) bool { return now.Sub(t.since) >= while })
}

// Ticket returns a new position in the order of age. Work that was cancelled
// for older work keeps its ticket when it starts again, so that it eventually
// becomes the oldest.
func (p *Pool) Ticket() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last++
	return p.last
}

// Take waits until n bytes are free and returns a share of them. If n exceeds
// the limit, the share is the whole pool. After wait, which may be [Unlimited],
// Take returns [ErrBusy]. If ctx ends, it returns its cause. If older work
// needs the bytes of the share, end is called with [ErrBusy]; end may be nil.
// The caller must release the share when the work has ended.
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
		p.queue = sorting.Without(p.queue, func(o *turn) bool { return o == t })
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
	return 1 // after those with the same ticket
}

// timeout returns a channel that fires after wait, or nil if wait is Unlimited.
func timeout(wait time.Duration) (<-chan time.Time, func() bool) {
	if wait < 0 {
		return nil, func() bool { return false }
	}
	t := time.NewTimer(wait)
	return t.C, t.Stop
}

// errLate means that nothing changed in time.
var errLate = errors.New("too late")

// fits reports whether a new share of n bytes is available. Growing work has
// priority over new work. The caller holds mu.
func (p *Pool) fits(n int64) bool {
	return p.limit < 0 || p.oldest() == nil || p.growing == 0 && p.used+n <= p.limit
}

// oldest returns the oldest share that was not cancelled, or nil. The caller
// holds mu.
func (p *Pool) oldest() *Share {
	for _, s := range p.shares {
		if !s.ended {
			return s
		}
	}
	return nil
}

// wait waits for the next change. It returns an error if waiting is over. The
// caller holds mu.
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

// wake wakes the waiting goroutines. The caller holds mu.
func (p *Pool) wake() {
	if p.changed != nil {
		close(p.changed)
		p.changed = nil
	}
}

// Grow adds n bytes to the share. If they are not free, it waits for at most
// wait, which may be [Unlimited], and then returns [ErrBusy], which must end
// the work. The oldest share always gets its bytes: the youngest work is
// cancelled for it. If ctx ends, Grow returns its cause.
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
			break // the cancelled work does not end, but the oldest work must continue
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

// Wait adds n bytes to the share when they are free, without cancelling other
// work. After wait it returns [ErrBusy]. The oldest share gets them at once.
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

// Try adds n bytes to the share if they are free, and reports whether it did.
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

// makeRoom cancels the youngest work until n more bytes will fit, but never s.
// The caller holds mu.
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

// dismiss cancels the work of a share. The caller holds mu.
func (p *Pool) dismiss(s *Share) {
	s.ended = true
	_ = p.refuse()
	if s.end != nil {
		s.end(ErrBusy)
	}
}

// Abandon says that no caller waits for the work any longer. The work keeps its
// bytes until it has ended, but no longer counts as the oldest.
func (s *Share) Abandon() {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	s.ended = true
	s.pool.wake()
}

// Most returns the largest size that the share had.
func (s *Share) Most() int64 {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	return s.most
}

// Release returns the share to the pool. It may be called several times, and on
// nil.
func (s *Share) Release() {
	if s == nil {
		return
	}
	p := s.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shares = sorting.Without(p.shares, func(o *Share) bool { return o == s })
	p.used -= s.held
	s.held = 0
	p.wake()
}
