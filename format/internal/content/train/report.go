// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"example.com/curlew/format/internal/content"
)

// A line contains the results of one way of extraction: its mean F1 over all pages, over
// the pages whose truth is not empty, and by kind.
type line struct {
	name        string
	all, honest float64
	kinds       [content.Kinds]float64
}

// measure returns the results of keep on all pages.
func measure(name string, all []*sample, keep func(*sample) []bool) line {
	l := line{name: name}
	counts, withTruth := [content.Kinds]float64{}, 0.0
	for _, s := range all {
		f := s.f1(keep(s))
		l.all += f / float64(len(all))
		l.kinds[s.kind] += f
		counts[s.kind]++
		if s.size > 0 {
			l.honest += f
			withTruth++
		}
	}
	l.honest /= withTruth
	for k := range l.kinds {
		l.kinds[k] /= max(counts[k], 1)
	}
	return l
}

// String returns l in one line of text.
func (l line) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s: all %.4f, with a truth %.4f", l.name, l.all, l.honest)
	for k, f := range l.kinds {
		fmt.Fprintf(&s, ", %v %.3f", content.Kind(k), f)
	}
	return s.String()
}

// A way is one way of extraction.
type way func(*sample) []bool

// figures returns the results of keep on each set of which all contains pages: on wcxb by
// kind, and on the other sets by the measure that their README defines, but over blocks.
func figures(name string, all []*sample, keep way) (lines []string) {
	var of [sets][]*sample
	for _, s := range all {
		of[s.set] = append(of[s.set], s)
	}
	if len(of[wcxb]) > 0 {
		lines = append(lines, measure(name, of[wcxb], keep).String())
	}
	var parts []string
	var precision, recall float64
	for _, s := range of[aeb] {
		p, r := s.shingles(keep(s))
		precision += p / float64(len(of[aeb]))
		recall += r / float64(len(of[aeb]))
	}
	if precision+recall > 0 {
		parts = append(parts, fmt.Sprintf("aeb %.4f (precision %.3f, recall %.3f)", 2*precision*recall/(precision+recall), precision, recall))
	}
	var hits, misses, wrong float64
	for _, s := range of[seg] {
		h, m, w := s.segments(keep(s))
		hits, misses, wrong = hits+h, misses+m, wrong+w
	}
	if hits > 0 {
		parts = append(parts, fmt.Sprintf("seg %.4f (precision %.3f, recall %.3f)", 2*hits/(2*hits+misses+wrong), hits/(hits+wrong), hits/(hits+misses)))
	}
	f := 0.0
	for _, s := range of[read] {
		f += s.f1(keep(s)) / float64(len(of[read]))
	}
	if f > 0 {
		parts = append(parts, fmt.Sprintf("read %.4f", f))
	}
	if len(parts) > 0 {
		lines = append(lines, name+" of news: "+strings.Join(parts, ", "))
	}
	return lines
}

// bounds returns the figures that depend on no model.
func bounds(all []*sample) []string {
	return slices.Concat(
		figures("all text", all, func(s *sample) []bool { return s.blocksThat(func(int) bool { return true }) }),
		figures("strip", all, func(s *sample) []bool { return s.blocksThat(func(i int) bool { return !s.page.Blocks[i].Stripped() }) }),
		figures("labels", all, func(s *sample) []bool { return s.blocksThat(func(i int) bool { return s.label[i] >= .5 }) }),
	)
}

// crossValidate prints and returns the results of models on folds that they were not fitted
// to. It also prints so many of the worst pages of each set.
func crossValidate(w io.Writer, t *trainer, worst int) []string {
	var models [folds]*content.Model
	for k := range models {
		models[k] = t.modelWithout(1 << k)
	}
	model := func(s *sample) *content.Model {
		t.hear(s, 1<<s.fold, none)
		return models[s.fold]
	}
	lines := append(bounds(t.all), t.judge(t.all, model)...)
	for _, l := range lines {
		fmt.Fprintln(w, l)
	}
	printLanguages(w, t.all, model)
	for of := range sets {
		printWorst(w, t.all, of, worst, model)
	}
	return lines
}

