// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sort"
	"sync"
	"time"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/internal/journal"
)

// fileSpace is a job in its journal.
//
// What is written is not always visible: readers see only frames that have been
// synced. Append and End wait for the sync of their frames, Stats waits for all
// frames, and Items does not wait.
type fileSpace struct {
	core
	store *Files

	// reading guards log. Readers of log hold it for reading, so that log stays
	// open. It is held for writing to open or close log. It is locked after
	// turn and before mu.
	reading sync.RWMutex
	log     *journal.Log // guarded by reading; nil before and after the job runs in this process

	frontier *logged // guarded by turn
	opening  bool    // guarded by turn; a frontier is being read

	yields           // guarded by mu; of everything that is written
	known  bool      // guarded by mu; items reflects the whole journal
	recent []figures // guarded by mu; figures that become visible at some frame, by position
	last   *cached   // guarded by mu; the frame with several items that was read last
	tries  *tries    // attempts of a job that runs here, else nil; set once, before the space is shared

	// salvaged reads a damaged record. It is nil if the record is intact. It is
	// guarded by reading.
	salvaged *journal.Reader

	torn bool // records that had been stored were lost at the end of the log; set before the space is shared
}

// cached is one frame in memory.
type cached struct {
	pos  int64
	f    *frame
	blob []byte
}

// Begin implements [Attempter].
func (s *fileSpace) Begin() (begun func(), err error) {
	if s.tries == nil {
		return func() {}, nil
	}
	begun, err = s.tries.begin()
	return begun, wrap(s.job.ID, err)
}

// Attempt implements [Attempter].
func (s *fileSpace) Attempt(ctx context.Context, key uint64) (done func(), err error) {
	if s.tries == nil {
		return func() {}, nil
	}
	done, err = s.tries.attempt(ctx, key)
	return done, wrap(s.job.ID, err)
}

// run takes over the log of a running job.
func (s *fileSpace) run(log *journal.Log) {
	s.reading.Lock()
	s.log = log
	s.reading.Unlock()
	s.mu.Lock()
	s.known = true
	s.recent = []figures{{stats: s.tally}}
	s.mu.Unlock()
	s.store.follow.Go(func() {
		for at, err := int64(0), error(nil); err == nil; {
			at, err = log.Advance(at)
			s.mu.Lock()
			s.notify()
			s.mu.Unlock()
		}
	})
}

// wrote records the items of a frame that was just written, and the figures
// after it. The caller holds turn.
func (s *fileSpace) wrote(pos int64, items []Item, cost int, stats *frontier.Stats) {
	durable := s.durable()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add(pos, items, cost)
	if stats != nil {
		s.tally.Crawl = *stats
	}
	s.recent = append(s.recent, figures{pos, s.tally})
	if n := s.passed(durable); n > 1 {
		s.recent = slices.Delete(s.recent, 0, n-1) // keep the last visible figures
	}
}

// passed returns how many of recent are visible. The caller holds mu.
func (s *fileSpace) passed(durable int64) int {
	return sort.Search(len(s.recent), func(i int) bool { return s.recent[i].pos >= durable })
}

// durable returns the position up to which everything has been synced.
func (s *fileSpace) durable() int64 {
	s.reading.RLock()
	defer s.reading.RUnlock()
	return s.synced()
}

// synced is durable for callers that hold reading.
func (s *fileSpace) synced() int64 {
	if s.log == nil {
		return maxPos // a log that is not open was closed or truncated properly
	}
	return s.log.Durable()
}

const maxPos = 1<<63 - 1

// failed returns the error of the space for err.
func (s *fileSpace) failed(err error) error {
	if err == nil {
		return nil
	}
	if gone := s.live(); gone != nil && errors.Is(err, journal.ErrClosed) {
		err = gone // the file was removed with the job
	}
	return wrap(s.job.ID, s.store.storageError(err))
}

// Append implements [Space]. If the disk is full, it returns [ErrFull] and
// stores nothing.
func (s *fileSpace) Append(ctx context.Context, items ...Item) error {
	if err := CheckItems(items); err != nil {
		return wrap(s.job.ID, err)
	}
	if err := s.takeRunning(ctx); err != nil {
		return err
	}
	log := s.log // turn keeps it open
	err := log.Full()
	if err == nil && len(items) > 0 {
		if err = s.append(log, 0, items); err == nil {
			s.settled(items)
		}
	}
	s.release()
	if err == nil && len(items) > 0 {
		err = log.Sync(ctx)
	}
	return s.failed(err)
}

// settled records that items have ended their attempts.
func (s *fileSpace) settled(items []Item) {
	if s.tries == nil {
		return
	}
	s.tries.commit()
	for i := range items {
		if n := items[i].Input; n > 0 {
			s.tries.end(uint64(n))
		}
	}
}

