// SPDX-License-Identifier: Apache-2.0

package lines

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/agent/internal/value"
	"example.com/curlew/internal/dom"
)

// Limits for learning slugs.
const (
	leastSiblings = 4   // links that differ in one segment
	maxSlugs      = 20  // of a page
	maxSiblings   = 500 // links at one position that are looked at
)

// sibling is a link at a position that is repeated on the page.
type sibling struct {
	segments []string // of its shape; the first one is the host
	printed  []string // of its path, after the host
	carded   bool     // it is part of a card, which contains more text than the link
	text     string
}

// Slugs returns the shapes of links that are at one repeated position of a page,
// outside its navigation, and differ in a single segment: /team/ada and /team/leo have
// one shape. If the path has only that segment, the links must be in cards, or have one
// and the same text, such as "Details", because menus look the same otherwise.
func Slugs(root *html.Node, l *Linker) []string {
	places := map[string][]sibling{}
	var order []string
	var walk func(n *html.Node, path string, depth int)
	walk = func(n *html.Node, path string, depth int) {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if c.Type != html.ElementNode || navigates(c) || depth > 256 {
				continue
			}
			at := path + ">" + stepOf(c)
			if len(at) > 2000 {
				at = at[len(at)-2000:]
			}
			if c.DataAtom == atom.A {
				if s, ok := l.sibling(c); ok && len(places[at]) < maxSiblings {
					if places[at] == nil {
						order = append(order, at)
					}
					places[at] = append(places[at], s)
				}
			}
			walk(c, at, depth+1)
		}
	}
	walk(root, "", 0)
	var slugs []string
	for _, at := range order {
		for _, slug := range differing(places[at]) {
			if !slices.Contains(slugs, slug) && len(slugs) < maxSlugs {
				slugs = append(slugs, slug)
			}
		}
	}
	return slugs
}

// navigates reports whether an element contains a menu of the site.
func navigates(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Nav, atom.Header, atom.Footer, atom.Script, atom.Style, atom.Template, atom.Head:
		return true
	}
	role := dom.Attr(n, "role")
	return role == "navigation" || role == "menu" || role == "menubar"
}

// sibling returns the link of an element, or false if it does not lead to a page.
func (l *Linker) sibling(a *html.Node) (sibling, bool) {
	u, err := l.Base.Link(dom.Attr(a, "href"))
	if err != nil {
		return sibling{}, false
	}
	c := value.Canonical(u.String())
	if c == "" || strings.Contains(c, "?") {
		return sibling{}, false
	}
	s := sibling{segments: strings.Split(value.Shape(c), "/"), printed: strings.Split(u.Path(), "/")}
	if p := a.Parent; p != nil {
		own, ok := shortText(a, maxShort)
		if s.text = own; !ok {
			s.text = c // long texts are taken to differ
		}
		around, short := shortText(p, maxShort)
		s.carded = !short || len(around) > len(own)+2
	}
	return s, true
}

// siblings are links whose shapes differ in one segment.
type siblings struct {
	words map[string]bool
	plain bool // a word has no placeholder, so the shapes of the links differ
	cards int
	n     int
	codes int // of n, segments that mix digits and letters
	hex   int // of codes, those that have only hexadecimal digits
	bare  int // links besides n whose segment is a number
	texts map[string]bool
}

// add counts a link by its segment i.
func (g *siblings) add(s sibling, i int) {
	word := s.segments[i]
	switch {
	case strings.HasPrefix(word, "{n}"):
		g.bare++
		return
	case strings.HasPrefix(word, "{h}"):
		g.hex++
		g.codes++
	case strings.HasPrefix(word, "{x}"):
		g.codes++
	}
	g.plain = g.plain || !strings.HasPrefix(word, "{")
	if len(s.printed) == len(s.segments) {
		word = s.printed[i]
	}
	g.words[word], g.texts[s.text] = true, true
	g.n++
	if s.carded {
		g.cards++
	}
}

// mixed reports whether the segments are random codes, of which some have only digits.
func (g *siblings) mixed() bool {
	return g.codes == g.n && (g.bare > 0 && g.bare < g.n || g.hex > 0 && g.hex < g.n)
}

// differing returns the shapes of siblings that differ in one segment.
func differing(all []sibling) []string {
	groups := map[string]*siblings{}
	var order []string
	for _, s := range all {
		for i := 1; i < len(s.segments); i++ {
			if s.segments[i] == "" {
				continue
			}
			shape := strings.Join(slices.Concat(s.segments[:i], []string{"{s}"}, s.segments[i+1:]), "/")
			g := groups[shape]
			if g == nil {
				g = &siblings{words: map[string]bool{}, texts: map[string]bool{}}
				groups[shape] = g
				order = append(order, shape)
			}
			g.add(s, i)
		}
	}
	var out []string
	for _, shape := range order {
		g := groups[shape]
		only := strings.Count(shape, "/") == 1
		if len(g.words) >= leastSiblings && (g.plain || g.mixed()) && (!only || 2*g.cards > g.n || len(g.texts) == 1) {
			out = append(out, shape)
		}
	}
	return out
}