// fewPages is the number of pages below which a language is counted with the others.
const fewPages = 10

// printLanguages prints the results of each language that a page says it is in.
func printLanguages(w io.Writer, all []*sample, model func(*sample) *content.Model) {
	in := map[string][]*sample{}
	for _, s := range all {
		in[s.lang] = append(in[s.lang], s)
	}
	var others []*sample
	for _, lang := range slices.Sorted(maps.Keys(in)) {
		if len(in[lang]) < fewPages {
			others = append(others, in[lang]...)
			delete(in, lang)
		}
	}
	in["others"] = others
	for _, lang := range slices.Sorted(maps.Keys(in)) {
		name := fmt.Sprintf("main content of %d pages in %s", len(in[lang]), cmp.Or(lang, "a language that they do not name"))
		for _, l := range figures(name, in[lang], func(s *sample) []bool {
			keep, _, _ := model(s).Main(s.page)
			return keep
		}) {
			fmt.Fprintln(w, l)
		}
	}
}

// curve prints what the best cut scores if the scorers are fitted to four of the five folds, as in
// the cross-validation, and to three. It shows what more pages of the same kinds would give.
func curve(w io.Writer, t *trainer) {
	for left := 1; left <= 2; left++ {
		way := func(s *sample) []bool {
			if len(s.blocks) == 0 {
				return nil
			}
			set := uint(0)
			for k := range left {
				set |= 1 << ((s.fold + k) % folds)
			}
			return s.page.Picks(t.secondScores(s, set))[content.Best].Keep
		}
		for _, l := range figures(fmt.Sprintf("best cut, fitted to %d folds", folds-left), t.all, way) {
			fmt.Fprintln(w, l)
		}
	}
}

// A verdict contains the F1 of a page, that of its best candidate, and that of perfect
// labels.
type verdict struct {
	s                  *sample
	f1, oracle, labels float64
	cause              string
}

// printWorst prints the n pages of a set that score lowest, with the likely cause.
func printWorst(w io.Writer, all []*sample, of set, n int, model func(*sample) *content.Model) {
	if n <= 0 {
		return
	}
	var verdicts []verdict
	for _, s := range all {
		if s.set == of && (s.size > 0 || s.set == seg) && len(s.blocks) > 0 {
			verdicts = append(verdicts, s.verdict(model(s)))
		}
	}
	printLosses(w, verdicts)
	slices.SortStableFunc(verdicts, func(a, b verdict) int { return cmp.Compare(a.f1, b.f1) })
	for _, v := range verdicts[:min(n, len(verdicts))] {
		fmt.Fprintf(w, "%v %s %v: %.3f, best candidate %.3f, labels %.3f, %s, %s\n", of, v.s.id, v.s.kind, v.f1, v.oracle, v.labels, v.cause, v.s.url)
	}
}

// printLosses prints for each kind of page how much F1 is lost in all: by the choice of the candidate
// and by what is added after it, because no candidate is right, and because blocks are not
// divided as the truth is.
func printLosses(w io.Writer, verdicts []verdict) {
	for k := range content.Kinds {
		n, choice, candidates, blocks := 0, 0.0, 0.0, 0.0
		var of set
		for _, v := range verdicts {
			if v.s.kind != content.Kind(k) {
				continue
			}
			oracle := max(v.oracle, v.f1)
			labels := max(v.labels, oracle)
			n, of = n+1, v.s.set
			choice += oracle - v.f1
			candidates += labels - oracle
			blocks += 1 - labels
		}
		if n > 0 {
			fmt.Fprintf(w, "%v %v: %d pages lose %.1f: %.1f by the choice, %.1f by the candidates, %.1f by the blocks\n", of, content.Kind(k), n, choice+candidates+blocks, choice, candidates, blocks)
		}
	}
}

