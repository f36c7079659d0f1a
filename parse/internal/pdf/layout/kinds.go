// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"bytes"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/curlew/internal/sorting"
)

// code joins paragraphs in a monospaced font into code listings of at least
// two lines. The result takes the place of blocks.
func code(blocks []Block) []Block {
	out := blocks[:0]
	for i := 0; i < len(blocks); {
		j := i
		lines := 0
		for j < len(blocks) && isCode(&blocks[j]) && (j == i || blocks[j].Page == blocks[j-1].Page && adjoin(&blocks[j-1], &blocks[j])) {
			lines += len(blocks[j].Lines)
			j++
		}
		if lines < 2 || j == i {
			out = append(out, blocks[i])
			i++
			continue
		}
		b := blocks[i]
		b.Kind, b.Conf, b.Marker = Code, 1, ""
		for _, o := range blocks[i+1 : j] {
			b.Lines = append(b.Lines, o.Lines...)
			b.Box = b.Box.Union(o.Box)
		}
		out = append(out, b)
		i = j
	}
	return out
}

func adjoin(a, b *Block) bool {
	d := b.Box.Y0 - a.Box.Y1
	return d > -2*b.Size() && d < 2*b.Size()
}

func isCode(b *Block) bool {
	if b.Kind != Paragraph && b.Kind != Item || len(b.Lines) == 0 {
		return false
	}
	for i := range b.Lines {
		if !b.Lines[i].fixed() || b.Lines[i].Turn != 0 || strings.ContainsFunc(b.Lines[i].Text(), isCJK) {
			return false // ideographs have one width in every font
		}
	}
	return true
}

// Listing returns the lines of a code block with their indents and columns.
func (b *Block) Listing() string {
	var s strings.Builder
	var tokens []token
	for i := range b.Lines {
		l := &b.Lines[i]
		if i > 0 {
			if math.Abs(l.Y-b.Lines[i-1].Y) > .4*l.Size {
				s.WriteByte('\n')
			} else {
				s.WriteByte(' ')
			}
		}
		width := .6 * l.Size
		col := 0
		tokens = l.tokens(tokens[:0], nil)
		for k, t := range tokens {
			if !t.glue || k == 0 {
				want := int(math.Round((t.x - b.Box.X0) / width))
				for least := 0; col < want && col < 400 || k > 0 && least < 1; least++ {
					s.WriteByte(' ')
					col++
				}
			}
			s.WriteString(t.text)
			col += utf8.RuneCountInString(t.text)
		}
	}
	return s.String()
}

// captions marks paragraphs that begin like captions and are short or stand
// beside a table or figure.
func captions(blocks []Block) {
	for i := range blocks {
		b := &blocks[i]
		if b.Kind == Paragraph && captioned(b.Text()) && (len(b.Lines) <= 4 || beside(blocks, i)) {
			b.Kind, b.Conf = Caption, .8
		}
	}
}

func beside(blocks []Block, i int) bool {
	for _, k := range [...]int{i - 1, i + 1} {
		if k >= 0 && k < len(blocks) && (blocks[k].Kind == TableBlock || blocks[k].Kind == Figure) {
			return true
		}
	}
	return false
}

// footnotes marks small text at the foot of a page if it begins with a mark
// that a superscript on the page refers to.
func footnotes(blocks []Block, s *Styles) {
	refs := map[int]map[string]bool{} // by page number
	var tokens []token
	for i := range blocks {
		b := &blocks[i]
		for k := range b.Lines {
			tokens = b.Lines[k].tokens(tokens[:0], nil)
			for w, t := range tokens {
				if t.rise > 0 && w > 0 {
					if refs[b.Page] == nil {
						refs[b.Page] = map[string]bool{}
					}
					for part := range strings.SplitSeq(t.text, ",") {
						refs[b.Page][strings.TrimSpace(part)] = true
					}
				}
			}
		}
	}
	for i := range blocks {
		b := &blocks[i]
		if b.Kind != Paragraph && b.Kind != Item || len(b.Lines) == 0 || b.Size() > .95*s.Body {
			continue
		}
		tokens = b.Lines[0].tokens(tokens[:0], nil)
		mark := noteMark(tokens[0].text)
		if mark != "" && refs[b.Page][mark] && len(tokens) > 1 {
			b.Kind, b.Marker, b.Conf = Footnote, mark, .9
			b.Level = 0
		}
	}
}

