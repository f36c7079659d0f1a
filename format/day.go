// SPDX-License-Identifier: Apache-2.0

package format

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/format/internal/calendar"
	"example.com/curlew/internal/dom"
)

// Limits of the search for a visible date.
const (
	maxDateText  = 160 // bytes of a text with a date
	maxBareDate  = 40  // bytes of a text that consists of a date and at most a few words
	maxDateNodes = 250 // nodes after the heading of an article
	maxClassed   = 16  // elements whose class names a date: they may be nested, and each may contain the whole page
	nearByline   = 6   // nodes after a byline
	closeNodes   = 40  // nodes after the heading of another page
)

// days finds the days that the text of a page shows. It decides once for all of them
// which number of a date is the month.
type days struct {
	page *page
	bare bool // only texts that consist of a date and at most a few words count
}

// visible returns the day that an article shows near one of its first headings (h1, or
// else the first h2), as
// 2006-01-02, or "": the value of a time element, or else a date that is written in a
// short text. In pages that neither call themselves articles nor have an author, a date
// after the heading has to follow closely. It looks at so many nodes after the heading as within
// says.
func (ds days) visible(within int) string {
	pg := ds.page
	if pg.isHome() {
		return ""
	}
	if !pg.isStory() {
		within = min(within, closeNodes)
	}
	headings := 0
	for _, n := range pg.arena.marks.bylines {
		if n.DataAtom != atom.H1 || headings == maxHeadings {
			continue
		}
		headings++
		// Many pages write the date just above the heading.
		if day := cmp.Or(ds.around(n), ds.above(n), ds.after(n, within)); day != "" {
			return day
		}
	}
	for _, n := range pg.arena.marks.second {
		// If the h1 is the name of the site, the h2 that is in the title is the heading.
		if !pg.isAside(n) && (headings == 0 || isInTitle(pg, n)) {
			return cmp.Or(ds.above(n), ds.after(n, closeNodes))
		}
	}
	return ""
}

// isInTitle reports whether the title of the page contains the text of a heading.
func isInTitle(pg *page, heading *html.Node) bool {
	const least = 12 // bytes; a shorter heading may be in the title by chance
	text := strings.ToLower(clean(textOf(heading)))
	return len(text) >= least && strings.Contains(strings.ToLower(clean(pg.meta.Title)), text)
}

// byline returns the day in the first byline that contains one, such as the line above
// a post of a forum, or "". It also returns "" if a later byline has an earlier day,
// because such a page lists articles, the latest first.
func (ds days) byline() string {
	pg := ds.page
	first := ""
	for _, n := range pg.arena.marks.bylines {
		pg.steps.Take(1)
		if n.DataAtom == atom.H1 || len(clean(textOf(n))) > maxDateText || pg.isAside(n) {
			continue
		}
		day := ""
		for d := dom.Next(n, n); d != nil; d = dom.Next(d, n) {
			pg.steps.Take(1)
			if day = ds.at(d); day != "" {
				break
			}
		}
		for d, steps := nextOutside(n), 0; day == "" && d != nil && steps < nearByline; d, steps = dom.Next(d, pg.in.Root), steps+1 {
			day = ds.at(d)
		}
		switch {
		case first == "":
			first = day
		case day != "" && day < first:
			return ""
		}
	}
	return first
}

// nextOutside returns the node that follows n and its descendants inside the grandparent of n,
// or nil.
func nextOutside(n *html.Node) *html.Node {
	for range 3 {
		if n == nil || n.NextSibling != nil {
			break
		}
		n = n.Parent
	}
	if n == nil {
		return nil
	}
	return n.NextSibling
}

// isStory reports whether the page calls itself an article or has an author.
func (pg *page) isStory() bool {
	g := pg.structured()
	return g.Meta("og:type") == "article" || pg.meta.Extra["author"] != "" || slices.ContainsFunc(g.Linked(), isArticle) || slices.ContainsFunc(g.Micro(), isArticle)
}

