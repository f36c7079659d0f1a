// SPDX-License-Identifier: Apache-2.0

package dom

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// limits restricts the elements that are open at the same time after prune.
type limits struct {
	open   int  // number of counted elements
	all    bool // all elements are counted, not only those that are nested in practice
	weight int  // weight of formatting elements
}

// limitsOfNesting keep a tree below the 512 open elements that the tree builder
// allows. A table takes four of them.
var limitsOfNesting = limits{open: 120, weight: 512}

// audit reads the tokens of text. It returns the index at which text exceeds
// the limit of attributes, or len(text), and the limits within which the tree
// builder is fast, or nil if it is fast anyway.
func (p Parser) audit(text string) (end int, need *limits) {
	a := auditor{open: map[string]int{}}
	z := html.NewTokenizer(strings.NewReader(text))
	attrs, at := 0, 0
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		start := at
		at += len(z.Raw())
		switch kind {
		case html.TextToken:
			a.reopen()
		case html.EndTagToken:
			name, _ := z.TagName()
			a.endTag(string(name))
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			n := string(name)
			own := 0
			for ; more; own++ {
				_, _, more = z.TagAttr()
			}
			if attrs += own; attrs > p.Attributes {
				return start, a.need()
			}
			a.startTag(n, own)
		}
	}
	return len(text), a.need()
}

// auditor estimates the work of the tree builder, rather too high than too low.
type auditor struct {
	tags, roots int

	open      map[string]int // number of elements by name
	depth     int
	depthCost int
	active    []active // formatting elements and the markers between them
	weight    int      // of active
	reopens   bool     // a tag since the last copying may have closed a formatting element
	cloneCost int
	runaway   bool // active has become too long to be maintained
}

// active is a formatting element, or a marker: an element that end tags of
// formatting elements inside it do not affect.
type active struct {
	name   string
	weight int // zero for a marker
}

// copyCost is the cost of copying an element with this number of attributes.
func copyCost(attrs int) int { return 1 + attrs/2 }

// isMark reports whether the element is a marker in the list of active
// formatting elements (HTML 13.2.4.3) or limits their scope (13.2.4.2).
func isMark(name string) bool {
	switch name {
	case "applet", "caption", "marquee", "object", "select", "table", "td", "template", "th",
		"annotation-xml", "desc", "foreignobject", "math", "mi", "mn", "mo", "ms", "mtext", "svg", "title":
		return true
	}
	return false
}

func isFormat(name string) bool {
	switch name {
	case "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u":
		return true
	}
	return false
}

// reopen handles a token before which the tree builder copies the formatting
// elements that were closed together with their block.
func (a *auditor) reopen() {
	if a.reopens {
		a.cloneCost += a.weight
		a.reopens = false
	}
}

func (a *auditor) startTag(name string, attrs int) {
	a.tags++
	a.depthCost += a.depth
	switch {
	case name == "html" || name == "body":
		a.roots++
		return
	case isFormat(name):
		a.reopens = true
		a.reopen()
		if name == "a" {
			a.closeFormat(name)
		}
		a.weight += copyCost(attrs)
		a.active = append(a.active, active{name, copyCost(attrs)})
	case isMark(name):
		a.reopen()
		a.closeCell(name)
		a.active = append(a.active, active{name: name})
	default:
		a.reopen()
		a.closeCell(name)
	}
	a.reopens = a.reopens || !isFormat(name)
	a.runaway = a.runaway || len(a.active) > 600
	if a.runaway {
		a.active = a.active[:0]
	}
	if !optionalEnd(name) && !isVoid(name) && !isFormat(name) {
		a.open[name]++
		a.depth++
	}
}

func (a *auditor) endTag(name string) {
	a.tags++
	a.depthCost += a.depth
	a.reopens = true
	if a.open[name] > 0 {
		a.open[name]--
		a.depth--
	}
	if isFormat(name) {
		a.cloneCost += a.weight / 8 // the adoption agency algorithm copies some elements
		a.closeFormat(name)
		return
	}
	a.closeCell(name)
	// A marker that is not the last one may be out of scope.
	if i := a.mark(len(a.active)); i >= 0 && a.active[i].name == name {
		if name == "table" || name == "select" {
			a.active = slices.Delete(a.active, i, i+1) // the elements inside it stay active
		} else {
			a.cut(i)
		}
	}
}

// closeFormat removes the last formatting element with this name after the last
// marker.
func (a *auditor) closeFormat(name string) {
	for i, e := range slices.Backward(a.active) {
		if e.weight == 0 {
			return
		}
		if e.name == name {
			a.weight -= e.weight
			a.active = slices.Delete(a.active, i, i+1)
			return
		}
	}
}

// closeCell removes a table cell or caption and the active elements inside it,
// if the tag ends it.
func (a *auditor) closeCell(name string) {
	switch name {
	case "caption", "col", "colgroup", "table", "tbody", "td", "tfoot", "th", "thead", "tr":
	default:
		return
	}
	i := a.mark(len(a.active))
	if i < 0 {
		return
	}
	switch a.active[i].name {
	case "td", "th", "caption":
		if j := a.mark(i); j >= 0 && a.active[j].name == "table" {
			a.cut(i)
		}
	}
}

// mark returns the index of the last marker before i, or -1.
func (a *auditor) mark(i int) int {
	for i--; i >= 0 && a.active[i].weight > 0; i-- {
	}
	return i
}

// cut removes the active elements from index i on.
func (a *auditor) cut(i int) {
	for _, e := range a.active[i:] {
		if e.weight > 0 {
			a.weight -= e.weight
		}
	}
	a.active = a.active[:i]
}

func (a *auditor) need() *limits {
	clones := a.runaway || a.cloneCost > cloneBudget
	deep := a.depthCost > depthBudget
	if !clones && !deep && a.roots <= manyRoots {
		return nil
	}
	l := limitsOfNesting
	if clones {
		l.weight = min(max(cloneBudget/max(a.tags, 1), 1), 64)
	}
	if deep {
		l.open, l.all = 32, true
	}
	return &l
}

// optionalEnd reports whether the end tag of the element is usually omitted
// because the next sibling closes it, and the element is nested only within a
// counted element.
func optionalEnd(name string) bool {
	switch name {
	case "caption", "colgroup", "dd", "dt", "li", "option", "optgroup", "p", "rb", "rp", "rt", "rtc",
		"tbody", "td", "tfoot", "th", "thead", "tr":
		return true
	}
	return false
}

func isVoid(name string) bool {
	switch name {
	case "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "image", "img", "input",
		"keygen", "link", "meta", "param", "source", "track", "wbr":
		return true
	}
	return false
}
