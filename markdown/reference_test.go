// SPDX-License-Identifier: Apache-2.0

package markdown

import "testing"

// TestTargets numbers targets by first use. The title is part of a target.
func TestTargets(t *testing.T) {
	var all targets
	for _, test := range []struct {
		ref  reference
		want int
	}{
		{reference{"/a", ""}, 1},
		{reference{"/b", ""}, 2},
		{reference{"/a", ""}, 1},
		{reference{"/a", "title"}, 3},
		{reference{"", ""}, 4},
	} {
		if got := all.number(test.ref); got != test.want {
			t.Errorf("%+v has number %d, want %d", test.ref, got, test.want)
		}
	}
	if len(all.list) != 4 {
		t.Errorf("%d targets, want 4", len(all.list))
	}
}

// TestWriteTargets writes the end of links in each style, and the list of
// targets at the end.
func TestWriteTargets(t *testing.T) {
	for _, test := range []struct {
		style LinkStyle
		want  string
	}{
		{LinksInline, "x](/a)](/b \"T\")]()](/a)"},
		{LinksReference, "x][1]][2]][3]][1]\n\n[1]: /a\n[2]: /b \"T\"\n[3]: <>"},
		{LinksCitation, "x[1][2][3][1]\n\n[1]: /a\n[2]: /b \"T\"\n[3]: <>"},
	} {
		w := lineWriter{options: Options{Links: test.style}}
		w.start(paragraph)
		w.out = append(w.out, 'x')
		w.linkEnd("/a", "")
		w.linkEnd("/b", "T")
		w.linkEnd("", "")
		w.linkEnd("/a", "")
		w.writeTargets()
		if got := string(w.out); got != test.want {
			t.Errorf("style %d: got %q, want %q", test.style, got, test.want)
		}
	}
}
