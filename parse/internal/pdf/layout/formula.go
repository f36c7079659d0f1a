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
	"example.com/curlew/parse/internal/pdf/content"
)

// This file finds formulas that stand on lines of their own, and notation.go reads
// their structure. A formula is set in a mathematical font, and its parts stand
// above and beside each other. All parts that touch are one region, which is never
// split into paragraphs or cells.

// formulaPiece is a segment of a line, or a bar, that may belong to a formula.
type formulaPiece struct {
	line  int // index in Page.Lines; -1 for a bar
	bar   edge
	box   content.Box
	math  bool // it has a word in a mathematical font
	group int  // the region that it belongs to
}

const (
	maxFormulaPieces = 600 // pages with more pieces of formulas are not searched for regions
	maxFormulaWords  = 400 // larger regions are read as text
	maxNamed         = 2   // a segment with more words is running text
	maxLabelWords    = 4   // of a text beside a formula that is the label of a row
)

// equationNumber is the form of the number beside a formula.
var equationNumber = regexp.MustCompile(`^\(([0-9A-Z]{1,3}(?:[.-][0-9]{1,3}){0,3}[a-z]?)\)$`)

// formulas finds the formulas of a page that stand on lines of their own and
// removes their words from its lines.
func formulas(p *Page) []Block {
	if len(p.Lines) > maxBetween || !p.mathematical() {
		return nil
	}
	ps := formulaPieces(p)
	if len(ps) == 0 || len(ps) > maxFormulaPieces {
		return nil
	}
	regions := map[int][]formulaPiece{}
	for i := range ps {
		for k := range i {
			if a, b := ps[i].group, ps[k].group; a != b && ps[i].touches(&ps[k]) {
				for j := range ps[:i+1] {
					if ps[j].group == a {
						ps[j].group = b
					}
				}
			}
		}
	}
	for _, q := range ps {
		regions[q.group] = append(regions[q.group], q)
	}
	symbols, taken := make([]bool, len(p.Lines)), make([]bool, len(p.Lines))
	for _, q := range ps {
		if q.line >= 0 {
			symbols[q.line] = true
		}
	}
	var out []Block
	for g := range ps { // in the order of the page
		if b, ok := p.formula(regions[g], symbols, taken); ok {
			out = append(out, b)
		}
	}
	if len(out) > 0 {
		p.take(taken)
	}
	return out
}

// mathematical reports whether the page has words in a mathematical font.
func (p *Page) mathematical() bool {
	for i := range p.Lines {
		for k := range p.Lines[i].Words {
			if f := p.Lines[i].Words[k].Font; f != nil && f.Math {
				return true
			}
		}
	}
	return false
}

// formulaPieces returns the segments without running text and the short
// horizontal lines of a page.
func formulaPieces(p *Page) []formulaPiece {
	var out []formulaPiece
	for i := range p.Lines {
		l := &p.Lines[i]
		if l.Turn != 0 || l.RTL || len(l.Words) > maxFormulaWords {
			continue
		}
		q := formulaPiece{line: i, box: inkOf(&l.Words[0])}
		prose, symbols := 0, 0
		for k := range l.Words {
			w := &l.Words[k]
			q.box = q.box.Union(inkOf(w))
			symbols += count(w.Font != nil && w.Font.Math)
			prose += count(isProse(w))
		}
		q.math = symbols > 0
		if prose == 0 || prose <= maxNamed && symbols >= 2*prose {
			out = append(out, q)
		}
	}
	for _, r := range p.Rules {
		if w := r.X1 - r.X0; r.Horizontal() && w > 2 && w < .6*p.Width {
			out = append(out, formulaPiece{line: -1, bar: edge{r.Y0, r.X0, r.X1}, box: content.Box{X0: r.X0, X1: r.X1, Y0: r.Y0, Y1: r.Y0 + .1}})
		}
	}
	for i := range out {
		out[i].group = i
	}
	return out
}

// functions are words of formulas that are not set in a mathematical font.
var functions = strings.Fields("arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker lim ln log max min mod Pr sec sin sinh sup tan tanh Var Cov")

// conjunctions are words of formulas that are read as text.
var conjunctions = strings.Fields("all and any as else for if or otherwise then when where with")

