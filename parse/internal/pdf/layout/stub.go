// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"math"
	"slices"
	"strings"
)

// This file reads the stub of a table of numbers, which is its first column.
// Its labels may take several lines, with the numbers beside the first or
// the last of them, and a group of rows may have a label above it.

// stub has measures of the labels of a table.
type stub struct {
	end   float64 // right edge of the longest label
	pitch float64 // usual gap between two rows of numbers
	dots  bool    // most labels end in leader dots
	size  float64
}

func (f *figures) stub(bands [][]part) stub {
	s := stub{end: math.Inf(-1), size: f.size}
	var gaps []float64
	rows, dotted := 0, 0
	for i, b := range bands {
		if q := pieceAt(b, 0); q != nil && q.c1 == 0 {
			s.end = max(s.end, q.x1())
			if len(b) > 1 {
				rows++
				if q.leads() {
					dotted++
				}
			}
		}
		if i > 0 && clash(bands[i-1], b) {
			gaps = append(gaps, top(b)-bottom(bands[i-1]))
		}
	}
	s.dots = rows > 2 && dotted*2 > rows
	s.pitch = math.Inf(1)
	if len(gaps) > 0 {
		s.pitch = median(gaps)
	}
	return s
}

// leads reports whether a piece ends in leader dots.
func (q *part) leads() bool {
	w := q.words[len(q.words)-1].Text
	return isLeader(w) || strings.HasSuffix(w, "...")
}

// clash reports whether two bands have numbers in the same column.
func clash(a, b []part) bool {
	if len(a) > maxPieces || len(b) > maxPieces {
		return true
	}
	for i := range b {
		if !isFigure(b[i].text()) {
			continue
		}
		for k := range a {
			if a[k].c0 <= b[i].c1 && a[k].c1 >= b[i].c0 && isFigure(a[k].text()) {
				return true
			}
		}
	}
	return false
}

// rows groups the bands below the header into rows.
func (f *figures) rows(bands [][]part) [][]part {
	if len(bands) == 0 {
		return nil
	}
	s := f.stub(bands)
	var out [][]part
	group := []part(nil)
	above := math.Inf(1) // the gap above group
	for i, b := range bands {
		b = f.section(b, bands[max(0, i-1)])
		down := math.Inf(1)
		if i+1 < len(bands) {
			down = top(bands[i+1]) - bottom(b)
		}
		up := math.Inf(1)
		if i > 0 && !ruleBetween(f.full, middleOf(bands[i-1]), middleOf(b)) {
			up = top(b) - bottom(bands[i-1])
		}
		if !math.IsInf(up, 1) && !clash(group, b) && (s.goesOn(group, b, up, down) || s.opens(group, b, above, up)) {
			group = append(group, b...)
			continue
		}
		if group != nil {
			out = append(out, group)
		}
		group, above = slices.Clone(b), up
	}
	return append(out, group)
}

// section makes a text that stands alone in the middle of the table span all
// columns, unless it stands at the edge of a text in the band above, which it continues.
func (f *figures) section(b, above []part) []part {
	if len(b) != 1 || b[0].c0 == 0 || isFigure(b[0].text()) {
		return b
	}
	q := b[0]
	if len(above) <= maxPieces {
		if over := pieceAt(above, q.c0); over != nil && math.Abs(q.words[0].Box.X0-over.words[0].Box.X0) < .1*f.size {
			return b
		}
	}
	mid := q.words[0].Box.X0 + q.x1() - f.z.box.X0 - f.z.box.X1
	if math.Abs(mid) < 2*f.size {
		q.c0, q.c1 = 0, len(f.cols)-1
		return []part{q}
	}
	return b
}

// goesOn reports whether band b continues the row that group has begun. up
// is the gap between them, down the gap to the band below.
func (s *stub) goesOn(group, b []part, up, down float64) bool {
	label, over := pieceAt(b, 0), pieceAt(group, 0)
	filled := !labelled(group)
	switch {
	case label == nil && filled:
		return s.wraps(group, b, up)
	case label == nil:
		return up < .3*s.size
	case over == nil || label.c1 > 0 || over.c1 > 0:
		return false
	case labelled(b) || !filled:
		return s.oneLabel(over, label, labelled(b) && filled, up, down)
	}
	return allLower(b) && s.wraps(group, b, up) // a label with texts beside it
}

// opens reports whether a group of texts is the first lines of the row of
// band b, whose numbers stand lower. The group must be closer to b than rows
// are to each other and than it is to the text above.
func (s *stub) opens(group, b []part, above, up float64) bool {
	if up > s.pitch-.15*s.size || up > above-.3*s.size || len(group) > maxPieces || len(b) > maxPieces {
		return false
	}
	for i := range group {
		if over := pieceAt(b, group[i].c0); group[i].c1 > group[i].c0 || isFigure(group[i].text()) || over != nil && !sameLook(&group[i], over) {
			return false
		}
	}
	return !labelled(b) && !strings.HasSuffix(group[len(group)-1].text(), ":")
}

// oneLabel reports whether two lines in the first column are one label. tail
// is true if the upper line has numbers beside it and the lower one has
// none.
func (s *stub) oneLabel(over, label *part, tail bool, up, down float64) bool {
	switch {
	case s.dots && over.leads():
		return false
	case !sameLook(over, label) || strings.HasSuffix(over.text(), ":"):
		return false
	case startsLower(label.text()):
		return up < s.pitch+.3*s.size
	}
	w := &label.words[0]
	full := over.x1()+.2*w.Size+w.Box.Width() >= s.end
	closer := up < s.pitch-.15*s.size && (!tail || up < down-.1*s.size)
	return full && closer && !isFigure(label.text())
}

// wraps reports whether the texts of b continue those of group above them.
func (s *stub) wraps(group, b []part, up float64) bool {
	if len(b) > maxPieces || len(group) > maxPieces {
		return false
	}
	for i := range b {
		over := pieceAt(group, b[i].c0)
		if over == nil || isFigure(b[i].text()) || isFigure(over.text()) {
			return false
		}
	}
	return allLower(b) || up < s.pitch-.15*s.size
}

// sameLook reports whether two pieces have the same style.
func sameLook(a, b *part) bool {
	v, w := &a.words[len(a.words)-1], &b.words[0]
	if v.Font == nil || w.Font == nil {
		return v.Font == w.Font
	}
	return v.Bold() == w.Bold() && v.Font.Italic == w.Font.Italic
}
