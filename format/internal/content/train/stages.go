// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"

	"example.com/curlew/format/internal/content"
)

// mostRows is how many blocks of one page a scorer is fitted to.
const mostRows = 150

// How the stages are fitted. More trees, deeper ones and other rates score the
// same within .002.
var (
	ofFirst  = options{trees: 45, depth: 4, rate: .16, lambda: 20, least: 20, columns: .3, sample: .5, seed: 1}
	ofSecond = options{trees: 56, depth: 5, rate: .13, lambda: 20, least: 20, columns: .3, sample: .5, seed: 2}
	ofRank   = options{trees: 26, depth: 3, rate: .2, lambda: 20, least: 40, columns: .4, sample: .5, squared: true, seed: 6}
	ofTrust  = options{trees: 30, depth: 3, rate: .2, lambda: 20, least: 40, columns: .3, sample: .5, squared: true, seed: 3}
	ofKind   = options{trees: 8, depth: 3, rate: .3, lambda: 1, least: 1, columns: .5, sample: .8, seed: 4}
)

// A trainer fits the stages. A set of folds is a bit each. What is fitted
// without the folds of a set has never met a page of them, and neither has any
// stage before it whose answers it is fitted to.
type trainer struct {
	all      []*sample
	names    []name // by term
	lexicons map[[2]uint]lexicon
	kinds    map[uint][content.Kinds]content.Forest
	first    map[uint]content.Forest
	second   map[uint]content.Forest

	// Of the blocks that the scorers are fitted to.
	owner  []*sample
	block  []int
	target []float32
	weight []float32
	fixed  *table // of the features that are known before any model
}

// setWeights are what a page of each set weighs. A page of seg has few blocks that
// are known.
var setWeights = [sets]float32{wcxb: 1, aeb: 2.5, seg: .6, read: 2.5}

// otherKinds is how much more a page of wcxb weighs that is no article: nearly all
// pages of the other sets are.
const otherKinds = 1.6

// weight returns what the page of s weighs.
func (s *sample) weight() float32 {
	if s.set == wcxb && s.kind != content.Article {
		return setWeights[wcxb] * otherKinds
	}
	return setWeights[s.set]
}

// newTrainer picks the blocks to fit to. A page weighs as much as any other,
// a block as much as its number of words to the power of .7.
// read are the samples that the trainer is to measure on, too.
func newTrainer(all, read []*sample) *trainer {
	t := &trainer{
		all: all, lexicons: map[[2]uint]lexicon{}, kinds: map[uint][content.Kinds]content.Forest{},
		first: map[uint]content.Forest{}, second: map[uint]content.Forest{},
	}
	var rows [][]float32
	for _, s := range all {
		if s.size == 0 && s.set != seg {
			continue
		}
		step := max(1, float64(len(s.blocks))/mostRows)
		from, sum := len(t.weight), float32(0)
		for x := 0.0; int(x) < len(s.blocks); x += step {
			i := int(x)
			if len(s.blocks[i]) == 0 || s.known != nil && !s.known[i] {
				continue
			}
			w := float32(math.Pow(float64(len(s.blocks[i])), .7))
			t.owner = append(t.owner, s)
			t.block = append(t.block, i)
			t.target = append(t.target, s.label[i])
			t.weight = append(t.weight, w)
			rows = append(rows, s.rows[i])
			sum += w
		}
		for i := from; i < len(t.weight); i++ {
			t.weight[i] *= 100 * s.weight() / sum
		}
	}
	t.fixed = newTable(rows)
	t.lexify(read)
	return t
}

// without returns the weights of the blocks, zero in the folds of set.
func (t *trainer) without(set uint) []float32 {
	w := make([]float32, len(t.weight))
	for i, s := range t.owner {
		if set>>s.fold&1 == 0 {
			w[i] = t.weight[i]
		}
	}
	return w
}

// guess tells the page of s what kind it may be, by forests that are fitted
// without the folds of set and that of s.
func (t *trainer) guess(s *sample, set uint) {
	set |= 1 << s.fold
	k, ok := t.kinds[set]
	if !ok {
		k = t.kindsWithout(set)
		t.kinds[set] = k
	}
	s.page.Guess(&k)
}

// firstWithout returns the first scorer, fitted without the folds of set.
func (t *trainer) firstWithout(set uint) content.Forest {
	f, ok := t.first[set]
	if ok {
		return f
	}
	rows := make([][]float32, len(t.owner))
	var s *sample
	var row content.Row
	for i := range rows {
		if t.owner[i] != s {
			s = t.owner[i]
			t.guess(s, set)
			t.hear(s, set, s.group)
		}
		s.page.Features(t.block[i], &row)
		rows[i] = append([]float32(nil), row[content.Fixed:content.Guessed]...)
	}
	f = boost(t.fixed.with(newTable(rows)), t.target, t.without(set), ofFirst)
	t.first[set] = f
	return f
}

