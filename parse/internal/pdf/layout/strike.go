// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"cmp"
	"math"
	"slices"

	"example.com/curlew/parse/internal/pdf/content"
)

// struck is the flag of words that a line is drawn through: of glyphs it means a
// gap, and no word has one of those.
const struck = content.Space

// Where a line through text runs, in em: above the baseline, and from the ends of
// the words that it strikes at the most.
const (
	strikeLow  = .15
	strikeHigh = .42
	strikeEnds = .4
)

// strike marks words that a line is drawn through: it begins and ends with them,
// as no line of a table and no bar of a fraction does. Such lines are no rules.
func (p *Page) strike() {
	idx := make([]int, 0, len(p.Rules)) // of thin horizontal rules, by place
	for i := range p.Rules {
		if r := &p.Rules[i]; r.Horizontal() && r.X1 > r.X0 && r.Color != 0xffffff {
			idx = append(idx, i)
		}
	}
	if len(idx) == 0 || len(idx) > maxEdges {
		return
	}
	slices.SortFunc(idx, func(a, b int) int { return cmp.Compare(p.Rules[a].Y0, p.Rules[b].Y0) })
	drawn := make(map[int]bool)
	for i := range p.Lines {
		l := &p.Lines[i]
		if l.Turn != 0 {
			continue
		}
		k, _ := slices.BinarySearchFunc(idx, l.Y-strikeHigh*l.Size, func(i int, y float64) int { return cmp.Compare(p.Rules[i].Y0, y) })
		for n := 0; k < len(idx) && n < maxStrikes && p.Rules[idx[k]].Y0 < l.Y-strikeLow*l.Size; k, n = k+1, n+1 {
			if l.strikes(&p.Rules[idx[k]]) {
				drawn[idx[k]] = true
			}
		}
	}
	if len(drawn) == 0 {
		return
	}
	rest := make([]content.Rule, 0, len(p.Rules)-len(drawn))
	for i := range p.Rules {
		if !drawn[i] {
			rest = append(rest, p.Rules[i])
		}
	}
	p.Rules = rest
}

// maxStrikes bounds the rules that are looked at for one line of text.
const maxStrikes = 64

// strikes marks the words of l between the ends of r; false where r does not
// begin and end with one.
func (l *Line) strikes(r *content.Rule) bool {
	first, last := math.Inf(1), math.Inf(-1)
	for i := range l.Words {
		if w := &l.Words[i]; w.X0+w.X1 > 2*r.X0 && w.X0+w.X1 < 2*r.X1 {
			first, last = min(first, w.X0), max(last, w.X1)
		}
	}
	if math.Abs(first-r.X0) > strikeEnds*l.Size || math.Abs(last-r.X1) > strikeEnds*l.Size || r.Width > .15*l.Size {
		return false
	}
	for i := range l.Words {
		if w := &l.Words[i]; w.X0+w.X1 > 2*r.X0 && w.X0+w.X1 < 2*r.X1 {
			w.Flags |= struck
		}
	}
	return true
}
