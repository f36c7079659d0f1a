// SPDX-License-Identifier: Apache-2.0

package object

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
)

// xref has the entries of the cross-reference sections of a file (ISO
// 32000-1, 7.5.4 to 7.5.8). Of several entries for an object, the newest is
// used.
type xref struct {
	places  []place       // by object number
	far     map[int]place // entries of numbers from bound on
	trailer Dict          // Root, Info, Encrypt, ID
	bound   int           // limit of places, so that it is not much larger than the file
	most    int           // limit on all object numbers
}

// numberBound returns the limit of object numbers in xref.places. Files with
// few gaps in their numbering have no higher numbers.
func numberBound(data []byte) int { return 2*len(data) + 1 }

// get returns the place of an object. It returns false if there is none.
func (x *xref) get(num int) (place, bool) {
	if num >= 0 && num < len(x.places) {
		p := x.places[num]
		return p, p.kind != unknown
	}
	p, ok := x.far[num]
	return p, ok
}

// set records the place of an object. The error wraps ErrLimit.
func (x *xref) set(num int, p place) error {
	switch {
	case num >= x.most || num < 0:
		return fmt.Errorf("%w: over %d objects", ErrLimit, x.most)
	case num >= x.bound:
		if x.far == nil {
			x.far = map[int]place{}
		}
		x.far[num] = p
		return nil
	}
	for num >= len(x.places) {
		x.places = append(x.places, place{})
	}
	x.places[num] = p
	return nil
}

// all returns the numbers and places of all objects in ascending order.
func (x *xref) all() iter.Seq2[int, place] {
	return func(yield func(int, place) bool) {
		for num, p := range x.places {
			if p.kind != unknown && !yield(num, p) {
				return
			}
		}
		for _, num := range slices.Sorted(maps.Keys(x.far)) {
			if !yield(num, x.far[num]) {
				return
			}
		}
	}
}

// place is the location of an object.
type place struct {
	kind  placeKind
	index int // direct: generation number; packed: index in the object stream
	at    int // direct: byte offset from the file header; packed: number of the object stream
}

type placeKind uint8

const (
	unknown placeKind = iota // no section has an entry for it
	free
	direct
	packed
)

// Bounds on cross-reference sections.
const (
	maxSections   = 4096
	maxPacked     = 200_000   // objects of one object stream
	maxTail       = 2048      // bytes at the end of the file that are searched for startxref
	maxXrefStream = 64 << 20  // decoded bytes of one stream
	maxXrefTotal  = 128 << 20 // decoded bytes of all such streams
)

// xrefReader reads the sections from the newest to the oldest.
type xrefReader struct {
	data []byte
	file *File // decodes cross-reference streams; their dictionaries have no references
	free []int // objects marked as free in the current table
	left int   // bytes that may still be read for sections
	due  int   // steps until the next check of the context
	xref
}

// over reports whether the context has ended. It checks the context at
// intervals.
func (r *xrefReader) over() bool {
	if r.due--; r.due > 0 {
		return false
	}
	r.due = pollSteps
	return r.file.ctx.Err() != nil
}

// readXref reads all sections. The error wraps ErrCorrupt if one has a
// fault, ErrLimit, or is the cause that ended ctx.
func readXref(ctx context.Context, data []byte, limits Limits) (xref, error) {
	r := xrefReader{data: data, left: spendable(data), xref: xref{most: limits.Objects, bound: numberBound(data)}}
	r.file = newFile(ctx, noObjects{}, Limits{Stream: min(limits.Stream, maxXrefStream), Total: min(limits.Total, maxXrefTotal)})
	r.trailer = Dict{}
	seen := map[int]bool{}
	for at, more := r.start(), true; more; {
		if ctx.Err() != nil {
			return xref{}, context.Cause(ctx)
		}
		if at <= 0 || at >= len(data) || seen[at] || len(seen) == maxSections {
			return xref{}, fmt.Errorf("%w: invalid offset of a cross-reference section", ErrCorrupt)
		}
		seen[at] = true
		d, err := r.section(at)
		if err != nil {
			return xref{}, err
		}
		for _, key := range []Name{"Root", "Info", "Encrypt", "ID"} {
			if _, ok := r.trailer[key]; !ok && d[key] != nil {
				r.trailer[key] = d[key]
			}
		}
		prev := d["Prev"]
		at, _ = prev.(int)
		more = prev != nil
	}
	if r.trailer["Root"] == nil {
		return xref{}, fmt.Errorf("%w: no trailer", ErrCorrupt)
	}
	return r.xref, r.check(ctx)
}

