// SPDX-License-Identifier: Apache-2.0

package format

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/structured"
)

// Limits of the search for an author.
const (
	maxAuthors     = 8  // of one page
	maxAuthorName  = 80 // characters
	maxBylines     = 64 // elements that may be bylines
	closeToHeading = 80 // nodes
	maxHeadings    = 5  // first ones of a page that may be its heading, because others may be the name of the site
)

// authors looks for the authors of a page.
type authors struct{ *page }

// find fills in the author. A name after "By" that readers see just below the
// heading comes first, because the authors that pages state for programs are often those
// who have uploaded the page. Next is a meta element that names an author in two
// words or more: its value stays as written, without repetitions. Otherwise find reads
// JSON-LD, microdata, other meta elements, the meta element with one word, and
// bylines, in this order. Structured data comes first because the meta elements of
// many pages have a URL or the name of an account. The name of the site is an author only
// if there is no other. The property dc:creator counts as the meta element, and comes before it.
// If the page states no author or only a name of one word, a name beside the heading may be the
// author. Several authors are joined by ", ". An author from a byline or beside the heading is marked
// as a guess.
func (pg authors) find() error {
	m := pg.meta
	if pg.in.Root == nil || pg.in.NotWeb {
		return nil
	}
	if creator := m.Extra["dc:creator"]; authorName(creator) != "" {
		pg.setAuthor(false, creator)
	}
	meta := m.Extra["author"]
	names, organized := pg.dataAuthors()
	if name := pg.signedBelow(names); name != "" {
		pg.setAuthor(true, name)
		return nil
	}
	sited := meta != "" && strings.EqualFold(meta, m.OGSiteName)
	if strings.Contains(authorName(meta), " ") && !sited {
		var names []string
		for name := range strings.SplitSeq(meta, ", ") {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		pg.setStated(strings.Join(names, ", "), names)
		return nil
	}
	if len(names) == 0 {
		name := pg.metaAuthor()
		if name == "" && !sited {
			name = authorName(meta)
		}
		if name != "" {
			names = []string{name}
		}
	}
	stated := strings.Join(names, ", ")
	switch {
	case len(names) == 0 && !sited:
		pg.setAuthor(true, cmp.Or(pg.byline(stated), pg.unmarked(stated)))
		return nil
	case organized, sited && len(names) == 0: // the byline may name a person
		name := pg.byline(stated)
		if !strings.Contains(name, " ") && (name == "" || name != pg.signature(closeToHeading)) {
			name = ""
		}
		if name != "" {
			pg.setAuthor(true, name)
			return nil
		}
	case !strings.Contains(stated, " "): // the name of an account, or only a first name
		if name := pg.unmarked(stated); name != "" {
			pg.setAuthor(true, name)
			return nil
		}
	}
	pg.setStated(stated, names)
	return nil
}

// signedBelow returns the authors that a text just below the heading names after "By", unless
// the author of the meta element or names contain them. Otherwise it returns "".
func (pg authors) signedBelow(names []string) string {
	name := pg.signature(closeToHeading)
	if !isFullName(name) || strings.Contains(pg.meta.Extra["author"], name) || slices.Contains(names, name) {
		return ""
	}
	if all := pg.byline(""); strings.Contains(all, name) {
		return all
	}
	return name
}

// setAuthor stores the author, if it is not empty, in place of any other.
func (pg authors) setAuthor(guessed bool, author string) {
	m := pg.meta
	if author == "" {
		return
	}
	delete(m.Extra, "author")
	m.addExtra("author", author)
	if guessed && m.Extra["author"] != "" { // Extra may be full
		m.Guessed = append(m.Guessed, "author")
	}
}

// setStated stores the authors that the page states for programs. If it states only one and
// its byline has further names after this one, they are authors too.
func (pg authors) setStated(stated string, names []string) {
	if len(names) == 1 && isFullName(stated) {
		if all := pg.coauthors(stated); len(all) > 1 {
			pg.setAuthor(true, strings.Join(all, ", "))
			return
		}
	}
	if authorName(pg.meta.Extra["author"]) != stated || len(names) > 1 {
		pg.setAuthor(false, stated)
	}
}

// metaAuthor returns the author in a meta element that is not named "author", or "".
func (pg authors) metaAuthor() string {
	m := pg.meta
	for _, key := range authorKeys {
		if name := authorName(m.Extra[key]); name != "" {
			return name
		}
	}
	// Twitter cards state further facts as pairs of a label and a value.
	for _, n := range []string{"1", "2", "3"} {
		switch strings.ToLower(m.Extra["twitter:label"+n]) {
		case "written by", "author", "by", "posted by":
			return authorName(m.Extra["twitter:data"+n])
		}
	}
	return ""
}

// authorKeys are names of meta elements that name an author.
var authorKeys = []string{
	"article:author", "og:article:author", "parsely-author", "sailthru.author", "cXenseParse:author", "dc.creator", "DC.creator", "DC.Creator", "dcterms.creator", "citation_author",
}

// dataAuthors returns the authors that structured data name, and whether all of
// them are organizations. Articles come before other pages, JSON-LD before
// microdata.
func (pg authors) dataAuthors() (names []string, organized bool) {
	g := pg.structured()
	for _, nodes := range [][]*structured.Node{g.Linked(), g.Micro()} {
		for _, articles := range []bool{true, false} {
			for _, n := range nodes {
				if isArticle(n) != articles || !articles && !n.Is("WebPage", "ItemPage", "CreativeWork", "Question", "AboutPage") {
					continue
				}
				if names, organized = authorsOf(n, pg.meta.OGSiteName); len(names) > 0 {
					return names, organized
				}
			}
		}
	}
	return nil, false
}

// authorsOf returns the authors of n, and whether all of them are organizations or
// have the name of the site.
func authorsOf(n *structured.Node, site string) (names []string, organized bool) {
	organized = true
	for _, v := range slices.Concat(n.Values("author"), n.Values("creator")) {
		text, person := v.Text, true
		if v.Node != nil {
			text, person = v.Node.Text("name"), !slices.ContainsFunc(v.Node.Types, isOrganization)
		}
		if name := authorName(text); name != "" && len(names) < maxAuthors && !slices.Contains(names, name) {
			names = append(names, name)
			organized = organized && (!person || name == site)
		}
	}
	return names, organized
}

// isOrganization reports whether a schema.org type means an organization.
func isOrganization(kind string) bool {
	return strings.HasSuffix(kind, "Organization") || strings.HasSuffix(kind, "Corporation") || strings.HasSuffix(kind, "Brand")
}

// byline returns the author that an element near the heading names, but not the
// stated one if it is an organization, or "".
func (pg authors) byline(stated string) string {
	if pg.isHome() {
		return ""
	}
	first, after := "", false
	var org *html.Node // the last byline that names the stated organization
	for _, n := range pg.arena.marks.bylines {
		pg.steps.Take(1)
		if n.DataAtom == atom.H1 {
			after = true
			continue
		}
		if pg.isAside(n) {
			continue
		}
		name := nameIn(n)
		switch {
		case name == "":
		case strings.EqualFold(name, stated):
			org = n
		case org != nil && !areTogether(org, n):
		case after:
			return name
		default:
			first = cmp.Or(first, name)
		}
	}
	const far = 400 // nodes
	return cmp.Or(first, pg.signature(far), pg.credit())
}

// areTogether reports whether two elements are in entries of the same list of authors.
func areTogether(a, b *html.Node) bool {
	const most = 3 // ancestors
	up := b
	for range most {
		if up = up.Parent; up == nil {
			return false
		}
		for n, steps := a, 0; n != nil && steps <= most; n, steps = n.Parent, steps+1 {
			if n == up {
				return true
			}
		}
	}
	return false
}

// isLinked reports whether a heading is in a link or begins with one.
func isLinked(heading *html.Node) bool {
	first := heading.FirstChild
	for first != nil && first.Type != html.ElementNode {
		first = first.NextSibling
	}
	return heading.Parent != nil && heading.Parent.DataAtom == atom.A || first != nil && first.DataAtom == atom.A
}

// firstHeading returns the first h1 that is in the title, because others may be the name of the
// site, or else the first h1, or the first h2 if there is no h1. It returns nil if there is neither, and on the first
// page of a site.
func (pg authors) firstHeading() *html.Node {
	if pg.isHome() {
		return nil
	}
	m := &pg.arena.marks
	var first *html.Node
	headings := 0
	for _, n := range m.bylines {
		if n.DataAtom != atom.H1 || headings == maxHeadings {
			continue
		}
		headings++
		if isInTitle(pg.page, n) {
			return n
		}
		if first == nil {
			first = n
		}
	}
	if first != nil {
		return first
	}
	if len(m.second) > 0 {
		return m.second[0]
	}
	return nil
}

// signature returns the name in the first text after the heading that begins with
// "By", or "". It looks at so many nodes as within says.
func (pg authors) signature(within int) string {
	n := pg.firstHeading()
	if n == nil {
		return ""
	}
	headings := 0
	for range within {
		if n = dom.Next(n, pg.in.Root); n == nil {
			break
		}
		if isHeading(n) && !strings.HasPrefix(strings.ToLower(strings.TrimLeft(textOf(n), spaces)), "by") {
			// A subtitle may stand between the heading and the byline. A heading with a link
			// begins the first entry of a list.
			if headings++; headings > 1 && within <= closeToHeading || isLinked(n) && !isInTitle(pg.page, n) {
				break
			}
		}
		if n.Type != html.TextNode || len(n.Data) > 200 || n.Parent == nil || n.Parent.DataAtom == atom.Script || n.Parent.DataAtom == atom.Style {
			continue
		}
		pg.steps.Take(1)
		if name, found := pg.signed(n, signatureLeads); found {
			return name
		}
	}
	return ""
}

// signed returns the name after one of the leads in the text n, or in the next text if n is
// only a lead. found is true if n has a lead that something follows, even if this is no name.
func (pg authors) signed(n *html.Node, leads []string) (name string, found bool) {
	text := strings.TrimLeft(n.Data, spaces)
	for _, lead := range leads {
		if len(text) < len(lead) || !strings.EqualFold(text[:len(lead)], lead) {
			continue
		}
		rest := clean(text[len(lead):])
		switch {
		case isReview(n.PrevSibling), isInSentence(n):
		case rest == "":
			if name, found := pg.nameAfter(n); found {
				return name, true
			}
		case strings.Contains(spaces, text[len(lead):len(lead)+1]):
			if name := capitalized(authorName(rest)); name != "" {
				return name, true
			}
			const alone = 40                                                                                     // bytes; longer texts are sentences
			if lead == "by" && len(rest) > 2 && !strings.Contains(rest, " ") && len(textOf(n.Parent)) <= alone { // the name of an account
				return authorName(rest), true
			}
		}
	}
	return "", false
}

// nameAfter returns the name in the first text after n, which is a lead. found is true if
// there is a text, or a question for one, even if this is no name.
func (pg authors) nameAfter(n *html.Node) (name string, found bool) {
	const within = 8 // nodes
	for range within {
		switch n = dom.Next(n, pg.in.Root); {
		case n == nil:
			return "", false
		case n.DataAtom == atom.Form || n.DataAtom == atom.Label: // not a name, but a question for one
			return "", true
		case n.Type == html.TextNode && strings.Trim(n.Data, spaces+":") != "":
			name := authorName(n.Data)
			if !strings.Contains(name, " ") && n.Parent != nil && bylineKind(n.Parent) { // the name of an account
				return name, true
			}
			return capitalized(name), true
		}
	}
	return "", false
}

// isInSentence reports whether n, which is "by" or the like or begins with it, is in the middle of a paragraph.
func isInSentence(n *html.Node) bool {
	const longest = 200 // bytes of a byline
	return n.PrevSibling != nil && n.Parent != nil && len(textOf(n.Parent)) > longest
}

// isReview reports whether n, before "by", names something else that people do with a text
// than to write it, as in "Reviewed by".
func isReview(n *html.Node) bool {
	if n == nil {
		return false
	}
	text := strings.ToLower(clean(cut(textOf(n), 64)))
	for _, work := range []string{"reviewed", "edited", "checked", "photos", "photographs", "photography", "illustrated", "illustrations", "translated"} {
		if strings.HasSuffix(text, work) {
			return true
		}
	}
	return false
}

// creditLeads are texts before the name of an author that say so anywhere on a page, in
// lower case.
var creditLeads = []string{
	"this post was written by", "this article was written by", "this guide was written by", "this blog was written by", "this post is written by",
	"written by", "written by:", "words by", "article by", "article by:", "article written by:",
}

// credit returns the name in the first text of the page that credits an author, such as
// "This post was written by Ada Byron", or "".
func (pg authors) credit() string {
	const most = 20_000 // nodes
	n := pg.in.Root
	for range most {
		if n = dom.Next(n, pg.in.Root); n == nil {
			break
		}
		pg.steps.Take(1)
		if n.Type != html.TextNode || len(n.Data) > 400 || n.Parent == nil || n.Parent.DataAtom == atom.Script || n.Parent.DataAtom == atom.Style {
			continue
		}
		if name, _ := pg.signed(n, creditLeads); strings.Contains(name, " ") && !pg.isAmongOthers(n) {
			return name
		}
	}
	return ""
}

// signatureLeads are texts before the name of an author, in lower case.
var signatureLeads = []string{
	"by", "by:", "written by", "written by:", "posted by", "article by", "article by:", "words by", "author", "author:", "author(s)", "author(s):",
	"authors", "authors:", "contributor:", "contributors:", "started by", "autor:", "par", "von",
}

// nameIn returns the names in a byline, joined by ", ": the first text that is a name,
// and the names that follow it after "and", "&" or a comma, in the same kind of element.
func nameIn(n *html.Node) string {
	if name := authorName(cmp.Or(dom.Attr(n, "data-author"), dom.Attr(n, "author"))); name != "" {
		return name
	}
	var texts []string
	var in [12]atom.Atom // the element around each text
	for c := n.FirstChild; c != nil && len(texts) < len(in); c = dom.Next(c, n) {
		if c.Type != html.TextNode || c.Parent.DataAtom == atom.Script || c.Parent.DataAtom == atom.Style {
			continue
		}
		if text := clean(cut(c.Data, 512)); strings.ContainsAny(text, "$€£¥") {
			return "" // a line below a price
		} else if text != "" {
			in[len(texts)] = c.Parent.DataAtom
			texts = append(texts, text)
		}
	}
	for i, text := range texts {
		name := authorName(text)
		if name == "" {
			continue
		}
		for i+2 < len(texts) && (texts[i+1] == "and" || texts[i+1] == "&" || texts[i+1] == ",") && in[i] == in[i+2] {
			if next := authorName(texts[i+2]); next != "" {
				name += ", " + next
			}
			i += 2
		}
		return name
	}
	return ""
}

// bylineKind reports whether an element may be a byline: its attributes call it an
// author. The classes of a body are about the page, such as "single-author".
func bylineKind(n *html.Node) bool {
	if n.DataAtom == atom.Body {
		return false
	}
	if n.DataAtom == atom.Dt && n.Parent != nil && n.Parent.Parent != nil {
		// Forums of phpBB and FluxBB have the author of a post in a list of facts about the author.
		return hasWord(dom.Attr(n.Parent, "class"), "postprofile") || hasWord(dom.Attr(n.Parent.Parent, "class"), "postleft")
	}
	for i := range n.Attr {
		switch a := &n.Attr[i]; a.Key {
		case "rel":
			if hasWord(a.Val, "author") {
				return true
			}
		case "itemprop":
			if a.Val == "author" || a.Val == "creator" {
				return true
			}
		case "data-author":
			return a.Val != ""
		case "author": // of a custom element
			return n.DataAtom == 0 && strings.Contains(n.Data, "-") && a.Val != ""
		case "href":
			if n.DataAtom == atom.A && isAuthorPath(a.Val) {
				return true
			}
		case "class", "data-testid":
			if isAuthorClass(a.Val) {
				return true
			}
		}
	}
	return false
}

// isAuthorPath reports whether a URL belongs to one author: its path has the segment
// "author" or "authors" and another segment after it.
func isAuthorPath(href string) bool {
	_, after, ok := strings.Cut(href, "/author")
	if !ok {
		return false
	}
	name := strings.TrimPrefix(after, "s")
	return len(name) > 1 && name[0] == '/' && name[1] != '?' && name[1] != '#'
}

// isAuthorClass reports whether one of the classes is usual for the name of an author.
func isAuthorClass(class string) bool {
	if !strings.Contains(class, "uthor") && !strings.Contains(class, "sername") && !strings.Contains(class, "ser-name") && !strings.Contains(class, "yline") && !strings.Contains(class, "AUTHOR") {
		return false
	}
	for word := range strings.FieldsSeq(strings.ToLower(class)) {
		switch word = strings.ReplaceAll(strings.ReplaceAll(word, "--", "-"), "_", "-"); word {
		case "author", "byline", "username", "bigusername", "by-author", "post-author", "entry-author", "article-author", "p-author", "byline-name":
			return true
		}
		if at := strings.Index(word, "author"); at >= 0 && strings.Contains(word[at:], "name") || strings.HasSuffix(word, "-author") ||
			strings.HasPrefix(word, "author-author-") || strings.HasSuffix(word, "user-name") ||
			strings.HasSuffix(word, "byline") || strings.Contains(word, "byline-author") || strings.HasSuffix(word, "author-link") {
			return true
		}
	}
	return false
}
