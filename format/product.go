// SPDX-License-Identifier: Apache-2.0

package format

import (
	"cmp"
	"context"
	"maps"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/content"
	"example.com/curlew/internal/structured"
)

// Bounds of one product.
const (
	maxVariants = 500
	maxPictures = 50
)

// Product is what a page sells (contract.md 9.1).
type Product struct {
	Title       string    `json:"title"`
	URL         string    `json:"url,omitempty"` // absolute
	Brand       string    `json:"brand,omitempty"`
	Category    string    `json:"category,omitempty"`
	Description string    `json:"description,omitempty"`
	Variants    []Variant `json:"variants"` // at least one
}

// Variant is one form in which a product is sold. Members that the page does
// not give are absent.
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

// Sale says that Price is lowered.
type Sale struct {
	OriginalPrice Price `json:"originalPrice"` // above the price
}

// product makes the product form: html.md 8. Of each field the first source
// counts that has it.
func (b *builder) product(context.Context) error {
	r := productReader{b: b, lang: b.doc.Metadata.Language, h1: b.heading()}
	g := b.structured()
	var p *Product
	for _, source := range []func(*structured.Graph) *Product{
		func(g *structured.Graph) *Product { return r.schema(g.Linked()) },
		func(g *structured.Graph) *Product { return r.schema(g.Micro()) },
		r.metas,
		r.state,
	} {
		p = merge(p, source(g))
	}
	if p == nil || len(p.Variants) == 1 && p.Variants[0].Price == nil {
		p = merge(p, r.shown())
	}
	if p == nil {
		b.warn("The page has no data of a product.")
		return nil
	}
	p.Title = cmp.Or(p.Title, r.h1, b.doc.Metadata.OGTitle)
	if p.Title == "" {
		b.warn("The page has no data of a product.")
		return nil
	}
	p.URL = b.base.resolve(cmp.Or(p.URL, b.doc.Metadata.OGURL, b.doc.Metadata.Extra["canonical"], b.in.URL))
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
	b.doc.Product = p
	return nil
}

// heading returns the text of the page's first h1.
func (b *builder) heading() string {
	if b.in.Root == nil {
		return ""
	}
	for n := range b.in.Root.Descendants() {
		if n.DataAtom == atom.H1 && n.Type == html.ElementNode {
			if s := clean(textOf(n)); s != "" {
				return s
			}
		}
	}
	return ""
}

// merge fills in what p lacks from other; either may be nil.
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
		// One summed up against all of them. Its price is only one of theirs.
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

// match returns the one of list that is v; nil for none.
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

// fill fills in what v lacks. A sale goes with its price.
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
	b        *builder
	lang, h1 string
}

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
		if len(p.Variants) < maxVariants && len(n.Props) > 0 {
			p.Variants = append(p.Variants, r.variants(n)...)
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

// choose returns the product that the page is about, nil where it is about
// none or about many: its group, the one that is named like the page, or the
// only one.
func (r *productReader) choose(nodes []*structured.Node) *structured.Node {
	inside := map[*structured.Node]bool{} // related ones, items of lists, variants
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
		return name != "" && (strings.EqualFold(name, r.h1) || strings.HasPrefix(strings.ToLower(r.b.doc.Metadata.Title), name))
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

// variants reads the variants of a product without a list of them: as many as
// its offers have stock-keeping units.
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
		for _, o := range offers {
			if r.offer(&v, o); v.Price != nil {
				break
			}
		}
		return []Variant{v}
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

// offer reads price and availability of v.
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
	v.Price = price
	if price != nil && original != nil {
		v.Sale = &Sale{*original}
	}
	if v.Availability == nil {
		v.Availability = readAvailability(o.Text("availability"))
	}
}

// valuesOf returns what tells a variant from others; nil where nothing does.
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

// picture appends an image that is on the web.
func (r *productReader) picture(all []Picture, ref, alt string) []Picture {
	ref = r.b.base.resolve(ref)
	if s := scheme(ref); s != "http" && s != "https" || len(all) >= maxPictures {
		return all
	}
	for _, p := range all {
		if p.URL == ref {
			return all
		}
	}
	return append(all, Picture{URL: ref, Alt: alt})
}

// metas reads the properties of the page. Without a price they are of no
// product.
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

// state reads what platforms leave in the page.
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

// next reads an object of the page's state that has the page's name and a
// price; others may be of any product.
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

// Bounds of the search for a price below the heading.
const (
	maxBeside = 600 // nodes
	maxStruck = 40  // nodes between a price and the one that is struck through
)

// shown reads what people see: the price nearest to the heading of a page on
// which something can be bought. It is nil for others.
func (r *productReader) shown() *Product {
	root := r.b.in.Root
	named := strings.Contains(strings.ToLower(r.b.doc.Metadata.Title), strings.ToLower(r.h1))
	if r.h1 == "" || root == nil || r.b.in.NotWeb || !named || r.published() || !buyable(root) {
		return nil
	}
	var at *html.Node
	for n := range root.Descendants() {
		if n.DataAtom == atom.H1 && n.Type == html.ElementNode && clean(textOf(n)) == r.h1 {
			at = n
			break
		}
	}
	var price, old *Price
	priceAt, oldAt := 0, 0
	steps := 0
	for n := at; n != nil && steps < maxBeside && (price == nil || steps-priceAt < maxStruck); steps++ {
		if price == nil && n != at && isHeading(n) {
			return nil // a list of many: the price is of what is named there
		}
		p := r.priceOf(n)
		if p == nil {
			n = following(n, root)
			continue
		}
		switch struck := isStruck(n); {
		case struck:
			old, oldAt = p, steps
		case price == nil:
			price, priceAt = p, steps
		}
		n = behind(n, root)
	}
	if price == nil {
		return nil
	}
	v := Variant{Price: price}
	if old != nil && max(priceAt-oldAt, oldAt-priceAt) <= maxStruck && old.Currency == price.Currency {
		v.Sale = &Sale{*old}
	}
	return &Product{Title: r.h1, Variants: []Variant{v}}
}

// isHeading reports whether n names what stands below it.
func isHeading(n *html.Node) bool {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5:
		return clean(textOf(n)) != ""
	}
	return false
}

