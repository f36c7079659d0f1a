// SPDX-License-Identifier: Apache-2.0

package job

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"sync"
	"time"
)

const (
	// poll is how often Watch looks for changes if a Space is not a Notifier.
	poll = time.Second

	// watched is how many items Watch reads at a time.
	watched = 32
)

// Runner starts jobs and finds them again. It requires Works. The other fields
// have defaults. A Runner is safe for concurrent use and must not be changed
// after its first use.
type Runner struct {
	Store Store           // nil means in memory
	Works map[string]Work // by Job.Kind
	Keep  time.Duration   // how long jobs are kept after their end; zero means 24 h
	Grace time.Duration   // time that a cancelled work gets to finish; zero means 10 s

	Logger *slog.Logger // reports panics of works, and ends that the store refused; nil discards the reports

	memory Memory // used if Store is nil

	mu      sync.Mutex
	runs    map[string]*run // guarded by mu; jobs by id that run here or whose end failed
	closing chan struct{}   // guarded by mu; closed by Shutdown; nil before its first use
	closed  bool            // guarded by mu
}

func (r *Runner) store() Store {
	if r.Store == nil {
		return &r.memory
	}
	return r.Store
}

func (r *Runner) logger() *slog.Logger {
	if r.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return r.Logger
}

// Start creates a job and starts its work. The job is durable when Start
// returns. The work outlives ctx and keeps its values. Errors wrap [ErrKind],
// [ErrShutdown] or come from the store.
func (r *Runner) Start(ctx context.Context, kind, owner string, spec []byte) (*Job, error) {
	return r.Begin(ctx, Job{Kind: kind, Owner: owner, Spec: spec})
}

// Begin is like Start for a job that is [Job.Volatile] or has its own ID, Keep or Key.
// It uses the fields ID, Kind, Owner, Spec, Volatile, Keep and Key of template. Errors
// also wrap [ErrExists] if a job has that ID.
func (r *Runner) Begin(ctx context.Context, template Job) (*Job, error) {
	j := &Job{Kind: template.Kind, Owner: template.Owner, Spec: bytes.Clone(template.Spec), Volatile: template.Volatile, Key: template.Key}
	work := r.Works[j.Kind]
	if work == nil {
		return nil, wrap("", fmt.Errorf("%w: %q", ErrKind, j.Kind))
	}
	j.ID, j.State, j.Created = template.ID, Running, time.Now()
	if j.ID == "" {
		j.ID = NewID()
	}
	j.Keep = cmp.Or(template.Keep, r.Keep, DefaultKeep)
	x := r.newRun(j)

	// Register the run first, so that Shutdown waits for a job that is being
	// created.
	if there, entered := r.enter(x); there {
		return nil, wrap(j.ID, ErrExists)
	} else if !entered {
		return nil, wrap("", ErrShutdown)
	}
	space, err := r.create(ctx, j)
	if err != nil {
		r.leave(x)
		x.void()
		return nil, wrap(j.ID, err)
	}
	x.start(context.WithoutCancel(ctx), space, work, func() { r.leave(x) })
	return j, nil
}

func (r *Runner) newRun(j *Job) *run {
	return newRun(*j, cmp.Or(r.Grace, 10*time.Second), r.logger())
}

// Resume continues the jobs that were running when the store was opened. It
// calls the work of each with the same Job and Space, and the work outlives
// ctx. A program calls it when it starts to serve, or before. It skips jobs
// that this Runner is working on, and does nothing if the store is not a
// [Resumer].
//
// A job that cannot be resumed is left as it is. After all others have been
// resumed, Resume returns an error that wraps [ErrKind] or [ErrShutdown], or
// that of the store.
func (r *Runner) Resume(ctx context.Context) error {
	st, ok := r.store().(Resumer)
	if !ok {
		return nil
	}
	jobs, err := st.Unfinished(ctx)
	if err != nil {
		return wrap("", err)
	}
	var errs []error
	for _, j := range jobs {
		errs = append(errs, wrap(j.ID, r.resume(ctx, j)))
	}
	return errors.Join(errs...)
}

// resume resumes one job.
func (r *Runner) resume(ctx context.Context, j *Job) error {
	work := r.Works[j.Kind]
	if work == nil {
		return fmt.Errorf("%w: %q", ErrKind, j.Kind)
	}
	x := r.newRun(j)
	if there, entered := r.enter(x); there || !entered {
		if there {
			return nil // already running here
		}
		return ErrShutdown
	}
	// The job may have ended between the list and its registration here.
	now, err := r.store().Load(ctx, j.Owner, j.ID)
	var space Space
	if err == nil && !now.State.Final() {
		space, err = r.store().Space(ctx, j.ID)
	}
	if space == nil || err != nil {
		r.leave(x)
		x.void()
		if errors.Is(err, ErrNotFound) {
			err = nil
		}
		return err
	}
	x.start(context.WithoutCancel(ctx), space, work, func() { r.leave(x) })
	return nil
}

