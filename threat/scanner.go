// SPDX-License-Identifier: Apache-2.0

package threat

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

const (
	attempt  = 2 * time.Second        // for one call of the classifier
	minPause = 50 * time.Millisecond  // before the second call
	maxPause = 150 * time.Millisecond // bound of the same
	failures = 5                      // in a row open the breaker
	open     = 10 * time.Second       // before the breaker lets one call through
)

var errSlow = fmt.Errorf("no answer within %v", attempt)

// Scanner calls a Classifier with care: at most 2 s a call, one more call 50 to
// 150 ms after a failed one, none for 10 s after 5 failures in a row, and then
// one to see. Make one for each classifier and give it to every [Gate], so that
// an outage which one job meets spares the others. It is a Classifier itself.
//
// A failure is an error, a panic, an answer of the wrong length or with a known
// score outside 0 to 100. That the caller's ctx ends is none.
type Scanner struct {
	Classifier Classifier    // required
	Cache      *VerdictCache // asked first, also while the breaker is open; nil: none

	mu     sync.Mutex
	failed int       // guarded by mu; failures in a row
	until  time.Time // guarded by mu; no call before; zero while the breaker is closed
	probe  bool      // guarded by mu; the call that may close it is under way
}

// Classify implements [Classifier]. Errors wrap [ErrPaused] while the breaker is
// open, [ErrAnswer], ctx's cause, or the classifier's error.
func (s *Scanner) Classify(ctx context.Context, t []Target) ([]Verdict, error) {
	if s.Classifier == nil {
		return nil, errors.New("scanner without a classifier")
	}
	if s.Cache == nil {
		return s.ask(ctx, t)
	}
	verdicts, missing := make([]Verdict, len(t)), make([]int, 0, len(t))
	var rest []Target
	now := time.Now()
	for i := range t {
		v, ok := s.Cache.get(&t[i], now)
		if !ok {
			missing, rest = append(missing, i), append(rest, t[i])
		}
		verdicts[i] = v
	}
	if len(rest) == 0 {
		return verdicts, nil
	}
	answers, err := s.ask(ctx, rest)
	if err != nil {
		return nil, err
	}
	now = time.Now()
	for i, at := range missing {
		verdicts[at] = answers[i]
		s.Cache.put(&rest[i], answers[i], now)
	}
	return verdicts, nil
}

// ask calls the classifier, once more after a failure.
func (s *Scanner) ask(ctx context.Context, t []Target) ([]Verdict, error) {
	verdicts, again, err := s.once(ctx, t)
	if err == nil || !again {
		return verdicts, err
	}
	pause := time.NewTimer(minPause + rand.N(maxPause-minPause+1)) //nolint:gosec // G404: spreads calls, keeps no secret
	defer pause.Stop()
	select {
	case <-pause.C:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	verdicts, _, second := s.once(ctx, t)
	if errors.Is(second, ErrPaused) {
		return nil, fmt.Errorf("%w: %w", second, err)
	}
	return verdicts, second
}

// once calls the classifier, if the breaker lets it, and tells the breaker how it
// went. A failed call may be made again.
func (s *Scanner) once(ctx context.Context, t []Target) (_ []Verdict, again bool, _ error) {
	if ctx.Err() != nil {
		return nil, false, context.Cause(ctx)
	}
	probe, ok := s.enter()
	if !ok {
		return nil, false, ErrPaused
	}
	verdicts, err := call(ctx, s.Classifier, t)
	if err != nil && ctx.Err() != nil {
		s.leave(probe, false, false)
		return nil, false, context.Cause(ctx)
	}
	return verdicts, s.leave(probe, true, err != nil), err
}

// enter asks the breaker for a call; probe is set where its outcome decides.
func (s *Scanner) enter() (probe, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.until.IsZero() {
		return false, true
	}
	if s.probe || time.Now().Before(s.until) {
		return false, false
	}
	s.probe = true
	return true, true
}

// leave tells the breaker how a call went, and reports whether it is closed. A
// call that was cut short (!told) tells nothing.
func (s *Scanner) leave(probe, told, failed bool) (closed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if probe {
		s.probe = false
	}
	switch {
	case !told:
	case !failed && (probe || s.until.IsZero()):
		s.failed, s.until = 0, time.Time{}
	case failed:
		s.failed++
		if probe || s.until.IsZero() && s.failed >= failures {
			s.until = time.Now().Add(open)
		}
	}
	return s.until.IsZero()
}

// call makes one call and checks its answer.
func call(ctx context.Context, c Classifier, t []Target) (verdicts []Verdict, err error) {
	ctx, stop := context.WithTimeoutCause(ctx, attempt, errSlow)
	defer stop()
	defer func() {
		if v := recover(); v != nil {
			// The value may quote what the classifier read.
			verdicts, err = nil, fmt.Errorf("%w: panic with a %T", ErrAnswer, v)
		}
	}()
	verdicts, err = c.Classify(ctx, t)
	switch {
	case err != nil:
		if ctx.Err() != nil {
			err = fmt.Errorf("%w: %w", context.Cause(ctx), err)
		}
		return nil, err
	case len(verdicts) != len(t):
		return nil, fmt.Errorf("%w: %d verdicts for %d targets", ErrAnswer, len(verdicts), len(t))
	}
	for _, v := range verdicts {
		if v.Known && (v.Score < 0 || v.Score > 100) {
			return nil, fmt.Errorf("%w: score %d", ErrAnswer, v.Score)
		}
	}
	return verdicts, nil
}
