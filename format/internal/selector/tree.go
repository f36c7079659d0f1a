// SPDX-License-Identifier: Apache-2.0

package selector

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// maxAnswers limits the memory for answers about the whole tree.
const maxAnswers = 64 << 20 // bytes

// A tree numbers the elements of a document in document order.
type tree struct {
	nodes             []*html.Node
	end, parent, prev []int32 // end is the number of the first element after the descendants; -1 means none
	lower, plain      *text
	left              int // bytes left for answers
}

// A text is the text of a tree, with the positions where elements begin and
// end.
type text struct {
	all        string
	begin, end []int32
}

// bits is a set of elements.
type bits []uint64

func (b bits) has(i int32) bool { return i >= 0 && int(i>>6) < len(b) && b[i>>6]&(1<<(i&63)) != 0 }

func (b bits) set(i int32) { b[i>>6] |= 1 << (i & 63) }

// whole returns the tree, and makes sure that n has its number.
func (p *Pass) whole() *tree {
	if p.tree == nil {
		p.tree = newTree(p.root, p.m)
		p.m.left += elementSteps / 4 * len(p.tree.nodes)
	}
	if p.id < 0 {
		p.m.spend(len(p.tree.nodes) / 16)
		p.id = int32(slices.Index(p.tree.nodes, p.n)) //nolint:gosec // a tree has fewer nodes
	}
	return p.tree
}

func newTree(root *html.Node, m *meter) *tree {
	t := &tree{left: maxAnswers}
	last := []int32{-1} // last child so far, by depth
	up := int32(-1)
	for n := root; n != nil && m.spend(1); {
		if n.Type == html.ElementNode {
			id := int32(len(t.nodes)) //nolint:gosec // a tree has fewer nodes
			t.nodes = append(t.nodes, n)
			t.parent = append(t.parent, up)
			t.prev = append(t.prev, last[len(last)-1])
			t.end = append(t.end, id+1)
			last[len(last)-1] = id
		}
		if n.FirstChild != nil {
			if n.Type == html.ElementNode {
				up = int32(len(t.nodes)) - 1 //nolint:gosec // a tree has fewer nodes
			}
			last = append(last, -1)
			n = n.FirstChild
			continue
		}
		for n != root && n.NextSibling == nil {
			n = n.Parent
			last = last[:len(last)-1]
			if n.Type == html.ElementNode {
				t.end[up] = int32(len(t.nodes)) //nolint:gosec // a tree has fewer nodes
				up = t.parent[up]
			}
		}
		if n == root {
			break
		}
		n = n.NextSibling
	}
	return t
}

// next returns the number of n, which follows the element with number id
// directly or after its descendants.
func (t *tree) next(id int32, n *html.Node) int32 {
	if id+1 < int32(len(t.nodes)) && t.nodes[id+1] == n { //nolint:gosec // a tree has fewer nodes
		return id + 1
	}
	if id >= 0 {
		if id = t.end[id]; int(id) < len(t.nodes) && t.nodes[id] == n {
			return id
		}
	}
	return -1
}

// answer returns the elements for which a survey is true.
func (p *Pass) answer(num int32) bits {
	t := p.whole()
	if p.answers == nil {
		p.answers = make([]bits, len(p.set.surveys))
	}
	if p.answers[num] == nil && p.m.err == nil {
		p.answers[num] = p.m.survey(p.set.surveys[num], p.root, t)
	}
	return p.answers[num]
}

// room returns an empty set of elements, or nil if the memory limit is reached.
func (m *meter) room(t *tree) bits {
	size := len(t.nodes)/64 + 1
	if t.left -= 8 * size; t.left < 0 && m.err == nil {
		m.err = ErrSteps
	}
	if m.err != nil {
		return nil
	}
	m.spend(size)
	return make(bits, size)
}

// survey matches the compounds of v with each element, and combines the
// results.
func (m *meter) survey(v *survey, root *html.Node, t *tree) bits {
	found := make([]bits, v.parts.Len())
	for i := range found {
		if found[i] = m.room(t); found[i] == nil {
			return nil
		}
	}
	p := v.parts.start(m, root, t)
	for i, n := range t.nodes {
		if !m.spend(1) {
			return nil
		}
		p.matched = p.matched[:0]
		p.step(n)
		for _, num := range p.matched {
			found[num].set(int32(i))
		}
	}
	var all bits
	if v.test.kind == isNthOf {
		all = m.counted(v.test, t, found[0])
	} else if all = m.room(t); all != nil {
		for _, refs := range v.refs {
			s := found[refs[len(refs)-1].part]
			for i := len(refs) - 1; i > 0 && m.err == nil; i-- {
				s = m.related(t, s, refs[i].comb)
				for j := range s {
					s[j] &= found[refs[i-1].part][j]
				}
			}
			for j, word := range m.related(t, s, refs[0].comb) {
				all[j] |= word
			}
		}
	}
	t.left += 8 * len(all) * len(found)
	return all
}

