// SPDX-License-Identifier: Apache-2.0

// Package frontiertest checks implementations of [frontier.Frontier].
package frontiertest

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/crawl/scope"
)

// patience is how long a call that must block is watched, and the time limit
// for a call that must return.
const patience = 5 * time.Second

// Check tests that a Frontier behaves as its interface documents. open returns
// a frontier for a new crawl with options c and cleans up at the end of t. It
// is called once for each subtest.
func Check(t *testing.T, open func(t testing.TB, c frontier.Options) frontier.Frontier) {
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			f := open(t, c.config)
			defer f.Close()
			c.run(&probe{TB: t, f: f, known: map[string]bool{}})
		})
	}
}

// start is the start page of all crawls in the suite.
const start = "http://a.test/"

// checks are the subtests.
var checks = []struct {
	name   string
	config frontier.Options
	run    func(p *probe)
}{
	{"start", frontier.Options{URL: start}, (*probe).start},
	{"robots", frontier.Options{URL: start}, (*probe).robots},
	{"ignored robots", frontier.Options{URL: start, IgnoreRobots: true, NoSitemaps: true}, (*probe).ignored},
	{"once", frontier.Options{URL: start}, (*probe).once},
	{"limit", frontier.Options{URL: start, Limit: 3}, (*probe).limit},
	{"concurrent limit", frontier.Options{URL: start, Limit: 50, Concurrency: 32, PerHost: 32}, (*probe).race},
	{"refund", frontier.Options{URL: start, Limit: 1}, (*probe).refund},
	{"levels", frontier.Options{URL: start, Levels: true}, (*probe).levels},
	{"sitemaps first", frontier.Options{URL: start}, (*probe).sitemaps},
	{"promotion", frontier.Options{URL: start, Levels: true}, (*probe).promotion},
	{"retry", frontier.Options{URL: start}, (*probe).retry},
	{"forgotten robots", frontier.Options{URL: start}, (*probe).unruled},
	{"lost result", frontier.Options{URL: start}, (*probe).lost},
	{"moved", frontier.Options{URL: start}, (*probe).moved},
	{"moved to a known page", frontier.Options{URL: start}, (*probe).duplicate},
	{"moved in a circle", frontier.Options{URL: start}, (*probe).circle},
	{"refused targets", frontier.Options{URL: start, Limit: 1}, (*probe).refused},
	{"gap", frontier.Options{URL: start, Delay: 50 * time.Millisecond}, (*probe).gap},
	{"one a host", frontier.Options{URL: start, PerHost: 1}, (*probe).perHost},
	{"ranks", frontier.Options{URL: start, Ordered: true, Concurrency: 4}, (*probe).ranks},
	{"stale", frontier.Options{URL: start}, (*probe).stale},
	{"budget", frontier.Options{URL: start, Limit: 1}, (*probe).budget},
	{"endless", frontier.Options{URL: start, Suspects: suspects}, (*probe).endless},
	{"cancel", frontier.Options{URL: start}, (*probe).cancel},
	{"close", frontier.Options{URL: start}, (*probe).close},
}

// probe uses one frontier.
type probe struct {
	testing.TB
	f     frontier.Frontier
	known map[string]bool // origins whose robots.txt was leased
}

// lease returns one lease that is not for a robots.txt. It commits those.
func (p *probe) lease() frontier.Lease {
	p.Helper()
	l, err := p.try(patience)
	if err != nil {
		p.Fatalf("Lease: %v", err)
	}
	return l
}

// try is lease with an error: io.EOF, or DeadlineExceeded if it blocks.
func (p *probe) try(wait time.Duration) (frontier.Lease, error) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.Context(), wait)
	defer cancel()
	for {
		leases, err := p.f.Lease(ctx, 1)
		if err != nil {
			return frontier.Lease{}, err
		}
		if len(leases) != 1 {
			p.Fatalf("Lease gave %d leases, asked for one", len(leases))
		}
		l := leases[0]
		if l.Task != frontier.RobotsTask {
			if !p.known[origin(l.URL)] && l.Rule == 0 {
				p.Fatalf("%s was leased before the robots.txt of its origin was known", l.URL)
			}
			return l, nil
		}
		p.known[origin(l.URL)] = true
		p.commit(frontier.Commit{
			Lease: l, Outcome: frontier.Robots, Answer: pace.Good,
			Robots: frontier.RobotsLifetime{Until: time.Now().Add(time.Hour)},
		})
	}
}

// blocks fails unless Lease blocks.
func (p *probe) blocks() {
	p.Helper()
	if l, err := p.try(20 * time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
		p.Fatalf("Lease gave %q, %v; it should have blocked", l.URL, err)
	}
}

// over fails unless the crawl is over.
func (p *probe) over() {
	p.Helper()
	if l, err := p.try(patience); !errors.Is(err, io.EOF) {
		p.Fatalf("Lease gave %q, %v; want io.EOF", l.URL, err)
	}
}

