// SPDX-License-Identifier: Apache-2.0

package frontier

import "fmt"

// records writes the changes of a frontier to its log and reads them again.
// Invariant: a change is in the log before it is applied, and after an error of
// the log there are no changes.
type records struct {
	log       Log
	heads     headCache
	failed    error // the log can no longer be written or read
	replaying bool

	// Buffers that are reused for the next record.
	buf   []byte
	links []link
}

// keptLinks limits the buffers that are reused.
const keptLinks = 1024

// append writes a record and returns its position.
func (r *records) append(rec *record, payload []byte) (pos int64, err error) {
	r.buf = rec.append(r.buf[:0])
	pos, err = r.log.Append(r.buf, payload)
	if err == nil && pos > maxPos {
		err = fmt.Errorf("%w: position %d", ErrFull, pos)
	}
	if err != nil {
		r.failed = err
	}
	return pos, err
}

// done reuses the memory of a record that is no longer needed.
func (r *records) done(rec *record) {
	if cap(rec.links) <= keptLinks {
		r.links = rec.links
		clear(r.links)
	}
}

// hold tells a log in memory that n more links of a record are pending. A
// negative n means fewer.
func (r *records) hold(pos int64, n int) {
	if m, ok := r.log.(*memoryLog); ok {
		m.hold(pos, n)
	}
}

// task reads the task of an entry, and returns the offset of the next link in
// its record.
func (r *records) task(e entry) (t *task, next uint32, err error) {
	head, err := r.heads.get(r.log, e.pos)
	if err != nil {
		return nil, 0, err
	}
	l, next, err := decodeLink(head.b, int(e.off), head.home)
	if err != nil {
		return nil, 0, err
	}
	return &task{link: l, seq: uint64(e.seq), path: path{from: head.from, above: head.body}}, next, nil
}

// skip returns the offset of the next link in the record of an entry.
func (r *records) skip(e entry) (next uint32, err error) {
	head, err := r.heads.get(r.log, e.pos)
	if err != nil {
		return 0, err
	}
	return skipLink(head.b, int(e.off))
}

// headCache keeps the records that were read last, because pending entries come
// in runs.
type headCache struct {
	last [4]head
	turn int
}

// head is the head of a record that added links.
type head struct {
	pos  int64
	b    []byte
	from string // page that links to them; empty if there is none
	body uint64 // fingerprint of the body of that page
	home home   // base of the encoding of its links
}

func (h *headCache) get(log Log, pos int64) (*head, error) {
	for i := range h.last {
		if k := &h.last[i]; k.pos == pos && k.b != nil {
			return k, nil
		}
	}
	b, err := log.Head(pos)
	if err != nil {
		return nil, err
	}
	from, home, body, err := decodeFrom(b)
	if err != nil {
		return nil, err
	}
	h.turn = (h.turn + 1) % len(h.last)
	h.last[h.turn] = head{pos, b, from, body, home}
	return &h.last[h.turn], nil
}
