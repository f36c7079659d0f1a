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
	attempt  = 2 * time.Second        // timeout of one call of the classifier
	minPause = 50 * time.Millisecond  // shortest pause before the second call
	maxPause = 150 * time.Millisecond // longest pause before the second call
	failures = 5                      // consecutive failures that open the circuit breaker
	open     = 10 * time.Second       // time until the open breaker admits one call
)

var errSlow = fmt.Errorf("no answer within %v", attempt)

// Scanner protects a Classifier: a call takes at most 2 s and is repeated once
// after 50 to 150 ms if it fails. A circuit breaker opens after 5 consecutive
// failures, refuses calls for 10 s, and then admits one call to test the
// classifier. Create one Scanner for each classifier and share it among all
// [Gate] values, so that an outage that one job meets spares the others. A
// Scanner is a Classifier itself.
//
// A failure is an error, a panic, or an answer of the wrong length or with a
// known score outside 0 to 100. The end of the caller's ctx is not a failure.
type Scanner struct {
	Classifier Classifier    // required
	Cache      *VerdictCache // consulted first, also while the breaker is open; may be nil

	mu     sync.Mutex
	failed int       // guarded by mu; consecutive failures
	until  time.Time // guarded by mu; no calls before this time; zero while the breaker is closed
	probe  bool      // guarded by mu; the call that tests the classifier is in progress
}

// Classify implements [Classifier]. Errors wrap [ErrPaused] if the breaker is
// open, [ErrAnswer], the cause of ctx, or the classifier's error.
func (s *Scanner) Classify(ctx context.Context, t []Target) ([]Verdict, error) {
	if s.Classifier == nil {
		return nil, errors.New("the Scanner has no Classifier")
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

// ask calls the classifier, and once more if the call fails.
func (s *Scanner) ask(ctx context.Context, t []Target) ([]Verdict, error) {
	verdicts, again, err := s.once(ctx, t)
	if err == nil || !again {
		return verdicts, err
	}
	pause := time.NewTimer(minPause + rand.N(maxPause-minPause+1)) //nolint:gosec // spreads calls, needs no secure randomness
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

// once calls the classifier if the breaker admits it, and reports the outcome
// to the breaker. again says whether a failed call may be repeated.
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

// enter asks the breaker to admit a call. If probe is true, the outcome of the
// call decides whether the breaker closes.
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

// leave reports the outcome of a call to the breaker, and returns whether the
// breaker is closed. If told is false, the call was cancelled and its outcome
// is ignored.
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

// call makes one call and checks the answer.
func call(ctx context.Context, c Classifier, t []Target) (verdicts []Verdict, err error) {
	ctx, stop := context.WithTimeoutCause(ctx, attempt, errSlow)
	defer stop()
	defer func() {
		if v := recover(); v != nil {
			// The panic value may quote what the classifier read, so it is not
			// shown.
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
			return nil, fmt.Errorf("%w: score %d is out of range", ErrAnswer, v.Score)
		}
	}
	return verdicts, nil
}
