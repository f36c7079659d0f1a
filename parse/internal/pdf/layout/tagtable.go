// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"maps"
	"math"
	"slices"

	"example.com/curlew/parse/internal/pdf/content"
)

// grid reports whether a table has text in at least two rows and two
// columns. Other tables only serve to position their content.
func (b *builder) grid(p *piece) bool {
	rows, columns := 0, map[int]bool{}
	for _, row := range p.rows {
		full := false
		for _, c := range row.cells {
			if b.size(c.texts) > 0 {
				full, columns[c.column] = true, true
			}
		}
		if full {
			rows++
		}
	}
	return rows > 1 && len(columns) > 1
}

// table makes a block of a table. It leaves out rows without visible text on
// the given pages.
func (b *builder) table(p *piece) (Block, bool) {
	out := Block{Kind: TableBlock, Conf: 1, Tagged: true, Table: &Table{Conf: 1, Columns: p.columns}}
	t := out.Table
	texts := b.texts(p, t)
	complete(p, texts)
	for i := range p.rows {
		row := make([]Cell, p.columns)
		page := 0
		var box content.Box
		for j := range row {
			row[j] = Cell{ColSpan: 1, RowSpan: 1}
		}
		lost := false
		for k, c := range p.rows[i].cells {
			cell := &row[c.column]
			cell.ColSpan, cell.RowSpan = c.colSpan, c.rowSpan
			for _, l := range texts[i][k] {
				if page == 0 {
					page = l.page
				}
				if l.page > page && cell.Next == 0 {
					cell.Next = len(cell.Lines)
				}
				box = join2(box, l.line.Box)
				cell.Box = join2(cell.Box, l.line.Box)
				cell.Lines = append(cell.Lines, l.line)
			}
			lost = lost || len(cell.Lines) == 0 && len(c.texts) > 0
		}
		if page == 0 && lost {
			continue
		}
		switch {
		case out.Page == 0:
			out.Page = page
		case page != 0 && page != out.lastPage():
			out.Parts = append(out.Parts, Part{Page: page, Line: len(t.Rows), Box: box})
		}
		t.Pages = append(t.Pages, out.widen(box))
		t.Rows = append(t.Rows, row)
		if len(t.Rows) == t.Header+1 && p.rows[i].header {
			t.Header++
		}
	}
	if len(out.Parts) == 0 {
		t.Pages = nil
	}
	t.Box = out.Box
	t.cover()
	t.wholeHeader()
	return out, out.Page != 0
}

// widen adds the box of a row to that of the last part of a block, and returns the page of that part, or 0 if the
// block has no parts.
func (b *Block) widen(box content.Box) int {
	n := len(b.Parts)
	if n == 0 {
		b.Box = join2(b.Box, box)
		return 0
	}
	b.Parts[n-1].Box = join2(b.Parts[n-1].Box, box)
	return b.Parts[n-1].Page
}

// texts returns the lines of each cell of table t, and counts header rows that later
// pages repeat.
func (b *builder) texts(p *piece, t *Table) [][][]placed {
	out := make([][][]placed, len(p.rows))
	for i := range p.rows {
		repeated := 0
		for _, c := range p.rows[i].cells {
			lines := b.lines(c.texts)
			if p.rows[i].header {
				first := once(lines)
				if len(first) > 0 {
					repeated = max(repeated, len(lines)/len(first)-1)
				}
				for _, l := range lines[len(first):] {
					b.replaced[l.page] += l.line.count()
				}
				lines = first
			}
			out[i] = append(out[i], lines)
		}
		t.Repeated += repeated
	}
	return out
}

// once returns the lines of the first page if all further pages repeat their
// text. Some programs tag the header that a table has on each page as one row.
func once(lines []placed) []placed {
	n := 0 // number of lines of the first page
	for n < len(lines) && lines[n].page == lines[0].page {
		n++
	}
	if n == 0 || len(lines)%n != 0 {
		return lines
	}
	for i := n; i < len(lines); i++ {
		if lines[i].page != lines[i-i%n].page || lines[i].line.Text() != lines[i%n].line.Text() {
			return lines
		}
	}
	return lines[:n]
}

