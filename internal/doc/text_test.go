// SPDX-License-Identifier: Apache-2.0

package doc_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doc"
)

// bodyOf returns what is in the body of a document.
func bodyOf(t testing.TB, data []byte) string {
	t.Helper()
	d, err := doc.Read(t.Context(), data, doc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for n := range d.Root.Descendants() {
		if n.DataAtom != atom.Body {
			continue
		}
		for c := range n.ChildNodes() {
			if err := html.Render(&b, c); err != nil {
				t.Fatal(err)
			}
		}
	}
	return b.String()
}

// TestText has one paragraph each.
func TestText(t *testing.T) {
	for _, c := range []struct{ what, in, want string }{
		{"plain", "one", "<p>one</p>"},
		{"breaks", "a\x0Bb\tc", "<p>a<br/>b\tc</p>"},
		{"hyphens", "a\x1Eb\x1Fc", "<p>a-bc</p>"},
		{"other controls", "a\x03\x04b", "<p>ab</p>"},
		{"outside the basic plane", "𝒳", "<p>𝒳</p>"},
		{"half a character", "a\xF0b", "<p>a\uFFFDb</p>"},
		{"field", "\x13 PAGE \x147\x15", "<p>7</p>"},
		{"field without a result", "a\x13 XE \"index\" \x15b", "<p>ab</p>"},
		{"field in what a field does", "\x13 IF \x13 X \x14y\x15 \x14z\x15", "<p>z</p>"},
		{"field in a link", "\x13HYPERLINK a.html\x14b\x13 PAGE \x147\x15c\x15d", `<p><a href="a.html">b7c</a>d</p>`},
		{"link with a tip", "\x13 hyperlink \"a b\" \\o \"the tip\" \\n \x14x\x15", `<p><a href="a b">x</a></p>`},
		{"link that runs", "\x13HYPERLINK \"javascript:x\"\x14x\x15", "<p>x</p>"},
		{"link to nowhere", "\x13HYPERLINK\x14x\x15", "<p>x</p>"},
		{"field that ends twice", "a\x15\x15b", "<p>ab</p>"},
		{"field that never ends", "a\x13 PAGE \x14b", "<p>ab</p>"},
		{"note that is none", "a\x02\x05b", "<p>ab</p>"},
		{"nothing", " \t ", ""},
	} {
		if got := bodyOf(t, draft{paras: []part{{c.in + "\r", nil}}}.pack()); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}

// TestParagraphs has the properties of one paragraph each.
func TestParagraphs(t *testing.T) {
	all, uses := lists()
	for _, c := range []struct {
		what  string
		props []byte
		want  string
	}{
		{"none", nil, "<p>x</p>"},
		{"heading by its style", bytesOf(1), `<h1 id="x">x</h1>`},
		{"heading by a style that stands on one", bytesOf(2), `<h2 id="x">x</h2>`},
		{"heading by its level", bytesOf(0, 0x2640, byte(4)), `<h5 id="x">x</h5>`},
		{"heading no more", bytesOf(1, 0x2640, byte(9)), "<p><strong>x</strong></p>"},
		{"heading of level 9", bytesOf(0, 0x2640, byte(8)), `<h6 id="x">x</h6>`},
		{"style that is none", bytesOf(500), "<p>x</p>"},
		{"right to left", bytesOf(0, 0x2441, byte(1)), `<p dir="rtl">x</p>`},
		{"item", bytesOf(0, 0x460B, 1), `<ol start="3" type="a"><li>x</li></ol>`},
		{"point", bytesOf(0, 0x460B, 2), "<ul><li>x</li></ul>"},
		{"list that is none", bytesOf(0, 0x460B, 99), "<p>x</p>"},
		{"list taken off", bytesOf(0, 0x460B, 0xF801), "<p>x</p>"},
		{"numbered heading", bytesOf(1, 0x460B, 1), `<h1 id="c-x">c) x</h1>`},
		{"cut", bytesOf(0, 0xD608), "<p>x</p>"},
		{"row of its own", bytesOf(0, 0x2416, byte(1)), `<table data-table="source"><tbody><tr><td>x</td></tr></tbody></table>`},
	} {
		d := draft{paras: []part{{"x\r", c.props}}, tables: map[int][]byte{1: styles(), 73: all, 74: uses}}
		if got := bodyOf(t, d.pack()); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}

// TestRuns has the properties of one run each.
func TestRuns(t *testing.T) {
	for _, c := range []struct {
		what  string
		props []byte
		want  string
	}{
		{"bold", bytesOf(0x0835, byte(1)), "<strong>x</strong>"},
		{"style's own", bytesOf(0x0835, byte(0x80)), "x"},
		{"not as the style", bytesOf(0x0835, byte(0x81)), "<strong>x</strong>"},
		{"bold by style, and off", bytesOf(0x4A30, 3, 0x0835, byte(0)), "x"},
		{"bold by style, turned", bytesOf(0x4A30, 3, 0x0835, byte(0x81)), "x"},
		{"struck", bytesOf(0x0837, byte(1)), "<s>x</s>"},
		{"struck twice", bytesOf(0x2A53, byte(1)), "<s>x</s>"},
		{"below", bytesOf(0x2A48, byte(2)), "<sub>x</sub>"},
		{"underlined", bytesOf(0x2A3E, byte(1)), "<u>x</u>"},
		{"deleted", bytesOf(0x0800, byte(1)), ""},
		{"hidden", bytesOf(0x083C, byte(1)), ""},
		{"unknown", bytesOf(0xC000, byte(3), "abc", 0x0835, byte(1)), "<strong>x</strong>"},
		{"longer than it is", bytesOf(0xC000, byte(200), "abc"), "x"},
	} {
		d := draft{paras: []part{{"x\r", nil}}, runs: []part{{"x", c.props}}, tables: map[int][]byte{1: styles()}}
		want := "<p>" + c.want + "</p>"
		if c.want == "" {
			want = ""
		}
		if got := bodyOf(t, d.pack()); got != want {
			t.Errorf("%s: %s, want %s", c.what, got, want)
		}
	}
}