func (p *probe) commit(c ...frontier.Commit) {
	p.Helper()
	if err := p.f.Commit(p.Context(), c...); err != nil {
		p.Fatalf("Commit: %v", err)
	}
}

// end delivers l with targets.
func (p *probe) end(l frontier.Lease, targets ...frontier.Target) {
	p.Helper()
	p.commit(frontier.Commit{Lease: l, Outcome: frontier.Delivered, URL: l.URL, Status: 200, Answer: pace.Good, Targets: targets})
}

func (p *probe) stats() frontier.Stats {
	p.Helper()
	s, err := p.f.Stats(p.Context())
	if err != nil {
		p.Fatalf("Stats: %v", err)
	}
	return s
}

// begin delivers the start page with links to paths.
func (p *probe) begin(paths ...string) {
	p.Helper()
	l := p.lease()
	if l.URL != start || !l.Start {
		p.Fatalf("first lease is of %q, start %v", l.URL, l.Start)
	}
	p.end(l, targets(1, paths...)...)
}

// targets returns links with one depth. A path may be a URL.
func targets(depth int, paths ...string) []frontier.Target {
	var list []frontier.Target
	for _, path := range paths {
		url := path
		if !strings.Contains(path, "://") {
			url = start + path
		}
		list = append(list, frontier.Target{URL: url, Key: key(url), Depth: depth})
	}
	return list
}

// key returns the FNV-1a fingerprint of a URL.
func key(url string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(url) {
		h = (h ^ uint64(url[i])) * 1099511628211
	}
	return h
}

func origin(url string) string {
	scheme, rest, _ := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	return scheme + "://" + host
}

func (p *probe) start() {
	l := p.lease()
	if !l.Start || l.URL != start || l.Depth != 0 || l.Asked != start || l.From != "" || l.Task != frontier.PageTask {
		p.Errorf("first lease is %+v", l)
	}
	if s := p.stats(); s.Leased != 1 || s.Pending != 0 || s.Total(0) != 1 {
		p.Errorf("with the start page leased: %+v", s)
	}
	p.end(l, targets(1, "x")...)
	x := p.lease()
	if x.URL != start+"x" || x.From != start || x.Depth != 1 || x.Start || x.Seq <= l.Seq {
		p.Errorf("second lease is %+v", x)
	}
	p.end(x)
	p.over()
	if s := p.stats(); s.Delivered != 2 || s.Leased != 0 || s.Pending != 0 {
		p.Errorf("at the end: %+v", s)
	}
}

func (p *probe) once() {
	p.begin("x", "y", "x")
	x, y := p.lease(), p.lease()
	p.end(x, targets(2, "x", "y", "z")...)
	p.end(y, targets(2, "z", "x")...)
	p.end(p.lease())
	p.over()
	if s := p.stats(); s.Delivered != 4 || s.Refused[scope.RuleDuplicate] != 5 {
		p.Errorf("%d duplicates: %+v", s.Refused[scope.RuleDuplicate], s)
	}
}

func (p *probe) retry() {
	l := p.lease()
	begun := time.Now()
	p.commit(frontier.Commit{Lease: l, Outcome: frontier.Retry, Answer: pace.Erred, After: 30 * time.Millisecond})
	if s := p.stats(); s.Leased != 0 || s.Pending != 1 {
		p.Errorf("while it waits: %+v", s)
	}
	again := p.lease()
	if wait := time.Since(begun); wait < 30*time.Millisecond {
		p.Errorf("it came again after %v, want 30ms", wait)
	}
	if again.URL != l.URL || again.Tries != 1 || !again.Start || again.Seq != l.Seq {
		p.Errorf("again: %+v", again)
	}
	p.commit(frontier.Commit{Lease: again, Outcome: frontier.Retry, Answer: pace.Throttled, Wait: 30 * time.Millisecond})
	begun = time.Now()
	p.end(p.lease())
	if wait := time.Since(begun); wait < 25*time.Millisecond {
		p.Errorf("Retry-After was not kept: %v", wait)
	}
	p.over()
}

func (p *probe) moved() {
	l := p.lease()
	p.commit(frontier.Commit{Lease: l, Outcome: frontier.Moved, Answer: pace.Good, Targets: targets(0, "http://b.test/new")})
	to := p.lease()
	if to.URL != "http://b.test/new" || to.Asked != start || to.Hops != 1 || !to.Start || to.Depth != 0 || to.Seq != l.Seq {
		p.Errorf("moved: %+v", to)
	}
	p.end(to, targets(1, "http://b.test/new")...)
	p.over()
	if s := p.stats(); s.Delivered != 1 || s.Moved != 1 {
		p.Errorf("at the end: %+v", s)
	}
}

