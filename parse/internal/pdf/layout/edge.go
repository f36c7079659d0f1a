// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"math"
	"slices"

	"example.com/curlew/internal/sorting"
)

// edge is a horizontal or vertical line. at is its coordinate on the other
// axis, lo and hi are its ends. All are in points.
type edge struct{ at, lo, hi float64 }

// snap is the distance in points below which two lines count as one.
// Producers draw borders as thin boxes and repeat them for each cell.
const snap = 3.0

// maxEdges is the number of lines of a page above which only long ones are
// used.
const maxEdges = 20_000

// coarsest is the minimum length of those long lines, in points.
const coarsest = 30

// edges returns the horizontal and vertical lines of a page, sorted by
// position. The slices must not be changed.
func (p *Page) edges() (hs, vs []edge) {
	if p.drawn == nil {
		p.drawn = &grid{}
		p.drawn.hs, p.drawn.vs = edges(p)
	}
	return p.drawn.hs, p.drawn.vs
}

// edges finds the lines of a page, snapped and joined: strokes, thin boxes
// and the borders of filled boxes.
func edges(p *Page) (hs, vs []edge) {
	least := 2.0
	if p.coarse || len(p.Rules)+4*len(p.Fills) > maxEdges {
		least = coarsest
	}
	for _, r := range p.Rules {
		if r.Color == 0xffffff {
			continue
		}
		switch {
		case r.Horizontal() && r.X1-r.X0 >= least:
			hs = append(hs, edge{r.Y0, r.X0, r.X1})
		case !r.Horizontal() && r.Y1-r.Y0 >= least:
			vs = append(vs, edge{r.X0, r.Y0, r.Y1})
		}
	}
	for _, f := range p.Fills {
		b := f.Box
		if b.Width() < least || b.Height() < least || f.Alpha < .05 || f.Color == 0xffffff || b.Area() > .8*p.Width*p.Height {
			continue
		}
		hs = append(hs, edge{b.Y0, b.X0, b.X1}, edge{b.Y1, b.X0, b.X1})
		vs = append(vs, edge{b.X0, b.Y0, b.Y1}, edge{b.X1, b.Y0, b.Y1})
	}
	if len(hs) > maxEdges || len(vs) > maxEdges {
		return nil, nil
	}
	return joined(hs), joined(vs)
}

// joined moves edges that are within snap of each other to one position and
// joins those that touch.
func joined(es []edge) []edge {
	sorting.Stable(es, func(a, b edge) int { return compare(a.at, b.at) })
	var out []edge
	for i := 0; i < len(es); {
		j := i + 1
		sum, length := es[i].at*(es[i].hi-es[i].lo), es[i].hi-es[i].lo
		for j < len(es) && es[j].at-es[i].at <= snap {
			sum += es[j].at * (es[j].hi - es[j].lo)
			length += es[j].hi - es[j].lo
			j++
		}
		at := sum / max(length, 1e-9)
		group := slices.Clone(es[i:j])
		sorting.Stable(group, func(a, b edge) int { return compare(a.lo, b.lo) })
		open := edge{at, group[0].lo, group[0].hi}
		for _, e := range group[1:] {
			if e.lo <= open.hi+snap {
				open.hi = max(open.hi, e.hi)
				continue
			}
			out = append(out, open)
			open = edge{at, e.lo, e.hi}
		}
		out = append(out, open)
		i = j
	}
	return out
}

// grid is a set of lines that cross each other.
type grid struct{ hs, vs []edge }

// grids groups crossing lines. Lines that cross no other are left out.
func grids(hs, vs []edge) []grid {
	parent := make([]int, len(hs)+len(vs))
	for i := range parent {
		parent[i] = i
	}
	find := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	// Both slices are sorted, so each line is compared only with those in
	// its range.
	for i, h := range hs {
		from := sortSearch(vs, h.lo-snap)
		for k := from; k < len(vs) && vs[k].at <= h.hi+snap; k++ {
			if v := vs[k]; h.at >= v.lo-snap && h.at <= v.hi+snap {
				parent[find(i)] = find(len(hs) + k)
			}
		}
	}
	index := map[int]int{}
	var out []grid
	slot := func(i int) *grid {
		r := find(i)
		k, ok := index[r]
		if !ok {
			k = len(out)
			index[r] = k
			out = append(out, grid{})
		}
		return &out[k]
	}
	for i := range hs {
		g := slot(i)
		g.hs = append(g.hs, hs[i])
	}
	for i := range vs {
		g := slot(len(hs) + i)
		g.vs = append(g.vs, vs[i])
	}
	return sorting.Without(out, func(g grid) bool { return len(g.vs) < 1 || len(g.hs) < 2 && !g.cross() })
}

