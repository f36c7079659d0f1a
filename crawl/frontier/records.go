// SPDX-License-Identifier: Apache-2.0

package frontier

import "fmt"

// records writes the changes of a frontier to its log and reads them again. The
// invariant: a change is in the log before it is applied, and after an error of the
// log there is no further change.
type records struct {
	log       Log
	heads     headCache
	failed    error // the log can no longer be written or read
	replaying bool

	// Kept from one record to the next.
	buf   []byte
	links []link
}

// keptLinks bounds what is kept from one record to the next.
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

// done keeps the memory of a record that is no longer needed.
func (r *records) done(rec *record) {
	if cap(rec.links) <= keptLinks {
		r.links = rec.links
		clear(r.links)
	}
}

// hold tells a log in memory that n more links of a record wait, or, if n is
// negative, fewer.
func (r *records) hold(pos int64, n int) {
	if m, ok := r.log.(*memoryLog); ok {
		m.hold(pos, n)
	}
}

// task reads the task of an entry, and where the next link of its record is.
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

// skip returns where the next link of the record of an entry is.
func (r *records) skip(e entry) (next uint32, err error) {
	head, err := r.heads.get(r.log, e.pos)
	if err != nil {
		return 0, err
	}
	return skipLink(head.b, int(e.off))
}

// headCache keeps the records that were read last: those that wait come in runs.
type headCache struct {
	last [4]head
	turn int
}

// head is that of a record which entered links.
type head struct {
	pos  int64
	b    []byte
	from string // the page that named them; empty where that was none
	body uint64 // of that page
	home home   // of its links
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
