// SPDX-License-Identifier: Apache-2.0

package dom

import (
	"strings"

	"golang.org/x/net/html"
)

// nests reports whether generated pages nest this element by the hundred.
func nests(name string) bool {
	switch name {
	case "div", "span", "font", "b", "i", "em", "strong", "u", "s", "small", "big", "center", "section", "a",
		"blockquote", "ul", "ol", "table":
		return true
	}
	return false
}

// prune removes the tags from text that exceed the limits l, and counts them.
// Everything else is unchanged.
func prune(text string, l limits) (pruned string, removed int) {
	out := make([]byte, 0, len(text))
	p := pruner{limits: l, names: map[string]*counts{}, active: auditor{open: map[string]int{}}}
	z := html.NewTokenizer(strings.NewReader(text))
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return string(out), removed
		}
		before := len(out)
		out = append(out, z.Raw()...) // TagName converts the name to lower case in place
		keep := true
		switch kind {
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			n := string(name)
			attrs := 0
			for ; more; attrs++ {
				_, _, more = z.TagAttr()
			}
			keep = p.start(n, attrs)
		case html.EndTagToken:
			name, _ := z.TagName()
			keep = p.end(string(name))
		}
		if !keep {
			out = out[:before]
			removed++
		}
	}
}

// pruner counts open elements. If a start tag was removed, its end tag is
// removed too.
type pruner struct {
	limits
	nested, roots int
	names         map[string]*counts
	active        auditor
}

// counts are the start tags of one element name that have no end tag yet.
type counts struct{ open, dropped int }

func (p *pruner) start(name string, attrs int) (keep bool) {
	if name == "html" || name == "body" {
		p.roots++
		return p.roots <= manyRoots
	}
	nests, heavy := p.nests(name), isFormat(name) && p.active.weight+copyCost(attrs) > p.weight
	if name == "a" {
		heavy = copyCost(attrs) > max(p.weight, 16) // the tree builder closes the previous one
	}
	if !nests && !isFormat(name) {
		p.active.startTag(name, attrs)
		return true
	}
	c := p.names[name]
	if c == nil {
		c = &counts{}
		p.names[name] = c
	}
	if nests && p.nested >= p.open || heavy {
		c.dropped++
		return false
	}
	c.open++
	if nests {
		p.nested++
	}
	p.active.startTag(name, attrs)
	return true
}

func (p *pruner) end(name string) (keep bool) {
	c := p.names[name]
	switch {
	case c == nil:
	case c.dropped > 0:
		c.dropped--
		return false
	case c.open > 0:
		c.open--
		if p.nests(name) {
			p.nested--
		}
	}
	p.active.endTag(name)
	return true
}

// nests reports whether the element counts for p.open.
func (p *pruner) nests(name string) bool {
	if !p.all {
		return nests(name)
	}
	return !optionalEnd(name) && !isVoid(name) && name != "head"
}
