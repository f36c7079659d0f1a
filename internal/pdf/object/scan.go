// SPDX-License-Identifier: Apache-2.0

package object

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
)

// scanned is a source over a file whose cross-reference table is lost or
// wrong: objects are found by their headers, wherever they stand.
type scanned struct {
	data   []byte
	offset map[int]int // behind the header, by number; the last one in the file counts
	gens   map[int]int // generations that are not 0
	crypt  *crypt      // nil: nothing is encrypted
	secret int         // number of the encryption dictionary, which is not
	packed map[int]Object
	root   Dict

	mu   sync.Mutex // guards what follows
	done map[int]Object
	desk desk
	left int // bytes that objects may still be read from
}

// rebuild reads data by its object headers. The error wraps
// ErrCorrupt, ErrEncrypted, ErrLimit or is the cause that ended ctx.
func rebuild(ctx context.Context, data []byte, password string, limits Limits) (*scanned, error) {
	s := &scanned{data: data, offset: map[int]int{}, gens: map[int]int{}, packed: map[int]Object{}, root: Dict{}, done: map[int]Object{}, left: spendable(data)}
	if err := s.headers(ctx, limits.Objects); err != nil {
		return nil, err
	}
	s.trailers()
	if err := s.streams(ctx, limits, "XRef"); err != nil {
		return nil, err
	}
	if err := s.unlock(ctx, password, limits); err != nil {
		return nil, err
	}
	if err := s.streams(ctx, limits, "ObjStm"); err != nil {
		return nil, err
	}
	if s.root["Root"] == nil {
		for num := range s.offset {
			if d, ok := s.object(num).(Dict); ok && d["Type"] == Name("Catalog") {
				s.root["Root"] = Ref{Num: num}
			}
		}
	}
	return s, nil
}

// unlock finds the key of an encrypted file.
func (s *scanned) unlock(ctx context.Context, password string, limits Limits) error {
	f := &File{ctx: ctx, source: s, limits: limits}
	d := f.Dict(s.root["Encrypt"])
	if d == nil {
		return nil
	}
	var id []byte
	if ids := f.Array(s.root["ID"]); len(ids) > 0 {
		first, _ := f.Resolve(ids[0]).(String)
		id = []byte(first)
	}
	c, err := newCrypt(f, d, id, password)
	if err != nil {
		return err
	}
	if r, ok := s.root["Encrypt"].(Ref); ok {
		s.secret = r.Num
	}
	s.crypt, s.done = c, map[int]Object{}
	return nil
}

// spendable is how many bytes of objects may be read from data: each one, and
// some again. Objects that lie in each other would take for ever.
func spendable(data []byte) int { return 4*len(data) + 1<<16 }

// headers notes where objects begin: "12 0 obj".
func (s *scanned) headers(ctx context.Context, limit int) error {
	for at := 0; ; at += 3 {
		i := bytes.Index(s.data[at:], []byte("obj"))
		if i < 0 {
			return nil
		}
		at += i
		if len(s.offset)%1024 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		gen, before := numberBefore(s.data, at)
		num, _ := numberBefore(s.data, before)
		if gen < 0 || num < 0 || num >= limit {
			continue
		}
		s.offset[num] = at + 3
		delete(s.gens, num)
		if gen > 0 {
			s.gens[num] = gen
		}
		if len(s.offset) > limit {
			return fmt.Errorf("%w: over %d objects", ErrLimit, limit)
		}
	}
}

// numberBefore reads the number that ends, but for white space, at a place; -1
// where there is none. It returns where the number begins.
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

// trailers takes the entries of all trailer dictionaries; later ones win.
func (s *scanned) trailers() {
	left := spendable(s.data)
	for at := 0; left > 0; {
		i := bytes.Index(s.data[at:], []byte("trailer"))
		if i < 0 {
			return
		}
		at += i + len("trailer")
		p := parser{data: s.data, pos: at}
		if d, ok := p.object(0); ok {
			s.adopt(d)
		}
		left -= p.pos - at
	}
}

