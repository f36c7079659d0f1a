// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"errors"
	"math"
	"time"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/internal/journal"
	"example.com/curlew/internal/uuid"
)

// DefaultKeep is how long a job is kept after its end by default.
const DefaultKeep = 24 * time.Hour

// Unlimited as a limit means all items.
const Unlimited = -1

// State is the state of a job. The last three are final.
type State string

// States of a job.
const (
	Running   State = "running"
	Completed State = "completed"
	Failed    State = "failed"
	Cancelled State = "cancelled"
)

// Final reports whether a job in state s stays in it: true for [Completed],
// [Failed] and [Cancelled].
func (s State) Final() bool { return s == Completed || s == Failed || s == Cancelled }

// Reasons why a job is not available, has ended, or cannot be stored.
var (
	ErrNotFound  = errors.New("no such job")       // unknown, expired, or belongs to another owner
	ErrEnded     = errors.New("job has ended")     // it cannot be cancelled or appended to
	ErrCancelled = errors.New("job was cancelled") // the cause of a cancelled work's ctx
	ErrShutdown  = errors.New("runner is shut down")
	ErrExists    = errors.New("job already exists")
	ErrInvalid   = errors.New("invalid job")              // the id is not a [ValidID], or the kind or state is wrong
	ErrKind      = errors.New("unknown kind of job")      // the kind is not in [Runner.Works]
	ErrOpen      = errors.New("frontier is already open") // a job has one frontier, which is still open
	ErrClosed    = errors.New("store is closed")
	ErrElsewhere = errors.New("this process does not hold the job") // another process works on it, or may take it over
	ErrLocked    = journal.ErrLocked                                // another [Files] uses the directory, in this or another process
	ErrCorrupt   = errors.New("record is damaged")                  // the record of a job or item on disk
	ErrFull      = errors.New("no disk space left")                 // the device is full, or a quota or the largest size of a file is reached
	ErrMemory    = errors.New("no memory left for results")         // for the results of further jobs in memory
	ErrStorage   = errors.New("storage error")                      // the disk or database cannot be read or written for another reason
	ErrVersion   = errors.New("the data belong to an incompatible version")
)

// Error says which job an operation failed for.
type Error struct {
	ID  string // empty if the job has none yet
	Err error  // wraps an error of this package, of the store or of ctx
}

