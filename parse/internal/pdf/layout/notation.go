// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"example.com/curlew/internal/sorting"
)

// This file reads the structure of a formula from the places of its words and bars.
// Each of them must have one clear place. Otherwise the formula stays text.

// FormulaNode is a part of a formula. Kids depend on its kind.
type FormulaNode struct {
	Kind FormulaKind
	Text string // of MathVariable, MathNumber, MathOperator, MathFunction and MathText
	Kids []FormulaNode
	Tag  string // the number of the whole formula; empty if there is none
}

// FormulaKind is the kind of a part of a formula.
type FormulaKind uint8

// The kinds of parts of formulas.
const (
	MathRow FormulaKind = iota
	MathVariable
	MathNumber
	MathOperator
	MathFunction // an upright word such as sin
	MathText     // words between parts of a formula
	MathFraction // numerator and denominator
	MathRoot     // radicand and, for other roots than square roots, the index
	MathScripts  // base, subscript and superscript, of which one may be an empty row
	MathLimits   // base, lower and upper limit, of which one may be an empty row
	MathMatrix   // rows of cells; Text is { if they are the cases of a function
)

// sign is a part of a formula at its place on the page.
type sign struct {
	node   FormulaNode
	x0, x1 float64
	y      float64 // baseline
	size   float64
	small  bool // smaller than others of its row
	large  bool // a large operator
	free   bool // a bracket of any height, or a matrix, which has no baseline
}

// maxFormulaDepth bounds fractions in fractions.
const maxFormulaDepth = 8

// readFormula builds a formula from its words and bars. It returns false if some
// of them have no clear place in it.
func readFormula(ws []Word, bars []edge, depth int) (FormulaNode, bool) {
	if depth > maxFormulaDepth {
		return FormulaNode{}, false
	}
	ws, bars = slices.Clone(ws), slices.Clone(bars)
	sorting.Stable(bars, func(a, b edge) int { return compare(b.hi-b.lo, a.hi-a.lo) })
	var out []sign
	for len(bars) > 0 {
		s, restWords, restBars, ok := barred(ws, bars, depth)
		if !ok {
			return FormulaNode{}, false
		}
		out, ws, bars = append(out, s), restWords, restBars
	}
	for {
		s, rest, ok := matrix(ws, depth)
		if !ok {
			break
		}
		out, ws = append(out, s), rest
	}
	for i := range ws {
		signs, ok := signsOf(&ws[i])
		if !ok {
			return FormulaNode{}, false
		}
		out = append(out, signs...)
	}
	return signRow(out)
}

// barred reads the part of the widest bar, which is the first one: a fraction, or
// a root if a root sign ends at the bar.
func barred(ws []Word, bars []edge, depth int) (s sign, rest []Word, others []edge, ok bool) {
	bar := bars[0]
	root := slices.IndexFunc(ws, func(w Word) bool {
		high := .5 // how far the bar may be above the baseline of the sign
		if !isHanging(&w) {
			high = highestRoot
		}
		return w.Text == "√" && math.Abs(w.X1-bar.lo) < .2*w.Size && bar.at > w.Y-high*w.Size && bar.at < w.Y+.5*w.Size
	})
	var above, below []Word
	for i := range ws {
		w := &ws[i]
		b := inkOf(w)
		x, y := (b.X0+b.X1)/2, (b.Y0+b.Y1)/2
		switch {
		case i == root:
		case x < bar.lo-.5 || x > bar.hi+.5:
			rest = append(rest, *w)
		case y > bar.at:
			below = append(below, *w)
		default:
			above = append(above, *w)
		}
	}
	var aboveBars, belowBars []edge
	for _, o := range bars[1:] {
		switch x := (o.lo + o.hi) / 2; {
		case x < bar.lo || x > bar.hi:
			others = append(others, o)
		case o.at > bar.at:
			belowBars = append(belowBars, o)
		default:
			aboveBars = append(aboveBars, o)
		}
	}
	if root >= 0 {
		rest, others = append(rest, above...), append(others, aboveBars...)
		f, fine := readFormula(below, belowBars, depth+1)
		if !fine || len(below) == 0 {
			return s, nil, nil, false
		}
		node := FormulaNode{Kind: MathRoot, Kids: []FormulaNode{f}}
		var index []Word
		rest = sorting.Without(rest, func(w Word) bool {
			b := inkOf(&w)
			over := w.Size < .85*ws[root].Size && b.X0 > ws[root].X0-.3*w.Size && b.X1 < bar.lo && b.Y1 < ws[root].Y+.8*ws[root].Size
			if over {
				index = append(index, w)
			}
			return over
		})
		if len(index) > 0 {
			f, fine := readFormula(index, nil, depth+1)
			if !fine {
				return s, nil, nil, false
			}
			node.Kids = append(node.Kids, f)
		}
		size, y := mainOf(below)
		return sign{node: node, x0: ws[root].X0, x1: bar.hi, y: y, size: size}, rest, others, true
	}
	num, fine := readFormula(above, aboveBars, depth+1)
	den, fine2 := readFormula(below, belowBars, depth+1)
	if !fine || !fine2 || len(above) == 0 || len(below) == 0 {
		return s, nil, nil, false
	}
	size, _ := mainOf(append(slices.Clone(above), below...))
	return sign{node: FormulaNode{Kind: MathFraction, Kids: []FormulaNode{num, den}}, x0: bar.lo, x1: bar.hi, y: bar.at + .25*size, size: size}, rest, others, true
}

