// SPDX-License-Identifier: Apache-2.0

package rtf

import "fmt"

// damage counts signs that the file is damaged, and what was left out because of them.
type damage struct {
	closed  int // braces that close no group
	beyond  int // characters after the group of the document
	tables  int // tables of fonts, styles and so on that contain text
	unknown int // paragraphs and cells in groups that have none, or with an unknown control word
	binary  int // \bin with more bytes than there are, or in front of other bytes
	escapes int // \' without two digits
	words   int // control words that are longer than RTF allows
}

// warnings adds what was counted.
func (c *damage) warnings(warn func(code string, page int, text string)) {
	for _, w := range []struct {
		n    int
		text string
	}{
		{c.closed, "Braces that close no group, so that text may have another place or format: %d."},
		{c.beyond, "The group of the document ends before its text does; characters after it, which were read: %d."},
		{c.tables, "Tables of fonts, styles or properties that have no end, so that text after them may be missing: %d."},
		{c.unknown, "Paragraphs or cells that were left out, because they are in groups of an unknown kind, or in a picture or another group that has no paragraphs: %d."},
		{c.binary, "Binary data whose length is wrong, so that text after it may be missing: %d."},
		{c.escapes, "Characters whose codes are not valid, and that were left out: %d."},
		{c.words, "Control words that are too long, and may be text: %d."},
	} {
		if w.n > 0 {
			warn("part-unreadable", 0, fmt.Sprintf(w.text, w.n))
		}
	}
}

// isTable reports whether a control word begins a part of the header of the document,
// which has no paragraphs.
func isTable(word string) bool {
	switch word {
	case "fonttbl", "stylesheet", "colortbl", "listtable", "listoverridetable", "revtbl", "rsidtbl", "info", "generator", "themedata", "colorschememapping",
		"latentstyles", "datastore", "xmlnstbl", "mmathPr", "filetbl", "pgptbl":
		return true
	}
	return false
}

// endsBlock reports whether a control word ends a paragraph or a cell.
func endsBlock(word string) bool {
	switch word {
	case "par", "sect", "cell", "nestcell", "row":
		return true
	}
	return false
}

// misplaced handles the end of a paragraph or a cell where there should be none. If it is in
// a table of the header, the table has no end: the rest is read as text.
func (d *reader) misplaced() {
	switch d.state.place {
	case inUnknown:
		d.damage.unknown++
	case inTable:
		d.damage.tables++
		text := ""
		if d.state.target == toStyles || d.state.target == toFonts {
			text = d.buffer.String()
		}
		d.buffer.Reset()
		for i := range d.stack {
			d.stack[i].leave()
		}
		d.state.leave()
		d.text(text)
	case inText:
	}
}

// place says what the current group is in.
type place uint8

const (
	inText    place = iota
	inTable         // of the header
	inUnknown       // a group that has no paragraphs, or an unknown control word
)

// unread begins a group whose paragraphs are counted, because they should not be in it.
func (s *state) unread() {
	if s.place == inText {
		s.place = inUnknown
	}
}

// leave makes a group in a table of the header one with text.
func (s *state) leave() {
	if s.place == inTable {
		s.place, s.target, s.ends = inText, toText, nil
	}
}
