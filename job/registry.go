// SPDX-License-Identifier: Apache-2.0

package job

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/curlew/internal/sorting"
)

// registry finds jobs by id and by owner, and drops an ended job when it
// expires. The zero value is ready to use.
type registry struct {
	vault vault     // of the jobs in memory
	once  sync.Once // guards the setting of the vault's limit

	mu     sync.Mutex
	jobs   map[string]*slot   // guarded by mu
	owners map[string][]*slot // guarded by mu; each by ascending ID
	ended  []*slot            // guarded by mu; ordered by goes
	sweep  *time.Timer        // guarded by mu; fires at ended[0].goes
}

// slot is a job in a registry.
type slot struct {
	id, owner string
	space     resident
	goes      time.Time // guarded by registry.mu; when it expires
}

// resident is the space of a job in a registry.
type resident interface {
	Space
	live() error             // returns why the job is not available, or nil
	snapshot() (*Job, error) // returns a copy of the job, or why it is not available
	drop() error             // frees everything and makes the job unknown
}

// add registers a job. It returns false if its id is in use.
func (r *registry) add(j *Job, s resident) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.jobs[j.ID] != nil {
		return false
	}
	if r.jobs == nil {
		r.jobs = make(map[string]*slot)
		r.owners = make(map[string][]*slot)
	}
	e := &slot{id: j.ID, owner: j.Owner, space: s}
	r.jobs[j.ID] = e
	own := r.owners[j.Owner]
	at, _ := slices.BinarySearchFunc(own, j.ID, byID)
	r.owners[j.Owner] = slices.Insert(own, at, e)
	return true
}

func byID(e *slot, id string) int { return strings.Compare(e.id, id) }

// has reports whether an id is in use.
func (r *registry) has(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.jobs[id] != nil
}

// find returns the job's space, unless the job is unknown or has expired.
func (r *registry) find(ctx context.Context, id string) (resident, error) {
	if ctx.Err() != nil {
		return nil, wrap(id, context.Cause(ctx))
	}
	r.mu.Lock()
	e := r.jobs[id]
	r.mu.Unlock()
	if e == nil {
		return nil, wrap(id, ErrNotFound)
	}
	if err := e.space.live(); err != nil {
		return nil, wrap(id, err)
	}
	return e.space, nil
}

// load implements [Store.Load].
func (r *registry) load(ctx context.Context, owner, id string) (*Job, error) {
	s, err := r.find(ctx, id)
	if err != nil {
		return nil, err
	}
	j, err := s.snapshot()
	if err == nil && j.Owner != owner {
		err = ErrNotFound
	}
	if err != nil {
		return nil, wrap(id, err)
	}
	return j, nil
}

// list implements [Store.List].
func (r *registry) list(ctx context.Context, owner string, f Filter) ([]*Job, error) {
	if ctx.Err() != nil {
		return nil, wrap("", context.Cause(ctx))
	}
	r.mu.Lock()
	own := slices.Clone(r.owners[owner])
	r.mu.Unlock()

	var list []*Job
	for _, e := range slices.Backward(own) {
		if j, err := e.space.snapshot(); err == nil && f.admits(j) {
			list = append(list, j)
		}
	}
	return list, nil
}

// all returns the spaces of all jobs in any order.
func (r *registry) all() []resident {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]resident, 0, len(r.jobs))
	for _, e := range r.jobs {
		list = append(list, e.space)
	}
	return list
}

// remove removes a job and drops it.
func (r *registry) remove(ctx context.Context, id string) error {
	s, err := r.find(ctx, id)
	if err != nil {
		return err
	}
	r.mu.Lock()
	e := r.jobs[id]
	there := e != nil && e.space == s
	if there {
		r.forget(e)
		r.ended = sorting.Without(r.ended, func(o *slot) bool { return o == e })
		r.arm()
	}
	r.mu.Unlock()
	if !there {
		return wrap(id, ErrNotFound)
	}
	return wrap(id, s.drop())
}

// expireAt records that the job, which has just ended, expires at t.
func (r *registry) expireAt(id string, t time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.jobs[id]
	if e == nil {
		return // it was deleted in the meantime
	}
	e.goes = t
	at, _ := slices.BinarySearchFunc(r.ended, t, func(e *slot, t time.Time) int {
		return cmp.Or(e.goes.Compare(t), -1) // after those with the same time
	})
	r.ended = slices.Insert(r.ended, at, e)
	r.arm()
}

// expire drops the expired jobs.
func (r *registry) expire() {
	now := time.Now()
	r.mu.Lock()
	var gone []*slot
	for len(r.ended) > 0 && !now.Before(r.ended[0].goes) {
		gone = append(gone, r.ended[0])
		r.forget(r.ended[0])
		r.ended = slices.Delete(r.ended, 0, 1)
	}
	r.arm()
	r.mu.Unlock()
	for _, e := range gone {
		_ = e.space.drop() // it logs errors itself
	}
}

// rest stops the timer permanently, so that nothing expires any longer.
func (r *registry) rest() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = nil
	r.arm()
}

// arm sets the timer to the next expiry, or stops it. The caller holds mu.
func (r *registry) arm() {
	switch {
	case len(r.ended) == 0:
		if r.sweep != nil {
			r.sweep.Stop()
		}
		r.sweep = nil
	case r.sweep == nil:
		r.sweep = time.AfterFunc(time.Until(r.ended[0].goes), r.expire)
	default:
		r.sweep.Reset(time.Until(r.ended[0].goes))
	}
}

// forget removes e from both maps. The caller holds mu.
func (r *registry) forget(e *slot) {
	delete(r.jobs, e.id)
	own := r.owners[e.owner]
	if at, ok := slices.BinarySearchFunc(own, e.id, byID); ok {
		own = slices.Delete(own, at, at+1)
	}
	if len(own) == 0 {
		delete(r.owners, e.owner)
		return
	}
	r.owners[e.owner] = own
}
