// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"cmp"
	"math"
	"slices"

	"example.com/curlew/internal/sorting"
	"example.com/curlew/parse/internal/pdf/content"
)

// columnsOf returns the columns of rows. Columns are separated by
// x-intervals that at most a tenth of the rows cross.
//
//go:noinline
func columnsOf(p *Page, rows []row, size float64) []content.Box {
	least := size
	if len(rows) >= 5 {
		least = .55 * size
	}
	return columnsApart(p, rows, size, least)
}

// columnsApart returns the columns of rows that are at least least points
// apart, or less if their texts are aligned.
func columnsApart(p *Page, rows []row, size, least float64) []content.Box {
	return betweenStrips(p, rows, size, least, .35*size, 1)
}

// betweenStrips returns the columns of rows. They are separated by vertical strips without
// text that are at least least points wide, or at least narrow points if the texts on the right
// begin there, see aligned. places is how many places of each point are looked at.
func betweenStrips(p *Page, rows []row, size, least, narrow, places float64) []content.Box {
	z := newZone(p, rows)
	n := int(places*z.box.Width()) + 2
	if n < 4 || n > 20_000 {
		return nil
	}
	changes := coverage(p, rows, z.box.X0, n, places)
	at := func(x int) float64 { return z.box.X0 + float64(x)/places }
	limit := int32(min(len(rows)/10, math.MaxInt32))
	var out []content.Box
	start, empty := 0, 0
	cover := int32(0) // the number of rows that have a word at x
	for x, change := range changes {
		if cover += change; x < n && cover <= limit {
			empty++
			continue
		}
		end, wide := x-empty, float64(empty)/places
		if x == n || end > 0 && (wide >= least || wide >= narrow && aligned(p, rows, at(end), at(x), size)) {
			if end > start {
				out = append(out, content.Box{X0: at(start), X1: at(end), Y0: z.box.Y0, Y1: z.box.Y1})
			}
			start = x
		}
		empty = 0
	}
	return out
}

// stretch is a part of a row, by the places where it begins and ends.
type stretch struct{ from, to int }

// coverage returns, for each of n places from x0 on and the place after them, how many more
// rows than at the place before have a word there. A point has so many places. The result is
// valid until the next call.
func coverage(p *Page, rows []row, x0 float64, n int, places float64) []int32 {
	p.points = slices.Grow(p.points[:0], n+1)[:n+1]
	changes := p.points
	clear(changes)
	for _, r := range rows {
		words, ordered := p.room[:0], true
		for _, i := range r.lines {
			for k := range p.Lines[i].Words {
				b := &p.Lines[i].Words[k].Box
				w := stretch{max(0, int(places*(b.X0-x0))), min(n, int(math.Ceil(places*(b.X1-x0))))}
				ordered = ordered && (len(words) == 0 || words[len(words)-1].from <= w.from)
				words = append(words, w)
			}
		}
		if !ordered {
			sorting.Stable(words, func(a, b stretch) int { return cmp.Compare(a.from, b.from) })
		}
		p.room = words
		end := 0
		for _, w := range words {
			if from := max(w.from, end); from < w.to {
				changes[from]++
				changes[w.to]--
				end = w.to
			}
		}
	}
	return changes
}

// numbersApart splits columns that have two numbers in most of their rows, both with
// common right edges. Long numbers may be only a space apart.
func numbersApart(p *Page, rows []row, cols []content.Box, size float64) []content.Box {
	var out []content.Box
	for _, c := range cols {
		for {
			left, right, ok := twoColumns(p, rows, c, size)
			if !ok {
				break
			}
			out, c = append(out, left), right
		}
		out = append(out, c)
	}
	return out
}

