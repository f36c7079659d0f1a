// SPDX-License-Identifier: Apache-2.0

package object

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
)

// scan finds the objects of a file with missing or wrong cross-reference
// sections. It searches for object headers ("12 0 obj") everywhere except in
// stream data. It examines the bytes between two headers once, so the work
// is linear in the size of the file.
type scan struct {
	ctx   context.Context //nolint:containedctx // lives as long as the call
	data  []byte
	heads []header       // in file order
	last  map[int]header // the last header with each number, including those inside streams

	trailers []Dict        // in file order, including those of cross-reference streams
	newest   map[int]found // the last object with each number
	starts   []int         // offsets of all objects, ascending
	older    []found       // objects that an incomplete last revision replaced
	packs    []int         // numbers of object streams, in file order
	secret   int           // number of an object that looks like an encryption dictionary; 0 if there is none
	shared   shared
	due      int // steps until the next check of ctx
}

// header is the "12 0 obj" at the beginning of an object.
type header struct{ num, gen, start, end int }

// found is an object that the scan has found.
type found struct {
	header

	empty bool // nothing follows the header
	open  bool // the file ends before the object does
}

// pollSteps is the number of steps of a loop between two checks of the
// context.
const pollSteps = 1024

// over reports whether the context has ended. It checks the context at
// intervals.
func (s *scan) over() bool {
	if s.due--; s.due <= 0 {
		s.due = pollSteps
		s.shared.ended = s.shared.ended || s.ctx.Err() != nil
	}
	return s.shared.ended
}

// readScanned opens data by searching for object headers. Of several objects
// with the same number, it uses the last. The error wraps ErrCorrupt,
// ErrEncrypted, ErrLimit or is the cause that ended ctx.
func readScanned(ctx context.Context, data []byte, password string, limits Limits) (*indexed, error) {
	s := scan{ctx: ctx, data: data, last: map[int]header{}, newest: map[int]found{}}
	if err := s.headers(limits.Objects); err != nil {
		return nil, err
	}
	if err := s.objects(); err != nil {
		return nil, err
	}
	r := newIndexed(ctx, data, xref{trailer: s.trailer(), most: limits.Objects, bound: numberBound(data)}, limits)
	r.starts = s.starts
	r.torn = s.torn()
	for num, o := range s.newest {
		if err := r.xref.set(num, place{direct, o.gen, o.start}); err != nil {
			return nil, err
		}
	}
	if err := r.unlock(password); err != nil {
		return nil, err
	}
	if err := s.unpack(r); err != nil {
		return nil, err
	}
	s.settle(r)
	s.root(r)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return r, nil
}

// headers finds all headers.
func (s *scan) headers(limit int) error {
	for at := 0; ; at += len("obj") {
		i := bytes.Index(s.data[at:], []byte("obj"))
		if i < 0 {
			return nil
		}
		if s.over() {
			return context.Cause(s.ctx)
		}
		at += i
		gen, before := numberBefore(s.data, at)
		num, start := numberBefore(s.data, before)
		if gen < 0 || num < 0 || before == at || num >= limit {
			continue
		}
		if len(s.heads) == limit {
			return fmt.Errorf("%w: over %d objects", ErrLimit, limit)
		}
		h := header{num, gen, start, at + len("obj")}
		s.heads = append(s.heads, h)
		s.last[num] = h
	}
}

// numberBefore reads the number that ends before offset at, ignoring white
// space between them. It returns the number and its offset. The number is -1
// if there is none.
func numberBefore(b []byte, at int) (v, start int) {
	for at > 0 && IsSpace(b[at-1]) {
		at--
	}
	end := at
	for at > 0 && b[at-1] >= '0' && b[at-1] <= '9' && end-at < 10 {
		at--
	}
	if at == end {
		return -1, at
	}
	for _, c := range b[at:end] {
		v = v*10 + int(c-'0')
	}
	return v, at
}

