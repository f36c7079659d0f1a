// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"math"
	"slices"
	"strings"

	"example.com/curlew/internal/sorting"
	"example.com/curlew/parse/internal/pdf/content"
)

// row has the lines of a page that share a baseline.
type row struct {
	lines   []int // indexes into Page.Lines, from left to right
	y0      float64
	y1      float64
	size    float64
	centred bool // its lines are on several baselines, around a common middle
}

// unruledTables finds tables without ruling lines. They are runs of rows
// that leave vertical strips of white space free. It removes their words
// from the page's lines.
func unruledTables(p *Page) []Table {
	var out []Table
	taken := make([]bool, len(p.Lines))
	for _, side := range sides(p) {
		for _, z := range zones(p, side) {
			if z.signed(p) {
				continue
			}
			t, ok := z.table(p)
			if r, in := z.region(p); in {
				if other, better := r.better(&t, ok); better {
					other.Ruled = false
					t, ok = other, true
				}
			}
			if !ok {
				continue
			}
			out = append(out, t)
			for _, r := range z.rows {
				for _, i := range r.lines {
					taken[i] = true
				}
			}
		}
	}
	if len(out) == 0 {
		return nil
	}
	p.take(taken)
	return out
}

// signed reports whether the first row has only lines to write on, with names below them.
func (z *zone) signed(p *Page) bool {
	return !slices.ContainsFunc(z.rows[0].lines, func(i int) bool { return strings.Trim(p.Lines[i].Text(), "_ ") != "" })
}

// sides returns the upright lines of a page grouped by columns of running
// text. A table is within one group.
func sides(p *Page) [][]int {
	room := elementSpace.get(len(p.Lines))
	defer elementSpace.put(room)
	es := room[:0]
	for i := range p.Lines {
		l := &p.Lines[i]
		if l.Turn == 0 {
			es = append(es, element{box: textBox(l), line: i, whole: -1})
		}
	}
	at, ok := gutter(es)
	var wide []bool
	if !ok {
		wide, at, ok = masked(es)
	}
	all := make([]int, 0, len(es))
	for _, e := range es {
		all = append(all, e.line)
	}
	if centredAcross(p, all, at) {
		return [][]int{all}
	}
	var left, right []int
	leftWords, rightWords, nl, nr := 0, 0, 0, 0
	for k, e := range es {
		if !ok || wide != nil && wide[k] {
			continue
		}
		words := len(p.Lines[e.line].Words)
		if e.box.X0+e.box.X1 < 2*at {
			left = append(left, e.line)
			leftWords += words
			nl++
		} else {
			right = append(right, e.line)
			rightWords += words
			nr++
		}
	}
	// Columns of a table have short lines; columns of running text have long
	// ones.
	if !ok || nl < 5 || nr < 5 || leftWords < 4*nl || rightWords < 4*nr {
		if a, ok := besideEachOther(p, all); ok {
			return [][]int{a.left, a.right, a.rest}
		}
		return [][]int{all}
	}
	return [][]int{left, right}
}

// zone is a run of rows that may be a table.
type zone struct {
	rows  []row
	size  float64
	box   content.Box
	doubt bool // the texts do not show for certain where rows end
}

// rowsIn groups lines by baseline, from top to bottom.
func rowsIn(p *Page, idx []int) []row {
	idx = slices.Clone(idx)
	sorting.Stable(idx, func(a, b int) int { return compare(p.Lines[a].Y, p.Lines[b].Y) })
	out := make([]row, 0, len(idx))
	for k, i := range idx {
		l := &p.Lines[i]
		b := textBox(l)
		if n := len(out); n > 0 && l.Y-p.Lines[out[n-1].lines[0]].Y < .35*l.Size {
			r := &out[n-1]
			r.lines = idx[k-len(r.lines) : k+1 : k+1] // the lines of a row follow each other
			r.y0, r.y1, r.size = min(r.y0, b.Y0), max(r.y1, b.Y1), max(r.size, l.Size)
			continue
		}
		out = append(out, row{lines: idx[k : k+1 : k+1], y0: b.Y0, y1: b.Y1, size: l.Size})
	}
	for _, r := range out {
		sorting.Stable(r.lines, func(a, b int) int { return compare(p.Lines[a].Box.X0, p.Lines[b].Box.X0) })
	}
	return out
}

