// SPDX-License-Identifier: Apache-2.0

// Package meter counts what work spends, asks the threat gate and writes the audit log:
// work -> credits, events.
package meter

import (
	"context"
	"log/slog"
	"sync"

	"example.com/curlew/account"
	"example.com/curlew/audit"
	"example.com/curlew/job"
	"example.com/curlew/threat"
)

// Meter counts what one request or job spends. It never spends more than it has
// reserved; it reserves more if scans need it, and is settled at the end.
type Meter struct {
	credits account.Credits
	team    string
	Gate    *threat.Gate // of this request or job; nil admits all

	Log *Activity // of this request or job; nil: nothing is logged

	mu       sync.Mutex
	held     []hold // guarded by mu; in the order in which they were reserved
	reserved int    // guarded by mu; sum of held
	spent    int    // guarded by mu; including scans

	Scans Scans // that are not on the bill of a page yet
}

// hold is one reservation.
type hold struct {
	op string
	n  int
}

// Meters opens the meters of all work. Credits are reserved before work begins, and all
// work shares one circuit breaker of the classifier. It must not be changed after its
// first use.
type Meters struct {
	Credits    account.Credits
	Classifier threat.Classifier // nil: no URL is scored
	Sink       audit.Sink        // nil: there is no audit log
	Logger     *slog.Logger

	// Explain says how the audit log describes the error of a URL.
	Explain func(ctx context.Context, err error) (audit.Result, *audit.Fault)

	rules threat.Cache // compiled policies
}

// Open opens the meter of new work. It reserves want credits, or fewer if the team
// has fewer, but at least least. The Gate enforces p.
func (m *Meters) Open(ctx context.Context, team string, p threat.Policy, least, want int) (*Meter, error) {
	op := job.NewID()
	n, err := m.Credits.Reserve(ctx, team, op, least, want)
	if err != nil {
		return nil, err
	}
	return m.open(ctx, team, op, n, p)
}

// Reopen returns the meter of work that continues: credits were reserved for the
// operation op, and spent of them are spent. Credits that have forgotten the reservation
// make it again.
func (m *Meters) Reopen(ctx context.Context, team, op string, reserved, spent int, p threat.Policy) (*Meter, error) {
	n, err := m.Credits.Reserve(ctx, team, op, 0, reserved)
	if err != nil {
		return nil, err
	}
	a, err := m.open(ctx, team, op, n, p)
	if err == nil {
		a.spent = spent
	}
	return a, err
}

// open returns the meter of work whose credits are reserved already.
func (m *Meters) open(ctx context.Context, team, op string, reserved int, p threat.Policy) (*Meter, error) {
	a := &Meter{credits: m.Credits, team: team, held: []hold{{op, reserved}}, reserved: reserved}
	if p.Mode == threat.Off {
		return a, nil
	}
	rules, err := m.rules.Compile(p)
	if err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx) // the gate outlives the request that opens it
	a.Gate = &threat.Gate{Rules: rules, Classifier: m.Classifier, Spend: func(n int) error { return a.Spend(ctx, n) }}
	a.Gate.Observe = func(t threat.Target, d threat.Decision) { a.Log.Observe(t, d) }
	return a, nil
}

// Op returns the operation under which the first credits were reserved.
func (a *Meter) Op() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.held[0].op
}

// Reserved returns how many credits are reserved.
func (a *Meter) Reserved() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.reserved
}

// Follow makes log the audit log of the meter. With zero data retention (retained) the
// classifier stores nothing.
func (a *Meter) Follow(log *Activity, retained bool) {
	a.Log = log
	if a.Gate != nil {
		a.Gate.NoStore = retained
	}
}

// ScanCost is what a threat scan of a page may add to its cost.
func (m *Meters) ScanCost(p threat.Policy) int {
	if p.Mode == threat.Off || m.Classifier == nil {
		return 0
	}
	return threat.ScanCredits
}

// topUp is how many credits are reserved at a time beyond the first.
const topUp = 100

// Spend takes n credits; a negative n gives them back. It returns ErrPayment if there
// are too few left.
func (a *Meter) Spend(ctx context.Context, n int) error {
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

// Total returns what has been spent.
func (a *Meter) Total() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.spent
}

// Settle charges what the work cost and frees the rest of the reservation.
func (a *Meter) Settle(ctx context.Context, cost int) error {
	ctx = context.WithoutCancel(ctx) // the work is done, even if the caller has left
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
