// SPDX-License-Identifier: Apache-2.0

package pdf_test

import (
	"fmt"
	"strings"
	"testing"

	"example.com/curlew/internal/test/pdftest"
	"example.com/curlew/parse/internal/pdf"
)

// glyphs shows glyphs of a formula. Each has a font such as F6, a size, a place
// and a text.
type glyphs struct {
	font       string
	size, x, y float64
	text       string
}

// symbols are the resources of a page with fonts of TeX: CM is upright, MI has
// letters, SY signs, and EX and LX large signs, which hang below their baseline. Those of
// OT, an OpenType font, stand on it.
func symbols() string {
	font := func(name, base, differences string) string {
		return fmt.Sprintf("/%s <</Type /Font /Subtype /Type1 /BaseFont /%s /FirstChar 0 /LastChar 255 /Widths [%s] /Encoding <</BaseEncoding /WinAnsiEncoding /Differences [%s]>> "+
			"/FontDescriptor <</Type /FontDescriptor /FontName /%s /Flags 4 /MissingWidth 500>> >> ", name, base, strings.TrimSpace(strings.Repeat("500 ", 256)), differences, base)
	}
	return "<</Font <<" + font("CM", "CMR10", "") + font("MI", "CMMI10", "") + font("SY", "CMSY10", "1 /minus /radical /infinity") +
		font("OT", "LatinModernMath-Regular", "1 /radical /summation") + font("LX", "LMMathExtension10-Regular", "1 /summationdisplay") +
		font("EX", "CMEX10", "1 /summationdisplay /integraldisplay /parenleftbigg /parenrightbigg /braceleftbigg") + "/F1 <</Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding>> >> >>"
}

// formulaPage returns a page with a formula between two paragraphs. Bars are
// horizontal lines: x0, x1 and y.
func formulaPage(gs []glyphs, bars ...[3]float64) []byte {
	var b strings.Builder
	b.WriteString(lead(720))
	for _, g := range gs {
		b.WriteString(pdftest.Text(g.font, g.size, g.x, g.y, g.text))
	}
	for _, r := range bars {
		fmt.Fprintf(&b, ".4 w %g %g m %g %g l S\n", r[0], r[2], r[1], r[2])
	}
	b.WriteString(lead(600))
	var d pdftest.Document
	d.Page(b.String(), symbols(), "")
	return d.Bytes()
}

