// SPDX-License-Identifier: Apache-2.0

package object

import (
	"bytes"
	"compress/flate"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
)

// gauge bounds the decoding of one stream.
type gauge struct {
	ctx   context.Context //nolint:containedctx // lives as long as the call
	limit int64           // bytes that each filter may return
	due   int             // bytes until the next check of ctx

	lends bool                // the result may stay in room
	room  *[inflatedRoom]byte // of the pool, holds the result; nil if it has memory of its own
}

// pollBytes is the number of bytes that a filter handles between two checks
// of the context, which takes a few milliseconds.
const pollBytes = 1 << 20

// over records that n more bytes were handled and reports whether the
// context has ended.
func (g *gauge) over(n int) bool {
	if g.due -= n; g.due > 0 {
		return false
	}
	g.due = pollBytes
	return g.ctx.Err() != nil
}

// decode runs data through filters. No filter may return more than the limit of
// bytes. The error wraps [ErrCorrupt], [ErrLimit] or is the cause that ended
// the context.
func (g *gauge) decode(data []byte, filters []step) ([]byte, error) {
	var fault error
	for _, s := range filters {
		var err error
		switch s.name {
		case "FlateDecode", "Fl":
			data, err = g.inflate(data)
			data = g.unpredict(data, s.parms)
		case "LZWDecode", "LZW":
			data, err = g.unlzw(data, s.parms.early != 0)
			data = g.unpredict(data, s.parms)
		case "ASCIIHexDecode", "AHx":
			data = unhex(data)
		case "ASCII85Decode", "A85":
			data = g.unbase85(data)
		case "RunLengthDecode", "RL":
			data, err = g.unrun(data)
		case "Crypt":
		default: // an image filter: the rest of the chain belongs to the image
			return data, fault
		}
		if g.ctx.Err() != nil {
			return data, context.Cause(g.ctx)
		}
		if errors.Is(err, ErrLimit) {
			return data, err
		}
		if err != nil && fault == nil {
			fault = fmt.Errorf("%w: %s: %w", ErrCorrupt, s.name, err)
		}
	}
	return data, fault
}

// inflate decodes zlib data, or raw deflate data if the zlib header is
// damaged. It ignores the checksum at the end.
func (g *gauge) inflate(data []byte) ([]byte, error) {
	data = bytes.TrimLeft(data, "\r\n")
	if len(data) < 2 {
		return nil, io.ErrUnexpectedEOF
	}
	skip := 2
	if data[0]&0x0f != 8 || (int(data[0])<<8|int(data[1]))%31 != 0 {
		skip = 0
	}
	out, err := g.inflateRaw(data[skip:])
	if len(out) == 0 && err != nil && !errors.Is(err, ErrLimit) {
		if again, err2 := g.inflateRaw(data[2-skip:]); len(again) > 0 {
			return again, err2
		}
	}
	return out, err
}

// inflaters is a pool of decompressors, because their tables are large.
var inflaters = sync.Pool{New: func() any { return flate.NewReader(nil) }}

// deflated is the input of a decompressor. It ends when the context ends,
// because a long stream may produce no output at all.
type deflated struct {
	*gauge

	data []byte
	at   int // of the next byte
	poll int // where the context is checked next
}

func (d *deflated) ReadByte() (byte, error) {
	if d.at == d.poll {
		if err := d.ctx.Err(); err != nil {
			return 0, err
		}
		d.poll = min(d.at+pollBytes, len(d.data))
		if d.at == d.poll {
			return 0, io.EOF
		}
	}
	d.at++
	return d.data[d.at-1], nil
}

func (d *deflated) Read(b []byte) (int, error) {
	n := copy(b, d.data[d.at:])
	if d.at += n; n == 0 {
		return 0, io.EOF
	}
	d.poll = max(d.poll, d.at)
	return n, nil
}

// inflated is a pool of buffers for decompressed data, so that most streams are
// copied once, to memory of their size, and not each time the buffer grows.
var inflated = sync.Pool{New: func() any { return new([inflatedRoom]byte) }}

const inflatedRoom = 128 << 10

func (g *gauge) inflateRaw(data []byte) (all []byte, err error) {
	r := inflaters.Get().(io.ReadCloser)
	defer inflaters.Put(r)
	if err := r.(flate.Resetter).Reset(&deflated{gauge: g, data: data}, nil); err != nil { //nolint:forcetypeassert // all readers of flate are
		return nil, err
	}
	room := inflated.Get().(*[inflatedRoom]byte) //nolint:forcetypeassert // nothing else is put there
	out := room[:0:min(inflatedRoom, g.limit+1)]
	pooled := true
	defer func() {
		switch {
		case pooled && g.lends && g.room == nil:
			g.room = room
			return
		case pooled:
			all = slices.Clone(all)
		}
		inflated.Put(room)
	}()
	for {
		if len(out) == cap(out) {
			pooled = false
			more := min(int64(len(out)+512), g.limit+1-int64(len(out))) // one byte over the limit shows that there is more
			out = slices.Grow(out, int(more))
		}
		n, err := r.Read(out[len(out):cap(out)])
		out = out[:len(out)+n]
		switch {
		case int64(len(out)) > g.limit:
			return out[:g.limit], g.tooLong()
		case err == io.EOF:
			return out, nil
		case err != nil:
			return out, err
		case g.over(n):
			return out, g.ctx.Err()
		}
	}
}

