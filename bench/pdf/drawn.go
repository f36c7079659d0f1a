// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"math/rand/v2"
	"strings"

	"example.com/curlew/internal/test/pdftest"
)

// drawings returns PDF files with what the installed programs do not write, by
// name: glyphs placed one by one, Type 3 fonts, maps, scans with a text layer,
// fonts of their own on each page, and many small objects.
func drawings() map[string][]byte {
	return map[string][]byte{
		"letters": drawn(10, letters),
		"type3":   drawn(10, typeThree()),
		"map":     drawn(3, chart),
		"scan":    drawn(5, scanned),
		"subsets": drawn(40, subset),
		"objects": drawn(400, short),
	}
}

// drawing adds a page to a document.
type drawing func(r *rand.Rand, d *pdftest.Document)

func drawn(pages int, draw drawing) []byte {
	r := rand.New(rand.NewPCG(1, 2)) // #nosec G404 -- generated content
	var d pdftest.Document
	for range pages {
		draw(r, &d)
	}
	return d.Bytes()
}

// sentence returns random words of lower-case letters.
func sentence(r *rand.Rand, words int) string {
	var b strings.Builder
	for i := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		for range 2 + r.IntN(8) {
			b.WriteByte(byte('a' + r.IntN(26)))
		}
	}
	return b.String()
}

// letters shows each glyph by its own operators, as some office programs do.
func letters(r *rand.Rand, d *pdftest.Document) {
	var b strings.Builder
	for line := range 55 {
		x := 50.0
		for _, c := range sentence(r, 13) {
			if c != ' ' {
				fmt.Fprintf(&b, "BT /F3 10 Tf 1 0 0 1 %.2f %d Tm (%c) Tj ET\n", x, 740-line*12, c)
			}
			x += 6
		}
	}
	d.Page(b.String(), pdftest.Fonts, "")
}

// typeThree shows text of a font whose glyphs are drawings.
func typeThree() drawing {
	font := 0
	return func(r *rand.Rand, d *pdftest.Document) {
		if font == 0 {
			var glyphs, names strings.Builder
			for c := 'a'; c <= 'z'; c++ {
				var path strings.Builder
				fmt.Fprintf(&path, "500 0 0 0 500 700 d1\n0 0 m\n")
				for range 30 {
					fmt.Fprintf(&path, "%d %d l\n", r.IntN(500), r.IntN(700))
				}
				path.WriteString("f\n")
				fmt.Fprintf(&glyphs, "/%c %d 0 R ", c, d.Stream("", path.String()))
				fmt.Fprintf(&names, "/%c ", c)
			}
			font = d.Add(fmt.Sprintf("<</Type /Font /Subtype /Type3 /FontBBox [0 0 500 700] /FontMatrix [.001 0 0 .001 0 0] /CharProcs <<%s>> "+
				"/Encoding <</Type /Encoding /Differences [97 %s]>> /FirstChar 97 /LastChar 122 /Widths [%s]>>", glyphs.String(), names.String(), strings.Repeat("500 ", 26)))
		}
		var b strings.Builder
		for line := range 55 {
			fmt.Fprintf(&b, "BT /F9 10 Tf 50 %d Td", 740-line*12)
			for word := range strings.FieldsSeq(sentence(r, 14)) {
				fmt.Fprintf(&b, " (%s) Tj %d 0 Td", word, len(word)*5+4)
			}
			b.WriteString(" ET\n")
		}
		d.Page(b.String(), fmt.Sprintf("<</Font <</F9 %d 0 R>> >>", font), "")
	}
}

