// SPDX-License-Identifier: Apache-2.0

package tesseract_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"
	"image/png"
	"os/exec"
	"strings"
	"testing"

	"example.com/curlew/internal/test/pdftest"
	"example.com/curlew/markdown"
	"example.com/curlew/parse"
	"example.com/curlew/parse/ocr/poppler"
	"example.com/curlew/parse/ocr/tesseract"
)

// sheet returns a PDF page with a title, two columns, a heading, a ruled
// table and a list.
func sheet() []byte {
	left := []string{
		"The harbour lies at the mouth of the", "river, and every morning small boats", "bring timber and stone from villages",
		"further north. Most of the stone goes", "into the new market hall, which was", "planned before the old one burned.",
	}
	right := []string{
		"Prices rose by a third within one year,", "because the quarry could not deliver", "enough material. The council therefore",
		"decided to buy the quarry outright and", "to run it as a public company for the", "next twenty years.",
	}
	var page strings.Builder
	page.WriteString(pdftest.Text("F2", 22, 72, 720, "Report of the Harbour Council") +
		pdftest.Lines("F4", 11, 72, 680, 14, left...) + pdftest.Lines("F4", 11, 320, 680, 14, right...) +
		pdftest.Text("F2", 15, 72, 560, "Shipments of timber and stone by month, in tons") +
		"72 460 m 472 460 l S 72 485 m 472 485 l S 72 510 m 472 510 l S 72 535 m 472 535 l S 72 460 m 72 535 l S 205 460 m 205 535 l S 338 460 m 338 535 l S 472 460 m 472 535 l S\n")
	for i, row := range [][3]string{{"Month", "Timber", "Stone"}, {"January", "1250", "830"}, {"February", "1475", "910"}} {
		for k, cell := range row {
			page.WriteString(pdftest.Text("F1", 11, 80+133*float64(k), 518-25*float64(i), cell))
		}
	}
	page.WriteString(pdftest.Lines("F4", 11, 72, 420, 16, "1. The hall opens in spring.", "2. The quarry changes hands in summer.", "3. The council meets again in autumn."))
	return pdftest.Pages(page.String())
}

// drawn returns an image of the sheet at 200 dpi.
func drawn(t *testing.T) *image.Gray {
	t.Helper()
	for _, name := range []string{"tesseract", "pdftoppm"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("the program %s is not installed", name)
		}
	}
	if testing.Short() {
		t.Skip("runs programs: skipped with -short")
	}
	data := sheet()
	var r poppler.Renderer
	p, err := r.Render(t.Context(), bytes.NewReader(data), int64(len(data)), 1, 200)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(p.Data))
	if err != nil {
		t.Fatal(err)
	}
	gray := image.NewGray(img.Bounds())
	draw.Draw(gray, gray.Rect, img, image.Point{}, draw.Src)
	return gray
}

// turned rotates an image clockwise by a number of quarter turns.
func turned(m *image.Gray, quarters int) *image.Gray {
	for range quarters {
		b := m.Bounds()
		out := image.NewGray(image.Rect(0, 0, b.Dy(), b.Dx()))
		for y := range b.Dy() {
			for x := range b.Dx() {
				out.SetGray(b.Dy()-1-y, x, m.GrayAt(x, y))
			}
		}
		m = out
	}
	return m
}

// flate encodes rows of an image with one or eight bits per pixel.
func flate(m *image.Gray, from, to int, bits int) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	for y := from; y < to; y++ {
		row := m.Pix[y*m.Stride : y*m.Stride+m.Rect.Dx()]
		if bits == 1 {
			packed := make([]byte, (len(row)+7)/8)
			for x, v := range row {
				if v > 160 {
					packed[x/8] |= 0x80 >> (x % 8)
				}
			}
			row = packed
		}
		w.Write(row)
	}
	w.Close()
	return b.String()
}

