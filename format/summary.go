// SPDX-License-Identifier: Apache-2.0

package format

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"example.com/curlew/internal/sorting"
)

// Limits and parameters of summaries. The ranking is TextRank (Mihalcea and Tarau 2004,
// section 4), whose time is quadratic in the number of sentences.
const (
	maxSummary    = 5   // sentences
	maxRanked     = 300 // sentences, the first of the page
	fewestTerms   = 4   // in a sentence; a shorter one is probably a label
	longestTerms  = 80  // in a sentence
	rankDamping   = 0.85
	rankSteps     = 30
	shortestGiven = 80 // bytes; a shorter description is not a summary
)

// makeSummary makes the summary form: the summary of a model, otherwise the
// description of the page if it describes this text, otherwise the most central
// sentences.
func makeSummary(ctx context.Context, b *builder) error {
	b.doc.Summary = new("")
	s, err := b.models.summary(ctx)
	if s != "" || err != nil {
		b.doc.Summary = &s
		return err
	}
	if s, err = b.redactor.masked(described(&b.page)); s == "" && err == nil {
		s, err = b.redactor.finish(strings.Join(central(&b.page), " "))
	}
	if err != nil {
		return err
	}
	b.doc.Summary = &s
	if s == "" {
		b.warnings.add("The page has no sentences to sum up.")
		return nil
	}
	b.models.extractive("the summary is extractive.")
	return nil
}

// extractive warns that a form was made without a model, with the reason.
func (m *models) extractive(how string) {
	if w, why := m.writer(); w == nil {
		m.warnings.add(why + ": " + how)
		return
	}
	m.warnings.add(strings.ToUpper(how[:1]) + how[1:]) // the model was asked and failed
}

// described returns the description of the page. It is empty if the description
// shares too few words with the text: then it describes the site.
func described(pg *page) string {
	given := pg.meta.Description
	if given == "" {
		for _, n := range pg.structured().Linked() {
			if isArticle(n) {
				given = cmp.Or(given, plain(n.Text("description", "abstract")))
			}
		}
	}
	if len(given) < shortestGiven || strings.HasSuffix(given, "...") || strings.HasSuffix(given, "…") {
		return ""
	}
	words := map[string]bool{}
	for _, t := range terms(pg, given) {
		words[t] = false
	}
	for _, s := range pg.sentences() {
		for _, t := range terms(pg, s) {
			if _, ok := words[t]; ok {
				words[t] = true
			}
		}
	}
	found := 0
	for _, there := range words {
		if there {
			found++
		}
	}
	if 5*found < 4*len(words) {
		return ""
	}
	return given
}

// central returns the sentences that are most similar to the others, in document
// order.
func central(pg *page) []string {
	var texts []string
	var words [][]int // different terms of each, by number, sorted
	numbers := map[string]int{}
	seen := map[string]bool{}
	for _, s := range pg.sentences() {
		all := terms(pg, s)
		if len(texts) == maxRanked {
			break
		}
		if len(all) < fewestTerms || len(all) > longestTerms || seen[s] || !strings.ContainsAny(s[len(s)-min(len(s), 4):], ".!?。！？…") {
			continue // a heading or a label
		}
		seen[s] = true
		var set []int
		for _, t := range all {
			n, ok := numbers[t]
			if !ok {
				n = len(numbers)
				numbers[t] = n
			}
			set = append(set, n)
		}
		slices.Sort(set)
		texts, words = append(texts, s), append(words, slices.Compact(set))
	}
	if len(texts) <= maxSummary {
		return texts
	}
	scores := textRank(pg, words)
	order := make([]int, len(texts))
	for i := range order {
		order[i] = i
	}
	sorting.Stable(order, func(i, j int) int { return cmp.Compare(scores[j], scores[i]) })
	order = order[:maxSummary]
	slices.Sort(order)
	var kept []string
	for _, i := range order {
		kept = append(kept, texts[i])
	}
	return kept
}

// textRank returns the TextRank weight of each sentence.
func textRank(pg *page, words [][]int) []float64 {
	n := len(words)
	like := make([][]float64, n)
	sums := make([]float64, n)
	for i := range like {
		like[i] = make([]float64, n)
	}
	for i := range words {
		for j := range i {
			pg.steps.Take(1 + (len(words[i])+len(words[j]))/16)
			w := float64(common(words[i], words[j])) / (math.Log(float64(len(words[i]))+1) + math.Log(float64(len(words[j]))+1))
			like[i][j], like[j][i] = w, w
			sums[i] += w
			sums[j] += w
		}
	}
	scores, next := make([]float64, n), make([]float64, n)
	for i := range scores {
		scores[i] = 1
	}
	for range rankSteps {
		for i := range next {
			pg.steps.Take(1 + n/32)
			s := 0.0
			for j := range scores {
				if sums[j] > 0 {
					s += like[i][j] / sums[j] * scores[j]
				}
			}
			next[i] = 1 - rankDamping + rankDamping*s
		}
		scores, next = next, scores
	}
	return scores
}

// common returns the number of elements that two sorted lists share.
func common(a, b []int) int {
	n := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			n++
			i++
			j++
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return n
}
