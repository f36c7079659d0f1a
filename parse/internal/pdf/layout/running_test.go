// SPDX-License-Identifier: Apache-2.0

package layout

import (
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