// chart draws lines of a map with labels.
func chart(r *rand.Rand, d *pdftest.Document) {
	var b strings.Builder
	for range 2000 {
		x, y := r.Float64()*600, r.Float64()*780
		fmt.Fprintf(&b, ".3 w %.2f %.2f m\n", x, y)
		for range 30 {
			x, y = x+r.Float64()*8-4, y+r.Float64()*8-4
			fmt.Fprintf(&b, "%.2f %.2f l\n", x, y)
		}
		b.WriteString("S\n")
	}
	for range 300 {
		b.WriteString(pdftest.Text("F1", 6, r.Float64()*560, r.Float64()*780, sentence(r, 1)))
	}
	d.Page(b.String(), pdftest.Fonts, "")
}

// scanned is a picture of a page with invisible text over it.
func scanned(r *rand.Rand, d *pdftest.Document) {
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	line := make([]byte, 1240)
	for range 1754 {
		for i := range line {
			line[i] = byte(240 + r.IntN(8))
		}
		_, _ = w.Write(line) // a buffer does not fail
	}
	_ = w.Close()
	image := d.Stream("/Type /XObject /Subtype /Image /Width 1240 /Height 1754 /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode", packed.String())
	var b strings.Builder
	b.WriteString("q 612 0 0 792 0 0 cm /Im Do Q\n")
	for line := range 55 {
		fmt.Fprintf(&b, "BT 3 Tr /F3 9 Tf 50 %d Td (%s) Tj ET\n", 740-line*12, sentence(r, 12))
	}
	d.Page(b.String(), strings.TrimSuffix(pdftest.Fonts, ">>")+fmt.Sprintf("/XObject <</Im %d 0 R>> >>", image), "")
}

// subset has two fonts of its own with a CMap each, as files have that were
// merged of single pages.
func subset(r *rand.Rand, d *pdftest.Document) {
	var fonts strings.Builder
	for i := range 2 {
		var codes, widths strings.Builder
		for part := range 3 {
			fmt.Fprintf(&codes, "100 beginbfchar\n")
			for c := range 100 {
				fmt.Fprintf(&codes, "<%04x> <%04x>\n", part*100+c, 'a'+(part*100+c)%26)
			}
			codes.WriteString("endbfchar\n")
		}
		widths.WriteString(strings.Repeat("500 ", 300))
		unicode := d.Stream("", "/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange\n"+codes.String()+"endcmap end\n")
		inner := d.Add(fmt.Sprintf("<</Type /Font /Subtype /CIDFontType2 /BaseFont /AAAAA%c+Sub /CIDSystemInfo <</Registry (Adobe) /Ordering (Identity) /Supplement 0>> /W [0 [%s]] "+
			"/FontDescriptor <</Type /FontDescriptor /FontName /Sub /Flags 4>> >>", 'A'+i, widths.String()))
		font := d.Add(fmt.Sprintf("<</Type /Font /Subtype /Type0 /BaseFont /AAAAA%c+Sub /Encoding /Identity-H /DescendantFonts [%d 0 R] /ToUnicode %d 0 R>>", 'A'+i, inner, unicode))
		fmt.Fprintf(&fonts, "/S%d %d 0 R ", i, font)
	}
	var b strings.Builder
	for line := range 50 {
		fmt.Fprintf(&b, "BT /S%d 10 Tf 50 %d Td [", line%2, 740-line*12)
		for word := range strings.FieldsSeq(sentence(r, 12)) {
			b.WriteByte('<')
			for _, c := range word {
				fmt.Fprintf(&b, "%04x", int(c-'a')+26*r.IntN(11))
			}
			b.WriteString("> -300 ")
		}
		b.WriteString("] TJ ET\n")
	}
	d.Page(b.String(), "<</Font <<"+fonts.String()+">> >>", "")
}

// short has a few lines only, so that the objects of the file are most of its
// work.
func short(r *rand.Rand, d *pdftest.Document) {
	for range 20 {
		d.Add(fmt.Sprintf("<</Type /Filespec /Number %d /Name (%s)>>", r.IntN(1000), sentence(r, 2)))
	}
	d.Page(pdftest.Lines("F1", 11, 60, 700, 14, sentence(r, 10), sentence(r, 12), sentence(r, 4)), pdftest.Fonts, "")
}
