// SPDX-License-Identifier: Apache-2.0

package pace

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrPause means that a host asked for a pause that is longer than a request
// may take.
var ErrPause = errors.New("the host asked for a pause that is longer than the request may take")

// Line waits for turns of a [Scheduler]. It is for a party that makes its requests in
// several goroutines. It is safe for concurrent use.
type Line struct {
	turns Turns

	mu    sync.Mutex
	woken map[string]chan struct{} // guarded by mu; closed when the host may have a turn
}

// NewLine returns a line for a new party of s. The caller must call Leave at the end.
func NewLine(s Scheduler, forget bool) *Line {
	l := &Line{woken: map[string]chan struct{}{}}
	l.turns = s.Join(Party{Wake: l.wake, Forget: forget})
	return l
}

func (l *Line) wake(host string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c := l.woken[host]; c != nil {
		close(c)
		delete(l.woken, host)
	}
}

// await returns a channel that is closed when the host may have a turn.
func (l *Line) await(host string) <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.woken[host]
	if c == nil {
		c = make(chan struct{})
		l.woken[host] = c
	}
	return c
}

// Take waits for a turn. The error is ctx's cause. If ctx would end before the
// turn, the error wraps [ErrPause].
func (l *Line) Take(ctx context.Context, host string, c Claim) error {
	c.Bold = true // only parties that try again may give up a host
	if lent, ok := ctx.Value(lentKey{}).(string); ok && lent == host {
		c.lent = true
	}
	for {
		woken := l.await(host)
		v := l.turns.Take(host, c)
		if v.Granted {
			l.wake(host) // other goroutines of this line wait for a claim that is no longer valid
			return nil
		}
		if end, ok := ctx.Deadline(); ok && v.Cause == RetryAfter && v.At.After(end) {
			return ErrPause
		}
		if err := pause(ctx, woken, v.At); err != nil {
			return err
		}
	}
}

// pause returns at a time, unless it is zero, or when woken is closed.
func pause(ctx context.Context, woken <-chan struct{}, at time.Time) error {
	var due <-chan time.Time
	if !at.IsZero() {
		timer := time.NewTimer(time.Until(at))
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-woken:
	case <-due:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// End returns a turn and reports its result.
func (l *Line) End(host string, r Report) { l.turns.End(host, r) }

// Leave ends the line: its party leaves the Scheduler.
func (l *Line) Leave() { l.turns.Leave() }

type lentKey struct{}

// Lent returns a context for the requests of a page for which another process has taken
// the turn at the host, and keeps it until the page is done. Turns of a [Line] at this
// host need no grant of [Common] then.
func Lent(ctx context.Context, host string) context.Context {
	return context.WithValue(ctx, lentKey{}, host)
}
