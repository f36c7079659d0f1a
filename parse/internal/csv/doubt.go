// SPDX-License-Identifier: Apache-2.0

package csv

import (
	"fmt"
	"strings"
)

// found counts something, and is the first line in which it was found. Lines
// are counted from 1.
type found struct{ n, line int }

func (f *found) add(line int) {
	if f.n++; f.n == 1 {
		f.line = line
	}
}

// widths counts records by their number of fields.
type widths struct {
	of    map[int]*found
	last  *found // of the record before, which often has the same width
	width int
	other int // records of one field in which there is another separator
}

// add adds a record that begins in a line.
func (w *widths) add(record []string, line int, comma byte) {
	if len(record) != w.width {
		if w.of == nil {
			w.of = map[int]*found{}
		}
		w.width = len(record)
		if w.last = w.of[w.width]; w.last == nil {
			w.last = new(found)
			w.of[w.width] = w.last
		}
	}
	w.last.add(line)
	if comma != 0 && len(record) == 1 && strings.ContainsAny(record[0], "\t;|,") {
		w.other++
	}
}

// uneven returns the most frequent number of fields, the records with another
// number, and the number of all records.
func (w *widths) uneven() (usual int, others found, all int) {
	most := 0
	for width, f := range w.of {
		all += f.n
		if f.n > most || f.n == most && width > usual {
			usual, most = width, f.n
		}
	}
	for width, f := range w.of {
		if width != usual && (others.line == 0 || f.line < others.line) {
			others.line = f.line
		}
	}
	others.n = all - most
	return usual, others, all
}

// doubts says what may be wrong in the records that s has read.
func (s *scanner) doubts(w *widths) (said []string) {
	if s.open > 0 {
		said = append(said, fmt.Sprintf("A quote in line %d is never closed; quotes from there on are part of the text.", s.open))
	}
	if s.stray.n > 0 {
		said = append(said, fmt.Sprintf("Cells in quotes that contain a quote that is not doubled: %d, the first in line %d. They may hold more than one cell or row.", s.stray.n, s.stray.line))
	}
	if usual, others, all := w.uneven(); others.n > 0 {
		text := fmt.Sprintf("Rows with another number of cells than is most frequent (%d): %d of %d, the first in line %d.", usual, others.n, all, others.line)
		if usual > 1 && w.other > 0 {
			text += fmt.Sprintf(" Another character may separate the cells of %d of them.", w.other)
		}
		said = append(said, text)
	}
	return said
}
