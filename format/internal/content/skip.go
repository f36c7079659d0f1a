// SPDX-License-Identifier: Apache-2.0

package content

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"
)

// isSegment reports whether n is a part of the page that React sends late, and that a script
// moves to its place. Its id ends in S: and a hexadecimal number.
func isSegment(n *html.Node) bool {
	id := dom.Attr(n, "id")
	i := strings.Index(id, "S:") // there may be a prefix
	if i < 0 || len(id) == i+2 {
		return false
	}
	return strings.Trim(id[i+2:], "0123456789abcdef") == ""
}

// IsSilent reports whether the element n has no text for readers.
func IsSilent(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script: // formulas are content
		return !strings.HasPrefix(dom.Attr(n, "type"), "math/tex")
	case atom.Head, atom.Style, atom.Template, atom.Meta, atom.Link, atom.Base, atom.Noscript, atom.Noembed,
		atom.Noframes, atom.Param, atom.Canvas, atom.Select, atom.Textarea,
		atom.Option, atom.Datalist, atom.Frame, atom.Frameset:
		return true
	case atom.Title:
		return n.Namespace == ""
	case atom.Input:
		return dom.Attr(n, "type") != "checkbox" || within(n, atom.Li) == nil && !dom.IsMark(n)
	case atom.Button:
		// The title of an accordion is a button, often in a heading.
		return !isTitleOfPanel(n) && !dom.Asks(n)
	}
	switch n.Data {
	case "set", "animate", "animateTransform", "animateMotion": // elements of drawings that can set attributes to script URLs
		return n.Namespace == "svg"
	case "foreignObject": // HTML in a drawing
		return n.Namespace == "svg" && !IsSheet(n.Parent) && !isCaption(n)
	}
	return false
}

// isTitleOfPanel reports whether a button is in a heading or the like, or shows what follows it.
func isTitleOfPanel(button *html.Node) bool {
	return within(button, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Summary, atom.Dt) != nil || dom.Discloses(button)
}

// IsSheet reports whether a drawing has nothing but one piece of HTML, as programs for slides write a page so that it
// keeps its proportions.
func IsSheet(svg *html.Node) bool {
	const most = 16 // children
	if svg == nil || svg.Namespace != "svg" || svg.Data != "svg" {
		return false
	}
	sheets, steps := 0, 0
	for c := svg.FirstChild; c != nil; c = c.NextSibling {
		if steps++; steps > most {
			return false
		}
		switch {
		case c.Type != html.ElementNode || c.Data == "style" || c.Data == "defs" || c.Data == "title" || c.Data == "desc":
		case c.Data == "foreignObject":
			sheets++
		default:
			return false
		}
	}
	return sheets == 1
}

// isCaption reports whether an element has the words of a caption, and not more.
func isCaption(n *html.Node) bool {
	const most, nodes = 1024, 256 // bytes
	size, steps := 0, 0
	for d := dom.Next(n, n); d != nil; d = dom.Next(d, n) {
		if steps++; d.Type == html.TextNode {
			size += len(d.Data)
		}
		if size > most || steps > nodes {
			return false
		}
	}
	return true
}

// within returns the nearest of the three innermost ancestors of n that is one of atoms, or
// nil.
func within(n *html.Node, atoms ...atom.Atom) *html.Node {
	for range 3 {
		if n = n.Parent; n == nil {
			return nil
		}
		if slices.Contains(atoms, n.DataAtom) {
			return n
		}
	}
	return nil
}

// isHidden reports whether n is hidden, and not a panel that a reader can open.
func (r *reader) isHidden(n *html.Node) bool {
	if n.Namespace == "math" {
		return false
	}
	hidden, panel := false, false
	for i := range n.Attr {
		a := &n.Attr[i]
		switch a.Key {
		case "hidden":
			hidden = hidden || a.Val != "until-found" && !r.reveal
		case "aria-hidden":
			hidden = hidden || strings.EqualFold(a.Val, "true")
		case "style":
			hidden = hidden || !r.reveal && hidesByStyle(a.Val)
		case "role":
			panel = panel || a.Val == "tabpanel"
		case "id":
			panel = panel || r.controlled[a.Val]
		case "class":
			hidden = hidden || isCopy(a.Val)
			// All but the first contain the source of a formula beside its picture.
			panel = panel || hasWord(a.Val, "tab-pane") || strings.Contains(a.Val, "mwe-math-mathml") ||
				hasWord(a.Val, "katex-mathml") || hasWord(a.Val, "MJX_Assistive_MathML")
		}
	}
	return hidden && !panel
}

