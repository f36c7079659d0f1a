// SPDX-License-Identifier: Apache-2.0

package format

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/format/brand"
	"example.com/curlew/format/internal/color"
	"example.com/curlew/format/internal/selector"
	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/sorting"
)

// Weights of the votes for a site's colours.
const (
	voteButton = 80
	voteLink   = 10
	voteTheme  = 40
	voteRule   = .5
	leastVivid = .15 // least saturation of a colour of the palette
)

// A brandReader reads the design of one page. It only reads: the order of its
// methods does not matter.
type brandReader struct {
	page     *page
	redactor *redactor
	warnings *warnings
	sheet    *stylesheet
	cascade  *cascade
	styled   bool // some node has a style attribute
	probes
}

// probes are the styles of the first element of each kind, nil if the page has
// none of it.
type probes struct {
	root, body, h1, h2, h3, p, a, code, input, footer *style
	buttons                                           []*style
}

// maxButtons is the number of buttons whose styles are computed.
const maxButtons = 100

// probe computes the styles of the first node of each kind, and of the first
// four buttons for which a style sheet declares anything.
func (r *brandReader) probe(ctx context.Context, root *html.Node) error {
	var nodes []*html.Node // the first of each kind
	var take []func(*style)
	var buttons []*html.Node
	taken := map[**style]bool{}
	first := func(s **style, n *html.Node) {
		if !taken[s] {
			taken[s] = true
			nodes, take = append(nodes, n), append(take, func(of *style) { *s = of })
		}
	}
	button := func(n *html.Node) {
		if len(buttons) < maxButtons {
			buttons = append(buttons, n)
		}
	}
	for n := root; n != nil; n = dom.Next(n, root) {
		r.page.steps.Take(1)
		if n.Type != html.ElementNode {
			continue
		}
		r.styled = r.styled || dom.Attr(n, "style") != ""
		switch n.DataAtom {
		case atom.Html:
			first(&r.root, n)
		case atom.Body:
			first(&r.body, n)
		case atom.H1:
			first(&r.h1, n)
		case atom.H2:
			first(&r.h2, n)
		case atom.H3:
			first(&r.h3, n)
		case atom.P:
			first(&r.p, n)
		case atom.Code, atom.Pre:
			first(&r.code, n)
		case atom.Footer:
			first(&r.footer, n)
		case atom.A:
			if isButton(n) {
				button(n)
			} else if n.Parent != nil && n.Parent.DataAtom != atom.Nav && n.Parent.DataAtom != atom.Header && n.FirstChild != nil {
				first(&r.a, n)
			}
		case atom.Button:
			button(n)
		case atom.Input, atom.Textarea:
			switch strings.ToLower(dom.Attr(n, "type")) {
			case "submit", "button":
				button(n)
			case "", "text", "email", "search", "tel", "url", "password":
				first(&r.input, n)
			}
		}
	}
	err := r.cascade.read(ctx, r.sheet.rules, root, slices.Concat(nodes, buttons))
	if err != nil && !errors.Is(err, selector.ErrSteps) {
		return err
	}
	r.leftOut(err != nil)
	for i, n := range nodes {
		take[i](r.cascade.of(n))
	}
	for _, n := range buttons {
		if s := r.cascade.of(n); s != nil && len(s.props) > 0 && len(r.buttons) < 4 {
			r.buttons = append(r.buttons, s)
		}
	}
	r.shown(r.page.in.Styles)
	return nil
}

// shown replaces the styles of elements by those that a browser has computed. What the
// browser does not report, such as variables, stays as the style sheets declare it.
func (r *brandReader) shown(list []brand.Style) {
	into := map[string]**style{
		"html": &r.root, "body": &r.body, "h1": &r.h1, "h2": &r.h2, "h3": &r.h3, "p": &r.p, "a": &r.a, "code": &r.code, "input": &r.input, "footer": &r.footer,
	}
	var buttons []*style
	for i := range list {
		if s := &list[i]; s.Element == "button" {
			buttons = append(buttons, computed(nil, s.Properties))
		} else if old, ok := into[s.Element]; ok {
			*old = computed(*old, s.Properties)
			delete(into, s.Element) // only the first element counts
		}
	}
	if len(buttons) > 0 {
		r.buttons = buttons[:min(len(buttons), 4)]
	}
	r.styled = r.styled || len(list) > 0
}

