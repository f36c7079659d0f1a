// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/parse/internal/pdf/content"
)

// seen returns a page of lines in visual order, from left to right. Each
// begins at its x.
func seen(lines ...seenLine) *content.Page {
	c := &content.Page{Width: 612, Height: 792}
	for _, l := range lines {
		x := l.x
		for _, r := range l.text {
			g := content.Glyph{
				Text: string(r), X: x, Y: l.y, Adv: 6, Size: 10, DX: 1, MCID: -1, Seq: len(c.Glyphs) + 1,
				Box: content.Box{X0: x, Y0: l.y - 8, X1: x + 6, Y1: l.y + 2},
			}
			if r == ' ' {
				g.Text, g.Flags = "", content.Space
			}
			c.Glyphs = append(c.Glyphs, g)
			x += 6
		}
	}
	return c
}

type seenLine struct {
	x, y float64
	text string
}

// endsAt returns a line that ends at right.
func endsAt(right, y float64, text string) seenLine {
	return seenLine{right - 6*float64(len([]rune(text))), y, text}
}

// TestRightToLeft reads lines in visual order: Hebrew and Arabic letters run
// from the right, and numbers and Latin words inside them, with their signs,
// from the left.
func TestRightToLeft(t *testing.T) {
	for seenAs, want := range map[string]string{
		"הלע 7% הסנכה":           "הכנסה 7% עלה", // Hebrew: the sign is part of the number
		"ا %15 ب":                "ب 15% ا",      // Arabic: the sign is not part of the number
		"ا 15-10 ב ب":            "ب ב 10-15 ا",  // Arabic: a hyphen separates two numbers
		"ا 12.5 ب":               "ب 12.5 ا",     // Arabic: a point does not
		"םויה לכב Windows 11 לע": "על Windows 11 בכל היום",
		"דוע (Q3 2024) הפוקת":    "תקופה (Q3 2024) עוד",
		"דוע )Q3 2024( הפוקת":    "תקופה (Q3 2024) עוד", // the producer mirrored the characters
		"דוע (שדח) הפוקת":        "תקופה (חדש) עוד",
		"דוע )שדח( הפוקת":        "תקופה (חדש) עוד",
		".20:00 דע":              "עד 20:00.", // the end of the sentence, not of the number
		".1234-555 وه":           "هو 555-1234.",
		".Berlin it הלכלכה רשמ":  "משר הכלכלה Berlin it.",
		"ב ,16:00 דע":            "עד 16:00, ב",
		"a (b) c and )d( in it":  "a (b) c and )d( in it",
	} {
		p := NewPage(t.Context(), 1, seen(seenLine{50, 100, seenAs}), Options{})
		if diff := cmp.Diff([]string{want}, linesOf(p)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", seenAs, diff)
		}
	}
}

// TestColumnsFromRight reads columns, tables and lists of right-to-left text
// from the right.
func TestColumnsFromRight(t *testing.T) {
	var lines []seenLine
	words := []string{"ןימי", "לש", "טסקט", "ךוראב", "תצק", "רתוי", "הבר"}
	for i := range 6 {
		y := 100 + 12*float64(i)
		text := strings.Join(append(words[i:len(words):len(words)], words[:i]...), " ")
		lines = append(lines, endsAt(280, y+5, text), endsAt(500, y, text))
	}
	for i, row := range [][3]string{{"א", "ב", "ג"}, {"12", "15", "דד"}, {"13", "16", "הה"}, {"14", "17", "וו"}} {
		y := 260 + 18*float64(i)
		lines = append(lines, endsAt(500, y, row[2]), endsAt(400, y, row[1]), endsAt(300, y, row[0]))
	}
	lines = append(lines, endsAt(480, 400, "ןושאר טירפ"), endsAt(500, 400, "•"), endsAt(480, 414, "ינש"), endsAt(500, 414, "•"))
	d, err := Build(t.Context(), []*Page{NewPage(t.Context(), 1, seen(lines...), Options{})}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []Kind
	var rows [][]string
	for i := range d.Blocks {
		b := &d.Blocks[i]
		kinds = append(kinds, b.Kind)
		if b.Table != nil {
			rows = rowsText(b.Table)
		}
		if b.Level != 0 {
			t.Errorf("%q is at level %d", b.Text(), b.Level)
		}
	}
	if want := []Kind{Paragraph, Paragraph, TableBlock, Item, Item}; !slices.Equal(kinds, want) {
		t.Fatalf("kinds %v, want %v", kinds, want)
	}
	if d.Blocks[0].Box.X0 < d.Blocks[1].Box.X0 {
		t.Error("the left column comes first")
	}
	if diff := cmp.Diff([][]string{{"ג", "ב", "א"}, {"דד", "15", "12"}, {"הה", "16", "13"}, {"וו", "17", "14"}}, rows); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}

// TestTableFromLeft keeps the column order of a table that was painted from
// the left, even if its text is right-to-left.
func TestTableFromLeft(t *testing.T) {
	var lines []seenLine
	for i, row := range [][3]string{{"א", "ב", "ג"}, {"12", "15", "דד"}, {"13", "16", "הה"}, {"14", "17", "וו"}} {
		y := 260 + 18*float64(i)
		lines = append(lines, endsAt(300, y, row[0]), endsAt(400, y, row[1]), endsAt(500, y, row[2]))
	}
	bs := tables(NewPage(t.Context(), 1, seen(lines...), Options{}))
	if len(bs) != 1 {
		t.Fatalf("%d tables", len(bs))
	}
	if diff := cmp.Diff([]string{"12", "15", "דד"}, rowsText(bs[0].Table)[1]); diff != "" {
		t.Errorf("row (-want +got):\n%s", diff)
	}
}

// Parts of words without a space between them stay together when a line of them is made again,
// as it is for the cells of tables.
func TestFlip(t *testing.T) {
	word := func(text string, x0, x1 float64, glue bool) Word {
		return Word{Text: text, Box: content.Box{X0: x0, X1: x1, Y1: 10}, X0: x0, X1: x1, Size: 10, Glue: glue}
	}
	for _, test := range []struct {
		want  string
		words []Word // from left to right
	}{
		{"جربة ميدون", []Word{word("ن", 3, 10, false), word("ميدو", 9, 28, true), word("جربة", 31, 50, false)}},
		{"حركة الدستوريون الأحرار", []Word{word("الأحرار", 0, 30, false), word("ن", 33, 39, false), word("الدستوريو", 39, 80, true), word("حركة", 84, 100, false)}},
		{"ابج", []Word{word("ج", 0, 5, false), word("ب", 5, 10, true), word("ا", 10, 15, true)}},
		{"المدينة ab cdef", []Word{word("ab", 0, 10, false), word("cd", 13, 23, false), word("ef", 23, 33, true), word("المدينة", 36, 70, false)}},
	} {
		for n := range 3 {
			l := newLine(test.words, 0)
			if got := l.Text(); got != test.want {
				t.Errorf("made %d times: %q, want %q", n+1, got, test.want)
			}
			test.words = slices.Clone(l.Words)
			fromLeft(test.words)
		}
	}
}
