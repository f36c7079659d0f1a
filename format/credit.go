// SPDX-License-Identifier: Apache-2.0

package format

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/format/internal/calendar"
	"example.com/curlew/internal/dom"
)

// Limits of the search for a name beside the heading, in texts.
const (
	textsAbove = 4
	closeTexts = 12
)

// A shownText is a text that readers see, without the white space around it.
type shownText struct {
	node *html.Node
	text string
}

// unmarked returns the name of a person that readers recognize as the author although no
// attribute says so, or "": a name by itself beside the heading and beside a
// date or a role, or the only name in boxes about the author. If the page states a name of
// one word, such as a first name or an account, the name beside the heading has to begin with
// it, and the box has to be close to the heading.
func (pg authors) unmarked(stated string) string {
	if !pg.isStory() {
		return ""
	}
	texts, heading := pg.shownTexts()
	account := stated != "" && !strings.Contains(stated, " ") && !strings.Contains(strings.ToLower(pg.in.URL), strings.ToLower(stated)) // the name of the site is no account
	last := len(texts)
	if account {
		last = min(last, heading+closeTexts)
	}
	for i := max(0, heading-textsAbove); i < min(len(texts), heading+closeTexts); i++ {
		name := personName(texts[i].text)
		if name == "" || account && !strings.HasPrefix(name, stated) || pg.isSubject(name) || isTopic(texts[i].node) {
			continue
		}
		if isCredited(texts, i, heading, pg.capitalizesNouns()) && !isCommon(texts, name) && !pg.isAside(texts[i].node) {
			return allNames(texts[i].text)
		}
	}
	if account && pg.capitalizesNouns() {
		return ""
	}
	return pg.boxed(texts[:last])
}

// capitalizesNouns reports whether the page is in a language that writes all nouns with a capital, so
// that most of its phrases look like names.
func (pg authors) capitalizesNouns() bool {
	language := strings.ToLower(pg.meta.Language)
	return strings.HasPrefix(language, "de") || strings.HasPrefix(language, "lb")
}

// shownTexts returns the first texts of the page, and the index of the first one after the
// beginning of its heading.
func (pg authors) shownTexts() (texts []shownText, heading int) {
	const most = 20_000 // nodes
	title := pg.firstHeading()
	if title == nil {
		return nil, 0
	}
	n := pg.in.Root
	for range most {
		if n = dom.Next(n, pg.in.Root); n == nil {
			break
		}
		pg.steps.Take(1)
		if n == title {
			heading = len(texts)
		}
		if text := shownAt(n); text != "" {
			texts = append(texts, shownText{n, text})
		}
	}
	return texts, heading
}

// shownAt returns the text of a text node that readers see, without separators around it. For other
// nodes it returns "".
func shownAt(n *html.Node) string {
	if n.Type != html.TextNode || n.Parent == nil {
		return ""
	}
	switch n.Parent.DataAtom {
	case atom.Script, atom.Style, atom.Title, atom.Option, atom.Template, atom.Textarea:
		return ""
	}
	return strings.Trim(n.Data, spaces+"\u00a0|-–—•·/,")
}

// textsBelow returns the first texts from the beginning of the heading on.
func (pg authors) textsBelow(most int) []shownText {
	const far = 400 // nodes
	var texts []shownText
	n := pg.firstHeading()
	for range far {
		if n == nil || len(texts) == most {
			break
		}
		pg.steps.Take(1)
		if text := shownAt(n); text != "" {
			texts = append(texts, shownText{n, text})
		}
		n = dom.Next(n, pg.in.Root)
	}
	return texts
}

// isSubject reports whether a name is in the title or is the name of the site.
func (pg authors) isSubject(name string) bool {
	return strings.Contains(pg.meta.Title, name) || strings.EqualFold(pg.meta.OGSiteName, name)
}

// isTopic reports whether a text links to the pages of a category.
func isTopic(n *html.Node) bool {
	href := ""
	if up := n.Parent; up != nil && up.DataAtom == atom.A {
		href = strings.ToLower(dom.Attr(up, "href"))
	}
	return slices.ContainsFunc([]string{"categor", "tag", "topic", "section", "label"}, func(word string) bool { return strings.Contains(href, "/"+word) })
}

// isCredited reports whether the texts around the name at i make it the name of an author: a
// date, a time for reading, a role, or an academic degree. If onlyRoles is true, dates and times do not
// count, because they are beside the names of categories, too.
func isCredited(texts []shownText, i, heading int, onlyRoles bool) bool {
	if _, after, ok := strings.Cut(texts[i].text, ","); ok {
		if isDegree(after) {
			return i > heading
		}
		if !strings.Contains(allNames(texts[i].text), ",") && !hasRole(after) {
			return false // another fact about the person, such as the year of a quotation
		}
	}
	for j := max(0, i-2); j <= min(i+2, len(texts)-1); j++ {
		text := texts[j].text
		if j == i || len(text) > maxDateText {
			continue
		}
		lower := strings.ToLower(text)
		if !onlyRoles && (len(text) < 48 && calendar.Find(text).Day != "" || strings.HasSuffix(lower, "min read") || strings.HasSuffix(lower, "minute read")) {
			return true
		}
		if j == i+1 && len(text) < 48 && hasRole(text) {
			return true
		}
	}
	return slices.ContainsFunc(texts[min(i+1, len(texts)):], func(t shownText) bool { return isBiography(t.text, personName(texts[i].text)) })
}

