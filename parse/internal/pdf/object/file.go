// SPDX-License-Identifier: Apache-2.0

package object

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
)

// File is an open document. It is safe for concurrent use.
type File struct {
	ctx     context.Context //nolint:containedctx // of the one reading that the file serves; what decodes heeds it
	source  source
	limits  Limits
	decoded *atomic.Int64 // bytes decoded so far, bounded by limits.Total; shared by all files of a document
	grow    func(int64)   // see Options.Grow; may be nil
	missing atomic.Int64  // see MissingPages
}

func newFile(ctx context.Context, s source, limits Limits) *File {
	return &File{ctx: ctx, source: s, limits: limits, decoded: &atomic.Int64{}}
}

// Options control how a document is opened.
type Options struct {
	Password string // tried after the empty password
	Limits   Limits
	Grow     func(bytes int64) // called with the number of decoded bytes of each stream; may block; may be nil
}

// Open opens the document in the first size bytes of r. The error wraps
// [ErrEncrypted] if neither the empty nor the given password opens the
// document, [ErrLimit], [ErrCorrupt] or the cause that ended ctx. After ctx
// has ended, streams of the file cannot be decoded.
func Open(ctx context.Context, r io.ReaderAt, size int64, o Options) (file *File, err error) {
	defer func() {
		if file != nil {
			file.grow = o.Grow
		}
	}()
	limits := o.Limits.withDefaults()
	if size > limits.Input {
		return nil, fmt.Errorf("%w: %d bytes", ErrLimit, size)
	}
	data, err := readAll(r, size)
	if err != nil {
		return nil, err
	}
	data = skipJunk(data)
	s, err := readIndexed(ctx, data, o.Password, limits)
	if err == nil && (s.crypt != nil || !mentionsEncrypt(data)) {
		if f := s.file(); f.hasPages(true) {
			return f, nil
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	again, err2 := readScanned(ctx, data, o.Password, limits)
	if err2 == nil {
		f := again.file()
		if f.hasPages(false) {
			return f, nil
		}
		err2 = fmt.Errorf("%w: no pages", ErrCorrupt)
	}
	if err == nil { // an unencrypted document may mention encryption
		if f := s.file(); f.hasPages(false) {
			return f, nil
		}
	}
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, ErrEncrypted), errors.Is(err, ErrLimit) && errors.Is(err2, ErrCorrupt):
		return nil, err
	}
	return nil, err2
}

// file returns the document over a source.
func (s *indexed) file() *File {
	return &File{ctx: s.inner.ctx, source: s, limits: s.inner.limits, decoded: s.inner.decoded}
}

// Bytes is a document in memory. Open does not copy it.
type Bytes []byte

// ReadAt implements [io.ReaderAt].
func (b Bytes) ReadAt(p []byte, at int64) (int, error) {
	return bytes.NewReader(b).ReadAt(p, at)
}

// readAll returns the first size bytes of r, or all if it has fewer.
func readAll(r io.ReaderAt, size int64) ([]byte, error) {
	if b, ok := r.(Bytes); ok {
		return b[:min(size, int64(len(b)))], nil
	}
	data := make([]byte, size) // at most Limits.Input
	n, err := r.ReadAt(data, 0)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return data[:n], nil
}

// mentionsEncrypt reports whether the start or the end of a file mentions an
// encryption dictionary. If the newest trailer lacks it, an older one may
// have it.
func mentionsEncrypt(data []byte) bool {
	n := min(len(data), 2048)
	return bytes.Contains(data[:n], []byte("/Encrypt")) || bytes.Contains(data[len(data)-n:], []byte("/Encrypt"))
}

// skipJunk returns data from its header on. Offsets count from the header if
// other bytes precede it (ISO 32000-1, annex H.3, note 13).
func skipJunk(data []byte) []byte {
	if i := bytes.Index(data[:min(len(data), 1024)], []byte("%PDF-")); i > 0 {
		return data[i:]
	}
	return data
}

// maxHops bounds a chain of references.
const maxHops = 32

// Resolve follows references. It returns nil for missing objects and
// circular references.
func (f *File) Resolve(o Object) Object {
	for range maxHops {
		r, ok := o.(Ref)
		if !ok {
			return o
		}
		o = f.source.object(r.Num)
	}
	return nil
}

// Dict resolves o and returns it as a dictionary; of a stream it returns the
// stream's dictionary. It returns nil if o is neither. A nil Dict may be
// read.
// Its many callers would be larger if it were inlined.
//
//go:noinline
func (f *File) Dict(o Object) Dict {
	switch v := f.Resolve(o).(type) {
	case Dict:
		return v
	case *Stream:
		return v.Dict
	}
	return nil
}

// Array resolves o and returns it as an array, or nil if it is not one.
// Its many callers would be larger if it were inlined.
//
//go:noinline
func (f *File) Array(o Object) Array {
	a, _ := f.Resolve(o).(Array)
	return a
}

// Stream resolves o and returns it as a stream, or nil if it is not one.
func (f *File) Stream(o Object) *Stream {
	s, _ := f.Resolve(o).(*Stream)
	return s
}

// Name resolves o and returns it as a name, or "" if it is not one.
// Its many callers would be larger if it were inlined.
//
//go:noinline
func (f *File) Name(o Object) Name {
	n, _ := f.Resolve(o).(Name)
	return n
}

// Float resolves o and returns it as a number, or def if it is not one.
func (f *File) Float(o Object, def float64) float64 {
	if v, ok := Float(f.Resolve(o)); ok {
		return v
	}
	return def
}

