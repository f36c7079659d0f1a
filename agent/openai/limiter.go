// SPDX-License-Identifier: Apache-2.0

package openai

import (
	"context"
	"slices"
	"sync"
	"time"
)

// perStep is the number of consecutive successful requests after which one more may be
// sent at once.
const perStep = 20

// limiter limits the number of requests in progress. It is halved after a 429, and
// raised by one for each 20 requests that succeed. Waiting requests are served in
// order.
type limiter struct {
	most int

	mu    sync.Mutex // guards the fields below
	width int        // zero means most
	busy  int
	good  int
	queue []chan struct{}
	until time.Time // no request is sent before this time
}

// enter waits until a request may be sent.
func (l *limiter) enter(ctx context.Context) error {
	l.mu.Lock()
	if l.width == 0 {
		l.width = l.most
	}
	if l.busy < l.width && len(l.queue) == 0 {
		l.busy++
		l.mu.Unlock()
	} else {
		turn := make(chan struct{})
		l.queue = append(l.queue, turn)
		l.mu.Unlock()
		select {
		case <-turn:
		case <-ctx.Done():
			l.mu.Lock()
			if i := slices.Index(l.queue, turn); i >= 0 {
				l.queue = slices.Delete(l.queue, i, i+1)
			} else { // it was served at the moment at which ctx ended
				l.busy--
				l.serve()
			}
			l.mu.Unlock()
			return context.Cause(ctx)
		}
	}
	l.mu.Lock()
	pause := time.Until(l.until)
	l.mu.Unlock()
	if err := wait(ctx, pause); err != nil {
		l.leave()
		return err
	}
	return nil
}

// leave ends a request.
func (l *limiter) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.busy--
	l.serve()
}

// serve lets waiting requests continue. The caller holds mu.
func (l *limiter) serve() {
	for len(l.queue) > 0 && l.busy < l.width {
		l.busy++
		close(l.queue[0])
		l.queue = l.queue[1:]
	}
}

// throttled records a 429. No request is sent during the pause.
func (l *limiter) throttled(pause time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.width = max(l.width/2, 1)
	l.good = 0
	if t := time.Now().Add(pause); t.After(l.until) {
		l.until = t
	}
}

// succeeded records a successful request.
func (l *limiter) succeeded() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.good++; l.good >= perStep && l.width < l.most {
		l.width++
		l.good = 0
		l.serve()
	}
}

// wait waits for d. If ctx ends first, it returns the cause of ctx.
func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
