// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"math"
	"slices"

	"example.com/curlew/internal/sorting"
	"example.com/curlew/parse/internal/pdf/content"
)

// region is a part of a page that is read with the lines inside it.
type region struct {
	p    *Page
	box  content.Box
	idx  []int // its lines
	size float64
	hs   []float64 // lines and edges of fills across nearly the whole region
	vs   []float64 // lines over most of its height

	centred int // the number of rows of texts around a common middle; set by aligned
}

const (
	leastRegion = 2    // minimum number of lines
	mostRegion  = 6000 // maximum number of lines
)

// regionOf finds the text of a box. It returns false if some text is turned,
// is right-to-left or crosses the border, or if there are too few or too many
// lines.
func regionOf(p *Page, box content.Box) (*region, bool) {
	r := &region{p: p, box: box}
	for i := range p.Lines {
		l := &p.Lines[i]
		x, y := (l.Box.X0+l.Box.X1)/2, l.Y-.3*l.Size
		if x < box.X0 || x > box.X1 || y < box.Y0 || y > box.Y1 {
			continue
		}
		if l.Turn != 0 || l.RTL || l.Box.X0 < box.X0-l.Size || l.Box.X1 > box.X1+l.Size {
			return nil, false
		}
		r.idx = append(r.idx, i)
		r.size = max(r.size, l.Size)
	}
	if len(r.idx) < leastRegion || len(r.idx) > mostRegion {
		return nil, false
	}
	r.hints()
	return r, true
}

// hints finds the horizontal lines and edges of fills across the region and
// the vertical lines over most of its height.
//
//go:noinline
func (r *region) hints() {
	hs, vs := r.p.edges()
	for i := 0; i < len(hs); {
		sum, j := 0.0, i
		for ; j < len(hs) && hs[j].at-hs[i].at < .1; j++ {
			sum += max(0, min(hs[j].hi, r.box.X1)-max(hs[j].lo, r.box.X0))
		}
		if y := hs[i].at; sum > .9*r.box.Width() && y > r.box.Y0-snap && y < r.box.Y1+snap {
			r.hs = append(r.hs, y)
		}
		i = j
	}
	for _, v := range vs {
		if v.at > r.box.X0+snap && v.at < r.box.X1-snap && min(v.hi, r.box.Y1)-max(v.lo, r.box.Y0) > .8*r.box.Height() {
			r.vs = append(r.vs, v.at)
		}
	}
}

// words counts the words of the region.
func (r *region) words() int {
	n := 0
	for _, i := range r.idx {
		n += len(r.p.Lines[i].Words)
	}
	return n
}

// aligned reads the region by its columns and baselines. Lines across it
// separate rows.
func (r *region) aligned() (Table, bool) {
	z := newZone(r.p, tableRows(r.p, r.idx))
	r.centred = z.centredRows()
	f := figures{z: &z, p: r.p, size: r.size}
	f.cols = r.columns(z.rows)
	if len(f.cols) < 2 || len(f.cols) > 60 {
		return Table{}, false
	}
	f.slots = r.slots(z.rows, f.cols)
	f.lines()
	for _, y := range r.hs {
		if !slices.ContainsFunc(f.full, func(v float64) bool { return math.Abs(v-y) < snap }) {
			f.full = append(f.full, y)
		}
	}
	slices.Sort(f.full)
	bands, seated := z.seated(overlapping(f.parts(), f.full), f.full)
	h := f.regionHead(bands)
	if h == len(bands) {
		return Table{}, false
	}
	if len(slices.Concat(bands[:h]...)) > maxHeadPieces {
		return Table{}, false
	}
	best, most := Table{}, -1.0
	bodies := [][][]part{f.boxed(bands[h:]), bands[h:]}
	if !seated {
		bodies[1] = z.group(slices.Concat(bands[h:]...), f.full)
	}
	if f.loose(bands[h:]) || slices.ContainsFunc(bodies[0], interrupted) || len(bodies[0]) == 1 && labelsMost(bands[h:]) {
		bodies = bodies[1:]
	}
	for _, body := range bodies {
		t := Table{Box: r.box, seq: math.MaxInt, Columns: len(f.cols)}
		t.Rows = f.head(bands[:h], top(bands[h]))
		t.Header = len(t.Rows)
		for _, g := range body {
			t.Rows = append(t.Rows, cellsOf(f.section(g, nil), len(f.cols)))
		}
		t.sections(r.p, f.size)
		if q := t.judge(0); q.score() > most {
			best, most = t, q.score()
		}
	}
	best.sequence()
	best.wholeHeader()
	return best, len(best.Rows) > 1
}

