// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"cmp"
	"math"
	"slices"

	"example.com/curlew/internal/pdf/content"
)

// row is the lines of a page that stand on one baseline.
type row struct {
	lines []int // indices into Page.Lines, from left to right
	y0    float64
	y1    float64
	size  float64
}

// unruledTables finds tables that no lines enclose: runs of rows that keep
// columns of white space free. It takes their words from the page's lines.
func unruledTables(p *Page) []Table {
	var out []Table
	for _, side := range sides(p) {
		for _, z := range zones(p, side) {
			if t, ok := z.table(p); ok {
				out = append(out, t)
			}
		}
	}
	for i := range out {
		p.Lines = gather(p.Lines, out[i].Box).rest
	}
	return out
}

// sides returns the lines of a page, upright ones, by columns of running text:
// a table stands within one.
func sides(p *Page) [][]int {
	var es []element
	for i := range p.Lines {
		l := &p.Lines[i]
		if l.Turn == 0 {
			es = append(es, element{box: textBox(l), line: i, whole: -1})
		}
	}
	at, ok := gutter(es, nil)
	var wide []bool
	if !ok {
		wide, at, ok = masked(es)
	}
	var all, left, right []int
	leftWords, rightWords, nl, nr := 0, 0, 0, 0
	for k, e := range es {
		all = append(all, e.line)
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
	// Columns of a table have short lines; of running text, long ones.
	if !ok || nl < 5 || nr < 5 || leftWords < 4*nl || rightWords < 4*nr {
		return [][]int{all}
	}
	return [][]int{left, right}
}

// zone is a run of rows that may be a table.
type zone struct {
	rows []row
	size float64
	box  content.Box
}

// rowsIn groups lines by baseline, from top to bottom.
func rowsIn(p *Page, idx []int) []row {
	idx = slices.Clone(idx)
	slices.SortStableFunc(idx, func(a, b int) int { return cmp.Compare(p.Lines[a].Y, p.Lines[b].Y) })
	var out []row
	for _, i := range idx {
		l := &p.Lines[i]
		b := textBox(l)
		if n := len(out); n > 0 && l.Y-p.Lines[out[n-1].lines[0]].Y < .35*l.Size {
			r := &out[n-1]
			r.lines = append(r.lines, i)
			r.y0, r.y1, r.size = min(r.y0, b.Y0), max(r.y1, b.Y1), max(r.size, l.Size)
			continue
		}
		out = append(out, row{lines: []int{i}, y0: b.Y0, y1: b.Y1, size: l.Size})
	}
	for _, r := range out {
		slices.SortFunc(r.lines, func(a, b int) int { return cmp.Compare(p.Lines[a].Box.X0, p.Lines[b].Box.X0) })
	}
	return out
}

// zones finds runs of rows with two or more segments. Rows with one segment
// belong to a run where they stand between such rows, or next to one, and are
// short.
func zones(p *Page, idx []int) []zone {
	rows := rowsIn(p, idx)
	hs, _ := edges(p)
	var out []zone
	for i := 0; i < len(rows); {
		if len(rows[i].lines) < 2 {
			i++
			continue
		}
		j, last := i+1, i
		for j < len(rows) {
			gap := rows[j].y0 - rows[j-1].y1
			if gap > 3*rows[j-1].size || math.Abs(rows[j].size-rows[last].size) > .35*rows[last].size {
				break
			}
			if len(rows[j].lines) >= 2 {
				last = j
			} else if j-last > 3 || full(p, rows[i:last+1], &rows[j]) {
				break
			}
			j++
		}
		end := last + 1
		for end < j && fits(p, rows[i:last+1], &rows[end]) { // wrapped lines below the last row
			end++
		}
		end = toRule(p, rows, i, end, hs)
		begin := i
		for begin > 0 && begin > i-2 && (len(out) == 0 || out[len(out)-1].rows[len(out[len(out)-1].rows)-1].y1 < rows[begin-1].y0) &&
			fits(p, rows[i:last+1], &rows[begin-1]) && rows[begin].y0-rows[begin-1].y1 < 1.2*rows[i].size {
			begin--
		}
		out = append(out, newZone(p, rows[begin:end]))
		i = max(end, i+1)
	}
	return out
}

// toRule extends rows[i:end] down to the last of the horizontal lines that the
// run has: what stands above it belongs to the table.
func toRule(p *Page, rows []row, i, end int, hs []edge) int {
	z := newZone(p, rows[i:end])
	var of []edge // over the width of the run, and of one length
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
		if !below || b.X0 < of[0].lo-2 || p.Lines[rows[end].lines[len(rows[end].lines)-1]].Box.X1 > of[0].hi+2 {
			break
		}
		end++
	}
	return end
}

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