// labeled returns the first day of publication and the first day of a change that
// have a label, such as "Published" or "Last updated". The day is in the text that
// begins with the label, or in one of the nodes after it. In an article, an element
// whose class names a date counts as labeled with a day of publication.
func (ds days) labeled() (published, modified string) {
	pg := ds.page
	const near = 12 // nodes after a label
	story, classed := pg.isStory(), 0
	for n := pg.in.Root; n != nil && (published == "" || modified == ""); n = dom.Next(n, pg.in.Root) {
		pg.steps.Take(1)
		text := ""
		switch {
		case n.Type == html.TextNode && len(n.Data) <= maxDateText:
			text = strings.TrimSpace(n.Data)
		case n.Type == html.ElementNode && story && published == "" && classed < maxClassed && isDateClass(n):
			classed++
			text = clean(textOf(n))
		}
		if text == "" || len(text) > maxDateText {
			continue
		}
		meaning := labelOf(text)
		if n.Type == html.ElementNode && meaning == noLabel {
			meaning = publication
		}
		if meaning == noLabel || n.Parent == nil || n.Parent.DataAtom == atom.Script || n.Parent.DataAtom == atom.Style {
			continue
		}
		// A label by itself, such as "Published", may be in a list of facts beside the article.
		if label := n.Type == html.TextNode && len(text) < len("Date published: "); pg.isAside(n) && (!label || meaning != publication || pg.isAmongOthers(n)) {
			continue
		}
		day := ds.in(text)
		for next, steps := n, 0; day == "" && n.Type == html.TextNode && len(text) < 40 && steps < near; steps++ {
			if next = dom.Next(next, pg.in.Root); next == nil {
				break
			}
			day = ds.at(next)
		}
		if meaning == publication {
			published = cmp.Or(published, day)
		} else {
			modified = cmp.Or(modified, day)
		}
	}
	return published, modified
}

// classed returns the only day in the elements whose class names the date of an article, or "".
func (ds days) classed() string {
	pg := ds.page
	found, classed := "", 0
	for n := pg.in.Root; n != nil && classed < maxClassed; n = dom.Next(n, pg.in.Root) {
		pg.steps.Take(1)
		if n.Type != html.ElementNode || !isDateClass(n) {
			continue
		}
		classed++
		day := ds.in(cut(clean(textOf(n)), maxDateText))
		if day != "" && found != "" && day != found {
			return ""
		}
		found = cmp.Or(found, day)
	}
	return found
}

// A dateLabel is what a label says about the date in its text or after it.
type dateLabel int

const (
	noLabel dateLabel = iota
	publication
	change
)

// dateLabels are beginnings of texts before a date, in lower case.
var dateLabels = []struct {
	text    string
	meaning dateLabel
}{
	{"last ", change},
	{"updated", change},
	{"modified", change},
	{"reviewed", change},
	{"page last ", change},
	{"this page was last ", change},
	{"this article was originally published", publication},
	{"this post was originally published", publication},
	{"started by", publication}, // the first post of a thread
	{"aktualisiert", change},
	{"stand:", change},
	{"mis à jour", change},
	{"actualizado", change},
	{"aggiornato", change},
	{"publish", publication},
	{"publication date", publication},
	{"originally published", publication},
	{"first published", publication},
	{"date published", publication},
	{"posted", publication},
	{"date:", publication},
	{"veröffentlicht", publication},
	{"publié", publication},
	{"publicado", publication},
	{"pubblicato", publication},
	{"gepubliceerd", publication},
}

// labelOf returns the meaning of the label that a text begins with.
func labelOf(text string) dateLabel {
	switch text[0] | 0x20 {
	case 'l', 'u', 'm', 'r', 'p', 't', 'a', 's', 'o', 'f', 'd', 'v', 'g':
	default:
		return noLabel
	}
	for _, l := range dateLabels {
		if len(text) >= len(l.text) && strings.EqualFold(text[:len(l.text)], l.text) {
			return l.meaning
		}
	}
	return noLabel
}

// isDateClass reports whether a class of an element says that it is the date of an
// article.
func isDateClass(n *html.Node) bool {
	class := dom.Attr(n, "class")
	if !strings.Contains(class, "ate") && !strings.Contains(class, "ubli") && !strings.Contains(class, "ATE") && !strings.Contains(class, "UBLI") {
		return false
	}
	for word := range strings.FieldsSeq(strings.ToLower(class)) {
		word = strings.ReplaceAll(strings.ReplaceAll(word, "--", "-"), "_", "-")
		for _, of := range []string{"publish", "publication", "pub-date", "pubdate", "post-date", "blogpost-date", "entry-date", "story-date", "article-date", "blog-date", "type-date", "meta-date", "dateline"} {
			if strings.Contains(word, of) {
				return true
			}
		}
	}
	return false
}

