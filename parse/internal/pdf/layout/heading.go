// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"context"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/curlew/internal/sorting"
)

// Styles describes the text of the whole document.
type Styles struct {
	Body float64 // font size of most characters
	bold float64 // share of characters that are bold

	largest   float64 // largest font size
	boldHeads int     // number of bold paragraphs of one short line
	tagged    bool    // the structure tree marks the headings
}

// stylesOf collects the styles of all pages.
func stylesOf(pages []*Page) Styles {
	chars := map[float64]int{}
	var s Styles
	bold, all := 0, 0
	for _, p := range pages {
		seen := p.survey()
		for _, z := range seen.sizes {
			chars[z.size] += z.chars
			s.largest = max(s.largest, z.size)
		}
		bold += seen.bold
		all += seen.chars
	}
	best := 0
	for size, n := range chars {
		if n > best || n == best && size < s.Body {
			s.Body, best = size, n
		}
	}
	if all > 0 {
		s.bold = float64(bold) / float64(all)
	}
	return s
}

// headings marks the paragraphs that are headings. The function levelled
// sets their levels.
func headings(ctx context.Context, blocks []Block, s *Styles, outline Outline) {
	for i := range blocks {
		b := &blocks[i]
		if b.Kind == Paragraph && len(b.Lines) == 1 && s.bold < .5 && b.allBold() && b.Lines[0].count() < 12 {
			if all, _ := letters(b.Lines[0].Text()); all > 3 {
				s.boldHeads++
			}
		}
	}
	for i := range blocks {
		if i%pollEvery == 0 && ctx.Err() != nil {
			return
		}
		b := &blocks[i]
		if b.Kind != Paragraph || len(b.Lines) == 0 || b.Lines[0].Turn != 0 || b.Tagged && s.tagged {
			continue
		}
		if len(b.Lines) <= 4 && len(outline) > 0 && outline[Key(b.Text())] > 0 {
			b.Kind, b.Conf = Heading, 1
			continue
		}
		if score := headingScore(blocks, i, s); score >= .5 {
			b.Kind = Heading
			b.Conf = min(1, score)
		}
	}
	numbered(blocks, s)
	for i := range blocks {
		if opens(blocks, i) {
			blocks[i].Kind, blocks[i].Conf = Heading, .6
		}
	}
}

// numbered marks numbered lines as headings if they are larger than the body
// text and in the same style as numbered headings of their depth. It finds
// headings that lack other signs, because they contain a name in another
// font or stand at the end of a page.
func numbered(blocks []Block, s *Styles) {
	type style struct {
		depth int
		size  float64 // in half points
	}
	styleOf := func(b *Block) (style, bool) {
		if len(b.Lines) == 0 || len(b.Lines) > 2 {
			return style{}, false
		}
		depth, _ := section(b.Lines[0].Text())
		if depth == 0 || b.Size() < 1.05*s.Body {
			return style{}, false
		}
		text := b.Text()
		_, rest := section(text)
		return style{depth, math.Round(2 * b.Size())}, startsUpper(rest) && len(strings.Fields(rest)) <= 12 && !ends(text)
	}
	known := map[style]bool{}
	for i := range blocks {
		if blocks[i].Kind == Heading {
			if st, ok := styleOf(&blocks[i]); ok {
				known[st] = true
			}
		}
	}
	for i := range blocks {
		b := &blocks[i]
		if b.Kind != Paragraph || b.label || b.Tagged && s.tagged {
			continue
		}
		if st, ok := styleOf(b); ok && known[st] {
			b.Kind, b.Conf = Heading, .6
		}
	}
}

