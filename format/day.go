// SPDX-License-Identifier: Apache-2.0

package format

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"
)

// Limits of the search for a visible date.
const (
	firstYear    = 1990
	maxDateText  = 160 // bytes of a text with a date
	maxDateNodes = 250 // nodes after the heading of an article
	maxClassed   = 16  // elements whose class names a date: they may be nested, and each may contain the whole page
	nearByline   = 6   // nodes after a byline
	closeNodes   = 40  // nodes after the heading of another page
)

// days finds the days that the text of a page shows. It decides once for all of them
// which number of a date is the month.
type days struct{ page *page }

// visible returns the day that an article shows near one of its first headings (h1, or
// else the first h2), as
// 2006-01-02, or "": the value of a time element, or else a date that is written in a
// short text. In pages that neither call themselves articles nor have an author, a date
// after the heading has to follow closely. It looks at so many nodes after the heading as within
// says.
func (ds days) visible(within int) string {
	pg := ds.page
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
		if day := cmp.Or(ds.around(n), dayAbove(pg, n), dayAfter(pg, n, within)); day != "" {
			return day
		}
	}
	for _, n := range pg.arena.marks.second {
		// If the h1 is the name of the site, the h2 that is in the title is the heading.
		if !pg.isAside(n) && (headings == 0 || isInTitle(pg, n)) {
			return cmp.Or(dayAbove(pg, n), dayAfter(pg, n, closeNodes))
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
		for d := range n.Descendants() {
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

// dayInPath returns the day in the path of a URL, such as /2016/05/04/, /2016/may/04/ or
// /2016-05-04-birds, or "".
func dayInPath(href string) string {
	_, path, _ := strings.Cut(href, "://")
	_, path, _ = strings.Cut(path, "/")
	path, _, _ = strings.Cut(path, "?")
	path, _, _ = strings.Cut(path, "#")
	for i := 0; i+len(time.DateOnly) <= len(path); i++ {
		if i > 0 && path[i-1] >= '0' && path[i-1] <= '9' {
			continue
		}
		s := path[i : i+len(time.DateOnly)]
		if (s[4] == '/' || s[4] == '-') && s[7] == s[4] {
			if day := dayOf(numberOf(s[:4], 4, 4), numberOf(s[5:7], 2, 2), numberOf(s[8:], 2, 2)); day != "" {
				return day
			}
		}
	}
	parts := strings.Split(path, "/")
	for i := 0; i+2 < len(parts); i++ {
		if day := dayOf(numberOf(parts[i], 4, 4), monthOf(parts[i+1]), numberOf(parts[i+2], 1, 2)); day != "" {
			return day
		}
	}
	return ""
}

// dayAfter returns the first day in the next nodes after n, or "". It looks at so many
// nodes as within says.
func dayAfter(pg *page, n *html.Node, within int) string {
	for range within {
		if n = dom.Next(n, pg.in.Root); n == nil {
			return ""
		}
		pg.steps.Take(1)
		if day := (days{pg}).at(n); day != "" && !pg.isAside(n) {
			return day
		}
	}
	return ""
}

// dayAbove returns the first day in the elements before the heading, before its parent
// and before its grandparent, the nearest first, or "".
func dayAbove(pg *page, heading *html.Node) string {
	const most = 12 // elements before the heading
	at := heading
	for range 3 {
		for c, steps := at.PrevSibling, 0; c != nil && steps < most; c, steps = c.PrevSibling, steps+1 {
			if c.Type == html.ElementNode && len(textOf(c)) <= maxDateText {
				for d := range c.Descendants() {
					pg.steps.Take(1)
					if day := (days{pg}).at(d); day != "" && !pg.isAmongOthers(d) {
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
		return ds.in(n.Data)
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
	d := dateIn(s)
	if d.swapped == "" {
		return d.day
	}
	switch ds.orderOf(d) {
	case monthFirst:
		return d.day
	case dayFirst:
		return d.swapped
	default:
		return ""
	}
}

// A writtenDate is a date that a text contains.
type writtenDate struct {
	day     string   // as 2006-01-02, or ""
	swapped string   // for dates such as 02/03/2025: the day if the first number is the day; day is the one if it is the month
	order   dayOrder // of the numbers in dates such as 24/03/2025
}

// A dayOrder says in which order the month and the day are written in numbers.
type dayOrder int

const (
	unknownOrder dayOrder = iota
	monthFirst
	dayFirst
)

// dateIn returns the first date in a short text. A date has a named month, or is written as
// 2006-01-02, 2006年1月2日, 02.01.2006, 02/01/2006 or 02-01-2006. If one of the last two may have
// two meanings, any other date in the text is returned instead.
func dateIn(s string) (d writtenDate) {
	if !hasYear(s) {
		return d
	}
	words := strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) || isDateUnit(r) })
	words = slices.DeleteFunc(words, func(word string) bool { return word == "de" || word == "del" || word == "of" }) // 2 de enero de 2006
	for i := range words {
		before := ""
		if i > 0 {
			before = words[i-1]
		}
		found := dayFrom(s, before, words[i:])
		if found.day != "" && found.swapped == "" {
			return found
		}
		if d.day == "" {
			d = found
		}
	}
	return d
}

// isDateUnit reports whether r follows a year, a month or a day in Chinese, Japanese or Korean.
func isDateUnit(r rune) bool {
	switch r {
	case '年', '月', '日', '년', '월', '일':
		return true
	}
	return false
}

// hasYear reports whether s contains four digits that [dayOf] takes for a year.
func hasYear(s string) bool {
	for i := 0; i+4 <= len(s); i++ {
		if (s[i] == '1' || s[i] == '2') && numberOf(s[i:i+4], 4, 4) >= firstYear {
			return true
		}
	}
	return false
}

// dayFrom returns the date that the first of the words begins, or whose month
// it is. before is the word in front of it, which may be the number of the day.
func dayFrom(text, before string, words []string) writtenDate {
	if len(words) > 3 {
		words = words[:3]
	}
	if month := monthOf(words[0]); month > 0 {
		if front, _, _ := strings.Cut(text, words[0]); strings.EqualFold(words[0], "listopada") && strings.HasSuffix(strings.TrimRight(front, spaces), ".") {
			month = 10 // in Croatian, which writes a full stop after the day; in Polish it is November
		}
		found := ""
		if len(words) > 1 { // 2 January 2006
			found = dayOf(numberOf(words[1], 4, 4), month, ordinal(before))
		}
		if found == "" && len(words) > 2 { // January 2, 2006
			found = dayOf(numberOf(words[2], 4, 4), month, ordinal(words[1]))
		}
		return writtenDate{day: found}
	}
	if len(words) < 3 {
		return writtenDate{}
	}
	if year := numberOf(words[0], 4, 4); year > 0 { // 2006-01-02 or 2006-01-02T15:04
		day, _, _ := strings.Cut(words[2], "T")
		least := 2 // digits
		if strings.ContainsAny(text, "/年년") {
			least = 1 // 2006年1月2日
		}
		return writtenDate{day: dayOf(year, numberOf(words[1], least, 2), numberOf(day, least, 2))}
	}
	return numbered(text, words)
}

// numbered returns a date that consists of three numbers, of which the last is the year. The
// result is empty if the words are not such a date in text.
func numbered(text string, words []string) writtenDate {
	a, b, year := numberOf(words[0], 1, 2), numberOf(words[1], 1, 2), numberOf(words[2], 4, 4)
	if a == 0 || b == 0 || year == 0 {
		return writtenDate{}
	}
	switch {
	case strings.Contains(text, words[0]+"."+words[1]+"."+words[2]):
		return writtenDate{day: dayOf(year, b, a)}
	case !strings.Contains(text, words[0]+"/"+words[1]+"/"+words[2]) && !strings.Contains(text, words[0]+"-"+words[1]+"-"+words[2]):
		return writtenDate{}
	case a == b:
		return writtenDate{day: dayOf(year, b, a)}
	case a > 12:
		return writtenDate{day: dayOf(year, b, a), order: dayFirst}
	case b > 12:
		return writtenDate{day: dayOf(year, a, b), order: monthFirst}
	}
	return writtenDate{day: dayOf(year, a, b), swapped: dayOf(year, b, a)}
}

// allDates are the dates of a page with one meaning.
type allDates struct {
	days  map[string]bool
	order dayOrder // of those that consist of numbers
	mixed bool     // some of those have the month first, and some the day
}

// orderOf returns the order of the numbers in a date that may have two meanings. Other dates
// of the page show it: those in numbers, and those that state one of the two days in another
// way. Otherwise it is the usual one of the language and the country.
func (ds days) orderOf(d writtenDate) dayOrder {
	pg := ds.page
	if pg.dates == nil {
		pg.dates = ds.read()
	}
	all := pg.dates
	switch a, b := all.days[d.day], all.days[d.swapped]; {
	case all.order != unknownOrder && !all.mixed:
		return all.order
	case a && !b:
		return monthFirst
	case b && !a:
		return dayFirst
	case all.mixed:
		return unknownOrder
	}
	return usualOrder(cmp.Or(pg.meta.Language, pg.meta.OGLocale), pg.in.URL)
}

// read reads the short texts of the page, its URL and what it states for programs.
func (ds days) read() *allDates {
	pg := ds.page
	const most = 500
	all := &allDates{days: map[string]bool{dayOfTime(pg.meta.PublishedTime): true, dayOfTime(pg.meta.ModifiedTime): true, dayInPath(pg.in.URL): true}}
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
		d := dateIn(text)
		if d.day == "" || d.swapped != "" {
			continue
		}
		all.days[d.day] = true
		if d.order != unknownOrder {
			all.mixed = all.mixed || all.order != unknownOrder && all.order != d.order
			all.order = d.order
		}
	}
	delete(all.days, "")
	return all
}

// usualOrder returns the order in which most people write the month and the day in numbers, by
// the language of a page, such as en-GB, and by the country in its URL.
func usualOrder(language, href string) dayOrder {
	language = strings.ToLower(strings.ReplaceAll(language, "_", "-"))
	language, region, _ := strings.Cut(language, "-")
	byLanguage := unknownOrder
	switch {
	case language == "en" && (region == "us" || region == "ph"):
		byLanguage = monthFirst
	case language == "en" && slices.Contains(dayFirstCountries, region), slices.Contains(dayFirstLanguages, language) && region != "us":
		byLanguage = dayFirst
	}
	_, host, _ := strings.Cut(href, "://")
	host, _, _ = strings.Cut(host, "/")
	host, _, _ = strings.Cut(host, ":")
	byCountry := unknownOrder
	switch country := host[strings.LastIndexByte(host, '.')+1:]; {
	case country == "us" || country == "gov" || country == "edu" || country == "mil":
		byCountry = monthFirst
	case slices.Contains(dayFirstCountries, country):
		byCountry = dayFirst
	}
	if byLanguage != unknownOrder && byCountry != unknownOrder && byLanguage != byCountry {
		return unknownOrder
	}
	return max(byLanguage, byCountry)
}

// dayFirstLanguages and dayFirstCountries write the day before the month. Countries whose
// domains are used all over the world, such as .co and .me, are not among them.
var (
	dayFirstLanguages = []string{"fr", "es", "it", "pt", "nl", "de", "pl", "cs", "sk", "tr", "el", "ru", "uk", "ro", "bg", "hr", "sl", "da", "nb", "no", "fi", "id", "vi", "ca", "gl", "he", "ar"}
	dayFirstCountries = []string{
		"uk", "gb", "au", "nz", "ie", "za", "in", "sg", "pk", "ng", "ke", "mt", "hk", "my", "fr", "es", "it", "pt", "nl", "de", "at", "be", "ch", "lu", "pl", "cz", "sk", "tr", "gr",
		"ru", "ua", "ro", "bg", "hr", "si", "dk", "no", "fi", "br", "ar", "cl", "mx", "pe", "id", "vn", "il",
	}
)

// dayOf returns a day as 2006-01-02, or "" if there is no such day.
func dayOf(year, month, day int) string {
	if year < firstYear || year > 2100 || month == 0 || day == 0 {
		return ""
	}
	s := fmt.Sprintf("%04d-%02d-%02d", year, month, day)
	if _, err := time.Parse(time.DateOnly, s); err != nil {
		return ""
	}
	return s
}

// numberOf returns the number that s is, if it has from least to most digits and nothing
// else. Otherwise it returns 0.
func numberOf(s string, least, most int) int {
	if len(s) < least || len(s) > most {
		return 0
	}
	n := 0
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0
		}
		n = 10*n + int(c-'0')
	}
	return n
}

// ordinal returns the number of a day such as 2, 02, 2nd or 3rd, or 0.
func ordinal(s string) int {
	for _, end := range []string{"st", "nd", "rd", "th", "er", "º", "ª"} {
		s = strings.TrimSuffix(s, end)
	}
	return numberOf(s, 1, 2)
}

// monthOf returns the number of a month by its name or the usual short form, in
// English, German, French, Spanish, Italian, Portuguese, Dutch and the Scandinavian languages, and
// by the form in dates in Polish, Czech, Russian, Ukrainian and Turkish; 0 for other words.
func monthOf(s string) int {
	if len(s) < 3 || len(s) > 20 {
		return 0
	}
	s = strings.ToLower(s)
	for m, names := range monthNames {
		if slices.Contains(names, s) {
			return m + 1
		}
	}
	return 0
}

var monthNames = [12][]string{
	{"january", "jan", "januar", "jänner", "janvier", "enero", "gennaio", "janeiro", "januari", "stycznia", "января", "січня", "ocak", "ledna"},
	{"february", "feb", "februar", "février", "febrero", "febbraio", "fevereiro", "februari", "lutego", "февраля", "лютого", "şubat", "února"},
	{"march", "mar", "märz", "mars", "marzo", "março", "maart", "marca", "марта", "березня", "mart", "března", "marts"},
	{"april", "apr", "avril", "abril", "aprile", "kwietnia", "апреля", "квітня", "nisan", "dubna"},
	{"may", "mai", "mayo", "maggio", "maio", "mei", "maja", "мая", "травня", "mayıs", "května", "maj"},
	{"june", "jun", "juni", "juin", "junio", "giugno", "junho", "czerwca", "июня", "червня", "haziran", "června"},
	{"july", "jul", "juli", "juillet", "julio", "luglio", "julho", "lipca", "июля", "липня", "temmuz", "července"},
	{"august", "aug", "août", "agosto", "augustus", "sierpnia", "августа", "серпня", "ağustos", "srpna", "augusti"},
	{"september", "sep", "sept", "septembre", "septiembre", "settembre", "setembro", "września", "сентября", "вересня", "eylül", "září"},
	{"october", "oct", "oktober", "okt", "octobre", "octubre", "ottobre", "outubro", "października", "октября", "жовтня", "ekim", "října"},
	{"november", "nov", "novembre", "noviembre", "novembro", "listopada", "ноября", "листопада", "kasım", "listopadu"},
	{"december", "dec", "dezember", "dez", "décembre", "diciembre", "dicembre", "dezembro", "grudnia", "декабря", "грудня", "aralık", "prosince"},
}
