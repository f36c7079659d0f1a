// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"
)

// scores are those of one document by the definitions of parse.md 16; -1 where
// the truth has nothing of the kind.
type scores struct{ nid, teds, mhs float64 }

// overall is the mean of those that count, -1 where none does.
func (s scores) overall() float64 {
	sum, n := 0.0, 0.0
	for _, v := range []float64{s.nid, s.teds, s.mhs} {
		if v >= 0 {
			sum += v
			n++
		}
	}
	if n == 0 {
		return -1
	}
	return sum / n
}

var (
	tables  = regexp.MustCompile(`(?is)<table[^>]*>.*?</table>`)
	heading = regexp.MustCompile(`^#{1,6}\s+(.*)$`)
	tags    = regexp.MustCompile(`(?is)<(/?)(table|tr|td|th|thead|tbody)\b([^>]*)>`)
	spans   = regexp.MustCompile(`(?i)(colspan|rowspan)\s*=\s*["']?(\d+)`)
	breaks  = regexp.MustCompile(`(?i)<br\s*/?>`)
)

// score compares a reading with the truth.
func score(truth, got string) scores {
	s := scores{-1, -1, -1}
	truth, got = pipes(truth), pipes(got)
	if t := []rune(folded(truth)); len(t) > 0 {
		g := []rune(folded(got))
		s.nid = 2 * float64(lcs(t, g)) / float64(len(t)+len(g))
	}
	if want := tables.FindAllString(truth, -1); want != nil {
		s.teds = 0
		if have := tables.FindAllString(got, -1); have != nil {
			s.teds = similar(tableTree(want), tableTree(have), 1)
		}
	}
	if want, ok := headingTree(truth); ok {
		s.mhs = 0
		if have, ok := headingTree(got); ok {
			s.mhs = similar(want, have, 0)
		}
	}
	return s
}

func folded(s string) string { return strings.Join(strings.Fields(s), " ") }

// pipes writes the pipe tables of a text as HTML, each on one line.
func pipes(text string) string {
	lines := strings.Split(text, "\n")
	var out []string
	for i := 0; i < len(lines); i++ {
		if i+1 >= len(lines) || !strings.Contains(lines[i], "|") || !separates(lines[i+1]) {
			out = append(out, lines[i])
			continue
		}
		rows := [][]string{cells(lines[i])}
		width := max(len(rows[0]), len(cells(lines[i+1])))
		for i += 2; i < len(lines) && strings.Contains(lines[i], "|"); i++ {
			rows = append(rows, cells(lines[i]))
		}
		i--
		if strings.Join(rows[0], "") == "" && len(rows) > 1 {
			rows = rows[1:]
		}
		var b strings.Builder
		b.WriteString("<table>")
		for _, row := range rows {
			b.WriteString("<tr>")
			for _, c := range fitted(row, width) {
				b.WriteString("<td>" + html.EscapeString(c) + "</td>")
			}
			b.WriteString("</tr>")
		}
		out = append(out, b.String()+"</table>")
	}
	return strings.Join(out, "\n")
}

// fitted returns row with width cells.
func fitted(row []string, width int) []string {
	if len(row) == 3 && width > 3 {
		out := []string{row[0]}
		for range width - 2 {
			out = append(out, row[1])
		}
		return append(out, row[2])
	}
	for len(row) < width {
		row = append(row, "")
	}
	return row[:width]
}

