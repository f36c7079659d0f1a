// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"math"
	"slices"
	"unicode"

	"example.com/curlew/parse/internal/pdf/content"
)

// filled counts the cells and the cells with text.
func (t *Table) filled() (filled, cells int) {
	for i := range t.Rows {
		for j := range t.Rows[i] {
			if c := &t.Rows[i][j]; !c.Covered {
				cells++
				if len(c.Lines) > 0 {
					filled++
				}
			}
		}
	}
	return filled, cells
}

// unspan splits cells that span several rows if their lines are spread over
// most of these rows. Such a table has lines between rows in the other
// columns only. ys are the row borders.
func (t *Table) unspan(ys []float64) {
	for i := range t.Rows {
		for j := range t.Rows[i] {
			c := &t.Rows[i][j]
			if c.Covered || c.RowSpan < 3 || len(c.Lines) < 3 {
				continue
			}
			rows := map[int][]Line{}
			for _, l := range c.Lines {
				r := slot(ys, l.Y-.3*l.Size)
				rows[r] = append(rows[r], l)
			}
			if len(rows)*10 < c.RowSpan*6 {
				continue
			}
			span := c.RowSpan
			for r := i; r < i+span; r++ {
				o := *c
				o.RowSpan, o.Covered, o.Lines = 1, false, rows[r]
				o.Box.Y0, o.Box.Y1 = ys[r], ys[r+1]
				t.Rows[r][j] = o
			}
		}
	}
}

// unjoin splits cells that span several columns if each of these columns has texts
// within its walls, wide gaps apart. Such a table has no lines between the columns in
// this row.
func (t *Table) unjoin() {
	walls := t.cellColumns()
	if walls == nil {
		return
	}
	for i := range t.Rows {
		for j := range t.Rows[i] {
			c := &t.Rows[i][j]
			if c.Covered || c.ColSpan < 2 || len(c.Lines) == 0 {
				continue
			}
			span, cols := *c, walls[j:j+c.ColSpan]
			texts := c.apart(cols)
			for k := range texts {
				for r := i + 1; r < i+span.RowSpan; r++ {
					t.Rows[r][j+k] = Cell{ColSpan: 1, RowSpan: 1, Covered: true}
				}
				t.Rows[i][j+k] = Cell{ColSpan: 1, RowSpan: span.RowSpan, Lines: texts[k], Box: content.Box{X0: cols[k].X0, X1: cols[k].X1, Y0: span.Box.Y0, Y1: span.Box.Y1}}
			}
		}
	}
}

// apart returns the lines of a cell in each of the given columns. It returns nil if a
// line crosses a border without a wide gap there, or if a column has none.
func (c *Cell) apart(cols []content.Box) [][]Line {
	out := make([][]Line, len(cols))
	for k := range c.Lines {
		l := &c.Lines[k]
		if l.Turn != 0 {
			return nil
		}
		end := math.Inf(-1)
		for _, q := range splitLine(l, cols) {
			if q.c0 != q.c1 || q.words[0].Box.X0 < cols[q.c0].X0-1 || q.x1() > cols[q.c0].X1+1 || q.words[0].Box.X0-end < wideGap*l.Size ||
				slices.ContainsFunc(q.words, func(w Word) bool { return isLeader(w.Text) }) {
				return nil
			}
			end = q.x1()
			out[q.c0] = append(out[q.c0], newLine(q.words, 0))
		}
	}
	if slices.ContainsFunc(out, func(ls []Line) bool { return len(ls) == 0 }) {
		return nil
	}
	return out
}

// compact removes rows and columns that are artefacts of ruling lines: those
// without text, and doubles between the two lines of one border.
func (t *Table) compact() {
	for i := range slices.Backward(t.Rows) {
		if t.rowEmpty(i) {
			t.dropRow(i)
		}
	}
	for j := t.Columns - 1; j >= 0; j-- {
		if t.columnEmpty(j) {
			t.dropColumn(j)
		}
	}
}

