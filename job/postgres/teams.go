// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"example.com/curlew/job"
)

// teams is what the processes of a database know of teams together.
type teams struct {
	keys     *Keys
	policies *Policies
	limiter  *Limiter
}

const (
	// remember is how long a process may use an answer without asking the database
	// again. A change by another process takes effect within this time.
	remember = time.Second

	// answerIn is how long the database may take to answer a request for a key, a policy
	// or a rate.
	answerIn = 5 * time.Second

	mostRemembered = 10_000
)

// errSilent means that the database has not answered within answerIn.
var errSilent = fmt.Errorf("%w: the database does not answer", job.ErrStorage)

// memory remembers answers of the database for a while. Callers that ask for the same
// thing at the same time share one question.
type memory[K comparable, V any] struct {
	within time.Duration // how long the database may take; zero means answerIn

	mu    sync.Mutex
	known map[K]*answer[V]
	turn  int // counts calls of forget, so that answers from before are not remembered
}

// answer is an answer that may still be under way.
type answer[V any] struct {
	began time.Time
	done  chan struct{} // closed when the fields below are set
	value V
	life  time.Duration // from began on
	err   error
}

// get returns what load returns, or has returned for the same key a short time ago. load
// also returns for how long its value may be used by others. Its context does not end with
// that of the caller.
func (m *memory[K, V]) get(ctx context.Context, key K, load func(ctx context.Context) (V, time.Duration, error)) (V, error) {
	for {
		m.mu.Lock()
		a := m.known[key]
		if a == nil || time.Since(a.began) >= remember {
			return m.ask(ctx, key, load)
		}
		m.mu.Unlock()
		select {
		case <-a.done:
		case <-ctx.Done():
			var none V
			return none, context.Cause(ctx)
		}
		if a.err != nil || time.Since(a.began) < min(a.life, remember) {
			return a.value, a.err
		}
		m.mu.Lock()
		if m.known[key] == a {
			delete(m.known, key)
		}
		m.mu.Unlock()
	}
}

// ask calls load and remembers its answer. The caller has locked mu, which ask unlocks.
func (m *memory[K, V]) ask(ctx context.Context, key K, load func(ctx context.Context) (V, time.Duration, error)) (V, error) {
	a := &answer[V]{began: time.Now(), done: make(chan struct{})}
	if m.known == nil || len(m.known) >= mostRemembered {
		m.known = map[K]*answer[V]{}
	}
	m.known[key] = a
	turn := m.turn
	m.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cmp.Or(m.within, answerIn))
	defer cancel()
	a.value, a.life, a.err = load(ctx)
	if a.err != nil && ctx.Err() != nil {
		a.err = errSilent
	}
	close(a.done)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known[key] == a && (a.err != nil || a.life <= 0 || m.turn != turn) {
		delete(m.known, key)
	}
	return a.value, a.err
}

// forget makes the next get ask the database.
func (m *memory[K, V]) forget(key K) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turn++
	delete(m.known, key)
}
