// SPDX-License-Identifier: Apache-2.0

package parse_test

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"example.com/curlew/parse"
)

// repeaters adds small documents that show one of their parts or definitions
// many times, so that their text exceeds the budget of a document.
func repeaters(add func(name, data string, want error)) {
	const types = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`
	relations := func(of ...string) string { // arguments: id, type, target, repeated
		var b strings.Builder
		for i := 0; i < len(of); i += 3 {
			fmt.Fprintf(&b, `<Relationship Id="%s" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/%s" Target="%s"/>`, of[i], of[i+1], of[i+2])
		}
		return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + b.String() + `</Relationships>`
	}
	word := func(body string, rels []string, parts ...string) string {
		return pack(append([]string{
			"[Content_Types].xml", types, "word/_rels/document.xml.rels", relations(rels...),
			"word/document.xml", "<w:document " + wordSpace + "><w:body>" + body + "</w:body></w:document>",
		}, parts...)...)
	}
	paragraphs := strings.Repeat("<w:p><w:r><w:t>x</w:t></w:r></w:p>", 4000)
	add("a document many times in one", word(strings.Repeat(`<w:altChunk r:id="c"/>`, 8000), []string{"c", "aFChunk", "a.docx"}, "word/a.docx", word(paragraphs, nil)), nil)

	inflated := word(strings.Repeat(" ", 9<<20), nil)
	var chunks strings.Builder
	var rels, parts []string
	for i := range 400 {
		id := "c" + strconv.Itoa(i)
		fmt.Fprintf(&chunks, `<w:altChunk r:id="%s"/>`, id)
		rels = append(rels, id, "aFChunk", id+".docx")
		parts = append(parts, "word/"+id+".docx", inflated)
	}
	add("many bombs in one", word(chunks.String(), rels, parts...), parse.ErrLimit)

	mail := "From: a@b\nSubject: x\nContent-Type: multipart/mixed; boundary=x\n\n" + strings.Repeat("--x\nContent-Disposition: attachment; filename=a.docx\nContent-Transfer-Encoding: base64\n\n"+
		base64.StdEncoding.EncodeToString([]byte(word(strings.Repeat(paragraphs, 30), nil)))+"\n", 99) + "--x--\n"
	add("many documents in mail", mail, nil)

	var points strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&points, `<c:pt idx="%d"><c:v>1</c:v></c:pt>`, i)
	}
	chart := `<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"><c:chart><c:plotArea><c:barChart><c:ser><c:val><c:numRef><c:numCache>` + points.String() + `</c:numCache></c:numRef></c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>`
	add("a chart many times", word(strings.Repeat(`<w:p><w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"><a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:graphicData><c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" r:id="c"/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`, 8000),
		[]string{"c", "chart", "chart.xml"}, "word/chart.xml", chart), nil)

	const talk = `xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	slides := func(list, tree, layout string) string {
		return pack("[Content_Types].xml", types,
			"ppt/presentation.xml", `<p:presentation `+talk+`><p:sldIdLst>`+list+`</p:sldIdLst></p:presentation>`, "ppt/_rels/presentation.xml.rels", relations("s", "slide", "s.xml"),
			"ppt/s.xml", `<p:sld `+talk+`><p:cSld><p:spTree>`+tree+`</p:spTree></p:cSld></p:sld>`, "ppt/_rels/s.xml.rels", relations("l", "slideLayout", "l.xml"),
			"ppt/l.xml", `<p:sldLayout `+talk+`><p:cSld><p:spTree>`+layout+`</p:spTree></p:cSld></p:sldLayout>`)
	}
	add("a slide many times", slides(strings.Repeat(`<p:sldId r:id="s"/>`, 8000), strings.Repeat(`<p:sp><p:txBody><a:p><a:r><a:t>x</a:t></a:r></a:p></p:txBody></p:sp>`, 4000), ""), nil)
	var shapes, models strings.Builder
	for i := range 8000 {
		fmt.Fprintf(&shapes, `<p:sp><p:nvSpPr><p:nvPr><p:ph idx="%d"/></p:nvPr></p:nvSpPr></p:sp>`, i)
		fmt.Fprintf(&models, `<p:sp><p:nvSpPr><p:nvPr><p:ph idx="%d"/></p:nvPr></p:nvSpPr></p:sp>`, i+8000)
	}
	add("placeholders without a model", slides(`<p:sldId r:id="s"/>`, shapes.String(), models.String()), nil)

	add("a sheet many times", pack("[Content_Types].xml", types,
		"xl/workbook.xml", `<workbook `+sheetSpace+`><sheets>`+strings.Repeat(`<sheet name="S" sheetId="1" r:id="s"/>`, 8000)+`</sheets></workbook>`, "xl/_rels/workbook.xml.rels", relations("s", "worksheet", "s.xml"),
		"xl/s.xml", `<worksheet `+sheetSpace+`><sheetData>`+strings.Repeat("<row/>", 8000)+`</sheetData></worksheet>`), parse.ErrLimit)

	const office = `xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"`
	add("a formula many times", pack("mimetype", odf+"text",
		"content.xml", `<office:document-content `+office+`><office:body><office:text>`+strings.Repeat(`<text:p><draw:frame><draw:object xlink:href="./Object"/></draw:frame></text:p>`, 8000)+`</office:text></office:body></office:document-content>`,
		"Object/content.xml", `<math xmlns="http://www.w3.org/1998/Math/MathML">`+strings.Repeat(`<mfrac><mi>x</mi><mi>y</mi></mfrac>`, 4000)+`</math>`), nil)
	add("ODS comments that repeat", `<?xml version="1.0"?><office:document `+office+` office:mimetype="`+odf+`spreadsheet"><office:body><office:spreadsheet><table:table table:name="S"><table:table-row table:number-rows-repeated="1000"><table:table-cell table:number-columns-repeated="1000"><office:annotation><text:p>`+
		strings.Repeat("x", 8000)+`</text:p></office:annotation><text:p>x</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet></office:body></office:document>`, nil)

	var edges strings.Builder
	for i := range 8000 {
		fmt.Fprintf(&edges, `\cellx%d`, i)
	}
	add("RTF rows of one definition", `{\rtf1\trowd`+edges.String()+strings.Repeat(`\pard\intbl x\cell\row`, 80_000)+"}", nil)
	add("RTF runs", `{\rtf1 `+strings.Repeat(`\b x\b0 y`, 800_000)+"}", nil)
}
