// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"math"
	"slices"

	"example.com/curlew/parse/internal/pdf/content"
)

// A region of a page that may be a table is read in two ways: by the walls
// that are drawn around its cells, and by the columns of white space and the
// baselines inside it. Both readings are scored by how consistent they are,
// and the better one is kept (parse.md 5.4a).

// quality is how consistent a reading of a table is. All values are from 0
// to 1.
type quality struct {
	single  float64 // share of the texts that are in a cell with one value
	kinds   float64 // share of the cells of the body that are of the usual kind of their column
	filled  float64 // share of the cells that are not empty
	labels  float64 // share of the rows with a first cell
	plain   float64 // share of the cells of the body that span no others
	covered float64 // share of the words of the region that are in the reading
}

// score weighs the values of q.
func (q *quality) score() float64 {
	return (.45*q.single + .15*q.kinds + .1*q.filled + .15*q.labels + .15*q.plain) * q.covered
}

// judge measures a reading. words is the number of words in its region.
func (t *Table) judge(words int) quality {
	q := quality{covered: 1}
	texts, alone, cells, filled, labels, spans, own, have := 0, 0, 0, 0, 0, 0, 0, 0
	body := t.Rows[min(t.Header, len(t.Rows)):]
	for i := range t.Rows {
		for j := range t.Rows[i] {
			c := &t.Rows[i][j]
			if c.Covered {
				continue
			}
			n, one := c.values()
			texts, alone = texts+n, alone+one
			for k := range c.Lines {
				have += len(c.Lines[k].Words)
			}
			if i < t.Header {
				continue
			}
			cells++
			filled += count(n > 0)
			spans += count(c.ColSpan > 1 || c.RowSpan > 1)
		}
	}
	for i := range body {
		labels += count(body[i][0].Covered || len(body[i][0].Lines) > 0)
	}
	usual := 0
	for j := range t.Columns {
		n := [2]int{}
		for i := range body {
			if c := &body[i][j]; len(c.Lines) > 0 {
				n[count(isFigure(c.Text()))]++
			}
		}
		own, usual = own+n[0]+n[1], usual+max(n[0], n[1])
	}
	share := func(n, of int) float64 { return float64(n) / float64(max(1, of)) }
	q.single, q.kinds, q.filled = share(alone, texts), share(usual, own), share(filled, cells)
	q.labels, q.plain = share(labels, len(body)), 1-share(spans, cells)
	if words > 0 {
		q.covered = min(1, share(have, words))
	}
	return q
}

// values counts the texts of a cell: pieces of its lines that a gap
// separates. one is how many of them are values of their own: the cell has no
// other, or they are the lines of one text.
func (c *Cell) values() (n, one int) {
	figures, apart := 0, 0
	for k := range c.Lines {
		l := &c.Lines[k]
		pieces := 1
		for i := 1; i < len(l.Words); i++ {
			if gap := l.Words[i].X0 - l.Words[i-1].X1; gap > .75*l.Size && !isLeader(l.Words[i].Text) && !isLeader(l.Words[i-1].Text) {
				pieces++
			}
		}
		n += pieces
		apart += count(pieces > 1)
		figures += count(isNumeric(l.Text()))
	}
	if figures > 1 || apart > 0 {
		return n, 0
	}
	return n, n
}

// region is a part of a page that is read with the lines inside it.
type region struct {
	p    *Page
	box  content.Box
	idx  []int // its lines
	size float64
	hs   []float64 // lines and edges of fills across the whole region
	vs   []float64 // lines over its whole height
}

const (
	leastRegion = 2    // minimum number of lines
	mostRegion  = 6000 // maximum number of lines
)

