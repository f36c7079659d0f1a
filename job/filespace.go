// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"sync"
	"time"

	"example.com/curlew/crawl"
	"example.com/curlew/internal/journal"
)

// fileSpace is a job in its journal.
//
// What is written is not what is shown: readers see the frames that a sync has
// passed. Append and End wait for theirs, Stats for all; Items waits for nobody.
type fileSpace struct {
	core
	store *Files

	// reading is held for reading by who reads log, which stays open for so
	// long, and for writing by who opens or closes it. It comes after turn and
	// before mu.
	reading sync.RWMutex
	log     *journal.Log // guarded by reading; nil before and after the job runs here

	frontier *logged // guarded by turn
	opening  bool    // guarded by turn; a frontier is being read

	yields           // guarded by mu; of all that is written
	known  bool      // guarded by mu; items is what the journal holds
	recent []figures // guarded by mu; what may be shown from some frame on, by position
	fault  error     // the record is damaged; set once, before the space is shared
	last   *cached   // guarded by mu; the frame of several items that was read last
}

// yields is what frames have yielded.
type yields struct {
	items [kinds][]place // by position, rising
	tally Stats
}

// place is where an item is: 16 bytes.
type place struct {
	pos   int64  // of its frame
	index uint32 // in its frame
	input uint32 // see [Item.Input]
}

// figures are the Stats once the frame at pos is durable.
type figures struct {
	pos   int64
	stats Stats
}

// cached is one frame in memory.
type cached struct {
	pos  int64
	f    *frame
	blob []byte
}

// run takes over the log of a job that runs.
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

// restore reads the heads of a journal. It returns how the job ended; nil where
// it has not. Errors wrap [ErrCorrupt] or are those of replay.
func restore(replay func(func(int64, []byte) error) error) (y yields, end *ending, err error) {
	err = replay(func(pos int64, head []byte) error {
		if head[0] == endFrame {
			end = new(ending)
			if !decodeHead(endFrame, head, end) || !end.State.Final() {
				return fmt.Errorf("%w: end at %d", ErrCorrupt, pos)
			}
			return io.EOF // nothing that counts comes behind it
		}
		f, err := decodeFrame(head)
		if err != nil {
			return fmt.Errorf("at %d: %w", pos, err)
		}
		items := make([]Item, len(f.items))
		for i := range f.items {
			items[i] = f.items[i].Item
		}
		cost := y.add(pos, items, f.cost)
		if f.crawl != nil {
			// Until the frontier is opened again nobody else says so.
			y.tally.Crawl = counted(y.tally.Crawl, items, cost)
		}
		return nil
	})
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return y, end, err
}

// add notes the items of the frame at pos, and returns what they and cost are
// together.
func (y *yields) add(pos int64, items []Item, cost int) int {
	for i := range items {
		it := &items[i]
		//nolint:gosec // G115: both are bounded: by what one frame can hold, and by maxInput
		y.items[it.Kind] = append(y.items[it.Kind], place{pos: pos, index: uint32(i), input: uint32(it.Input)})
		y.tally.Items[it.Kind]++
		cost += it.Cost
	}
	y.tally.Cost += cost
	return cost
}

// counted returns c with the items of one more commit.
func counted(c crawl.Stats, items []Item, cost int) crawl.Stats {
	c.Cost += cost
	for i := range items {
		switch items[i].Kind {
		case Result:
			c.Delivered++
		case Failure:
			c.Failed++
		case Blocked:
			c.Blocked++
		}
	}
	return c
}

// wrote notes the items of a frame that was written just now, and the figures
// after it. The caller holds turn.
func (s *fileSpace) wrote(pos int64, items []Item, cost int, stats *crawl.Stats) {
	durable := s.durable()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add(pos, items, cost)
	if stats != nil {
		s.tally.Crawl = *stats
	}
	s.recent = append(s.recent, figures{pos, s.tally})
	if n := s.passed(durable); n > 1 {
		s.recent = slices.Delete(s.recent, 0, n-1) // the last that may be shown stays
	}
}

// passed returns how many of recent may be shown. The caller holds mu.
func (s *fileSpace) passed(durable int64) int {
	return sort.Search(len(s.recent), func(i int) bool { return s.recent[i].pos >= durable })
}

// durable returns the position before which all has been synced.
func (s *fileSpace) durable() int64 {
	s.reading.RLock()
	defer s.reading.RUnlock()
	return s.synced()
}

// synced is durable for who holds reading.
func (s *fileSpace) synced() int64 {
	if s.log == nil {
		return maxPos // what is not open has been closed, or cut, in order
	}
	return s.log.Durable()
}

const maxPos = 1<<63 - 1

// failed returns err as the space's.
func (s *fileSpace) failed(err error) error {
	if err == nil {
		return nil
	}
	if gone := s.live(); gone != nil && errors.Is(err, journal.ErrClosed) {
		err = gone // its file went with it
	}
	return wrap(s.job.ID, diskError(err))
}

// Append implements [Space].
func (s *fileSpace) Append(ctx context.Context, items ...Item) error {
	if err := check(items); err != nil {
		return wrap(s.job.ID, err)
	}
	if err := s.takeRunning(ctx); err != nil {
		return err
	}
	log := s.log // turn keeps it open
	var err error
	if len(items) > 0 {
		err = s.append(log, 0, items)
	}
	s.release()
	if err == nil && len(items) > 0 {
		err = log.Sync(ctx)
	}
	return s.failed(err)
}

