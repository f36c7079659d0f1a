// SPDX-License-Identifier: Apache-2.0

package layout

// piece is one block of the structure tree, with references to its content
// on the pages.
type piece struct {
	kind    Kind
	level   int    // of headings from 1; of list items the depth from 0
	texts   []text // nil for tables
	labels  int    // number of leading texts that are the label of a list item
	loose   bool   // text beside blocks, without elements for its paragraphs
	alt     string // alternative text of a figure
	rows    []tableRow
	columns int
}

// text is a sequence of marked content and, if the tree has one, its
// replacement text (ActualText).
type text struct {
	marks  []mark
	actual string
}

// tableRow is a row of a table in the tree.
type tableRow struct {
	cells  []tableCell
	header bool
}

// tableCell is a cell and its column.
type tableCell struct {
	column, colSpan, rowSpan int
	texts                    []text
	element                  *Element
}

// walker divides a structure tree into blocks. If an element has both blocks
// and direct content, the content becomes a paragraph of its own.
type walker struct {
	parts   []piece
	open    []text  // content of the current paragraph
	figures []piece // figures inside the current paragraph; they follow it
	labels  int     // number of leading texts in open that are a label
	as      Kind    // kind of the current paragraph: Paragraph, Item or Contents
}

// level describes the ancestors of an element.
type level struct {
	lists    int // number of enclosing lists
	contents int // number of enclosing tables of contents
	groups   int // number of enclosing sections
	text     bool
}

// element adds the blocks of e.
func (w *walker) element(e *Element, at level) {
	if e.Actual != "" && e.Tag != TagTable && e.Tag != TagList && e.Tag != TagContents && e.Tag != TagGroup && e.Tag != TagFigure {
		marks := marksOf(nil, e)
		switch e.Tag {
		case TagInline, TagLabel:
			w.add(text{marks, e.Actual}, e.Tag == TagLabel)
		default:
			w.flush(at)
			w.whole(e, at, []text{{marks, e.Actual}})
		}
		return
	}
	switch e.Tag {
	case TagGroup:
		w.flush(at)
		at.groups++
		w.kids(e, at)
		w.flush(at)
	case TagInline:
		w.kids(e, at)
	case TagLabel:
		for _, x := range texts(nil, e) {
			w.add(x, true)
		}
	case TagText, TagCode:
		if at.text && e.Tag == TagCode {
			w.kids(e, at)
			return
		}
		if w.as == Paragraph {
			w.flush(at)
		}
		at.text = true
		w.kids(e, at)
		if w.as == Paragraph {
			w.flush(at)
		}
	case TagHeading, TagCaption:
		w.flush(at)
		w.whole(e, at, texts(nil, e))
	case TagList:
		w.flush(at)
		at.lists++
		at.text = false
		w.kids(e, at)
		w.flush(at)
	case TagItem:
		w.flush(at)
		w.as = Item
		w.kids(e, at)
		w.flush(at)
	case TagContents:
		w.flush(at)
		at.contents++
		at.text = false
		w.kids(e, at)
		w.flush(at)
	case TagEntry:
		w.flush(at)
		w.as = Contents
		w.kids(e, at)
		w.flush(at)
	case TagTable:
		w.flush(at)
		w.table(e, at)
	case TagFigure:
		if e.Alt != "" {
			w.figures = append(w.figures, piece{kind: Figure, alt: e.Alt, texts: []text{{marks: marksOf(nil, e)}}})
		}
		w.kids(e, at)
	case TagRow, TagCell:
		w.flush(at)
		w.kids(e, at)
		w.flush(at)
	}
}

func (w *walker) kids(e *Element, at level) {
	for _, k := range e.Kids {
		if k.Element != nil {
			w.element(k.Element, at)
			continue
		}
		w.add(text{marks: []mark{{k.Page, k.MCID}}}, false)
	}
}

// add adds a text to the current paragraph.
func (w *walker) add(x text, label bool) {
	w.open = append(w.open, x)
	if label && w.labels == len(w.open)-1 {
		w.labels++
	}
}

// flush ends the current paragraph or list item.
func (w *walker) flush(at level) {
	if len(w.open) > 0 {
		p := piece{kind: Paragraph, texts: w.open, loose: !at.text}
		switch w.as {
		case Item:
			p.kind, p.level, p.labels, p.loose = Item, max(0, at.lists-1), w.labels, false
		case Contents:
			p.kind, p.level, p.loose = Contents, max(0, at.contents-1), false
		}
		w.parts = append(w.parts, p)
		w.as = Paragraph
	}
	w.parts = append(w.parts, w.figures...)
	w.open, w.labels, w.figures = nil, 0, nil
}

