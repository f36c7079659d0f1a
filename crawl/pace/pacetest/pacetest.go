// SPDX-License-Identifier: Apache-2.0

// Package pacetest tests implementations of [pace.Common].
package pacetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"example.com/curlew/crawl/pace"
)

// patience is how long a test waits for something that happens within milliseconds on an
// idle machine.
const patience = 2 * time.Minute

// coarse is what times lose when they are rounded and passed on as durations.
const coarse = time.Millisecond

// System is what processes have in common.
type System struct {
	Open func(t *testing.T) pace.Common    // another process, until the end of t
	Die  func(t *testing.T, c pace.Common) // makes the others take a process for dead
}

// Check tests the implementation that open returns, without anything known.
func Check(t *testing.T, open func(t *testing.T) System) {
	for _, c := range []struct {
		name string
		test func(*testing.T, System)
	}{
		{"shared", shared},
		{"alone", alone},
		{"in turn", inTurn},
		{"upgrade", upgrade},
		{"given up", givenUp},
		{"told", told},
		{"dead", dead},
		{"robots", robots},
		{"random", random},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, open(t)) })
	}
}

// process is one process of a test.
type process struct {
	pace.Common
	t       *testing.T
	mu      sync.Mutex
	grants  map[string]pace.Grant // guarded by mu; the last one, by host
	changed chan struct{}
}

func attach(t *testing.T, s System) *process {
	p := &process{Common: s.Open(t), t: t, grants: map[string]pace.Grant{}, changed: make(chan struct{}, 1)}
	p.Attach(func(host string, g pace.Grant) {
		p.mu.Lock()
		p.grants[host] = g
		p.mu.Unlock()
		select {
		case p.changed <- struct{}{}:
		default:
		}
	})
	return p
}

// until waits for a grant that ok accepts.
func (p *process) until(what string, ok func(g pace.Grant) bool) pace.Grant {
	p.t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		p.mu.Lock()
		g, there := p.grants[host]
		p.mu.Unlock()
		if there && ok(g) {
			return g
		}
		select {
		case <-p.changed:
		case <-deadline.C:
			p.t.Fatalf("%s: the last grant is %+v", what, g)
		}
	}
}

func held(g pace.Grant) bool   { return g.Held }
func wanted(g pace.Grant) bool { return g.Held && g.Wanted }
func alike(g pace.Grant) bool  { return g.Held && !g.Alone }
func single(g pace.Grant) bool { return g.Held && g.Alone }
func waits(g pace.Grant) bool  { return !g.Held }

const host = "a.test"

// use asks for the host.
func (p *process) use(gap time.Duration) { p.Ask(host, pace.Need{Use: true, Gap: gap}) }

// yield gives the host to the next process, and forgets the last grant.
func (p *process) yield(use bool, gap time.Duration, ready time.Time) {
	p.mu.Lock()
	delete(p.grants, host)
	p.mu.Unlock()
	p.Ask(host, pace.Need{Use: use, Yield: true, Gap: gap, Last: time.Now(), Ready: ready})
}

// shared lets processes without gaps use a host at the same time.
func shared(t *testing.T, s System) {
	for range 3 {
		p := attach(t, s)
		p.use(0)
		p.until("a process without a gap", alike)
	}
}

// alone lets one process use a host if one of them needs a gap, and passes on the time
// of the next request.
func alone(t *testing.T, s System) {
	const gap, rest = 700 * time.Millisecond, 300 * time.Millisecond
	a, b := attach(t, s), attach(t, s)
	a.use(gap)
	if g := a.until("the first process", single); g.Own != gap {
		t.Errorf("the first process is told of its gap %v, want %v", g.Own, gap)
	}
	b.use(0)
	if g := b.until("the second process", waits); g.Gap != gap {
		t.Errorf("the second process is told of the gap %v, want %v", g.Gap, gap)
	}
	a.until("the first process when another one waits", wanted)
	began := time.Now()
	a.yield(true, gap, began.Add(rest))
	g := b.until("the second process after the yield", single)
	ready, last := g.Ready.Sub(began), g.Last.Sub(began)
	if ready < rest-coarse || last < -coarse || ready > rest+time.Since(began) || last > time.Since(began) || g.Gap != gap {
		t.Errorf("the second process may request after %v, %v after the last answer, and is told of the gap %v; want %v, 0s and %v", ready, last, g.Gap, rest, gap)
	}
	b.until("the second process when the first one waits", wanted)
}

