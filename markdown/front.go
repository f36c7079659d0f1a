// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// frontMatter writes fields as a YAML block between two lines of dashes.
func (w *output) frontMatter(fields map[string]string) {
	if len(fields) == 0 {
		return
	}
	w.out = append(w.out, "---\n"...)
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if isPlainKey(key) {
			w.out = append(w.out, key...)
		} else {
			w.out = appendYAML(w.out, key)
		}
		w.out = append(w.out, ": "...)
		w.out = append(appendYAML(w.out, fields[key]), '\n')
	}
	w.out = append(w.out, "---\n"...)
}

// isPlainKey reports whether s can be a key without quotes and is read as text.
func isPlainKey(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isLetter(rune(c)) && (i == 0 || !isDigit(c) && c != '_' && c != '-') {
			return false
		}
	}
	switch strings.ToLower(s) {
	case "", "y", "n", "yes", "no", "on", "off", "true", "false", "null":
		return false
	}
	return true
}

// appendYAML appends s as a double-quoted scalar (YAML 1.2, 7.3.1).
func appendYAML(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for _, r := range s { // range returns U+FFFD for invalid UTF-8
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case r <= 0xff && unicode.IsControl(r):
			dst = append(dst, '\\', 'x', hex[r>>4], hex[r&15])
		case r == '\u2028' || r == '\u2029' || r == '\ufeff':
			dst = append(dst, '\\', 'u', hex[r>>12], hex[r>>8&15], hex[r>>4&15], hex[r&15])
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return append(dst, '"')
}
