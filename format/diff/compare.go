// SPDX-License-Identifier: Apache-2.0

package diff

import (
	"fmt"
	"strings"
)

// maxEdits is the number of deleted and inserted lines after which the search
// is abandoned.
const maxEdits = 5000

// context is the number of equal lines shown around a change.
const context = 3

// The values of Line.Type.
const (
	normal   = "normal"
	deleted  = "del"
	inserted = "add"
)

// New compares two texts with these names line by line. Texts that are equal except for
// their line ends have no chunks, and the text of their difference is empty.
//
// New uses the linear-space variant of the algorithm of Myers, "An O(ND) Difference Algorithm and Its
// Variations" (1986). If the texts differ by more than 5,000 lines, one change replaces everything
// between their common beginning and end. This bounds the time. Memory is linear in the number of
// lines.
func New(from, before, to, now string) *Text {
	a, b := split(before), split(now)
	m := newMatcher(a, b)
	m.compare(0, len(m.a), 0, len(m.b))
	chunks := chunks(m.lines(a, b))
	return &Text{Text: unified(from, to, chunks), JSON: JSON{Files: []File{{From: from, To: to, Chunks: chunks}}}}
}

// unified formats chunks as a unified diff of texts with these names.
func unified(from, to string, chunks []Chunk) string {
	if len(chunks) == 0 {
		return ""
	}
	var s strings.Builder
	fmt.Fprintf(&s, "--- %s\n+++ %s\n", from, to)
	for _, c := range chunks {
		s.WriteString(c.Content + "\n")
		for _, l := range c.Changes {
			s.WriteString(l.Content + "\n")
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
			all = append(all, Line{Type: deleted, Ln: i + 1, Content: "-" + a[i]})
			i++
		case j < len(b) && m.inserted[j]:
			all = append(all, Line{Type: inserted, Ln: j + 1, Content: "+" + b[j]})
			j++
		default:
			all = append(all, Line{Type: normal, Ln1: i + 1, Ln2: j + 1, Content: " " + a[i]})
			i++
			j++
		}
	}
	return all
}

// chunks divides lines into changes with context.
func chunks(lines []Line) []Chunk {
	all := []Chunk{}
	from, to := 0, 0 // number of lines of each text before lines[next]
	next := 0
	for i := 0; i < len(lines); i++ {
		if lines[i].Type == normal {
			continue
		}
		start := max(next, i-context)
		last := i // the last change
		for i < len(lines) && i-last <= 2*context+1 {
			if lines[i].Type != normal {
				last = i
			}
			i++
		}
		i = min(len(lines), last+context+1)
		a, b := count(lines[next:start])
		from, to = from+a, to+b
		a, b = count(lines[start:i])
		all = append(all, Chunk{
			Content: fmt.Sprintf("@@ -%d,%d +%d,%d @@", from+min(a, 1), a, to+min(b, 1), b),
			Changes: lines[start:i:i],
		})
		from, to = from+a, to+b
		next = i
		i--
	}
	return all
}

// count returns how many of the lines are in the text before and in the text now.
func count(lines []Line) (before, now int) {
	for _, l := range lines {
		if l.Type != inserted {
			before++
		}
		if l.Type != deleted {
			now++
		}
	}
	return before, now
}
