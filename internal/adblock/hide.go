// SPDX-License-Identifier: Apache-2.0

package adblock

import (
	"strings"

	"golang.org/x/net/html"
)

// A hider hides the elements of one selector.
type hider struct {
	selector string
	scope    scope
	match    Matcher // nil: the key says it all
}

// hiders are rules by what the element itself has to have.
type hiders struct {
	byClass, byID, byTag map[string][]*hider
	any                  []*hider
}

// hide adds a rule for elements, or its exception; false where it cannot be
// decided here.
func (l *List) hide(domains, selector string, except bool, compile func(string) (Matcher, error)) bool {
	c, ok := readScope(domains, ",")
	if !ok || selector == "" || len(selector) > maxSelector || extended(selector) {
		return false
	}
	if except {
		l.shown[selector] = append(l.shown[selector], &hider{selector: selector, scope: c})
		return true
	}
	for part := range parts(selector, ',') {
		part = strings.TrimSpace(part)
		h := &hider{selector: selector, scope: c}
		key, simple := keyOf(part)
		if !simple {
			m, err := compile(part)
			if err != nil || part == "" {
				return false
			}
			h.match = m
		}
		if len(c.in) == 0 {
			l.generic.add(key, h)
			continue
		}
		for _, d := range c.in {
			set := l.specific[d]
			set.add(key, h)
			l.specific[d] = set
		}
	}
	return true
}

// extended reports whether a selector needs more than CSS, or a browser.
func extended(s string) bool {
	if strings.HasPrefix(s, "+js(") || strings.HasPrefix(s, "^") || strings.HasSuffix(s, "}") {
		return true
	}
	for _, word := range []string{
		":-abp-", ":has-text(", ":contains(", ":matches-", ":xpath(", ":upward(", ":style(", ":remove(", ":others(", ":watch-attr(", ":min-text-length(", ":if(", ":if-not(",
	} {
		if strings.Contains(s, word) {
			return true
		}
	}
	return false
}

// parts yields the parts of a selector between sep, outside of brackets and
// quotes.
func parts(s string, sep byte) func(func(string) bool) {
	return func(yield func(string) bool) {
		start, depth := 0, 0
		var quote byte
		for i := 0; i < len(s); i++ {
			switch c := s[i]; {
			case c == '\\':
				i++
			case quote != 0:
				if c == quote {
					quote = 0
				}
			case c == '"' || c == '\'':
				quote = c
			case c == '(' || c == '[':
				depth++
			case c == ')' || c == ']':
				depth--
			case c == sep && depth == 0:
				if !yield(s[start:i]) {
					return
				}
				start = i + 1
			}
		}
		yield(s[start:])
	}
}

// keyOf returns what the element that a selector is about has to have: .class,
// #id, a tag, or nothing. Simple says that there is no more to the selector.
func keyOf(selector string) (key string, simple bool) {
	last := selector
	for _, sep := range []byte{' ', '>', '+', '~'} {
		for p := range parts(last, sep) {
			last = p
		}
	}
	first := last
	if i := strings.IndexAny(last, "[:"); i >= 0 {
		first = last[:i]
	}
	if strings.ContainsAny(first, `\*|`) {
		return "", false
	}
	marks := strings.IndexAny(first, ".#")
	if marks < 0 {
		return strings.ToLower(first), first == selector && first != ""
	}
	key = first[marks:]
	if i := strings.IndexAny(key[1:], ".#"); i >= 0 {
		return key[:i+1], false
	}
	return key, key == selector && len(key) > 1
}

func (h *hiders) add(key string, r *hider) {
	put := func(m *map[string][]*hider, name string) {
		if *m == nil {
			*m = map[string][]*hider{}
		}
		(*m)[name] = append((*m)[name], r)
	}
	switch {
	case key == "":
		h.any = append(h.any, r)
	case key[0] == '.':
		put(&h.byClass, key[1:])
	case key[0] == '#':
		put(&h.byID, key[1:])
	default:
		put(&h.byTag, key)
	}
}

// find reports whether a rule hides n on a page.
func (h *hiders) find(n *html.Node, p *Page) bool {
	if p.applies(h.any, n) || p.applies(h.byTag[n.Data], n) {
		return true
	}
	for i := range n.Attr {
		switch a := &n.Attr[i]; a.Key {
		case "id":
			if p.applies(h.byID[a.Val], n) {
				return true
			}
		case "class":
			for class := range strings.FieldsSeq(a.Val) {
				if p.applies(h.byClass[class], n) {
					return true
				}
			}
		}
	}
	return false
}

// applies reports whether one of rules hides n.
func (p *Page) applies(rules []*hider, n *html.Node) bool {
	for _, r := range rules {
		if (r.match == nil || r.match.Match(n)) && r.scope.holds(p.host) && !p.excepted(r.selector) {
			return true
		}
	}
	return false
}

// excepted reports whether a selector hides nothing on the page.
func (p *Page) excepted(selector string) bool {
	for _, r := range p.list.shown[selector] {
		if r.scope.holds(p.host) {
			return true
		}
	}
	return false
}
