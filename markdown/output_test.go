// SPDX-License-Identifier: Apache-2.0

package markdown

import "testing"

// TestOutputStart checks the line breaks and prefixes between blocks of an
// output by itself.
func TestOutputStart(t *testing.T) {
	for _, test := range []struct {
		name   string
		prefix string
		tight  bool
		blocks []block
		want   string // the text of each block is its index
	}{
		{"one block", "", false, []block{paragraph}, "0"},
		{"two paragraphs", "", false, []block{paragraph, paragraph}, "0\n\n1"},
		{"inside a quote", "> ", false, []block{paragraph, paragraph}, "0\n>\n> 1"},
		{"inside an item", "  ", false, []block{paragraph, list}, "0\n\n  1"},
		{"tight list after a paragraph", "", true, []block{paragraph, list}, "0\n1"},
		{"tight paragraphs", "", true, []block{paragraph, paragraph}, "0\n\n1"},
		{"a paragraph would continue a tight list", "", true, []block{list, paragraph}, "0\n\n1"},
		{"tight heading after a list", "", true, []block{list, heading}, "0\n1"},
		{"tight quotes", "", true, []block{quote, quote}, "0\n\n1"},
		{"a table always stands apart", "", true, []block{grid, heading}, "0\n\n1"},
		{"definition after its term", "", false, []block{term, definition, definition}, "0\n1\n2"},
		{"definition after a paragraph", "", true, []block{paragraph, definition}, "0\n\n1"},
		{"alert and its text", "> ", false, []block{label, paragraph}, "0\n> 1"},
		{"alert and a list", "> ", false, []block{label, list}, "0\n>\n> 1"},
	} {
		w := output{prefix: []byte(test.prefix), level: len(test.prefix) / 2, c: container{tight: test.tight}}
		for i, k := range test.blocks {
			w.start(k)
			w.out = append(w.out, byte('0'+i))
		}
		if got := string(w.out); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

// TestOutputMarkers checks that only an adjacent list sees the marker of the
// list before it.
func TestOutputMarkers(t *testing.T) {
	w := output{}
	w.start(list)
	w.c.bullet, w.c.number = '-', '.'
	w.start(list)
	if w.c.bullet != '-' || w.c.number != '.' {
		t.Errorf("a list after a list has markers %q and %q", w.c.bullet, w.c.number)
	}
	w.start(paragraph)
	if w.c.bullet != 0 || w.c.number != 0 {
		t.Errorf("after a paragraph the markers are %q and %q", w.c.bullet, w.c.number)
	}
}

// TestOutputFrontMatter checks that the first block follows the front matter
// on a line of its own.
func TestOutputFrontMatter(t *testing.T) {
	w := output{}
	w.frontMatter(map[string]string{"title": "A"})
	front := string(w.out)
	w.start(paragraph)
	w.out = append(w.out, 'x')
	if got := string(w.out); front != "---\ntitle: \"A\"\n---\n" || got != front+"\nx" {
		t.Errorf("got %q after %q", got, front)
	}
}

// TestOutputFence checks that a fence is longer than any run of its character
// in the code.
func TestOutputFence(t *testing.T) {
	for _, test := range []struct{ info, code, want string }{
		{"", "a", "```\na\n```"},
		{"go", "a\n\nb", "```go\na\n\nb\n```"},
		{"", "a ```` b", "`````\na ```` b\n`````"},
		{"x`y", "a ~~~", "~~~~x`y\na ~~~\n~~~~"},
	} {
		w := output{}
		w.fenced(test.info, []byte(test.code), true)
		if got := string(w.out); got != test.want {
			t.Errorf("%q as %q: got %q, want %q", test.code, test.info, got, test.want)
		}
	}
	w := output{}
	w.fenced("", nil, false)
	if got := string(w.out); got != "```\n```" {
		t.Errorf("no line: got %q", got)
	}
}

// TestNested checks that a block without content leaves no trace unless it
// must be kept, and that the state around it is restored.
func TestNested(t *testing.T) {
	for _, test := range []struct {
		name string
		keep bool
		body string
		want string
		ok   bool
	}{
		{"content", false, "b", "a\n\n> b", true},
		{"empty", false, "", "a", false},
		{"empty and kept", true, "", "a\n\n>", true},
	} {
		w := lineWriter{}
		w.line.add("a")
		w.paragraph()
		before := w.c
		ok := w.nested(quote, "> ", []byte("> "), test.keep, container{}, func() {
			if w.level != 1 || string(w.prefix) != "> " {
				t.Errorf("%s: level %d and prefix %q inside", test.name, w.level, w.prefix)
			}
			w.line.add(test.body)
		})
		if got := string(w.out); got != test.want || ok != test.ok {
			t.Errorf("%s: got %q, %v, want %q, %v", test.name, got, ok, test.want, test.ok)
		}
		if w.level != 0 || len(w.prefix) != 0 {
			t.Errorf("%s: level %d and prefix %q remain", test.name, w.level, w.prefix)
		}
		if last := w.c.last; !test.ok && last != before.last || test.ok && last != quote {
			t.Errorf("%s: the last block is of kind %d", test.name, last)
		}
	}
}
