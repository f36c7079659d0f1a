// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bytes"
	"encoding/json"
	"strings"
)

// maxIndented limits the size of indented JSON, in bytes.
const maxIndented = 32 << 20

// fenced returns code as one fenced code block. Valid JSON is indented, unless
// that would make it more than four times as long or longer than maxIndented.
func fenced(lang, code string) string {
	if lang == "json" && indented(code) <= min(4*len(code)+1024, maxIndented) {
		var b bytes.Buffer
		if err := json.Indent(&b, []byte(strings.TrimSpace(code)), "", "  "); err == nil {
			code = b.String()
		}
	}
	longest, n := 0, 0
	for i := range len(code) {
		if code[i] != '`' {
			n = 0
			continue
		}
		n++
		longest = max(longest, n)
	}
	fence := strings.Repeat("`", max(3, longest+1))
	return fence + lang + "\n" + strings.TrimSuffix(code, "\n") + "\n" + fence + "\n"
}

// indented estimates the size of the JSON text s when it is indented by two
// spaces for each level.
func indented(s string) int {
	size, depth, quoted := len(s), 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{', c == '[':
			depth++
			size += 1 + 2*depth
		case c == '}', c == ']':
			depth--
			size += 1 + 2*max(depth, 0)
		case c == ',':
			size += 1 + 2*max(depth, 0)
		}
	}
	return size
}
