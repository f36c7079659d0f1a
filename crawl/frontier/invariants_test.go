// SPDX-License-Identifier: Apache-2.0

package frontier

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"example.com/curlew/crawl/scope"
)

// random returns a random source and logs its seed if the test fails.
func random(t *testing.T) *rand.Rand {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// TestKnownOnce admits random targets by level and compares the result with a
// map. Each key is entered once, moves to a lesser depth only while it is
// pending, and no more pages are entered than the budget allows.
func TestKnownOnce(t *testing.T) {
	r := random(t)
	const budget = 400
	k, e := newKnown(budget), newEndless(new(Options{}.withDefaults()))
	entered := map[uint64]uint32{} // Seq by key
	waits := map[uint64]bool{}
	seqs := map[uint32]bool{}
	level := 0
	for range 2000 {
		var b batch
		for range r.IntN(5) {
			l := link{entered: true}
			l.Key, l.Depth = r.Uint64N(1000)+1, level+r.IntN(3)
			if l.Key%10 == 0 {
				l.Rule = scope.RuleRobots
			}
			rule, promote := k.admit(&l, &b, level, &e)
			_, was := entered[l.Key]
			switch {
			case promote && (!was || !waits[l.Key] || l.Depth > level):
				t.Fatalf("key %d came to depth %d of %d without having waited", l.Key, l.Depth, level)
			case rule == 0 && !promote && was, rule == scope.RuleDuplicate && !was:
				t.Fatalf("key %d was entered: %v, and admit said %v", l.Key, was, rule)
			case rule == scope.RuleRoom && k.entered+b.pages < budget:
				t.Fatalf("no room for page %d of %d", k.entered+b.pages, budget)
			}
			if rule != 0 {
				continue
			}
			if l.promote = promote; promote {
				seq, ok := k.withdraw(l.Key)
				if !ok || uint32(seq) != entered[l.Key] || !k.gone.has(seq) {
					t.Fatalf("key %d was withdrawn as %d, %v; it entered as %d", l.Key, seq, ok, entered[l.Key])
				}
				if k.entered--; k.noted.has(seq) {
					k.entered++
				}
				waits[l.Key] = false
			}
			seq := k.enter(&l) // entered at once, so that nothing in b is counted twice
			if seqs[seq] || k.noted.has(uint64(seq)) != (l.Rule != 0) {
				t.Fatalf("Seq %d of key %d was given before, or is noted wrongly", seq, l.Key)
			}
			seqs[seq], entered[l.Key] = true, seq
			if l.Depth > level {
				k.waiting.date(l.Key, seq)
				waits[l.Key] = true
			}
		}
		if k.entered > budget {
			t.Fatalf("%d pages entered, the budget is %d", k.entered, budget)
		}
		if r.IntN(200) == 0 {
			level++
			k.nextLevel(false)
			clear(waits)
		}
	}
	if k.seen.n != len(entered) {
		t.Errorf("%d keys, want %d", k.seen.n, len(entered))
	}
}

// TestKnownMoves moves a task to URLs that are new, its own, known and pending.
func TestKnownMoves(t *testing.T) {
	k := newKnown(100)
	for key := range uint64(4) {
		k.seen.add(key + 1)
	}
	k.waiting.date(3, 30)
	for _, key := range []uint64{5, 6, 7} {
		k.seen.add(key)
	}
	k.joined.add(&task{path: path{chain: []uint64{6}}}, 5)
	k.joined.add(&task{path: path{chain: []uint64{5, 7}}}, 2)
	for _, c := range []struct {
		name    string
		to      uint64
		rule    scope.Rule
		promote bool
	}{
		{"new", 9, 0, false},
		{"its own", 1, 0, false},
		{"its own before it moved", 2, 0, false},
		{"waiting", 3, 0, true},
		{"known", 4, scope.RuleDuplicate, false},
		{"a duplicate of its own", 7, 0, false},
		{"a duplicate of a duplicate of its own", 6, 0, false},
	} {
		task := &task{path: path{chain: []uint64{2}, hops: 1}}
		task.Key, task.URL = 1, "http://a.test/1"
		rec := &record{rule: scope.RuleRoom}
		k.move(rec, task, &Commit{Targets: []Target{{Key: c.to}}})
		if rec.rule != c.rule || rec.links[0].promote != c.promote || rec.hops != 2 || rec.first != task.URL {
			t.Errorf("%s: rule %v, promoted %v, %d hops from %q", c.name, rec.rule, rec.links[0].promote, rec.hops, rec.first)
		}
	}
}

// TestQuota leases, retries, delivers and fails random pages. Delivered pages
// and places stay within the limit, and requests within the budget.
func TestQuota(t *testing.T) {
	r := random(t)
	for _, q := range []quota{{limit: 5, budget: 40}, {limit: 30, budget: 20}, {limit: 8, budget: 60, delay: time.Second}} {
		now := time.Now()
		var leased, waiting []*task
		for range 2000 {
			open, at := q.open(now)
			switch {
			case open && r.IntN(2) == 0:
				one := new(task)
				if n := len(waiting); n > 0 && r.IntN(2) == 0 {
					one, waiting = waiting[n-1], waiting[:n-1]
				}
				q.lease(one)
				leased = append(leased, one)
			case len(leased) > 0 && r.IntN(3) > 0:
				one := leased[0]
				leased = leased[1:]
				keep := r.IntN(4) == 0
				q.release(one, keep)
				if r.IntN(8) > 0 {
					q.ask(now)
				}
				switch {
				case keep:
					waiting = append(waiting, one)
				case r.IntN(6) == 0:
					q.delivered++
				}
			case !at.IsZero():
				now = at
				if open, _ := q.open(now); !open && len(leased) == 0 && q.delivered+q.places < q.limit {
					t.Fatalf("not open at %v, when it was said to be", at)
				}
			}
			if q.delivered+q.places > q.limit || q.requests+q.leased > q.budget || q.delay > 0 && q.leased > 1 {
				t.Fatalf("%+v", q)
			}
			if q.leased != len(leased) || q.places != len(leased)+len(waiting) {
				t.Fatalf("%d leased, %d waiting, counted %d and %d", len(leased), len(waiting), q.leased, q.places)
			}
		}
	}
}

// TestRanks takes random tasks that are ready, and ends or requeues them. Each
// gets one rank, in the order of discovery, and the number of open ranks stays
// within its limit.
func TestRanks(t *testing.T) {
	r := random(t)
	const most, all = 6, 300
	ranks := newRanks(most)
	found := uint64(0)
	next := func() (*task, error) {
		if found == all {
			return nil, nil
		}
		found++
		return &task{seq: found - 1}, nil
	}
	ready := func(one *task) (*task, time.Time) {
		switch r.IntN(6) {
		case 0, 1:
			return nil, time.Now().Add(time.Duration(1+r.IntN(100)) * time.Second)
		case 2:
			return &task{robots: true}, time.Time{}
		}
		return one, time.Time{}
	}
	ended := map[uint64]bool{}
	var open []*task
	for n := 0; len(ended) < all; n++ {
		if n > 100*all {
			t.Fatalf("%d of %d tasks ended", len(ended), all)
		}
		one, at, err := ranks.take(next, ready)
		switch {
		case err != nil:
			t.Fatal(err)
		case one == nil && at.IsZero() && len(open)+len(ranks.again) == 0 && found < all:
			t.Fatalf("no task is ready or open, and no time is named")
		case one != nil && one.robots && one.ranked:
			t.Fatalf("a robots.txt has rank %d", one.rank)
		case one != nil && !one.robots:
			if one.rank != one.seq || !one.ranked {
				t.Fatalf("task %d has rank %d", one.seq, one.rank)
			}
			open = append(open, one)
		}
		if n := ranks.next - ranks.floor; n > most {
			t.Fatalf("%d ranks are open", n)
		}
		if len(open) == 0 || r.IntN(2) == 0 {
			continue
		}
		i := r.IntN(len(open))
		one = open[i]
		open = append(open[:i], open[i+1:]...)
		if r.IntN(4) == 0 {
			ranks.requeue(one)
			continue
		}
		if ended[one.rank] {
			t.Fatalf("rank %d ended twice", one.rank)
		}
		ended[one.rank] = true
		ranks.end(one)
		if ended[ranks.floor] || ranks.floor > 0 && !ended[ranks.floor-1] {
			t.Fatalf("floor %d", ranks.floor)
		}
	}
}

// TestRanksOfAReplay checks that tasks that had a rank before the replay come
// first, in their order, and that the others wait.
func TestRanksOfAReplay(t *testing.T) {
	ranks := newRanks(10)
	ranks.requeue(&task{seq: 4})
	ranks.requeue(&task{seq: 7, ranked: true, rank: 3})
	ranks.requeue(&task{seq: 5})
	ranks.requeue(&task{seq: 6, ranked: true, rank: 1})
	var got []uint64
	next := func() (*task, error) { return nil, errors.New("a queue was read") }
	for range 2 {
		one, _, err := ranks.take(next, func(one *task) (*task, time.Time) { return one, time.Time{} })
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, one.seq)
	}
	if one, _, err := ranks.take(next, func(one *task) (*task, time.Time) {
		if one.seq == 6 {
			return nil, time.Time{}
		}
		return one, time.Time{}
	}); err != nil || one.seq != 7 {
		t.Errorf("behind a task that must wait: %v, %v", one, err)
	}
	if fmt.Sprint(got) != "[4 5]" {
		t.Errorf("came in the order %v", got)
	}
}

