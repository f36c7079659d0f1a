// SPDX-License-Identifier: Apache-2.0

package pace

import (
	"container/list"
	"context"
	"sync"
	"time"
)

// maxFiles limits the memory of all stored robots.txt files, in bytes. The
// least recently used files are dropped first and requested again when needed.
const maxFiles = 64 << 20

// files stores robots.txt files. Its zero value is ready for use.
type files struct {
	mu     sync.Mutex
	byKey  map[string]*list.Element // guarded by mu; of *file
	used   list.List                // guarded by mu; most recently used first
	weight int                      // guarded by mu
}

// file is one robots.txt that is known or being loaded.
type file struct {
	key    string
	robots *Robots       // nil until it is known
	turn   chan struct{} // a lock for loading; capacity 1
	users  int           // number of callers that load it or wait for it
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
	if known := a.robots.known(f); known != nil { // another caller has loaded it meanwhile
		return known, nil
	}
	if a.Common != nil {
		if kept := a.Common.Robots(ctx, key); kept != nil {
			a.robots.keep(f, kept)
			return kept, nil
		}
	}
	loaded := load()
	if loaded != nil {
		a.robots.keep(f, loaded)
		if a.Common != nil {
			a.Common.KeepRobots(ctx, key, loaded)
		}
	}
	return loaded, nil
}

// enter returns the robots.txt for key, or the file that the caller must lock,
// load and leave.
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
	f := e.Value.(*file) //nolint:forcetypeassert // the list contains only *file
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
		old := e.Value.(*file) //nolint:forcetypeassert // the list contains only *file
		before := e.Prev()
		if old.users == 0 {
			a.drop(old)
		}
		e = before
	}
}

// leave ends the use of a file. A file that no caller could load is dropped.
func (a *files) leave(f *file) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if f.users--; f.users == 0 && f.robots == nil {
		a.drop(f)
	}
}

// weigh updates the memory counted for f.
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
