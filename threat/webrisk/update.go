// SPDX-License-Identifier: Apache-2.0

package webrisk

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"
)

const (
	firstDelay = time.Minute      // longest wait before a list from disk is updated
	minDelay   = time.Minute      // between two updates of a list
	usualDelay = 30 * time.Minute // if the provider recommends no delay
	minBackoff = 15 * time.Minute
	maxBackoff = 24 * time.Hour
	firstRetry = 2 * time.Second // used while there is no valid list, because every check fails until then
)

// spread returns a random duration from zero to d.
func spread(d time.Duration) time.Duration {
	return rand.N(d + 1) //nolint:gosec // spreads calls, needs no secure randomness
}

// backoff returns the wait after n consecutive failures, with n at least 1. It
// is a random duration between least x 2^(n-1) and twice that, and at most
// most.
func backoff(n int, least, most time.Duration) time.Duration {
	d := least << min(n-1, 10) // 2^10 exceeds the maximum in both cases
	return min(most, d+spread(d))
}

// retry counts a failed update of s at now and returns the wait before the next
// one. While there is a valid list, the wait is as long as the provider
// demands, but the update is repeated when the list becomes too old. While
// there is none, every check fails, so the first waits are short.
func (c *Client) retry(s *slot, now time.Time) time.Duration {
	s.failed++
	l := s.list.Load()
	if l == nil || !c.fresh(l) {
		s.missing++
		return backoff(s.missing, firstRetry, 2*minBackoff)
	}
	s.missing = 0
	tooOld := l.synced.Add(c.maxAge() + 1).Sub(now)
	return min(backoff(s.failed, minBackoff, maxBackoff), max(tooOld, firstRetry))
}

// Sync updates each list once, even if no update is due. A list that cannot be
// updated stays unchanged. The error joins all failures, each an [*Error].
func (c *Client) Sync(ctx context.Context) error {
	_, err := c.pass(ctx, func(*slot) bool { return true })
	return err
}

// Run updates each list when it is due, until ctx ends. It then returns the
// cause of ctx. It returns earlier only if the configuration is invalid. An
// update is due when the provider recommends it, but after at least a minute
// and at most half of MaxAge, so that the list does not become too old. After a
// failure the wait is 15 to 30 minutes, and doubles with each further failure
// up to a day. While a list is missing or older than MaxAge, [Client.Classify]
// fails. In that case the wait starts at 2 to 4 seconds and doubles up to 30
// minutes.
func (c *Client) Run(ctx context.Context) error {
	for {
		next, err := c.pass(ctx, func(s *slot) bool { return !time.Now().Before(s.due) })
		if errors.Is(err, ErrConfig) {
			return err
		}
		wait := time.NewTimer(time.Until(next))
		select {
		case <-wait.C:
		case <-ctx.Done():
			wait.Stop()
			return context.Cause(ctx)
		}
	}
}

// pass updates the lists that want selects, and returns when the next one is
// due.
func (c *Client) pass(ctx context.Context, want func(*slot) bool) (next time.Time, err error) {
	s, err := c.open()
	if err != nil {
		return next, err
	}
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return next, &Error{Err: context.Cause(ctx)}
	}
	var faults []error
	for i, kind := range c.types() {
		slot := &s.lists[i]
		if want(slot) {
			if err := c.update(ctx, kind, slot); err != nil {
				faults = append(faults, err)
			}
		}
		if next.IsZero() || slot.due.Before(next) {
			next = slot.due
		}
	}
	if ctx.Err() == nil {
		s.opened.Do(func() { close(s.tried) })
	}
	return next, errors.Join(faults...)
}

// update updates one list and sets when the next update is due. The caller
// holds the turn.
func (c *Client) update(ctx context.Context, kind string, s *slot) error {
	l, recommended, err := c.changed(ctx, kind, s.list.Load())
	now := time.Now()
	if err != nil {
		if fault, ok := errors.AsType[*Error](err); ok {
			fault.Type = kind
		} else {
			err = &Error{Call: "threatLists:computeDiff", Type: kind, Err: err}
		}
		if ctx.Err() == nil { // the end of ctx is not a failure
			s.due = now.Add(c.retry(s, now))
			c.logger().Warn("webrisk list cannot be updated", "type", kind, "failures", s.failed, "next", s.due, "error", err)
		}
		return err
	}
	l.synced = now
	s.list.Store(l)
	s.failed, s.missing = 0, 0
	delay := usualDelay
	if !recommended.IsZero() {
		delay = recommended.Sub(now)
	}
	s.due = now.Add(max(minDelay, min(delay, c.maxAge()/2)))
	if c.Dir == "" {
		return nil
	}
	if err := save(c.Dir, kind, l); err != nil {
		// The list can be used all the same. The next update writes it again.
		c.logger().Warn("webrisk list cannot be kept", "type", kind, "error", err)
		return &Error{Type: kind, Err: err}
	}
	return nil
}

// changed requests the changes since old and returns the new list. If the
// response does not fit old, it requests the whole list once.
func (c *Client) changed(ctx context.Context, kind string, old *list) (*list, time.Time, error) {
	if old != nil && old.token != "" {
		a, err := c.diff(ctx, kind, old.token)
		if err == nil {
			var l *list
			if l, err = a.apply(old); err == nil {
				return l, a.RecommendedNextDiff, nil
			}
			if a.ResponseType == "RESET" { // the response was already the whole list
				return nil, time.Time{}, err
			}
		} else if fault, ok := errors.AsType[*Error](err); !ok || fault.Status != http.StatusBadRequest {
			return nil, time.Time{}, err // status 400 may mean that the token is no longer known
		}
	}
	a, err := c.diff(ctx, kind, "")
	if err != nil {
		return nil, time.Time{}, err
	}
	l, err := a.apply(nil)
	if err != nil {
		return nil, time.Time{}, err
	}
	return l, a.RecommendedNextDiff, nil
}