// TestReadyHosts joins, takes and wakes random hosts. A host is in at most one
// queue, and untrusted hosts are taken only when they are not crowded.
func TestReadyHosts(t *testing.T) {
	r := random(t)
	var ready readyHosts
	now := time.Now()
	list := make([]*host, 20)
	alarm := map[*host]time.Time{}
	for i := range list {
		list[i] = &host{name: fmt.Sprint(i), start: i == 0}
	}
	for range 20_000 {
		h := list[r.IntN(len(list))]
		switch r.IntN(4) {
		case 0:
			if !h.queued {
				h.ruled, h.quick = r.IntN(3) == 0, r.IntN(2) == 0
				ready.join(h)
			}
		case 1:
			alarm[h] = now.Add(time.Duration(1+r.IntN(50)) * time.Second)
			ready.wait(h, alarm[h])
		case 2:
			crowded := r.IntN(2) == 0
			left := ready.len()
			h := ready.next(crowded)
			if h == nil && left > 0 && !crowded || h != nil && (h.queued || h.ruled || ready.len() != left-1) {
				t.Fatalf("of %d hosts came %+v", left, h)
			}
		default:
			now = now.Add(time.Duration(r.IntN(20)) * time.Second)
			for h := ready.due(now); h != nil; h = ready.due(now) {
				if at, set := alarm[h]; !set || at.After(now) {
					t.Fatalf("host %s woke at %v, its alarm is at %v, %v", h.name, now, at, set)
				}
				delete(alarm, h)
			}
			for h, at := range alarm {
				if !at.After(now) {
					t.Fatalf("host %s slept on", h.name)
				}
			}
		}
		times := map[*host]int{}
		for _, q := range [...][]*host{ready.urgent, ready.trusted, ready.untrusted} {
			for _, h := range q {
				times[h]++
			}
		}
		for _, h := range list {
			if n := times[h]; n > 1 || h.queued != (n == 1) {
				t.Fatalf("host %s is in %d queues, queued: %v", h.name, n, h.queued)
			}
		}
	}
}