func (r *Runner) create(ctx context.Context, j *Job) (Space, error) {
	if err := r.store().Create(ctx, j); err != nil {
		return nil, err
	}
	return r.store().Space(ctx, j.ID)
}

// enter registers x, unless its job is already registered (there) or the runner
// is shut down.
func (r *Runner) enter(x *run) (there, entered bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.runs[x.job.ID] != nil {
		return true, false
	}
	if r.closed {
		return false, false
	}
	if r.runs == nil {
		r.runs = make(map[string]*run)
	}
	r.runs[x.job.ID] = x
	return false, true
}

// leave removes x, which has ended.
func (r *Runner) leave(x *run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.runs, x.job.ID)
}

// run returns what works on the job here, or nil.
func (r *Runner) run(id string) *run {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.runs[id]
}

// Holds reports whether this process works on the job now.
func (r *Runner) Holds(id string) bool { return r.run(id) != nil }

// shutdown returns a channel that is closed when Shutdown is called.
func (r *Runner) shutdown() chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closing == nil {
		r.closing = make(chan struct{})
	}
	return r.closing
}

// load returns the owner's job.
func (r *Runner) load(ctx context.Context, owner, id string) (*Job, error) {
	if !ValidID(id) {
		return nil, wrap(id, ErrNotFound)
	}
	// Get the run first: if it ends in between, the store knows the end.
	x := r.run(id)
	j, err := r.store().Load(ctx, owner, id)
	if err != nil {
		return nil, wrap(id, err)
	}
	x.show(j)
	return j, nil
}

// open returns the owner's job and its space.
func (r *Runner) open(ctx context.Context, owner, id string) (*Job, Space, error) {
	j, err := r.load(ctx, owner, id)
	if err != nil {
		return nil, nil, err
	}
	s, err := r.store().Space(ctx, id)
	if err != nil {
		return nil, nil, wrap(id, err)
	}
	return j, s, nil
}

// Get returns a job and its live figures. The figures of an ended job are
// final. Errors wrap [ErrNotFound] if the job is unknown, expired or not the
// owner's.
func (r *Runner) Get(ctx context.Context, owner, id string) (*Job, Stats, error) {
	// Read the state first: if it is final, the figures read afterwards are
	// final too.
	j, s, err := r.open(ctx, owner, id)
	if err != nil {
		return nil, Stats{}, err
	}
	stats, err := s.Stats(ctx)
	if err != nil {
		return nil, Stats{}, wrap(id, err)
	}
	return j, stats, nil
}

// Items returns at most limit items of one kind, starting at index from. A
// negative limit means all. Errors are those of [Runner.Get].
func (r *Runner) Items(ctx context.Context, owner, id string, kind ItemKind, from, limit int) ([]Item, error) {
	_, s, err := r.open(ctx, owner, id)
	if err != nil {
		return nil, err
	}
	items, err := s.Items(ctx, kind, from, limit)
	return items, wrap(id, err)
}

// List returns the owner's jobs, the newest first.
func (r *Runner) List(ctx context.Context, owner string, f Filter) ([]*Job, error) {
	// Ask the store by kind only: a job that this process shows as failed may
	// be running in the store.
	list, err := r.store().List(ctx, owner, Filter{Kind: f.Kind})
	if err != nil {
		return nil, wrap("", err)
	}
	kept := list[:0]
	for _, j := range list {
		r.run(j.ID).show(j)
		if f.admits(j) {
			kept = append(kept, j)
		}
	}
	return kept, nil
}

// Append adds items to a running job. Errors wrap [ErrEnded] if it has ended,
// is being cancelled, or its work has called [Seal]. Others are those of
// [Runner.Get].
func (r *Runner) Append(ctx context.Context, owner, id string, items ...Item) error {
	return r.append(ctx, owner, id, items, func(s Space) Space { return s })
}

// append appends items to the space that by returns for the space of a job.
func (r *Runner) append(ctx context.Context, owner, id string, items []Item, by func(Space) Space) error {
	j, s, err := r.open(ctx, owner, id)
	if err != nil {
		return err
	}
	if j.State.Final() {
		return wrap(id, ErrEnded)
	}
	return wrap(id, r.run(id).append(ctx, by(s), items))
}

// Watch yields the job's Result items from index from on: first the existing
// ones, then new ones as they are committed. It ends when the job has ended and
// all items are yielded. A slow loop delays nothing, because items wait in the
// store. If the watch ends before the job, the last pair is an error: that of
// ctx, one of [Runner.Get], or [ErrShutdown].
//
// The sequence can be ranged over again, and starts at from each time.
func (r *Runner) Watch(ctx context.Context, owner, id string, from int) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		_, s, err := r.open(ctx, owner, id)
		for next := max(from, 0); err == nil; {
			// The order matters: changes after this point close changed, and if
			// the state is final, the items read afterwards are all.
			changed, done := changes(s), r.run(id).done()
			var j *Job
			if j, err = r.load(ctx, owner, id); err != nil {
				break
			}
			var more bool
			if next, more, err = pass(ctx, s, next, yield); !more || err == nil && j.State.Final() {
				return
			}
			if err == nil {
				err = r.wait(ctx, changed, done)
			}
		}
		yield(Item{}, wrap(id, err))
	}
}

