// SPDX-License-Identifier: Apache-2.0

package scoretest

import (
	"html"
	"regexp"
	"strings"
)

var (
	notText = regexp.MustCompile(`(?s)<!--.*?-->|\$\$.*?\$\$|\$[^$\n]+\$`) // comments, formulas
	target  = regexp.MustCompile(`\]\([^)\s]*\)`)
	note    = regexp.MustCompile(`\[\^[^\]\n]+\]:?`) // the number of a footnote
	markup  = regexp.MustCompile(`</?(?:table|thead|tbody|tr|td|th|br|p|ul|ol|li|pre|code|sup|sub)\b[^>]*>`)
	word    = regexp.MustCompile(`[\p{L}\p{N}]+`)
)

// Words counts the words of Markdown in lower case, without markup, link
// targets, footnote numbers, comments, table tags and formulas. Readers
// distinguish dollar signs from formulas in different ways, so escaped and
// unescaped ones count alike.
func Words(md string) map[string]int {
	md = strings.ReplaceAll(html.UnescapeString(markup.ReplaceAllString(md, "\n")), `\$`, "$")
	md = target.ReplaceAllString(note.ReplaceAllString(notText.ReplaceAllString(md, " "), " "), "]")
	count := map[string]int{}
	for _, w := range word.FindAllString(strings.ToLower(strings.ReplaceAll(md, `\`, "")), -1) {
		count[w]++
	}
	return count
}
