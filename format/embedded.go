// SPDX-License-Identifier: Apache-2.0

package format

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/structured"
)

// Limits of what is read from embedded data.
const (
	maxEmbedded = 200  // offers, ingredients or steps of one item
	maxSaid     = 2000 // texts in all
)

// An embedding is the content in the data of a page's scripts.
type embedding struct {
	root   *html.Node // an article with the content; nil if there is none
	source string     // the kind of data, as [dom.Embedded] calls it
	left   int        // texts beyond the limits
	cut    int        // texts that are cut
	unread []string   // types of JSON-LD nodes that were left out, except nodes that are part of others
	broken int        // scripts of JSON-LD that are not valid
	others int        // other states of the kind source
}

// embedded returns the content of the page's JSON-LD, or the content of the state in
// its scripts if that has more text. It is used for pages without text of their own.
func (b *builder) embedded(ctx context.Context) (embedding, error) {
	linked, unread := newDataWriter(ctx, dom.LinkedData), []string(nil)
	graph := b.page.structured().Linked()
	said, parts := map[*structured.Node]bool{}, map[*structured.Node]bool{}
	for _, n := range graph {
		if parts[n] && n.Is(strings.Fields(itemKinds[workItem].types)...) {
			continue // such as the film of an article, which mostly repeats its description
		}
		if !said[n] && linked.item(n, said) {
			reach(n, parts)
		}
	}
	for _, n := range graph {
		if len(n.Types) == 0 || parts[n] {
			continue
		}
		reach(n, parts)
		if !slices.Contains(unread, n.Types[0]) {
			unread = append(unread, n.Types[0])
		}
	}
	m := b.page.meta
	described, err := structured.ReadPageState(ctx, b.page.in.Root, b.page.in.URL, m.Title, m.OGTitle)
	if err != nil {
		return embedding{}, err
	}
	state := newDataWriter(ctx, described.Source)
	state.pageState(described)
	from := &linked
	others := 0
	if state.runes > linked.runes {
		from, others = &state, described.Others
	}
	e := embedding{root: from.root, source: from.source, left: from.left, cut: from.cut, unread: unread, broken: b.page.structured().Broken(), others: others}
	if from.root.FirstChild == nil {
		e.root = nil
	}
	return e, nil
}

// reach adds n, and all nodes to which it refers, to parts.
func reach(n *structured.Node, parts map[*structured.Node]bool) {
	for next := []*structured.Node{n}; len(next) > 0; {
		n, next = next[len(next)-1], next[:len(next)-1]
		if parts[n] {
			continue
		}
		parts[n] = true
		for _, p := range n.Props {
			for _, v := range p.Values {
				if v.Node != nil {
					next = append(next, v.Node)
				}
			}
		}
	}
}

// newDataWriter returns a writer for data of the kind source.
func newDataWriter(ctx context.Context, source string) dataWriter {
	root := &html.Node{Type: html.ElementNode, Data: "article", DataAtom: atom.Article, Attr: []html.Attribute{{Key: "data-source", Val: source}}}
	return dataWriter{ctx: ctx, root: root, source: source, links: map[*structured.Node]string{}}
}

// A dataWriter writes structured data as elements.
type dataWriter struct {
	ctx    context.Context //nolint:containedctx // it lives as long as a call
	root   *html.Node
	source string // kind of data
	runes  int    // of all texts
	fields int
	left   int // texts beyond the limits
	cut    int // texts that are cut
	titled bool
	links  map[*structured.Node]string // where the items of lists lead
	href   string                      // where the next text leads
}

