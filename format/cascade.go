// SPDX-License-Identifier: Apache-2.0

package format

import (
	"cmp"
	"context"
	"errors"
	"math"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"example.com/curlew/format/internal/color"
	"example.com/curlew/format/internal/selector"
	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/sorting"
)

// A cascade computes the styles of a few nodes by the rules of CSS Cascading 4,
// without layers and without the style sheet of a browser.
type cascade struct {
	set     selector.Set
	entries []entry // by number in set
	full    map[int][]declaration
	done    map[*html.Node]*style
	left    int // declarations that may still be applied
	lookups int // lookups of variables that are still allowed
	unread  int // rules whose selectors are over a limit
	dropped int // declarations over the limit
}

// An entry is a rule whose selector was read.
type entry struct {
	rule        int
	specificity selector.Specificity
}

// maxDeclarations is the number of declarations that one cascade applies. It limits
// time and memory.
const maxDeclarations = 1_000_000

// A style is the declarations that apply to one node.
type style struct {
	parent *style
	props  map[string]string
	vars   map[string]string // values of variables, with the variables in them resolved
	room   *int              // lookups of variables that are still allowed on the page
}

// newCascade reads the selectors of the rules. It leaves out invalid selectors and
// those of pseudo-elements such as ::before.
func newCascade(s *stylesheet) *cascade {
	c := &cascade{full: map[int][]declaration{}, done: map[*html.Node]*style{}, left: maxDeclarations, lookups: maxLookups}
	for i := range s.rules {
		sel, err := selector.Parse(s.rules[i].selector)
		if errors.Is(err, selector.ErrTooLarge) {
			c.unread++
		}
		if err == nil {
			c.set.Add(sel)
			c.entries = append(c.entries, entry{i, sel.Specificity()})
		}
	}
	return c
}

// read computes the styles of nodes and of their ancestors. The error is the cause
// of ctx or selector.ErrSteps.
func (c *cascade) read(ctx context.Context, rules []styleRule, root *html.Node, nodes []*html.Node) error {
	wanted := map[*html.Node]bool{}
	for _, n := range nodes {
		for ; n != nil && !wanted[n]; n = n.Parent {
			wanted[n] = true
		}
	}
	pass := c.set.Start(ctx, root)
	for n := root; n != nil; {
		if n.Type == html.ElementNode {
			matched, err := pass.Match(n)
			if err != nil {
				return err //nolint:wrapcheck // says all
			}
			if wanted[n] {
				c.apply(rules, n, matched)
			}
		}
		if wanted[n] && n.FirstChild != nil {
			n = n.FirstChild
			continue
		}
		for n != root && n.NextSibling == nil {
			n = n.Parent
		}
		if n == root {
			return nil
		}
		n = n.NextSibling
	}
	return nil
}

// apply computes the style of n from the rules that match it.
func (c *cascade) apply(rules []styleRule, n *html.Node, matched []int32) {
	s := &style{props: map[string]string{}, parent: c.of(n.Parent), room: &c.lookups}
	c.done[n] = s
	sorting.Stable(matched, func(a, b int32) int {
		return cmp.Or(c.entries[a].specificity.Compare(c.entries[b].specificity), cmp.Compare(a, b))
	})
	var important map[string]bool
	declare := func(list []declaration) {
		for _, d := range list {
			if d.important {
				if important == nil {
					important = map[string]bool{}
				}
				important[d.name] = true
			}
			if d.important || !important[d.name] {
				s.props[d.name] = d.value
			}
		}
	}
	for _, num := range matched {
		rule := c.entries[num].rule
		list, ok := c.full[rule]
		if !ok {
			list = expanded(rules[rule].declared)
			c.full[rule] = list
		}
		if len(list) > c.left {
			c.dropped += len(list)
			continue
		}
		c.left -= len(list)
		declare(list)
	}
	declare(expanded(readInline(dom.Attr(n, "style"))))
}

// of returns the style of n; nil if it was not computed.
func (c *cascade) of(n *html.Node) *style { return c.done[n] }

// expanded returns declarations together with the longhands of their shorthands
// that branding reads.
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
		if _, ok := color.Read(part); ok || strings.HasPrefix(part, "var(") || part == "transparent" {
			return part
		}
	}
	return ""
}

// topParts yields the parts of a value, split at spaces outside of parentheses.
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

// fontParts returns the longhands of font: weight, size, line height, family.
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

// inherited reports whether children inherit a property.
func inherited(name string) bool {
	switch name {
	case "color", "font-family", "font-size", "font-weight", "line-height":
		return true
	}
	return strings.HasPrefix(name, "--")
}

// get returns the value of a property with its variables resolved, or "" if the node
// has none.
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

// Limits of variables: how many are in one value, how deeply they refer to each
// other, and how many are looked up on one page.
const (
	maxVariables = 8
	maxNaming    = 32
	maxLookups   = 10_000
)

// resolved replaces the variables in v. It is empty if one is missing or nested too
// deeply.
func (s *style) resolved(v string, depth int) string {
	for range maxVariables {
		i := strings.Index(v, "var(")
		if i < 0 {
			return v
		}
		end := closing(v, i+len("var"))
		if end < 0 || depth > maxNaming {
			return ""
		}
		name, fallback, _ := strings.Cut(v[i+len("var("):end], ",")
		put := s.variable(strings.TrimSpace(name), depth+1)
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

// variable returns the value of a variable. It is empty if the variable is missing,
// refers to itself, or is nested too deeply. Values are cached, because
// variables may refer to the same ones many times.
func (s *style) variable(name string, depth int) string {
	for at := s; at != nil; at = at.parent {
		raw, ok := at.props[name]
		if !ok || raw == "inherit" || raw == "unset" {
			continue
		}
		if v, ok := at.vars[name]; ok {
			return v
		}
		if *s.room--; *s.room < 0 {
			return ""
		}
		if at.vars == nil {
			at.vars = map[string]string{}
		}
		at.vars[name] = "" // in case it refers to itself
		at.vars[name] = at.resolved(raw, depth)
		return at.vars[name]
	}
	return ""
}

// closing returns the index of the parenthesis that closes the one at i, or -1.
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

// size returns the font size of a node in pixels. If no style sheet sets it, it is the
// font size of the parent multiplied by usual.
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

// rem returns the font size of the root in pixels. In the font size of the root
// itself it is the initial value (CSS Values 4, 6.1.1).
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

// weightOf returns a font weight as a number; zero if s is not one.
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

// length returns a CSS length in pixels, and whether s is one. em is the font size of
// the element, rem that of the root, both in pixels.
func length(s string, em, rem float64) (float64, bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	for _, u := range []struct {
		unit string
		px   float64
	}{{"rem", rem}, {"px", 1}, {"em", em}, {"pt", 4. / 3}, {"%", em / 100}, {"vw", viewportWidth / 100.}, {"ch", em / 2}} {
		number, ok := strings.CutSuffix(s, u.unit)
		if !ok {
			continue
		}
		f, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		return f * u.px, err == nil && f == f && math.Abs(f) < 1e6
	}
	if s == "0" {
		return 0, true
	}
	// Take the first argument, which is the minimum of clamp().
	for _, fn := range []string{"clamp(", "min(", "max("} {
		if rest, ok := strings.CutPrefix(s, fn); ok {
			first, _, _ := strings.Cut(strings.TrimSuffix(rest, ")"), ",")
			return length(first, em, rem)
		}
	}
	return 0, false
}

// px returns a length as CSS writes it: 16px, 1.5px.
func px(f float64) string { return strconv.FormatFloat(math.Round(f*100)/100, 'f', -1, 64) + "px" }
