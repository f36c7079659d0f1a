// SPDX-License-Identifier: Apache-2.0

// Package unread counts what a browser shows of a page, or reads to its user, and the text of the page does not have:
// the content of fields, drawings that scripts make, subtitles, pictures for browsers without scripts, and
// text that only screen readers are not told.
package unread

import (
	"fmt"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"
)

// A Count counts parts of a page that are not in its text.
type Count struct {
	lists, choices int // lists of choices, and their words
	fields, values int // fields with a value, and their words
	drawings       int // canvas elements
	fallbacks      int // words for readers who do not see the drawings
	foreign        int // pieces of HTML in drawings
	legends        int // their words
	subtitles      int // files
	pictures       int // in noscript elements
	buttons, texts int // buttons with more than a label, and their words
	unspoken       int // words of aria-hidden elements

	images map[string]bool // addresses of pictures that the page has
}

// Limits of what is worth a word. Less is a label or an icon.
const (
	fewWords   = 8
	fewChoices = 2
)

// Add counts an element whose parent is shown, but that is not in the text.
func (c *Count) Add(n *html.Node) {
	if n.Type != html.ElementNode || n.Namespace != "" {
		if n.Data == "foreignObject" && n.Namespace == "svg" {
			if words := words(n); words > 0 {
				c.foreign, c.legends = c.foreign+1, c.legends+words
			}
		}
		return
	}
	switch n.DataAtom {
	case atom.Select, atom.Datalist:
		if words := words(n); words >= fewChoices {
			c.lists, c.choices = c.lists+1, c.choices+words
		}
	case atom.Textarea:
		c.field(words(n))
	case atom.Input:
		switch strings.ToLower(dom.Attr(n, "type")) {
		case "", "text", "url", "email", "tel", "search":
			c.field(len(strings.Fields(dom.Attr(n, "value"))))
		}
	case atom.Button:
		if words := words(n); words > fewWords || hasHeading(n) {
			c.buttons, c.texts = c.buttons+1, c.texts+words
		}
	case atom.Canvas:
		c.drawings++
		c.fallbacks += words(n)
	case atom.Noscript:
		for d := dom.Next(n, n); d != nil; d = dom.Next(d, n) {
			if d.DataAtom == atom.Img && c.isLost(d) {
				c.pictures++
			}
		}
	default:
		if isUnspoken(n) {
			if words := words(n); words > fewWords {
				c.unspoken += words
			}
		}
	}
}

// Media counts the subtitles of a video or audio element that is in the text.
func (c *Count) Media(n *html.Node) {
	for d := n.FirstChild; d != nil; d = d.NextSibling {
		if d.DataAtom == atom.Track && dom.Attr(d, "src") != "" {
			switch strings.ToLower(dom.Attr(d, "kind")) {
			case "", "subtitles", "captions", "descriptions":
				c.subtitles++
			}
		}
	}
}

// Image notes the address of a picture of the page, which a noscript element often has a second time.
func (c *Count) Image(n *html.Node) {
	if c.images == nil {
		c.images = map[string]bool{}
	}
	for _, a := range n.Attr {
		if strings.Contains(a.Key, "src") {
			for word := range strings.FieldsSeq(a.Val) {
				c.images[file(word)] = true
			}
		}
	}
	c.images[file(dom.Picture(n))] = true
}

// isLost reports whether a picture for browsers without scripts is not elsewhere on the page. Pictures without a
// description are mostly counters.
func (c *Count) isLost(img *html.Node) bool {
	src := dom.Picture(img)
	return src != "" && len(strings.Fields(dom.Attr(img, "alt"))) > 1 && !c.images[file(src)]
}

// file returns the name of the file of an address.
func file(src string) string {
	src, _, _ = strings.Cut(src, "?")
	return src[strings.LastIndexByte(src, '/')+1:]
}

func (c *Count) field(words int) {
	if words > 0 {
		c.fields, c.values = c.fields+1, c.values+words
	}
}

// isUnspoken reports whether an element is hidden from screen readers, and no attribute hides it from
// others. Dialogs are not shown until a script opens them.
func isUnspoken(n *html.Node) bool {
	if !strings.EqualFold(dom.Attr(n, "aria-hidden"), "true") || strings.Contains(dom.Attr(n, "role"), "dialog") || dom.Attr(n, "aria-modal") != "" {
		return false
	}
	if _, ok := dom.LookupAttr(n, "hidden"); ok || strings.Contains(strings.ReplaceAll(dom.Attr(n, "style"), " ", ""), "display:none") {
		return false
	}
	names := strings.ToLower(dom.Attr(n, "class") + " " + dom.Attr(n, "id"))
	for _, closed := range []string{"modal", "popup", "dialog", "overlay", "menu", "nav", "drawer", "dropdown", "tooltip", "clone", "collaps", "offcanvas", "lightbox", "newsletter", "cookie", "consent", "hidden", "slide"} {
		if strings.Contains(names, closed) {
			return false
		}
	}
	return true
}

// hasHeading reports whether there is a heading below n.
func hasHeading(n *html.Node) bool {
	for d := dom.Next(n, n); d != nil; d = dom.Next(d, n) {
		switch d.DataAtom {
		case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
			return true
		}
	}
	return false
}

// words returns the number of words below n, without scripts and styles.
func words(n *html.Node) (count int) {
	for d := dom.Next(n, n); d != nil; d = dom.Next(d, n) {
		if d.Type == html.TextNode && d.Parent.DataAtom != atom.Script && d.Parent.DataAtom != atom.Style {
			count += len(strings.Fields(d.Data))
		}
	}
	return count
}

// parts are sentences about what was counted.
type parts []string

// add adds what a format says of a count, unless the count is 0. It is not inlined, because [Count.Text] has ten calls.
//
//go:noinline
func (p *parts) add(count int, format string, args ...any) {
	if count > 0 {
		*p = append(*p, fmt.Sprintf(format, args...))
	}
}

// Text returns a sentence that says what was counted, or "".
func (c *Count) Text() string {
	var p parts
	p.add(c.lists, "lists of choices (%d) with %d words", c.lists, c.choices)
	p.add(c.fields, "values of fields (%d) with %d words", c.fields, c.values)
	if c.fallbacks > 0 {
		p.add(c.drawings, "drawings that scripts make (%d), and %d words in place of them", c.drawings, c.fallbacks)
	} else {
		p.add(c.drawings, "drawings that scripts make (%d)", c.drawings)
	}
	p.add(c.foreign, "HTML in drawings (%d) with %d words", c.foreign, c.legends)
	p.add(c.buttons, "buttons with more than a label (%d) with %d words", c.buttons, c.texts)
	p.add(c.subtitles, "files of subtitles (%d)", c.subtitles)
	p.add(c.pictures, "pictures for browsers without scripts (%d)", c.pictures)
	p.add(c.unspoken, "%d words that are hidden from screen readers", c.unspoken)
	if len(p) == 0 {
		return ""
	}
	return "Left out of the content: " + strings.Join(p, "; ") + "."
}
