// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/curlew/internal/sorting"
	"example.com/curlew/parse/internal/pdf/content"
)

// rejoin prepends list markers, section numbers and texts with a leader that stand in a segment
// of their own to the text that they belong to.
func rejoin(lines []Line) []Line {
	idx := make([]int, len(lines))
	for i := range idx {
		idx[i] = i
	}
	sorting.Stable(idx, func(a, b int) int {
		return cmp.Or(compare(math.Round(lines[a].Y), math.Round(lines[b].Y)), compare(lines[a].Box.X0, lines[b].Box.X0))
	})
	gone := make([]bool, len(lines))
	for k := range idx {
		a := &lines[idx[k]]
		if gone[idx[k]] || a.Turn != 0 {
			continue
		}
		least := 0.0
		if len(a.Words) > 2 || !isLabel(a.Text()) {
			if !a.leads() {
				continue
			}
			least = -a.Size // the last dot may be cut off
		}
		for n := max(0, k-3); n < min(k+4, len(idx)); n++ {
			b := &lines[idx[n]]
			gap := b.Box.X0 - a.Box.X1
			if b.RTL {
				gap = a.Box.X0 - b.Box.X1
			}
			if n == k || n < k && !b.RTL || gone[idx[n]] || b.Turn != 0 || math.Abs(a.Y-b.Y) > .35*b.Size || gap < least || gap > 4.5*b.Size {
				continue
			}
			b.Words = append(slices.Clone(a.Words), b.Words...)
			b.Words[len(a.Words)].Glue = false
			b.Box = b.Box.Union(a.Box)
			gone[idx[k]] = true
			break
		}
	}
	if !slices.Contains(gone, true) {
		return lines
	}
	out := lines[:0:0]
	for i := range lines {
		if !gone[i] {
			out = append(out, lines[i])
		}
	}
	return out
}

// leads reports whether a line ends in a leader of dots.
func (l *Line) leads() bool {
	last, _ := utf8.DecodeLastRuneInString(l.Words[len(l.Words)-1].Text)
	return strings.ContainsRune(".…·", last) && led(l.Text())
}

// isLabel reports whether s is only a list marker or section number.
func isLabel(s string) bool {
	if mark, rest := marker(s); mark != "" && rest == "" {
		return true
	}
	depth, rest := section(s + " x")
	return depth > 0 && rest == "x"
}

// grouper joins lines in reading order into paragraphs.
type grouper struct {
	lines []Line
	rules []edge  // horizontal lines of the page; nil if they are not known
	lead  float64 // usual distance between baselines on the page, in font sizes
	deep  int     // number of lines that begin to the right of the line before
	out   []Block
	texts [2]lineText // of the lines that were compared last
	first lineText    // of the last block, by the number of blocks
}

// lineText is the text of the line with an index.
type lineText struct {
	line int
	text string
}

// text returns the text of a line, which is compared with the lines before and after it.
func (g *grouper) text(line int) string {
	t := &g.texts[line%2]
	if t.text == "" || t.line != line {
		*t = lineText{line, g.lines[line].Text()}
	}
	return t.text
}

// opening returns the text of the first line of b, which is the last block.
func (g *grouper) opening(b *Block) string {
	if g.first.text == "" || g.first.line != len(g.out) {
		g.first = lineText{len(g.out), b.Lines[0].Text()}
	}
	return g.first.text
}

