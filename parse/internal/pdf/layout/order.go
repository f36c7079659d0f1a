// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"math"
	"slices"

	"example.com/curlew/internal/sorting"
	"example.com/curlew/parse/internal/pdf/content"
)

// element is a unit of the reading order: a line, or a block that stays
// whole.
type element struct {
	box   content.Box
	size  float64 // font size of a line; 0 for blocks
	seq   int     // position in the order of painting
	line  int     // index of the line, or -1
	whole int     // index of the block, or -1
}

// order returns the elements of a page in reading order. It finds columns by
// recursive cuts along white space. Elements that cross columns are set
// aside and then inserted between the bands above and below them (XY-Cut
// with masks, after arXiv 2504.10258).
func order(es []element) []element {
	out := make([]element, 0, len(es))
	room := elementSpace.get(len(es))
	defer elementSpace.put(room)
	copy(room, es)
	return cut(out, room, 0)
}

// Bounds on the depth of the recursion and on the number of elements that
// are searched for columns. No page for human readers reaches them.
const (
	maxCuts    = 40
	maxCutting = 20_000
)

func cut(out, es []element, depth int) []element {
	if len(es) < 2 || depth > maxCuts {
		return append(out, es...)
	}
	if len(es) > maxCutting {
		return topDown(out, es)
	}
	if at, ok := gutter(es); ok {
		return inColumns(out, es, at, depth)
	}
	if wide, at, ok := masked(es); ok {
		return bands(out, es, wide, at, depth)
	}
	sorted := elementSpace.get(len(es))
	if at := rowsCut(sorted, es); at > 0 {
		out = cut(cut(out, sorted[:at], depth+1), sorted[at:], depth+1)
	} else {
		out = topDown(out, es)
	}
	elementSpace.put(sorted)
	return out
}

// inColumns orders the columns on both sides of x, section by section.
func inColumns(out, es []element, x float64, depth int) []element {
	left, right := split(es, x)
	if y, ok := sharedHeading(left, right); ok {
		above, below := splitAt(es, y)
		return cut(cut(out, above, depth+1), below, depth+1)
	}
	for _, part := range sideBySide(left, right) {
		out = cut(out, part, depth+1)
	}
	return out
}

// sharedHeading finds a heading that is as short as its column, but belongs to the
// columns on both sides: it has larger letters, nothing stands beside it, and
// the text of both columns goes on at one baseline below it. It returns the
// top of the heading.
func sharedHeading(left, right []element) (y float64, ok bool) {
	size, tries := textSize(right), 0
	for i := range left {
		h := &left[i]
		if h.line < 0 || h.size < 1.15*size || size == 0 {
			continue
		}
		if tries++; tries > maxHeadings {
			break
		}
		above, below, beside := closest(right, &h.box)
		if beside || math.IsInf(above, -1) || math.IsInf(below, 1) {
			continue
		}
		ours, next, _ := closest(left, &h.box)
		if math.IsInf(ours, -1) || math.Abs(next-below) > .2*size || next-h.box.Y1 > 3*size {
			continue
		}
		y := firstLine(left, h).box.Y0
		return y, above <= y+.3*size
	}
	return 0, false
}

// firstLine returns the first line of a heading in es whose last line is h.
func firstLine(es []element, h *element) *element {
	for {
		i := slices.IndexFunc(es, func(e element) bool {
			return e.line >= 0 && math.Abs(e.size-h.size) < .1 && e.box.Y0 < h.box.Y0-.5*h.size && e.box.Y1 > h.box.Y0-.6*h.size
		})
		if i < 0 {
			return h
		}
		h = &es[i]
	}
}

// maxHeadings is the number of lines in a column that sharedHeading tries. Each
// is compared with all elements.
const maxHeadings = 64

// textSize returns the median size of the lines in es, or 0.
func textSize(es []element) float64 {
	var sizes []float64
	for i := range es {
		if es[i].line >= 0 {
			sizes = append(sizes, es[i].size)
		}
	}
	return median(sizes)
}

// closest returns the bottoms of the elements of es closest above and below
// b, and whether one is beside it. b itself does not count.
func closest(es []element, b *content.Box) (above, below float64, beside bool) {
	above, below = math.Inf(-1), math.Inf(1)
	for i := range es {
		switch e := &es[i].box; {
		case e == b:
		case e.Y1 <= b.Y0+.3*b.Height():
			above = max(above, e.Y1)
		case e.Y0 >= b.Y1-.3*b.Height():
			below = min(below, e.Y1)
		default:
			beside = true
		}
	}
	return above, below, beside
}