// after returns the first day in the next nodes after n, or "". It looks at so many
// nodes as within says.
func (ds days) after(n *html.Node, within int) string {
	pg := ds.page
	for range within {
		if n = dom.Next(n, pg.in.Root); n == nil {
			return ""
		}
		pg.steps.Take(1)
		if day := ds.at(n); day != "" && !pg.isAside(n) {
			return day
		}
	}
	return ""
}

// above returns the first day in the elements before the heading, before its parent
// and before its grandparent, the nearest first, or "".
func (ds days) above(heading *html.Node) string {
	pg := ds.page
	const most = 12 // elements before the heading
	at := heading
	for range 3 {
		for c, steps := at.PrevSibling, 0; c != nil && steps < most; c, steps = c.PrevSibling, steps+1 {
			if c.Type == html.ElementNode && len(textOf(c)) <= maxDateText {
				for d := dom.Next(c, c); d != nil; d = dom.Next(d, c) {
					pg.steps.Take(1)
					if day := ds.at(d); day != "" && !pg.isAmongOthers(d) {
						return day
					}
				}
			}
		}
		if at = at.Parent; at == nil || at.DataAtom == atom.Body || at.DataAtom == atom.Main {
			return ""
		}
	}
	return ""
}

// at returns the day that a node states: the datetime attribute of a time
// element, or the date in a short text. If the node states none, it returns "".
func (ds days) at(n *html.Node) string {
	switch {
	case n.DataAtom == atom.Time && n.Type == html.ElementNode:
		at := strings.TrimSpace(dom.Attr(n, "datetime"))
		if len(at) >= len(time.DateOnly) && isDate(at) {
			if _, err := time.Parse(time.DateOnly, at[:len(time.DateOnly)]); err == nil {
				return at[:len(time.DateOnly)]
			}
		}
	case isCustom(n) && strings.Contains(n.Data, "time"):
		// Such as relative-time or faceplate-timeago.
		return cmp.Or(ds.in(cut(cmp.Or(dom.Attr(n, "datetime"), dom.Attr(n, "ts")), maxDateText)), ds.created(n))
	case n.Type == html.TextNode && len(n.Data) <= maxDateText && n.Parent != nil && n.Parent.DataAtom != atom.Script && n.Parent.DataAtom != atom.Style:
		if text := strings.Trim(n.Data, spaces); !ds.bare || len(text) <= maxBareDate {
			return ds.in(text)
		}
	}
	return ""
}

// isCustom reports whether n is a custom element, which scripts of the page define.
func isCustom(n *html.Node) bool {
	return n.Type == html.ElementNode && n.DataAtom == 0 && strings.Contains(n.Data, "-")
}

// created returns the day on which a custom element says that it was created or published, in an
// attribute such as created-timestamp or publishdate, or "".
func (ds days) created(n *html.Node) string {
	for _, a := range n.Attr {
		if strings.Contains(a.Key, "created") || strings.Contains(a.Key, "publish") {
			if day := ds.in(cut(a.Val, maxDateText)); day != "" {
				return day
			}
		}
	}
	return ""
}

// around returns the day on which the nearest custom element around a heading says that it was
// created, or "". Such an element is the article or the post as a whole.
func (ds days) around(heading *html.Node) string {
	for n := heading.Parent; n != nil; n = n.Parent {
		ds.page.steps.Take(1)
		if isCustom(n) {
			if day := ds.created(n); day != "" {
				return day
			}
		}
	}
	return ""
}

// report returns the day in the first text of an article that begins with a place and a
// date, as reports of news agencies do, or "".
func (ds days) report() string {
	pg := ds.page
	if !pg.isStory() {
		return ""
	}
	for n := pg.in.Root; n != nil; n = dom.Next(n, pg.in.Root) {
		pg.steps.Take(1)
		if n.Type != html.TextNode || n.Parent == nil || n.Parent.DataAtom == atom.Script || n.Parent.DataAtom == atom.Style {
			continue
		}
		if day := ds.in(dateline(n.Data)); day != "" && !pg.isAside(n) {
			return day
		}
	}
	return ""
}

