// SPDX-License-Identifier: Apache-2.0

package content

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// keepTitle keeps the first h1 before what is kept, because readers want the title, unless it is the
// name of the site. This costs .001 of F1, because the corpus does not count most titles as content.
// In documentation, the title may be a link, for example to the companion of a class. If a page of
// documentation has no h1, keepTitle keeps the last heading before the content that consists of words
// of the page's title.
func (p *Page) keepTitle(keep []bool, handbook bool) {
	if handbook && p.hasTitle(keep) {
		return
	}
	named := -1
	for i := range p.Blocks {
		b := &p.Blocks[i]
		if keep[i] {
			if b.level > 0 && b.inTitle == b.words {
				// A heading just before it names the chapter, and may be a link to it.
				if i > 0 && p.Blocks[i-1].level == b.level && !p.Blocks[i-1].stripped {
					keep[i-1] = true
				}
				if handbook {
					return
				}
			}
			break
		}
		if b.level == 1 && (!b.stripped && !p.namesSite(b) || handbook && p.names(b) && !p.namesAll(i, keep)) {
			keep[i] = true
			return
		}
		if handbook && b.level > 0 && b.inTitle > 0 && (b.inTitle == b.words || p.handbook && p.first1 < 0 && !b.stripped) && p.leadsNowhere(b) {
			named = i
		}
	}
	if named >= 0 {
		keep[named] = true
	}
}

// hasTitle reports whether an h1 is kept that may be the title. It is not if it shares no word with the page's title and
// the first h1 consists of such words, or if the first h1 is all of the page's title: some programs make an h1 of each
// section.
func (p *Page) hasTitle(keep []bool) bool {
	named, whole := false, false
	if first := int(p.first1); first >= 0 && !keep[first] && p.leadsNowhere(&p.Blocks[first]) && p.names(&p.Blocks[first]) {
		named = true
		whole = slices.ContainsFunc(p.ix.notes, func(n *html.Node) bool {
			return n.DataAtom == atom.Title && n.FirstChild != nil && strings.TrimSpace(n.FirstChild.Data) == strings.TrimSpace(p.Text(first))
		})
	}
	for i, k := range keep {
		if b := &p.Blocks[i]; k && b.level == 1 && (!named || !whole && b.inTitle > 0) {
			return true
		}
	}
	return false
}

// topHeading keeps the first h1 that consists mostly of words of the page's title, if no h1
// is kept. It may be in a header that is otherwise not content, but not in navigation, and
// it is not a link, as the name of the site often is. On a page without an h1, another heading
// can take its place.
func (p *Page) topHeading(keep []bool) bool {
	at := -1
	for i := range p.Blocks {
		b := &p.Blocks[i]
		switch {
		case b.level != 1 || b.words == 0:
		case keep[i]:
			return false
		case at < 0 && p.leadsNowhere(b) && 2*b.inTitle >= b.words && b.tags&(tagNav|tagFooter|tagAside|tagInert) == 0 && b.far&markConsent == 0:
			at = i
		}
	}
	if at >= 0 {
		keep[at] = true
	} else if p.first1 < 0 {
		p.namedHeading(keep)
	}
	return at >= 0
}

// namedHeading keeps the last heading before the content that consists of words of the page's
// title, unless a heading in the content already does. It is for pages without an h1, whose
// own title is an h2 or a lower heading.
func (p *Page) namedHeading(keep []bool) {
	const few = 3 // words, or characters of a script without spaces; fewer are in the title by chance
	first, at := slices.Index(keep, true), -1
	for i := range p.Blocks {
		b := &p.Blocks[i]
		if b.level == 0 && (i >= first || !p.isTitle(i)) || b.words < few && b.wide < few || b.inTitle < b.words {
			continue
		}
		if keep[i] {
			return
		}
		if i < first && p.leadsNowhere(b) && b.tags&(tagNav|tagFooter|tagAside|tagInert) == 0 && b.far&markConsent == 0 {
			at = i
		}
	}
	if at >= 0 {
		keep[at] = true
	}
}

