// SPDX-License-Identifier: Apache-2.0

package parse_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.com/curlew/parse"
)

// TestCutContainers cuts documents in ZIP containers at ten places. What is before the
// place is read, and the document says that it has no directory.
func TestCutContainers(t *testing.T) {
	const (
		types   = `<Types><Default Extension="xml" ContentType="application/xml"/></Types>`
		space   = `xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" `
		related = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">%s</Relationships>`
		link    = `<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/%s" Target="%s"/>`
	)
	relations := func(kind, target string) string { return fmt.Sprintf(related, fmt.Sprintf(link, kind, target)) }
	words := func(before, after string) string { // words that do not compress well
		var b strings.Builder
		for i := range 200 {
			fmt.Fprintf(&b, "%sword%d of%x%s", before, i, i*i*7919, after)
		}
		return b.String()
	}
	count := func(tree *parse.Tree) int {
		var b strings.Builder
		if err := tree.WriteHTML(&b); err != nil {
			t.Error(err)
		}
		return strings.Count(b.String(), "word")
	}
	for name, parts := range map[string][]string{
		"a.docx": {
			"[Content_Types].xml", types, "_rels/.rels", relations("officeDocument", "word/document.xml"),
			"word/document.xml", `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>` + words("<w:p><w:r><w:t>", "</w:t></w:r></w:p>") + `</w:body></w:document>`,
		},
		"a.pptx": {
			"[Content_Types].xml", types, "_rels/.rels", relations("officeDocument", "ppt/presentation.xml"), "ppt/_rels/presentation.xml.rels", relations("slide", "slides/slide1.xml"),
			"ppt/presentation.xml", `<p:presentation ` + space + `xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"><p:sldIdLst><p:sldId id="256" r:id="r1"/></p:sldIdLst></p:presentation>`,
			"ppt/slides/slide1.xml", `<p:sld xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"><p:cSld><p:spTree><p:sp><p:txBody>` +
				words("<a:p><a:r><a:t>", "</a:t></a:r></a:p>") + `</p:txBody></p:sp></p:spTree></p:cSld></p:sld>`,
		},
		"a.xlsx": { // the workbook comes last, as openpyxl writes it
			"xl/worksheets/sheet1.xml", `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>` + words(`<row><c t="inlineStr"><is><t>`, "</t></is></c></row>") + `</sheetData></worksheet>`,
			"_rels/.rels", relations("officeDocument", "xl/workbook.xml"),
			"xl/workbook.xml", `<workbook ` + space + `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>`,
			"xl/_rels/workbook.xml.rels", relations("worksheet", "worksheets/sheet1.xml"), "[Content_Types].xml", types,
		},
		"a.odt": {
			"mimetype", "application/vnd.oasis.opendocument.text",
			"content.xml", `<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:text>` +
				words("<text:p>", "</text:p>") + `</office:text></office:body></office:document-content>`,
		},
		"a.epub": {
			"mimetype", "application/epub+zip",
			"a.opf", `<package xmlns="http://www.idpf.org/2007/opf"><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>`,
			"a.xhtml", "<html><body>" + words("<p>", "</p>") + "</body></html>",
		},
	} {
		data := zipped(t, parts...)
		var e parse.Engine
		whole, err := e.Parse(t.Context(), source(name, "", data), nil)
		if err != nil || count(whole) < 200 {
			t.Fatalf("%s: %v", name, err)
		}
		read := 0
		for i := range 10 {
			cut := data[:len(data)*(i+1)/10-1]
			tree, err := e.Parse(t.Context(), source(name, "", cut), nil)
			if err != nil {
				if !errors.Is(err, parse.ErrCorrupt) {
					t.Errorf("%s, %d bytes: %v, want ErrCorrupt", name, len(cut), err)
				}
				continue
			}
			if len(tree.Warnings) == 0 || tree.Warnings[0].Code != parse.WarnPart || !strings.HasPrefix(tree.Warnings[0].Text, "The ZIP directory of the file is missing or damaged") {
				t.Errorf("%s, %d bytes: %v", name, len(cut), tree.Warnings)
			}
			got := count(tree)
			if got < read {
				t.Errorf("%s, %d bytes: %d words, fewer than %d of fewer bytes", name, len(cut), got, read)
			}
			read = got
		}
		if read < 200 {
			t.Errorf("%s: %d words of almost all bytes", name, read)
		}
	}
}
