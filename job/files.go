// SPDX-License-Identifier: Apache-2.0

package job

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"example.com/curlew/internal/journal"
	"example.com/curlew/internal/sorting"
)

// Files is a [Store] in a directory. Each job and its items are in one journal,
// <dir>/jobs/<id>/log, which survives the process. Files have mode 0600. The
// store needs about 3 bytes of memory for each item and reads data from disk on
// request. The directory of a job is removed when the job expires, or when the
// store is next opened. Volatile jobs stay in memory.
//
// Only one process may use a directory at a time. On Unix a second one is
// refused; on other systems the operator must make sure.
//
// If the disk is full, Append and Commit return [ErrFull] and change nothing,
// reads return what has been synced, and the store tries again every second.
// [Files.Ready] reports this state. After any other failed write, nothing more
// is written to the journal of that job: Append, Commit and End return the same
// error from then on, and the job can continue after the store has been
// reopened. Errors wrap [ErrStorage] if the disk fails otherwise, [ErrCorrupt]
// if a record is damaged, and [ErrClosed] after Close. If the creation of a job
// fails, nothing of it is kept.
type Files struct {
	dir    string // empty in tests with a disk of their own
	disk   disk
	lock   io.Closer
	logger *slog.Logger

	jobs   registry
	closed atomic.Bool
	// present returns an error if the directory cannot be read any more, for example
	// because somebody has removed it. It may be nil.
	present func() error
	broken  atomic.Bool    // a write has failed, and none has succeeded since; see Ready
	follow  sync.WaitGroup // one goroutine for each open journal

	suspects chan struct{} // contains a value while a suspect is tried alone
}

// FileOptions are the options of [OpenFiles].
type FileOptions struct {
	Logger *slog.Logger // reports damage and files that cannot be removed; nil discards the reports

	// Room is called before each write to a full disk, at most once a second.
	// It should free space that jobs need more, for example that of a page
	// cache ([example.com/curlew/fetch.FileCache.Yield]). It may be nil.
	Room func()
}

// OpenFiles opens the store in dir, creates the directory if it is missing, and
// reads the state of its jobs. A damaged job does not prevent the opening; it
// appears as failed. If another process has the store open, the error wraps
// [ErrLocked]. Nil options mean the zero FileOptions.
func OpenFiles(dir string, how *FileOptions) (*Files, error) {
	var o FileOptions
	if how != nil {
		o = *how
	}
	d, lock, err := journal.OpenDir(dir)
	if err != nil {
		return nil, wrap("", err)
	}
	f, err := openFiles(folder{d}, o)
	if err != nil {
		return nil, wrap("", errors.Join(err, lock.Close()))
	}
	f.dir, f.lock = dir, lock
	f.present = func() error { _, err := d.Stat(home); return err }
	return f, nil
}

// home is the directory of the jobs, in which each has a directory named by its
// id.
const home = "jobs"

// dirOf, logOf, bornOf and noteOf return the names of a job's directory, its
// log, and two notes that repeat its creation and its end.
func dirOf(id string) string  { return path.Join(home, id) }
func logOf(id string) string  { return path.Join(home, id, "log") }
func bornOf(id string) string { return path.Join(home, id, "born") }
func noteOf(id string) string { return path.Join(home, id, "end") }

// openFiles opens the store on d.
func openFiles(d disk, o FileOptions) (*Files, error) {
	f := &Files{disk: d, logger: o.Logger, suspects: make(chan struct{}, 1)}
	if o.Room != nil {
		f.disk = &yielding{disk: d, room: o.Room}
	}
	if f.logger == nil {
		f.logger = slog.New(slog.DiscardHandler)
	}
	names, err := d.Names(home)
	if errors.Is(err, fs.ErrNotExist) {
		err = d.MakeDir(home)
		if err == nil {
			err = d.SyncDir(".")
		}
	}
	if err != nil {
		return nil, diskError(err)
	}
	slices.Sort(names)
	for _, id := range names {
		if !ValidID(id) {
			continue // not created by this store
		}
		if err := f.take(id); err != nil {
			return nil, errors.Join(wrap(id, diskError(err)), f.Close())
		}
	}
	return f, nil
}

