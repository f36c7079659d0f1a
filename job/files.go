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
	"time"

	"example.com/curlew/internal/journal"
)

// Files is a [Store] over a directory: a job and all that it yields survive the
// process in one journal, <dir>/jobs/<id>/log. Files have mode 0600. It keeps
// some 3 bytes in memory for each item, and reads data back when it is asked for.
// An expired job's directory is removed at that instant, or when the store is
// next opened. Volatile jobs stay in memory.
//
// A process has a directory for itself: on Unix a second one is refused, on
// other systems that is up to the operator.
//
// Where there is no space, Append and Commit answer [ErrFull] without a change,
// reading shows what had been synced, and the store tries again every second;
// [Files.Ready] says so. Any other write that fails ends the writing to that
// job's journal: Append, Commit and End answer the same error from then on, and
// the job can go on after the store has been opened again. Errors wrap [ErrStorage] where the disk fails otherwise,
// [ErrCorrupt] where a record is damaged, and [ErrClosed] after Close. Of a job
// whose creation failed nothing is kept.
type Files struct {
	disk   disk
	lock   io.Closer
	logger *slog.Logger

	jobs   registry
	closed atomic.Bool
	follow sync.WaitGroup // one for each open journal

	suspects chan struct{} // holds one while an item is tried alone
}

// FileOptions are what [OpenFiles] may be told.
type FileOptions struct {
	Logger *slog.Logger // damage, and what could not be removed; nil is silent

	// Room is called before each attempt to write to a full disk, at most once a
	// second: it frees what the jobs need more, such as a page cache
	// ([example.com/curlew/fetch.FileCache.Yield]). Nil frees nothing.
	Room func()
}

// OpenFiles opens the store in dir, which is made where it is not there, and
// reads what its jobs have been. A damaged job does not keep it from opening:
// the job is shown failed. Errors wrap [ErrLocked] where another has it open.
// Nil options are the zero FileOptions.
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
	f.lock = lock
	return f, nil
}

// home is where the jobs are, each in a directory of its id.
const home = "jobs"

// dirOf, logOf, bornOf and noteOf name what is kept of a job: its log, and two
// notes of what the log says too, of its creation and its end.
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
			continue // not ours
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
	if err := j.validNew(); err != nil {
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
	// What room there is belongs to the jobs that wait for it.
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
		return wrap(j.ID, diskError(err))
	}
	s := f.space(j)
	s.job.Spec, s.tries = bytes.Clone(j.Spec), f.tries(j.ID)
	if !f.jobs.add(j, s) {
		return wrap(j.ID, errors.Join(ErrExists, log.Close(), f.clear(j.ID)))
	}
	s.run(log)
	return nil
}

// make makes the directory of a job, and its journal. It leaves nothing if it
// fails.
func (f *Files) make(ctx context.Context, j *Job) (*journal.Log, error) {
	if err := f.disk.MakeDir(dirOf(j.ID)); err != nil {
		if !errors.Is(err, fs.ErrExist) {
			_ = f.clear(j.ID)
		}
		return nil, err
	}
	log, err := f.write(ctx, j)
	if err != nil {
		_ = f.clear(j.ID) // what is left of it is removed on opening
	}
	return log, err
}

// write makes the journal of a job, and makes it durable.
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

// clear removes what is kept of a job.
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
	var list []*Job
	for _, s := range f.jobs.all() {
		if j, err := s.snapshot(); err == nil && !j.State.Final() && !j.Volatile {
			list = append(list, j)
		}
	}
	slices.SortFunc(list, func(a, b *Job) int { return strings.Compare(a.ID, b.ID) })
	return list, nil
}

// Ready returns why no job can be created now: [ErrClosed], or [ErrFull] while a
// job waits for room.
func (f *Files) Ready(context.Context) error {
	if f.closed.Load() {
		return ErrClosed
	}
	for _, s := range f.jobs.all() {
		if s, ok := s.(*fileSpace); ok && s.full() != nil {
			return wrap(s.job.ID, diskError(s.full()))
		}
	}
	return nil
}

// Close syncs and closes all files, and frees the directory. Jobs that run stay
// so, for the next who opens it; here everything answers [ErrClosed]. Whoever
// works on a job is stopped first: [Runner.Shutdown].
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

// take reads what is kept of a job, and enters it. An error is the disk's; a
// damaged job is none.
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
		if j == nil { // nobody knows whose it is
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
	} else {
		f.enter(s)
	}
	return nil
}

// enter enters a job that has ended, unless it has expired too.
func (f *Files) enter(s *fileSpace) {
	if errors.Is(s.live(), ErrNotFound) {
		_ = f.clear(s.job.ID)
		return
	}
	f.jobs.add(&s.job, s)
	f.jobs.expireAt(s.job.ID, s.job.Expires)
}

// damaged makes of s a job that failed because its record is damaged: now, or
// when that was first seen. What is left of it can be read.
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
		_ = f.disk.RemoveAll(noteOf(s.job.ID)) // it is damaged, if it is there
		f.note(&end)
	}
	s.restoreEnd(&end)
	s.hold(&y, left)
}

// recall reads what has become of a job: its log where it runs, else nil.
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

// damaged is what readers of a job are told whose record is.
const damaged = "the job's record is damaged"

// errUnfinished says that a job was never created: whoever asked for it was not
// told that it was.
var errUnfinished = errors.New("job was not created to its end")

// readCreated returns what a job was when it was created. Where its Spec alone
// is damaged it returns the job without, and the error.
func (f *Files) readCreated(id string) (*Job, error) {
	r, err := journal.OpenReader(f.disk, logOf(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errUnfinished // or half removed
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
		return io.EOF // enough
	})
	switch {
	case errors.Is(err, io.EOF):
		return c.job(spec), nil
	case err == nil && f.readBorn(id) == nil:
		return nil, errUnfinished
	case err == nil:
		return nil, fmt.Errorf("%w: nothing stands in it", ErrCorrupt)
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

// readBorn returns what a job was when it was created, without a Spec that is very
// long, where its log cannot say so any more; nil where its note cannot either. A job with
// a sound note was created to its end: the note is written after the log was
// synced.
func (f *Files) readBorn(id string) *Job {
	var c created
	b, ok := readNote(f.disk, bornOf(id))
	if !ok || !decodeHead(createdFrame, b, &c) || c.ID != id {
		return nil
	}
	return c.job(c.Spec)
}

// unfinished tells a log without a sound header that was never made to its end
// from one that is damaged: the header was synced before anything came behind
// it.
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

// readEnd returns how a job ended, if it left a note; else its log says.
func (f *Files) readEnd(id string) (end ending, ok bool) {
	b, ok := readNote(f.disk, noteOf(id))
	return end, ok && decodeHead(endFrame, b, &end) && end.ID == id && end.State.Final()
}

// reopen reads the log of s. The log is nil where the job has ended.
func (f *Files) reopen(s *fileSpace) (*journal.Log, error) {
	id := s.job.ID
	log, err := journal.Open(f.disk, logOf(id))
	if err != nil {
		return nil, diskError(err)
	}
	cut, synced := log.Cut()
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
	_ = f.disk.RemoveAll(noteOf(id)) // it is damaged, if it is there
	f.note(end)
	return nil, nil
}

// note writes down how a job ended, so that the next opening need not read its
// log.
func (f *Files) note(end *ending) {
	head, err := encodeHead(endFrame, end)
	if err == nil {
		err = writeNote(f.disk, noteOf(end.ID), head)
	}
	if err != nil {
		f.logger.Warn("end of a job not noted", slog.String("job", end.ID), slog.Any("err", err))
	}
}
