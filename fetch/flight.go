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

// maxWait is how long an exchange waits for another's answer before it asks
// the site itself: no longer than a first try would wait for a header.
const maxWait = firstPatience

// flights are the exchanges under way whose answers others would take: of many
// fetches of one key at once, one asks the site. The zero value is ready; nil
// has everybody ask. It is safe for concurrent use.
type flights struct {
	mu     sync.Mutex // guards the rest
	byKey  map[Key]*flight
	landed uint64 // flights that are over
}

// flight is one such exchange, asked for by the fetch that leads it.
type flight struct {
	waiting int           // guarded by the mutex of flights
	done    chan struct{} // closed when it is over; the rest is written before
	answer  *entry        // not to be changed; nil: none that may be shared
	own     bool          // there is no answer for a reason of the leader's own
}

// landings returns how many flights are over.
func (f *flights) landings() uint64 {
	if f == nil {
		return 0
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.landed
}

// board returns the flight of key, and whether the caller leads it and has to
// land it. Who does not join is given none where there is one, and who keeps
// nothing leads none. late says that a flight has landed since the caller counted
// them as seen: the cache may have the answer now.
func (f *flights) board(key Key, joins, keeps bool, seen uint64) (fl *flight, leads, late bool) {
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
	return fl, true, f.landed != seen
}

// land ends the flight of key, and gives the answer e to those who wait: nil
// where it is not for them. The body of e stays the caller's.
func (f *flights) land(key Key, fl *flight, e *entry) {
	f.mu.Lock()
	delete(f.byKey, key)
	f.landed++
	waiting := fl.waiting
	f.mu.Unlock()
	if e != nil && waiting > 0 {
		fl.answer = e.clone()
	}
	close(fl.done)
}

// clone returns a copy of e that shares nothing with it.
func (e *entry) clone() *entry {
	c := *e
	c.header, c.body = e.header.Clone(), bytes.Clone(e.body)
	return &c
}

// shared does the exchange whose answer the cache does not have, old being an
// earlier one that it has, or has the answer of another fetch that is doing it.
// It returns nil, and no error, where that fetch gave up for a reason of its
// own; one of those who waited then leads in its place.
//
// An answer that is not for all (see storable), or a failure of the site's, has
// each who waited ask for itself, all at once.
func (k *keeper) shared(ctx context.Context, x *Exchange, key Key, old *entry, seen uint64) (*Response, error) {
	joins := k.r.MaxAge != 0 // else an answer that was asked for before will not do
	fl, leads, late := k.flights.board(key, joins, !k.r.NoStore, seen)
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

// lead does an exchange that others may wait for. late has it look into the
// cache once more.
func (k *keeper) lead(ctx context.Context, x *Exchange, key Key, old *entry, fl *flight, late bool) (resp *Response, err error) {
	var e *entry
	defer func() { k.flights.land(key, fl, e) }()
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
