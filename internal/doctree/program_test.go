// SPDX-License-Identifier: Apache-2.0

package doctree_test

import (
	"testing"

	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
)

func TestProgram(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "plain words (and more)": true, "plain words (and) more": false, "call(x": true, "x_(": true, "é(": false,
		"  indented": true, " indented": false, "\t\tindented": true, "a::b": true, "a: b": false, "a->b": true, "a - b": false,
		"# comment": true, "no # comment": false, "$ ls": true, "@x": true, "a;": true, `C:\x`: true, "end) \t": true,
		"The Contractor shall deliver the goods; the Buyer (or its agents) shall inspect the goods(s) at once (see 3)": false,
	} {
		if got := new(doctree.Flow).Program(text); got != want {
			t.Errorf("Program(%q) = %t, want %t", text, got, want)
		}
	}
	var b doctree.Builder
	f := &doctree.Flow{B: &b, Into: b.Element(atom.Body)}
	f.Code("x = 1")
	if !f.Program("end") || f.Program("A sentence of many words, which goes on and on, belongs to no program before it.") {
		t.Error("what goes on with a program is a line, not a paragraph")
	}
}
