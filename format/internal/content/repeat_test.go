// SPDX-License-Identifier: Apache-2.0

package content_test

import (
	"slices"
	"strings"
	"testing"

	"example.com/curlew/format/internal/content"
)

func repeats(p parsed) [][3]int32 {
	return content.NewPage(p.ix, p.ix.NewSet(), "").Repeats()
}

// TestRepeat checks the counts of repeated texts. Blocks that Strip leaves come first.
func TestRepeat(t *testing.T) {
	got := repeats(parse(t, `<nav><p>One two three four five six.</p></nav>
		<p>One two three four five six.</p>
		<p>Said: one two three four five <b>six</b>. No, seven eight nine.</p>
		<p>One two three four five six.</p>
		<p>One two three</p><p>One two three</p>`))
	want := [][3]int32{{2, 3, 0}, {0, 0, 3}, {0, 3, 3}, {1, 3, 3}, {0, 0, 0}, {1, 0, 0}}
	if !slices.Equal(got, want) {
		t.Errorf("copies before, runs before and after: %v, want %v", got, want)
	}
}

// TestRepeatBound reads a page with more runs than are remembered.
func TestRepeatBound(t *testing.T) {
	got := repeats(parse(t, "<p>"+strings.Repeat("a b c d ", 1<<18+1)+"</p><p>a b c d e</p>"))
	if got[1] != [3]int32{0, 0, 0} {
		t.Errorf("repeats of the last block: %v", got[1])
	}
}
