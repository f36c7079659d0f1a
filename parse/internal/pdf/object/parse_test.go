// SPDX-License-Identifier: Apache-2.0

package object

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	tests := []struct {
		in   string
		want Object
	}{
		{"12", 12},
		{"-1.5", -1.5},
		{"/A#42c", Name("ABc")},
		{"(a(b)\\)\\n\\101)", String("a(b))\nA")},
		{"<48 65 6>", String("He`")},
		{"[1 2 3 0 R true null]", Array{1, 2, Ref{3, 0}, true, nil}},
		{"<</A 1 /B [<</C (x)>>] /D 4 0 R>>", Dict{"A": 1, "B": Array{Dict{"C": String("x")}}, "D": Ref{4, 0}}},
		{"% comment\n 7", 7},
		{"<</A", Dict{}},
		{"[1 2", Array{1, 2}},
	}
	for _, tt := range tests {
		p := parser{data: []byte(tt.in)}
		got, _ := p.object(0)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.in, diff)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("<</A [1 0 R (x\\)) <41>] /B null>>"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p := parser{data: data}
		for range 1000 {
			at := p.pos
			if _, ok := p.object(0); !ok {
				p.pos++
			}
			if p.pos <= at {
				t.Fatalf("stands still at %d", at)
			}
			if p.pos >= len(data) {
				return
			}
		}
	})
}

// TestElements checks that the parser stops at the limit on objects and
// reports it.
func TestElements(t *testing.T) {
	d := shared{left: 4}
	p := parser{data: []byte("[1 2 3 4 5 6 7]"), shared: &d}
	o, _ := p.object(0)
	if diff := cmp.Diff(Array{1, 2, 3}, o); diff != "" || !d.cut {
		t.Errorf("cut %v (-want +got):\n%s", d.cut, diff)
	}
	d = shared{left: 4}
	p = parser{data: []byte("[1 2 3]"), shared: &d}
	if o, _ := p.object(0); len(o.(Array)) != 3 || d.cut {
		t.Errorf("%v, cut %v", o, d.cut)
	}
}
