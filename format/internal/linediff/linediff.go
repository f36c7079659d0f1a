// SPDX-License-Identifier: Apache-2.0

// Package linediff compares two texts line by line and returns the changes as
// hunks.
//
// It uses the linear-space variant of the algorithm of Myers, "An O(ND)
// Difference Algorithm and Its Variations" (1986). If the texts differ by more than 5,000
// lines, one change replaces everything between their common beginning and end. This
// bounds the time. Memory is linear in the number of lines.
package linediff

import (
	"fmt"
	"strings"
)

// maxEdits is the number of deleted and inserted lines after which the search
// is abandoned.
const maxEdits = 5000

// context is the number of equal lines shown around a change.
const context = 3

// Op is the change to a line.
type Op byte

// The operations, as a unified diff writes them.
const (
	Equal  Op = ' '
	Delete Op = '-'
	Insert Op = '+'
)

// Line is one line of a hunk. Line numbers start at 1. If a text does not
// contain the line, its number is 0.
type Line struct {
	Op       Op
	Old, New int
	Text     string // without its line end
}

// Hunk is a run of changes with the equal lines around them. If a text has no
// lines in the hunk, its start is the line before the change.
type Hunk struct {
	OldStart, OldLines int
	NewStart, NewLines int
	Lines              []Line
}

// Head returns the header of the hunk in a unified diff: @@ -1,2 +1,3 @@.
func (h *Hunk) Head() string {
	return fmt.Sprintf("@@ -%d,%d +%d,%d @@", h.OldStart, h.OldLines, h.NewStart, h.NewLines)
}

// Diff returns the changes that turn a into b. It returns nil if the texts are
// equal except for their line ends.
func Diff(a, b string) []Hunk {
	oldLines, newLines := split(a), split(b)
	m := newMatcher(oldLines, newLines)
	m.compare(0, len(m.a), 0, len(m.b))
	return hunks(m.lines(oldLines, newLines))
}

// Unified formats hunks as a unified diff of texts with these names. Without
// hunks the result is empty.
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

// A matcher compares lines. It represents each distinct line by a number.
type matcher struct {
	a, b              []int // equal lines have equal numbers
	deleted, inserted []bool
	forward, backward []int // furthest x on each diagonal; reused by split
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

// compare marks the lines that differ between two half-open ranges. It calls
// itself for both sides of a split, so the depth is at most the logarithm of
// the number of edits.
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

// A side is the search from one end of the texts.
type side struct {
	v          []int
	first, end int // how far the diagonals at each end are skipped, because they left the grid
}

// step returns the furthest x on diagonal k that d edits reach, before equal lines follow.
func (s *side) step(k, d, mid int) int {
	if k == -d || k != d && s.v[mid+k-1] < s.v[mid+k+1] {
		return s.v[mid+k+1]
	}
	return s.v[mid+k-1] + 1
}

// split returns a point in the middle of an optimal path. It returns false if
// the ranges have nothing in common or need too many edits.
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
	// met reports whether point x on diagonal k has reached the search from the
	// other side.
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

// inside returns the point, and whether it divides the ranges. A corner does not divide
// them.
func inside(x, y int, a, b []int) (int, int, bool) {
	corner := x == 0 && y == 0 || x == len(a) && y == len(b)
	return x, y, !corner && x <= len(a) && y >= 0 && y <= len(b)
}

// lines merges both texts into one list. In a change, deleted lines come first.
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

// hunks divides lines into changes with context.
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
