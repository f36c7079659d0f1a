// SPDX-License-Identifier: Apache-2.0

package jpx

import (
	"fmt"
	"math"
)

// tile is the structure of one tile (annex B) with the content of its
// packets.
type tile struct {
	area  rect
	data  []byte
	comps []*component
	spans []span
	most  struct{ precincts, blocks, spans int } // limits on those that may still be added
}

// component is one component of a tile.
type component struct {
	coding *coding
	area   rect
	wanted bool // its samples are decoded
	res    []resolution
}

// resolution is a resolution of a component.
type resolution struct {
	area       rect
	ppx, ppy   int // binary logarithms of the width and height of precincts
	across     int // precincts per row
	bands      []band
	precincts  []*precinct // created with their first packet
	wanted     bool
	dx, dy     int // sampling distance on the reference grid
	xcb, ycb   int // binary logarithms of the width and height of code-blocks
	px0, py0   int // indices of the first precinct
	halvedGrid int // 1 if subbands have half the samples, else 0
}

// band is a subband.
type band struct {
	area   rect
	orient int // 0 is LL, 1 HL, 2 LH, 3 HH
	planes int // maximum number of bit planes of a sample, M of equation E-2
	step   float32
	x, y   int // position in the samples of the component
}

// precinct is a precinct. Each layer has one packet for it.
type precinct struct {
	done  int // number of layers read
	parts []blocks
}

// blocks are the code-blocks of a precinct in one subband.
type blocks struct {
	x0, y0, w, h int // position and size in code-blocks
	included     tagTree
	zeros        tagTree
	all          []block
}

// block is a code-block.
type block struct {
	first, last int32 // indices of spans; -1: none
	passes      uint8
	open        uint8 // passes that still fit into the last segment
	zeros       uint8 // number of zero bit planes
	length      uint8 // number of bits of a segment length; 0: not included yet
}

// newTile creates a tile. wanted selects the components that are decoded,
// and reduce is the number of highest resolutions that are left out.
func newTile(area rect, d tileData, parts []part, reduce int, wanted []bool) (*tile, error) {
	t := &tile{area: area, data: d.body}
	t.most.precincts = 1<<16 + len(d.body) + len(d.headers)
	t.most.blocks = 1<<18 + len(d.body) + len(d.headers)
	t.most.spans = 1<<16 + (len(d.body)+len(d.headers))/2
	for i, p := range parts {
		c := &component{coding: &d.params.comps[i], area: area.every(p.dx, p.dy), wanted: wanted[i]}
		if c.wanted && c.coding.levels < reduce {
			return nil, fmt.Errorf("%w: a tile has too few resolutions", ErrDamaged)
		}
		if err := t.layout(c, p, reduce); err != nil {
			return nil, err
		}
		t.comps = append(t.comps, c)
	}
	return t, nil
}

// layout creates the resolutions of a component.
func (t *tile) layout(c *component, p part, reduce int) error {
	levels := c.coding.levels
	top := max(levels-reduce, 0)
	c.res = make([]resolution, levels+1)
	for r := range c.res {
		res := &c.res[r]
		res.area = c.area.halved(levels - r)
		res.ppx, res.ppy = c.coding.precinct(r)
		res.wanted = c.wanted && r <= top
		res.dx, res.dy = p.dx, p.dy
		if r > 0 {
			res.halvedGrid = 1
		}
		res.xcb = min(c.coding.xcb, res.ppx-res.halvedGrid)
		res.ycb = min(c.coding.ycb, res.ppy-res.halvedGrid)
		if r == 0 {
			res.bands = []band{c.band(0, 0, res.area, p.depth, top)}
		} else {
			low := c.res[r-1].area
			for orient := 1; orient <= 3; orient++ {
				area := c.subband(levels-r+1, orient)
				b := c.band(r, orient, area, p.depth, top)
				if orient&1 != 0 {
					b.x = low.w()
				}
				if orient&2 != 0 {
					b.y = low.h()
				}
				res.bands = append(res.bands, b)
			}
		}
		if res.area.empty() {
			continue
		}
		res.px0, res.py0 = res.area.x0>>res.ppx, res.area.y0>>res.ppy
		res.across = ceilShift(res.area.x1, res.ppx) - res.px0
		down := ceilShift(res.area.y1, res.ppy) - res.py0
		if down > t.most.precincts/res.across {
			return fmt.Errorf("%w: more precincts than data", ErrDamaged)
		}
		t.most.precincts -= res.across * down
		res.precincts = make([]*precinct, res.across*down)
	}
	return nil
}