// computed returns the style s, which may be nil, with the values of a browser.
func computed(s *style, values map[string]string) *style {
	c := &style{props: map[string]string{}, room: new(int)}
	if s != nil {
		c.parent, c.room = s.parent, s.room
		maps.Copy(c.props, s.props)
	}
	maps.Copy(c.props, values)
	return c
}

// leftOut warns of rules and declarations that were left out because of limits.
func (r *brandReader) leftOut(stopped bool) {
	if n := r.sheet.left + r.cascade.unread; n > 0 {
		r.warnings.add(fmt.Sprintf("%d rules of the style sheets were left out: they are over the limits.", n))
	}
	if n := r.cascade.dropped; n > 0 {
		r.warnings.add(fmt.Sprintf("%d declarations of the style sheets were left out: the rules match too often.", n))
	}
	if stopped {
		r.warnings.add("The style sheets were not applied to all of the page: their selectors take too many steps.")
	}
}

// isButton reports whether a link has the role or a class name of a button.
func isButton(n *html.Node) bool {
	if dom.Attr(n, "role") == "button" {
		return true
	}
	for class := range strings.FieldsSeq(strings.ToLower(cut(dom.Attr(n, "class"), 500))) {
		if class == "btn" || class == "button" || class == "cta" || strings.HasPrefix(class, "btn-") || strings.HasPrefix(class, "button-") ||
			strings.HasSuffix(class, "-btn") || strings.HasSuffix(class, "-button") || strings.HasSuffix(class, "__button") {
			return true
		}
	}
	return false
}

// color returns a colour property of a style, blended with the background ground.
func (r *brandReader) color(s *style, name string, ground color.Color) (color.Color, bool) {
	if s == nil {
		return color.Color{}, false
	}
	c, ok := color.Read(s.get(name))
	if !ok || c.A == 0 {
		return color.Color{}, false
	}
	return c.Over(ground), true
}

// A vote is a colour and its score.
type vote struct {
	color color.Color
	score float64
}

// colors fills in the palette: background and text as computed, the others by
// the names of variables, then by votes.
func (r *brandReader) colors(design *brand.Design) {
	white, black := color.White, color.Black
	ground := white
	if c, ok := r.color(r.root, "background-color", white); ok {
		ground = c
	}
	if c, ok := r.color(r.body, "background-color", ground); ok {
		ground = c
	}
	design.Colors.Background = ground.Hex()
	if design.ColorScheme = "light"; ground.Luminance() < .2 {
		design.ColorScheme = "dark"
		black = white
	}
	text := black
	for _, s := range []*style{r.p, r.body, r.root} {
		if c, ok := r.color(s, "color", ground); ok {
			text = c
			break
		}
	}
	design.Colors.TextPrimary = text.Hex()
	link, linked := r.color(r.a, "color", ground)
	if linked && !link.Near(text) {
		design.Colors.Link = link.Hex()
	}
	r.named(design)
	if design.Colors.TextSecondary == "" {
		if c, ok := r.color(r.footer, "color", ground); ok && !c.Near(text) && math.Abs(c.Luminance()-ground.Luminance()) > .1 {
			design.Colors.TextSecondary = c.Hex()
		}
	}
	votes := r.votes(ground)
	for _, into := range []*string{&design.Colors.Primary, &design.Colors.Secondary, &design.Colors.Accent} {
		for *into == "" && len(votes) > 0 {
			hex := votes[0].color.Hex()
			if votes = votes[1:]; hex != design.Colors.Primary && hex != design.Colors.Secondary && hex != design.Colors.Error && hex != design.Colors.Success {
				*into = hex
			}
		}
	}
}