// verdict judges what a model makes of the page of s.
func (s *sample) verdict(m *content.Model) verdict {
	keep, _, sure := m.Main(s.page)
	keep = slices.Clone(keep)
	v := verdict{s: s, f1: s.f1(keep), labels: s.f1(s.blocksThat(func(i int) bool { return s.label[i] >= .5 }))}
	for _, pick := range m.Candidates(s.page) {
		v.oracle = max(v.oracle, s.f1(pick.Keep))
	}
	kept := int32(0)
	for i, k := range keep {
		if k {
			kept += count32(len(s.blocks[i]))
		}
	}
	switch _, misses, wrong := s.segments(keep); {
	case v.labels < .6:
		v.cause = "the HTML does not have the truth"
	case !sure:
		v.cause = "left to the strip"
	case v.oracle > v.f1+.1:
		v.cause = "another candidate is better"
	case s.set == seg && wrong > misses, s.set != seg && kept > s.size:
		v.cause = "too much is kept"
	default:
		v.cause = "something is lost"
	}
	return v
}

// judge returns the results of models on all samples. The function model returns the model
// for a sample, after it has set what the lexicon of the model says about the page.
func (t *trainer) judge(all []*sample, model func(*sample) *content.Model) []string {
	type answer struct {
		keep []bool
		f1   float32
		sure bool
		kind content.Kind
	}
	given := make([]answer, len(all))
	parallel(len(all), func(i int) {
		m := model(all[i])
		keep, f1, sure := m.Main(all[i].page)
		given[i] = answer{slices.Clone(keep), f1, sure, m.Kind(all[i].page)}
	})
	answers := map[*sample]answer{}
	var doubts doubtCount
	right, known := 0, 0
	for i, s := range all {
		a := given[i]
		answers[s] = a
		if a.sure && s.size > 0 {
			doubts.add(s, a.keep)
		}
		if s.set == wcxb {
			known++
			if a.kind == s.kind {
				right++
			}
		}
	}
	lines := figures("main content", all, func(s *sample) []bool { return answers[s].keep })
	if known == 0 {
		return lines
	}
	var error, n float64
	var bins [10]struct{ expected, is float64 }
	for _, s := range all {
		if s.size > 0 && s.set == wcxb {
			expected, is := float64(answers[s].f1), s.f1(answers[s].keep)
			bin := &bins[min(int(expected*10), 9)]
			bin.expected += expected
			bin.is += is
			error += max(expected-is, is-expected)
			n++
		}
	}
	gap := 0.0
	for _, b := range bins {
		gap += max(b.expected-b.is, b.is-b.expected) / n
	}
	return append(lines,
		fmt.Sprintf("kind: right on %.3f of the pages", float64(right)/float64(known)),
		fmt.Sprintf("confidence: off by %.3f in the mean of pages, by %.3f in the mean of ten classes of confidence", error/n, gap),
		doubts.String())
}

// A doubtCount counts the pages with doubtful blocks that were left out, and those without a
// part of the content.
type doubtCount struct{ pages, doubtful, lacking, both float64 }

// add counts the page of s, of which keep was kept.
func (d *doubtCount) add(s *sample, keep []bool) {
	kept, lost := 0, 0
	for i, k := range keep {
		switch {
		case k:
			kept += len(s.blocks[i])
		case s.label[i] >= .5:
			lost += len(s.blocks[i])
		}
	}
	d.pages++
	lacking := 10*lost > kept
	if lacking {
		d.lacking++
	}
	if len(s.page.Doubts(keep)) > 0 {
		d.doubtful++
		if lacking {
			d.both++
		}
	}
}

// String returns d as one line of text.
func (d *doubtCount) String() string {
	return fmt.Sprintf("doubts: on %.3f of the pages; %.3f of these, and %.3f of all pages, lack a tenth of the content",
		d.doubtful/max(d.pages, 1), d.both/max(d.doubtful, 1), d.lacking/max(d.pages, 1))
}

// blocksThat returns for each block of s whether are holds.
func (s *sample) blocksThat(are func(i int) bool) []bool {
	keep := make([]bool, len(s.blocks))
	for i := range keep {
		keep[i] = are(i)
	}
	return keep
}