// subband returns the area of a subband of a decomposition level (equation
// B-15).
func (c *component) subband(level, orient int) rect {
	level = min(level, 29) // areas are smaller than 2^28, so that all higher levels give the same result
	half := 1 << (level - 1)
	dx, dy := orient&1*half, orient>>1*half
	a := rect{c.area.x0 - dx, c.area.y0 - dy, c.area.x1 - dx, c.area.y1 - dy}
	size := 1 << level
	up := func(v int) int { return (v + size - 1) >> level }
	return rect{up(a.x0), up(a.y0), up(a.x1), up(a.y1)}
}

// gainK is the constant K of table F.4.
const gainK = 1.230174104914001

// band creates a subband of resolution r. top is the highest resolution that
// is decoded.
//
// The irreversible filter scales low-pass samples by K and high-pass samples
// by 1/K, once in each direction. The quantization step includes these
// factors, also those of all higher levels.
func (c *component) band(r, orient int, area rect, depth, top int) band {
	number := 0
	if r > 0 {
		number = 3*(r-1) + orient
	}
	exponent, mantissa := c.coding.step(number)
	b := band{area: area, orient: orient, planes: c.coding.guard + exponent - 1 + c.coding.shift, step: 1}
	if c.coding.reversible {
		return b
	}
	gain := [4]int{0, 1, 1, 2}[orient]
	step := 1.0
	if c.coding.quantized != 0 {
		step = math.Ldexp(1+float64(mantissa)/2048, depth+gain-exponent)
	}
	powers := 2 * (top - r)
	if orient == 3 {
		powers -= 2
	}
	b.step = float32(step * math.Pow(gainK, float64(powers)))
	return b
}

// precinct returns precinct p of a resolution. It creates it if necessary.
func (t *tile) precinct(res *resolution, p int) (*precinct, error) {
	if res.precincts[p] != nil {
		return res.precincts[p], nil
	}
	out := &precinct{parts: make([]blocks, len(res.bands))}
	ppx, ppy := res.ppx-res.halvedGrid, res.ppy-res.halvedGrid
	px, py := res.px0+p%res.across, res.py0+p/res.across
	cell := rect{px << ppx, py << ppy, (px + 1) << ppx, (py + 1) << ppy}
	for i := range out.parts {
		area := res.bands[i].area.and(cell)
		if area.empty() {
			continue
		}
		part := &out.parts[i]
		part.x0, part.y0 = area.x0>>res.xcb, area.y0>>res.ycb
		part.w, part.h = ceilShift(area.x1, res.xcb)-part.x0, ceilShift(area.y1, res.ycb)-part.y0
		if part.h > t.most.blocks/part.w {
			return nil, fmt.Errorf("%w: more code-blocks than data", ErrDamaged)
		}
		t.most.blocks -= part.w * part.h
		part.included, part.zeros = newTagTrees(part.w, part.h)
		part.all = make([]block, part.w*part.h)
		for k := range part.all {
			part.all[k].first, part.all[k].last = -1, -1
		}
	}
	res.precincts[p] = out
	return out, nil
}

// area returns the area of code-block k in its subband.
func (p *blocks) area(res *resolution, b *band, k int) rect {
	x, y := p.x0+k%p.w, p.y0+k/p.w
	return rect{x << res.xcb, y << res.ycb, (x + 1) << res.xcb, (y + 1) << res.ycb}.and(b.area)
}