// sequence sets seq to that of the first word.
func (t *Table) sequence() {
	t.seq = math.MaxInt
	for i := range t.Rows {
		for j := range t.Rows[i] {
			for _, l := range t.Rows[i][j].Lines {
				for k := range l.Words {
					t.seq = min(t.seq, l.Words[k].Seq)
				}
			}
		}
	}
}

// columns returns the columns of the region: between its vertical lines, with
// those of white space between two of them or, if it has none, between its
// columns of white space. Rows with one text across several columns do not count.
func (r *region) columns(rows []row) []content.Box {
	if len(r.vs) > 0 {
		return r.walled()
	}
	several := sorting.Without(slices.Clone(rows), func(w row) bool { return len(w.lines) < 2 })
	var cols []content.Box
	most, top := math.Inf(-1), 0.0
	for skip := 0; skip <= 2 && skip < len(several); skip++ { // a header may span columns
		more := r.columnsIn(several[skip:])
		if slices.ContainsFunc(several[:skip], func(w row) bool { return len(w.lines) > len(more) }) {
			continue // a header with more texts than columns does not span columns
		}
		if n := r.support(several[skip:], more); n > most && (skip == 0 || gapsOver(more, narrow*r.size-1)) {
			cols, most, top = more, n, several[skip].y0
		}
	}
	for skip := 1; skip <= 2 && skip < len(several); skip++ { // a header may also be wider than its columns
		if more := r.columnsIn(several[skip:]); len(more) == len(cols) && several[skip].y0 > top {
			cols, top = more, several[skip].y0
		}
	}
	within := sorting.Without(slices.Clone(rows), func(w row) bool {
		return w.y0 < top || slices.ContainsFunc(w.lines, func(i int) bool {
			b := r.p.Lines[i].Box
			return touched(cols, b) > 1 || len(w.lines) == 1 && !r.inside(cols, b)
		})
	})
	if more := r.columnsIn(within); len(more) >= len(cols) {
		cols = more
	}
	return r.alone(rows, cols)
}

// alone adds the columns whose texts have no baseline in common with other texts. The
// lines of wrapped cells do not, if their number is even and the other texts of the row
// stand in the middle of it. The lines of such a column have a common edge, unlike the
// titles of sections.
func (r *region) alone(rows []row, cols []content.Box) []content.Box {
	var singles []content.Box
	for _, w := range rows {
		if len(w.lines) == 1 {
			if b := r.p.Lines[w.lines[0]].Box; touched(cols, b) == 0 {
				singles = append(singles, b)
			}
		}
	}
	sorting.Stable(singles, func(a, b content.Box) int { return compare(a.X0, b.X0) })
	out := slices.Clone(cols)
	for from := 0; from < len(singles); {
		col, to := singles[from], from+1
		for to < len(singles) && singles[to].X0 < col.X1 {
			col.X1 = max(col.X1, singles[to].X1)
			to++
		}
		left, right := 0, 0
		for _, b := range singles[from:to] {
			left += count(b.X0-col.X0 < .3*r.size)
			right += count(col.X1-b.X1 < .3*r.size)
		}
		if n := to - from; n > 1 && max(left, right)*10 >= n*8 && touched(cols, col) == 0 {
			out = append(out, content.Box{X0: col.X0, X1: col.X1, Y0: r.box.Y0, Y1: r.box.Y1})
		}
		from = to
	}
	sorting.Stable(out, func(a, b content.Box) int { return compare(a.X0, b.X0) })
	return out
}

