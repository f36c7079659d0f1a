// SPDX-License-Identifier: Apache-2.0

// Package linediff compares two texts by lines: texts -> hunks.
//
// It is the algorithm of Myers, "An O(ND) Difference Algorithm and Its
// Variations" (1986), in its linear space form. Texts that differ by more
// than 5,000 lines are one hunk that replaces all between their common ends, so
// that time stays bounded; memory is linear.
package linediff

import (
	"fmt"
	"strings"
)

// maxEdits is how many lines may be deleted and inserted before the search is
// given up.
const maxEdits = 5000

// context is how many equal lines stand around a change.
const context = 3

// Op is what becomes of a line.
type Op byte

// The operations, as a unified diff writes them.
const (
	Equal  Op = ' '
	Delete Op = '-'
	Insert Op = '+'
)

// Line is one line of a hunk. Numbers count from 1; the number in a text that
// does not have the line is zero.
type Line struct {
	Op       Op
	Old, New int
	Text     string // without its end
}

// Hunk is a run of changes with the equal lines around them. A text that has
// none of its lines starts at the line before them.
type Hunk struct {
	OldStart, OldLines int
	NewStart, NewLines int
	Lines              []Line
}

// Head returns the hunk's first line in a unified diff: @@ -1,2 +1,3 @@.
func (h *Hunk) Head() string {
	return fmt.Sprintf("@@ -%d,%d +%d,%d @@", h.OldStart, h.OldLines, h.NewStart, h.NewLines)
}

// Diff returns what makes b of a; nil where they are equal but for the ends of
// lines.
func Diff(a, b string) []Hunk {
	oldLines, newLines := split(a), split(b)
	m := newMatcher(oldLines, newLines)
	m.compare(0, len(m.a), 0, len(m.b))
	return hunks(m.lines(oldLines, newLines))
}

// Unified writes hunks as a unified diff of texts with these names; empty where
// there are none.
func Unified(from, to string, hunks []Hunk) string {
	if len(hunks) == 0 {
		return ""
	}
	var s strings.Builder
	fmt.Fprintf(&s, "--- %s\n+++ %s\n", from, to)
	for i := range hunks {
		s.WriteString(hunks[i].Head() + "\n")
		for _, l := range hunks[i].Lines {
			s.WriteByte(byte(l.Op))
			s.WriteString(l.Text)
			s.WriteByte('\n')
		}
	}
	return s.String()
}

func split(s string) []string {
	var all []string
	for line := range strings.Lines(s) {
		all = append(all, strings.TrimRight(line, "\r\n"))
	}
	return all
}

// A matcher compares lines by their numbers.
type matcher struct {
	a, b              []int // equal lines have equal numbers
	deleted, inserted []bool
	forward, backward []int // furthest x by diagonal; scratch
}

func newMatcher(a, b []string) *matcher {
	numbers := map[string]int{}
	number := func(lines []string) []int {
		all := make([]int, len(lines))
		for i, line := range lines {
			n, ok := numbers[line]
			if !ok {
				n = len(numbers)
				numbers[line] = n
			}
			all[i] = n
		}
		return all
	}
	size := 2*min(maxEdits/2, (len(a)+len(b)+1)/2) + 4
	return &matcher{
		a: number(a), b: number(b),
		deleted: make([]bool, len(a)), inserted: make([]bool, len(b)),
		forward: make([]int, size), backward: make([]int, size),
	}
}

// compare marks what differs between two half-open ranges. It is called again
// for both sides of a split, so no deeper than the logarithm of the edits.
func (m *matcher) compare(a0, a1, b0, b1 int) {
	for a0 < a1 && b0 < b1 && m.a[a0] == m.b[b0] {
		a0++
		b0++
	}
	for a0 < a1 && b0 < b1 && m.a[a1-1] == m.b[b1-1] {
		a1--
		b1--
	}
	if a0 < a1 && b0 < b1 {
		if x, y, ok := m.split(m.a[a0:a1], m.b[b0:b1]); ok {
			m.compare(a0, a0+x, b0, b0+y)
			m.compare(a0+x, a1, b0+y, b1)
			return
		}
	}
	for i := a0; i < a1; i++ {
		m.deleted[i] = true
	}
	for i := b0; i < b1; i++ {
		m.inserted[i] = true
	}
}

