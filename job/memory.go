// SPDX-License-Identifier: Apache-2.0

package job

import (
	"bytes"
	"context"
	"fmt"
)

// Memory is a [Store] in memory. Its jobs end with the process, and its
// frontiers are crawl's own. A timer frees a job when it expires. Results are
// stored compressed once they take a quarter of the limit, and above it in
// temporary files, which have no names if the system allows that. The zero value is
// ready to use.
type Memory struct {
	// MaxBytes limits the results in memory. Further results go to temporary
	// files, except those of [Job.Volatile] jobs. Above the limit, Create
	// returns [ErrMemory] for volatile jobs, and for all jobs if files cannot
	// be written. Zero means 256 MiB, [Unlimited] means no limit.
	MaxBytes int64

	jobs registry
}

// Create implements [Store].
func (m *Memory) Create(ctx context.Context, j *Job) error {
	if err := ctx.Err(); err != nil {
		return wrap(j.ID, context.Cause(ctx))
	}
	if err := j.CheckNew(); err != nil {
		return wrap(j.ID, err)
	}
	return wrap(j.ID, m.registry().keep(j))
}

// registry returns the jobs, after it has set the limit of their results.
func (m *Memory) registry() *registry {
	m.jobs.once.Do(func() { m.jobs.vault.most = m.MaxBytes })
	return &m.jobs
}

// keep registers a job that lives in memory.
func (r *registry) keep(j *Job) error {
	if err := r.vault.full(j.Volatile); err != nil {
		return err
	}
	s := &memorySpace{core: newCore(j), jobs: r}
	s.job.Spec = bytes.Clone(j.Spec)
	if !r.add(j, s) {
		return ErrExists
	}
	return nil
}

// Full returns [ErrMemory] if Create would return it for a job that is not
// volatile.
func (m *Memory) Full() error { return m.registry().vault.full(false) }

// CheckNew returns why a [Store] cannot create j, or nil. The error wraps
// [ErrInvalid].
func (j *Job) CheckNew() error {
	switch {
	case !ValidID(j.ID):
		return fmt.Errorf("%w: the ID is not a UUIDv7", ErrInvalid)
	case j.State != Running || j.Err != "" || !j.Ended.IsZero() || !j.Expires.IsZero():
		return fmt.Errorf("%w: it has ended before its start", ErrInvalid)
	case j.Keep < 0:
		return fmt.Errorf("%w: it expires before its end", ErrInvalid)
	}
	return nil
}

// Load implements [Store].
func (m *Memory) Load(ctx context.Context, owner, id string) (*Job, error) {
	return m.jobs.load(ctx, owner, id)
}

// List implements [Store].
func (m *Memory) List(ctx context.Context, owner string, f Filter) ([]*Job, error) {
	return m.jobs.list(ctx, owner, f)
}

// Space implements [Store].
func (m *Memory) Space(ctx context.Context, id string) (Space, error) {
	s, err := m.jobs.find(ctx, id)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Delete implements [Store].
func (m *Memory) Delete(ctx context.Context, id string) error { return m.jobs.remove(ctx, id) }