// twoColumns splits a column at the space before the second number of most rows. It
// returns false if these rows do not have the numbers of two columns.
func twoColumns(p *Page, rows []row, c content.Box, size float64) (left, right content.Box, ok bool) {
	var ends, starts []float64 // of the first numbers and of those after them
	var first, last []float64  // where the first numbers begin, and where the last ones end
	texts := 0
	for _, w := range rows {
		var words []Word
		for _, i := range w.lines {
			if b := p.Lines[i].Box; b.X0 < c.X1 && b.X1 > c.X0 {
				for _, x := range p.Lines[i].Words {
					if x.Box.X0 < c.X1 && x.Box.X1 > c.X0 {
						words = append(words, x)
					}
				}
			}
		}
		texts += count(len(words) > 0)
		for k := 1; k < len(words); k++ {
			if twoNumbers(words[k-1].Text, words[k].Text) {
				first, ends = append(first, words[0].Box.X0), append(ends, words[k-1].Box.X1)
				starts, last = append(starts, words[k].Box.X0), append(last, words[len(words)-1].Box.X1)
				break
			}
		}
	}
	n := len(ends)
	if n < leastFigures || n*10 < texts*6 {
		return left, right, false
	}
	// Numbers of one column have a common edge and different lengths, unlike the parts
	// of telephone numbers and dates. An eighth of the rows may be in another style.
	for _, v := range [][]float64{first, ends, starts, last} {
		slices.Sort(v)
	}
	spread := func(v []float64) float64 { return v[n-1-n/8] - v[n/8] }
	if max(spread(ends), spread(last)) > .25*size || max(spread(first), spread(starts)) < .4*size || starts[n/8] <= ends[n-1-n/8] {
		return left, right, false
	}
	left, right = c, c
	left.X1, right.X0 = ends[n-1-n/8], starts[n/8]
	return left, right, true
}

// textsApart splits columns at strips that are too narrow to separate columns by their
// width alone, such as those of sheets that LibreOffice Calc prints, see aligned.
func textsApart(p *Page, rows []row, cols []content.Box, size float64) []content.Box {
	texts := betweenStrips(p, rows, size, math.Inf(1), .5, 4)
	var out []content.Box
	for _, c := range cols {
		for i := 1; i < len(texts); i++ {
			if end, start := texts[i-1].X1, texts[i].X0; c.X0 < end && start < c.X1 && start-end < .35*size {
				left := c
				left.X1, c.X0 = end, start
				out = append(out, left)
			}
		}
		out = append(out, c)
	}
	return out
}

// aligned reports whether a narrow white strip separates columns. Many rows
// must have words on both sides, and the words on the right must begin at
// the strip. Word spaces of running text do not line up like this, except in
// a monospaced font, which is therefore refused. If the strip is as narrow as
// a word space, no row may have a space glyph there, and something must show that it is
// none: a row, such as that of the header, where it is wide, or space glyphs between other words.
func aligned(p *Page, rows []row, x0, x1, size float64) bool {
	both, begin, spaces := 0, 0, 0
	wide, spaced := false, false
	for _, r := range rows {
		left, right := math.Inf(-1), (*Word)(nil)
		for _, i := range r.lines {
			if p.Lines[i].fixed() {
				return false
			}
			for k := range p.Lines[i].Words {
				w := &p.Lines[i].Words[k]
				spaces += count(w.Space)
				if w.Box.X1 <= x0+1 {
					left = max(left, w.Box.X1)
				}
				if w.Box.X0 >= x1-1 && (right == nil || w.Box.X0 < right.Box.X0) {
					right = w
				}
			}
		}
		if math.IsInf(left, -1) || right == nil {
			continue
		}
		both++
		spaced = spaced || right.Space
		if right.Box.X0-x1 < .2*size {
			begin++
			wide = wide || right.Box.X0-left > size
		}
	}
	none := x1-x0 >= .35*size || !spaced && (wide || spaces > 1)
	return none && both >= 4 && both*2 >= len(rows) && begin*10 >= both*9
}

// columns returns the columns of the zone. Headers may span several columns,
// so if the rows below the first one or two show more columns, those are
// returned.
func (z *zone) columns(p *Page) []content.Box {
	cols := columnsOf(p, z.rows, z.size)
	if rows := z.untitled(p); len(rows) < len(z.rows) && len(rows) >= leastUntitled {
		if more := columnsOf(p, rows, z.size); len(more) > len(cols) {
			cols = more
		}
	}
	for skip := 1; skip <= 2 && len(z.rows)-skip >= 4; skip++ {
		below := z.rows[skip:]
		// With few rows, only wide gaps count.
		if more := columnsOf(p, below, z.size*1.2); len(more) > len(cols) && len(cols) > 1 {
			wide := newZone(p, below).box
			if wide.X0 < z.box.X0+z.size && wide.X1 > z.box.X1-2*z.size && gapsOver(more, z.size) {
				return textsApart(p, below, more, z.size)
			}
		}
	}
	return textsApart(p, z.rows, cols, z.size)
}

