// SPDX-License-Identifier: Apache-2.0

package frontier

import (
	"errors"
	"fmt"

	"example.com/curlew/internal/sorting"
)

// replay restores the state from the log, and reports whether the log has any
// records.
func (s *state) replay() (bool, error) {
	s.replaying(true)
	defer s.replaying(false)
	err := readAhead(s.records.log, func(rec *record, pos int64) error {
		if (rec.kind == kickoffRecord) != (s.known.next == 0) {
			return fmt.Errorf("%w: kickoff is not the first record", ErrCorrupt)
		}
		if rec.kind == endRecord && rec.seq >= s.known.next {
			return fmt.Errorf("%w: end of a task that never began", ErrCorrupt)
		}
		if pos > maxPos {
			return fmt.Errorf("%w: position %d", ErrFull, pos)
		}
		if s.known.next == 0 {
			s.known.collect()
		}
		s.apply(rec, pos, nil)
		return nil
	})
	if err != nil {
		return false, err
	}
	s.known.settle()
	for _, h := range s.scheduler.hosts.byName {
		for q := h.pages.front(noDepth); q != nil; q = h.pages.front(noDepth) {
			if s.skips.drop(q); q.n > 0 {
				break
			}
		}
	}
	for _, t := range sortedTasks(s.leases.moved) {
		s.scheduler.requeue(t, false)
	}
	s.leases.moved = nil
	return s.known.next > 0, nil
}

// replaying sets whether records that are applied come from the log.
func (s *state) replaying(on bool) {
	s.records.replaying, s.scheduler.hosts.replaying = on, on
}

// ahead is a run of records that were decoded before they are applied.
type ahead struct {
	decoder
	records []record
	at      []int64 // their positions
}

// Limits for records and links that are decoded ahead, in each of a few runs.
const (
	aheadRecords = 256
	aheadLinks   = 4096
	aheadRuns    = 4
)

// empty prepares a for other records. It drops very large buffers.
func (a *ahead) empty() {
	clear(a.records)
	clear(a.links)
	a.records, a.at, a.links = a.records[:0], a.at[:0], a.links[:0]
	if cap(a.links) > 4*aheadLinks || cap(a.urls) > 1<<20 {
		a.decoder = decoder{}
	}
}

var errLeft = errors.New("replay was stopped")

// readAhead calls apply for each record of a frontier in log, in order. A
// goroutine reads and decodes later records meanwhile, which is half of the
// time of a long replay. readAhead stops at the first error. The contents of a
// record, except for its strings and its sketch, are valid until apply returns.
func readAhead(log Log, apply func(rec *record, pos int64) error) error {
	runs := make(chan *ahead, aheadRuns)
	empty := make(chan *ahead, aheadRuns+2) // large enough for all runs
	for range cap(empty) {
		empty <- new(ahead)
	}
	left := make(chan struct{})
	var failed error // written before runs is closed
	go func() {
		defer close(runs)
		run := <-empty
		send := func() error {
			select {
			case runs <- run:
				run = <-empty
				return nil
			case <-left:
				return errLeft
			}
		}
		failed = log.Replay(func(pos int64, head []byte) error {
			if len(head) == 0 || head[0] != kickoffRecord && head[0] != endRecord {
				return nil
			}
			run.records = append(run.records, record{})
			if err := run.decode(head, &run.records[len(run.records)-1]); err != nil {
				run.records = run.records[:len(run.records)-1]
				return err
			}
			run.at = append(run.at, pos)
			if len(run.records) < aheadRecords && len(run.links) < aheadLinks {
				return nil
			}
			return send()
		})
		if len(run.records) > 0 && !errors.Is(failed, errLeft) {
			failed = errors.Join(failed, send())
		}
	}()
	var err error
	for run := range runs {
		for i := 0; i < len(run.records) && err == nil; i++ {
			if err = apply(&run.records[i], run.at[i]); err != nil {
				close(left)
			}
		}
		run.empty()
		empty <- run // also after an error, because the goroutine may wait for it
	}
	if err == nil {
		err = failed
	}
	return err
}

// sortedTasks returns tasks in the order of discovery.
func sortedTasks(m map[uint64]*task) []*task {
	list := make([]*task, 0, len(m))
	for _, t := range m {
		list = append(list, t)
	}
	sorting.Stable(list, func(a, b *task) int {
		if a.seq < b.seq {
			return -1
		}
		return 1
	})
	return list
}
