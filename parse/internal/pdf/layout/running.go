// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/curlew/internal/sorting"
	"example.com/curlew/parse/internal/pdf/content"
)

// margin is the share of the page height, at top and bottom, where running
// headers and footers stand.
const margin = .12

// wideMargin is that share for the first and the last line of a page,
// because TeX sets running headers lower.
const wideMargin = .16

// leastPages is the number of pages from which repetition is evidence.
const leastPages = 3

// candidate is a line in the top or bottom margin.
type candidate struct {
	page, line int
	shape      string // the text in lower case, with each number as #
	title      string // the text in the form of [Key]
	y          float64
	top        bool
	number     int   // the page number in the text; -1 if there is none
	numbers    []int // all numbers in the text
	bare       bool  // the text is only a page number
	words      bool  // the text has letters or digits
	size       float64
	apart      bool  // white space separates it from the body
	twin       bool  // the body has another line that differs in its numbers only
	artifact   bool  // the document marks it as an artifact, which is not content
	next       []int // indexes of the lines next to it towards the body that may belong to it: column headings, or a line of its paragraph
}

// running finds running headers and footers: lines that repeat at the same
// height in a margin, page numbers that increase with the pages, and lines
// there that the document marks as artifacts. A document without other text
// has none, because nothing would be left of it. The keys of the result are
// the index of the page and of the line.
func running(pages []*Page, s *Styles, outline Outline) map[[2]int]Kind {
	found := map[[2]int]Kind{}
	switch {
	case len(pages) >= leastPages:
		cands := marginLines(pages, s)
		values := repeated(pages, cands, found)
		counting(pages, cands, found)
		cands = sorting.Without(cands, func(c candidate) bool { return values[[2]int{c.page, c.line}] })
		chapters(pages, cands, s, outline, found)
	case len(pages) == 2:
		pair(pages, marginLines(pages, s), found)
	}
	if len(pages) < leastPages {
		for i, p := range pages {
			p.unpack()
			single(p, i, marginLines(pages, s), s.Body, found)
		}
	}
	for i, p := range pages {
		for _, line := range p.survey().sides {
			found[[2]int{i, line}] = Running
		}
	}
	artifacts(pages, found)
	rest := 0 // other lines with letters or digits
	for i, p := range pages {
		rest += p.survey().texts
		for _, c := range p.survey().margin {
			if _, ok := found[[2]int{i, c.line}]; ok && c.words {
				rest--
			}
		}
	}
	if rest == 0 {
		return nil
	}
	return found
}

// takeRunning removes the lines in found from page p, which has index at,
// and returns them as blocks. A line inside a ruled cell stays, because it
// is the header of a table that continues.
func (p *Page) takeRunning(at int, found map[[2]int]Kind) []Block {
	if len(found) == 0 {
		return nil
	}
	var out []Block
	rest := p.Lines[:0]
	for i := range p.Lines {
		l := &p.Lines[i]
		kind, ok := found[[2]int{at, i}]
		if !ok || p.encloses(&l.Box) {
			if rest = rest[:len(rest)+1]; len(rest) <= i {
				rest[len(rest)-1] = *l
			}
			continue
		}
		b := Block{Kind: kind, Page: p.Number, Box: l.Box, Lines: []Line{*l}, Conf: 1}
		if (l.Box.Y0+l.Box.Y1)/2 > p.Height/2 {
			b.Level = 1 // a footer
		}
		out = append(out, b)
	}
	clear(p.Lines[len(rest):])
	p.Lines = rest
	return out
}

// marginLines returns the lines in the margins of all pages. It leaves out
// large text, which is the title of a slide and not a header.
func marginLines(pages []*Page, s *Styles) []candidate {
	var out []candidate
	for pi, p := range pages {
		for _, c := range p.survey().margin {
			if c.size > 1.5*s.Body && c.size > 14 {
				continue
			}
			c.page = pi
			out = append(out, c)
		}
	}
	return out
}

// encloses reports whether p has ruling lines on all four sides of a box, as
// around a table cell.
func (p *Page) encloses(b *content.Box) bool {
	hs, vs := p.edges()
	x, y := (b.X0+b.X1)/2, (b.Y0+b.Y1)/2
	sides := func(es []edge, at, along float64) bool {
		before, behind := false, false
		for _, e := range es {
			if along >= e.lo && along <= e.hi {
				before, behind = before || e.at < at, behind || e.at > at
			}
		}
		return before && behind
	}
	return sides(vs, x, y) && sides(hs, y, x)
}

// shapeOf returns a text with its numbers replaced by #, the first number in
// it, and whether the text is only a number.
func shapeOf(text string) (shape string, number int, bare bool) {
	var b strings.Builder
	number = -1
	digits := 0
	value := 0
	for _, r := range strings.ToLower(text) {
		if unicode.IsDigit(r) {
			if digits == 0 {
				b.WriteByte('#')
				value = 0
			}
			digits++
			if r < 0x80 && digits < 7 {
				value = value*10 + int(r-'0')
			}
			continue
		}
		if digits > 0 && number < 0 {
			number = value
		}
		digits = 0
		b.WriteRune(r)
	}
	if digits > 0 && number < 0 {
		number = value
	}
	shape = b.String()
	trimmed := strings.Trim(shape, " -–—|.·•[]()")
	if isRoman(trimmed) {
		return "#roman", roman(trimmed), true
	}
	return shape, number, trimmed == "#" || trimmed == "page #" || trimmed == "page # of #" || trimmed == "# of #" || trimmed == "# / #" || trimmed == "#/#"
}