// TestReadyHostsInTurn checks that hosts whose robots.txt has just arrived come
// first, and then trusted and other hosts alternate. When the untrusted hosts
// are crowded, only trusted ones are taken.
func TestReadyHostsInTurn(t *testing.T) {
	for _, c := range []struct {
		crowded bool
		want    string
	}{{false, "[ruled u1 t1 u2 t2 t3]"}, {true, "[t1 t2 t3]"}} {
		var ready readyHosts
		for _, h := range []*host{
			{name: "t1", quick: true},
			{name: "u1"},
			{name: "t2", quick: true},
			{name: "ruled", ruled: true},
			{name: "u2"},
			{name: "t3", start: true},
		} {
			ready.join(h)
		}
		ready.untrustedNext = true
		var got []string
		for h := ready.next(c.crowded); h != nil; h = ready.next(c.crowded) {
			got = append(got, h.name)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("crowded %v: %v, want %s", c.crowded, got, c.want)
		}
	}
}

// TestLeases checks that a token identifies one open task, and none after it
// has ended.
func TestLeases(t *testing.T) {
	r := random(t)
	l := newLeases()
	model := map[uint64]*task{}
	given := map[uint64]bool{}
	for range 5000 {
		if r.IntN(2) == 0 {
			one := new(task)
			l.begin(one, time.Now())
			if one.token == 0 || given[one.token] {
				t.Fatalf("token %d was given before", one.token)
			}
			given[one.token], model[one.token] = true, one
			continue
		}
		for token, one := range model {
			if l.open[token] != one {
				t.Fatalf("token %d names another task", token)
			}
			l.end(one)
			if l.open[token] != nil || one.token != 0 {
				t.Fatalf("token %d is open after its end", token)
			}
			delete(model, token)
			break
		}
	}
	if len(l.open) != len(model) {
		t.Errorf("%d open, want %d", len(l.open), len(model))
	}
}

