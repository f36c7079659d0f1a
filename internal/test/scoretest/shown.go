// SPDX-License-Identifier: Apache-2.0

package scoretest

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// Shown returns the visible content of the HTML text src in a normalized form:
// white space is collapsed outside of pre and removed at the edges of blocks,
// attributes are sorted, and alignment has a single spelling. If lenient is
// set, tight and loose items are equal. If src cannot be parsed, it returns
// src.
func Shown(src string, lenient bool) string {
	root, err := html.Parse(strings.NewReader(src))
	if err != nil {
		return src
	}
	w := shown{lenient: lenient}
	w.children(root, false)
	return strings.TrimSpace(w.b.String())
}

type shown struct {
	b       strings.Builder
	lenient bool
}

const inlineTags = " a abbr b br code del em i img input kbd s span strong sub sup u "

func isInline(n *html.Node) bool {
	return n != nil && (n.Type == html.TextNode || n.Type == html.ElementNode && strings.Contains(inlineTags, " "+n.Data+" "))
}

func (w *shown) children(n *html.Node, pre bool) {
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		switch k.Type {
		case html.TextNode:
			s := k.Data
			if !pre {
				lead, trail := strings.TrimLeft(s, " \t\n") != s, strings.TrimRight(s, " \t\n") != s
				s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" \t\n", r) }), " ")
				if s == "" && lead {
					s, trail = " ", false
				} else if lead {
					s = " " + s
				}
				if trail {
					s += " "
				}
				if k.PrevSibling == nil && !isInline(n) || k.PrevSibling != nil && !isInline(k.PrevSibling) || k.PrevSibling != nil && k.PrevSibling.Data == "br" {
					s = strings.TrimLeft(s, " ")
				}
				if k.NextSibling == nil && !isInline(n) || k.NextSibling != nil && !isInline(k.NextSibling) {
					s = strings.TrimRight(s, " ")
				}
			}
			w.b.WriteString(html.EscapeString(s))
		case html.ElementNode:
			var attrs []string
			for _, a := range k.Attr {
				if a.Key == "style" && strings.HasPrefix(a.Val, "text-align:") {
					a.Key, a.Val = "align", strings.Trim(a.Val[len("text-align:"):], " ;")
				}
				attrs = append(attrs, fmt.Sprintf(" %s=%q", a.Key, a.Val))
			}
			slices.Sort(attrs)
			if w.lenient && k.Data == "p" && n.Data == "li" {
				w.children(k, pre)
				continue
			}
			fmt.Fprintf(&w.b, "<%s%s>", k.Data, strings.Join(attrs, ""))
			w.children(k, pre || k.Data == "pre")
			fmt.Fprintf(&w.b, "</%s>", k.Data)
		}
	}
}