// cross reports whether the vertical lines of a grid all cross its only
// horizontal one, as in a table of two rows without a frame. The axes of a
// chart meet at their ends.
func (g *grid) cross() bool {
	if len(g.hs) != 1 {
		return false
	}
	h := g.hs[0]
	return !slices.ContainsFunc(g.vs, func(v edge) bool {
		return v.lo > h.at-2*snap || v.hi < h.at+2*snap || v.at < h.lo+4*snap || v.at > h.hi-4*snap
	})
}

func sortSearch(es []edge, at float64) int {
	i, _ := slices.BinarySearchFunc(es, at, func(e edge, v float64) int { return compare(e.at, v) })
	return i
}

// places returns the distinct positions of edges in ascending order.
func places(es []edge) []float64 {
	var out []float64
	for _, e := range es {
		out = append(out, e.at)
	}
	slices.Sort(out)
	return slices.CompactFunc(out, func(a, b float64) bool { return math.Abs(b-a) <= snap })
}

// close adds left and right sides to a grid whose horizontal lines extend
// beyond its outer vertical ones. Tables are often open at the sides.
func (g *grid) close() {
	xs := places(g.vs)
	lo, hi := math.Inf(1), math.Inf(-1)
	top, bottom := math.Inf(1), math.Inf(-1)
	for _, h := range g.hs {
		lo, hi = min(lo, h.lo), max(hi, h.hi)
		top, bottom = min(top, h.at), max(bottom, h.at)
	}
	inner := 0 // positions of vertical lines over most of the height, not only beside a filled header
	for i, v := range g.vs {
		long := v.hi-v.lo > .5*(bottom-top)
		inner += count(long && (i == 0 || v.at != g.vs[i-1].at)) // a section may cut a line into two
	}
	if lo < xs[0]-2*snap && g.open(lo, xs[0], func(e edge) float64 { return e.lo }) {
		g.vs = append(g.vs, edge{lo, top, bottom})
	}
	if hi > xs[len(xs)-1]+2*snap && g.open(hi, xs[len(xs)-1], func(e edge) float64 { return e.hi }) {
		g.vs = append(g.vs, edge{hi, top, bottom})
	}
	left, right := math.Inf(1), math.Inf(-1)
	vtop, vbottom := math.Inf(1), math.Inf(-1)
	for _, v := range g.vs {
		left, right = min(left, v.at), max(right, v.at)
		vtop, vbottom = min(vtop, v.lo), max(vbottom, v.hi)
	}
	if vtop < top-2*snap && reaching(g.vs, vtop, func(e edge) float64 { return e.lo }) >= min(2, max(1, inner)) {
		g.hs = append(g.hs, edge{vtop, left, right})
	}
	if vbottom > bottom+2*snap && reaching(g.vs, vbottom, func(e edge) float64 { return e.hi }) >= min(2, max(1, inner)) {
		g.hs = append(g.hs, edge{vbottom, left, right})
	}
	sorting.Stable(g.vs, func(a, b edge) int { return compare(a.at, b.at) })
	sorting.Stable(g.hs, func(a, b edge) int { return compare(a.at, b.at) })
}

// open reports whether the horizontal lines show a column without a side beyond the outer
// vertical line: at least two reach its end, or one does that separates the names of two
// groups of rows, while all others end at the vertical line.
func (g *grid) open(end, wall float64, side func(edge) float64) bool {
	n := reaching(g.hs, end, side)
	return n >= min(2, len(g.hs)) || len(g.hs) > 3 && reaching(g.hs, wall, side) == len(g.hs)-1 && math.Abs(end-wall) > coarsest
}

func reaching(es []edge, end float64, side func(edge) float64) int {
	n := 0
	for _, e := range es {
		if math.Abs(side(e)-end) <= 2*snap {
			n++
		}
	}
	return n
}

// unwalled returns the horizontal lines that belong to no grid with columns of its own. Such a
// grid is a whole table, and so its lines say nothing about a table above or below it.
func unwalled(hs []edge, gs []grid) []edge {
	walled := map[edge]bool{}
	for i := range gs {
		if gs[i].walled() {
			for _, h := range gs[i].hs {
				walled[h] = true
			}
		}
	}
	return sorting.Without(slices.Clone(hs), func(h edge) bool { return walled[h] })
}

// walled reports whether a grid has at least two rows and a wall between two columns over its
// whole height.
func (g *grid) walled() bool {
	top, bottom := math.Inf(1), math.Inf(-1)
	left, right := math.Inf(1), math.Inf(-1)
	for _, h := range g.hs {
		top, bottom = min(top, h.at), max(bottom, h.at)
		left, right = min(left, h.lo), max(right, h.hi)
	}
	return len(places(g.hs)) > 2 && slices.ContainsFunc(g.vs, func(v edge) bool {
		return v.lo < top+snap && v.hi > bottom-snap && v.at > left+snap && v.at < right-snap
	})
}
