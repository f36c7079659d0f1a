// SPDX-License-Identifier: Apache-2.0

package crawl

import (
	"errors"
	"fmt"
	"slices"
)

// replay restores what the log holds, and reports whether it holds anything.
func (s *state) replay() (bool, error) {
	s.replaying = true
	defer func() { s.replaying = false }()
	err := readAhead(s.log, func(r *replayed) error {
		if (r.rec.kind == kickoffRecord) != (s.next == 0) {
			return fmt.Errorf("%w: kickoff is not the first record", ErrCorrupt)
		}
		if r.rec.kind == endRecord && r.rec.seq >= s.next {
			return fmt.Errorf("%w: end of a task that never began", ErrCorrupt)
		}
		if r.pos > maxPos {
			return fmt.Errorf("%w: position %d", ErrFull, r.pos)
		}
		s.touchLinks(r.rec.links)
		s.apply(r.rec, r.pos, nil)
		return nil
	})
	if err != nil {
		return false, err
	}
	for _, t := range sortedTasks(s.leases.moved) {
		s.requeue(t, false)
	}
	s.leases.moved = nil
	return s.next > 0, nil
}

// touchLinks is touch for what a replay enters.
func (s *state) touchLinks(links []link) {
	var sum uint64
	for i := range links {
		sum ^= s.seen.touch(links[i].key())
	}
	s.sum = sum
}

// replayed is a record of a log, and where it is.
type replayed struct {
	rec *record
	pos int64
}

// How many records and links are decoded ahead of those that are applied, in
// one of a few batches.
const (
	aheadRecords = 256
	aheadLinks   = 4096
	aheadBatches = 4
)

var errLeft = errors.New("replay was left")

// readAhead calls apply for each of a frontier's records in log, in their order,
// while a goroutine reads and decodes those that follow: half of the time of a
// long replay. It stops at the first error.
func readAhead(log Log, apply func(*replayed) error) error {
	batches := make(chan []replayed, aheadBatches)
	left := make(chan struct{})
	var failed error // written before batches is closed
	go func() {
		defer close(batches)
		var batch []replayed
		links := 0
		send := func() error {
			select {
			case batches <- batch:
				batch, links = nil, 0
				return nil
			case <-left:
				return errLeft
			}
		}
		failed = log.Replay(func(pos int64, head []byte) error {
			if len(head) == 0 || head[0] != kickoffRecord && head[0] != endRecord {
				return nil
			}
			rec, err := decode(head)
			if err != nil {
				return err
			}
			batch = append(batch, replayed{rec, pos})
			if links += len(rec.links); len(batch) < aheadRecords && links < aheadLinks {
				return nil
			}
			return send()
		})
		if len(batch) > 0 && !errors.Is(failed, errLeft) {
			failed = errors.Join(failed, send())
		}
	}()
	var err error
	for batch := range batches {
		for i := range batch {
			if err == nil {
				err = apply(&batch[i])
			}
		}
		if err != nil {
			break
		}
	}
	close(left)
	for range batches { // its owner waits for the goroutine
	}
	if err == nil {
		err = failed
	}
	return err
}

// sortedTasks returns tasks in the order of their discovery.
func sortedTasks(m map[uint64]*task) []*task {
	list := make([]*task, 0, len(m))
	for _, t := range m {
		list = append(list, t)
	}
	slices.SortFunc(list, func(a, b *task) int {
		if a.seq < b.seq {
			return -1
		}
		return 1
	})
	return list
}