// Create implements [Store].
func (f *Files) Create(ctx context.Context, j *Job) error {
	if ctx.Err() != nil {
		return wrap(j.ID, context.Cause(ctx))
	}
	if err := j.CheckNew(); err != nil {
		return wrap(j.ID, err)
	}
	switch {
	case f.closed.Load():
		return wrap(j.ID, ErrClosed)
	case j.Volatile:
		return wrap(j.ID, f.jobs.keep(j))
	case f.jobs.has(j.ID):
		return wrap(j.ID, ErrExists)
	}
	// Free space is reserved for the jobs that wait for it.
	if err := f.Ready(ctx); err != nil {
		return err
	}
	log, err := f.make(ctx, j)
	if r, ok := f.disk.(journal.Roomer); ok && errors.Is(diskError(err), ErrFull) {
		r.MakeRoom()
		log, err = f.make(ctx, j)
	}
	if errors.Is(err, fs.ErrExist) {
		return wrap(j.ID, ErrExists)
	}
	if err != nil {
		return wrap(j.ID, f.storageError(err))
	}
	s := f.space(j)
	s.job.Spec, s.tries = bytes.Clone(j.Spec), f.tries(j.ID)
	if !f.jobs.add(j, s) {
		return wrap(j.ID, errors.Join(ErrExists, log.Close(), f.clear(j.ID)))
	}
	s.run(log)
	return nil
}

// make creates the directory and the journal of a job. If it fails, it removes
// both.
func (f *Files) make(ctx context.Context, j *Job) (*journal.Log, error) {
	if err := f.disk.MakeDir(dirOf(j.ID)); err != nil {
		if !errors.Is(err, fs.ErrExist) {
			_ = f.clear(j.ID)
		}
		return nil, err
	}
	log, err := f.write(ctx, j)
	if err != nil {
		_ = f.clear(j.ID) // the next opening removes the rest
	}
	return log, err
}

// write creates the journal of a job and makes it durable.
func (f *Files) write(ctx context.Context, j *Job) (*journal.Log, error) {
	c := created{ID: j.ID, Kind: j.Kind, Owner: j.Owner, Keep: j.Keep, Created: j.Created}
	head, err := encodeHead(createdFrame, c)
	if err != nil {
		return nil, err
	}
	log, err := journal.Create(f.disk, logOf(j.ID), journal.Header{Created: j.Created})
	if err != nil {
		return nil, err
	}
	if _, err = log.Append(head, j.Spec); err == nil {
		err = log.Flush(ctx)
	}
	if err == nil {
		err = f.disk.SyncDir(home)
	}
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	if len(j.Spec) <= maxNote/2 {
		c.Spec = j.Spec
	}
	if head, err = encodeHead(createdFrame, c); err == nil {
		err = writeNote(f.disk, bornOf(j.ID), head)
	}
	if err != nil {
		f.logger.Warn("beginning of a job not noted", slog.String("job", j.ID), slog.Any("err", err))
	}
	return log, nil
}

// clear removes the files of a job.
func (f *Files) clear(id string) error {
	err := f.disk.RemoveAll(dirOf(id))
	if err == nil {
		err = f.disk.SyncDir(home)
	}
	if err != nil {
		f.logger.Error("job not removed", slog.String("job", id), slog.Any("err", err))
	}
	return err
}

func (f *Files) space(j *Job) *fileSpace {
	return &fileSpace{core: newCore(j), store: f}
}

// Load implements [Store].
func (f *Files) Load(ctx context.Context, owner, id string) (*Job, error) {
	if f.closed.Load() {
		return nil, wrap(id, ErrClosed)
	}
	return f.jobs.load(ctx, owner, id)
}

// List implements [Store].
func (f *Files) List(ctx context.Context, owner string, by Filter) ([]*Job, error) {
	if f.closed.Load() {
		return nil, wrap("", ErrClosed)
	}
	return f.jobs.list(ctx, owner, by)
}