// related returns the elements with a descendant, child or later sibling in s.
func (m *meter) related(t *tree, s bits, comb byte) bits {
	r := m.room(t)
	if r == nil {
		return nil
	}
	t.left += 8 * len(r)      // the memory is released soon
	at := int32(len(t.nodes)) //nolint:gosec // a tree has fewer nodes
	for id := at - 1; id >= 0 && m.spend(1); id-- {
		switch in := s.has(id); comb {
		case ' ':
			if at < t.end[id] {
				r.set(id)
			}
			if in {
				at = id
			}
		case '>':
			if in && t.parent[id] >= 0 {
				r.set(t.parent[id])
			}
		case '+':
			if in && t.prev[id] >= 0 {
				r.set(t.prev[id])
			}
		default:
			if (in || r.has(id)) && t.prev[id] >= 0 {
				r.set(t.prev[id])
			}
		}
	}
	return r
}

// counted returns the elements of s whose position among their siblings in s
// matches t.
func (m *meter) counted(v *test, t *tree, s bits) bits {
	r := m.room(t)
	if r == nil {
		return nil
	}
	counts := make([]int32, len(t.nodes)+1)
	for i := range t.nodes {
		if !m.spend(1) {
			return nil
		}
		if v.last {
			i = len(t.nodes) - 1 - i
		}
		id := int32(i)
		if !s.has(id) {
			continue
		}
		n := &counts[t.parent[id]+1]
		if *n++; inSeries(v, int(*n)) {
			r.set(id)
		}
	}
	return r
}

// inText reports whether the text of n contains a string or matches a pattern.
func (p *Pass) inText(t *test) bool {
	w := p.whole()
	if p.m.err != nil || p.id < 0 {
		return false
	}
	if t.kind == matches {
		if w.plain == nil {
			w.plain = newText(p.root, w, p.m, false)
		}
		return p.m.err == nil && p.m.match(t.re, t.size, w.plain.all[w.plain.begin[p.id]:w.plain.end[p.id]])
	}
	if w.lower == nil {
		w.lower = newText(p.root, w, p.m, true)
	}
	if p.m.err != nil {
		return false
	}
	if p.finders == nil {
		p.finders = make([]finder, p.set.finders)
	}
	return p.finders[t.num].within(p.m, w.lower.all, t.val, int(w.lower.begin[p.id]), int(w.lower.end[p.id]))
}

// newText reads the text of a tree.
func newText(root *html.Node, w *tree, m *meter, folded bool) *text {
	t := &text{begin: make([]int32, len(w.nodes)), end: make([]int32, len(w.nodes))}
	var b strings.Builder
	var open []int32
	id := int32(0)
	for n := root; n != nil; {
		if !m.spend(1 + len(n.Data)/32) {
			return nil
		}
		switch n.Type {
		case html.ElementNode:
			t.begin[id] = int32(b.Len()) //nolint:gosec // bounded by the page
			t.end[id] = t.begin[id]
			if n.FirstChild != nil {
				open = append(open, id)
			}
			id++
		case html.TextNode:
			s := n.Data
			if folded {
				s = strings.ToLower(s)
			}
			b.WriteString(s)
		}
		if n.FirstChild != nil {
			n = n.FirstChild
			continue
		}
		for n != root && n.NextSibling == nil {
			if n = n.Parent; n.Type == html.ElementNode {
				t.end[open[len(open)-1]] = int32(b.Len()) //nolint:gosec // bounded by the page
				open = open[:len(open)-1]
			}
		}
		if n == root {
			break
		}
		n = n.NextSibling
	}
	t.all = b.String()
	return t
}

// A finder searches for a string in parts of a long text that begin later and later, by the
// algorithm of Knuth, Morris and Pratt. In total, it reads the long text only once.
type finder struct {
	next    int // start of the first occurrence that is still ahead
	pos     int // read so far
	k       int // length of the prefix that ends at pos
	borders []int
	begun   bool
}

// within reports whether text occurs in all[begin:end]. begin must not decrease
// from call to call.
func (f *finder) within(m *meter, all, text string, begin, end int) bool {
	if text == "" {
		return true
	}
	if !f.begun {
		f.begun, f.next, f.borders = true, -1, borders(text)
	}
	for f.next < begin {
		if f.pos >= len(all) {
			return false
		}
		if f.pos%64 == 0 && !m.spend(8) {
			return false
		}
		for f.k > 0 && (f.k == len(text) || text[f.k] != all[f.pos]) {
			f.k = f.borders[f.k-1]
		}
		if text[f.k] == all[f.pos] {
			f.k++
		}
		if f.pos++; f.k == len(text) {
			f.next = f.pos - len(text)
		}
	}
	return f.next+len(text) <= end
}

// borders returns, for each prefix of s, the length of its longest proper
// suffix that is a prefix of s.
func borders(s string) []int {
	b := make([]int, len(s))
	for i, k := 1, 0; i < len(s); i++ {
		for k > 0 && s[k] != s[i] {
			k = b[k-1]
		}
		if s[k] == s[i] {
			k++
		}
		b[i] = k
	}
	return b
}
