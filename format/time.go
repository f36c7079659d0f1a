// SPDX-License-Identifier: Apache-2.0

package format

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"

	"example.com/curlew/format/internal/calendar"
	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/sorting"
	"example.com/curlew/internal/structured"
)

// readTimes fills in the times that the Open Graph meta elements do not give. It reads
// JSON-LD, microdata, time elements with a stated meaning and other meta elements, in
// this order. If none of them gives a time, it guesses one from the text and the URL, labeled dates first.
func (pg *page) readTimes() error {
	m := pg.meta
	if pg.in.Root == nil || pg.in.NotWeb {
		return nil
	}
	pg.readAmbiguous(&m.PublishedTime, "publishedTime")
	pg.readAmbiguous(&m.ModifiedTime, "modifiedTime")
	pg.statedTimes()
	pg.preferShown()
	pg.guessTimes()
	return nil
}

// preferShown replaces stated times by days that the page shows near its heading, if these are credible. Many
// systems state the day on which they imported an article as that of its publication, and the day on
// which they saved it as that of its last change.
func (pg *page) preferShown() {
	m := pg.meta
	stated, changed := calendar.OfTime(m.PublishedTime), calendar.OfTime(m.ModifiedTime)
	if stated == "" {
		return
	}
	bare, path := days{page: pg, bare: true}, calendar.InPath(pg.in.URL)
	near := bare.visible(closeNodes)
	if path != stated && calendar.IsBefore(near, m.PublishedTime) || near != stated && near != "" && near == path {
		m.PublishedTime = near
		m.Guessed = append(m.Guessed, "publishedTime")
		return
	}
	shown := cmp.Or(near, bare.visible(maxDateNodes))
	if first, _ := timesOf(pg.structured().Linked()); shown == calendar.OfTime(first) && calendar.IsBefore(shown, m.PublishedTime) {
		m.PublishedTime = first // Open Graph has the day on which it was published again
		return
	}
	if shown <= stated || shown >= changed {
		return
	}
	if near == "" { // a day that is farther away needs a label
		if _, label := (days{page: pg}).labeled(); label != shown {
			return
		}
	}
	m.ModifiedTime = shown
	m.Guessed = append(m.Guessed, "modifiedTime")
}

// readAmbiguous writes a date such as 02-03-2025, which means different days in different
// countries, as 2006-01-02 if the page shows which number is the month. Other values stay.
func (pg *page) readAmbiguous(at *string, name string) {
	if len(*at) > maxDateText || isDate(*at) || calendar.Find(*at).Swapped == "" {
		return
	}
	if day := (days{page: pg}).in(*at); day != "" {
		*at = day
		pg.meta.Guessed = append(pg.meta.Guessed, name)
	}
}