// Space implements [Store].
func (f *Files) Space(ctx context.Context, id string) (Space, error) {
	if f.closed.Load() {
		return nil, wrap(id, ErrClosed)
	}
	s, err := f.jobs.find(ctx, id)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Delete implements [Store].
func (f *Files) Delete(ctx context.Context, id string) error {
	if f.closed.Load() {
		return wrap(id, ErrClosed)
	}
	return f.jobs.remove(ctx, id)
}

// Unfinished implements [Resumer].
func (f *Files) Unfinished(ctx context.Context) ([]*Job, error) {
	if ctx.Err() != nil {
		return nil, wrap("", context.Cause(ctx))
	}
	if f.closed.Load() {
		return nil, wrap("", ErrClosed)
	}
	var list []*Job
	for _, s := range f.jobs.all() {
		if j, err := s.snapshot(); err == nil && !j.State.Final() && !j.Volatile {
			list = append(list, j)
		}
	}
	sorting.Stable(list, func(a, b *Job) int { return strings.Compare(a.ID, b.ID) })
	return list, nil
}

// storageError is diskError. It also remembers that the disk fails.
func (f *Files) storageError(err error) error {
	err = diskError(err)
	if errors.Is(err, ErrStorage) {
		f.broken.Store(true)
	}
	return err
}

// probe is the file that Ready writes.
const probe = "probe"

// Ready returns why no job can be created now: [ErrClosed], [ErrFull] while a job
// waits for room, or [ErrStorage] if the directory has been removed. After a write has
// failed, it also returns ErrStorage until a small file can be written, because a file
// system that has become read-only can still be read.
func (f *Files) Ready(context.Context) error {
	if f.closed.Load() {
		return ErrClosed
	}
	for _, s := range f.jobs.all() {
		s, ok := s.(*fileSpace)
		if !ok {
			continue
		}
		if err := s.full(); err != nil && !errors.Is(err, syscall.EFBIG) { // other jobs have files of their own
			return wrap(s.job.ID, diskError(err))
		}
	}
	if f.present != nil {
		if err := f.present(); err != nil {
			return wrap("", diskError(err))
		}
	}
	if f.broken.Load() {
		err := f.disk.RemoveAll(probe)
		if err == nil {
			err = errors.Join(writeNote(f.disk, probe, nil), f.disk.RemoveAll(probe))
		}
		if err != nil {
			return wrap("", diskError(err))
		}
		f.broken.Store(false)
	}
	return nil
}

// Close syncs and closes all files and unlocks the directory. Running jobs stay
// running for the next process. From then on every call returns [ErrClosed].
// Call [Runner.Shutdown] first, to stop the works.
func (f *Files) Close() error {
	if f.closed.Swap(true) {
		return nil
	}
	f.jobs.rest()
	var errs []error
	for _, s := range f.jobs.all() {
		if s, ok := s.(*fileSpace); ok {
			errs = append(errs, wrap(s.job.ID, s.close()))
		}
	}
	f.follow.Wait()
	if f.lock != nil {
		errs = append(errs, f.lock.Close())
	}
	return errors.Join(errs...)
}

// take loads a job from the disk. An error comes from the disk; a damaged job
// is not an error.
func (f *Files) take(id string) error {
	j, err := f.readCreated(id)
	switch {
	case err == nil:
	case errors.Is(err, errUnfinished):
		_ = f.clear(id)
		return nil
	case errors.Is(err, ErrCorrupt):
		if born := f.readBorn(id); born != nil {
			j = born
		}
		if j == nil { // its owner is unknown
			f.logger.Error("job is damaged", slog.String("job", id), slog.Any("err", err))
			return nil
		}
		s := f.space(j)
		f.damaged(s, err)
		f.enter(s)
		return nil
	default:
		return err
	}
	s := f.space(j)
	log, err := f.recall(s)
	if err != nil {
		return err
	}
	if log != nil {
		s.tries = f.tries(id)
		s.tries.recall()
		f.jobs.add(j, s)
		s.run(log)
		f.confess(s, log)
	} else {
		f.enter(s)
	}
	return nil
}

// tornEnd is the note of a job whose log was damaged near its end. The job goes on, but what
// a caller has read of it may change.
const tornEnd = "The end of the job's record was damaged. What was lost is done again, so results may have other places than before."

// confess adds a note to a job that has lost records which had been stored. Nobody else uses
// the job yet.
func (f *Files) confess(s *fileSpace, log *journal.Log) {
	if !s.torn {
		return
	}
	if err := s.append(log, 0, []Item{{Kind: Note, Data: []byte(tornEnd)}}); err != nil {
		f.logger.Warn("damage of a job not noted", slog.String("job", s.job.ID), slog.Any("err", err))
	}
}

// enter registers a job that has ended, unless it has expired.
func (f *Files) enter(s *fileSpace) {
	if errors.Is(s.live(), ErrNotFound) {
		_ = f.clear(s.job.ID)
		return
	}
	f.jobs.add(&s.job, s)
	f.jobs.expireAt(s.job.ID, s.job.Expires)
}

// damaged makes s a job that failed because its record is damaged, either now
// or when the damage was first found. What is left of it can be read.
func (f *Files) damaged(s *fileSpace, cause error) {
	f.logger.Error("job is damaged", slog.String("job", s.job.ID), slog.Any("err", cause))
	y, told, left, err := salvage(f.disk, logOf(s.job.ID))
	if err != nil && !errors.Is(err, journal.ErrCorrupt) {
		f.logger.Error("nothing of a damaged job can be read", slog.String("job", s.job.ID), slog.Any("err", err))
	}
	end, ok := f.readEnd(s.job.ID)
	if !ok {
		end = ending{ID: s.job.ID, State: Failed, Err: damaged, Ended: time.Now(), Stats: y.tally}
		if told != nil {
			end = *told
		}
		_ = f.disk.RemoveAll(noteOf(s.job.ID)) // if the note exists, it is damaged
		f.note(&end)
	}
	s.restoreEnd(&end)
	s.hold(&y, left)
}

// recall reads the state of a job. It returns the log if the job is running,
// else nil.
func (f *Files) recall(s *fileSpace) (*journal.Log, error) {
	if end, ok := f.readEnd(s.job.ID); ok {
		s.restoreEnd(&end)
		return nil, nil
	}
	log, err := f.reopen(s)
	if !errors.Is(err, ErrCorrupt) {
		return log, err
	}
	f.damaged(s, err)
	return nil, nil
}

// damaged is the reason of a failed job whose record is damaged.
const damaged = "the job's record is damaged"

// errUnfinished says that the creation of a job did not finish, so no caller
// knows its id.
var errUnfinished = errors.New("incomplete job record")

// readCreated returns the job as it was created. If only its Spec is damaged,
// it returns the job without the Spec, and the error.
func (f *Files) readCreated(id string) (*Job, error) {
	r, err := journal.OpenReader(f.disk, logOf(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errUnfinished // the creation or the removal did not finish
	}
	if errors.Is(err, journal.ErrCorrupt) {
		return nil, f.unfinished(id, err)
	}
	if err != nil {
		return nil, diskError(err)
	}
	defer func() { _ = r.Close() }()
	var c created
	var spec []byte
	err = r.Replay(func(pos int64, head []byte) error {
		if !decodeHead(createdFrame, head, &c) || c.ID != id {
			return fmt.Errorf("%w: it does not begin with its creation", ErrCorrupt)
		}
		if spec, err = r.Blob(pos); err != nil {
			return err
		}
		return io.EOF // nothing more is needed
	})
	switch {
	case errors.Is(err, io.EOF):
		return c.job(spec), nil
	case err == nil && f.readBorn(id) == nil:
		return nil, errUnfinished
	case err == nil:
		return nil, fmt.Errorf("%w: it is empty", ErrCorrupt)
	case errors.Is(err, journal.ErrCorrupt):
		if passed, markErr := r.Passed(); markErr == nil && !passed && f.readBorn(id) == nil {
			return nil, errUnfinished
		}
		if c.ID == id {
			return c.job(nil), diskError(err)
		}
	}
	return nil, diskError(err)
}

// readBorn returns the job as it was created, but without a very long Spec, if
// its log is damaged. If the note is damaged too, it returns nil. An intact
// note proves that the creation finished, because it is written after the sync
// of the log.
func (f *Files) readBorn(id string) *Job {
	var c created
	b, ok := readNote(f.disk, bornOf(id))
	if !ok || !decodeHead(createdFrame, b, &c) || c.ID != id {
		return nil
	}
	return c.job(c.Spec)
}

// unfinished distinguishes a log whose creation did not finish from a damaged
// log, if the header is invalid. The header is synced before anything is
// written after it.
func (f *Files) unfinished(id string, cause error) error {
	file, err := f.disk.Open(logOf(id))
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	size, err := file.Size()
	switch {
	case err != nil:
		return err
	case size <= journal.HeaderSize && f.readBorn(id) == nil:
		return errUnfinished
	}
	return diskError(cause)
}

// readEnd returns how a job ended according to its note. If there is no note,
// the log must be read.
func (f *Files) readEnd(id string) (end ending, ok bool) {
	b, ok := readNote(f.disk, noteOf(id))
	return end, ok && decodeHead(endFrame, b, &end) && end.ID == id && end.State.Final()
}

// reopen reads the log of s. If the job has ended, it returns nil.
func (f *Files) reopen(s *fileSpace) (*journal.Log, error) {
	id := s.job.ID
	log, err := journal.Open(f.disk, logOf(id))
	if err != nil {
		return nil, diskError(err)
	}
	cut, synced := log.Cut()
	s.torn = synced
	if cut > 0 {
		f.logger.Warn("torn end of a job's log cut", slog.String("job", id), slog.Int64("bytes", cut), slog.Bool("synced", synced))
	}
	y, end, err := restore(log.Replay)
	if err != nil || end != nil {
		err = errors.Join(err, log.Close())
	}
	switch {
	case err != nil:
		return nil, diskError(err)
	case end == nil:
		s.yields = y
		return log, nil
	}
	s.yields, s.known = y, true
	s.restoreEnd(end)
	_ = f.disk.RemoveAll(noteOf(id)) // if the note exists, it is damaged
	f.note(end)
	return nil, nil
}

// note writes how a job ended, so that the next opening need not read its log.
func (f *Files) note(end *ending) {
	head, err := encodeHead(endFrame, end)
	if err == nil {
		err = writeNote(f.disk, noteOf(end.ID), head)
	}
	if err != nil {
		f.logger.Warn("end of a job not noted", slog.String("job", end.ID), slog.Any("err", err))
	}
}