// start returns the offset of the newest section, or 0 if the file does not
// state it.
func (r *xrefReader) start() int {
	tail := r.data[max(0, len(r.data)-maxTail):]
	i := bytes.LastIndex(tail, []byte("startxref"))
	if i < 0 {
		return 0
	}
	p := parser{data: tail, pos: i + len("startxref")}
	at, _ := p.natural()
	return at
}

// section reads one section and returns its trailer.
func (r *xrefReader) section(at int) (Dict, error) {
	p := parser{data: r.data, pos: at}
	p.skip()
	if !bytes.HasPrefix(r.data[p.pos:], []byte("xref")) {
		return r.stream(p.pos)
	}
	p.pos += len("xref")
	r.free = r.free[:0]
	for p.skip(); !bytes.HasPrefix(p.data[p.pos:], []byte("trailer")); p.skip() {
		if r.over() {
			return nil, context.Cause(r.file.ctx)
		}
		if err := r.rows(&p); err != nil {
			return nil, err
		}
	}
	p.pos += len("trailer")
	o, _ := p.object(0)
	if r.left -= p.pos - at; r.left < 0 {
		return nil, fmt.Errorf("%w: cross-reference sections overlap", ErrCorrupt)
	}
	d, ok := o.(Dict)
	if !ok {
		return nil, fmt.Errorf("%w: invalid trailer", ErrCorrupt)
	}
	// In a hybrid-reference file, the stream has objects that the table
	// marks as free.
	if at, ok := d["XRefStm"].(int); ok {
		if _, err := r.stream(at); err != nil {
			return nil, err
		}
	}
	for _, num := range r.free {
		if err := r.enter(num, place{kind: free}); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// rows reads a subsection of a table.
func (r *xrefReader) rows(p *parser) error {
	num, ok1 := p.natural()
	n, ok2 := p.natural()
	if !ok1 || !ok2 {
		return fmt.Errorf("%w: cross-reference table", ErrCorrupt)
	}
	for ; n > 0; n-- {
		if r.over() {
			return context.Cause(r.file.ctx)
		}
		at, ok1 := p.natural()
		gen, ok2 := p.natural()
		p.skip()
		if !ok1 || !ok2 || p.pos == len(p.data) {
			return fmt.Errorf("%w: cross-reference table", ErrCorrupt)
		}
		switch p.data[p.pos] {
		case 'n':
			if err := r.enter(num, place{direct, gen, at}); err != nil {
				return err
			}
		case 'f':
			r.free = append(r.free, num)
		default:
			return fmt.Errorf("%w: cross-reference table", ErrCorrupt)
		}
		p.pos++
		num++
	}
	return nil
}

// enter records the place of an object, unless a newer section has one.
func (r *xrefReader) enter(num int, p place) error {
	if num >= r.bound && num < r.most { // in a sound file nearly every lower number has an object
		return fmt.Errorf("%w: object number %d", ErrCorrupt, num)
	}
	if p.kind == direct && p.at == 0 { // some producers mark missing objects this way
		p.kind = free
	}
	if _, ok := r.get(num); ok {
		return nil
	}
	return r.set(num, p)
}

// stream reads a cross-reference stream and returns its dictionary.
func (r *xrefReader) stream(at int) (Dict, error) {
	p := parser{data: r.data, pos: min(max(at, 0), len(r.data))}
	_, ok1 := p.natural()
	_, ok2 := p.natural()
	if p.skip(); !ok1 || !ok2 || string(p.word()) != "obj" {
		return nil, fmt.Errorf("%w: no cross-reference section", ErrCorrupt)
	}
	o, _ := p.object(0)
	d, _ := o.(Dict)
	raw, ok := p.stream(d["Length"], len(p.data))
	if !ok || d["Type"] != Name("XRef") {
		return nil, fmt.Errorf("%w: no cross-reference stream", ErrCorrupt)
	}
	if r.left -= p.pos - at + len(raw); r.left < 0 {
		return nil, fmt.Errorf("%w: cross-reference sections overlap", ErrCorrupt)
	}
	data, err := r.file.Data(&Stream{Dict: d, raw: raw})
	if err != nil {
		return nil, err
	}
	return d, r.packedRows(data, d)
}

// packedRows reads the rows of a cross-reference stream (ISO 32000-1,
// 7.5.8.3).
func (r *xrefReader) packedRows(data []byte, d Dict) error {
	fault := fmt.Errorf("%w: invalid entries of a cross-reference stream", ErrCorrupt)
	widths, ok := r.file.Floats(d["W"], 3)
	if !ok {
		return fault
	}
	var w [3]int
	size := 0
	for i, v := range widths {
		if v < 0 || v > 8 {
			return fault
		}
		w[i] = int(v)
		size += w[i]
	}
	index := r.file.Array(d["Index"])
	if index == nil {
		index = Array{0, d["Size"]}
	}
	for ; len(index) >= 2; index = index[2:] {
		num, n := r.file.Int(index[0], -1), r.file.Int(index[1], -1)
		if num < 0 || n < 0 || size == 0 || n > len(data)/size {
			return fault
		}
		for i := range n {
			if r.over() {
				return context.Cause(r.file.ctx)
			}
			p := placeOf(data[i*size:], w)
			if p.at < 0 || p.index < 0 {
				return fault
			}
			if err := r.enter(num+i, p); err != nil {
				return err
			}
		}
		data = data[n*size:]
	}
	return nil
}

// placeOf decodes one row. w has the widths of its fields in bytes.
func placeOf(row []byte, w [3]int) place {
	v := [3]int{1, 0, 0} // the default type is 1
	for i, n := range w {
		if n == 0 {
			continue
		}
		v[i] = 0
		for _, b := range row[:n] {
			v[i] = v[i]<<8 | int(b)
		}
		row = row[n:]
	}
	switch v[0] {
	case 0:
		return place{kind: free}
	case 1:
		return place{direct, v[2], v[1]}
	case 2:
		return place{packed, v[2], v[1]}
	}
	return place{kind: free} // unknown types mean null (ISO 32000-1)
}

// check verifies that every object begins at its place. The error wraps
// ErrCorrupt or is the cause that ended ctx.
func (r *xrefReader) check(ctx context.Context) error {
	for num, p := range r.places {
		if num%4096 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		switch p.kind {
		case direct:
			if _, ok := head(r.data, p.at, num, p.index); !ok {
				return fmt.Errorf("%w: object %d is not in its place", ErrCorrupt, num)
			}
		case packed:
			if p.at >= len(r.places) || r.places[p.at].kind != direct {
				return fmt.Errorf("%w: object %d is not in an object stream", ErrCorrupt, num)
			}
		}
	}
	return nil
}

// head reads the object header "num gen obj" at offset at and returns the
// offset after it. It returns false if the header is not there.
func head(data []byte, at, num, gen int) (int, bool) {
	for _, want := range [2]int{num, gen} {
		v, digits := 0, 0
		at = blanks(data, at)
		for at < len(data) && data[at] >= '0' && data[at] <= '9' && digits < 10 {
			v = v*10 + int(data[at]-'0')
			at++
			digits++
		}
		if digits == 0 || v != want {
			return 0, false
		}
	}
	at = blanks(data, at)
	return at + len("obj"), bytes.HasPrefix(data[at:], []byte("obj"))
}

// maxBlanks bounds the white space that is skipped in one place.
const maxBlanks = 32

// blanks returns the offset after the white space at offset at. If only
// white space follows, it returns the length of data.
func blanks(data []byte, at int) int {
	if at < 0 || at >= len(data) {
		return len(data)
	}
	for end := min(len(data), at+maxBlanks); at < end && IsSpace(data[at]); {
		at++
	}
	return at
}
