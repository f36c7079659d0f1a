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

// items marks the paragraphs that are list items. A bullet or a number
// always makes an item. A dash or a letter makes one only if a similar
// marker stands nearby.
func items(blocks []Block) {
	for i := range blocks {
		b := &blocks[i]
		if b.Kind != Paragraph || len(b.Lines) == 0 {
			continue
		}
		mark, rest := marker(b.Lines[0].Text())
		if mark == "" || rest == "" && len(b.Lines) == 1 || strings.ContainsAny(mark, "-–—*·") && !hasSibling(blocks, i, mark) {
			continue
		}
		if n := numbering(mark); n != "" && !isDigits(n) && !hasSibling(blocks, i, mark) {
			continue
		}
		b.Kind, b.Marker, b.Conf = Item, mark, 1
	}
	nest(blocks)
}

// Ballot reports whether a list marker is a check box, and whether it is
// checked.
func Ballot(mark string) (task, done bool) {
	return mark != "" && strings.Contains(ballots, mark), !strings.HasPrefix(ballots, mark)
}

// hasSibling reports whether a block near i begins with a marker of the same
// kind.
func hasSibling(blocks []Block, i int, mark string) bool {
	for k := max(0, i-3); k < min(len(blocks), i+4); k++ {
		if k == i || len(blocks[k].Lines) == 0 {
			continue
		}
		other, rest := marker(blocks[k].Lines[0].Text())
		if other == "" || rest == "" {
			continue
		}
		if a, b := &blocks[k], &blocks[i]; a.Page == b.Page && math.Abs(a.Lines[0].Y-b.Lines[0].Y) < .3*b.Lines[0].Size {
			continue // beside it, like the names of two authors
		}
		if other == mark && numbering(mark) == "" || next(mark, other) || next(other, mark) {
			return true
		}
	}
	return false
}

// next reports whether marker b follows marker a in numbering.
func next(a, b string) bool {
	x, y := numbering(a), numbering(b)
	switch {
	case x == "" || y == "" || a[0] == '(' != (b[0] == '('):
		return false
	case isDigits(x) && isDigits(y):
		m, _ := strconv.Atoi(x) // at most three digits
		n, _ := strconv.Atoi(y) // at most three digits
		return n == m+1
	case len(x) == 1 && len(y) == 1 && y[0] == x[0]+1:
		return true
	}
	return isRoman(x) && isRoman(y) && roman(strings.ToLower(y)) == roman(strings.ToLower(x))+1
}

// begins returns the left edge of a line. For right-to-left text it returns
// the negative right edge, so that a larger value always means a deeper
// indent.
func (l *Line) begins() float64 {
	if l.RTL {
		return -l.Box.X1
	}
	return l.Box.X0
}

// nest sets the depth of the items of each list from their left edges.
func nest(blocks []Block) {
	for i := 0; i < len(blocks); {
		if blocks[i].Kind != Item {
			i++
			continue
		}
		j := i
		for j < len(blocks) && blocks[j].Kind == Item {
			j++
		}
		var lefts []float64
		for k := i; k < j; k++ {
			lefts = append(lefts, blocks[k].Lines[0].begins())
		}
		slices.Sort(lefts)
		size := blocks[i].Size()
		lefts = slices.CompactFunc(lefts, func(a, b float64) bool { return a-b < .8*size && b-a < .8*size })
		if len(lefts) > 4 { // columns, not depths
			lefts = lefts[:1]
		}
		depth := 0
		nested := slices.ContainsFunc(blocks[i:j], func(b Block) bool { return b.Tagged && b.Level > 0 })
		for k := i; k < j; k++ {
			b := &blocks[k]
			at, _ := slices.BinarySearchFunc(lefts, b.Lines[0].begins()+.4*size, cmp.Compare[float64])
			want := max(0, at-1)
			if k > i && b.Page == blocks[k-1].Page && b.Box.Y0 < blocks[k-1].Box.Y0 {
				want = min(want, depth) // the next column
			}
			depth = min(want, depth+1)
			if b.Tagged && nested {
				depth = b.Level
				continue
			}
			if k == i {
				depth = 0
			}
			b.Level = depth
		}
		i = j
	}
}

// The place of a drawn bullet relative to its line, in em: the height above
// the baseline and the distance to the text.
const (
	bulletLow  = .05
	bulletHigh = .65
	bulletNear = .1
	bulletFar  = 3
	bulletSize = .65 // maximum height
)

// maxPlotted is the maximum number of dots on a page. A page with more shows
// a plot.
const maxPlotted = 300

// drawn is a dot and the line that it may be the bullet of.
type drawn struct {
	dot  *content.Dot
	line int
	x    float64 // where the line begins
}

