// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
)

// big writes a table that has too many cells to build nodes for. It always
// writes a pipe table, row by row, because the other forms would keep the whole
// table in memory.
func (w tableWriter) big(g doctree.Grid) {
	w.start(grid)
	w.out = slices.Grow(w.out, g.Size())
	first := true
	for row := range g.Rows() {
		if !first {
			w.newline()
		}
		w.bigRow(row, g.Columns)
		if first {
			// A GFM table needs a header, so the first row becomes it.
			w.newline()
			w.bigRule(g.Columns)
			first = false
		}
	}
}

func (w *output) bigRule(columns int) {
	for range columns {
		w.out = append(w.out, "| --- "...)
	}
	w.out = append(w.out, '|')
}

// bigRow writes one row. Readers fill up short rows themselves.
func (w tableWriter) bigRow(row string, columns int) {
	w.out = append(w.out, '|')
	cells := 0
	for row != "" || cells == 0 {
		cell, rest, more := strings.Cut(row, string(doctree.GridEnd))
		w.out = append(w.out, ' ')
		if mark := len(w.out); cell != "" {
			if w.bigCell(cell); len(w.out) > mark {
				w.out = append(w.out, ' ')
			}
		}
		w.out = append(w.out, '|')
		cells++
		row = rest
		if !more {
			break
		}
	}
	for ; cells < columns; cells++ {
		if w.padded++; w.padded > maxSlots {
			return
		}
		w.out = append(w.out, " |"...)
	}
}

// bigCell writes a text like a cell of an ordinary table. Most texts need no
// escapes.
func (w tableWriter) bigCell(text string) {
	if isBare(text) {
		w.out = append(w.out, text...)
		return
	}
	td := html.Node{Type: html.ElementNode, DataAtom: atom.Td, Data: "td"}
	line, more, again := strings.Cut(text, "\n")
	for {
		if line != "" {
			td.AppendChild(&html.Node{Type: html.TextNode, Data: line})
		}
		if !again {
			break
		}
		td.AppendChild(&html.Node{Type: html.ElementNode, DataAtom: atom.Br, Data: "br"})
		line, more, again = strings.Cut(more, "\n")
	}
	w.out = append(w.out, w.cellText(&td)...)
}

// isBare reports whether text contains only plain words and numbers, so that
// nothing in it can be read as Markdown.
func isBare(text string) bool {
	if c := text[0] | 0x20; (c < 'a' || c > 'z') && (text[0] < '0' || text[0] > '9') {
		return false // may begin a block
	}
	for i := range len(text) {
		switch c := text[i]; {
		case c|0x20 >= 'a' && c|0x20 <= 'z', c >= '0' && c <= '9', c == ',', c == '%', c == '-':
		case c == '.':
			if i+1 == len(text) || text[i+1] < '0' || text[i+1] > '9' {
				return false // may look like the number of an item, or form a link
			}
		case c == ' ':
			if i+1 == len(text) || text[i+1] == ' ' {
				return false
			}
		default:
			return false
		}
	}
	return true
}
