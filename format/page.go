// SPDX-License-Identifier: Apache-2.0

package format

import (
	"context"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/format/internal/calendar"
	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/structured"
	"example.com/curlew/internal/weburl"
)

// A page holds what the forms read of an Input. Each value is computed once,
// and only from Input.Root, which never changes, so the order of the forms does
// not matter to it. The copy is the page's own: the forms that change it undo
// their changes, except Markdown, which is made after all others that read it.
type page struct {
	ctx   context.Context //nolint:containedctx // it lives as long as a call
	steps dom.Steps       // ends work that has no limit of its own by a panic, once ctx has ended
	in    *Input
	arena *arena

	meta   *Metadata // the Document's; redacted before the first form is made
	base   base
	images []string          // absolute URLs of images in the metadata
	icons  []string          // absolute URLs
	graph  *structured.Graph // nil until structured is called

	view  *view      // nil if no form needs it
	copy  projection // of the view
	data  *html.Node // an article with the content of embedded data, if the page is empty without its scripts
	prose []string   // sentences; nil until sentences is called
	dates *allDates  // nil until days.orderOf is called

	lists map[*html.Node]atom.Atom // see isEntry
}

// read fills in the metadata and the base URL.
func (pg *page) read() {
	pg.readResponse()
	pg.findMarks()
	pg.base = pg.findBase()
	pg.readPage()
}

// structured returns the structured data of the page. Documents that are not
// web pages have none.
func (pg *page) structured() *structured.Graph {
	if pg.graph == nil {
		root := pg.in.Root
		if pg.in.NotWeb {
			root = nil
		}
		pg.graph = structured.New(pg.ctx, root)
	}
	return pg.graph
}

// isText reports whether the Input is text rather than a tree. Its Markdown, and the
// forms that are made of text, are then read from Input.Raw.
func (pg *page) isText() bool { return pg.in.Verbatim || pg.in.Lang != "" }

// hasPages reports whether the document has pages that Options can show.
func hasPages(in *Input) bool { return in.PageStatus != nil && in.Root != nil }

// spaces is HTML's ASCII white space.
const spaces = " \t\n\r\f"

// A base resolves the references of a page.
type base struct {
	url weburl.URL
	enc weburl.Encoder // encodes queries; nil means UTF-8
}

// findMarks finds the elements with metadata.
func (pg *page) findMarks() {
	m := &pg.arena.marks
	for n := pg.in.Root; n != nil; n = dom.Next(n, pg.in.Root) {
		pg.steps.Take(1)
		if n.Type != html.ElementNode {
			continue
		}
		if (n.DataAtom == atom.H1 || bylineKind(n)) && len(m.bylines) < maxBylines {
			m.bylines = append(m.bylines, n)
		}
		switch n.DataAtom {
		case atom.Base:
			m.bases = append(m.bases, n)
		case atom.Html, atom.Title, atom.H1, atom.Link, atom.Meta:
			m.about = append(m.about, n)
		case atom.H2:
			if len(m.second) < maxHeadings {
				m.second = append(m.second, n)
			}
		case atom.Time:
			m.times = append(m.times, n)
		}
	}
}

// findBase returns the base for references: the href of the first base element that has
// one, resolved against the URL of the page. If there is none, or if it is invalid, it
// is the URL of the page, which may be empty.
func (pg *page) findBase() base {
	page, err := weburl.Parse(pg.in.URL)
	if err != nil {
		page = weburl.URL{}
	}
	var enc weburl.Encoder
	if pg.in.Charset != "" {
		enc = dom.Encoder(pg.in.Charset)
	}
	if pg.in.Root == nil || pg.in.NotWeb {
		return base{page, enc}
	}
	for _, n := range pg.arena.marks.bases {
		href := strings.Trim(dom.Attr(n, "href"), spaces)
		if href == "" {
			continue
		}
		u, err := weburl.Parse(href)
		if !page.IsZero() {
			u, err = page.Resolve(href)
		}
		if err == nil {
			return base{u, enc}
		}
		break // only the first one counts, even if it is invalid
	}
	return base{page, enc}
}

// page returns the base URL without its fragment, with which references into the page
// itself begin. It returns "" if there is no base.
func (b base) page() string {
	if b.url.IsZero() {
		return ""
	}
	page, _, _ := strings.Cut(b.url.String(), "#")
	return page
}