// group joins the ordered elements of a page into blocks. Blocks in whole,
// such as tables, are passed through.
func group(page int, es []element, lines []Line, rules []edge, whole []Block) []Block {
	g := grouper{lines: lines, rules: rules, out: blockSpace.get(fewBlocks)[:0]}
	g.lead = g.usualLead(es)
	prev := -1                       // index in es of the previous line
	room := make([]Line, 0, len(es)) // the lines of all blocks, which follow each other
	for i, e := range es {
		if e.line < 0 {
			b := whole[e.whole]
			b.Page = page
			g.out = append(g.out, b)
			prev = -1
			continue
		}
		l := &lines[e.line]
		if prev >= 0 && g.joins(es, prev, i) {
			b := &g.out[len(g.out)-1]
			if len(b.Lines) == 1 {
				b.lead = l.Y - b.Lines[0].Y
			}
			room = append(room, *l)
			b.Lines = room[len(room)-len(b.Lines)-1 : len(room) : len(room)]
			b.Box = b.Box.Union(l.Box)
		} else {
			room = append(room, *l)
			g.out = append(g.out, Block{Page: page, Box: l.Box, Lines: room[len(room)-1 : len(room) : len(room)]})
		}
		prev = i
	}
	out := slices.Clone(g.out)
	blockSpace.put(g.out)
	return out
}

// fewBlocks is more than the number of blocks of most pages.
const fewBlocks = 64

// printLead is the usual distance between baselines in print, in font sizes.
const printLead = 1.25

// usualLead returns the median distance between baselines within paragraphs,
// in font sizes. It measures pairs of lines where the first word of the
// lower one did not fit into the upper one. If there are few such pairs, the
// result is at most printLead.
func (g *grouper) usualLead(es []element) float64 {
	var all, within []float64
	for i := 1; i < len(es); i++ {
		if es[i].line < 0 || es[i-1].line < 0 {
			continue
		}
		a, b := &g.lines[es[i-1].line], &g.lines[es[i].line]
		g.deep += count(b.Box.X0 > a.Box.X0+.8*a.Size)
		if d := (b.Y - a.Y) / max(1, b.Size); d > .8 && d < 2.5 && math.Abs(a.Size-b.Size) < .5 {
			all = append(all, d)
			if _, right := g.column(es, i); a.Box.X1+b.least() > right {
				within = append(within, d)
			}
		}
	}
	switch {
	case len(within) > 1:
		return median(within)
	case len(all) < 3:
		return printLead
	}
	return min(median(all), printLead)
}

// least returns the width of the shortest unbreakable text at the start of a
// line: a word or an ideograph.
func (l *Line) least() float64 {
	w := &l.Words[0]
	if r, _ := utf8.DecodeRuneInString(w.Text); isCJK(r) {
		return w.Size
	}
	return w.Box.Width()
}

// joins reports whether line i continues the block of line k.
func (g *grouper) joins(es []element, k, i int) bool {
	p, l := &g.lines[es[k].line], &g.lines[es[i].line]
	b := &g.out[len(g.out)-1]
	if p.Turn != l.Turn || p.Turn != 0 {
		return p.Turn == l.Turn && p.Turn != slant && math.Abs(p.Size-l.Size) < .5
	}
	size := max(p.Size, l.Size)
	if math.Abs(p.Size-l.Size) > .09*size {
		return false
	}
	dy := l.Y - p.Y
	if math.Abs(dy) < .3*size { // pieces of one row
		gap := l.Box.X0 - p.Box.X1
		if l.RTL {
			gap = p.Box.X0 - l.Box.X1
		}
		return gap > 0 && gap < 3*size
	}
	limit := min(g.lead*1.3, 2.2) * size
	if b.lead > 0 {
		limit = min(limit, b.lead*1.25+.1*size)
	}
	if dy < .5*size || dy > limit || min(p.Box.X1, l.Box.X1)-max(p.Box.X0, l.Box.X0) <= 0 {
		return false
	}
	if g.ruled(p, l) {
		return false
	}
	text := g.text(es[i].line)
	if (p.bold() != l.bold() || p.fixed() != l.fixed()) && !g.completes(es, i, p, text) {
		return false
	}
	if mark, rest := marker(text); mark != "" && rest != "" {
		return false
	}
	if g.opensField(es, i, p, b) || opensNote(b, l) {
		return false
	}
	if d, _ := section(text); d > 1 && ends(p.Text()) {
		if first, _ := section(b.Lines[0].Text()); first == d {
			return false // numbered paragraphs
		}
	}
	return !g.breaks(es, k, i, b, text)
}