// numbersOf returns the numbers in a text, in the order of the # in its shape.
func numbersOf(text string) []int {
	var out []int
	digits := 0
	for _, r := range text {
		if !unicode.IsDigit(r) {
			digits = 0
			continue
		}
		if digits++; digits == 1 {
			out = append(out, 0)
		}
		if last := &out[len(out)-1]; r < 0x80 && digits < 10 {
			*last = *last*10 + int(r-'0')
		}
	}
	return out
}

// roman returns the value of a Roman numeral in lower case.
func roman(s string) int {
	values := map[byte]int{'i': 1, 'v': 5, 'x': 10}
	sum := 0
	for i := range len(s) {
		v := values[s[i]]
		if i+1 < len(s) && v < values[s[i+1]] {
			sum -= v
		} else {
			sum += v
		}
	}
	return sum
}

// repeated finds lines with the same shape and the same height, within 3 pt,
// on half of all pages or half of the odd or even pages. It returns the lines
// that only look so: their numbers are values that differ from page to page, as
// in forms, or they are column headings or lines of a paragraph.
func repeated(pages []*Page, cands []candidate, found map[[2]int]Kind) (values map[[2]int]bool) {
	values = map[[2]int]bool{}
	groups := map[string][]candidate{}
	var slots [][]candidate
	for _, c := range cands {
		if utf8.RuneCountInString(c.shape) < 1 {
			continue
		}
		groups[c.shape] = append(groups[c.shape], c)
	}
	for _, g := range groups {
		sorting.Stable(g, func(a, b candidate) int { return compare(a.y, b.y) })
		for i := 0; i < len(g); {
			j := i + 1
			for j < len(g) && g[j].y-g[j-1].y <= 3 {
				j++
			}
			slot := g[i:j]
			switch i = j; {
			case !often(pages, slot):
			case !counted(pages, slot) || twins(slot):
				for _, c := range slot {
					values[[2]int{c.page, c.line}] = true
				}
			default:
				for _, c := range slot {
					kind := Running
					if c.bare {
						kind = PageNumber
					}
					found[[2]int{c.page, c.line}] = kind
				}
				slots = append(slots, slot)
			}
		}
	}
	attached(slots, found, values)
	return values
}

// clock matches the shape of a text with a time of day, which differs a little
// from page to page if it says when the document was printed.
var clock = regexp.MustCompile(`#:#`)

// twins reports whether most lines of a slot have others like them in the body of their page.
func twins(slot []candidate) bool {
	n := 0
	for i := range slot {
		n += count(slot[i].twin)
	}
	return 2*n > len(slot)
}

// counted reports whether the numbers of lines with the same shape are those of
// running lines: they are the same on all pages, or one of them counts the
// pages and none of them gets smaller. Numbers of chapters and pages may begin
// again, on at most a tenth of the pages. It sorts the lines by page.
func counted(pages []*Page, slot []candidate) bool {
	sorting.Stable(slot, func(a, b candidate) int { return cmp.Or(cmp.Compare(a.page, b.page), cmp.Compare(a.line, b.line)) })
	rises, falls := 0, 0
	for i := 1; i < len(slot); i++ {
		switch d := slices.Compare(slot[i-1].numbers, slot[i].numbers); {
		case d < 0:
			rises++
		case d > 0:
			falls++
		}
	}
	switch {
	case rises+falls == 0:
		return true
	case falls*10 > len(slot):
		return false
	case slot[0].bare || clock.MatchString(slot[0].shape) || rises == len(slot)-1 && rises >= leastPages:
		return true
	}
	for k := range slot[0].numbers {
		offsets := map[int]int{}
		for _, c := range slot {
			if k >= len(c.numbers) {
				continue // a # in the text itself
			}
			o := c.numbers[k] - pages[c.page].Number
			if offsets[o]++; offsets[o]*2 > len(slot) {
				return true
			}
		}
	}
	return false
}

// leastHeads is the number of texts in a row from which a line directly above
// the row may be part of the headings of its columns.
const leastHeads = 3

// leastProse is the number of words of a line from which it may be part of a
// paragraph that begins or ends in a margin.
const leastProse = 6