// walled returns the columns between the vertical lines of the region. Some tables
// have a line only beside the labels or between groups of columns, so several columns
// may be between two lines.
func (r *region) walled() []content.Box {
	var out []content.Box
	x := r.box.X0
	for _, v := range append(slices.Clone(r.vs), r.box.X1) {
		out = append(out, r.within(content.Box{X0: x + 1, X1: v - 1, Y0: r.box.Y0, Y1: r.box.Y1})...)
		x = v
	}
	return out
}

// within returns the columns between two neighbouring vertical lines. There are
// several if most rows have several texts there, or if no row crosses the white
// space between them.
func (r *region) within(c content.Box) []content.Box {
	var idx []int
	for _, i := range r.idx {
		if b := r.p.Lines[i].Box; b.X0+b.X1 > 2*c.X0 && b.X0+b.X1 < 2*c.X1 {
			idx = append(idx, i)
		}
	}
	rows := rowsIn(r.p, idx)
	several := sorting.Without(slices.Clone(rows), func(w row) bool { return len(w.lines) < 2 })
	if len(several) < 2 {
		return []content.Box{c}
	}
	cols := r.columnsIn(several)
	if len(several)*2 < len(rows) && len(r.columnsIn(rows)) != len(cols) || len(cols) < 2 {
		return []content.Box{c}
	}
	return cols
}

// inside reports whether a box is inside one of the columns.
func (r *region) inside(cols []content.Box, b content.Box) bool {
	return slices.ContainsFunc(cols, func(c content.Box) bool { return b.X0 > c.X0-r.size && b.X1 < c.X1+r.size })
}

// support measures how many columns the rows show. A column with texts in
// several rows counts 1, and a column with one text counts half. If that text
// is in the first row, it may span other columns, so the column counts -1. A
// column with two separate texts in one row counts 1 less.
func (r *region) support(rows []row, cols []content.Box) float64 {
	sum := .01 * float64(len(cols))
	for _, c := range cols {
		n, first := 0, false
		for k, w := range rows {
			if slices.ContainsFunc(w.lines, func(i int) bool { return r.p.Lines[i].Box.X0 < c.X1 && r.p.Lines[i].Box.X1 > c.X0 }) {
				n++
				first = first || k == 0
			}
		}
		switch {
		case n > 1 || len(rows) == 1:
			sum++
		case first && len(rows) > 2:
			sum--
		default:
			sum += .5
		}
		if r.joins(rows, c) {
			sum--
		}
	}
	return sum
}

// joins reports whether a column has two texts of one row, with a gap between
// them that is wider than a space.
func (r *region) joins(rows []row, c content.Box) bool {
	for _, w := range rows {
		last := math.Inf(-1)
		for _, i := range w.lines {
			b := r.p.Lines[i].Box
			if b.X0 >= c.X1 || b.X1 <= c.X0 {
				continue
			}
			if b.X0-last > wideGap*r.size && !math.IsInf(last, -1) {
				return true
			}
			last = b.X1
		}
	}
	return false
}

// columnsIn returns the columns of some rows of the region.
func (r *region) columnsIn(rows []row) []content.Box {
	cols := columnsApart(r.p, rows, r.size, narrow*r.size-1) // gaps are measured in whole points
	out := cols[:0]
	for j, c := range cols {
		if n := len(out); n > 0 && c.X0-cols[j-1].X1 < stripGap*r.size && r.goesOn(rows, c) {
			out[n-1].X1 = c.X1
			continue
		}
		out = append(out, c)
	}
	return out
}

