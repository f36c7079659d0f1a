// SPDX-License-Identifier: Apache-2.0

package format

import (
	"context"
	"math"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Parameters of BM25 (Robertson and Zaragoza 2009, section 3), and limits of the
// ranking.
const (
	bm25K, bm25B  = 1.2, 0.75
	maxHighlights = 8
	maxQuery      = 200 // different terms
	wordWeight    = .25 // weight of a term of up to three letters, such as "who" or "it", if the query has longer ones
)

// makeHighlights makes the highlights form: sentences of the page, quoted exactly,
// that a model chose or that match Options.Query.
func makeHighlights(ctx context.Context, b *builder) error {
	b.doc.Highlights = new("")
	chosen := b.models.highlights(ctx, b.page.sentences(), b.o.Query)
	if chosen == nil {
		found := rank(&b.page, b.o.Query)
		b.models.ranked("highlights", found)
		chosen = found.inOrder()
	}
	s, err := b.redactor.finish(strings.Join(chosen, "\n"))
	b.doc.Highlights = &s
	return err
}

// makeAnswer makes the answer form: the answer of a model, otherwise the sentence
// that matches Options.Question best. With Options.Quotes it quotes all
// sentences that match.
func makeAnswer(ctx context.Context, b *builder) error {
	b.doc.Answer = new("")
	var quotes []string
	if b.o.Quotes {
		quotes = b.models.highlights(ctx, b.page.sentences(), b.o.Question)
	} else if s, err := b.models.answer(ctx, b.o.Question); s != "" || err != nil {
		b.doc.Answer = &s
		return err
	}
	if quotes == nil {
		found := rank(&b.page, b.o.Question)
		if !b.o.Quotes && len(found) > 1 {
			found = found[:1]
		}
		b.models.ranked("answer", found)
		quotes = found.inOrder()
	}
	s, err := b.redactor.finish(strings.Join(quotes, "\n"))
	b.doc.Answer = &s
	return err
}

// ranked warns that a form was made by ranking sentences.
func (m *models) ranked(form string, found ranking) {
	if len(found) == 0 {
		m.warnings.add("For the " + form + ", nothing on the page fits the words of the query.")
		return
	}
	m.extractive("for the " + form + ", sentences of the page were ranked by the words of the query.")
}

// A ranking is a list of sentences, the best first.
type ranking []ranked

type ranked struct {
	text  string
	at    int // number of the sentence
	score float64
}

// inOrder returns the texts in document order.
func (r ranking) inOrder() []string {
	sorted := slices.Clone(r)
	sort.SliceStable(sorted, func(i, j int) bool { return sorted[i].at < sorted[j].at })
	var texts []string
	for _, s := range sorted {
		texts = append(texts, s.text)
	}
	return texts
}

// rank returns the sentences that match the query: those with at least half the
// best score, without duplicates.
func rank(pg *page, query string) ranking {
	wanted := map[string]int{} // number of the term
	for _, t := range terms(pg, cut(query, 64<<10)) {
		if _, ok := wanted[t]; !ok && len(wanted) < maxQuery {
			wanted[t] = len(wanted)
		}
	}
	sentences := pg.sentences()
	if len(wanted) == 0 || len(sentences) == 0 {
		return nil
	}
	weights := termWeights(wanted)
	type entry struct {
		counts map[int]int
		length int
	}
	entries := make([]entry, len(sentences))
	holding := make([]int, len(wanted)) // number of sentences that contain each term
	total := 0
	for i, s := range sentences {
		for _, t := range terms(pg, s) {
			entries[i].length++
			if n, ok := wanted[t]; ok {
				if entries[i].counts == nil {
					entries[i].counts = map[int]int{}
				}
				if entries[i].counts[n]++; entries[i].counts[n] == 1 {
					holding[n]++
				}
			}
		}
		total += entries[i].length
	}
	average := max(1, float64(total)/float64(len(sentences)))
	var all ranking
	seen := map[string]bool{}
	for i, e := range entries {
		pg.steps.Take(1 + len(wanted))
		if e.counts == nil || seen[sentences[i]] {
			continue
		}
		seen[sentences[i]] = true
		score := 0.0
		for n := range len(wanted) { // in the order of the query, so that sums are always rounded alike
			f := float64(e.counts[n])
			idf := math.Log(1 + (float64(len(sentences)-holding[n])+0.5)/(float64(holding[n])+0.5))
			score += weights[n] * idf * f * (bm25K + 1) / (f + bm25K*(1-bm25B+bm25B*float64(e.length)/average))
		}
		all = append(all, ranked{sentences[i], i, score})
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].score > all[j].score })
	for i := range all {
		if i == maxHighlights || all[i].score < all[0].score/2 {
			return all[:i]
		}
	}
	return all
}

// termWeights returns the weight of each term, by its number. Short words are
// mostly words that every sentence has, except in Chinese and Japanese.
func termWeights(wanted map[string]int) []float64 {
	weights := make([]float64, len(wanted))
	long := false
	for t, n := range wanted {
		weights[n] = 1
		if r, _ := utf8.DecodeRuneInString(t); utf8.RuneCountInString(t) <= 3 && r < 0x2E80 && !unicode.IsDigit(r) {
			weights[n] = wordWeight
		} else {
			long = true
		}
	}
	if !long {
		for n := range weights {
			weights[n] = 1
		}
	}
	return weights
}