// opens reports whether block i is a chapter number or a similar short text
// directly above a heading, with the same weight and at least the same size.
func opens(blocks []Block, i int) bool {
	b := &blocks[i]
	if b.Kind != Paragraph || len(b.Lines) != 1 || b.Lines[0].count() > 3 || b.Tagged || b.Lines[0].Turn != 0 || !hasAlnum(b.Text()) {
		return false
	}
	if i+1 == len(blocks) || blocks[i+1].Kind != Heading || blocks[i+1].Page != b.Page || len(blocks[i+1].Lines) == 0 {
		return false
	}
	h := &blocks[i+1]
	gap := h.Box.Y0 - b.Box.Y1
	return gap > -.2*h.Size() && gap < 2.5*b.Size() && b.Size() >= .95*h.Size() && b.allBold() == h.allBold() &&
		(b.allBold() || b.Size() > 1.5*h.Size())
}

// headingScore weighs the evidence that block i is a heading: size, weight,
// capitals, number and isolation.
func headingScore(blocks []Block, i int, s *Styles) float64 {
	b := &blocks[i]
	if len(b.Lines) > 4 {
		return 0
	}
	text := b.Text()
	words := wordsIn(text)
	all, upper := letters(text)
	if all < 2 || words > 24 || strings.Contains(text, " . . .") || strings.Contains(text, "....") {
		return 0
	}
	if float64(all) < .4*float64(utf8.RuneCountInString(text)-strings.Count(text, " ")) {
		return 0
	}
	ratio := b.Size() / max(1, s.Body)
	bold := b.allBold() && s.bold < .5
	title := ratio > 1.35 && s.titles(blocks, i)
	score := 0.0
	switch {
	case ratio > 1.7:
		score += .8
	case ratio > 1.35:
		score += .6
	case ratio > 1.15:
		score += .5
	case ratio > 1.08:
		score += .3
	case ratio < .92 && !bold, ratio < .6:
		score -= .3
	}
	if bold {
		score += weightOf(blocks, i)
	} else {
		score -= plain(blocks, i, s, title)
	}
	if words > 1 && all < 2*words {
		score -= .8 // spaced single letters are not words
	}
	if upper*10 >= all*9 && all > 3 && words <= 10 {
		score += .25
	}
	if d, rest := section(text); d > 0 && startsUpper(rest) {
		score += .2
	}
	if captioned(text) {
		score -= .5
	}
	if isImprint(text) || byline(b) {
		score -= .7
	}
	if ends(text) && words > 2 && !strings.HasSuffix(text, "?") && !strings.HasSuffix(text, ":") {
		score -= .35
	}
	if words > 12 {
		score -= .2
	}
	if startsLower(text) && (i == 0 || blocks[i-1].Kind != Heading) {
		score -= .3
	}
	if strings.HasSuffix(text, ",") || strings.HasSuffix(text, "-") {
		score -= .4
	}
	if mark, _ := marker(text); mark != "" && strings.Contains(bullets, mark) {
		score -= .5
	}
	if !follows(blocks, i) {
		score -= .3
	}
	return score
}

// plain returns the evidence against block i, which is not bold, being a
// heading.
func plain(blocks []Block, i int, s *Styles, title bool) float64 {
	against := 0.0
	if s.boldHeads > 0 && !title { // the headings of the document are bold, so this is display text
		against += .25
	}
	if blocks[i].label {
		against += .6
	}
	if !title && !anchored(blocks, i) { // a label in a picture or a name on a title page
		against += .3
	}
	return against
}

// titles reports whether block i is the document title: the first text, in
// the largest size, with nothing beside it. The next block must overlap it
// horizontally, because a logo stands to the side of other text.
func (s *Styles) titles(blocks []Block, i int) bool {
	b := &blocks[i]
	if b.Page != 1 || b.Size() < .95*s.largest || flanked(blocks, i) || i+1 == len(blocks) {
		return false
	}
	if o := &blocks[i+1]; o.Page == 1 && min(o.Box.X1, b.Box.X1) <= max(o.Box.X0, b.Box.X0) {
		return false
	}
	for k := range blocks[:i] {
		switch blocks[k].Kind {
		case Running, PageNumber, Figure:
		default:
			return false
		}
	}
	return true
}

