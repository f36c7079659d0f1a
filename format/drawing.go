// SPDX-License-Identifier: Apache-2.0

package format

import (
	"cmp"
	"encoding/base64"
	"strings"

	"golang.org/x/net/html"

	"example.com/curlew/internal/dom"
)

// Limits of a drawing that is a logo.
const (
	maxDrawn      = 1000     // nodes
	maxDrawnBytes = 24 << 10 // as text
)

// drawn returns an svg element as a data: URL. It is empty if the element is too
// large or refers to another one. If personal data is redacted it is empty too,
// because personal data cannot be found in a drawing.
func (r *brandReader) drawn(svg *html.Node) string {
	if r.redactor.on {
		return ""
	}
	left := maxDrawn
	picture := copyDrawing(svg, &left)
	if picture == nil {
		return ""
	}
	picture.Attr = append(picture.Attr, html.Attribute{Key: "xmlns", Val: "http://www.w3.org/2000/svg"})
	var b strings.Builder
	if html.Render(&b, picture) != nil || b.Len() > maxDrawnBytes {
		return ""
	}
	return "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString([]byte(b.String()))
}

// copyDrawing returns a copy of n without scripts, styles, links and images. It is
// nil if n refers to other elements or is too large.
func copyDrawing(n *html.Node, left *int) *html.Node {
	if *left--; *left < 0 {
		return nil
	}
	c := &html.Node{Type: n.Type, Data: strings.ToValidUTF8(n.Data, "\uFFFD"), DataAtom: n.DataAtom, Namespace: n.Namespace}
	for _, a := range n.Attr {
		if a.Namespace == "" && a.Key != "xmlns" && a.Key != "href" && a.Key != "style" && !strings.HasPrefix(a.Key, "on") && isName(a.Key) {
			c.Attr = append(c.Attr, html.Attribute{Key: a.Key, Val: strings.ToValidUTF8(a.Val, "\uFFFD")})
		}
	}
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		switch {
		case k.Type == html.TextNode && n.Data != "svg" && n.Data != "g":
		case k.Type != html.ElementNode, k.Namespace != "svg", k.Data == "script", k.Data == "style", k.Data == "foreignObject", k.Data == "image", k.Data == "a":
			continue
		case k.Data == "use", !isName(k.Data):
			return nil
		}
		child := copyDrawing(k, left)
		if child == nil {
			return nil
		}
		c.AppendChild(child)
	}
	return c
}

// isName reports whether s is an ASCII name that is valid in XML.
func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if letter := 'a' <= c|0x20 && c|0x20 <= 'z'; !letter && (i == 0 || (c < '0' || '9' < c) && c != '-' && c != '_') {
			return false
		}
	}
	return s != ""
}

// spellOut replaces a drawing in a copy of a page by the texts that it shows, with commas between them, after its
// title. A drawing without text goes. So does one whose only text is shorter than a word, because it is an icon.
func spellOut(svg *html.Node) {
	const word = 3 // bytes
	var texts []string
	title, size := "", 0
	for n := svg; n != nil; n = dom.Next(n, svg) {
		switch {
		case n.Type != html.ElementNode:
		case n.Data == "title" && n.Parent == svg:
			title = clean(textOf(n))
		case n.Data == "text":
			if text := drawnText(n); text != "" && (len(texts) == 0 || texts[len(texts)-1] != text) {
				texts, size = append(texts, text), size+len(text)
			}
		}
	}
	if size >= word {
		text := strings.Join(texts, ", ")
		if title = cmp.Or(dom.Attr(svg, "aria-label"), title); title != "" {
			text = title + ": " + text
		}
		svg.Parent.InsertBefore(&html.Node{Type: html.TextNode, Data: " " + text + " "}, svg)
		svg.Parent.RemoveChild(svg)
	}
}

// drawnText returns the text of a text element of a drawing. Parts with a position of their own are separate words.
func drawnText(n *html.Node) string {
	var b strings.Builder
	for d := n; d != nil && b.Len() < maxDrawnBytes; d = dom.Next(d, n) {
		switch {
		case d.Type == html.TextNode:
			b.WriteString(d.Data)
		case d.Type == html.ElementNode && d.Data == "tspan" && (dom.Attr(d, "x") != "" || dom.Attr(d, "dy") != ""):
			b.WriteByte(' ')
		}
	}
	return clean(b.String())
}
