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
	usual, others, all := w.uneven()
	unlike := 0
	if usual > 1 {
		unlike = w.other
	}
	if s.tie != 0 {
		said = append(said, fmt.Sprintf("The cells were divided at %q. At %q, the rows would be as even.", s.comma, s.tie))
	}
	for _, d := range []struct {
		found

		text string
	}{
		{found{s.open, s.open}, "A quote in line %[2]d is never closed; quotes from there on are part of the text."},
		{s.stray, "Cells in quotes that contain a quote that is not doubled: %[1]d, the first in line %[2]d. They may hold more than one cell or row."},
		{others, "Rows with another number of cells than is most frequent (%[3]d): %[1]d of %[4]d, the first in line %[2]d."},
		{found{n: unlike}, "Rows whose cells another character may separate: %[1]d."},
		{found{n: s.wrong}, "Characters U+FFFD, which stand for bytes that are no characters of the encoding: %[1]d."},
	} {
		if d.n > 0 {
			said = append(said, fmt.Sprintf(d.text, d.n, d.line, usual, all))
		}
	}
	return said
}
