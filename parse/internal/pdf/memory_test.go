// SPDX-License-Identifier: Apache-2.0

package pdf_test

import (
	"bytes"
	"compress/zlib"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"example.com/curlew/internal/test/memtest"
	"example.com/curlew/internal/test/pdftest"
	"example.com/curlew/parse/internal/pdf"
)

var (
	heavy      = flag.Bool("heavy", false, "read large documents, each in a process of its own, and measure their memory")
	heavyChild = flag.String("heavy.child", "", "the document that this process reads")
)

// heavyBound is the maximum memory of a process: 512 MiB.
const heavyBound = 512 << 20

// heavyKinds are documents that are each large in one respect.
var heavyKinds = map[string]func() []byte{
	"5,000 pages of 500 words": func() []byte { return prose(5000, 42, 9, 11) },
	"10,000 short pages":       func() []byte { return prose(10_000, 1, 9, 11) },
	"10 pages of 80,000 words": func() []byte { return prose(10, 6600, 1.05, .11) },
	"50,000 rows of a table":   func() []byte { return grids(1000, 50, 5) },

	"2 million glyphs in a line": func() []byte { return dense(1, "BT /F1 10 Tf .001 Tz 10 700 Td ", "(ab) Tj ", 1_000_000) },
	"2 million glyphs in lines":  func() []byte { return dense(1, wide, "(abcd efgh ijkl mnop qrst uvw xyz abc def) ' ", 50_000) },
	"2 million words":            func() []byte { return dense(1, wide, "["+strings.Repeat("(a)-300", 100)+"] TJ T* ", 20_000) },
	"2 million cells on 8 pages": func() []byte { return dense(8, wide, "["+strings.Repeat("(a)-3000", 100)+"] TJ T* ", 20_000) },
	"2 million rules":            func() []byte { return dense(8, "", "1 1 500 .5 re f ", 2_000_000) },
	"links of one long address":  func() []byte { return linked(1, 20_000, 1_000_000) },
	"links on 3,000 pages":       func() []byte { return linked(3000, 20_000, 20) },
	"fonts of one list of widths": func() []byte {
		var d pdftest.Document
		list := d.Add("[" + strings.Repeat("500 ", 500_000) + "]")
		f := d.Add("<</Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [<</Subtype /CIDFontType2 /W [" +
			strings.Repeat(fmt.Sprintf("0 %d 0 R ", list), 20_000) + "]>>]>>")
		d.Page("BT /F1 10 Tf 10 50 Td <0041> Tj", fmt.Sprintf("<</Font <</F1 %d 0 R>>>>", f), "")
		return d.Bytes()
	},
}

// wide begins very small text at the top of a page, so that very much text
// fits.
const wide = "BT /F1 1 Tf 10 999000 Td 1 TL "

// dense returns a document whose pages share one content stream: begin,
// followed by part repeated times times.
func dense(pages int, begin, part string, times int) []byte {
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	fmt.Fprint(z, begin)
	for range times {
		fmt.Fprint(z, part)
	}
	z.Close()
	var d pdftest.Document
	body := d.Stream("/Filter /FlateDecode", packed.String())
	for range pages {
		d.Page("", pdftest.Fonts, fmt.Sprintf("/Contents %d 0 R /MediaBox [0 0 1000000 1000000]", body))
	}
	return d.Bytes()
}

// linked returns a document whose pages have links to one address of size
// bytes.
func linked(pages, links, size int) []byte {
	var d pdftest.Document
	address := d.Add("(" + strings.Repeat("a", size) + ")")
	link := d.Add(fmt.Sprintf("<</Subtype /Link /Rect [1 1 99 99] /A <</S /URI /URI %d 0 R>>>>", address))
	list := d.Add("[" + strings.Repeat(fmt.Sprintf("%d 0 R ", link), links) + "]")
	for range pages {
		d.Page("BT /F1 10 Tf 10 50 Td (x) Tj", pdftest.Fonts, fmt.Sprintf("/Annots %d 0 R", list))
	}
	return d.Bytes()
}

// grids returns a document whose pages each contain one table with ruling
// lines.
func grids(pages, rows, columns int) []byte {
	contents := make([]string, pages)
	for i := range contents {
		var b strings.Builder
		for y := range rows + 1 {
			fmt.Fprintf(&b, "50 %d m %d %d l S\n", 50+y*14, 50+columns*50, 50+y*14)
		}
		for x := range columns + 1 {
			fmt.Fprintf(&b, "%d 50 m %d %d l S\n", 50+x*50, 50+x*50, 50+rows*14)
		}
		for y := range rows {
			for x := range columns {
				b.WriteString(pdftest.Text("F1", 8, float64(52+x*50), float64(54+y*14), strconv.Itoa(i*x+y)))
			}
		}
		contents[i] = b.String()
	}
	return pdftest.Pages(contents...)
}

// prose returns a document with lines of twelve words.
func prose(pages, lines int, size, leading float64) []byte {
	contents := make([]string, pages)
	for i := range contents {
		var b strings.Builder
		for k := range lines {
			text := fmt.Sprintf("line %d of page %d has words of several lengths, as prose does", k, i)
			b.WriteString(pdftest.Text("F1", size, 60, 740-float64(k)*leading-float64(k/6)*leading/2, text))
		}
		contents[i] = b.String()
	}
	return pdftest.Pages(contents...)
}

// TestMemory reads documents with very many pages, words and cells, each in
// a process of its own:
//
//	go test ./parse/internal/pdf -run TestMemory -heavy -v
func TestMemory(t *testing.T) {
	if make := heavyKinds[*heavyChild]; make != nil {
		data := make()
		d, err := pdf.Read(t.Context(), bytes.NewReader(data), int64(len(data)), pdf.Options{Limits: pdf.Limits{Input: -1}})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("peak %d pages %d\n", memtest.Peak(t), len(d.Pages))
		return
	}
	if !*heavy {
		t.Log("needs minutes: -heavy; TestHeld is its short form")
		return
	}
	for name := range heavyKinds {
		t.Run(name, func(t *testing.T) {
			out, err := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestMemory$", "-heavy.child="+name).Output()
			var peak, pages int
			if _, err2 := fmt.Sscanf(string(out), "peak %d pages %d", &peak, &pages); err != nil || err2 != nil {
				t.Fatalf("%v, %v: %s", err, err2, out)
			}
			t.Logf("%d pages: %d MiB", pages, peak>>20)
			if peak > heavyBound {
				t.Errorf("the process needed %d MiB, want %d", peak>>20, heavyBound>>20)
			}
		})
	}
}
