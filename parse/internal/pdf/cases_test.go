// SPDX-License-Identifier: Apache-2.0

package pdf_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"example.com/curlew/internal/test/pdftest"
	"example.com/curlew/parse/internal/pdf"
)

// lead is a paragraph of two lines over the width of the page.
func lead(y float64) string {
	return pdftest.Lines("F1", 10, 72, y, 12,
		"The following section describes the results that were collected during the year by all of the",
		"offices, and it explains how they compare with the plan of the board.")
}

const leadText = "The following section describes the results that were collected during the year by all of the offices, and it explains how they compare with the plan of the board."

// cells shows rows of texts, which | separates, at the positions xs. A text
// that begins with * is bold. An empty text shows nothing. The first row is at
// y, and each other one is pitch points below the one before.
func cells(size, y, pitch float64, xs []float64, rows ...string) string {
	var b strings.Builder
	for i, row := range rows {
		for j, s := range strings.Split(row, "|") {
			font := "F1"
			if strings.HasPrefix(s, "*") {
				font, s = "F2", s[1:]
			}
			if s != "" {
				b.WriteString(pdftest.Text(font, size, xs[j], y-float64(i)*pitch, s))
			}
		}
	}
	return b.String()
}

// rules draws horizontal lines from x0 to x1 at the heights ys.
func rules(x0, x1 float64, ys ...float64) string {
	var b strings.Builder
	for _, y := range ys {
		fmt.Fprintf(&b, "%g %g m %g %g l S\n", x0, y, x1, y)
	}
	return b.String()
}

// walls draws vertical lines from y0 to y1 at the positions xs.
func walls(y0, y1 float64, xs ...float64) string {
	var b strings.Builder
	for _, x := range xs {
		fmt.Fprintf(&b, "%g %g m %g %g l S\n", x, y0, x, y1)
	}
	return b.String()
}

// stripes fills boxes of one height in light grey, each from a height in ys
// upwards.
func stripes(x0, x1, height float64, ys ...float64) string {
	var b strings.Builder
	for _, y := range ys {
		fmt.Fprintf(&b, "q .93 g %g %g %g %g re f Q\n", x0, y, x1-x0, height)
	}
	return b.String()
}

// upTo returns the numbers from first to last in steps.
func upTo(first, last, step float64) []float64 {
	var out []float64
	for v := first; v <= last; v += step {
		out = append(out, v)
	}
	return out
}

// offices are the rows of a table of four columns.
var offices = []string{
	"Berlin|1,204|18.4|open", "Hamburg|988|12.1|open", "Leipzig|415|9.9|closed", "Bremen|77|3.2|open",
	"Dresden|301|8.0|planned", "Kiel|59|2.2|open", "Mainz|120|4.1|closed", "Ulm|88|3.3|open",
}

