// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"

	"example.com/curlew/format/internal/content"
)

// mostRows is about the maximum number of blocks of one page to which a scorer is fitted.
const mostRows = 150

// Parameters of the stages. With more trees, deeper trees or other rates, the results
// differ by less than .002.
var (
	ofFirst  = options{trees: 45, depth: 4, rate: .16, lambda: 20, least: 20, columns: .3, sample: .5, seed: 1}
	ofSecond = options{trees: 56, depth: 5, rate: .13, lambda: 20, least: 20, columns: .3, sample: .5, seed: 2}
	ofRank   = options{trees: 26, depth: 3, rate: .2, lambda: 20, least: 40, columns: .4, sample: .5, squared: true, seed: 6}
	ofTrust  = options{trees: 30, depth: 3, rate: .2, lambda: 20, least: 40, columns: .3, sample: .5, squared: true, seed: 3}
	ofKind   = options{trees: 8, depth: 3, rate: .3, lambda: 1, least: 1, columns: .5, sample: .8, seed: 4}
)

// A trainer fits the stages. A set of folds has one bit for each fold. If a stage is fitted
// without the folds of a set, neither it nor the stages before it, to whose answers it is
// fitted, use a page of these folds.
type trainer struct {
	all      []*sample
	names    []name // by term
	lexicons map[[2]uint]lexicon
	kinds    map[uint][content.Kinds]content.Forest
	first    map[uint]content.Forest
	second   map[uint]content.Forest

	// The blocks to which the scorers are fitted.
	owner  []*sample
	block  []int
	target []float32
	weight []float32
	fixed  *table // the features that are known before any model
}

// setWeights are the weights of a page of each set. A page of seg has few blocks with a
// label.
var setWeights = [sets]float32{wcxb: 1, aeb: 2.5, seg: .6, read: 2.5}

// otherKinds is the factor for the weight of a page of wcxb that is not an article, because
// nearly all pages of the other sets are articles.
const otherKinds = 1.6

// weight returns the weight of the page of s.
func (s *sample) weight() float32 {
	if s.set == wcxb && s.kind != content.Article {
		return setWeights[wcxb] * otherKinds
	}
	return setWeights[s.set]
}

// newTrainer chooses the blocks to which the scorers are fitted. The weight of a page does
// not depend on its size. Within a page, the weight of a block is its number of words to the
// power of .7. read contains all samples of which the trainer needs terms, including those
// that it only measures on.
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

// without returns the weights of the blocks, with zeros for the folds of set.
func (t *trainer) without(set uint) []float32 {
	w := make([]float32, len(t.weight))
	for i, s := range t.owner {
		if set>>s.fold&1 == 0 {
			w[i] = t.weight[i]
		}
	}
	return w
}

// guess computes the kinds of the page of s by forests that are fitted without the folds of
// set and without the fold of s.
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

// firstScores returns the answers of the first scorer for s, fitted without the folds of set
// and without the fold of s. It also sets the kinds of the page of s and what the lexicon
// says about it, from models that were fitted without these folds.
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

// secondScores is like firstScores, but for the second scorer.
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

// rankWithout fits the ranker without the folds of set: to the difference between the F1 of
// each candidate and that of the best cut.
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

// trustWithout fits the prediction of the F1 of candidates without the folds of set.
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

// kindsWithout fits a classifier for each kind of page against all others, without the folds
// of set.
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
