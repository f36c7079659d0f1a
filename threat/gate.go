// SPDX-License-Identifier: Apache-2.0

package threat

import (
	"context"
	"hash/maphash"
	"sync"
)

// Gate decides about the URLs of one job. It asks the classifier once for each
// canonical URL, and that is what the job is charged for: [ScanCredits] each.
// The zero value admits everything. It is safe for concurrent use and not
// changed after its first.
type Gate struct {
	Rules *Rules // nil: nothing is checked

	// Classifier is asked where the lists are silent; nil is a classifier that
	// always fails. A [Scanner] that the jobs share; any other gets one of
	// this gate alone.
	Classifier Classifier

	// Spend reserves credits before a scan; an error stops the scan and is
	// Check's. It is called with a negative number to give back what no
	// verdict came for, and its error is ignored then. Nil: scans are free.
	Spend func(credits int) error

	// NoStore keeps what is asked out of every memory that outlives the call of
	// a classifier: zero data retention. It is set on each [Target].
	NoStore bool

	// Observe is told of every decision that Check makes, before Check
	// returns; of a URL that is asked for again, again, without Credits.
	// Calls may overlap. Nil is silent.
	Observe func(Target, Decision)

	own Scanner // where Classifier is none

	mu      sync.Mutex
	seed    maphash.Seed       // guarded by mu; set with kept
	kept    map[uint64]uint8   // guarded by mu; hash of the canonical URL -> score of one that is allowed, or unknown
	blocked map[uint64]Verdict // guarded by mu; the same for those that are not
	flights map[string]*flight // guarded by mu; by canonical URL
}

// unknown stands for the score of a verdict that has none.
const unknown = 255

// flight is a scan under way. Its fields may be read once done is closed.
type flight struct {
	done     chan struct{}
	decision Decision
	err      error // the scan was not made: who waits asks for itself
}

// Local returns what the lists alone decide about t, and whether they do. It
// does no I/O, allocates nothing and charges nothing. With mode off it allows
// everything.
func (g *Gate) Local(t Target) (Decision, bool) {
	if g.Rules == nil || g.Rules.mode == Off {
		return Decision{Allowed: true, Rule: ByDefault}, true
	}
	return g.Rules.local(&t)
}

// Check decides about t. The error is nil where it is allowed, a
// [*BlockedError] where it is not, and else Spend's or ctx's: then there is no
// Decision, and t must not be asked for.
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

// scanned returns the classifier's decision about t: one that was made before,
// one that is being made, or a new one.
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
				d.Credits = 0 // whoever flew has paid
				return d, nil
			}
		default:
			return g.fly(ctx, t)
		}
	}
}

// find returns the decision about a canonical URL, or else the flight that will
// bring it, or else neither: then the caller is to fly, and is registered.
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

// fly makes the scan that find has registered, and tells who waits for it.
func (g *Gate) fly(ctx context.Context, t Target) (d Decision, err error) {
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
			f.err = ErrAnswer // Spend has panicked; its panic goes on
		}
		close(f.done)
	}()
	d, err = g.scan(ctx, t)
	landed = true
	return d, err
}

// keep remembers a decision: of an allowed URL 9 bytes. The caller holds mu.
func (g *Gate) keep(canonical string, d Decision) {
	key := maphash.String(g.seed, canonical)
	switch v := d.Verdict; {
	case !d.Allowed:
		g.blocked[key] = v
	case v.Known:
		g.kept[key] = uint8(v.Score) //nolint:gosec // G115: 0 to 100, call has checked
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

// scanner returns what calls the classifier.
func (g *Gate) scanner() *Scanner {
	if s, ok := g.Classifier.(*Scanner); ok && s != nil {
		return s
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.own.Classifier == nil {
		g.own.Classifier = g.Classifier
	}
	return &g.own
}

// judge returns what a verdict decides.
func (r *Rules) judge(v Verdict) Decision {
	d := Decision{Allowed: true, Scanned: true, Rule: ByDefault, Verdict: v}
	if v.Known && v.Score >= r.threshold {
		d.Allowed, d.Rule = false, ByRisk
	}
	return d
}

// failed returns what no verdict decides.
func (r *Rules) failed() Decision {
	return Decision{Allowed: r.failure == Open, Rule: ByFailure}
}
