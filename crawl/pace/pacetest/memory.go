// SPDX-License-Identifier: Apache-2.0

package pacetest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"example.com/curlew/crawl/pace"
)

// Memory is what several processes know of hosts, in the memory of a test. Its zero value
// is ready for use.
type Memory struct {
	Latency time.Duration // of each exchange and each notification

	mu     sync.Mutex
	hosts  map[string]*record
	robots map[string]*pace.Robots
	at     int // orders the waiting processes
}

// record is a host.
type record struct {
	last  time.Time
	ready time.Time
	rate  pace.Rate
	uses  map[*member]*use
}

// use is the use of a host by a process.
type use struct {
	held bool
	gap  time.Duration
	at   int
}

// member implements [pace.Common].
type member struct {
	all  *Memory
	told func(string, pace.Grant)
	wake chan struct{} // has a value if there are calls
	stop chan struct{}
	done chan struct{}

	calls  []call // guarded by all.mu
	fenced bool   // guarded by all.mu
	dead   bool   // guarded by all.mu
}

// call is an Ask, or a look at a host that has changed.
type call struct {
	host string
	need *pace.Need
	due  time.Time
}

// Open returns the view of another process, until it is closed.
func (m *Memory) Open() (c pace.Common, end func()) {
	p := &member{all: m, wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{})}
	go p.run()
	return p, sync.OnceFunc(func() {
		close(p.stop)
		<-p.done
	})
}

// Die makes the other processes take a process for dead.
func (m *Memory) Die(c pace.Common) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := c.(*member) //nolint:forcetypeassert // Open has made it
	p.fenced, p.dead = true, true
	for name, r := range m.hosts {
		m.tell(name, p, false)
		if u := r.uses[p]; u != nil {
			delete(r.uses, p)
			if u.held {
				r.last = time.Now()
				r.ready = later(r.ready, r.last.Add(u.gap))
			}
		}
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// gap returns the longest gap of all processes but one.
func (r *record) gap(but *member) (gap time.Duration) {
	for p, u := range r.uses {
		if p != but {
			gap = max(gap, u.gap)
		}
	}
	return gap
}

// tell makes the other processes that use a host, or only those that hold it, look at
// it. The caller holds mu.
func (m *Memory) tell(name string, by *member, holders bool) {
	users := slices.Collect(maps.Keys(m.hosts[name].uses))
	slices.SortFunc(users, func(a, b *member) int { return cmp.Compare(m.hosts[name].uses[a].at, m.hosts[name].uses[b].at) })
	for _, p := range users {
		if p != by && (m.hosts[name].uses[p].held || !holders) {
			p.add(call{host: name, due: time.Now().Add(m.Latency)})
		}
	}
}

func (p *member) add(c call) {
	p.calls = append(p.calls, c)
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// Attach implements [pace.Common].
func (p *member) Attach(told func(string, pace.Grant)) { p.told = told }

// Ask implements [pace.Common].
func (p *member) Ask(host string, n pace.Need) {
	p.all.mu.Lock()
	defer p.all.mu.Unlock()
	p.add(call{host: host, need: &n, due: time.Now().Add(p.all.Latency)})
}

// Fenced implements [pace.Common].
func (p *member) Fenced() bool {
	p.all.mu.Lock()
	defer p.all.mu.Unlock()
	return p.fenced
}

// Robots implements [pace.Common].
func (p *member) Robots(_ context.Context, key string) *pace.Robots {
	p.all.mu.Lock()
	defer p.all.mu.Unlock()
	if r := p.all.robots[key]; r != nil && time.Now().Before(r.Until) {
		return r
	}
	return nil
}

// KeepRobots implements [pace.Common].
func (p *member) KeepRobots(_ context.Context, key string, r *pace.Robots) {
	p.all.mu.Lock()
	defer p.all.mu.Unlock()
	if p.all.robots == nil {
		p.all.robots = map[string]*pace.Robots{}
	}
	p.all.robots[key] = r
}

// run answers calls in their order.
func (p *member) run() {
	defer close(p.done)
	for {
		p.all.mu.Lock()
		var next *call
		if len(p.calls) > 0 {
			next = &p.calls[0]
		}
		p.all.mu.Unlock()
		if next == nil {
			select {
			case <-p.wake:
			case <-p.stop:
				return
			}
			continue
		}
		timer := time.NewTimer(time.Until(next.due))
		select {
		case <-timer.C:
		case <-p.stop:
			timer.Stop()
			return
		}
		p.all.mu.Lock()
		c := p.calls[0]
		p.calls = p.calls[1:]
		g, uses := p.settle(c)
		for _, later := range p.calls { // the answer to the later call is right
			if later.host == c.host && later.need != nil && (later.need.Yield || !later.need.Use) {
				uses = false
			}
		}
		p.all.mu.Unlock()
		if uses {
			p.told(c.host, g)
		}
	}
}

// settle applies a call. uses is false if the process does not use the host.
func (p *member) settle(c call) (g pace.Grant, uses bool) {
	if p.dead {
		return g, false
	}
	m := p.all
	r := m.hosts[c.host]
	if r == nil {
		r = &record{uses: map[*member]*use{}}
		if m.hosts == nil {
			m.hosts = map[string]*record{}
		}
		m.hosts[c.host] = r
	}
	u := r.uses[p]
	if n := c.need; n != nil {
		r.last, r.ready = later(r.last, n.Last), later(r.ready, n.Ready)
		before := r.gap(nil)
		if n.Rate != nil {
			r.rate = *n.Rate
		}
		m.at++
		switch {
		case !n.Use:
			delete(r.uses, p)
			u = nil
		case u == nil:
			u = &use{gap: n.Gap, at: m.at}
			r.uses[p] = u
		default:
			u.gap = n.Gap
			if n.Yield {
				u.held, u.at = false, m.at
			}
		}
		if n.Yield || n.Rate != nil || r.gap(nil) != before {
			m.tell(c.host, p, false)
		}
	}
	if u == nil {
		return g, false
	}
	gaps := r.gap(nil) > 0
	first, others := true, false
	for o, x := range r.uses {
		if o != p {
			others = others || x.held
			first = first && (x.held || x.at > u.at)
			g.Wanted = gaps
		}
	}
	u.held = u.held || !gaps || first && !others
	if gaps && others && (!u.held || c.need != nil) {
		m.tell(c.host, p, true)
	}
	g.Held, g.Alone = u.held, gaps && !others
	g.Last, g.Ready, g.Gap, g.Own, g.Rate = r.last, r.ready, r.gap(p), u.gap, r.rate
	return g, true
}