// Int resolves o and returns it as an integer, or def if it is not one.
func (f *File) Int(o Object, def int) int {
	if v, ok := Int(f.Resolve(o)); ok {
		return v
	}
	return def
}

// Floats resolves o and returns the first n numbers of the array. It returns
// false if there are fewer or if one is not a number.
func (f *File) Floats(o Object, n int) ([]float64, bool) {
	a := f.Array(o)
	if len(a) < n {
		return nil, false
	}
	out := make([]float64, n)
	for i := range out {
		v, ok := Float(f.Resolve(a[i]))
		if !ok {
			return nil, false
		}
		out[i] = v
	}
	return out, true
}

// Missing reports whether o refers to an object that the file does not have.
// According to ISO 32000-1 such a reference means null, but in practice it
// shows that a file was cut or damaged.
func (f *File) Missing(o Object) bool {
	_, ok := o.(Ref)
	return ok && f.Resolve(o) == nil
}

// Text resolves o and returns it as a text string in UTF-8, or "" if it is
// not a string.
func (f *File) Text(o Object) string {
	s, _ := f.Resolve(o).(String)
	return Text(string(s))
}

// Trailer returns the trailer dictionary with Root, Info and Encrypt.
func (f *File) Trailer() Dict { return f.source.trailer() }

// Catalog returns the document's catalog, or nil if there is none.
func (f *File) Catalog() Dict { return f.Dict(f.Trailer()["Root"]) }

// Limits returns the limits of f, including defaults.
func (f *File) Limits() Limits { return f.limits }

// Lost returns how many of the requested objects a bound has left out or cut
// short so far.
func (f *File) Lost() int { return f.source.lost() }

// Torn reports whether the end of the file is missing: it ends within an
// object, or has no trailer after the last object.
func (f *File) Torn() bool {
	s, ok := f.source.(*indexed)
	return ok && s.torn
}

// Decoded returns how much of Limits.Total has been used.
func (f *File) Decoded() int64 { return f.decoded.Load() }

// dataCost is added to the size of each decoded stream when it is charged to
// Limits.Total. Decoding a small stream many times takes time too.
const dataCost = 64

// Data returns the decoded bytes of s. If a filter fails, it returns the
// bytes before the fault and an error that wraps [ErrCorrupt], [ErrLimit] or
// the cause that ended the context of [Open], which is checked every few
// milliseconds. It does not decode image filters (DCTDecode, JPXDecode,
// CCITTFaxDecode, JBIG2Decode): it returns the data that they would decode,
// without an error.
func (f *File) Data(s *Stream) ([]byte, error) { return f.DataWithin(s, f.limits.Stream) }

// DataWithin is like Data but decodes at most limit bytes. If there are
// more, the error wraps [ErrLimit].
func (f *File) DataWithin(s *Stream, limit int64) ([]byte, error) {
	return f.data(s, &gauge{limit: limit})
}

// Borrow is like DataWithin, but the memory of most data is used again after a call of
// back, which must be the only one.
func (f *File) Borrow(s *Stream, limit int64) (data []byte, back func(), err error) {
	g := &gauge{limit: limit, lends: true}
	data, err = f.data(s, g)
	return data, g.back, err
}

func (f *File) data(s *Stream, g *gauge) ([]byte, error) {
	if s == nil {
		return nil, nil
	}
	room := f.limits.Total - f.decoded.Load()
	if room <= 0 {
		return nil, fmt.Errorf("%w: %d decoded bytes", ErrLimit, f.limits.Total)
	}
	filters := f.filters(s.Dict)
	g.ctx, g.limit = f.ctx, min(room, f.limits.Stream, g.limit)
	data, err := g.decode(s.raw, filters)
	f.decoded.Add(int64(len(data)) + dataCost)
	if f.grow != nil {
		f.grow(int64(len(data)))
	}
	return data, err
}

// Filters returns the names of the filters of s in the order of decoding.
func (f *File) Filters(s *Stream) []Name {
	var names []Name
	for _, x := range f.filters(s.Dict) {
		names = append(names, x.name)
	}
	return names
}

// step is one filter with its parameters.
type step struct {
	name  Name
	parms parms
}

// parms are the parameters of Flate and LZW (ISO 32000-1, table 8).
type parms struct{ predictor, colors, bits, columns, early int }

// maxFilters bounds a chain of filters. Only hostile files have more.
const maxFilters = 10

func (f *File) filters(d Dict) []step {
	pick := func(long, short Name) Object {
		if o, ok := d[long]; ok {
			return f.Resolve(o)
		}
		return f.Resolve(d[short])
	}
	var names Array
	switch v := pick("Filter", "F").(type) {
	case Name:
		names = Array{v}
	case Array:
		names = v
	}
	var all Array
	switch v := pick("DecodeParms", "DP").(type) {
	case Dict:
		all = Array{v}
	case Array:
		all = v
	}
	var out []step
	for i, n := range names {
		if i == maxFilters {
			break
		}
		s := step{name: f.Name(n)}
		var p Dict
		if i < len(all) {
			p = f.Dict(all[i])
		}
		s.parms = parms{
			predictor: f.Int(p["Predictor"], 1),
			colors:    f.Int(p["Colors"], 1),
			bits:      f.Int(p["BitsPerComponent"], 8),
			columns:   f.Int(p["Columns"], 1),
			early:     f.Int(p["EarlyChange"], 1),
		}
		out = append(out, s)
	}
	return out
}
