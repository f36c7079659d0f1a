// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"slices"
	"strings"
	"unicode"
)

// filled counts the cells and those of them that hold text.
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

// unspan splits cells over several rows whose lines stand in most of these
// rows: only the columns beside them have lines between the rows. ys are the
// borders of the rows.
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

// compact drops rows and columns that only lines made: those without text in
// which no cell begins that reaches beyond them, and doubles between two
// lines of one border.
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

// rowEmpty says whether no cell that begins in row i has text, and the row is
// lower than a line of text or spans no cell of its own.
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
	all := true // the row adds nothing: all its cells go on from above or below
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
		case !c.Covered && c.RowSpan > 1: // begins here: moves down
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

// ownerAbove returns the cell of a row above that covers the place i, j, where
// j is the cell's own column.
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

// prose says whether the cells hold running text: a page laid out in boxes.
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

// headers finds how many rows at the top are headers: bold rows over plain
// ones, rows of text over columns of numbers, rows that spans open.
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

// form says whether the cells are fields of a form: most have a small label over
// a larger text.
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

// wholeHeader lets the header go on to where its cells end; a table that is
// all header has none.
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

// rowKind says whether most filled cells of a row are numbers.
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

// isNumeric says whether s is a number, an amount, a share or a mark for none.
func isNumeric(s string) bool {
	digits, others := 0, 0
	for _, r := range s {
		switch {
		case unicode.IsDigit(r):
			digits++
		case strings.ContainsRune(" .,-–—+%$€£¥()±*/:<>~≤≥'", r):
		default:
			others++
		}
	}
	return digits > 0 && others*2 <= digits || digits == 0 && others == 0 && s != ""
}

// stacked is the share of words that stand in cells of five lines or more.
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

// density is the share of filled cells that are numbers.
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