// highestRoot is the maximum height, in font sizes, of a root sign that stands on its baseline.
// Larger signs, for high expressions, hang below the baseline.
const highestRoot = 1.3

// brackets has the closing brackets of matrices by the opening ones.
var brackets = map[string]string{"(": ")", "[": "]", "{": "}", "|": "|", "∣": "∣"}

// matrix reads the first matrix, which is several rows between two high brackets,
// and returns the other words with those brackets. It returns false if there is
// none.
func matrix(ws []Word, depth int) (s sign, rest []Word, ok bool) {
	for i := range ws {
		open := &ws[i]
		if !isHanging(open) || brackets[open.Text] == "" {
			continue
		}
		shut := -1
		for k := range ws {
			if w := &ws[k]; k != i && isHanging(w) && w.Text == brackets[open.Text] && w.X0 >= open.X1 && math.Abs(w.Y-open.Y) < 1 && (shut < 0 || w.X0 < ws[shut].X0) {
				shut = k
			}
		}
		end := math.Inf(1) // the cases of a function have no closing bracket
		switch {
		case shut >= 0:
			end = ws[shut].X0
		case open.Text != "{":
			continue
		}
		var inner []Word
		rest = nil
		for k := range ws {
			if x := (ws[k].X0 + ws[k].X1) / 2; x > open.X1 && x < end {
				inner = append(inner, ws[k])
			} else {
				rest = append(rest, ws[k])
			}
		}
		node, fine := matrixOf(inner, depth)
		if !fine {
			continue
		}
		if shut < 0 { // the bracket is a part of the cases
			rest = sorting.Without(rest, func(w Word) bool { return w.Seq == open.Seq && w.Text == open.Text && w.X0 == open.X0 })
			node.Text = "{"
		}
		size, y := mainOf(inner)
		return sign{node: node, x0: open.X1, x1: inner[len(inner)-1].X1, y: y, size: size, free: true}, rest, true
	}
	return s, nil, false
}

// matrixOf reads rows of cells. It returns false if there are no two rows of
// equally many cells.
func matrixOf(ws []Word, depth int) (FormulaNode, bool) {
	rows := rowsOf(ws)
	if len(ws) == 0 || len(rows) < 2 || len(rows) > maxFormulaWords/8 {
		return FormulaNode{}, false
	}
	size, _ := mainOf(ws)
	sorted := slices.Clone(ws)
	sorting.Stable(sorted, func(a, b Word) int { return compare(a.X0, b.X0) })
	var ends []float64 // the right ends of the columns
	end := sorted[0].X1
	for k := range sorted {
		if sorted[k].X0-end > .6*size {
			ends = append(ends, end)
		}
		end = max(end, sorted[k].X1)
	}
	ends = append(ends, end)
	out := FormulaNode{Kind: MathMatrix}
	for _, row := range rows {
		cells := make([][]Word, len(ends))
		for k := range row {
			j := slices.IndexFunc(ends, func(x float64) bool { return row[k].X0 < x })
			if j < 0 {
				return FormulaNode{}, false
			}
			cells[j] = append(cells[j], row[k])
		}
		line := FormulaNode{}
		for _, c := range cells {
			f, ok := readFormula(c, nil, depth+1)
			if !ok || len(c) == 0 {
				return FormulaNode{}, false
			}
			line.Kids = append(line.Kids, f)
		}
		out.Kids = append(out.Kids, line)
	}
	return out, true
}

