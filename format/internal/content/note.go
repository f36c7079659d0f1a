// SPDX-License-Identifier: Apache-2.0

package content

import (
	"golang.org/x/net/html"

	"example.com/curlew/internal/dom"
)

// keepNotes keeps the footnotes that follow the content, and those that Strip strips. It reports whether there are any
// of the latter.
func (p *Page) keepNotes(keep []bool) (more bool) {
	root := p.around(keep)
	_, end := p.span(root)
	last, boxes := p.footnotes(root, end)
	for i := end; i < last; i++ {
		keep[i] = !p.Blocks[i].stripped && !p.Blocks[i].apart
	}
	for _, id := range boxes {
		lo, hi := p.span(id)
		p.steps.Take(int(hi - lo))
		for i := lo; i < hi; i++ {
			keep[i] = true
		}
	}
	return boxes != nil
}

// footnotes returns hi, the end of the blocks of element root, or the end of the footnotes that
// follow the element: of elements with a link back to the reference in root that leads to them. Of notes that Strip
// strips, such as those in an aside or a footer, it returns the elements.
func (p *Page) footnotes(root, hi int32) (end int32, boxes []int32) {
	const up = 3 // elements from the link up that may have the name of the note
	ix := p.ix
	var backs []int32
	for id := root; id < ix.Len(); id++ {
		if p.traits[id].inner && (p.stripped.Has(id) || id >= ix.End[root]) && !p.hidden.Has(id) {
			backs = append(backs, id)
		}
	}
	if len(backs) == 0 {
		return hi, nil
	}
	refs := p.references(root)
	for _, id := range backs {
		to := dom.Attr(ix.Nodes[id], "href")
		for at, k := id, 0; k < up; at, k = p.parent[at], k+1 {
			n := ix.Nodes[at]
			switch {
			case !refs[[2]string{to, "#" + dom.Attr(n, "id")}] && !refs[[2]string{to, "#" + dom.Attr(n, "name")}]:
				continue
			case !p.stripped.Has(id):
				hi = max(hi, p.before[ix.End[p.beside(at, root)]])
			case at == id && p.isNote(p.parent[at]):
				boxes = append(boxes, p.parent[at])
			case at != id && p.isNote(at):
				boxes = append(boxes, at)
			}
			break
		}
	}
	return hi, boxes
}

// isNote reports whether a stripped element is a note, and no entry of a table of contents.
func (p *Page) isNote(id int32) bool {
	lo, hi := p.span(id)
	return lo < hi && 2*p.ix.LinkRunes(id) < p.ix.Runes(id) && p.Blocks[lo].tags&tagNav == 0
}

// references returns the names of the links in element root to parts of the page, with where they lead.
func (p *Page) references(root int32) map[[2]string]bool {
	ix := p.ix
	refs := map[[2]string]bool{}
	for id := root; id < ix.End[root]; id++ {
		p.steps.Take(1)
		if !p.traits[id].inner || p.stripped.Has(id) {
			continue
		}
		link := ix.Nodes[id]
		for _, n := range []*html.Node{link, link.Parent, link.FirstChild} {
			for _, key := range []string{"id", "name"} {
				if n != nil && dom.Attr(n, key) != "" {
					refs[[2]string{"#" + dom.Attr(n, key), dom.Attr(link, "href")}] = true
				}
			}
		}
	}
	return refs
}
