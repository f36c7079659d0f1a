// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"cmp"
	"math"
	"slices"

	"example.com/curlew/parse/internal/pdf/content"
)

// family is a set of horizontal lines with the same ends, from top to bottom.
type family struct {
	lo, hi float64
	ys     []float64
}

// exceeds reports whether a box is only part of the region of f: it has the
// width of its lines, and most of them are outside.
func (f *family) exceeds(b content.Box) bool {
	if math.Abs(f.lo-b.X0) > 2*snap || math.Abs(f.hi-b.X1) > 2*snap {
		return false
	}
	out := 0
	for _, y := range f.ys {
		out += count(y < b.Y0-snap || y > b.Y1+snap)
	}
	return out > 2 && out*2 > len(f.ys)
}

// families groups the horizontal lines of a page by their ends. Lines that
// are far apart belong to different families.
func families(p *Page) []family {
	hs, _ := p.edges()
	var out []family
next:
	for _, h := range hs {
		if h.hi-h.lo < 60 {
			continue
		}
		for i := range slices.Backward(out) {
			f := &out[i]
			if math.Abs(f.lo-h.lo) < 2*snap && math.Abs(f.hi-h.hi) < 2*snap && h.at-f.ys[len(f.ys)-1] < .3*p.Height {
				f.ys = append(f.ys, h.at)
				continue next
			}
		}
		if len(out) == mostFamilies {
			return nil
		}
		out = append(out, family{h.lo, h.hi, []float64{h.at}})
	}
	return out
}

// mostFamilies bounds the families of a page; each line is compared with
// all.
const mostFamilies = 60

// without returns the parts of f above, between and below given tables. The
// lines of the tables themselves are left out.
func (f *family) without(tables []Block) []family {
	var out []family
	part := family{lo: f.lo, hi: f.hi}
	for _, y := range f.ys {
		inside, between := false, false
		for i := range tables {
			b := tables[i].Box
			if b.X1 < f.lo || b.X0 > f.hi {
				continue
			}
			inside = inside || y > b.Y0-snap && y < b.Y1+snap
			between = between || len(part.ys) > 0 && b.Y0 > part.ys[len(part.ys)-1] && b.Y0 < y
		}
		if (inside || between) && len(part.ys) > 0 {
			out = append(out, part)
			part = family{lo: f.lo, hi: f.hi}
		}
		if !inside {
			part.ys = append(part.ys, y)
		}
	}
	if len(part.ys) > 0 {
		out = append(out, part)
	}
	return out
}

// linedTables finds tables between horizontal lines for which the aligned
// reading is better than the one without lines, and removes their words from the
// lines of the page. found are the tables of the page that have been read before.
func linedTables(p *Page, found []Block) []Table {
	if len(p.Lines) > mostLined {
		return nil
	}
	var fs []family
	for _, f := range families(p) {
		fs = append(fs, f.without(found)...)
	}
	var out []Table
	for _, f := range fs {
		box := content.Box{X0: f.lo, X1: f.hi, Y0: f.ys[0], Y1: f.ys[len(f.ys)-1]}
		r, ok := f.region(p, box)
		if !ok || r.captioned() {
			continue
		}
		z := newZone(p, rowsIn(p, r.idx))
		plain, fine := z.table(p)
		t, better := r.better(&plain, fine)
		if !better {
			continue
		}
		t.Ruled = false
		r.take()
		out = append(out, t)
	}
	return out
}

// captioned reports whether a caption stands inside the region. The region is
// then more than one table.
func (r *region) captioned() bool {
	rows := rowsIn(r.p, r.idx)
	for k := 1; k < len(rows)-1; k++ {
		if isCaption(r.p, &rows[k]) {
			return true
		}
	}
	return false
}

// mostLined is the number of lines of a page above which linedTables does not
// look for tables.
const mostLined = 3000

// region returns the text between the lines of a family, with rows above the
// first and below the last that have the same columns.
func (f *family) region(p *Page, box content.Box) (*region, bool) {
	inner, ok := regionOf(p, box)
	if !ok || len(f.ys) < 2 {
		return nil, false
	}
	cols := inner.columns(rowsIn(p, inner.idx))
	if len(cols) < 2 {
		return nil, false
	}
	box.Y0 -= f.beyond(inner, cols, box.Y0, -1)
	box.Y1 += f.beyond(inner, cols, box.Y1, 1)
	return regionOf(p, box)
}

// beyond returns how far rows with several pieces in the given columns
// extend above (-1) or below (1) y.
func (f *family) beyond(r *region, cols []content.Box, y, way float64) float64 {
	p, size := r.p, r.size
	columns := map[int]bool{}
	far := max(1.6*size, 1.2*r.gap())
	end := way * y // positions are measured downwards if way is 1, and upwards if it is -1
	for _, i := range f.side(p, end, way) {
		l := &p.Lines[i]
		b := textBox(l)
		near, last := along(b, way)
		if near <= end-4*l.Size {
			continue // beside a line that is far taller
		}
		if near-end > far {
			break
		}
		if math.Abs(l.Size-size) > .15*size || b.X0 < f.lo-2 || b.X1 > f.hi+2 || touched(cols, b) > 1 && !l.splits(cols) || l.captions() {
			break
		}
		for j, c := range cols {
			if b.X0 < c.X1 && b.X1 > c.X0 {
				columns[j] = true
			}
		}
		end = max(end, last)
	}
	if len(columns) < 2 {
		return 0
	}
	return end - way*y + 1
}

// along returns the near and the far end of a box.
func along(b content.Box, way float64) (near, far float64) {
	if way < 0 {
		return -b.Y1, -b.Y0
	}
	return b.Y0, b.Y1
}

// side returns the lines between the ends of the family that are beyond from, by the
// position of their near edge.
func (f *family) side(p *Page, from, way float64) []int {
	type place struct {
		line int
		near float64
	}
	var places []place
	for i := range p.Lines {
		l := &p.Lines[i]
		if l.Turn != 0 || l.Box.X1 < f.lo || l.Box.X0 > f.hi {
			continue
		}
		if near, far := along(textBox(l), way); (near+far)/2 > from {
			places = append(places, place{i, near})
		}
	}
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(a.near, b.near) })
	out := make([]int, len(places))
	for k := range places {
		out[k] = places[k].line
	}
	return out
}