// TestProgress enters and ends random tasks. Each is counted once, and a depth
// opens only when nothing is left that it must wait for.
func TestProgress(t *testing.T) {
	r := random(t)
	for _, byDepth := range []bool{true, false} {
		p := progress{byDepth: byDepth}
		type one struct {
			depth   int
			sitemap bool
			start   bool
		}
		start := link{start: true}
		p.add(&start)
		open := []one{{0, false, true}}
		for range 5000 {
			if r.IntN(2) == 0 && len(open) < 50 {
				l := link{}
				l.Depth, l.Sitemap = min(p.level, 100)+r.IntN(3), r.IntN(20) == 0 && p.level == 0
				if got, want := p.add(&l), l.waitsAt() <= p.level; got != want {
					t.Fatalf("depth %d is open: %v, level %d", l.Depth, got, p.level)
				}
				open = append(open, one{l.Depth, l.Sitemap, false})
			} else if i := r.IntN(len(open) + 1); i < len(open) && (open[i].depth <= p.level || open[i].sitemap) {
				rec := record{depth: open[i].depth, start: open[i].start}
				if open[i].sitemap {
					rec.task = SitemapTask
				}
				p.end(&rec)
				open = append(open[:i], open[i+1:]...)
			}
			level := p.level
			if p.settle() && p.level <= level {
				t.Fatalf("level %d follows %d", p.level, level)
			}
			least, files := noDepth, 0
			for _, o := range open {
				if o.sitemap || o.start {
					files++
				}
				if !o.sitemap {
					least = min(least, o.depth)
				}
			}
			switch {
			case p.left() != len(open):
				t.Fatalf("%d tasks are left, counted %d", len(open), p.left())
			case level != p.level && byDepth && least < p.level:
				t.Fatalf("level %d opened while a task of depth %d is left", p.level, least)
			case level != p.level && !byDepth && files > 0:
				t.Fatalf("all depths opened while %d files are left", files)
			}
		}
	}
}

// failing is a log that accepts some records and then fails.
type failing struct {
	memoryLog
	left int
}

var errFailing = errors.New("no space left")

func (f *failing) Append(head, blob []byte) (int64, error) {
	if f.left--; f.left < 0 {
		return 0, errFailing
	}
	return f.memoryLog.Append(head, blob)
}

// TestRecordsFirst checks that a record that the log did not accept changes
// nothing.
func TestRecordsFirst(t *testing.T) {
	o := Options{URL: "http://a.test/"}
	for left := range 2 {
		s := newState(&failing{left: left}, o)
		rec, err := s.o.kickoff(7)
		if err != nil {
			t.Fatal(err)
		}
		err = s.write(rec, nil, nil)
		written := left > 0
		if (err == nil) != written || (s.known.seen.n == 1) != written || (s.progress.left() == 1) != written {
			t.Errorf("with room for %d records: %v, %d keys, %d tasks", left, err, s.known.seen.n, s.progress.left())
		}
		if !written && (!errors.Is(err, errFailing) || !errors.Is(s.records.failed, errFailing)) {
			t.Errorf("the log failed: %v, kept as %v", err, s.records.failed)
		}
		s.scheduler.hosts.turns.Leave()
	}
}

// TestChanges checks that each waiting call is woken by the next change, and
// not by an earlier one.
func TestChanges(t *testing.T) {
	var c changes
	c.announce() // no call is waiting
	first, same := c.await(), c.await()
	select {
	case <-first:
		t.Fatal("woken by an earlier change")
	default:
	}
	c.announce()
	<-first
	<-same
	select {
	case <-c.await():
		t.Fatal("woken by the change before")
	default:
	}
}
