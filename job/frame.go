// SPDX-License-Identifier: Apache-2.0

package job

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"

	"example.com/curlew/crawl/frontier"
)

// Types of the job's own records in its journal; those of crawl are below 6.
// Records that are written once a job are JSON, frequent ones are binary:
// numbers are varints, and strings are preceded by their length.
//
//	created: 20 | JSON of created                    blob: Spec
//	commit:  21 | sums | kind or none | cost | n | n x blocked URL | crawl's head
//	                                                 blob: data of the one item
//	items:   22 | sums | cost | n | n x (kind, cost, input, length)
//	                                                 blob: their data, joined
//	end:     23 | JSON of ending
//	sums:    results | failures | cost               of all frames before
//
// The part before crawl's head is the tag of the record. It is also stored
// beside the blob, and describes the items if the head is lost. The sums show
// how many items are missing before a frame that follows damage.
const (
	createdFrame = 0x20
	commitFrame  = 0x21
	itemsFrame   = 0x22
	endFrame     = 0x23
)

// none is the kind of a commit that has no item of its own.
const none = 0xff

// created is the stored form of a new job.
type created struct {
	ID, Kind, Owner string
	Keep            time.Duration
	Created         time.Time

	// Spec is set only in the note of the creation, if it is not too long. In
	// the journal it is the blob of the record.
	Spec []byte `json:",omitempty"`
}

// job returns the job that c describes, with this Spec.
func (c *created) job(spec []byte) *Job {
	return &Job{ID: c.ID, Kind: c.Kind, Owner: c.Owner, Spec: spec, State: Running, Keep: c.Keep, Created: c.Created}
}

// ending is how a job ended.
type ending struct {
	ID    string
	State State
	Err   string `json:",omitempty"`
	Ended time.Time
	Stats Stats
}

// encodeHead encodes a head as JSON.
func encodeHead(kind byte, v any) ([]byte, error) {
	b, err := json.Marshal(v)
	return append([]byte{kind}, b...), err
}

// decodeHead decodes a JSON head. It returns false for another kind or a
// damaged head.
func decodeHead(kind byte, head []byte, v any) bool {
	return len(head) > 0 && head[0] == kind && json.Unmarshal(head[1:], v) == nil
}

// sums are the results, failures and costs of all earlier frames.
type sums struct{ results, failures, cost int }

// sums returns the sums for the next frame.
func (y *yields) sums() sums {
	return sums{y.tally.Items[Result], y.tally.Items[Failure], y.tally.Cost}
}

func (s sums) append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(s.results))  //nolint:gosec // G115: counts
	b = binary.AppendUvarint(b, uint64(s.failures)) //nolint:gosec // G115: counts
	return binary.AppendVarint(b, int64(s.cost))
}

// frame is a record that yields items, without their data.
type frame struct {
	sums
	items []framed
	extra int    // cost beyond that of the items
	crawl []byte // crawl's head of a commit
}

// framed is one item of a frame. Its data is the next size bytes of the blob,
// unless size is negative.
type framed struct {
	Item     // with Data if it is inline
	size int // or one of the constants below
}

// Sizes of items whose data is not a part of the blob.
const (
	whole  = -1 // the data is the whole blob
	inline = -2 // the data is in the head
)

// appendCommit appends the part of a commit's head that precedes crawl's own.
func appendCommit(b []byte, before sums, c *frontier.Commit) []byte {
	b = before.append(append(b, commitFrame))
	switch c.Outcome {
	case frontier.Delivered:
		b = append(b, byte(Result))
	case frontier.Failed:
		b = append(b, byte(Failure))
	default:
		b = append(b, none)
	}
	b = binary.AppendVarint(b, int64(c.Cost))
	b = binary.AppendUvarint(b, uint64(len(c.Blocked)))
	for _, url := range c.Blocked {
		b = binary.AppendUvarint(b, uint64(len(url)))
		b = append(b, url...)
	}
	return b
}

// itemsHead returns the head and the blob of a frame of items.
func itemsHead(before sums, cost int, items []Item) (head, blob []byte) {
	head = binary.AppendVarint(before.append([]byte{itemsFrame}), int64(cost))
	head = binary.AppendUvarint(head, uint64(len(items)))
	size := 0
	for i := range items {
		it := &items[i]
		head = append(head, byte(it.Kind))
		head = binary.AppendVarint(head, int64(it.Cost))
		head = binary.AppendUvarint(head, uint64(it.Input)) //nolint:gosec // check has limited it
		head = binary.AppendUvarint(head, uint64(len(it.Data)))
		size += len(it.Data)
	}
	blob = make([]byte, 0, size)
	for i := range items {
		blob = append(blob, items[i].Data...)
	}
	return head, blob
}