// objects examines the data after each header, up to the next header outside
// a stream.
func (s *scan) objects() error {
	// Each revision of a document ends with a startxref. Objects after the
	// last one belong to an incomplete revision and may refer to lost
	// objects.
	whole := bytes.LastIndex(s.data, []byte("startxref"))
	if whole < 0 {
		whole = len(s.data)
	}
	first := len(s.data)
	if len(s.heads) > 0 {
		first = s.heads[0].start
	}
	s.between(0, first)
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	for i := 0; i < len(s.heads); {
		if s.over() {
			return context.Cause(s.ctx)
		}
		h := s.heads[i]
		end := s.next(i + 1)
		o := found{header: h}
		inner := s.stream(h, end) // end of the stream's data
		i++
		for i < len(s.heads) && s.heads[i].start < inner {
			i++
		}
		end = s.next(i)
		rest := s.data[max(h.end, inner):end]
		o.empty = len(bytes.TrimLeft(s.data[h.end:min(end, h.end+maxBlanks)], " \r\n\t\x00\f")) == 0
		o.open = end == len(s.data) && inner == 0 && !bytes.Contains(rest, []byte("endobj"))
		if old, ok := s.newest[h.num]; !ok || old.empty || !o.empty && !o.open {
			if ok && h.start > whole {
				s.older = append(s.older, old)
			}
			s.newest[h.num] = o
		}
		if inner == 0 && bytes.Contains(rest, []byte("/Standard")) {
			s.secret = h.num
		}
		s.starts = append(s.starts, h.start)
		s.between(end-len(rest), end)
	}
	return nil
}

// torn reports whether the file ends within an object, or has no trailer
// after its last object.
func (s *scan) torn() bool {
	if len(s.starts) == 0 {
		return false
	}
	last := s.data[s.starts[len(s.starts)-1]:]
	return !bytes.Contains(last, []byte("startxref")) && !bytes.Contains(last, []byte("trailer"))
}

// next returns the offset of header i, or the end of the file if there is
// none.
func (s *scan) next(i int) int {
	if i < len(s.heads) {
		return s.heads[i].start
	}
	return len(s.data)
}

// stream looks for a stream that begins before offset end. It returns the
// end of the stream's data, or 0 if there is no stream or its length is
// wrong. Headers up to that offset belong to the data, for example to an
// attached PDF.
func (s *scan) stream(h header, end int) int {
	body := s.data[:end]
	if !bytes.Contains(body[h.end:], []byte("stream")) {
		return 0
	}
	p := s.parser(body, h.end)
	o, _ := p.object(0)
	d, isDict := o.(Dict)
	if !isDict || !p.streams() {
		return 0
	}
	switch d["Type"] {
	case Name("XRef"):
		s.trailers = append(s.trailers, d)
	case Name("ObjStm"):
		s.packs = append(s.packs, h.num)
	}
	p.data = s.data
	at := p.begin()
	n, ok := d["Length"].(int)
	if ref, isRef := d["Length"].(Ref); isRef {
		n, ok = s.length(ref.Num)
	}
	if !ok || !p.sound(at, n, end) {
		return 0
	}
	return at + n
}

// parser returns a parser for objects that are not kept.
func (s *scan) parser(data []byte, at int) parser {
	s.shared.ctx, s.shared.left = s.ctx, maxElements //nolint:fatcontext // the scan's own, set and not nested
	return parser{data: data, pos: at, shared: &s.shared}
}

// length reads an object that is an integer.
func (s *scan) length(num int) (int, bool) {
	h, ok := s.last[num]
	if !ok {
		return 0, false
	}
	p := parser{data: s.data[:min(len(s.data), h.end+2*maxBlanks)], pos: h.end}
	return p.natural()
}

// between reads the trailers in a part of the file.
func (s *scan) between(at, end int) {
	for {
		i := bytes.Index(s.data[at:end], []byte("trailer"))
		if i < 0 || s.over() {
			return
		}
		at += i + len("trailer")
		p := s.parser(s.data[:end], at)
		if o, _ := p.object(0); o != nil {
			if d, ok := o.(Dict); ok {
				s.trailers = append(s.trailers, d)
			}
			at = max(at, p.pos)
		}
	}
}

// trailer merges all trailers. The last value of each entry is used. If a
// document has lost its trailers, its encryption dictionary may still be
// found.
func (s *scan) trailer() Dict {
	all := Dict{}
	for _, d := range s.trailers {
		for _, key := range []Name{"Root", "Info", "Encrypt", "ID"} {
			if v := d[key]; v != nil {
				all[key] = v
			}
		}
	}
	if all["Encrypt"] == nil && s.secret > 0 && len(s.trailers) == 0 {
		all["Encrypt"] = Ref{Num: s.secret}
	}
	return all
}