// back returns the memory that holds the result to the pool.
func (g *gauge) back() {
	if g.room != nil {
		inflated.Put(g.room)
		g.room = nil
	}
}

func (g *gauge) tooLong() error {
	return fmt.Errorf("%w: a stream decodes to over %d bytes", ErrLimit, g.limit)
}

// unhex decodes ASCIIHex up to its end marker. It skips other characters.
func unhex(data []byte) []byte {
	out := make([]byte, 0, len(data)/2+1)
	hi := -1
	for _, c := range data {
		if c == '>' {
			break
		}
		v := HexDigit(c)
		switch {
		case v < 0:
		case hi < 0:
			hi = v
		default:
			out = append(out, byte(hi<<4|v)) //nolint:gosec // both are below 16
			hi = -1
		}
	}
	if hi >= 0 {
		out = append(out, byte(hi<<4)) //nolint:gosec // below 16
	}
	return out
}

// unbase85 decodes ASCII85 up to its end marker. It skips other characters.
func (g *gauge) unbase85(data []byte) []byte {
	data = bytes.TrimPrefix(bytes.TrimLeft(data, " \r\n\t"), []byte("<~"))
	out := make([]byte, 0, len(data)*4/5+4)
	var group uint32
	n := 0
	for _, c := range data {
		switch {
		case c == '~' || g.over(1):
			return append(out, tail85(group, n)...)
		case c == 'z' && n == 0:
			out = append(out, 0, 0, 0, 0)
		case c >= '!' && c <= 'u':
			group = group*85 + uint32(c-'!')
			if n++; n == 5 {
				out = append(out, byte(group>>24), byte(group>>16), byte(group>>8), byte(group))
				group, n = 0, 0
			}
		}
	}
	return append(out, tail85(group, n)...)
}

// tail85 returns the bytes of a final group of n < 5 characters.
func tail85(group uint32, n int) []byte {
	if n < 2 {
		return nil
	}
	for range 5 - n {
		group = group*85 + 84
	}
	return []byte{byte(group >> 24), byte(group >> 16), byte(group >> 8)}[:n-1] //nolint:gosec // bytes of the group
}

// unrun decodes RunLength.
func (g *gauge) unrun(data []byte) ([]byte, error) {
	var out []byte
	for len(data) > 0 {
		n := int(data[0])
		data = data[1:]
		if g.over(128) { // about the length of a run
			return out, g.ctx.Err()
		}
		switch {
		case n == 128:
			return out, nil
		case n < 128:
			n = min(n+1, len(data))
			out = append(out, data[:n]...)
			data = data[n:]
		case len(data) > 0:
			out = append(out, bytes.Repeat(data[:1], 257-n)...)
			data = data[1:]
		}
		if int64(len(out)) > g.limit {
			return out[:g.limit], g.tooLong()
		}
	}
	return out, nil
}

// unlzw decodes LZW with codes of 9 to 12 bits, most significant bit first
// (ISO 32000-1, 7.4.4). With early set, the code length grows one code
// earlier.
func (g *gauge) unlzw(data []byte, early bool) ([]byte, error) {
	const clear, end = 256, 257
	type entry struct{ start, length int }
	var (
		table  [4096]entry // ranges of out
		next   = end + 1
		width  = 9
		prev   = -1 // length of the last output; -1 after a clear code
		out    []byte
		bits   uint32
		have   int
		margin = 0
	)
	if early {
		margin = 1
	}
	for _, b := range data {
		bits = bits<<8 | uint32(b)
		if have += 8; have < width {
			continue
		}
		have -= width
		code := int(bits>>have) & (1<<width - 1)
		if code == end {
			return out, nil
		}
		if code == clear {
			if g.over(1) {
				return out, g.ctx.Err()
			}
			next, width, prev = end+1, 9, -1
			continue
		}
		at := len(out)
		switch {
		case code < clear:
			out = append(out, byte(code))
		case code < next:
			e := table[code]
			out = append(out, out[e.start:e.start+e.length]...)
		case code == next && prev >= 0:
			out = append(out, out[at-prev:at]...)
			out = append(out, out[at])
		default:
			return out, errors.New("code out of range")
		}
		if prev >= 0 && next < len(table) {
			table[next] = entry{at - prev, prev + 1}
			next++
		}
		prev = len(out) - at
		if g.over(prev) {
			return out, g.ctx.Err()
		}
		for width < 12 && next+margin >= 1<<width {
			width++
		}
		if int64(len(out)) > g.limit {
			return out[:g.limit], g.tooLong()
		}
	}
	return out, nil
}