// TestFormulas reads formulas on lines of their own.
func TestFormulas(t *testing.T) {
	equals := []glyphs{{"MI", 10, 220, 660, "x"}, {"CM", 10, 228, 660, "="}}
	tests := map[string]struct {
		page []byte
		want string
	}{
		"one line": {formulaPage(append(equals[:2:2], glyphs{"MI", 10, 236, 660, "a"}, glyphs{"CM", 10, 243, 660, "+"}, glyphs{"MI", 10, 250, 660, "b"})), "$$x=a+b$$"},
		"a number": {formulaPage(append(equals[:2:2], glyphs{"MI", 10, 236, 660, "a"}, glyphs{"CM", 10, 440, 660, "(12)"})), `$$x=a \tag{12}$$`},
		"scripts": {
			formulaPage(append(equals[:2:2], glyphs{"MI", 10, 236, 660, "a"}, glyphs{"CM", 7, 241, 664, "2"}, glyphs{"MI", 7, 241, 657.5, "i"})), "$$x=a_{i}^{2}$$",
		},
		"a fraction": {
			formulaPage(append(equals[:2:2], glyphs{"CM", 10, 240, 667, "1"}, glyphs{"MI", 10, 240, 653, "n"}), [3]float64{238, 247, 662.5}), `$$x=\frac{1}{n}$$`,
		},
		"a fraction in a fraction": {
			formulaPage(append(equals[:2:2], glyphs{"CM", 10, 250, 667, "1"}, glyphs{"CM", 10, 240, 648, "1+"}, glyphs{"MI", 10, 253, 653, "n"}, glyphs{"CM", 10, 253, 638, "2"}),
				[3]float64{238, 262, 662.5}, [3]float64{251, 260, 650.5}), `$$x=\frac{1}{1+\frac{n}{2}}$$`,
		},
		"a root": {formulaPage(append(equals[:2:2], glyphs{"SY", 10, 236, 668, "\x02"}, glyphs{"MI", 10, 241, 660, "a"}, glyphs{"CM", 10, 247, 660, "+"}, glyphs{"MI", 10, 253, 660, "b"}), [3]float64{241, 259, 668.2}), `$$x=\sqrt{a+b}$$`},
		"a sum": {
			formulaPage(append(equals[:2:2], glyphs{"EX", 10, 238, 669.5, "\x01"}, glyphs{"MI", 7, 239, 673, "n"}, glyphs{"MI", 7, 236, 649, "i"}, glyphs{"CM", 7, 239.5, 649, "=1"}, glyphs{"MI", 10, 247, 660, "a"}, glyphs{"MI", 7, 252, 658, "i"})),
			`$$x=\sum_{i=1}^{n}a_{i}$$`,
		},
		"a sum of another font": {
			formulaPage(append(equals[:2:2], glyphs{"LX", 10, 238, 669.5, "\x01"}, glyphs{"MI", 7, 239, 673, "n"}, glyphs{"MI", 7, 239, 649, "i"}, glyphs{"MI", 10, 247, 660, "a"})),
			`$$x=\sum_{i}^{n}a$$`,
		},
		"a sum on the line": {
			formulaPage(append(equals[:2:2], glyphs{"OT", 10, 238, 660, "\x02"}, glyphs{"MI", 7, 239, 672, "n"}, glyphs{"MI", 7, 236, 649, "i"}, glyphs{"CM", 7, 239.5, 649, "=1"}, glyphs{"MI", 10, 247, 660, "a"}, glyphs{"MI", 7, 252, 658, "i"})),
			`$$x=\sum_{i=1}^{n}a_{i}$$`,
		},
		"a root on the line": {formulaPage(append(equals[:2:2], glyphs{"OT", 10, 236, 659, "\x01"}, glyphs{"MI", 10, 241, 660, "a"}), [3]float64{241, 247, 668.2}), `$$x=\sqrt{a}$$`},
		"an integral": {
			formulaPage(append(equals[:2:2], glyphs{"EX", 10, 238, 673.5, "\x02"}, glyphs{"SY", 7, 244, 670, "\x03"}, glyphs{"CM", 7, 242, 650, "0"}, glyphs{"MI", 10, 250, 660, "f"}, glyphs{"CM", 10, 255, 660, "("}, glyphs{"MI", 10, 260, 660, "t"}, glyphs{"CM", 10, 265, 660, ")"}, glyphs{"MI", 10, 271, 660, "dt"})),
			`$$x=\int_{0}^{\infty}f(t)dt$$`,
		},
		"a matrix": {
			formulaPage(append(equals[:2:2], glyphs{"EX", 10, 236, 674, "\x03"}, glyphs{"MI", 10, 242, 667, "a"}, glyphs{"MI", 10, 260, 667, "b"}, glyphs{"MI", 10, 242, 653, "c"}, glyphs{"MI", 10, 260, 653, "d"}, glyphs{"EX", 10, 266, 674, "\x04"})),
			`$$x=\begin{pmatrix}a & b \\ c & d\end{pmatrix}$$`,
		},
		"cases": {
			formulaPage(append(equals[:2:2], glyphs{"EX", 10, 236, 674, "\x05"}, glyphs{"MI", 10, 242, 667, "a"}, glyphs{"CM", 10, 260, 667, "if"}, glyphs{"MI", 10, 272, 667, "b"}, glyphs{"CM", 10, 242, 653, "0"}, glyphs{"CM", 10, 260, 653, "otherwise"})),
			`$$x=\begin{cases}a & \text{ if }b \\ 0 & \text{ otherwise }\end{cases}$$`,
		},
		// What has no clear place is text on one line, and not a guess.
		"two rows":           {formulaPage(append(equals[:2:2], glyphs{"MI", 10, 236, 664, "a"}, glyphs{"MI", 10, 244, 656, "b"})), "x = a b"},
		"a bar over nothing": {formulaPage(append(equals[:2:2], glyphs{"MI", 10, 238, 653, "n"}), [3]float64{236, 247, 662.5}), "x = n"},
		"an unknown sign":    {formulaPage(append(equals[:2:2], glyphs{"SY", 10, 236, 660, "\x02"}, glyphs{"MI", 10, 244, 660, "b"})), "x = √ b"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			d := read(t, test.page, pdf.Options{})
			want := paragraphs(leadText, test.want, leadText)
			if got := strings.TrimSpace(rendered(t, d)); got != want {
				t.Errorf("got %q\nwant %q", got, want)
			}
			warned := len(d.Warnings) > 0 && d.Warnings[0].Code == "formula"
			if warned == strings.HasPrefix(test.want, "$$") {
				t.Errorf("warnings %v", d.Warnings)
			}
		})
	}
}

