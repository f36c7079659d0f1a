// SPDX-License-Identifier: Apache-2.0

package selector

import (
	"context"
	"slices"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Steps that a pass may take: some tens of nanoseconds each at most.
const (
	baseSteps    = 20_000_000
	elementSteps = 1000 // for every element besides
	steady       = 1 << 14
)

// A meter counts steps, and looks at the context after some.
type meter struct {
	ctx   context.Context //nolint:containedctx // a meter lives as long as a call
	left  int             // steps until the limit
	until int             // steps until the context is looked at
	taken int
	err   error
}

// spend takes n steps; false once there are none left, or the context ended.
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

// Pass matches a Set against one tree. It is not safe for concurrent use.
type Pass struct {
	set  *Set
	root *html.Node
	m    *meter
	tree *tree // nil until a test needs the whole tree

	open    []frame
	undo    []change
	deepest []int32 // by slot: depth of the innermost open element that matched, from 1 on
	beside  []place // by slot: the last sibling that matched
	marks   []int32 // by list: the last element that matched
	frames  int32   // opened so far
	now     int32   // elements so far

	n       *html.Node // the element that is matched
	id      int32      // its number in tree
	lang    string
	off     bool // it stands in a disabled fieldset
	tokens  []string
	visited []int32            // buckets
	more    map[int32]struct{} // the same, if they are many
	hits    []*compound
	matched []int32

	finders []finder
	answers []bits // by survey
}

// A frame is an element whose children are matched, or what stands above root.
type frame struct {
	node   *html.Node
	num    int32
	undo   int   // where its changes begin
	count  int32 // children so far
	total  int32 // children, once they are counted
	kinds  map[string]int32
	totals map[string]int32
	lang   string
	off    bool // it stands in a disabled fieldset
	closed bool // it is one
	legend bool // a legend came already
}

// A place is the last child of a frame that matched.
type place struct{ frame, child int32 }

// A change is what to put back when a frame closes.
type change struct {
	slot  int32
	aside bool
	old   place // or the depth, in child
}

// Start begins a pass over the tree of root. The pass ends with ctx, and wraps
// [ErrSteps] when it took more than its steps: 20 million and 1,000 for every
// element.
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

// Steps returns the steps that the pass has taken.
func (p *Pass) Steps() int { return p.m.taken }

// Match returns the numbers of the selectors that match n, each once and in no
// order. They are good until the next call. It is to be called for the elements
// of the tree in document order: the caller may leave out what is below an
// element, but none of its siblings. The error is ctx's cause or [ErrSteps], and
// stays.
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

// step matches n, which comes next.
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

// enter makes n the element that tests are about.
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

// put notes that an element matched what another compound hangs on.
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

// close leaves the innermost frame.
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

// level matches the compounds of one level that n may be.
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

// first reports whether n comes to a bucket for the first time: classes may be
// named again and again.
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

// try matches the compounds of a bucket.
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

// hangs reports whether n stands where a compound has to, after the one before
// it.
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
