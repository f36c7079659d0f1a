// SPDX-License-Identifier: Apache-2.0

package format

import (
	"slices"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"

	"example.com/curlew/internal/dom"
)

// A cascade computes the styles of the few nodes that are asked for: CSS
// Cascading 4, without layers, and with the pages' own style sheets alone.
type cascade struct {
	byKey map[string][]int // rules by what the element has to have: .class, #id, tag, or nothing
	rules []styleRule
	known map[int]cascadia.Sel // compiled; nil where a selector cannot be decided here
	done  map[*html.Node]*style
	left  int // compilations and matches that there is room for
}

// maxMatches bounds the work of one cascade.
const maxMatches = 300_000

// A style is what is declared for one node.
type style struct {
	parent *style
	props  map[string]string
}

func newCascade(s *stylesheet) *cascade {
	c := &cascade{byKey: map[string][]int{}, rules: s.rules, known: map[int]cascadia.Sel{}, done: map[*html.Node]*style{}, left: maxMatches}
	for i := range s.rules {
		key := styleKey(s.rules[i].selector)
		c.byKey[key] = append(c.byKey[key], i)
	}
	return c
}

// styleKey returns a class, id or tag that the element of a selector has to
// have; empty where none is found.
func styleKey(selector string) string {
	last := selector
	depth := 0
	for i := range len(selector) {
		switch selector[i] {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case ' ', '>', '+', '~':
			if depth == 0 {
				last = selector[i+1:]
			}
		}
	}
	if i := strings.IndexAny(last, ":["); i >= 0 {
		last = last[:i]
	}
	if strings.ContainsAny(last, `\*|`) {
		return ""
	}
	if i := strings.IndexAny(last, ".#"); i >= 0 {
		end := strings.IndexAny(last[i+1:], ".#")
		if end < 0 {
			return last[i:]
		}
		return last[i : i+1+end]
	}
	return strings.ToLower(last)
}

// of returns the style of n.
func (c *cascade) of(n *html.Node) *style {
	if n == nil || n.Type != html.ElementNode {
		return nil
	}
	if s, ok := c.done[n]; ok {
		return s
	}
	s := &style{props: map[string]string{}}
	c.done[n] = s
	s.parent = c.of(n.Parent)
	type won struct {
		important, inline bool
		specificity       cascadia.Specificity
		rule              int
	}
	best := map[string]won{}
	declare := func(list []declaration, w won) {
		for _, d := range list {
			w.important = d.important
			old, ok := best[d.name]
			stronger := !ok || w.important && !old.important || w.important == old.important &&
				(w.inline && !old.inline || w.inline == old.inline && !w.specificity.Less(old.specificity))
			if stronger {
				best[d.name] = w
				s.props[d.name] = d.value
			}
		}
	}
	for _, i := range c.candidates(n) {
		if sel := c.compiled(i); sel != nil {
			if c.left--; c.left < 0 {
				break
			}
			if sel.Match(n) {
				declare(expanded(c.rules[i].declared), won{specificity: sel.Specificity(), rule: i})
			}
		}
	}
	declare(expanded(readInline(dom.Attr(n, "style"))), won{inline: true})
	return s
}

