// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/internal/test/leak"
	"example.com/curlew/internal/test/pdftest"
	"example.com/curlew/parse/internal/pdf/content"
	"example.com/curlew/parse/internal/pdf/font"
	"example.com/curlew/parse/internal/pdf/object"
)

func TestMain(m *testing.M) { leak.Main(m) }

// pagesOf interprets the pages of a file.
func pagesOf(t *testing.T, o Options, data []byte) []*Page {
	t.Helper()
	f, err := object.Open(t.Context(), bytes.NewReader(data), int64(len(data)), object.Options{})
	if err != nil {
		t.Fatal(err)
	}
	pages, _ := f.Pages(0)
	d := content.NewDocument(f, content.Limits{})
	var out []*Page
	for i, p := range pages {
		c, err := d.Page(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, NewPage(t.Context(), i+1, c, o))
	}
	return out
}

func linesOf(p *Page) []string {
	var out []string
	for i := range p.Lines {
		out = append(out, p.Lines[i].Text())
	}
	return out
}

func TestWords(t *testing.T) {
	tests := []struct {
		name, content string
		want          []string
	}{
		{"a space glyph", "BT /F1 10 Tf 50 700 Td (two words) Tj ET", []string{"two words"}},
		{"a gap", "BT /F1 10 Tf 50 700 Td [(two) -300 (words)] TJ ET", []string{"two words"}},
		{"kerning", "BT /F1 10 Tf 50 700 Td [(ker) 20 (ni) -60 (ng)] TJ ET", []string{"kerning"}},
		{"a frame around a word before a semicolon", "49 680 25.05 40 re S BT /F3 10 Tf 50 700 Td (tbpl) Tj 24.1 0 Td (; x) Tj ET", []string{"tbpl; x"}},
		{"tracking", "BT /F1 10 Tf 3 Tc 50 700 Td (wide) Tj ET", []string{"wide"}},
		{"tracking and a space", "BT /F3 10 Tf 3 Tc 50 700 Td (TWO WORDS) Tj ET", []string{"TWO WORDS"}},
		{"tracking between words", "BT /F3 10 Tf 50 700 Td (Thi) Tj 2.4 Tc 18 0 Td (sc) Tj 0 Tc 14.4 0 Td (hapter) Tj ET", []string{"This chapter"}},
		{"a space whose width is taken away", "BT /F3 10 Tf 50 700 Td -6 Tw (chapt er) Tj ET", []string{"chapter"}},
		{"a space under the last letter", "BT /F3 10 Tf 50 700 Td (fa) Tj -3 Tw 9 0 Td ( ce) Tj ET", []string{"face"}},
		{"a narrow space", "BT /F3 10 Tf 50 700 Td -4.5 Tw (to be) Tj ET", []string{"to be"}},
		{"a wide gap ends the line", "BT /F1 10 Tf 50 700 Td [(left) -9000 (right)] TJ ET", []string{"left", "right"}},
		{"painted twice", "BT /F1 10 Tf 50 700 Td (bold) Tj ET BT /F1 10 Tf 50.3 700 Td (bold) Tj ET", []string{"bold"}},
		{"each glyph painted twice", "BT /F3 10 Tf 50 700 Td (b) Tj .3 0 Td (b) Tj 5.7 0 Td (c) Tj .3 0 Td (c) Tj ET", []string{"bc"}},
		{"a superscript", "BT /F1 10 Tf 50 700 Td (x) Tj 5 4 Td /F1 6 Tf (2) Tj ET", []string{"x2"}},
		{"out of order", pdftest.Text("F1", 10, 85, 700, "second") + pdftest.Text("F1", 10, 60, 700, "first"), []string{"first second"}},
		{"a lowered letter inside a word", "BT /F3 10 Tf 50 700 Td (T) Tj 4.3 -3.2 Td (E) Tj 4.7 3.2 Td (X is) Tj ET", []string{"TEX is"}},
		{"a small raised letter inside a word", "BT /F3 10 Tf 50 700 Td (L) Tj 2.4 2.1 Td /F3 7 Tf (A) Tj 2.7 -2.1 Td /F3 10 Tf (T is) Tj ET", []string{"LAT is"}},
		{"a letter between two lines", "BT /F3 10 Tf 50 700 Td (T) Tj 30 -3.2 Td (E) Tj ET", []string{"T", "E"}},
		{"an accent raised over a capital", "BT /F1 10 Tf 50 700 Td (M) Tj 10.3 2 Td (\\250) Tj -1.95 -2 Td (UNCHEN) Tj ET", []string{"MÜNCHEN"}},
		{"an accent narrower than its letter", "BT /F1 10 Tf 50 700 Td (a) Tj 7.5 0 Td (\\250) Tj -1.95 0 Td (we) Tj ET", []string{"aẅe"}},
		{"a power of two signs", "BT /F1 10 Tf 50 700 Td (10) Tj 11.1 4 Td /F1 6 Tf (-4) Tj ET", []string{"10-4"}},
		{"a power whose sign is of another font", "BT /F1 10 Tf 50 700 Td (10) Tj 11.1 4 Td /F2 6 Tf (+) Tj 3.5 0 Td /F1 6 Tf (4) Tj ET", []string{"10+4"}},
		{"a ligature", "BT /F1 10 Tf 50 700 Td (of\\223ce) Tj ET", []string{"of“ce"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := pagesOf(t, Options{}, pdftest.Pages(tt.content))[0]
			if diff := cmp.Diff(tt.want, linesOf(p)); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
		})
	}
}

