// SPDX-License-Identifier: Apache-2.0

package jpx

import (
	"fmt"
	"slices"
)

// Marker codes (table A.2) without the leading byte 0xff.
const (
	markSOC = 0x4f
	markSIZ = 0x51
	markCOD = 0x52
	markCOC = 0x53
	markQCD = 0x5c
	markQCC = 0x5d
	markRGN = 0x5e
	markPOC = 0x5f
	markPPM = 0x60
	markPPT = 0x61
	markSOT = 0x90
	markSOP = 0x91
	markEPH = 0x92
	markSOD = 0x93
	markEOC = 0xd9
)

const (
	// maxSize is the maximum width and height of the reference grid, so that
	// sums of coordinates fit into 32 bits.
	maxSize       = 1 << 27
	maxComponents = 32
	maxTiles      = 65535
	maxLevels     = 32
)

// size is the content of the marker segment SIZ (A.5.1).
type size struct {
	image, tile rect // areas on the reference grid; tile is the first tile
	columns     int  // tiles per row
	tiles       int
	parts       []part
}

// part is the description of a component in SIZ.
type part struct {
	depth  int
	signed bool
	dx, dy int // sampling distance on the reference grid
}

// rect is an area: x0 <= x < x1, y0 <= y < y1.
type rect struct{ x0, y0, x1, y1 int }

func (r rect) w() int { return r.x1 - r.x0 }
func (r rect) h() int { return r.y1 - r.y0 }

func (r rect) empty() bool { return r.x1 <= r.x0 || r.y1 <= r.y0 }

func (r rect) and(s rect) rect {
	return rect{max(r.x0, s.x0), max(r.y0, s.y0), min(r.x1, s.x1), min(r.y1, s.y1)}
}

// every returns r on a grid with every dx-th column and dy-th row.
func (r rect) every(dx, dy int) rect {
	return rect{(r.x0 + dx - 1) / dx, (r.y0 + dy - 1) / dy, (r.x1 + dx - 1) / dx, (r.y1 + dy - 1) / dy}
}

// halved returns r after n decomposition levels.
func (r rect) halved(n int) rect {
	return rect{ceilShift(r.x0, n), ceilShift(r.y0, n), ceilShift(r.x1, n), ceilShift(r.y1, n)}
}

// ceilShift returns v / 2^n, rounded up.
func ceilShift(v, n int) int {
	if n > 29 {
		return min(v, 1)
	}
	return (v + 1<<n - 1) >> n
}

func readSize(data []byte) (*size, error) {
	r := reader{data: data}
	r.take(2) // capabilities
	var v [8]int
	for i := range v {
		if v[i] = r.u32(); v[i] < 0 || v[i] > maxSize {
			if i != 4 && i != 5 {
				return nil, fmt.Errorf("%w: invalid image size", ErrDamaged)
			}
			v[i] = maxSize // a single tile
		}
	}
	s := &size{image: rect{v[2], v[3], v[0], v[1]}, tile: rect{v[6], v[7], v[6] + v[4], v[7] + v[5]}}
	n := r.u16()
	if s.image.empty() || s.tile.empty() || s.tile.x0 > v[2] || s.tile.y0 > v[3] || s.tile.x1 <= v[2] || s.tile.y1 <= v[3] || n == 0 {
		return nil, fmt.Errorf("%w: invalid image size", ErrDamaged)
	}
	if n > maxComponents {
		return nil, fmt.Errorf("%w: %d components", ErrDamaged, n)
	}
	columns, rows := s.image.x1-s.tile.x0, s.image.y1-s.tile.y0
	columns, rows = (columns+v[4]-1)/v[4], (rows+v[5]-1)/v[5]
	if rows > maxTiles/columns {
		return nil, fmt.Errorf("%w: too many tiles", ErrDamaged)
	}
	s.columns, s.tiles = columns, columns*rows
	for range n {
		depth, dx, dy := r.u8(), r.u8(), r.u8()
		p := part{depth: depth&127 + 1, signed: depth&128 != 0, dx: dx, dy: dy}
		if p.depth > 16 || dx == 0 || dy == 0 {
			return nil, fmt.Errorf("%w: invalid number or depth of samples", ErrDamaged)
		}
		s.parts = append(s.parts, p)
	}
	if r.short {
		return nil, fmt.Errorf("%w: invalid image size", ErrDamaged)
	}
	return s, nil
}

// at returns the area of tile i.
func (s *size) at(i int) rect {
	x, y := i%s.columns*s.tile.w(), i/s.columns*s.tile.h()
	return rect{s.tile.x0 + x, s.tile.y0 + y, s.tile.x1 + x, s.tile.y1 + y}.and(s.image)
}

// params are the coding parameters from the marker segments of a header.
type params struct {
	order   int // progression order
	layers  int
	mixed   bool // the first three components were transformed
	sop     bool // packets may begin with an SOP marker segment
	eph     bool // packet headers end with an EPH marker
	changes []change
	comps   []coding
}

// coding is the coding parameters of a component.
type coding struct {
	levels     int
	xcb, ycb   int // maximum size of code-blocks: 2^xcb by 2^ycb samples
	style      int
	reversible bool
	precincts  []byte // precinct sizes by resolution; nil: 2^15 by 2^15
	quantized  int    // quantization style (table A.28): none, derived or expounded
	guard      int
	steps      []int // encoded quantization steps by subband
	shift      int   // shift of the region of interest

	own, ownSteps bool // set by COC and QCC, so that COD and QCD do not override it
}

// change is a progression order change of POC (A.6.6).
type change struct{ r0, c0, layers, r1, c1, order int }