// scanOf returns a PDF with one page that shows m as strips of the given
// number of rows. matrix places the whole image. page has further entries of
// the page.
func scanOf(m *image.Gray, rows, bits int, entries, matrix, page string) []byte {
	var d pdftest.Document
	var content, names strings.Builder
	fmt.Fprintf(&content, "q %s cm\n", matrix)
	h := m.Rect.Dy()
	for y := 0; y < h; y += rows {
		n := min(rows, h-y)
		im := d.Stream(fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d /BitsPerComponent %d /Filter /FlateDecode %s", m.Rect.Dx(), n, bits, entries), flate(m, y, y+n, bits))
		fmt.Fprintf(&content, "q 1 0 0 %g 0 %g cm /I%d Do Q\n", float64(n)/float64(h), 1-float64(y+n)/float64(h), y)
		fmt.Fprintf(&names, "/I%d %d 0 R ", y, im)
	}
	content.WriteString("Q")
	d.Page(content.String(), "<</XObject <<"+names.String()+">>>>", page)
	return d.Bytes()
}

const gray = "/ColorSpace /DeviceGray"

// words returns the words of a text without the punctuation around them.
func words(s string) []string {
	var out []string
	for w := range strings.FieldsSeq(s) {
		if w = strings.Trim(w, ".,|#*-:;()"); w != "" {
			out = append(out, w)
		}
	}
	return out
}

// recall returns the share of want's words that are in got.
func recall(want, got string) float64 {
	have := map[string]int{}
	for _, w := range words(got) {
		have[w]++
	}
	found := 0
	all := words(want)
	for _, w := range all {
		if have[w] > 0 {
			have[w]--
			found++
		}
	}
	return float64(found) / float64(len(all))
}

func read(t *testing.T, e *parse.Engine, name string, data []byte, o parse.PDFOptions) (*parse.Tree, string) {
	t.Helper()
	tree, err := e.Parse(t.Context(), parse.Source{Name: name, Data: bytes.NewReader(data), Size: int64(len(data))}, &parse.Options{PDF: o})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := markdown.Render(t.Context(), &b, tree.Root, nil); err != nil {
		t.Fatal(err)
	}
	return tree, b.String()
}

// TestScans reads the same page scanned in many ways. Each must give the
// words, order, table and headings of the text version.
func TestScans(t *testing.T) {
	m := drawn(t)
	e := &parse.Engine{OCR: new(tesseract.Engine)}
	_, want := read(t, new(parse.Engine), "sheet.pdf", sheet(), parse.PDFOptions{})
	var jpg, portrait bytes.Buffer
	if err := jpeg.Encode(&jpg, m, nil); err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(&portrait, turned(m, 1)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what, name string
		data       []byte
	}{
		{"straight", "a.pdf", scanOf(m, 9999, 8, gray, "612 0 0 792 0 0", "")},
		{"bits", "a.pdf", scanOf(m, 9999, 1, gray, "612 0 0 792 0 0", "")},
		{"strips", "a.pdf", scanOf(m, 50, 8, gray, "612 0 0 792 0 0", "")},
		{"strips of a stencil", "a.pdf", scanOf(m, 333, 1, "/ImageMask true", "612 0 0 792 0 0", "")},
		{"stored sideways, placed upright", "a.pdf", scanOf(turned(m, 1), 9999, 8, gray, "0 792 -612 0 612 0", "")},
		{"stored upside down, placed upright, strips", "a.pdf", scanOf(turned(m, 2), 100, 8, gray, "-612 0 0 -792 612 792", "")},
		{"stored sideways, page turned", "a.pdf", scanOf(turned(m, 3), 9999, 8, gray, "792 0 0 612 0 0", "/MediaBox [0 0 792 612] /Rotate 90 ")},
		{"sideways", "a.pdf", scanOf(turned(m, 1), 9999, 8, gray, "792 0 0 612 0 0", "/MediaBox [0 0 792 612] ")},
		{"upside down", "a.pdf", scanOf(turned(m, 2), 9999, 8, gray, "612 0 0 792 0 0", "")},
		{"sideways, the other way", "a.pdf", scanOf(turned(m, 3), 9999, 8, gray, "792 0 0 612 0 0", "/MediaBox [0 0 792 612] ")},
		{"slanted by a degree", "a.pdf", scanOf(m, 9999, 8, gray, "611.9 10.7 -13.8 791.9 7 -5", "")},
		{"a JPEG", "a.jpg", jpg.Bytes()},
		{"a PNG, sideways", "a.png", portrait.Bytes()},
	} {
		t.Run(c.what, func(t *testing.T) {
			tree, got := read(t, e, c.name, c.data, parse.PDFOptions{})
			r := recall(want, got)
			t.Logf("recall %.3f", r)
			if r < .97 {
				t.Errorf("recall %.3f:\n%s", r, got)
			}
			order := -1
			for _, part := range []string{"# Report of the Harbour Council", "The harbour lies at the mouth of the river, and every", "Prices rose by a third within one year, because", "## Shipments of timber and stone by month, in tons", "| January | 1250 | 830 |", "1. The hall opens"} {
				at := strings.Index(got, part)
				if at <= order {
					t.Errorf("%q is missing or not in its place:\n%s", part, got)
					break
				}
				order = at
			}
			for b := range tree.Blocks() {
				if b.Source != "layout_ocr" || b.OCR < .5 || b.OCR > 1 {
					t.Errorf("%s is of %q at %v", b.Node.Data, b.Source, b.OCR)
				}
				if p := tree.Pages[0]; b.Box.X1 > p.Width+1 || b.Box.Y1 > p.Height+1 || p.Width > p.Height {
					t.Errorf("%s stands at %v on a page of %v by %v", b.Node.Data, b.Box, p.Width, p.Height)
				}
			}
		})
	}
}

// TestDrawn recognises pages that another program has drawn.
func TestDrawn(t *testing.T) {
	drawn(t) // skips the test if the programs are not installed
	e := &parse.Engine{OCR: new(tesseract.Engine), Render: new(poppler.Renderer)}
	_, want := read(t, new(parse.Engine), "sheet.pdf", sheet(), parse.PDFOptions{})
	tree, got := read(t, e, "sheet.pdf", sheet(), parse.PDFOptions{Mode: parse.ForceOCR})
	if r := recall(want, got); r < .97 || len(tree.Warnings) > 0 {
		t.Errorf("recall %.3f, warnings %+v:\n%s", r, tree.Warnings, got)
	}
	for b := range tree.Blocks() {
		if b.Source != "layout_ocr" {
			t.Errorf("%s is of %q", b.Node.Data, b.Source)
		}
	}
}