// append writes items in a single frame. The caller holds turn.
func (s *fileSpace) append(log *journal.Log, cost int, items []Item) error {
	head, blob := itemsHead(s.sums(), cost, items)
	pos, err := log.AppendTagged(head, len(head), blob)
	if err == nil {
		s.wrote(pos, items, cost, nil)
	}
	return err
}

// Items implements [Space].
func (s *fileSpace) Items(ctx context.Context, kind ItemKind, from, limit int) ([]Item, error) {
	if ctx.Err() != nil {
		return nil, wrap(s.job.ID, context.Cause(ctx))
	}
	if err := checkRange(kind, from); err != nil {
		return nil, wrap(s.job.ID, err)
	}
	if err := s.learn(); err != nil {
		return nil, s.failed(err)
	}
	s.reading.RLock()
	defer s.reading.RUnlock()
	places, err := s.places(kind, from, limit)
	if err != nil || len(places) == 0 {
		return nil, wrap(s.job.ID, err)
	}
	var log heads = s.log
	if s.salvaged != nil {
		log = s.salvaged
	} else if s.log == nil {
		r, err := journal.OpenReader(s.store.disk, logOf(s.job.ID))
		if err != nil {
			return nil, s.failed(err)
		}
		defer func() { _ = r.Close() }()
		log = r
	}
	list := make([]Item, 0, len(places))
	for _, p := range places {
		if ctx.Err() != nil {
			return nil, wrap(s.job.ID, context.Cause(ctx))
		}
		it, err := s.read(log, p)
		switch {
		case err == nil:
		case errors.Is(err, journal.ErrCorrupt), errors.Is(err, ErrCorrupt):
			it = Item{Err: s.failed(err)}
		default:
			return nil, s.failed(err)
		}
		it.Kind = kind
		list = append(list, it)
	}
	return list, nil
}

// places returns where the visible items are. The caller holds reading.
func (s *fileSpace) places(kind ItemKind, from, limit int) ([]place, error) {
	durable := s.synced()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.lost(); err != nil {
		return nil, err
	}
	all := &s.items[kind]
	return all.part(from, limit, all.before(durable)), nil
}

// heads is the source of records: a log or a reader.
type heads interface {
	Head(pos int64) ([]byte, error)
	Blob(pos int64) ([]byte, error)
}

// read reads one item.
func (s *fileSpace) read(log heads, p place) (Item, error) {
	if p.index == missing {
		return Item{}, fmt.Errorf("%w: the item is missing", ErrCorrupt)
	}
	s.mu.Lock()
	c := s.last
	s.mu.Unlock()
	if c == nil || c.pos != p.pos {
		head, err := log.Head(p.pos)
		if err != nil {
			return Item{}, err
		}
		c = &cached{pos: p.pos}
		if c.f, err = decodeFrame(head); err != nil {
			return Item{}, err
		}
		if c.blob, err = log.Blob(p.pos); err != nil {
			return Item{}, err
		}
		if len(c.f.items) > 1 { // its other items will probably be read next
			s.mu.Lock()
			s.last = c
			s.mu.Unlock()
		}
	}
	return c.f.item(int(p.index), c.blob)
}

// learn reads the items of an ended job that was found at the opening. It
// counts as lost the items that existed at the job's end and are now missing.
func (s *fileSpace) learn() error {
	s.mu.Lock()
	known, lost := s.known, s.lost()
	s.mu.Unlock()
	if known || lost != nil {
		return lost
	}
	s.reading.Lock()
	defer s.reading.Unlock()
	s.mu.Lock()
	known = s.known
	noted := s.tally.Items[Result]
	s.mu.Unlock()
	if known {
		return nil
	}
	y, salvaged, err := s.remember(noted)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone != nil {
		if salvaged != nil {
			_ = salvaged.Close() // no longer used
		}
		return s.gone
	}
	s.hold(&y, salvaged)
	return s.lost()
}

// hold makes y the items of an ended job. The caller holds mu and reading, or
// has not shared s yet.
func (s *fileSpace) hold(y *yields, salvaged *journal.Reader) {
	noted := s.tally.Items[Result]
	s.known, s.items, s.salvaged = true, y.items, salvaged
	s.tally.Items, s.tally.Lost = y.tally.Items, y.tally.Lost+max(0, noted-y.tally.Items[Result])
	if s.tally.Lost > 0 || salvaged != nil {
		s.store.logger.Error("job is damaged", slog.String("job", s.job.ID), slog.Int("lost", s.tally.Lost))
	}
}

// remember reads the journal of an ended job. If it is damaged or lacks some of
// the results, it returns what is left and the reader for it.
func (s *fileSpace) remember(results int) (yields, *journal.Reader, error) {
	r, err := journal.OpenReader(s.store.disk, logOf(s.job.ID))
	if err == nil {
		var y yields
		y, _, err = restore(r.Replay)
		err = errors.Join(err, r.Close())
		if err == nil && y.tally.Items[Result] >= results {
			return y, nil, nil
		}
	}
	if err != nil && !errors.Is(err, journal.ErrCorrupt) && !errors.Is(err, ErrCorrupt) {
		return yields{}, nil, err
	}
	y, _, left, err := salvage(s.store.disk, logOf(s.job.ID))
	if errors.Is(err, journal.ErrCorrupt) {
		return yields{}, nil, nil // nothing is left
	}
	return y, left, err
}

