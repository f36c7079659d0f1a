// SPDX-License-Identifier: Apache-2.0

package crawl

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"example.com/curlew/crawl/frontier"
)

const (
	// maxWeight is what the bodies in flight may weigh for each worker, and
	// maxWeights for all of them, before no more pages are asked for.
	maxWeight  = 4 << 20
	maxWeights = 64 << 20

	// readers is how many pages are visited and mined at once, or as many as
	// there are processors, if these are more. A page counts once for each MiB.
	readers  = 8
	readUnit = 1 << 20
)

// load bounds what pages and sitemap files weigh between request and commit:
// their bodies, and the trees and links of those that are read.
type load struct {
	most    int64
	bodies  atomic.Int64  // bytes; an answer that has not come counts with its expected size
	typical atomic.Int64  // bytes of a recent body
	busy    atomic.Int64  // workers with a lease
	lighter chan struct{} // holds one; bodies or busy has shrunk

	seats chan struct{} // one for each unit that is read
	door  chan struct{} // holds one: only one caller at a time takes seats, until it has all it needs
}

func newLoad(workers int) *load {
	return &load{
		most:    min(int64(workers)*maxWeight, maxWeights),
		lighter: make(chan struct{}, 1),
		seats:   make(chan struct{}, max(readers, runtime.GOMAXPROCS(0))),
		door:    make(chan struct{}, 1),
	}
}

// wait returns when the bodies in flight leave room for one more. In an ordered
// crawl the page that all others wait for may not have been requested yet, so wait
// also returns when no worker has a task.
func (l *load) wait(ctx context.Context, ordered bool) error {
	for l.bodies.Load() > l.most {
		if ordered && l.busy.Load() == 0 {
			return nil
		}
		select {
		case <-l.lighter:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// reckon counts the answer of a task that is about to be leased with the size of
// recent answers.
func (l *load) reckon(t frontier.Task) (weight int64) {
	if t != frontier.RobotsTask {
		weight = l.typical.Load()
		l.bodies.Add(weight)
	}
	return weight
}

// end replaces the expected size of an answer by its real one.
func (l *load) end(reckoned, weight int64) {
	was := l.typical.Load()
	switch {
	case weight == 0:
	case was == 0:
		l.typical.Store(weight)
	default:
		l.typical.Store(was + (weight-was)/4) // a hint: of two writers one may be lost
	}
	l.busy.Add(-1)
	l.shed(reckoned - weight)
}

// shed notes that bodies of this weight are gone.
func (l *load) shed(weight int64) {
	l.bodies.Add(-weight)
	select {
	case l.lighter <- struct{}{}:
	default:
	}
}

// read takes the seats that reading a body takes.
func (l *load) read(ctx context.Context, body []byte) (*seats, error) {
	t := &seats{load: l}
	need := min(max(len(body)/readUnit, 1), cap(l.seats))
	select {
	case l.door <- struct{}{}:
		defer func() { <-l.door }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	for t.taken < need {
		select {
		case l.seats <- struct{}{}:
			t.taken++
		case <-ctx.Done():
			t.leave()
			return nil, context.Cause(ctx)
		}
	}
	return t, nil
}

// seats are the seats of one page that is read. Nil holds none.
type seats struct {
	load *load

	mu    sync.Mutex
	taken int  // guarded by mu
	held  int  // guarded by mu; by work on the page that may outlast its Visit
	left  bool // guarded by mu; the crawl has done with the page
}

// leave gives the seats back, except one while the page is held. So a page that is
// stuck does not stop the others, however large it is.
func (t *seats) leave() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.left = true
	t.give()
}

// hold keeps a seat until the func that it returns is called.
func (t *seats) hold() (release func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.held++
	return sync.OnceFunc(func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.held--
		t.give()
	})
}

// give is to be called with mu held.
func (t *seats) give() {
	if !t.left {
		return
	}
	for ; t.taken > min(t.held, 1); t.taken-- {
		<-t.load.seats
	}
}
