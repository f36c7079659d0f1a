// SPDX-License-Identifier: Apache-2.0

package parse_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"

	"example.com/curlew/internal/test/pdftest"
)

// pdfs adds PDFs that would expand to large, deep or endless content.
func pdfs(add func(name, data string, want error)) {
	const fonts = "<< /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"
	packed := func(data string) string {
		var b bytes.Buffer
		w := zlib.NewWriter(&b)
		w.Write([]byte(data))
		w.Close()
		return b.String()
	}
	// page adds a PDF whose page repeats a compressed content stream. It
	// writes a second Contents entry; the last one counts.
	page := func(name, content string, times int) {
		var d pdftest.Document
		body := d.Stream("/Filter /FlateDecode", packed(strings.Repeat(content, times)))
		d.Page("", fonts, fmt.Sprintf("/Contents %d 0 R", body))
		add("PDF "+name, string(d.Bytes()), nil)
	}
	page("blanks", " ", 120<<20)
	page("operators", "q Q ", 4<<20)
	page("operands", "1 ", 4<<20)
	page("dictionaries", "/A <<", 8<<20)
	page("arrays", "[", 8<<20)
	page("boxes", "1 1 9 9 re f ", 2<<20)
	page("lines", "1 1 m 9 1 l S ", 2<<20)
	page("inline images", "BI ID x EI ", 1<<20)

	var heavy pdftest.Document
	blanks := heavy.Stream("/Filter /FlateDecode", packed(strings.Repeat(" ", 127<<20)))
	for range 100 {
		heavy.Page("", fonts, "/Contents ["+strings.Repeat(fmt.Sprintf("%d 0 R ", blanks), 10)+"]")
	}
	add("PDF pages of much content", string(heavy.Bytes()), nil)

	var twice pdftest.Document
	n := twice.Stream("/Filter [/FlateDecode /FlateDecode]", packed(packed(strings.Repeat("\x00", 200<<20))))
	twice.Page("", fonts, fmt.Sprintf("/Contents %d 0 R", n))
	add("PDF filters", string(twice.Bytes()), nil)

	// forms has sixteen forms, each of which draws the next one ten times.
	// Its last pages exceed the time limit.
	var forms pdftest.Document
	last := forms.Stream("/Subtype /Form /BBox [0 0 9 9]", "")
	for range 16 {
		last = forms.Stream(fmt.Sprintf("/Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X %d 0 R >> >>", last), strings.Repeat("/X Do ", 10))
	}
	for range 40 {
		forms.Page("/X Do", fmt.Sprintf("<< /XObject << /X %d 0 R >> >>", last), "")
	}
	add("nested PDF forms", string(forms.Bytes()), nil)

	var words pdftest.Document
	word := words.Stream("/Subtype /Form /BBox [0 0 612 792] /Resources "+fonts, "BT /F1 12 Tf 72 700 Td (hello) Tj ET")
	body := words.Stream("/Filter /FlateDecode", packed(strings.Repeat("/X Do ", 8<<20)))
	words.Page("", fmt.Sprintf("<< /XObject << /X %d 0 R >> >>", word), fmt.Sprintf("/Contents %d 0 R", body))
	add("PDF a form over and over", string(words.Bytes()), nil)

	var stamps pdftest.Document
	stamp := stamps.Stream("/Subtype /Form /BBox [0 0 9 9]", strings.Repeat("q Q ", 10_000))
	stamps.Page("", fonts, "/Annots ["+strings.Repeat(fmt.Sprintf("<< /Subtype /Stamp /Rect [0 0 9 9] /AP << /N %d 0 R >> >>", stamp), 100_000)+"]")
	add("PDF annotations", string(stamps.Bytes()), nil)

	var many pdftest.Document
	var names, shown strings.Builder
	for i := range 30_000 {
		f := many.Add("<< /Type /Font /Subtype /TrueType /BaseFont /X >>")
		fmt.Fprintf(&names, "/F%d %d 0 R ", i, f)
		fmt.Fprintf(&shown, "/F%d 1 Tf (a) Tj ", i)
	}
	many.Page("BT "+shown.String()+"ET", "<< /Font << "+names.String()+">> >>", "")
	add("PDF fonts", string(many.Bytes()), nil)

	var ranges pdftest.Document
	text := ranges.Stream("", strings.Repeat("1 beginbfrange <00000000> <FFFFFFFF> <0041> endbfrange ", 10_000))
	ranges.Page("BT /T 12 Tf 72 700 Td <00410042> Tj ET", fmt.Sprintf("<< /Font << /T << /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [<< /Subtype /CIDFontType2 >>] /ToUnicode %d 0 R >> >> >>", text), "")
	add("PDF ranges of characters", string(ranges.Bytes()), nil)

	// scattered returns a page of the maximum size with the given number of
	// lines.
	scattered := func(lines int) string {
		var d pdftest.Document
		var b strings.Builder
		for i := range lines {
			fmt.Fprintf(&b, "BT /F1 12 Tf %d %d Td (hello) Tj ET ", i*37%1_000_000, i*91%1_000_000)
		}
		body := d.Stream("/Filter /FlateDecode", packed(b.String()))
		d.Page("", fonts, fmt.Sprintf("/Contents %d 0 R /MediaBox [0 0 1000000 1000000]", body))
		return string(d.Bytes())
	}
	add("PDF lines far apart", scattered(20_000), nil)
	add("PDF many lines far apart", scattered(100_000), nil)

	// shared returns a tree of forty lists. Each has twenty nodes that all
	// refer to the next list.
	shared := func(catalog string) string {
		var b strings.Builder
		b.WriteString("%PDF-1.7\n1 0 obj << /Type /Catalog " + catalog + " >> endobj 2 0 obj << /Type /Pages /Kids [3 0 R] >> endobj 3 0 obj << /Type /Page >> endobj\n")
		for i := range 40 {
			fmt.Fprintf(&b, "%d 0 obj [%s] endobj\n", 10+i, strings.Repeat(fmt.Sprintf("<< /Kids %d 0 R /K %d 0 R >>", 11+i, 11+i), 20))
		}
		return b.String() + "trailer << /Root 1 0 R >>\n"
	}
	add("PDF names that share lists", shared("/Pages 2 0 R /Names << /Dests << /Kids 10 0 R >> >>"), nil)
	add("PDF pages that share lists", shared("/Pages << /Kids 10 0 R >>"), nil)
	add("PDF tags that share lists", shared("/Pages 2 0 R /StructTreeRoot << /K 10 0 R >>"), nil)
	add("nested PDF dictionaries", strings.Replace(shared("/Pages 2 0 R"), "trailer", "5 0 obj"+strings.Repeat("<</A", 10<<20)+"endobj trailer", 1), nil)
	add("PDF size that lies", strings.Replace(shared("/Pages 2 0 R"), "/Root", "/Size 2147483647 /Prev 9 /Root", 1), nil)
}
