// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"math"
	"slices"
	"unicode"
	"unicode/utf8"
)

// If the lines within a cell are as far apart as rows, the text decides. A line
// continues the row above if each of its pieces stands below another piece, and
// the first word of the lower piece did not fit at the end of the upper one.

// wrapped returns which bands continue the row above according to their
// text. It returns nil if there is no evidence for wrapped cells. crossed
// marks the bands that a rule separates from the one above.
func (z *zone) wrapped(bands [][]part, crossed []bool) []bool {
	ends := map[int]float64{} // right edge of each column
	for _, b := range bands {
		for i := range b {
			if q := &b[i]; q.c0 == q.c1 {
				if end, ok := ends[q.c0]; !ok || q.x1() > end {
					ends[q.c0] = q.x1()
				}
			}
		}
	}
	out := make([]bool, len(bands))
	tries, holds, lower := 0, 0, 0 // counts of lines without a first column
	opening := bands[0]
	for i := 1; i < len(bands); i++ {
		b := bands[i]
		n, of := columnsIn(b), columnsIn(opening)
		if crossed[i] || n >= of || top(b)-bottom(bands[i-1]) > .8*z.size {
			opening = b
			continue
		}
		fits := noRoom(bands[i-1], b, ends)
		small := allLower(b)
		switch {
		case first(b) > 0 && first(opening) == 0 && n*2 <= of+1 && beneath(bands[i-1], b):
			tries++
			if fits {
				holds++
			}
			if small {
				lower++
			}
			out[i] = fits || small
		default:
			out[i] = fits && small && opensRow(opening)
		}
		if !out[i] {
			opening = b
		}
	}
	if (tries-holds)*6 > tries || lower*2 < tries {
		return nil
	}
	return out
}

// noRoom reports whether each piece of b stands below a piece of above and
// its first word did not fit at the end of that piece within the column.
// Numbers do not wrap.
func noRoom(above, b []part, ends map[int]float64) bool {
	if len(above) > maxPieces || len(b) > maxPieces {
		return false
	}
	for i := range b {
		q := &b[i]
		if i > 0 && b[i-1].c0 == q.c0 {
			continue // the rest of a line with wide spaces
		}
		over := pieceAt(above, q.c0)
		if q.c0 != q.c1 || over == nil || over.c0 != over.c1 || isNumeric(q.text()) || isNumeric(over.text()) {
			return false
		}
		w := &q.words[0]
		if over.x1()+.2*w.Size+w.Box.Width() < ends[q.c0] {
			return false
		}
	}
	return true
}

// beneath reports whether the pieces of b have an edge or their middle in common with those
// of above. The title of a section stands elsewhere.
func beneath(above, b []part) bool {
	if len(above) > maxPieces || len(b) > maxPieces {
		return false
	}
	for i := range b {
		q := &b[i]
		over := pieceAt(above, q.c0)
		if over == nil {
			return false
		}
		tolerance := .4 * q.words[0].Size
		x0, x1, o0, o1 := q.words[0].Box.X0, q.x1(), over.words[0].Box.X0, over.x1()
		if math.Abs(x0-o0) > tolerance && math.Abs(x1-o1) > tolerance && math.Abs(x0+x1-o0-o1) > 2*tolerance {
			return false
		}
	}
	return true
}

// maxPieces bounds the pieces of a band that are compared with each other.
const maxPieces = 240

// pieceAt returns the last piece of b that begins in a column, or nil if
// there is none.
func pieceAt(b []part, column int) *part {
	for i := range slices.Backward(b) {
		if b[i].c0 == column {
			return &b[i]
		}
	}
	return nil
}

// columnsIn counts the columns in which pieces of b begin.
func columnsIn(b []part) int {
	n := 0
	for i := range b {
		if i == 0 || b[i-1].c0 != b[i].c0 {
			n++
		}
	}
	return n
}

// allLower reports whether all pieces of b begin with a lower-case letter.
func allLower(b []part) bool {
	for i := range b {
		if (i == 0 || b[i-1].c0 != b[i].c0) && !startsLower(b[i].words[0].Text) {
			return false
		}
	}
	return true
}

// opensRow reports whether b has a text in the first column that begins with
// a capital letter or a digit.
func opensRow(b []part) bool {
	q := pieceAt(b, 0)
	if q == nil {
		return false
	}
	r, _ := utf8.DecodeRuneInString(q.words[0].Text)
	return unicode.IsUpper(r) || unicode.IsDigit(r)
}

// x1 returns the right edge of the part.
func (q *part) x1() float64 {
	x := math.Inf(-1)
	for i := range q.words {
		x = max(x, q.words[i].Box.X1)
	}
	return x
}
