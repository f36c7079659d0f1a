// SPDX-License-Identifier: Apache-2.0

package doctree

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Running collects the running headers and footers of all sections of a document.
// Sections mostly repeat those of the section before, so each text is kept once.
type Running struct {
	nodes []*html.Node
	seen  map[string]bool
}

// Begin returns a new element for a header or a footer.
func (r *Running) Begin(b *Builder, tag atom.Atom) *html.Node {
	return b.Element(tag, "data-role", "running")
}

// Add keeps a header or a footer, unless it is empty or one with the same text is
// kept already.
func (r *Running) Add(n *html.Node) {
	if n.FirstChild != nil {
		r.add(n, textOf(n))
	}
}

// AddText is like [Running.Add], but also leaves out what has no text, such as a
// picture in the background of slides.
func (r *Running) AddText(n *html.Node) {
	if text := textOf(n); text != "" {
		r.add(n, text)
	}
}

// textOf returns the text of a node, with one space between words.
func textOf(n *html.Node) string {
	var text strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			text.WriteString(c.Data)
		}
	}
	return strings.Join(strings.Fields(text.String()), " ")
}

func (r *Running) add(n *html.Node, text string) {
	key := n.Data + " " + text
	if r.seen[key] {
		return
	}
	if r.seen == nil {
		r.seen = map[string]bool{}
	}
	r.seen[key] = true
	r.nodes = append(r.nodes, n)
}

// Write puts the headers before the content of body and the footers after it.
func (r *Running) Write(body *html.Node) {
	first := body.FirstChild
	for _, n := range r.nodes {
		if n.DataAtom == atom.Header {
			body.InsertBefore(n, first)
		} else {
			body.AppendChild(n)
		}
	}
}
