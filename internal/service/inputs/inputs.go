// SPDX-License-Identifier: Apache-2.0

// Package inputs hands out the URLs of a batch.
package inputs

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"example.com/curlew/job"
)

// Queue hands out the inputs of a batch, each once in a process. Inputs that were done
// before a restart are skipped. Inputs count from 1.
type Queue struct {
	space job.Space
	first []string // inputs of the start; further ones are items of the job
	drain <-chan struct{}
	done  func(input int) bool

	mu   sync.Mutex
	next int   // guarded by mu; index of the next input
	err  error // guarded by mu; error of the store, which ends the batch
}

// Open returns the queue of the job of space, which was started with the inputs first.
func Open(ctx context.Context, space job.Space, first []string) (*Queue, error) {
	done, err := job.Settled(ctx, space)
	return &Queue{space: space, first: first, drain: job.Draining(space), done: done}, err
}

// Run calls do for each input, at most width at once, until the queue is sealed or drained,
// or ctx ends. After an error of do it begins no further call, waits for those in progress
// and returns the error, unless ctx had ended. Run also returns errors of the store.
func (q *Queue) Run(ctx context.Context, width int, do func(ctx context.Context, url string, input int) error) error {
	for {
		var wg sync.WaitGroup
		for range width {
			wg.Go(func() { q.work(ctx, do) })
		}
		wg.Wait()
		if err := q.Err(); err != nil || q.Drained() || ctx.Err() != nil {
			return err
		}
		if sealed, err := q.Seal(ctx); sealed || err != nil {
			return err
		}
	}
}

// work calls do for inputs until there are none at the moment.
func (q *Queue) work(ctx context.Context, do func(ctx context.Context, url string, input int) error) {
	for {
		url, input, ok := q.Take(ctx)
		if !ok {
			return
		}
		if err := do(ctx, url, input); err != nil {
			if ctx.Err() == nil {
				q.Fail(fmt.Errorf("keep a page: %w", err)) // logged, and a URL may hold a secret
			}
			return
		}
	}
}

// Take returns the next URL and the number of its input. It returns false if there is none
// at the moment.
func (q *Queue) Take(ctx context.Context) (url string, input int, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err != nil || ctx.Err() != nil || q.Drained() {
		return "", 0, false
	}
	for q.done(q.next + 1) {
		q.next++
	}
	if q.next < len(q.first) {
		q.next++
		return q.first[q.next-1], q.next, true
	}
	items, err := q.space.Items(ctx, job.Input, q.next-len(q.first), 1)
	if err == nil && len(items) > 0 {
		err = items[0].Err
	}
	if err != nil || len(items) == 0 {
		q.err = err
		return "", 0, false
	}
	q.next++
	return string(items[0].Data), q.next, true
}

// unavailable is the data of the event of a page that its site did not give. A batch has no
// other events, so it has as many of such pages as events.
const unavailable = "unavailable"

// Keep stores the item that was made of an input. status is the HTTP status of the page. If
// the page was delivered although its last answer was 429, or 500 and above, as in
// [frontier.Stats] of a crawl, Keep also stores an event.
func (q *Queue) Keep(ctx context.Context, input int, item job.Item, status int) error {
	item.Input = input
	if item.Kind == job.Result && (status == http.StatusTooManyRequests || status >= http.StatusInternalServerError) {
		return q.space.Append(ctx, item, job.Item{Kind: job.Event, Data: []byte(unavailable)})
	}
	return q.space.Append(ctx, item)
}

// Fail stores an error that ends the batch.
func (q *Queue) Fail(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.err = errors.Join(q.err, err)
}

// Err returns the error that ended the batch.
func (q *Queue) Err() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.err
}

// Drained reports whether the job is being cancelled.
func (q *Queue) Drained() bool {
	select {
	case <-q.drain:
		return true
	default:
		return false
	}
}

// Seal closes the queue, so that no input can be appended any more. It returns false if
// there are inputs that were not taken.
func (q *Queue) Seal(ctx context.Context) (sealed bool, err error) {
	q.mu.Lock()
	taken := q.next - len(q.first)
	q.mu.Unlock()
	return job.Seal(ctx, q.space, taken)
}
