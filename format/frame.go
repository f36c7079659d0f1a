// SPDX-License-Identifier: Apache-2.0

package format

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"
)

// maxFrames is the number of frames of a page that are read.
const maxFrames = 100

// frames returns, for a page that has frames in place of a body, a page with a
// link to each of them and what the page says to readers that show no frames.
// For other pages it returns nil.
func (b *builder) frames(ctx context.Context, root *html.Node) (*html.Node, error) {
	var all []*html.Node
	var instead strings.Builder
	count := 0
	for n := dom.Next(root, root); n != nil; n = dom.Next(n, root) {
		switch n.DataAtom {
		case atom.Body:
			return nil, nil //nolint:nilnil // it is documented
		case atom.Frame:
			if count++; count <= maxFrames {
				all = append(all, n)
			}
		case atom.Noframes:
			instead.WriteString(dom.Text(n))
		}
	}
	if count == 0 || b.page.in.NotWeb {
		return nil, nil //nolint:nilnil // it is documented
	}
	doc, err := dom.Parse(ctx, []byte(instead.String()), "text/html; charset=utf-8")
	if err != nil {
		return nil, err
	}
	body := doc.Root
	for n := dom.Next(doc.Root, doc.Root); n != nil; n = dom.Next(n, doc.Root) {
		if n.DataAtom == atom.Body {
			body = n
			break
		}
	}
	for _, f := range all {
		src := strings.TrimSpace(dom.Attr(f, "src"))
		if src == "" {
			continue
		}
		link := &html.Node{Type: html.ElementNode, Data: "a", DataAtom: atom.A, Attr: []html.Attribute{{Key: "href", Val: src}}}
		link.AppendChild(&html.Node{Type: html.TextNode, Data: cmp.Or(dom.Attr(f, "title"), dom.Attr(f, "name"), src)})
		line := &html.Node{Type: html.ElementNode, Data: "p", DataAtom: atom.P}
		line.AppendChild(link)
		body.AppendChild(line)
	}
	text := fmt.Sprintf("The page consists of frames (%d): its content is in the pages that they show.", count)
	if count > maxFrames {
		text += fmt.Sprintf(" The first %d are linked.", maxFrames)
	}
	b.warnings.add(text)
	return doc.Root, nil
}
