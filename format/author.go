// SPDX-License-Identifier: Apache-2.0

package format

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/structured"
)

// Limits of the search for an author.
const (
	maxAuthors    = 8  // of one page
	maxAuthorName = 80 // characters
	maxBylines    = 64 // elements that may be bylines
	maxHeadings   = 5  // first ones of a page that may be its heading, because others may be the name of the site
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
// if there is no other. Several authors are joined by ", ". An author from a byline is
// marked as a guess.
func (pg authors) find() error {
	m := pg.meta
	if pg.in.Root == nil || pg.in.NotWeb {
		return nil
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
		m.Extra["author"] = strings.Join(names, ", ")
		return nil
	}
	if len(names) == 0 {
		if name := pg.metaAuthor(); name != "" {
			names = []string{name}
		}
	}
	if len(names) == 0 && authorName(meta) != "" && !sited {
		return nil
	}
	if organized || sited && len(names) == 0 { // the byline may name a person
		if name := pg.byline(); strings.Contains(name, " ") {
			pg.setAuthor(true, name)
			return nil
		}
	}
	if len(names) == 0 && !sited {
		pg.setAuthor(true, pg.byline())
		return nil
	}
	pg.setAuthor(false, strings.Join(names, ", "))
	return nil
}

// signedBelow returns the authors that a text just below the heading names after "By", unless
// the author of the meta element or names contain them. Otherwise it returns "".
func (pg authors) signedBelow(names []string) string {
	const below = 80 // nodes
	name := pg.signature(below)
	if !isFullName(name) || strings.Contains(pg.meta.Extra["author"], name) || slices.Contains(names, name) {
		return ""
	}
	if all := pg.byline(); strings.Contains(all, name) {
		return all
	}
	return name
}

// particles are words in names that begin with a small letter.
var particles = []string{
	"and", "und", "et", "y", "e", "&", "von", "van", "der", "den", "de", "la", "le", "du", "da", "dos", "di", "del", "della", "bin", "al", "el", "ter", "ten", "af", "av", "zu",
}

// isFullName reports whether s looks like the full name of a person: two words or more, each
// of which begins with a capital or is a particle. The first word is not an article, as in "By The
// Numbers".
func isFullName(s string) bool {
	words := strings.Fields(s)
	if len(words) < 2 || words[0] == "The" || words[0] == "A" || words[0] == "An" {
		return false
	}
	return !slices.ContainsFunc(words, func(word string) bool {
		first, _ := utf8.DecodeRuneInString(word)
		return unicode.IsLower(first) && !slices.Contains(particles, word)
	})
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

// byline returns the author that an element near the heading names, or "".
func (pg authors) byline() string {
	first, after := "", false
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
		case after:
			return name
		default:
			first = cmp.Or(first, name)
		}
	}
	const far = 400 // nodes
	return cmp.Or(first, pg.signature(far), pg.credit())
}