// regionOf finds the text of a box. It returns false if some text is turned
// or crosses the border.
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
	z := newZone(r.p, rowsIn(r.p, r.idx))
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
	bands := overlapping(f.parts(), f.full)
	h := f.regionHead(bands)
	if h == len(bands) {
		return Table{}, false
	}
	if len(slices.Concat(bands[:h]...)) > maxHeadPieces {
		return Table{}, false
	}
	best, most := Table{}, -1.0
	for _, body := range [][][]part{f.boxed(bands[h:]), z.group(slices.Concat(bands[h:]...), f.full)} {
		t := Table{Box: r.box, seq: math.MaxInt, Columns: len(f.cols)}
		t.Rows = f.head(bands[:h], top(bands[h]))
		t.Header = len(t.Rows)
		for _, g := range body {
			t.Rows = append(t.Rows, cellsOf(f.section(g), len(f.cols)))
		}
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

// columns returns the columns of the region: between its vertical lines or,
// if it has none, between its columns of white space. Rows with one text
// across several columns do not count.
func (r *region) columns(rows []row) []content.Box {
	if len(r.vs) > 0 {
		var out []content.Box
		x := r.box.X0
		for _, v := range append(slices.Clone(r.vs), r.box.X1) {
			out = append(out, content.Box{X0: x + 1, X1: v - 1, Y0: r.box.Y0, Y1: r.box.Y1})
			x = v
		}
		return out
	}
	several := slices.DeleteFunc(slices.Clone(rows), func(w row) bool { return len(w.lines) < 2 })
	var cols []content.Box
	most, top := math.Inf(-1), 0.0
	for skip := 0; skip <= 2 && skip < len(several); skip++ { // a header may span columns
		more := r.columnsIn(several[skip:])
		if n := r.support(several[skip:], more); n > most && (skip == 0 || gapsOver(more, narrow*r.size)) {
			cols, most, top = more, n, several[skip].y0
		}
	}
	for skip := 1; skip <= 2 && skip < len(several); skip++ { // and may be wider than its columns
		if more := r.columnsIn(several[skip:]); len(more) == len(cols) && several[skip].y0 > top {
			cols, top = more, several[skip].y0
		}
	}
	within := slices.DeleteFunc(slices.Clone(rows), func(w row) bool {
		return w.y0 < top || slices.ContainsFunc(w.lines, func(i int) bool { return touched(cols, r.p.Lines[i].Box) > 1 })
	})
	if more := r.columnsIn(within); len(more) >= len(cols) {
		return more
	}
	return cols
}

// support measures how many columns the rows show: those with texts in
// several rows count fully, those with one text by half. A text in the first
// row alone may span other columns and counts against.
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
	}
	return sum
}

// columnsIn returns the columns of some rows of the region.
func (r *region) columnsIn(rows []row) []content.Box {
	return columnsApart(r.p, rows, r.size, narrow*r.size)
}

// narrow is the least gap between two columns of a region, in font sizes. It
// is wider than a word space.
const narrow = .45

// regionHead returns how many bands at the top are the header: those above
// the first line across the region, or those in bold.
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

// take removes the lines of the region from the page.
func (r *region) take() {
	taken := make([]bool, len(r.p.Lines))
	for _, i := range r.idx {
		taken[i] = true
	}
	r.p.take(taken)
}

// ahead is how much better than the drawn reading the aligned one must be.
const ahead = .08

// better returns the aligned reading if it is better than another one. ok
// tells whether that is a table at all. If both are read, the kept one notes
// both; for a page that keeps its words, that is always the case.
func (r *region) better(other *Table, ok bool) (Table, bool) {
	n := r.words()
	theirs := quality{}
	if ok {
		theirs = other.judge(n)
		if other.Ruled && !r.p.Places && theirs.single > .98 && theirs.score() > certain && !r.shaded() {
			return Table{}, false // another reading cannot win
		}
	}
	t, fine := r.aligned()
	if !fine {
		return t, false
	}
	mine := t.judge(n)
	readings := []Reading{{"columns", len(t.Rows), t.Columns, mine.score()}, {By: "walls"}}
	if !other.Ruled {
		readings[1].By = "text"
	}
	if ok {
		readings[1].Rows, readings[1].Columns, readings[1].Score = len(other.Rows), other.Columns, theirs.score()
	}
	if mine.score() < leastScore || !r.wins(&t, other, ok, &mine, &theirs) {
		slices.Reverse(readings)
		other.Readings = readings
		other.Conf = min(other.Conf, r.confidence(other.Conf, readings))
		return t, false
	}
	t.Ruled, t.Readings = true, readings
	t.Conf = r.confidence(mine.score(), readings)
	return t, true
}

