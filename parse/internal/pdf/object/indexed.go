// SPDX-License-Identifier: Apache-2.0

package object

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
)

// indexed is a source that knows where the objects of a file are, from its
// cross-reference sections or from a scan. It reads an object when it is
// first requested.
type indexed struct {
	data   []byte
	xref   xref
	starts []int  // offsets of objects, ascending; nil if the cross-reference sections are sound
	torn   bool   // see File.Torn
	crypt  *crypt // nil if nothing is encrypted
	inner  *File  // for callers that hold mu; it has the same objects

	mu     sync.Mutex // guards the fields below
	done   map[int]Object
	packs  map[int]*pack // decoded object streams, by object number
	shared shared
	depth  int          // depth of nested calls of load
	left   int          // bytes that may still be read for objects
	unread int64        // decoded bytes that object streams may still have
	missed map[int]bool // numbers of the objects that a bound left out or cut short; nil if there are none
}

// Bounds on the objects of one document.
const (
	maxLoads    = 16        // depth of objects that are read because of another one, such as the length of a stream
	maxPackData = 128 << 20 // decoded bytes of all object streams, which stay in memory
)

// newIndexed returns a source for the objects of data.
func newIndexed(ctx context.Context, data []byte, x xref, limits Limits) *indexed {
	s := &indexed{data: data, xref: x, done: map[int]Object{}, packs: map[int]*pack{}, left: spendable(data), unread: min(limits.Total, maxPackData)}
	s.shared = shared{ctx: ctx, left: maxElements}
	s.inner = newFile(ctx, held{s}, limits)
	return s
}

// spendable returns how many bytes may be read for the objects of data. It
// is enough to read each object a few times. Without this bound, overlapping
// objects would take quadratic time.
func spendable(data []byte) int { return 4*len(data) + 1<<16 }

// readIndexed opens data by its cross-reference sections. It refuses the
// file if these have any fault: each object must begin where its entry says.
// The error wraps ErrCorrupt, ErrEncrypted, ErrLimit or is the cause that
// ended ctx.
func readIndexed(ctx context.Context, data []byte, password string, limits Limits) (*indexed, error) {
	x, err := readXref(ctx, data, limits)
	if err != nil {
		return nil, err
	}
	s := newIndexed(ctx, data, x, limits)
	if err := s.unlock(password); err != nil {
		return nil, err
	}
	return s, nil
}

// unlock finds the key of an encrypted file. If the trailer of a damaged
// file refers to a missing encryption dictionary, the file is read as
// unencrypted.
func (s *indexed) unlock(password string) error {
	entry, ok := s.xref.trailer["Encrypt"]
	if !ok {
		return nil
	}
	d := s.inner.Dict(entry)
	if d == nil && s.starts != nil {
		return nil // encrypted content could not be decoded anyway
	}
	if d == nil {
		return fmt.Errorf("%w: no encryption dictionary", ErrCorrupt)
	}
	var id []byte
	if ids := s.inner.Array(s.xref.trailer["ID"]); len(ids) > 0 {
		first, _ := s.inner.Resolve(ids[0]).(String)
		id = []byte(first)
	}
	c, err := newCrypt(s.inner, d, id, password)
	if err != nil {
		return err
	}
	// Objects read so far were not decrypted.
	clear(s.done)
	clear(s.packs)
	if r, ok := entry.(Ref); ok {
		s.done[r.Num] = d
	}
	s.crypt = c
	return nil
}

func (s *indexed) trailer() Dict { return s.xref.trailer }

//go:noinline
func (s *indexed) find(kind Name) iter.Seq2[int, Dict] {
	return func(yield func(int, Dict) bool) {
		steps := 0
		for num := range s.xref.all() {
			if steps++; steps%pollSteps == 0 && s.inner.ctx.Err() != nil {
				return
			}
			d, ok := s.visit(num, kind)
			if ok && !yield(num, d) {
				return
			}
		}
	}
}

// visit returns the object with a number if it is a dictionary of a kind. It
// does not cache other objects.
func (s *indexed) visit(num int, kind Name) (Dict, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, known := s.done[num]
	elements := s.shared.left
	d, ok := s.load(num).(Dict)
	ok = ok && s.inner.Name(d["Type"]) == kind
	if !ok && !known {
		delete(s.done, num)
		s.shared.left = elements
	}
	return d, ok
}

func (s *indexed) lost() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.missed)
}

// miss notes that a bound left out an object or cut it short.
func (s *indexed) miss(num int) {
	if s.missed == nil {
		s.missed = map[int]bool{}
	}
	s.missed[num] = true
}