// unpack adds the objects in object streams to r. If an object occurs
// several times, in streams or directly in the file, the last one is used.
func (s *scan) unpack(r *indexed) error {
	packs := map[int]bool{}
	for _, num := range s.packs {
		packs[num] = true
	}
	total := 0
	for _, num := range s.packs {
		at := s.newest[num].start
		for i, it := range r.pack(num).items {
			if s.over() {
				return context.Cause(s.ctx)
			}
			if total++; total > r.xref.most {
				return fmt.Errorf("%w: over %d objects", ErrLimit, r.xref.most)
			}
			if o, ok := s.newest[it.num]; packs[it.num] || ok && !o.empty && o.start > at {
				continue
			}
			if err := r.xref.set(it.num, place{packed, i, num}); err != nil {
				continue // a number out of range
			}
		}
	}
	clear(r.done) // read before all objects were known
	return nil
}

// settle restores objects that an incomplete revision replaced, if the new
// versions refer to lost objects.
func (s *scan) settle(r *indexed) {
	for _, old := range slices.Backward(s.older) {
		p, _ := r.xref.get(old.num)
		if p.kind != direct || p.at <= old.start || !r.dangles(r.object(old.num), 0) {
			continue
		}
		if r.xref.set(old.num, place{direct, old.gen, old.start}) == nil {
			delete(r.done, old.num)
		}
	}
}

// dangles reports whether an object refers to an object that does not exist.
func (s *indexed) dangles(o Object, depth int) bool {
	if depth > maxDepth {
		return false
	}
	switch v := o.(type) {
	case Ref:
		_, ok := s.xref.get(v.Num)
		return !ok
	case Array:
		return slices.ContainsFunc(v, func(e Object) bool { return s.dangles(e, depth+1) })
	case *Stream:
		return s.dangles(v.Dict, depth)
	case Dict:
		for _, e := range v {
			if s.dangles(e, depth+1) {
				return true
			}
		}
	}
	return false
}

// root finds the catalog. It is the root of the last trailer whose root has
// pages, otherwise the last catalog with pages, otherwise one made for the
// root of a page tree.
func (s *scan) root(r *indexed) {
	for _, d := range slices.Backward(s.trailers) {
		if r.inner.Dict(r.inner.Dict(d["Root"])["Pages"]) != nil {
			r.xref.trailer["Root"] = d["Root"]
			return
		}
	}
	best, at := 0, -1
	for num, d := range r.find("Catalog") {
		if p, _ := r.xref.get(num); r.inner.Dict(d["Pages"]) != nil && p.at > at {
			best, at = num, p.at
		}
	}
	if best > 0 {
		r.xref.trailer["Root"] = Ref{Num: best}
		return
	}
	for num, d := range r.find("Pages") {
		if r.inner.Dict(d["Parent"]) == nil && r.inner.Array(d["Kids"]) != nil {
			catalog := Dict{}
			maps.Copy(catalog, r.inner.Dict(r.xref.trailer["Root"]))
			catalog["Pages"] = Ref{Num: num}
			r.xref.trailer["Root"] = catalog
			return
		}
	}
}

// streams reports whether a stream follows.
func (p *parser) streams() bool {
	p.skip()
	return bytes.HasPrefix(p.data[p.pos:], []byte("stream"))
}

// begin returns the offset of the data of the stream that follows.
func (p *parser) begin() int {
	at := p.pos + len("stream")
	if bytes.HasPrefix(p.data[at:], []byte("\r\n")) {
		at += 2
	} else if at < len(p.data) && (p.data[at] == '\n' || p.data[at] == '\r') {
		at++
	}
	return at
}

// sound reports whether the stream data at offset at ends after n bytes. If
// endobj follows the data in place of endstream, the data must end before
// the next object, which begins at end.
func (p *parser) sound(at, n, end int) bool {
	if n < 0 || n > len(p.data)-at {
		return false
	}
	rest := bytes.TrimLeft(p.data[at+n:min(at+n+20, len(p.data))], "\r\n ")
	return bytes.HasPrefix(rest, []byte("endstream")) || at+n <= end && bytes.HasPrefix(rest, []byte("endobj"))
}

// stream returns the data of the stream that follows a dictionary. It
// returns false if there is none. If the length is wrong or unknown, the
// stream ends at the next endstream, and at the latest at offset end.
func (p *parser) stream(length Object, end int) ([]byte, bool) {
	if !p.streams() {
		return nil, false
	}
	at := p.begin()
	if n, ok := length.(int); ok && p.sound(at, n, end) {
		return p.data[at : at+n : at+n], true
	}
	end = max(at, end)
	if i := bytes.Index(p.data[at:end], []byte("endstream")); i >= 0 {
		end = at + i
	}
	return p.data[at:end:end], true
}