// pipes returns rows as a table in Markdown.
func pipes(rows ...string) string {
	var b strings.Builder
	for i, row := range rows {
		for s := range strings.SplitSeq(row, "|") {
			b.WriteString("| ")
			if s != "" {
				b.WriteString(strings.TrimPrefix(s, "*") + " ")
			}
		}
		b.WriteString("|\n")
		if i == 0 {
			b.WriteString("|" + strings.Repeat(" --- |", 1+strings.Count(row, "|")) + "\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// paragraphs joins blocks.
func paragraphs(blocks ...string) string { return strings.Join(blocks, "\n\n") }

// TestCases reads pages that were once read wrong. Each has one kind of table
// or text that occurs in real documents.
func TestCases(t *testing.T) {
	four := []float64{80, 180, 260, 340}
	sparse := []string{"*Code|*Product|*Stock|*Mark", "A-100|Bolts|10|", "|Bolts, long|12|", "|Bolts, zinc|9|new", "B-200|Nuts|44|", "C-300|Washers|3|", "|Washers, wide|6|", "D-400|Pins|8|old", "|Pins, split|2|", "E-500|Rods|1|"}
	accounts := []string{
		"*Fixed assets|||", "Tangible assets|5|98,221|101,334", "Investments|6|4,000|4,000", "||102,221|105,334", "*Current assets|||", "Stocks|7|33,120|29,887", "Debtors|8|54,001|50,999",
		"Cash at bank and in hand||12,999|8,444", "||100,120|89,330", "Creditors|9|(60,212)|(55,871)", "*Net current assets||39,908|33,459", "*Net assets||142,129|138,793",
	}
	tests := map[string]struct{ page, want string }{
		"fields with bold labels": {
			cells(10, 700, 14, []float64{72, 126}, "*Customer:|Anna Schmidt of Ulm") + cells(10, 686, 14, []float64{72, 102}, "*Date:|12 March 2024") +
				cells(10, 672, 14, []float64{72, 125}, "*Order no.:|5512-B") + cells(10, 658, 14, []float64{72, 122}, "*Payment:|by invoice within 30 days") + lead(620),
			paragraphs("**Customer:** Anna Schmidt of Ulm", "**Date:** 12 March 2024", "**Order no.:** 5512-B", "**Payment:** by invoice within 30 days", leadText),
		},
		"fields with plain labels": {
			pdftest.Lines("F1", 10, 72, 700, 14, "Customer: Anna Schmidt", "Date: 12 March 2024", "Order number: 5512-B", "Payment: by invoice within 30 days") + lead(620),
			paragraphs("Customer: Anna Schmidt", "Date: 12 March 2024", "Order number: 5512-B", "Payment: by invoice within 30 days", leadText),
		},
		"a label in a paragraph": {
			pdftest.Lines("F1", 10, 72, 700, 12, "The following section describes the results that were collected during the year by all of the", "Note: offices, and it explains how they compare with the plan of the board, which the members of", "Result: a table that is shown below it."),
			"The following section describes the results that were collected during the year by all of the Note: offices, and it explains how they compare with the plan of the board, which the members of Result: a table that is shown below it.",
		},
		"narrow columns between paragraphs": {
			lead(720) + cells(10, 690, 14, []float64{72, 124}, "*City|*What it does", "Berlin|the office in Berlin is open", "Hamburg|the office in Hamburg is open", "Leipzig|the office in Leipzig is closed", "Bremen|the office in Bremen is open", "Kiel|the office in Kiel is planned") + lead(606),
			paragraphs(leadText, pipes("*City|*What it does", "Berlin|the office in Berlin is open", "Hamburg|the office in Hamburg is open", "Leipzig|the office in Leipzig is closed", "Bremen|the office in Bremen is open", "Kiel|the office in Kiel is planned"), leadText),
		},
		"boxes below questions": {
			cells(10, 700, 40, []float64{60, 76}, "3.|Particulars of any related body that has an interest in the contract:", "4.|Date on which the contract becomes effective, and its duration:", "5.|Description of any provisions under which the amount may vary:", "6.|Estimated amount payable to the contractor:") +
				cells(10, 680, 40, []float64{80}, "N/A", "13 May 2013", "None", "3,148,800.00") +
				rules(76, 440, 694, 674, 654, 634, 614, 594, 574, 554) + walls(674, 694, 76, 440) + walls(634, 654, 76, 440) + walls(594, 614, 76, 440) + walls(554, 574, 76, 440),
			paragraphs("3. Particulars of any related body that has an interest in the contract:", "N/A", "4. Date on which the contract becomes effective, and its duration:", "13 May 2013",
				"5. Description of any provisions under which the amount may vary:", "None", "6. Estimated amount payable to the contractor:", "3,148,800.00"),
		},
		"stripes in a frame": {
			lead(720) + stripes(72, 420, 16, 664, 632, 600, 568) + rules(72, 420, 696, 552) + walls(552, 696, 72, 420) + cells(10, 684, 16, four, append([]string{"*City|*Staff|*Revenue|*State"}, offices...)...) + lead(530),
			paragraphs(leadText, pipes(append([]string{"*City|*Staff|*Revenue|*State"}, offices...)...), leadText),
		},
		"stripes in a frame without a header": {
			lead(720) + stripes(72, 420, 16, 664, 632, 600, 568) + rules(72, 420, 696, 568) + walls(568, 696, 72, 420) + cells(10, 684, 16, four, offices...) + lead(540),
			paragraphs(leadText, pipes(offices...), leadText),
		},
		"annual accounts": {
			cells(10, 700, 13, []float64{72, 260, 320, 400}, append([]string{"|*Note|*2024|*2023"}, accounts...)...) + rules(318, 360, 658, 593, 567) + rules(398, 440, 658, 593, 567),
			pipes(append([]string{"|*Note|*2024|*2023"}, accounts...)...),
		},
		"a sparse first column": {
			lead(720) + cells(10, 684, 16, four, sparse...) + lead(510),
			paragraphs(leadText, pipes(sparse...), leadText),
		},
		"a sparse first column between lines": {
			lead(720) + cells(10, 684, 16, four, sparse...) + rules(76, 420, upTo(536, 696, 16)...) + lead(510),
			paragraphs(leadText, pipes(sparse...), leadText),
		},
		"a list in boxes": {
			lead(720) + cells(10, 684, 16, []float64{80}, "Check the valves", "Close the main tap", "Wait for ten minutes", "Open the drain") + rules(72, 300, upTo(632, 696, 16)...) + walls(632, 696, 72, 300) + lead(610),
			paragraphs(leadText, pipes("Check the valves", "Close the main tap", "Wait for ten minutes", "Open the drain"), leadText),
		},
		"a header and one row": {
			lead(720) + cells(10, 684, 16, four, "*Name|*Age|*City|*State", "Anna|34|Rome|open") + rules(72, 420, 696, 680, 664) + lead(640),
			paragraphs(leadText, pipes("*Name|*Age|*City|*State", "Anna|34|Rome|open"), leadText),
		},
		"one rule": {
			lead(720) + cells(10, 684, 16, []float64{80, 180, 260}, "*City|*Staff|*State", "Berlin|1,204|open", "Hamburg|988|open", "Leipzig|415|closed") + rules(72, 340, 680) + lead(610),
			paragraphs(leadText, pipes("*City|*Staff|*State", "Berlin|1,204|open", "Hamburg|988|open", "Leipzig|415|closed"), leadText),
		},
		"wrapped cells in the middle of rows": {
			lead(720) + cells(10, 684, 16, []float64{80, 150, 330}, "*Phase|*What happens|*Who") + rules(72, 500, 696, 680, 640, 624, 584) +
				pdftest.Lines("F1", 10, 150, 668, 12, "Every part is made in the workshop,", "tested twice and then stored until it", "is needed.") + cells(10, 656, 12, []float64{80, 0, 330}, "Building||Workshop") +
				cells(10, 628, 12, []float64{80, 150, 330}, "Test|A short trial.|Lab") +
				pdftest.Lines("F1", 10, 150, 612, 12, "Goods leave by train, in case of", "strikes by lorry, with all papers that", "the office wants.") + pdftest.Text("F1", 10, 80, 600, "Delivery") + pdftest.Lines("F1", 10, 330, 606, 12, "Logistics department", "of the branch") + lead(560),
			paragraphs(leadText, pipes("*Phase|*What happens|*Who", "Building|Every part is made in the workshop, tested twice and then stored until it is needed.|Workshop", "Test|A short trial.|Lab",
				"Delivery|Goods leave by train, in case of strikes by lorry, with all papers that the office wants.|Logistics department of the branch"), leadText),
		},
		"labels and values in a frame": {
			lead(720) + rules(72, 320, 696, 600) + walls(600, 696, 72, 320) + cells(10, 682, 14, []float64{80, 170}, "*Country|Germany", "*State|Saxony", "*Founded|1165, as a market town", "*Area|297.8 km", "*Population|601,866 (2021)", "*Website|www.example.de") + lead(570),
			paragraphs(leadText, pipes("*Country|Germany", "*State|Saxony", "*Founded|1165, as a market town", "*Area|297.8 km", "*Population|601,866 (2021)", "*Website|www.example.de"), leadText),
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			d := read(t, pdftest.Pages(test.page), pdf.Options{})
			got := strings.ReplaceAll(strings.TrimSpace(rendered(t, d)), "**", "")
			if diff := cmp.Diff(strings.ReplaceAll(test.want, "**", ""), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestImprint reads the lines at the edges of a single page. Their kinds are
// known only on a page with much text.
func TestImprint(t *testing.T) {
	var leads []string
	for _, y := range upTo(400, 720, 40) {
		leads = append(leads, lead(y))
	}
	body := strings.Join(leads, "")
	at := func(y float64, s string) string { return pdftest.Text("F1", 8, 72, y, s) }
	tests := map[string]struct {
		page string
		want int // blocks that are not text
	}{
		"copyright and number": {body + at(40, "\xa9 2019 The Authors. Published by Town Press.") + at(24, "17"), 2},
		"journal":              {at(760, "Journal of Towns, Vol. 12, No. 3 (2019)") + body + lead(360), 1},
		"address":              {body + lead(360) + at(30, "Downloaded from www.example.org on 3 May 2020"), 1},
		"text":                 {at(760, "The growth of towns in the north") + body + lead(360), 0},
		"part of the text":     {body + lead(360) + at(340, "\xa9 is the sign of copyright"), 0},
		"short page":           {lead(720) + at(24, "17"), 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var tree strings.Builder
			if err := html.Render(&tree, read(t, pdftest.Pages(test.page), pdf.Options{}).Root); err != nil {
				t.Fatal(err)
			}
			if got := strings.Count(tree.String(), "data-role="); got != test.want {
				t.Errorf("%d blocks have a role, want %d:\n%s", got, test.want, tree.String())
			}
		})
	}
}
