// SPDX-License-Identifier: Apache-2.0

package sharing

import (
	"sync"
	"time"

	"example.com/curlew/job"
)

// maxIdle is how long the value of a job is kept without a task in progress.
const maxIdle = time.Minute

// Pool keeps a value for each job of other processes with which this process helps. The
// tasks of a job use the same value at the same time. The exported fields must not be
// changed after the first use.
type Pool[T any] struct {
	Open  func(*job.Job) (T, error) // makes the value of a job
	Close func(T)                   // ends a value that no task uses

	mu   sync.Mutex
	jobs map[string]*pooled[T] // guarded by mu; by the ID of the job
}

// pooled is the value of one job.
type pooled[T any] struct {
	value T
	users int       // guarded by Pool.mu; tasks in progress
	used  time.Time // guarded by Pool.mu; when the last one ended
}

// Take returns the value of a job for one task. The caller calls leave once, when the task
// has ended. Take closes the values of other jobs that were not used for a minute.
func (p *Pool[T]) Take(j *job.Job) (value T, leave func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, own := range p.jobs {
		if own.users == 0 && time.Since(own.used) > maxIdle {
			delete(p.jobs, id)
			p.Close(own.value)
		}
	}
	own := p.jobs[j.ID]
	if own == nil {
		if value, err = p.Open(j); err != nil {
			return value, nil, err
		}
		own = &pooled[T]{value: value}
		if p.jobs == nil {
			p.jobs = map[string]*pooled[T]{}
		}
		p.jobs[j.ID] = own
	}
	own.users++
	return own.value, func() { p.leave(own) }, nil
}

func (p *Pool[T]) leave(own *pooled[T]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	own.users--
	own.used = time.Now()
}

// End closes all values. The caller calls it when no task is in progress.
func (p *Pool[T]) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, own := range p.jobs {
		delete(p.jobs, id)
		p.Close(own.value)
	}
}
