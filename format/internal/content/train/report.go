// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"strings"

	"example.com/curlew/format/internal/content"
)

// A line is one way of extraction: its mean F1 over all pages, over those with
// a truth, and by kind.
type line struct {
	name        string
	all, honest float64
	kinds       [content.Kinds]float64
}

// measure scores all pages by keep.
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

// crossValidate reports what models score on folds that they have not met.
func crossValidate(w io.Writer, t *trainer) []string {
	var models [folds]*content.Model
	for k := range models {
		models[k] = t.modelWithout(1 << k)
	}
	extract := func(s *sample) (keep []bool, f1 float32) {
		t.hear(s, 1<<s.fold, none)
		keep, f1, _ = models[s.fold].Main(s.page)
		return keep, f1
	}
	f1 := map[*sample]float32{}
	main := measure("main content", t.all, func(s *sample) []bool {
		keep, expected := extract(s)
		f1[s] = expected
		return keep
	})
	lines := []string{
		measure("all text", t.all, func(s *sample) []bool { return s.blocksThat(func(int) bool { return true }) }).String(),
		measure("strip", t.all, func(s *sample) []bool { return s.blocksThat(func(i int) bool { return !s.page.Blocks[i].Stripped() }) }).String(),
		measure("labels", t.all, func(s *sample) []bool { return s.blocksThat(func(i int) bool { return s.label[i] >= .5 }) }).String(),
		main.String(),
	}
	right := 0
	var error, n float64
	var bins [10]struct{ expected, is float64 }
	for _, s := range t.all {
		if models[s.fold].Kind(s.page) == s.kind {
			right++
		}
		if s.size > 0 {
			keep, _ := extract(s)
			bin := &bins[min(int(f1[s]*10), 9)]
			bin.expected += float64(f1[s])
			bin.is += s.f1(keep)
			error += max(float64(f1[s])-s.f1(keep), s.f1(keep)-float64(f1[s]))
			n++
		}
	}
	gap := 0.0
	for _, b := range bins {
		gap += max(b.expected-b.is, b.is-b.expected) / n
	}
	lines = append(lines,
		fmt.Sprintf("kind: right on %.3f of the pages", float64(right)/float64(len(t.all))),
		fmt.Sprintf("confidence: off by %.3f in the mean of pages, by %.3f in the mean of ten classes of confidence", error/n, gap))
	for _, l := range lines {
		fmt.Fprintln(w, l)
	}
	return lines
}

// blocksThat returns which blocks of s are such.
func (s *sample) blocksThat(are func(i int) bool) []bool {
	keep := make([]bool, len(s.blocks))
	for i := range keep {
		keep[i] = are(i)
	}
	return keep
}