// full says whether a row of one segment runs over most of the width of rows:
// it is text between two tables.
func full(p *Page, rows []row, r *row) bool {
	z := newZone(p, rows)
	b := p.Lines[r.lines[0]].Box
	return b.Width() > .6*z.box.Width() && len(p.Lines[r.lines[0]].Words) > 3
}

// fits says whether a row lies within one column of rows: it crosses no white
// space that all of them keep free.
func fits(p *Page, rows []row, r *row) bool {
	if len(r.lines) != 1 {
		return false
	}
	b := p.Lines[r.lines[0]].Box
	z := newZone(p, rows)
	if b.X0 < z.box.X0-2 || b.X1 > z.box.X1+2 || math.Abs(r.size-z.size) > .15*z.size {
		return false
	}
	touched := 0
	for _, c := range columnsOf(p, rows, z.size) {
		if b.X0 < c.X1 && b.X1 > c.X0 {
			touched++
		}
	}
	return touched == 1 && len(p.Lines[r.lines[0]].Words) < 12
}

// columnsOf returns the columns of rows: what lies between x-intervals that
// at most a tenth of the rows cross.
func columnsOf(p *Page, rows []row, size float64) []content.Box {
	z := newZone(p, rows)
	n := int(z.box.Width()) + 2
	if n < 4 || n > 20_000 {
		return nil
	}
	cover := make([]int, n)
	for _, r := range rows {
		mark := make([]bool, n)
		for _, i := range r.lines {
			for k := range p.Lines[i].Words {
				w := &p.Lines[i].Words[k]
				for x := max(0, int(w.Box.X0-z.box.X0)); x < min(n, int(math.Ceil(w.Box.X1-z.box.X0))); x++ {
					mark[x] = true
				}
			}
		}
		for x, m := range mark {
			if m {
				cover[x]++
			}
		}
	}
	limit := len(rows) / 10
	least := size
	if len(rows) >= 5 {
		least = .55 * size
	}
	var out []content.Box
	start, empty := 0, 0
	for x := 0; x <= n; x++ {
		if x < n && cover[x] <= limit {
			empty++
			continue
		}
		if x == n || float64(empty) >= least && x-empty > 0 {
			if end := x - empty; end > start {
				out = append(out, content.Box{X0: z.box.X0 + float64(start), X1: z.box.X0 + float64(end), Y0: z.box.Y0, Y1: z.box.Y1})
			}
			start = x
		}
		empty = 0
	}
	return out
}

// columns returns the columns of the zone. Headers may span several: where the
// rows below one or two of them keep more columns apart, these count.
func (z *zone) columns(p *Page) []content.Box {
	cols := columnsOf(p, z.rows, z.size)
	for skip := 1; skip <= 2 && len(z.rows)-skip >= 4; skip++ {
		below := z.rows[skip:]
		// Of few rows, only wide gaps count.
		if more := columnsOf(p, below, z.size*1.2); len(more) > len(cols) && len(cols) > 1 {
			wide := newZone(p, below).box
			if wide.X0 < z.box.X0+z.size && wide.X1 > z.box.X1-2*z.size && gapsOver(more, z.size) {
				return more
			}
		}
	}
	return cols
}

// gapsOver says whether all columns stand more than an em apart.
func gapsOver(cols []content.Box, em float64) bool {
	for i := 1; i < len(cols); i++ {
		if cols[i].X0-cols[i-1].X1 < em {
			return false
		}
	}
	return true
}