// noteMark returns the footnote mark at the beginning of a word: a number of
// up to three digits, or a symbol.
func noteMark(s string) string {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	if n > 0 && n <= 3 && (n == len(s) || !unicode.IsDigit(rune(s[n]))) {
		return s[:n]
	}
	for _, sym := range []string{"∗∗", "**", "*", "∗", "†", "‡", "§", "¶"} {
		if strings.HasPrefix(s, sym) {
			return sym
		}
	}
	return ""
}

// Some short texts look like headings by their size or weight, but name the
// journal, the publisher or the authors.

// imprints are the forms of lines that name a journal, a publisher or an
// address.
var imprints = regexp.MustCompile(`(?i)^(doi[: ]|https?://|www\.|©|\(c\) ?\d|copyright\b|downloaded from\b|issn\b|isbn\b|received:? \d|all rights reserved)|\bvol(\.|ume) ?\d+,? ?\(?(no|issue|nr|iss)\b|\b(e-?)?issn:? ?\d{4}|\bdoi:? ?10\.|^page \d+( of \d+)?$`)

// maxImprint is the length of a text in bytes above which it is not an
// imprint.
const maxImprint = 200

// isImprint reports whether a text names a journal, a publisher, an address
// or a page.
func isImprint(text string) bool {
	if len(text) > maxImprint || text == "" {
		return false
	}
	var room [maxImprint]byte
	lower := lowered(room[:0], text)
	for _, s := range imprintStarts { // most texts have none of these, which is decided quickly
		if bytes.HasPrefix(lower, s) {
			return imprints.MatchString(text)
		}
	}
	for _, s := range imprintParts {
		if bytes.Contains(lower, s) {
			return imprints.MatchString(text)
		}
	}
	return false
}

// imprintStarts are the starts of imprints, and imprintParts are words inside of them.
var (
	imprintStarts = bytes.Fields([]byte("http www. © (c) copyright downloaded isbn received all page"))
	imprintParts  = bytes.Fields([]byte("vol issn doi"))
)

// betweenNames makes what stands between the names of authors a comma.
var betweenNames = strings.NewReplacer(" and ", ",", "&", ",", ";", ",")

// byline reports whether b names authors: at least two names, one of them
// with initials or all of them with marks of footnotes.
func byline(b *Block) bool {
	if len(b.Lines) > 3 {
		return false
	}
	text := b.Text()
	if len(text) > maxImprint || !strings.ContainsAny(text, ",&;") && !strings.Contains(text, " and ") {
		return false
	}
	names, initials := 0, false
	for part := range strings.FieldsFuncSeq(betweenNames.Replace(text), func(r rune) bool { return r == ',' }) {
		words := strings.Fields(part)
		if len(words) == 0 || isNumeric(part) {
			continue
		}
		proper := 0
		for _, w := range words {
			r, n := utf8.DecodeRuneInString(w)
			proper += count(unicode.IsUpper(r) || slices.Contains(particles, w))
			initials = initials || unicode.IsUpper(r) && w[n:] == "."
		}
		if proper < len(words)-1 || proper < 2 || len(words) > 5 {
			return false
		}
		names++
	}
	return names > 1 && (initials || marks(b) >= names)
}

// particles are parts of names that begin with lower-case letters.
var particles = strings.Fields("van von de del della der den di da do dos du la le zu ter ten")

// marks counts the superscripts of b.
func marks(b *Block) int {
	n := 0
	var tokens []token
	for i := range b.Lines {
		tokens = b.Lines[i].tokens(tokens[:0], nil)
		for _, t := range tokens {
			n += count(t.rise > 0)
		}
	}
	return n
}

// leastLines is the number of lines with letters or digits of a single page
// from which a number at its edge is a page number. Short pages are often title
// pages or forms.
const leastLines = 20

// fewestLines takes the place of leastLines if the page number is in a row with other texts
// that reaches from edge to edge of the page's text.
const fewestLines = 8

