// SPDX-License-Identifier: Apache-2.0

package content

import (
	"context"
	"slices"
	"strings"
	"sync"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"
)

// Read returns the index of root and the nodes below it, without those that no view shows.
// It walks the tree once and does not recurse. The error is the cause of ctx.
func Read(ctx context.Context, root *html.Node) (ix *Index, err error) {
	return read(ctx, root, false)
}

// Reveal is like Read, but includes the nodes that an inline style or a hidden attribute
// hides, because some pages show their content only after their scripts have run.
func Reveal(ctx context.Context, root *html.Node) (ix *Index, err error) {
	return read(ctx, root, true)
}

func read(ctx context.Context, root *html.Node, reveal bool) (ix *Index, err error) {
	r := readers.Get().(*reader) //nolint:forcetypeassert // it holds nothing else
	r.reveal = reveal
	r.steps = dom.NewSteps(ctx)
	defer r.steps.Recover(&err)
	r.walk(root)
	r.settle()
	if r.fold(); len(r.folds) > 0 {
		r.settle() // what is hidden in a fold stays hidden
	}
	ix = r.index()
	r.reset()
	readers.Put(r)
	return ix, nil
}

var readers = sync.Pool{New: func() any { return &reader{} }}

// A reader walks a tree. It also numbers the nodes that may be hidden, because it can decide
// only at the end whether they are.
type reader struct {
	steps  dom.Steps
	spots  []spot
	open   []int32 // spots of the elements around the current node
	asides []int32 // spots that may be hidden
	gone   []int32 // those of asides that are hidden
	folds  []int32 // those of asides that a click opens, see fold
	notes  []*html.Node

	reveal     bool            // nodes that scripts may show do not count as hidden
	controlled map[string]bool // ids of elements that other elements show and hide

	now     spot // running sums before the next node
	anchors int  // number of open links
	stands  int  // number of open elements that stand in for a program, see standsIn
}

// A spot is a node with the running sums of what precedes it on the page.
type spot struct {
	n                    *html.Node
	end                  int32
	runes, linked, links int32
}

// most is the number of spots up to which the memory of a reader is reused.
const most = 1 << 16

func (r *reader) reset() {
	if cap(r.spots) > most {
		*r = reader{}
		return
	}
	clear(r.spots)
	clear(r.notes)
	*r = reader{spots: r.spots[:0], open: r.open[:0], asides: r.asides[:0], gone: r.gone[:0], folds: r.folds[:0], notes: r.notes[:0]}
}

func (r *reader) walk(root *html.Node) {
	for n := root; ; {
		if r.enter(n) && n.FirstChild != nil {
			n = n.FirstChild
			continue
		}
		for {
			if k := len(r.open); k > 0 && r.spots[r.open[k-1]].n == n {
				r.leave()
			}
			if n == root {
				return
			}
			if n.NextSibling != nil {
				break
			}
			n = n.Parent
		}
		n = n.NextSibling
	}
}

// enter reads n, and reports whether the nodes below it are to be read.
func (r *reader) enter(n *html.Node) bool {
	r.steps.Take(1)
	id := count32(len(r.spots))
	s := r.now
	s.n = n
	switch {
	case n.Type == html.TextNode:
		if r.stands == 0 {
			r.measure(n.Data)
		}
		s.end = id + 1
		r.spots = append(r.spots, s)
		return false
	case id == 0: // the root is read, whatever its type
	case n.Type == html.ElementNode:
		hidden := r.attributes(n)
		if IsSilent(n) {
			r.note(n)
			if n.DataAtom != atom.Noscript {
				return false
			}
			hidden = true
		}
		if hidden {
			r.asides = append(r.asides, id)
		}
		switch {
		case standsIn(n):
			r.stands++
		case isAnchor(n):
			r.anchors++
			if r.stands == 0 {
				r.now.links++
			}
		}
	case n.Type != html.DocumentNode: // comments, doctypes
		if n.Type == html.CommentNode && len(r.open) <= 2 { // before or in the html element
			r.note(n)
		}
		return false
	}
	r.spots = append(r.spots, s)
	r.open = append(r.open, id)
	return true
}

// measure adds a text to the running sums.
func (r *reader) measure(text string) {
	r.steps.Take(len(text) / 256)
	count := letters(text)
	r.now.runes += count
	if r.anchors > 0 {
		r.now.linked += count
	}
}

// standsIn reports whether what is in n is only shown in place of a film, a program or a document, or is a question on
// a button. It has no size and no blocks of its own, so it is content if the text before it is. It is rare, and mostly
// says that a plug-in is missing, so the model learns nothing from it.
func standsIn(n *html.Node) bool {
	return n.DataAtom == atom.Object || n.DataAtom == atom.Applet || n.DataAtom == atom.Button && !isTitleOfPanel(n)
}

// leave ends the innermost open spot.
func (r *reader) leave() {
	s := &r.spots[r.open[len(r.open)-1]]
	r.open = r.open[:len(r.open)-1]
	s.end = count32(len(r.spots))
	switch {
	case standsIn(s.n):
		r.stands--
	case isAnchor(s.n):
		r.anchors--
	}
}

// attributes collects the ids that n controls, and reports whether n may be hidden.
func (r *reader) attributes(n *html.Node) (hidden bool) {
	for i := range n.Attr {
		switch a := &n.Attr[i]; a.Key {
		case "aria-controls":
			for id := range strings.FieldsSeq(a.Val) {
				if r.controlled == nil {
					r.controlled = map[string]bool{}
				}
				r.controlled[id] = true
			}
		case "hidden":
			hidden = true
		case "aria-hidden":
			hidden = hidden || len(a.Val) == len("true")
		case "style":
			hidden = hidden || hidesByStyle(a.Val)
		case "class":
			hidden = hidden || isCopy(a.Val)
		}
	}
	return hidden
}