// goesOn reports whether no text begins in a column: all of its words follow others in
// the line after a word space. Texts that begin with the same word look like that.
func (r *region) goesOn(rows []row, col content.Box) bool {
	for _, w := range rows {
		for _, i := range w.lines {
			ws := r.p.Lines[i].Words
			for k := range ws {
				if b := ws[k].Box; b.X0 > col.X0-1 && b.X0 < col.X1 && (k == 0 || b.X0-ws[k-1].Box.X1 > narrow*r.size) {
					return false
				}
			}
		}
	}
	return true
}

// narrow is the least gap between two columns of a region, in font sizes. It
// is wider than a word space.
const narrow = .45

// regionHead returns how many bands at the top are the header. They are the
// bold bands or, without any, those above the first line across the region
// or the first row.
func (f *figures) regionHead(bands [][]part) int {
	for i := 1; i < len(bands) && i <= maxHead; i++ {
		if ruleBetween(f.full, middleOf(bands[i-1]), middleOf(bands[i])) {
			if n := boldBands(bands[:i]); n > 0 {
				return n
			}
			if f.stripe(bands, i) {
				break
			}
			return i
		}
	}
	if n := boldBands(bands); n > 0 {
		return n
	}
	return min(len(bands)-1, f.firstRow(bands))
}

// firstRow returns how many bands at the top are the first row: those above
// the widest gap before the first line or, if the gaps are equal, those above
// the second text of the first column.
func (f *figures) firstRow(bands [][]part) int {
	n := 1
	for n < len(bands) && !ruleBetween(f.full, middleOf(bands[n-1]), middleOf(bands[n])) {
		n++
	}
	if n == len(bands) {
		groups := f.z.group(slices.Concat(bands...), f.full)
		return max(1, slices.IndexFunc(bands, func(b []part) bool { return top(b) > bottom(groups[0])-1 }))
	}
	at, wide := n, .45*f.size
	for i := 1; i < n; i++ {
		if gap := top(bands[i]) - bottom(bands[i-1]); gap > wide {
			at, wide = i, gap
		}
	}
	if at < n {
		return at
	}
	for i := 1; i < n; i++ {
		if first(bands[0]) == 0 && first(bands[i]) == 0 && len(bands[i]) > 1 && len(bands[0]) == len(f.cols) {
			return i
		}
	}
	return n
}

// stripe reports whether the line above band i is the upper edge of a fill
// below the first row, so that the bands above it are not all header.
func (f *figures) stripe(bands [][]part, i int) bool {
	return i > 1 && slices.ContainsFunc(f.p.Fills, func(l content.Fill) bool {
		return l.Box.Height() > f.size && l.Box.Y0 > middleOf(bands[i-1]) && l.Box.Y0 < middleOf(bands[i]) && l.Box.Y1 > middleOf(bands[i])
	})
}

// boldBands returns the number of bold bands at the top, if the band below
// them is not bold.
func boldBands(bands [][]part) int {
	for i, b := range bands[:min(len(bands), maxHead+1)] {
		for k := range b {
			for w := range b[k].words {
				if !b[k].words[w].Bold() {
					return i
				}
			}
		}
	}
	return 0
}

// boxed groups bands that no line separates.
func (f *figures) boxed(bands [][]part) [][]part {
	var out [][]part
	for i, b := range bands {
		if i == 0 || ruleBetween(f.full, middleOf(bands[i-1]), middleOf(b)) {
			out = append(out, slices.Clone(b))
		} else {
			out[len(out)-1] = append(out[len(out)-1], b...)
		}
	}
	return out
}

// interrupted reports whether the texts of the first column of a group of bands
// have a line without such a text between them. They are then not the lines of one
// text, but begin rows of their own.
func interrupted(g []part) bool {
	begun, gap := false, false
	for _, b := range overlapping(slices.Clone(g), nil) {
		switch {
		case first(b) > 0:
			gap = begun
		case gap:
			return true
		default:
			begun = true
		}
	}
	return false
}