// roles are what authors are called beside their names.
var roles = []string{"writer", "editor", "contributor", "author", "reporter", "correspondent", "journalist", "columnist", "copywriter", "blogger"}

// hasRole reports whether a text has a word for an author.
func hasRole(text string) bool {
	return slices.ContainsFunc(strings.Fields(strings.ToLower(text)), func(word string) bool { return slices.Contains(roles, strings.Trim(word, ".,;")) })
}

// isDegree reports whether s begins with an academic degree such as MD or Ph.D.
func isDegree(s string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(strings.ReplaceAll(s, ".", "")), " ")
	return slices.Contains([]string{"MD", "PhD", "DVM", "VMD", "RN", "RD", "MPH", "DO", "DDS", "JD", "MBA", "MSc", "MA", "LCSW", "PsyD", "CPA"}, strings.Trim(first, ",;"))
}

// isBiography reports whether a text begins to tell about the person of that name.
func isBiography(text, name string) bool {
	given, _, _ := strings.Cut(name, " ")
	for _, start := range []string{name, given} {
		rest, ok := strings.CutPrefix(text, start)
		if !ok || start == "" {
			continue
		}
		for _, verb := range []string{" is a ", " is an ", " is the ", " is our ", " has been ", " has over ", " has more ", " writes ", " works ", " covers ", " leads ", " was a ", " joined "} {
			if strings.HasPrefix(rest, verb) {
				return true
			}
		}
	}
	return false
}

// boxed returns the only name that stands at the beginning of an element that a class connects
// with the author, such as author-info, or "".
func (pg authors) boxed(texts []shownText) string {
	const most = 4 // ancestors of the text
	found := ""
	for _, t := range texts {
		name := personName(t.text)
		if name == "" {
			continue
		}
		up := t.node.Parent
		for range most {
			if up == nil || strings.Contains(strings.ToLower(dom.Attr(up, "class")), "author") {
				break
			}
			up = up.Parent
		}
		if up == nil || !strings.Contains(strings.ToLower(dom.Attr(up, "class")), "author") || pg.isAside(t.node) || pg.isSubject(name) || isCommon(texts, name) {
			continue
		}
		if found != "" && found != name {
			return ""
		}
		found = name
	}
	return found
}

// coauthors returns a stated author and the names that follow this name in the byline below the
// heading, with only separators between them.
func (pg authors) coauthors(stated string) []string {
	const within = 60 // texts from the heading on
	texts := pg.textsBelow(within)
	for i := range texts {
		if texts[i].text != stated || pg.isAside(texts[i].node) {
			continue
		}
		all := []string{stated}
		kind := texts[i].node.Parent
		for _, t := range texts[i+1:] {
			name := personName(t.text)
			switch {
			case len(all) == maxAuthors:
				return all
			case name != "" && !isCommon(texts, name) && t.node.Parent.DataAtom == kind.DataAtom && dom.Attr(t.node.Parent, "class") == dom.Attr(kind, "class") &&
				areTogether(kind, t.node.Parent) && paragraphOf(kind) == paragraphOf(t.node.Parent):
				if !slices.Contains(all, name) {
					all = append(all, name)
				}
			case t.text == "and" || t.text == "&" || t.text == ";" || len(t.text) < 3 && strings.Trim(t.text, "0123456789;,*† ") == "":
			default:
				return all
			}
		}
		return all
	}
	return nil
}

// paragraphOf returns the p element that n is or is in, or nil.
func paragraphOf(n *html.Node) *html.Node {
	const most = 4 // ancestors
	for steps := 0; n != nil && steps < most; n, steps = n.Parent, steps+1 {
		if n.DataAtom == atom.P {
			return n
		}
	}
	return nil
}

// allNames returns the names in a text that begins with one, joined by ", ".
func allNames(text string) string {
	var all []string
	for part := range strings.SplitSeq(text, ",") {
		name := personName(strings.TrimSpace(part))
		if name == "" || len(all) == maxAuthors {
			break
		}
		all = append(all, name)
	}
	return strings.Join(all, ", ")
}

