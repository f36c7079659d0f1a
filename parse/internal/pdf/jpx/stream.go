// SPDX-License-Identifier: Apache-2.0

package jpx

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
)

// stream is a codestream (annex A) whose marker segments have been read but
// not its packets.
type stream struct {
	data  []byte
	size  *size
	base  params
	parts []tilePart // sorted by tile
}

// tilePart is a tile-part.
type tilePart struct {
	tile   int
	header []byte // marker segments
	body   []byte
	packed []byte // packet headers from the main header
}

// packed is a part of packet headers that are stored separately (A.7.4).
type packed struct {
	index int
	data  []byte
}

// joined returns the parts joined in the order of their indices.
func joined(pieces []packed) []byte {
	sort.SliceStable(pieces, func(i, j int) bool { return pieces[i].index < pieces[j].index })
	var out []byte
	for _, p := range pieces {
		out = append(out, p.data...)
	}
	return out
}

// open reads all marker segments of a codestream. With an error, the stream,
// if not nil, has what was read before.
func open(data []byte) (*stream, error) {
	if !bytes.HasPrefix(data, []byte{0xff, markSOC}) {
		return nil, fmt.Errorf("%w: no codestream", ErrDamaged)
	}
	s := &stream{data: data}
	r := reader{data: data, at: 2}
	var headers []packed
	changed := false
	for {
		mark, segment, ok := r.segment()
		switch {
		case !ok || s.size == nil && mark != markSIZ:
			return nil, fmt.Errorf("%w: no main header", ErrDamaged)
		case mark == markSOT:
			for i := range s.base.comps {
				if c := &s.base.comps[i]; c.steps == nil || c.xcb == 0 {
					return nil, fmt.Errorf("%w: no coding style", ErrDamaged)
				}
			}
			r.at -= len(segment) + 4
			err := s.tileParts(&r)
			s.share(joined(headers), len(headers) > 0)
			sort.SliceStable(s.parts, func(i, j int) bool { return s.parts[i].tile < s.parts[j].tile })
			return s, err
		case mark == markSIZ && s.size == nil:
			var err error
			if s.size, err = readSize(segment); err != nil {
				return nil, err
			}
			s.base.comps = make([]coding, len(s.size.parts))
		case mark == markPPM && len(segment) > 0:
			headers = append(headers, packed{int(segment[0]), segment[1:]})
		default:
			if err := s.base.read(mark, segment, &changed); err != nil {
				return nil, err
			}
		}
	}
}

// segment reads a marker segment. It returns false if there is none.
func (r *reader) segment() (mark byte, data []byte, ok bool) {
	m := r.take(2)
	if m[0] != 0xff {
		return 0, nil, false
	}
	if m[1] == markSOD || m[1] == markEOC || m[1]&^15 == 0x30 {
		return m[1], nil, true
	}
	n := r.u16()
	if n < 2 {
		return 0, nil, false
	}
	data = r.take(n - 2)
	return m[1], data, !r.short
}

// tileParts finds the tile-parts (A.4.2).
func (s *stream) tileParts(r *reader) error {
	for r.at < len(r.data) {
		start := r.at
		mark, segment, ok := r.segment()
		if mark == markEOC {
			return nil
		}
		if !ok || mark != markSOT || len(segment) < 8 {
			return fmt.Errorf("%w: invalid tile-part", ErrDamaged)
		}
		sot := reader{data: segment}
		tile, length := sot.u16(), sot.u32()
		end := len(r.data)
		cut := length < 0 || length > end-start
		switch {
		case length >= 14 && !cut:
			end = start + length
		case length == 0 && bytes.HasSuffix(r.data, []byte{0xff, markEOC}):
			end -= 2
		}
		header := r.at
		for {
			at := r.at
			mark, _, ok := r.segment()
			if !ok || r.at > end {
				return fmt.Errorf("%w: the header of a tile-part", ErrDamaged)
			}
			if mark == markSOD {
				if tile < s.size.tiles {
					s.parts = append(s.parts, tilePart{tile: tile, header: r.data[header:at], body: r.data[r.at:end]})
				}
				break
			}
		}
		if r.at = end; cut {
			return fmt.Errorf("%w: the end-of-codestream marker is missing", ErrDamaged)
		}
	}
	return nil
}

// share distributes the packet headers of the main header to the tile-parts
// (A.7.4).
func (s *stream) share(all []byte, apart bool) {
	if !apart {
		return
	}
	r := reader{data: all}
	for i := range s.parts {
		n := r.u32()
		if n < 0 || n > len(r.rest()) {
			n = len(r.rest())
		}
		s.parts[i].packed = r.take(n)
	}
}

// tiles returns the tile-parts of each tile.
func (s *stream) tiles() (out [][]tilePart) {
	for i, p := range s.parts {
		if i == 0 || p.tile != s.parts[i-1].tile {
			out = append(out, s.parts[i:i:len(s.parts)])
		}
		last := &out[len(out)-1]
		*last = (*last)[:len(*last)+1]
	}
	return out
}

// tileData is the data of one tile.
type tileData struct {
	params  *params
	body    []byte
	headers []byte // packet headers, if they are stored separately
	apart   bool
}

// tile joins the tile-parts of a tile.
func (s *stream) tile(parts []tilePart) (tileData, error) {
	d := tileData{params: &s.base}
	changed := false
	var apart []packed
	for i, p := range parts {
		r := reader{data: p.header}
		for r.at < len(r.data) {
			mark, segment, ok := r.segment()
			if !ok {
				return d, fmt.Errorf("%w: the header of a tile", ErrDamaged)
			}
			switch mark {
			case markPPT:
				if len(segment) > 0 {
					apart = append(apart, packed{int(segment[0]), segment[1:]})
				}
			case markCOD, markCOC, markQCD, markQCC, markRGN, markPOC:
				if d.params == &s.base {
					d.params = s.base.clone()
				}
				if err := d.params.read(mark, segment, &changed); err != nil {
					return d, err
				}
			}
		}
		if p.packed != nil {
			d.headers, d.apart = append(d.headers, p.packed...), true
		}
		if i == 0 {
			d.body = slices.Clip(p.body)
		} else {
			d.body = append(d.body, p.body...)
		}
	}
	if apart != nil {
		d.headers, d.apart = joined(apart), true
	}
	return d, nil
}
