// SPDX-License-Identifier: Apache-2.0

package scoretest

import (
	"strings"
)

// None is the score for something that the expected document does not contain.
const None = -1

// Scores are the scores of one document, from 0 to 1, or [None].
type Scores struct {
	NID    float64 // text with markup, characters in order
	TEDS   float64 // all tables
	MHS    float64 // headings and the content below them, without the levels
	Words  float64 // F1 of the words, without markup, in any order
	Blocks float64 // blocks in order, each either right or wrong
}

// Score compares got with truth, which are both Markdown. Tables are pipe
// tables or HTML. It takes time proportional to the product of the lengths.
//
//   - NID is 2·LCS / (a + b) over characters, white space collapsed.
//   - TEDS is 1 - TED / max(a, b) of the trees of all tables (Zhong et al.,
//     2020). Replacing the text of a cell costs the Levenshtein distance of the
//     two texts divided by the length of the longer one.
//   - MHS is the same measure for the tree of headings, in which the content of
//     each heading is one node.
//   - Words is F1 of the multisets of [Words].
//   - Blocks is 2·LCS / (a + b) over [Blocks].
func Score(truth, got string) Scores {
	s := Scores{None, None, None, None, None}
	if want := Words(truth); len(want) > 0 {
		s.Words = F1(Words(got), want)
	}
	if want := Blocks(truth); len(want) > 0 {
		have := Blocks(got)
		s.Blocks = 2 * float64(common(want, have)) / float64(len(want)+len(have))
	}
	truth, got = tablesAsHTML(truth), tablesAsHTML(got)
	if t := []rune(folded(truth)); len(t) > 0 {
		g := []rune(folded(got))
		s.NID = 2 * float64(common(t, g)) / float64(len(t)+len(g))
	}
	if want := tables.FindAllString(truth, -1); want != nil {
		s.TEDS = 0
		if have := tables.FindAllString(got, -1); have != nil {
			s.TEDS = similar(tableTree(want), tableTree(have), 1)
		}
	}
	if want, ok := headingTree(truth); ok {
		s.MHS = 0
		if have, ok := headingTree(got); ok {
			s.MHS = similar(want, have, 0)
		}
	}
	return s
}

// Overall is the mean of NID, TEDS and MHS without [None], or [None].
func (s Scores) Overall() float64 { return Mean([]float64{s.NID, s.TEDS, s.MHS}) }

// Mean is the mean of the values without [None], or [None].
func Mean(values []float64) float64 {
	sum, n := 0.0, 0
	for _, v := range values {
		if v >= 0 {
			sum += v
			n++
		}
	}
	if n == 0 {
		return None
	}
	return sum / float64(n)
}

// folded collapses white space.
func folded(s string) string { return strings.Join(strings.Fields(s), " ") }

// F1 compares two multisets. It is 1 if they are equal.
func F1[K comparable](got, want map[K]int) float64 {
	both, all := 0, 0
	for k, n := range want {
		both += min(n, got[k])
		all += n
	}
	for _, n := range got {
		all += n
	}
	if all == 0 {
		return 1
	}
	return 2 * float64(both) / float64(all)
}
