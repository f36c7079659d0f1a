// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"math"
	"slices"

	"example.com/curlew/internal/sorting"
	"example.com/curlew/parse/internal/pdf/content"
)

// family is a set of horizontal lines with the same ends, from top to bottom.
type family struct {
	lo, hi float64
	ys     []float64
	header bool // all lines belong to a header: a single line below it, or the edges of its shade
	close  bool // the white space between the columns is no wider than between words
}

// exceeds reports whether the box b of a grid is only part of the region of f: it has the
// width of its lines, and more of them are outside of b than the grid has itself.
func (f *family) exceeds(b content.Box, g *grid) bool {
	near := func(lo, hi float64) bool { return math.Abs(f.lo-lo) < 2*snap && math.Abs(f.hi-hi) < 2*snap }
	if !near(b.X0, b.X1) {
		return false
	}
	own, out := 0, 0
	for _, h := range g.hs {
		own += count(near(h.lo, h.hi))
	}
	for _, y := range f.ys {
		out += count(y < b.Y0-snap || y > b.Y1+snap)
	}
	return out > 2 && out > own
}

// families groups the horizontal lines of a page by their ends.
func families(p *Page) []family {
	hs, _ := p.edges()
	return familiesOf(hs, p.Height)
}

// familiesOf groups horizontal lines by their ends. Lines that are far apart on a page of
// the given height belong to different families.
func familiesOf(hs []edge, height float64) []family {
	var out []family
next:
	for _, h := range hs {
		if h.hi-h.lo < 60 {
			continue
		}
		for i := range slices.Backward(out) {
			f := &out[i]
			if math.Abs(f.lo-h.lo) < 2*snap && math.Abs(f.hi-h.hi) < 2*snap && h.at-f.ys[len(f.ys)-1] < .3*height {
				f.ys = append(f.ys, h.at)
				continue next
			}
		}
		if len(out) == mostFamilies {
			return nil
		}
		out = append(out, family{lo: h.lo, hi: h.hi, ys: []float64{h.at}})
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
		f.header = len(f.ys) == 1 || f.shade(p)
		t, ok := f.table(p)
		if !ok {
			t, ok = f.tableOfStrips(p)
		}
		if ok {
			t.Ruled = false
			out = append(out, t)
		}
	}
	return out
}

// box returns the box between the first and the last line of f.
func (f *family) box() content.Box {
	return content.Box{X0: f.lo, X1: f.hi, Y0: f.ys[0], Y1: f.ys[len(f.ys)-1]}
}

// table reads the region of f and removes its words from the lines of the page.
func (f *family) table(p *Page) (Table, bool) {
	r, ok := f.region(p, f.box())
	if !ok || f.header || r.captioned() {
		return Table{}, false
	}
	return f.best(p, r)
}

// best returns the better reading of a region, and removes its words from the lines of the
// page. The one without lines must be striking, because otherwise it will be looked for
// without the borders of the region.
func (f *family) best(p *Page, r *region) (Table, bool) {
	z := newZone(p, rowsIn(p, r.idx))
	plain, fine := z.table(p)
	t, ok := r.better(&plain, fine)
	if !ok && fine && (f.header && plain.named() || !f.header && r.box == f.box() && plain.striking(r.words())) {
		t, ok = plain, true
	}
	if ok {
		r.take()
	}
	return t, ok
}

// tableOfStrips is like table, but the lines of the region are first split at the strips of
// white space that all of them have. Few rows are no evidence for the pass that splits
// lines, unless lines bound them.
func (f *family) tableOfStrips(p *Page) (Table, bool) {
	box, ok := f.box(), true
	if f.header {
		box, ok = f.around(p)
	}
	if !ok {
		return Table{}, false
	}
	q, ok := f.striped(p, box)
	if !ok {
		return Table{}, false
	}
	apart := len(q.Lines) == len(p.Lines)
	r, ok := f.region(q, box)
	if f.header {
		r, ok = regionOf(q, box)
	}
	if !ok || r.captioned() || r.written() {
		return Table{}, false
	}
	rows, framed := len(f.ys) > 2 && !f.close && f.filled(r), r.framed() || f.overhangs(r)
	t, ok := f.best(q, r)
	if ok && !rows && !t.boldHeader() && (!apart && !framed || !t.named()) {
		return Table{}, false // such as a fraction, a proof or the fields of a form
	}
	if ok {
		p.Lines = q.Lines
	}
	return t, ok
}

// overhangs reports whether the only line of f is longer than the text above and below it, by
// the same length at both ends. So is the line of a table, because its cells have a margin. The
// line of a fraction is only as long as its longer part.
func (f *family) overhangs(r *region) bool {
	z := newZone(r.p, rowsIn(r.p, r.idx))
	left, right := z.box.X0-f.lo, f.hi-z.box.X1
	return len(f.ys) == 1 && left > .25*r.size && math.Abs(left-right) < .5
}