// rowEmpty reports whether row i can be dropped. It then has no text of its
// own, and is the first or last row, is lower than a line of text, or has
// only cells that continue from or into other rows.
func (t *Table) rowEmpty(i int) bool {
	low := false
	for j := range t.Rows[i] {
		c := &t.Rows[i][j]
		if !c.Covered && len(c.Lines) > 0 {
			return false
		}
		if !c.Covered && c.RowSpan == 1 && c.Box.Height() < 5 {
			low = true
		}
	}
	all := true // every cell continues from above or below
	for j := range t.Rows[i] {
		c := &t.Rows[i][j]
		if !c.Covered && c.RowSpan == 1 {
			all = false
		}
	}
	return low || all || i == len(t.Rows)-1 || i == 0
}

func (t *Table) dropRow(i int) {
	for j := range t.Rows[i] {
		c := t.Rows[i][j]
		switch {
		case !c.Covered && c.RowSpan > 1: // the cell begins here: move it down
			c.RowSpan--
			t.Rows[i+1][j] = c
		case c.Covered:
			if o := t.ownerAbove(i, j); o != nil {
				o.RowSpan--
			}
		}
	}
	t.Rows = slices.Delete(t.Rows, i, i+1)
}

// ownerAbove returns the cell in an earlier row of column j that covers
// position i, j. It returns nil if there is none.
func (t *Table) ownerAbove(i, j int) *Cell {
	for a := i - 1; a >= 0; a-- {
		if c := &t.Rows[a][j]; !c.Covered {
			if a+c.RowSpan > i {
				return c
			}
			return nil
		}
	}
	return nil
}

func (t *Table) columnEmpty(j int) bool {
	narrow, all := false, true
	for i := range t.Rows {
		c := &t.Rows[i][j]
		if c.Covered {
			continue
		}
		if len(c.Lines) > 0 && c.ColSpan == 1 {
			return false
		}
		if c.ColSpan == 1 {
			all = false
			if c.Box.Width() < 5 {
				narrow = true
			}
		}
	}
	return narrow || all || j == t.Columns-1 && !t.anyText(j) || j == 0 && !t.anyText(j)
}

func (t *Table) anyText(j int) bool {
	for i := range t.Rows {
		if c := &t.Rows[i][j]; !c.Covered && len(c.Lines) > 0 {
			return true
		}
	}
	return false
}

func (t *Table) dropColumn(j int) {
	for i := range t.Rows {
		c := t.Rows[i][j]
		switch {
		case !c.Covered && c.ColSpan > 1:
			c.ColSpan--
			t.Rows[i][j+1] = c
		case c.Covered:
			for b := j - 1; b >= 0; b-- {
				if o := &t.Rows[i][b]; !o.Covered {
					if b+o.ColSpan > j {
						o.ColSpan--
					}
					break
				}
			}
		}
		t.Rows[i] = slices.Delete(t.Rows[i], j, j+1)
	}
	t.Columns--
}

// prose reports whether the cells hold running text, so that the grid is the
// layout of a page and not a table.
func (t *Table) prose() bool {
	words, cells, long, longest := 0, 0, 0, 0
	for i := range t.Rows {
		for j := range t.Rows[i] {
			c := &t.Rows[i][j]
			n := 0
			for k := range c.Lines {
				n += len(c.Lines[k].Words)
			}
			if n > 0 {
				cells++
				words += n
			}
			if n > 80 {
				long++
			}
			longest = max(longest, n)
		}
	}
	return cells > 0 && (words > 60*cells || cells <= 4 && long*2 >= cells || longest*2 > words && longest > 150)
}

// codeLines reports whether a table is lines of code: nearly all of its text is in a monospaced
// font, and no row has two texts. Many programs draw a background behind each line of code.
func (t *Table) codeLines() bool {
	fixed, lines := 0, 0
	for i := range t.Rows {
		texts := 0
		for j := range t.Rows[i] {
			c := &t.Rows[i][j]
			texts += count(len(c.Lines) > 0)
			for k := range c.Lines {
				lines++
				fixed += count(c.Lines[k].fixed())
			}
		}
		if texts > 1 {
			return false
		}
	}
	return fixed*10 >= lines*9
}