// statedTimes fills in the times that the page states for programs.
func (pg *page) statedTimes() {
	m := pg.meta
	if m.PublishedTime != "" && m.ModifiedTime != "" {
		return
	}
	g := pg.structured()
	for _, nodes := range [][]*structured.Node{g.Linked(), pg.ownArticles(g.Micro())} {
		published, modified := timesOf(nodes)
		m.PublishedTime, m.ModifiedTime = cmp.Or(m.PublishedTime, published), cmp.Or(m.ModifiedTime, modified)
	}
	for _, n := range pg.arena.marks.times {
		if m.PublishedTime != "" && m.ModifiedTime != "" {
			break
		}
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
	change := pg.metaChange()
	m.ModifiedTime = cmp.Or(m.ModifiedTime, change)
	if calendar.OfTime(m.ModifiedTime) <= calendar.OfTime(m.PublishedTime) && calendar.OfTime(change) > calendar.OfTime(m.PublishedTime) {
		m.ModifiedTime = change // the other source only repeats the publication
	}
}

// timesOf returns the first times that structured data states of an article, or else of the page.
func timesOf(nodes []*structured.Node) (published, modified string) {
	for _, articles := range []bool{true, false} {
		for _, n := range nodes {
			if isArticle(n) != articles || !articles && !n.Is("WebPage", "ItemPage", "CreativeWork", "FAQPage", "AboutPage") {
				continue
			}
			published = cmp.Or(published, dateOf(n, "datePublished"))
			modified = cmp.Or(modified, dateOf(n, "dateModified"))
		}
	}
	return published, modified
}

// ownArticles returns nodes without the articles of a list of other articles, which the title does not
// name.
func (pg *page) ownArticles(nodes []*structured.Node) []*structured.Node {
	const most = 2 // articles without a list
	articles := 0
	for _, n := range nodes {
		if isArticle(n) {
			articles++
		}
	}
	if articles <= most {
		return nodes
	}
	title := strings.ToLower(pg.meta.Title + " " + pg.meta.OGTitle)
	return sorting.Without(slices.Clone(nodes), func(n *structured.Node) bool {
		name := strings.ToLower(clean(cmp.Or(n.Text("headline"), n.Text("name"))))
		return isArticle(n) && (name == "" || !strings.Contains(title, name))
	})
}

// guessTimes fills in the times that the page does not state for programs.
func (pg *page) guessTimes() {
	m := pg.meta
	unchanged := m.ModifiedTime != "" && calendar.OfTime(m.ModifiedTime) != "" && calendar.OfTime(m.ModifiedTime) == calendar.OfTime(m.PublishedTime)
	if m.PublishedTime != "" && m.ModifiedTime != "" && !unchanged {
		return
	}
	day, unknown := "", m.PublishedTime == "" && !pg.isHome()
	if unknown {
		day = days{page: pg}.visible(maxDateNodes)
	}
	published, modified := days{page: pg}.labeled()
	if unknown {
		if m.PublishedTime = cmp.Or(published, day, days{page: pg}.byline(), days{page: pg}.classed(), days{page: pg}.report(), calendar.InPath(pg.in.URL)); m.PublishedTime != "" {
			m.Guessed = append(m.Guessed, "publishedTime")
		}
	}
	if modified != "" && (m.ModifiedTime == "" || unchanged && modified > calendar.OfTime(m.ModifiedTime)) {
		m.ModifiedTime = modified
		m.Guessed = append(m.Guessed, "modifiedTime")
	}
}

// metaChange returns the date of the first meta element that gives the day of the last
// change under a name other than Open Graph's, or "". A date in ISO 8601 stays as written,
// others become 2006-01-02.
func (pg *page) metaChange() string {
	for _, name := range []string{"dateModified", "last-modified", "last_modified", "updated", "revised", "dcterms.modified", "DC.date.modified", "cdc:last_updated"} {
		v := pg.meta.Extra[name]
		if at := metaTime(v); at != "" {
			return at
		}
	}
	return ""
}

// metaTime returns the time that the value of a meta element states, or "". The values of several
// elements, joined by ", ", count only if they are equal: otherwise they belong to the entries of a list.
func metaTime(v string) string {
	if isDate(v) && len(v) >= len("20060102") {
		first, others, _ := strings.Cut(v, ", ")
		for other := range strings.SplitSeq(others, ", ") {
			if other != "" && other != first {
				return ""
			}
		}
		return cut(first, 64)
	}
	if d := calendar.Find(cut(v, maxDateText)); d.Swapped == "" {
		return d.Day
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
		if at := metaTime(v); at != "" {
			return at
		}
	}
	return ""
}

// isArticle reports whether n describes something published, such as an
// article. It is not inlined, because that would copy its loop into many functions.
//
//go:noinline
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
	for _, name := range []string{"itemprop", "class"} {
		for word := range strings.FieldsSeq(dom.Attr(n, name)) {
			is := func(kind string) bool { return strings.EqualFold(word, kind) }
			switch {
			case slices.ContainsFunc([]string{"datemodified", "updated", "modified", "dt-updated"}, is):
				modified = true
			case slices.ContainsFunc([]string{"datepublished", "published", "entry-date", "post-date", "dt-published", "datecreated"}, is):
				published = true
			}
		}
	}
	return published, modified && !published
}

// spellTime writes the day, and the time of day if there is one, into a time element without text, which a script would
// fill for the reader's time zone and language.
func spellTime(n *html.Node) {
	at := strings.TrimSpace(dom.Attr(n, "datetime"))
	day, clock, timed := strings.Cut(strings.Replace(cut(at, 32), " ", "T", 1), "T")
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		return
	}
	if timed && len(clock) >= len("15:04") && !strings.HasPrefix(clock, "00:00") {
		day += " " + clock[:len("15:04")]
	}
	n.AppendChild(&html.Node{Type: html.TextNode, Data: " " + day + " "})
}
