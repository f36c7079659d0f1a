// SPDX-License-Identifier: Apache-2.0

package doc_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/parse/internal/doc"
)

// bodyOf returns the content of a document's body.
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

// TestText reads single paragraphs.
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
		{"text that a field stores", "a\x13 SET n \"b\" \x14b\x15 \x13 REF n \x14b\x15", `<p>a <a href="#n">b</a></p>`},
		{"field in a link", "\x13HYPERLINK a.html\x14b\x13 PAGE \x147\x15c\x15d", `<p><a href="a.html">b7c</a>d</p>`},
		{"link with a tip", "\x13 hyperlink \"a b\" \\o \"the tip\" \\n \x14x\x15", `<p><a href="a b">x</a></p>`},
		{"equation", "a \x13 eq \\f(1,2)\x15 b \x13EQ \\* jc2 \\o\\ad(\\s\\up 9(とう),東)\x15", `<p>a <math><semantics><mtext>\frac{1}{2}</mtext><annotation encoding="application/x-tex">\frac{1}{2}</annotation></semantics></math> b 東(とう)</p>`},
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

// TestParagraphs reads paragraphs with one property each.
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
		{"item", bytesOf(0, 0x460B, 1), `<ol start="3" type="a"><li data-item-label="c)">x</li></ol>`},
		{"point", bytesOf(0, 0x460B, 2), "<ul><li>x</li></ul>"},
		{"list that is none", bytesOf(0, 0x460B, 99), "<p>x</p>"},
		{"list taken off", bytesOf(0, 0x460B, 0xF801), "<p>x</p>"},
		{"numbered heading", bytesOf(1, 0x460B, 1), `<h1 id="c-x">c) x</h1>`},
		{"cut", bytesOf(0, 0xD608), "<p>x</p>"},
		{"row of its own", bytesOf(0, 0x2416, byte(1)), "<p>x</p>"},
	} {
		d := draft{paras: []part{{"x\r", c.props}}, tables: map[int][]byte{1: styles(), 73: all, 74: uses}}
		if got := bodyOf(t, d.pack()); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}

// TestRuns reads runs with one property each.
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
		{"raised and small", bytesOf(0x4845, 8, 0x4A43, 14), "<sup>x</sup>"},
		{"lowered and small", bytesOf(0x4845, -4, 0x4A43, 14), "<sub>x</sub>"},
		{"raised alone", bytesOf(0x4845, 8), "x"},
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