// Settled implements [Settler].
func (s *fileSpace) Settled(ctx context.Context) ([]int, error) {
	if ctx.Err() != nil {
		return nil, wrap(s.job.ID, context.Cause(ctx))
	}
	if err := s.learn(); err != nil {
		return nil, s.failed(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []int
	for kind := range s.items {
		all := &s.items[kind]
		for w := all.walk(0); w.more(all.n); {
			if p := w.step(); p.input > 0 {
				list = append(list, int(p.input))
			}
		}
	}
	return list, wrap(s.job.ID, s.lost())
}

// full returns why nothing can currently be written, or nil.
func (s *fileSpace) full() error {
	s.reading.RLock()
	defer s.reading.RUnlock()
	if s.log == nil {
		return nil
	}
	return s.log.Full()
}

// Room implements [Waiter].
func (s *fileSpace) Room(ctx context.Context) error {
	s.reading.RLock()
	log := s.log
	s.reading.RUnlock()
	if log == nil {
		return nil
	}
	return s.failed(log.Room(ctx))
}

// End implements [Space].
func (s *fileSpace) End(ctx context.Context, state State, reason string) error {
	if !state.Final() {
		return wrap(s.job.ID, fmt.Errorf("%w: end in state %q", ErrInvalid, state))
	}
	if err := s.takeRunning(ctx); err != nil {
		return err
	}
	s.release()
	if err := s.Room(ctx); err != nil { // without the turn, because readers need it
		return err
	}
	if err := s.takeRunning(ctx); err != nil {
		return err
	}
	defer s.release()
	if s.frontier != nil {
		// The end is more important than the figures. After an error, the last
		// ones stay.
		_ = s.measure(ctx)
		_ = s.frontier.inner.Close()
		s.frontier = nil
	}
	s.mu.Lock()
	end := &ending{ID: s.job.ID, State: state, Err: reason, Ended: time.Now(), Stats: s.tally}
	s.mu.Unlock()
	head, err := encodeHead(endFrame, end)
	if err == nil {
		_, err = s.log.Append(head, nil)
	}
	if err == nil {
		// Several callers may wait for this end, so the ctx of one must not
		// cancel it.
		err = s.log.Sync(context.WithoutCancel(ctx))
	}
	if err != nil {
		return s.failed(err)
	}
	goes := s.restoreEnd(end)
	_ = s.shut() // everything has been synced
	s.store.note(end)
	s.store.jobs.expireAt(s.job.ID, goes)
	return nil
}

// restoreEnd marks the job as ended, and returns when it expires.
func (s *fileSpace) restoreEnd(end *ending) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tally, s.recent, s.last = end.Stats, nil, nil
	return s.finish(end.State, end.Err, end.Ended)
}

// shut closes the log. The caller holds turn.
func (s *fileSpace) shut() error {
	s.reading.Lock()
	defer s.reading.Unlock()
	var err error
	if s.tries != nil {
		err = s.tries.close()
	}
	if s.salvaged != nil {
		err = errors.Join(err, s.salvaged.Close())
		s.salvaged = nil
	}
	if s.log != nil {
		err = errors.Join(err, s.log.Close())
		s.log = nil
	}
	return err
}

// seize takes the turn even if another goroutine holds it, because an end that
// waits for room on a full disk would keep it.
func (s *fileSpace) seize() (err error) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		if s.full() != nil {
			s.reading.RLock()
			if s.log != nil {
				err = errors.Join(err, s.log.Close()) // shut closes it again, which has no effect
			}
			s.reading.RUnlock()
		}
		select {
		case s.turn <- struct{}{}:
			return err
		case <-tick.C:
		}
	}
}

// leave makes the job unavailable for the given reason, and closes its files.
func (s *fileSpace) leave(why error) error {
	err := s.seize()
	defer s.release()
	s.mu.Lock()
	first := s.gone == nil
	if first {
		s.gone = why
	}
	s.notify()
	s.mu.Unlock()
	if !first {
		return err
	}
	if s.frontier != nil {
		_ = s.frontier.inner.Close()
		s.frontier = nil
	}
	err = errors.Join(err, s.shut())
	s.mu.Lock()
	s.items, s.recent, s.last = [kinds]places{}, nil, nil
	s.mu.Unlock()
	return err
}

// close leaves the job to the process that opens the store next.
func (s *fileSpace) close() error { return diskError(s.leave(ErrClosed)) }

// drop implements resident. It removes the job from the disk.
func (s *fileSpace) drop() error {
	if s.store.closed.Load() {
		return nil // the next opening removes it
	}
	_ = s.leave(ErrNotFound) // its log is no longer needed
	return diskError(s.store.clear(s.job.ID))
}