// mainOf returns the largest font size of words and the baseline of the first
// word in it.
func mainOf(ws []Word) (size, y float64) {
	for i := range ws {
		if w := &ws[i]; w.Size > size+.1 && !isHanging(w) {
			size, y = w.Size, w.Y
		}
	}
	return size, y
}

// largeOperators have limits above and below them, except for integrals, which
// have theirs beside them.
const (
	largeOperators = "∑∏∐∪∩⋃⋂⋁⋀∨∧⊕⊗⊙⊎⊔" + integrals
	integrals      = "∫∮∬∭"
)

// accentSigns are the signs of combining accents.
var accentSigns = map[rune]string{0x300: "`", 0x301: "´", 0x302: "^", 0x303: "~", 0x304: "¯", 0x307: "˙", 0x308: "¨", 0x30c: "ˇ", 0x20d7: "→"}

// signsOf returns the signs of a word: its letters, numbers, operators, or a
// function. It returns false if the word has characters without a meaning.
func signsOf(w *Word) ([]sign, bool) {
	n := utf8.RuneCountInString(w.Text)
	wide := (w.X1 - w.X0) / float64(max(1, n))
	var out []sign
	at := 0
	add := func(kind FormulaKind, text string) {
		k := utf8.RuneCountInString(text)
		s := sign{node: FormulaNode{Kind: kind, Text: text}, x0: w.X0 + wide*float64(at), x1: w.X0 + wide*float64(at+k), y: w.Y, size: w.Size}
		if isHanging(w) {
			s.large = strings.Contains(largeOperators, text)
			s.free = !s.large
			s.y = w.Y + (depthOf(w)/2+.25)*w.Size // the middle is .25 em above the baseline
		} else {
			s.large = isTall(w) && strings.Contains(tall, text)
		}
		out = append(out, s)
		at += k
	}
	for rest := norm.NFD.String(w.Text); rest != ""; {
		if mark, n := utf8.DecodeRuneInString(rest); unicode.Is(unicode.Mn, mark) {
			if len(out) == 0 || accentSigns[mark] == "" {
				return nil, false
			}
			base := &out[len(out)-1].node
			*base = FormulaNode{Kind: MathLimits, Kids: []FormulaNode{*base, {}, {Kind: MathOperator, Text: accentSigns[mark]}}}
			rest = rest[n:]
			continue
		}
		r, size := utf8.DecodeRuneInString(rest)
		end := size
		switch {
		case r == utf8.RuneError, unicode.Is(unicode.Co, r), unicode.IsControl(r), r == '√':
			return nil, false
		case unicode.IsDigit(r):
			for end < len(rest) && (rest[end] >= '0' && rest[end] <= '9' || end+1 < len(rest) && strings.IndexByte(".,", rest[end]) >= 0 && rest[end+1] >= '0' && rest[end+1] <= '9') {
				end++
			}
			add(MathNumber, rest[:end])
		case unicode.IsLetter(r) && w.Font != nil && w.Font.Math:
			add(MathVariable, rest[:end])
		case unicode.IsLetter(r):
			for end < len(rest) {
				o, k := utf8.DecodeRuneInString(rest[end:])
				if !unicode.IsLetter(o) {
					break
				}
				end += k
			}
			kind := MathFunction
			if slices.Contains(conjunctions, rest[:end]) {
				kind = MathText
			}
			add(kind, rest[:end])
		default:
			add(MathOperator, rest[:end])
		}
		rest = rest[end:]
	}
	return out, true
}

