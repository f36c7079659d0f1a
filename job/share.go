// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"errors"
	"time"

	"example.com/curlew/crawl/pace"
)

// ErrLost means that a task did not come back from the process that did it: the
// process has died or stopped, or the result was too large to be passed on. The
// task may have been done in part, so a request may have been made.
var ErrLost = errors.New("the process that did a task has not returned a result")

// Task is a part of a job that any process can do, such as one page of a crawl.
// Doing it changes nothing in the store. The process that works on the job
// stores what comes back.
type Task struct {
	// Kind says which processes can do the task: those that help with this kind.
	Kind string

	Data []byte // opaque to this package; at most MaxTask bytes

	// Gap is the pause that follows the task if the result is not known. If another
	// process takes over the job while the task is being done, that process
	// waits for the end of the task and for this time.
	Gap time.Duration
}

// MaxTask and MaxTaskResult limit the sizes of a task and of its result in bytes.
const (
	MaxTask       = 1 << 20
	MaxTaskResult = 8 << 20
)

// Sharer is an optional interface of a [Space] of a store that several processes
// share.
type Sharer interface {
	// Share has another process do a task and returns the result, which is not
	// nil. If no other process is free, or fewer tasks are in progress here than
	// there in proportion to what the processes can do, Share calls here instead
	// and returns nil. It does the same if no process has begun the task after a
	// moment.
	//
	// The error wraps [ErrLost] if the task did not come back. Other errors are
	// those of ctx and of [Space.Append]: the task is then not done again.
	Share(ctx context.Context, t Task, here func()) (result []byte, err error)
}

// Share calls [Sharer.Share] if s is a Sharer, and here otherwise.
func Share(ctx context.Context, s Space, t Task, here func()) (result []byte, err error) {
	if r, ok := s.(*runSpace); ok {
		s = r.Space
	}
	if sh, ok := s.(Sharer); ok && len(t.Data) <= MaxTask {
		return sh.Share(ctx, t, here)
	}
	here()
	return nil, nil
}

// Shares reports whether s is a [Sharer].
func Shares(s Space) bool {
	if r, ok := s.(*runSpace); ok {
		s = r.Space
	}
	_, ok := s.(Sharer)
	return ok
}

// Pacer is an optional interface of a [Store] that several processes share.
type Pacer interface {
	// Hosts returns the scheduler that keeps the pace of hosts together with the
	// other processes. It is always the same.
	Hosts() pace.Scheduler
}

// Helper is an optional interface of a [Store] that several processes share.
type Helper interface {
	// Help does tasks that other processes share until ctx ends. Then it takes no
	// more, waits until those in progress have ended, cancels them after a grace
	// period, and returns nil. It calls [Help].Do in several goroutines.
	//
	// The error says why no tasks can be done, for example because the store
	// already helps. While the store does not answer, Help tries again.
	Help(ctx context.Context, h Help) error
}

// Help says which tasks a process does for others.
type Help struct {
	Kind  string
	Most  int           // tasks in progress at once
	Grace time.Duration // how long tasks in progress may take at the end

	// Do does a task of a job and returns the result. An error, an empty result,
	// and one that is larger than MaxTaskResult make the task lost. The job is
	// shared by several calls, so it must not be changed, and its State may be
	// out of date. The ctx also ends if the task is not needed any more, and if
	// this process cannot show the others that it lives.
	Do func(ctx context.Context, j *Job, task []byte) (result []byte, err error)
}