// zones finds runs of rows with two or more segments. A short row with one
// segment belongs to a run if it is between such rows or next to one.
func zones(p *Page, idx []int) []zone {
	rows := tableRows(p, idx)
	hs, _ := p.edges()
	var out []zone
	for i := 0; i < len(rows); {
		if len(rows[i].lines) < 2 {
			i++
			continue
		}
		j, last := i+1, i
		for j < len(rows) {
			gap := rows[j].y0 - rows[j-1].y1
			if gap > 3*rows[j-1].size || math.Abs(rows[j].size-rows[last].size) > .35*rows[last].size || opensTable(p, rows, last, j) {
				break
			}
			if len(rows[j].lines) >= 2 {
				last = j
			} else if before := rows[max(i, last+1-maxPeers) : last+1]; j-last > 14 || (j-last > 3 || gap > 1.5*rows[j].size && gap > 2*usualGap(before)) && !fits(p, before, &rows[j]) ||
				full(p, before, &rows[j]) {
				break
			}
			j++
		}
		end := last + 1
		for end < j && fits(p, rows[max(i, last+1-maxPeers):last+1], &rows[end]) { // wrapped lines below the last row
			end++
		}
		end = toRule(p, rows, i, end, hs)
		least := 0 // the first row below the previous zone
		if len(out) > 0 {
			before := out[len(out)-1].rows
			least, _ = slices.BinarySearchFunc(rows, before[len(before)-1].y1, func(r row, y float64) int { return compare(r.y0, y) })
		}
		begin := headOf(p, rows, least, i, last, hs)
		if begin >= least {
			begin = max(least, fromRule(p, rows, begin, end, hs))
		}
		out = append(out, newZone(p, rows[begin:end]))
		i = max(end, i+1)
	}
	return out
}

// spans reports whether rows[k] is a header that spans the columns of peers
// except the first. Below it must be a row of words and years, which are the
// column headers.
func spans(p *Page, peers, rows []row, k int) bool {
	r := &rows[k]
	if len(r.lines) != 1 || len(p.Lines[r.lines[0]].Words) > 10 || !heads(p, &rows[k+1]) {
		return false
	}
	z := newZone(p, peers)
	cols := columnsOf(p, peers, z.size)
	b := textBox(&p.Lines[r.lines[0]])
	return len(cols) > 2 && math.Abs(r.size-z.size) < .15*z.size && b.X0 > cols[0].X1 && b.X1 < z.box.X1+z.size
}

// fromRule extends rows[begin:end] up to the first horizontal line that has
// the same width as the run. Rows below that line belong to the table.
func fromRule(p *Page, rows []row, begin, end int, hs []edge) int {
	z := newZone(p, rows[begin:end])
	at, n := math.Inf(-1), 0 // the lowest line above the run
	var of edge
	for _, h := range hs {
		if h.at > z.box.Y1+2*z.size || h.lo > z.box.X0+z.size || h.hi < z.box.X1-z.size {
			continue
		}
		switch {
		case h.at < z.box.Y0-.5*z.size && h.at > z.box.Y0-8*z.size:
			at, of = max(at, h.at), h
		case h.at > z.box.Y0:
			n++
		}
	}
	if n == 0 || math.IsInf(at, -1) {
		return begin
	}
	k := begin
	for k > 0 && rows[k-1].y0 > at-2 {
		k--
		l := &p.Lines[rows[k].lines[0]]
		if len(rows[k].lines) > 1 || isCaption(p, &rows[k]) || begin-k > maxHead || l.Box.X0 < of.lo-2 || l.Box.X1 > of.hi+2 || math.Abs(rows[k].size-z.size) > .15*z.size {
			return begin
		}
	}
	return k
}

