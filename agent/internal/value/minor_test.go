// SPDX-License-Identifier: Apache-2.0

package value

import (
	"strings"
	"testing"
)

// TestMinorInitials checks that each name of a hundredth is looked for, also directly behind the
// digits, and that texts without one are not searched.
func TestMinorInitials(t *testing.T) {
	for name := range strings.SplitSeq(strings.ReplaceAll(minorWords, "?", ""), "|") {
		for _, text := range []string{"50" + name, "now 50 " + name + " each"} {
			if got := Minors(text); len(got) != 1 || got[0] != 50 {
				t.Errorf("Minors(%q) = %v", text, got)
			}
		}
		if !OfMinor([]string{"price", name}) {
			t.Errorf("a field named price_%s does not want hundredths", name)
		}
	}
	if words := []string{"price", "centre"}; OfMinor(words) || !OfMinor([]string{"cent"}) {
		t.Errorf("%v are taken for hundredths, or cent is not", words)
	}
	for text, want := range map[string]bool{"83p": true, "¢ 50": true, "99 ¢": true, "12 apples, 7 x": false, "p 83": false, "": false} {
		if got := mayHaveMinors(text); got != want {
			t.Errorf("mayHaveMinors(%q) = %v", text, got)
		}
	}
}