// candidates returns the rules that may be about n, in their order.
func (c *cascade) candidates(n *html.Node) []int {
	all := slices.Concat(c.byKey[""], c.byKey[n.Data])
	for _, a := range n.Attr {
		switch a.Key {
		case "id":
			all = append(all, c.byKey["#"+a.Val]...)
		case "class":
			for class := range strings.FieldsSeq(a.Val) {
				all = append(all, c.byKey["."+class]...)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// compiled returns the selector of a rule; nil where it cannot be read, and
// where it is about a state (:hover) or a part (::before) of the element.
func (c *cascade) compiled(i int) cascadia.Sel {
	sel, ok := c.known[i]
	if !ok {
		if c.left--; c.left < 0 {
			return nil
		}
		sel, _ = cascadia.Parse(c.rules[i].selector) // nil with an error
		c.known[i] = sel
	}
	return sel
}

// expanded returns declarations with shorthands taken apart, as far as their
// parts are asked for.
func expanded(list []declaration) []declaration {
	var all []declaration
	for _, d := range list {
		all = append(all, d)
		switch d.name {
		case "background":
			if s := colorIn(d.value); s != "" {
				all = append(all, declaration{"background-color", s, d.important})
			}
		case "border":
			if s := colorIn(d.value); s != "" {
				all = append(all, declaration{"border-color", s, d.important})
			}
		case "font":
			all = append(all, fontParts(d)...)
		}
	}
	return all
}

// colorIn returns the first colour or variable among the parts of a value.
func colorIn(s string) string {
	for part := range topParts(s) {
		if _, ok := readColor(part); ok || strings.HasPrefix(part, "var(") || part == "transparent" {
			return part
		}
	}
	return ""
}

// topParts yields the parts of a value between spaces that are in no brackets.
func topParts(s string) func(func(string) bool) {
	return func(yield func(string) bool) {
		start, depth := 0, 0
		for i := 0; i <= len(s); i++ {
			if i < len(s) {
				switch s[i] {
				case '(':
					depth++
				case ')':
					depth--
				}
				if s[i] != ' ' || depth > 0 {
					continue
				}
			}
			if start < i && !yield(s[start:i]) {
				return
			}
			start = i + 1
		}
	}
}

// fontParts takes the shorthand apart: weight, size, line height, family.
func fontParts(d declaration) []declaration {
	var all []declaration
	rest := d.value
	for part := range topParts(d.value) {
		size, height, _ := strings.Cut(part, "/")
		if _, ok := length(size, rootFontPixels, rootFontPixels); ok && size != "0" {
			all = append(all, declaration{"font-size", size, d.important})
			if height != "" {
				all = append(all, declaration{"line-height", height, d.important})
			}
			if _, family, ok := strings.Cut(rest, part+" "); ok {
				all = append(all, declaration{"font-family", family, d.important})
			}
			break
		}
		if weightOf(part) > 0 && part != "normal" {
			all = append(all, declaration{"font-weight", part, d.important})
		}
	}
	return all
}

// inherited reports whether a property goes on to children.
func inherited(name string) bool {
	switch name {
	case "color", "font-family", "font-size", "font-weight", "line-height":
		return true
	}
	return strings.HasPrefix(name, "--")
}

// get returns the value of a property, variables put in; empty for none.
func (s *style) get(name string) string {
	for at := s; at != nil; at = at.parent {
		if v, ok := at.props[name]; ok && v != "inherit" {
			if v = at.resolved(v, 0); v != "" {
				return v
			}
		} else if !inherited(name) && v != "inherit" {
			return ""
		}
	}
	return ""
}

// maxVariables bounds how deep variables name each other.
const maxVariables = 8

// resolved puts in variables; empty where one is missing, or too deep.
func (s *style) resolved(v string, depth int) string {
	for range maxVariables {
		i := strings.Index(v, "var(")
		if i < 0 {
			return v
		}
		end := closing(v, i+len("var"))
		if end < 0 || depth > maxVariables {
			return ""
		}
		name, fallback, _ := strings.Cut(v[i+len("var("):end], ",")
		put := ""
		for at := s; at != nil && put == ""; at = at.parent {
			if raw, ok := at.props[strings.TrimSpace(name)]; ok {
				put = at.resolved(raw, depth+1)
			}
		}
		if put == "" {
			put = s.resolved(strings.TrimSpace(fallback), depth+1)
		}
		if put == "" {
			return ""
		}
		v = strings.TrimSpace(v[:i] + put + v[end+1:])
		if len(v) > maxStyleValue {
			return ""
		}
	}
	return ""
}

// closing returns where the bracket at i is closed; -1 where it is not.
func closing(s string, i int) int {
	open := 0
	for j := i; j < len(s); j++ {
		switch s[j] {
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				return j
			}
		}
	}
	return -1
}

// size returns the size of the font of a node, in pixels.
func (s *style) size(usual float64) float64 {
	if s == nil {
		return rootFontPixels
	}
	above := float64(rootFontPixels)
	if s.parent != nil {
		above = s.parent.size(1)
	}
	if v, ok := s.props["font-size"]; ok {
		if f, ok := length(s.resolved(v, 0), above, s.rem()); ok && f > 0 {
			return f
		}
	}
	return above * usual
}

// rem returns the size of the root's font, in pixels: where that is asked for
// itself, the usual one (CSS Values 4, 6.1.1).
func (s *style) rem() float64 {
	root := s
	for root != nil && root.parent != nil {
		root = root.parent
	}
	if root == s {
		return rootFontPixels
	}
	return root.size(1)
}

// weightOf reads a weight of fonts; zero for what is none.
func weightOf(s string) int {
	switch strings.ToLower(s) {
	case "normal":
		return 400
	case "bold":
		return 700
	}
	if len(s) == 3 && s[0] >= '1' && s[0] <= '9' && s[1:] == "00" {
		return int(s[0]-'0') * 100
	}
	return 0
}