// single adds to found the running lines of the page with index at of a document
// of one or two pages, where little repeats. They are the outermost rows, apart
// from the text: a page number, with or without texts beside it, lines that name
// the journal or the publisher, and above a page with a number at its foot a row in
// the style of running headers. body is the usual font size.
func single(p *Page, at int, cands []candidate, body float64, found map[[2]int]Kind) {
	texts := p.survey().texts
	if texts < fewestLines || len(p.Lines) > maxBetween {
		return
	}
	number := 0   // the page number at the foot
	for range 2 { // an imprint may stand above the page number
		for _, top := range [...]bool{true, false} {
			row := p.edgeRow(at, cands, top, body, found)
			for _, c := range row {
				kind := Running
				if c.bare {
					kind = PageNumber
				}
				if !top {
					number = max(number, c.number)
				}
				found[[2]int{at, c.line}] = kind
			}
		}
	}
	if number < 2 { // a first page may begin with a letterhead
		return
	}
	for line := range found {
		if line[0] == at && p.Lines[line[1]].Box.Y0 < p.Height/2 {
			return
		}
	}
	row := p.outermost(at, cands, true, found)
	if p.headed(row, body) {
		for _, c := range row {
			found[[2]int{at, c.line}] = Running
		}
	}
}

// edgeRow returns the running lines at the top or at the foot of the page with index at that
// are not in found.
func (p *Page) edgeRow(at int, cands []candidate, top bool, body float64, found map[[2]int]Kind) []candidate {
	enough := p.survey().texts >= leastLines
	row := p.outermost(at, cands, top, found)
	switch {
	case p.furniture(row, body) && (enough || p.spans(row)):
		return row
	case top || !enough:
		return nil
	}
	return p.numberedFoot(at, cands, body, found)
}

// maxWrapped is the number of rows of a running header whose texts wrap.
const maxWrapped = 2

// outermost returns the first or the last row of the page with index at, without
// the lines in found, and the lines below or above it on which its texts continue. It
// returns nil if not all of these lines are in a margin and apart from the text.
func (p *Page) outermost(at int, cands []candidate, top bool, found map[[2]int]Kind) []candidate {
	depth := func(i int) float64 { // from the edge of the page
		mid := (p.Lines[i].Box.Y0 + p.Lines[i].Box.Y1) / 2
		if top {
			return mid
		}
		return p.Height - mid
	}
	var lines []int
	for i := range p.Lines {
		if _, ok := found[[2]int{at, i}]; !ok {
			lines = append(lines, i)
		}
	}
	if len(lines) == 0 {
		return nil
	}
	sorting.Stable(lines, func(a, b int) int { return compare(depth(a), depth(b)) })
	size := p.Lines[lines[0]].Size
	rows, n := 1, 1 // of the group of lines
	for n < len(lines) && rows <= maxWrapped {
		d := depth(lines[n]) - depth(lines[n-1])
		if d >= 1.6*size {
			break
		}
		rows += count(d > .6*size)
		n++
	}
	if rows > maxWrapped || rows > 1 && !p.wraps(lines[:n]) {
		for n = 1; n < len(lines) && depth(lines[n]) < depth(lines[0])+size; {
			n++
		}
		rows = 1
	}
	var row []candidate
	for _, c := range cands {
		if c.page == at && c.top == top && (c.apart || rows > 1) && slices.Contains(lines[:n], c.line) {
			row = append(row, c)
		}
	}
	if len(row) < n {
		return nil
	}
	sorting.Stable(row, func(a, b candidate) int { return compare(p.Lines[a.line].Box.X0, p.Lines[b.line].Box.X0) })
	return row
}

// wraps reports whether lines of two rows are a running header, one of whose texts
// wraps: a number stands beside it, and the texts have one size.
func (p *Page) wraps(lines []int) bool {
	numbers := 0
	for _, i := range lines {
		l := &p.Lines[i]
		if _, _, bare := shapeOf(l.Text()); bare {
			numbers++
		}
		if l.Turn != 0 || math.Abs(l.Size-p.Lines[lines[0]].Size) > .1*l.Size {
			return false
		}
	}
	return numbers == 1 && len(lines) > 2
}

// pageNumbered matches the shape of a text that ends or begins with a page number.
var pageNumbered = regexp.MustCompile(` [-–—|/•·] (page )?#( of #)?$|\bpage #( of #)?$|^(page )?#( of #)? [|•·–—] `)

// mostBelow is the number of lines that may stand below the page number at the
// foot, such as a notice of copyright.
const mostBelow = 3

