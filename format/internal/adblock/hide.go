// SPDX-License-Identifier: Apache-2.0

package adblock

import (
	"context"
	"strings"

	"golang.org/x/net/html"

	"example.com/curlew/internal/selector"
)

// A hider hides the elements of one selector.
type hider struct {
	text  string
	scope scope
}

// A specific is a hider of some domains. Its selector joins a set when a page
// of them is read.
type specific struct {
	hider
	selector *selector.Selector
}

// hide adds a rule for elements, or its exception; false if it cannot be
// decided here.
func (l *List) hide(domains, text string, except bool) bool {
	c, ok := readScope(domains, ",")
	if !ok || text == "" || len(text) > maxSelector || extended(text) {
		return false
	}
	h := hider{text, c}
	if except {
		l.shown[text] = append(l.shown[text], &h)
		return true
	}
	s, err := selector.Parse(text)
	if err != nil {
		return false
	}
	if len(c.in) == 0 {
		l.generic.Add(s)
		l.hiders = append(l.hiders, h)
		return true
	}
	one := &specific{h, s}
	for _, d := range c.in {
		l.specific[d] = append(l.specific[d], one)
	}
	return true
}

// extended reports whether a selector needs more than CSS, or a browser.
func extended(s string) bool {
	if strings.HasPrefix(s, "+js(") || strings.HasPrefix(s, "^") || strings.HasSuffix(s, "}") {
		return true
	}
	for _, word := range []string{
		":-abp-", ":has-text(", ":contains(", ":matches", ":xpath(", ":upward(", ":style(", ":remove(", ":others(", ":watch-attr(", ":min-text-length(", ":if(", ":if-not(",
	} {
		if strings.Contains(s, word) {
			return true
		}
	}
	return false
}

// Elements says of the elements of one tree whether they are hidden. It is not
// safe for concurrent use.
type Elements struct {
	page   *Page
	passes []rules
}

// rules are hiders whose selectors are matched together.
type rules struct {
	hiders []hider
	pass   *selector.Pass
}

// Elements begins with the elements of the page's tree.
func (p *Page) Elements(ctx context.Context, root *html.Node) *Elements {
	e := &Elements{page: p}
	if p.off || p.noHide {
		return e
	}
	if len(p.specific) > 0 {
		var set selector.Set
		var own []hider
		for _, s := range p.specific {
			set.Add(s.selector)
			own = append(own, s.hider)
		}
		e.passes = append(e.passes, rules{own, set.Start(ctx, root)})
	}
	if p.generic && len(p.list.hiders) > 0 {
		e.passes = append(e.passes, rules{p.list.hiders, p.list.generic.Start(ctx, root)})
	}
	return e
}

// Hides reports whether an element is hidden. It is to be called for elements
// as [selector.Pass.Match] says. If the error is not ctx's cause, the rules take
// too many steps; it stays.
func (e *Elements) Hides(n *html.Node) (bool, error) {
	hidden := false
	for i := range e.passes {
		r := &e.passes[i]
		nums, err := r.pass.Match(n)
		if err != nil {
			return false, err //nolint:wrapcheck // says all
		}
		for _, num := range nums {
			h := &r.hiders[num]
			hidden = hidden || h.scope.holds(e.page.host) && !e.page.excepted(h.text)
		}
	}
	return hidden, nil
}

// excepted reports whether a selector hides nothing on the page.
func (p *Page) excepted(text string) bool {
	for _, r := range p.list.shown[text] {
		if r.scope.holds(p.host) {
			return true
		}
	}
	return false
}
