// SPDX-License-Identifier: Apache-2.0

package object

import (
	"context"
	"fmt"
	"iter"
	"sync"
)

// indexed is a source over a sound file: its own cross-reference sections say
// where objects lie, and an object is read when it is first asked for.
type indexed struct {
	data  []byte
	xref  xref
	crypt *crypt // nil: nothing is encrypted
	inner *File  // over the same objects, for who holds mu

	mu    sync.Mutex // guards what follows
	done  map[int]Object
	packs map[int]*pack // by number of the object stream
	desk  desk
	depth int // of load in load
	left  int // bytes that objects may still be read from
}

// maxLoads bounds objects that are read because another one is: a stream asks
// for its length, an object for the stream it lies in.
const maxLoads = 16

// readIndexed opens data by its cross-reference sections. It takes no file
// that has the least fault there: each object must begin where its entry says.
// The error wraps ErrCorrupt, ErrEncrypted, ErrLimit or is the cause that ended
// ctx.
func readIndexed(ctx context.Context, data []byte, password string, limits Limits) (*indexed, error) {
	x, err := readXref(ctx, data, limits)
	if err != nil {
		return nil, err
	}
	s := &indexed{data: data, xref: x, done: map[int]Object{}, packs: map[int]*pack{}, left: spendable(data)}
	s.inner = &File{ctx: ctx, source: held{s}, limits: limits}
	if err := s.unlock(password); err != nil {
		return nil, err
	}
	return s, nil
}

// unlock finds the key of an encrypted file.
func (s *indexed) unlock(password string) error {
	entry, ok := s.xref.trailer["Encrypt"]
	if !ok {
		return nil
	}
	d := s.inner.Dict(entry)
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
	// What was read so far is no secret, or was read without the key.
	clear(s.done)
	clear(s.packs)
	if r, ok := entry.(Ref); ok {
		s.done[r.Num] = d
	}
	s.crypt = c
	return nil
}

func (s *indexed) trailer() Dict { return s.xref.trailer }

func (s *indexed) numbers() iter.Seq[int] {
	return func(yield func(int) bool) {
		for num := range s.xref.places {
			if !yield(num) {
				return
			}
		}
	}
}

func (s *indexed) object(num int) Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.load(num)
}

// held is the source for who holds the lock of an indexed.
type held struct{ *indexed }

func (h held) object(num int) Object { return h.load(num) }

// load reads an object, once.
func (s *indexed) load(num int) Object {
	if o, ok := s.done[num]; ok {
		return o
	}
	if num < 0 || num >= len(s.xref.places) || s.depth >= maxLoads || s.left <= 0 {
		return nil
	}
	s.depth++
	defer func() { s.depth-- }()
	s.done[num] = nil // an object that needs itself is null
	var o Object
	switch p := s.xref.places[num]; p.kind {
	case direct:
		o = s.read(num, p)
	case packed:
		o = s.pack(p.at).object(s, num, p.index)
	}
	s.done[num] = o
	return o
}

// read reads an object at its place in the file.
func (s *indexed) read(num int, at place) Object {
	pos, _ := head(s.data, at.at, num, at.index)
	p := parser{data: s.data, pos: pos, desk: &s.desk}
	o, _ := p.object(0)
	s.left -= p.pos - pos
	if d, isDict := o.(Dict); isDict && p.streams() {
		length := d["Length"]
		if r, isRef := length.(Ref); isRef {
			length = s.load(r.Num)
		}
		raw, _ := p.stream(length)
		s.left -= len(raw)
		o = &Stream{Dict: d, raw: raw}
	}
	if s.crypt != nil {
		o = s.crypt.object(o, num, at.index, 0)
	}
	return o
}

// pack is an object stream (ISO 32000-1, 7.5.7), decoded.
type pack struct {
	data  []byte
	items []item
}

// item is where an object lies in the data of its stream.
type item struct{ num, at int }

// pack returns the object stream with a number, empty where it is none. What a
// damaged stream gives before its fault counts.
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
	delete(s.done, num) // nobody else asks for it
	p.data, _ = s.inner.Data(st)
	s.left += spendable(p.data)
	p.items = items(p.data, s.inner.Int(st.Dict["N"], 0), s.inner.Int(st.Dict["First"], 0))
	return p
}

// items reads the n pairs of numbers that an object stream begins with.
func items(data []byte, n, first int) []item {
	index := parser{data: data}
	var out []item
	for range min(n, maxPacked) {
		num, ok := index.natural()
		if !ok {
			break
		}
		off, ok := index.natural()
		if !ok || first < 0 || off >= len(data)-first {
			break
		}
		out = append(out, item{num, first + off})
	}
	return out
}

// object reads the object with a number; index is where it should stand.
func (p *pack) object(s *indexed, num, index int) Object {
	if index >= len(p.items) || p.items[index].num != num {
		index = -1
		for i, it := range p.items {
			if it.num == num {
				index = i
				break
			}
		}
		if index < 0 {
			return nil
		}
	}
	in := parser{data: p.data, pos: p.items[index].at, desk: &s.desk}
	o, _ := in.object(0)
	s.left -= in.pos - p.items[index].at
	return o
}
