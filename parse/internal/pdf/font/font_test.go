// SPDX-License-Identifier: Apache-2.0

package font

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/curlew/internal/test/leak"
	"example.com/curlew/internal/test/pdftest"
	"example.com/curlew/parse/internal/pdf/object"
)

func TestMain(m *testing.M) { leak.Main(m) }

func TestGlyphText(t *testing.T) {
	tests := []struct{ name, want string }{
		{"A", "A"},
		{"Aacute", "Á"},
		{"fi", "ﬁ"},
		{"f_f_i", "ffi"},
		{"A.swash", "A"},
		{"uni20AC", "€"},
		{"uni20AC0308", "€\u0308"},
		{"u1F600", "😀"},
		{"Lcommaaccent_uni20AC0308_u1040C.alternate", "Ļ€\u0308\U0001040C"}, // the example of the specification
		{"foo", ""},
		{".notdef", ""},
		{"a110", ""}, // a name of ZapfDingbats only
		{"uniZZZZ", ""},
	}
	for _, tt := range tests {
		if got := GlyphText(tt.name); got != tt.want {
			t.Errorf("GlyphText(%q) = %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestCMapText(t *testing.T) {
	tests := []struct {
		name, cmap string
		code       uint32
		want       string
		ok         bool
	}{
		{"char", "1 beginbfchar <01> <0041> endbfchar", 1, "A", true},
		{"none", "1 beginbfchar <01> <0041> endbfchar", 2, "", false},
		{"ligature", "1 beginbfchar <0001> <00660066> endbfchar", 1, "ff", true},
		{"surrogates", "1 beginbfchar <0001> <D83DDE00> endbfchar", 1, "😀", true},
		{"range", "1 beginbfrange <0010> <0020> <0041> endbfrange", 0x12, "C", true},
		{"range past its end", "1 beginbfrange <0010> <0020> <0041> endbfrange", 0x21, "", false},
		{"range from zero", "1 beginbfrange <0000> <FFFF> <0000> endbfrange", 'x', "x", true},
		{"array", "1 beginbfrange <01> <03> [<0061> <0062> <0063>] endbfrange", 3, "c", true},
		{"the last of two wins", "2 beginbfchar <01> <0041> <01> <0042> endbfchar", 1, "B", true},
		{"odd length", "1 beginbfchar <01> <041> endbfchar", 1, "А", true},
		{"name", "1 beginbfchar <01> /Euro endbfchar", 1, "€", true},
		{"huge range", "1 beginbfrange <00000000> <FFFFFFFF> <0041> endbfrange", 5, "F", true},
		{"comment and junk", "% x\n) } 1 beginbfchar <01> <0041> endbfchar", 1, "A", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := ParseCMap([]byte(tt.cmap), nil).Text(tt.code)
			if got != tt.want || ok != tt.ok {
				t.Errorf("Text(%#x) = %q, %v, want %q, %v", tt.code, got, ok, tt.want, tt.ok)
			}
		})
	}
}

func TestCMapNext(t *testing.T) {
	m := ParseCMap([]byte("2 begincodespacerange <00> <80> <8140> <9FFC> endcodespacerange 1 begincidrange <8140> <817E> 633 endcidrange"), nil)
	tests := []struct {
		in   string
		code uint32
		n    int
	}{
		{"A", 'A', 1},
		{"\x81\x40x", 0x8140, 2},
		{"\x81", 0x81, 1},
		{"\xff\xff", 0xff, 1},
	}
	for _, tt := range tests {
		if code, n := m.Next([]byte(tt.in)); code != tt.code || n != tt.n {
			t.Errorf("Next(%q) = %#x, %d, want %#x, %d", tt.in, code, n, tt.code, tt.n)
		}
	}
	if cid, ok := m.CID(0x8142); !ok || cid != 635 {
		t.Errorf("CID = %d, %v", cid, ok)
	}
}

func TestUseless(t *testing.T) {
	tests := []struct {
		cmap string
		want bool
	}{
		{"4 beginbfchar <01> <0020> <02> <0020> <03> <0020> <04> <0020> endbfchar", true},
		{"2 beginbfchar <01> <FFFD> <02> <0000> endbfchar", true},
		{"2 beginbfchar <01> <0041> <02> <0042> endbfchar", false},
	}
	for _, tt := range tests {
		if got := ParseCMap([]byte(tt.cmap), nil).useless(); got != tt.want {
			t.Errorf("useless(%q) = %v", tt.cmap, got)
		}
	}
}

// load reads a font that build writes as an object.
func load(t *testing.T, build func(d *pdftest.Document) string) *Font {
	t.Helper()
	var d pdftest.Document
	n := d.Add(build(&d))
	d.Page("", "<<>>", "")
	data := d.Bytes()
	f, err := object.Open(t.Context(), bytes.NewReader(data), int64(len(data)), object.Options{})
	if err != nil {
		t.Fatal(err)
	}
	l := Loader{File: f}
	return l.Load(object.Ref{Num: n})
}

// show returns the text of a string and the sum of its widths.
func show(f *Font, s string) (text string, width float64) {
	for b := []byte(s); len(b) > 0; {
		g, n := f.Next(b)
		text += g.Text
		width += g.Width
		b = b[n:]
	}
	return text, width
}

func TestSimple(t *testing.T) {
	bitmap := func(names string) string {
		return "/Subtype /Type3 /FontMatrix [.01 0 0 .01 0 0] /Encoding <</Differences [" + names + "]>>"
	}
	tests := []struct{ name, font, in, want string }{
		{"standard", "/Subtype /Type1 /BaseFont /Helvetica", "A'`\xaa", "A’‘“"},
		{"winansi", "/Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding", "\x80\x93\xb9\xe9", "€“¹é"},
		{"macroman", "/Subtype /TrueType /BaseFont /X /Encoding /MacRomanEncoding", "\x8e", "é"},
		{"differences", "/Subtype /Type1 /BaseFont /X /Encoding <</Differences [65 /Euro /uni0416 1 /ff]>>", "AB\x01C", "€ЖﬀC"},
		{"symbol", "/Subtype /Type1 /BaseFont /Symbol", "abS", "αβΣ"},
		{"dingbats", "/Subtype /Type1 /BaseFont /ZapfDingbats", "!4", "✁✔"},
		{"codes as names", "/Subtype /Type3 /FontMatrix [.001 0 0 .001 0 0] /Encoding <</Differences [1 /a72 /a105]>>", "\x01\x02", "Hi"},
		{"bitmap of TeX, OT1", bitmap(" 11/a11/a12 34/a34 44/a44 92/a92 97/a97/a98/a99/a100/a101/a102/a103/a104/a105/a106 107/.notdef 123/a123/a124"), "a\x0b\\b\"{|", "aff“b”–—"},
		{"bitmap of TeX, T1", bitmap(" 16/a16/a17 21/a21 28/a28 29/.notdef 46/a46 97/a97/a98/a99/a100/a101/a102/a103/a104/a105/a106 123/a123"), "\x10a\x1c\x11\x15{", "“afi”–{"},
		{"bitmap of TeX, letters of formulas", bitmap(" 11/a11/a12 97/a97/a98/a99/a100/a101/a102/a103/a104/a105/a106"), "a\x0b", "a"},
		{"bitmap of TeX, bullets", bitmap(" 136/a136"), "\x88", "•"},
		{"bitmap of TeX, signs of formulas", bitmap(" 0/a0 15/a15"), "\x00\x0f", "−•"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := load(t, func(*pdftest.Document) string { return "<</Type /Font " + tt.font + ">>" })
			if got, _ := show(f, tt.in); got != tt.want {
				t.Errorf("%q shows %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

// TestProgramAsked checks that the font program is read only for glyphs that
// the document does not name.
func TestProgramAsked(t *testing.T) {
	f := load(t, func(d *pdftest.Document) string {
		n := d.Stream("", "/Encoding 256 array dup 66 /beta put def")
		return fmt.Sprintf("<</Type /Font /Subtype /Type1 /BaseFont /X /FirstChar 65 /Widths [500 500] /Encoding <</Differences [65 /alpha]>> /FontDescriptor <</FontFile %d 0 R>>>>", n)
	})
	asked := 0
	read := f.simple.program
	f.simple.program = func() program { asked++; return read() }
	for _, tt := range []struct {
		in, want string
		asked    int
	}{{"A", "α", 0}, {"B", "β", 1}, {"AB", "αβ", 1}} {
		if got, _ := show(f, tt.in); got != tt.want || asked != tt.asked {
			t.Errorf("%q shows %q, want %q; the program was asked %d times, want %d", tt.in, got, tt.want, asked, tt.asked)
		}
	}
}

func TestWidths(t *testing.T) {
	tests := []struct {
		name, font, in string
		want           float64
	}{
		{"core", "/Subtype /Type1 /BaseFont /Helvetica", "Ai", .667 + .222},
		{"courier", "/Subtype /Type1 /BaseFont /Courier", "Ai", 1.2},
		{"widths", "/Subtype /Type1 /BaseFont /X /FirstChar 65 /Widths [500 250]", "AB", .75},
		{"missing", "/Subtype /Type1 /BaseFont /X /FirstChar 65 /Widths [500] /FontDescriptor <</MissingWidth 300>>", "AB", .8},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := load(t, func(*pdftest.Document) string { return "<</Type /Font " + tt.font + ">>" })
			if _, got := show(f, tt.in); got < tt.want-1e-9 || got > tt.want+1e-9 {
				t.Errorf("width = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestToUnicodeWins(t *testing.T) {
	f := load(t, func(d *pdftest.Document) string {
		n := d.Stream("", "1 beginbfchar <41> <03A9> endbfchar")
		return fmt.Sprintf("<</Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode %d 0 R>>", n)
	})
	if got, _ := show(f, "AB"); got != "ΩB" {
		t.Errorf("shows %q, want ΩB", got)
	}
}

// TestPredefined decodes strings in East Asian encodings with the predefined
// CMaps and character collections.
func TestPredefined(t *testing.T) {
	tests := []struct{ cmap, ordering, in, want string }{
		{"90ms-RKSJ-H", "Japan1", "\x93\xfa\x96{A", "日本A"},
		{"UniJIS-UTF16-H", "Japan1", "\x65\xe5\x67\x2c", "日本"},
		{"GBK-EUC-H", "GB1", "\xd6\xd0\xb9\xfa", "中国"},
		{"ETen-B5-H", "CNS1", "\xa4\xa4\xb0\xea", "中國"},
		{"KSCms-UHC-H", "Korea1", "\xc7\xd1\xb1\xdb", "한글"},
		{"EUC-V", "Japan1", "\xc6\xfc", "日"},
		{"Identity-H", "Japan1", "\x00\x22", "A"},
		{"Identity-H", "Identity", "\x00\x22", "\ufffd"},
	}
	for _, tt := range tests {
		t.Run(tt.cmap+" "+tt.ordering, func(t *testing.T) {
			f := load(t, func(*pdftest.Document) string {
				return fmt.Sprintf("<</Type /Font /Subtype /Type0 /BaseFont /X /Encoding /%s /DescendantFonts [<</Type /Font /Subtype /CIDFontType0 "+
					"/BaseFont /X /CIDSystemInfo <</Registry (Adobe) /Ordering (%s) /Supplement 1>> /DW 500 /W [34 [700] 35 40 600]>>]>>", tt.cmap, tt.ordering)
			})
			if got, _ := show(f, tt.in); got != tt.want {
				t.Errorf("%q shows %q, want %q", tt.in, got, tt.want)
			}
			if f.Vertical != strings.HasSuffix(tt.cmap, "-V") {
				t.Errorf("Vertical = %v", f.Vertical)
			}
		})
	}
}

func TestCompositeWidths(t *testing.T) {
	f := load(t, func(*pdftest.Document) string {
		return "<</Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [<</Subtype /CIDFontType2 /DW 500 /W [34 [700 710] 40 44 600]>>]>>"
	})
	for cid, want := range map[int]float64{34: .7, 35: .71, 36: .5, 40: .6, 44: .6, 45: .5} {
		g, n := f.Next([]byte{0, byte(cid)})
		if g.Width != want || n != 2 {
			t.Errorf("width of %d = %v, want %v", cid, g.Width, want)
		}
	}
}

// sfntOf returns a TrueType font program with the given tables.
func sfntOf(tables map[string][]byte) []byte {
	b := []byte{0, 1, 0, 0, 0, byte(len(tables)), 0, 0, 0, 0, 0, 0}
	at := len(b) + 16*len(tables)
	var body []byte
	for tag, data := range tables {
		b = append(b, tag...)
		b = binary.BigEndian.AppendUint32(b, 0)
		b = binary.BigEndian.AppendUint32(b, uint32(at+len(body)))
		b = binary.BigEndian.AppendUint32(b, uint32(len(data)))
		body = append(body, data...)
	}
	return append(b, body...)
}

// cmap0 returns a cmap table with a subtable of format 0, in which each code
// maps to the glyph with the same index.
func cmap0(platform, encoding byte) []byte {
	b := []byte{0, 0, 0, 1, 0, platform, 0, encoding, 0, 0, 0, 12, 0, 0, 1, 6, 0, 0}
	for c := range 256 {
		b = append(b, byte(c))
	}
	return b
}

func TestSFNT(t *testing.T) {
	f := parseSFNT(sfntOf(map[string][]byte{"cmap": cmap0(3, 1)}))
	if f == nil || f.text('A') != "A" {
		t.Fatalf("unicode cmap: %+v", f)
	}
	post := make([]byte, 32)
	post[1] = 1
	f = parseSFNT(sfntOf(map[string][]byte{"cmap": cmap0(1, 0), "post": post}))
	if f == nil || f.glyph(36) != 36 || f.text(36) != "A" { // glyph 36 in Macintosh order is A
		t.Errorf("post: glyph %d is %q", f.glyph(36), f.text(36))
	}
	if parseSFNT([]byte("no font")) != nil || parseSFNT(nil) != nil {
		t.Error("junk is a font")
	}
}

// TestBlank checks glyphs whose outlines were removed from a subset but
// which are still in its cmap table.
func TestBlank(t *testing.T) {
	cmap := cmap0(3, 1)
	copy(cmap[len(cmap)-256:], make([]byte, 256))
	cmap[len(cmap)-256+'a'], cmap[len(cmap)-256+'b'], cmap[len(cmap)-256+' '] = 1, 2, 3
	head := make([]byte, 54)
	loca := []byte{0, 0, 0, 0, 0, 5, 0, 5, 0, 5} // only glyph 1 has an outline
	f := parseSFNT(sfntOf(map[string][]byte{"cmap": cmap, "head": head, "loca": loca, "glyf": make([]byte, 10)}))
	for gid, want := range []string{"", "a", "", " ", ""} {
		if got := f.text(gid); got != want {
			t.Errorf("glyph %d is %q, want %q", gid, got, want)
		}
	}
	head[51] = 1
	f = parseSFNT(sfntOf(map[string][]byte{"cmap": cmap, "head": head, "loca": make([]byte, 16), "glyf": make([]byte, 10)}))
	if got := f.text(2); got != "b" {
		t.Errorf("of a font without outlines glyph 2 is %q, want b", got) // the font is for invisible text over a picture
	}
}

func TestType1Encoding(t *testing.T) {
	e := type1Encoding([]byte("%!PS-AdobeFont-1.0\n/Encoding 256 array 0 1 255 {1 index exch /.notdef put} for\ndup 65 /alpha put dup 66 /beta put readonly def\ncurrentfile eexec"))
	if e == nil || e[65] != "alpha" || e[66] != "beta" {
		t.Errorf("encoding = %v", e)
	}
	e = type1Encoding([]byte("/Encoding StandardEncoding def"))
	if e == nil || e['A'] != "A" {
		t.Error("StandardEncoding is not found")
	}
	if type1Encoding([]byte("nothing")) != nil {
		t.Error("junk has an encoding")
	}
}

func FuzzCMap(f *testing.F) {
	f.Add([]byte("1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfrange <01> <03> [<0061>] endbfrange"))
	f.Add([]byte("/X usecmap 1 begincidrange <0000> <FFFF> 0 endcidrange 1 beginbfchar <01> <D83DDE00> endbfchar"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m := ParseCMap(data, func(string) *CMap { return &CMap{} })
		m.useless()
		for s := data; len(s) > 0; {
			code, n := m.Next(s)
			if n < 1 || n > len(s) {
				t.Fatalf("Next gives %d of %d bytes", n, len(s))
			}
			m.CID(code)
			m.Text(code)
			s = s[n:]
		}
	})
}

func FuzzFont(f *testing.F) {
	f.Add(sfntOf(map[string][]byte{"cmap": cmap0(3, 1), "post": make([]byte, 40), "head": make([]byte, 54), "hhea": make([]byte, 36), "hmtx": make([]byte, 8)}))
	f.Add([]byte{1, 0, 4, 1, 0, 1, 1, 1, 2, 'x', 0, 1, 1, 1, 4, 139, 15, 139, 0, 0, 0, 0})
	f.Add([]byte("/Encoding 256 array dup 65 /alpha put def"))
	f.Fuzz(func(_ *testing.T, data []byte) {
		if s := parseSFNT(data); s != nil {
			s.glyph(65)
			s.text(1)
			s.width(1)
		}
		if c := parseCFF(data); c != nil {
			c.encoding()
			c.name(1)
		}
		type1Encoding(data)
	})
}

// TestUsualOrder reads fonts that are not embedded and have no information
// about their text. If the widths are those of a system font, its glyph
// order is assumed.
func TestUsualOrder(t *testing.T) {
	composite := func(widths string) *Font {
		return load(t, func(d *pdftest.Document) string {
			cid := d.Add("<</Type /Font /Subtype /CIDFontType2 /BaseFont /TimesNewRoman /CIDSystemInfo <</Registry (Adobe) /Ordering (Identity) /Supplement 0>> " + widths + ">>")
			return fmt.Sprintf("<</Type /Font /Subtype /Type0 /BaseFont /TimesNewRoman /Encoding /Identity-H /DescendantFonts [%d 0 R]>>", cid)
		})
	}
	const code = "\x00\x48\x00\x57\x00\x03\x00\x4f"
	for _, tt := range []struct{ name, widths, want string }{
		{"those of Times", "/W [3 [250] 72 [444] 79 [278] 87 [278]]", "et l"},
		{"others", "/W [3 [900] 72 [444] 79 [811] 87 [333]]", "\ufffd\ufffd\ufffd\ufffd"},
		{"one, which is proof of nothing", "/W [72 [444]]", "\ufffd\ufffd\ufffd\ufffd"},
	} {
		if got, _ := show(composite(tt.widths), code); got != tt.want {
			t.Errorf("%s: text %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestToUnicodeOfCIDs reads a ToUnicode CMap that uses the operators for
// CIDs.
func TestToUnicodeOfCIDs(t *testing.T) {
	f := load(t, func(d *pdftest.Document) string {
		uni := d.Stream("", "1 begincodespacerange <00> <FF> endcodespacerange 1 begincidrange <41> <43> 97 endcidrange")
		return fmt.Sprintf("<</Type /Font /Subtype /Type1 /BaseFont /X /ToUnicode %d 0 R>>", uni)
	})
	if got, _ := show(f, "ACZ"); got != "acZ" {
		t.Errorf("text %q", got)
	}
}

// TestBulletWidth checks that the width of a bullet is found for codes
// without a glyph, which WinAnsiEncoding maps to the bullet.
func TestBulletWidth(t *testing.T) {
	for core, want := range map[string]float64{"Helvetica": .35, "Times-Roman": .35, "Courier": .6} {
		if got := coreWidth(core, 0x7f, "bullet"); got != want {
			t.Errorf("a bullet of %s is %v wide, want %v", core, got, want)
		}
	}
}

// TestBold checks how the weight is found: the name is more reliable than a
// guessed stem width.
func TestBold(t *testing.T) {
	for _, c := range []struct {
		name string
		d    object.Dict
		want bool
	}{
		{"Helvetica-Bold", object.Dict{}, true},
		{"F1", object.Dict{"StemV": 150}, true},
		{"F1", object.Dict{"StemV": 82}, false},
		{"MinionPro-Regular", object.Dict{"StemV": 143}, false},
		{"F1", object.Dict{"StemV": 143, "FontWeight": 400}, false},
		{"CMR10", object.Dict{"StemV": 151, "FontBBox": object.Array{-40, -250, 1009, 750}}, false}, // guessed
		{"F1", object.Dict{"StemV": 143, "FontBBox": object.Array{-40, -250, 1009, 750}}, true},
		{"SFBX1000", object.Dict{"StemV": 157, "FontBBox": object.Array{0, -250, 1050, 750}}, true},
		{"SFSX1000", object.Dict{"StemV": 50}, true}, // bold of the EC fonts
		{"Courier", object.Dict{"StemV": 159}, false},
		{"Courier-Bold", object.Dict{"StemV": 158}, true},
		{"F1", object.Dict{"FontWeight": 700}, true},
		{"Any-Roman", object.Dict{"Flags": flagForceBold}, true},
	} {
		f := Font{Name: c.name}
		f.describe(&object.File{}, c.d)
		if f.Bold != c.want {
			t.Errorf("%s %v: bold %v", c.name, c.d, f.Bold)
		}
	}
}

// TestFixed checks that fixed-width fonts are distinguished from fonts in
// which only the digits have one width.
func TestFixed(t *testing.T) {
	one := slices.Repeat([]float64{.6}, 20)
	for _, c := range []struct {
		name   string
		widths []float64
		want   bool
	}{
		{"all one", one, true},
		{"digits", one[:13], false},
		{"one other", append(slices.Clone(one), .25), false},
		{"rounded", append(slices.Clone(one), .601), true},
		{"ideographs", slices.Repeat([]float64{1}, 20), false},
		{"none", nil, false},
	} {
		if got := fixed(c.widths); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// TestCoreWidths checks that the table of the standard fonts has a width for
// each code, and checks some well-known widths.
func TestCoreWidths(t *testing.T) {
	for name, widths := range coreWidths() {
		if len(widths) != 256-firstWidth || slices.Max(widths) > 1100 || slices.Min(widths) < 0 {
			t.Errorf("%s: %d widths", name, len(widths))
		}
	}
	for _, c := range []struct {
		core string
		code int
		name string
		want float64
	}{
		{"Helvetica", 'A', "", .667},
		{"Helvetica-BoldOblique", 'a', "", .556},
		{"Times-Roman", 0, "Euro", .5},
		{"Times-Bold", '%', "", 1},
		{"Times-Italic", 0, "emdash", .889},
		{"Symbol", 'a', "", .631},
		{"ZapfDingbats", '4', "", .846},
		{"Courier", 'i', "", .6},
		{"Helvetica", 0x81, "", .5},
		{"Helvetica", 0xa0, "", .278},
		{"Helvetica", 31, "", .5},
		{"Helvetica", 256, "", .5},
		{"Helvetica", -1, "nosuchglyph", .5},
	} {
		if got := coreWidth(c.core, c.code, c.name); got != c.want {
			t.Errorf("coreWidth(%s, %d, %q) = %v, want %v", c.core, c.code, c.name, got, c.want)
		}
	}
}

func TestMathematical(t *testing.T) {
	for text, want := range map[string]bool{
		"1 beginbfchar <01> <D835DC65> endbfchar": true, "1 beginbfrange <01> <09> <D835DC65> endbfrange": true, "1 beginbfchar <01> <0078> endbfchar": false,
	} {
		if got := ParseCMap([]byte("1 begincodespacerange <00> <FF> endcodespacerange "+text), nil).mathematical(); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