// labelsMost reports whether most of several bands have a text in the first column
// and another one beside it. They are then rows rather than the lines of one row.
func labelsMost(bands [][]part) bool {
	n := 0
	for _, b := range bands {
		n += count(first(b) == 0 && columnsIn(b) > 1)
	}
	return n > 1 && n*2 > len(bands)
}

// loose reports whether no line separates bands and some of them are farther
// apart than the lines of a text.
func (f *figures) loose(bands [][]part) bool {
	wide := false
	for i := 1; i < len(bands); i++ {
		if ruleBetween(f.full, middleOf(bands[i-1]), middleOf(bands[i])) {
			return false
		}
		wide = wide || top(bands[i])-bottom(bands[i-1]) > .6*f.size
	}
	return wide
}

// take removes the lines of the region from the page.
func (r *region) take() {
	taken := make([]bool, len(r.p.Lines))
	for _, i := range r.idx {
		taken[i] = true
	}
	r.p.take(taken)
}

// region returns the rows of the zone as a region. It returns false if no
// line extends across them, if some text is right-to-left, or if there are too
// few or too many lines.
func (z *zone) region(p *Page) (*region, bool) {
	r := &region{p: p, box: z.box, size: z.size}
	hs, _ := p.edges()
	for _, h := range hs[sortSearch(hs, z.box.Y0):] {
		if h.at > z.box.Y1 {
			break
		}
		if h.lo < z.box.X0+snap && h.hi > z.box.X1-snap && h.lo > z.box.X0-3*z.size && h.hi < z.box.X1+.3*p.Width {
			r.box.X0, r.box.X1 = min(r.box.X0, h.lo), max(r.box.X1, h.hi)
		}
	}
	for _, w := range z.rows {
		for _, i := range w.lines {
			if p.Lines[i].RTL {
				return nil, false
			}
			r.idx = append(r.idx, i)
		}
	}
	if len(r.idx) < leastRegion || len(r.idx) > mostRegion {
		return nil, false
	}
	r.hints()
	return r, len(r.hs) > 0
}

// gap returns the usual distance between two texts that a line across the
// region separates.
func (r *region) gap() float64 {
	var gaps []float64
	rows := rowsIn(r.p, r.idx)
	for i := 1; i < len(rows); i++ {
		if a, b := &rows[i-1], &rows[i]; ruleBetween(r.hs, (a.y0+a.y1)/2, (b.y0+b.y1)/2) {
			gaps = append(gaps, b.y0-a.y1)
		}
	}
	return median(gaps)
}

// slots returns the cells of a row without spans: the space that each column
// has, which is more than its texts fill.
func (r *region) slots(rows []row, cols []content.Box) []content.Box {
	out := slices.Clone(cols)
	pad := max(1, min(cols[0].X0-r.box.X0, 2*r.size))
	for j := range len(cols) - 1 {
		end := (cols[j].X1 + cols[j+1].X0) / 2
		switch {
		case r.flush(rows, cols[j+1], func(b content.Box) float64 { return b.X0 - cols[j+1].X0 }):
			end = cols[j+1].X0 - pad
		case r.flush(rows, cols[j], func(b content.Box) float64 { return cols[j].X1 - b.X1 }):
			end = cols[j].X1 + pad
		}
		out[j].X1, out[j+1].X0 = end, end
	}
	out[0].X0, out[len(out)-1].X1 = r.box.X0, r.box.X1
	return out
}

// flush reports whether most texts of a column have nearly no distance from
// one of its sides. off returns the distance of a text.
func (r *region) flush(rows []row, col content.Box, off func(content.Box) float64) bool {
	n, at := 0, 0
	for _, w := range rows {
		for _, i := range w.lines {
			if b := r.p.Lines[i].Box; b.X0 >= col.X0-1 && b.X1 <= col.X1+1 {
				n++
				at += count(off(b) < .15*r.size)
			}
		}
	}
	return n > 0 && at*10 >= n*8
}
