// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"math"
	"slices"
	"strings"
)

// signs are measures of rows and columns that show whether they are a table.
type signs struct {
	mean    float64 // mean number of words in a filled cell
	density float64 // share of filled cells that are numbers
	share   float64 // share of cells that are filled
	leaders int     // cells with leader dots
	texts   int     // cells that are not numbers; years count as text
	figures int     // columns after the first in which most cells are numbers
	markers int     // rows whose first cell is only a list marker or section number, but not a plain number
	labels  int     // rows with a text in the first column
	last    int     // rows that end in a whole number
	skew    float64 // share of rows whose pieces differ in baseline or size
	formula float64 // share of words in a mathematical font
	uneven  int     // rows with one cell of several lines beside short cells of one line
}

func (t *Table) signs() signs {
	var s signs
	filled, cells := t.filled()
	words, num, set, formula := 0, 0, 0, 0
	for j := range t.Columns {
		texts, numbers := 0, 0
		for i := range t.Rows {
			c := &t.Rows[i][j]
			if len(c.Lines) == 0 {
				continue
			}
			text := c.Text()
			all, math := c.formula()
			set, formula = set+all, formula+math
			for word := range strings.FieldsSeq(text) {
				if !isLeader(word) {
					words++
				}
			}
			if texts++; isNumeric(text) {
				numbers++
			}
			if !isFigure(text) || isYear(text) {
				s.texts++
			}
			s.add(text, j, t.Columns)
		}
		if num += numbers; j > 0 && numbers*2 > texts {
			s.figures++
		}
	}
	for i := range t.Rows {
		s.uneven += count(uneven(t.Rows[i]))
	}
	s.mean = float64(words) / float64(max(1, filled))
	s.density = float64(num) / float64(max(1, filled))
	s.share = float64(filled) / float64(max(1, cells))
	s.formula = float64(formula) / float64(max(1, set))
	return s
}

// uneven reports whether one cell of a row has several lines and at least two
// others have a single one of few words. Columns of running text do not look
// like that.
func uneven(row []Cell) bool {
	long, short := 0, 0
	for j := range row {
		switch c := &row[j]; {
		case len(c.Lines) > 1:
			long++
		case len(c.Lines) == 1 && len(c.Lines[0].Words) <= 3:
			short++
		}
	}
	return long == 1 && short > 1
}

// glossary reports whether the table is a list of terms, each a few words in one line, and
// of their descriptions beside them, most of which have several lines.
func (t *Table) glossary(size float64) bool {
	if t.Columns != 2 {
		return false
	}
	terms, long := 0, 0
	end, begin := math.Inf(-1), math.Inf(1) // of the terms and of the descriptions
	for i := range t.Rows {
		a, b := &t.Rows[i][0], &t.Rows[i][1]
		if a.ColSpan > 1 {
			continue // the title of a section
		}
		if len(a.Lines) != 1 || len(a.Lines[0].Words) > mostTerm || len(b.Lines) == 0 {
			return false
		}
		terms++
		long += count(len(b.Lines) > 1)
		end = max(end, a.Lines[0].Box.X1)
		for k := range b.Lines {
			begin = min(begin, b.Lines[k].Box.X0)
		}
	}
	return terms >= leastTerms && long*2 >= terms && begin-end > size
}

// Bounds of a glossary: the words of a term, and the number of terms.
const (
	mostTerm   = 3
	leastTerms = 6
)

// formula counts the words of a cell and those in a mathematical font.
func (c *Cell) formula() (all, math int) {
	for k := range c.Lines {
		for i := range c.Lines[k].Words {
			f := c.Lines[k].Words[i].Font
			all++
			math += count(f != nil && f.Math)
		}
	}
	return all, math
}

func (s *signs) add(text string, column, columns int) {
	if strings.Contains(text, "....") || strings.Contains(text, ". . .") {
		s.leaders++
	}
	if column == 0 {
		s.labels++
		s.markers += count(isLabel(text) && !isDigits(text))
	}
	if column == columns-1 && isDigits(text) {
		s.last++
	}
}

