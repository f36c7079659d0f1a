// SPDX-License-Identifier: Apache-2.0

package ppt_test

import (
	"strings"
	"testing"

	"example.com/curlew/internal/test/doctreetest"
)

// style returns the master style of a text type. For each level, levels has
// "+" for bullets, "-" for none, or " " for unset.
func style(kind int, levels string) []byte {
	values := []any{len(levels)}
	for i, l := range levels {
		if kind >= 5 {
			values = append(values, i)
		}
		switch l {
		case '+':
			values = append(values, uint32(1), 1)
		case '-':
			values = append(values, uint32(1), 0)
		default:
			values = append(values, uint32(1<<12), 90) // line spacing
		}
		values = append(values, uint32(1<<17), 24) // font size
	}
	return rec(0xFA3, kind, values...)
}

// TestMasters reads texts without bullet settings of their own.
func TestMasters(t *testing.T) {
	levels := rec(0xFA1, 0, uint32(2), 0, uint32(0), uint32(2), 1, uint32(0))
	for _, c := range []struct {
		what   string
		kind   uint32
		styles [][]byte
		want   string
	}{
		{"no master's word, body", 1, nil, "<ul>\n<li>a\n<ul>\n<li>b</li></ul></li></ul>"},
		{"no master's word, other", 4, nil, "<p>a</p>\n<p>b</p>"},
		{"body without", 1, [][]byte{style(1, "--")}, "<p>a</p>\n<p>b</p>"},
		{"body with below", 1, [][]byte{style(1, "-+")}, "<p>a</p>\n<ul>\n<li>b</li></ul>"},
		{"body that is not told of", 1, [][]byte{style(1, "  ")}, "<ul>\n<li>a\n<ul>\n<li>b</li></ul></li></ul>"},
		{"other with", 4, [][]byte{style(4, "+-")}, "<ul>\n<li>a</li></ul>\n<p>b</p>"},
		{"half as the body", 7, [][]byte{style(1, "--")}, "<p>a</p>\n<p>b</p>"},
		{"half with its own", 7, [][]byte{style(1, "--"), style(7, "+ ")}, "<ul>\n<li>a</li></ul>\n<p>b</p>"},
		{"centred as the body", 5, [][]byte{style(1, "+-")}, "<ul>\n<li>a</li></ul>\n<p>b</p>"},
		{"a kind that is none", 99, [][]byte{style(4, "++")}, "<p>a</p>\n<p>b</p>"},
	} {
		master := rec(0x3F8, 0, append([]any{rec(0x3EF, 0, uint32(0), "placehld", uint32(0), uint32(0), 0, 0)}, anys(c.styles)...)...)
		stream, user := deck(nil, [][]byte{slide(0x3EE, 0, 0, shape(1, box(text(c.kind, "a\rb", levels))))}, [][]byte{master},
			rec(0xFF0, 1, rec(0x3F3, 0, uint32(2), uint32(0), uint32(0), uint32(0), uint32(0))))
		got := doctreetest.Show(t, read(t, pack(stream, user)))
		_, got, _ = strings.Cut(got, "<section data-slide=\"1\">\n<h2 data-role=\"slide-number\">Slide 1</h2>\n")
		got, _, _ = strings.Cut(got, "</section>")
		if got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.what, got, c.want)
		}
	}
}

// TestMasterOfItself reads a master that is based on itself, and one based
// on a missing master.
func TestMasterOfItself(t *testing.T) {
	for _, number := range []uint32{7, 8} {
		master := rec(0x3EE, 0, rec(0x3EF, 0, uint32(0), "placehld", number, uint32(0), 0, 0))
		one := rec(0x3EE, 0, rec(0x3EF, 0, uint32(0), "placehld", uint32(7), uint32(0), 0, 0),
			rec(0x40C, 0, rec(0xF002, 0, group(shape(0), shape(1, box(text(1, "a")))))))
		stream, user := deck(nil, [][]byte{one}, [][]byte{master},
			rec(0xFF0, 1, rec(0x3F3, 0, uint32(2), uint32(0), uint32(0), uint32(7), uint32(0))))
		if got := doctreetest.Show(t, read(t, pack(stream, user))); !strings.Contains(got, "<li>a</li>") {
			t.Errorf("on %d: %s", number, got)
		}
	}
}

func TestComments(t *testing.T) {
	comment := func(author, text string, date ...any) []byte {
		return rec(0x2EE0, 0, rec(0xFBA, 0, wide(author)), rec(0xFBA, 1, wide(text)), rec(0xFBA, 2, wide("x")),
			rec(0x2EE1, 0, append([]any{uint32(1)}, date...)...))
	}
	one := slide(0x3EE, 0, 0, shape(1, box(text(4, "Text"))))
	tags := rec(0x1388, 0, rec(0x138A, 0, rec(0xFBA, 0, wide("___PPT10")), rec(0x138B, 0,
		string(comment("Ann", "Why?", 2024, 2, 0, 29, 13, 5, 6, 0, uint32(0), uint32(0)))+string(comment("", "Because.", 0, 0)))))
	all := rec(0x3EE, 0, one[8:], tags)
	stream, user := deck(nil, [][]byte{all}, nil)
	got := doctreetest.Show(t, read(t, pack(stream, user)))
	for _, want := range []string{
		`<li id="comment-1" role="doc-footnote" data-note="comment" data-author="Ann" data-date="2024-02-29T13:05:06"><strong>Ann</strong>`,
		`<li id="comment-2" role="doc-footnote" data-note="comment">Because.</li>`,
		`<a role="doc-noteref" href="#comment-2" data-note="comment">comment 2</a>`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in\n%s", want, got)
		}
	}
}

// TestNumberings reads items whose way to count changes, which begins again.
func TestNumberings(t *testing.T) {
	count := func(scheme int) []byte { return rec(0, 0, uint32(3<<24), 1, scheme, 1, uint32(0), uint32(0))[8:] }
	styles := rec(0xFA1, 0, uint32(8), 0, uint32(1), 1, uint32(2), uint32(0), uint32(2), uint32(0x400), 0x400, uint32(4), uint32(0))
	stream, user := deck(nil, [][]byte{slide(0x3EE, 0, 0,
		shape(1, rec(0xF011, 0, rec(0x1388, 0, rec(0x138A, 0, rec(0xFBA, 0, wide("___PPT9")), rec(0x138B, 0, string(rec(0xFAC, 0, count(3), count(1))))))),
			box(text(4, "a\rb\rc\rd", styles))))}, nil, nil)
	got := doctreetest.Show(t, read(t, pack(stream, user)))
	if want := "<ol>\n<li>a</li></ol>\n<ol type=\"A\">\n<li data-item-label=\"A.\">b</li></ol>\n<ol>\n<li>c</li>\n<li>d</li></ol>"; !strings.Contains(got, want) {
		t.Errorf("%s is not in %s", want, got)
	}
}
