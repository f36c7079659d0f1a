// SPDX-License-Identifier: Apache-2.0

package adblock

import (
	"context"
	"strings"

	"golang.org/x/net/html"

	"example.com/curlew/format/internal/selector"
)

// A hider is a rule that hides the elements that match one selector.
type hider struct {
	text  string
	scope scope
}

// A specific is a hider that is limited to some domains. Its selector is added to the
// set for a page if the page belongs to one of them.
type specific struct {
	hider
	selector *selector.Selector
}

// hide adds a rule that hides elements, or an exception. It returns false if
// the rule needs a browser or is invalid.
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

// Elements reports which elements of one tree are hidden. It is not safe for
// concurrent use.
type Elements struct {
	page   *Page
	passes []rules
}

// rules are hiders whose selectors are matched together.
type rules struct {
	hiders []hider
	pass   *selector.Pass
}

// Elements prepares the rules for the elements of the page's tree.
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

// Hides reports whether an element is hidden. Call it in the order that
// [selector.Pass.Match] requires. If the error is not the cause of ctx, the
// rules took too many steps, and every later call returns the same error.
func (e *Elements) Hides(n *html.Node) (bool, error) {
	hidden := false
	for i := range e.passes {
		r := &e.passes[i]
		nums, err := r.pass.Match(n)
		if err != nil {
			return false, err //nolint:wrapcheck // the error already names the cause
		}
		for _, num := range nums {
			h := &r.hiders[num]
			hidden = hidden || h.scope.holds(e.page.host) && !e.page.excepted(h.text)
		}
	}
	return hidden, nil
}

// excepted reports whether an exception disables a selector on the page.
func (p *Page) excepted(text string) bool {
	for _, r := range p.list.shown[text] {
		if r.scope.holds(p.host) {
			return true
		}
	}
	return false
}
