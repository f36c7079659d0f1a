// SPDX-License-Identifier: Apache-2.0

// Package meter counts the credits that work spends, asks the threat gate and
// writes the audit log.
package meter

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"sync"

	"example.com/curlew/account"
	"example.com/curlew/audit"
	"example.com/curlew/job"
	"example.com/curlew/threat"
)

// Meter counts the credits that one request or job spends. It never spends more
// than it has reserved. If scans need more, it reserves more. It must be
// settled at the end.
type Meter struct {
	credits account.Credits
	team    string
	Gate    *threat.Gate // gate of this request or job; nil allows every URL

	Log *Activity // audit log of this request or job; nil logs nothing

	mu       sync.Mutex
	held     []hold // guarded by mu; in the order of reservation
	reserved int    // guarded by mu; sum of held
	spent    int    // guarded by mu; including scans

	Scans Scans // scans that are not charged to a page yet
}

// hold is one reservation.
type hold struct {
	op string
	n  int
}

// Meters opens the meters of all work. Credits are reserved before work begins.
// All work shares one circuit breaker of the classifier. Meters must not be
// changed after its first use.
type Meters struct {
	Credits    account.Credits
	Classifier threat.Classifier // nil means that no URL is scored
	Sink       audit.Sink        // nil means that there is no audit log
	Logger     *slog.Logger

	// Explain returns the description of a URL's error for the audit log.
	Explain func(ctx context.Context, err error) (audit.Result, *audit.Fault)

	rules threat.Cache // compiled policies
}

// Fill sets the Credits and the Logger if they are nil. It puts a [threat.Scanner] before the
// Classifier, so that an outage that one job meets spares the others.
func (m *Meters) Fill() {
	if m.Credits == nil {
		m.Credits = new(account.Ledger)
	}
	if _, scans := m.Classifier.(*threat.Scanner); m.Classifier != nil && !scans {
		m.Classifier = &threat.Scanner{Classifier: m.Classifier}
	}
	if m.Logger == nil {
		m.Logger = slog.New(slog.DiscardHandler)
	}
}

// Open opens the meter of new work. It reserves want credits. If the team has
// fewer, it reserves those, but at least least. The Gate enforces p.
func (m *Meters) Open(ctx context.Context, team string, p threat.Policy, least, want int) (*Meter, error) {
	op := job.NewID()
	n, err := m.Credits.Reserve(ctx, team, op, least, want)
	if err != nil {
		return nil, err
	}
	return m.open(ctx, team, op, n, p)
}

// Reopen returns the meter of work that continues. Credits were reserved for
// the operation op, and spent of them are spent. If the Credits no longer have
// the reservation, it is made again.
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

// Uncharged returns a meter for work that another process pays for. It has no gate.
func Uncharged(log *Activity) *Meter { return &Meter{reserved: math.MaxInt, Log: log} }

// open returns the meter of work whose credits are already reserved.
func (m *Meters) open(ctx context.Context, team, op string, reserved int, p threat.Policy) (*Meter, error) {
	a := &Meter{credits: m.Credits, team: team, held: []hold{{op, reserved}}, reserved: reserved}
	if p.Mode == threat.Off {
		return a, nil
	}
	rules, err := m.rules.Compile(p)
	if err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx) // the gate is used after the request that opens it
	a.Gate = &threat.Gate{Rules: rules, Classifier: m.Classifier, Spend: func(n int) error { return a.Spend(ctx, n) }}
	a.Gate.Observe = func(t threat.Target, d threat.Decision) { a.Log.Observe(t, d) }
	return a, nil
}

// Op returns the operation with which the first credits were reserved.
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

// Follow sets the audit log of the meter. With zero data retention (retained)
// the classifier stores nothing.
func (a *Meter) Follow(log *Activity, retained bool) {
	a.Log = log
	if a.Gate != nil {
		a.Gate.NoStore = retained
	}
}

// ScanCost is the maximal cost of a threat scan of a page.
func (m *Meters) ScanCost(p threat.Policy) int {
	if p.Mode == threat.Off || m.Classifier == nil {
		return 0
	}
	return threat.ScanCredits
}

// topUp is the number of credits that are reserved at a time after the first
// reservation.
const topUp = 100

// Spend spends n credits. A negative n returns them. If there are too few left,
// it returns ErrPayment.
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

// Total returns the number of spent credits.
func (a *Meter) Total() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.spent
}

// Settle charges the spent credits and frees the rest of the reservation.
func (a *Meter) Settle(ctx context.Context, cost int) error {
	ctx = context.WithoutCancel(ctx) // the work is done, even if the caller was cancelled
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
			return fmt.Errorf("settle credits: %w: %w", job.ErrStorage, err)
		}
	}
	return nil
}

// Judge asks the threat gate about a URL. For a URL that is only found, it checks only the
// lists. For one that is about to be requested, it also asks the classifier, and adds what
// that costs to the Scans.
func (a *Meter) Judge(ctx context.Context, url string, found bool) error {
	if a.Gate == nil {
		return nil
	}
	target, err := threat.ParseTarget(url)
	if err != nil {
		return err
	}
	if found {
		if d, ok := a.Gate.Local(target); ok && !d.Allowed {
			return &threat.BlockedError{URL: target.URL, Decision: d}
		}
		return nil
	}
	d, err := a.Gate.Check(ctx, target)
	a.Scans.Add(url, d.Credits)
	return err
}