// isProse reports whether a word is part of running text.
func isProse(w *Word) bool {
	if w.Font != nil && w.Font.Math {
		return false
	}
	letters := 0
	for _, r := range w.Text {
		letters += count(unicode.IsLetter(r))
	}
	text := strings.Trim(w.Text, "(),.;")
	return letters > 2 && !slices.Contains(functions, text) && !slices.Contains(conjunctions, text)
}

// isHanging reports whether the glyphs of a word hang below its baseline, as
// large operators and roots of TeX do. Those of OpenType fonts stand on it.
func isHanging(w *Word) bool {
	if w.Font == nil {
		return false
	}
	var room [64]byte
	name := lowered(room[:0], w.Font.Name)
	return slices.ContainsFunc(extensions, func(s []byte) bool { return bytes.Contains(name, s) }) || w.Font.Math && w.Text == "√" && bytes.Contains(name, []byte("sy"))
}

// extensions are parts of the names of TeX's fonts with large signs.
var extensions = bytes.Fields([]byte("cmex mathex lmex txex pxex mtex euex"))

// tall are operators that are higher than a line in every formula of its own.
const tall = "∑∏∐" + integrals

// isTall reports whether a word has an operator that is higher than a line.
func isTall(w *Word) bool {
	return strings.ContainsAny(w.Text, tall)
}

// inkOf returns a box of a word that reaches from its ascent to its descent.
func inkOf(w *Word) content.Box {
	if isHanging(w) {
		return content.Box{X0: w.X0, X1: w.X1, Y0: w.Y, Y1: w.Y + depthOf(w)*w.Size}
	}
	if isTall(w) { // the middle is .25 em above the baseline
		return content.Box{X0: w.X0, X1: w.X1, Y0: w.Y - (.25+depthOf(w)/2)*w.Size, Y1: w.Y + (depthOf(w)/2-.25)*w.Size}
	}
	return content.Box{X0: w.X0, X1: w.X1, Y0: w.Y - .7*w.Size, Y1: w.Y + .2*w.Size}
}

// depthOf returns how far a word hangs below its baseline, in font sizes. The
// signs of integrals are higher than others.
func depthOf(w *Word) float64 {
	if strings.ContainsAny(w.Text, integrals) {
		return 2.2
	}
	return 1.4
}

// touches reports whether two pieces are so close that they are parts of one
// formula.
func (q *formulaPiece) touches(o *formulaPiece) bool {
	if q.line < 0 && o.line < 0 {
		return false
	}
	size := max(min(q.box.Height(), 12), min(o.box.Height(), 12))
	return q.box.X0-o.box.X1 < 1.6*size && o.box.X0-q.box.X1 < 1.6*size && q.box.Y0-o.box.Y1 < .4*size && o.box.Y0-q.box.Y1 < .4*size
}

// relations are the signs of which a formula without other structure has at
// least one.
const relations = "=<>≤≥≈≡≠∼≃≅→⇒⇔↦∈⊂⊆∝:"

// formula makes a block of the pieces of a region, and marks their lines in taken.
// Lines in symbols are pieces of any region. It returns false if they are
// not a formula that stands apart from running text.
func (p *Page) formula(ps []formulaPiece, symbols, taken []bool) (Block, bool) {
	var ws []Word
	var bars []edge
	var lines []int
	mathematical, related := false, false
	var box content.Box
	for _, q := range ps {
		if q.line < 0 {
			bars = append(bars, q.bar)
			continue
		}
		box = join2(box, q.box)
		lines = append(lines, q.line)
		mathematical = mathematical || q.math
		for k := range p.Lines[q.line].Words {
			w := &p.Lines[q.line].Words[k]
			related = related || isHanging(w) || isTall(w) || strings.ContainsAny(w.Text, relations)
			if w := *w; whole(&w) {
				ws = append(ws, w)
			}
		}
	}
	if !mathematical || !related || len(ws) > maxFormulaWords || len(ws) < 2 {
		return Block{}, false
	}
	number, ok := p.beside(box, lines, symbols)
	if !ok {
		return Block{}, false
	}
	if len(lines) == 1 && len(bars) == 0 && number < 0 && p.flushLeft(lines[0]) {
		return Block{}, false
	}
	out := Block{Kind: Formula, Page: p.Number, Box: box}
	var tag string
	if number >= 0 {
		lines, tag = append(lines, number), p.Lines[number].Text()
	} else {
		ws, tag = withoutNumber(ws)
	}
	if f, ok := readFormula(ws, bars, 0); ok {
		if tag != "" {
			f.Tag = equationNumber.FindStringSubmatch(tag)[1]
		}
		out.Formula, out.Conf = &f, .9
	}
	out.Lines = p.inOneLine(lines)
	for _, i := range lines {
		taken[i] = true
		out.Box = out.Box.Union(p.Lines[i].Box)
	}
	return out, true
}