// TestNoFormula checks that tables with formulas in their cells and text with
// formulas in its lines stay what they are.
func TestNoFormula(t *testing.T) {
	var d pdftest.Document
	text := func(font string, x, y float64, s string) string { return pdftest.Text(font, 10, x, y, s) }
	var table strings.Builder
	table.WriteString(rules(72, 400, 696, 680, 632))
	for i, row := range [][3]string{{"Method", "a", "x=0"}, {"Ours", "0.5", "0.75"}, {"Theirs", "0.4", "0.66"}, {"Others", "0.3", "b+1"}} {
		y := 684 - 16*float64(i)
		table.WriteString(text("F1", 80, y, row[0]) + text("MI", 200, y, row[1]) + text("MI", 300, y, row[2]))
	}
	line := text("F1", 72, 600, "The values that are shown above are those of") + text("MI", 282, 600, "x=b+1") + text("F1", 312, 600, "and were measured twice.")
	d.Page(lead(730)+table.String()+line, symbols(), "")
	got := strings.TrimSpace(rendered(t, read(t, d.Bytes(), pdf.Options{})))
	want := paragraphs(leadText, pipes("Method|a|x=0", "Ours|0.5|0.75", "Theirs|0.4|0.66", "Others|0.3|b+1"), "The values that are shown above are those of x=b+1 and were measured twice.")
	if got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// TestTaggedFormula keeps a formula together whose parts are texts of the structure
// tree, where the tree has it.
func TestTaggedFormula(t *testing.T) {
	gs := []glyphs{{"MI", 10, 220, 660, "x"}, {"CM", 10, 228, 660, "="}, {"CM", 10, 240, 667, "1"}, {"MI", 10, 240, 653, "n"}}
	const parts = "[(/S /NonStruct /K 1) (/S /NonStruct /K 2) (/S /NonStruct /K [(/S /NonStruct /K 3) (/S /NonStruct /K 4)])]"
	for name, tree := range map[string]string{
		"between paragraphs": "(/S /Document /K [(/S /P /K 0) (/S /NonStruct /K " + parts + ") (/S /P /K 5)])",
		"an element":         "(/S /Document /K [(/S /P /K 0) (/S /Formula /K " + parts + ") (/S /P /K 5)])",
		"in a paragraph":     "(/S /Document /K [(/S /P /K [0 (/S /NonStruct /K " + parts + ") 5])])",
	} {
		var b strings.Builder
		marked := func(id int, s string) { fmt.Fprintf(&b, "/P <</MCID %d>> BDC\n%sEMC\n", id, s) }
		marked(0, lead(720))
		for i, g := range gs {
			marked(i+1, pdftest.Text(g.font, g.size, g.x, g.y, g.text))
		}
		marked(5, lead(600))
		b.WriteString(".4 w 238 662.5 m 247 662.5 l S\n")
		var d pdftest.Document
		d.Page(b.String(), symbols(), "/StructParents 0")
		root := d.Add("<</Type /StructTreeRoot /K " + strings.NewReplacer("(", "<</Pg 4 0 R ", ")", ">>").Replace(tree) + ">>")
		d.Catalog = fmt.Sprintf("/MarkInfo <</Marked true>> /StructTreeRoot %d 0 R", root)
		if got, want := render(t, d.Bytes()), paragraphs(leadText, `$$x=\frac{1}{n}$$`, leadText); got != want {
			t.Errorf("%s: got %q\nwant %q", name, got, want)
		}
	}
}
