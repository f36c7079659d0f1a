// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/curlew/internal/test/pdftest"
)

// TestSinglePageNumber finds the page number of a document of one page, and
// leaves numbers that belong to its text.
func TestSinglePageNumber(t *testing.T) {
	text := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(at(50, 700-14*float64(i), "The text of the page goes on."))
		}
		return b.String()
	}
	tests := []struct {
		name, content string
		want          bool
	}{
		{"at the foot", text(30) + at(290, 30, "101"), true},
		{"at the head", at(290, 770, "- 7 -") + text(30), true},
		{"a short page", text(5) + at(290, 30, "101"), false},
		{"a page of signs", strings.ReplaceAll(text(30), "The text of the page goes on.", "***") + at(290, 30, "101"), false},
		{"beside a text", text(30) + at(290, 30, "101") + at(50, 30, "Total"), false},
		{"the last line of the text", text(46) + at(50, 56, "101"), false},
		{"a figure with words", text(30) + at(290, 30, "101 files"), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pages := pagesOf(t, Options{}, pdftest.Pages(tt.content))
			s := stylesOf(pages)
			got := false
			for _, kind := range running(pages, &s, nil) {
				got = got || kind == PageNumber
			}
			if got != tt.want {
				t.Errorf("a page number: %v", got)
			}
		})
	}
}

