// SPDX-License-Identifier: Apache-2.0

package agenttest

import "strings"

// plain removes marks of Markdown around text.
var plain = strings.NewReplacer(`\`, "", "**", "", "`", "")

// place returns the position at which text occurs in s as a separate token, or -1 if it
// does not occur.
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

// joins reports whether two adjacent bytes belong to one token.
func joins(a, b byte) bool { return isWord(a) && isWord(b) }

func isWord(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
