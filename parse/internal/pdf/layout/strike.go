// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"cmp"
	"math"
	"slices"

	"example.com/curlew/parse/internal/pdf/content"
)

// struck is the flag of struck-through words. It reuses the bit of
// content.Space, which marks gaps and is never set on words.
const struck = content.Space

// Limits for a strike-through line, in em: its height above the baseline,
// and the largest distance between its ends and the ends of the words.
const (
	strikeLow  = .15
	strikeHigh = .42
	strikeEnds = .4
)

// strike marks words that are struck through and removes the line from the
// rules. The line begins and ends with the words, unlike table lines and
// fraction bars.
func (p *Page) strike() {
	idx := make([]int, 0, len(p.Rules)) // thin horizontal rules, sorted by height
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

// maxStrikes bounds the rules that are compared with one line of text.
const maxStrikes = 64

// strikes marks the words of l between the ends of r. It returns false if r
// does not begin and end with a word.
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