// ruled reports whether a horizontal line separates two lines of text. A line
// close to the upper one may underline it.
func (g *grouper) ruled(p, l *Line) bool {
	lo, hi := max(p.Box.X0, l.Box.X0), min(p.Box.X1, l.Box.X1)
	for _, h := range g.rules[sortSearch(g.rules, p.Y+.35*p.Size):] {
		if h.at > l.Y-.75*l.Size {
			return false
		}
		if h.lo < lo+1 && h.hi > hi-1 {
			return true
		}
	}
	return false
}

// opensField reports whether line i begins with the label of a field, as in
// "Date: 12 March". The block b must begin with a label in the same style, and
// the line p above must have room for the first word of the line, unless both
// lines have bold labels.
func (g *grouper) opensField(es []element, i int, p *Line, b *Block) bool {
	l := &g.lines[es[i].line]
	bold, ok := l.label()
	if !ok || l.RTL {
		return false
	}
	if above, ok := p.label(); ok && above && bold {
		return true
	}
	_, right := g.column(es, i)
	right = max(right, l.Box.X0+leastMeasure*l.Size)
	above, ok := b.Lines[0].label()
	return ok && above == bold && p.Box.X1+l.least()+widestSpace*l.Size < right
}

// opensNote reports whether a line below the first note in b is the next note: both begin
// with a mark of the same kind, and the numbers count on.
func opensNote(b *Block, l *Line) bool {
	first, next := b.Lines[0].noteMark(), l.noteMark()
	if first == "" || next == "" || len(b.Lines[0].Words) < 2 || len(l.Words) < 2 {
		return false
	}
	n, err := strconv.Atoi(first)
	m, err2 := strconv.Atoi(next)
	switch {
	case err != nil || err2 != nil:
		return err != nil && err2 != nil && first != next
	case b.Lines[0].Words[0].Rise > 0 && l.Words[0].Rise > 0:
		return true
	}
	return m == n+1
}

// noteMark returns the mark of a note with which a line begins: a word, or a number directly
// before a word. It returns "" if there is none.
func (l *Line) noteMark() string {
	text := l.Words[0].Text
	mark := noteMark(text)
	rest := []rune(text[len(mark):][:min(len(text)-len(mark), 2*utf8.UTFMax)])
	if len(rest) == 0 || len(rest) > 1 && isDigits(mark) && unicode.IsLetter(rest[0]) && unicode.IsLower(rest[1]) {
		return mark
	}
	return ""
}

// maxMark is the length in bytes of the longest mark of a note.
const maxMark = 6

// leastMeasure is the width in font sizes below which the lines around a field
// do not show how wide its column is.
const leastMeasure = 25

// maxFieldLabel is the maximum number of words in the label of a field.
const maxFieldLabel = 4

// label reports whether a line begins with the label of a field, a few words
// with a colon after them, and whether the label is bold. If it is, the value
// must not be.
func (l *Line) label() (bold, ok bool) {
	for k := range l.Words[:min(len(l.Words)-1, maxFieldLabel)] {
		w := &l.Words[k]
		if k > 0 && w.Bold() != l.Words[0].Bold() {
			return false, false
		}
		if !strings.HasSuffix(w.Text, ":") && !strings.HasSuffix(w.Text, "：") {
			continue
		}
		r, _ := utf8.DecodeRuneInString(l.Words[0].Text)
		bold = w.Bold()
		return bold, unicode.IsLetter(r) && !unicode.IsLower(r) && (!bold || !l.Words[k+1].Bold())
	}
	return false, false
}