// note keeps an element that describes the page: a title, a meta element, a link to another page of
// a series or JSON-LD. Of a head it keeps those that it contains. It also keeps buttons, which tell
// what asks for consent.
func (r *reader) note(n *html.Node) {
	if n.Type == html.CommentNode {
		r.notes = append(r.notes, n)
		return
	}
	switch n.DataAtom {
	case atom.Head:
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if c.DataAtom != atom.Head {
				r.note(c)
			}
		}
	case atom.Title, atom.Meta, atom.Button, atom.Input:
		r.notes = append(r.notes, n)
	case atom.Link:
		if leadsOn(dom.Attr(n, "rel")) {
			r.notes = append(r.notes, n)
		}
	case atom.Script:
		if strings.EqualFold(dom.Attr(n, "type"), "application/ld+json") {
			r.notes = append(r.notes, n)
		}
	}
}

// settle decides which nodes are hidden. A hidden element that has a large part of the text
// probably waits for a script to show it. It counts as shown, except for hidden elements
// inside it, and unless its names say that it is a menu, a dialog or the like.
func (r *reader) settle() {
	end, shown := int32(0), int32(0) // ends of the last hidden element, and of the last that counts as shown
	r.gone = r.gone[:0]
	for _, id := range r.asides {
		r.steps.Take(1)
		s := &r.spots[id]
		if _, opens := slices.BinarySearch(r.folds, id); opens && id >= end {
			shown = s.end
			continue
		}
		if id < end || s.n.DataAtom != atom.Noscript && !r.isHidden(s.n) {
			continue
		}
		if id >= shown {
			size := r.now.runes
			if int(s.end) < len(r.spots) {
				size = r.spots[s.end].runes
			}
			if size -= s.runes; isSegment(s.n) || size >= 400 && 3*size >= r.now.runes && !isExtra(s.n) {
				shown = s.end
				continue
			}
		}
		r.gone = append(r.gone, id)
		end = s.end
	}
}

// after returns the sums after the element of s.
func (r *reader) after(s *spot) *spot {
	if int(s.end) < len(r.spots) {
		return &r.spots[s.end]
	}
	return &r.now
}

// skip adds the size of what is between two spots.
func (s *spot) skip(from, to *spot) {
	s.runes += to.runes - from.runes
	s.linked += to.linked - from.linked
	s.links += to.links - from.links
}

// flatten gives a fold and all that is in it no size. It returns off with the size that it had.
func (r *reader) flatten(id int32, off spot) spot {
	s := &r.spots[id]
	next := r.after(s)
	off.skip(s, next)
	for k := id + 1; k < s.end; k++ {
		r.spots[k].runes, r.spots[k].linked, r.spots[k].links = next.runes, next.linked, next.links
	}
	return off
}

// isExtra reports whether the names of a hidden element say that it is not content, such as
// the help of a search.
func isExtra(n *html.Node) bool {
	var r traitReader
	names := r.read(n).names
	return names&surrounds != 0 && names&markGood == 0
}

// index makes the index of the nodes that are not hidden.
func (r *reader) index() *Index {
	size := len(r.spots)
	for _, id := range r.gone {
		size -= int(r.spots[id].end - id)
	}
	ix := indexes.Get().(*Index)           //nolint:forcetypeassert // it holds nothing else
	numbers := sized(ix.numbers, 4*size+3) // in one piece of memory
	*ix = Index{
		Nodes: sized(ix.Nodes, size), notes: append(ix.notes, r.notes...), gaps: ix.gaps, folds: ix.folds, numbers: numbers,
		End: numbers[:size:size], runes: numbers[size : 2*size+1 : 2*size+1], linked: numbers[2*size+1 : 3*size+2 : 3*size+2], links: numbers[3*size+2:],
	}
	var off spot // sums over the hidden nodes so far
	at, gone, fold := 0, 0, 0
	for id := 0; id <= len(r.spots); {
		r.steps.Take(1)
		s := &r.now
		if id < len(r.spots) {
			s = &r.spots[id]
		}
		if gone < len(r.gone) && int(r.gone[gone]) == id {
			gone++
			ix.gaps = append(ix.gaps, gap{n: s.n, at: count32(at)})
			off.skip(s, r.after(s))
			// From here on, links is the new number of a spot. It is needed to find ends.
			for k := id; k < int(s.end); k++ {
				r.spots[k].links = count32(at)
			}
			id = int(s.end)
			continue
		}
		ix.runes[at], ix.linked[at], ix.links[at] = s.runes-off.runes, s.linked-off.linked, s.links-off.links
		if id == len(r.spots) {
			break
		}
		ix.Nodes[at], ix.End[at] = s.n, s.end
		if fold < len(r.folds) && int(r.folds[fold]) == id {
			fold++
			ix.folds = append(ix.folds, count32(at))
			off = r.flatten(count32(id), off)
		}
		s.links = count32(at)
		at++
		id++
	}
	if len(r.gone) == 0 {
		return ix
	}
	for i, end := range ix.End {
		if int(end) < len(r.spots) {
			ix.End[i] = r.spots[end].links
		} else {
			ix.End[i] = count32(size)
		}
	}
	return ix
}