// TestStruckSign combines a sign with the stroke that TeX paints before it, which is
// in another font.
func TestStruckSign(t *testing.T) {
	var glyphs []*content.Glyph
	for i, text := range []string{"i", "\u0338", "=", "j"} {
		x := []float64{50, 58, 58, 70}[i]
		glyphs = append(glyphs, &content.Glyph{
			Text: text, X: x, Y: 100, Adv: 7, Size: 10, DX: 1, MCID: -1, Seq: i, Font: &font.Font{},
			Box: content.Box{X0: x, X1: x + 7, Y0: 92, Y1: 102},
		})
	}
	var got []string
	for _, w := range words(t.Context(), glyphs, 0, nil, 10) {
		got = append(got, w.Text)
	}
	if s := strings.Join(got, ""); s != "i≠j" {
		t.Errorf("text %q", got)
	}
}

func TestClean(t *testing.T) {
	tests := []struct{ in, want string }{
		{"plain", "plain"},
		{"oﬃce ﬁne", "office fine"},
		{"\uf0b7", "•"},
		{"a\u00a0b\x00\u200b", "a b"},
		{"e\u0301", "é"},
		{"ﻣﺮﺣﺒﺎ", "مرحبا"},
	}
	for _, tt := range tests {
		if got := clean(tt.in); got != tt.want {
			t.Errorf("clean(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestAccented(t *testing.T) {
	tests := []struct {
		accent, letter, want string
		ok                   bool
	}{
		{"¨", "ı", "ï", true},
		{"´", "e", "é", true},
		{"¸", "c", "ç", true},
		{"a", "e", "", false},
		{"´", "!", "", false},
	}
	for _, tt := range tests {
		if got, ok := accented(tt.accent, tt.letter); got != tt.want || ok != tt.ok {
			t.Errorf("accented(%q, %q) = %q, %v, want %q, %v", tt.accent, tt.letter, got, ok, tt.want, tt.ok)
		}
	}
}

func TestLogical(t *testing.T) {
	tests := []struct{ visual, want string }{
		{"םולש", "שלום"},
		{"123 םולש", "שלום 123"},
		{"(םולש)", "(שלום)"},
		{"3.5 רפסמ", "מספר 3.5"},
	}
	for _, tt := range tests {
		var glyphs []string
		for _, r := range tt.visual {
			glyphs = append(glyphs, string(r))
		}
		if got := logical(glyphs); got != tt.want {
			t.Errorf("logical(%q) = %q, want %q", tt.visual, got, tt.want)
		}
	}
}

func TestMarker(t *testing.T) {
	tests := []struct{ in, mark, rest string }{
		{"• item", "•", "item"},
		{"•item", "•", "item"},
		{"- item", "-", "item"},
		{"-5 degrees", "", "-5 degrees"},
		{"1. item", "1.", "item"},
		{"12) item", "12)", "item"},
		{"(a) item", "(a)", "item"},
		{"iv. item", "iv.", "item"},
		{"1999. was a year", "", "1999. was a year"},
		{"1.5 times", "", "1.5 times"},
		{"word word", "", "word word"},
		{"3.", "3.", ""},
	}
	for _, tt := range tests {
		if mark, rest := marker(tt.in); mark != tt.mark || rest != tt.rest {
			t.Errorf("marker(%q) = %q, %q, want %q, %q", tt.in, mark, rest, tt.mark, tt.rest)
		}
	}
}

func TestSection(t *testing.T) {
	for in, want := range map[string]int{
		"1 Introduction": 1, "2.1 Methods": 2, "3.2.1. Results": 3, "A.1 Proofs": 2, "Chapter 4 Ends": 1, "Appendix B Data": 1,
		"2019 was": 0, "Introduction": 0, "1.2.3": 0, "Section of": 0,
	} {
		if got, _ := section(in); got != want {
			t.Errorf("section(%q) = %d, want %d", in, got, want)
		}
	}
}

func TestCaptioned(t *testing.T) {
	for in, want := range map[string]bool{
		"Figure 1. A thing": true, "Fig. 2: x": true, "TABLE 35: UNION": true, "Table IV Results": true, "Table A.1 x": true,
		"Figure it out": false, "Tables are": false, "Figure": false,
	} {
		if got := captioned(in); got != want {
			t.Errorf("captioned(%q) = %v", in, got)
		}
	}
}

// TestHyphen checks which hyphens at the end of a line are removed.
func TestHyphen(t *testing.T) {
	v := Vocabulary{"knownword": {}, "well-formed": {}}
	tests := []struct {
		left, right  string
		joined, drop bool
	}{
		{"exam-", "ple", true, true},
		{"state-", "of-the-art", true, false},
		{"COVID-", "19", true, false},
		{"COVID-", "related", true, false},
		{"self-", "made", true, false},
		{"known-", "word", true, true},
		{"well-", "formed", true, false},
		{"soft\u00ad", "hyphen", true, true},
		{"Anglo-", "Saxon", true, false},
		{"1990-", "ies", true, false},
		{"Known-", "Word", true, true},
		{"-", "dash", false, false},
		{"word", "word", false, false},
	}
	for _, tt := range tests {
		if joined, drop := v.hyphen(tt.left, tt.right); joined != tt.joined || drop != tt.drop {
			t.Errorf("hyphen(%q, %q) = %v, %v, want %v, %v", tt.left, tt.right, joined, drop, tt.joined, tt.drop)
		}
	}
}

// TestOrder sorts boxes into reading order. A picture is drawn with
// characters: each letter is an element, and its box is the run of that
// letter.
func TestOrder(t *testing.T) {
	tests := []struct {
		name, picture, want string
	}{
		{"one column", "aaaa\nbbbb\ncccc", "abc"},
		{"two columns", "aaaa  eeee\nbbbb  ffff\ncccc  gggg\ndddd  hhhh", "abcdefgh"},
		{"a heading over two columns", "tttttttttt\naaaa  eeee\nbbbb  ffff\ncccc  gggg\ndddd  hhhh", "tabcdefgh"},
		{"a wide band between columns", "aaaa  cccc\nbbbb  dddd\nwwwwwwwwww\neeee  gggg\nffff  hhhh", "abcdwefgh"},
		{"three columns", "aaa  ddd  ggg\nbbb  eee  hhh\nccc  fff  iii", "abcdefghi"},
		{"a row", "a  b  c", "abc"},
		{"nothing", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var es []element
			for y, row := range strings.Split(tt.picture, "\n") {
				for x := range len(row) {
					if row[x] == ' ' || x > 0 && row[x-1] == row[x] {
						continue
					}
					end := x
					for end < len(row) && row[end] == row[x] {
						end++
					}
					es = append(es, element{
						box:  content.Box{X0: float64(x) * 20, Y0: float64(y) * 12, X1: float64(end) * 20, Y1: float64(y)*12 + 10},
						size: 10, line: int(row[x]), whole: -1,
					})
				}
			}
			// The order of painting must not matter.
			for i, j := 0, len(es)-1; i < j; i, j = i+1, j-1 {
				es[i], es[j] = es[j], es[i]
			}
			var got strings.Builder
			for _, e := range order(es) {
				got.WriteString(string(rune(e.line)))
			}
			if got.String() != tt.want {
				t.Errorf("order = %q, want %q", got.String(), tt.want)
			}
		})
	}
}

// kindsOf builds a document and returns its blocks, each with a letter for
// its kind.
func kindsOf(t *testing.T, data []byte, outline Outline) []string {
	t.Helper()
	d, err := Build(t.Context(), pagesOf(t, Options{}, data), outline, nil)
	if err != nil {
		t.Fatal(err)
	}
	names := map[Kind]string{
		Paragraph: "p", Heading: "h", Item: "li", TableBlock: "table", Code: "code", Caption: "caption",
		Footnote: "note", Running: "running", PageNumber: "number",
	}
	var out []string
	for i := range d.Blocks {
		b := &d.Blocks[i]
		name := names[b.Kind]
		if b.Kind == Heading || b.Kind == Item {
			name += fmt.Sprint(b.Level)
		}
		var text strings.Builder
		for _, r := range d.Runs(b) {
			if r.Page != 0 {
				fmt.Fprintf(&text, "{%d}", r.Page)
			}
			text.WriteString(r.Text)
		}
		out = append(out, name+" "+text.String())
	}
	return out
}

func TestBuild(t *testing.T) {
	body := pdftest.Lines("F1", 10, 50, 640, 12, "A paragraph of body text stands here for the size of most", "characters, and it has an exam-", "ple of a hyphen in it.")
	page := func(n int, lines ...string) string {
		return pdftest.Text("F1", 8, 50, 770, "The Running Title") + pdftest.Text("F1", 8, 300, 20, fmt.Sprint(n+10)) + pdftest.Lines("F1", 10, 50, 640, 12, lines...)
	}
	tests := []struct {
		name    string
		data    []byte
		outline Outline
		want    []string
	}{
		{
			"headings by size and weight",
			pdftest.Pages(pdftest.Text("F1", 20, 50, 720, "The Title") + pdftest.Text("F2", 10, 50, 670, "A bold heading") + body),
			nil,
			[]string{"h1 The Title", "h2 A bold heading", "p A paragraph of body text stands here for the size of most characters, and it has an example of a hyphen in it."},
		},
		{
			"a title over names, a heading with a symbol, one at the end of a page",
			pdftest.Pages(
				pdftest.Text("F1", 17, 240, 740, "On Foxes")+pdftest.Text("F1", 12, 250, 715, "Jane Doe")+
					pdftest.Text("F2", 14, 50, 670, "1 Overview")+body+pdftest.Text("F2", 14, 50, 590, "2 The ")+pdftest.Text("F1", 14, 92, 590, "x")+pdftest.Text("F2", 14, 103, 590, "rule of foxes")+
					pdftest.Lines("F1", 10, 50, 570, 12, "More of the body text of this document stands here and there."),
				pdftest.Text("F2", 14, 50, 740, "3 ")+pdftest.Text("F1", 14, 62, 740, "Names of foxes in")+pdftest.Text("F2", 14, 183, 740, "text")+body),
			nil,
			[]string{
				"h1 On Foxes", "p Jane Doe", "h2 1 Overview", "p A paragraph of body text stands here for the size of most characters, and it has an example of a hyphen in it.",
				"h2 2 The x rule of foxes", "p More of the body text of this document stands here and there.",
				"h2 3 Names of foxes in text", "p A paragraph of body text stands here for the size of most characters, and it has an example of a hyphen in it.",
			},
		},
		{
			"the order of painting where it differs little",
			pdftest.Pages(pdftest.Text("F1", 10, 350, 700, "A word of thanks was painted first.") + pdftest.Text("F1", 10, 50, 701, "The text begins beside it.") +
				pdftest.Lines("F1", 10, 50, 640, 40, "It goes on below in a line.", "It goes on below in another.", "It goes on below in a third.", "It goes on below to its end.")),
			nil,
			[]string{
				"p A word of thanks was painted first.", "p The text begins beside it.", "p It goes on below in a line.",
				"p It goes on below in another.", "p It goes on below in a third.", "p It goes on below to its end.",
			},
		},
		{
			"headings by the outline",
			pdftest.Pages(pdftest.Text("F1", 10, 50, 720, "Quite plain") + body),
			Outline{Key("1 Quite plain"): 1},
			[]string{"h1 Quite plain", "p A paragraph of body text stands here for the size of most characters, and it has an example of a hyphen in it."},
		},
		{
			"running headers, page numbers, a paragraph over two breaks",
			pdftest.Pages(
				page(1, "The first page has a sentence that does not end with it but", "goes on upon the next of the pages that this document has and"),
				page(2, "there it is, still without an end, so that a third page has to", "bring what the two before it could not, for they were short of"),
				page(3, "room.")),
			nil,
			[]string{
				"running The Running Title",
				"p The first page has a sentence that does not end with it but goes on upon the next of the pages that this document has and{2} there it is, still without an end, so that a third page has to bring what the two before it could not, for they were short of{3} room.",
				"number 11", "running The Running Title", "number 12", "running The Running Title", "number 13",
			},
		},
		{
			"code at the end of a sentence",
			pdftest.Pages(pdftest.Lines("F1", 10, 50, 640, 12, "A paragraph of body text stands here for the size of most", "characters, and its last line has but the name of a function,") + pdftest.Text("F3", 10, 50, 616, "fmt.Println.")),
			nil,
			[]string{"p A paragraph of body text stands here for the size of most characters, and its last line has but the name of a function, fmt.Println."},
		},
		{
			"numbered paragraphs",
			pdftest.Pages(pdftest.Lines("F1", 10, 50, 700, 12, "3.1.6 decoder: what takes a stream apart in the order of", "3.1.4 and of nothing else.", "3.1.7 encoder: what puts it together.", "3.1.8 coder: one of the two.")),
			nil,
			[]string{"p 3.1.6 decoder: what takes a stream apart in the order of 3.1.4 and of nothing else.", "p 3.1.7 encoder: what puts it together.", "p 3.1.8 coder: one of the two."},
		},
		{
			"numbered lines of code",
			pdftest.Pages(pdftest.Lines("F1", 10, 50, 700, 12, "1", "2", "3", "4") + pdftest.Lines("F3", 10, 80, 700, 12, "if x {", "  return 1, nil", "}", "return 0, err")),
			nil,
			[]string{"code 1 if x { 2 return 1, nil 3 } 4 return 0, err"},
		},
		{
			"lists",
			pdftest.Pages(pdftest.Text("F1", 10, 50, 700, "\x95 one") + pdftest.Text("F1", 10, 70, 686, "\x96 inner one") + pdftest.Text("F1", 10, 70, 672, "\x96 inner two") + pdftest.Text("F1", 10, 50, 658, "\x95 two")),
			nil,
			[]string{"li0 one", "li1 inner one", "li1 inner two", "li0 two"},
		},
		{
			"code",
			pdftest.Pages(pdftest.Lines("F3", 10, 50, 700, 12, "if x {", "  return", "}") + body),
			nil,
			[]string{"code if x { return }", "p A paragraph of body text stands here for the size of most characters, and it has an example of a hyphen in it."},
		},
		{
			"a caption",
			pdftest.Pages(pdftest.Text("F1", 10, 50, 700, "Figure 3. What it shows") + body),
			nil,
			[]string{"caption Figure 3. What it shows", "p A paragraph of body text stands here for the size of most characters, and it has an example of a hyphen in it."},
		},
		{
			"a footnote",
			pdftest.Pages("BT /F1 10 Tf 50 700 Td (Said so) Tj 34 4 Td /F1 6 Tf (1) Tj ET " + body + "BT /F1 5 Tf 50 64 Td (1) Tj /F1 8 Tf 4 -3 Td (By someone.) Tj ET"),
			nil,
			[]string{"p Said so1", "p A paragraph of body text stands here for the size of most characters, and it has an example of a hyphen in it.", "note By someone."},
		},
		{
			"two footnotes, whose marks are a space before them",
			pdftest.Pages("BT /F1 10 Tf 50 700 Td (Said so) Tj 34 4 Td /F1 6 Tf (1) Tj ET BT /F1 10 Tf 50 670 Td (And so) Tj 31 4 Td /F1 6 Tf (2) Tj ET " + body + "BT /F1 6 Tf 50 64 Td (1) Tj /F1 8 Tf 6.6 -3 Td (By someone.) Tj ET BT /F1 6 Tf 50 54 Td (2) Tj /F1 8 Tf 6.6 -3 Td (By another.) Tj ET"),
			nil,
			[]string{"p Said so1", "p And so2", "p A paragraph of body text stands here for the size of most characters, and it has an example of a hyphen in it.", "note By someone.", "note By another."},
		},
		{
			"two footnotes, whose marks are numbers on the line",
			pdftest.Pages("BT /F1 10 Tf 50 700 Td (Said so) Tj 34 4 Td /F1 6 Tf (1) Tj ET BT /F1 10 Tf 50 670 Td (And so) Tj 31 4 Td /F1 6 Tf (2) Tj ET " + body + pdftest.Lines("F1", 8, 50, 64, 10, "1By someone.", "2By another.")),
			nil,
			[]string{"p Said so1", "p And so2", "p A paragraph of body text stands here for the size of most characters, and it has an example of a hyphen in it.", "note By someone.", "note By another."},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, kindsOf(t, tt.data, tt.outline)); diff != "" {
				t.Errorf("blocks (-want +got):\n%s", diff)
			}
		})
	}
}

