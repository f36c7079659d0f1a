// SPDX-License-Identifier: Apache-2.0

package doctree_test

import (
	"testing"

	"example.com/curlew/internal/doctree"
)

func TestItemOf(t *testing.T) {
	h := doctree.Item{Ordered: true, Type: "a", Number: 8}
	one := doctree.Item{Ordered: true, Type: "i", Number: 1}
	for _, c := range []struct {
		number string
		last   doctree.Item
		want   doctree.Item
		prefix string
	}{
		{"4.", doctree.Item{}, doctree.Item{Ordered: true, Number: 4}, ""},
		{"(12)", doctree.Item{}, doctree.Item{Ordered: true, Number: 12}, ""},
		{"b)", doctree.Item{}, doctree.Item{Ordered: true, Type: "a", Number: 2}, ""},
		{"(C)", doctree.Item{}, doctree.Item{Ordered: true, Type: "A", Number: 3}, ""},
		{"i.", doctree.Item{}, doctree.Item{Ordered: true, Type: "i", Number: 1}, ""},
		{"i.", h, doctree.Item{Ordered: true, Type: "a", Number: 9}, ""},
		{"v.", one, doctree.Item{Ordered: true, Type: "a", Number: 22}, ""},
		{"XIV.", doctree.Item{}, doctree.Item{Ordered: true, Type: "I", Number: 14}, ""},
		{"1.2.", doctree.Item{}, doctree.Item{}, "1.2. "},
		{"•", doctree.Item{}, doctree.Item{}, ""},
		{"o", doctree.Item{}, doctree.Item{}, ""},
		{"aa)", doctree.Item{}, doctree.Item{}, "aa) "},
		{"Article I", doctree.Item{}, doctree.Item{}, "Article I "},
		{"", doctree.Item{}, doctree.Item{}, ""},
	} {
		c.want.Label = c.number
		if got, prefix := doctree.ItemOf(c.number, 0, c.last); got != c.want || prefix != c.prefix {
			t.Errorf("%q: %+v and %q, want %+v and %q", c.number, got, prefix, c.want, c.prefix)
		}
	}
	for s, want := range map[string]bool{"4.": true, "(iv)": true, "b)": true, "-": true, "7": true, "b": false, "word.": false, "--": false, "": false} {
		if doctree.IsNumber(s) != want {
			t.Errorf("IsNumber(%q) = %t", s, !want)
		}
	}
}