// bullets adds a bullet character to each line that has a drawn bullet, as
// browsers print lists. A dot is a bullet if another dot of the same size
// stands above or below it, before a line with the same left edge.
func (p *Page) bullets(dots []content.Dot) {
	if len(dots) < 2 || len(dots) > maxPlotted {
		return
	}
	byBase := make([]int, 0, len(p.Lines))
	for i := range p.Lines {
		if p.Lines[i].Turn == 0 {
			byBase = append(byBase, i)
		}
	}
	sorting.Stable(byBase, func(a, b int) int { return compare(p.Lines[a].Y, p.Lines[b].Y) })
	var found []drawn
	for i := range dots {
		if d := p.before(&dots[i], byBase); d.line >= 0 {
			found = append(found, d)
		}
	}
	for i, d := range found {
		b := &d.dot.Box
		if !slices.ContainsFunc(found, func(o drawn) bool {
			return o.line != d.line && math.Abs(o.dot.Box.X0-b.X0) < 1 && math.Abs(o.dot.Box.Width()-b.Width()) < .5 && math.Abs(o.x-d.x) < 1
		}) || slices.ContainsFunc(found[:i], func(o drawn) bool { return o.line == d.line }) {
			continue
		}
		l := &p.Lines[d.line]
		first := &l.Words[0]
		if first.MCID >= 0 { // in tagged text the tags identify list items
			continue
		}
		w := Word{Text: "•", Box: *b, X0: b.X0, X1: b.X1, Y: l.Y, Size: l.Size, Font: first.Font, Color: first.Color, MCID: -1, Seq: first.Seq}
		l.Words = append([]Word{w}, l.Words...)
		l.Box = l.Box.Union(*b)
		p.Curves -= d.dot.Curves
	}
}

// before returns the line that a dot stands in front of. line is -1 if there
// is none.
func (p *Page) before(dot *content.Dot, byBase []int) drawn {
	out := drawn{dot: dot, line: -1}
	b := &dot.Box
	mid, best := (b.Y0+b.Y1)/2, math.Inf(1)
	k, _ := slices.BinarySearchFunc(byBase, mid, func(i int, y float64) int { return compare(p.Lines[i].Y, y) })
	for n := 0; k < len(byBase) && n < maxStrikes; k, n = k+1, n+1 {
		l := &p.Lines[byBase[k]]
		gap, x := l.Box.X0-b.X1, l.Box.X0
		if l.RTL {
			gap, x = b.X0-l.Box.X1, l.Box.X1
		}
		if up := l.Y - mid; up < bulletLow*l.Size || up > bulletHigh*l.Size || gap < bulletNear*l.Size || gap > min(bulletFar*l.Size, best) || b.Height() > bulletSize*l.Size {
			continue
		}
		if mark, _ := marker(l.Text()); mark == "" {
			best, out.line, out.x = gap, byBase[k], x
		}
	}
	return out
}

// detach separates the numbers of items from texts that they touch, as in "12.alpha". Word
// processors print this if the number is as wide as the place for it. Other lines with the
// same left edge must count on, because names and abbreviations look alike.
func (p *Page) detach() {
	var found []itemStart
	var order []int // by their places on the page
	for i := range p.Lines {
		l := &p.Lines[i]
		if n := l.touching(); n > 0 && !l.fixed() {
			order = append(order, len(found))
			if found = append(found, itemStart{line: l, mark: l.Words[0].Text[:n]}); len(found) > maxTouched {
				return
			}
		}
	}
	sorting.Stable(order, func(a, b int) int { return compare(found[a].line.Y, found[b].line.Y) })
	for n, i := range order {
		b := &found[i]
		b.run, b.after = 1, -1
		for _, k := range slices.Backward(order[:n]) {
			if a := &found[k]; next(a.mark, b.mark) && math.Abs(a.line.Box.X0-b.line.Box.X0) < .8*a.line.Size && math.Abs(a.line.Size-b.line.Size) < .5 && b.line.Y > a.line.Y+.5*a.line.Size {
				b.run, b.after = a.run+1, k
				break
			}
		}
	}
	for _, i := range slices.Backward(order) {
		b := &found[i]
		if b.after >= 0 {
			found[b.after].run = max(found[b.after].run, b.run)
		}
		if b.run > 2 || b.run > 1 && isDigits(numbering(b.mark)) {
			b.line.part(len(b.mark))
		}
	}
}

// maxTouched bounds the lines of a page that are compared.
const maxTouched = 200

// itemStart is a line that begins with a number that touches its text.
type itemStart struct {
	line  *Line
	mark  string
	after int // the line with the number before, or -1
	run   int // number of lines that count on
}

// touching returns the length of the number with which a line begins, if a letter follows
// without a space, or 0.
func (l *Line) touching() int {
	if l.Turn != 0 || l.RTL || l.Words[0].Rise != 0 || len(l.Words) == 1 {
		return 0
	}
	text := l.Words[0].Text
	i := strings.IndexAny(text[:min(len(text), maxTouching)], ".)") + 1
	if i == 0 || numbering(text[:i]) == "" {
		return 0
	}
	rest := text[i:]
	if rest == "" && len(l.Words) > 1 && l.Words[1].Glue {
		rest = l.Words[1].Text
	}
	if r, _ := utf8.DecodeRuneInString(rest); !unicode.IsLetter(r) {
		return 0
	}
	return i
}