// code makes a listing of a table whose cells are lines of code.
func (t *Table) code(page int) Block {
	b := Block{Kind: Code, Page: page, Conf: 1}
	for i := range t.Rows {
		for j := range t.Rows[i] {
			for _, l := range t.Rows[i][j].Lines {
				b.Lines, b.Box = append(b.Lines, l), join2(b.Box, l.Box)
			}
		}
	}
	return b
}

// headers sets the number of header rows. It is one, or two if a cell of the
// first row spans several columns, but not all, and the second row is not
// numeric. A form has no header.
func (t *Table) headers() {
	if len(t.Rows) < 2 || t.form() {
		return
	}
	t.Header = 1
	deep := 1
	for j := range t.Rows[0] {
		if c := &t.Rows[0][j]; !c.Covered && c.ColSpan > 1 && c.RowSpan == 1 && c.ColSpan < t.Columns {
			deep = 2
		}
	}
	if deep < len(t.Rows) && deep > 1 && t.rowKind(1) != numeric {
		t.Header = deep
	}
	t.wholeHeader()
}

// form reports whether the cells are fields of a form. Most then have a
// small label above a larger text.
func (t *Table) form() bool {
	filled, fields := 0, 0
	for i := range t.Rows {
		for j := range t.Rows[i] {
			ls := t.Rows[i][j].Lines
			if len(ls) == 0 {
				continue
			}
			filled++
			if n := len(ls) - 1; n > 0 && ls[0].Size < .9*ls[n].Size && hasAlnum(ls[0].Text()) {
				fields++
			}
		}
	}
	return fields > 1 && fields*2 > filled
}

// wholeHeader extends the header to the end of its cells. If it then covers
// the whole table, there is no header.
func (t *Table) wholeHeader() {
	for i := 0; i < t.Header && i < len(t.Rows); i++ {
		for j := range t.Rows[i] {
			if c := &t.Rows[i][j]; !c.Covered {
				t.Header = max(t.Header, i+c.RowSpan)
			}
		}
	}
	if t.Header >= len(t.Rows) {
		t.Header = 0
	}
}

type rowKind uint8

const (
	textual rowKind = iota
	numeric
)

// rowKind reports whether at least half of the filled cells of a row are
// numbers.
func (t *Table) rowKind(i int) rowKind {
	n, num := 0, 0
	for j := range t.Rows[i] {
		if c := &t.Rows[i][j]; !c.Covered && len(c.Lines) > 0 {
			n++
			if isNumeric(c.Text()) {
				num++
			}
		}
	}
	if num*2 >= n && n > 0 {
		return numeric
	}
	return textual
}

// isNumeric reports whether s is a number, an amount of money, a percentage
// or a mark for a missing value.
func isNumeric(s string) bool {
	digits, others := 0, 0
	for i, r := range s {
		switch r {
		case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			digits++
		case ' ', '.', ',', '-', '–', '—', '+', '%', '$', '€', '£', '¥', '(', ')', '±', '*', '/', ':', '<', '>', '~', '≤', '≥', '\'':
		default:
			if unicode.IsDigit(r) {
				digits++
			} else if others++; others*2 > digits+len(s)-i {
				return false // most texts end here
			}
		}
	}
	return digits > 0 && others*2 <= digits || digits == 0 && others == 0 && s != ""
}

// stacked returns the share of words in cells of five or more lines.
func (t *Table) stacked() float64 {
	words, deep := 0, 0
	for i := range t.Rows {
		for j := range t.Rows[i] {
			c := &t.Rows[i][j]
			n := 0
			for k := range c.Lines {
				n += len(c.Lines[k].Words)
			}
			words += n
			if len(c.Lines) >= 5 {
				deep += n
			}
		}
	}
	return float64(deep) / float64(max(1, words))
}

// density returns the share of filled cells that are numbers.
func (t *Table) density() float64 {
	filled, num := 0, 0
	for i := range t.Rows {
		for j := range t.Rows[i] {
			if c := &t.Rows[i][j]; len(c.Lines) > 0 {
				filled++
				if isNumeric(c.Text()) {
					num++
				}
			}
		}
	}
	return float64(num) / float64(max(1, filled))
}
