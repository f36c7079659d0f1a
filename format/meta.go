// SPDX-License-Identifier: Apache-2.0

package format

import (
	"cmp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"
)

// A metaReader reads the metadata of one page.
type metaReader struct {
	page *page
	m    *Metadata

	title, metaTitle, twitterTitle, h1 string
	language                           string // of a content-language meta element
	titled                             bool   // the page has a title element, which may be empty
	icon, anyIcon                      string
	twitterImages, itemImages          []string
}

// readResponse fills in the Metadata of the response.
func (pg *page) readResponse() {
	m, in := pg.meta, pg.in
	m.SourceURL, m.URL = in.SourceURL, in.URL
	m.StatusCode, m.ContentType = in.StatusCode, in.ContentType
	m.NumPages, m.TotalPages = in.Pages, in.TotalPages
}

// readPage fills in the Metadata of the page and of the document's properties.
func (pg *page) readPage() {
	r := metaReader{page: pg, m: pg.meta}
	for _, n := range pg.arena.marks.about {
		pg.steps.Take(1)
		if n.Namespace == "" {
			r.element(n)
		}
	}
	m, in := r.m, pg.in
	m.Title = cmp.Or(in.Title, r.title, m.OGTitle, r.twitterTitle, r.metaTitle, r.h1)
	m.Description = cmp.Or(in.Subject, m.Description, m.OGDescription)
	m.Language = cmp.Or(in.Language, m.Language, r.language, m.OGLocale)
	m.Keywords = cmp.Or(in.Keywords, m.Keywords)
	m.Favicon = cmp.Or(r.icon, r.anyIcon)
	if m.OGImage != "" {
		m.OGImage = cut(pg.base.resolve(m.OGImage), maxExtraValue)
	}
	if in.Author != "" {
		delete(m.Extra, "author")
		m.addExtra("author", in.Author)
	}
	pg.images = append(append(pg.images, r.twitterImages...), r.itemImages...)
}

// element reads one element.
func (r *metaReader) element(n *html.Node) {
	switch n.DataAtom {
	case atom.Html:
		r.m.Language = cmp.Or(r.m.Language, clean(dom.Attr(n, "lang")))
	case atom.Title:
		if !r.titled {
			r.titled, r.title = true, clean(textOf(n))
		}
	case atom.H1:
		if r.h1 == "" {
			r.h1 = clean(textOf(n))
		}
	case atom.Link:
		r.link(n)
	case atom.Meta:
		r.meta(n)
	}
}

// link reads a link element.
func (r *metaReader) link(n *html.Node) {
	href := strings.Trim(dom.Attr(n, "href"), spaces)
	rel := strings.ToLower(dom.Attr(n, "rel"))
	if href == "" || rel == "" {
		return
	}
	abs := r.page.base.resolve(href)
	switch {
	case hasWord(rel, "canonical"):
		if r.m.Extra["canonical"] == "" {
			r.m.addExtra("canonical", abs)
		}
	case hasWord(rel, "icon"):
		r.icon = cmp.Or(r.icon, abs)
		r.page.icons = appendWeb(r.page.icons, abs)
	case strings.Contains(rel, "icon") && !hasWord(rel, "mask-icon"):
		r.anyIcon = cmp.Or(r.anyIcon, abs)
		r.page.icons = appendWeb(r.page.icons, abs)
	case hasWord(rel, "image_src"):
		r.itemImages = appendWeb(r.itemImages, abs)
	}
}

// appendWeb appends ref if it is an http or https URL.
func appendWeb(refs []string, ref string) []string {
	if s := scheme(ref); s != "http" && s != "https" {
		return refs
	}
	return append(refs, ref)
}

// meta reads a meta element.
func (r *metaReader) meta(n *html.Node) {
	key := cmp.Or(dom.Attr(n, "name"), dom.Attr(n, "property"), dom.Attr(n, "itemprop"))
	content := clean(dom.Attr(n, "content"))
	if strings.EqualFold(dom.Attr(n, "http-equiv"), "content-language") {
		r.language = cmp.Or(r.language, content)
		return
	}
	if key == "" || content == "" {
		return
	}
	r.picture(n, content)
	// Some pages confuse name and property.
	for _, k := range []string{dom.Attr(n, "property"), dom.Attr(n, "name")} {
		if k != "" && r.known(strings.ToLower(k), content) {
			return
		}
	}
	if key != dom.Attr(n, "property") || !strings.ContainsAny(key, spaces) {
		r.m.addExtra(key, content)
		return
	}
	for one := range strings.FieldsSeq(key) { // a property is a list of names
		if !r.known(strings.ToLower(one), content) {
			r.m.addExtra(one, content)
		}
	}
}