// headOf returns the index of the first header row above the run of rows
// from i to last. It is at least least.
func headOf(p *Page, rows []row, least, i, last int, hs []edge) int {
	begin := i
	peers := rows[i:min(last+1, i+maxPeers)]
	usual := usualGap(peers)
	for begin > least && begin > i-maxHead {
		r := &rows[begin-1]
		if isCaption(p, r) || !near(rows, begin, i, usual, hs) ||
			!fits(p, peers, r) && !hangs(p, peers, r) && !parted(p, peers, r) && !spans(p, peers, rows, begin-1) {
			break
		}
		begin--
	}
	return begin
}

// isCaption reports whether a row is the first line of a caption.
func isCaption(p *Page, r *row) bool {
	return len(r.lines) == 1 && p.Lines[r.lines[0]].captions()
}

// captions reports whether a line begins like a caption.
//
//go:noinline
func (l *Line) captions() bool {
	return len(l.Words) > 1 && captioned(l.Words[0].Text+" "+l.Words[1].Text)
}

// opensTable reports whether another table begins at rows[j]: with a
// caption, or with a header below a line of text. last is the last row with
// several pieces of the table before it.
func opensTable(p *Page, rows []row, last, j int) bool {
	if len(rows[j].lines) < 2 {
		return isCaption(p, &rows[j])
	}
	return j > last+1 && !rows[j].centred && heads(p, &rows[j]) && !heads(p, &rows[last]) && j+1 < len(rows) && !goOn(p, rows, last, j)
}

// goOn reports whether the rows below last, up to row j, belong to its table: they follow each
// other like the lines of a text, and those before j are further lines of cells or labels,
// because they begin where a text of rows[last] does. Two columns are no evidence, because the
// entries of an index look like that.
func goOn(p *Page, rows []row, last, j int) bool {
	if centredAround(rows, last, j) {
		return true
	}
	if max(len(rows[last].lines), len(rows[j].lines)) < 3 {
		return false
	}
	for k := last + 1; k <= j; k++ {
		x := p.Lines[rows[k].lines[0]].Box.X0
		if rows[k].y0-rows[k-1].y1 > .5*rows[k].size || !slices.ContainsFunc(rows[last].lines, func(i int) bool {
			return math.Abs(p.Lines[i].Box.X0-x) < .2*rows[k].size
		}) {
			return false
		}
	}
	return true
}

// centredAround reports whether texts of the rows up to last stand around a common middle, and
// the rows up to j follow each other like the lines of texts, with at most one wider gap. They
// are then further lines of texts of row last or j.
func centredAround(rows []row, last, j int) bool {
	gaps := 0
	for k := last + 1; k <= j; k++ {
		gaps += count(rows[k].y0-rows[k-1].y1 > .5*rows[k].size)
	}
	return gaps < 2 && slices.ContainsFunc(rows[max(0, last-mostStanding):last+1], func(r row) bool { return r.centred })
}

// heads reports whether a row has at least two pieces and all of them are
// words or years.
func heads(p *Page, r *row) bool {
	for _, i := range r.lines {
		if s := p.Lines[i].Text(); isFigure(s) && !isYear(s) {
			return false
		}
	}
	return len(r.lines) > 1
}

// usualGap returns the median gap between consecutive rows. It is infinite
// if there are fewer than four rows.
func usualGap(rows []row) float64 {
	if len(rows) < 4 {
		return math.Inf(1)
	}
	gaps := make([]float64, 0, len(rows))
	for i := 1; i < len(rows); i++ {
		gaps = append(gaps, rows[i].y0-rows[i-1].y1)
	}
	return max(0, median(gaps))
}