// inTurn passes a host on in the order in which processes have asked.
func inTurn(t *testing.T, s System) {
	all := make([]*process, 4)
	for i := range all {
		all[i] = attach(t, s)
		all[i].use(time.Millisecond)
		if i == 0 {
			all[i].until("the first process", single)
		} else {
			all[i].until("a process that waits", waits)
		}
	}
	for i := range 10 {
		p := all[i%len(all)]
		p.until(fmt.Sprintf("the turn %d", i), single)
		p.until(fmt.Sprintf("the turn %d when others wait", i), wanted)
		for _, o := range all {
			o.mu.Lock()
			if o != p && o.grants[host].Held {
				t.Errorf("two processes hold the host in turn %d", i)
			}
			o.mu.Unlock()
		}
		p.yield(true, time.Millisecond, time.Time{})
	}
}

// upgrade lets one of two processes need a gap.
func upgrade(t *testing.T, s System) {
	a, b := attach(t, s), attach(t, s)
	a.use(0)
	a.until("the first process", alike)
	b.use(0)
	b.until("the second process", alike)
	a.use(time.Second)
	for _, p := range []*process{a, b} { // neither may make another request
		p.until("a process when the first one needs a gap", func(g pace.Grant) bool { return wanted(g) && !g.Alone })
	}
	a.yield(true, time.Second, time.Time{})
	a.until("the first process, while the second one may have requests in flight", waits)
	b.yield(true, 0, time.Time{})
	a.until("the first process after the yields", single)
	if g := b.until("the second process after the yield", waits); g.Gap != time.Second {
		t.Errorf("the second process is told of the gap %v, want 1s", g.Gap)
	}
	a.yield(true, 0, time.Time{}) // it needs no gap any more
	b.until("the second process without gaps", alike)
	a.until("the first process without gaps", alike)
}

// givenUp lets a process with a gap leave.
func givenUp(t *testing.T, s System) {
	a, b, c := attach(t, s), attach(t, s), attach(t, s)
	a.use(time.Second)
	a.until("the first process", single)
	b.use(0)
	b.until("the second process", waits)
	c.use(0)
	c.until("the third process", waits)
	a.yield(false, 0, time.Time{})
	for _, p := range []*process{b, c} {
		p.until("a process after the one with a gap has left", func(g pace.Grant) bool { return alike(g) && g.Gap == 0 && !g.Wanted })
	}
}

// told passes pauses and rates to processes that use a host at the same time.
func told(t *testing.T, s System) {
	a, b := attach(t, s), attach(t, s)
	a.use(0)
	a.until("the first process", alike)
	b.use(0)
	b.until("the second process", alike)
	rate := pace.Rate{Gap: 0, Cap: 3}
	end := time.Now().Add(time.Hour)
	a.Ask(host, pace.Need{Use: true, Ready: end, Rate: &rate})
	g := b.until("the second process", func(g pace.Grant) bool { return g.Held && g.Rate == rate })
	if g.Ready.Sub(end).Abs() > patience {
		t.Errorf("the second process is told of a pause until %v, want %v", g.Ready, end)
	}
	c := attach(t, s)
	c.use(0)
	if g = c.until("a third process", held); g.Ready.Sub(end).Abs() > patience || g.Rate != rate {
		t.Errorf("a third process is told of %+v, want a pause until %v and %+v", g, end, rate)
	}
	a.use(0)
	if g = a.until("the first process", held); g.Rate != rate {
		t.Errorf("the first process is told of %+v, want %+v", g.Rate, rate)
	}
}

// dead lets the process die that holds a host. The next one waits for the gap of the
// dead one, whose last request may just have ended.
func dead(t *testing.T, s System) {
	const gap = 400 * time.Millisecond
	a, b := attach(t, s), attach(t, s)
	a.use(gap)
	a.until("the first process", single)
	b.use(0)
	b.until("the second process", waits)
	died := time.Now()
	s.Die(t, a.Common)
	g := b.until("the second process after the death of the first one", held)
	if ready, last := g.Ready.Sub(died), g.Last.Sub(died); ready < gap-coarse || last < -coarse || g.Wanted {
		t.Errorf("the second process may request %v after the death, with %+v; want %v", ready, g, gap)
	}
}