// clone returns a copy for one tile.
func (p *params) clone() *params {
	q := *p
	q.comps = slices.Clone(p.comps)
	for i := range q.comps {
		q.comps[i].own, q.comps[i].ownSteps = false, false
	}
	return &q
}

// read applies a marker segment. changed is set once POC was read in this
// header; further POC segments are then appended.
func (p *params) read(mark byte, data []byte, changed *bool) error {
	r := reader{data: data}
	var err error
	switch mark {
	case markCOD:
		err = p.readCOD(&r)
	case markCOC:
		i := p.component(&r)
		if i < 0 {
			return nil
		}
		c := p.comps[i]
		if err = c.readStyle(&r, r.u8()); err == nil && !r.short {
			c.own = true
			p.comps[i] = c
		}
	case markQCD:
		var c coding
		if c.readSteps(&r); r.short {
			break
		}
		for i := range p.comps {
			if d := &p.comps[i]; !d.ownSteps {
				d.quantized, d.guard, d.steps = c.quantized, c.guard, c.steps
			}
		}
	case markQCC:
		i := p.component(&r)
		if i < 0 {
			return nil
		}
		if c := &p.comps[i]; !r.short {
			c.readSteps(&r)
			c.ownSteps = true
		}
	case markRGN:
		i := p.component(&r)
		style, shift := r.u8(), r.u8()
		if i >= 0 && style == 0 && !r.short {
			p.comps[i].shift = shift
		}
	case markPOC:
		if !*changed {
			p.changes, *changed = nil, true
		}
		p.changes = append(p.changes, readChanges(&r, len(p.comps))...)
		r.short = false
	}
	if err == nil && r.short {
		err = fmt.Errorf("%w: a marker segment is too short", ErrDamaged)
	}
	return err
}

// component reads a component index. It returns -1 if the component does not
// exist.
func (p *params) component(r *reader) int {
	if i := r.u8(); i < len(p.comps) { // one byte if there are fewer than 257 components
		return i
	}
	return -1
}

// readCOD reads the marker segment COD (A.6.1).
func (p *params) readCOD(r *reader) error {
	flags := r.u8()
	order, layers, mixed := r.u8(), r.u16(), r.u8() != 0
	var c coding
	if err := c.readStyle(r, flags); err != nil || r.short {
		return err
	}
	if order > cprl || layers == 0 {
		return fmt.Errorf("%w: invalid progression order", ErrDamaged)
	}
	p.sop, p.eph = flags&2 != 0, flags&4 != 0
	p.order, p.layers, p.mixed = order, layers, mixed
	for i := range p.comps {
		if d := &p.comps[i]; !d.own {
			d.levels, d.xcb, d.ycb, d.style = c.levels, c.xcb, c.ycb, c.style
			d.reversible, d.precincts = c.reversible, c.precincts
		}
	}
	return nil
}

// readStyle reads the part that COD and COC have in common (table A.15).
func (c *coding) readStyle(r *reader, flags int) error {
	c.levels, c.xcb, c.ycb, c.style = r.u8(), r.u8()&15+2, r.u8()&15+2, r.u8()
	c.reversible = r.u8() == 1
	c.precincts = nil
	if c.levels > maxLevels || c.xcb > 10 || c.ycb > 10 || c.xcb+c.ycb > 12 {
		return fmt.Errorf("%w: invalid size of code-blocks", ErrDamaged)
	}
	if flags&1 == 0 {
		return nil
	}
	c.precincts = r.take(c.levels + 1)
	for i, v := range c.precincts {
		if i > 0 && (v&15 == 0 || v>>4 == 0) && !r.short {
			return fmt.Errorf("%w: invalid size of precincts", ErrDamaged)
		}
	}
	return nil
}

// precinct returns the binary logarithms of the width and height of the
// precincts of a resolution.
func (c *coding) precinct(r int) (x, y int) {
	if c.precincts == nil {
		return 15, 15
	}
	return int(c.precincts[r] & 15), int(c.precincts[r] >> 4)
}

// readSteps reads the quantization parameters of QCD or QCC (A.6.4).
func (c *coding) readSteps(r *reader) {
	v := r.u8()
	c.quantized, c.guard, c.steps = v&31, v>>5, nil
	const most = 3*maxLevels + 1
	for len(c.steps) < most && r.at < len(r.data) {
		if c.quantized == 0 {
			c.steps = append(c.steps, r.u8()>>3<<11)
		} else {
			c.steps = append(c.steps, r.u16())
		}
	}
	if len(c.steps) == 0 {
		r.short = true
	}
}

// step returns the exponent and the mantissa of a subband. Subband 0 is LL,
// followed by three for each level from the lowest on.
func (c *coding) step(band int) (exponent, mantissa int) {
	if len(c.steps) == 0 { // the header of a tile was truncated
		return 0, 0
	}
	if c.quantized == 1 {
		v := c.steps[0]
		return max(v>>11-max(band-1, 0)/3, 0), v & 0x7ff // equation E-5
	}
	v := c.steps[min(band, len(c.steps)-1)]
	return v >> 11, v & 0x7ff
}

// readChanges reads the marker segment POC (A.6.6).
func readChanges(r *reader, comps int) (out []change) {
	for r.at+7 <= len(r.data) {
		var c change
		c.r0, c.c0, c.layers, c.r1, c.c1, c.order = r.u8(), r.u8(), r.u16(), r.u8(), r.u8(), r.u8()
		if c.c1 == 0 { // 0 means 256
			c.c1 = comps
		}
		c.c1 = min(c.c1, comps)
		out = append(out, c)
	}
	return out
}