// isTitle reports whether a block that is no heading has the text with which the title of the page begins or ends. The
// rest of the title is the name of the site.
func (p *Page) isTitle(i int) bool {
	b := &p.Blocks[i]
	if b.words == 0 || b.inTitle < b.words || b.stripped {
		return false
	}
	text := strings.Join(strings.Fields(p.Text(i)), " ")
	return slices.ContainsFunc(p.ix.notes, func(n *html.Node) bool {
		if n.DataAtom != atom.Title || n.FirstChild == nil {
			return false
		}
		title := strings.Join(strings.Fields(n.FirstChild.Data), " ")
		rest, ok := strings.CutPrefix(title, text)
		if !ok {
			rest, ok = strings.CutSuffix(title, text)
		}
		return ok && (rest == "" || strings.ContainsAny(rest, "|-–—·•:»«/"))
	})
}

// head keeps the heading directly before the first kept block. If the first kept block is a heading
// too, the heading before it has to be of a higher rank and consist mostly of words of the page's title.
func (p *Page) head(keep []bool) {
	i := slices.Index(keep, true)
	if i <= 0 {
		return
	}
	b, first := &p.Blocks[i-1], &p.Blocks[i]
	if b.level == 0 || b.words == 0 || b.stripped || !p.leadsNowhere(b) {
		return
	}
	if first.level == 0 || b.level < first.level && 2*b.inTitle >= b.words {
		keep[i-1] = true
	}
}

// dropBare drops doubtful headings over lists of links that are left out, such as "Read also". On pages about services,
// the truths have half of such headings, so they stay.
func (p *Page) dropBare(keep []bool, scores []float32) {
	const least, longest = 3, 12 // blocks of a list, and words of a heading that is not a title
	doubtful := float32(.5)
	switch {
	case p.kinds[Article] >= .4:
		doubtful = .7
	case p.kind() == Service:
		return
	}
	for i := len(keep) - 1; i > 0; i-- { // from the end on, so that a section is without its own sections
		if s := p.bare(keep, i); i+least < s && scores[i] < doubtful && p.Blocks[i].words <= longest {
			lo, hi := p.Blocks[i+1].First, p.Blocks[s-1].End
			if runes := p.ix.runes[hi] - p.ix.runes[lo]; 2*(p.ix.linked[hi]-p.ix.linked[lo]) >= runes {
				keep[i] = false
			}
		}
	}
}

// bare returns the end of the section of heading i if the heading is kept and no text of its section is. Otherwise it
// returns 0. Titles of pages and of records do not count.
func (p *Page) bare(keep []bool, i int) int {
	b := &p.Blocks[i]
	if !keep[i] || b.level < 2 || b.linked > 0 {
		return 0
	}
	end, node := p.sectionOf(i)
	if end == i+1 || slices.Contains(keep[i+1:end], true) {
		return 0
	}
	at, _ := slices.BinarySearch(p.ix.folds, b.End)
	if at < len(p.ix.folds) && p.ix.folds[at] < node { // an answer
		return 0
	}
	return end
}

// sectionOf returns the ends of the blocks and of the nodes that heading i stands over: up to the next heading of its
// level or of a higher rank, in the smallest element around the heading that has a block after it.
func (p *Page) sectionOf(i int) (end int, node int32) {
	const levels = 4
	id, hi := p.Blocks[i].home, int32(0)
	for range levels {
		id = p.parent[id]
		if _, hi = p.span(id); int(hi) > i+1 {
			break
		}
	}
	for j := i + 1; j < int(hi); j++ {
		p.steps.Take(1)
		if b := &p.Blocks[j]; b.level > 0 && b.level <= p.Blocks[i].level {
			return j, b.First
		}
	}
	return max(int(hi), i+1), p.ix.End[id]
}

// below adds to doubts what is left out below headings that are kept, if that is 20 words or more in all.
func (p *Page) below(keep []bool, doubts []Doubt) []Doubt {
	const least = 20
	all, words, scores := slices.Clip(doubts), int32(0), p.scores[len(keep):]
	for i := 0; i < len(keep); i++ {
		for end := p.bare(keep, i); i+1 < end; i++ {
			b := &p.Blocks[i+1]
			if b.words > 0 && !b.apart && (doubts == nil || b.stripped || scores[i+1] < doubtful) {
				all, words = append(all, Doubt{ID: b.home, Words: int(b.words)}), words+b.words
			}
		}
	}
	if words < least {
		return doubts
	}
	return all
}
