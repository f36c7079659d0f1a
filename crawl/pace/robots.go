// SPDX-License-Identifier: Apache-2.0

package pace

import (
	"container/list"
	"context"
	"sync"
	"time"
)

// maxFiles is what all robots.txt files that are kept may weigh, in bytes. What
// was used longest ago is forgotten first, and asked for again.
const maxFiles = 64 << 20

// files keeps robots.txt files. Its zero value is ready.
type files struct {
	mu     sync.Mutex
	byKey  map[string]*list.Element // guarded by mu; of *file
	used   list.List                // guarded by mu; what was used last comes first
	weight int                      // guarded by mu
}

// file is one robots.txt, known or being loaded.
type file struct {
	key    string
	robots *Robots       // nil until it is known
	turn   chan struct{} // holds one: who has it loads
	users  int           // who load, or wait for it
	weight int
}

// Robots implements [Scheduler].
func (a *Hosts) Robots(ctx context.Context, key string, load func() *Robots) (*Robots, error) {
	f, known := a.robots.enter(key)
	if known != nil {
		return known, nil
	}
	defer a.robots.leave(f)
	select {
	case f.turn <- struct{}{}:
		defer func() { <-f.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if known := a.robots.known(f); known != nil { // whoever was first has it
		return known, nil
	}
	loaded := load()
	if loaded != nil {
		a.robots.keep(f, loaded)
	}
	return loaded, nil
}

// enter returns what is known under key, or the file whose turn is to be
// waited for and that is to be left.
func (a *files) enter(key string) (*file, *Robots) {
	a.mu.Lock()
	defer a.mu.Unlock()
	e := a.byKey[key]
	if e == nil {
		if a.byKey == nil {
			a.byKey = map[string]*list.Element{}
		}
		f := &file{key: key, turn: make(chan struct{}, 1)}
		e = a.used.PushFront(f)
		a.byKey[key] = e
		a.weigh(f)
	}
	a.used.MoveToFront(e)
	f := e.Value.(*file) //nolint:forcetypeassert // the list holds nothing else
	if f.fresh() {
		return nil, f.robots
	}
	f.users++
	return f, nil
}

func (f *file) fresh() bool { return f.robots != nil && time.Now().Before(f.robots.Until) }

func (a *files) known(f *file) *Robots {
	a.mu.Lock()
	defer a.mu.Unlock()
	if f.fresh() {
		return f.robots
	}
	return nil
}

func (a *files) keep(f *file, r *Robots) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f.robots = r
	a.weigh(f)
	for e := a.used.Back(); e != nil && a.weight > maxFiles; {
		old := e.Value.(*file) //nolint:forcetypeassert // the list holds nothing else
		before := e.Prev()
		if old.users == 0 {
			a.drop(old)
		}
		e = before
	}
}

// leave ends what enter began. A file that nobody could load is forgotten.
func (a *files) leave(f *file) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if f.users--; f.users == 0 && f.robots == nil {
		a.drop(f)
	}
}

// weigh takes the weight of f anew.
func (a *files) weigh(f *file) {
	const own = 300
	a.weight -= f.weight
	f.weight = own + len(f.key)
	if f.robots != nil {
		f.weight += len(f.robots.Body)
	}
	a.weight += f.weight
}

func (a *files) drop(f *file) {
	a.used.Remove(a.byKey[f.key])
	delete(a.byKey, f.key)
	a.weight -= f.weight
}