// completes reports whether line i, in another style than line p above it,
// has the last words of p's sentence: p is full and does not end a sentence,
// and line i does.
func (g *grouper) completes(es []element, i int, p *Line, text string) bool {
	l := &g.lines[es[i].line]
	before := p.Text()
	r, _ := utf8.DecodeLastRuneInString(before)
	if !strings.HasSuffix(text, ".") || len(l.Words) > 3 || len(p.Words) < 4 || math.Abs(l.Box.X0-p.Box.X0) > .8*l.Size || !unicode.IsLetter(r) && r != ',' {
		return false
	}
	_, right := g.column(es, i)
	return p.Box.X1 > right-6*l.Size
}

// breaks reports whether a paragraph ends between two lines at normal
// distance, because of an indent or because the line before is short.
func (g *grouper) breaks(es []element, k, i int, b *Block, text string) bool {
	p, l := &g.lines[es[k].line], &g.lines[es[i].line]
	size := l.Size
	left, right := g.column(es, i)
	if center := (p.Box.X0 + p.Box.X1 - l.Box.X0 - l.Box.X1) / 2; math.Abs(center) < .5*size && math.Abs(p.Box.X0-l.Box.X0) > size {
		return false // centred
	}
	if l.RTL {
		left, right = -right, -left
	}
	start, end := l.Box.X0, p.Box.X1
	pstart := p.Box.X0
	if l.RTL {
		start, end, pstart = -l.Box.X1, -p.Box.X0, -p.Box.X1
	}
	before := g.text(es[k].line)
	short := end < right-.15*(right-left)
	if wrapsAnywhere(before, text) && start < pstart+.8*size {
		return short || ends(before) && end < right-2*size
	}
	first := before
	if len(b.Lines) > 1 {
		first = g.opening(b)
	}
	if _, rest := marker(first); rest != first { // list items have a hanging indent
		return short && ends(before) && start < pstart-.5*size
	}
	switch hangs := g.hangs(es, i); {
	case hangs && start < left+.3*size:
		return ends(before) || end+l.least()+size < right
	case hangs && start > left+.8*size && pstart < left+.3*size:
		return false
	}
	if indent := start - pstart; indent > .8*size {
		if len(b.Lines) == 1 && !ends(before) && !short {
			return false
		}
		return start > left+.8*size || ends(before)
	}
	return short && ends(before) && !startsLower(text) && len(b.Lines) > 1 && end < right-.25*(right-left)
}

// hangs reports whether the paragraphs around element i have hanging indents: full lines
// at the left edge of the column are followed by lines with an indent, and never by others at
// the edge.
func (g *grouper) hangs(es []element, i int) bool {
	if g.deep < 3 || g.lines[es[i].line].RTL {
		return false
	}
	left, right := g.column(es, i)
	hanging, plain := 0, 0
	for k := max(0, i-20); k+1 < min(len(es), i+21); k++ {
		if es[k].line < 0 || es[k+1].line < 0 {
			continue
		}
		a, b := &g.lines[es[k].line], &g.lines[es[k+1].line]
		size := a.Size
		if a.Turn != 0 || b.Turn != 0 || math.Abs(a.Size-b.Size) > .1*size || math.Abs(a.Box.X0-left) > .3*size ||
			a.Box.X1+b.least()+size < right || b.Y < a.Y+.5*size || b.Y > a.Y+2*size {
			continue
		}
		switch indent := b.Box.X0 - left; {
		case indent > .8*size && indent < 5*size:
			hanging++
		case indent < .3*size && !ends(a.Text()):
			plain++
		}
	}
	return hanging > 2 && plain == 0
}

// wrapsAnywhere reports whether a line break between two texts is between
// ideographs. Such lines are full, except for the last one of a paragraph.
func wrapsAnywhere(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	return isCJK(last) && isCJK(first)
}

