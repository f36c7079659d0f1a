// SPDX-License-Identifier: Apache-2.0

package doc_test

import (
	"strings"
	"testing"
)

// drawingRecord returns a record of a drawing.
func drawingRecord(kind, inst int, data ...any) []byte {
	b := bytesOf(data...)
	version := inst << 4
	if kind < 0xF005 || kind == 0xF000 {
		version |= 15
	}
	return bytesOf(version, kind, uint32(len(b)), b)
}

// drawnShape returns a shape with a type, an ID and an alternative text.
func drawnShape(sort int, id uint32, alt string) []byte {
	alt = wide(alt + "\x00")
	return drawingRecord(0xF004, 0, drawingRecord(0xF00A, sort, id, uint32(0)), drawingRecord(0xF00B, 1, 0xC381, uint32(len(alt)), alt))
}

// drawings returns the drawings of the text and those of the headers, which
// are ignored.
func drawings(shapes ...[]byte) []byte {
	all := drawingRecord(0xF003, 0, append([]any{drawnShape(0, 1024, "")}, anys(shapes)...)...)
	return bytesOf(drawingRecord(0xF000, 0, uint32(0)), byte(0), drawingRecord(0xF002, 0, all), byte(1), drawingRecord(0xF002, 0, drawingRecord(0xF003, 0, drawnShape(0, 9, ""), drawnShape(75, 2001, "Not this"))))
}

func anys(parts [][]byte) []any {
	all := make([]any, len(parts))
	for i, p := range parts {
		all[i] = p
	}
	return all
}

// anchors returns the anchors of shapes in the text.
func anchors(end int, places map[int]uint32) []byte {
	var at, data []byte
	for cp := range end {
		if id, ok := places[cp]; ok {
			at = append(at, bytesOf(uint32(cp))...)
			data = append(data, bytesOf(id, strings.Repeat("\x00", 22))...)
		}
	}
	return bytesOf(at, uint32(end), data)
}

// boxTexts returns the ends of the texts of shapes, and the IDs of the
// shapes.
func boxTexts(ends []int, ids ...uint32) []byte {
	b := bytesOf(uint32(0))
	for _, e := range ends {
		b = append(b, bytesOf(uint32(e))...)
	}
	for _, id := range ids {
		b = append(b, bytesOf(strings.Repeat("\x00", 14), id, uint32(0))...)
	}
	return b
}

