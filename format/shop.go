// SPDX-License-Identifier: Apache-2.0

package format

import (
	"strconv"
	"strings"

	"example.com/curlew/internal/structured"
)

// metas reads the metadata of the page. It returns nil if there is no price in it.
func (r *productReader) metas(g *structured.Graph) *Product {
	currency := g.Meta("product:price:currency", "og:price:currency", "product:sale_price:currency")
	price := machinePrice(g.Meta("product:price:amount", "og:price:amount"), currency, r.lang)
	if price == nil {
		return nil
	}
	v := Variant{
		SKU:          cut(g.Meta("product:retailer_item_id"), 200),
		Price:        price,
		Availability: readAvailability(g.Meta("product:availability", "og:availability")),
	}
	if sale := machinePrice(g.Meta("product:sale_price:amount"), currency, r.lang); sale != nil {
		v.Price, v.Sale = sale, &Sale{*price}
	} else if old := machinePrice(g.Meta("product:original_price:amount", "og:price:standard_amount"), currency, r.lang); old != nil {
		v.Sale = &Sale{*old}
	}
	for _, m := range g.Metas() {
		if m.Name == "og:image" {
			v.Images = r.picture(v.Images, m.Content, "")
		}
	}
	return &Product{
		Title:       clean(g.Meta("og:title")),
		URL:         g.Meta("og:url"),
		Brand:       clean(g.Meta("product:brand", "og:brand")),
		Category:    clean(g.Meta("product:category")),
		Description: clean(g.Meta("og:description")),
		Variants:    []Variant{v},
	}
}

// state reads the state that shop software embeds in the page.
func (r *productReader) state(g *structured.Graph) *Product {
	var woo []Variant
	for _, n := range g.State() {
		switch {
		case n.Is("shopify") && n.Values("variants") != nil && n.Text("title") != "":
			return r.shopify(n)
		case n.Is("woocommerce") && n.Values("display_price") != nil && len(woo) < maxVariants:
			woo = append(woo, r.woocommerce(n))
		case n.Is("next"):
			if p := r.next(n); p != nil {
				return p
			}
		}
	}
	if woo == nil {
		return nil
	}
	return &Product{Title: r.h1, Variants: woo}
}

// shopify reads the object that themes write for their scripts; its amounts
// are in hundredths.
func (r *productReader) shopify(n *structured.Node) *Product {
	p := &Product{
		Title: clean(n.Text("title")), Brand: clean(n.Text("vendor")), Category: clean(n.Text("type")),
		Description: plain(n.Text("description")),
	}
	cents := func(n *structured.Node, name string) *Price {
		for _, v := range n.Values(name) {
			if f, err := strconv.ParseInt(v.Text, 10, 64); err == nil && v.Number && f > 0 {
				// The object does not say its currency: other sources do.
				amount := float64(f) / 100
				return &Price{Amount: amount, Formatted: written(amount, "")}
			}
		}
		return nil
	}
	var names []string
	for _, v := range n.Values("options") {
		names = append(names, v.String())
	}
	var images []Picture
	for _, ref := range n.Texts("images") {
		images = r.picture(images, ref, "")
	}
	for _, vn := range n.Nodes("variants") {
		if len(p.Variants) == maxVariants {
			break
		}
		v := Variant{
			ID: cut(vn.Text("id"), 200), SKU: cut(vn.Text("sku"), 200), Title: clean(vn.Text("title")), Price: cents(vn, "price"),
			Availability: readAvailability(vn.Text("available")), Images: images,
		}
		if v.Availability != nil {
			v.Availability.Text = ""
		}
		if old := cents(vn, "compare_at_price"); old != nil {
			v.Sale = &Sale{*old}
		}
		for i, name := range names[:min(len(names), 3)] {
			if s := clean(vn.Text("option" + strconv.Itoa(i+1))); s != "" && s != "Default Title" {
				if v.Values == nil {
					v.Values = map[string]string{}
				}
				v.Values[cut(name, 100)] = cut(s, 500)
			}
		}
		p.Variants = append(p.Variants, v)
	}
	return p
}

// woocommerce reads one variation.
func (r *productReader) woocommerce(n *structured.Node) Variant {
	v := Variant{
		ID: cut(n.Text("variation_id"), 200), SKU: cut(n.Text("sku"), 200),
		Price:        machinePrice(n.Text("display_price"), "", r.lang),
		Availability: readAvailability(n.Text("is_in_stock")),
	}
	if v.Availability != nil {
		v.Availability.Text = ""
	}
	if old := machinePrice(n.Text("display_regular_price"), "", r.lang); old != nil {
		v.Sale = &Sale{*old}
	}
	for _, a := range n.Nodes("attributes") {
		for _, p := range a.Props[:min(len(a.Props), 50)] {
			name := strings.TrimPrefix(strings.TrimPrefix(p.Name, "attribute_"), "pa_")
			if v.Values == nil {
				v.Values = map[string]string{}
			}
			v.Values[cut(name, 100)] = cut(p.Values[0].String(), 500)
		}
	}
	for _, image := range n.Nodes("image") {
		v.Images = r.picture(v.Images, image.Text("url", "src"), clean(image.Text("alt")))
	}
	return v
}

// next reads an object of the page's state that has a price and the name of the
// page. Objects with another name may be other products.
func (r *productReader) next(n *structured.Node) *Product {
	name := clean(n.Text("name", "title"))
	if name == "" || !strings.EqualFold(name, r.h1) {
		return nil
	}
	price := machinePrice(n.Text("price"), n.Text("currency", "priceCurrency", "currencyCode"), r.lang)
	for _, inner := range n.Nodes("price") {
		price = machinePrice(inner.Text("amount", "value"), inner.Text("currency", "currencyCode"), r.lang)
	}
	if price == nil {
		return nil
	}
	return &Product{
		Title: name, Brand: clean(n.Text("brand")), Description: plain(n.Text("description")),
		Variants: []Variant{{SKU: cut(n.Text("sku"), 200), Price: price}},
	}
}