// votes returns the vivid colours of the page, the highest score first.
func (r *brandReader) votes(ground color.Color) []vote {
	var votes []vote
	add := func(c color.Color, score float64) {
		if c.Chroma() < leastVivid || c.Near(ground) {
			return
		}
		for i := range votes {
			if votes[i].color.Near(c) {
				votes[i].score += score
				return
			}
		}
		if len(votes) < 500 {
			votes = append(votes, vote{c, score})
		}
	}
	for _, s := range r.buttons {
		if c, ok := r.color(s, "background-color", ground); ok {
			add(c, voteButton)
		}
	}
	if c, ok := r.color(r.a, "color", ground); ok {
		add(c, voteLink)
	}
	if c, ok := color.Read(r.page.meta.Extra["theme-color"]); ok {
		add(c, voteTheme)
	}
	for i := range r.sheet.rules {
		if strings.Contains(r.sheet.rules[i].selector, ":") && r.sheet.rules[i].selector != ":root" {
			continue // a state such as :hover, or a pseudo-element
		}
		for _, d := range r.sheet.rules[i].declared {
			switch d.name {
			case "color", "background-color", "background", "border-color", "fill":
				if c, ok := color.Read(colorIn(d.value)); ok && c.A > .5 {
					add(c, voteRule)
				}
			}
		}
	}
	sort.SliceStable(votes, func(i, j int) bool { return votes[i].score > votes[j].score })
	return votes
}

// named reads the CSS variables to which design systems give the names of colours.
func (r *brandReader) named(design *brand.Design) {
	c := &design.Colors
	for _, t := range []struct {
		into  *string
		names string
	}{
		{&c.Primary, "primary color-primary primary-color brand brand-color color-brand brand-primary bs-primary theme-primary"},
		{&c.Secondary, "secondary color-secondary secondary-color brand-secondary bs-secondary theme-secondary"},
		{&c.Accent, "accent color-accent accent-color brand-accent theme-accent"},
		{&c.TextSecondary, "text-secondary text-muted color-text-secondary color-text-muted muted bs-secondary-color color-muted"},
		{&c.Link, "link link-color color-link bs-link-color"},
		{&c.Success, "success color-success bs-success success-color"},
		{&c.Warning, "warning color-warning bs-warning warning-color"},
		{&c.Error, "error danger color-error color-danger bs-danger error-color danger-color"},
	} {
		for name := range strings.FieldsSeq(t.names) {
			if *t.into != "" {
				break
			}
			for _, s := range []*style{r.body, r.root} {
				if s == nil {
					continue
				}
				if v, ok := color.Read(s.get("--" + name)); ok && v.A > .5 {
					*t.into = v.Hex()
					break
				}
			}
		}
	}
}

// components fills in the styles of buttons and input fields.
func (r *brandReader) components(design *brand.Design) {
	white := color.White
	read := func(s *style) *brand.Component {
		c := &brand.Component{}
		if v, ok := r.color(s, "background-color", white); ok {
			c.Background = v.Hex()
		}
		if v, ok := r.color(s, "color", white); ok {
			c.TextColor = v.Hex()
		}
		if v, ok := r.color(s, "border-color", white); ok {
			c.BorderColor = v.Hex()
		}
		if f, ok := length(s.get("border-radius"), s.size(1), s.rem()); ok {
			c.BorderRadius = px(f)
		}
		return c
	}
	// The primary button is the one with the most vivid background.
	buttons := slices.Clone(r.buttons)
	vivid := func(s *style) float64 {
		if c, ok := r.color(s, "background-color", white); ok && c != white {
			return c.Chroma() + .01
		}
		return 0
	}
	sorting.Stable(buttons, func(a, b *style) int { return cmp.Compare(vivid(b), vivid(a)) })
	for _, s := range buttons {
		c := read(s)
		switch {
		case *c == brand.Component{}:
		case design.Components.ButtonPrimary == nil:
			design.Components.ButtonPrimary = c
		case design.Components.ButtonSecondary == nil && *c != *design.Components.ButtonPrimary:
			design.Components.ButtonSecondary = c
		}
	}
	if r.input != nil {
		if c := read(r.input); *c != (brand.Component{}) {
			design.Components.Input = c
		}
	}
}