// wins reports whether the aligned reading t, with the measures mine, is
// better than another one with the measures theirs.
func (r *region) wins(t, other *Table, ok bool, mine, theirs *quality) bool {
	if !ok {
		return !t.prose() && r.bounded(t)
	}
	least := theirs.score() + ahead
	switch {
	case mine.single > .98 && theirs.single < .98:
		least = theirs.score() + .01
	case !other.Ruled && len(r.hs) > 2 && (other.Columns == t.Columns || len(r.hs) > 3 && theirs.plain < mine.plain):
		least = theirs.score()
	}
	return mine.score() >= least && (!other.Ruled || mine.single >= theirs.single+.02 || r.shaded())
}

// confidence lowers a confidence if the readings differ and the score of the
// kept one, which is the first, is low or hardly better.
func (r *region) confidence(conf float64, readings []Reading) float64 {
	a, b := readings[0], readings[1]
	if b.Rows == 0 || a.Rows == b.Rows && a.Columns == b.Columns {
		return conf
	}
	if a.Score < leastScore || a.Score < certain && b.Score > a.Score-.02 {
		return min(conf, unsure)
	}
	return conf
}

// certain is the score above which a reading needs no confirmation.
const certain = .9

// unsure is the confidence of a table whose readings disagree.
const unsure = .45

// shaded reports whether the region has fills that may be stripes. Their edges
// are no walls, so cells between them that span others prove nothing.
func (r *region) shaded() bool {
	return slices.ContainsFunc(r.p.Fills, func(f content.Fill) bool {
		return f.Color != 0xffffff && f.Box.Height() > r.size && f.Box.Height() < .5*r.box.Height() && f.Box.Width() > 2*r.size &&
			f.Box.X0 > r.box.X0-snap && f.Box.X1 < r.box.X1+snap && f.Box.Y0 > r.box.Y0-snap && f.Box.Y1 < r.box.Y1+snap
	})
}

// leastScore is the score below which a reading is no table.
const leastScore = .75

// bounded reports whether lines across the region bound a reading, and at
// least one of them separates its rows. Lines above and below a paragraph do
// not make it a table.
func (r *region) bounded(t *Table) bool {
	if len(r.hs) < 3 || t.Columns < 2 {
		return false
	}
	top, bottom := math.Inf(1), math.Inf(-1)
	for _, i := range r.idx {
		l := &r.p.Lines[i]
		top, bottom = min(top, l.Y), max(bottom, l.Y-.6*l.Size)
	}
	return slices.ContainsFunc(r.hs, func(y float64) bool { return y > top && y < bottom })
}