// table makes a table of a zone; false where the signs are against it.
func (z *zone) table(p *Page) (Table, bool) {
	t := Table{Box: z.box, seq: math.MaxInt}
	if len(z.rows) < 2 {
		return t, false
	}
	cols := z.columns(p)
	if len(cols) < 2 || len(cols) > 60 {
		return t, false
	}
	rules := z.rules(p)
	if len(z.rows) < 3 && len(rules) == 0 {
		return t, false
	}
	t.Columns = len(cols)
	z.fill(&t, p, cols, rules)
	if !z.accept(&t, p, rules) {
		return t, false
	}
	t.unruledHeader(rules)
	return t, true
}

// rules returns the places of horizontal lines over most of the zone.
func (z *zone) rules(p *Page) []float64 {
	hs, _ := edges(p)
	var out []float64
	for _, h := range hs {
		if h.at > z.box.Y0-2*z.size && h.at < z.box.Y1+2*z.size && min(h.hi, z.box.X1)-max(h.lo, z.box.X0) > .6*z.box.Width() {
			out = append(out, h.at)
		}
	}
	slices.Sort(out)
	return out
}

// part is a piece of a line within one or more columns.
type part struct {
	words  []Word
	c0, c1 int
	y0, y1 float64
}

func (q *part) middle() float64 { return (q.y0 + q.y1) / 2 }

// fill splits the zone's lines at the columns and groups the pieces to rows.
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
	for _, group := range z.group(parts, rules) {
		cells := make([]Cell, len(cols))
		for j := range cells {
			cells[j] = Cell{ColSpan: 1, RowSpan: 1}
		}
		slices.SortStableFunc(group, func(a, b part) int { return cmp.Compare(a.y0, b.y0) })
		for _, q := range group {
			c := &cells[q.c0]
			c.ColSpan = max(c.ColSpan, q.c1-q.c0+1)
			c.Lines = append(c.Lines, cellLines(q.words)...)
		}
		for j := range cells {
			for k := j + 1; k < j+cells[j].ColSpan && !cells[j].Covered; k++ {
				if len(cells[k].Lines) > 0 { // a span over a filled cell is none
					cells[j].ColSpan = k - j
					break
				}
				cells[k].Covered = true
			}
		}
		t.Rows = append(t.Rows, cells)
	}
}

// splitLine cuts a line where columns part. A piece without a gap at the
// border spans both columns.
func splitLine(l *Line, cols []content.Box) []part {
	column := func(w *Word) int {
		x := (w.Box.X0 + w.Box.X1) / 2
		best, dist := 0, math.Inf(1)
		for j, c := range cols {
			d := max(c.X0-x, x-c.X1, 0)
			if d < dist {
				best, dist = j, d
			}
		}
		return best
	}
	words := slices.Clone(l.Words)
	slices.SortStableFunc(words, func(a, b Word) int { return cmp.Compare(a.X0, b.X0) })
	b := textBox(l)
	var out []part
	for k := range words {
		w := &words[k]
		c := column(w)
		if n := len(out); n > 0 {
			q := &out[n-1]
			prev := &q.words[len(q.words)-1]
			gap := w.X0 - prev.X1
			border := q.c1 < c && gap > .45*w.Size
			if q.c1 == c || !border {
				q.words = append(q.words, *w)
				q.c1 = max(q.c1, c)
				continue
			}
		}
		out = append(out, part{words: []Word{*w}, c0: c, c1: c, y0: b.Y0, y1: b.Y1})
	}
	for i := range out { // a long word that reaches over several columns
		q := &out[i]
		x1 := q.words[len(q.words)-1].Box.X1
		for q.c1+1 < len(cols) && x1 > cols[q.c1+1].X0+2 && (i+1 == len(out) || out[i+1].c0 > q.c1+1) {
			q.c1++
		}
	}
	return out
}

