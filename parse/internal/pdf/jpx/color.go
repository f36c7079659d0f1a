// SPDX-License-Identifier: Apache-2.0

package jpx

import "slices"

// mixes reports whether the inverse component transform (annex G) applies to
// the first three components of a tile.
func (d *decoder) mixes(t *tile, p *params) bool {
	if !p.mixed || len(t.comps) < 3 {
		return false
	}
	a, b, c := t.comps[0], t.comps[1], t.comps[2]
	return a.wanted && b.wanted && c.wanted && !d.top(a).empty() && d.top(a) == d.top(b) && d.top(a) == d.top(c) &&
		a.coding.reversible == b.coding.reversible && a.coding.reversible == c.coding.reversible
}

// unmix applies the inverse component transform to the first three grids and
// writes them to their planes.
func (d *decoder) unmix(t *tile) {
	if t.comps[0].coding.reversible {
		g := &d.ints
		for k := range g[0].h {
			y, u, v := g[0].row(k, g[0].w), g[1].row(k, g[0].w), g[2].row(k, g[0].w)
			for i := range y {
				green := y[i] - (u[i]+v[i])>>2
				y[i], u[i], v[i] = v[i]+green, green, u[i]+green
			}
		}
	} else {
		g := &d.floats
		for k := range g[0].h {
			y, u, v := g[0].row(k, g[0].w), g[1].row(k, g[0].w), g[2].row(k, g[0].w)
			for i := range y {
				y[i], u[i], v[i] = y[i]+1.402*v[i], y[i]-.344136*u[i]-.714136*v[i], y[i]+1.772*u[i]
			}
		}
	}
	for i, c := range t.comps[:3] {
		d.put(i, c, i)
	}
}

// put writes a grid to the plane of component i.
func (d *decoder) put(i int, c *component, from int) {
	a, part := d.top(c), d.stream.size.parts[i]
	if a.empty() {
		return
	}
	p, x, y := &d.planes[i], a.x0-d.areas[i].x0, a.y0-d.areas[i].y0
	most := int32(1)<<part.depth - 1
	add := int32(1) << (part.depth - 1) // also added to signed samples, which are shown around the middle
	bytes := byteTable(part.depth)
	down := max(part.depth-8, 0)
	d.row = append(d.row[:0], make([]int32, a.w())...)
	for k := range a.h() {
		if c.coding.reversible {
			for j, v := range d.ints[from].row(k, a.w()) {
				d.row[j] = min(max(v+add, 0), most)
			}
		} else {
			for j, v := range d.floats[from].row(k, a.w()) {
				d.row[j] = round(v+float32(add), most)
			}
		}
		at := (y+k)*p.W + x
		out := p.Pix[at : at+a.w()]
		for j, v := range d.row {
			out[j] = bytes[v>>down&255]
		}
		if d.deep != nil {
			copy(d.deep[i][at:], d.row)
		}
	}
}

// round returns the sample from 0 to most that is nearest to v.
func round(v float32, most int32) int32 {
	switch {
	case v >= float32(most):
		return most
	case v > 0:
		return int32(v + .5)
	}
	return 0
}

// byteTable returns the byte for each sample of up to 8 bits.
func byteTable(depth int) (out [256]byte) {
	most := 1<<min(depth, 8) - 1
	for i := range most + 1 {
		out[i] = byte((i*255 + most/2) / most) //nolint:gosec // at most 255
	}
	return out
}

// chooseColors determines the colour channels, the colour space, and the
// components that must be decoded for them.
func (d *decoder) chooseColors() {
	parts := d.stream.size.parts
	channels := len(parts)
	palette := d.file.palette
	if d.options.Indexed || palette != nil && !palette.fits(channels) {
		palette, d.file.palette = nil, nil
	}
	if palette != nil {
		channels = len(palette.channels)
	}
	d.colors = d.file.order(channels)
	d.space = d.file.space
	n := d.options.Colors
	if n <= 0 {
		n = map[Space]int{Gray: 1, RGB: 3, YCC: 3, CMYK: 4}[d.space]
	} else if want := map[int]Space{1: Gray, 3: RGB, 4: CMYK}[n]; d.space != YCC || n != 3 {
		d.space = want
	}
	if n <= 0 || n > len(d.colors) { // the number is unknown or wrong: use the most common one
		n = [5]int{0, 1, 1, 3, 4}[min(len(d.colors), 4)]
		if n == 4 && d.stream.base.mixed {
			n = 3
		}
		d.space = map[int]Space{1: Gray, 3: RGB, 4: CMYK}[n]
	}
	d.colors = d.colors[:n]
	if palette == nil && d.space == RGB && parts[d.colors[0]].dx < parts[d.colors[1]].dx {
		d.space = YCC // only YCC images have subsampled chroma
	}
	straight := palette == nil && slices.Equal(d.colors, []int{0, 1, 2})
	if d.options.Luma && straight && (d.space == YCC || d.space == RGB && d.stream.base.mixed) {
		d.colors, d.space = d.colors[:1], Gray // after a component transform, the first component is the lightness
	}
	for _, c := range d.colors {
		if palette != nil {
			c = palette.channels[c].component
		}
		d.wanted[c] = true
	}
}

// image creates the channels from the components.
func (d *decoder) image() *Image {
	out := &Image{Space: d.space, Depth: d.stream.size.parts[0].depth}
	for _, c := range d.colors {
		if d.file.palette != nil {
			ch := d.file.palette.channels[c]
			from := d.planes[ch.component]
			if ch.column >= 0 {
				from = d.file.palette.look(from, ch.column, d.stream.size.parts[ch.component].depth)
			}
			out.Planes = append(out.Planes, from)
		} else {
			out.Planes = append(out.Planes, d.planes[c])
		}
		p := out.Planes[len(out.Planes)-1]
		out.W, out.H = max(out.W, p.W), max(out.H, p.H)
	}
	if d.options.Luma && (out.Space == RGB || out.Space == YCC) {
		out.luma()
	}
	return out
}

// luma replaces three planes by one with the lightness (ITU-R BT.601).
func (m *Image) luma() {
	r := m.Planes[0]
	if m.Space == RGB {
		for y := range r.H {
			g, b := m.Planes[1].line(y, r.H), m.Planes[2].line(y, r.H)
			for x := range r.W {
				i := y*r.W + x
				v := 299*int(r.Pix[i]) + 587*int(g[x*len(g)/r.W]) + 114*int(b[x*len(b)/r.W])
				r.Pix[i] = byte(v / 1000) //nolint:gosec // at most 255
			}
		}
	}
	m.Planes, m.Space = []Plane{r}, Gray
	m.W, m.H = r.W, r.H
}

// line returns the row of p that corresponds to row y of a plane with h
// rows.
func (p *Plane) line(y, h int) []byte {
	y = y * p.H / h
	return p.Pix[y*p.W : (y+1)*p.W]
}