// splitAt splits es at a height.
func splitAt(es []element, y float64) (above, below []element) {
	for _, e := range es {
		if e.box.Y0+e.box.Y1 < 2*y {
			above = append(above, e)
		} else {
			below = append(below, e)
		}
	}
	return above, below
}

// minGutter is the smallest width of the white space between columns, in
// points. Only the maxGaps widest gaps are tried.
const (
	minGutter = 5.0
	maxGaps   = 128
)

// gutter finds a vertical line of white space that separates es into
// columns. It is the widest gap that has at least two lines on each side,
// beside each other.
func gutter(es []element) (at float64, ok bool) {
	if len(es) < 2 {
		return 0, false
	}
	type span struct{ x0, x1 float64 }
	var room [256]span // enough for most pages
	spans := room[:0]
	for i := range es {
		spans = append(spans, span{es[i].box.X0, es[i].box.X1})
	}
	sorting.Stable(spans, func(a, b span) int { return compare(a.x0, b.x0) })
	end := spans[0].x1
	var gaps []span
	for _, s := range spans[1:] {
		if s.x0-end > minGutter {
			gaps = append(gaps, span{end, s.x0})
		}
		end = max(end, s.x1)
	}
	sorting.Stable(gaps, func(a, b span) int { return compare(b.x1-b.x0, a.x1-a.x0) })
	for _, g := range gaps[:min(len(gaps), maxGaps)] {
		if mid := (g.x0 + g.x1) / 2; parts(es, mid) {
			return mid, true
		}
	}
	return 0, false
}

// parts reports whether the elements on both sides of x are columns: each
// side has at least two rows, the sides overlap vertically for a good
// part of the shorter one, and some element has one of the other side beside it.
func parts(es []element, x float64) bool {
	var l, r side
	for i := range es {
		if es[i].box.X0+es[i].box.X1 < 2*x {
			l.add(&es[i])
		} else {
			r.add(&es[i])
		}
	}
	if l.rows < 2 && !l.tall || r.rows < 2 && !r.tall {
		return false
	}
	beside := min(l.y1, r.y1) - max(l.y0, r.y0)
	if beside < .3*min(l.y1-l.y0, r.y1-r.y0) {
		return false
	}
	return !labels(&l, &r) && neighbours(es, x)
}

// neighbours reports whether an element on one side of x stands beside one on the other side.
// Otherwise all of them follow each other, such as tables in the middle of a page and the
// short lines above each.
func neighbours(es []element, x float64) bool {
	order := make([]int32, len(es))
	for i := range order {
		order[i] = int32(i) // at most maxCutting
	}
	sorting.Stable(order, func(a, b int32) int { return compare(es[a].box.Y0, es[b].box.Y0) })
	var lowest [2]*content.Box // of both sides, so far
	for _, i := range order {
		b := &es[i].box
		at := count(b.X0+b.X1 >= 2*x)
		if o := lowest[1-at]; o != nil && min(o.Y1, b.Y1)-b.Y0 > .3*min(o.Height(), b.Height()) {
			return true
		}
		if lowest[at] == nil || b.Y1 > lowest[at].Y1 {
			lowest[at] = b
		}
	}
	return false
}

// side collects measures of the elements on one side of a gutter.
type side struct {
	n, rows int
	y0, y1  float64
	last    float64
	width   float64 // sum over all lines
	x0, x1  float64
	tall    bool // has a block at least as high as two lines
	bases   []float64
	size    float64 // sum over all lines
}

func (s *side) add(e *element) {
	if s.n == 0 {
		s.y0, s.y1, s.x0, s.x1 = e.box.Y0, e.box.Y1, e.box.X0, e.box.X1
		s.last = math.Inf(-1)
	}
	s.n++
	s.y0, s.y1 = min(s.y0, e.box.Y0), max(s.y1, e.box.Y1)
	s.x0, s.x1 = min(s.x0, e.box.X0), max(s.x1, e.box.X1)
	s.width += e.box.Width()
	s.size += e.size
	if e.line < 0 && e.box.Height() > 24 {
		s.tall = true
	}
	if math.Abs(e.box.Y1-s.last) > 2 {
		s.rows++
		s.last = e.box.Y1
	}
	s.bases = append(s.bases, e.box.Y1)
}