// append writes items in a frame of their own. The caller holds turn.
func (s *fileSpace) append(log *journal.Log, cost int, items []Item) error {
	pos, err := log.Append(itemsHead(cost, items))
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
	if s.log == nil {
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

// places returns where the items are that may be shown. The caller holds
// reading.
func (s *fileSpace) places(kind ItemKind, from, limit int) ([]place, error) {
	durable := s.synced()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.lost(); err != nil {
		return nil, err
	}
	all := s.items[kind]
	all = all[:sort.Search(len(all), func(i int) bool { return all[i].pos >= durable })]
	// Only ever appended to: what is there stays.
	return part(all, from, limit), nil
}

// heads is what records are read from: a log, or a reader.
type heads interface {
	Head(pos int64) ([]byte, error)
	Blob(pos int64) ([]byte, error)
}

// read reads one item.
func (s *fileSpace) read(log heads, p place) (Item, error) {
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
		if len(c.f.items) > 1 { // its other items are asked for next
			s.mu.Lock()
			s.last = c
			s.mu.Unlock()
		}
	}
	return c.f.item(int(p.index), c.blob)
}

// learn reads the heads of an ended job that was found on opening, for its
// items.
func (s *fileSpace) learn() error {
	if s.fault != nil {
		return s.fault
	}
	s.mu.Lock()
	known, lost := s.known, s.lost()
	s.mu.Unlock()
	if known || lost != nil {
		return lost
	}
	s.reading.RLock() // nobody removes it meanwhile
	defer s.reading.RUnlock()
	r, err := journal.OpenReader(s.store.disk, logOf(s.job.ID))
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	y, _, err := restore(r.Replay)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known, s.items = true, y.items // twice is the same
	return s.lost()
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
	for _, places := range s.items {
		for _, p := range places {
			if p.input > 0 {
				list = append(list, int(p.input))
			}
		}
	}
	return list, wrap(s.job.ID, s.lost())
}

// Stats implements [Space].
func (s *fileSpace) Stats(ctx context.Context) (Stats, error) {
	if err := s.take(ctx); err != nil {
		return Stats{}, err
	}
	err := s.measure(ctx)
	log := s.log // turn keeps it open
	s.mu.Lock()
	stats := s.tally
	s.mu.Unlock()
	s.release()
	if err != nil {
		return Stats{}, wrap(s.job.ID, err)
	}
	if log != nil {
		if err = log.Sync(ctx); err != nil && ctx.Err() != nil {
			return Stats{}, wrap(s.job.ID, err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if lost := s.lost(); lost != nil {
		return Stats{}, wrap(s.job.ID, lost)
	}
	if err != nil {
		// Nothing is written any more: what was synced is all there is.
		stats = s.recent[s.passed(log.Durable())-1].stats
	}
	return stats, nil
}

// measure asks the frontier, where there is one, for its figures. The caller
// holds turn.
func (s *fileSpace) measure(ctx context.Context) error {
	if s.frontier == nil {
		return nil
	}
	stats, err := s.frontier.inner.Stats(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.tally.Crawl = stats
	s.mu.Unlock()
	return nil
}

// End implements [Space].
func (s *fileSpace) End(ctx context.Context, state State, reason string) error {
	if !state.Final() {
		return wrap(s.job.ID, fmt.Errorf("%w: end in state %q", ErrInvalid, state))
	}
	if err := s.takeRunning(ctx); err != nil {
		return err
	}
	defer s.release()
	if s.frontier != nil {
		// The end matters more than its figures: an error leaves the last ones.
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
		// Whoever waits for this end, it is the same for all: nobody's ctx cuts it.
		err = s.log.Sync(context.WithoutCancel(ctx))
	}
	if err != nil {
		return s.failed(err)
	}
	goes := s.restoreEnd(end)
	_ = s.shut() // all of it has been synced
	s.store.note(end)
	s.store.jobs.expireAt(s.job.ID, goes)
	return nil
}

// restoreEnd makes the job ended, and returns when it expires.
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
	if s.log == nil {
		return nil
	}
	err := s.log.Close()
	s.log = nil
	return err
}

// leave makes the job unknown here, for the reason given, and closes what is
// open of it.
func (s *fileSpace) leave(why error) error {
	s.turn <- struct{}{}
	defer s.release()
	s.mu.Lock()
	first := s.gone == nil
	if first {
		s.gone = why
	}
	s.notify()
	s.mu.Unlock()
	if !first {
		return nil
	}
	if s.frontier != nil {
		_ = s.frontier.inner.Close()
		s.frontier = nil
	}
	err := s.shut()
	s.mu.Lock()
	s.items, s.recent, s.last = [kinds][]place{}, nil, nil
	s.mu.Unlock()
	return err
}

// close leaves the job for the next who opens the store.
func (s *fileSpace) close() error { return diskError(s.leave(ErrClosed)) }

// drop implements resident: it removes the job from the disk.
func (s *fileSpace) drop() error {
	if s.store.closed.Load() {
		return nil // the next opening does it
	}
	_ = s.leave(ErrNotFound) // its log is of no use any more
	return diskError(s.store.clear(s.job.ID))
}
