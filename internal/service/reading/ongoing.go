// SPDX-License-Identifier: Apache-2.0

package reading

import (
	"context"
	"sync"
	"time"

	"example.com/curlew/job"
)

// ongoing is the work over documents that is under way.
type ongoing struct {
	mu     sync.Mutex
	last   int
	closed bool
	ends   map[int]piece // guarded by mu
	empty  chan struct{} // guarded by mu; closed once there is none; nil if nobody waits
}

// piece is one piece of it.
type piece struct {
	end   context.CancelCauseFunc // nil: whoever asked for it ends it
	begun time.Time
}

// enter notes that work begins. After the beginning of a shutdown it ends at once,
// unless it is a job's: that ends with its job, which must not take the end for
// the page's fault.
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

// Stop ends all work and waits for it for a moment. It returns how much work
// goes on all the same, and how old the oldest is.
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