// TestNotes reads notes with custom marks, and comments with times.
func TestNotes(t *testing.T) {
	note := func(ends ...int) []byte {
		b := bytesOf(uint32(0))
		for _, e := range ends {
			b = append(b, bytesOf(uint32(e))...)
		}
		return b
	}
	mark := draft{
		paras:  []part{{"a* b\r", nil}, {"* The note\r", nil}},
		counts: [8]int{5, 11},
		tables: map[int][]byte{2: bytesOf(uint32(1), uint32(5), 0), 3: note(10, 11)},
	}
	if got, want := bodyOf(t, mark.pack()), `<p>a<sup><a role="doc-noteref" href="#fn-1">1</a></sup> b</p>`+
		`<section role="doc-endnotes"><ol><li id="fn-1" role="doc-footnote">* The note</li></ol></section>`; got != want {
		t.Errorf("own mark: %s, want %s", got, want)
	}
	for _, c := range []struct {
		what string
		when uint32 // bits of minute, hour, day, month, year
		want string
	}{
		{"a moment", 6 | 13<<6 | 29<<11 | 2<<16 | 124<<20, ` data-date="2024-02-29T13:06:00"`},
		{"none", 0, ""},
		{"month 15", 15<<16 | 1<<11, ""},
	} {
		d := draft{
			paras:  []part{{"a\x05\r", nil}, {"\x05Why?\r", nil}},
			counts: [8]int{3, 0, 0, 0, 6},
			tables: map[int][]byte{
				4: bytesOf(uint32(1), uint32(3), strings.Repeat("\x00", 30)), 5: note(5, 6),
				112: bytesOf(c.when, strings.Repeat("\x00", 14)),
			},
		}
		if got := bodyOf(t, d.pack()); !strings.Contains(got, `data-note="comment"`+c.want+">") || c.want == "" && strings.Contains(got, "data-date") {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}

// TestListsAnew reads two instances of one list. The numbers of the second
// restart.
func TestListsAnew(t *testing.T) {
	all, _ := lists()
	use := func(id uint32, over byte) []byte { return bytesOf(id, uint32(0), uint32(0), over, byte(0), 0) }
	uses := bytesOf(uint32(2), use(70, 0), use(70, 1), uint32(0), uint32(0), uint32(7), uint32(0x10))
	one, two := bytesOf(0, 0x460B, 1), bytesOf(0, 0x460B, 2)
	d := draft{paras: []part{{"a\r", one}, {"b\r", one}, {"c\r", two}, {"d\r", two}, {"e\r", one}}, tables: map[int][]byte{1: styles(), 73: all, 74: uses}}
	want := `<ol start="3" type="a"><li data-item-label="c)">a</li><li data-item-label="d)">b</li></ol><ol start="7" type="a"><li data-item-label="g)">c</li><li data-item-label="h)">d</li><li data-item-label="i)">e</li></ol>`
	if got := bodyOf(t, d.pack()); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestNumbers reads lists with composed numbers.
func TestNumbers(t *testing.T) {
	type lvl struct {
		start  int
		format byte
		flags  byte
		text   string
		left   int
	}
	item := func(level byte, more ...any) []byte {
		return bytesOf(append([]any{0, 0x460B, 1, 0x260A, level}, more...)...)
	}
	p := func(text string, props []byte) part { return part{text + "\r", props} }
	arabic, roman := lvl{1, 0, 0, "\x00.", 720}, lvl{1, 1, 0, "\x00", 720}
	for _, c := range []struct {
		what   string
		levels []lvl
		paras  []part
		want   string
	}{
		{
			"numbers of several levels",
			[]lvl{roman, {1, 0, 0, "\x00.\x01", 0}, {1, 0, 4, "\x00.\x02", 0}},
			[]part{p("a", item(0)), p("b", item(1)), p("c", item(2)), p("d", item(0)), p("e", item(1))},
			`<ol type="I"><li data-item-label="I">a<ul><li>I.1 b<ul><li>1.1 c</li></ul></li></ul></li><li data-item-label="II">d<ul><li>II.1 e</li></ul></li></ol>`,
		},
		{"words", []lvl{{4, 22, 0, "Rule \x00:", 0}}, []part{p("a", item(0)), p("b", item(0))}, "<ul><li>Rule 04: a</li><li>Rule 05: b</li></ul>"},
		{"legal, with a zero", []lvl{roman, {1, 22, 4, "\x00.\x01", 0}}, []part{p("a", item(0)), p("b", item(1))}, `<ol type="I"><li data-item-label="I">a<ul><li>1.01 b</li></ul></li></ol>`},
		{"a level that never restarts", []lvl{arabic, {1, 4, 8, "(\x01)", 0}}, []part{p("a", item(0)), p("b", item(1)), p("c", item(0)), p("d", item(1))}, `<ol><li>a<ol type="a"><li data-item-label="(a)">b</li></ol></li><li>c<ol start="2" type="a"><li data-item-label="(b)">d</li></ol></li></ol>`},
		{"nothing above", []lvl{arabic, arabic}, []part{p("a", item(1)), p("b", item(0))}, `<ul><li>1. a</li></ul><ol start="2"><li>b</li></ol>`},
		{"an empty item counts", []lvl{arabic}, []part{p("a", item(0)), p("", item(0)), p("b", item(0))}, `<ol><li>a</li></ol><ol start="3"><li>b</li></ol>`},
		{"numbers that do not show", []lvl{{1, 255, 0, "\x00", 0}}, []part{p("a", item(0)), p("b", bytesOf(1, 0x460B, 1))}, `<p>a</p><h1 id="b">b</h1>`},
		{"tasks", []lvl{{0, 23, 0, "•", 0}}, []part{p("☐ a", item(0)), p("☒ b", item(0))}, `<ul><li><input type="checkbox" disabled=""/>a</li><li><input type="checkbox" disabled="" checked=""/>b</li></ul>`},
		{
			"what continues",
			[]lvl{arabic, {0, 23, 0, "\uF020", 1440}},
			[]part{p("a", item(0)), p("by a bullet", item(1)), p("by its indent", bytesOf(0, 0x845E, 720)), p("b", item(0, 0x840F, 300)), p("by b's", bytesOf(0, 0x845E, 300)), p("hangs", bytesOf(0, 0x845E, 300, 0x8460, -300))},
			"<ol><li>a<p>by a bullet</p><p>by its indent</p></li><li>b<p>by b&#39;s</p></li></ol><p>hangs</p>",
		},
	} {
		one := bytesOf(1, uint32(70), uint32(0), strings.Repeat("\x00", 18), byte(0), byte(0))
		for i := range 9 {
			l := lvl{1, 0, 0, "", 0}
			if i < len(c.levels) {
				l = c.levels[i]
			}
			one = append(one, bytesOf(uint32(l.start), l.format, l.flags, strings.Repeat("\x00", 18), byte(0), byte(4), byte(0), byte(0), 0x845E, l.left, len([]rune(l.text)), wide(l.text))...)
		}
		uses := bytesOf(uint32(1), uint32(70), uint32(0), uint32(0), byte(0), byte(0), 0, uint32(0))
		d := draft{paras: c.paras, tables: map[int][]byte{1: styles(), 73: one, 74: uses}}
		if got := bodyOf(t, d.pack()); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}

// TestSides reads columns in which most cells have the same alignment.
func TestSides(t *testing.T) {
	cell := func(side byte) []byte { return bytesOf(0, 0x2416, byte(1), 0x2461, side) }
	end := part{"\x07", bytesOf(0, 0x2416, byte(1), 0x2417, byte(1))}
	d := draft{paras: []part{
		{"h\x07", cell(1)}, {"h\x07", cell(1)}, end, {"a\x07", cell(0)}, {"1\x07", cell(2)}, end, {"b\x07", cell(3)}, {"2\x07", cell(2)}, end, {"x\r", nil},
	}}
	want := `<table data-table="source"><tbody><tr><td>h</td><td>h</td></tr><tr><td>a</td><td align="right">1</td></tr><tr><td>b</td><td align="right">2</td></tr></tbody></table><p>x</p>`
	if got := bodyOf(t, d.pack()); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestSpans reads tables whose spans follow from the edges of their cells.
func TestSpans(t *testing.T) {
	cell := bytesOf(0, 0x2416, byte(1))
	row := func(flags []int, edges ...int) part {
		cells := []byte{byte(len(edges) - 1)}
		for _, e := range edges {
			cells = append(cells, bytesOf(e)...)
		}
		for i := range len(edges) - 1 {
			flag := 0
			if flags != nil {
				flag = flags[i]
			}
			cells = append(cells, bytesOf(flag, strings.Repeat("\x00", 18))...)
		}
		return part{"\x07", bytesOf(0, 0x2416, byte(1), 0x2417, byte(1), 0xD608, len(cells)+1, cells)}
	}
	for _, c := range []struct {
		what  string
		paras []part
		want  string
	}{
		{
			"wide below",
			[]part{{"a\x07", cell}, {"b\x07", cell}, row(nil, 0, 1000, 2000), {"c\x07", cell}, row(nil, 0, 2000)},
			`<tr><td>a</td><td>b</td></tr><tr><td colspan="2">c</td></tr>`,
		},
		{
			"wide at the end",
			[]part{{"a\x07", cell}, {"b\x07", cell}, row(nil, 0, 1000, 3000), {"c\x07", cell}, {"d\x07", cell}, {"e\x07", cell}, row(nil, 0, 1000, 2000, 3000)},
			`<tr><td>a</td><td colspan="2">b</td></tr><tr><td>c</td><td>d</td><td>e</td></tr>`,
		},
		{
			"edges that nearly meet",
			[]part{{"a\x07", cell}, {"b\x07", cell}, row(nil, -5, 1000, 2000), {"c\x07", cell}, {"d\x07", cell}, row(nil, 5, 1010, 1990)},
			`<tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr>`,
		},
		{
			"down and wide",
			[]part{{"a\x07", cell}, {"b\x07", cell}, row([]int{0x60, 0}, 0, 2000, 3000), {"\x07", cell}, {"c\x07", cell}, row([]int{0x20, 0}, 0, 2000, 3000), {"d\x07", cell}, {"e\x07", cell}, {"f\x07", cell}, row(nil, 0, 1000, 2000, 3000)},
			`<tr><td colspan="2" rowspan="2">a</td><td>b</td></tr><tr><td>c</td></tr><tr><td>d</td><td>e</td><td>f</td></tr>`,
		},
	} {
		got := bodyOf(t, draft{paras: append(c.paras, part{"end\r", nil})}.pack())
		if want := `<table data-table="source"><tbody>` + c.want + "</tbody></table><p>end</p>"; got != want {
			t.Errorf("%s: %s, want %s", c.what, got, want)
		}
	}
}
