// SPDX-License-Identifier: Apache-2.0

package format

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"

	"example.com/curlew/internal/structured"
)

// Limits of one product.
const (
	maxVariants = 500
	maxPictures = 50
)

// Product is the product that a page offers.
type Product struct {
	Title       string    `json:"title"`
	URL         string    `json:"url,omitempty"` // absolute
	Brand       string    `json:"brand,omitempty"`
	Category    string    `json:"category,omitempty"`
	Description string    `json:"description,omitempty"`
	Variants    []Variant `json:"variants"` // at least one
}

// Variant is one version of a product. Members that the page does not have are
// absent.
type Variant struct {
	Availability *Availability     `json:"availability,omitempty"`
	ID           string            `json:"id,omitempty"`
	SKU          string            `json:"sku,omitempty"`
	Title        string            `json:"title,omitempty"`
	Values       map[string]string `json:"values,omitzero"` // such as color: red
	Price        *Price            `json:"price,omitempty"`
	Sale         *Sale             `json:"sale,omitempty"`
	Images       []Picture         `json:"images,omitzero"`
}

// Sale contains the original price of a product whose price is reduced.
type Sale struct {
	OriginalPrice Price `json:"originalPrice"` // above the price
}

// makeProduct makes the product form. A model adds what the markup of the page
// lacks.
func makeProduct(ctx context.Context, b *builder) error {
	p, notes, ok := sold(&b.page)
	if w, _ := b.models.writer(); w != nil && (!ok || p.Variants[0].Price == nil) {
		p = merge(p, b.models.product(ctx, p))
		ok = p != nil && p.Title != "" && len(p.Variants) > 0
	}
	if !ok {
		b.warnings.add("No product was found in the data of the page.")
		return nil
	}
	if err := maskedValue(&b.redactor, p); err != nil {
		return err
	}
	b.doc.Product = p
	for _, note := range slices.Backward(notes) { // the newest warning is read first
		b.warnings.add(note)
	}
	return nil
}

// sold returns the product of the page, and sentences about what is left out of it. Each field comes from the first
// source that has it. It reports false if there is no product.
func sold(pg *page) (*Product, []string, bool) {
	r := productReader{page: pg, lang: pg.meta.Language, h1: pg.heading()}
	g := pg.structured()
	var p *Product
	for _, source := range []func(*structured.Graph) *Product{
		func(g *structured.Graph) *Product { return r.schema(g.Linked()) },
		func(g *structured.Graph) *Product { return r.schema(g.Micro()) },
		r.metas,
		r.state,
	} {
		p = merge(p, source(g))
	}
	shown := r.shown()
	if p == nil || len(p.Variants) == 1 && p.Variants[0].Price == nil {
		p = merge(p, shown)
	}
	if p == nil {
		return nil, nil, false
	}
	p.Title = cmp.Or(p.Title, r.h1, pg.meta.OGTitle)
	if p.Title == "" {
		return nil, nil, false
	}
	p.URL = pg.base.resolve(cmp.Or(p.URL, pg.meta.OGURL, pg.meta.Extra["canonical"], pg.in.URL))
	for i := range p.Variants {
		v := &p.Variants[i]
		v.Price.settle(&Price{Currency: strings.ToUpper(cut(g.Meta("product:price:currency", "og:price:currency"), 3))})
		if v.Sale != nil {
			v.Sale.OriginalPrice.settle(v.Price)
		}
		if v.Sale != nil && (v.Price == nil || v.Sale.OriginalPrice.Amount <= v.Price.Amount) {
			v.Sale = nil
		}
	}
	if shown != nil && !p.costs(shown.Variants[0].Price.Amount) {
		r.note("The page shows " + strings.Trim(shown.Variants[0].Price.Formatted, " –-") + " below its heading, which is not a price in its data.")
	}
	return p, r.notes, true
}

// costs reports whether amount is the price of a variant, or its original price, or whether
// no variant has a price.
func (p *Product) costs(amount float64) bool {
	priced := false
	for i := range p.Variants {
		v := &p.Variants[i]
		priced = priced || v.Price != nil
		if v.Price != nil && v.Price.Amount == amount || v.Sale != nil && v.Sale.OriginalPrice.Amount == amount {
			return true
		}
	}
	return !priced
}

// heading returns the text of the page's first h1.
func (pg *page) heading() string {
	if pg.in.Root == nil {
		return ""
	}
	for n := dom.Next(pg.in.Root, pg.in.Root); n != nil; n = dom.Next(n, pg.in.Root) {
		pg.steps.Take(1)
		if n.DataAtom == atom.H1 && n.Type == html.ElementNode {
			if s := clean(textOf(n)); s != "" {
				return s
			}
		}
	}
	return ""
}

// merge fills in the fields that p lacks from other; either may be nil.
func merge(p, other *Product) *Product {
	switch {
	case other == nil:
		return p
	case p == nil:
		return other
	}
	p.Title = cmp.Or(p.Title, other.Title)
	p.URL = cmp.Or(p.URL, other.URL)
	p.Brand = cmp.Or(p.Brand, other.Brand)
	p.Category = cmp.Or(p.Category, other.Category)
	p.Description = cmp.Or(p.Description, other.Description)
	if len(p.Variants) == 1 && len(other.Variants) > 1 && p.Variants[0].Values == nil {
		// One variant sums up all of other, and its price is that of one of them.
		sum := p.Variants[0]
		p.Variants = other.Variants
		for i := range p.Variants {
			v := &p.Variants[i]
			if v.SKU != "" && v.SKU == sum.SKU {
				v.fill(&sum)
			} else if v.Images == nil {
				v.Images = sum.Images
			}
			v.Price.settle(sum.Price)
		}
		return p
	}
	for i := range p.Variants {
		if v := match(&p.Variants[i], other.Variants, len(p.Variants) == 1); v != nil {
			p.Variants[i].fill(v)
		}
	}
	return p
}

// match returns the variant in list that is the same as v, or nil.
func match(v *Variant, list []Variant, only bool) *Variant {
	for i := range list {
		if v.SKU != "" && v.SKU == list[i].SKU {
			return &list[i]
		}
	}
	for i := range list {
		if v.Values != nil && maps.Equal(v.Values, list[i].Values) {
			return &list[i]
		}
	}
	if only && len(list) == 1 {
		return &list[0]
	}
	return nil
}

// fill fills in the fields that v lacks. A sale is taken only with its price.
func (v *Variant) fill(other *Variant) {
	if v.Price == nil {
		v.Price, v.Sale = other.Price, other.Sale
	} else if v.Sale == nil && other.Sale != nil && other.Price != nil && other.Price.Amount == v.Price.Amount {
		v.Sale = other.Sale
	}
	v.Price.settle(other.Price)
	if v.Availability == nil {
		v.Availability = other.Availability
	}
	v.ID, v.SKU, v.Title = cmp.Or(v.ID, other.ID), cmp.Or(v.SKU, other.SKU), cmp.Or(v.Title, other.Title)
	if v.Values == nil {
		v.Values = other.Values
	}
	if v.Images == nil {
		v.Images = other.Images
	}
}

// A productReader reads the product of one page.
type productReader struct {
	page     *page
	lang, h1 string
	notes    []string // sentences about what is left out
}

// note adds a sentence about what is left out, once.
func (r *productReader) note(text string) {
	const most = 10
	if len(r.notes) < most && !slices.Contains(r.notes, text) {
		r.notes = append(r.notes, text)
	}
}
