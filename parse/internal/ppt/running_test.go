// SPDX-License-Identifier: Apache-2.0

package ppt_test

import (
	"strings"
	"testing"

	"example.com/curlew/internal/test/doctreetest"
)

// TestFurniture reads what slides and notes show beside their own shapes: the headers
// and footers of the presentation and the text of the master.
func TestFurniture(t *testing.T) {
	holder := func(role byte, s string) []byte {
		return shape(1, box(text(4, s)), rec(0xF011, 0, rec(0xBC3, 0, uint32(0), role, byte(0), 0)))
	}
	feet := func(inst, flags int, texts ...string) []byte {
		parts := []any{rec(0xFDA, 0, 0, flags)}
		for i, s := range texts {
			parts = append(parts, rec(0xFBA, i, wide(s)))
		}
		return rec(0xFD9, inst, parts...)
	}
	shown := func(notes uint32, flags int, more []byte, shapes ...[]byte) []byte {
		return rec(0x3EE, 0, rec(0x3EF, 0, uint32(0), "placehld", uint32(7), notes, flags, 0), rec(0x3F9, 0, uint32(0), uint32(0), 0, 0, uint32(0)),
			rec(0x40C, 0, rec(0xF002, 0, group(shape(0), shapes...))), more)
	}
	master := rec(0x3F8, 0, rec(0x3EF, 0, uint32(0), "placehld", uint32(0), uint32(0), 0, 0),
		rec(0x40C, 0, rec(0xF002, 0, group(shape(0), holder(1, "Click to edit"), shape(1, box(text(4, "Text of the master")))))))
	stream, user := deck(nil,
		[][]byte{
			shown(501, 1, rec(0xFFF, 0, 0), holder(9, "*"), shape(1, box(text(0, "One")))),
			shown(0, 0, rec(0xFFF, 0, 0), holder(9, "Own footer"), shape(1, box(text(0, "Two")))),
			shown(0, 0, feet(0, 1<<5, "date of no slide", "", "Footer of three"), shape(1, box(text(0, "Three")))),
		},
		[][]byte{master, slide(0x3F0, 0, 0, shape(1, box(text(1, "Not again"))), shape(1, box(text(2, "Say this"))), shape(1, box(text(4, "Beside it"))))},
		rec(0xFF0, 1, rec(0x3F3, 0, uint32(4), uint32(0), uint32(0), uint32(7), uint32(0))),
		feet(3, 1|1<<2|1<<5, "1 May", "", "The footer"), feet(4, 1<<4, "", "Header of the notes"))
	got := doctreetest.Show(t, read(t, pack(stream, user)))
	foot := func(s string) string { return "<footer data-role=\"running\">\n<p>" + s + "</p></footer>" }
	for _, want := range []string{
		"<h2 id=\"one\">One</h2>\n" + foot("1 May") + "\n" + foot("The footer") + "\n<aside data-role=\"notes\">\n<p data-role=\"notes-label\"><strong>Notes:</strong></p>\n<p>Say this</p>\n<p>Beside it</p></aside></section>",
		"<h2 id=\"two\">Two</h2>\n" + foot("Own footer") + "\n" + foot("1 May") + "</section>",
		"<h2 id=\"three\">Three</h2>\n" + foot("Footer of three") + "</section>",
		"</section>\n" + foot("Text of the master") + "\n" + foot("Header of the notes") + "</body>",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no\n%s", want)
		}
	}
	for _, not := range []string{"*", "Click", "Not again", "no slide"} {
		if strings.Contains(got, not) {
			t.Errorf("%q was read", not)
		}
	}
	if t.Failed() {
		t.Log(got)
	}
}

// TestWordArt reads a shape whose text is a property.
func TestWordArt(t *testing.T) {
	art := wide("Here is some art\x00")
	stream, user := deck(nil, [][]byte{slide(0x3EE, 0, 0, shape(136, rec(0xF00B, 1, 0x80C0|0x4000, uint32(len(art)), art)))}, nil)
	if got := doctreetest.Show(t, read(t, pack(stream, user))); !strings.Contains(got, "<p>Here is some art</p>") {
		t.Error(got)
	}
}

// TestFields reads texts in which stars stand for the number of the slide and for a
// date, which the file does not have.
func TestFields(t *testing.T) {
	number, date := rec(0xFD8, 0, uint32(6)), rec(0xFF8, 0, uint32(11))
	stream, user := deck(nil, [][]byte{slide(0x3EE, 0, 0, shape(1, box(text(4, "Slide * of *, 2 * 3", number, date))))}, nil)
	if got := doctreetest.Show(t, read(t, pack(stream, user))); !strings.Contains(got, "<p>Slide 1 of , 2 * 3</p>") {
		t.Error(got)
	}
}