// striking reports whether a reading of a few rows between lines is consistent and has a bold
// header. words is the number of words between the lines.
func (t *Table) striking(words int) bool {
	q := t.judge(words)
	return q.single > .98 && q.score() > certain && t.boldHeader()
}

// filled reports whether there is text between all lines of f, unlike between the fields of
// a form.
func (f *family) filled(r *region) bool {
	for k := 1; k < len(f.ys); k++ {
		if f.ys[k]-f.ys[k-1] > r.size && !slices.ContainsFunc(r.idx, func(i int) bool {
			y := r.p.Lines[i].Y - .3*r.p.Lines[i].Size
			return y > f.ys[k-1] && y < f.ys[k]
		}) {
			return false
		}
	}
	return true
}

// written reports whether the region has code or formulas, whose spaces do not show columns.
func (r *region) written() bool {
	return slices.ContainsFunc(r.idx, func(i int) bool {
		l := &r.p.Lines[i]
		return l.fixed() || slices.ContainsFunc(l.Words, func(w Word) bool { return w.face()&formula != 0 })
	})
}

// shade reports whether the only two lines of f are the edges of a fill behind text, such as
// the shade of a header.
func (f *family) shade(p *Page) bool {
	b := f.box()
	return len(f.ys) == 2 && slices.ContainsFunc(p.Fills, func(l content.Fill) bool {
		return l.Color != 0xffffff && math.Abs(l.Box.Y0-b.Y0) < snap && math.Abs(l.Box.Y1-b.Y1) < snap && l.Box.X0 > b.X0-snap && l.Box.X1 < b.X1+snap
	})
}

// around returns the box of the lines of text next to the only line of f, between its ends, or
// of those in a shade and below it. It returns false if there are many, because f is then the
// line of a larger table, or if others stand beside them.
func (f *family) around(p *Page) (content.Box, bool) {
	box := f.box()
	down, ok := f.next(p, box.Y1, 1)
	box.Y1 = down + 1
	if len(f.ys) == 1 && ok {
		var up float64
		up, ok = f.next(p, box.Y0, -1)
		box.Y0 = -up - 1
	}
	return box, ok && !p.flanked(box)
}

// next returns the end of the lines of text below y, if way is 1, or above it, if way is -1,
// between the ends of f. It returns false if there are many.
func (f *family) next(p *Page, y, way float64) (end float64, ok bool) {
	far := 1.2 // how far the texts are from each other, in font sizes
	if way > 0 {
		far = 1.6
	}
	end = way * y
	before, size, rows := end, 0.0, 0 // rows counts the baselines
	side := f.side(p, end, way)
	for k, i := range side {
		l := &p.Lines[i]
		b := textBox(l)
		near, last := along(b, way)
		if size == 0 {
			size = l.Size
		}
		if way < 0 && near < end+leastApart*size && f.underlined(p, b) {
			near = end // a header of several columns, with a line below it
		}
		if near > end+far*size || math.Abs(l.Size-size) > .15*size || l.captions() {
			return end, way < 0 || near > end+leastApart*size || !p.goesOn(i, side[:k], size)
		}
		if b.X0 < f.lo-2 || b.X1 > f.hi+2 {
			if way < 0 && rows > 1 {
				end = before // the last line of the paragraph above
			}
			break
		}
		if last > end {
			rows++
			before, end = end, last
		}
		if rows > mostStriped {
			return end, false
		}
	}
	return end, true
}

// goesOn reports whether line first is in a row of several texts of the given size which begin
// where texts above them do, like another row of the table. above are the lines before it.
func (p *Page) goesOn(first int, above []int, size float64) bool {
	l := &p.Lines[first]
	texts := 0
	for i := range p.Lines {
		o := &p.Lines[i]
		if o.Turn != 0 || math.Abs(o.Y-l.Y) > .2*size || math.Abs(o.Size-size) > .15*size {
			continue
		}
		if !slices.ContainsFunc(above, func(k int) bool { return math.Abs(p.Lines[k].Box.X0-o.Box.X0) < .2*size }) {
			return false
		}
		texts++
	}
	return texts > 1
}

// leastApart is the distance, in font sizes, from which on a row below others is not part of
// their table.
const leastApart = 4

// stripGap is the least width, in font sizes, of a strip of white space that splits the
// rows between lines. Spaces between words and sentences are narrower.
const stripGap = .6

// mostStriped is the number of rows from which on the white space between columns shows
// without lines.
const mostStriped = 12