// add adds an element with a text, which may have markup.
func (w *dataWriter) add(tag atom.Atom, text string) {
	text = strings.TrimSpace(text)
	if text == "" {
		return
	}
	if w.fields >= maxSaid {
		w.left++
		return
	}
	w.fields++
	if len(text) >= structured.Longest-utf8.UTFMax {
		w.cut++
	}
	if strings.ContainsAny(text, "<&") {
		if doc, err := dom.Parse(w.ctx, []byte(text), "text/html; charset=utf-8"); err == nil {
			text = w.plain(doc.Root)
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		tag := tag
		if line != "" && line[0] == headed {
			tag = atom.H2
		}
		line = strings.TrimSpace(strings.Map(func(r rune) rune {
			if unicode.IsControl(r) {
				return ' ' // JSON can contain control characters, HTML cannot
			}
			return r
		}, line))
		if line == "" {
			continue
		}
		e := &html.Node{Type: html.ElementNode, Data: tag.String(), DataAtom: tag}
		w.root.AppendChild(e)
		if w.href != "" {
			a := &html.Node{Type: html.ElementNode, Data: "a", DataAtom: atom.A, Attr: []html.Attribute{{Key: "href", Val: w.href}}}
			e.AppendChild(a)
			e = a
		}
		e.AppendChild(&html.Node{Type: html.TextNode, Data: line})
		w.runes += utf8.RuneCountInString(line)
	}
}

// headed begins a line that is a heading.
const headed = '\x01'

// plain returns the text below root, without scripts and style sheets, with line breaks
// between paragraphs. A heading begins with headed.
func (w *dataWriter) plain(root *html.Node) string {
	var b strings.Builder
	end := root // the node after the last heading
	for n := dom.Next(root, root); n != nil; n = dom.Next(n, root) {
		if n == end {
			b.WriteByte('\n')
		}
		switch {
		case n.Type == html.TextNode && n.Parent.DataAtom != atom.Script && n.Parent.DataAtom != atom.Style:
			b.WriteString(n.Data)
		case isHeading(n):
			b.WriteString("\n" + string(headed))
			end = dom.After(n, root)
		case n.DataAtom == atom.P || n.DataAtom == atom.Br || n.DataAtom == atom.Li || n.DataAtom == atom.Div:
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// title adds the name of an item. The first is the title of the page.
func (w *dataWriter) title(text string) {
	if w.titled {
		w.add(atom.H2, text)
		return
	}
	w.titled = strings.TrimSpace(text) != ""
	w.add(atom.H1, text)
}

// steps adds the instructions of a recipe. Sections have steps, and a step may have steps in place of a text. It adds each
// of them to said, and none twice.
func (w *dataWriter) steps(all []structured.Value, said map[*structured.Node]bool) {
	for i, s := range all {
		text := s.Text
		if n := s.Node; n != nil {
			if said[n] {
				continue
			}
			said[n] = true
			text = n.Text("text", "name")
			if inner := n.Values("itemListElement"); len(inner) > 0 && n.Text("text") == "" {
				w.add(atom.H2, text)
				w.steps(inner, said)
				continue
			}
		}
		w.nth(i, text)
	}
}

// pageState adds what the state of the scripts says about the page.
func (w *dataWriter) pageState(t *structured.PageState) {
	if len(t.Texts)+len(t.Items) == 0 {
		return
	}
	w.title(t.Title)
	w.add(atom.P, t.Price)
	for _, text := range t.Texts {
		w.add(atom.P, text)
	}
	for _, text := range t.Items {
		w.add(atom.P, text)
	}
	w.left += t.Left
}

// Kinds of items with more content than a title and texts, by their place in itemKinds.
const (
	productItem   = 1
	recipeItem    = 2
	questionsItem = 4
	listItem      = 5
	workItem      = 7
)

// An itemKind names types of schema.org, the property with the title of such an item, and the properties with its texts.
// A bar divides alternatives: "headline|name" is the headline, or the name if the item has no headline.
type itemKind struct{ types, title, texts string }

// itemKinds are the kinds of items that have content.
var itemKinds = [...]itemKind{
	{"Article NewsArticle BlogPosting TechArticle Report SocialMediaPosting DiscussionForumPosting", "headline|name", "description articleBody|text"},
	{"Product ProductGroup", "name", "description"},
	{"Recipe", "name", "description"},
	{"Event MusicEvent SportsEvent TheaterEvent BusinessEvent EducationEvent Festival", "name", "startDate location description"},
	{"FAQPage", "name|headline", ""},
	{"ItemList", "name", ""},
	{"JobPosting", "title|name", "hiringOrganization jobLocation employmentType datePosted validThrough description"},
	{"Book Movie Course SoftwareApplication MobileApplication WebApplication Dataset VideoObject PodcastEpisode Service", "name|headline", "author|creator datePublished|uploadDate description text|transcript"},
}

// item adds the content of an item to the article, and that item to said. It reports
// whether the type of the item is one that has content.
func (w *dataWriter) item(n *structured.Node, said map[*structured.Node]bool) bool {
	kind := slices.IndexFunc(itemKinds[:], func(k itemKind) bool { return n.Is(strings.Fields(k.types)...) })
	if kind < 0 {
		return false
	}
	if kind == listItem && n.Text("name") == "" {
		w.titled = true // none of its items is the title
	}
	w.href = w.links[n]
	w.title(n.Text(strings.Split(itemKinds[kind].title, "|")...))
	w.href = ""
	for names := range strings.FieldsSeq(itemKinds[kind].texts) {
		w.add(atom.P, told(n, strings.Split(names, "|")))
	}
	switch kind {
	case productItem:
		for i, o := range n.Nodes("offers") {
			said[o] = true
			if price := o.Text("price", "lowPrice"); price != "" {
				w.nth(i, strings.TrimSpace(o.Text("name")+" "+price+" "+o.Text("priceCurrency")))
			}
		}
	case recipeItem:
		for i, s := range n.Texts("recipeIngredient", "ingredients") {
			w.nth(i, s)
		}
		w.steps(n.Values("recipeInstructions"), said)
	case questionsItem:
		for _, q := range n.Nodes("mainEntity") {
			w.add(atom.H2, q.Text("name"))
			for _, a := range q.Nodes("acceptedAnswer") {
				w.add(atom.P, a.Text("text"))
			}
		}
	case listItem:
		for _, e := range n.Nodes("itemListElement") {
			of := e
			if inner := e.Nodes("item"); len(inner) > 0 {
				of = inner[0]
			}
			url := cmp.Or(e.Text("url"), of.Text("url"))
			if !said[of] && of.Is("ListItem", "Thing", "WebPage") || len(of.Types) == 0 {
				w.href = url
				w.add(atom.P, cmp.Or(of.Text("name"), e.Text("name"), url))
				w.href = ""
			} else {
				w.links[of] = url
			}
		}
	}
	return true
}

// told returns the first text of properties of n. If they are items without a name, such as a place with an address, it
// returns the texts in them, separated by commas.
func told(n *structured.Node, names []string) string {
	const deepest = 3
	if text := n.Text(names...); text != "" {
		return text
	}
	var texts []string
	for _, inner := range n.Nodes(names...) {
		texts = parts(inner, texts, deepest)
	}
	return strings.Join(texts, ", ")
}

// parts appends the texts in n and in the items without a name to which it refers, up to so many levels deep.
func parts(n *structured.Node, texts []string, levels int) []string {
	const most = 20
	for _, p := range n.Props {
		for _, v := range p.Values {
			switch text := v.String(); {
			case len(texts) >= most:
				return texts
			case text != "":
				texts = append(texts, text)
			case v.Node != nil && levels > 0:
				texts = parts(v.Node, texts, levels-1)
			}
		}
	}
	return texts
}

// nth adds the text with index i of an item as a paragraph. A text beyond the limit is
// only counted.
func (w *dataWriter) nth(i int, text string) {
	if i >= maxEmbedded {
		w.left++
		return
	}
	w.add(atom.P, text)
}
