// SPDX-License-Identifier: Apache-2.0

// Package doctreetest writes the result of a document reader as text for golden
// files.
package doctreetest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"example.com/curlew/internal/doctree"
)

// Show writes a document with one line for each block, so that differences are
// small. The number of pages, if known, and the warnings precede it.
func Show(t testing.TB, d *doctree.Document) string {
	t.Helper()
	var b strings.Builder
	if d.Meta.TotalPages > 0 {
		fmt.Fprintf(&b, "<!-- %d of %d pages -->\n", d.Meta.Pages, d.Meta.TotalPages)
	}
	for _, w := range d.Warnings {
		if w.Page > 0 {
			fmt.Fprintf(&b, "<!-- page %d: %s: %s -->\n", w.Page, w.Code, w.Text)
		} else {
			fmt.Fprintf(&b, "<!-- %s: %s -->\n", w.Code, w.Text)
		}
	}
	if err := doctree.Render(&b, d.Root); err != nil {
		t.Fatal(err)
	}
	return lines(b.String())
}

// lines puts each block of rendered HTML on a separate line.
func lines(rendered string) string {
	for _, tag := range []string{"head", "body", "section", "header", "footer", "aside", "nav", "p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "table", "thead", "tbody", "tr", "figure", "pre", "blockquote", "div", "meta"} {
		for _, end := range []string{">", " "} {
			rendered = strings.ReplaceAll(rendered, "<"+tag+end, "\n<"+tag+end)
		}
	}
	return strings.TrimSpace(rendered) + "\n"
}

// Cases returns the files that match patterns, by their paths. There must be at
// least one.
func Cases(t testing.TB, patterns ...string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pattern := range patterns {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range paths {
			text, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			all[p] = string(text)
		}
	}
	if len(all) == 0 {
		t.Fatal("no cases")
	}
	return all
}

// CheckCut checks a document of paragraphs that all have the text "one". Some of
// them did not fit into the tree. The paragraphs in the tree and those that the
// warning counts must add up to the given number.
func CheckCut(t *testing.T, d *doctree.Document, paragraphs int) {
	t.Helper()
	kept := 0
	for n := range d.Root.Descendants() {
		if n.Type == html.TextNode {
			kept += strings.Count(n.Data, "one")
		}
	}
	for _, w := range d.Warnings {
		_, counts, _ := strings.Cut(w.Text, ": ")
		var left, characters int
		if _, err := fmt.Sscanf(counts, "%d paragraphs, %d characters in all", &left, &characters); w.Code != "truncated" || err != nil {
			continue
		}
		if kept == 0 || kept+left != paragraphs || characters != 3*left {
			t.Errorf("the tree has %d of %d paragraphs, and the warning is %q", kept, paragraphs, w.Text)
		}
		return
	}
	t.Errorf("the tree has %d of %d paragraphs, and no warning counts the others: %v", kept, paragraphs, d.Warnings)
}