// maxTouching is the length of the longest number that may touch its text.
const maxTouching = 8

// part divides the first word of a line after n characters.
func (l *Line) part(n int) {
	w := l.Words[0]
	if n == len(w.Text) {
		l.Words[1].Glue = false
		return
	}
	rest := w
	w.Text, rest.Text = w.Text[:n], w.Text[n:]
	at := w.X0 + (w.X1-w.X0)*float64(n)/float64(n+utf8.RuneCountInString(rest.Text))
	w.X1, w.Box.X1, rest.X0, rest.Box.X0 = at, at, at, at
	rest.Seq += n
	l.Words = sorting.Insert(l.Words, 1, rest)
	l.Words[0] = w
}

// bullets are the characters that mark items of unordered lists.
const bullets = "•‣◦⁃∙●○■□▪▫◆◇►▶➢➤✓✔❖·–—*-➔→◼◾⦁" + ballots

// ballots are check boxes; the first is unchecked.
const ballots = "☐☑☒"

// marker splits a list marker from s: a bullet, or a number or letter with
// punctuation. mark is "" if s does not begin with one.
func marker(s string) (mark, rest string) {
	r, size := utf8.DecodeRuneInString(s)
	if strings.ContainsRune(bullets, r) {
		rest = s[size:]
		if rest == "" || rest[0] == ' ' || r != '-' && r != '–' && r != '—' && r != '*' && r != '·' {
			return s[:size], strings.TrimSpace(rest)
		}
		return "", s
	}
	word, rest, _ := strings.Cut(s, " ")
	if numbering(word) != "" {
		return word, strings.TrimSpace(rest)
	}
	return "", s
}

// numbering returns the value of a numbering without its punctuation: "1."
// gives 1, "(iv)" gives iv. It returns "" if word is not a numbering.
func numbering(word string) string {
	if len(word) < 2 || len(word) > 8 {
		return ""
	}
	var body string
	last := word[len(word)-1]
	switch {
	case word[0] == '(' && last == ')', word[0] == '[' && last == ']':
		body = word[1 : len(word)-1]
	case last == '.' || last == ')' || last == ':':
		body = word[:len(word)-1]
	default:
		return ""
	}
	switch {
	case body == "":
		return ""
	case isDigits(body):
		if len(body) > 3 {
			return ""
		}
		return body
	case len(body) == 1 && unicode.IsLetter(rune(body[0])) && last != ':':
		return body
	case isRoman(body) && last != ':':
		return body
	}
	return ""
}

//go:noinline
func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// isRoman reports whether s is a small Roman numeral, all in lower case or
// all in upper case.
func isRoman(s string) bool {
	if s == "" || len(s) > 5 {
		return false
	}
	return strings.Trim(s, "ivx") == "" || strings.Trim(s, "IVX") == ""
}

// section returns the depth of the section number at the start of s, such as
// 1 for "2" and 3 for "2.1.3.", and the text after it. Labels such as
// "Chapter 2" have depth 1. The depth is 0 if there is none.
func section(s string) (depth int, rest string) {
	word, rest, found := strings.Cut(s, " ")
	if !found || word == "" {
		return 0, s
	}
	name := ""
	switch word[0] | 0x20 { // most texts begin with other letters, which is decided quickly
	case 'c', 'p', 's', 'a':
		name = strings.ToLower(word)
	}
	switch name {
	case "chapter", "part", "section", "appendix", "article":
		next, tail, _ := strings.Cut(rest, " ")
		next = strings.TrimRight(next, ".:")
		if isDigits(next) || isRoman(strings.ToUpper(next)) || len(next) == 1 {
			return 1, tail
		}
		return 0, s
	}
	word = strings.TrimRight(word, ".")
	if word == "" || len(word) > 12 {
		return 0, s
	}
	for p := range strings.SplitSeq(word, ".") {
		depth++
		if depth == 1 && len(p) == 1 && p[0] >= 'A' && p[0] <= 'Z' && len(word) > 1 {
			continue // an appendix
		}
		if !isDigits(p) || len(p) > 2 {
			return 0, s
		}
	}
	return depth, rest
}

func hasAlnum(s string) bool {
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return true
		}
	}
	return false
}

// letters counts all letters and the capital letters of s.
func letters(s string) (all, upper int) {
	for _, r := range s {
		if unicode.IsLetter(r) {
			all++
			if unicode.IsUpper(r) {
				upper++
			}
		}
	}
	return all, upper
}

// wordsIn returns the number of words in s.
func wordsIn(s string) int {
	n := 0
	for range strings.FieldsSeq(s) {
		n++
	}
	return n
}
