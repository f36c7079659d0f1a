// SPDX-License-Identifier: Apache-2.0

package format

import (
	"cmp"
	"strings"

	"golang.org/x/net/html"

	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/structured"
)

// readTimes fills in the times that the Open Graph meta elements do not give. It reads
// JSON-LD, microdata, time elements with a stated meaning and other meta elements, in
// this order. If none of them gives a time, it guesses one from the text and the URL, labeled dates first.
func (pg *page) readTimes() error {
	m := pg.meta
	if pg.in.Root == nil || pg.in.NotWeb || m.PublishedTime != "" && m.ModifiedTime != "" {
		return nil
	}
	g := pg.structured()
	for _, nodes := range [][]*structured.Node{g.Linked(), g.Micro()} {
		for _, articles := range []bool{true, false} {
			for _, n := range nodes {
				if isArticle(n) != articles || !articles && !n.Is("WebPage", "ItemPage", "CreativeWork", "FAQPage", "AboutPage") {
					continue
				}
				m.PublishedTime = cmp.Or(m.PublishedTime, dateOf(n, "datePublished"))
				m.ModifiedTime = cmp.Or(m.ModifiedTime, dateOf(n, "dateModified"))
			}
		}
	}
	if m.PublishedTime != "" && m.ModifiedTime != "" {
		return nil
	}
	for _, n := range pg.arena.marks.times {
		pg.steps.Take(1)
		published, modified := timeKind(n)
		at := cut(strings.TrimSpace(cmp.Or(dom.Attr(n, "datetime"), clean(textOf(n)))), 64)
		switch {
		case !isDate(at) || pg.isAside(n):
		case published:
			m.PublishedTime = cmp.Or(m.PublishedTime, at)
		case modified:
			m.ModifiedTime = cmp.Or(m.ModifiedTime, at)
		}
	}
	if m.PublishedTime == "" {
		m.PublishedTime = pg.metaDay()
	}
	m.ModifiedTime = cmp.Or(m.ModifiedTime, pg.metaChange())
	if m.PublishedTime != "" && m.ModifiedTime != "" {
		return nil
	}
	day := ""
	if m.PublishedTime == "" {
		day = pg.visibleDay()
	}
	published, modified := pg.labeledDays()
	if m.PublishedTime == "" {
		if m.PublishedTime = cmp.Or(published, day, pg.bylineDay(), dayInPath(pg.in.URL)); m.PublishedTime != "" {
			m.Guessed = append(m.Guessed, "publishedTime")
		}
	}
	if m.ModifiedTime == "" && modified != "" {
		m.ModifiedTime = modified
		m.Guessed = append(m.Guessed, "modifiedTime")
	}
	return nil
}

// metaChange returns the date of the first meta element that gives the day of the last
// change under a name other than Open Graph's, or "". A date in ISO 8601 stays as written,
// others become 2006-01-02.
func (pg *page) metaChange() string {
	for _, name := range []string{"dateModified", "last-modified", "last_modified", "updated", "revised", "dcterms.modified", "DC.date.modified", "cdc:last_updated"} {
		v := pg.meta.Extra[name]
		if isDate(v) && len(v) >= len("20060102") {
			return cut(v, 64)
		}
		if day := dayIn(cut(v, maxDateText)); day != "" {
			return day
		}
	}
	return ""
}

// metaDay is like metaChange, but returns the day of publication.
func (pg *page) metaDay() string {
	m := pg.meta
	for _, v := range []string{
		m.Extra["datePublished"], m.Extra["date"], m.Extra["pubdate"], m.Extra["publish-date"], m.Extra["publish_date"], m.Extra["parsely-pub-date"],
		m.Extra["sailthru.date"], m.Extra["citation_publication_date"], m.Extra["citation_date"], m.Extra["dcterms.date"], m.Extra["DC.date.issued"],
		m.Extra["og:published_time"], m.Extra["og:pubdate"], m.Extra["publication_date"], m.Extra["article.published"], m.Extra["published_date"], m.Extra["published"], m.Extra["published-date"], m.Extra["w-published-date"], m.Extra["ms.date"],
		m.DCDate, m.DCDateCreated, m.DCTermsCreated,
	} {
		if isDate(v) && len(v) >= len("20060102") {
			return cut(v, 64)
		}
		if day := dayIn(cut(v, maxDateText)); day != "" {
			return day
		}
	}
	return ""
}

// isArticle reports whether n describes something published, such as an
// article.
func isArticle(n *structured.Node) bool {
	for _, t := range n.Types {
		if strings.HasSuffix(t, "Article") || strings.HasSuffix(t, "Posting") || t == "Report" || t == "Recipe" || t == "HowTo" {
			return t != "JobPosting"
		}
	}
	return false
}

// dateOf returns the first date in property name of n.
func dateOf(n *structured.Node, name string) string {
	for _, v := range n.Texts(name) {
		if isDate(v) {
			return cut(v, 64)
		}
	}
	return ""
}

// isDate reports whether s begins like an ISO 8601 date, with a year.
func isDate(s string) bool {
	if len(s) < len("2006") {
		return false
	}
	for _, c := range []byte(s[:4]) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(s) == 4 || s[4] == '-' || s[4] == '/' || s[4] == '.' || len(s) >= 8 && s[4] >= '0' && s[4] <= '9'
}

// timeKind reports whether a time element gives a publication or a modification
// time.
func timeKind(n *html.Node) (published, modified bool) {
	if _, ok := attribute(n, "pubdate"); ok {
		return true, false
	}
	for word := range strings.FieldsSeq(strings.ToLower(dom.Attr(n, "itemprop") + " " + dom.Attr(n, "class"))) {
		switch word {
		case "datemodified", "updated", "modified", "dt-updated":
			modified = true
		case "datepublished", "published", "entry-date", "post-date", "dt-published", "datecreated":
			published = true
		}
	}
	return published, modified && !published
}
