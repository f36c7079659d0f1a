// SPDX-License-Identifier: Apache-2.0

package job

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Memory is a [Store] in memory: it forgets all with the process, and frontiers
// are crawl's own. An expired job is freed by a timer at that instant. The zero
// value is ready.
type Memory struct {
	mu     sync.Mutex
	jobs   map[string]*memorySpace   // guarded by mu
	owners map[string][]*memorySpace // guarded by mu; each by ID, rising
	ended  []*memorySpace            // guarded by mu; by Expires, the first to go first
	sweep  *time.Timer               // guarded by mu; runs at the Expires of ended[0]
}

// Create implements [Store].
func (m *Memory) Create(ctx context.Context, j *Job) error {
	if err := ctx.Err(); err != nil {
		return wrap(j.ID, context.Cause(ctx))
	}
	if err := j.validNew(); err != nil {
		return wrap(j.ID, err)
	}
	s := &memorySpace{store: m, job: *j, turn: make(chan struct{}, 1)}
	s.job.Spec = bytes.Clone(j.Spec)

	m.mu.Lock()
	defer m.mu.Unlock()
	if m.jobs[j.ID] != nil {
		return wrap(j.ID, ErrExists)
	}
	if m.jobs == nil {
		m.jobs = make(map[string]*memorySpace)
		m.owners = make(map[string][]*memorySpace)
	}
	m.jobs[j.ID] = s
	own := m.owners[j.Owner]
	at, _ := slices.BinarySearchFunc(own, j.ID, byID)
	m.owners[j.Owner] = slices.Insert(own, at, s)
	return nil
}

// validNew returns what keeps j from being created.
func (j *Job) validNew() error {
	switch {
	case !ValidID(j.ID):
		return fmt.Errorf("%w: the id is no UUIDv7", ErrInvalid)
	case j.State != Running || j.Err != "" || !j.Ended.IsZero() || !j.Expires.IsZero():
		return fmt.Errorf("%w: it has ended before its start", ErrInvalid)
	case j.Keep < 0:
		return fmt.Errorf("%w: it expires before its end", ErrInvalid)
	}
	return nil
}

func byID(s *memorySpace, id string) int { return strings.Compare(s.job.ID, id) }

// Load implements [Store].
func (m *Memory) Load(ctx context.Context, owner, id string) (*Job, error) {
	s, err := m.find(ctx, id)
	if err != nil {
		return nil, err
	}
	if j, ok := s.snapshot(); ok && j.Owner == owner {
		return j, nil
	}
	return nil, wrap(id, ErrNotFound)
}

// List implements [Store].
func (m *Memory) List(ctx context.Context, owner string, f Filter) ([]*Job, error) {
	if ctx.Err() != nil {
		return nil, wrap("", context.Cause(ctx))
	}
	m.mu.Lock()
	own := slices.Clone(m.owners[owner])
	m.mu.Unlock()

	var list []*Job
	for _, s := range slices.Backward(own) {
		if j, ok := s.snapshot(); ok && f.admits(j) {
			list = append(list, j)
		}
	}
	return list, nil
}

// Space implements [Store].
func (m *Memory) Space(ctx context.Context, id string) (Space, error) {
	s, err := m.find(ctx, id)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Delete implements [Store].
func (m *Memory) Delete(ctx context.Context, id string) error {
	s, err := m.find(ctx, id)
	if err != nil {
		return err
	}
	m.mu.Lock()
	there := m.jobs[id] == s
	if there {
		m.forget(s)
		m.ended = slices.DeleteFunc(m.ended, func(e *memorySpace) bool { return e == s })
		m.arm()
	}
	m.mu.Unlock()
	if !there {
		return wrap(id, ErrNotFound)
	}
	s.drop()
	return nil
}

// find returns the job's space, unless it is unknown or expired.
func (m *Memory) find(ctx context.Context, id string) (*memorySpace, error) {
	if ctx.Err() != nil {
		return nil, wrap(id, context.Cause(ctx))
	}
	m.mu.Lock()
	s := m.jobs[id]
	m.mu.Unlock()
	if s == nil || !s.live() {
		return nil, wrap(id, ErrNotFound)
	}
	return s, nil
}

// expireAt notes that s, which has just ended, goes at t.
func (m *Memory) expireAt(s *memorySpace, t time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.jobs[s.job.ID] != s {
		return // deleted meanwhile
	}
	s.goes = t
	at, _ := slices.BinarySearchFunc(m.ended, t, func(e *memorySpace, t time.Time) int {
		return cmp.Or(e.goes.Compare(t), -1) // behind its equals
	})
	m.ended = slices.Insert(m.ended, at, s)
	m.arm()
}

// expire frees what has expired.
func (m *Memory) expire() {
	now := time.Now()
	m.mu.Lock()
	var gone []*memorySpace
	for len(m.ended) > 0 && !now.Before(m.ended[0].goes) {
		gone = append(gone, m.ended[0])
		m.forget(m.ended[0])
		m.ended = slices.Delete(m.ended, 0, 1)
	}
	m.arm()
	m.mu.Unlock()
	for _, s := range gone {
		s.drop()
	}
}

// arm sets the timer to the next expiry, or stops it. The caller holds mu.
func (m *Memory) arm() {
	switch {
	case len(m.ended) == 0:
		if m.sweep != nil {
			m.sweep.Stop()
		}
		m.sweep = nil
	case m.sweep == nil:
		m.sweep = time.AfterFunc(time.Until(m.ended[0].goes), m.expire)
	default:
		m.sweep.Reset(time.Until(m.ended[0].goes))
	}
}

// forget takes s out of both maps. The caller holds mu.
func (m *Memory) forget(s *memorySpace) {
	delete(m.jobs, s.job.ID)
	own := m.owners[s.job.Owner]
	if at, ok := slices.BinarySearchFunc(own, s.job.ID, byID); ok {
		own = slices.Delete(own, at, at+1)
	}
	if len(own) == 0 {
		delete(m.owners, s.job.Owner)
		return
	}
	m.owners[s.job.Owner] = own
}