// near reports whether the row above rows[begin] is as close as a header is
// to its table. The rows of the table begin at i and have the given usual
// gap.
func near(rows []row, begin, i int, usual float64, hs []edge) bool {
	gap, size := rows[begin].y0-rows[begin-1].y1, rows[i].size
	switch {
	case gap <= .8*size:
		return true
	case gap > 1.2*size:
		return false
	case begin < i:
		return i-begin == 1
	}
	return gap <= 3*usual || crossedBy(hs, &rows[begin-1], &rows[begin])
}

// crossedBy reports whether a horizontal line separates two rows.
func crossedBy(hs []edge, above, below *row) bool {
	return slices.ContainsFunc(hs, func(h edge) bool {
		return h.at > (above.y0+above.y1)/2 && h.at < (below.y0+below.y1)/2
	})
}

// maxPeers is the number of rows that a line is compared with to decide
// whether it belongs to them.
const maxPeers = 60

// maxHead is the maximum number of header lines above the first row with
// several pieces.
const maxHead = 4

// hangs reports whether a row is a short text that begins in the last column
// of rows and is wider than that column, as a header above numbers may be.
func hangs(p *Page, rows []row, r *row) bool {
	if len(r.lines) != 1 || len(p.Lines[r.lines[0]].Words) > 5 {
		return false
	}
	z := newZone(p, rows)
	cols := columnsOf(p, rows, z.size)
	if len(cols) < 2 || math.Abs(r.size-z.size) > .15*z.size {
		return false
	}
	b, last := p.Lines[r.lines[0]].Box, cols[len(cols)-1]
	return b.X0 > last.X0-z.size && b.X0 > cols[len(cols)-2].X1 && b.X1 < last.X1+8*z.size
}

// parted reports whether the words of a row of one segment stand in several
// columns of rows, with a gap wider than a space at the column borders.
func parted(p *Page, rows []row, r *row) bool {
	if len(r.lines) != 1 {
		return false
	}
	z := newZone(p, rows)
	if math.Abs(r.size-z.size) > .15*z.size {
		return false
	}
	cols := columnsOf(p, rows, z.size)
	pieces := splitLine(&p.Lines[r.lines[0]], cols)
	for _, q := range pieces {
		if q.c0 != q.c1 || q.words[0].Box.X0 < cols[q.c0].X0-z.size {
			return false
		}
	}
	return len(pieces) > 1
}

// toRule extends rows[i:end] down to the last horizontal line of the run.
// Rows above that line belong to the table.
func toRule(p *Page, rows []row, i, end int, hs []edge) int {
	z := newZone(p, rows[i:end])
	var of []edge // lines across the run, all of the same length
	for _, h := range hs {
		if h.at > z.box.Y0-2*z.size && h.lo < z.box.X0+z.size && h.hi > z.box.X1-z.size {
			if n := len(of); n > 0 && (math.Abs(of[0].lo-h.lo) > 2*snap || math.Abs(of[0].hi-h.hi) > 2*snap) {
				continue
			}
			of = append(of, h)
		}
	}
	if len(of) < 3 {
		return end
	}
	for end < len(rows) && rows[end].y0-rows[end-1].y1 < 2*z.size {
		below := slices.ContainsFunc(of, func(h edge) bool { return h.at >= rows[end].y1-2 && h.at-rows[end].y1 < 8*z.size })
		b := p.Lines[rows[end].lines[0]].Box
		if !below || isCaption(p, &rows[end]) || b.X0 < of[0].lo-2 || p.Lines[rows[end].lines[len(rows[end].lines)-1]].Box.X1 > of[0].hi+2 {
			break
		}
		end++
	}
	return end
}

//go:noinline
func newZone(p *Page, rows []row) zone {
	z := zone{rows: rows}
	z.box = content.Box{X0: math.Inf(1), Y0: math.Inf(1), X1: math.Inf(-1), Y1: math.Inf(-1)}
	for _, r := range rows {
		z.size = max(z.size, r.size)
		for _, i := range r.lines {
			z.box = z.box.Union(textBox(&p.Lines[i]))
		}
	}
	return z
}