// numberedFoot returns the page number at the foot of the page with index at, and the
// lines below it, if these are a notice. The number stands alone in its row, in the middle or at
// the right edge of the text, and white space parts it from the text above.
func (p *Page) numberedFoot(at int, cands []candidate, body float64, found map[[2]int]Kind) []candidate {
	var foot []candidate // without lines that were found before
	for _, c := range cands {
		if _, ok := found[[2]int{at, c.line}]; !ok && c.page == at && !c.top && p.Lines[c.line].Turn == 0 {
			foot = append(foot, c)
		}
	}
	sorting.Stable(foot, func(a, b candidate) int { return compare(b.y, a.y) })
	for i := range foot[:min(len(foot), mostBelow+1)] {
		c := &foot[i]
		l := &p.Lines[c.line]
		if !c.bare || c.number < 1 || c.number > maxPageNumber || i == 0 || !p.notice(foot[:i], body) {
			continue
		}
		row := foot[:i+1]
		x0, x1 := p.extent(row)
		placed := math.Abs(l.Box.X0+l.Box.X1-x0-x1) < 2*l.Size || math.Abs(l.Box.X1-x1) < l.Size // at the left edge, lines of code have numbers
		above := math.Inf(-1)
		for k := range p.Lines {
			if !slices.ContainsFunc(row, func(o candidate) bool { return o.line == k }) {
				above = max(above, p.Lines[k].Y)
			}
		}
		if placed && l.Y-above > 2*l.Size && foot[i-1].y-c.y > .8*l.Size {
			return row
		}
	}
	return nil
}

// notice reports whether the lines below a page number, from the lowest to the uppermost,
// are a notice rather than text of the page: they are in smaller type, or the uppermost
// has the form of an imprint.
func (p *Page) notice(lines []candidate, body float64) bool {
	return isImprint(p.Lines[lines[len(lines)-1].line].Text()) ||
		!slices.ContainsFunc(lines, func(c candidate) bool { return p.Lines[c.line].Size > .95*body })
}

// maxPageNumber is the largest page number that is expected beside other texts.
const maxPageNumber = 4999

// maxHeader is the length in bytes of a text beside a page number.
const maxHeader = 120

// furniture reports whether a row at the edge of a page is a page number, with or
// without other texts, or has the form of an imprint.
func (p *Page) furniture(row []candidate, body float64) bool {
	number := -1
	for i, c := range row {
		l := &p.Lines[c.line]
		switch {
		case c.bare && len(row) > 1 && (number >= 0 || c.number < 1 || c.number > maxPageNumber):
			return false // two numbers, or one that counts something else
		case c.bare:
			number = i
		case len(row) == 1:
			text := l.Text()
			return isImprint(text) || len(text) <= maxHeader && l.Size <= largestHeader(body) && (strings.Count(text, " ") > 1 && pageNumbered.MatchString(c.shape) || p.numbered(&row[0]))
		case len(l.Text()) > maxHeader || l.Size > largestHeader(body) || !c.words && c.shape != "|" || strings.HasSuffix(c.shape, ":") || strings.HasSuffix(c.shape, "o.") || strings.HasSuffix(c.shape, "nr."):
			return false // a label that ends like this names the number beside it
		}
	}
	if last := len(row) - 1; number < 0 && p.spans(row) && (partNumbered.MatchString(row[0].shape) || partNumbered.MatchString(row[last].shape)) {
		return true
	}
	if i := slices.IndexFunc(row, func(c candidate) bool { return c.top && c.shape == "#:#" }); number < 0 && i >= 0 && p.spans(row) && (i == 0 || i == len(row)-1) {
		return true // the number of an article and the page in it
	}
	if number < 0 || len(row) == 1 {
		return number >= 0
	}
	x0, x1 := p.extent(row)
	n, last := &p.Lines[row[number].line], &p.Lines[row[len(row)-1].line]
	switch number {
	case 0: // unlike the number of a heading
		return p.Lines[row[1].line].Box.X0-n.Box.X1 > 4*n.Size || p.flush(last.Box.X1, x0, x1, 1.5*n.Size)
	case len(row) - 1: // unlike the numbers in a table, or in a table of contents
		return p.flush(n.Box.X1, x0, x1, 3*n.Size) && !slices.ContainsFunc(p.Lines, func(o Line) bool {
			return o.Y != n.Y && (n.Size > .97*body || math.Abs(o.Y-n.Y) < columnGap*n.Size) && math.Abs(o.Box.X1-n.Box.X1) < n.Size && len(o.Words) == 1 && isNumeric(o.Words[0].Text)
		})
	}
	return math.Abs((n.Box.X0+n.Box.X1)-(x0+x1)) < 4*n.Size // in the middle
}

