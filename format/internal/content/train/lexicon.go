// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"unique"

	"example.com/curlew/format/internal/content"
)

// Parameters of the fit of the lexicon. It uses FTRL-Proximal, a logistic regression that
// sets most weights to zero (McMahan et al., Ad Click Prediction, 2013, algorithm 1).
const (
	lexiconRate   = .05
	lexiconL1     = 200
	lexiconL2     = 1
	lexiconRounds = 3
	fewestHosts   = 10 // hosts that use a word at a distance
)

// groups is the number of groups into which the hosts are divided, apart from the folds.
// For each page, a scorer is fitted to a lexicon that was fitted without the group of the
// page. Otherwise the scorer would trust the lexicon too much.
const groups = 5

// none is a group without pages.
const none = groups

// A name is a word in the names of the elements around a block, with its distance.
type name struct {
	word unique.Handle[string]
	near int
}

// A term is the number of a name.
type term int32

// A lexicon contains what each term says.
type lexicon []int8

// namesOf returns the names around each block of p.
func namesOf(p *content.Page) [][]name {
	all := make([][]name, len(p.Blocks))
	for i := range all {
		p.Names(i, func(near int, word string) { all[i] = append(all[i], name{unique.Make(word), near}) })
	}
	return all
}

// lexify numbers the names that enough hosts use, and sets the terms of the samples in read.
func (t *trainer) lexify(read []*sample) {
	hosts := map[name]map[string]bool{}
	for r, s := range t.owner {
		for _, n := range s.names[t.block[r]] {
			if hosts[n] == nil {
				hosts[n] = map[string]bool{}
			}
			hosts[n][s.host] = true
		}
	}
	for n, h := range hosts {
		if len(h) >= fewestHosts {
			t.names = append(t.names, n)
		}
	}
	slices.SortFunc(t.names, func(a, b name) int {
		return cmp.Or(cmp.Compare(a.word.Value(), b.word.Value()), a.near-b.near)
	})
	terms := map[name]term{}
	for i, n := range t.names {
		terms[n] = term(count32(i))
	}
	for _, s := range read {
		s.terms = make([][]term, len(s.blocks))
		for i, all := range s.names {
			for _, n := range all {
				if id, ok := terms[n]; ok {
					s.terms[i] = append(s.terms[i], id)
				}
			}
		}
		s.names = nil
	}
	t.listHeard()
}

// A heard is a block in the order in which the lexicon reads them.
type heard struct {
	row         int32 // its number in trainer.owner
	fold, group uint8
	terms       []term
}

// listHeard puts the blocks into a random order, beside each other in memory, because the
// lexicon is fitted many times.
func (t *trainer) listHeard() {
	order := rand.New(rand.NewPCG(5, 7)).Perm(len(t.owner)) //nolint:gosec // the same at every run, on purpose
	n := 0
	for r, s := range t.owner {
		n += len(s.terms[t.block[r]])
	}
	all := make([]term, 0, n)
	t.heard = make([]heard, len(order))
	for i, r := range order {
		s := t.owner[r]
		from := len(all)
		all = append(all, s.terms[t.block[r]]...)
		t.heard[i] = heard{count32(r), uint8(s.fold), uint8(s.group), all[from:]} //nolint:gosec // there are five of each
	}
}

// lexiconWithout returns the lexicon that is fitted without the folds of set and without group.
func (t *trainer) lexiconWithout(set uint, group int) lexicon {
	all, ok := t.lexicons[set]
	if !ok {
		parallel(len(all), func(g int) { all[g] = t.fitLexicon(set, g) })
		t.lexicons[set] = all
	}
	return all[group]
}

// fitLexicon fits a lexicon without the folds of set and without group.
func (t *trainer) fitLexicon(set uint, group int) lexicon {
	mean := 0.0
	for _, w := range t.weight {
		mean += float64(w) / float64(len(t.weight))
	}
	f := make(proximal, len(t.names)+1)
	base := term(count32(len(t.names)))
	for range lexiconRounds {
		for i := range t.heard {
			h := &t.heard[i]
			if set>>h.fold&1 == 1 || int(h.group) == group {
				continue
			}
			score := f[base].weight
			for _, id := range h.terms {
				score += f[id].weight
			}
			slope := float64(content.Sigmoid(float32(score))-t.target[h.row]) * float64(t.weight[h.row]) / mean
			f[base].step(slope, 0)
			for _, id := range h.terms {
				f[id].step(slope, lexiconL1)
			}
		}
	}
	l := make(lexicon, len(t.names))
	for id := range l {
		l[id] = int8(min(max(math.Round(10*f[id].weight), math.MinInt8), math.MaxInt8))
	}
	return l
}

// proximal is the state of FTRL-Proximal, by term.
type proximal []coordinate

// A coordinate is the state of one term.
type coordinate struct{ weight, z, square, root float64 }

// step updates the weight of a term by the gradient of the loss.
func (c *coordinate) step(slope, l1 float64) {
	c.square += slope * slope
	root := math.Sqrt(c.square)
	c.z += slope - (root-c.root)/lexiconRate*c.weight
	over := max(math.Abs(c.z)-l1, 0)
	c.weight = -math.Copysign(over, c.z) / ((1+root)/lexiconRate + lexiconL2)
	c.root = root
}

// hear sets for the page of s what the lexicon without the folds of set and without group
// says about its blocks.
func (t *trainer) hear(s *sample, set uint, group int) {
	l := t.lexiconWithout(set, group)
	for i, terms := range s.terms {
		var v content.Votes
		for _, id := range terms {
			v[t.names[id].near] += int32(l[id])
		}
		s.page.Say(i, v)
	}
}

// wordsOf returns l in the form that a model contains, without words that say nothing.
func (t *trainer) wordsOf(l lexicon) content.Lexicon {
	var words content.Lexicon
	for id, says := range l {
		if says == 0 {
			continue
		}
		n := t.names[id]
		if k := len(words); k == 0 || words[k-1].Name != n.word.Value() {
			words = append(words, content.Word{Name: n.word.Value()})
		}
		w := &words[len(words)-1]
		*[...]*int8{&w.Own, &w.Close, &w.Far}[n.near] = says
	}
	return words
}
