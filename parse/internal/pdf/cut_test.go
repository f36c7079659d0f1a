// SPDX-License-Identifier: Apache-2.0

package pdf_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/curlew/internal/test/pdftest"
	"example.com/curlew/parse/internal/pdf"
)

// TestDamaged checks that the warnings of damaged files say what is lost, and
// that sound files have no warnings.
func TestDamaged(t *testing.T) {
	const early, pages, parts = "ends too early", "the file names but does not have: 1", "damaged or missing: 1"
	sound := pdftest.Pages(pdftest.Text("F1", 10, 72, 700, "the first page"), pdftest.Text("F1", 10, 72, 700, "the second page"))
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	for i := range 400 {
		fmt.Fprint(z, pdftest.Text("F1", 10, 72, float64(780-i), fmt.Sprint("line ", i*i*7919)))
	}
	z.Close()
	var d pdftest.Document
	font := d.Add("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
	form := d.Stream("/Type/XObject/Subtype/Form/BBox[0 0 600 800]", "BT /F1 10 Tf 50 50 Td (of a form) Tj ET")
	d.Page(pdftest.Text("F1", 10, 72, 700, "the text of the page")+" /X Do", fmt.Sprintf("<</Font<</F1 %d 0 R>>/XObject<</X %d 0 R>>>>", font, form), "")
	parted := d.Bytes()
	without := func(num int) []byte {
		return bytes.Replace(parted, fmt.Appendf(nil, "\n%d 0 obj", num), fmt.Appendf(nil, "\n%d 0 obj", num+50), 1)
	}
	var z2 pdftest.Document
	f := z2.Add("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
	half := packed.Bytes()[:packed.Len()/2]
	content := z2.Stream("/Filter/FlateDecode", string(half))
	z2.Page("", fmt.Sprintf("<</Font<</F1 %d 0 R>>>>", f), "")
	torn := bytes.Replace(z2.Bytes(), []byte("/Contents"), fmt.Appendf(nil, "/Contents %d 0 R /Old", content), 1)
	coded := func(code string) []byte { // a page with this code
		return pdftest.Pages(pdftest.Text("F1", 10, 72, 700, "the text of the page") + code)
	}
	tests := []struct {
		name string
		data []byte
		want []string
	}{
		{"sound", sound, nil},
		{"sound, with a form", parted, nil},
		{"wrong offsets", bytes.Replace(sound, []byte("%PDF-1.7\n"), []byte("%PDF-1.7\n% moved\n"), 1), nil},
		{"cut within the table", sound[:bytes.LastIndex(sound, []byte("xref\n0"))+30], []string{early}},
		{"cut within an object", sound[:bytes.LastIndex(sound, []byte("endobj"))-5], []string{early}},
		{"a page is missing", bytes.Replace(sound, []byte("/Kids ["), []byte("/Kids [90 0 R "), 1), []string{pages}},
		{"a form is missing", without(form), []string{parts}},
		{"a font is missing", without(font), []string{parts}},
		{"a stream is cut", torn, []string{parts}},
		{"a string without an end", coded("BT /F1 10 Tf 50 50 Td (of the text Tj ET"), []string{"damaged: 1."}},
		{"an array without an end", coded("BT /F1 10 Tf 50 50 Td [(of the text) TJ (and) Tj ET"), []string{"damaged: 1."}},
		{"a string in hexadecimal without an end", coded("BT /F1 10 Tf 50 50 Td <4142 Tj ET"), []string{"damaged: 1."}},
		{"an unknown operator", coded("BT /F1 10 Tf 50 50 Td (of the text) TK ET"), []string{"damaged: 1."}},
		{"an operator without its text", coded("BT /F1 10 Tf 50 50 Td (of the text) TJ Tj ET"), []string{"damaged: 1."}},
		{"a bracket without a partner", coded("BT /F1 10 Tf 50 50 Td (of the text) Tj ) ET"), []string{"damaged: 1."}},
		{"operands at the end", coded("BT /F1 10 Tf 50 50 Td (of the text) Tj ET 4 5"), []string{"damaged: 1."}},
		{"operators that may be unknown", coded("BX 1 2 new EX BT /F1 10 Tf 50 50 Td (of the text) Tj ET 1 d0 0 i"), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, w := range read(t, tt.data, pdf.Options{}).Warnings {
				if w.Code != "no-text" {
					got = append(got, w.Text)
				}
			}
			if !slices.EqualFunc(got, tt.want, func(text, part string) bool { return strings.Contains(text, part) }) {
				t.Errorf("warnings %q, want %q", got, tt.want)
			}
		})
	}
}

// TestMissingFont checks that the codes of a font that the file does not have
// are shown as unknown characters and not as letters.
func TestMissingFont(t *testing.T) {
	var d pdftest.Document
	d.Page("BT /F1 10 Tf 72 700 Td <0037004B0048> Tj 0 -20 Td (plain) Tj ET", "<</Font<</F1 99 0 R>>>>", "")
	got := rendered(t, read(t, d.Bytes(), pdf.Options{}))
	if strings.Contains(got, "7KH") || !strings.Contains(got, "\ufffd\ufffd\ufffd") || !strings.Contains(got, "plain") {
		t.Errorf("got %q", got)
	}
}
