// SPDX-License-Identifier: Apache-2.0

package threat

import (
	"context"
	"hash/maphash"
	"sync"
)

// Gate decides about the URLs of one job. It asks the classifier once for each
// canonical URL, and charges the job [ScanCredits] for it. The zero value
// admits everything. A Gate is safe for concurrent use and must not be changed
// after its first use.
type Gate struct {
	Rules *Rules // nil checks nothing

	// Classifier is asked about URLs that no list decides. A nil Classifier is
	// treated as one that always fails. Pass a [Scanner] to share it among
	// jobs. Any other Classifier is wrapped in a Scanner that belongs to this
	// gate.
	Classifier Classifier

	// Spend reserves credits before a scan. If it returns an error, the scan is
	// not made and Check returns the error. Spend is called with a negative
	// number to return the credits of a scan that gave no verdict; that error is
	// ignored. If Spend is nil, scans are free.
	Spend func(credits int) error

	// NoStore sets [Target.NoStore] on each target, so that nothing about a URL
	// is kept after a call of the classifier (zero data retention).
	NoStore bool

	// Observe is called with each decision before Check returns it. If a URL is
	// checked again, Observe is called again, with zero Credits. Calls may be
	// concurrent. Observe may be nil.
	Observe func(Target, Decision)

	own Scanner // used if Classifier is not a Scanner

	mu      sync.Mutex
	seed    maphash.Seed       // guarded by mu; set with kept
	kept    map[uint64]uint8   // guarded by mu; from the hash of a canonical URL to the score of an allowed URL, or unknown
	blocked map[uint64]Verdict // guarded by mu; from the hash of a canonical URL to the verdict on a blocked URL
	flights map[string]*flight // guarded by mu; by canonical URL
}

// unknown is stored for a verdict without a score.
const unknown = 255

// flight is a scan in progress. Its fields may be read after done is closed.
type flight struct {
	done     chan struct{}
	decision Decision
	err      error // the scan failed, and those who wait must scan for themselves
}

// Local returns the decision of the lists, and whether they decide about t. It
// does no I/O, allocates nothing and charges nothing. If the mode is off, it
// allows everything.
func (g *Gate) Local(t Target) (Decision, bool) {
	if g.Rules == nil || g.Rules.mode == Off {
		return Decision{Allowed: true, Rule: ByDefault}, true
	}
	return g.Rules.local(&t)
}

// Check decides about t. If t is allowed, the error is nil. If t is blocked,
// the error is a [*BlockedError]. Any other error comes from Spend or ctx; then
// there is no Decision, and t must not be requested.
func (g *Gate) Check(ctx context.Context, t Target) (Decision, error) {
	if g.Rules == nil || g.Rules.mode == Off {
		return Decision{Allowed: true, Rule: ByDefault}, nil
	}
	d, ok := g.Rules.local(&t)
	if !ok {
		var err error
		if d, err = g.scanned(ctx, t); err != nil {
			return Decision{}, &Error{URL: t.URL, Err: err}
		}
	}
	if g.Observe != nil {
		g.Observe(t, d)
	}
	if !d.Allowed {
		return d, &BlockedError{URL: t.URL, Decision: d}
	}
	return d, nil
}

// scanned returns the classifier's decision about t. It uses an earlier
// decision, waits for a scan in progress, or makes a new scan.
func (g *Gate) scanned(ctx context.Context, t Target) (Decision, error) {
	for {
		if ctx.Err() != nil {
			return Decision{}, context.Cause(ctx)
		}
		d, f, found := g.find(t.Canonical)
		switch {
		case found:
			return d, nil
		case f != nil:
			select {
			case <-f.done:
			case <-ctx.Done():
				return Decision{}, context.Cause(ctx)
			}
			if f.err == nil {
				d = f.decision
				d.Credits = 0 // the caller that made the scan was charged
				return d, nil
			}
		default:
			return g.lead(ctx, t)
		}
	}
}

// find returns the decision about a canonical URL or the scan in progress. If
// there is neither, it registers a new scan, which the caller must make by calling lead.
func (g *Gate) find(canonical string) (d Decision, f *flight, found bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.flights == nil {
		g.seed = maphash.MakeSeed()
		g.flights = make(map[string]*flight)
		g.kept = make(map[uint64]uint8)
		g.blocked = make(map[uint64]Verdict)
	}
	key := maphash.String(g.seed, canonical)
	if v, ok := g.blocked[key]; ok {
		return g.Rules.judge(v), nil, true
	}
	if score, ok := g.kept[key]; ok {
		v := Verdict{Known: score != unknown}
		if v.Known {
			v.Score = int(score)
		}
		return g.Rules.judge(v), nil, true
	}
	if f = g.flights[canonical]; f == nil {
		g.flights[canonical] = &flight{done: make(chan struct{})}
	}
	return Decision{}, f, false
}

// lead makes the scan that find has registered, and wakes the callers that wait
// for it.
func (g *Gate) lead(ctx context.Context, t Target) (d Decision, err error) {
	landed := false
	defer func() {
		g.mu.Lock()
		f := g.flights[t.Canonical]
		delete(g.flights, t.Canonical)
		if landed && err == nil && d.Scanned {
			g.keep(t.Canonical, d)
		}
		g.mu.Unlock()
		f.decision, f.err = d, err
		if !landed {
			f.err = ErrAnswer // Spend has panicked, and its panic continues
		}
		close(f.done)
	}()
	d, err = g.scan(ctx, t)
	landed = true
	return d, err
}

// keep stores a decision. It needs 9 bytes for an allowed URL. The caller holds
// mu.
func (g *Gate) keep(canonical string, d Decision) {
	key := maphash.String(g.seed, canonical)
	switch v := d.Verdict; {
	case !d.Allowed:
		g.blocked[key] = v
	case v.Known:
		g.kept[key] = uint8(v.Score) //nolint:gosec // call has checked that the score is between 0 and 100
	default:
		g.kept[key] = unknown
	}
}

// scan asks the classifier.
func (g *Gate) scan(ctx context.Context, t Target) (Decision, error) {
	s := g.scanner()
	if s.Classifier == nil {
		return g.Rules.failed(), nil
	}
	if g.Spend != nil {
		if err := g.Spend(ScanCredits); err != nil {
			return Decision{}, err
		}
	}
	t.NoStore = t.NoStore || g.NoStore
	verdicts, err := s.Classify(ctx, []Target{t})
	if err == nil {
		d := g.Rules.judge(verdicts[0])
		d.Credits = ScanCredits
		return d, nil
	}
	if g.Spend != nil {
		_ = g.Spend(-ScanCredits)
	}
	if ctx.Err() != nil {
		return Decision{}, context.Cause(ctx)
	}
	return g.Rules.failed(), nil
}

// scanner returns the Scanner that calls the classifier.
func (g *Gate) scanner() *Scanner {
	if s, ok := g.Classifier.(*Scanner); ok && s != nil {
		return s
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.own.Classifier == nil && g.Classifier != nil { // callers read it without the lock once it is set
		g.own.Classifier = g.Classifier
	}
	return &g.own
}

// judge returns the decision that follows from a verdict.
func (r *Rules) judge(v Verdict) Decision {
	d := Decision{Allowed: true, Scanned: true, Rule: ByDefault, Verdict: v}
	if v.Known && v.Score >= r.threshold {
		d.Allowed, d.Rule = false, ByRisk
	}
	return d
}

// failed returns the decision if there is no verdict.
func (r *Rules) failed() Decision {
	return Decision{Allowed: r.failure == Open, Rule: ByFailure}
}