// personName returns the name of a person in two to four words that a text consists of, without
// "by" before it and without degrees after a comma. For other texts it returns "".
func personName(text string) string {
	const longest = 120 // bytes
	if len(text) > longest || len(text) < 5 {
		return ""
	}
	name, _, _ := strings.Cut(clean(text), ",")
	for _, lead := range []string{"By ", "by "} {
		name = strings.TrimPrefix(name, lead)
	}
	name = strings.TrimSuffix(name, " in") // a category follows
	words := strings.Fields(name)
	if len(words) < 2 || len(words) > 4 || len(words) == 4 && !slices.ContainsFunc(words, isParticle) {
		return ""
	}
	for i, word := range words {
		if i > 0 && i < len(words)-1 && slices.Contains(particles, word) && word != "and" && word != "&" {
			continue
		}
		if !isNameWord(word, i > 0 && i < len(words)-1) {
			return ""
		}
	}
	return name
}

// isParticle reports whether a word in a name begins with a small letter.
func isParticle(word string) bool {
	return slices.Contains(particles, word)
}

// isNameWord reports whether a word can be part of a name: a capital and small letters, or
// an initial between other words.
func isNameWord(word string, inside bool) bool {
	first, size := utf8.DecodeRuneInString(word)
	if !unicode.IsUpper(first) || slices.Contains(notNames, strings.ToLower(word)) || calendar.Month(word) > 0 && len(word) > 3 && word != "April" && word != "June" && word != "August" {
		return false
	}
	rest := word[size:]
	if rest == "" || rest == "." {
		return inside || rest == "."
	}
	small := 0
	for _, r := range rest {
		switch {
		case unicode.IsLower(r):
			small++
		case !unicode.IsUpper(r) && r != '\'' && r != '’' && r != '-':
			return false
		}
	}
	return small > 0
}

// notNames are words that stand in headings, menus and names of organizations, in lower case.
var notNames = []string{
	"the", "a", "an", "our", "your", "my", "how", "what", "why", "when", "this", "new", "all", "more", "read", "view", "see", "get", "skip", "sign", "log",
	"about", "contact", "home", "blog", "news", "team", "staff", "editors", "editorial", "company", "inc", "llc", "group", "magazine", "press", "media",
	"learn", "share", "table", "in", "on", "for", "with", "best", "top", "last", "updated", "published", "privacy", "policy", "terms", "free", "live",
	"university", "institute", "college", "school", "association", "foundation", "department", "center", "centre", "photo", "photos", "image", "getty", "images",
	"phone", "number", "written", "join", "us", "dear", "by", "authorized",
	"north", "south", "east", "west", "united", "states", "san", "los", "york", "street", "road", "park", "city", "county",
}

// isCommon reports whether the page writes a word of a name in small letters somewhere, so that
// it is a word of the language, as in "Personal Finance". Names that are such words, like Mark, are
// not recognized on pages that use the word.
func isCommon(texts []shownText, name string) bool {
	for word := range strings.FieldsSeq(strings.ToLower(name)) {
		if len(word) > 2 && !slices.Contains(particles, word) && slices.ContainsFunc(texts, func(t shownText) bool { return hasSmallWord(t.text, word) }) {
			return true
		}
	}
	return false
}

// hasSmallWord reports whether a text has a word exactly as written.
func hasSmallWord(text, word string) bool {
	for at := 0; ; {
		k := strings.Index(text[at:], word)
		if k < 0 {
			return false
		}
		k += at
		before, _ := utf8.DecodeLastRuneInString(text[:k])
		after, _ := utf8.DecodeRuneInString(text[k+len(word):])
		if !unicode.IsLetter(before) && !unicode.IsLetter(after) && before != '@' && before != '/' && after != '@' {
			return true
		}
		at = k + len(word)
	}
}

// bylineLabels are words in bylines that are not names, in lower case.
var bylineLabels = []string{
	"author", "authors", "the author", "via", "updated", "published", "posted", "guide", "by", "text", "editor", "staff", "share", "follow",
	"mon", "tue", "wed", "thu", "fri", "sat", "sun", "view all posts", "read more", "edited by", "name", "op", "member", "admin", "topic author", "first name", "last name", "username", "written", "content",
	"undefined", "null", "none", "default", "category", "home", "shop", "account", "review", "reviews", "skip to content", "skip to main content", "get in touch", "hi", "hello",
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
		if j := strings.LastIndexByte(s, ' '); calendar.Month(strings.TrimSuffix(s[j+1:], ".")) > 0 {
			s = strings.TrimSuffix(strings.TrimRight(s[:j+1], " ,"), " at")
		}
	}
	s = strings.Trim(s, " ,;|-–—•·:")
	if strings.EqualFold(s, "by") || utf8.RuneCountInString(s) > maxAuthorName || strings.Contains(s, "://") || strings.HasPrefix(s, "/") || strings.ContainsAny(s, "$€£¥=<>{}") || strings.HasPrefix(s, "www.") || strings.HasPrefix(s, "@") && !strings.Contains(s, " ") {
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

// capitalized returns name if it has at most five words and begins with a capital. If a
// name with a comma has more words, it returns the part before the comma, because a role may follow.
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