// fold finds the answers among the hidden elements: what a click opens, although no attribute says so. These are at
// least three elements that look alike, each after a short text, of which at least half have a sentence that the others do not
// have. The model does not see them: they count as empty and have no blocks, as what stands in for a program does (see
// standsIn). An answer is part of the content if the text before it is.
func (r *reader) fold() {
	const fewest = 3
	type kin struct {
		ids  []int32
		said map[string]bool
	}
	var all map[uint64]*kin
	for _, id := range r.gone {
		n := r.spots[id].n
		if r.steps.Take(1); !isVeiled(n) || isInline(n) || !r.isAsked(n) || isExtra(n) {
			continue
		}
		var t traitReader
		look := mix(t.read(n).look, uint64(n.DataAtom))
		k := all[look]
		if k == nil {
			if all == nil {
				all = map[uint64]*kin{}
			}
			k = &kin{said: map[string]bool{}}
			all[look] = k
		}
		k.ids = append(k.ids, id)
		if s := r.sentence(n); s != "" {
			k.said[s] = true
		}
	}
	for _, k := range all {
		if len(k.ids) >= fewest && 2*len(k.said) >= len(k.ids) {
			r.folds = append(r.folds, k.ids...)
		}
	}
	slices.Sort(r.folds)
}

// isAsked reports whether a short text without fields is just before n, and both are outside of forms.
func (r *reader) isAsked(n *html.Node) bool {
	const longest, nodes = 200, 64 // bytes, and nodes to look at
	for up := n.Parent; up != nil; up = up.Parent {
		if r.steps.Take(1); up.DataAtom == atom.Form {
			return false
		}
	}
	for n.PrevSibling == nil && n.Parent != nil && n.Parent.DataAtom != atom.Body {
		n = n.Parent
	}
	size, seen := 0, 0
	for before := n.PrevSibling; before != nil && size == 0; before = before.PrevSibling {
		size += len(ownText(before))
		for d := dom.Next(before, before); d != nil; d = dom.Next(d, before) {
			if seen++; seen > nodes || size > longest || isVeiled(d) || isField(d) {
				return false
			}
			size += len(ownText(d))
		}
		if seen++; seen > nodes || isVeiled(before) || isField(before) {
			return false
		}
	}
	r.steps.Take(seen)
	return size > 0 && size <= longest
}

func isField(n *html.Node) bool {
	return n.DataAtom == atom.Input || n.DataAtom == atom.Textarea || n.DataAtom == atom.Select
}

// ownText returns the text of a text node.
func ownText(n *html.Node) string {
	if n.Type != html.TextNode {
		return ""
	}
	return strings.TrimSpace(n.Data)
}

// sentence returns the first text in n that is a sentence, or nothing.
func (r *reader) sentence(n *html.Node) string {
	const words = 3
	for d := dom.Next(n, n); d != nil; d = dom.Next(d, n) {
		if r.steps.Take(1); d.Type != html.TextNode {
			continue
		}
		s := strings.TrimSpace(d.Data)
		last, _ := utf8.DecodeLastRuneInString(s)
		if isStop(last) && (strings.Count(s, " ") >= words || last > unicode.MaxLatin1) {
			return s
		}
	}
	return ""
}

// isCopy reports whether a class says that an element is a copy of a slide, which carousels make
// so that the last slide is followed by the first. Most of them also hide the copies from
// screen readers. This is about the names that the usual programs for carousels give.
func isCopy(class string) bool {
	if !strings.Contains(class, "clone") && !strings.Contains(class, "duplicate") {
		return false
	}
	for _, word := range []string{"swiper-slide-duplicate", "slick-cloned", "splide__slide--clone", "bx-clone", "glide__slide--clone"} {
		if hasWord(class, word) {
			return true
		}
	}
	return hasWord(class, "owl-item") && hasWord(class, "cloned")
}

// hidesByStyle reports whether an inline style hides its element.
func hidesByStyle(style string) bool {
	for declaration := range strings.SplitSeq(style, ";") {
		name, val, _ := strings.Cut(declaration, ":")
		val, _, _ = strings.Cut(val, "!")
		val = strings.TrimSpace(val)
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "display":
			if strings.EqualFold(val, "none") {
				return true
			}
		case "visibility":
			if strings.EqualFold(val, "hidden") {
				return true
			}
		}
	}
	return false
}

// hasWord reports whether one of the space-separated words of s is word.
func hasWord(s, word string) bool {
	if !strings.Contains(s, word) {
		return false
	}
	for w := range strings.FieldsSeq(s) {
		if w == word {
			return true
		}
	}
	return false
}