// whole adds an element that is one block, whatever its children are.
func (w *walker) whole(e *Element, at level, texts []text) {
	p := piece{kind: Paragraph, texts: texts}
	switch e.Tag {
	case TagHeading:
		p.kind, p.level = Heading, e.Level
		if p.level == 0 {
			p.level = min(6, max(1, at.groups-1))
		}
	case TagCaption:
		p.kind = Caption
	}
	w.parts = append(w.parts, p)
}

// marksOf appends the marked content of e and its descendants to marks.
func marksOf(marks []mark, e *Element) []mark {
	for _, k := range e.Kids {
		if k.Element != nil {
			marks = marksOf(marks, k.Element)
		} else {
			marks = append(marks, mark{k.Page, k.MCID})
		}
	}
	return marks
}

// texts appends the marked content of e and its descendants to out, with
// replacement texts.
func texts(out []text, e *Element) []text {
	if e.Actual != "" {
		return append(out, text{marksOf(nil, e), e.Actual})
	}
	for _, k := range e.Kids {
		if k.Element != nil {
			out = texts(out, k.Element)
		} else {
			out = append(out, text{marks: []mark{{k.Page, k.MCID}}})
		}
	}
	return out
}

// maxColumns bounds the columns of a table in the tree.
const maxColumns = 1000

// table adds a table. A table with a single row or column, or with another
// table inside, only serves to position its content, so its content is added
// without a table.
func (w *walker) table(e *Element, at level) {
	p := piece{kind: TableBlock}
	nested := false
	w.rows(e, &p, &nested, at, false)
	taken := make([]int, maxColumns) // for each column, the number of rows below that a cell covers
	count := 0
	for i := range p.rows {
		column := 0
		cells := p.rows[i].cells[:0]
		for _, c := range p.rows[i].cells {
			for column < maxColumns && taken[column] > 0 {
				column++
			}
			if column == maxColumns {
				break
			}
			c.column = column
			c.colSpan = min(max(1, c.colSpan), maxColumns-column)
			c.rowSpan = min(max(1, c.rowSpan), len(p.rows)-i)
			for range c.colSpan {
				taken[column] = c.rowSpan
				column++
			}
			cells = append(cells, c)
			count++
			p.columns = max(p.columns, column)
		}
		p.rows[i].cells = cells
		for j := range taken[:p.columns] {
			taken[j] = max(0, taken[j]-1)
		}
	}
	// The file states the spans, so they must not make a grid much larger
	// than the number of cells.
	if nested || len(p.rows) < 2 || p.columns < 2 || len(p.rows)*p.columns > 16*count+64 {
		for i := range p.rows {
			for _, c := range p.rows[i].cells {
				w.kids(c.element, at)
				w.flush(at)
			}
		}
		return
	}
	if c := p.rows[0].cells; len(p.rows) > 2 && len(c) == 1 && c[0].colSpan == p.columns && c[0].rowSpan == 1 {
		w.parts = append(w.parts, piece{kind: Paragraph, texts: c[0].texts, loose: true})
		p.rows = p.rows[1:]
	}
	w.parts = append(w.parts, p)
}

// rows collects the rows below e, including those in row groups. A caption
// is added before the table.
func (w *walker) rows(e *Element, p *piece, nested *bool, at level, header bool) {
	header = header || e.Header
	for _, k := range e.Kids {
		switch {
		case k.Element == nil:
		case k.Element.Tag == TagRow:
			p.rows = append(p.rows, rowOf(k.Element, nested, header || k.Element.Header))
		case k.Element.Tag == TagCaption:
			w.element(k.Element, at)
		case k.Element.Tag == TagTable:
			*nested = true
		default:
			w.rows(k.Element, p, nested, at, header)
		}
	}
}

func rowOf(e *Element, nested *bool, header bool) tableRow {
	r := tableRow{header: true}
	for _, k := range e.Kids {
		c := k.Element
		if c == nil || c.Tag != TagCell {
			continue
		}
		if holdsTable(c) {
			*nested = true
		}
		r.header = r.header && (c.Header || header)
		r.cells = append(r.cells, tableCell{colSpan: c.ColSpan, rowSpan: c.RowSpan, texts: texts(nil, c), element: c})
	}
	return r
}

func holdsTable(e *Element) bool {
	for _, k := range e.Kids {
		if k.Element != nil && (k.Element.Tag == TagTable || holdsTable(k.Element)) {
			return true
		}
	}
	return false
}
