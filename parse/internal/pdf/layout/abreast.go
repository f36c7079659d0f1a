// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"math"
	"slices"

	"example.com/curlew/internal/sorting"
	"example.com/curlew/parse/internal/pdf/content"
)

// This file finds a table beside running text or beside another table. A
// vertical strip of white space must separate the two sides over their whole
// height, and the sides must be independent: their lines have different
// baselines, their ruling lines end at the strip, or each side has its own
// caption.

// abreast is two parts of a page side by side. The slices hold line indexes.
type abreast struct {
	left, right, rest []int
	width             float64 // of the white strip, in points
}

const (
	leastAbreast = 4    // minimum number of lines on each side
	maxAbreast   = 2000 // pages with more lines are skipped
	abreastStep  = 4.0  // distance in points between the x positions that are tried
)

// besideEachOther finds the tallest pair of parts that stand side by side.
// At least one of them has rows of numbers. idx has the indexes of upright
// lines.
func besideEachOther(p *Page, idx []int) (best abreast, ok bool) {
	if len(idx) > maxAbreast || !figured(p, idx) {
		return best, false
	}
	idx = slices.Clone(idx)
	sorting.Stable(idx, func(a, b int) int { return compare(p.Lines[a].Y, p.Lines[b].Y) })
	x0, x1 := math.Inf(1), math.Inf(-1)
	for _, i := range idx {
		b := &p.Lines[i].Box
		x0, x1 = min(x0, b.X0), max(x1, b.X1)
	}
	from, to := x0+.2*(x1-x0), x1-.2*(x1-x0)
	most := 0
	seen := map[[3]int]bool{} // splits that have been tried
	for x := from; x < to && to-from < 4000; x += abreastStep {
		for lo := 0; lo < len(idx); {
			hi, nl := lo, 0
			l, r := math.Inf(-1), math.Inf(1)
			for ; hi < len(idx); hi++ {
				b := &p.Lines[idx[hi]].Box
				if b.X0 < x && b.X1 > x {
					break
				}
				if b.X1 <= x {
					nl++
					l = max(l, b.X1)
				} else {
					r = min(r, b.X0)
				}
			}
			n := min(nl, hi-lo-nl)
			if key := [3]int{lo, hi, nl}; n >= leastAbreast && (n > most || n == most && r-l > best.width) && r-l > 6 && !seen[key] {
				seen[key] = true
				if a := abreastAt(p, idx[lo:hi], x); a.holds(p, (l+r)/2) {
					a.rest, a.width = append(slices.Clone(idx[:lo]), idx[hi:]...), r-l
					best, most, ok = a, n, true
				}
			}
			lo = hi + 1
		}
	}
	return best, ok
}

// abreastAt splits lines at x.
func abreastAt(p *Page, idx []int, x float64) (a abreast) {
	for _, i := range idx {
		if p.Lines[i].Box.X1 <= x {
			a.left = append(a.left, i)
		} else {
			a.right = append(a.right, i)
		}
	}
	return a
}

// figured reports whether enough lines end in a number.
func figured(p *Page, idx []int) bool {
	n := 0
	for _, i := range idx {
		if l := &p.Lines[i]; len(l.Words) <= 8 && isNumeric(l.Words[len(l.Words)-1].Text) {
			if n++; n >= leastFigures {
				return true
			}
		}
	}
	return false
}

// onLines counts the lines of few that have the same baseline as a line of many,
// and those among these pairs in which a line begins like the middle of a sentence,
// as if text ran across the strip. Both slices are sorted from top to bottom.
func onLines(p *Page, few, many []int) (same, running int) {
	near := .2 * p.Lines[few[0]].Size
	k := 0
	for _, i := range few {
		for k < len(many) && p.Lines[many[k]].Y < p.Lines[i].Y-near {
			k++
		}
		if k == len(many) || p.Lines[many[k]].Y > p.Lines[i].Y+near {
			continue
		}
		same++
		if a, b := &p.Lines[i], &p.Lines[many[k]]; len(a.Words) > 4 && startsLower(a.Words[0].Text) || len(b.Words) > 4 && startsLower(b.Words[0].Text) {
			running++
		}
	}
	return same, running
}