// leastUntitled is the least number of rows whose columns count although the titles of
// sections cross the white space between them.
const leastUntitled = 5

// untitled returns the rows of the zone without the titles of sections, which are short
// texts in the middle of it.
func (z *zone) untitled(p *Page) []row {
	return sorting.Without(slices.Clone(z.rows), func(w row) bool {
		l := &p.Lines[w.lines[0]]
		return len(w.lines) == 1 && len(l.Words) <= mostTitle && math.Abs(l.Box.X0+l.Box.X1-z.box.X0-z.box.X1) < .3*z.size && l.Box.X0 > z.box.X0+z.size
	})
}

// mostTitle is the number of words of the title of a section in a table.
const mostTitle = 6

// gapsOver reports whether all columns are at least em points apart.
func gapsOver(cols []content.Box, em float64) bool {
	for i := 1; i < len(cols); i++ {
		if cols[i].X0-cols[i-1].X1 < em {
			return false
		}
	}
	return true
}

// beginsColumn reports whether w begins the last of cols, and prev, the word before it, ends
// in the column before. The columns must be closer than .45 em. A space glyph between the two
// words shows that they belong together.
func beginsColumn(prev, w *Word, cols []content.Box) bool {
	c, before := cols[len(cols)-1], cols[len(cols)-2]
	return !w.Space && c.X0-before.X1 < .45*w.Size && math.Abs(w.Box.X0-c.X0) < .1*w.Size && prev.Box.X1 <= before.X1+1
}

// splitLine splits a line at the borders of columns. A piece without a gap
// at the border spans both columns. The pieces share the words of the line.
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
	words := l.fromLeft()
	b := textBox(l)
	var out []part
	for k := range words {
		w := &words[k]
		c := column(w)
		if n := len(out); n > 0 {
			q := &out[n-1]
			prev := &q.words[len(q.words)-1]
			gap := w.X0 - prev.X1
			border := q.c1 < c && (gap > .45*w.Size || beginsColumn(prev, w, cols[:c+1]))
			if q.c1 == c || !border {
				q.words = words[k-len(q.words) : k+1 : k+1] // the words of a part follow each other
				q.c1 = max(q.c1, c)
				continue
			}
		}
		out = append(out, part{words: words[k : k+1 : k+1], c0: c, c1: c, y0: b.Y0, y1: b.Y1})
	}
	for i := range out { // a long word may reach across several columns
		q := &out[i]
		x1 := q.words[len(q.words)-1].Box.X1
		for q.c1+1 < len(cols) && x1 > cols[q.c1+1].X0+2 && (i+1 == len(out) || out[i+1].c0 > q.c1+1) {
			q.c1++
		}
	}
	return out
}

// splits reports whether the words of l stand in several columns, with a gap
// wider than a space at each border between them. The spaces of a monospaced font
// do not show columns.
func (l *Line) splits(cols []content.Box) bool {
	if l.fixed() {
		return false
	}
	pieces := splitLine(l, cols)
	return len(pieces) > 1 && !slices.ContainsFunc(pieces, func(q part) bool { return q.c0 != q.c1 })
}

// How far above and below a gap is searched for a river, which is a vertical
// column of white space: riverReach rows, or all rows within riverEms em up
// to maxRivers rows. The second bound is for columns without common
// baselines, where each column has rows of its own.
const (
	riverReach = 6
	riverEms   = 8
	maxRivers  = 24
)

// river reports whether the gap from x0 to x1 in row i continues in the rows
// around it. If columns share baselines, at least four rows must have words
// on both sides of the gap and at most one a word in it. If they do not,
// each row has words on one side only; then at least three rows on each side
// are needed, and those on the right must begin at the gap. The search ends
// at text of another size over the gap, such as a heading.
//
// Columns may also begin or end at text over their whole width. The rows on
// one side of such a border are enough if all of them have the gap. The right
// one of two columns may end after two lines; then the other one must reach
// the gap. A short table between paragraphs has few rows, but all of their
// texts begin at the right end of the gap.
func river(rows [][]Word, reach [][]float64, i int, x0, x1 float64) bool {
	c := channel{x0: x0, x1: x1, lo: x0, hi: x1}
	up := c.search(rows, reach, i, -1)
	down := c.search(rows, reach, i, 1)
	if up.aligned+down.aligned >= leastAligned {
		return true
	}
	support, left, right := up.support+down.support, up.left+down.left, up.right+down.right
	if up.against+down.against <= 1 {
		short := left >= riverReach-1 && support > 0 && up.against+down.against == 0 && up.full+down.full > 1 && x1-x0 > .9*rows[i][0].Size
		return short || support >= 4 || min(left, right)+support >= 3 && min(left, right) > 0
	}
	return up.back == 0 && down.back == 0 && min(up.against, down.against) == 0 && support+min(left, right) >= riverReach-1
}