// published reports whether the page is something to read.
func (r *productReader) published() bool {
	g := r.b.structured()
	for _, nodes := range [][]*structured.Node{g.Linked(), g.Micro()} {
		for _, n := range nodes {
			if isArticle(n) || n.Is("ItemList", "CollectionPage") {
				return true
			}
		}
	}
	return g.Meta("og:type") == "article"
}

// priceOf returns the price that an element is, and is alone; nil for others.
func (r *productReader) priceOf(n *html.Node) *Price {
	if n.Type != html.ElementNode || content.IsSilent(n) {
		return nil
	}
	var b strings.Builder
	steps := 0
	for d := range n.Descendants() {
		if steps++; steps > 100 {
			return nil
		}
		switch {
		case d.DataAtom == atom.Del, d.DataAtom == atom.Ins, d.DataAtom == atom.S:
			return nil // more than one
		case d.Type == html.TextNode:
			if b.WriteString(cut(d.Data, 128)); b.Len() > 127 {
				return nil
			}
		}
	}
	return shownPrice(b.String(), r.lang)
}

// isStruck reports whether a price is one of before.
func isStruck(n *html.Node) bool {
	for range 4 {
		if n == nil {
			return false
		}
		switch n.DataAtom {
		case atom.Del, atom.S, atom.Strike:
			return true
		}
		for word := range strings.FieldsSeq(strings.ToLower(value(n, "class"))) {
			for _, mark := range []string{"compare", "was-price", "old-price", "price-old", "list-price", "price-was", "regular-price", "strike", "original-price"} {
				if strings.Contains(word, mark) {
					return true
				}
			}
		}
		n = n.Parent
	}
	return false
}

// behind returns the node after n and all below it.
func behind(n, root *html.Node) *html.Node {
	for n != nil && n != root && n.NextSibling == nil {
		n = n.Parent
	}
	if n == nil || n == root {
		return nil
	}
	return n.NextSibling
}

// buyable reports whether a page has something to put into a basket.
func buyable(root *html.Node) bool {
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.DataAtom {
		case atom.Button, atom.Input, atom.A, atom.Form:
		default:
			continue
		}
		for _, a := range n.Attr {
			switch a.Key {
			case "class", "id", "name", "action", "value", "aria-label":
				if isCart(a.Val) {
					return true
				}
			}
		}
		if n.DataAtom == atom.Button && isCart(textOf(n)) {
			return true
		}
	}
	return false
}

// isCart reports whether s is of a button that puts something into a basket.
func isCart(s string) bool {
	key := strings.Map(func(r rune) rune {
		if r == ' ' || r == '-' || r == '_' {
			return -1
		}
		return r
	}, strings.ToLower(cut(s, 200)))
	for _, mark := range []string{"addtocart", "addtobag", "addtobasket", "indenwarenkorb", "ajouteraupanier", "añadiralcarrito", "aggiungialcarrello"} {
		if strings.Contains(key, mark) {
			return true
		}
	}
	return false
}

// plain returns a text without the tags that some write into descriptions.
func plain(s string) string {
	if !strings.Contains(s, "<") {
		return clean(s)
	}
	var b strings.Builder
	for s != "" {
		text, rest, tag := strings.Cut(s, "<")
		b.WriteString(text)
		if !tag {
			break
		}
		b.WriteByte(' ')
		_, s, _ = strings.Cut(rest, ">")
	}
	return clean(html.UnescapeString(b.String()))
}