// decodeFrame decodes the head of a commit or of items. For any other head the
// frame is empty. The error wraps [ErrCorrupt].
func decodeFrame(head []byte) (*frame, error) {
	f := new(frame)
	return f, f.decode(head)
}

// decode is decodeFrame that reuses the memory of f.
func (f *frame) decode(head []byte) error {
	*f = frame{items: f.items[:0]}
	r := varints{b: head}
	switch r.byte() {
	case commitFrame:
		f.sums = r.sums()
		f.readCommit(&r)
	case itemsFrame:
		f.sums = r.sums()
		f.extra = r.cost()
		for n := r.count(); n > 0 && !r.fault; n-- {
			f.items = append(f.items, framed{
				Item: Item{Kind: r.kind(), Cost: r.cost(), Input: r.count()}, size: r.count(),
			})
		}
		r.fault = r.fault || len(r.b) > 0
	}
	if r.fault {
		return corruptFrame(head)
	}
	return nil
}

func (f *frame) readCommit(r *varints) {
	own := r.byte()
	cost := r.cost()
	switch own {
	case byte(Result), byte(Failure):
		f.items = append(f.items, framed{Item: Item{Kind: ItemKind(own), Cost: cost}, size: whole})
	case none:
		f.extra = cost
	default:
		r.fault = true
	}
	for n := r.count(); n > 0 && !r.fault; n-- {
		f.items = append(f.items, framed{Item: Item{Kind: Blocked, Data: bytes.Clone(r.take(r.count()))}, size: inline})
	}
	f.crawl = r.b
}

// item returns item n of f with its data from the blob. The error wraps
// [ErrCorrupt].
func (f *frame) item(n int, blob []byte) (Item, error) {
	at := 0
	for i := range f.items[:min(n, len(f.items))] {
		at += max(f.items[i].size, 0)
	}
	if n >= len(f.items) {
		return Item{}, fmt.Errorf("%w: no item %d in a frame of %d", ErrCorrupt, n, len(f.items))
	}
	it := f.items[n].Item
	switch size := f.items[n].size; {
	case size == inline:
	case size == whole:
		it.Data = blob
	case size <= len(blob)-at:
		it.Data = blob[at : at+size : at+size]
	default:
		return Item{}, fmt.Errorf("%w: item %d is cut short", ErrCorrupt, n)
	}
	return it, nil
}

// varints reads values from b. After the first error it returns zeros.
type varints struct {
	b     []byte
	fault bool
}

func (r *varints) take(n int) []byte {
	if r.fault || n > len(r.b) {
		r.fault = true
		return nil
	}
	taken := r.b[:n]
	r.b = r.b[n:]
	return taken
}

func (r *varints) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *varints) sums() sums {
	s := sums{results: r.count(), failures: r.count()}
	v, n := binary.Varint(r.b)
	if r.fault || n <= 0 {
		r.fault = true
		return sums{}
	}
	r.b = r.b[n:]
	s.cost = int(v)
	return s
}

func (r *varints) kind() ItemKind {
	k := ItemKind(r.byte())
	r.fault = r.fault || k >= kinds
	return k
}

// count returns a non-negative number that fits any int.
func (r *varints) count() int {
	v, n := binary.Uvarint(r.b)
	if r.fault || n <= 0 || v > maxInput {
		r.fault = true
		return 0
	}
	r.b = r.b[n:]
	return int(v)
}

func (r *varints) cost() int {
	v, n := binary.Varint(r.b)
	if r.fault || n <= 0 || v < -maxCost || v > maxCost {
		r.fault = true
		return 0
	}
	r.b = r.b[n:]
	return int(v)
}

// crawlHead returns crawl's own head within a head of this journal, or nil if
// there is none. It skips what decodeFrame reads.
func crawlHead(head []byte) ([]byte, error) {
	switch {
	case len(head) > 0 && head[0] < createdFrame:
		return head, nil
	case len(head) == 0 || head[0] != commitFrame:
		return nil, nil
	}
	r := varints{b: head[1:]}
	r.sums()
	own := r.byte()
	r.cost()
	for n := r.count(); n > 0 && !r.fault; n-- {
		r.take(r.count())
	}
	if r.fault || own != byte(Result) && own != byte(Failure) && own != none {
		return nil, corruptFrame(head)
	}
	return r.b, nil
}

func corruptFrame(head []byte) error {
	return fmt.Errorf("%w: frame of %d bytes", ErrCorrupt, len(head))
}
