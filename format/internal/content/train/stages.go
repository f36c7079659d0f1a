// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"
	"slices"

	"example.com/curlew/format/internal/content"
)

// mostRows is about the maximum number of blocks of one page to which a scorer is fitted.
const mostRows = 150

// Parameters of the stages. The prediction of the F1 has many trees that learn slowly, because it
// decides which pages are left to the strip, and these are few: trees that learn fast remember some of
// them. With more or deeper trees, or other rates of the other stages, the results differ by less than
// .002.
var (
	ofFirst  = options{trees: 45, depth: 4, rate: .16, lambda: 20, least: 20, columns: .3, sample: .5, seed: 1}
	ofSecond = options{trees: 56, depth: 5, rate: .13, lambda: 20, least: 20, columns: .3, sample: .5, seed: 2}
	ofRank   = options{trees: 26, depth: 3, rate: .2, lambda: 20, least: 40, columns: .4, sample: .5, squared: true, seed: 6}
	ofTrust  = options{trees: 90, depth: 3, rate: .07, lambda: 20, least: 40, columns: .3, sample: .5, squared: true, seed: 3}
	ofKind   = options{trees: 8, depth: 3, rate: .3, lambda: 1, least: 1, columns: .5, sample: .8, seed: 4}
)

// A trainer fits the stages. A set of folds has one bit for each fold. If a stage is fitted
// without the folds of a set, neither it nor the stages before it, to whose answers it is
// fitted, use a page of these folds.
type trainer struct {
	all      []*sample
	names    []name // by term
	heard    []heard
	lexicons map[uint][groups + 1]lexicon // by the group that they do not know
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
		all: all, lexicons: map[uint][groups + 1]lexicon{}, kinds: map[uint][content.Kinds]content.Forest{},
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
	k := t.kindsOf(set | 1<<s.fold)
	s.page.Guess(&k)
}

// kindsOf returns the forests of the kinds, fitted without the folds of set.
func (t *trainer) kindsOf(set uint) [content.Kinds]content.Forest {
	k, ok := t.kinds[set]
	if !ok {
		k = t.kindsWithout(set)
		t.kinds[set] = k
	}
	return k
}

// fitFirst fits all that the first scores need for pages of the folds of set. What is fitted can
// be read from several goroutines.
func (t *trainer) fitFirst(set uint) {
	t.firstWithout(set)
	t.kindsOf(set)
	t.lexiconWithout(set, none)
}

// eachPage calls work for each page with the range of its blocks in owner, for several at the
// same time.
func (t *trainer) eachPage(work func(s *sample, from, to int)) {
	var starts []int
	for i, s := range t.owner {
		if i == 0 || s != t.owner[i-1] {
			starts = append(starts, i)
		}
	}
	starts = append(starts, len(t.owner))
	parallel(len(starts)-1, func(k int) { work(t.owner[starts[k]], starts[k], starts[k+1]) })
}

// firstWithout returns the first scorer, fitted without the folds of set.
func (t *trainer) firstWithout(set uint) content.Forest {
	f, ok := t.first[set]
	if ok {
		return f
	}
	for k := range folds {
		t.kindsOf(set | 1<<k)
	}
	t.lexiconWithout(set, none)
	rows := make([][]float32, len(t.owner))
	t.eachPage(func(s *sample, from, to int) {
		t.guess(s, set)
		t.hear(s, set, s.group)
		var row content.Row
		for i := from; i < to; i++ {
			s.page.Features(t.block[i], &row)
			rows[i] = append([]float32(nil), row[content.Fixed:content.Guessed]...)
		}
	})
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
	for k := range folds {
		t.fitFirst(set | 1<<k)
	}
	t.lexiconWithout(set, none)
	rows := make([][]float32, len(t.owner))
	t.eachPage(func(s *sample, from, to int) {
		second := s.page.NewSecond(t.firstScores(s, set))
		t.hear(s, set, s.group)
		var row content.Row
		for i := from; i < to; i++ {
			s.page.Features(t.block[i], &row)
			second.Features(t.block[i], &row)
			rows[i] = append([]float32(nil), row[content.Fixed:]...)
		}
	})
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

// chooseWithout fits, without the folds of set, the ranker: to the difference between the F1 of each
// candidate and that of the best cut. It also fits the prediction of the F1 of candidates. Neither
// knows the facts of the page, from which they learned single pages.
func (t *trainer) chooseWithout(set uint) (rank, trust content.Forest) {
	for k := range folds {
		t.secondWithout(set | 1<<k)
		t.fitFirst(set | 1<<k)
	}
	picks := make([][]content.Pick, len(t.all))
	f1s := make([][]float32, len(t.all))
	parallel(len(t.all), func(i int) {
		s := t.all[i]
		if set>>s.fold&1 == 1 || len(s.blocks) == 0 {
			return
		}
		picks[i] = slices.Clone(s.page.Picks(t.secondScores(s, set)))
		for k := range picks[i] {
			f1s[i] = append(f1s[i], float32(s.f1(picks[i][k].Keep)))
			clear(picks[i][k].Row[content.PickFacts:content.PickKinds])
		}
	})
	var gains, f1sOfAll, gainWeight, weight []float32
	var gainRows, rows [][]float32
	for i, s := range t.all {
		for k := range picks[i] {
			row := picks[i][k].Row[:]
			rows = append(rows, row)
			f1sOfAll = append(f1sOfAll, f1s[i][k])
			weight = append(weight, s.weight())
			if k == content.Best || s.size == 0 && s.set != seg {
				continue
			}
			gainRows = append(gainRows, row)
			gains = append(gains, f1s[i][k]-f1s[i][content.Best])
			gainWeight = append(gainWeight, s.weight())
		}
	}
	return boost(newTable(gainRows), gains, gainWeight, ofRank), boost(newTable(rows), f1sOfAll, weight, ofTrust)
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
	rank, trust := t.chooseWithout(set)
	return &content.Model{
		Lexicon: t.wordsOf(t.lexiconWithout(set, none)), First: t.firstWithout(set), Second: t.secondWithout(set),
		Rank: rank, Trust: trust, Kinds: t.kindsOf(set),
	}
}