// TestDrawings reads a paragraph with a shape in the middle, whose text
// follows the paragraph, and other kinds of shapes.
func TestDrawings(t *testing.T) {
	const box = `<aside data-role="textbox"><p>Box</p></aside>`
	for _, c := range []struct {
		what   string
		shapes []byte
		anchor uint32
		owner  uint32 // the shape that has the text
		want   string
	}{
		{"box", drawings(drawnShape(202, 1025, "")), 1025, 1025, "<p>ab</p>" + box + "<p>c</p>"},
		{"box of a group", drawings(drawingRecord(0xF003, 0, drawnShape(0, 1030, ""), drawnShape(1, 1031, ""), drawnShape(202, 1032, ""))), 1030, 1032, "<p>ab</p>" + box + "<p>c</p>"},
		{"box of a group of a group", drawings(drawingRecord(0xF003, 0, drawnShape(0, 1030, ""), drawingRecord(0xF003, 0, drawnShape(0, 1031, ""), drawnShape(202, 1032, "")))), 1030, 1032, "<p>ab</p>" + box + "<p>c</p>"},
		{"box that nothing draws", nil, 1025, 1025, "<p>ab</p>" + box + "<p>c</p>"},
		{"box that is not anchored", drawings(), 1025, 7, "<p>ab</p><p>c</p>" + box},
		{"picture", drawings(drawnShape(75, 1025, "A  duck")), 1025, 7, `<p>a<img alt="A duck"/>b</p><p>c</p>` + box},
		{"picture without words", drawings(drawnShape(75, 1025, "")), 1025, 7, `<p>a<img alt=""/>b</p><p>c</p>` + box},
		{"drawing with words", drawings(drawnShape(1, 1025, "A flow chart")), 1025, 7, `<p>a<img alt="A flow chart"/>b</p><p>c</p>` + box},
		{"box with words", drawings(drawnShape(202, 1025, "Text box 1")), 1025, 1025, "<p>ab</p>" + box + "<p>c</p>"},
		{"drawing without words", drawings(drawnShape(1, 1025, "")), 1025, 7, "<p>ab</p><p>c</p>" + box},
		{"pictures of a group", drawings(drawingRecord(0xF003, 0, drawnShape(0, 1030, "Birds"), drawnShape(75, 1031, "A duck"), drawnShape(75, 1032, "A goose"))), 1030, 7, `<p>a<img alt="Birds"/><img alt="A duck"/><img alt="A goose"/>b</p><p>c</p>` + box},
		{"cut", drawings(drawnShape(75, 1025, "A duck"))[:40], 1025, 7, "<p>ab</p><p>c</p>" + box},
	} {
		d := draft{
			paras:  []part{{"a\x08b\r", nil}, {"c\r", nil}, {"Box\r", nil}},
			runs:   []part{{"a", nil}, {"\x08", bytesOf(0x0855, byte(1))}, {"b\rc\rBox\r", nil}},
			counts: [8]int{6, 0, 0, 0, 0, 0, 4, 0},
			tables: map[int][]byte{40: anchors(6, map[int]uint32{1: c.anchor}), 50: c.shapes, 56: boxTexts([]int{4, 5}, c.owner, 0)},
		}
		if got := bodyOf(t, d.pack()); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}

// TestInline reads pictures and form fields in the data stream.
func TestInline(t *testing.T) {
	sized := func(kind int, rest ...any) []byte {
		b := bytesOf(68, kind, strings.Repeat("\x00", 60), bytesOf(rest...))
		return bytesOf(uint32(len(b)+4), b)
	}
	str := func(s string) string { return string(bytesOf(len(s), wide(s), 0)) }
	texts := strings.Repeat(str(""), 5)
	picture := bytesOf(0x0855, byte(1), 0x6A03, uint32(4))
	field := bytesOf(0x0855, byte(1), 0x0806, byte(1), 0x6A03, uint32(4))
	for _, c := range []struct {
		what, text string
		data       []byte
		props      []byte
		want       string
	}{
		{"picture", "\x01", sized(0x64, drawnShape(75, 1, "A duck")), picture, `<p><img alt="A duck"/></p>`},
		{"picture of a file", "\x01", sized(0x66, byte(3), "a.b", drawnShape(75, 1, "A duck")), picture, `<p><img alt="A duck"/></p>`},
		{"picture without words", "\x01", sized(0x64), picture, `<p><img alt=""/></p>`},
		{"picture that is nowhere", "\x01", nil, picture, `<p><img alt=""/></p>`},
		{"picture that is none", "\x01", nil, nil, ""},
		{"box, checked", "\x13FORMCHECKBOX\x01\x14\x15", sized(0x64, uint32(0xFFFFFFFF), 1<<2|1, 0, 0, str("n"), 0), field, `<p><input type="checkbox" disabled="" checked=""/></p>`},
		{"box, not checked", "\x13FORMCHECKBOX\x01\x15", sized(0x64, uint32(0xFFFFFFFF), 0<<2|1, 0, 0, str("n"), 1), field, `<p><input type="checkbox" disabled=""/></p>`},
		{"box as it was made", "\x13FORMCHECKBOX\x01\x15", sized(0x64, uint32(0xFFFFFFFF), 25<<2|1, 0, 0, str("n"), 1), field, `<p><input type="checkbox" disabled="" checked=""/></p>`},
		{"choice", "\x13FORMDROPDOWN\x01\x15", sized(0x64, uint32(0xFFFFFFFF), 1<<2|2, 0, 0, str("n"), 0, texts, 0xFFFF, 2, 0, 3, wide("one"), 3, wide("two")), field, "<p>two</p>"},
		{"choice as it was made", "\x13FORMDROPDOWN\x01\x15", sized(0x64, uint32(0xFFFFFFFF), 25<<2|2, 0, 0, str("n"), 0, texts, 0xFFFF, 2, 0, 3, wide("one"), 3, wide("two")), field, "<p>one</p>"},
		{"choice of none", "\x13FORMDROPDOWN\x01\x15", sized(0x64, uint32(0xFFFFFFFF), 9<<2|2, 0, 0, str("n"), 0, texts, 0xFFFF, 1, 0, 3, wide("one")), field, ""},
		{"choices that are cut", "\x13FORMDROPDOWN\x01\x15", sized(0x64, uint32(0xFFFFFFFF), 1<<2|2, 0, 0, str("n"), 0, texts, 0xFFFF, 0xFFFF, 0, 0xFFFF), field, ""},
		{"text of a form", "\x13FORMTEXT\x01\x14x\x15", sized(0x64, uint32(0xFFFFFFFF), 0, 0, 0, str("n")), field, "<p>x</p>"},
		{"field that is none", "\x13FORMCHECKBOX\x01\x14x\x15", sized(0x64), field, "<p>x</p>"},
		{"sign", "\x13 SYMBOL 97 \\f Symbol \x15", nil, nil, "<p>α</p>"},
		{"sign of no number", "\x13 SYMBOL x \x15", nil, nil, ""},
	} {
		var runs []part
		for _, u := range c.text {
			p := part{text: string(u)}
			if u == 1 {
				p.props = c.props
			}
			runs = append(runs, p)
		}
		d := draft{paras: []part{{c.text + "\r", nil}}, runs: runs, data: append([]byte("skip"), c.data...)}
		if got := bodyOf(t, d.pack()); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}

// TestRoles reads paragraphs whose styles have a role.
func TestRoles(t *testing.T) {
	named := func(id int, name string) []byte {
		b := bytesOf(id, 1|0xFFF<<4, 0, 0, 0, len(name), wide(name), 0)
		return bytesOf(len(b), b)
	}
	sheet := bytesOf(4, 7, 10, named(0, "Normal"), named(19, "toc 1"), named(20, "toc 2"), named(0xFFE, "Quotations"), named(0xFFE, "Preformatted Text"),
		named(0xFFE, "List Heading"), named(0xFFE, "List Contents"))
	font := func(name string) []byte {
		b := bytesOf(strings.Repeat("\x00", 39), wide(name), 0)
		return bytesOf(byte(len(b)), b)
	}
	fonts := bytesOf(2, 0, font("Arial"), font("Courier New"))
	mono := bytesOf(0x4A4F, 1)
	for _, c := range []struct {
		what  string
		paras []part
		props []byte // for all characters
		want  string
	}{
		{
			"contents",
			[]part{{"One\t1\r", bytesOf(1)}, {"In one\t2\r", bytesOf(2)}, {"Two\t3\r", bytesOf(1)}, {"Text\r", bytesOf(0)}},
			nil,
			`<nav role="doc-toc"><ol><li>One	1<ol><li>In one	2</li></ol></li><li>Two	3</li></ol></nav><p>Text</p>`,
		},
		{
			"contents by their field",
			[]part{{"\x13 TOC \\o \x14One\r", nil}, {"\x13 HYPERLINK \\l a \x14Two\x13 PAGEREF a \x143\x15\x15\r", nil}, {"\x15Head\r", bytesOf(0, 0x2640, byte(0))}},
			nil,
			`<nav role="doc-toc"><ol><li>One</li><li><a href="#a">Two3</a></li></ol></nav><h1 id="head">Head</h1>`,
		},
		{"quote", []part{{"a\r", bytesOf(3)}, {"b\r", bytesOf(3)}, {"c\r", bytesOf(0)}}, nil, "<blockquote><p>a</p><p>b</p></blockquote><p>c</p>"},
		{"code", []part{{"a  b\r", bytesOf(4)}, {" c\r", bytesOf(4)}, {"d\r", bytesOf(0)}}, nil, "<pre><code>a  b\n c</code></pre><p>d</p>"},
		{"code with an empty line", []part{{"a\r", bytesOf(4)}, {"\r", bytesOf(4)}, {"b\r", bytesOf(4)}, {"\r", bytesOf(4)}}, nil, "<pre><code>a\n\nb</code></pre>"},
		{"definitions", []part{{"a\r", bytesOf(5)}, {"b\r", bytesOf(6)}, {"c\r", bytesOf(0)}, {"d\r", bytesOf(6)}}, nil, "<dl><dt>a</dt><dd>b</dd></dl><p>c</p><p>d</p>"},
		{
			"rules",
			[]part{{"\r", bytesOf(0, 0x6426, 0x0108, 0)}, {"a\r", nil}, {"\r", bytesOf(0, 0x6426, 0x0108, 0)}, {"\r", bytesOf(0, 0xC650, byte(8), uint32(0), byte(8), byte(1), 0)}, {"b\r", nil}, {"\r", bytesOf(0, 0x6426, 0x0108, 0, 0x6425, 0x0108, 0)}},
			nil, "<p>a</p><hr/><p>b</p>",
		},
		{"a large letter", []part{{"T\r", bytesOf(0, 0x442C, 0x0019)}, {"he rest\r", bytesOf(0)}, {"E\r", bytesOf(0, 0x442C, 0x0019)}}, nil, "<p>The rest</p><p>E</p>"},
		{"font of one width", []part{{"x = f(y)\r", bytesOf(0)}, {"y\r", bytesOf(0)}}, mono, "<pre><code>x = f(y)\ny</code></pre>"},
		{"text in a font of one width", []part{{"Dear all\r", bytesOf(0)}}, mono, "<p>Dear all</p>"},
		{"reference", []part{{"\x13 REF mark \\h \x14there\x15\r", nil}}, nil, `<p><a href="#mark">there</a></p>`},
	} {
		d := draft{paras: c.paras, tables: map[int][]byte{1: sheet, 15: fonts}}
		if c.props != nil {
			for _, p := range c.paras {
				d.runs = append(d.runs, part{p.text, c.props})
			}
		}
		if got := bodyOf(t, d.pack()); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}

// TestHostileDrawings reads a large group with many anchors, and many
// pictures that refer to the same data.
func TestHostileDrawings(t *testing.T) {
	const many = 5_000
	parts := [][]byte{drawnShape(0, 1030, "A duck")}
	for i := range many {
		parts = append(parts, drawnShape(202, uint32(2000+i), ""))
	}
	places := map[int]uint32{}
	for cp := range many {
		places[cp] = 1030
	}
	special := bytesOf(0x0855, byte(1), 0x6A03, uint32(0))
	for name, sign := range map[string]string{"anchors": "\x08", "pictures": "\x01"} {
		text := strings.Repeat(sign, many)
		data := drawnShape(75, 1, strings.Repeat("a", 4000))
		d := draft{
			paras: []part{{text + "\r", nil}}, runs: []part{{text, special}},
			tables: map[int][]byte{40: anchors(many, places), 50: drawings(drawingRecord(0xF003, 0, anys(parts)...))},
			data:   bytesOf(uint32(len(data)+68), 68, 0x64, strings.Repeat("\x00", 60), data),
		}
		got := bodyOf(t, d.pack())
		if count := strings.Count(got, "<img"); name == "anchors" && count != 1 || name == "pictures" && (count == 0 || len(got) > 16<<20) {
			t.Errorf("%s: %d pictures, %d bytes", name, count, len(got))
		}
	}
}

// TestUnnamed reads notes, comments and headers without the tables of their places.
func TestUnnamed(t *testing.T) {
	for _, n := range []int{1, 2, 4, 5} {
		d := draft{paras: []part{{"a\r", nil}, {"Kept apart\r", nil}, {"\r", nil}}}
		d.counts[0], d.counts[n] = 2, 12
		want := "Characters of notes, comments and headers that were left out, because the tables of their places are missing or damaged: 10."
		if got := read(t, d.pack()).Warnings; len(got) != 1 || got[0].Text != want {
			t.Errorf("part %d of the text: %v, want %q", n, got, want)
		}
	}
}

// TestCoded reads a field whose instruction has the end of a paragraph.
func TestCoded(t *testing.T) {
	d := draft{paras: []part{{"a\x13 HYPERLINK b\r", nil}, {"c\x14d\x15\r", nil}}}
	want := "Paragraphs that end in the instruction of a field, so that their text may be missing: 1."
	if got := read(t, d.pack()).Warnings; len(got) != 1 || got[0].Text != want {
		t.Errorf("%v, want %q", got, want)
	}
}
