// SPDX-License-Identifier: Apache-2.0

package format

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/structured"
)

// Limits of the facts of one page.
const (
	maxFacts     = 2000
	maxFactDepth = 6
	maxThings    = 200
	maxListed    = 500
)

// A fact is the values that a page has under one name.
type fact struct {
	name  string // as written
	words string // the name as canonical returns it
	texts []string
	nodes []*facts
}

// facts are the statements of a page about one thing, the most reliable first.
type facts struct {
	types []string
	list  []fact
	more  []*facts // other things of the page, in document order
}

// add adds a text under a name.
func (f *facts) add(name, text string) {
	if text = clean(text); text == "" || name == "" || len(name) > 200 {
		return
	}
	words := canonical(name)
	for i := range f.list {
		if f.list[i].words == words {
			if len(f.list[i].texts) < maxListed && f.list[i].name == name {
				f.list[i].texts = append(f.list[i].texts, text)
			}
			return // the first source of a name counts
		}
	}
	if len(f.list) < maxFacts {
		f.list = append(f.list, fact{name: name, words: words, texts: []string{text}})
	}
}

// find returns the fact with a canonical name, or nil.
func (f *facts) find(words string) *fact {
	for i := range f.list {
		if f.list[i].words == words {
			return &f.list[i]
		}
	}
	return nil
}

// factsOf returns the facts of a page: from structured data, the product, tables,
// definition lists and metadata. If product is nil, it looks for one.
func factsOf(pg *page, product *Product) *facts {
	all := &facts{}
	g := pg.structured()
	seen := map[*structured.Node]*facts{}
	for _, nodes := range [][]*structured.Node{g.Linked(), g.Micro()} {
		for _, n := range nodes {
			if f := thing(n, seen, 0); f != nil && len(all.more) < maxThings && len(n.Types) > 0 {
				all.more = append(all.more, f)
			}
		}
	}
	if product == nil {
		product, _, _ = sold(pg)
	}
	if product != nil {
		all.product(product)
	}
	// The facts of the main thing come before those that the page only mentions.
	if main := mainThing(all.more, pg.meta.Title); main != nil {
		for _, one := range main.list {
			if all.find(one.words) == nil && len(all.list) < maxFacts {
				all.list = append(all.list, one)
			}
		}
		all.types = main.types
	}
	shownFacts(pg, all)
	m := pg.meta
	for _, one := range []struct{ name, text string }{
		{"title", m.Title},
		{"description", m.Description},
		{"author", m.Extra["author"]},
		{"datePublished", m.PublishedTime},
		{"dateModified", m.ModifiedTime},
		{"language", m.Language},
		{"keywords", m.Keywords},
		{"image", m.OGImage},
		{"siteName", m.OGSiteName},
		{"section", m.ArticleSection},
		{"url", pg.in.URL},
		{"favicon", m.Favicon},
	} {
		all.add(one.name, one.text)
	}
	for _, key := range sortedKeys(m.Extra) {
		all.add(key, m.Extra[key])
	}
	return all
}

// product adds the members of a product.
func (f *facts) product(p *Product) {
	f.add("name", p.Title)
	f.add("brand", p.Brand)
	f.add("category", p.Category)
	f.add("description", p.Description)
	v := &p.Variants[0]
	f.add("sku", v.SKU)
	if v.Price != nil {
		f.add("price", formatNumber(v.Price.Amount))
		f.add("currency", v.Price.Currency)
	}
	if v.Sale != nil {
		f.add("originalPrice", formatNumber(v.Sale.OriginalPrice.Amount))
	}
	if v.Availability != nil {
		f.add("availability", v.Availability.Text)
		f.add("inStock", map[bool]string{true: "true", false: "false"}[v.Availability.InStock])
	}
	for _, image := range v.Images {
		f.add("image", image.URL)
	}
	for _, name := range sortedKeys(v.Values) {
		f.add(name, v.Values[name])
	}
}

// thing returns the facts of a node and of the nodes inside it. It is nil if there
// are none or if a limit is reached.
func thing(n *structured.Node, seen map[*structured.Node]*facts, depth int) *facts {
	if f, ok := seen[n]; ok {
		return f // nil inside a cycle
	}
	if depth > maxFactDepth || len(n.Props) == 0 {
		return nil
	}
	seen[n] = nil
	f := &facts{types: n.Types}
	for _, p := range n.Props {
		one := fact{name: p.Name, words: canonical(p.Name)}
		for _, v := range p.Values[:min(len(p.Values), maxListed)] {
			if s := clean(plain(v.String())); s != "" {
				one.texts = append(one.texts, s)
			}
			if v.Node != nil {
				if inner := thing(v.Node, seen, depth+1); inner != nil {
					one.nodes = append(one.nodes, inner)
				}
			}
		}
		if len(f.list) < maxFacts && (one.texts != nil || one.nodes != nil) && f.find(one.words) == nil {
			f.list = append(f.list, one)
		}
	}
	seen[n] = f
	return f
}

// mainThing returns the thing that the page is about, or nil: the one whose name begins
// the title, otherwise the first one that is the subject of a page. See [isFrame].
func mainThing(all []*facts, title string) *facts {
	title = strings.ToLower(title)
	for _, f := range all {
		name := f.find("title")
		if name != nil && len(name.texts) > 0 && len(name.texts[0]) > 3 && strings.HasPrefix(title, strings.ToLower(name.texts[0])) && !isFrame(f) {
			return f
		}
	}
	for _, f := range all {
		if !isFrame(f) {
			return f
		}
	}
	return nil
}

