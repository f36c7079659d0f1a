// SPDX-License-Identifier: Apache-2.0

package sheet

import (
	"context"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
)

// grid writes the table as a grid.
func (t *table) grid(caption *shape) error {
	if caption != nil {
		t.paragraph(block{first: caption.index, last: caption.index, left: t.left, right: t.right, table: t.table})
	}
	texts := t.stored()
	if texts == nil {
		var err error
		if texts, err = t.copied(caption); err != nil {
			return err
		}
	}
	t.book.B.Grid(t.Node, len(t.shapes), len(t.columns), t.heads > 0, texts, t.attrs()...)
	t.gridLinks()
	for at := range t.struck {
		if row, column := parted(at); t.shows(row, column) {
			t.book.unstruck++
		}
	}
	return nil
}

// shows reports whether a cell belongs to the grid.
func (t *table) shows(row, column int) bool {
	return row >= t.shapes[0].number && row <= t.shapes[len(t.shapes)-1].number && t.takes(t.block, row, column)
}

// stored returns the text of the grid in the pieces in which the sheet stores it, or nil
// if the grid has other cells than the rows, or too many pieces.
func (t *table) stored() (texts []string) {
	last := len(t.columns) - 1
	if t.far || t.columns[0] != 0 || t.columns[last] != last {
		return nil
	}
	var at, size uint32 // of the current piece
	for i, s := range t.shapes {
		r := t.rows[s.index]
		switch {
		case !s.whole:
			return nil
		case i > 0 && r.at == at+size && r.at/chunkSize == at/chunkSize:
			size += r.size
			continue
		case i > 0:
			texts = append(texts, t.texts.at(at, size))
		}
		if len(texts) > 2*len(t.texts.chunks) {
			return nil
		}
		at, size = r.at, r.size
	}
	return append(texts, t.texts.at(at, size))
}

// copied returns the text of the grid.
func (t *table) copied(caption *shape) (texts []string, err error) {
	var b strings.Builder
	left := t.gridSize()
	b.Grow(min(left, doctree.GridPiece+t.gridRow()))
	free := t.whole(caption)
	var c cell
	for i, s := range t.shapes {
		if i%256 == 0 && t.ctx.Err() != nil {
			return nil, context.Cause(t.ctx)
		}
		if b.Len() >= doctree.GridPiece {
			texts, left = append(texts, b.String()), max(0, left-b.Len())
			b = strings.Builder{}
			b.Grow(min(left, doctree.GridPiece+t.gridRow()))
		}
		if free && i > 0 {
			for k := t.rows[t.shapes[i-1].index].at / chunkSize; k < t.rows[s.index].at/chunkSize; k++ {
				t.texts.chunks[k] = nil // its cells have been written
			}
		}
		at := 0 // index of columns
		for walk := t.cells(t.rows[s.index]); walk.next(&c); {
			if !t.takes(t.block, s.number, c.column) {
				continue
			}
			for at < len(t.columns) && t.columns[at] < c.column {
				b.WriteByte(doctree.GridEnd)
				at++
			}
			b.WriteString(c.text)
		}
		b.WriteByte(doctree.GridRowEnd)
	}
	return append(texts, b.String()), nil
}

// whole reports whether the table shows all cells of the sheet, so that nothing else
// needs them.
func (t *table) whole(caption *shape) bool {
	count := 0
	if caption != nil {
		count = caption.count
	}
	for _, s := range t.shapes {
		count += s.count
	}
	return count == t.count && !t.strayed && len(t.hrefs) == 0
}

// gridSize estimates the bytes of the grid's text.
func (t *table) gridSize() (size int) {
	for _, s := range t.shapes {
		size += int(t.rows[s.index].size)
	}
	return size
}

// gridRow estimates the bytes of a row, with some more for a long one.
func (t *table) gridRow() int { return 4 * t.gridSize() / len(t.shapes) }

// gridLinks lists the links of a grid, because a grid has only text.
func (t *table) gridLinks() {
	if len(t.hrefs) == 0 {
		return
	}
	b := &t.book.B
	var list *html.Node
	var c cell
	for _, s := range t.shapes {
		for walk := t.cells(t.rows[s.index]); walk.next(&c); {
			if _, ok := t.hrefs[place(s.number, c.column)]; !ok || !t.takes(t.block, s.number, c.column) {
				continue
			}
			if !t.book.Room() {
				return
			}
			if list == nil {
				list = b.Append(t.Node, atom.Ul)
			}
			li := b.Append(list, atom.Li)
			b.Text(li, Address(s.number, c.column)+": ")
			t.content(li, s.number, c)
		}
	}
}