// group brings pieces together to rows: pieces that overlap in height are one
// row, and lines that go on with the cells of the row above.
func (z *zone) group(parts []part, rules []float64) [][]part {
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(a.y0, b.y0) })
	var bands [][]part
	end := math.Inf(-1)
	for _, q := range parts {
		if n := len(bands); n > 0 && q.y0 < end-.25*(q.y1-q.y0) && !ruleBetween(rules, bands[n-1][0].middle(), q.middle()) {
			bands[n-1] = append(bands[n-1], q)
		} else {
			bands = append(bands, []part{q})
		}
		end = max(end, q.y1)
	}
	if len(bands) < 2 {
		return bands
	}
	gaps := make([]float64, len(bands))
	var opening []float64 // gaps above rows whose first column is filled
	for i := 1; i < len(bands); i++ {
		gaps[i] = top(bands[i]) - bottom(bands[i-1])
		if first(bands[i]) == 0 {
			opening = append(opening, gaps[i])
		}
	}
	usual := median(opening)
	tight := slices.Min(gaps[1:])
	loose := bimodal(gaps[1:], z.size)
	inner := len(rules) >= 3 && z.ruleRows(bands, rules)
	out := [][]part{bands[0]}
	for i := 1; i < len(bands); i++ {
		crossed := ruleBetween(rules, (top(bands[i-1])+bottom(bands[i-1]))/2, (top(bands[i])+bottom(bands[i]))/2)
		goesOn := false
		switch {
		case crossed:
		case inner:
			goesOn = true
		case loose > 0:
			goesOn = gaps[i] < loose
		case gaps[i] < .4*z.size && len(bands[i]) < len(bands[i-1]) && usual > gaps[i]+.5*z.size: // wrapped
			goesOn = true
		case first(bands[i]) > 0 && first(bands[i-1]) == 0:
			goesOn = gaps[i] < .6*usual || gaps[i] <= tight+.5 && len(bands[i]) == 1 && len(opening) > 0 && usual > gaps[i]+.15*z.size
		}
		if goesOn {
			out[len(out)-1] = append(out[len(out)-1], bands[i]...)
		} else {
			out = append(out, bands[i])
		}
	}
	return out
}

// ruleRows says whether horizontal lines part most rows.
func (z *zone) ruleRows(bands [][]part, rules []float64) bool {
	inner := 0
	for _, y := range rules {
		if y > z.box.Y0+z.size && y < z.box.Y1-z.size {
			inner++
		}
	}
	return inner >= 3 && inner*3 >= len(bands)
}

func top(b []part) float64 {
	y := math.Inf(1)
	for _, q := range b {
		y = min(y, q.y0)
	}
	return y
}

func bottom(b []part) float64 {
	y := math.Inf(-1)
	for _, q := range b {
		y = max(y, q.y1)
	}
	return y
}

func first(b []part) int {
	c := math.MaxInt
	for _, q := range b {
		c = min(c, q.c0)
	}
	return c
}

func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	v = slices.Clone(v)
	slices.Sort(v)
	return v[len(v)/2]
}

// bimodal returns the gap that parts wrapped lines from rows, where the gaps
// are of two kinds: within a cell small, between rows clearly wider. 0 where
// they are of one kind.
func bimodal(gaps []float64, size float64) float64 {
	g := slices.Clone(gaps)
	slices.Sort(g)
	best, second, at := 0.0, 0.0, 0
	for i := 1; i < len(g); i++ {
		switch d := g[i] - g[i-1]; {
		case d > best:
			best, second, at = d, best, i
		case d > second:
			second = d
		}
	}
	if at == 0 || best < .3*size || best < 1.2*second || g[at-1] > .6*size {
		return 0
	}
	// The small gaps must be alike, and not the odd one out.
	if g[at-1]-g[0] > .25*size || at < 2 && len(g) > 4 {
		return 0
	}
	return (g[at] + g[at-1]) / 2
}

func ruleBetween(rules []float64, lo, hi float64) bool {
	i, _ := slices.BinarySearch(rules, lo)
	return i < len(rules) && rules[i] < hi
}

// unruledHeader takes as header the rows above the first inner rule, else the
// first row.
func (t *Table) unruledHeader(rules []float64) {
	t.Header = 1
	for _, y := range rules {
		n := 0
		for i := range t.Rows {
			if rowTop(t.Rows[i]) >= y {
				break
			}
			n = i + 1
		}
		if n > 0 && n < len(t.Rows) && n <= 3 {
			t.Header = n
			return
		}
	}
}

func rowTop(cells []Cell) float64 {
	y := math.Inf(1)
	for i := range cells {
		for k := range cells[i].Lines {
			y = min(y, cells[i].Lines[k].Y)
		}
	}
	return y
}
