// SPDX-License-Identifier: Apache-2.0

package doctree

import (
	"strconv"
	"testing"
)

// TestWarnMany checks that the warnings for which a document has no room are
// counted, and that those it already has are not.
func TestWarnMany(t *testing.T) {
	var d Document
	for i := range maxWarnings {
		d.Warn("part-unreadable", i, "A part.")
	}
	tests := []struct{ code, text, want string }{
		{"part-unreadable", "A part.", "part-unreadable: A part."},
		{"hidden-text", "One.", "hidden-text: There is 1 more warning."},
		{"truncated", "Two.", "truncated: There are 2 more warnings."},
		{"hidden-text", "Three.", "truncated: There are 3 more warnings."},
	}
	for i, tt := range tests {
		d.Warn(tt.code, 0, tt.text)
		last := d.Warnings[len(d.Warnings)-1]
		if got := last.Code + ": " + last.Text; got != tt.want || len(d.Warnings) != maxWarnings+min(i, 1) {
			t.Errorf("%s: %d warnings, the last is %s, want %s", strconv.Quote(tt.text), len(d.Warnings), got, tt.want)
		}
	}
}