// beside returns the line with the number of the formula in box, which consists of
// lines, or -1 if there is none. It returns false if running text or the labels of
// rows stand beside the formula. Lines in symbols have no running text.
func (p *Page) beside(box content.Box, lines []int, symbols []bool) (number int, ok bool) {
	number = -1
	labels := 0
	for i := range p.Lines {
		l := &p.Lines[i]
		b := textBox(l)
		mid := (b.Y0 + b.Y1) / 2
		if mid < box.Y0 || mid > box.Y1 || l.Turn != 0 || slices.Contains(lines, i) {
			continue
		}
		switch far := max(b.X0-box.X1, box.X0-b.X1); {
		case equationNumber.MatchString(l.Text()) && b.X0 > box.X1:
			number = i
		case symbols[i]:
		case far < l.Size:
			return 0, false
		case len(l.Words) <= maxLabelWords && far < 12*l.Size:
			labels += count(slices.ContainsFunc(lines, func(k int) bool { return math.Abs(p.Lines[k].Y-l.Y) < .15*l.Size }))
		}
	}
	return number, labels < 2
}

// withoutNumber returns words without the number of the equation at their right,
// and the number.
func withoutNumber(ws []Word) ([]Word, string) {
	last := 0
	for i := range ws {
		if ws[i].X1 > ws[last].X1 {
			last = i
		}
	}
	w := &ws[last]
	if !equationNumber.MatchString(w.Text) {
		return ws, ""
	}
	for i := range ws {
		if i != last && ws[i].X1 > w.X0-w.Size {
			return ws, ""
		}
	}
	return slices.Delete(slices.Clone(ws), last, last+1), w.Text
}

// whole makes the top of a bracket that consists of several pieces the whole
// bracket, and reports whether the word is not one of the other pieces.
func whole(w *Word) bool {
	r, n := utf8.DecodeRuneInString(w.Text)
	if n < len(w.Text) || r < 0xf8eb || r > 0xf8fe || r == 0xf8f5 {
		return true
	}
	tops := map[rune]string{0xf8eb: "(", 0xf8ee: "[", 0xf8f1: "{", 0xf8f6: ")", 0xf8f9: "]", 0xf8fc: "}"}
	w.Text = tops[r]
	return w.Text != ""
}

// flushLeft reports whether a line begins below a line of running text, as the
// last line of a paragraph does.
func (p *Page) flushLeft(i int) bool {
	l := &p.Lines[i]
	return slices.ContainsFunc(p.Lines, func(o Line) bool {
		d := l.Y - o.Y
		return d > .5*l.Size && d < 2*l.Size && math.Abs(o.Box.X0-l.Box.X0) < l.Size && len(o.Words) > 3
	})
}

// inOneLine returns the words of lines as one line: parts above each other from
// top to bottom, others from left to right.
func (p *Page) inOneLine(lines []int) []Line {
	lines = slices.Clone(lines)
	sorting.Stable(lines, func(a, b int) int { return compare(p.Lines[a].Box.X0, p.Lines[b].Box.X0) })
	var words []Word
	for i := 0; i < len(lines); {
		j, end := i+1, p.Lines[lines[i]].Box.X1
		for j < len(lines) && p.Lines[lines[j]].Box.X0 < end {
			end = max(end, p.Lines[lines[j]].Box.X1)
			j++
		}
		stack := lines[i:j]
		sorting.Stable(stack, func(a, b int) int { return compare(p.Lines[a].Y, p.Lines[b].Y) })
		for _, k := range stack {
			at := len(words)
			for _, w := range p.Lines[k].Words {
				if whole(&w) {
					words = append(words, w)
				}
			}
			if at < len(words) {
				words[at].Glue, words[at].Space = false, true
			}
		}
		i = j
	}
	if len(words) == 0 {
		return nil
	}
	return []Line{measured(words, 0)}
}