// accept decides whether rows and columns are a table. It weighs signs such
// as the share of numbers, the length of the cells and the number of rules.
func (z *zone) accept(t *Table, p *Page, rules []float64) bool {
	if len(t.Rows) < 2 {
		return false
	}
	s := t.signs()
	s.skew = z.skew(p)
	centred := z.centredRows() >= leastCentred
	switch {
	case len(rules) == 0 && z.justified(p):
		return false
	case s.leaders*3 >= len(t.Rows) && (s.figures == 0 || s.figures == 1 && s.last*2 > len(t.Rows)), s.markers*10 >= max(2, s.labels)*6 && t.Columns == 2:
		return false
	case t.Columns == 2 && s.last*10 >= len(t.Rows)*8 && len(rules) == 0 && s.mean > 2: // a table of contents
		return false
	case t.listing():
		return false
	case s.texts < 2 && len(rules) < 2 && (len(t.Rows) < 5 || s.share < .7): // the axis labels of a chart
		return false
	case s.mean > 12 && !centred || s.share < .3 || len(t.Rows) == 2 && s.share < .6:
		return false
	}
	glossary := s.skew == 0 && len(rules) == 0 && t.glossary(z.size)
	score := min(.4, s.density)
	for _, sign := range []struct {
		holds  bool
		weight float64
	}{
		{len(rules) >= 1, .35},
		{len(rules) >= 2, .15},
		{centred, .35},
		{t.Columns >= 3, .3},
		{len(t.Rows) >= 4, .1},
		{s.mean <= 4, .15},
		{s.mean > 7 && s.uneven*10 < len(t.Rows)*6 && !glossary && !centred, -.25},
		{s.uneven*10 >= len(t.Rows)*6 && len(t.Rows) >= 4, .2},
		{s.share < .5, -.2},
		{glossary, .25},
		{len(t.Rows) >= 4 && t.boldHead(), .15},
		{len(t.Rows) >= 4 && (s.share > .9 || s.share > .6 && (len(t.Rows) >= 8 || s.uneven > 1) && s.labels == len(t.Rows)) && s.skew == 0 && s.markers == 0 && t.byRows(), .25},
		{len(t.Rows) >= 4 && len(rules) == 0 && z.enclosed(p) && t.byRows(), .35},
		{p.Curves > 100 && len(rules) < 2, -.4},
		{s.skew > .5 && len(rules) == 0, -.3},
		{s.formula > .25 && len(t.Rows) < 4 && len(rules) == 0, -.4}, // a formula and its number
	} {
		if sign.holds {
			score += sign.weight
		}
	}
	t.Conf = min(1, score)
	if z.doubt {
		t.Conf = min(t.Conf, unsure)
	}
	return score >= .5
}

// enclosed reports whether vertical lines stand at both sides of the zone, over
// most of its height, as those of a frame that a page end cuts.
func (z *zone) enclosed(p *Page) bool {
	_, vs := p.edges()
	left, right := false, false
	for _, v := range vs {
		if min(v.hi, z.box.Y1)-max(v.lo, z.box.Y0) < .8*z.box.Height() {
			continue
		}
		left = left || v.at < z.box.X0+snap && v.at > z.box.X0-2*z.size
		right = right || v.at > z.box.X1-snap && v.at < z.box.X1+.3*p.Width
	}
	return left && right
}

// skew returns the share of rows with several lines that differ in baseline
// or size. Such rows are texts that stand beside each other by chance.
func (z *zone) skew(p *Page) float64 {
	n, off := 0, 0
	for _, r := range z.rows {
		if len(r.lines) < 2 || r.centred {
			continue
		}
		n++
		first := &p.Lines[r.lines[0]]
		for _, i := range r.lines[1:] {
			l := &p.Lines[i]
			if math.Abs(l.Y-first.Y) > .08*r.size || max(l.Size, first.Size) > 1.5*min(l.Size, first.Size) {
				off++
				break
			}
		}
	}
	if n < 2 {
		return 0
	}
	return float64(off) / float64(n)
}

// justified reports whether the pieces of the zone are lines of justified
// text columns. In each column, most then reach from edge to edge.
func (z *zone) justified(p *Page) bool {
	cols := columnsOf(p, z.rows, z.size)
	for _, c := range cols {
		n, full := 0, 0
		for _, r := range z.rows {
			for _, i := range r.lines {
				b := p.Lines[i].Box
				if b.X1 < c.X0 || b.X0 > c.X1 {
					continue
				}
				n++
				if b.X0-c.X0 < 1+flush*z.size && c.X1-b.X1 < 1+flush*z.size && len(p.Lines[i].Words) > 1 {
					full++
				}
			}
		}
		if n < 4 || full*10 < n*6 {
			return false
		}
	}
	return len(cols) > 1
}