// weightOf returns how much bold type counts for block i being a heading. It
// counts most for one line, and least for several lines beside other text.
func weightOf(blocks []Block, i int) float64 {
	switch {
	case len(blocks[i].Lines) == 1:
		return .55
	case flanked(blocks, i):
		return .4
	}
	return .5
}

// flanked reports whether another block stands beside block i, as with
// column headings.
func flanked(blocks []Block, i int) bool {
	b := &blocks[i]
	for k := max(0, i-4); k < min(len(blocks), i+5); k++ {
		o := &blocks[k]
		if k != i && o.Page == b.Page && min(o.Box.Y1, b.Box.Y1)-max(o.Box.Y0, b.Box.Y0) > .5*min(o.Box.Height(), b.Box.Height()) {
			return true
		}
	}
	return false
}

// anchored reports whether a table, code, or text closely below follows block i.
// The text is running text, or a heading that block i may introduce.
func anchored(blocks []Block, i int) bool {
	b := &blocks[i]
	for k := i + 1; k < min(len(blocks), i+4); k++ {
		o := &blocks[k]
		if o.Page != b.Page || o.Kind == TableBlock || o.Kind == Code {
			return o.Kind != Paragraph
		}
		if o.Kind != Paragraph && o.Kind != Heading || len(o.Lines) == 0 {
			continue
		}
		gap := o.Box.Y0 - b.Box.Y1
		return gap > -2 && gap < 6*b.Size() && (len(o.Lines) > 1 || o.allBold() || wordsIn(o.Text()) >= 8)
	}
	return false
}

// follows reports whether block i is followed by content that it can be the
// heading of.
func follows(blocks []Block, i int) bool {
	for k := i + 1; k < min(len(blocks), i+4); k++ {
		switch blocks[k].Kind {
		case Running, PageNumber:
		default:
			return true
		}
	}
	return false
}

//go:noinline
func (b *Block) allBold() bool {
	for i := range b.Lines {
		if !b.Lines[i].bold() {
			return false
		}
	}
	return true
}

func startsUpper(s string) bool {
	s = strings.TrimLeft(s, "\"'“‘([")
	r, _ := utf8.DecodeRuneInString(s)
	return s != "" && !startsLower(s) && strings.ToUpper(string(r)) == string(r)
}

// captioned reports whether a text begins like a caption.
func captioned(s string) bool {
	word, rest, ok := strings.Cut(s, " ")
	if !ok {
		return false
	}
	switch strings.ToLower(strings.TrimRight(word, ".:")) {
	case "figure", "fig", "table", "tab", "listing", "chart", "plate", "diagram", "abbildung", "abb", "tabelle", "figura", "tabla", "tableau", "exhibit", "scheme", "box":
	default:
		return false
	}
	next, _, _ := strings.Cut(rest, " ")
	next = strings.TrimRight(next, ".:)")
	if next == "" || isRoman(next) || len(next) == 1 {
		return next != ""
	}
	if len(next) > 1 && next[0] >= 'A' && next[0] <= 'Z' { // of an appendix: A.1, A4-12, B-3
		next = strings.TrimLeft(next[1:], ".-–")
	}
	return next != "" && next[0] >= '0' && next[0] <= '9'
}

// tiers are the distinct sizes of headings, largest first. Sizes that differ
// by less than 7 % count as one.
type tiers []float64

func tiersOf(blocks []Block) tiers {
	var all []float64
	for i := range blocks {
		if blocks[i].Kind == Heading {
			all = append(all, blocks[i].Size())
		}
	}
	slices.Sort(all)
	var out tiers
	for _, s := range slices.Backward(all) {
		if n := len(out); n == 0 || s < .93*out[n-1] {
			out = append(out, s)
		}
	}
	return out
}

// tier returns the size in t that s belongs to.
func (t tiers) tier(s float64) float64 {
	for _, top := range t {
		if s >= .93*top {
			return top
		}
	}
	return s
}