// Ready returns why the Runner cannot accept a job: [ErrShutdown], an error of
// the Store for a test query, or the error of the Store's method Ready(ctx)
// error if it has one.
func (r *Runner) Ready(ctx context.Context) error {
	select {
	case <-r.shutdown():
		return ErrShutdown
	default:
	}
	if st, ok := r.store().(interface {
		Ready(ctx context.Context) error
	}); ok {
		return st.Ready(ctx)
	}
	_, err := r.store().List(ctx, "", Filter{State: Running})
	return err
}

// Changed returns a channel that is closed when anything that Get and Items
// return for the job changes after the call. It is nil if the Store does not
// announce changes. Errors are those of [Runner.Get].
func (r *Runner) Changed(ctx context.Context, owner, id string) (<-chan struct{}, error) {
	_, s, err := r.open(ctx, owner, id)
	if err != nil {
		return nil, wrap(id, err)
	}
	return changes(s), nil
}

// pass yields the results from index next on, and returns the index after the
// last. If the loop was left, more is false.
func pass(ctx context.Context, s Space, next int, yield func(Item, error) bool) (_ int, more bool, _ error) {
	for {
		items, err := s.Items(ctx, Result, next, watched)
		if err != nil {
			return next, true, err
		}
		for _, it := range items {
			next++
			if !yield(it, nil) {
				return next, false, nil
			}
		}
		if len(items) < watched {
			return next, true, nil
		}
	}
}

// changes returns the channel that is closed at the next change of s, or nil if
// s does not announce changes.
func changes(s Space) <-chan struct{} {
	if n, ok := s.(Notifier); ok {
		return n.Changed()
	}
	return nil
}

// wait waits for the next change or the end of the work. If changes are not
// announced, it returns after a while.
func (r *Runner) wait(ctx context.Context, changed, done <-chan struct{}) error {
	var tick <-chan time.Time
	if changed == nil {
		t := time.NewTimer(poll)
		defer t.Stop()
		tick = t.C
	}
	select {
	case <-changed:
	case <-done:
	case <-tick:
	case <-r.shutdown():
		return ErrShutdown
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// Cancel ends a job and returns when nothing more will be added to it. Only
// then the job appears as [Cancelled]. Its work stops leasing at once and has
// [Runner.Grace] to commit what is in progress, see [Work]. If ctx ends first,
// Cancel returns, but the job is still cancelled.
//
// Cancelling a cancelled job does nothing. Errors wrap [ErrEnded] if the job
// has completed or failed, [ErrShutdown] if a shutdown came first, and [ErrFull]
// if the end cannot be stored: the job is cancelled when there is room. Others
// are those of [Runner.Get].
func (r *Runner) Cancel(ctx context.Context, owner, id string) error {
	j, s, err := r.open(ctx, owner, id)
	if err != nil {
		return err
	}
	switch x := r.run(id); {
	case j.State.Final():
		return wrap(id, cancelled(j.State))
	case x == nil:
		// The job is running, but not here: it waits to be resumed.
		if err := s.End(ctx, Cancelled, ""); err != nil && !errors.Is(err, ErrEnded) {
			return wrap(id, err)
		}
	default:
		x.cancel()
		if err := x.cancelling(ctx, s); err != nil {
			return wrap(id, err)
		}
	}
	if j, err = r.load(ctx, owner, id); err != nil {
		return err
	}
	return wrap(id, cancelled(j.State))
}

// cancelled returns the result of Cancel for a job in state s.
func cancelled(s State) error {
	switch s {
	case Cancelled:
		return nil
	case Running:
		return ErrShutdown
	}
	return ErrEnded
}

// Shutdown stops all work without ending the jobs, and waits for it. The ctx of
// each work ends with [ErrShutdown]. Watches end with this error, and Start
// returns it from then on. Reading is still possible. The jobs stay running. A
// durable store resumes them in the next process; in a [Memory] they stay so
// forever. If ctx ends first, Shutdown returns its error and may be called
// again.
func (r *Runner) Shutdown(ctx context.Context) error {
	closing := r.shutdown()
	r.mu.Lock()
	if !r.closed {
		r.closed = true
		close(closing)
	}
	var runs []*run
	for _, x := range r.runs {
		runs = append(runs, x)
	}
	r.mu.Unlock()

	for _, x := range runs {
		x.shutdown()
	}
	for _, x := range runs {
		select {
		case <-x.rested:
		case <-ctx.Done():
			return wrap("", context.Cause(ctx))
		}
	}
	return nil
}
