// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"errors"
	"math"
	"time"

	"example.com/curlew/crawl"
	"example.com/curlew/internal/journal"
)

// DefaultKeep is the life of a job after its end where none is named.
const DefaultKeep = 24 * time.Hour

// Unlimited asks for all items where a limit is asked for.
const Unlimited = -1

// State is where a job stands. The last three are final.
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

// Why a job cannot be had, or ended.
var (
	ErrNotFound  = errors.New("no such job")       // unknown, expired or another owner's
	ErrEnded     = errors.New("job has ended")     // cannot be cancelled, appended to
	ErrCancelled = errors.New("job was cancelled") // the cause of a cancelled work's ctx
	ErrShutdown  = errors.New("runner is shut down")
	ErrExists    = errors.New("job exists already")
	ErrInvalid   = errors.New("invalid job")    // an id that is no [ValidID], a kind or state that does not fit
	ErrKind      = errors.New("no such work")   // [Runner.Works] lacks the kind
	ErrOpen      = errors.New("frontier taken") // a job has one frontier, and who holds it has not closed it
	ErrClosed    = errors.New("store is closed")
	ErrLocked    = journal.ErrLocked               // the directory is in use by another [Files], of this process or another
	ErrCorrupt   = errors.New("record is damaged") // of a job or one of its items, on disk
	ErrFull      = errors.New("no space is left")  // on the device, or of a quota
	ErrMemory    = errors.New("no memory is left") // for the results of further jobs that are kept in it
	ErrStorage   = errors.New("disk has failed")   // it cannot be written or read, for another reason
	ErrVersion   = errors.New("directory was written by another version, and is not read by this one")
)

