// SPDX-License-Identifier: Apache-2.0

package agenttest

import "strings"

// plain removes what Markdown writes around text.
var plain = strings.NewReplacer(`\`, "", "**", "", "`", "")

// place returns where text stands in s as a token of its own; -1 where it does
// not.
func place(s, text string) int {
	if text == "" {
		return -1
	}
	for from := 0; ; {
		i := strings.Index(s[from:], text)
		if i < 0 {
			return -1
		}
		i += from
		end := i + len(text)
		last := text[len(text)-1]
		before := i > 0 && joins(s[i-1], text[0])
		behind := end < len(s) && joins(s[end], last)
		decimals := end+1 < len(s) && (s[end] == '.' || s[end] == ',') && isDigit(s[end+1]) && isDigit(last)
		if !before && !behind && !decimals {
			return i
		}
		from = i + 1
	}
}

// joins reports whether two bytes side by side are of one token.
func joins(a, b byte) bool { return isWord(a) && isWord(b) }

func isWord(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
