// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"context"
	"sync"

	"example.com/curlew/account"
	"example.com/curlew/job"
	"example.com/curlew/threat"
)

// meter is what one request or job may spend: a reservation, topped up as
// scans need it, and settled at the end.
type meter struct {
	credits account.Credits
	team    string
	gate    *threat.Gate // of the same request or job; nil admits all

	log *activity // of the same; nil: nobody is told

	mu       sync.Mutex
	held     []hold // guarded by mu; in the order in which they were reserved
	reserved int    // guarded by mu; sum of held
	spent    int    // guarded by mu; scans among them

	scans scans // that no page carries yet
}

// hold is one reservation.
type hold struct {
	op string
	n  int
}

// meter opens the meter of new work: least credits must be there, want are
// reserved where they are. Its gate enforces p.
func (s *Service) meter(ctx context.Context, team string, p threat.Policy, least, want int) (*meter, error) {
	op := job.NewID()
	n, err := s.credits().Reserve(ctx, team, op, least, want)
	if err != nil {
		return nil, err
	}
	return s.reopen(ctx, team, op, n, p)
}

// reopen returns the meter of work that has reserved already.
func (s *Service) reopen(ctx context.Context, team, op string, reserved int, p threat.Policy) (*meter, error) {
	a := &meter{credits: s.credits(), team: team, held: []hold{{op, reserved}}, reserved: reserved}
	if p.Mode == threat.Off {
		return a, nil
	}
	rules, err := s.rules.Compile(p)
	if err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx) // the gate outlives the request that opens it
	a.gate = &threat.Gate{Rules: rules, Classifier: s.classifier(), Spend: func(n int) error { return a.spend(ctx, n) }}
	a.gate.Observe = func(t threat.Target, d threat.Decision) { a.log.observe(t, d) }
	return a, nil
}

// follow has the meter's URLs told to log. Under zero data retention its
// classifier keeps nothing.
func (a *meter) follow(log *activity, retained bool) {
	a.log = log
	if a.gate != nil {
		a.gate.NoStore = retained
	}
}

// classifier returns the Service's, with one breaker for all jobs.
func (s *Service) classifier() threat.Classifier {
	if s.Classifier == nil {
		return nil
	}
	if scanner, ok := s.Classifier.(*threat.Scanner); ok {
		return scanner
	}
	s.careful.Do(func() { s.scanner.Classifier = s.Classifier })
	return &s.scanner
}

// scanCost is what a threat scan of a page may add to its cost.
func (s *Service) scanCost(p threat.Policy) int {
	if p.Mode == threat.Off || s.Classifier == nil {
		return 0
	}
	return threat.ScanCredits
}

// topUp is how many credits are reserved at a time beyond the first.
const topUp = 100

// spend takes n credits, or gives them back below zero; ErrPayment where there
// are none left.
func (a *meter) spend(ctx context.Context, n int) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if short := a.spent + n - a.reserved; short > 0 {
		op := job.NewID()
		got, err := a.credits.Reserve(ctx, a.team, op, short, max(short, topUp))
		if err != nil {
			return err
		}
		a.held = append(a.held, hold{op, got})
		a.reserved += got
	}
	a.spent += n
	return nil
}

// total returns what has been spent.
func (a *meter) total() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.spent
}

// settle takes what the work cost in the end and frees the rest.
func (a *meter) settle(ctx context.Context, cost int) error {
	ctx = context.WithoutCancel(ctx) // the work is done, whoever has left
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, h := range a.held {
		part := min(cost, h.n)
		cost -= part
		settle := a.credits.Release
		if part > 0 {
			settle = func(ctx context.Context, team, op string) error { return a.credits.Commit(ctx, team, op, part) }
		}
		if err := settle(ctx, a.team, h.op); err != nil {
			return err
		}
	}
	return nil
}