// labels reports whether one side has short labels for the lines of the
// other. Nearly all labels then share a baseline with a line of the other
// side, are much narrower, and have about the same size. Such rows are read
// across.
func labels(l, r *side) bool {
	narrow, other := l, r
	if r.width/float64(r.n) < l.width/float64(l.n) {
		narrow, other = r, l
	}
	if narrow.tall || other.tall {
		return false
	}
	if a, b := narrow.size/float64(narrow.n), other.size/float64(other.n); math.Abs(a-b) > .2*max(a, b) {
		return false
	}
	mean := narrow.width / float64(narrow.n)
	height := (narrow.y1 - narrow.y0) / float64(max(1, narrow.n))
	if mean > 60 || mean > .35*other.width/float64(other.n) {
		return false
	}
	slices.Sort(other.bases)
	same := 0
	for _, y := range narrow.bases {
		i, _ := slices.BinarySearch(other.bases, y-2)
		if i < len(other.bases) && other.bases[i] <= y+2 {
			same++
		}
	}
	return same*10 >= narrow.n*8 && height > 0
}

func split(es []element, x float64) (left, right []element) {
	for _, e := range es {
		if e.box.X0+e.box.X1 < 2*x {
			left = append(left, e)
		} else {
			right = append(right, e)
		}
	}
	return left, right
}

// masked searches for columns that only a few elements cross, such as
// headings, figures and footnotes of full width. wide marks those elements.
func masked(es []element) (wide []bool, at float64, ok bool) {
	if len(es) < 5 {
		return nil, 0, false
	}
	all := es[0].box
	for _, e := range es {
		all = all.Union(e.box)
	}
	idx := byMiddle(es)
	bestCost := math.Inf(1)
	for _, x := range candidates(es, all) {
		crossing := make([]bool, len(es))
		n, height := 0, 0.0
		total := 0.0
		for i, e := range es {
			total += e.box.Height()
			if e.box.X0 < x-1 && e.box.X1 > x+1 {
				crossing[i] = true
				n++
				height += e.box.Height()
			}
		}
		if n == 0 || n*5 > len(es)*3 || height > .75*total {
			continue
		}
		// An element that spans columns has nothing beside it.
		flanked := besides(es, idx, crossing)
		cost := float64(n + 3*flanked)
		if cost >= bestCost || flanked*3 > n && flanked > 1 {
			continue
		}
		if bandsAgree(es, idx, crossing, x) {
			bestCost, wide, at, ok = cost, crossing, x, true
		}
	}
	return wide, at, ok
}

// besides counts the crossing elements that have a non-crossing element
// beside them. idx is the result of byMiddle.
func besides(es []element, idx []int, crossing []bool) int {
	n := 0
	for k, i := range idx {
		if !crossing[i] {
			continue
		}
		a := es[i].box
		for _, step := range [...]int{-1, 1} {
			j := k + step
			for j >= 0 && j < len(idx) && crossing[idx[j]] && (j-k)*step < 4 {
				j += step
			}
			if j < 0 || j >= len(idx) || crossing[idx[j]] {
				continue
			}
			b := es[idx[j]].box
			if min(a.Y1, b.Y1)-max(a.Y0, b.Y0) > .3*min(a.Height(), b.Height()) {
				n++
				break
			}
		}
	}
	return n
}

// byMiddle returns the indexes of es sorted by their vertical middles.
func byMiddle(es []element) []int {
	idx := make([]int, len(es))
	for i := range idx {
		idx[i] = i
	}
	sorting.Stable(idx, func(a, b int) int {
		return compare(es[a].box.Y0+es[a].box.Y1, es[b].box.Y0+es[b].box.Y1)
	})
	return idx
}

// candidates returns x positions where columns may be separated: just left
// of where several lines begin.
func candidates(es []element, all content.Box) []float64 {
	counts := map[int]int{}
	for _, e := range es {
		if e.line >= 0 && e.box.X0 > all.X0+.1*all.Width() && e.box.X0 < all.X1-.05*all.Width() {
			counts[int(e.box.X0/3)]++
		}
	}
	var out []float64
	for k, n := range counts {
		if n+counts[k-1]+counts[k+1] >= 3 {
			out = append(out, float64(k)*3-3)
		}
	}
	slices.Sort(out)
	if len(out) > 64 {
		out = out[:64]
	}
	return out
}

