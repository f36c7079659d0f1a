// SPDX-License-Identifier: Apache-2.0

package charset

import (
	"strings"
	"testing"

	"golang.org/x/net/html/charset"
)

// TestLabels compares the labels of encodings, and labels with one byte less, with
// those of x/net. The Encoding Standard has 228 labels.
func TestLabels(t *testing.T) {
	count := 0
	check := func(label string) {
		t.Helper()
		_, want := charset.Lookup(label)
		got := Name(label)
		if got != want {
			t.Errorf("Name(%q) = %q, x/net has %q", label, got, want)
		}
	}
	for _, line := range labels {
		for label := range strings.SplitSeq(line, " ") {
			count++
			check(label)
			check(" \n" + strings.ToUpper(label) + "\t")
			for i := range label {
				check(label[:i] + label[i+1:])
			}
		}
	}
	if count != 228 {
		t.Errorf("%d labels", count)
	}
}
