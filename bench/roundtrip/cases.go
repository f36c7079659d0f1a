// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"example.com/curlew/internal/test/roundtriptest"
	"example.com/curlew/internal/test/scoretest"
)

// caseKinds are the kinds of cases, in the order of their columns: a text that
// must be in the result, a running header or page number that must not, two
// texts in their order, a cell with its neighbours to the right and below, and
// a block with its kind, such as the level of a heading or the number of an
// item.
var caseKinds = []string{"present", "absent", "order", "table", "kind"}

// verdict is the outcome of one case.
type verdict struct {
	kind, what string
	ok         bool
}

// cases checks the result for one document, in single statements that pass or
// fail.
func cases(d *roundtriptest.Document, got string) []verdict {
	var out []verdict
	add := func(kind, what string, ok bool) { out = append(out, verdict{kind, what, ok}) }
	truth, found := scoretest.Blocks(d.Markdown()), scoretest.Blocks(got)
	var shown strings.Builder
	for _, b := range found {
		_, text := parts(b)
		shown.WriteString(text)
	}
	all := shown.String()
	last, before := -1, ""
	for _, b := range truth {
		kind, text := parts(b)
		if text == "" || strings.HasPrefix(kind, "row") || strings.Contains(b, "$") { // rows have cases of their own, and formulas have no letters in common
			continue
		}
		at := strings.Index(all, text)
		add("present", b, at >= 0)
		add("kind", b, slices.ContainsFunc(found, func(f string) bool { k, t := parts(f); return k == kind && t == text }))
		if at < 0 || strings.LastIndex(all, text) != at {
			continue // a text that occurs twice has no place
		}
		if last >= 0 {
			add("order", before+" | "+b, last < at)
		}
		last, before = at, b
	}
	if d.Header != "" {
		add("absent", d.Header, !strings.Contains(all, letters(d.Header)))
		add("absent", "page numbers", !slices.ContainsFunc(found, pageNumber.MatchString))
	}
	grids := scoretest.Tables(got)
	for _, want := range scoretest.Tables(d.Markdown()) {
		for i := range want {
			for j := range want[i] {
				if want[i][j] != "" {
					add("table", fmt.Sprintf("cell %d, %d: %s", i+1, j+1, want[i][j]), slices.ContainsFunc(grids, func(g [][]string) bool { return neighbours(g, want, i, j) }))
				}
			}
		}
	}
	return out
}

// pageNumber is a paragraph or heading that consists of a number.
var pageNumber = regexp.MustCompile(`^(p|h\d) \d{1,4}$`)

// neighbours reports whether a cell of a table with the text of want[i][j] has
// the same cells to its right and below.
func neighbours(grid, want [][]string, i, j int) bool {
	cell := func(g [][]string, i, j int) string {
		if i < len(g) && j < len(g[i]) {
			return letters(g[i][j])
		}
		return ""
	}
	for y := range grid {
		for x := range grid[y] {
			if letters(grid[y][x]) == letters(want[i][j]) && cell(grid, y, x+1) == cell(want, i, j+1) && cell(grid, y+1, x) == cell(want, i+1, j) {
				return true
			}
		}
	}
	return false
}

// blockKind is the kind of a block with its properties: the depth and number of
// an item, the number of a note, the level of a heading.
var blockKind = regexp.MustCompile(`^(item \d+ \S+|note \S+|\S+) ?`)

// noteMark is the mark of a footnote in a text.
var noteMark = regexp.MustCompile(`\[\^\d+\]`)

// parts returns the kind of a block and the letters of its text.
func parts(block string) (kind, text string) {
	kind = strings.TrimSpace(blockKind.FindString(block))
	return kind, letters(noteMark.ReplaceAllString(blockKind.ReplaceAllString(block, ""), ""))
}

// letters returns the letters and digits of a text, so that marks, spaces and
// forms of quotes do not count.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

// tally counts the cases of a reader by kind.
type tally struct {
	passed, all map[string]int
	failed      []string // what failed, with the name of the document
}

func (t *tally) add(name string, verdicts []verdict) {
	if t.all == nil {
		t.passed, t.all = map[string]int{}, map[string]int{}
	}
	for _, v := range verdicts {
		t.all[v.kind]++
		if v.ok {
			t.passed[v.kind]++
		} else {
			t.failed = append(t.failed, fmt.Sprintf("%s, %s: %s", name, v.kind, v.what))
		}
	}
}

// print prints the counts in one line, and the first failures.
func (t *tally) print(failures int) {
	fmt.Printf("%6scases that pass:", "")
	for _, k := range caseKinds {
		fmt.Printf(" %s %d/%d", k, t.passed[k], t.all[k])
	}
	fmt.Println()
	for _, f := range t.failed[:min(failures, len(t.failed))] {
		fmt.Printf("%8s%.160s\n", "", f)
	}
}