func (s *indexed) object(num int) Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.load(num)
}

// held is the source for callers that hold the lock of an indexed.
type held struct{ *indexed }

func (h held) object(num int) Object { return h.load(num) }

// load returns an object, which it reads at most once.
func (s *indexed) load(num int) Object {
	if o, ok := s.done[num]; ok {
		return o
	}
	p, ok := s.xref.get(num)
	if !ok || s.depth >= maxLoads {
		return nil
	}
	if s.left <= 0 {
		s.miss(num)
		return nil
	}
	s.depth++
	defer func() { s.depth-- }()
	s.done[num] = nil // an object that needs itself is null
	var o Object
	switch p.kind {
	case direct:
		o = s.read(num, p)
	case packed:
		o = s.pack(p.at).object(s, num, p.index)
	}
	s.done[num] = o
	return o
}

// read reads an object at its offset in the file.
func (s *indexed) read(num int, at place) Object {
	pos, _ := head(s.data, at.at, num, at.index)
	p := parser{data: s.data, pos: pos, shared: &s.shared}
	o, _ := p.object(0)
	s.left -= p.pos - pos
	if s.shared.left < 0 {
		s.miss(num)
	}
	if d, isDict := o.(Dict); isDict && p.streams() {
		length := d["Length"]
		if r, isRef := length.(Ref); isRef {
			length = s.load(r.Num)
		}
		end := len(s.data)
		if i, _ := slices.BinarySearch(s.starts, pos); i < len(s.starts) {
			end = s.starts[i]
		}
		raw, _ := p.stream(length, end)
		s.left -= len(raw)
		o = &Stream{Dict: d, raw: raw}
	}
	if s.crypt != nil {
		o = s.crypt.object(o, num, at.index, 0)
	}
	return o
}

// pack is a decoded object stream (ISO 32000-1, 7.5.7).
type pack struct {
	data  []byte
	cut   bool // the rest of the data was not decoded because of a bound
	items []item
	where map[int]int // indexes of items by object number; nil until first used
}

// item is an object number and the offset of that object in the stream's
// data.
type item struct{ num, at int }

// pack returns the object stream with a number, or an empty one if there is
// none. It uses the data before the fault of a damaged stream.
func (s *indexed) pack(num int) *pack {
	if p, ok := s.packs[num]; ok {
		return p
	}
	p := &pack{}
	s.packs[num] = p
	st, ok := s.load(num).(*Stream)
	if !ok || st.Dict["Type"] != Name("ObjStm") {
		return p
	}
	delete(s.done, num) // no other code requests it
	var err error
	p.data, err = s.inner.DataWithin(st, s.unread)
	s.unread -= int64(len(p.data))
	p.cut = errors.Is(err, ErrLimit)
	s.left += 4 * len(p.data)
	p.items = items(p.data, s.inner.Int(st.Dict["N"], 0), s.inner.Int(st.Dict["First"], 0))
	return p
}

// items reads the pairs of integers at the start of an object stream. It
// reads n pairs and all further pairs before offset first, where the objects
// begin. If n or first is wrong, the pairs themselves show the right value.
func items(data []byte, n, first int) []item {
	index := parser{data: data}
	var out []item
	for index.skip(); len(out) < maxPacked && (len(out) < n || index.pos < first); index.skip() {
		at := index.pos
		num, ok1 := index.natural()
		off, ok2 := index.natural()
		if !ok1 || !ok2 {
			index.pos, first = at, at
			break
		}
		out = append(out, item{num, off})
	}
	if first < index.pos && len(out) < maxPacked || first > len(data) {
		first = index.pos
	}
	for i := range out {
		out[i].at = min(out[i].at+first, len(data))
	}
	return out
}

// object reads the object with a number. index is its expected index.
func (p *pack) object(s *indexed, num, index int) Object {
	if index >= len(p.items) || p.items[index].num != num {
		if p.where == nil {
			p.where = make(map[int]int, len(p.items))
			for i, it := range slices.Backward(p.items) { // the first one is used
				p.where[it.num] = i
			}
		}
		var ok bool
		if index, ok = p.where[num]; !ok {
			if p.cut {
				s.miss(num)
			}
			return nil
		}
	}
	in := parser{data: p.data, pos: p.items[index].at, shared: &s.shared}
	o, _ := in.object(0)
	s.left -= in.pos - p.items[index].at
	if s.shared.left < 0 || p.cut && in.pos >= len(p.data) {
		s.miss(num)
	}
	return o
}