// firstScores returns the answers of the first scorer for s, fitted without
// the folds of set and that of s. The page of s has its guess, and has heard
// the lexicon without them.
func (t *trainer) firstScores(s *sample, set uint) []float32 {
	set |= 1 << s.fold
	f := t.firstWithout(set)
	t.guess(s, set)
	t.hear(s, set, none)
	p := make([]float32, len(s.rows))
	var row content.Row
	for i := range p {
		s.page.Features(i, &row)
		p[i] = content.Sigmoid(f.Score(row[:]))
	}
	return p
}

// secondWithout returns the second scorer, fitted without the folds of set.
func (t *trainer) secondWithout(set uint) content.Forest {
	f, ok := t.second[set]
	if ok {
		return f
	}
	rows := make([][]float32, len(t.owner))
	var s *sample
	var second *content.Second
	var row content.Row
	for i := range rows {
		if t.owner[i] != s {
			s = t.owner[i]
			second = s.page.NewSecond(t.firstScores(s, set))
			t.hear(s, set, s.group)
		}
		s.page.Features(t.block[i], &row)
		second.Features(t.block[i], &row)
		rows[i] = append([]float32(nil), row[content.Fixed:]...)
	}
	f = boost(t.fixed.with(newTable(rows)), t.target, t.without(set), ofSecond)
	t.second[set] = f
	return f
}

// secondScores is firstScores of the second scorer.
func (t *trainer) secondScores(s *sample, set uint) []float32 {
	set |= 1 << s.fold
	f := t.secondWithout(set)
	second := s.page.NewSecond(t.firstScores(s, set))
	p := make([]float32, len(s.rows))
	var row content.Row
	for i := range p {
		s.page.Features(i, &row)
		second.Features(i, &row)
		p[i] = content.Sigmoid(f.Score(row[:]))
	}
	return p
}

// rankWithout fits the differences of the candidates to the best cut without the
// folds of set.
func (t *trainer) rankWithout(set uint) content.Forest {
	var rows [][]float32
	var gains, weight []float32
	for _, s := range t.all {
		if set>>s.fold&1 == 1 || len(s.blocks) == 0 || s.size == 0 && s.set != seg {
			continue
		}
		picks := s.page.Picks(t.secondScores(s, set))
		best := s.f1(picks[content.Best].Keep)
		for k, pick := range picks {
			if k != content.Best {
				rows = append(rows, append([]float32(nil), pick.Row[:]...))
				gains = append(gains, float32(s.f1(pick.Keep)-best))
				weight = append(weight, s.weight())
			}
		}
	}
	return boost(newTable(rows), gains, weight, ofRank)
}

// trustWithout fits the trust in candidates without the folds of set.
func (t *trainer) trustWithout(set uint) content.Forest {
	var rows [][]float32
	var f1s, weight []float32
	for _, s := range t.all {
		if set>>s.fold&1 == 1 || len(s.blocks) == 0 {
			continue
		}
		for _, pick := range s.page.Picks(t.secondScores(s, set)) {
			rows = append(rows, append([]float32(nil), pick.Row[:]...))
			f1s = append(f1s, float32(s.f1(pick.Keep)))
			weight = append(weight, s.weight())
		}
	}
	return boost(newTable(rows), f1s, weight, ofTrust)
}

// kindsWithout fits the kinds of pages without the folds of set: each against
// all others.
func (t *trainer) kindsWithout(set uint) (kinds [content.Kinds]content.Forest) {
	var rows [][]float32
	var weight []float32
	var of []content.Kind
	for _, s := range t.all {
		if set>>s.fold&1 == 0 && s.set == wcxb {
			facts := s.page.Facts()
			rows = append(rows, facts[:])
			weight = append(weight, 1)
			of = append(of, s.kind)
		}
	}
	table := newTable(rows)
	target := make([]float32, len(of))
	for k := range kinds {
		for i, kind := range of {
			target[i] = 0
			if kind == content.Kind(k) {
				target[i] = 1
			}
		}
		kinds[k] = boost(table, target, weight, ofKind)
	}
	return kinds
}

// modelWithout fits all stages without the folds of set.
func (t *trainer) modelWithout(set uint) *content.Model {
	return &content.Model{
		Lexicon: t.wordsOf(t.lexiconWithout(set, none)), First: t.firstWithout(set), Second: t.secondWithout(set),
		Rank: t.rankWithout(set), Trust: t.trustWithout(set), Kinds: t.kindsWithout(set),
	}
}