// robots shares files.
func robots(t *testing.T, s System) {
	a, b := attach(t, s), attach(t, s)
	ctx := context.Background()
	if r := a.Robots(ctx, "k"); r != nil {
		t.Errorf("an unknown robots.txt: %+v", r)
	}
	a.KeepRobots(ctx, "k", &pace.Robots{Body: []byte("one"), Until: time.Now().Add(time.Hour)})
	b.KeepRobots(ctx, "k", &pace.Robots{Body: []byte("two"), Until: time.Now().Add(2 * time.Hour)})
	b.KeepRobots(ctx, "none", &pace.Robots{Until: time.Now().Add(time.Hour)})
	b.KeepRobots(ctx, "old", &pace.Robots{Body: []byte("old"), Until: time.Now().Add(-time.Second)})
	for key, want := range map[string]string{"k": "two", "none": "", "old": "-", "K": "-"} {
		got := "-"
		if r := a.Robots(ctx, key); r != nil {
			if got = string(r.Body); time.Until(r.Until) < 50*time.Minute || time.Until(r.Until) > 2*time.Hour || (r.Body == nil) != (key == "none") {
				t.Errorf("robots.txt of %q: %+v", key, r)
			}
		}
		if got != want {
			t.Errorf("robots.txt of %q is %q, want %q", key, got, want)
		}
	}
}

// random lets parties in several processes request a host. One process dies.
func random(t *testing.T, s System) {
	Simulate(t, s, rand.Uint64(), 20*time.Millisecond)
}

// visit is one request as the host sees it.
type visit struct {
	party        int
	process      int
	delay        time.Duration // of its party
	began, ended time.Time
}

// Simulate lets random parties in two to four processes request one host, and one of the
// processes die. It verifies that each party makes all its requests, and the pauses as the
// host sees them. Delays of parties are at most 3 * unit.
func Simulate(t *testing.T, s System, seed uint64, unit time.Duration) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	var mu sync.Mutex
	var visits []visit
	var want [32]int
	var all sync.WaitGroup
	ctx, cancel := context.WithTimeout(context.Background(), 10*patience)
	defer cancel()
	party := 0
	for n := range 2 + r.IntN(3) {
		common := s.Open(t)
		hosts := &pace.Hosts{Common: common}
		dies := n > 1
		life, die := context.WithCancel(ctx)
		defer die()
		for range 1 + r.IntN(3) {
			party++
			me, workers, requests := party, 1+r.IntN(3), 2+r.IntN(6)
			delay := max(0, time.Duration(r.IntN(5)-1)) * unit
			latency := time.Duration(1+r.IntN(20)) * unit / 20
			begins := time.Duration(r.IntN(3)) * unit
			if !dies {
				want[me] = requests
			}
			all.Go(func() {
				if !sleep(life, begins) {
					return
				}
				line := pace.NewLine(hosts, me%2 == 0)
				defer line.Leave()
				var own sync.WaitGroup
				for w := range workers {
					own.Go(func() {
						for i := w; i < requests; i += workers {
							if err := line.Take(life, host, pace.Claim{Delay: delay, Most: workers}); err != nil {
								return
							}
							v := visit{party: me, process: n, delay: delay, began: time.Now()}
							sleep(life, latency)
							v.ended = time.Now()
							mu.Lock()
							visits = append(visits, v)
							mu.Unlock()
							if life.Err() != nil {
								return // the process is dead
							}
							line.End(host, pace.Report{Answer: pace.Good, URL: fmt.Sprint(me, i), Delay: delay, Began: v.began, Ended: v.ended})
						}
					})
				}
				own.Wait()
			})
		}
		if dies {
			after := time.Duration(r.IntN(20)) * unit
			all.Go(func() {
				sleep(ctx, after)
				die()
				s.Die(t, common)
			})
		}
	}
	all.Wait()
	if ctx.Err() != nil {
		t.Errorf("seed %d: the parties do not end", seed)
	}
	var got [32]int
	slices.SortFunc(visits, func(a, b visit) int { return a.began.Compare(b.began) })
	for i, v := range visits {
		got[v.party]++
		for _, w := range visits[:i] {
			if need := max(v.delay, w.delay); need > 0 && v.began.Sub(w.ended) < need {
				t.Errorf("seed %d: a request of party %d in process %d, with a delay of %v, came %v after one of party %d in process %d, with %v",
					seed, v.party, v.process, v.delay, v.began.Sub(w.ended), w.party, w.process, w.delay)
				return
			}
		}
	}
	for p, n := range want {
		if got[p] < n {
			t.Errorf("seed %d: party %d has made %d requests, want %d", seed, p, got[p], n)
		}
	}
}

// sleep returns false if ctx ends first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
