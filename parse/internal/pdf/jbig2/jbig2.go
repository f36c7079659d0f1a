// SPDX-License-Identifier: Apache-2.0

// Package jbig2 decodes JBIG2 images (ITU-T T.88) as they are embedded in
// PDF documents (ISO 32000-1, 7.4.7).
//
// It supports all segment types that a scanned page can contain, but neither
// colour nor the extended templates of amendment 2. An error ends the region
// that is damaged; everything decoded before is kept.
package jbig2

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
)

// ErrDamaged means that the image is damaged or exceeds a limit.
var ErrDamaged = errors.New("jbig2: damaged image")

var errDamaged = ErrDamaged

// spare is the number of pixels that may be decoded in addition to twice
// those of the page, for symbols, patterns and regions.
const spare = 32 << 20

// Decode decodes the page of an image of w by h pixels. globals are segments
// that several images share. The error wraps [ErrDamaged] or the cause that
// ended ctx. With an error, the bitmap, if not nil, is what was decoded
// before it.
func Decode(ctx context.Context, data, globals []byte, w, h int) (*Bitmap, error) {
	d := decoder{ctx: ctx, room: 2*w*h + spare, results: map[uint32]*result{}}
	page, err := d.bitmap(w, h)
	if err != nil {
		return nil, err
	}
	d.page = page
	for _, part := range [2][]byte{globals, data} {
		if err = d.segments(part); err != nil {
			break
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if !d.drawn && err == nil {
		err = fmt.Errorf("%w: no regions", ErrDamaged)
	}
	return page, err
}

// decoder is the state of decoding one image.
type decoder struct {
	ctx     context.Context //nolint:containedctx // lives as long as the call
	room    int             // number of pixels that may still be decoded
	page    *Bitmap
	drawn   bool               // something was drawn on the page
	results map[uint32]*result // by segment number
}

// result is what other segments can use of a decoded segment.
type result struct {
	dictionary *dictionary
	patterns   []*Bitmap
	bitmap     *Bitmap
	table      *huffman
}

// stopped returns the cause that ended ctx. It only checks ctx if part is 0.
func (d *decoder) stopped(part int) error {
	if part != 0 {
		return nil
	}
	return context.Cause(d.ctx)
}

// spend counts n pixels towards the limit.
func (d *decoder) spend(n int) error {
	if n < 0 || n > d.room {
		return fmt.Errorf("%w: too many pixels", errDamaged)
	}
	d.room -= n
	return nil
}

// bitmap returns a white bitmap.
func (d *decoder) bitmap(w, h int) (*Bitmap, error) {
	const row = 16 // minimum number of pixels that a row counts, because rows without pixels take time too
	if w < 0 || h < 0 || h > d.room/max(w, row) {
		return nil, fmt.Errorf("%w: %d by %d pixels", errDamaged, w, h)
	}
	d.room -= max(w, row) * h
	return &Bitmap{W: w, H: h, Pix: make([]byte, w*h)}, nil
}

// segment is the header of a segment (7.2).
type segment struct {
	number uint32
	kind   byte
	refers []uint32
	length uint32
}

// unknownLength is the length of a generic region whose end must be searched
// in the data.
const unknownLength = 0xffffffff

// maxRefers is the maximum number of segments that a segment may refer to.
const maxRefers = 1 << 16

// segments decodes the segments in data. It accepts a file header (annex
// D.4), although embedded data should not have one.
func (d *decoder) segments(data []byte) error {
	r := reader{data: data}
	random := false
	if len(data) > 9 && string(data[:8]) == "\x97JB2\r\n\x1a\n" {
		random = data[8]&1 == 0
		r.at = 9
		if data[8]&2 == 0 {
			r.at += 4
		}
	}
	var all []segment
	for r.at < len(data) {
		s, ok := r.segment()
		if !ok {
			break
		}
		if random {
			if all = append(all, s); s.kind != endOfFile {
				continue
			}
			break
		}
		if done, err := d.run(&r, s); err != nil || done {
			return err
		}
	}
	for _, s := range all {
		if done, err := d.run(&r, s); err != nil || done {
			return err
		}
	}
	return nil
}

// run decodes the data of a segment. done is set at the end of the page.
func (d *decoder) run(r *reader, s segment) (done bool, err error) {
	if err := d.ctx.Err(); err != nil {
		return true, err
	}
	data := r.data[min(r.at, len(r.data)):]
	length := int(s.length)
	if s.length == unknownLength {
		length = genericLength(data)
	}
	data = data[:min(length, len(data))]
	r.at += length
	return s.kind == endOfPage || s.kind == endOfFile, d.decode(s, reader{data: data})
}

// Segment types (7.3).
const (
	symbolDictionary  = 0
	textRegion        = 4 // 6 and 7 are immediate: drawn at once
	patternDictionary = 16
	halftoneRegion    = 20
	genericRegion     = 36
	refinementRegion  = 40
	pageInformation   = 48
	endOfPage         = 49
	endOfFile         = 51
	customTable       = 53
)

func (d *decoder) decode(s segment, r reader) error {
	var out result
	var err error
	switch s.kind {
	case symbolDictionary:
		out.dictionary, err = d.readSymbols(s, &r)
	case patternDictionary:
		flags, w, h, most := r.u8(), r.u8(), r.u8(), r.u32()
		if !r.short {
			out.patterns, err = d.patterns(r.rest(), flags&1 == 1, flags>>1&3, w, h, most+1)
		}
	case customTable:
		out.table, err = readTable(r.data)
	case pageInformation:
		d.readPage(&r)
		return nil
	case textRegion, textRegion + 2, textRegion + 3, halftoneRegion, halftoneRegion + 2, halftoneRegion + 3,
		genericRegion, genericRegion + 2, genericRegion + 3, refinementRegion, refinementRegion + 2, refinementRegion + 3:
		if out.bitmap, err = d.region(s, &r); out.bitmap == nil && err == nil {
			return nil
		}
	default:
		return nil
	}
	if err == nil && r.short {
		err = errDamaged
	}
	d.results[s.number] = &out
	return err
}

// readPage reads the page information (7.4.8) and sets the default colour of
// the page. The size of the page is that of the image.
func (d *decoder) readPage(r *reader) {
	r.take(16)
	if flags := r.u8(); flags&4 != 0 && !d.drawn {
		for i := range d.page.Pix {
			d.page.Pix[i] = 1
		}
	}
}

// region decodes a region and draws it. An intermediate region is returned
// instead, for use by other segments.
func (d *decoder) region(s segment, r *reader) (*Bitmap, error) {
	w, h, x, y, flags := r.u32(), r.u32(), r.i32(), r.i32(), r.u8()
	if r.short {
		return nil, errDamaged
	}
	if s.length == unknownLength && len(r.data) >= 4 {
		h = min(h, int(binary.BigEndian.Uint32(r.data[len(r.data)-4:]))) // the row count after the data (7.2.7)
	}
	var b *Bitmap
	var err error
	base := s.kind &^ 3
	switch base {
	case textRegion:
		b, err = d.readText(s, r, w, h)
	case halftoneRegion:
		b, err = d.readHalftone(s, r, w, h)
	case genericRegion:
		b, err = d.readGeneric(r, w, h)
	default:
		b, err = d.readRefinement(s, r, w, h, x, y)
	}
	if err != nil || s.kind == base {
		return b, err
	}
	d.drawn = true
	d.page.draw(b, x, y, operator(flags&7))
	return nil, nil //nolint:nilnil // it is drawn
}

// reader reads the fields of headers. After the end of the data it returns
// zeros.
type reader struct {
	data  []byte
	at    int
	short bool // more bytes were read than exist
}

// take returns the next n bytes.
//
//go:noinline
func (r *reader) take(n int) []byte {
	if n > len(r.data)-r.at {
		r.short, r.at = true, len(r.data)
		return make([]byte, n)
	}
	r.at += n
	return r.data[r.at-n : r.at]
}

//go:noinline
func (r *reader) u8() int  { return int(r.take(1)[0]) }
func (r *reader) i8() int  { return int(int8(r.take(1)[0])) } //nolint:gosec // two's complement
func (r *reader) u16() int { return int(binary.BigEndian.Uint16(r.take(2))) }
func (r *reader) u32() int { return int(binary.BigEndian.Uint32(r.take(4))) }
func (r *reader) i32() int { return int(int32(binary.BigEndian.Uint32(r.take(4)))) } //nolint:gosec // two's complement

// rest returns the remaining data.
func (r *reader) rest() []byte { return r.data[r.at:] }

// pixels reads n adaptive pixels.
func (r *reader) pixels(n int) []offset {
	out := make([]offset, n)
	for i := range out {
		out[i] = offset{r.i8(), r.i8()}
	}
	return out
}

// segment reads a segment header. It returns false if there is none.
func (r *reader) segment() (segment, bool) {
	s := segment{number: uint32(r.u32())} //nolint:gosec // of 32 bits
	flags := r.u8()
	s.kind = byte(flags & 63)
	n := r.u8() >> 5
	if n == 7 {
		r.at--
		n = r.u32() & (1<<29 - 1)
		if n > maxRefers {
			return s, false
		}
		r.take((n + 8) / 8)
	}
	size := 4
	switch {
	case s.number <= 256:
		size = 1
	case s.number <= 65536:
		size = 2
	}
	for range n {
		v := uint32(0)
		for _, b := range r.take(size) {
			v = v<<8 | uint32(b)
		}
		if r.short {
			return s, false
		}
		s.refers = append(s.refers, v)
	}
	if flags&64 != 0 {
		r.take(4)
	} else {
		r.take(1)
	}
	s.length = uint32(r.u32()) //nolint:gosec // of 32 bits
	return s, !r.short
}

// genericLength finds the end of a generic region of unknown length: a
// marker followed by the row count (7.2.7).
func genericLength(data []byte) int {
	const header = 18
	if len(data) <= header {
		return len(data)
	}
	mark := [2]byte{0xff, 0xac}
	if data[header-1]&1 == 1 {
		mark = [2]byte{0, 0}
	}
	for i := header; i+6 <= len(data); i++ {
		if data[i] == mark[0] && data[i+1] == mark[1] {
			return i + 6
		}
	}
	return len(data)
}
