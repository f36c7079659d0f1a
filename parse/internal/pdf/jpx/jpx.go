// SPDX-License-Identifier: Apache-2.0

// Package jpx decodes JPEG 2000 images (ISO/IEC 15444-1) as they are
// embedded in PDF documents (ISO 32000-1, 7.4.9).
//
// It supports all of part 1, in JP2 files and bare codestreams, with up to
// 16 bits per sample and 32 components. Opacity channels are ignored. An
// error ends the tile that is damaged; everything decoded before is kept.
package jpx

import (
	"cmp"
	"context"
	"errors"
	"fmt"
)

// ErrDamaged means that the data violates the standard or exceeds a limit.
var ErrDamaged = errors.New("jpx: damaged image")

// Options selects what is decoded of an image.
type Options struct {
	// Pixels is the maximum number of pixels. If the image has more, it is
	// decoded at a lower resolution. Zero means 36 million, which is A4 at
	// 600 dpi.
	Pixels int
	// Width and Height are a sufficient size. The image is decoded at the
	// lowest resolution that reaches it. Zero means full resolution.
	Width, Height int
	// Colors is the number of colour channels. Zero means the number in the
	// file.
	Colors int
	// Indexed means that samples are indices into a palette of the caller. A
	// palette in the file is ignored, and the image is decoded at full
	// resolution.
	Indexed bool
	// Luma means that RGB and YCC images may be returned as a single plane
	// with the lightness.
	Luma bool
}

// Space is the colour space of an image.
type Space int

// Colour spaces. Other is Lab or unknown.
const (
	Other Space = iota
	Gray
	RGB
	YCC
	CMYK
)

// Image is a decoded image.
type Image struct {
	W, H   int // size of the largest plane
	Space  Space
	Depth  int // bits per sample of the first component
	Planes []Plane
}

// Plane is a channel with one byte per sample, row by row. 255 stands for
// the maximum value of the samples.
type Plane struct {
	W, H int
	Pix  []byte
}

// Decode decodes an image. The error wraps [ErrDamaged] or the cause that
// ended ctx. With an error, the image, if not nil, is what was decoded
// before it. The rest is white, or has index 0 if Indexed is set.
func Decode(ctx context.Context, data []byte, o Options) (*Image, error) {
	f := readBoxes(data)
	o.Pixels = cmp.Or(o.Pixels, 36_000_000)
	s, damage := open(f.stream)
	if s == nil {
		return nil, damage
	}
	d := decoder{ctx: ctx, stream: s, file: f, options: o, steps: 1<<24 + 16*len(data)}
	if err := d.choose(); err != nil {
		return nil, err
	}
	for _, parts := range s.tiles() {
		err := d.tile(parts)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if damage == nil {
			damage = err
		}
		if d.steps < 0 {
			break
		}
	}
	if !d.drawn {
		if damage == nil {
			damage = fmt.Errorf("%w: no tile could be decoded", ErrDamaged)
		}
		return nil, damage
	}
	return d.image(), damage
}

// decoder is the state of decoding one image.
type decoder struct {
	ctx     context.Context //nolint:containedctx // lives as long as the call
	stream  *stream
	file    file
	options Options
	steps   int // steps that reading packets may still take
	reduce  int // number of highest resolutions that are left out
	colors  []int
	space   Space
	wanted  []bool  // by component
	areas   []rect  // areas of the components at the decoded resolution
	planes  []Plane // by component; empty if not wanted
	deep    [][]int32
	drawn   bool // something was decoded

	tier1  tier1
	ints   [3]grid[int32]
	floats [3]grid[float32]
	row    []int32
}

// choose determines the components and resolutions that are decoded, and
// allocates the planes.
func (d *decoder) choose() error {
	s := d.stream
	d.wanted = make([]bool, len(s.size.parts))
	d.chooseColors()
	levels := maxLevels
	for i, c := range s.base.comps {
		if d.wanted[i] {
			levels = min(levels, c.levels)
		}
	}
	if d.options.Indexed || d.file.palette != nil && len(d.colors) > 0 {
		levels = 0
	}
	for ; ; d.reduce++ {
		w, h := d.size(d.reduce)
		count := 0
		for _, v := range d.wanted {
			if v {
				count++
			}
		}
		fits := w > 0 && h > 0 && h <= d.options.Pixels/w/((count+3)/4)
		if d.reduce == levels {
			if !fits {
				return fmt.Errorf("%w: %d by %d pixels", ErrDamaged, w, h)
			}
			break
		}
		lw, lh := d.size(d.reduce + 1)
		if fits && (d.options.Width <= 0 || d.options.Height <= 0 || lw < d.options.Width || lh < d.options.Height) {
			break
		}
	}
	d.areas = make([]rect, len(s.size.parts))
	d.planes = make([]Plane, len(s.size.parts))
	for i, p := range s.size.parts {
		if !d.wanted[i] {
			continue
		}
		a := s.size.image.every(p.dx, p.dy).halved(d.reduce)
		if a.empty() {
			return fmt.Errorf("%w: a component has no samples", ErrDamaged)
		}
		d.areas[i] = a
		d.planes[i] = Plane{W: a.w(), H: a.h(), Pix: make([]byte, a.w()*a.h())}
		for k := range d.planes[i].Pix {
			d.planes[i].Pix[k] = d.blank()
		}
	}
	return nil
}