// resolve returns ref as an absolute URL in WHATWG form. If ref has another scheme
// than http and https, or cannot be resolved, it returns ref without the white
// space around it.
func (b base) resolve(ref string) string {
	ref = strings.Trim(ref, spaces)
	switch scheme(ref) {
	case "", "http", "https":
	default:
		return ref
	}
	if b.url.IsZero() || ref == "" {
		return ref
	}
	u, err := b.url.LinkIn(ref, b.enc)
	if err != nil {
		return ref
	}
	return u.String()
}

// scheme returns the scheme of ref in lower case, at most twelve characters of
// it. Like browsers, it ignores control characters and white space. It is empty
// if ref has no scheme.
func scheme(ref string) string {
	var b [12]byte
	n := 0
	for i := range len(ref) {
		c := ref[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		switch {
		case c <= ' ':
		case c == ':':
			switch string(b[:n]) { // constants need no allocation
			case "http":
				return "http"
			case "https":
				return "https"
			}
			return string(b[:n])
		case !letter && (n == 0 || c != '+' && c != '-' && c != '.' && (c < '0' || c > '9')):
			return ""
		case n < len(b):
			b[n] = c | 0x20
			n++
		}
	}
	return ""
}

// isAside reports whether an element stands in comments, in the navigation or beside
// the content. An element that contains the heading of the page is none of these,
// whatever its name is, and the footer of an article is part of the article.
func (pg *page) isAside(n *html.Node) bool {
	footer := false
	for up, steps := n, 0; up != nil && steps < 16; up, steps = up.Parent, steps+1 {
		if slices.Contains(pg.aroundHeading(), up) {
			for ; up != nil && footer; up = up.Parent {
				footer = up.DataAtom != atom.Article
			}
			return footer
		}
		switch up.DataAtom {
		case atom.Aside, atom.Nav:
			if up != n {
				return true
			}
		case atom.Footer:
			footer = footer || up != n
		case atom.Article:
			footer = false
		}
		if isNamed(up, "sidebar") || isOther(up) || pg.isEntry(up) {
			return true
		}
	}
	return footer
}

// isHome reports whether the page is the first one of its site and does not call itself an article: the dates and
// names that it shows belong to what it leads to.
func (pg *page) isHome() bool {
	_, rest, _ := strings.Cut(pg.in.URL, "://")
	_, path, _ := strings.Cut(rest, "/")
	g := pg.structured()
	return strings.TrimSuffix(path, "index.html") == "" && rest != "" && g.Meta("og:type") != "article" && !slices.ContainsFunc(g.Linked(), isArticle)
}

// isEntry reports whether an element is an entry of a list of other pages: one of three children of an element with
// the same tag, each with another heading that is a link to elsewhere. The headings of posts of a thread repeat its title, or are dates.
func (pg *page) isEntry(n *html.Node) bool {
	const least, most = 3, 32
	list := n.Parent
	if list == nil || n.DataAtom == atom.Body {
		return false
	}
	tag, known := pg.lists[list]
	if !known {
		var titles []string
		kids := 0
		for c := range list.ChildNodes() {
			if kids++; kids > 2*most || len(titles) == least {
				break
			}
			title := entryTitle(c)
			if title == "" || slices.Contains(titles, title) || tag != 0 && c.DataAtom != tag {
				continue
			}
			tag, titles = c.DataAtom, append(titles, title)
		}
		if len(titles) < least {
			tag = 0
		}
		if pg.lists == nil {
			pg.lists = map[*html.Node]atom.Atom{}
		}
		pg.lists[list] = tag
	}
	return tag != 0 && n.DataAtom == tag && entryTitle(n) != ""
}

// entryTitle returns the text of the first heading below n, without "Re:", if it is a link to another page, or "".
func entryTitle(n *html.Node) string {
	const most = 64 // nodes
	steps := 0
	for d := dom.Next(n, n); d != nil; d = dom.Next(d, n) {
		if steps++; steps > most {
			break
		}
		if d.Type == html.ElementNode && d.DataAtom != atom.H1 && isHeading(d) {
			text := strings.ToLower(clean(cut(textOf(d), 512)))
			if !leadsAway(d, n) || calendar.Find(cut(text, maxDateText)).Day != "" {
				return ""
			}
			return strings.TrimSpace(strings.TrimPrefix(text, "re:"))
		}
	}
	return ""
}

// leadsAway reports whether a heading below root is in a link to another page or has one.
func leadsAway(heading, root *html.Node) bool {
	const most = 8 // nodes
	for up := heading; up != root.Parent; up = up.Parent {
		if isAway(up) {
			return true
		}
	}
	steps := 0
	for d := dom.Next(heading, heading); d != nil; d = dom.Next(d, heading) {
		if steps++; steps > most {
			break
		}
		if isAway(d) {
			return true
		}
	}
	return false
}

// isAway reports whether n is a link that does not lead to a place on the same page.
func isAway(n *html.Node) bool {
	href := dom.Attr(n, "href")
	return n.DataAtom == atom.A && href != "" && href[0] != '#'
}

// isAmongOthers is like isAside, but is false beside the content, where some pages state
// facts about it.
func (pg *page) isAmongOthers(n *html.Node) bool {
	for up, steps := n, 0; up != nil && steps < 16 && !slices.Contains(pg.aroundHeading(), up); up, steps = up.Parent, steps+1 {
		if up.DataAtom == atom.Nav || isOther(up) || pg.isEntry(up) {
			return true
		}
	}
	return false
}

// isOther reports whether the names of an element say that it contains comments or other
// articles.
func isOther(n *html.Node) bool {
	return isNamed(n, "comment", "related", "recommend", "review", "latest", "popular", "trending")
}

// isNamed reports whether one of the words is in the class or the id of an element within
// the body.
func isNamed(n *html.Node, words ...string) bool {
	if n.DataAtom == atom.Body || n.DataAtom == atom.Html {
		return false
	}
	for _, a := range n.Attr {
		if a.Key != "class" && a.Key != "id" {
			continue
		}
		v := strings.ToLower(a.Val)
		if slices.ContainsFunc(words, func(word string) bool { return strings.Contains(v, word) }) {
			return true
		}
	}
	return false
}

// aroundHeading returns the elements around the first h1 that is neither in an aside nor in
// the navigation or a footer, or else around the first h2 that is not, the innermost first.
func (pg *page) aroundHeading() []*html.Node {
	m := &pg.arena.marks
	if len(m.around) > 0 {
		return m.around
	}
	for _, n := range m.bylines {
		if n.DataAtom == atom.H1 && m.addAround(n) {
			return m.around
		}
	}
	if slices.ContainsFunc(m.second, m.addAround) {
		return m.around
	}
	m.around = append(m.around, pg.in.Root)
	return m.around
}

// addAround adds the elements around a heading, the innermost first, and reports whether it
// did. It does not if the heading is in an aside, in the navigation or in a footer.
func (m *marks) addAround(heading *html.Node) bool {
	const most = 64
	inMain := false // an element around main that nobody closed is not an aside
	for up := heading.Parent; up != nil && len(m.around) < most; up = up.Parent {
		inMain = inMain || up.DataAtom == atom.Main
		if !inMain && (up.DataAtom == atom.Aside || up.DataAtom == atom.Nav || up.DataAtom == atom.Footer) {
			m.around = m.around[:0]
			return false
		}
		m.around = append(m.around, up)
	}
	return len(m.around) > 0
}

// successor returns the URL of another page to which a meta element sends browsers, or "".
func (pg *page) successor() string {
	if pg.in.Root == nil {
		return ""
	}
	for n := dom.Next(pg.in.Root, pg.in.Root); n != nil; n = dom.Next(n, pg.in.Root) {
		if n.DataAtom != atom.Meta || !strings.EqualFold(dom.Attr(n, "http-equiv"), "refresh") || n.Parent.DataAtom == atom.Noscript {
			continue
		}
		if ref, ok := weburl.Refresh(dom.Attr(n, "content")); ok {
			if url := pg.base.resolve(ref); url != pg.base.page() && (scheme(url) == "http" || scheme(url) == "https" || scheme(url) == "" && pg.in.URL == "") {
				return url
			}
		}
	}
	return ""
}
