// SPDX-License-Identifier: Apache-2.0

package job

import (
	"errors"
	"fmt"
	"io"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/internal/journal"
)

// yields are the results and failures in frames, by kind.
type yields struct {
	items [kinds]places
	tally Stats
}

// frameReader reads frames one after the other.
type frameReader struct {
	frame frame
	items []Item
}

// read records what the frame at pos has yielded.
func (y *yields) read(in *frameReader, pos int64, head []byte) error {
	if err := in.frame.decode(head); err != nil {
		return fmt.Errorf("at %d: %w", pos, err)
	}
	in.items = in.items[:0]
	for i := range in.frame.items {
		in.items = append(in.items, in.frame.items[i].Item)
	}
	cost := y.add(pos, in.items, in.frame.extra)
	if head[0] == commitFrame {
		// Until the frontier is opened again, only these figures are known.
		y.tally.Crawl = counted(y.tally.Crawl, in.items, cost)
	}
	return nil
}

// restore reads the heads of a journal. It returns how the job ended, or nil if
// it has not ended. Errors wrap [ErrCorrupt] or come from replay.
func restore(replay func(func(int64, []byte) error) error) (y yields, end *ending, err error) {
	var in frameReader
	err = replay(func(pos int64, head []byte) error {
		if head[0] == endFrame {
			end = new(ending)
			if !decodeHead(endFrame, head, end) || !end.State.Final() {
				return fmt.Errorf("%w: invalid end at %d", ErrCorrupt, pos)
			}
			return io.EOF // nothing of interest follows
		}
		return y.read(&in, pos, head)
	})
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return y, end, err
}

// salvage reads what is left of a damaged journal. Missing items keep their
// places before later ones, so that no index changes.
func salvage(d disk, name string) (y yields, end *ending, r *journal.Reader, err error) {
	var in frameReader
	r, err = journal.Salvage(d, name, func(pos int64, head []byte, _ bool) error {
		switch head[0] {
		case endFrame:
			e := new(ending)
			if decodeHead(endFrame, head, e) && e.State.Final() {
				end = e
			}
		case commitFrame, itemsFrame:
			if in.frame.decode(head) == nil {
				y.miss(pos, &in.frame.sums)
				return y.read(&in, pos, head)
			}
		}
		return nil
	})
	return y, end, r, err
}

// maxMissing limits the number of consecutive missing items.
const maxMissing = 1 << 24

// miss records what all frames before pos had yielded according to s.
func (y *yields) miss(pos int64, s *sums) {
	for _, of := range [...]struct {
		kind ItemKind
		n    int
	}{{Result, s.results}, {Failure, s.failures}} {
		have := y.tally.Items[of.kind]
		if of.n <= have || of.n-have > maxMissing {
			continue
		}
		for range of.n - have {
			y.items[of.kind].add(place{pos: pos, index: missing})
		}
		y.tally.Items[of.kind] = of.n
		if of.kind == Result {
			y.tally.Lost += of.n - have
			y.tally.Crawl.Delivered += of.n - have
		} else {
			y.tally.Crawl.Failed += of.n - have
		}
	}
	y.tally.Cost = max(y.tally.Cost, s.cost)
}

// add records the items of the frame at pos, and returns their cost plus cost.
func (y *yields) add(pos int64, items []Item, cost int) int {
	for i := range items {
		it := &items[i]
		//nolint:gosec // G115: both are bounded: by what one frame can hold, and by maxInput
		y.items[it.Kind].add(place{pos: pos, index: uint32(i), input: uint32(it.Input)})
		y.tally.Items[it.Kind]++
		cost += it.Cost
	}
	y.tally.Cost += cost
	return cost
}

// counted returns c after one more commit with these items.
func counted(c frontier.Stats, items []Item, cost int) frontier.Stats {
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
