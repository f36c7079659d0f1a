// SPDX-License-Identifier: Apache-2.0

package pace

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrPause means that a host is to be left alone for longer than a request may
// take.
var ErrPause = errors.New("the host asked for a pause that is longer than the request may take")

// Line asks a [Scheduler] for turns and waits for them: for a party whose
// requests are made by goroutines of their own. It is safe for concurrent use.
type Line struct {
	turns Turns

	mu    sync.Mutex
	woken map[string]chan struct{} // guarded by mu; closed when the host may be asked
}

// NewLine joins s. The caller leaves.
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

// await returns what is closed when the host may be asked.
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

// Take waits for a turn. The error is ctx's cause, or wraps [ErrPause] where
// ctx would end first.
func (l *Line) Take(ctx context.Context, host string, c Claim) error {
	c.Bold = true // only parties that come again give a host up
	for {
		woken := l.await(host)
		v := l.turns.Take(host, c)
		if v.Granted {
			l.wake(host) // others of this line wait by a claim that is used up now
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

// pause returns at a time, unless that is zero, or when woken is closed.
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

// End gives a turn back and says what became of it.
func (l *Line) End(host string, r Report) { l.turns.End(host, r) }

// Leave ends the line.
func (l *Line) Leave() { l.turns.Leave() }
