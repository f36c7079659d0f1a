// SPDX-License-Identifier: Apache-2.0

package mathtex

import (
	"strings"

	"golang.org/x/net/html"

	"example.com/curlew/internal/zipxml"
)

const (
	maxNodes = 20_000 // maximum of one formula; the rest is omitted
	maxDepth = 200    // maximum depth of elements; deeper ones are omitted
)

// Node is [MathML] for n, a math element of a page. It does not modify n.
func Node(n *html.Node) string {
	for d := range n.Descendants() {
		if d.Data == "annotation" && d.FirstChild != nil && d.FirstChild.Type == html.TextNode &&
			strings.Contains(strings.ToLower(attribute(d, "encoding")), "tex") {
			if tex := strings.TrimSpace(d.FirstChild.Data); tex != "" {
				return tex
			}
		}
	}
	if tex := strings.TrimSpace(attribute(n, "alttext")); tex != "" && strings.ContainsAny(tex, `\^_{`) {
		return tex
	}
	left := maxNodes
	return complete(mathml(element(n, maxDepth, &left)))
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// element converts n to an XML element, with a maximum of levels and nodes.
func element(n *html.Node, levels int, left *int) *zipxml.Element {
	*left--
	if n.Type == html.TextNode {
		e := zipxml.New("", nil)
		e.Text = n.Data
		return e
	}
	var attrs []zipxml.Attr
	for _, a := range n.Attr {
		attrs = append(attrs, zipxml.Attr{Name: a.Key, Value: a.Val})
	}
	var children []*zipxml.Element
	for c := range n.ChildNodes() {
		if (c.Type == html.ElementNode || c.Type == html.TextNode) && levels > 0 && *left > 0 {
			children = append(children, element(c, levels-1, left))
		}
	}
	return zipxml.New(n.Data, attrs, children...)
}