// striped returns a copy of the page whose lines in a box are split at the strips of white
// space that all of them have. It returns false if there are none, or if the lines are split
// already and f has more than a header.
func (f *family) striped(p *Page, box content.Box) (*Page, bool) {
	r, ok := regionOf(p, box)
	if !ok {
		return nil, false
	}
	most := mostStriped
	if len(f.ys) > 4 { // there are lines between rows, which may have several baselines
		most = mostRegion
	}
	rows := rowsIn(p, r.idx)
	if len(rows) < 2 || len(rows) > most || slices.ContainsFunc(rows, func(w row) bool { return math.Abs(w.size-r.size) > .15*r.size }) {
		return nil, false
	}
	cols := columnsApart(p, rows, r.size, stripGap*r.size-1)                           // gaps are measured in whole points
	if framed := r.framed(); len(cols) < 2 && (f.header || framed || len(f.ys) == 3) { // three lines are above, below and under a header
		f.close = !f.header && !framed
		cols = columnsApart(p, rows, r.size, narrow*r.size-1)
		if len(cols) > 1 && (framed && !f.header || !r.separate(cols[1])) && (!framed || !r.flushAt(rows, cols)) {
			return nil, false // the strip may be spaces
		}
	}
	if len(cols) < 2 {
		return nil, false
	}
	inside := make(map[int]bool, len(r.idx))
	for _, i := range r.idx {
		inside[i] = true
	}
	q := *p
	q.Lines = make([]Line, 0, len(p.Lines)+len(r.idx))
	for i := range p.Lines {
		if !inside[i] {
			q.Lines = append(q.Lines, p.Lines[i])
			continue
		}
		for _, piece := range splitLine(&p.Lines[i], cols) {
			q.Lines = append(q.Lines, newLine(piece.words, 0))
		}
	}
	return &q, f.header || len(q.Lines) > len(p.Lines)
}

// separate reports whether a line of the region stands in a column by itself, at one of its
// edges. The white space before the column is then no space between words.
func (r *region) separate(col content.Box) bool {
	end := math.Inf(-1) // where its texts end
	for _, i := range r.idx {
		if x := r.p.Lines[i].Box.X1; x < col.X1+1 {
			end = max(end, x)
		}
	}
	return slices.ContainsFunc(r.idx, func(i int) bool {
		b := &r.p.Lines[i].Box
		return b.X0 > col.X0-.1*r.size && min(b.X0-col.X0, math.Abs(end-b.X1)) < .1*r.size
	})
}

// framed reports whether the region has a frame.
func (r *region) framed() bool {
	z := newZone(r.p, rowsIn(r.p, r.idx))
	return len(r.hs) > 1 && z.enclosed(r.p)
}

// flushAt reports whether the rows have short texts of different lengths in the first of two
// columns, and texts that begin or end at exactly the same place in the second one. The items
// of a list have markers instead of the former.
func (r *region) flushAt(rows []row, cols []content.Box) bool {
	if len(cols) != 2 {
		return false
	}
	var labels, starts, ends []float64
	for _, w := range rows {
		pieces := splitLine(&r.p.Lines[w.lines[0]], cols)
		if len(w.lines) != 1 || len(pieces) != 2 || pieces[0].c1 > 0 || len(pieces[0].words) > mostLabel || isLabel(pieces[0].text()) {
			return false
		}
		labels = append(labels, pieces[0].x1())
		starts, ends = append(starts, pieces[1].words[0].X0), append(ends, pieces[1].x1())
	}
	spread := func(v []float64) float64 { return slices.Max(v) - slices.Min(v) }
	return spread(labels) > .2*r.size && min(spread(starts), spread(ends)) < .05*r.size
}

// mostLabel is the number of words of a label in a frame.
const mostLabel = 4

// flanked reports whether short texts stand beside a box, at the height of the text in it. The
// lines of the next column of running text are longer.
func (p *Page) flanked(box content.Box) bool {
	lines, words := 0, 0
	for i := range p.Lines {
		l := &p.Lines[i]
		if y := l.Y - .3*l.Size; l.Turn == 0 && y > box.Y0 && y < box.Y1 && (l.Box.X1 < box.X0 || l.Box.X0 > box.X1) {
			lines++
			words += len(l.Words)
		}
	}
	return words < 6*lines
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
	before := end
	var prev *Line
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
		if math.Abs(l.Size-size) > .15*size || b.X0 < f.lo-2 || b.X1 > f.hi+2 || l.captions() {
			break
		}
		if touched(cols, b) > 1 && !l.splits(cols) && (way > 0 || !f.underlined(p, b)) {
			if way < 0 && prev != nil && prev.Size == l.Size && math.Abs(prev.Box.X0-l.Box.X0) < 1 && near-end < .6*size {
				end = before // the last line of a paragraph
			}
			break
		}
		if last > end+.5*size {
			before = end
		}
		prev = l
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

// underlined reports whether a line shorter than those of f stands directly below a text. The
// text is then the header of the columns below that line.
func (f *family) underlined(p *Page, b content.Box) bool {
	hs, _ := p.edges()
	mid := (b.X0 + b.X1) / 2
	for _, h := range hs[sortSearch(hs, (b.Y0+b.Y1)/2):] {
		if h.at > b.Y1+b.Height() {
			return false
		}
		if h.lo > f.lo-snap && h.hi < f.hi+snap && h.lo < mid && h.hi > mid && h.hi-h.lo < f.hi-f.lo-2*snap {
			return true
		}
	}
	return false
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
	sorting.Stable(places, func(a, b place) int { return compare(a.near, b.near) })
	out := make([]int, len(places))
	for k := range places {
		out[k] = places[k].line
	}
	return out
}