// columnGap is the distance in font sizes above which a number in smaller type is not in
// the column of another number.
const columnGap = 6

// partNumbered matches the shape of the number of a page in its part: A7, B-12, 3-14.
var partNumbered = regexp.MustCompile(`^(page )?([a-z]-?#|#[-–]#)$`)

// largestHeader is the size above which a text is no running header. Small print has
// headers that are larger than it.
func largestHeader(body float64) float64 { return max(1.15*body, 9.5) }

// numbered reports whether a line above the text ends with a page number at the right
// edge of the text, and does not begin at the left edge, as lines of the text do.
func (p *Page) numbered(c *candidate) bool {
	return c.top && p.Lines[c.line].Turn == 0 && strings.HasSuffix(c.shape, " #") && len(c.numbers) == 1 && c.number > 0 && c.number <= maxPageNumber &&
		hasLetters(c.shape) && p.right([]candidate{*c})
}

// right reports whether a row above the text ends at the right edge of the text and begins in the
// right half.
func (p *Page) right(row []candidate) bool {
	x0, x1 := p.extent(row)
	return p.flush(p.Lines[row[len(row)-1].line].Box.X1, x0, x1, p.Lines[row[0].line].Size) && 2*p.Lines[row[0].line].Box.X0 > x0+x1
}

// spans reports whether a row of several texts reaches from edge to edge of the text
// of the page.
func (p *Page) spans(row []candidate) bool {
	if len(row) < 2 {
		return false
	}
	x0, x1 := p.extent(row)
	first, last := &p.Lines[row[0].line], &p.Lines[row[len(row)-1].line]
	return math.Abs(first.Box.X0-x0) < 1.5*first.Size && p.flush(last.Box.X1, x0, x1, 1.5*last.Size)
}

// flush reports whether a text that ends at x reaches the right edge of the text of the
// page, or the right margin if that is as wide as the left one. Lines that are not
// justified end before it.
func (p *Page) flush(x, x0, x1, tolerance float64) bool {
	return math.Abs(x-x1) < tolerance || x > x1 && math.Abs(p.Width-x-x0) < tolerance
}

// extent returns the left and the right edge of the horizontal text of a page without
// a row.
func (p *Page) extent(row []candidate) (x0, x1 float64) {
	x0, x1 = math.Inf(1), math.Inf(-1)
	for i := range p.Lines {
		if p.Lines[i].Turn == 0 && !slices.ContainsFunc(row, func(c candidate) bool { return c.line == i }) {
			x0, x1 = min(x0, p.Lines[i].Box.X0), max(x1, p.Lines[i].Box.X1)
		}
	}
	return x0, x1
}

// headed reports whether the first row of a page is a running header by its style:
// in smaller, italic or capital letters, two texts at the two edges, or at the right edge only.
func (p *Page) headed(row []candidate, body float64) bool {
	if len(row) == 0 || len(row) > 3 {
		return false
	}
	x0, x1 := p.extent(row)
	r0, r1 := p.Lines[row[0].line].Box.X0, p.Lines[row[len(row)-1].line].Box.X1
	left, flush := math.Abs(r0-x0) < body, p.flush(r1, x0, x1, body)
	if len(row) > 1 && !p.spans(row) || !left && !flush && math.Abs(r0+r1-x0-x1) > 2*body {
		return false // such as a label in a drawing
	}
	right := p.right(row)
	styled := len(row) > 1 || right
	for _, c := range row {
		l := &p.Lines[c.line]
		text := l.Text()
		mark, _ := marker(text)
		switch {
		case len(text) > maxHeader || l.Size > 1.02*body || l.Turn != 0 || !hasLetters(text) || l.bold() && !right || l.fixed() || l.captions() || mark != "" && len(row) == 1 && !right:
			return false
		case right && strings.HasPrefix(text, "("), strings.HasSuffix(text, ".") || strings.HasSuffix(text, ":") || strings.HasSuffix(text, ";") || strings.HasSuffix(text, ","):
			return false
		}
		italic := true
		for k := range l.Words {
			f := l.Words[k].face()
			if f&formula != 0 {
				return false
			}
			italic = italic && f&Italic != 0
		}
		styled = styled || l.Size < .95*body || italic || text == strings.ToUpper(text)
	}
	return styled
}