// attached takes from found, and adds to values, the slots that belong to the body
// on at least half of their pages: the headings of a table, or the first lines of
// them, and lines of paragraphs.
func attached(slots [][]candidate, found map[[2]int]Kind, values map[[2]int]bool) {
	outwards := func(slot []candidate) float64 {
		if slot[0].top {
			return -slot[0].y
		}
		return slot[0].y
	}
	// A line may belong to one that belongs to the body, so those near the body come first.
	sorting.Stable(slots, func(a, b []candidate) int { return compare(outwards(a), outwards(b)) })
	for _, slot := range slots {
		n := 0
		for _, c := range slot {
			body := 0
			for _, i := range c.next {
				if _, ok := found[[2]int{c.page, i}]; !ok {
					body++
				}
			}
			n += count(body*2 > len(c.next))
		}
		if n*2 < len(slot) {
			continue
		}
		for _, c := range slot {
			at := [2]int{c.page, c.line}
			delete(found, at)
			values[at] = true
		}
	}
}

// chapters finds running headers that change with the chapter or section.
// They have the same height and size on half of all pages or half of the odd
// or even pages, are not larger than the body text, and are separated from
// it. Most of them must occur on several pages or be titles of the outline.
func chapters(pages []*Page, cands []candidate, s *Styles, outline Outline, found map[[2]int]Kind) {
	type look struct {
		top  bool
		size float64
	}
	slots := map[look][]candidate{}
	for _, c := range cands {
		if c.apart && c.shape != "" && c.size <= 1.05*s.Body {
			k := look{c.top, math.Round(c.size * 2)}
			slots[k] = append(slots[k], c)
		}
	}
	for _, g := range slots {
		sorting.Stable(g, func(a, b candidate) int { return compare(a.y, b.y) })
		for i := 0; i < len(g); {
			j := i + 1
			for j < len(g) && g[j].y-g[j-1].y <= 3 {
				j++
			}
			if slot := g[i:j]; often(pages, slot) && outline.known(slot) {
				for _, c := range slot {
					if at := [2]int{c.page, c.line}; found[at] != PageNumber {
						found[at] = Running
					}
				}
			}
			i = j
		}
	}
}

// known reports whether most lines of a slot are titles of the outline or
// occur there on other pages too. Numbers are ignored.
func (o Outline) known(slot []candidate) bool {
	on := map[string]map[int]bool{} // pages of each text
	for _, c := range slot {
		if on[c.title] == nil {
			on[c.title] = map[int]bool{}
		}
		on[c.title][c.page] = true
	}
	all, known := 0, 0
	for _, c := range slot {
		if c.bare || c.title == "" {
			continue
		}
		all++
		known += count(len(on[c.title]) > 1 || o[c.title] > 0)
	}
	return all > 0 && 10*known >= 6*all
}

// pair finds running lines of a document of two pages. Repetition alone is
// weak evidence there, so the page numbers must be consecutive and at the
// same height, and the other lines must stand beside them.
func pair(pages []*Page, cands []candidate, found map[[2]int]Kind) {
	texts := make([]candidate, 0, len(cands))
	for _, c := range cands {
		if !c.bare {
			texts = append(texts, c)
			continue
		}
		for _, o := range cands {
			if o.bare && o.page != c.page && o.top == c.top && math.Abs(o.y-c.y) <= 3 && c.number >= 0 &&
				o.number-c.number == pages[o.page].Number-pages[c.page].Number {
				found[[2]int{c.page, c.line}] = PageNumber
			}
		}
	}
	if len(found) > 0 {
		repeated(pages, texts, found)
	}
}

// often reports whether the candidates occur on half of all pages, or on
// half of the odd or even pages, and on at least three. In a short document
// two are enough.
func often(pages []*Page, g []candidate) bool {
	seen := map[int]bool{}
	var parity [2]int
	for _, c := range g {
		if !seen[c.page] {
			seen[c.page] = true
			parity[c.page%2]++
		}
	}
	n := len(pages)
	all := parity[0] + parity[1]
	least := 3
	if n < 5 {
		least = 2
	}
	if all < least {
		return false
	}
	return all*2 >= n || parity[0]*2 >= (n+1)/2 && parity[1] == 0 || parity[1]*2 >= n/2 && parity[0] == 0
}

// counting finds numbers that increase with the pages.
func counting(pages []*Page, cands []candidate, found map[[2]int]Kind) {
	type key struct {
		top    bool
		offset int
	}
	groups := map[key][]candidate{}
	for _, c := range cands {
		if c.bare && c.number >= 0 {
			k := key{c.top, c.number - pages[c.page].Number}
			groups[k] = append(groups[k], c)
		}
	}
	for _, g := range groups {
		seen := map[int]bool{}
		for _, c := range g {
			seen[c.page] = true
		}
		if len(seen) >= 3 || len(seen)*2 >= len(pages) && len(seen) > 1 {
			for _, c := range g {
				found[[2]int{c.page, c.line}] = PageNumber
			}
		}
	}
}

// artifacts finds lines in the margins that the document marks as artifacts.
func artifacts(pages []*Page, found map[[2]int]Kind) {
	for pi, p := range pages {
		for _, c := range p.survey().margin {
			if _, ok := found[[2]int{pi, c.line}]; !c.artifact || ok {
				continue
			}
			kind := Running
			if c.bare {
				kind = PageNumber
			}
			found[[2]int{pi, c.line}] = kind
		}
	}
}