// bandsAgree reports whether some band between crossing elements has two
// columns separated at x, and whether most non-crossing elements are in such
// bands.
func bandsAgree(es []element, idx []int, crossing []bool, x float64) bool {
	in, free := 0, 0
	room := elementSpace.get(len(idx))
	defer elementSpace.put(room)
	for len(idx) > 0 {
		if crossing[idx[0]] {
			idx = idx[1:]
			continue
		}
		band := room[:0]
		for len(band) < len(idx) && !crossing[idx[len(band)]] {
			band = append(band, es[idx[len(band)]])
		}
		idx = idx[len(band):]
		free += len(band)
		if parts(band, x) && whiteAt(band, x) {
			in += len(band)
		}
	}
	return in >= 4 && in*10 >= free*6
}

// whiteAt reports whether there is white space of the minimum width at x.
func whiteAt(es []element, x float64) bool {
	left, right := math.Inf(-1), math.Inf(1)
	for _, e := range es {
		if e.box.X0+e.box.X1 < 2*x {
			left = max(left, e.box.X1)
		} else {
			right = min(right, e.box.X0)
		}
	}
	return right-left >= minGutter*.8
}

// bandsOf divides the indexes idx, as returned by byMiddle, into bands from
// top to bottom. Each crossing element is a band of its own, and so are all
// elements between two crossing ones.
func bandsOf(idx []int, crossing []bool) [][]int {
	var out [][]int
	var open []int
	for _, i := range idx {
		if !crossing[i] {
			open = append(open, i)
			continue
		}
		if len(open) > 0 {
			out = append(out, open)
			open = nil
		}
		out = append(out, []int{i})
	}
	if len(open) > 0 {
		out = append(out, open)
	}
	return out
}

// bands orders es band by band. Consecutive crossing elements form one band.
func bands(out, es []element, crossing []bool, x float64, depth int) []element {
	var wide []element
	flush := func() {
		out = topDown(out, wide)
		wide = nil
	}
	for _, band := range bandsOf(byMiddle(es), crossing) {
		if len(band) == 1 && crossing[band[0]] {
			wide = append(wide, es[band[0]])
			continue
		}
		flush()
		sub := make([]element, 0, len(band))
		for _, k := range band {
			sub = append(sub, es[k])
		}
		if whiteAt(sub, x) && parts(sub, x) {
			out = inColumns(out, sub, x, depth)
			continue
		}
		out = cut(out, sub, depth+1)
	}
	flush()
	return out
}

// rowsCut sorts es from top to bottom into sorted, which has the same length, and returns
// the index of the first element below the widest horizontal gap. It returns 0 if no
// gap is wider than 3 points. Each part may have columns of its own.
func rowsCut(sorted, es []element) (at int) {
	copy(sorted, es)
	sorting.Stable(sorted, func(a, b element) int { return compare(a.box.Y0, b.box.Y0) })
	end := sorted[0].box.Y1
	best := 3.0
	for i, e := range sorted[1:] {
		if gap := e.box.Y0 - end; gap > best {
			best, at = gap, i+1
		}
		end = max(end, e.box.Y1)
	}
	return at
}

// topDown appends es to out, sorted by row, and each row from left to right.
func topDown(out, es []element) []element {
	from := len(out)
	out = append(out, es...)
	added := out[from:]
	sorting.Stable(added, func(a, b element) int { return compare(a.box.Y1, b.box.Y1) })
	for i := 0; i < len(added); {
		j := i + 1
		for j < len(added) && sameRow(&added[i], &added[j]) {
			j++
		}
		sorting.Stable(added[i:j], func(a, b element) int { return compare(a.box.X0, b.box.X0) })
		i = j
	}
	return out
}

func sameRow(a, b *element) bool {
	h := min(a.box.Height(), b.box.Height())
	return math.Abs(a.box.Y1-b.box.Y1) < .4*h && math.Abs(a.box.Y0-b.box.Y0) < max(.6*h, .3*max(a.box.Height(), b.box.Height()))
}

// tau returns Kendall's rank correlation between the order of es and the
// order of painting.
func tau(es []element) float64 {
	n := len(es)
	if n < 2 {
		return 1
	}
	if n > 2000 {
		return 0
	}
	c := 0
	for i := range es {
		for j := i + 1; j < n; j++ {
			if es[i].seq < es[j].seq {
				c++
			} else if es[i].seq > es[j].seq {
				c--
			}
		}
	}
	return float64(c) / (float64(n) * float64(n-1) / 2)
}
