// SPDX-License-Identifier: Apache-2.0

package format

import (
	"context"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/structured"
)

// Limits of what is read from embedded data.
const (
	maxEmbedded = 200  // offers, ingredients or steps of one item
	maxSaid     = 2000 // texts in all
)

// embedded returns a page of what the JSON-LD of the page says, and how many texts
// it leaves out because of the limits. The page is nil if there is nothing to read.
// It is for pages without text of their own.
func (b *builder) embedded(ctx context.Context) (root *html.Node, left int) {
	w := dataWriter{ctx: ctx, root: &html.Node{Type: html.ElementNode, Data: "article", DataAtom: atom.Article}}
	said := map[*structured.Node]bool{}
	for _, n := range b.page.structured().Linked() {
		if !said[n] {
			w.item(n, said)
		}
	}
	if w.root.FirstChild == nil {
		return nil, 0
	}
	return w.root, w.left
}

// A dataWriter writes structured data as elements.
type dataWriter struct {
	ctx    context.Context //nolint:containedctx // it lives as long as a call
	root   *html.Node
	fields int
	left   int // texts beyond the limits
	titled bool
}

// add adds an element with a text, which may have markup.
func (w *dataWriter) add(tag atom.Atom, text string) {
	text = strings.TrimSpace(text)
	if text == "" {
		return
	}
	if w.fields >= maxSaid {
		w.left++
		return
	}
	w.fields++
	if strings.ContainsAny(text, "<&") {
		if doc, err := dom.Parse(w.ctx, []byte(text), "text/html; charset=utf-8"); err == nil {
			text = w.plain(doc.Root)
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(strings.Map(func(r rune) rune {
			if unicode.IsControl(r) {
				return ' ' // as JSON can have, and HTML not
			}
			return r
		}, line))
		if line == "" {
			continue
		}
		e := &html.Node{Type: html.ElementNode, Data: tag.String(), DataAtom: tag}
		e.AppendChild(&html.Node{Type: html.TextNode, Data: line})
		w.root.AppendChild(e)
	}
}

// plain returns the text below root that is to be read, with line breaks between
// paragraphs.
func (w *dataWriter) plain(root *html.Node) string {
	var b strings.Builder
	for n := range root.Descendants() {
		switch {
		case n.Type == html.TextNode && n.Parent.DataAtom != atom.Script && n.Parent.DataAtom != atom.Style:
			b.WriteString(n.Data)
		case n.DataAtom == atom.P || n.DataAtom == atom.Br || n.DataAtom == atom.Li || n.DataAtom == atom.Div || isHeading(n):
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// title adds the name of an item. The first is the title of the page.
func (w *dataWriter) title(text string) {
	if w.titled {
		w.add(atom.H2, text)
		return
	}
	w.titled = strings.TrimSpace(text) != ""
	w.add(atom.H1, text)
}

// item adds what is to be read of an item of a kind that is content.
func (w *dataWriter) item(n *structured.Node, said map[*structured.Node]bool) {
	switch {
	case n.Is("Article", "NewsArticle", "BlogPosting", "TechArticle", "Report", "SocialMediaPosting", "DiscussionForumPosting"):
		w.title(n.Text("headline", "name"))
		w.add(atom.P, n.Text("description"))
		w.add(atom.P, n.Text("articleBody", "text"))
	case n.Is("Product", "ProductGroup"):
		w.title(n.Text("name"))
		w.add(atom.P, n.Text("description"))
		for i, o := range n.Nodes("offers") {
			said[o] = true
			if price := o.Text("price", "lowPrice"); price != "" {
				w.nth(i, strings.TrimSpace(o.Text("name")+" "+price+" "+o.Text("priceCurrency")))
			}
		}
	case n.Is("Recipe"):
		w.title(n.Text("name"))
		w.add(atom.P, n.Text("description"))
		for i, s := range n.Texts("recipeIngredient", "ingredients") {
			w.nth(i, s)
		}
		for i, s := range n.Values("recipeInstructions") {
			text := s.Text
			if s.Node != nil {
				text = s.Node.Text("text", "name")
			}
			w.nth(i, text)
		}
	case n.Is("Event", "MusicEvent", "SportsEvent", "TheaterEvent", "BusinessEvent", "EducationEvent", "Festival"):
		w.title(n.Text("name"))
		w.add(atom.P, n.Text("startDate"))
		w.add(atom.P, n.Text("location"))
		w.add(atom.P, n.Text("description"))
	case n.Is("FAQPage"):
		w.title(n.Text("name", "headline"))
		for _, q := range n.Nodes("mainEntity") {
			w.add(atom.H2, q.Text("name"))
			for _, a := range q.Nodes("acceptedAnswer") {
				w.add(atom.P, a.Text("text"))
			}
		}
	case n.Is("ItemList"):
		w.title(n.Text("name"))
		for _, e := range n.Nodes("itemListElement") {
			of := e
			if inner := e.Nodes("item"); len(inner) > 0 {
				of = inner[0]
			}
			if !said[of] && of.Is("ListItem", "Thing", "WebPage") || len(of.Types) == 0 {
				w.add(atom.P, of.Text("name"))
			}
		}
	}
}

// nth adds the text with index i of an item as a paragraph.
func (w *dataWriter) nth(i int, text string) {
	if i >= maxEmbedded {
		w.left++
		return
	}
	w.add(atom.P, text)
}
