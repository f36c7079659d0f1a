// SPDX-License-Identifier: Apache-2.0

package dom

import (
	"context"
	"slices"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Limits of the documents in attributes of frames.
const (
	maxFrames     = 100 // in a page
	maxFrameDepth = 4   // frames in frames
)

// An allowance is what is left of the limits of a page for the documents in its frames.
type allowance struct{ nodes, frames, depth int }

// open puts the documents in the srcdoc attributes of frames where a reader sees
// them: the content of their bodies becomes that of the iframe elements.
func (d *Document) open(ctx context.Context, bounds Parser, frames []*html.Node, rest *allowance) error {
	rest.depth--
	defer func() { rest.depth++ }()
	for _, n := range frames {
		text := Attr(n, "srcdoc")
		if text == "" {
			continue
		}
		if rest.frames <= 0 || rest.depth < 0 || rest.nodes <= 0 {
			d.lose(Frames, 1)
			continue
		}
		rest.frames--
		inner := &Document{Text: text}
		if err := inner.build(ctx, bounds, rest); err != nil {
			return err
		}
		move(bodyOf(inner.Root), n)
		if inner.Lost[Truncated]+inner.Lost[Unclosed] > 0 { // bytes of the frame, not of the page
			d.lose(Frames, 1)
			delete(inner.Lost, Truncated)
			delete(inner.Lost, Unclosed)
		}
		for what, n := range inner.Lost {
			d.lose(what, n)
		}
	}
	if slices.ContainsFunc(frames, hasElement) {
		d.lose(DeepNesting, bound(d.Root))
	}
	return nil
}

// bodyOf returns the body of a document, or else its root.
func bodyOf(root *html.Node) *html.Node {
	for n := Next(root, root); n != nil; n = Next(n, root) {
		if n.DataAtom == atom.Body {
			return n
		}
	}
	return root
}

// move replaces the children of to by those of from.
func move(from, to *html.Node) {
	for c := to.FirstChild; c != nil; c = to.FirstChild {
		to.RemoveChild(c)
	}
	for c := from.FirstChild; c != nil; c = from.FirstChild {
		from.RemoveChild(c)
		to.AppendChild(c)
	}
}
