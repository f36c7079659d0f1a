// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
)

// mark is the score of one document.
type mark struct {
	name   string
	score  float64
	detail string // components of the score
}

// worst prints the n documents with the lowest scores, the lowest first.
func worst(what string, n int, marks []mark) {
	slices.SortFunc(marks, func(a, b mark) int { return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(a.name, b.name)) })
	fmt.Printf("worst of %s:\n", what)
	for _, m := range marks[:min(n, len(marks))] {
		fmt.Printf("  %.4f %s%s\n", m.score, filepath.Base(m.name), m.detail)
	}
}

// part formats a score that may be missing.
func part(v float64) string {
	if v < 0 {
		return "-"
	}
	return fmt.Sprintf("%.4f", v)
}

// worstDocuments prints the n documents with the lowest scores for each set.
func worstDocuments(n int, files []string, keys map[string]string) {
	read := func(f string) string {
		r, err := convert(f, "")
		if err != nil {
			return ""
		}
		return r.text
	}
	var pages []mark
	layouts, _ := filepath.Glob(filepath.Join(*corpora, "pdf-layout-dev", "pdfs", "*.pdf"))
	for _, f := range layouts {
		if s, ok := layoutScore(f, spanned); ok {
			pages = append(pages, mark{f, s.Overall(), fmt.Sprintf(" NID %s TEDS %s MHS %s", part(s.NID), part(s.TEDS), part(s.MHS))})
		}
	}
	worst("layout, overall, tables as HTML where the truth has spans", n, pages)

	var grids []mark
	truths, _ := filepath.Glob(filepath.Join(*corpora, "pdf-tables-dev", "expected", "*.csv"))
	for _, t := range truths {
		cells, pairs := tableScore(t, asWritten, read)
		first, beside := tableScore(t, forgiving, firstPage)
		grids = append(grids, mark{t, cells, fmt.Sprintf(" adjacency %.4f, first page with forms forgiven %.4f adjacency %.4f", pairs, first, beside)})
	}
	worst("tables, F1 of cells", n, grids)
	for _, m := range grids[:min(n, len(grids))] {
		if *verbose {
			fmt.Printf("neighbours of %s on its first page, forms forgiven:\n", filepath.Base(m.name))
			lostPairs(m.name, forgiving, firstPage)
		}
	}

	var texts []mark
	for _, f := range files {
		if s, ok := wordScore(f, keys); ok {
			texts = append(texts, mark{f, s, ""})
		}
	}
	worst("words, F1", n, texts)
}
