// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/internal/test/pdftest"
)

// circle returns operators that draw a circle of radius r around a point.
func circle(x, y, r float64, paint string) string {
	k := .5523 * r
	return fmt.Sprintf("%g %g m %g %g %g %g %g %g c %g %g %g %g %g %g c %g %g %g %g %g %g c %g %g %g %g %g %g c h %s\n",
		x+r, y, x+r, y+k, x+k, y+r, x, y+r, x-k, y+r, x-r, y+k, x-r, y, x-r, y-k, x-k, y-r, x, y-r, x+k, y-r, x+r, y-k, x+r, y, paint)
}

// TestDrawnBullets reads lists whose bullets are drawn, as browsers print
// them.
func TestDrawnBullets(t *testing.T) {
	text := at(70, 700, "first point") + at(70, 686, "second point") + at(90, 672, "a detail") + at(90, 658, "another one") + at(70, 644, "last point")
	var bullets strings.Builder
	for _, y := range []float64{700, 686, 644} {
		bullets.WriteString(circle(60, y+3.5, 1.8, "f"))
	}
	for _, y := range []float64{672, 658} {
		bullets.WriteString(circle(80, y+3.5, 1.8, "S"))
	}
	plain := []string{"p first point second point", "p a detail another one last point"}
	for _, tt := range []struct {
		name, drawn string
		want        []string
	}{
		{"bullets", bullets.String(), []string{"li0 • first point", "li0 • second point", "li1 • a detail", "li1 • another one", "li0 • last point"}},
		{"one alone", circle(60, 703.5, 1.8, "f"), plain},
		{"too large", circle(55, 703.5, 5, "f") + circle(55, 689.5, 5, "f"), plain},
		{"white", "1 g " + circle(60, 703.5, 1.8, "f") + circle(60, 689.5, 1.8, "f"), plain},
		{"below the line", circle(60, 695, 1.8, "f") + circle(60, 681, 1.8, "f"), plain},
		{"far away", circle(20, 703.5, 1.8, "f") + circle(20, 689.5, 1.8, "f"), plain},
		{"a plot", strings.Repeat(circle(60, 703.5, 1.8, "f")+circle(60, 689.5, 1.8, "f"), 200), plain},
	} {
		d, err := Build(t.Context(), pagesOf(t, Options{}, pdftest.Pages(text+tt.drawn)), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i := range d.Blocks {
			b := &d.Blocks[i]
			if b.Kind == Item {
				got = append(got, fmt.Sprintf("li%d %s", b.Level, b.Text()))
			} else {
				got = append(got, "p "+b.Text())
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestInitials leaves names with initials that stand beside each other, like those
// of authors, and makes items of the same texts below each other.
func TestInitials(t *testing.T) {
	for name, tt := range map[string]struct {
		x, y float64
		want Kind
	}{
		"beside": {250, 100, Paragraph},
		"below":  {50, 116, Item},
	} {
		blocks := []Block{paragraph(1, 50, 100, "A. Smith"), paragraph(1, tt.x, tt.y, "B. Jones")}
		items(blocks)
		if blocks[0].Kind != tt.want || blocks[1].Kind != tt.want {
			t.Errorf("%s: kinds %d and %d, want %d", name, blocks[0].Kind, blocks[1].Kind, tt.want)
		}
	}
}

// TestDetach separates the numbers of items from texts that they touch.
func TestDetach(t *testing.T) {
	for _, tt := range []struct{ name, texts, want string }{
		{"numbers", "12.alpha is first|13.beta is second", "12. alpha is first|13. beta is second"},
		{"in parentheses", "(1)Alpha is first|(2)Beta is second", "(1) Alpha is first|(2) Beta is second"},
		{"letters", "a)one of them|b)two of them|c)three of them", "a) one of them|b) two of them|c) three of them"},
		{"Roman numbers", "i.one of them|ii.two of them|iii.three of them", "i. one of them|ii. two of them|iii. three of them"},
		{"with lines between", "8.alpha is first|and goes on|9.beta is second", "8. alpha is first|and goes on|9. beta is second"},
		{"one alone", "12.alpha is first|a text", "12.alpha is first|a text"},
		{"not in order", "12.alpha is first|11.beta is second", "12.alpha is first|11.beta is second"},
		{"two names", "A.Smith from here|B.Jones from there", "A.Smith from here|B.Jones from there"},
		{"decimal numbers", "1.5 of them|2.5 of them", "1.5 of them|2.5 of them"},
		{"names of files", "1.txt|2.txt", "1.txt|2.txt"},
	} {
		var content strings.Builder
		for i, s := range strings.Split(tt.texts, "|") {
			content.WriteString(at(70, 700-14*float64(i), s))
		}
		p := pagesOf(t, Options{}, pdftest.Pages(content.String()))[0]
		if got := strings.Join(linesOf(p), "|"); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestTicks reads drawn check boxes, ticked and not. Places for letters, which touch each other,
// and the colors of a legend are none.
func TestTicks(t *testing.T) {
	square := func(x, y float64, paint string) string { return fmt.Sprintf("%g %g 9 9 re %s ", x, y, paint) }
	round := func(x float64, paint string) string {
		l, r := x, x+9
		return fmt.Sprintf("%g 699 m %g 699 %g 703 %g 703 c %g 708 %g 708 %g 708 c %g 708 %g 703 %g 703 c %g 699 %g 699 %g 699 c %s ", x+4, l, l, l, l, l, x+4, r, r, r, r, r, x+4, paint)
	}
	for name, tt := range map[string]struct{ content, want string }{
		"before": {square(50, 699, "S") + at(63, 700, "single") + square(100, 699, "S") + at(101, 700, "X") + at(113, 700, "married") + square(160, 699, "S") + at(173, 700, "divorced"), "☐ single ☒ married ☐ divorced"},
		"behind": {at(50, 700, "Yes") + square(70, 699, "S") + at(120, 700, "No") + square(136, 699, "S") + at(137.5, 700, "x"), "Yes ☐ No ☒"},
		"places": {at(50, 700, "Code") + square(80, 699, "S") + square(89, 699, "S") + square(98, 699, "S"), "Code"},
		"round":  {round(50, "S") + at(63, 700, "cash") + round(100, "S") + "q .5 0 0 .5 52.25 351.75 cm " + round(100, "f") + "Q " + at(113, 700, "card") + ".5 g " + round(160, "f") + "1 G 162 703 m 164 701 l 167 706 l S 0 g " + at(173, 700, "gift") + ".5 g " + round(210, "f") + "0 g " + at(223, 700, "Sand"), "☐ cash ☒ card ☒ gift Sand"},
		"cells":  {at(50, 700, "Wash") + round(150, "S") + "152 703 m 154 701 l 157 706 l S " + round(250, "S"), "Wash ☒ ☐"},
		"lone":   {at(50, 700, "Wash") + round(150, "S") + round(250, "S"), "Wash"},
		"legend": {".5 g " + square(50, 699, "B") + "0 g " + at(63, 700, "Sand"), "Sand"},
	} {
		p := pagesOf(t, Options{}, pdftest.Pages(tt.content))[0]
		if got := strings.Join(linesOf(p), " "); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// TestEndedLines reads paragraphs of lines that end on purpose, and others that a program wrapped.
func TestEndedLines(t *testing.T) {
	stack := func(x, y float64, lines ...string) string {
		var s strings.Builder
		for i, l := range lines {
			s.WriteString(at(x, y-14*float64(i), l))
		}
		return s.String()
	}
	wide := stack(60, 300, "This paragraph is as wide as the column, so it shows how far the lines", "above it could have reached if that had been wanted by the writer, or by anybody else who sets text.")
	for _, tt := range []struct {
		name, text string
		want       string
	}{
		{"an address", stack(60, 700, "Marit Solberg", "Harbor Lane 14", "4020 Stavanger") + wide, "Marit Solberg/Harbor Lane 14/4020 Stavanger"},
		{"a poem", stack(60, 700, "We count the lights along the quay", "as misers count their gold", "and someone laughs across the bay", "at stories we were told"), "We count the lights along the quay/as misers count their gold/and someone laughs across the bay/at stories we were told"},
		{"an index", stack(60, 700, "amber, 65", "anchor, 261", "beacon, 269"), "amber, 65/anchor, 261/beacon, 269"},
		{"prices", stack(60, 700, "Soup ........ $5", "Baked trout ........ $12"), "Soup ........ $5/Baked trout ........ $12"},
		{"a price apart", stack(60, 700, "Soup ................", "Trout ................") + stack(160, 700, "$5", "$12"), "Soup ................ $5/Trout ................ $12"},
		{"a narrow column", stack(60, 700, "these words were", "wrapped, as there", "is text beside") + stack(160, 700, "the first word of each", "line had no room above", "it in this column too") + wide, "these words were wrapped, as there is text beside the first word of each line had no room above it in this column too"},
		{"wrapped words", stack(60, 700, "this ends early because the next word is", "incomprehensibilities"), "this ends early because the next word is incomprehensibilities"},
		{"beside a picture", stack(60, 700, "a line beside it,", "and one more that", "is short, and here", "the lines are longer than those above it, since the picture does not reach down to here,", "so they fill the column from here on as they should, down to the last line of it") + wide, "a line beside it, and one more that is short, and here the lines are longer than those above it, since the picture does not reach down to here, so they fill the column from here on as they should, down to the last line of it"},
	} {
		d, err := Build(t.Context(), pagesOf(t, Options{}, pdftest.Pages(tt.text)), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for _, r := range d.Runs(&d.Blocks[0]) {
			if got.WriteString(r.Text); r.Ends {
				got.WriteByte('/')
			}
		}
		if diff := cmp.Diff(tt.want, got.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestSpacedLetters joins the letters of words that were spaced out, by gaps or by spaces.
func TestSpacedLetters(t *testing.T) {
	apart := func(gap float64, word string) string {
		return fmt.Sprintf("BT /F1 10 Tf 72 700 Td [(%s)] TJ ET\n", strings.Join(strings.Split(word, ""), fmt.Sprintf(") %g (", -1000*gap)))
	}
	pitch := func(word string) (out string) {
		for i, r := range word {
			out += at(72+10*float64(i), 700, string(r))
		}
		return out
	}
	for _, tt := range []struct{ name, text, want string }{
		{"gaps", apart(.5, "SUMMARY") + at(72, 680, "some words"), "SUMMARY"},
		{"lower case", apart(.3, "wichtig") + at(72, 680, "some words"), "wichtig"},
		{"without spaces elsewhere", apart(.3, "wichtig"), "w i c h t i g"},
		{"one pitch", pitch("SUMMARY") + at(72, 680, "some words"), "S U M M A R Y"},
		{"figures", apart(.5, "1184110") + at(72, 680, "some words"), "1 1 8 4 1 1 0"},
		{"spaces", at(72, 700, "C O N T E N T S"), "CONTENTS"},
		{"wider spaces", at(72, 700, "A N N U A L   R E P O R T"), "ANNUAL REPORT"},
		{"an alphabet", at(72, 700, "H I J K L M"), "H I J K L M"},
		{"answers", at(72, 700, "B D A C E A"), "B D A C E A"},
		{"a word among letters", at(72, 700, "T H E O F end"), "T H E O F end"},
	} {
		p := pagesOf(t, Options{}, pdftest.Pages(tt.text))[0]
		p.unpack()
		if got := p.Lines[0].Text(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestHangingIndents reads paragraphs whose first line begins to the left of the others.
func TestHangingIndents(t *testing.T) {
	full := "of many words that fill the line, so that the next word has no more"
	entries := []string{"Amber: a text " + full, "+room on it.", "Birch: a short text", "Cedar: a text " + full, "+room on it, and this line ends", "Delta: a text " + full, "+room"}
	var hanging, plain strings.Builder
	for i, l := range entries {
		l, deep := strings.CutPrefix(l, "+")
		x := 60.0
		if deep {
			x = 80
		}
		hanging.WriteString(at(x, 700-14*float64(i), l))
		plain.WriteString(at(140-x, 700-14*float64(i), l))
	}
	all := func(text string) (out []string) {
		d, err := Build(t.Context(), pagesOf(t, Options{}, pdftest.Pages(text)), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range d.Blocks {
			first, _, _ := strings.Cut(d.Blocks[i].Text(), ":")
			out = append(out, first)
		}
		return out
	}
	if diff := cmp.Diff([]string{"Amber", "Birch", "Cedar", "Delta"}, all(hanging.String())); diff != "" {
		t.Errorf("hanging (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Amber", "Birch", "Cedar", "Delta"}, all(plain.String())); diff != "" {
		t.Errorf("plain (-want +got):\n%s", diff)
	}
}
