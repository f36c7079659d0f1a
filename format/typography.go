// SPDX-License-Identifier: Apache-2.0

package format

import (
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"example.com/curlew/format/brand"
	"example.com/curlew/internal/dom"
)

// maxFonts limits the number of fonts that are reported.
const maxFonts = 20

// typography reads fonts, sizes and weights.
func (r *brandReader) typography(design *brand.Design) {
	t := &design.Typography
	t.Families.Primary = family(r.body)
	if r.p != nil && family(r.p) != "" {
		t.Families.Primary = family(r.p)
	}
	for _, s := range []*style{r.h1, r.h2, r.h3} {
		if t.Families.Heading == "" {
			t.Families.Heading = family(s)
		}
	}
	if r.code != nil && family(r.code) != t.Families.Primary {
		t.Families.Code = family(r.code)
	}
	all := append([]string{t.Families.Primary, t.Families.Heading, t.Families.Code}, r.sheet.faces...)
	for _, name := range append(all, r.services()...) {
		font := brand.Font{Family: name}
		if name != "" && !slices.Contains(design.Fonts, font) && len(design.Fonts) < maxFonts {
			design.Fonts = append(design.Fonts, font)
		}
	}
	size := func(s *style, usual float64) string {
		if s == nil {
			return ""
		}
		return px(s.size(usual))
	}
	// If no style sheet sets the size of headings, use that of HTML 15.3.
	t.Sizes.H1, t.Sizes.H2, t.Sizes.H3 = size(r.h1, 2), size(r.h2, 1.5), size(r.h3, 1.17)
	if t.Sizes.Body = size(r.p, 1); t.Sizes.Body == "" {
		t.Sizes.Body = size(r.body, 1)
	}
	r.weights(t)
	for _, s := range []*style{r.p, r.body} {
		if s != nil && t.Heights.Body == "" {
			t.Heights.Body = s.get("line-height")
		}
	}
	for _, s := range []*style{r.h1, r.h2, r.h3} {
		if s != nil && t.Heights.Heading == "" {
			t.Heights.Heading = s.get("line-height")
		}
	}
}

// weights reads the font weights that the style sheets use.
func (r *brandReader) weights(t *brand.Typography) {
	for i := range r.sheet.rules {
		for _, d := range expanded(r.sheet.rules[i].declared) {
			if d.name != "font-weight" {
				continue
			}
			switch w := weightOf(d.value); {
			case w == 0:
			case w <= 300:
				t.Weights.Light = w
			case w == 400:
				t.Weights.Regular = w
			case w <= 600:
				t.Weights.Medium = w
			default:
				t.Weights.Bold = w
			}
		}
	}
}

// family returns the first font family of a style that is not a keyword.
func family(s *style) string {
	if s == nil {
		return ""
	}
	for name := range strings.SplitSeq(s.get("font-family"), ",") {
		name = unquoted(name)
		switch strings.ToLower(name) {
		case "", "serif", "sans-serif", "monospace", "cursive", "fantasy", "system-ui", "ui-sans-serif", "ui-serif", "ui-monospace", "inherit", "initial",
			"-apple-system", "blinkmacsystemfont", "unset":
			continue
		}
		return cut(name, 100)
	}
	return ""
}

// services returns the fonts in links to font services.
func (r *brandReader) services() []string {
	var all []string
	for n := r.page.in.Root; n != nil; n = dom.Next(n, r.page.in.Root) {
		if n.DataAtom != atom.Link {
			continue
		}
		_, query, ok := strings.Cut(dom.Attr(n, "href"), "?")
		if !ok || !strings.Contains(dom.Attr(n, "href"), "fonts.") {
			continue
		}
		for part := range strings.SplitSeq(query, "&") {
			list, ok := strings.CutPrefix(part, "family=")
			for name := range strings.SplitSeq(list, "|") {
				name, _, _ = strings.Cut(name, ":")
				if name = strings.ReplaceAll(strings.ReplaceAll(name, "+", " "), "%20", " "); ok && name != "" && len(all) < maxFonts {
					all = append(all, cut(name, 100))
				}
			}
		}
	}
	return all
}

// spacing reads the base unit: the largest unit that divides most distances.
func (r *brandReader) spacing(design *brand.Design) {
	var distances, radii []float64
	rem := r.root.size(1)
	for i := range r.sheet.rules {
		for _, d := range r.sheet.rules[i].declared {
			into := &distances
			switch {
			case d.name == "border-radius":
				into = &radii
			case d.name == "gap", strings.HasPrefix(d.name, "padding"), strings.HasPrefix(d.name, "margin"):
			default:
				continue
			}
			for part := range topParts(d.value) {
				if f, ok := length(part, rem, rem); ok && f > 0 && f <= 200 && !strings.HasSuffix(part, "%") && len(*into) < 100_000 {
					*into = append(*into, f)
				}
			}
		}
	}
	design.Spacing.BaseUnit = baseUnit(distances)
	if len(radii) > 0 {
		slices.Sort(radii)
		design.Spacing.BorderRadius = px(radii[len(radii)/2])
	}
	for _, c := range []struct {
		name string
		s    *style
	}{{"body", r.body}, {"h1", r.h1}, {"p", r.p}, {"input", r.input}} {
		if c.s == nil {
			continue
		}
		if v := c.s.get("padding"); v != "" {
			design.Spacing.Padding = with(design.Spacing.Padding, c.name, v)
		}
		if v := c.s.get("margin"); v != "" {
			design.Spacing.Margins = with(design.Spacing.Margins, c.name, v)
		}
	}
	if len(r.buttons) > 0 {
		if v := r.buttons[0].get("padding"); v != "" {
			design.Spacing.Padding = with(design.Spacing.Padding, "button", v)
		}
	}
}

// baseUnit returns the largest unit that divides at least 60 % of distances. It
// returns 0 if there is no such unit or there are fewer than three distances.
func baseUnit(distances []float64) float64 {
	for _, unit := range []float64{12, 10, 8, 6, 4} {
		n := 0
		for _, f := range distances {
			if whole := f / unit; whole == float64(int(whole)) {
				n++
			}
		}
		if len(distances) >= 3 && 10*n >= 6*len(distances) {
			return unit
		}
	}
	return 0
}

func with(m map[string]string, name, value string) map[string]string {
	if m == nil {
		m = map[string]string{}
	}
	m[name] = value
	return m
}