// Error returns "job <id>: <cause>".
func (e *Error) Error() string {
	if e.ID == "" {
		return "job: " + e.Err.Error()
	}
	return "job " + e.ID + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// wrap returns err as an [*Error] of the job id. A nil error stays nil.
func wrap(id string, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok && e.ID == id {
		return err
	}
	return &Error{ID: id, Err: err}
}

// Job describes a piece of work that may take longer than a request or a process.
type Job struct {
	ID      string // a UUIDv7, see [NewID]
	Kind    string // key of [Runner.Works]
	Owner   string // team
	Spec    []byte // opaque to this package and durable; shared, so it must not be changed
	State   State
	Err     string        // why the job failed
	Keep    time.Duration // how long it is kept after the end; zero means [DefaultKeep]
	Created time.Time
	Ended   time.Time // zero while running
	Expires time.Time // Ended plus Keep; zero while running

	// Volatile jobs are kept in memory only, whatever the store is. Nothing of
	// them is written to a disk, and they end with the process.
	Volatile bool

	// Key makes the creation unique, if the store is a [Keyer] and the job is not
	// Volatile. Otherwise it is ignored. Loaded jobs have none.
	Key *Key
}

// ItemKind is the kind of an item.
type ItemKind uint8

// Kinds of items. Each kind is a separate sequence that starts at 0.
const (
	Result   ItemKind = iota // a delivered page or document
	Failure                  // one entry of the errors list
	Blocked                  // a URL disallowed by robots.txt
	Note                     // a warning for the whole job
	Input                    // work to do (batch scrape: one URL)
	Robots                   // a robots.txt file that the job has read
	Event                    // an entry of the work's own journal
	File                     // a file that belongs to a result, such as a picture
	Exchange                 // a request that the job has made, and its response

	kinds = iota
)

// Item is one result, failure, event or other value that a job has stored. The store
// does not interpret Data. The Data of an item that was read is shared, so it must not
// be changed.
type Item struct {
	Kind ItemKind
	Data []byte
	Cost int // credits, between -(2^31-1) and 2^31-1

	// Input is the number of the work's input that is done with this item,
	// starting at 1. Zero means none. The work defines how inputs are numbered;
	// see [Settled].
	Input int

	// Err is set for an item whose Data could not be read and is nil. It wraps
	// [ErrCorrupt]. It is not set when appending.
	Err error
}

// Limits of Item.Input and of the absolute value of Item.Cost.
const (
	maxInput = math.MaxInt32
	maxCost  = math.MaxInt32
)

// Stats are the live figures of a job.
type Stats struct {
	Items [kinds]int     // number of items by ItemKind
	Cost  int            // cost of all items, and of commits without an item
	Crawl frontier.Stats // figures of the job's frontier; zero if it has none

	// Lost is a lower bound of the number of Results that are missing from a
	// damaged record. Missing items before others keep their places in Items,
	// with an Err, and count in Items too. Missing items at the end do not.
	Lost int `json:"-"`

	// Waiting says that the disk is full. The job continues when there is room.
	// The other figures describe what is on the disk.
	Waiting bool `json:"-"`
}

// Filter selects the jobs of a List.
type Filter struct {
	Kind  string // empty means all
	State State  // empty means all
}

// admits reports whether f selects j.
func (f Filter) admits(j *Job) bool {
	return (f.Kind == "" || f.Kind == j.Kind) && (f.State == "" || f.State == j.State)
}

// Store stores jobs and their items. Implementations are safe for concurrent
// use and return when ctx ends. For an id that is unknown, expired or of
// another owner they return an error that wraps [ErrNotFound], which does not
// tell these cases apart.
//
// Load and List answer requests of callers, so both require an owner. Space and
// Delete get only ids that Load has accepted.
//
// In a durable store, what Create, Append, End and Commit have accepted
// survives the process; for the first three it also survives a failure of the
// machine. In a store that several processes share, a commit survives the
// process a moment later, when it has become visible. If the process dies
// before that, the task of the commit is pending again. Load, Items and Stats show nothing that a failure could undo: a
// commit of a frontier may become visible a moment later, but is visible after
// Stats has counted it. If a process dies, its running jobs are still running
// when the store is opened again, and a [Resumer] lists them. A failed write
// leaves the job as it was last shown, and no later write succeeds in this
// process.
//
// Several processes may share a store. Each of them reads all jobs, but only one
// at a time works on a job. For a process that has lost a job to another one,
// writing fails with [ErrElsewhere].
//
// Volatile jobs are kept in memory only.
//
// A job expires exactly at its Expires time. From then on its id is like one
// that never existed, and the store frees its memory and disk space by itself.
//
// [example.com/curlew/job/jobtest] tests an implementation.
type Store interface {
	// Create stores a copy of j, which must be running: its State is [Running],
	// and Ended, Expires and Err are zero. It returns [ErrInvalid] for any
	// other state and for an ID that is not a [ValidID], and [ErrExists] for an
	// ID in use.
	Create(ctx context.Context, j *Job) error

	// Load returns the current state of the job. The Job belongs to the caller,
	// except for Spec.
	Load(ctx context.Context, owner, id string) (*Job, error)

	// List returns the owner's jobs that f selects, by ID in descending order:
	// the newest first, because a UUIDv7 starts with its time. No job is not an
	// error.
	List(ctx context.Context, owner string, f Filter) ([]*Job, error)

	// Space opens the space of a job. Several may be open at the same time.
	Space(ctx context.Context, id string) (Space, error)

	// Delete removes a job with all its data, even if it is running. Open
	// spaces then return [ErrNotFound].
	Delete(ctx context.Context, id string) error
}

// Space is where one job stores its items. The rules of [Store] apply. Items of
// one kind have the indices 0, 1, 2, … in the order in which they were
// accepted. An item is never changed, moved or removed while the job exists.
type Space interface {
	// Frontier opens the job's crawl frontier. Its commits appear in Items:
	// payloads of delivered pages as Result, those of failed pages as Failure,
	// and blocked URLs as Blocked, in the order of the commits, each with the
	// cost of its commit. A commit and its items become visible together.
	//
	// A job has one frontier. Frontier returns [ErrOpen] while it is open, and
	// Commit returns [ErrEnded] after the job has ended. After a restart of a
	// durable store the frontier continues: tasks that were leased and not
	// committed are pending again. c must equal that of the first call.
	Frontier(ctx context.Context, o frontier.Options) (frontier.Frontier, error)

	// Append adds all items in order, or none. It returns [ErrEnded] after the
	// job has ended, and [ErrInvalid] for an unknown kind. Data belongs to the
	// caller again after the return.
	Append(ctx context.Context, items ...Item) error

	// Items returns at most limit items of one kind, starting at index from. A
	// negative limit means all. Past the last item the result is empty. An item
	// that cannot be read has its Err set.
	Items(ctx context.Context, kind ItemKind, from, limit int) ([]Item, error)

	// Stats returns figures, including Crawl, that were all true at one instant
	// during the call. It does not iterate over items.
	Stats(ctx context.Context) (Stats, error)

	// End makes the job's state final and sets Ended and Expires. Of several
	// calls one succeeds, and the others return [ErrEnded]. A concurrent commit
	// or append takes effect before it, or fails after it. If s is not final,
	// it returns [ErrInvalid].
	End(ctx context.Context, s State, reason string) error
}

// Notifier is an optional interface of a [Space]. Without it, watching polls.
type Notifier interface {
	// Changed returns a channel that is closed when anything that Items or Load
	// return for the job changes after the call.
	Changed() <-chan struct{}
}

// Waiter is an optional interface of a [Space] whose store can be full.
type Waiter interface {
	// Room waits until the store can be written to. It returns the error of
	// ctx, or the error that ended writing permanently. While there is no room,
	// Append and the Commit of a frontier return [ErrFull] and change nothing.
	Room(ctx context.Context) error
}

// Resumer is an optional interface of a [Store] that survives the process.
type Resumer interface {
	// Unfinished returns the running jobs of all owners, the oldest first. If
	// several processes share the store, it returns only those that this process
	// works on or takes over, because no other process works on them.
	Unfinished(ctx context.Context) ([]*Job, error)
}

// Settler is an optional interface of a [Space]. Without it, [Settled] reads
// all items.
type Settler interface {
	// Settled returns each positive Input of the job's items, in any order.
	Settled(ctx context.Context) ([]int, error)
}

// Work is a function that does a job of one kind. If it returns nil, the job is
// completed. If it returns an error, the job has failed, and readers of the job get the
// text of the error.
//
// Its ctx ends with the cause [ErrCancelled] when the job is cancelled: at
// once, or after [Runner.Grace] if the work has opened a frontier or called
// [Draining]. It ends with [ErrShutdown] when the Runner is shut down. The job
// then stays running, whatever the work returns, and a durable store passes it
// to the next process, which calls the Work again with the same Space.
//
// When the work returns, the frontiers that it opened are closed.
type Work func(ctx context.Context, j *Job, s Space) error

// NewID returns a new UUIDv7 in lower case (RFC 9562, 5.7). The ids of one
// process are strictly increasing, as text and as bytes, even if the clock
// stops or is set back. It is safe for concurrent use.
func NewID() string { return uuid.New() }

// ValidID reports whether id is a UUIDv7 in the form that [NewID] writes: lower
// case, with hyphens. Such an id is safe as a file name.
func ValidID(id string) bool { return uuid.Valid(id) }