// boldHead reports whether the whole first row is bold and less than a
// quarter of the cells below it are.
func (t *Table) boldHead() bool {
	bold, all := 0, 0 // cells below the first row
	for i := range t.Rows {
		for j := range t.Rows[i] {
			c := &t.Rows[i][j]
			if len(c.Lines) == 0 {
				continue
			}
			is := c.bold()
			if i == 0 && !is {
				return false
			}
			if i > 0 {
				all++
				bold += count(is)
			}
		}
	}
	return bold*4 < all
}

// boldHeader reports whether all texts of the header are bold and less than a quarter of
// the others.
func (t *Table) boldHeader() bool {
	bold, all := 0, 0 // cells below the header
	for i := range t.Rows {
		for j := range t.Rows[i] {
			c := &t.Rows[i][j]
			switch {
			case len(c.Lines) == 0:
			case i >= t.Header:
				all++
				bold += count(c.bold())
			case !c.bold():
				return false
			}
		}
	}
	return t.Header > 0 && bold*4 < all
}

// byRows reports whether the rows were painted one after the other and are
// not in a monospaced font. Columns of running text are painted one after the
// other instead, and code may have aligned comments.
func (t *Table) byRows() bool {
	on, last := 0, math.MinInt // last is the last word of the rows above in the order of painting
	for i := range t.Rows {
		from, to := math.MaxInt, math.MinInt
		for j := range t.Rows[i] {
			for k := range t.Rows[i][j].Lines {
				l := &t.Rows[i][j].Lines[k]
				if l.fixed() {
					return false
				}
				for k := range l.Words {
					from, to = min(from, l.Words[k].Seq), max(to, l.Words[k].Seq)
				}
			}
		}
		on += count(from > last)
		last = max(last, to)
	}
	return on*10 >= len(t.Rows)*9
}

func (c *Cell) bold() bool {
	b := Block{Lines: c.Lines}
	return b.allBold()
}

// downwards reports whether the columns of a zone are columns of text, such as those of a
// newspaper or an index. They were painted one after the other, unlike the rows of a table, and
// either most of their lines had no room for the first word of the next line, or the
// texts are in alphabetical order from the top to the bottom of each column. Lines across the
// zone part rows.
func (z *zone) downwards(p *Page) bool {
	n, down := 0, 0
	for k := 1; k < len(z.rows); k++ {
		if above, below := z.rows[k-1].lines, z.rows[k].lines; len(above) > 1 && len(below) > 1 {
			n++
			down += count(p.Lines[above[len(above)-1]].Words[0].Seq > p.Lines[below[0]].Words[0].Seq)
		}
	}
	within := z.rows[0].y1
	if n < leastDown || down*10 < n*9 || slices.ContainsFunc(z.rules(p), func(y float64) bool { return y > within && y < z.rows[len(z.rows)-1].y0 }) {
		return false
	}
	pairs, flows, sorted, words := 0, 0, 0, 0
	for _, c := range columnsOf(p, z.rows, z.size) {
		var last *Line
		for _, r := range z.rows {
			for _, i := range r.lines {
				l := &p.Lines[i]
				if l.Box.X0 >= c.X1 || l.Box.X1 <= c.X0 {
					continue
				}
				if last != nil {
					pairs++
					flows += count(len(last.Words) > 2 && last.Box.X1+.25*l.Size+l.least() > c.X1)
					sorted += count(strings.ToLower(last.Text()) < strings.ToLower(l.Text()))
					words += count(hasLetters(l.Words[0].Text))
				}
				last = l
			}
		}
	}
	return flows*2 > pairs || sorted*10 > pairs*7 && words*10 > pairs*9
}

// leastDown is the least number of pairs of rows that show in which order columns were painted.
const leastDown = 3

// listing reports whether the rows are numbered lines of code.
func (t *Table) listing() bool {
	if t.Columns != 2 {
		return false
	}
	numbers := 0
	for _, row := range t.Rows {
		if isDigits(row[0].Text()) {
			numbers++
		}
		for i := range row[1].Lines {
			if !row[1].Lines[i].fixed() {
				return false
			}
		}
	}
	return numbers*10 >= len(t.Rows)*9
}