// isFrame reports whether a thing is part of every page, such as the site, rather
// than the subject of this one.
func isFrame(f *facts) bool {
	for _, t := range f.types {
		switch t {
		case "WebSite", "WebPage", "Organization", "BreadcrumbList", "ListItem", "SearchAction", "ImageObject", "Person", "SiteNavigationElement",
			"Brand", "Offer", "Review", "Rating", "AggregateRating", "PostalAddress", "EntryPoint", "ReadAction", "CollectionPage", "ItemList":
			return true
		}
	}
	return len(f.types) == 0
}

// shownFacts adds the rows of tables with two columns and the definitions of lists.
func shownFacts(pg *page, f *facts) {
	root := pg.in.Root
	if root == nil {
		return
	}
	for n := root; n != nil; n = dom.Next(n, root) {
		pg.steps.Take(1)
		switch n.DataAtom {
		case atom.Dt:
			if d := nextElement(n); d != nil && d.DataAtom == atom.Dd {
				f.add(label(n), textOf(d))
			}
		case atom.Tr:
			var cells []*html.Node
			for c := n.FirstChild; c != nil && len(cells) < 3; c = c.NextSibling {
				if c.DataAtom == atom.Td || c.DataAtom == atom.Th {
					cells = append(cells, c)
				}
			}
			if len(cells) == 2 && (cells[0].DataAtom == atom.Th || cells[1].DataAtom == atom.Td) && cells[1].DataAtom == atom.Td {
				f.add(label(cells[0]), textOf(cells[1]))
			}
		}
	}
}

// label returns the text of a cell or term as a name, or "" if it is too long for one.
func label(n *html.Node) string {
	s := strings.TrimRight(clean(textOf(n)), " :")
	if len(s) > 80 {
		return ""
	}
	return s
}

func nextElement(n *html.Node) *html.Node {
	for n = n.NextSibling; n != nil && n.Type != html.ElementNode; n = n.NextSibling {
	}
	return n
}

// all returns all facts as one JSON value, or nil.
func (f *facts) all() any {
	out := map[string]any{}
	f.into(out, 0)
	things := map[string]bool{}
	for _, inner := range f.more {
		if len(inner.types) == 0 || things[inner.types[0]] {
			continue
		}
		things[inner.types[0]] = true
		if _, taken := out[inner.types[0]]; !taken {
			one := map[string]any{}
			inner.into(one, 1)
			out[inner.types[0]] = one
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

func (f *facts) into(out map[string]any, depth int) {
	for _, one := range f.list {
		switch {
		case len(one.nodes) > 0 && depth < 3:
			var list []any
			for _, n := range one.nodes[:min(len(one.nodes), 100)] {
				inner := map[string]any{}
				n.into(inner, depth+1)
				list = append(list, inner)
			}
			if out[one.name] = list; len(list) == 1 {
				out[one.name] = list[0]
			}
		case len(one.texts) == 1:
			out[one.name] = one.texts[0]
		case len(one.texts) > 1:
			out[one.name] = one.texts
		}
	}
}

// canonical returns the words of a name in lower case. A name with synonyms becomes the
// first of them: priceAmount, price_amount and Cost all become price.
func canonical(name string) string {
	if i := strings.LastIndexAny(name, ":/#"); i >= 0 {
		name = name[i+1:]
	}
	var b strings.Builder
	lower := false
	for _, r := range name {
		switch {
		case unicode.IsUpper(r):
			if lower {
				b.WriteByte(' ')
			}
			lower = false
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			r, lower = ' ', false
		default:
			lower = true
		}
		b.WriteRune(unicode.ToLower(r))
	}
	words := strings.Join(strings.Fields(b.String()), " ")
	for _, group := range synonyms {
		first, _, _ := strings.Cut(group, "|")
		for word := range strings.SplitSeq(group, "|") {
			if word == words {
				return first
			}
		}
	}
	return words
}

// synonyms are groups of names with the same meaning. The first is the canonical
// one.
var synonyms = []string{
	"title|name|headline|product name|product title|article title|heading|page title|job title",
	"price|amount|cost|price amount|current price|sale price|low price|product price",
	"original price|list price|old price|regular price|was price|rrp|msrp",
	"currency|price currency|currency code",
	"author|byline|writer|authors|author name|creator|written by",
	"published|date published|published at|publish date|publication date|date|published date|published time|date created|datetime|posted|date posted",
	"modified|date modified|modified at|updated|updated at|last updated|modified time|last modified",
	"image|images|picture|photo|thumbnail|image url|img|main image|primary image|thumbnail url",
	"url|link|href|page url|permalink|canonical url",
	"description|summary|abstract|excerpt|about|product description|article description|meta description",
	"brand|manufacturer|brand name|vendor|make",
	"sku|product id|article number|item number|mpn|model number",
	"availability|stock|stock status|status",
	"in stock|is available|available|instock",
	"category|categories|section|article section|genre",
	"keywords|tags|tag|article tag",
	"rating|rating value|average rating|stars|score",
	"review count|rating count|number of reviews|reviews count",
	"telephone|phone|phone number|tel",
	"email|email address|e mail|mail",
	"address|location|street address",
	"site name|publisher|source|website|site",
	"language|in language|lang|locale",
	"company|organization|hiring organization|employer|organisation|company name",
	"salary|base salary|pay|compensation",
	"ingredients|recipe ingredient|recipe ingredients",
	"instructions|recipe instructions|steps|directions",
	"body|article body|content|text",
	"duration|total time|length",
}