func cells(line string) []string {
	parts := strings.Split(strings.TrimSpace(line), "|")
	if parts[0] == "" {
		parts = parts[1:]
	}
	if n := len(parts); n > 0 && parts[n-1] == "" {
		parts = parts[:n-1]
	}
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

func separates(line string) bool {
	row := cells(line)
	if !strings.Contains(line, "|") || len(row) == 0 {
		return false
	}
	for _, c := range row {
		if c == "" || strings.Trim(c, "-:") != "" {
			return false
		}
	}
	return true
}

// lcs is the length of the longest common subsequence.
func lcs(a, b []rune) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			above := row[j+1]
			switch {
			case x == y:
				row[j+1] = diagonal + 1
			case row[j] > above:
				row[j+1] = row[j]
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

// node is one of a tree whose edit distance is asked for.
type node struct {
	kind string // nodes of different kinds have nothing in common
	text string
	leaf bool // its text counts
	kids []*node
}

// size is the number of nodes.
func (n *node) size() int {
	s := 1
	for _, k := range n.kids {
		s += k.size()
	}
	return s
}

// tableTree hangs all tables under one node.
func tableTree(all []string) *node {
	outer := &node{kind: "table"}
	for _, text := range all {
		stack := []*node{outer}
		at := 0
		for _, m := range tags.FindAllStringSubmatchIndex(text, -1) {
			closing, tag := text[m[2]:m[3]] == "/", strings.ToLower(text[m[4]:m[5]])
			if top := stack[len(stack)-1]; top.leaf {
				top.text += text[at:m[0]]
			}
			at = m[1]
			if tag == "thead" || tag == "tbody" {
				continue
			}
			if tag == "th" {
				tag = "td"
			}
			if closing {
				for i := len(stack) - 1; i > 0; i-- {
					if strings.HasPrefix(stack[i].kind, tag) {
						stack = stack[:i]
						break
					}
				}
				continue
			}
			n := &node{kind: tag, leaf: tag == "td"}
			for _, s := range spans.FindAllStringSubmatch(text[m[6]:m[7]], -1) {
				if v, err := strconv.Atoi(s[2]); err == nil && v != 1 {
					n.kind += fmt.Sprint(" ", strings.ToLower(s[1]), v)
				}
			}
			top := stack[len(stack)-1]
			top.kids = append(top.kids, n)
			stack = append(stack, n)
		}
	}
	var tidy func(*node)
	tidy = func(n *node) {
		n.text = folded(html.UnescapeString(breaks.ReplaceAllString(n.text, "\n")))
		for _, k := range n.kids {
			tidy(k)
		}
	}
	tidy(outer)
	return outer
}

// headingTree hangs headings and what stands between them under one root;
// false where there is no heading.
func headingTree(text string) (*node, bool) {
	root := &node{kind: "root"}
	under, found := root, false
	var content []string
	flush := func() {
		if s := folded(strings.Join(content, " ")); s != "" {
			under.kids = append(under.kids, &node{kind: "content", text: s, leaf: true})
		}
		content = nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		if m := heading.FindStringSubmatch(line); m != nil {
			flush()
			under, found = &node{kind: "heading", text: folded(m[1]), leaf: true}, true
			root.kids = append(root.kids, under)
			continue
		}
		content = append(content, line)
	}
	flush()
	return root, found
}

// similar is 1 less the edit distance by the larger tree, of which less nodes
// do not count.
func similar(a, b *node, less int) float64 {
	n := max(a.size(), b.size()) - less
	return min(1, max(0, 1-distance(a, b)/float64(max(1, n))))
}

// postorder lists a tree's nodes with their leftmost leaves, and the key roots
// (Zhang and Shasha, 1989).
type postorder struct {
	nodes []*node
	left  []int
	keys  []int
}

func ordered(root *node) postorder {
	var p postorder
	var walk func(*node) int
	walk = func(n *node) int {
		left := -1
		for _, k := range n.kids {
			if l := walk(k); left < 0 {
				left = l
			}
		}
		if left < 0 {
			left = len(p.nodes)
		}
		p.nodes, p.left = append(p.nodes, n), append(p.left, left)
		return left
	}
	walk(root)
	last := map[int]int{}
	for i, l := range p.left {
		last[l] = i
	}
	for i, l := range p.left {
		if last[l] == i {
			p.keys = append(p.keys, i)
		}
	}
	return p
}

// distance is the least number of changes that make b of a.
func distance(a, b *node) float64 {
	p, q := ordered(a), ordered(b)
	tree := make([][]float64, len(p.nodes))
	for i := range tree {
		tree[i] = make([]float64, len(q.nodes))
	}
	for _, i := range p.keys {
		for _, j := range q.keys {
			li, lj := p.left[i], q.left[j]
			d := make([][]float64, i-li+2)
			for x := range d {
				d[x] = make([]float64, j-lj+2)
				d[x][0] = float64(x)
			}
			for y := range d[0] {
				d[0][y] = float64(y)
			}
			for x := li; x <= i; x++ {
				for y := lj; y <= j; y++ {
					best := min(d[x-li][y-lj+1], d[x-li+1][y-lj]) + 1
					if p.left[x] == li && q.left[y] == lj {
						best = min(best, d[x-li][y-lj]+rename(p.nodes[x], q.nodes[y]))
						tree[x][y] = best
					} else {
						best = min(best, d[p.left[x]-li][q.left[y]-lj]+tree[x][y])
					}
					d[x-li+1][y-lj+1] = best
				}
			}
		}
	}
	return tree[len(p.nodes)-1][len(q.nodes)-1]
}

// rename is the cost of making b of a: of their texts, Levenshtein by the longer.
func rename(a, b *node) float64 {
	switch {
	case a.kind != b.kind:
		return 1
	case a.text == b.text || !a.leaf:
		return 0
	}
	x, y := []rune(a.text), []rune(b.text)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j, s := range y {
			above := row[j+1]
			cost := diagonal
			if r != s {
				cost++
			}
			row[j+1] = min(above+1, row[j]+1, cost)
			diagonal = above
		}
	}
	return float64(row[len(y)]) / float64(max(len(x), len(y)))
}
