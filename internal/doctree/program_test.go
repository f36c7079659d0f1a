// SPDX-License-Identifier: Apache-2.0

package doctree_test

import (
	"testing"

	"example.com/curlew/internal/doctree"
)

func TestProgram(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "plain words (and more)": true, "plain words (and) more": false, "call(x": true, "x_(": true, "é(": false,
		"  indented": true, " indented": false, "\t\tindented": true, "a::b": true, "a: b": false, "a->b": true, "a - b": false,
		"# comment": true, "no # comment": false, "$ ls": true, "@x": true, "a;": true, `C:\x`: true, "end) \t": true,
	} {
		if got := new(doctree.Flow).Program(text); got != want {
			t.Errorf("Program(%q) = %t, want %t", text, got, want)
		}
	}
}
