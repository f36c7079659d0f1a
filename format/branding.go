// SPDX-License-Identifier: Apache-2.0

package format

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/format/brand"
	"example.com/curlew/internal/dom"
)

// makeBranding makes the branding form from the computed styles of about fifteen
// nodes, and from votes over all colours of the style sheets.
func makeBranding(ctx context.Context, b *builder) error {
	if b.page.in.Root == nil || b.page.in.NotWeb {
		b.warnings.add("No branding was found on the page.")
		return nil
	}
	sheet := readSheets(ctx, b)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	r := brandReader{page: &b.page, redactor: &b.redactor, warnings: &b.warnings, sheet: sheet, cascade: newCascade(sheet)}
	if err := r.probe(ctx, b.page.in.Root); err != nil {
		return err
	}
	design := &brand.Design{}
	if len(sheet.rules) > 0 || r.styled {
		r.colors(design)
		r.typography(design)
		r.spacing(design)
		r.components(design)
		r.motion(design)
		r.width(design)
	}
	r.pictures(design)
	if w, _ := b.models.writer(); w != nil {
		design.Personality = personality(ctx, b, design)
	}
	raw, err := encode(design)
	if err != nil {
		return err
	}
	if string(raw) == "{}" {
		b.warnings.add("No branding was found on the page.")
		return nil
	}
	if err := maskedValue(&b.redactor, design); err != nil {
		return err
	}
	b.doc.Branding = design
	return nil
}

var personalityShape = json.RawMessage(`{"type":"object","properties":{"tone":{"type":"string"},"energy":{"type":"string"},"targetAudience":{"type":"string"}},` +
	`"required":["tone","energy","targetAudience"],"additionalProperties":false}`)

// personality returns a model's description of the tone of the site, or nil if
// there is no model.
func personality(ctx context.Context, b *builder, design *brand.Design) json.RawMessage {
	candidates, err := encode(design)
	if err != nil || b.page.copy.root == nil {
		return nil
	}
	return b.models.json(ctx, BrandingForm, "the tone, the energy (low, medium, high) and the target audience of the site", personalityShape, candidates)
}

// readSheets reads the style sheets of the page in order, and those that they import
// after them.
func readSheets(ctx context.Context, b *builder) *stylesheet {
	s := &stylesheet{}
	left, sheets, missing := maxSheetBytes, 0, 0
	take := func(text string) {
		text = cut(text, left)
		left -= len(text)
		s.read(text)
	}
	fetch := func(ref string) {
		ref = b.page.base.resolve(ref)
		if sc := scheme(ref); sc != "http" && sc != "https" || sheets == maxSheets || left == 0 || ctx.Err() != nil {
			return
		}
		sheets++
		if b.deps.Loader == nil {
			missing++
			return
		}
		body, kind, err := b.deps.Loader.Load(ctx, ref)
		switch {
		case err != nil || body == nil:
			missing++
		case kind == "" || strings.HasPrefix(strings.ToLower(kind), "text/"):
			take(strings.ToValidUTF8(string(body[:min(len(body), left)]), "\uFFFD"))
		}
	}
	for n := b.page.in.Root; n != nil; n = dom.Next(n, b.page.in.Root) {
		if n.Type != html.ElementNode || !mediaHolds(dom.Attr(n, "media")) {
			continue
		}
		switch n.DataAtom {
		case atom.Style:
			if n.FirstChild != nil {
				take(n.FirstChild.Data)
			}
		case atom.Link:
			rel := strings.ToLower(dom.Attr(n, "rel"))
			if hasWord(rel, "stylesheet") && !hasWord(rel, "alternate") {
				fetch(dom.Attr(n, "href"))
			}
		}
	}
	for i := 0; i < len(s.imports) && i < maxSheets; i++ {
		fetch(s.imports[i])
	}
	switch {
	case missing > 0 && b.deps.Loader == nil:
		b.warnings.add("The linked style sheets were not read: no fetcher for them is configured.")
	case missing > 0:
		b.warnings.add("Some style sheets could not be read.")
	}
	return s
}

// pictures fills in the logo and the icons.
func (r *brandReader) pictures(design *brand.Design) {
	pg := r.page
	for n := pg.in.Root; n != nil; n = dom.Next(n, pg.in.Root) {
		if n.DataAtom != atom.Link || n.Type != html.ElementNode || dom.Attr(n, "href") == "" {
			continue
		}
		rel, abs := strings.ToLower(dom.Attr(n, "rel")), pg.base.resolve(dom.Attr(n, "href"))
		switch {
		case hasWord(rel, "apple-touch-icon"), hasWord(rel, "apple-touch-icon-precomposed"):
			design.Icons.AppleTouchIcon = cmp.Or(design.Icons.AppleTouchIcon, abs)
		case hasWord(rel, "mask-icon"):
			design.Icons.MaskIcon = cmp.Or(design.Icons.MaskIcon, abs)
		case hasWord(rel, "manifest"):
			design.Icons.Manifest = cmp.Or(design.Icons.Manifest, abs)
		}
	}
	m := pg.meta
	design.Icons.Favicon = m.Favicon
	design.Images.Favicon = m.Favicon
	if m.OGImage != "" {
		design.Images.OGImage = pg.base.resolve(m.OGImage)
	}
	design.Logo = cmp.Or(r.linkedLogo(), r.shownLogo(), design.Icons.AppleTouchIcon)
	design.Images.Logo = design.Logo
}

// linkedLogo returns the logo in the structured data of the page.
func (r *brandReader) linkedLogo() string {
	g := r.page.structured()
	for _, n := range append(g.Linked()[:len(g.Linked()):len(g.Linked())], g.Micro()...) {
		if !n.Is("Organization", "Corporation", "NewsMediaOrganization", "LocalBusiness", "OnlineStore", "Store", "Brand", "EducationalOrganization") {
			continue
		}
		for _, v := range n.Values("logo") {
			ref := v.Text
			if v.Node != nil {
				ref = cmp.Or(v.Node.Text("contentUrl"), v.Node.Text("url"), v.Node.ID)
			}
			if abs := r.page.base.resolve(ref); scheme(abs) == "http" || scheme(abs) == "https" {
				return abs
			}
		}
	}
	return ""
}

// shownLogo returns the image with "logo" in a name, inside a link to the home
// page. An svg element is returned as a data: URL.
func (r *brandReader) shownLogo() string {
	home := r.page.base.resolve("/")
	for n := r.page.in.Root; n != nil; n = dom.Next(n, r.page.in.Root) {
		if n.Type != html.ElementNode || n.DataAtom != atom.Img && n.DataAtom != atom.Svg {
			continue
		}
		linked, called := false, isLogo(n)
		for p, depth := n.Parent, 0; p != nil && depth < 5; p, depth = p.Parent, depth+1 {
			linked = linked || p.DataAtom == atom.A && r.page.base.resolve(dom.Attr(p, "href")) == home
			called = called || depth < 3 && isLogo(p)
		}
		if !linked || !called {
			continue
		}
		if n.DataAtom == atom.Svg {
			if logo := r.drawn(n); logo != "" {
				return logo
			}
			continue
		}
		if abs := r.page.base.resolve(dom.Picture(n)); scheme(abs) == "http" || scheme(abs) == "https" {
			return abs
		}
	}
	return ""
}

// isLogo reports whether an attribute that names n contains the word logo.
func isLogo(n *html.Node) bool {
	for _, a := range n.Attr {
		switch a.Key {
		case "class", "id", "alt", "src", "aria-label":
			if strings.Contains(strings.ToLower(cut(a.Val, 500)), "logo") {
				return true
			}
		}
	}
	return false
}
