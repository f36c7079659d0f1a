// SPDX-License-Identifier: Apache-2.0

package parse_test

import (
	"os"
	"strings"
	"testing"

	"example.com/curlew/internal/test/golden"
	"example.com/curlew/internal/test/pdftest"
	"example.com/curlew/parse"
)

// wordsSpace declares the namespaces of a document of words.
const wordsSpace = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`

// hiddenCases are documents that hide the word "secret" and show the word
// "shown". marked is what the tree has if hidden content is marked.
func hiddenCases(t *testing.T) []struct{ name, data, marked string } {
	t.Helper()
	const odf = `<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" ` +
		`xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" ` +
		`xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0" ` +
		`xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0">`
	open := func(kind, styles, body string) string {
		return pack("mimetype", "application/vnd.oasis.opendocument."+kind, "content.xml",
			odf+`<office:automatic-styles>`+styles+`</office:automatic-styles><office:body>`+body+`</office:body></office:document-content>`)
	}
	sheets := func(workbook, sheet, styles string) string {
		return pack(
			"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>`,
			"_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="a" Type="x/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
			"xl/workbook.xml", `<workbook `+sheetSpace+`><sheets>`+workbook+`</sheets></workbook>`,
			"xl/_rels/workbook.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="a" Type="x/worksheet" Target="a.xml"/><Relationship Id="b" Type="x/worksheet" Target="b.xml"/><Relationship Id="s" Type="x/styles" Target="styles.xml"/></Relationships>`,
			"xl/a.xml", `<worksheet `+sheetSpace+`><sheetData><row r="1"><c r="A1" t="str"><v>shown</v></c></row></sheetData></worksheet>`,
			"xl/b.xml", `<worksheet `+sheetSpace+`>`+sheet+`</worksheet>`,
			"xl/styles.xml", `<styleSheet `+sheetSpace+`>`+styles+`</styleSheet>`,
		)
	}
	const both = `<sheet name="A" sheetId="1" r:id="a"/><sheet name="B" sheetId="2" r:id="b"/>`
	ppt, err := os.ReadFile(golden.Testdata("parse/slides.pptx"))
	if err != nil {
		t.Fatal(err)
	}
	return []struct{ name, data, marked string }{
		{"vanish.docx", pack("word/document.xml", `<w:document `+wordsSpace+`><w:body><w:p><w:r><w:t>shown </w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r></w:p></w:body></w:document>`), `<span data-hidden="">secret</span>`},
		{"span.odt", open("text", `<style:style style:name="H" style:family="text"><style:text-properties text:display="none"/></style:style>`, `<office:text><text:p>shown <text:span text:style-name="H">secret</text:span></text:p></office:text>`), `<span data-hidden="">secret</span>`},
		{"section.odt", open("text", "", `<office:text><text:p>shown</text:p><text:section text:display="none"><text:p>secret</text:p></text:section></office:text>`), `<span data-hidden="">secret</span>`},
		{"sheet.ods", open("spreadsheet", `<style:style style:name="H" style:family="table"><style:table-properties table:display="false"/></style:style>`,
			`<office:spreadsheet><table:table table:name="A"><table:table-row><table:table-cell><text:p>shown</text:p></table:table-cell></table:table-row></table:table>`+
				`<table:table table:name="B" table:style-name="H"><table:table-row><table:table-cell><text:p>secret</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet>`), `<section data-sheet="B" data-hidden="">`},
		{"slide.odp", open("presentation", `<style:style style:name="H" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>`,
			`<office:presentation><draw:page><draw:frame><draw:text-box><text:p>shown</text:p></draw:text-box></draw:frame></draw:page>`+
				`<draw:page draw:style-name="H"><draw:frame><draw:text-box><text:p>secret</text:p></draw:text-box></draw:frame></draw:page></office:presentation>`), `data-slide="2" data-hidden=""`},
		{"hidden.eml", "Subject: a\nFrom: a@b.c\nContent-Type: text/html\n\n<style>.x{display:none}</style><p>shown</p><p class=x style=\"color:red\">secret</p>", `<p class="x" data-hidden="">secret</p>`},
		{"white.eml", "Subject: a\nFrom: a@b.c\nContent-Type: text/html\n\n<p>shown</p><p style=\"color:white\">secret</p>", `<span data-hidden="">secret</span>`},
		{"hidden.rtf", `{\rtf1 shown {\v secret}\par}`, `<span data-hidden="">secret</span>`},
		{"sheet.xlsx", sheets(strings.Replace(both, `name="B"`, `name="B" state="hidden"`, 1), `<sheetData><row r="1"><c r="A1" t="str"><v>secret</v></c></row></sheetData>`, ""), `<section data-sheet="B" data-hidden="">`},
		{"row.xlsx", sheets(both, `<sheetData><row r="1"><c r="A1" t="str"><v>a</v></c></row><row r="2" hidden="1"><c r="A2" t="str"><v>secret</v></c></row></sheetData>`, ""), `<tr data-hidden=""><td>secret`},
		{"column.xlsx", sheets(both, `<cols><col min="2" max="2" hidden="1"/></cols><sheetData><row r="1"><c r="A1" t="str"><v>a</v></c><c r="B1" t="str"><v>secret</v></c></row><row r="2"><c r="A2"><v>1</v></c></row></sheetData>`, ""), `data-hidden="">secret`},
		{"format.xlsx", sheets(both, `<sheetData><row r="1"><c r="A1" t="str" s="1"><v>secret</v></c></row></sheetData>`,
			`<numFmts count="1"><numFmt numFmtId="200" formatCode=";;;"/></numFmts><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="200" applyNumberFormat="1"/></cellXfs>`), "secret"},
		{"hidden.pdf", string(pdftest.Pages(pdftest.Lines("F1", 10, 72, 700, 14, "shown") + "1 1 1 rg\n" + pdftest.Lines("F1", 10, 72, 600, 14, "secret"))), "secret"},
		{"slides.pptx", string(ppt), "data-hidden"},
	}
}

// TestHidden reads documents with hidden content in each mode.
func TestHidden(t *testing.T) {
	for _, c := range hiddenCases(t) {
		read := func(h parse.Hidden) (string, *parse.Tree) {
			tree, err := new(parse.Engine).Parse(t.Context(), source(c.name, "", c.data), &parse.Options{Hidden: h})
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			var b strings.Builder
			if err := tree.WriteHTML(&b); err != nil {
				t.Fatal(err)
			}
			return b.String(), tree
		}
		dropped, tree := read(parse.HiddenDropped)
		if strings.Contains(dropped, "secret") || strings.Contains(dropped, "data-hidden") {
			t.Errorf("%s: hidden content is not left out: %s", c.name, dropped)
		}
		said := false
		for _, w := range tree.Warnings {
			said = said || strings.HasPrefix(w.Code, "hidden-")
		}
		if !said {
			t.Errorf("%s: no warning says what was left out: %v", c.name, tree.Warnings)
		}
		marked, _ := read(parse.HiddenMarked)
		if !strings.Contains(marked, c.marked) {
			t.Errorf("%s: marked: %s, want %s", c.name, marked, c.marked)
		}
		kept, tree := read(parse.HiddenKept)
		if strings.Contains(kept, "data-hidden") || len(kept) <= len(dropped) {
			t.Errorf("%s: kept: %s", c.name, kept)
		}
		for _, w := range tree.Warnings {
			if strings.HasPrefix(w.Code, "hidden-") {
				t.Errorf("%s: kept, but %v", c.name, w)
			}
		}
	}
}
