// SPDX-License-Identifier: Apache-2.0

package paging

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/journal"
)

// Candidate is a link that may lead to the next page of a listing, although neither a word nor a
// number says so.
type Candidate struct{ URL, Text string }

// Limits of candidates.
const (
	maxCandidates = 3  // of a page
	maxBehind     = 12 // lines behind the last row of a list in which they may stand
	maxBeside     = 20 // letters that may stand beside the links of a line, such as "Page 2 of 7"
	leastFresh    = 3  // links to things that only the second of two pages has, if it lists things too
)

var numbered = regexp.MustCompile(`\[([^\[\]]*)\]\(L(\d{1,6})\)`)

// Candidates returns the links behind the list of a page that may lead to its next page: they stand
// in lines of little else than links, and lead to the same host. last is the last line of the list,
// and fit says what the caller knows about a link. A page that a text says nothing about is not
// among them, and neither are the things of the list.
func Candidates(p *grounding.Page, last int, fit func(c Candidate) bool) []Candidate {
	here := value.Canonical(p.Rec.Final)
	things := p.Lists(leastDetails)
	var all []Candidate
	lines := p.All().Lines
	for _, line := range lines[min(last, len(lines)):min(last+maxBehind, len(lines))] {
		links := numbered.FindAllStringSubmatch(line, 2*maxCandidates)
		if letters(numbered.ReplaceAllString(line, "")) > maxBeside {
			continue
		}
		for _, m := range links {
			n, ok := value.HandleNumber("L"+m[2], 'L')
			if !ok || n > len(p.Rec.Links) {
				continue
			}
			c := Candidate{p.Rec.Links[n-1].URL, words(m[1])}
			switch {
			case c.Text == "" && numberOf(m[1]) != 2, c.URL == here, origin(c.URL) != origin(here), strings.HasPrefix(here, strings.TrimRight(c.URL, "/")+"/"):
			case things != "" && value.ShapeBy(c.URL, p.Rec.Slugs) == things && !differsOnce(c.URL, here):
			case slices.ContainsFunc(all, func(o Candidate) bool { return o.URL == c.URL || o.Text == c.Text && c.Text != "" }):
			case fit(c):
				all = append(all, c)
			}
		}
		if len(all) >= maxCandidates {
			break
		}
	}
	return all[:min(len(all), maxCandidates)]
}

// letters returns the number of letters in a text.
func letters(s string) (n int) {
	for _, r := range s {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}

// words returns the text of a link without numbers and marks, so that "Older (34)" on one page is
// "Older (14)" on the next one.
func words(text string) string {
	return strings.Join(strings.FieldsFunc(value.Normal(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }), " ")
}

// Behind returns the URL that the links of a page with a text lead to, if it is one other page of the
// same host.
func Behind(final, text string, links []journal.LinkRecord) string {
	here, found := value.Canonical(final), ""
	for _, link := range links {
		if text == "" || words(link.Text) != text || link.URL == here || origin(link.URL) != origin(here) {
			continue
		}
		if found != "" && found != link.URL {
			return ""
		}
		found = link.URL
	}
	return found
}

// Certainty says how certain it is that a page continues the list of another one.
type Certainty int

// How certain it is.
const (
	Unlike   Certainty = iota // it lists nothing of the kind
	Possible                  // it lists things of the same kind, which may be others
	Probable                  // its title and heading are the same, and it leads back
	Certain                   // the link by which it was found leads from it to a third page, or its address counts
)

// Compare says whether page b, which a link of page a leads to, continues its list. The link of a menu
// leads to the same page from each page, and that to the next page does not. The last page of a
// list has no such link.
func Compare(a, b *grounding.Page, c Candidate) Certainty {
	here, there := value.Canonical(a.Rec.Final), value.Canonical(b.Rec.Final)
	third := Behind(b.Rec.Final, c.Text, b.Rec.Links)
	things := a.Lists(leastDetails)
	switch {
	case a.Rec.Digest == b.Rec.Digest, there == here, things != "" && value.ShapeBy(there, a.Rec.Slugs) == things && !differsOnce(here, there):
		return Unlike
	case third != "" && third != here && third != c.URL && third != there:
		return Certain
	}
	fresh := 0
	known, back := map[string]bool{}, false
	for _, link := range a.Rec.Links {
		known[link.URL] = true
	}
	for _, link := range b.Rec.Links {
		back = back || link.URL == here
		if things != "" && !known[link.URL] && value.ShapeBy(link.URL, a.Rec.Slugs) == things {
			fresh++
		}
	}
	alike := fresh >= leastFresh || skeleton(a) == skeleton(b) && (things == "" || fresh > 0)
	switch {
	case alike && follows(here, there):
		return Certain
	case back && (things == "" || fresh > 0) && words(a.Rec.Title) == words(b.Rec.Title) && heading(a) != "" && heading(a) == heading(b):
		return Probable
	case alike:
		return Possible
	}
	return Unlike
}

// follows reports whether the address of a page counts one more than that of another one, whose number may be
// absent if it is the first.
func follows(here, there string) bool {
	if x, y, ok := counts(here, there); ok {
		return y == x+1
	}
	if odd(here, there) == "2" {
		return true
	}
	rest, ok := strings.CutPrefix(there, strings.TrimSuffix(strings.TrimRight(here, "/"), ".html"))
	return ok && strings.TrimFunc(strings.TrimSuffix(rest, ".html"), func(r rune) bool { return !unicode.IsDigit(r) }) == "2"
}

// skeleton returns what identifies the elements of a page and their order.
func skeleton(p *grounding.Page) string {
	return p.Rec.Shape[strings.LastIndexByte(p.Rec.Shape, ' ')+1:]
}

// heading returns the words of the first heading of a page.
func heading(p *grounding.Page) string {
	for _, line := range p.All().Lines {
		if strings.HasPrefix(line, "#") {
			return words(line)
		}
	}
	return ""
}
