// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/internal/test/pdftest"
)

// TestRecords finds lists of labels with values, and takes no other text for
// one.
func TestRecords(t *testing.T) {
	text := func(font string, x, y float64, s string) string { return pdftest.Text(font, 10, x, y, s) }
	pair := func(y float64, label, value string) string {
		return text("F2", 50, y, label) + text("F1", 130, y, value)
	}
	tests := []struct {
		name, content string
		want          []string // cells, separated by bars
	}{
		{
			"an infobox with values of several lines",
			pair(700, "Born", "Augusta Ada Byron") + text("F1", 130, 689, "10 December 1815") + pair(673, "Died", "27 November 1852") + pair(657, "Known for", "Mathematics"),
			[]string{"Born|Augusta Ada Byron 10 December 1815", "Died|27 November 1852", "Known for|Mathematics"},
		},
		{
			"labels in the middle of their values",
			text("F1", 130, 700, "Augusta Ada") + text("F2", 50, 694.5, "Born") + text("F1", 130, 689, "Byron") + pair(672, "Died", "1852") +
				text("F1", 130, 655, "Byron") + pair(644, "Children", "Anne") + text("F1", 130, 633, "Ralph"),
			[]string{"Born|Augusta Ada Byron", "Died|1852", "Children|Byron Anne Ralph"},
		},
		{
			"a label of two lines beside a value of two lines",
			pair(700, "Born", "1815") + pair(684, "Resting", "Church of") + pair(673, "place", "St Mary") + pair(657, "Spouse", "William") + pair(641, "Title", "Countess"),
			[]string{"Born|1815", "Resting place|Church of St Mary", "Spouse|William", "Title|Countess"},
		},
		{
			"labels with colons, close to each other",
			text("F1", 50, 700, "Account holder:") + text("F1", 160, 700, "ACME Tools") + text("F1", 50, 688, "IBAN:") + text("F1", 160, 688, "DE02 1203") + text("F1", 50, 676, "BIC:") + text("F1", 160, 676, "BYLADEM1001"),
			[]string{"Account holder:|ACME Tools", "IBAN:|DE02 1203", "BIC:|BYLADEM1001"},
		},
		{
			"other text ends it",
			pair(700, "Born", "1815") + pair(684, "Died", "1852") + pair(668, "Spouse", "William") + text("F1", 50, 652, "She was a mathematician and is known for her work.") + pair(636, "Other", "text"),
			[]string{"Born|1815", "Died|1852", "Spouse|William"},
		},
		{
			"two lists below each other",
			text("F1", 50, 700, "Name:") + text("F1", 130, 700, "John") + text("F1", 50, 688, "Born:") + text("F1", 130, 688, "1970") + text("F1", 50, 676, "Town:") + text("F1", 130, 676, "Hull") +
				pair(656, "Height", "330 m") + pair(644, "Place", "Paris") + pair(632, "Owner", "City"),
			[]string{"Name:|John", "Born:|1970", "Town:|Hull", "Height|330 m", "Place|Paris", "Owner|City"},
		},
		{"two are too few", pair(700, "Born", "1815") + pair(684, "Died", "1852"), nil},
		{
			"bold words that begin paragraphs",
			text("F2", 50, 700, "Q:") + text("F1", 63, 700, "What do you do all day?") + text("F2", 50, 688, "A:") + text("F1", 63, 688, "I read the logs.") + text("F2", 50, 676, "Q:") + text("F1", 63, 676, "And then?"),
			nil,
		},
		{
			"a table with headings and three columns",
			text("F2", 50, 716, "Name") + text("F2", 130, 716, "Year") + text("F2", 200, 716, "Rank") +
				pair(700, "Ada", "1815") + text("F1", 200, 700, "1") + pair(684, "Bob", "1816") + text("F1", 200, 684, "2") + pair(668, "Cid", "1817") + text("F1", 200, 668, "3"),
			nil,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := pagesOf(t, Options{}, pdftest.Pages(tt.content))[0]
			before := wordCount(p, nil)
			found := records(p, false)
			var got []string
			for i := range found {
				for _, row := range found[i].Rows {
					got = append(got, row[0].Text()+"|"+row[1].Text())
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if after := wordCount(p, found); after != before {
				t.Errorf("%d words of %d are left", after, before)
			}
		})
	}
}

// TestManyLabels checks that a page with very many labels is not searched.
func TestManyLabels(t *testing.T) {
	var b strings.Builder
	for i := range mostFields + 1 {
		b.WriteString(pdftest.Text("F2", 2, 50, 780-float64(3*i), "Label") + pdftest.Text("F1", 2, 90, 780-float64(3*i), "value"))
	}
	if found := records(pagesOf(t, Options{}, pdftest.Pages(b.String()))[0], false); found != nil {
		t.Errorf("%d records", len(found))
	}
}

func wordCount(p *Page, tables []Table) int {
	n := 0
	for i := range p.Lines {
		n += len(p.Lines[i].Words)
	}
	for i := range tables {
		for _, row := range tables[i].Rows {
			for _, c := range row {
				for k := range c.Lines {
					n += len(c.Lines[k].Words)
				}
			}
		}
	}
	return n
}

// TestPlainLabels reads the numbers and dates at the head of an invoice beside an address. Labels
// beside words are no record, because nothing shows that they are labels.
func TestPlainLabels(t *testing.T) {
	address := at(50, 700, "Northgate Supplies") + at(50, 688, "14 Mill Lane") + at(50, 676, "Harwick")
	for name, tt := range map[string]struct {
		rows [][]string
		want []string
	}{
		"numbers and dates": {[][]string{{"Invoice no.", "2024-0917"}, {"Date", "17 September"}, {"Your order", "PO-7781"}, {"Contact", "Mary Foss"}}, []string{"Invoice no.|2024-0917", "Date|17 September", "Your order|PO-7781", "Contact|Mary Foss"}},
		"words":             {[][]string{{"Rope", "made of hemp"}, {"Chain", "made of steel"}, {"Buoy", "made of cork"}}, nil},
	} {
		p := pagesOf(t, Options{}, pdftest.Pages(address+columns([]float64{350, 430}, 702, 12, tt.rows...)))[0]
		var got []string
		for _, b := range tables(p) {
			for _, row := range rowsText(b.Table) {
				got = append(got, strings.Join(row, "|"))
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
