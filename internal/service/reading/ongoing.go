// SPDX-License-Identifier: Apache-2.0

package reading

import (
	"context"
	"sync"
	"time"

	"example.com/curlew/job"
)

// ongoing is the work on documents in progress.
type ongoing struct {
	mu     sync.Mutex
	last   int
	closed bool
	ends   map[int]piece // guarded by mu
	empty  chan struct{} // guarded by mu; closed when there is none; nil if nothing waits for it
}

// piece is one piece of work.
type piece struct {
	end   context.CancelCauseFunc // nil if the caller ends it
	begun time.Time
}

// enter records that work begins. During a shutdown it ends the work at once,
// unless it belongs to a job. Work of a job ends with the job, because
// otherwise the job would blame the page.
func (b *ongoing) enter(end context.CancelCauseFunc, ofJob bool) (id int) {
	if ofJob {
		end = nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ends == nil {
		b.ends = map[int]piece{}
	}
	b.last++
	b.ends[b.last] = piece{end, time.Now()}
	if b.closed && end != nil {
		end(job.ErrShutdown)
	}
	return b.last
}

func (b *ongoing) leave(id int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.ends, id)
	if len(b.ends) == 0 && b.empty != nil {
		close(b.empty)
		b.empty = nil
	}
}

// Stop ends all work and waits a moment for it. It returns the number of pieces
// that still run, and the age of the oldest.
func (r *Budget) Stop(ctx context.Context) (stuck int, oldest time.Duration) {
	b := &r.work
	b.mu.Lock()
	b.closed = true
	for _, o := range b.ends {
		if o.end != nil {
			o.end(job.ErrShutdown)
		}
	}
	if len(b.ends) == 0 {
		b.mu.Unlock()
		return 0, 0
	}
	if b.empty == nil {
		b.empty = make(chan struct{})
	}
	empty := b.empty
	b.mu.Unlock()
	late := time.NewTimer(2 * endsIn)
	defer late.Stop()
	select {
	case <-empty:
	case <-late.C:
	case <-ctx.Done():
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, o := range b.ends {
		oldest = max(oldest, time.Since(o.begun))
	}
	return len(b.ends), oldest
}