func TestListing(t *testing.T) {
	p := pagesOf(t, Options{}, pdftest.Pages(pdftest.Lines("F3", 10, 50, 700, 12, "if x {", "  return 1", "}")))[0]
	bs := code(blocksOf(p, nil))
	if len(bs) != 1 || bs[0].Listing() != "if x {\n  return 1\n}" {
		t.Errorf("blocks %+v", bs)
	}
	scan := pagesOf(t, Options{KeepHidden: true}, pdftest.Pages("3 Tr "+pdftest.Lines("F3", 10, 50, 700, 12, "recognised text is", "in any font at all")))[0]
	if bs := code(blocksOf(scan, nil)); len(bs) != 1 || bs[0].Kind != Paragraph {
		t.Errorf("a scan is %+v", bs)
	}
}

// TestGuard removes text that people cannot see.
func TestGuard(t *testing.T) {
	tests := []struct {
		name, content string
		hidden        bool
	}{
		{"plain", pdftest.Text("F1", 10, 50, 700, "x"), false},
		{"white on white", "1 g " + pdftest.Text("F1", 10, 50, 700, "x"), true},
		{"white on black", "0 g 40 690 100 30 re f 1 g " + pdftest.Text("F1", 10, 50, 700, "x"), false},
		{"black on black", "0 g 40 690 100 30 re f " + pdftest.Text("F1", 10, 50, 700, "x"), true},
		{"tiny", pdftest.Text("F1", .5, 50, 700, "x"), true},
		{"off the page", pdftest.Text("F1", 10, -90, 700, "x"), true},
		{"clipped", "0 0 9 9 re W n " + pdftest.Text("F1", 10, 50, 700, "x"), true},
		{"covered", pdftest.Text("F1", 10, 50, 700, "x") + "1 g 40 690 100 30 re f", true},
		{"invisible without an image", "3 Tr " + pdftest.Text("F1", 10, 50, 700, "x"), true},
		{"invisible over a scan", "q 612 0 0 792 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G ID x EI Q 3 Tr " + pdftest.Text("F1", 10, 50, 700, "x"), false},
		{"under a scan", pdftest.Text("F1", 10, 50, 700, "x") + "q 612 0 0 792 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G ID x EI Q", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := pagesOf(t, Options{}, pdftest.Pages(tt.content))[0]
			if got := len(p.Lines) == 0; got != tt.hidden || got != (p.Hidden == 1) {
				t.Errorf("hidden = %v (%d), want %v", got, p.Hidden, tt.hidden)
			}
			off := tt.name == "off the page" // text outside the page is never kept
			if p := pagesOf(t, Options{KeepHidden: true}, pdftest.Pages(tt.content))[0]; (len(p.Lines) == 1) == off {
				t.Errorf("KeepHidden gives %d lines", len(p.Lines))
			}
		})
	}
}

// TestTurned reads pages whose text runs along another edge.
func TestTurned(t *testing.T) {
	for _, m := range []string{"1 0 0 1 100 700", "0 1 -1 0 300 100", "-1 0 0 -1 500 400", "0 -1 1 0 300 700"} {
		p := pagesOf(t, Options{}, pdftest.Pages("BT /F1 10 Tf "+m+" Tm (first line) Tj 0 -14 Td (second line) Tj ET"))[0]
		bs := blocksOf(p, nil)
		if len(bs) != 1 || bs[0].Text() != "first line second line" {
			t.Errorf("%s: %q", m, linesOf(p))
		}
		for i := range p.Lines {
			if b := p.Lines[i].Box; b.X0 < 0 || b.Y0 < 0 || b.X1 > p.Width || b.Y1 > p.Height {
				t.Errorf("%s: a line at %v on a page of %v by %v", m, b, p.Width, p.Height)
			}
		}
	}
}
