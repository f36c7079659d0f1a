// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"strings"
	"testing"
)

// TestOnce checks that the text of a header that further pages repeat is kept
// once, and that other texts over several pages are kept whole.
func TestOnce(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"none", "", ""},
		{"one page", "1:Number 1:letter", "1:Number 1:letter"},
		{"repeated", "1:Number 1:letter 2:Number 2:letter 4:Number 4:letter", "1:Number 1:letter"},
		{"continued", "1:Number 2:letter", "1:Number 2:letter"},
		{"a page without the last line", "1:Number 1:letter 2:Number", "1:Number 1:letter 2:Number"},
		{"the same word twice on a page", "1:Number 1:Number", "1:Number 1:Number"},
	} {
		var lines []placed
		for word := range strings.FieldsSeq(tt.text) {
			lines = append(lines, placed{page: int(word[0] - '0'), line: Line{Words: []Word{{Text: word[2:]}}}})
		}
		var got []string
		for _, l := range once(lines) {
			got = append(got, string(rune('0'+l.page))+":"+l.line.Text())
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, s, tt.want)
		}
	}
}
