// SPDX-License-Identifier: Apache-2.0

package format

import (
	"cmp"
	"slices"
	"strings"

	"example.com/curlew/internal/structured"
)

// schema reads the vocabulary of schema.org.
func (r *productReader) schema(nodes []*structured.Node) *Product {
	main := r.choose(nodes)
	if main == nil {
		return nil
	}
	p := &Product{
		Title:       clean(main.Text("name")),
		URL:         main.Text("url"),
		Brand:       clean(main.Text("brand", "manufacturer")),
		Category:    clean(main.Text("category")),
		Description: plain(main.Text("description")),
	}
	for _, n := range main.Nodes("hasVariant") {
		switch {
		case len(n.Props) == 0:
		case len(p.Variants) < maxVariants:
			p.Variants = append(p.Variants, r.variants(n)...)
		default:
			r.note(manyVariants)
		}
	}
	if p.Variants == nil {
		p.Variants = r.variants(main)
		if len(p.Variants) == 1 && p.Variants[0].Title == p.Title {
			p.Variants[0].Title = ""
		}
	}
	return p
}

// choose returns the product that the page is about: the product group, the product whose
// name is the heading or begins the title, or the only product. Otherwise it returns nil.
func (r *productReader) choose(nodes []*structured.Node) *structured.Node {
	inside := map[*structured.Node]bool{} // related products, items of lists, and variants
	for _, n := range nodes {
		for _, p := range n.Props {
			switch p.Name {
			case "isRelatedTo", "isSimilarTo", "isVariantOf", "isAccessoryOrSparePartFor", "hasVariant", "itemListElement", "item",
				"itemOffered", "itemReviewed", "isConsumableFor", "about", "mentions":
				for _, v := range p.Values {
					inside[v.Node] = true
				}
			}
		}
	}
	var all []*structured.Node
	for _, n := range nodes {
		switch {
		case len(n.Props) < 2:
		case n.Is("ProductGroup"):
			return n
		case n.Is("Product", "IndividualProduct", "ProductModel", "SomeProducts", "Vehicle", "Car") && !inside[n]:
			all = append(all, n)
		}
	}
	named := func(n *structured.Node) bool {
		name := strings.ToLower(clean(n.Text("name")))
		return name != "" && (strings.EqualFold(name, r.h1) || strings.HasPrefix(strings.ToLower(r.page.meta.Title), name))
	}
	for _, n := range all {
		if named(n) {
			return n
		}
	}
	if len(all) == 1 {
		return all[0]
	}
	return nil
}

// variants reads the variants of a product that does not list them: one for each
// offer if every offer has an SKU of its own, otherwise one.
func (r *productReader) variants(n *structured.Node) []Variant {
	v := Variant{
		ID:     cut(n.Text("productID"), 200),
		SKU:    cut(n.Text("sku", "mpn"), 200),
		Title:  clean(n.Text("name")),
		Values: valuesOf(n),
		Images: r.pictures(n),
	}
	var offers []*structured.Node
	for _, o := range n.Nodes("offers") {
		if inner := o.Nodes("offers"); o.Is("AggregateOffer") && len(inner) > 0 && o.Text("lowPrice") == "" {
			offers = append(offers, inner...)
			continue
		}
		offers = append(offers, o)
	}
	units := map[string]bool{}
	for _, o := range offers {
		if sku := o.Text("sku"); sku != "" {
			units[sku] = true
		}
	}
	if len(units) < 2 || len(units) != len(offers) {
		r.first(&v, offers)
		return []Variant{v}
	}
	if len(offers) > maxVariants {
		r.note(manyVariants)
	}
	var all []Variant
	for _, o := range offers[:min(len(offers), maxVariants)] {
		w := v
		w.SKU, w.Title = cut(o.Text("sku"), 200), cmp.Or(clean(o.Text("name")), v.Title)
		r.offer(&w, o)
		all = append(all, w)
	}
	return all
}

// manyVariants says that variants are left out.
const manyVariants = "The product has more than 500 variants: the others are left out."

// first sets the price and the availability of v from the first offer with a price.
func (r *productReader) first(v *Variant, offers []*structured.Node) {
	for _, o := range offers[:min(len(offers), maxVariants)] {
		var w Variant
		r.offer(&w, o)
		switch {
		case v.Price == nil:
			v.Price, v.Sale, v.Availability = w.Price, w.Sale, cmp.Or(w.Availability, v.Availability)
		case w.Price != nil && w.Price.Amount != v.Price.Amount || w.Availability != nil && v.Availability != nil && w.Availability.Text != v.Availability.Text:
			r.note("Other offers for the product have another price or availability, and are left out.")
		}
	}
}

// offer sets the price and the availability of v from an offer.
func (r *productReader) offer(v *Variant, o *structured.Node) {
	currency := o.Text("priceCurrency")
	price := machinePrice(o.Text("price", "lowPrice"), currency, r.lang)
	var original *Price
	for _, s := range o.Nodes("priceSpecification") {
		p := machinePrice(s.Text("price", "minPrice"), cmp.Or(s.Text("priceCurrency"), currency), r.lang)
		switch kind := s.Text("priceType"); {
		case strings.HasSuffix(kind, "ListPrice"), strings.HasSuffix(kind, "StrikethroughPrice"):
			original = p
		case price == nil:
			price = p
		}
	}
	if high := o.Text("highPrice"); high != "" && high != o.Text("lowPrice") {
		r.note("The price of the product is the lowest of several offers.")
	}
	if price == nil && o.Text("price", "lowPrice") != "" {
		r.note("A price in the data of the page cannot be read.")
	}
	v.Price = price
	if price != nil && original != nil {
		v.Sale = &Sale{*original}
	}
	if v.Availability == nil {
		v.Availability = readAvailability(o.Text("availability"))
	}
}

// valuesOf returns the properties that distinguish a variant, or nil.
func valuesOf(n *structured.Node) map[string]string {
	var values map[string]string
	set := func(name, value string) {
		name, value = cut(clean(name), 100), cut(clean(value), 500)
		if name == "" || value == "" || len(values) >= 50 || values[name] != "" {
			return
		}
		if values == nil {
			values = map[string]string{}
		}
		values[name] = value
	}
	for _, name := range []string{"color", "size", "material", "pattern"} {
		set(name, n.Text(name))
	}
	return values
}

// pictures returns the images of a product.
func (r *productReader) pictures(n *structured.Node) []Picture {
	var all []Picture
	for _, v := range n.Values("image") {
		ref, alt := v.Text, ""
		if v.Node != nil {
			ref = cmp.Or(v.Node.Text("url"), v.Node.Text("contentUrl"), v.Node.ID)
			alt = clean(v.Node.Text("caption"))
		}
		all = r.picture(all, ref, alt)
	}
	return all
}

// picture appends an image with an http or https URL.
func (r *productReader) picture(all []Picture, ref, alt string) []Picture {
	ref = r.page.base.resolve(ref)
	if s := scheme(ref); s != "http" && s != "https" || slices.ContainsFunc(all, func(p Picture) bool { return p.URL == ref }) {
		return all
	}
	if len(all) >= maxPictures {
		r.note("The product has more than 50 pictures: the others are left out.")
		return all
	}
	return append(all, Picture{URL: ref, Alt: alt})
}
