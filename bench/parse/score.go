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
	note    = regexp.MustCompile(`\[\^[^\]\n]+\]:?`) // the number of a footnote
	broken  = regexp.MustCompile(`<br ?/?>`)         // a line within a cell
	word    = regexp.MustCompile(`[\p{L}\p{N}]+`)
)

// tokens counts the words of Markdown without its marks, comments and
// formulas. Dollar signs are told from formulas by no reader alike: escaped
// ones count as those that are not.
func tokens(md string) map[string]int {
	md = strings.ReplaceAll(broken.ReplaceAllString(html.UnescapeString(md), "\n"), `\$`, "$")
	md = target.ReplaceAllString(note.ReplaceAllString(notText.ReplaceAllString(md, " "), " "), "]")
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
