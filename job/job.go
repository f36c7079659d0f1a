// SPDX-License-Identifier: Apache-2.0

// Package job runs long work under an id: work -> id.
package job

import (
	"context"
	"errors"
	"iter"
	"time"

	"example.com/curlew/crawl"
)

// State is where a job stands. The last three are final.
type State string

// States of a job.
const (
	Running   State = "running"
	Completed State = "completed"
	Failed    State = "failed"
	Cancelled State = "cancelled"
)

// Why a job cannot be had, or ended.
var (
	ErrNotFound  = errors.New("no such job")       // unknown, expired or another owner's
	ErrEnded     = errors.New("job has ended")     // cannot be cancelled, appended to
	ErrCancelled = errors.New("job was cancelled") // the cause of a cancelled work's ctx
	ErrShutdown  = errors.New("runner is shut down")
)

// Job is one piece of long work.
type Job struct {
	ID      string // UUIDv7
	Kind    string // key of Runner.Works
	Owner   string // the team
	Spec    []byte // opaque to this room; durable
	State   State
	Err     string // why it failed
	Created time.Time
	Ended   time.Time // zero while running
	Expires time.Time // zero while running
}

// ItemKind says what an item is.
type ItemKind uint8

// Kinds of items. Each kind is a sequence of its own, from 0.
const (
	Result  ItemKind = iota // a delivered page or document
	Failure                 // one entry of the errors list
	Blocked                 // a URL that robots.txt kept out
	Note                    // a warning for the job as a whole
	Input                   // work still to do (batch scrape: one URL)
)

// Item is one thing that a job yielded. Data is opaque.
type Item struct {
	Kind ItemKind
	Data []byte
	Cost int // credits
}

// Stats are the live figures of a job.
type Stats struct {
	Items [5]int      // by ItemKind
	Cost  int         // sum of the items'
	Crawl crawl.Stats // of the job's frontier; zero where it has none
}

// Filter narrows a List.
type Filter struct {
	Kind  string // empty: all
	State State  // empty: all
}

// Store keeps jobs and what they produce. (contract by the owner: style.md 6)
type Store interface {
	Create(ctx context.Context, j *Job) error
	Load(ctx context.Context, owner, id string) (*Job, error)
	List(ctx context.Context, owner string, f Filter) ([]*Job, error)
	Space(ctx context.Context, id string) (Space, error)
	Delete(ctx context.Context, id string) error
}

// Space is what one job writes to.
type Space interface {
	// Frontier opens the job's crawl frontier. What it commits appears in Items:
	// payloads of delivered pages as Result, of failed ones as Failure,
	// blocked URLs as Blocked, in commit order.
	Frontier(ctx context.Context, c crawl.Config) (crawl.Frontier, error)
	Append(ctx context.Context, items ...Item) error // all or none
	Items(ctx context.Context, kind ItemKind, from, limit int) ([]Item, error)
	Stats(ctx context.Context) (Stats, error)
	End(ctx context.Context, s State, reason string) error // compare-and-set; a terminal state stays
}

// Work does a job of one kind. Its ctx ends with cause ErrCancelled when the
// job is cancelled.
type Work func(ctx context.Context, j *Job, s Space) error

// Runner starts jobs, and finds them again.
type Runner struct {
	Store Store           // nil: in memory
	Works map[string]Work // by Job.Kind
	Keep  time.Duration   // life after the end; zero means 24 h
	Grace time.Duration   // what a cancelled work gets to end; zero means 10 s
}

// Start creates a job and begins its work. The job is durable when Start returns.
func (r *Runner) Start(ctx context.Context, kind, owner string, spec []byte) (*Job, error) {
	panic("skeleton")
}

// Get returns a job and its live figures.
func (r *Runner) Get(ctx context.Context, owner, id string) (*Job, Stats, error) { panic("skeleton") }

// Items returns at most limit items of one kind from index from on.
func (r *Runner) Items(ctx context.Context, owner, id string, kind ItemKind, from, limit int) ([]Item, error) {
	panic("skeleton")
}

// List returns the owner's jobs, newest first.
func (r *Runner) List(ctx context.Context, owner string, f Filter) ([]*Job, error) { panic("skeleton") }

// Append adds items to a running job; ErrEnded where it has ended.
func (r *Runner) Append(ctx context.Context, owner, id string, items ...Item) error {
	panic("skeleton")
}

// Watch yields the job's Result items from index from on, those that exist and
// then those that come, and ends when the job has.
func (r *Runner) Watch(ctx context.Context, owner, id string, from int) iter.Seq2[Item, error] {
	panic("skeleton")
}

// Cancel ends a job and returns when nothing will be added to it any more.
func (r *Runner) Cancel(ctx context.Context, owner, id string) error { panic("skeleton") }

// Shutdown stops all work without ending the jobs, and waits for it.
func (r *Runner) Shutdown(ctx context.Context) error { panic("skeleton") }
