// SPDX-License-Identifier: Apache-2.0

package content

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// frame is an open element: one around the node that the walker visits.
type frame struct {
	end          int32
	self         int32 // number of the element
	id           int32 // number of the innermost block-level element
	class, level int32
	depth        int32
	marks        [4]mark // its own, and those of the nearest three ancestors
	far          mark    // those of all elements around
	says         int32   // sum of what the names of all elements around say as far ones
	tags         uint32
	tenth, third int32
	path         [2]uint64
	looks        [3]uint64 // hashes of the classes of the nearest elements
	mute         bool      // text below is not read, as in a drawing or a script
	bold, inline bool
}

// A walker cuts a page into blocks.
type walker struct {
	p     *Page
	stack []frame
	open  bool  // the next text continues the last block
	total int32 // characters of the page
}

// cut fills p.Blocks, p.before and p.parent.
func (p *Page) cut() {
	ix := p.ix
	w := walker{p: p, total: count32(ix.Runes(0)), stack: append(p.frames[:0], frame{end: ix.Len(), class: 17})}
	p.before, p.parent = sized(p.before, len(ix.Nodes)+1), sized(p.parent, len(ix.Nodes))
	p.parent[0] = 0
	p.Blocks, p.quads = p.Blocks[:0], p.quads[:0]
	for id := int32(0); id < ix.Len(); {
		p.steps.Take(1)
		for top := &w.stack[len(w.stack)-1]; id >= top.end; top = &w.stack[len(w.stack)-1] {
			if !top.inline {
				w.open = false
			}
			w.stack = w.stack[:len(w.stack)-1]
		}
		p.before[id] = count32(len(p.Blocks))
		n := ix.Nodes[id]
		switch {
		case p.hidden.Has(id), ix.isFold(id), n.DataAtom == atom.Button && standsIn(n):
			for end := ix.End[id]; id < end; id++ {
				p.before[id], p.parent[id] = count32(len(p.Blocks)), w.stack[len(w.stack)-1].self
			}
			continue
		case n.Type == html.TextNode:
			w.text(id, n.Data)
		case n.Type == html.ElementNode:
			w.enter(id, n)
		}
		id++
	}
	p.before[ix.Len()] = count32(len(p.Blocks))
	p.frames = w.stack
}

// enter opens an element.
func (w *walker) enter(id int32, n *html.Node) {
	if id == 0 {
		return
	}
	ix := w.p.ix
	if ix.End[id] == id+1 {
		if n.DataAtom == atom.Hr || n.DataAtom == atom.Img && n.Namespace == "" {
			return
		}
	}
	up := &w.stack[len(w.stack)-1]
	f := *up
	f.end = ix.End[id]
	f.depth++
	own := &w.p.traits[id]
	w.p.parent[id] = up.self
	f.self = id
	f.marks = [4]mark{own.names, up.marks[0], up.marks[1], up.marks[2]}
	f.far |= own.names
	f.says += own.says[nearFar]
	f.tags |= tagOf(n.DataAtom) | own.tags
	f.inline = isInline(n)
	if n.DataAtom == atom.B || n.DataAtom == atom.Strong {
		f.bold = true
	}
	f.mute = f.mute || n.DataAtom == atom.Svg && !IsSheet(n) || n.DataAtom == atom.Script
	if !f.inline && !up.mute {
		w.open = false
		f.id, f.class, f.level, f.bold = id, classOf(n.DataAtom), headingLevel(n.DataAtom, up.level), false
	}
	runes := count32(ix.Runes(id))
	if 10*runes >= w.total {
		f.tenth = id
	}
	if 3*runes >= w.total {
		f.third = id
	}
	f.path[0] = mix(up.path[0], uint64(n.DataAtom)+1)
	look := mix(own.look, uint64(n.DataAtom)+1)
	f.looks = [3]uint64{look, up.looks[0], up.looks[1]}
	f.path[1] = mix(mix(look, up.looks[0]), up.looks[1])
	w.stack = append(w.stack, f)
}

func headingLevel(a atom.Atom, outer int32) int32 {
	switch a {
	case atom.H1:
		return 1
	case atom.H2:
		return 2
	case atom.H3:
		return 3
	case atom.H4:
		return 4
	case atom.H5:
		return 5
	case atom.H6:
		return 6
	}
	return outer
}

// text adds a text node to the open block, or opens one.
func (w *walker) text(id int32, s string) {
	f := &w.stack[len(w.stack)-1]
	if f.mute || w.p.ix.runes[id] == w.p.ix.runes[id+1] || isBlank(s) {
		return
	}
	p := w.p
	if !w.open {
		w.open = true
		p.recent = [3]uint64{}
		p.Blocks = append(p.Blocks, Block{
			place: place{
				First: id, home: f.id, class: f.class, depth: f.depth,
				level: int8(f.level), //nolint:gosec // 0 to 6
				near:  f.marks[0] | f.marks[1] | f.marks[2] | f.marks[3], far: f.far, tags: f.tags, tenth: f.tenth, third: f.third, path: f.path,
				said: p.votes(f.self, f.id, f.says), traits: traits{bold: f.bold, stripped: p.stripped.Has(id)},
			},
			counts: counts{text: 14695981039346656037},
			echoes: echoes{run: count32(len(p.quads))},
		})
	}
	b := &p.Blocks[len(p.Blocks)-1]
	b.End = id + 1
	p.scan(b, s, f.tags&tagLink != 0)
}

// isBlank reports whether s is white space.
func isBlank(s string) bool {
	for i := 0; i < len(s); i++ {
		switch {
		case kinds[s[i]]&isSpace != 0:
		case s[i] == 0xc2 && i+1 < len(s) && s[i+1] == 0xa0: // no-break space
			i++
		default:
			return false
		}
	}
	return true
}