// complete moves the cells of incomplete rows to the columns in which their
// texts stand. Some programs leave empty cells out of the tree. Rows below a
// cell that spans several rows are not changed.
func complete(p *piece, texts [][][]placed) {
	short, ok := p.incomplete()
	if !ok {
		return
	}
	cols := make([]content.Box, p.columns) // the texts of rows without gaps
	for i, row := range p.rows {
		if _, gap := slices.BinarySearch(short, i); gap {
			continue
		}
		for k, c := range row.cells {
			for _, l := range texts[i][k] {
				if c.colSpan == 1 {
					cols[c.column] = join2(cols[c.column], content.Box{X0: l.line.Box.X0, X1: l.line.Box.X1, Y1: 1})
				}
			}
		}
	}
	if slices.ContainsFunc(cols, content.Box.Empty) {
		return
	}
	for _, i := range short {
		next := 0
		for k := range p.rows[i].cells {
			c := &p.rows[i].cells[k]
			left := len(p.rows[i].cells) - k // cells that still need a column
			if len(texts[i][k]) > 0 && c.colSpan == 1 {
				next = nearestColumn(cols[:p.columns-left+1], next, texts[i][k][0].line.Box)
			}
			c.column = max(c.column, min(next, p.columns-left))
			next = c.column + c.colSpan
		}
	}
}

// incomplete returns the rows of a table with fewer cells than columns. It returns
// false if their cells may stand below cells of several rows.
func (p *piece) incomplete() (short []int, ok bool) {
	covered := make([]int, len(p.rows)) // columns of each row that cells above it cover
	for i, row := range p.rows {
		n := covered[i]
		for _, c := range row.cells {
			n += c.colSpan
			if c.rowSpan > 1 && i > 0 {
				return nil, false
			}
			for a := i + 1; a < min(i+c.rowSpan, len(p.rows)); a++ {
				covered[a] += c.colSpan
			}
		}
		if n >= p.columns {
			continue
		}
		if covered[i] > 0 {
			return nil, false
		}
		short = append(short, i)
	}
	return short, true
}

// nearestColumn returns the column from next on that a text is aligned with.
func nearestColumn(cols []content.Box, next int, b content.Box) int {
	best, at := math.Inf(1), next
	for j := next; j < len(cols); j++ {
		c := cols[j]
		d := min(math.Abs(b.X0-c.X0), math.Abs(b.X1-c.X1), math.Abs(b.X0+b.X1-c.X0-c.X1)/2)
		if d < best-1 {
			best, at = d, j
		}
	}
	return at
}

// drawn returns the ruled tables of the layout that match a table of the
// tree, one for each page. It returns nil if a page has none. Ruling lines
// show rows and spans better than tags that a program guessed, unless the
// layout has far fewer rows than the tree.
func (b *builder) drawn(p *piece) []Block {
	marks := map[int]map[int]bool{} // by page number
	full, rows := 0, 0
	for _, row := range p.rows {
		filled := 0
		for _, c := range row.cells {
			if b.size(c.texts) > 0 {
				filled += c.colSpan
			}
			for _, x := range c.texts {
				for _, m := range x.marks {
					if marks[m.page] == nil {
						marks[m.page] = map[int]bool{}
					}
					marks[m.page][m.mcid] = true
				}
			}
		}
		if filled*2 >= p.columns {
			full++
		}
	}
	var out []Block
	for _, n := range slices.Sorted(maps.Keys(marks)) {
		sh := b.sheets[n]
		if sh == nil {
			continue
		}
		t := sh.drawn(marks[n])
		if t == nil {
			return nil
		}
		rows += len(t.Table.Rows)
		out = append(out, *t)
	}
	if full*2 > rows*3 {
		return nil
	}
	for i := range out {
		b.sheets[out[i].Page].use(&out[i])
	}
	return out
}

// cover marks the positions that spanning cells cover and limits spans to
// the table.
func (t *Table) cover() {
	for i := range t.Rows {
		for j := range t.Rows[i] {
			c := &t.Rows[i][j]
			if c.Covered {
				continue
			}
			c.RowSpan, c.ColSpan = min(c.RowSpan, len(t.Rows)-i), min(c.ColSpan, t.Columns-j)
			for a := i; a < i+c.RowSpan; a++ {
				for b := j; b < j+c.ColSpan; b++ {
					if o := &t.Rows[a][b]; o != c && len(o.Lines) == 0 {
						o.Covered = true
					}
				}
			}
		}
	}
}
