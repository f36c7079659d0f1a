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
	decoded *atomic.Int64 // bytes decoded so far, of limits.Total; one count for a document
	grow    func(int64)   // see Options; may be nil
}

func newFile(ctx context.Context, s source, limits Limits) *File {
	return &File{ctx: ctx, source: s, limits: limits, decoded: &atomic.Int64{}}
}

// Options say how a document is opened.
type Options struct {
	Password string // tried after the empty one
	Limits   Limits
	Grow     func(bytes int64) // told of the bytes that each stream decodes to; may block; nil: nobody is told
}

// Open reads the objects of the size bytes of r. The error wraps
// [ErrEncrypted] where neither the empty nor the given password opens the
// document, [ErrLimit], [ErrCorrupt] or the cause that ended ctx. The file's
// streams are decoded until ctx ends.
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
	if err == nil { // a plain document that mentions encryption
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

// file returns the document that a source serves.
func (s *indexed) file() *File {
	return &File{ctx: s.inner.ctx, source: s, limits: s.inner.limits, decoded: s.inner.decoded}
}

// Bytes is a document in memory, which is read where it lies.
type Bytes []byte

// ReadAt is that of [io.ReaderAt].
func (b Bytes) ReadAt(p []byte, at int64) (int, error) {
	return bytes.NewReader(b).ReadAt(p, at)
}

// readAll returns the size bytes of r, or as many as it has.
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

// mentionsEncrypt says whether the last bytes of a file, or its first, name an
// encryption dictionary. If the newest trailer lost it, an older one has it.
func mentionsEncrypt(data []byte) bool {
	n := min(len(data), 2048)
	return bytes.Contains(data[:n], []byte("/Encrypt")) || bytes.Contains(data[len(data)-n:], []byte("/Encrypt"))
}

// skipJunk returns data from its header on, where other bytes stand before it:
// offsets count from the header (ISO 32000-1, annex H.3, note 13).
func skipJunk(data []byte) []byte {
	if i := bytes.Index(data[:min(len(data), 1024)], []byte("%PDF-")); i > 0 {
		return data[i:]
	}
	return data
}

// maxHops bounds a chain of references.
const maxHops = 32

// Resolve follows references; what is missing or circular is nil.
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

// Dict returns o, resolved, as a dictionary, that of a stream included; nil
// where it is none. A nil Dict may be read.
func (f *File) Dict(o Object) Dict {
	switch v := f.Resolve(o).(type) {
	case Dict:
		return v
	case *Stream:
		return v.Dict
	}
	return nil
}

// Array returns o, resolved, as an array; nil where it is none.
func (f *File) Array(o Object) Array {
	a, _ := f.Resolve(o).(Array)
	return a
}

// Stream returns o, resolved, as a stream; nil where it is none.
func (f *File) Stream(o Object) *Stream {
	s, _ := f.Resolve(o).(*Stream)
	return s
}

// Name returns o, resolved, as a name; empty where it is none.
func (f *File) Name(o Object) Name {
	n, _ := f.Resolve(o).(Name)
	return n
}

// Float returns o, resolved, as a number, or def where it is none.
func (f *File) Float(o Object, def float64) float64 {
	if v, ok := Float(f.Resolve(o)); ok {
		return v
	}
	return def
}

// Int returns o, resolved, as an integer, or def where it is none.
func (f *File) Int(o Object, def int) int {
	if v, ok := Int(f.Resolve(o)); ok {
		return v
	}
	return def
}

// Floats returns o, resolved, as n numbers; false where there are fewer.
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

// Text returns o, resolved, as a text string in UTF-8; empty where it is none.
func (f *File) Text(o Object) string {
	s, _ := f.Resolve(o).(String)
	return Text(string(s))
}

// Trailer returns the trailer: Root, Info, Encrypt.
func (f *File) Trailer() Dict { return f.source.trailer() }

// Catalog returns the document's catalog; nil where there is none.
func (f *File) Catalog() Dict { return f.Dict(f.Trailer()["Root"]) }

// Limits returns the limits that f was opened with, defaults filled in.
func (f *File) Limits() Limits { return f.limits }

// Lost reports whether a bound left objects of the document out so far.
func (f *File) Lost() bool { return f.source.lost() }

// Decoded returns how much of Limits.Total is spent.
func (f *File) Decoded() int64 { return f.decoded.Load() }

// dataCost is what a stream costs of Limits.Total besides its bytes, coded or
// not: a small one that is asked for over and over takes time too.
const dataCost = 64

// Data returns the decoded bytes of s. Where a filter fails it returns what
// came before, and the error that wraps [ErrCorrupt], [ErrLimit] or the cause
// that ended the context of [Open], which is heeded every few ms. Filters of
// images (DCTDecode, JPXDecode, CCITTFaxDecode, JBIG2Decode) are not decoded:
// the bytes before them are returned without an error.
func (f *File) Data(s *Stream) ([]byte, error) { return f.DataWithin(s, f.limits.Stream) }

// DataWithin is Data for who takes at most limit bytes: where there are more,
// the error wraps [ErrLimit].
func (f *File) DataWithin(s *Stream, limit int64) ([]byte, error) {
	if s == nil {
		return nil, nil
	}
	room := f.limits.Total - f.decoded.Load()
	if room <= 0 {
		return nil, fmt.Errorf("%w: %d decoded bytes", ErrLimit, f.limits.Total)
	}
	filters := f.filters(s.Dict)
	data, err := decode(f.ctx, s.raw, filters, min(room, f.limits.Stream, limit))
	f.decoded.Add(int64(len(data)) + dataCost)
	if f.grow != nil {
		f.grow(int64(len(data)))
	}
	return data, err
}

// Filters returns the names of the filters of s, in the order of decoding.
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

// maxFilters bounds a chain: more are an attack.
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