// A side is the search from one end.
type side struct {
	v          []int
	first, end int // diagonals that left the grid, by both ends
}

// step goes on from the furthest point next to diagonal k, by one edit.
func (s *side) step(k, d, mid int) int {
	if k == -d || k != d && s.v[mid+k-1] < s.v[mid+k+1] {
		return s.v[mid+k+1]
	}
	return s.v[mid+k-1] + 1
}

// split returns where an optimal path crosses the middle; false where there is
// nothing in common or too much to do.
func (m *matcher) split(a, b []int) (int, int, bool) {
	n, most := len(a), min(maxEdits/2, (len(a)+len(b)+1)/2)
	mid := most + 1
	size := 2*most + 3
	f, r := side{v: m.forward[:size]}, side{v: m.backward[:size]}
	for i := range size {
		f.v[i], r.v[i] = -1, -1
	}
	f.v[mid+1], r.v[mid+1] = 0, 0
	delta := n - len(b)
	odd := delta%2 != 0
	// met reports whether the point x of diagonal k is behind the other side's.
	met := func(v []int, k, x int) bool {
		o := mid + delta - k
		return o >= 0 && o < size && v[o] >= 0 && x+v[o] >= n
	}
	for d := 0; d <= most; d++ {
		for k := -d + f.first; k <= d-f.end; k += 2 {
			x := f.step(k, d, mid)
			for x < n && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			f.v[mid+k] = x
			switch {
			case x > n:
				f.end += 2
			case x-k > len(b):
				f.first += 2
			case odd && met(r.v, k, x):
				return inside(x, x-k, a, b)
			}
		}
		for k := -d + r.first; k <= d-r.end; k += 2 {
			x := r.step(k, d, mid)
			for x < n && x-k < len(b) && a[n-1-x] == b[len(b)-1-x+k] {
				x++
			}
			r.v[mid+k] = x
			switch {
			case x > n:
				r.end += 2
			case x-k > len(b):
				r.first += 2
			case !odd && met(f.v, k, x):
				x = f.v[mid+delta-k]
				return inside(x, x-delta+k, a, b)
			}
		}
	}
	return 0, 0, false
}

// inside returns a point that parts the work; at a corner it would not.
func inside(x, y int, a, b []int) (int, int, bool) {
	corner := x == 0 && y == 0 || x == len(a) && y == len(b)
	return x, y, !corner && x <= len(a) && y >= 0 && y <= len(b)
}

// lines returns both texts as one list; of a change the deleted come first.
func (m *matcher) lines(a, b []string) []Line {
	all := make([]Line, 0, max(len(a), len(b)))
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && m.deleted[i]:
			all = append(all, Line{Op: Delete, Old: i + 1, Text: a[i]})
			i++
		case j < len(b) && m.inserted[j]:
			all = append(all, Line{Op: Insert, New: j + 1, Text: b[j]})
			j++
		default:
			all = append(all, Line{Op: Equal, Old: i + 1, New: j + 1, Text: a[i]})
			i++
			j++
		}
	}
	return all
}

// hunks cuts lines into changes with their context.
func hunks(lines []Line) []Hunk {
	var all []Hunk
	for i := 0; i < len(lines); i++ {
		if lines[i].Op == Equal {
			continue
		}
		start := max(0, i-context)
		last := i // the last change
		for i < len(lines) && i-last <= 2*context+1 {
			if lines[i].Op != Equal {
				last = i
			}
			i++
		}
		i = min(len(lines), last+context+1)
		all = append(all, newHunk(lines, start, i))
		i--
	}
	return all
}

func newHunk(lines []Line, start, end int) Hunk {
	h := Hunk{Lines: lines[start:end:end]}
	for _, l := range lines[:start] {
		h.OldStart, h.NewStart = max(h.OldStart, l.Old), max(h.NewStart, l.New)
	}
	for _, l := range h.Lines {
		if l.Op != Insert {
			h.OldLines++
		}
		if l.Op != Delete {
			h.NewLines++
		}
	}
	if h.OldLines > 0 {
		h.OldStart++
	}
	if h.NewLines > 0 {
		h.NewStart++
	}
	return h
}
