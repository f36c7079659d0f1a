// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"sync"
	"time"
)

// maxWait is how long an exchange waits for the response to another exchange
// before it asks the site itself. It equals the time that a first try waits for
// a header.
const maxWait = firstPatience

// flights holds the exchanges in progress whose responses other fetches can
// use. If many fetches want the same key at the same time, only one asks the
// site. The zero value is ready to use. If it is nil, every fetch asks the
// site. It is safe for concurrent use.
type flights struct {
	mu       sync.Mutex // guards the rest
	byKey    map[Key]*flight
	finished uint64 // number of finished flights
}

// flight is one such exchange. The fetch that started it is its leader.
type flight struct {
	waiting int           // guarded by the mutex of flights
	done    chan struct{} // closed at the end; the fields below are written before
	answer  *entry        // must not be changed; nil if the response may not be shared
	own     bool          // there is no answer for a reason that concerns only the leader, such as its size limit
}

// completed returns the number of finished flights.
func (f *flights) completed() uint64 {
	if f == nil {
		return 0
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.finished
}

// join returns the flight of key. If leads is true, the caller must make the
// exchange and call finish. If a flight exists but joins is false, or none exists
// and keeps is false, it returns nil. late reports that a flight has finished
// since the caller counted seen of them, so the cache may have the response
// now.
func (f *flights) join(key Key, joins, keeps bool, seen uint64) (fl *flight, leads, late bool) {
	if f == nil {
		return nil, false, false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	fl = f.byKey[key]
	switch {
	case fl != nil && joins:
		fl.waiting++
		return fl, false, false
	case fl != nil, !keeps:
		return nil, false, false
	}
	if f.byKey == nil {
		f.byKey = map[Key]*flight{}
	}
	fl = &flight{done: make(chan struct{}), own: true}
	f.byKey[key] = fl
	return fl, true, f.finished != seen
}

// finish ends the flight of key and gives the response e to the fetches that wait
// for it. A nil e means that the response may not be shared. The body of e
// still belongs to the caller.
func (f *flights) finish(key Key, fl *flight, e *entry) {
	f.mu.Lock()
	delete(f.byKey, key)
	f.finished++
	waiting := fl.waiting
	f.mu.Unlock()
	if e != nil && waiting > 0 {
		fl.answer = e.clone()
	}
	close(fl.done)
}

// clone returns a deep copy of e.
func (e *entry) clone() *entry {
	c := *e
	c.header, c.body = e.header.Clone(), bytes.Clone(e.body)
	return &c
}

// shared fetches a page that the cache does not have, or waits for another
// fetch that is doing so. old is an outdated response in the cache, or nil. It
// returns nil without an error if the other fetch failed for a reason of its
// own. The caller then tries again, and one of the waiting fetches becomes the
// leader.
//
// If a response may not be shared (see storable), or if the site fails, each
// waiting fetch asks the site itself, all at the same time.
func (k *keeper) shared(ctx context.Context, x *Exchange, key Key, old *entry, seen uint64) (*Response, error) {
	joins := k.r.MaxAge != 0 // otherwise a response to an earlier request is not acceptable
	fl, leads, late := k.flights.join(key, joins, !k.r.NoStore, seen)
	switch {
	case fl == nil:
		resp, _, err := k.ask(ctx, x, key, old)
		return resp, err
	case leads:
		return k.lead(ctx, x, key, old, fl, late && joins)
	}
	t := time.NewTimer(maxWait)
	defer t.Stop()
	select {
	case <-fl.done:
		switch e := fl.answer; {
		case e == nil && fl.own:
			return nil, nil //nolint:nilnil // see above
		case e != nil && k.admits(time.Since(e.at)):
			e = e.clone()
			if !k.r.NoStore && e.status != http.StatusOK && !isLasting(e.status) {
				k.moved = append(k.moved, kept{key, *e})
			}
			return k.serve(ctx, x, e)
		}
	case <-t.C:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	resp, _, err := k.ask(ctx, x, key, old)
	return resp, err
}

// lead makes an exchange that other fetches may wait for. If late is true, it
// first looks into the cache once more.
func (k *keeper) lead(ctx context.Context, x *Exchange, key Key, old *entry, fl *flight, late bool) (resp *Response, err error) {
	var e *entry
	defer func() { k.flights.finish(key, fl, e) }()
	if late {
		if e = k.get(ctx, key, x.URL); e != nil && k.admits(time.Since(e.at)) {
			return k.serve(ctx, x, e)
		}
		e = nil
	}
	resp, e, err = k.ask(ctx, x, key, old)
	fl.own = ctx.Err() != nil || errors.Is(err, ErrTooLarge) || x.Cut && err == nil && resp.Truncated
	return resp, err
}