// firstHeading returns the first h1, or the first h2 if there is no h1. It returns nil if there
// is neither.
func (pg authors) firstHeading() *html.Node {
	m := &pg.arena.marks
	for _, n := range m.bylines {
		if n.DataAtom == atom.H1 {
			return n
		}
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
	for range within {
		if n = dom.Next(n, pg.in.Root); n == nil {
			break
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
		case isReview(n.PrevSibling):
		case rest == "": // the name is in the next element
			for next, steps := dom.Next(n, pg.in.Root), 0; next != nil && steps < 8; next, steps = dom.Next(next, pg.in.Root), steps+1 {
				if next.Type == html.TextNode && strings.TrimSpace(next.Data) != "" {
					return capitalized(authorName(next.Data)), true
				}
			}
		case strings.Contains(spaces, text[len(lead):len(lead)+1]):
			if name := capitalized(authorName(rest)); name != "" {
				return name, true
			}
		}
	}
	return "", false
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
	"written by", "written by:", "words by", "article by", "article by:",
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
		if name, _ := pg.signed(n, creditLeads); strings.Contains(name, " ") && !pg.isAside(n) {
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

// capitalized returns name if it has at most five words and begins with a capital. It cuts
// off what follows a comma if this makes the name too long, such as the role of an author.
func capitalized(name string) string {
	if before, _, ok := strings.Cut(name, ","); ok && len(strings.Fields(name)) > 5 && strings.Contains(before, " ") {
		name = before
	}
	first, _ := utf8.DecodeRuneInString(name)
	if len(strings.Fields(name)) > 5 || !unicode.IsUpper(first) {
		return ""
	}
	return name
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
		if text := clean(cut(c.Data, 512)); text != "" {
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
// author.
func bylineKind(n *html.Node) bool {
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
		switch word = strings.NewReplacer("_", "-", "--", "-").Replace(word); word {
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
		}
		if isNamed(up, "sidebar") || isOther(up) {
			return true
		}
	}
	return footer
}

// isAmongOthers is like isAside, but is false beside the content, where some pages state
// facts about it.
func (pg *page) isAmongOthers(n *html.Node) bool {
	for up, steps := n, 0; up != nil && steps < 16 && !slices.Contains(pg.aroundHeading(), up); up, steps = up.Parent, steps+1 {
		if up.DataAtom == atom.Nav || isOther(up) {
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
	for up := heading.Parent; up != nil && len(m.around) < most; up = up.Parent {
		if up.DataAtom == atom.Aside || up.DataAtom == atom.Nav || up.DataAtom == atom.Footer {
			m.around = m.around[:0]
			return false
		}
		m.around = append(m.around, up)
	}
	return len(m.around) > 0
}

// bylineLabels are words in bylines that are not names, in lower case.
var bylineLabels = []string{
	"author", "authors", "the author", "via", "updated", "published", "posted", "guide", "by", "text", "editor", "staff", "share", "follow",
	"mon", "tue", "wed", "thu", "fri", "sat", "sun", "view all posts", "read more", "edited by", "name", "op", "member", "admin", "topic author", "first name", "last name", "username", "written", "content",
}

// authorName returns the name in a byline, without "by" and the like. It returns ""
// if s is something else.
func authorName(s string) string {
	s = clean(s)
	if len(s) > 4*maxAuthorName*utf8.UTFMax {
		return ""
	}
	for again := true; again; {
		again = false
		for _, lead := range []string{"by:", "by ", "post by ", "posts by ", "articles by ", "view all posts by ", "via ", "written by", "posted by", "published by", "author:", "authors:", "author ", "von ", "par ", "por ", "di ", "door ", "от ", "автор:", "|", "-", "–", "—", "•", "·", ":", ","} {
			if len(s) >= len(lead) && strings.EqualFold(s[:len(lead)], lead) {
				s, again = strings.TrimSpace(s[len(lead):]), true
			}
		}
	}
	for _, end := range []string{" | ", " • ", " · ", " – ", " — ", "\u00a0| ", " on ", " » ", " - ", " Updated", " Published", " Posted", " Last updated", " Reviewed by"} {
		if k := strings.Index(s, end); k > 0 {
			s = s[:k]
		}
	}
	// A date, or a number of articles, with the month before it.
	if k := strings.IndexAny(s, "0123456789"); k > 0 && s[k-1] == ' ' {
		s = strings.TrimRight(s[:k], " ,")
		if j := strings.LastIndexByte(s, ' '); monthOf(strings.TrimSuffix(s[j+1:], ".")) > 0 {
			s = strings.TrimSuffix(strings.TrimRight(s[:j+1], " ,"), " at")
		}
	}
	s = strings.Trim(s, " ,;|-–—•·:")
	if strings.EqualFold(s, "by") || utf8.RuneCountInString(s) > maxAuthorName || strings.Contains(s, "://") || strings.HasPrefix(s, "www.") || strings.HasPrefix(s, "@") && !strings.Contains(s, " ") {
		return ""
	}
	if slices.Contains(bylineLabels, strings.ToLower(s)) || strings.HasSuffix(strings.ToLower(s), " by") || strings.HasSuffix(s, " from") {
		return ""
	}
	if strings.Count(s, ".") > 1 && !strings.ContainsAny(s, " @") {
		return "" // a variable of a template, such as page.extra.author
	}
	letters, digits := 0, 0
	for _, r := range s {
		switch {
		case unicode.IsLetter(r):
			letters++
		case unicode.IsDigit(r):
			digits++
		}
	}
	// The name of an account may consist of digits for the most part.
	if letters < 2 || digits > letters/2 && strings.Contains(s, " ") {
		return ""
	}
	return s
}