// levelled sets the levels of all headings: from the section number if there
// is one, otherwise from the rank of the style. A level is at most one
// deeper than the one before.
func levelled(blocks []Block, outline Outline) {
	type style struct {
		size float64
		bold bool
		caps bool
	}
	sizes := tiersOf(blocks)
	styleOf := func(b *Block) style {
		text := b.Text()
		all, upper := letters(text)
		return style{sizes.tier(b.Size()), b.allBold(), upper*10 >= all*9}
	}
	seen := map[style]bool{}
	var ranks []style
	for i := range blocks {
		if blocks[i].Kind == Heading {
			if st := styleOf(&blocks[i]); !seen[st] {
				seen[st] = true
				ranks = append(ranks, st)
			}
		}
	}
	weight := func(st style) float64 {
		w := st.size
		if st.bold {
			w += .4
		}
		if st.caps {
			w += .2
		}
		return w
	}
	sorting.Stable(ranks, func(a, b style) int { return compare(weight(b), weight(a)) })
	level := map[style]int{}
	for i, st := range ranks {
		level[st] = min(6, i+1)
	}
	given := map[style]int{} // each style has one level
	last, base := 0, 0
	under := titled(blocks, outline)
	for i := range blocks {
		b := &blocks[i]
		if b.Kind != Heading {
			continue
		}
		if b.Tagged && b.Level > 0 {
			last = b.Level
			continue
		}
		st := styleOf(b)
		if given[st] == 0 {
			given[st] = min(level[st], last+1)
		}
		b.Level = given[st]
		if d, _ := section(b.Text()); d > 0 {
			if base == 0 { // the level of headings with a number without a point
				base = max(1, b.Level-d+1)
			}
			b.Level = min(6, base+d-1)
		}
		if d := outline[Key(b.Text())]; d > 0 {
			b.Level = min(6, d+under)
		}
		b.Level = max(1, min(b.Level, last+1))
		last = b.Level
	}
}

// titled returns 1 if the first heading is the document title and the
// outline begins below it: the title is not in the outline and is larger
// than all headings that are. Otherwise it returns 0.
func titled(blocks []Block, outline Outline) int {
	if len(outline) == 0 {
		return 0
	}
	first, largest := 0.0, 0.0
	for i := range blocks {
		b := &blocks[i]
		switch {
		case b.Kind != Heading:
		case outline[Key(b.Text())] > 0:
			largest = max(largest, b.Size())
		case first == 0 && largest == 0:
			first = b.Size()
		}
	}
	if largest > 0 && first > 1.1*largest {
		return 1
	}
	return 0
}

// Key returns a title in the form used to look it up in an outline:
// lower-case letters and digits, without a leading section number.
func Key(title string) string {
	title = strings.ToLower(strings.TrimSpace(title))
	if d, rest := section(title); d > 0 && rest != "" {
		title = rest
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, title)
}

// titles joins consecutive headings of one style if the second continues the
// first, as in a title of several lines.
func titles(blocks []Block) []Block {
	out := blocks[:0]
	for i := range blocks {
		b := &blocks[i]
		if n := len(out); n > 0 && b.Kind == Heading && !b.Tagged && out[n-1].Kind == Heading && !out[n-1].Tagged && out[n-1].Page == b.Page {
			p := &out[n-1]
			same := math.Abs(p.Size()-b.Size()) < .5 && p.allBold() == b.allBold()
			gap := b.Lines[0].Y - p.Lines[len(p.Lines)-1].Y
			text := p.Text()
			if same && gap > 0 && gap < 4*b.Size() && (startsLower(b.Text()) || strings.HasSuffix(text, ",") || strings.HasSuffix(text, "&")) {
				p.Lines = append(p.Lines, b.Lines...)
				p.Box = p.Box.Union(b.Box)
				continue
			}
		}
		out = append(out, *b)
	}
	return out
}
