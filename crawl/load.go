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
	// maxWeight limits the memory of the bodies in flight for each worker, and
	// maxWeights for all workers. Beyond them no more pages are requested.
	maxWeight  = 4 << 20
	maxWeights = 64 << 20

	// readers is the number of pages that are visited and searched at once, or
	// the number of processors if that is larger. A page counts once for each
	// MiB.
	readers  = 8
	readUnit = 1 << 20
)

// load limits the memory of pages and sitemap files between request and commit:
// their bodies, and the trees and links of the pages that are being read.
type load struct {
	most    int64
	bodies  atomic.Int64  // bytes; a pending answer counts with its expected size
	typical atomic.Int64  // bytes of a typical recent body
	busy    atomic.Int64  // number of workers with a lease
	lighter chan struct{} // signals that bodies or busy has decreased; capacity 1

	seats  chan struct{} // one element for each unit that is being read
	taking chan struct{} // a lock: only one caller at a time takes seats, until it has all it needs
}

func newLoad(workers int) *load {
	return &load{
		most:    min(int64(workers)*maxWeight, maxWeights),
		lighter: make(chan struct{}, 1),
		seats:   make(chan struct{}, max(readers, runtime.GOMAXPROCS(0))),
		taking:  make(chan struct{}, 1),
	}
}

// wait returns when the bodies in flight leave memory for one more. In an
// ordered crawl, all other pages may wait for a page that has not been
// requested yet. Therefore wait also returns if no worker has a task.
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

// reckon counts the answer of a task that is about to be leased, with the size
// of recent answers.
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
		l.typical.Store(was + (weight-was)/4) // only an estimate, so a lost update does no harm
	}
	l.busy.Add(-1)
	l.shed(reckoned - weight)
}

// shed subtracts the weight of bodies that are no longer in memory.
func (l *load) shed(weight int64) {
	l.bodies.Add(-weight)
	select {
	case l.lighter <- struct{}{}:
	default:
	}
}

// read takes the seats that are needed to read a body.
func (l *load) read(ctx context.Context, body []byte) (*seats, error) {
	t := &seats{load: l}
	need := min(max(len(body)/readUnit, 1), cap(l.seats))
	select {
	case l.taking <- struct{}{}:
		defer func() { <-l.taking }()
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

// seats are the seats that are taken for reading one page. A nil *seats has
// none.
type seats struct {
	load *load

	mu    sync.Mutex
	taken int  // guarded by mu
	held  int  // guarded by mu; number of uses of the page that may outlast its Visit
	left  bool // guarded by mu; the crawl no longer needs the page
}

// leave releases the seats. If the page is held, it keeps one, so that a large
// page whose Visit is stuck does not stop the others.
func (t *seats) leave() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.left = true
	t.give()
}

// hold keeps a seat until the returned func is called.
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

// give releases the seats that are no longer needed. The caller must hold mu.
func (t *seats) give() {
	if !t.left {
		return
	}
	for ; t.taken > min(t.held, 1); t.taken-- {
		<-t.load.seats
	}
}
