// SPDX-License-Identifier: Apache-2.0

package object

import (
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
)

// decode runs data through filters; no step may give more than limit bytes.
func decode(data []byte, filters []step, limit int64) ([]byte, error) {
	var fault error
	for _, s := range filters {
		var err error
		switch s.name {
		case "FlateDecode", "Fl":
			data, err = inflate(data, limit)
			data = unpredict(data, s.parms)
		case "LZWDecode", "LZW":
			data, err = unlzw(data, s.parms.early != 0, limit)
			data = unpredict(data, s.parms)
		case "ASCIIHexDecode", "AHx":
			data = unhex(data)
		case "ASCII85Decode", "A85":
			data = unbase85(data)
		case "RunLengthDecode", "RL":
			data, err = unrun(data, limit)
		case "Crypt":
		default: // of images: the rest of the chain is theirs
			return data, fault
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

// inflate decodes zlib data, and raw deflate data where the zlib header is
// broken. The checksum at the end is not asked.
func inflate(data []byte, limit int64) ([]byte, error) {
	data = bytes.TrimLeft(data, "\r\n")
	if len(data) < 2 {
		return nil, io.ErrUnexpectedEOF
	}
	skip := 2
	if data[0]&0x0f != 8 || (int(data[0])<<8|int(data[1]))%31 != 0 {
		skip = 0
	}
	out, err := inflateRaw(data[skip:], limit)
	if len(out) == 0 && err != nil && !errors.Is(err, ErrLimit) {
		if again, err2 := inflateRaw(data[2-skip:], limit); len(again) > 0 {
			return again, err2
		}
	}
	return out, err
}

// inflaters keeps decompressors, whose tables are large.
var inflaters = sync.Pool{New: func() any { return flate.NewReader(nil) }}

func inflateRaw(data []byte, limit int64) ([]byte, error) {
	r := inflaters.Get().(io.ReadCloser)
	defer inflaters.Put(r)
	if err := r.(flate.Resetter).Reset(bytes.NewReader(data), nil); err != nil { //nolint:forcetypeassert // all readers of flate are
		return nil, err
	}
	out := make([]byte, 0, min(limit, int64(len(data))*3+512, 1<<20))
	for {
		if len(out) == cap(out) {
			out = slices.Grow(out, len(out)+512)
		}
		n, err := r.Read(out[len(out):cap(out)])
		out = out[:len(out)+n]
		switch {
		case int64(len(out)) > limit:
			return out[:limit], fmt.Errorf("%w: a stream decodes to over %d bytes", ErrLimit, limit)
		case err == io.EOF:
			return out, nil
		case err != nil:
			return out, err
		}
	}
}

// unhex decodes ASCIIHex up to its end mark; other characters are skipped.
func unhex(data []byte) []byte {
	out := make([]byte, 0, len(data)/2+1)
	hi := -1
	for _, c := range data {
		if c == '>' {
			break
		}
		v := hexDigit(c)
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

// hexDigit returns the value of c, -1 where it is no digit.
func hexDigit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// unbase85 decodes ASCII85 up to its end mark; other characters are skipped.
func unbase85(data []byte) []byte {
	data = bytes.TrimPrefix(bytes.TrimLeft(data, " \r\n\t"), []byte("<~"))
	out := make([]byte, 0, len(data)*4/5+4)
	var group uint32
	n := 0
	for _, c := range data {
		switch {
		case c == '~':
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

// tail85 returns the bytes of a group of n < 5 characters.
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
func unrun(data []byte, limit int64) ([]byte, error) {
	var out []byte
	for len(data) > 0 {
		n := int(data[0])
		data = data[1:]
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
		if int64(len(out)) > limit {
			return out[:limit], fmt.Errorf("%w: a stream decodes to over %d bytes", ErrLimit, limit)
		}
	}
	return out, nil
}

// unlzw decodes LZW with codes of 9 to 12 bits, most significant bit first
// (ISO 32000-1, 7.4.4). With early, codes grow one code early.
func unlzw(data []byte, early bool, limit int64) ([]byte, error) {
	const clear, end = 256, 257
	type entry struct{ start, length int }
	var (
		table  [4096]entry // places in out
		next   = end + 1
		width  = 9
		prev   = -1 // length of the last output, -1 after clear
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
		for width < 12 && next+margin >= 1<<width {
			width++
		}
		if int64(len(out)) > limit {
			return out[:limit], fmt.Errorf("%w: a stream decodes to over %d bytes", ErrLimit, limit)
		}
	}
	return out, nil
}