// signRow puts signs into one row. Smaller signs are scripts or limits of those
// before them. It returns false if the others are not on one baseline.
func signRow(signs []sign) (FormulaNode, bool) {
	if len(signs) == 0 {
		return FormulaNode{}, true
	}
	sorting.Stable(signs, func(a, b sign) int { return compare(a.x0, b.x0) })
	size := 0.0
	for i := range signs {
		size = max(size, signs[i].size)
	}
	for i := range signs {
		s := &signs[i]
		s.small = s.size < .85*size && s.node.Kind != MathFraction && s.node.Kind != MathRoot
	}
	if !onBaseline(signs, size) {
		return FormulaNode{}, false
	}
	over, below := make([][]sign, len(signs)), make([][]sign, len(signs)) // scripts and limits, by the sign that has them
	for i := range signs {
		s := &signs[i]
		if !s.small {
			continue
		}
		owner := ownerOf(signs, i, size)
		if owner < 0 {
			return FormulaNode{}, false
		}
		o := &signs[owner]
		switch d := s.y - .25*s.size - o.y + .25*o.size; { // from the middle of o to that of s
		case d < -.02*size:
			over[owner] = append(over[owner], *s)
		case d > .1*size:
			below[owner] = append(below[owner], *s)
		default:
			return FormulaNode{}, false
		}
	}
	row := FormulaNode{}
	for i := range signs {
		if signs[i].small {
			continue
		}
		n, ok := signs[i].with(below[i], over[i])
		if !ok {
			return FormulaNode{}, false
		}
		if k := len(row.Kids) - 1; k >= 0 && n.Kind == MathText && row.Kids[k].Kind == MathText {
			row.Kids[k].Text += " " + n.Text
			continue
		}
		row.Kids = append(row.Kids, n)
	}
	return row, true
}

// onBaseline reports whether the signs of full size are on one baseline, and moves those
// without a baseline to it. Large operators and fractions have less certain ones.
func onBaseline(signs []sign, size float64) bool {
	base, ok := 0.0, false
	for i := range signs {
		s := &signs[i]
		switch {
		case s.small || s.large || s.free || s.node.Kind == MathFraction:
		case !ok:
			base, ok = s.y, true
		case math.Abs(s.y-base) > .12*size:
			return false
		}
	}
	for i := range signs {
		s := &signs[i]
		switch {
		case !ok || s.small:
		case s.free:
			s.y = base
		case (s.large || s.node.Kind == MathFraction) && math.Abs(s.y-base) > .35*size*(1+float64(count(s.large))):
			return false
		}
	}
	return true
}

// with returns the node of a sign with its scripts or limits. It returns false if
// these cannot be read.
func (s *sign) with(below, over []sign) (FormulaNode, bool) {
	if len(over)+len(below) == 0 {
		return s.node, true
	}
	up, ok := signRow(over)
	down, ok2 := signRow(below)
	kind := MathScripts
	if s.limited() {
		kind = MathLimits
	}
	return FormulaNode{Kind: kind, Kids: []FormulaNode{s.node, down, up}}, ok && ok2
}

// limited reports whether s has limits above and below it.
func (s *sign) limited() bool {
	return s.large && !strings.ContainsAny(s.node.Text, integrals) || s.node.Kind == MathFunction && slices.Contains([]string{"lim", "max", "min", "sup", "inf"}, s.node.Text)
}

// ownerOf returns the sign that the small sign i belongs to: one with limits that
// is above or below it, or the last one before it that is not small. It returns
// -1 if there is none nearby.
func ownerOf(signs []sign, i int, size float64) int {
	mid := (signs[i].x0 + signs[i].x1) / 2
	best, near := -1, 1.2*size
	for k := range signs {
		if s := &signs[k]; !s.small && s.limited() && math.Abs(signs[i].y-s.y) > .6*size {
			if d := max(s.x0-mid, mid-s.x1, 0); d < near {
				best, near = k, d
			}
		}
	}
	if best >= 0 {
		return best
	}
	for k := i - 1; k >= 0; k-- {
		if !signs[k].small {
			return k
		}
	}
	return -1
}
