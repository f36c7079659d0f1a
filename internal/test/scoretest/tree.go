// SPDX-License-Identifier: Apache-2.0

package scoretest

import (
	"regexp"
	"strings"
)

var heading = regexp.MustCompile(`^#{1,6}\s+(.*)$`)

// node is a node of a tree for the edit distance.
type node struct {
	kind string // nodes of different kinds have nothing in common
	text string
	leaf bool // its text is compared
	wide int  // columns that a cell spans; zero means one
	high int  // rows that a cell spans; zero means one
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

// headingTree returns a tree of the headings and the content between them. If
// there is no heading, it returns false.
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

// similar is 1 minus the edit distance divided by the size of the larger tree.
// The size is the number of nodes minus less.
func similar(a, b *node, less int) float64 {
	n := max(a.size(), b.size()) - less
	return min(1, max(0, 1-distance(a, b)/float64(max(1, n))))
}

// postorder contains the nodes of a tree with their leftmost leaves, and the
// key roots (Zhang and Shasha, 1989).
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

// distance is the minimum number of changes that turn a into b.
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

// rename is the cost of replacing a by b: for texts, the Levenshtein distance
// divided by the longer length.
func rename(a, b *node) float64 {
	switch {
	case a.kind != b.kind:
		return 1
	case a.text == b.text || !a.leaf:
		return 0
	}
	x, y := []rune(a.text), []rune(b.text)
	return float64(levenshtein(x, y)) / float64(max(len(x), len(y)))
}