// list reads a lattice of one column. It must have a border of its own
// around each of at least three short texts, or around two lines.
func (l *lattice) list(p *Page) (Table, bool) {
	t := Table{Box: l.box(), Columns: 1, Ruled: true, Conf: 1}
	if l.columns() < 1 || l.rows() < 2 || l.rows() > maxSlots {
		return t, false
	}
	r, ok := regionOf(p, l.box())
	if !ok {
		return t, false
	}
	rows := make([][]Word, l.rows())
	for _, i := range r.idx {
		at := slot(l.ys, p.Lines[i].Y-.3*p.Lines[i].Size)
		rows[at] = append(rows[at], p.Lines[i].Words...)
	}
	words, most, lines := 0, 0, 0
	for i, ws := range rows {
		if len(ws) == 0 {
			continue
		}
		c := Cell{ColSpan: 1, RowSpan: 1, Lines: cellLines(ws), Box: content.Box{X0: t.Box.X0, X1: t.Box.X1, Y0: l.ys[i], Y1: l.ys[i+1]}}
		words, most, lines = words+len(ws), max(most, len(ws)), lines+len(c.Lines)
		for k := range c.Lines {
			if n, one := (&Cell{Lines: c.Lines[k : k+1]}).values(); n > one {
				return t, false // several columns
			}
		}
		if k := c.headed(); k > 0 && len(t.Rows) == 0 {
			head := c
			head.Lines, c.Lines = c.Lines[:k:k], c.Lines[k:]
			t.Rows = append(t.Rows, []Cell{head})
		}
		t.Rows = append(t.Rows, []Cell{c})
	}
	n := len(t.Rows)
	if n < 2 || n == 2 && lines > 2 || words > 14*n || most > 40 {
		return t, false
	}
	t.sequence()
	t.headers()
	r.take()
	return t, true
}

// family is horizontal lines of the same ends, from top to bottom.
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

// without returns the parts of f between given tables, without the lines of
// the tables themselves. What two tables have between them is not one.
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

// linedTables finds tables between horizontal lines that only the aligned
// reading can read, and removes their words from the lines of the page. found
// are the tables of the page that have been read before.
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
		if !ok {
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
	box.Y0 -= f.beyond(p, cols, inner.size, box.Y0, -1)
	box.Y1 += f.beyond(p, cols, inner.size, box.Y1, 1)
	return regionOf(p, box)
}

// mostBeyond is the maximum number of lines of a row.
const mostBeyond = 60

// beyond returns how far rows with several pieces in the given columns
// extend above (-1) or below (1) y.
func (f *family) beyond(p *Page, cols []content.Box, size, y, way float64) float64 {
	used, columns := map[int]bool{}, map[int]bool{}
	end := way * y // distances are measured downwards if way is 1, and upwards if it is -1
	for range mostBeyond {
		next, found := f.next(p, way*y, end, way, used)
		if next < 0 || found-end > 1.6*size {
			break
		}
		l := &p.Lines[next]
		b := textBox(l)
		if math.Abs(l.Size-size) > .15*size || b.X0 < f.lo-2 || b.X1 > f.hi+2 || touched(cols, b) > 1 || l.captions() {
			break
		}
		used[next] = true
		if j := slices.IndexFunc(cols, func(c content.Box) bool { return b.X0 < c.X1 && b.X1 > c.X0 }); j >= 0 {
			columns[j] = true
		}
		_, far := along(b, way)
		end = max(end, far)
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

// next returns the line nearest to end among those beyond from that are not
// in used, and its distance. It returns -1 if there is none.
func (f *family) next(p *Page, from, end, way float64, used map[int]bool) (line int, distance float64) {
	line, distance = -1, math.Inf(1)
	for i := range p.Lines {
		l := &p.Lines[i]
		if l.Turn != 0 || used[i] || l.Box.X1 < f.lo || l.Box.X0 > f.hi {
			continue
		}
		near, far := along(textBox(l), way)
		if (near+far)/2 > from && near < distance && near > end-4*l.Size {
			line, distance = i, near
		}
	}
	return line, distance
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

// flush reports whether the texts of a column have no distance from one of
// its sides.
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

// headed returns how many lines at the top of a cell are a header without a
// line below it: bold ones, or those above a wide gap.
func (c *Cell) headed() int {
	for k := 1; k < len(c.Lines); k++ {
		a, b := &c.Lines[k-1], &c.Lines[k]
		if a.bold() && !b.bold() || textBox(b).Y0-textBox(a).Y1 > .6*a.Size {
			return k
		}
	}
	return 0
}
