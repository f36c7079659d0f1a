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
)

// readAuthor fills in the author. If a meta element names one in two words or more,
// its value stays as written, without repetitions. Otherwise readAuthor reads
// JSON-LD, microdata, other meta elements, the meta element with one word, and
// bylines, in this order. Structured data comes first because the meta elements of
// many pages have a URL or the name of an account. Several authors are joined by
// ", ". An author from a byline is marked as a guess.
func (pg *page) readAuthor() error {
	m := pg.meta
	if pg.in.Root == nil || pg.in.NotWeb {
		return nil
	}
	meta := m.Extra["author"]
	if strings.Contains(authorName(meta), " ") {
		var names []string
		for name := range strings.SplitSeq(meta, ", ") {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		m.Extra["author"] = strings.Join(names, ", ")
		return nil
	}
	names, organized := pg.dataAuthors()
	if len(names) == 0 {
		if name := pg.metaAuthor(); name != "" {
			names = []string{name}
		}
	}
	if len(names) == 0 && authorName(meta) != "" {
		return nil
	}
	guessed := false
	if organized { // the byline may name a person
		if name := pg.byline(); strings.Contains(name, " ") {
			names, guessed = []string{name}, true
		}
	}
	if len(names) == 0 {
		if name := pg.byline(); name != "" {
			names, guessed = []string{name}, true
		}
	}
	if len(names) > 0 {
		delete(m.Extra, "author")
		m.addExtra("author", strings.Join(names, ", "))
	}
	if guessed && m.Extra["author"] != "" { // Extra may be full
		m.Guessed = append(m.Guessed, "author")
	}
	return nil
}

// metaAuthor returns the author in a meta element that is not named "author", or "".
func (pg *page) metaAuthor() string {
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
func (pg *page) dataAuthors() (names []string, organized bool) {
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
func (pg *page) byline() string {
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
	return cmp.Or(first, pg.signature())
}

// signature returns the name in the first text after the heading that begins with
// "By", or "".
func (pg *page) signature() string {
	const most = 400 // nodes
	i := slices.IndexFunc(pg.arena.marks.bylines, func(n *html.Node) bool { return n.DataAtom == atom.H1 })
	if i < 0 {
		return ""
	}
	n := pg.arena.marks.bylines[i]
	for range most {
		if n = dom.Next(n, pg.in.Root); n == nil {
			break
		}
		if n.Type != html.TextNode || len(n.Data) > 200 || n.Parent == nil || n.Parent.DataAtom == atom.Script || n.Parent.DataAtom == atom.Style {
			continue
		}
		text := clean(n.Data)
		for _, lead := range signatureLeads {
			switch {
			case strings.EqualFold(text, lead): // the name is in the next element
				for next, steps := dom.Next(n, pg.in.Root), 0; next != nil && steps < 8; next, steps = dom.Next(next, pg.in.Root), steps+1 {
					if next.Type == html.TextNode && strings.TrimSpace(next.Data) != "" {
						return capitalized(authorName(next.Data))
					}
				}
			case len(text) > len(lead) && text[len(lead)] == ' ' && strings.EqualFold(text[:len(lead)], lead):
				if name := capitalized(authorName(text)); name != "" {
					return name
				}
			}
		}
	}
	return ""
}

// signatureLeads are texts before the name of an author, in lower case.
var signatureLeads = []string{
	"by", "by:", "written by", "written by:", "posted by", "article by", "article by:", "words by", "author", "author:", "author(s)", "author(s):",
	"authors", "authors:", "contributor:", "contributors:", "started by", "autor:", "par", "von",
}

// capitalized returns name if it has at most five words and begins with a capital.
func capitalized(name string) string {
	first, _ := utf8.DecodeRuneInString(name)
	if len(strings.Fields(name)) > 5 || !unicode.IsUpper(first) {
		return ""
	}
	return name
}

// nameIn returns the names in a byline, joined by ", ": the first text that is a name,
// and the names that follow it after "and", "&" or a comma.
func nameIn(n *html.Node) string {
	if name := authorName(cmp.Or(dom.Attr(n, "data-author"), dom.Attr(n, "author"))); name != "" {
		return name
	}
	var texts []string
	for c := n.FirstChild; c != nil && len(texts) < 12; c = dom.Next(c, n) {
		if c.Type != html.TextNode || c.Parent.DataAtom == atom.Script || c.Parent.DataAtom == atom.Style {
			continue
		}
		if text := clean(cut(c.Data, 512)); text != "" {
			texts = append(texts, text)
		}
	}
	for i, text := range texts {
		name := authorName(text)
		if name == "" {
			continue
		}
		for i+2 < len(texts) && (texts[i+1] == "and" || texts[i+1] == "&" || texts[i+1] == ",") {
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
	if !strings.Contains(class, "uthor") && !strings.Contains(class, "sername") && !strings.Contains(class, "yline") && !strings.Contains(class, "AUTHOR") {
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
			return footer && up.DataAtom != atom.Article
		}
		switch up.DataAtom {
		case atom.Aside, atom.Nav:
			if up != n {
				return true
			}
		case atom.Footer:
			footer = footer || up != n
		}
		for _, a := range up.Attr {
			if a.Key != "class" && a.Key != "id" || up.DataAtom == atom.Body || up.DataAtom == atom.Html {
				continue
			}
			v := strings.ToLower(a.Val)
			for _, word := range []string{"comment", "related", "recommend", "sidebar", "review", "latest", "popular", "trending"} {
				if strings.Contains(v, word) {
					return true
				}
			}
		}
	}
	return footer
}

// aroundHeading returns the elements around the first h1 that is neither in an aside
// nor in the navigation or a footer, the innermost first.
func (pg *page) aroundHeading() []*html.Node {
	m := &pg.arena.marks
	if len(m.around) > 0 {
		return m.around
	}
	for _, n := range m.bylines {
		if n.DataAtom != atom.H1 {
			continue
		}
		m.around = m.around[:0]
		beside := false
		for up := n.Parent; up != nil && len(m.around) < 64 && !beside; up = up.Parent {
			beside = up.DataAtom == atom.Aside || up.DataAtom == atom.Nav || up.DataAtom == atom.Footer
			m.around = append(m.around, up)
		}
		if !beside {
			return m.around
		}
	}
	m.around = append(m.around[:0], pg.in.Root)
	return m.around
}

// bylineLabels are words in bylines that are not names, in lower case.
var bylineLabels = []string{
	"author", "authors", "the author", "via", "updated", "published", "posted", "guide", "by", "text", "editor", "staff", "share", "follow",
	"mon", "tue", "wed", "thu", "fri", "sat", "sun", "view all posts", "read more", "edited by", "name", "op", "member", "admin", "written", "content",
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
