// SPDX-License-Identifier: Apache-2.0

package dom

import (
	"strings"
	"testing"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/htmlindex"
)

// TestLabels compares the labels of encodings, and labels with one byte less, with
// those of x/net. The Encoding Standard has 228 labels.
func TestLabels(t *testing.T) {
	count := 0
	check := func(label string) {
		t.Helper()
		_, want := charset.Lookup(label)
		got := canonical(label)
		if got != want {
			t.Errorf("canonical(%q) = %q, x/net has %q", label, got, want)
		}
		e, err := htmlindex.Get(label)
		if err != nil {
			e = nil
		}
		if byName(got) != e {
			t.Errorf("byName(%q) = %v, x/text has %v", got, byName(got), e)
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
