// SPDX-License-Identifier: Apache-2.0

package doctree_test

import (
	"slices"
	"testing"

	"example.com/curlew/internal/doctree"
)

func TestInOrder(t *testing.T) {
	a := func(x0, y0, x1, y1 float64) doctree.Box { return doctree.Box{X0: x0, Y0: y0, X1: x1, Y1: y1} }
	for _, c := range []struct {
		what  string
		boxes []doctree.Box
		want  []int
	}{
		{"nothing", nil, nil},
		{"above", []doctree.Box{a(0, 20, 50, 30), a(0, 0, 50, 10)}, []int{1, 0}},
		{"columns below a line", []doctree.Box{a(60, 20, 100, 90), a(0, 20, 40, 90), a(0, 0, 100, 10)}, []int{2, 1, 0}},
		{"on each other", []doctree.Box{a(10, 10, 50, 50), a(0, 0, 40, 40)}, []int{0, 1}},
		{"apart", []doctree.Box{a(60, 60, 90, 90), a(0, 0, 10, 10)}, []int{0, 1}},
		{"one somewhere", []doctree.Box{a(0, 20, 50, 30), {}, a(0, 0, 50, 10)}, []int{0, 1, 2}},
	} {
		shapes := make([]int, len(c.boxes))
		for i := range shapes {
			shapes[i] = i
		}
		if got := doctree.InOrder(shapes, c.boxes); !slices.Equal(got, c.want) {
			t.Errorf("%s: %d, want %d", c.what, got, c.want)
		}
	}
	many := make([]int, 1000)
	if got := doctree.InOrder(many, make([]doctree.Box, 1000)); len(got) != 1000 {
		t.Errorf("%d of many", len(got))
	}
}