// Error says which job an operation failed for.
type Error struct {
	ID  string // empty where the job has none yet
	Err error  // wraps a sentinel of this package, or the store's or ctx's error
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

// wrap returns err as an [*Error] of the job id; nil stays nil.
func wrap(id string, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok && e.ID == id {
		return err
	}
	return &Error{ID: id, Err: err}
}

// Job is one piece of long work.
type Job struct {
	ID      string // UUIDv7, see [NewID]
	Kind    string // key of Runner.Works
	Owner   string // the team
	Spec    []byte // opaque to this room; durable; shared, nobody changes it
	State   State
	Err     string        // why it failed
	Keep    time.Duration // life after the end; zero means [DefaultKeep]
	Created time.Time
	Ended   time.Time // zero while running
	Expires time.Time // Ended and Keep; zero while running

	// Volatile jobs are kept in memory alone, whatever the store: nothing of
	// them is written anywhere, and they end with the process.
	Volatile bool
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
	Robots                  // a robots.txt that the job has read
	Event                   // one entry of the work's own journal

	kinds = iota
)

// Item is one thing that a job yielded. Data is opaque. Whoever gets an Item
// shares its Data with others and does not change it.
type Item struct {
	Kind ItemKind
	Data []byte
	Cost int // credits, at most 2^31-1 either side of zero

	// Input is the number of the work's input that this item settles, from 1;
	// zero means none. How inputs are numbered is the work's; see [Settled].
	Input int

	// Err of an item that was read: its Data could not be, and is nil. It wraps
	// [ErrCorrupt]. Nobody sets it when appending.
	Err error
}

// Bounds of Item.Input and, either side of zero, of Item.Cost.
const (
	maxInput = math.MaxInt32
	maxCost  = math.MaxInt32
)

// Stats are the live figures of a job.
type Stats struct {
	Items [kinds]int  // by ItemKind
	Cost  int         // sum of the items', and of what the frontier committed without one
	Crawl crawl.Stats // of the job's frontier; zero where it has none

	// Lost counts the Results, at least, that a damaged record does not have any
	// more. Those that were before others keep their places in Items, with an
	// Err, and count in Items too; those that were the last do not.
	Lost int `json:"-"`

	// Waiting says that the disk is full: the job goes on when there is room.
	// The other figures are what is on the disk.
	Waiting bool `json:"-"`
}

// Filter narrows a List.
type Filter struct {
	Kind  string // empty: all
	State State  // empty: all
}

// admits reports whether j passes f.
func (f Filter) admits(j *Job) bool {
	return (f.Kind == "" || f.Kind == j.Kind) && (f.State == "" || f.State == j.State)
}

// Store keeps jobs and what they produce. Implementations are safe for
// concurrent use and return when ctx ends. An unknown, expired or foreign id
// answers with an error that wraps [ErrNotFound], the same in all three cases.
//
// The owner comes first: Load and List are how a caller's question arrives,
// and there is no way to ask them without an owner. Space and Delete take ids
// that Load has admitted; no caller's id reaches them otherwise.
//
// What Create, Append, End and Commit have accepted survives the process where
// the store is durable at all, and of the first three the machine's failure too.
// Nothing is shown by Load, Items or Stats that any failure could take back: what
// a frontier has committed is shown a moment later, but is there once Stats has
// counted it. A job left running by a process that died is running when its store
// is opened again; a [Resumer] says which are. A write that fails leaves the
// job as it was shown, and no later one succeeds in this process.
//
// A job that is Volatile is kept in memory alone.
//
// An ended job expires at its Expires, to the instant: from then on it is
// unknown, its id cannot be told from one that never was, and the store frees
// what it holds of it without being asked.
//
// [example.com/curlew/job/jobtest] checks an implementation.
type Store interface {
	// Create keeps a copy of j, which is running: its State is [Running] and
	// Ended, Expires and Err are zero. It answers [ErrInvalid] for any other
	// and for an ID that is no [ValidID], [ErrExists] for an ID in use.
	Create(ctx context.Context, j *Job) error

	// Load returns the job as it is now. The Job is the caller's, except Spec.
	Load(ctx context.Context, owner, id string) (*Job, error)

	// List returns the owner's jobs that pass f, by ID from the highest: the
	// newest first, since a UUIDv7 begins with its time. None is no error.
	List(ctx context.Context, owner string, f Filter) ([]*Job, error)

	// Space opens what a job writes to. Any number may be open at once.
	Space(ctx context.Context, id string) (Space, error)

	// Delete forgets a job and all that it holds, running or not. Spaces that
	// are open answer [ErrNotFound] from then on.
	Delete(ctx context.Context, id string) error
}

// Space is what one job writes to. The rules of [Store] hold. Items of one
// kind have the indices 0, 1, 2, … in the order in which they were accepted; an
// item never changes, moves or goes while the job lives.
type Space interface {
	// Frontier opens the job's crawl frontier. What it commits appears in Items:
	// payloads of delivered pages as Result, of failed ones as Failure,
	// blocked URLs as Blocked, in commit order, each with the cost of its
	// commit. A commit and its items appear together or not at all.
	//
	// A job has one frontier. It answers [ErrOpen] while that is open, and
	// Commit answers [ErrEnded] once the job has ended. After a restart of a
	// durable store the frontier goes on: what was leased and not committed
	// is pending again, and c must be the first one's.
	Frontier(ctx context.Context, c crawl.Config) (crawl.Frontier, error)

	// Append adds items in their order, all or none. It answers [ErrEnded]
	// once the job has ended and [ErrInvalid] for an unknown kind. Data is the
	// caller's again on return.
	Append(ctx context.Context, items ...Item) error

	// Items returns the items of one kind from index from on, at most limit
	// of them; a limit below zero means all. It is empty past the last one. One
	// that cannot be read any more has its Err.
	Items(ctx context.Context, kind ItemKind, from, limit int) ([]Item, error)

	// Stats returns figures that were true together at one instant between
	// the call and its return, Crawl included. It costs no pass over items.
	Stats(ctx context.Context) (Stats, error)

	// End makes the job's state final and sets Ended and Expires: of any
	// number of calls one wins, all others answer [ErrEnded]. Commits and
	// appends under way are in before it or refused after it. It answers
	// [ErrInvalid] where s is not final.
	End(ctx context.Context, s State, reason string) error
}

// Notifier is what a [Space] may be besides. Without it, watching polls.
type Notifier interface {
	// Changed returns a channel that is closed when anything that Items or
	// Load show of the job changes after the call.
	Changed() <-chan struct{}
}

// Waiter is what a [Space] may be besides, whose store may be full for a while.
type Waiter interface {
	// Room returns when the store can be written to, or with ctx's error, or with
	// the one that ended the writing for good. While there is none, Append and a
	// frontier's Commit answer [ErrFull], without a change.
	Room(ctx context.Context) error
}

// Resumer is what a [Store] may be besides, where it survives the process.
type Resumer interface {
	// Unfinished returns the jobs that are running, of all owners, the oldest
	// first.
	Unfinished(ctx context.Context) ([]*Job, error)
}

// Settler is what a [Space] may be besides. Without it, [Settled] reads items.
type Settler interface {
	// Settled returns each Input above zero of the job's items, in no order.
	Settled(ctx context.Context) ([]int, error)
}

// Work does a job of one kind. Nil means that the job is completed, an error
// that it failed, and its text is what the job's readers get.
//
// Its ctx ends with the cause [ErrCancelled] when the job is cancelled: at
// once, or where the work has opened a frontier or asked for [Draining], after
// [Runner.Grace]. It ends with [ErrShutdown] when the Runner is shut down; then the
// job stays running, whatever the work returns, and a durable store hands it
// to the next process, which calls the Work again with the same Space.
//
// A frontier that the work opened is closed for it when it returns.
type Work func(ctx context.Context, j *Job, s Space) error
