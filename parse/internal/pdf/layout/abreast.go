// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"cmp"
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
	sorting.Stable(idx, func(a, b int) int { return cmp.Compare(p.Lines[a].Y, p.Lines[b].Y) })
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
