// SPDX-License-Identifier: Apache-2.0

package pdf

import (
	"cmp"
	"context"
	"slices"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/pdf/layout"
)

func (d *reader) finish(ctx context.Context) (*Document, error) {
	root := &html.Node{Type: html.DocumentNode}
	el := func(p *html.Node, a atom.Atom) *html.Node {
		n := &html.Node{Type: html.ElementNode, DataAtom: a, Data: a.String()}
		p.AppendChild(n)
		return n
	}
	h := el(root, atom.Html)
	body := el(h, atom.Body)
	for _, p := range d.laid {
		s := el(body, atom.Section)
		slices.SortStableFunc(p.Lines, func(a, b layout.Line) int { return cmp.Compare(a.Y, b.Y) })
		for i := range p.Lines {
			el(s, atom.P).AppendChild(&html.Node{Type: html.TextNode, Data: p.Lines[i].Text()})
		}
	}
	d.doc.Root = root
	return d.doc, nil
}