// column returns the left and right edge of the column around element i. It
// is measured from nearby lines in reading order that overlap it
// horizontally.
func (g *grouper) column(es []element, i int) (left, right float64) {
	l := &g.lines[es[i].line]
	left, right = l.Box.X0, l.Box.X1
	for k := max(0, i-10); k < min(len(es), i+11); k++ {
		if es[k].line < 0 {
			continue
		}
		o := &g.lines[es[k].line]
		if o.Turn == l.Turn && math.Abs(o.Size-l.Size) < .1*l.Size && min(o.Box.X1, l.Box.X1) > max(o.Box.X0, l.Box.X0) {
			left, right = min(left, o.Box.X0), max(right, o.Box.X1)
		}
	}
	return left, right
}

// blocksOf orders the lines and blocks of a page and joins the lines into
// paragraphs.
func blocksOf(p *Page, whole []Block) []Block {
	lines, beside := p.notes(rejoin(p.Lines), whole)
	es := make([]element, 0, len(lines)+len(whole))
	var turned, notes []element
	for i := range lines {
		e := element{box: textBox(&lines[i]), size: lines[i].Size, seq: lines[i].Words[0].Seq, line: i, whole: -1}
		if lines[i].Turn != 0 {
			turned = append(turned, e)
			continue
		}
		if es = append(es, e); beside != nil && beside[i] {
			notes = append(notes, e)
		}
	}
	for i := range whole {
		es = append(es, element{box: whole[i].Box, seq: seqOf(&whole[i]), line: -1, whole: i})
	}
	var remarks []Block
	if len(notes) > 0 {
		remarks = group(p.Number, topDown(nil, notes), lines, nil, nil)
	}
	if !brief(remarks) {
		remarks = nil
	} else if len(remarks) > 0 {
		es = sorting.Without(es, func(e element) bool { return e.line >= 0 && beside[e.line] })
	}
	if fromRight(lines) {
		mirrored(es)
	}
	sorted := order(es)
	if t := tau(sorted); t > paintedAll || t > paintedText && len(whole) == 0 {
		sorted = painted(sorted)
	}
	hs, _ := p.edges()
	return annotated(group(p.Number, append(sorted, turned...), lines, hs, whole), remarks)
}

// fromRight reports whether most lines with letters are right-to-left.
func fromRight(lines []Line) bool {
	rtl, ltr := 0, 0
	for i := range lines {
		if lines[i].RTL {
			rtl++
		} else if lines[i].Turn == 0 && slices.ContainsFunc(lines[i].Words, func(w Word) bool { return hasLetters(w.Text) }) {
			ltr++
		}
	}
	return rtl > ltr
}

// mirrored mirrors the boxes horizontally, so that columns and rows can be
// ordered from the right.
func mirrored(es []element) {
	for i := range es {
		b := &es[i].box
		b.X0, b.X1 = -b.X1, -b.X0
	}
}

// How similar the order by position must be to the order of painting for the
// latter to be used (Kendall's tau). Tables and pictures are often painted
// before or after all text.
const (
	paintedAll  = .9
	paintedText = .8
)

// painted returns es in the order of painting. Word processors and TeX write
// text in reading order.
func painted(es []element) []element {
	out := slices.Clone(es)
	sorting.Stable(out, func(a, b element) int { return cmp.Compare(a.seq, b.seq) })
	return out
}

func seqOf(b *Block) int {
	if b.Table != nil {
		return b.Table.seq
	}
	if b.Image != nil {
		return b.Image.Seq
	}
	if len(b.Lines) > 0 {
		return b.Lines[0].Words[0].Seq
	}
	return 0
}

// textBox returns a box of a line for finding white space. It reaches from
// the usual ascent to the usual descent of its size and ignores the boxes of
// the fonts.
//
//go:noinline
func textBox(l *Line) content.Box {
	if l.Turn != 0 {
		return l.Box
	}
	return content.Box{X0: l.Box.X0, Y0: l.Y - .75*l.Size, X1: l.Box.X1, Y1: l.Y + .2*l.Size}
}