// channel is a vertical column of white space that may be a river.
type channel struct {
	x0, x1 float64 // the gap that is searched for
	lo, hi float64 // the part of it that all rows have
}

// banks counts the rows on one side of a row, above or below it.
type banks struct {
	support     int // rows with words on both sides of the gap
	against     int // rows with a word in it
	left, right int // rows with words on one side only
	full        int // rows with words on the left that reach the gap
	back        int // rows of support that are farther away than a row of against
	aligned     int // rows of support before the first row of against, with a word that begins at the right end of the gap
}

// leastAligned is the number of rows beside a row that show a river if their
// texts begin at one place.
const leastAligned = 3

// search looks at the rows above row i, if step is -1, or below it, if step
// is 1, and narrows the channel to their gaps.
func (c *channel) search(rows [][]Word, reach [][]float64, i, step int) banks {
	var n banks
	y := rows[i][0].Y
	for k := i + step; k >= 0 && k < len(rows) && (k-i)*step <= maxRivers; k += step {
		row := rows[k]
		size := row[0].Size
		if math.Abs(row[0].Y-y) > 3.5*size || (k-i)*step > riverReach && math.Abs(row[0].Y-rows[i][0].Y) > riverEms*size {
			break
		}
		y = row[0].Y
		a, b, both := around(row, reach[k], (c.lo+c.hi)/2)
		if a == b && math.Abs(size-rows[i][0].Size) > .2*rows[i][0].Size {
			break
		}
		switch {
		case !both && math.IsInf(b, 1) && a <= c.x0+.5*size:
			n.left++
			n.full += count(a > c.x0-size)
		case !both && math.IsInf(a, -1) && math.Abs(b-c.x1) < .3*size:
			n.right++
		case !both:
		case min(b, c.hi)-max(a, c.lo) >= 3 && b-a > .5*size:
			n.support++
			n.back += count(n.against > 0)
			n.aligned += count(n.against == 0 && math.Abs(b-c.x1) < .1*size)
			c.lo, c.hi = max(a, c.lo), min(b, c.hi)
		default:
			n.against++
		}
	}
	return n
}

// around returns the gap of a row at x: from the end of the text on the left
// to the start of the text on the right. If a word covers x, the gap is
// empty. If the row has no words on one side, both is false.
//
// The row is sorted by X0. For a long row, reach is the result of reachOf,
// so that only the words near x are examined.
func around(row []Word, reach []float64, x float64) (a, b float64, both bool) {
	a, b = math.Inf(-1), math.Inf(1)
	if reach != nil {
		from, _ := slices.BinarySearchFunc(row, x, func(w Word, x float64) int { return compare(w.X0, x) })
		if from > 0 {
			if a = reach[from-1]; a > x {
				return x, x, true
			}
		}
		to := from
		for to < len(row) && row[to].X0 <= x {
			to++
		}
		row = row[from:min(to+1, len(row))]
	}
	for k := range row {
		w := &row[k]
		switch {
		case w.X1 <= x:
			a = max(a, w.X1)
		case w.X0 >= x:
			b = min(b, w.X0)
		default:
			return x, x, true
		}
	}
	return a, b, !math.IsInf(a, 0) && !math.IsInf(b, 0)
}

// longRow is the number of words from which a row is searched by bisection.
const longRow = 64

// reachOf returns, for each word of a long row, the rightmost end of this
// word and all words before it. It returns nil for other rows.
func reachOf(rows [][]Word) [][]float64 {
	out := make([][]float64, len(rows))
	for i, row := range rows {
		if len(row) <= longRow {
			continue
		}
		out[i] = make([]float64, len(row))
		far := math.Inf(-1)
		for k := range row {
			far = max(far, row[k].X1)
			out[i][k] = far
		}
	}
	return out
}
