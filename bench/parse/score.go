// SPDX-License-Identifier: Apache-2.0

package main

import (
	"html"
	"os"
	"regexp"
	"strings"
)

var (
	notText = regexp.MustCompile(`(?s)<!--.*?-->|\$\$.*?\$\$|\$[^$\n]+\$`) // comments, formulas
	target  = regexp.MustCompile(`\]\([^)\s]*\)`)
	word    = regexp.MustCompile(`[\p{L}\p{N}]+`)
)

// tokens counts the words of Markdown without its marks, comments and
// formulas.
func tokens(md string) map[string]int {
	md = target.ReplaceAllString(notText.ReplaceAllString(html.UnescapeString(md), " "), "]")
	count := map[string]int{}
	for _, w := range word.FindAllString(strings.ToLower(strings.ReplaceAll(md, `\`, "")), -1) {
		count[w]++
	}
	return count
}

// compare returns token recall and F1 of got against the Markdown beside path,
// not ok where there is none.
func compare(path, got string) (recall, f1 float64, ok bool) {
	reference, err := os.ReadFile(path + ".md")
	if err != nil {
		return 0, 0, false
	}
	g, w := tokens(got), tokens(string(reference))
	common, all, given := 0, 0, 0
	for t, n := range w {
		common += min(n, g[t])
		all += n
	}
	for _, n := range g {
		given += n
	}
	recall = float64(common) / float64(max(1, all))
	if common > 0 {
		f1 = 2 * float64(common) / float64(all+given)
	}
	return recall, f1, true
}