func (p *probe) duplicate() {
	p.begin("old", "new")
	o := p.lease()
	p.commit(frontier.Commit{Lease: o, Outcome: frontier.Moved, Answer: pace.Good, Targets: targets(1, "new")})
	var ended int
	for range 2 {
		l := p.lease()
		if l.Rule != scope.RuleDuplicate {
			p.end(l)
			continue
		}
		p.commit(frontier.Commit{Lease: l, Outcome: frontier.Duplicate})
		ended++
	}
	p.over()
	if s := p.stats(); s.Delivered != 2 || ended != 1 || s.Failed != 0 {
		p.Errorf("%d duplicates: %+v", ended, s)
	}
}

func (p *probe) circle() {
	p.begin("a")
	l := p.lease()
	for hops, to := range []string{"b", "a", "a", "b"} {
		p.commit(frontier.Commit{Lease: l, Outcome: frontier.Moved, Answer: pace.Good, Targets: targets(1, to)})
		l = p.lease()
		if l.URL != start+to || l.Rule != 0 || l.Hops != hops+1 {
			p.Fatalf("hop %d: %+v", hops+1, l)
		}
	}
	p.end(l)
	p.over()
}

func (p *probe) refused() {
	list := targets(1, "t", "r", "r")
	list[0].Rule, list[1].Rule, list[2].Rule = scope.RuleThreat, scope.RuleRobots, scope.RuleRobots
	p.end(p.lease(), list...)
	seen := map[scope.Rule]int{}
	for range 2 {
		l := p.lease()
		seen[l.Rule]++
		p.commit(frontier.Commit{Lease: l, Outcome: frontier.Failed, Rule: l.Rule})
	}
	p.over()
	if seen[scope.RuleThreat] != 1 || seen[scope.RuleRobots] != 1 {
		p.Errorf("leased to be ended: %v", seen)
	}
}

func (p *probe) gap() {
	l := p.lease()
	ended := time.Now()
	p.commit(frontier.Commit{Lease: l, Outcome: frontier.Delivered, Answer: pace.Good, Ended: ended, Targets: targets(1, "x", "http://b.test/y")})
	for range 2 {
		l := p.lease()
		if gap := time.Since(ended); gap < 50*time.Millisecond {
			p.Errorf("%s came %v after the page before, want 50ms", l.URL, gap)
		}
		p.blocks()
		ended = time.Now()
		p.end(l)
	}
	p.over()
}

func (p *probe) perHost() {
	p.begin("x", "y", "http://b.test/z")
	one, other := p.lease(), p.lease()
	if origin(one.URL) == origin(other.URL) {
		p.Errorf("%s and %s at a time", one.URL, other.URL)
	}
	p.blocks()
	if strings.HasSuffix(one.URL, "z") {
		one, other = other, one
	}
	p.commit(frontier.Commit{Lease: one, Outcome: frontier.Held, Answer: pace.Good}) // the page is still being read
	next := p.lease()
	if origin(next.URL) != origin(one.URL) {
		p.Errorf("%s after a request to %s has ended", next.URL, one.URL)
	}
	p.end(one)
	p.end(other)
	p.end(next)
	p.over()
}

func (p *probe) stale() {
	l := p.lease()
	p.end(l)
	for _, c := range []frontier.Commit{{Lease: l}, {Lease: frontier.Lease{URL: start, Token: 1 << 40}}} {
		c.Targets = targets(1, "x")
		if err := p.f.Commit(p.Context(), c); !errors.Is(err, frontier.ErrStale) {
			p.Errorf("Commit of a lease that has ended: %v, want ErrStale", err)
		}
	}
	p.over()
	if s := p.stats(); s.Delivered != 1 {
		p.Errorf("at the end: %+v", s)
	}
}

func (p *probe) cancel() {
	l := p.lease()
	ctx, cancel := context.WithCancelCause(p.Context())
	cause := errors.New("the caller's cause")
	failed := make(chan error, 1)
	go func() {
		_, err := p.f.Lease(ctx, 1)
		failed <- err
	}()
	p.blocks()
	cancel(cause)
	if err := <-failed; !errors.Is(err, cause) {
		p.Errorf("Lease after cancel: %v, want the cause", err)
	}
	p.end(l, targets(1, "x")...)
	p.end(p.lease()) // nothing was leased to the caller that left
	p.over()
}

func (p *probe) close() {
	l := p.lease()
	failed := make(chan error, 1)
	go func() {
		_, err := p.f.Lease(p.Context(), 1)
		failed <- err
	}()
	p.blocks()
	if err := p.f.Close(); err != nil {
		p.Errorf("Close: %v", err)
	}
	if err := <-failed; !errors.Is(err, frontier.ErrClosed) {
		p.Errorf("Lease under way: %v, want ErrClosed", err)
	}
	if err := p.f.Commit(p.Context(), frontier.Commit{Lease: l}); !errors.Is(err, frontier.ErrClosed) {
		p.Errorf("Commit: %v, want ErrClosed", err)
	}
	if s := p.stats(); s.Leased != 1 {
		p.Errorf("Stats after Close: %+v", s)
	}
	if err := p.f.Close(); err != nil {
		p.Errorf("second Close: %v", err)
	}
}