// TestSingleRows finds the running lines of a document of one page by their form,
// and leaves rows that look like them.
func TestSingleRows(t *testing.T) {
	const line = "The text of the page goes on, and it is as wide as the lines of most books are, so that it reaches far."
	var b strings.Builder
	for i := range 30 {
		b.WriteString(at(50, 700-14*float64(i), line))
	}
	text := b.String()
	short := b.String()[:10*len(b.String())/30]
	edge := 0.0 // the right edge of the text
	for _, l := range pagesOf(t, Options{}, pdftest.Pages(text))[0].Lines {
		edge = max(edge, l.Box.X1)
	}
	right := func(y float64, s string) string { // at the right edge
		return at(edge-pagesOf(t, Options{}, pdftest.Pages(at(0, y, s)))[0].Lines[0].Box.X1, y, s)
	}
	foot := func(number string) string { return at(290, 30, number) }
	middle := at((50+edge)/2-7, 60, "12")
	tests := []struct {
		name, content string
		want          string
	}{
		{"a number before a title", at(50, 770, "12") + at(250, 770, "THE CHAPTER") + text, "12 THE CHAPTER"},
		{"a number behind a title", at(50, 770, "The chapter") + at(edge-14, 770, "13") + text, "The chapter 13"},
		{"on a short page", at(50, 770, "The chapter") + at(edge-14, 770, "13") + short, "The chapter 13"},
		{"a number between two texts", at(50, 30, "The journal") + at((50+edge)/2-7, 30, "13") + at(edge-54, 30, "May 2001") + text, "The journal 13 May 2001"},
		{"a number in the text", at(50, 30, "46 | Pictures that mislead") + text, "46 | Pictures that mislead"},
		{"a page in the text", at(50, 770, "The documentation of the family, page 4") + text, "The documentation of the family, page 4"},
		{"capital letters", at(50, 770, "A TITLE IN CAPITALS") + text + foot("12"), "12 A TITLE IN CAPITALS"},
		{"two texts", at(50, 770, "The chapter") + at(edge-48, 770, "The book") + text + foot("12"), "12 The book The chapter"},

		{"a number that ends a text at the right edge", right(770, "the guide of it 39") + text, "the guide of it 39"},
		{"a number of an article", at(50, 770, "A name") + at(edge-28, 770, "11:3") + text, "A name 11:3"},
		{"at the right edge", right(770, "The chapter") + text + foot("12"), "12 The chapter"},
		{"small lines below the number", text + middle + pdftest.Text("F1", 7, 90, 42, "This work is declared to be free.") + pdftest.Text("F1", 7, 90, 30, "Approved by all."), "12 This work is declared to be free. Approved by all."},
		{"an imprint below the number", text + middle + at(90, 42, "Copyright 2001 by the authors of it.") + at(90, 30, "Approved by all."), "12 Copyright 2001 by the authors of it. Approved by all."},
		{"text below the number", text + middle + at(90, 42, "This work is declared to be free.") + at(90, 30, "Approved by all."), ""},
		{"a page of a part", at(50, 30, "Document 12") + right(30, "B-14") + text, "Document 12 B-14"},
		{"a page of a newspaper", at(50, 770, "A7") + at(250, 770, "The Herald") + right(770, "Monday, May 2, 2001") + text, "A7 The Herald Monday, May 2, 2001"},
		{"a header that wraps", at(50, 770, "12") + at(250, 770, "THE CHAPTER") + at(250, 758, "OF THE BOOK") + text, "12 THE CHAPTER OF THE BOOK"},
		{"beside lines that are not justified", at(50, 30, "The journal") + at(612-64, 30, "13") + text, "The journal 13"},
		{"initials", at(50, 770, "A. Name") + at(edge-48, 770, "The book") + text + foot("12"), "12 A. Name The book"},
		{"along the side", text + "BT /F1 10 Tf 0 1 -1 0 30 300 Tm (The archive of 2001) Tj ET ", "The archive of 2001"},

		{"the name of an axis", short + "BT /F1 10 Tf 0 1 -1 0 30 300 Tm (The values of it) Tj ET ", ""},
		{"along the text", text + "BT /F1 10 Tf 0 1 -1 0 70 100 Tm (The values of it) Tj ET ", ""},
		{"a time", at(50, 770, "11:30") + at(200, 770, "Lunch") + text, ""},
		{"a sum at the right edge", text + right(30, "The sum 450"), ""},
		{"a number in the text above lines", text + at(290, 60, "12") + at(90, 52, "This work goes on in this line."), ""},
		{"a remark at the right edge", right(770, "(The chapter ends)") + text + foot("12"), "12"},
		{"the number of a line of code", text + at(50, 60, "139") + at(90, 42, "the code of it"), ""},
		{"a numbered heading", at(50, 770, "3 Methods of it") + text, ""},
		{"the number of a heading", at(50, 770, "3") + at(75, 770, "Methods") + text, ""},
		{"the number of an invoice", at(50, 770, "Invoice No:") + at(edge-28, 770, "1023") + text, ""},
		{"a large number", at(50, 770, "Invoice") + at(edge-42, 770, "102345") + text, ""},
		{"a zero", at(50, 30, "The chapter") + at(edge-7, 30, "0") + text, ""},
		{"a sum", text + at(edge-22, 250, "420") + at(50, 250, "Fees") + at(50, 30, "Total") + at(edge-22, 30, "450"), ""},
		{"two numbers", at(50, 770, "12") + at(200, 770, "THE CHAPTER") + at(edge-14, 770, "13") + text, ""},
		{"a letterhead", at(50, 770, "A TITLE IN CAPITALS") + text + foot("1"), "1"},
		{"a sentence", at(50, 770, "THE PARAGRAPH ENDS HERE.") + text + foot("12"), "12"},
		{"a line of the text", at(50, 770, "The paragraph goes on") + text + foot("12"), "12"},
		{"a label of a drawing", at(150, 770, "STEP ONE") + text + foot("12"), "12"},
		{"a caption", at(50, 770, "TABLE 3: VALUES") + text + foot("12"), "12"},
		{"an item", at(50, 770, "(A) AN ITEM") + text + foot("12"), "12"},
		{"not apart", at(50, 714, "THE CHAPTER") + text + foot("12"), "12"},
		{"no number", at(50, 770, "A TITLE IN CAPITALS") + text, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pages := pagesOf(t, Options{}, pdftest.Pages(tt.content))
			s := stylesOf(pages)
			var got []string
			for at := range running(pages, &s, nil) {
				got = append(got, pages[0].Lines[at[1]].Text())
			}
			want := strings.Fields(tt.want)
			words := strings.Fields(strings.Join(got, " "))
			slices.Sort(want)
			slices.Sort(words)
			if !slices.Equal(words, want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestTwoPages finds the running lines of each page of a document of two by their
// form, although only one of them has a number.
func TestTwoPages(t *testing.T) {
	var text strings.Builder
	for i := range 30 {
		text.WriteString(at(50, 700-14*float64(i), "The text of the page goes on, and it is as wide as the lines of most books."))
	}
	title := at(50, 770, "A TITLE IN CAPITALS")
	pages := pagesOf(t, Options{}, pdftest.Pages(title+text.String(), title+text.String()+at(200, 30, "12")))
	s := stylesOf(pages)
	found := running(pages, &s, nil)
	var got []string
	for at, kind := range found {
		if at[0] != 1 {
			t.Errorf("a running line on the first page: %q, %v", pages[at[0]].Lines[at[1]].Text(), kind)
			continue
		}
		got = append(got, pages[1].Lines[at[1]].Text())
	}
	slices.Sort(got)
	if want := []string{"12", "A TITLE IN CAPITALS"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestOnlyRunning keeps the text of documents that have nothing but lines that
// repeat or count, and takes these lines from documents with other text.
func TestOnlyRunning(t *testing.T) {
	page := func(i int) string { return at(50, 760, "Page "+string(rune('0'+i))) }
	for _, tt := range []struct {
		name, other string
		want        int
	}{
		{"nothing else", "", 0},
		{"only a sign", at(50, 400, "***"), 0},
		{"other text on one page", at(50, 400, "The text of the page."), 4},
	} {
		for _, packed := range []bool{false, true} {
			pages := pagesOf(t, Options{}, pdftest.Pages(page(1)+tt.other, page(2), page(3), page(4)))
			for _, p := range pages {
				if packed {
					p.Pack()
				}
			}
			s := stylesOf(pages)
			if found := running(pages, &s, nil); len(found) != tt.want {
				t.Errorf("%s, packed %v: %v", tt.name, packed, found)
			}
		}
	}
}

// TestWatermark finds large lines across the text of a page, and leaves others.
func TestWatermark(t *testing.T) {
	var text strings.Builder
	for i := range 30 {
		text.WriteString(at(50, 700-14*float64(i), "The text of the page goes on from here to the other end of the line."))
	}
	tests := []struct {
		name, slanted string
		want          bool
	}{
		{"across the text", "BT /F1 60 Tf .7 .7 -.7 .7 120 350 Tm (DRAFT) Tj ET ", true},
		{"upright, behind the text", "BT /F1 60 Tf 120 350 Td (DRAFT) Tj ET ", true},
		{"upright, on the baseline of a line", "BT /F1 60 Tf 120 420 Td (DRAFT) Tj ET ", true},
		{"turned, behind the text", "BT /F1 60 Tf 0 1 -1 0 220 350 Tm (DRAFT) Tj ET ", true},
		{"upright, below the text", "BT /F1 60 Tf 120 150 Td (DRAFT) Tj ET ", false},
		{"an initial", "BT /F1 40 Tf 20 672 Td (D) Tj ET ", false},
		{"beside the text", "BT /F1 60 Tf .7 .7 -.7 .7 120 10 Tm (DRAFT) Tj ET ", false},
		{"as small as the text", "BT /F1 10 Tf .7 .7 -.7 .7 120 350 Tm (A short note across three lines) Tj ET ", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pages := pagesOf(t, Options{}, pdftest.Pages(tt.slanted+text.String()))
			if got := len(pages[0].survey().sides) == 1; got != tt.want {
				t.Errorf("a watermark: %v", got)
			}
		})
	}
}

// TestCountingBody keeps items and rows whose numbers rise from page to page, which look like
// running lines where they reach into a margin.
func TestCountingBody(t *testing.T) {
	for name, step := range map[string]float64{"close": 14, "far": 33} {
		for _, columns := range []int{1, 2} {
			var contents []string
			n := 0
			for page := range 4 {
				var b strings.Builder
				for y := 740.0; y > 55; y -= step {
					n++
					b.WriteString(pdftest.Text("F1", 10, 72, y, fmt.Sprintf("Item %d", n)))
					if columns > 1 {
						b.WriteString(pdftest.Text("F1", 10, 300, y, []string{"yes", "no"}[(n+page)%2]))
					}
				}
				contents = append(contents, b.String()+pdftest.Text("F1", 8, 290, 30, fmt.Sprintf("Report %d", page+1)))
			}
			pages := pagesOf(t, Options{}, pdftest.Pages(contents...))
			d, err := Build(t.Context(), pages, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			heads, all := 0, 0
			for i := range d.Blocks {
				b := &d.Blocks[i]
				switch {
				case b.Kind == Running || b.Kind == PageNumber:
					heads++
				case b.Table != nil:
					all += len(b.Table.Rows)
				default:
					all += strings.Count(b.Text(), "Item")
				}
			}
			if heads != 4 || all != n {
				t.Errorf("%s, %d columns: %d running lines and %d items, want 4 and %d", name, columns, heads, all, n)
			}
		}
	}
}