// holds reports whether the two sides are independent and separated at x.
func (a *abreast) holds(p *Page, x float64) bool {
	few, many := a.left, a.right
	if len(few) > len(many) {
		few, many = many, few
	}
	same, running := onLines(p, few, many)
	apart := a.ruled(p, x) || captionedAt(p, a.left) && captionedAt(p, a.right)
	if same*10 >= len(few)*9 && running*2 < same && !apart {
		return false // both sides are rows of one table
	}
	l, r := kindOf(p, a.left), kindOf(p, a.right)
	if l == ragged || r == ragged || l == flowing && r == flowing {
		return false
	}
	lefts, rights := firsts(p, a.left, l == tabular), firsts(p, a.right, r == tabular)
	if len(rights) < len(lefts) {
		lefts, rights = rights, lefts
	}
	same, running = onLines(p, lefts, rights)
	own := same*5 < len(lefts)*3
	if l == tabular && r == tabular {
		return own && len(lefts) > 2*leastAbreast || apart
	}
	return own || running*2 > same || apart
}

// sideKind says what stands on one side of the strip.
type sideKind uint8

const (
	ragged  sideKind = iota // neither running text nor a table
	flowing                 // running text
	tabular                 // rows of several pieces, with labels
)

func kindOf(p *Page, idx []int) sideKind {
	rows := rowsIn(p, idx)
	several, labels, words, full := 0, 0, 0, 0
	width := boxOfLines(p, idx).Width()
	for _, r := range rows {
		if len(r.lines) > 1 && len(p.Lines[r.lines[len(r.lines)-1]].Words) <= 4 {
			several++
			if s := p.Lines[r.lines[0]].Text(); !isFigure(s) || isYear(s) {
				labels++
			}
		}
	}
	for _, i := range idx {
		words += len(p.Lines[i].Words)
		if p.Lines[i].Box.Width() > .75*width {
			full++
		}
	}
	switch {
	case several >= leastFigures && labels*10 > several*7 && figured(p, idx):
		return tabular
	case words >= 4*len(idx) && full*2 > len(idx):
		return flowing
	}
	return ragged
}

// firsts returns the first line of each row, from top to bottom. If several is
// set, it skips rows of one piece.
func firsts(p *Page, idx []int, several bool) []int {
	var out []int
	for _, r := range rowsIn(p, idx) {
		if !several || len(r.lines) > 1 {
			out = append(out, r.lines[0])
		}
	}
	return out
}

// ruled reports whether horizontal rules of both sides end at x and none
// crosses it.
func (a *abreast) ruled(p *Page, x float64) bool {
	hs, _ := p.edges()
	if len(hs) < 4 {
		return false
	}
	l, r := boxOfLines(p, a.left), boxOfLines(p, a.right)
	nl, nr := 0, 0
	for _, h := range hs {
		switch {
		case h.at < min(l.Y0, r.Y0)-10 || h.at > max(l.Y1, r.Y1)+10:
		case h.lo < x && h.hi > x:
			return false
		case h.hi <= x && h.hi-h.lo > .6*l.Width():
			nl++
		case h.lo >= x && h.hi-h.lo > .6*r.Width():
			nr++
		}
	}
	return nl > 1 && nr > 1
}

func boxOfLines(p *Page, idx []int) content.Box {
	b := textBox(&p.Lines[idx[0]])
	for _, i := range idx {
		b = b.Union(textBox(&p.Lines[i]))
	}
	return b
}

// captionedAt reports whether one of the first lines of a side is a caption.
func captionedAt(p *Page, idx []int) bool {
	return slices.ContainsFunc(idx[:min(3, len(idx))], func(i int) bool { return p.Lines[i].captions() })
}

// noteSize is how large the text of notes in the margin is at most, as a share of the
// usual size, and mostNote the number of their lines.
const (
	noteSize = .93
	mostNote = 8
)