func (s *scanned) adopt(o Object) {
	d, _ := o.(Dict)
	for _, key := range []Name{"Root", "Info", "Encrypt", "ID"} {
		if v, ok := d[key]; ok {
			s.root[key] = v
		}
	}
}

// streams unpacks the object streams, or takes the trailers of
// cross-reference streams.
func (s *scanned) streams(ctx context.Context, limits Limits, kind Name) error {
	nums := make([]int, 0, len(s.offset))
	for num := range s.offset {
		nums = append(nums, num)
	}
	slices.Sort(nums)
	left := limits.Total
	f := File{ctx: ctx, source: s, limits: limits}
	for _, num := range nums {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		// Most objects are no such streams; their bytes say so at once.
		head := s.data[s.offset[num]:min(s.offset[num]+512, len(s.data))]
		if !bytes.Contains(head, []byte(kind)) {
			continue
		}
		st, ok := s.object(num).(*Stream)
		if !ok || st.Dict["Type"] != kind {
			continue
		}
		switch kind {
		case "XRef":
			s.adopt(st.Dict)
		case "ObjStm":
			data, _ := f.Data(st) // what a damaged stream gave may do
			if left -= int64(len(data)); left < 0 {
				return fmt.Errorf("%w: %d decoded bytes", ErrLimit, limits.Total)
			}
			s.unpack(data, f.Int(st.Dict["N"], 0), f.Int(st.Dict["First"], 0))
		}
	}
	return nil
}

// unpack reads the objects of one object stream (ISO 32000-1, 7.5.7).
func (s *scanned) unpack(data []byte, n, first int) {
	left := spendable(data)
	for _, it := range items(data, n, first) {
		if _, direct := s.offset[it.num]; direct {
			continue
		}
		if left <= 0 {
			return
		}
		p := parser{data: data, pos: it.at, desk: &s.desk}
		if o, ok := p.object(0); ok {
			s.packed[it.num] = o
		}
		left -= p.pos - it.at
	}
}

func (s *scanned) trailer() Dict { return s.root }

func (s *scanned) numbers() iter.Seq[int] {
	all := slices.AppendSeq(slices.Collect(maps.Keys(s.packed)), maps.Keys(s.offset))
	slices.Sort(all)
	return slices.Values(slices.Compact(all))
}

func (s *scanned) object(num int) Object {
	if o, ok := s.packed[num]; ok {
		return o
	}
	at, ok := s.offset[num]
	if !ok {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if o, ok := s.done[num]; ok {
		return o
	}
	if s.left <= 0 {
		return nil
	}
	p := parser{data: s.data, pos: at, desk: &s.desk}
	o, _ := p.object(0)
	s.left -= p.pos - at
	if d, isDict := o.(Dict); isDict {
		if raw, ok := p.stream(d["Length"]); ok {
			s.left -= len(raw)
			o = &Stream{Dict: d, raw: raw}
		}
	}
	if s.crypt != nil && num != s.secret {
		o = s.crypt.object(o, num, s.gens[num], 0)
	}
	s.done[num] = o
	return o
}

// streams says whether a stream follows.
func (p *parser) streams() bool {
	p.skip()
	return bytes.HasPrefix(p.data[p.pos:], []byte("stream"))
}

// stream returns the bytes of the stream that follows its dictionary; false
// where none does. A length that is wrong, or stands elsewhere, gives way to
// the next endstream.
func (p *parser) stream(length Object) ([]byte, bool) {
	if !p.streams() {
		return nil, false
	}
	at := p.pos + len("stream")
	if bytes.HasPrefix(p.data[at:], []byte("\r\n")) {
		at += 2
	} else if at < len(p.data) && (p.data[at] == '\n' || p.data[at] == '\r') {
		at++
	}
	if n, ok := length.(int); ok && n >= 0 && n <= len(p.data)-at {
		rest := bytes.TrimLeft(p.data[at+n:min(at+n+20, len(p.data))], "\r\n ")
		if bytes.HasPrefix(rest, []byte("endstream")) {
			return p.data[at : at+n : at+n], true
		}
	}
	end := bytes.Index(p.data[at:], []byte("endstream"))
	if end < 0 {
		end = len(p.data) - at
	}
	return p.data[at : at+end : at+end], true
}
