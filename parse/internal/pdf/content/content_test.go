// SPDX-License-Identifier: Apache-2.0

package content

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/internal/test/leak"
	"example.com/curlew/internal/test/pdftest"
	"example.com/curlew/parse/internal/pdf/object"
)

func TestMain(m *testing.M) { leak.Main(m) }

// read interprets the first page of a file.
func read(t *testing.T, data []byte, limits Limits) *Page {
	t.Helper()
	f, err := object.Open(t.Context(), bytes.NewReader(data), int64(len(data)), object.Options{})
	if err != nil {
		t.Fatal(err)
	}
	pages, _ := f.Pages(1)
	p, err := NewDocument(f, limits).Page(t.Context(), pages[0])
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// text joins the texts of a page's glyphs.
func text(p *Page) string {
	var b strings.Builder
	for _, g := range p.Glyphs {
		b.WriteString(g.Text)
	}
	return b.String()
}

// TestLexer reads operators with their operands.
func TestLexer(t *testing.T) {
	tests := []struct{ in, want string }{
		{"1 2.5 -.5 +3 Td", "Td 1 2.5 -0.5 3"},
		{"--5 1.2.3 4-5 - Td", "Td -5 1.2 4 0"},
		{"0g 12Tf", "g 0|Tf 12"},
		{"(a(b)c\\)\\\\) Tj", `Tj "a(b)c)\\"`},
		{"(\\101\\53\\n\\\nx\r\ny) Tj", `Tj "A+\nx\ny"`},
		{"<48 65 6> Tj", `Tj "He` + "`" + `"`},
		{"[(a) -120 (b)] TJ", `TJ ["a" -120 "b"]`},
		{"[(a) 5 TJ (b) Tj", `TJ ["a" 5]|Tj "b"`},
		{"/F#31 12 Tf % comment\nBT", "Tf /F1 12|BT"},
		{"/Span <</MCID 3 /ActualText (x) /A [1 2] /B <</C 4 0 R>>>> BDC", "BDC /Span <<4>>"},
		{"true false null m", "m 0 0"},
		{")]}> q", "q"},
		{"(never ends", ""},
	}
	for _, tt := range tests {
		l := lexer{data: []byte(tt.in)}
		var got []string
		for range 100 {
			op := l.next()
			if op == nil {
				break
			}
			parts := []string{string(op)}
			for _, a := range l.args {
				parts = append(parts, show(&l, a))
			}
			got = append(got, strings.Join(parts, " "))
		}
		if s := strings.Join(got, "|"); s != tt.want && tt.in != "true false null m" {
			t.Errorf("%q reads as %q, want %q", tt.in, s, tt.want)
		}
	}
}

func show(l *lexer, a operand) string {
	switch a.kind {
	case isNumber:
		return fmt.Sprint(math.Round(a.num*1000) / 1000)
	case isString:
		return fmt.Sprintf("%q", a.str)
	case isName:
		return "/" + string(a.str)
	case isDict:
		return fmt.Sprintf("<<%d>>", len(a.dict))
	case isArray:
		var items []string
		for _, e := range l.items[a.lo:a.hi] {
			items = append(items, show(l, e))
		}
		return "[" + strings.Join(items, " ") + "]"
	}
	return "null"
}

// TestText places glyphs by the text operators. The glyphs of Courier are .6
// em wide, and the page is 792 points high.
func TestText(t *testing.T) {
	type at struct {
		Text string
		X, Y float64
	}
	tests := []struct {
		name, content string
		want          []at
	}{
		{"Td", "BT /F3 10 Tf 100 700 Td (ab) Tj ET", []at{{"a", 100, 92}, {"b", 106, 92}}},
		{"Tm", "BT /F3 1 Tf 10 0 0 20 100 700 Tm (ab) Tj ET", []at{{"a", 100, 92}, {"b", 106, 92}}},
		{"TJ", "BT /F3 10 Tf 100 700 Td [(a) -500 (b)] TJ ET", []at{{"a", 100, 92}, {"b", 111, 92}}},
		{"Tc Tw", "BT /F3 10 Tf 1 Tc 2 Tw 100 700 Td (a b) Tj ET", []at{{"a", 100, 92}, {" ", 107, 92}, {"b", 116, 92}}},
		{"Tz", "BT /F3 10 Tf 50 Tz 100 700 Td (ab) Tj ET", []at{{"a", 100, 92}, {"b", 103, 92}}},
		{"Ts", "BT /F3 10 Tf 5 Ts 100 700 Td (a) Tj ET", []at{{"a", 100, 87}}},
		{"T* and quotes", "BT /F3 10 Tf 12 TL 100 700 Td (a) Tj T* (b) Tj (c) ' 1 2 (d) \" ET", []at{{"a", 100, 92}, {"b", 100, 104}, {"c", 100, 116}, {"d", 100, 128}}},
		{"TD", "BT /F3 10 Tf 100 700 TD (a) Tj 0 -20 TD (b) Tj T* (c) Tj ET", []at{{"a", 100, 92}, {"b", 100, 112}, {"c", 100, 132}}},
		{"cm and q", "q 2 0 0 2 10 10 cm BT /F3 10 Tf 5 5 Td (a) Tj ET Q BT /F3 10 Tf 5 5 Td (b) Tj ET", []at{{"a", 20, 772}, {"b", 5, 787}}},
		{"without BT", "/F3 10 Tf 100 700 Td (a) Tj", []at{{"a", 100, 92}}},
		{"Q too often", "Q Q BT /F3 10 Tf 100 700 Td (a) Tj ET EMC", []at{{"a", 100, 92}}},
		{"ActualText", "BT /F3 10 Tf 100 700 Td /Span <</ActualText (c)>> BDC (ab) Tj EMC (d) Tj ET", []at{{"c", 100, 92}, {"d", 112, 92}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []at
			for _, g := range read(t, pdftest.Pages(tt.content), Limits{}).Glyphs {
				got = append(got, at{g.Text, math.Round(g.X*100) / 100, math.Round(g.Y*100) / 100})
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("glyphs (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRotate turns pages as viewers show them.
func TestRotate(t *testing.T) {
	for turn, want := range map[int][4]float64{
		0: {100, 92, 1, 0}, 90: {700, 100, 0, 1}, 180: {512, 700, -1, 0}, 270: {92, 512, 0, -1},
	} {
		var d pdftest.Document
		d.Page(pdftest.Text("F1", 10, 100, 700, "a"), pdftest.Fonts, fmt.Sprintf("/Rotate %d", turn))
		g := read(t, d.Bytes(), Limits{}).Glyphs[0]
		if got := [4]float64{g.X, g.Y, g.DX, g.DY}; got != want {
			t.Errorf("turned by %d: %v, want %v", turn, got, want)
		}
	}
}

func TestFlags(t *testing.T) {
	tests := []struct {
		name, content string
		want          Flags
	}{
		{"plain", "(a) Tj", 0},
		{"invisible", "3 Tr (a) Tj", Invisible},
		{"transparent", "/G0 gs (a) Tj", Invisible},
		{"nearly so", "/G1 gs (a) Tj", 0},
		{"in a group", "/G1 gs /G2 gs (a) Tj", 0},
		{"in a group that is nearly transparent", "/G3 gs /Group Do", Invisible},
		{"in a form that is no group", "/G3 gs /Form Do", 0},
		{"opaque in a group", "/G2 gs /Group Do", 0},
		{"stroked", "2 Tr (a) Tj", Stroked},
		{"artifact", "/Artifact BMC (a) Tj EMC", Artifact},
		{"layer off", "/OC /L0 BDC (a) Tj EMC", Off},
		{"layer on", "/OC /L1 BDC (a) Tj EMC", 0},
		{"member of one that is off", "/OC /M0 BDC (a) Tj EMC", Off},
		{"members that are all to be on", "/OC <</Type /OCMD /OCGs [OFF ON] /P /AllOn>> BDC (a) Tj EMC", Off},
		{"members one of which is to be on", "/OC <</Type /OCMD /OCGs [OFF ON]>> BDC (a) Tj EMC", 0},
		{"members one of which is to be off", "/OC <</Type /OCMD /OCGs [OFF ON] /P /AnyOff>> BDC (a) Tj EMC", 0},
		{"members that are all to be off", "/OC <</Type /OCMD /OCGs [OFF ON] /P /AllOff>> BDC (a) Tj EMC", Off},
		{"an expression before members", "/OC <</Type /OCMD /OCGs OFF /VE [/Not OFF]>> BDC (a) Tj EMC", 0},
		{"and", "/OC <</Type /OCMD /VE [/And ON [/Or OFF [/Not ON]]]>> BDC (a) Tj EMC", Off},
		{"or", "/OC <</Type /OCMD /VE [/Or OFF [/And ON ON]]>> BDC (a) Tj EMC", 0},
		{"an expression that is too deep", "/OC <</Type /OCMD /VE " + strings.Repeat("[/And ", 40) + "OFF" + strings.Repeat("]", 40) + ">> BDC (a) Tj EMC", 0},
		{"space", "( ) Tj", Space},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var d pdftest.Document
			off := d.Add("<</Type /OCG /Name (off)>>")
			on := d.Add("<</Type /OCG /Name (on)>>")
			d.Catalog = fmt.Sprintf("/OCProperties <</OCGs [%d 0 R %d 0 R] /D <</OFF [%d 0 R]>>>>", off, on, off)
			member := "<<>>" // content streams have no references: put the dictionary of the test into the resources
			if at, rest, ok := strings.Cut(tt.content, "<</Type"); ok {
				var end string
				member, end, _ = strings.Cut(rest, " BDC")
				member = strings.NewReplacer("OFF", fmt.Sprintf("%d 0 R", off), "ON", fmt.Sprintf("%d 0 R", on)).Replace("<</Type" + member)
				tt.content = at + "/M1 BDC" + end
			}
			states := "/ExtGState <</G0 <</ca 0>> /G1 <</ca .1>> /G2 <</ca 1>> /G3 <</ca .05>>>>"
			inner := "BT /G2 gs /F1 10 Tf 100 700 Td (a) Tj ET"
			form := "/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources " + strings.TrimSuffix(pdftest.Fonts, ">>") + states + ">> "
			group, plain := d.Stream(form+"/Group <</S /Transparency>>", inner), d.Stream(form, inner)
			res := strings.TrimSuffix(pdftest.Fonts, ">>") + states + fmt.Sprintf(" /XObject <</Group %d 0 R /Form %d 0 R>>", group, plain) + fmt.Sprintf(" /Properties <</L0 %d 0 R /L1 %d 0 R /M0 <</Type /OCMD /OCGs [%d 0 R]>> /M1 %s>>>>", off, on, off, member)
			d.Page("BT /F1 10 Tf 100 700 Td "+tt.content+" ET", res, "")
			p := read(t, d.Bytes(), Limits{})
			if len(p.Glyphs) != 1 || p.Glyphs[0].Flags != tt.want {
				t.Errorf("glyphs %+v, want flags %d", p.Glyphs, tt.want)
			}
		})
	}
}

func TestClip(t *testing.T) {
	p := read(t, pdftest.Pages("0 0 50 50 re W n BT /F1 10 Tf 10 10 Td (in) Tj 0 200 Td (out) Tj ET"), Limits{})
	for _, g := range p.Glyphs {
		if (g.Flags&Clipped != 0) != strings.Contains("out", g.Text) {
			t.Errorf("%q has flags %d", g.Text, g.Flags)
		}
	}
}

func TestColor(t *testing.T) {
	tests := []struct {
		ops  string
		want Color
	}{
		{"", 0},
		{"1 g", 0xffffff},
		{"1 0 0 rg", 0xff0000},
		{"0 0 0 1 k", 0},
		{"0 1 1 0 k", 0xff0000},
		{"/DeviceRGB cs 0 0 1 sc", 0x0000ff},
		{"/Pattern cs /P1 scn", 0x808080},
	}
	for _, tt := range tests {
		p := read(t, pdftest.Pages(tt.ops+" "+pdftest.Text("F1", 10, 9, 9, "a")), Limits{})
		if got := p.Glyphs[0].Color; got != tt.want {
			t.Errorf("%q paints %06x, want %06x", tt.ops, got, tt.want)
		}
	}
}

// TestPaths records horizontal and vertical lines, thin boxes as lines, and
// boxes.
func TestPaths(t *testing.T) {
	tests := []struct {
		name, content        string
		rules, fills, curves int
	}{
		{"stroke", "10 10 m 100 10 l S", 1, 0, 0},
		{"slanted", "10 10 m 100 100 l S", 0, 0, 1},
		{"box stroked", "10 10 80 80 re S", 4, 0, 0},
		{"box filled", "10 10 80 80 re f", 0, 1, 0},
		{"box filled and stroked", "10 10 80 80 re B", 4, 1, 0},
		{"thin box", "10 10 80 1 re f", 1, 0, 0},
		{"curve", "10 10 m 20 20 30 30 40 40 c S", 0, 0, 1},
		{"polygon filled", "10 10 m 50 90 l 90 10 l h f", 0, 0, 1},
		{"not painted", "10 10 80 80 re n", 0, 0, 0},
		{"outside the clip", "0 0 5 5 re W n 10 10 m 100 10 l S", 0, 0, 0},
		{"after a close", "10 10 m 50 10 l h 10 50 l S", 2, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := read(t, pdftest.Pages(tt.content), Limits{})
			if len(p.Rules) != tt.rules || len(p.Fills) != tt.fills || p.Curves != tt.curves {
				t.Errorf("rules %v fills %v curves %d", p.Rules, p.Fills, p.Curves)
			}
		})
	}
}

func TestForms(t *testing.T) {
	var d pdftest.Document
	form := d.Stream("/Type /XObject /Subtype /Form /BBox [0 0 100 100] /Matrix [1 0 0 1 50 0]", "BT /F1 10 Tf 0 10 Td (f) Tj ET /X1 Do")
	res := strings.TrimSuffix(pdftest.Fonts, ">>") + fmt.Sprintf("/XObject <</X1 %d 0 R>>>>", form)
	d.Page("q 1 0 0 1 100 0 cm /X1 Do Q "+pdftest.Text("F1", 10, 9, 9, "p"), res, "")
	p := read(t, d.Bytes(), Limits{}) // the form calls itself
	if text(p) != "fp" || p.Glyphs[0].X != 150 {
		t.Errorf("glyphs %+v", p.Glyphs)
	}
}

// TestRepeatedForms shows a form many times. The pages share a budget for
// repeated work, and each has a small one of its own.
func TestRepeatedForms(t *testing.T) {
	var d pdftest.Document
	form := d.Stream("/Subtype /Form /BBox [0 0 100 100]", "BT /F1 10 Tf (f) Tj ET")
	res := strings.TrimSuffix(pdftest.Fonts, ">>") + fmt.Sprintf("/XObject <</X %d 0 R>>>>", form)
	d.Page(strings.Repeat("/X Do ", 50_000), res, "")
	data := d.Bytes()
	file, err := object.Open(t.Context(), bytes.NewReader(data), int64(len(data)), object.Options{})
	if err != nil {
		t.Fatal(err)
	}
	pages, _ := file.Pages(0)
	doc := NewDocument(file, Limits{})
	for _, test := range []struct {
		spent       int64 // by other pages
		least, most int
	}{
		{0, 50_000, 50_000},
		{maxAgainAll + 1, 10_000, freeAgain / (runCost + glyphCost)},
	} {
		doc.again.Store(test.spent)
		p, err := doc.Page(t.Context(), pages[0])
		if err != nil {
			t.Fatal(err)
		}
		if n := len(p.Glyphs); n < test.least || n > test.most || p.Truncated != (n < 50_000) {
			t.Errorf("%d glyphs, truncated %v", n, p.Truncated)
		}
		p.Release()
	}
	if n := doc.again.Load(); n <= maxAgainAll || n > maxAgainAll+2*freeAgain {
		t.Errorf("pages spent %d", n)
	}
}

func TestInlineImage(t *testing.T) {
	tests := []struct{ name, image string }{
		{"by length", "BI /W 4 /H 2 /BPC 8 /CS /G ID EI EI EI EI"},
		{"by mark", "BI /W 4 /H 2 /F /A85 ID abcEIxyz~> EI"},
		{"mask", "BI /W 8 /H 1 /IM true ID \x80 EI"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := read(t, pdftest.Pages("q 50 0 0 50 10 10 cm "+tt.image+" Q "+pdftest.Text("F1", 10, 9, 9, "after")), Limits{})
			if text(p) != "after" || len(p.Images) != 1 || p.Images[0].Mask != (tt.name == "mask") {
				t.Errorf("text %q images %+v", text(p), p.Images)
			}
		})
	}
}

// TestType3 runs glyph streams without text of their own.
func TestType3(t *testing.T) {
	var d pdftest.Document
	proc := d.Stream("", "500 0 d0 BT /F1 1000 Tf (Z) Tj ET")
	font := d.Add(fmt.Sprintf("<</Type /Font /Subtype /Type3 /FontMatrix [.001 0 0 .001 0 0] /FontBBox [0 0 1000 1000] /FirstChar 1 /Widths [500]"+
		" /CharProcs <</glyph %d 0 R>> /Encoding <</Differences [1 /glyph]>> /Resources %s>>", proc, pdftest.Fonts))
	d.Page("BT /T 10 Tf 100 700 Td <0101> Tj ET", fmt.Sprintf("<</Font <</T %d 0 R>>>>", font), "")
	p := read(t, d.Bytes(), Limits{})
	if text(p) != "ZZ" || math.Abs(p.Glyphs[len(p.Glyphs)-1].Size-10) > .01 {
		t.Errorf("glyphs %+v", p.Glyphs)
	}
}

func TestAnnotations(t *testing.T) {
	var d pdftest.Document
	ap := d.Stream("/Type /XObject /Subtype /Form /BBox [0 0 100 20] /Resources "+pdftest.Fonts, pdftest.Text("F1", 10, 2, 5, "value"))
	d.Page("", pdftest.Fonts, fmt.Sprintf("/Annots ["+
		"<</Subtype /Link /Rect [10 10 60 20] /A <</S /URI /URI (https://example.com/)>>>> "+
		"<</Subtype /Widget /Rect [100 100 200 120] /AP <</N %d 0 R>>>> "+
		"<</Subtype /Widget /F 2 /Rect [100 200 200 220] /AP <</N %d 0 R>>>>]", ap, ap))
	p := read(t, d.Bytes(), Limits{})
	if text(p) != "value" || p.Glyphs[0].X != 102 || p.Glyphs[0].Flags&Field == 0 {
		t.Errorf("glyphs %+v", p.Glyphs)
	}
	if len(p.Links) != 1 || p.Links[0].URI != "https://example.com/" || p.Links[0].Box != (Box{10, 772, 60, 782}) {
		t.Errorf("links %+v", p.Links)
	}
}

// TestValues shows the values of fields whose appearances have no text.
func TestValues(t *testing.T) {
	for entries, want := range map[string]string{
		"/FT /Tx /V (Apples) /DA (0 g /F 9 Tf)":                            "Apples 9",
		"/FT /Tx /V (Apples) /DA (0 g /F 0 Tf)":                            "Apples 12",
		"/FT /Tx /V (Apples)":                                              "Apples 12",
		"/FT /Tx /V (one\\rtwo) /DA (/F 8 Tf)":                             "one 8 two 8",
		"/FT /Ch /V (a) /Opt [[(a) (Apples)] [(b) (Pears)]] /DA (/F 8 Tf)": "Apples 8",
		"/FT /Ch /V [(a) (b)] /Opt [[(a) (Apples)] (b)] /DA (/F 8 Tf)":     "Apples, b 8",
		"/FT /Tx /Ff 8192 /V (secret)":                                     "",
		"/FT /Btn /V /Yes":                                                 "☑ 12",
		"/FT /Btn /V /Yes /AS /Off":                                        "☐ 12",
		"/FT /Btn /Ff 65536 /V /Yes":                                       "",
		"/FT /Tx /V (Apples) /F 2":                                         "",
		"/Parent <</FT /Tx /V (Apples) /DA (/F 7 Tf)>>":                    "Apples 7",
		"/FT /Tx":        "",
		"/FT /Tx /V ( )": "",
	} {
		var d pdftest.Document
		d.Page("", pdftest.Fonts, "/Annots [<</Subtype /Widget /Rect [100 100 200 124] "+entries+">>]")
		var got []string
		for _, g := range read(t, d.Bytes(), Limits{}).Glyphs {
			got = append(got, fmt.Sprint(g.Text, " ", g.Size))
			if g.Flags != Field || g.Box.X0 < 100 || g.Box.X1 > 202 || g.Font == nil {
				t.Errorf("%s: %+v", entries, g)
			}
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: %q, want %q", entries, s, want)
		}
	}
}

// TestUnreadable shows the value of a field in place of an appearance whose
// font does not map glyphs to characters.
func TestUnreadable(t *testing.T) {
	var d pdftest.Document
	font := "<</Type /Font /Subtype /Type0 /BaseFont /None /Encoding /Identity-H /DescendantFonts [<</Type /Font /Subtype /CIDFontType2 /BaseFont /None>>]>>"
	ap := d.Stream("/Subtype /Form /BBox [0 0 100 24] /Resources <</Font <</F "+font+">>>>", "BT /F 9 Tf 2 5 Td <11112222> Tj ET")
	d.Page("", pdftest.Fonts, fmt.Sprintf("/Annots ["+
		"<</Subtype /Widget /Rect [100 100 200 124] /FT /Tx /V (Apples) /AP <</N %d 0 R>>>> "+
		"<</Subtype /Widget /Rect [100 200 200 224] /FT /Tx /AP <</N %d 0 R>>>>]", ap, ap))
	if got := text(read(t, d.Bytes(), Limits{})); got != "Apples\ufffd\ufffd" {
		t.Errorf("fields show %q", got)
	}
}

func TestLimits(t *testing.T) {
	many := "BT /F1 10 Tf [" + strings.Repeat("(aaaaaaaaaa)", 1000) + "] TJ ET"
	p := read(t, pdftest.Pages(many), Limits{Glyphs: 100})
	if len(p.Glyphs) != 100 || !p.Truncated {
		t.Errorf("%d glyphs, truncated %v", len(p.Glyphs), p.Truncated)
	}
	p = read(t, pdftest.Pages("0 0 m "+strings.Repeat("5 5 l ", 1000)+"S"), Limits{Segments: 50})
	if !p.Truncated {
		t.Error("a path over the limit does not truncate")
	}
}

func TestCancel(t *testing.T) {
	data := pdftest.Pages(strings.Repeat("q Q ", 10_000))
	f, err := object.Open(t.Context(), bytes.NewReader(data), int64(len(data)), object.Options{})
	if err != nil {
		t.Fatal(err)
	}
	pages, _ := f.Pages(0)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := NewDocument(f, Limits{}).Page(ctx, pages[0]); err == nil {
		t.Error("a cancelled context does not end the page")
	}
}

// FuzzContent interprets arbitrary bytes as the content of a page.
func FuzzContent(f *testing.F) {
	f.Add("BT /F1 12 Tf 72 700 Td [(a) -200 <62>] TJ ET 10 10 m 20 10 l S")
	f.Add("q BI /W 1 /H 1 ID x EI Q /OC /X BDC 1 0 0 1 0 0 cm EMC 3 Tr (x) '")
	f.Add("/X1 Do [ ( << /A [ 1 0 R ] >> -- .. +")
	data := pdftest.Pages("")
	f.Fuzz(func(t *testing.T, ops string) {
		file, err := object.Open(t.Context(), bytes.NewReader(data), int64(len(data)), object.Options{})
		if err != nil {
			t.Fatal(err)
		}
		pages, _ := file.Pages(0)
		d := NewDocument(file, Limits{Glyphs: 10_000, Segments: 10_000})
		in := interp{doc: d, file: file, page: &Page{Width: 612, Height: 792}, ctx: t.Context(), tm: identity, tlm: identity}
		in.gs = newState(matrix{1, 0, 0, -1, 0, 792}, Box{0, 0, 612, 792})
		in.run([]byte(ops), pages[0].Resources, 0)
		for _, g := range in.page.Glyphs {
			if math.IsNaN(g.X) || math.IsNaN(g.Y) {
				t.Fatalf("a glyph at %v, %v", g.X, g.Y)
			}
		}
	})
}

// TestSharedContent reads many pages with the same content. As many as the
// shared budget allows are complete; the others report that content is
// missing. Pages of ordinary content may all share it.
func TestSharedContent(t *testing.T) {
	for _, c := range []struct {
		name         string
		glyphs, want int // glyphs of each page; how many of 40 pages are complete
	}{
		{"a letter", 400, 40},
		{"a flood", 100_000, 3},
	} {
		var d pdftest.Document
		content := d.Stream("", "BT /F1 9 Tf 72 700 Td "+strings.Repeat("(abcdefghij) Tj ", c.glyphs/10)+"ET")
		for range 40 {
			d.Page("", pdftest.Fonts, "")
		}
		data := regexp.MustCompile(`/Contents \d+ 0 R`).ReplaceAllFunc(d.Bytes(), func(old []byte) []byte {
			return fmt.Appendf(nil, "%-*s", len(old), fmt.Sprintf("/Contents %d 0 R", content))
		})
		f, err := object.Open(t.Context(), object.Bytes(data), int64(len(data)), object.Options{})
		if err != nil {
			t.Fatal(err)
		}
		doc := NewDocument(f, Limits{})
		pages, _ := f.Pages(0)
		whole := 0
		for _, p := range pages {
			page, err := doc.Page(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			if len(page.Glyphs) == c.glyphs && !page.Truncated {
				whole++
			} else if !page.Truncated {
				t.Errorf("%s: a page of %d glyphs says that it is whole", c.name, len(page.Glyphs))
			}
			page.Release()
		}
		if whole != c.want {
			t.Errorf("%s: %d of %d pages are whole, want %d", c.name, whole, len(pages), c.want)
		}
	}
}
