// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.com/curlew/bench/peers"
	"example.com/curlew/internal/test/scoretest"
	"example.com/curlew/markdown"
)

// layout scores the Markdown of pages with an expected result, also for the
// peers if node and their packages (bench/peers) are installed. Pipe tables
// cannot express spans, so ours are scored a second time with HTML tables if
// the expected result has spans.
func layout() {
	files, _ := filepath.Glob(filepath.Join(*corpora, "pdf-layout-dev", "pdfs", "*.pdf"))
	if len(files) == 0 {
		return
	}
	report("curlew", files, func(f string) string {
		r, err := convert(f, "")
		if err != nil {
			return ""
		}
		return r.text
	})
	report("curlew with tables as HTML where the truth has spans", files, spanned)
	for _, peer := range peers.PDF() {
		read, err := readings(peer, files)
		if err != nil {
			fmt.Printf("skipped: %s: %v\n", peer.Name, err)
			continue
		}
		report(peer.Name, files, read)
	}
}

// spanned reads a page, with HTML tables if its expected result has spans.
func spanned(f string) string {
	r, err := convert(f, "")
	if err != nil {
		return ""
	}
	truth, err := os.ReadFile(truthOf(f))
	if err != nil || !bytes.Contains(truth, []byte("span=")) {
		return r.text
	}
	var b strings.Builder
	if err := markdown.Render(context.Background(), &b, r.tree.Root, &markdown.Options{Tables: markdown.TablesHTML}); err != nil {
		return ""
	}
	return b.String()
}

// truthOf returns the file with the expected Markdown of a page.
func truthOf(f string) string {
	return filepath.Join(*corpora, "pdf-layout-dev", "truth", strings.TrimSuffix(filepath.Base(f), ".pdf")+".md")
}

// readings runs a peer for files and returns its results. Files that it cannot
// read have an empty one.
func readings(peer peers.Peer, files []string) (func(file string) string, error) {
	all, err := peer.Read(context.Background(), files, 1)
	if err != nil {
		return nil, err
	}
	return func(f string) string {
		if i := slices.Index(files, f); all[i].Markdown != nil {
			return *all[i].Markdown
		}
		return ""
	}, nil
}

// report prints the mean scores of a reader.
func report(name string, files []string, read func(string) string) {
	var values [4][]float64
	for _, f := range files {
		s, ok := layoutScore(f, read)
		if !ok {
			continue
		}
		for i, v := range []float64{s.Overall(), s.NID, s.TEDS, s.MHS} {
			values[i] = append(values[i], v)
		}
	}
	fmt.Printf("layout of %d pages, %s: overall %.4f NID %.4f TEDS %.4f MHS %.4f\n", len(values[0]), name,
		scoretest.Mean(values[0]), scoretest.Mean(values[1]), scoretest.Mean(values[2]), scoretest.Mean(values[3]))
}

// layoutScore scores the result for one page. It returns false if there is no
// expected result.
func layoutScore(f string, read func(string) string) (scoretest.Scores, bool) {
	truth, err := os.ReadFile(truthOf(f))
	if err != nil {
		return scoretest.Scores{}, false
	}
	return scoretest.Score(string(truth), read(f)), true
}