// picture adds the image that a meta element names.
func (r *metaReader) picture(n *html.Node, content string) {
	abs := func() string { return r.page.base.resolve(content) }
	switch strings.ToLower(cmp.Or(dom.Attr(n, "property"), dom.Attr(n, "name"))) {
	case "og:image", "og:image:url", "og:image:secure_url":
		r.page.images = appendWeb(r.page.images, abs())
	case "twitter:image", "twitter:image:src":
		r.twitterImages = appendWeb(r.twitterImages, abs())
	}
	if dom.Attr(n, "itemprop") == "image" {
		r.itemImages = appendWeb(r.itemImages, abs())
	}
}

// known stores content if key, in lower case, has a typed member. It reports whether it
// has one.
func (r *metaReader) known(key, content string) bool {
	m := r.m
	if key == "og:locale:alternate" {
		if len(m.OGLocaleAlternate) < maxExtra {
			m.OGLocaleAlternate = append(m.OGLocaleAlternate, cut(content, maxExtraKey))
		}
		return true
	}
	joined := false
	var field *string
	switch key {
	case "description":
		field, joined = &m.Description, true
	case "keywords":
		field, joined = &m.Keywords, true
	case "robots":
		field, joined = &m.Robots, true
	case "title":
		field = &r.metaTitle
	case "article:section":
		field = &m.ArticleSection
	case "article:tag":
		field, joined = &m.ArticleTag, true
	case "article:published_time":
		field = &m.PublishedTime
	case "article:modified_time":
		field = &m.ModifiedTime
	default:
		if field = r.openGraph(key); field == nil {
			field = r.dublinCore(key)
		}
	}
	switch {
	case field == nil:
		// twitter:title is an extra member too.
		if key == "twitter:title" {
			r.twitterTitle = cmp.Or(r.twitterTitle, content)
		}
		return false
	case *field == "":
		*field = cut(content, maxExtraValue)
	case joined && len(*field) < maxExtraValue:
		*field = cut(*field+", "+content, maxExtraValue)
	}
	return true
}

// openGraph returns the field of an Open Graph property; nil for others.
func (r *metaReader) openGraph(key string) *string {
	m := r.m
	switch key {
	case "og:title":
		return &m.OGTitle
	case "og:description":
		return &m.OGDescription
	case "og:url":
		return &m.OGURL
	case "og:image":
		return &m.OGImage
	case "og:audio":
		return &m.OGAudio
	case "og:determiner":
		return &m.OGDeterminer
	case "og:locale":
		return &m.OGLocale
	case "og:site_name":
		return &m.OGSiteName
	case "og:video":
		return &m.OGVideo
	}
	return nil
}

// dublinCore returns the field of a Dublin Core name; nil for others.
func (r *metaReader) dublinCore(key string) *string {
	m := r.m
	switch strings.ReplaceAll(key, ":", ".") {
	case "dcterms.created":
		return &m.DCTermsCreated
	case "dc.date.created":
		return &m.DCDateCreated
	case "dc.date":
		return &m.DCDate
	case "dcterms.type":
		return &m.DCTermsType
	case "dc.type":
		return &m.DCType
	case "dcterms.audience":
		return &m.DCTermsAudience
	case "dcterms.subject":
		return &m.DCTermsSubject
	case "dc.subject":
		return &m.DCSubject
	case "dc.description":
		return &m.DCDescription
	case "dcterms.keywords":
		return &m.DCTermsKeywords
	}
	return nil
}

// clean returns s as valid UTF-8, with its white space folded, at most 8 KB long.
func clean(s string) string {
	// Cut first, at four times the limit, because s may be very long.
	s = strings.ToValidUTF8(cut(s, 4*maxExtraValue), "\uFFFD")
	return cut(strings.Join(strings.Fields(s), " "), maxExtraValue)
}

// textOf returns the text below n, at most a little over 8 KB.
func textOf(n *html.Node) string {
	var b strings.Builder
	for c := n.FirstChild; c != nil && b.Len() < maxExtraValue; c = dom.Next(c, n) {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}