// full reports whether a row of one segment covers most of the width of rows
// and more than one of their columns. It is then text between two tables.
func full(p *Page, rows []row, r *row) bool {
	z := newZone(p, rows)
	b := p.Lines[r.lines[0]].Box
	return b.Width() > .6*z.box.Width() && len(p.Lines[r.lines[0]].Words) > 3 && touched(columnsOf(p, rows, z.size), b) != 1
}

// touched counts the columns that a box overlaps.
func touched(cols []content.Box, b content.Box) int {
	n := 0
	for _, c := range cols {
		if b.X0 < c.X1 && b.X1 > c.X0 {
			n++
		}
	}
	return n
}

// fits reports whether a row lies within one column of rows and so crosses
// none of the white strips between them.
func fits(p *Page, rows []row, r *row) bool {
	if len(r.lines) != 1 {
		return false
	}
	b := p.Lines[r.lines[0]].Box
	z := newZone(p, rows)
	if b.X0 < z.box.X0-2 || b.X1 > z.box.X1+2 || math.Abs(r.size-z.size) > .15*z.size {
		return false
	}
	return touched(columnsOf(p, rows, z.size), b) == 1 && len(p.Lines[r.lines[0]].Words) < 12
}

// table makes a table of a zone. It returns false if the evidence is against
// a table.
func (z *zone) table(p *Page) (Table, bool) {
	t := Table{Box: z.box, seq: math.MaxInt}
	if len(z.rows) < 2 {
		return t, false
	}
	if z.downwards(p) {
		return t, false
	}
	if t, ok := z.figures(p); ok {
		return t, true
	}
	cols := z.columns(p)
	if len(cols) < 2 || len(cols) > 60 {
		return t, false
	}
	rules := z.rules(p)
	if len(rules) == 0 && (len(z.rows) < 3 || z.justified(p)) {
		return t, false
	}
	t.Columns = len(cols)
	z.fill(&t, p, cols, rules)
	t.sections(p, z.size)
	if !z.accept(&t, p, rules) {
		return t, false
	}
	t.unruledHeader(rules)
	t.wholeHeader()
	return t, true
}

// rules returns the heights of horizontal lines that cover most of the width
// of the zone.
func (z *zone) rules(p *Page) []float64 {
	hs, _ := p.edges()
	var out []float64
	for _, h := range hs {
		if h.at > z.box.Y0-2*z.size && h.at < z.box.Y1+2*z.size && min(h.hi, z.box.X1)-max(h.lo, z.box.X0) > .6*z.box.Width() {
			out = append(out, h.at)
		}
	}
	slices.Sort(out)
	return out
}

// part is a piece of a line that stands in columns c0 to c1.
type part struct {
	words  []Word
	c0, c1 int
	y0, y1 float64
}

func (q *part) middle() float64 { return (q.y0 + q.y1) / 2 }

// fill splits the lines of the zone at the columns and groups the pieces
// into rows.
func (z *zone) fill(t *Table, p *Page, cols []content.Box, rules []float64) {
	var parts []part
	for _, r := range z.rows {
		for _, i := range r.lines {
			l := &p.Lines[i]
			for _, q := range splitLine(l, cols) {
				for _, w := range q.words {
					t.seq = min(t.seq, w.Seq)
				}
				parts = append(parts, q)
			}
		}
	}
	t.Rows, parts = z.head(p, parts, cols, rules)
	t.Header = len(t.Rows)
	body, foot := z.foot(parts, len(cols))
	if rows := z.centred(body, len(cols)); rows != nil {
		t.Rows = append(append(t.Rows, rows...), foot...)
		return
	}
	for _, group := range z.group(parts, rules) {
		cells := emptyRow(len(cols))
		sorting.Stable(group, func(a, b part) int { return compare(a.y0, b.y0) })
		for _, q := range group {
			c := &cells[q.c0]
			c.ColSpan = max(c.ColSpan, q.c1-q.c0+1)
			c.Lines = cellLines(c.Lines, q.words)
		}
		cover(cells)
		t.Rows = append(t.Rows, cells)
	}
}