// dateline returns the beginning of a report up to the dash after the place and the date, as
// in "NEW YORK, Dec 20, 2020 (ABC) - Birds sing", or "".
func dateline(text string) string {
	const most = 100 // bytes
	line := cut(strings.TrimLeft(text, spaces), most)
	end := -1
	for _, dash := range []string{" - ", "--", "–", "—"} {
		if k := strings.Index(line, dash); k > 0 && (end < 0 || k < end) {
			end = k
		}
	}
	if end < 0 {
		return ""
	}
	place, _, ok := strings.Cut(line[:end], ",")
	isSmall := func(word string) bool {
		first, _ := utf8.DecodeRuneInString(word)
		return !unicode.IsUpper(first) && !isParticle(word)
	}
	if !ok || slices.ContainsFunc(strings.Fields(place), isSmall) {
		return ""
	}
	return line[:end]
}

// in returns the first date in a short text of the page as 2006-01-02, or "". It reads
// dates such as 02/03/2025, which mean different days in different countries, only if the page
// shows which number is the month.
func (ds days) in(s string) string {
	d := calendar.Find(s)
	if d.MonthFirst != "" && ds.states(d.MonthFirst) && !ds.states(d.Day) {
		return d.MonthFirst
	}
	if d.Swapped == "" {
		return d.Day
	}
	switch ds.orderOf(d) {
	case calendar.MonthFirst:
		return d.Day
	case calendar.DayFirst:
		return d.Swapped
	default:
		return ""
	}
}

// allDates are the dates of a page with one meaning.
type allDates struct {
	days  map[string]bool
	order calendar.Order // of those that consist of numbers
	mixed bool           // some of those have the month first, and some the day
}

// orderOf returns the order of the numbers in a date that may have two meanings. Other dates
// of the page show it: those in numbers, and those that state one of the two days in another
// way. Otherwise it is the usual one of the language and the country.
func (ds days) orderOf(d calendar.Date) calendar.Order {
	pg := ds.page
	a, b := ds.states(d.Day), ds.states(d.Swapped)
	all := pg.dates
	switch {
	case all.order != calendar.Unknown && !all.mixed:
		return all.order
	case a && !b:
		return calendar.MonthFirst
	case b && !a:
		return calendar.DayFirst
	case all.mixed:
		return calendar.Unknown
	}
	return calendar.Usual(cmp.Or(pg.meta.Language, pg.meta.OGLocale), pg.in.URL)
}

// states reports whether the page also states a day in a way that has only one meaning.
func (ds days) states(day string) bool {
	if ds.page.dates == nil {
		ds.page.dates = ds.read()
	}
	return ds.page.dates.days[day]
}

// read reads the short texts of the page, its URL and what it states for programs.
func (ds days) read() *allDates {
	pg := ds.page
	const most = 500
	all := &allDates{days: map[string]bool{calendar.OfTime(pg.meta.PublishedTime): true, calendar.OfTime(pg.meta.ModifiedTime): true, calendar.InPath(pg.in.URL): true}}
	for n := pg.in.Root; n != nil && len(all.days) < most; n = dom.Next(n, pg.in.Root) {
		pg.steps.Take(1)
		text := ""
		switch {
		case n.DataAtom == atom.Time:
			text = dom.Attr(n, "datetime")
		case n.Type == html.TextNode && n.Parent != nil && n.Parent.DataAtom != atom.Script && n.Parent.DataAtom != atom.Style:
			text = n.Data
		}
		if len(text) > maxDateText {
			continue
		}
		d := calendar.Find(text)
		if d.Day == "" || d.Swapped != "" || d.MonthFirst != "" {
			continue
		}
		all.days[d.Day] = true
		if d.Order != calendar.Unknown {
			all.mixed = all.mixed || all.order != calendar.Unknown && all.order != d.Order
			all.order = d.Order
		}
	}
	delete(all.days, "")
	return all
}
