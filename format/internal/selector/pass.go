// SPDX-License-Identifier: Apache-2.0

package selector

import (
	"context"
	"slices"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Steps that a pass may take. A step takes at most some tens of nanoseconds.
const (
	baseSteps    = 20_000_000
	elementSteps = 1000    // additional steps for each element
	steady       = 1 << 14 // steps between two checks of the context
)

// A meter counts steps, and checks the context at intervals.
type meter struct {
	ctx   context.Context //nolint:containedctx // a meter lives as long as one call
	left  int             // steps until the limit
	until int             // steps until the next check of the context
	taken int
	err   error
}

// spend takes n steps. It returns false if none are left or the context has
// ended.
func (m *meter) spend(n int) bool {
	m.taken += n
	m.left -= n
	if m.until -= n; m.until < 0 {
		m.look()
	}
	return m.err == nil
}

func (m *meter) look() {
	m.until = steady
	switch {
	case m.err != nil:
	case m.ctx.Err() != nil:
		m.err = context.Cause(m.ctx)
	case m.left < 0:
		m.err = ErrSteps
	}
}

// Pass matches a Set with one tree. It is not safe for concurrent use.
type Pass struct {
	set  *Set
	root *html.Node
	m    *meter
	tree *tree // nil until a test needs the whole tree

	open    []frame
	undo    []change
	deepest []int32 // by slot: depth of the innermost matching open element, from 1
	beside  []place // by slot: the last matching sibling
	marks   []int32 // by list: the last matching element
	frames  int32   // number of frames opened so far
	now     int32   // number of elements so far

	n       *html.Node // the current element
	id      int32      // its number in tree
	lang    string     // its language
	off     bool       // it is in a disabled fieldset
	tokens  []string
	visited []int32            // buckets that were visited for the current element
	more    map[int32]struct{} // the same buckets, if there are many
	hits    []*compound
	matched []int32

	finders []finder
	answers []bits // by survey: the elements for which it is true
}

// A frame is an element whose children are being matched, or the parent of the
// root.
type frame struct {
	node   *html.Node
	num    int32 // number of the frame
	undo   int   // index of its first change
	count  int32 // number of children so far
	total  int32 // number of children, once they have been counted
	kinds  map[string]int32
	totals map[string]int32
	lang   string
	off    bool // it is in a disabled fieldset
	closed bool // it is a disabled fieldset
	legend bool // its legend has been seen
}

// A place identifies the last matching child of a frame.
type place struct{ frame, child int32 }

// A change is a value to restore when a frame is closed.
type change struct {
	slot  int32
	aside bool
	old   place // the old value; an old depth is in child
}

// Start starts a pass over the tree of root. The pass ends with ctx. If it
// takes more than 20 million steps plus 1,000 for each element, its error wraps
// [ErrSteps].
func (s *Set) Start(ctx context.Context, root *html.Node) *Pass {
	return s.start(&meter{ctx: ctx, left: baseSteps, until: steady}, root, nil)
}

func (s *Set) start(m *meter, root *html.Node, t *tree) *Pass {
	p := &Pass{set: s, root: root, m: m, tree: t, id: -1}
	p.deepest = make([]int32, s.slots)
	p.beside = make([]place, s.slots)
	p.marks = make([]int32, s.lists)
	top := root
	if root.Type == html.ElementNode {
		top = root.Parent
	}
	p.open = append(p.open, frame{node: top, num: 1, total: -1})
	p.frames = 1
	return p
}

// Steps returns the number of steps so far.
func (p *Pass) Steps() int { return p.m.taken }

// Match returns the numbers of the selectors that match n, without duplicates
// and in any order. The result is valid until the next call. Match must be
// called for the elements of the tree in document order. The caller may skip
// the descendants of an element, but no siblings. The error is the cause of ctx
// or [ErrSteps], and all later calls return it too.
func (p *Pass) Match(n *html.Node) ([]int32, error) {
	p.matched = p.matched[:0]
	p.m.left += elementSteps
	if !p.m.spend(1 + len(n.Attr)/8) {
		return nil, p.m.err
	}
	p.step(n)
	if p.m.err != nil {
		return nil, p.m.err
	}
	return p.matched, nil
}

// step matches n, which follows the previous element.
func (p *Pass) step(n *html.Node) {
	for len(p.open) > 1 && p.open[len(p.open)-1].node != n.Parent {
		p.close()
	}
	f := &p.open[len(p.open)-1]
	p.enter(n, f)
	for i := len(p.set.levels) - 1; i >= 0; i-- {
		p.level(&p.set.levels[i])
	}
	if n.DataAtom == atom.Legend {
		f.legend = true
	}
	for _, c := range p.hits {
		if c.aside {
			p.put(c.slot, true, place{f.num, f.count})
		}
	}
	if n.FirstChild == nil {
		return
	}
	p.frames++
	p.open = append(p.open, frame{
		node: n, num: p.frames, undo: len(p.undo), total: -1, lang: p.lang, off: p.off,
		closed: p.set.forms && n.DataAtom == atom.Fieldset && hasAttr(n, "disabled"),
	})
	depth := int32(len(p.open)) //nolint:gosec // at most as many as nodes
	for _, c := range p.hits {
		if !c.aside {
			p.put(c.slot, false, place{child: depth})
		}
	}
}

// enter makes n the current element.
func (p *Pass) enter(n *html.Node, f *frame) {
	p.n = n
	p.now++
	f.count++
	p.hits, p.visited, p.more = p.hits[:0], p.visited[:0], nil
	if p.tree != nil {
		p.id = p.tree.next(p.id, n)
	}
	if p.set.kinds {
		if f.kinds == nil {
			f.kinds = map[string]int32{}
		}
		f.kinds[n.Data]++
	}
	if p.set.langs {
		if p.lang = f.lang; hasAttr(n, "lang") {
			p.lang = attr(n, "lang")
		}
	}
	if p.set.forms {
		p.off = f.off || f.closed && (n.DataAtom != atom.Legend || f.legend)
	}
	if p.set.classes {
		p.tokens = p.tokens[:0]
		for i := range n.Attr {
			if a := &n.Attr[i]; a.Key == "class" {
				p.m.spend(len(a.Val) / 8)
				p.tokens = fields(p.tokens, a.Val)
			}
		}
	}
}

// put records that an element matches a compound that another compound refers
// to.
func (p *Pass) put(slot int32, aside bool, at place) {
	if aside {
		if old := p.beside[slot]; old.frame != at.frame {
			p.undo = append(p.undo, change{slot, true, old})
		}
		p.beside[slot] = at
		return
	}
	p.undo = append(p.undo, change{slot, false, place{child: p.deepest[slot]}})
	p.deepest[slot] = at.child
}

// close closes the innermost frame.
func (p *Pass) close() {
	last := len(p.open) - 1
	begin := p.open[last].undo
	for i := len(p.undo) - 1; i >= begin; i-- {
		if c := &p.undo[i]; c.aside {
			p.beside[c.slot] = c.old
		} else {
			p.deepest[c.slot] = c.old.child
		}
	}
	p.undo = p.undo[:begin]
	p.open[last] = frame{}
	p.open = p.open[:last]
}

// level tests the compounds of one level that n may match.
func (p *Pass) level(x *index) {
	p.try(x.any)
	if b, ok := x.tags[p.n.Data]; ok {
		p.try(x.buckets[b])
	}
	if x.classes != nil {
		for _, token := range p.tokens {
			if b, ok := x.classes[token]; ok && p.first(b) {
				p.try(x.buckets[b])
			}
		}
	}
	if x.ids != nil || x.attributes != nil {
		for i := range p.n.Attr {
			a := &p.n.Attr[i]
			if a.Key == "id" {
				if b, ok := x.ids[a.Val]; ok && p.first(b) {
					p.try(x.buckets[b])
				}
			}
			if b, ok := x.attributes[a.Key]; ok && p.first(b) {
				p.try(x.buckets[b])
			}
		}
	}
	p.visited, p.more = p.visited[:0], nil
}

// first reports whether n visits a bucket for the first time, because classes
// may be repeated.
func (p *Pass) first(b int32) bool {
	if p.more == nil {
		if slices.Contains(p.visited, b) {
			return false
		}
		if p.visited = append(p.visited, b); len(p.visited) == 16 {
			p.more = map[int32]struct{}{}
			for _, v := range p.visited {
				p.more[v] = struct{}{}
			}
		}
		return true
	}
	if _, ok := p.more[b]; ok {
		return false
	}
	p.more[b] = struct{}{}
	return true
}

// try tests the compounds of a bucket.
func (p *Pass) try(bucket []int32) {
	for i, num := range bucket {
		if i%64 == 0 && !p.m.spend(min(64, len(bucket)-i)) {
			return
		}
		c := &p.set.compounds[num]
		if !p.hangs(c) || !p.all(c.tests) {
			continue
		}
		if c.slot >= 0 {
			p.hits = append(p.hits, c)
			continue
		}
		if c.list >= 0 {
			if p.marks[c.list] == p.now {
				continue
			}
			p.marks[c.list] = p.now
		}
		if c.last {
			p.matched = append(p.matched, c.owner)
		}
	}
}

// hangs reports whether n has the position that the combinator of a compound requires.
func (p *Pass) hangs(c *compound) bool {
	if c.prev < 0 {
		return true
	}
	switch c.comb {
	case ' ':
		return p.deepest[c.prev] > 0
	case '>':
		return int(p.deepest[c.prev]) == len(p.open)
	default:
		f := &p.open[len(p.open)-1]
		at := p.beside[c.prev]
		return at.frame == f.num && (c.comb == '~' || at.child == f.count-1)
	}
}
