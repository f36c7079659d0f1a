// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"context"
	"time"
)

// turns calls [Request.Turn] around each exchange of one fetch. It is used by a
// single goroutine.
type turns struct {
	take     func(ctx context.Context, url string) (done func(*Response, error), err error) // see [Request.Turn]
	ctx      context.Context                                                                // of the fetch, without its timeout
	exchange func(context.Context, *Exchange) (*Response, error)
	clock    *clock // the timeout of the fetch, or nil if there is none
}

// turnError is an error of [Request.Turn]. The fetch is not retried after it.
type turnError struct{ error }

// Unwrap returns the error of [Request.Turn].
func (e *turnError) Unwrap() error { return e.error }

// exchangeInTurn waits for its turn, makes an exchange and reports how it
// ended.
func (t *turns) exchangeInTurn(ctx context.Context, x *Exchange) (*Response, error) {
	t.clock.pause()
	done, err := t.take(t.ctx, x.URL) //nolint:contextcheck // waiting for a turn does not count towards the timeout
	if err != nil {
		return nil, &turnError{err}
	}
	ctx, cancel := t.clock.resume(ctx)
	defer cancel()
	resp, err := t.exchange(ctx, x)
	if done != nil {
		done(resp, err)
	}
	return resp, err
}

// clock is the timeout of a fetch, which can be paused. A nil clock never
// expires.
type clock struct {
	left   time.Duration // time left when it was last resumed
	since  time.Time     // when it was last resumed
	timer  *time.Timer
	cancel context.CancelCauseFunc
}

// newClock returns a context that ends with [ErrTimeout] when the clock has run
// for timeout. The caller must stop the clock.
func newClock(ctx context.Context, timeout time.Duration) (context.Context, *clock) {
	ctx, cancel := context.WithCancelCause(ctx)
	c := &clock{left: timeout, since: time.Now(), cancel: cancel}
	c.timer = time.AfterFunc(timeout, func() { cancel(ErrTimeout) })
	return ctx, c
}

// pause stops the clock until resume is called.
func (c *clock) pause() {
	if c != nil {
		c.timer.Stop()
		c.left -= time.Since(c.since)
	}
}

// resume continues the clock. The context that it returns has the deadline of
// the clock, which dialers divide among the addresses of a host.
func (c *clock) resume(ctx context.Context) (context.Context, context.CancelFunc) {
	if c == nil {
		return ctx, func() {}
	}
	c.since = time.Now()
	c.timer.Reset(max(c.left, 0))
	return context.WithDeadlineCause(ctx, c.since.Add(c.left), ErrTimeout)
}

// stop ends the clock and its context.
func (c *clock) stop() {
	c.timer.Stop()
	c.cancel(nil)
}