// notes returns the lines of a page and which of them are notes in a margin: smaller text
// at the left or the right of all running text. Programs write them among the lines of the
// paragraph that they belong to. It parts lines that have the words of a note, too. There
// are no notes if other text or one of the blocks stands there, or if there are so many
// that they are a column.
func (p *Page) notes(lines []Line, blocks []Block) ([]Line, []bool) {
	usual := p.survey().usual()
	if !slices.ContainsFunc(p.survey().sizes, func(z sized) bool { return z.size <= noteSize*usual }) {
		return lines, nil
	}
	var lefts, rights []float64 // the ends of running text
	for i := range lines {
		if l := &lines[i]; l.Turn == 0 && l.Size > noteSize*usual && len(l.Words) >= leastSideWords {
			lefts, rights = append(lefts, l.Box.X0), append(rights, l.Box.X1)
		}
	}
	if len(lefts) < fewestLines {
		return lines, nil
	}
	slices.Sort(lefts)
	slices.Sort(rights)
	x0, x1 := lefts[len(lefts)/5]-.3*usual, rights[len(rights)*4/5]+.3*usual
	outside := func(b *content.Box) bool { return b.X1 < x0 || b.X0 > x1 }
	if slices.ContainsFunc(blocks, func(b Block) bool { return outside(&b.Box) }) {
		return lines, nil
	}
	out, n := lines, 0
	var beside []bool
	for i := range lines {
		l := &lines[i]
		if l.Turn != 0 || l.Box.X0 >= x0 && l.Box.X1 <= x1 {
			continue
		}
		at := i
		if k := l.noteBeside(x0, x1, usual); k > 0 {
			if len(out) == len(lines) {
				out = slices.Clone(lines)
			}
			at = len(out)
			out = append(out, l.of(l.Words[k:]))
			if out[i] = l.of(l.Words[:k]); outside(&out[i].Box) {
				at = i
			}
		}
		if l = &out[at]; outside(&l.Box) && hasLetters(l.Text()) {
			if l.Size > noteSize*usual || l.fixed() {
				return lines, nil
			}
			beside = append(beside, make([]bool, len(out)-len(beside))...)
			beside[at] = true
			n++
		}
	}
	if n == 0 || n*3 > len(lefts) {
		return lines, nil
	}
	return out, append(beside, make([]bool, len(out)-len(beside))...)
}

// noteBeside returns the first word behind the gap between running text, which ends at x0 and
// x1, and a note beside it in one line. It returns 0 if there is none.
func (l *Line) noteBeside(x0, x1, usual float64) int {
	for k := 1; k < len(l.Words); k++ {
		v, w := &l.Words[k-1], &l.Words[k]
		if w.X0-v.X1 < .5*usual {
			continue
		}
		if a, b := v.Size <= noteSize*usual, w.Size <= noteSize*usual; a && !b && v.X1 < x0 && w.X0 > x0 || b && !a && w.X0 > x1 && v.X1 < x1 {
			return k
		}
	}
	return 0
}

// brief reports whether notes are short and do not stand beside each other, as the labels
// of a form do.
func brief(notes []Block) bool {
	for i := range notes {
		n := &notes[i]
		if len(n.Lines) > mostNote || i > 0 && n.Box.Y0 < notes[i-1].Box.Y1-.3*n.Lines[0].Size {
			return false
		}
		for k := 1; k < len(n.Lines); k++ {
			if n.Lines[k].Y-n.Lines[k-1].Y < .3*n.Lines[k].Size {
				return false
			}
		}
	}
	return true
}

// annotated inserts notes after the blocks that they stand beside. A paragraph that may
// go on in the next column is not separated from it, so its notes come before it.
func annotated(blocks, notes []Block) []Block {
	if len(blocks)*len(notes) > maxInserts {
		return append(blocks, notes...)
	}
	for _, n := range slices.Backward(notes) {
		at, away := 0, math.Inf(1)
		for i := range blocks {
			b := &blocks[i].Box
			if b.Y0 < n.Box.Y1 && b.Y1 > n.Box.Y0 && b.Y0 <= n.Box.Y0+.7*n.Lines[0].Size {
				if d := max(n.Box.X0-b.X1, b.X0-n.Box.X1); d <= away {
					at, away = i+1, d
				}
			} else if math.IsInf(away, 1) && b.Y0 < n.Box.Y0 {
				at = i + 1
			}
		}
		if at > 0 && len(blocks[at-1].Lines) > 2 && !ends(blocks[at-1].Text()) {
			at--
		}
		blocks = sorting.Insert(blocks, at, n)
	}
	return blocks
}