// size returns the size in pixels of the largest wanted component without
// the n highest resolutions.
func (d *decoder) size(n int) (w, h int) {
	for i, p := range d.stream.size.parts {
		if d.wanted[i] {
			a := d.stream.size.image.every(p.dx, p.dy).halved(n)
			w, h = max(w, a.w()), max(h, a.h())
		}
	}
	return w, h
}

// blank returns the sample for areas without data.
func (d *decoder) blank() byte {
	if d.space == CMYK || d.options.Indexed {
		return 0
	}
	return 255
}

// tile decodes a tile.
func (d *decoder) tile(parts []tilePart) error {
	area := d.stream.size.at(parts[0].tile)
	data, damage := d.stream.tile(parts)
	for _, c := range data.params.comps {
		d.steps -= 64 * (c.levels + 1) // cost of creating the tile
	}
	if d.steps < 0 {
		return errLong
	}
	t, err := newTile(area, data, d.stream.size.parts, d.reduce, d.wanted)
	if err != nil {
		return err
	}
	p := packets{ctx: d.ctx, t: t, d: data, steps: &d.steps}
	if err := p.read(); damage == nil {
		damage = err
	}
	if d.ctx.Err() != nil {
		return context.Cause(d.ctx)
	}
	mixed, coded := d.mixes(t, data.params), false
	for i, c := range t.comps {
		if !c.wanted {
			continue
		}
		grid := 0
		if mixed && i < 3 {
			grid = i
		}
		some, err := d.component(t, c, grid)
		if err != nil {
			return err
		}
		if coded = coded || some; !coded && damage != nil {
			return damage // the tile stays blank
		}
		d.drawn = true
		switch {
		case !mixed || i > 2:
			d.put(i, c, 0)
		case i == 2:
			d.unmix(t)
		}
	}
	return damage
}

// top returns the area of a component at the decoded resolution.
func (d *decoder) top(c *component) rect { return c.res[c.coding.levels-d.reduce].area }

// component decodes the samples of one component into a grid. coded reports
// whether there are any.
func (d *decoder) component(t *tile, c *component, to int) (coded bool, err error) {
	a := d.top(c)
	if a.empty() {
		return false, nil
	}
	if c.coding.reversible {
		d.ints[to].open(a.w(), a.h())
	} else {
		d.floats[to].open(a.w(), a.h())
	}
	levels := len(c.res) - d.reduce
	for r := range c.res[:levels] {
		some, err := d.blocks(t, c, &c.res[r], to)
		if err != nil {
			return false, err
		}
		coded = coded || some
		switch area := c.res[r].area; {
		case r == 0 || !coded || area.empty():
		case c.coding.reversible:
			raise53(&d.ints[to], area, c.res[r-1].area)
		default:
			raise97(&d.floats[to], area, c.res[r-1].area)
		}
	}
	return coded, nil
}

// blocks decodes the code-blocks of a resolution. coded reports whether
// there are any.
func (d *decoder) blocks(t *tile, c *component, res *resolution, to int) (coded bool, err error) {
	for _, pr := range res.precincts {
		if pr == nil {
			continue
		}
		for i := range pr.parts {
			part, b := &pr.parts[i], &res.bands[i]
			for k := range part.all {
				bl := &part.all[k]
				planes := b.planes - int(bl.zeros)
				if bl.first < 0 || planes > maxPlanes {
					continue
				}
				if d.ctx.Err() != nil {
					return false, context.Cause(d.ctx)
				}
				coded = true
				area := part.area(res, b, k)
				d.tier1.open(area.w(), area.h(), b.orient, c.coding.style)
				d.tier1.decode(t.data, t.spans, bl.first, planes, c.coding.style)
				x, y := b.x+area.x0-b.area.x0, b.y+area.y0-b.area.y0
				if c.coding.reversible {
					store(&d.ints[to], &d.tier1, x, y, c.coding.shift, func(v int32) int32 { return v / 2 })
				} else {
					step := b.step / 2
					store(&d.floats[to], &d.tier1, x, y, c.coding.shift, func(v int32) float32 { return float32(v) * step })
				}
			}
		}
	}
	return coded, nil
}

// store copies a code-block to its grid. It scales samples in the region of
// interest back down (H.1).
func store[T int32 | float32](g *grid[T], t *tier1, x, y, shift int, of func(int32) T) {
	raised := uint32(1<<31 - 1)
	if shift < maxPlanes {
		raised = 2<<(shift&31) - 1
	}
	if shift == 0 {
		raised = 1<<31 - 1
	}
	for k := range t.h {
		out := g.row(y+k, g.w)[x:][:t.w]
		in := t.data[k/4*4*t.w+k%4:]
		for i := range out {
			v := in[4*i]
			if v == 0 {
				continue
			}
			m := v & (1<<31 - 1)
			if m > raised {
				m >>= shift & 31
			}
			s := int32(m)
			if v>>31 != 0 {
				s = -s
			}
			out[i] = of(s)
		}
	}
}
