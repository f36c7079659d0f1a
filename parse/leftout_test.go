// SPDX-License-Identifier: Apache-2.0

package parse_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"example.com/curlew/parse"
)

// related returns a package whose main part has a relationship to each other part, in
// pairs of a type and a content. Their IDs are r0, r1 and so on.
func related(t *testing.T, main string, parts ...string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	add := func(name, text string) {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	const relations = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">%s</Relationships>`
	const relation = `<Relationship Id="r%d" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/%s" Target="%s"/>`
	add("_rels/.rels", fmt.Sprintf(relations, fmt.Sprintf(relation, 0, "officeDocument", "a/main.xml")))
	add("a/main.xml", main)
	var list strings.Builder
	for i := 0; i < len(parts); i += 2 {
		name := fmt.Sprintf("part%d.xml", i/2)
		fmt.Fprintf(&list, relation, i/2, parts[i], name)
		add("a/"+name, parts[i+1])
	}
	add("a/_rels/main.xml.rels", fmt.Sprintf(relations, list.String()))
	// The first part of a workbook or a presentation may refer to all others too.
	add("a/_rels/part0.xml.rels", fmt.Sprintf(relations, list.String()))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestLeftOut reads documents of which something is left out, and expects a warning that
// counts it, or text that only some programs show.
func TestLeftOut(t *testing.T) {
	const (
		word  = `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:v="urn:schemas-microsoft-com:vml"><w:body>%s</w:body></w:document>`
		book  = `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="S" sheetId="1" r:id="r0"/></sheets></workbook>`
		sheet = `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">%s</worksheet>`
		show  = `<p:presentation xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><p:sldIdLst><p:sldId id="256" r:id="r0"/></p:sldIdLst></p:presentation>`
		slide = `<p:sld xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><p:cSld><p:spTree>%s</p:spTree></p:cSld></p:sld>`
		flat  = `<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" office:mimetype="application/vnd.oasis.opendocument.%s"><office:body>%s</office:body></office:document>`
		cells = `<table:table><table:table-row><table:table-cell table:number-columns-spanned="2"><text:p>shown</text:p></table:table-cell><table:covered-table-cell><text:p>under</text:p></table:covered-table-cell></table:table-row><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table>`

		ink       = `<inkml:ink xmlns:inkml="http://www.w3.org/2003/InkML"/>`
		unreadInk = "1 embedded object was not read: ink."
		covered   = "Text of cells that merged cells cover was left out at 1 place."
		misplaced = "cells or rows were left out, because others have their places or they are outside of a sheet."
	)
	paragraph := func(s string) string { return "<w:p><w:r><w:t>" + s + "</w:t></w:r></w:p>" }
	complexField := func(instruction, result string) string {
		return `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>` + instruction + `</w:instrText></w:r>` + result + `<w:r><w:fldChar w:fldCharType="end"/></w:r>`
	}
	button := `<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:x="urn:schemas-microsoft-com:office:excel"><v:shape id="s1"><v:textbox><div>Press <b>me</b></div></v:textbox><x:ClientData ObjectType="Button"/></v:shape><v:shape id="s2"><v:textbox><div>Note</div></v:textbox><x:ClientData ObjectType="Note"/></v:shape></xml>`
	for name, c := range map[string]struct{ name, data, want string }{
		"cells below a merged cell of Word":     {"a.docx", related(t, fmt.Sprintf(word, "<w:tbl><w:tr><w:tc><w:tcPr><w:vMerge w:val=\"restart\"/></w:tcPr>"+paragraph("a")+"</w:tc></w:tr><w:tr><w:tc><w:tcPr><w:vMerge/></w:tcPr>"+paragraph("b")+"</w:tc></w:tr></w:tbl>")), covered},
		"empty cells below it":                  {"a.docx", related(t, fmt.Sprintf(word, "<w:tbl><w:tr><w:tc><w:tcPr><w:vMerge w:val=\"restart\"/></w:tcPr>"+paragraph("a")+"</w:tc></w:tr><w:tr><w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p/></w:tc></w:tr></w:tbl>")), ""},
		"a note that is not there":              {"a.docx", related(t, fmt.Sprintf(word, `<w:p><w:r><w:t>a</w:t></w:r><w:r><w:footnoteReference w:id="7"/></w:r></w:p>`)), "Notes that the file does not have, although its text refers to them: 1."},
		"a note without a reference":            {"a.docx", related(t, fmt.Sprintf(word, paragraph("a")), "endnotes", `<w:endnotes xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:endnote w:id="0" w:type="separator">`+paragraph("-")+`</w:endnote><w:endnote w:id="2">`+paragraph("b")+`</w:endnote></w:endnotes>`), "Footnotes and endnotes that no text refers to, which were left out: 1."},
		"a control of ActiveX":                  {"a.docx", related(t, fmt.Sprintf(word, paragraph("a")+`<w:p><w:r><w:object><w:control r:id="r0" w:name="Button1"/></w:object></w:r></w:p>`), "control", "<ocx/>"), "1 embedded object was not read: Button1."},
		"a diagram that only its drawing shows": {"a.docx", related(t, fmt.Sprintf(word, `<w:p><w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"><a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:graphicData><dgm:relIds xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" r:dm="r0"/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`), "diagramData", `<dgm:dataModel xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><dgm:ptLst/><dgm:extLst><a:ext><dsp:dataModelExt xmlns:dsp="http://schemas.microsoft.com/office/drawing/2008/diagram" relId="r1"/></a:ext></dgm:extLst></dgm:dataModel>`, "diagramDrawing", `<dsp:drawing xmlns:dsp="http://schemas.microsoft.com/office/drawing/2008/diagram" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><dsp:spTree><dsp:sp><dsp:txBody><a:p><a:r><a:t>Plan</a:t></a:r></a:p></dsp:txBody></dsp:sp><dsp:sp><dsp:txBody><a:p><a:r><a:t>Do</a:t></a:r></a:p></dsp:txBody></dsp:sp></dsp:spTree></dsp:drawing>`), "text: PlanDo"},
		"fields without a result":               {"a.docx", related(t, fmt.Sprintf(word, `<w:p><w:r><w:t>a</w:t></w:r><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>MERGEFIELD Name</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>XE "a"</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>`)), "Fields whose text the file does not have: 1."},
		"the default of a form field":           {"a.docx", related(t, fmt.Sprintf(word, `<w:p><w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:textInput><w:default w:val="Your name"/></w:textInput></w:ffData></w:fldChar></w:r><w:r><w:instrText>FORMTEXT</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>`)), "text: Your name"},
		"fields of other kinds":                 {"a.docx", related(t, fmt.Sprintf(word, `<w:p><w:r><w:t>a</w:t></w:r><w:fldSimple w:instr="REF Part"/><w:fldSimple w:instr="PAGE"/>`+complexField(`IF 1 = 2 "x" "y"`, "")+complexField(`INDEX \c "2"`, "")+complexField("MERGEFIELD Name", `<w:r><w:fldChar w:fldCharType="separate"/></w:r>`)+complexField("TC x", "")+`</w:p>`)), "Fields whose text the file does not have: 3."},
		"an empty answer":                       {"a.docx", related(t, fmt.Sprintf(word, `<w:p><w:r><w:t>a</w:t></w:r><w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:textInput><w:default w:val="Your name"/></w:textInput></w:ffData></w:fldChar></w:r><w:r><w:instrText>FORMTEXT</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>`)), "Texts that ask for the content of an empty field were left out at 1 place."},
		"a choice with an empty result":         {"a.docx", related(t, fmt.Sprintf(word, `<w:p><w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="one"/><w:listEntry w:val="two"/></w:ddList></w:ffData></w:fldChar></w:r><w:r><w:instrText>FORMDROPDOWN</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>`)), "text: two"},
		"what a macro button says":              {"a.docx", related(t, fmt.Sprintf(word, `<w:p>`+complexField("MACROBUTTON NoMacro [Click here]", "")+`</w:p>`)), "text: [Click here]"},
		"symbols with an empty result":          {"a.docx", related(t, fmt.Sprintf(word, `<w:p>`+complexField(`SYMBOL 97 \f "Symbol"`, `<w:r><w:fldChar w:fldCharType="separate"/></w:r>`)+complexField(`SYMBOL 98 \f "Symbol"`, `<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>b</w:t></w:r>`)+`</w:p>`)), "text: αb"},
		"ink in Word":                           {"a.docx", related(t, fmt.Sprintf(word, paragraph("a")+`<w:p><w:r><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice Requires="wpi"><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"><a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:graphicData><wpi:contentPart xmlns:wpi="http://schemas.microsoft.com/office/word/2010/wordprocessingInk" r:id="r0"/></a:graphicData></a:graphic></wp:inline></w:drawing></mc:Choice><mc:Fallback><w:pict/></mc:Fallback></mc:AlternateContent></w:r></w:p>`), "customXml", ink), unreadInk},
		"ink in Word without a drawing":         {"a.docx", related(t, fmt.Sprintf(word, paragraph("a")+`<w:p><w:r><w:contentPart r:id="r0"/></w:r></w:p>`), "customXml", ink), unreadInk},
		"ink of Word 2003":                      {"a.docx", related(t, fmt.Sprintf(word, paragraph("a")+`<w:p><w:r><w:pict><v:shape><o:ink xmlns:o="urn:schemas-microsoft-com:office:office" i="AAAA"/></v:shape></w:pict></w:r></w:p>`)), unreadInk},
		"ink on a slide":                        {"a.pptx", related(t, show, "slide", fmt.Sprintf(slide, `<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice Requires="p14"><p:contentPart xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:id="r1"/></mc:Choice><mc:Fallback><p:pic/></mc:Fallback></mc:AlternateContent>`), "customXml", ink), unreadInk},
		"ink on a sheet":                        {"a.xlsx", related(t, book, "worksheet", fmt.Sprintf(sheet, `<sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData><drawing r:id="r1"/>`), "drawing", `<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"><xdr:twoCellAnchor><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice Requires="xdr14"><xdr14:contentPart xmlns:xdr14="http://schemas.microsoft.com/office/excel/2010/spreadsheetDrawing"/></mc:Choice><mc:Fallback><xdr:pic/></mc:Fallback></mc:AlternateContent></xdr:twoCellAnchor></xdr:wsDr>`), unreadInk},
		"a text that a field names":             {"a.docx", related(t, fmt.Sprintf(word, `<w:p><w:r><w:t>a</w:t></w:r>`+complexField(`SET x "b"`, `<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>b</w:t></w:r>`)+complexField("REF x", `<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>b</w:t></w:r>`)+`</w:p>`)), "text: ab"},
		"that it is not shown":                  {"a.docx", related(t, fmt.Sprintf(word, `<w:p><w:r><w:t>a</w:t></w:r>`+complexField(`SET x "b"`, `<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>b</w:t></w:r>`)+`</w:p>`)), "Text that the document hides was left out at 1 place."},
		"a text that a field of RTF names":      {"a.rtf", `{\rtf1 a{\field{\*\fldinst{SET x "b"}}{\fldrslt b}}{\field{\*\fldinst{REF x}}{\fldrslt b}}\par}`, "text: ab"},
		"a tie of separators":                   {"a.csv", "a,b;c\n1,2;3\n", `The cells were divided at ';'. At ',', the rows would be as even.`},
		"one row that has two separators":       {"a.csv", "a,b;c\n", ""},
		"fields of RTF":                         {"a.rtf", `{\rtf1 a{\field{\*\fldinst{REF Part}}}{\field{\*\fldinst{IF 1 = 2 "x" "y"}}}{\field{\*\fldinst PAGE}}{\field{\*\fldinst{MERGEFIELD x}}{\fldrslt }}\par}`, "Fields whose text the file does not have: 2."},
		"fields of ODF":                         {"a.fodt", fmt.Sprintf(flat, "text", `<office:text><text:p>a<text:bookmark-ref text:ref-name="x"/><text:user-field-get text:name="y"/><text:variable-set text:name="y" text:display="none"/><text:sequence>1</text:sequence></text:p></office:text>`), "Fields whose text the file does not have: 2."},
		"a text of ODF that asks":               {"a.fodt", fmt.Sprintf(flat, "text", `<office:text><text:p>a<text:placeholder>&lt;Name&gt;</text:placeholder></text:p></office:text>`), "Texts that ask for the content of an empty field were left out at 1 place."},
		"a frame of ODF":                        {"a.fodt", fmt.Sprintf(flat, "text", `<office:text><text:p>a<draw:frame xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"><draw:floating-frame/></draw:frame></text:p></office:text>`), "1 embedded object was not read: floating-frame."},
		"a piece of a message":                  {"a.eml", "Subject: a\nFrom: a@b.c\nContent-Type: message/partial; number=2; total=3; id=x\n\ntext\n", "Parts of the message that are pieces of a longer message, whose other pieces are missing: 1."},
		"content outside of a message":          {"a.eml", "Subject: a\nFrom: a@b.c\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\ntext\n--b\nContent-Type: message/external-body; access-type=URL\n\nContent-Type: text/plain\n\n--b--\n", "Parts of the message whose content is elsewhere and was not read: 1."},
		"text that a mail hides":                {"a.eml", "Subject: a\nFrom: a@b.c\nContent-Type: text/html\n\n<p>a</p><p hidden>b</p><div style='display: none'>c</div><p style='font-size:0'>d</p><div style='font-size:0px'>e<p style='font-size:9px'>f</p></div>", "Text that the message hides was left out at 4 places."},
		"a plain text that is another one":      {"a.eml", "Subject: a\nContent-Type: multipart/alternative; boundary=b\n\n--b\n\nThe price is nine, not ten, dear old friend\n--b\nContent-Type: text/html\n\n<p>THE price is &#110;ine</p>\n--b--\n", "The plain text of the message has 5 words that the page shown in its place lacks."},
		"a plain text with other ends of lines": {"a.eml", "Subject: a\nContent-Type: multipart/alternative; boundary=b\n\n--b\n\nThe price is nine, not ten, dear\nfriend, 水鳥在\n游泳 [1]\n--b\nContent-Type: text/html\n\n<p>The <b>price</b> is nine, not ten, dear friend, 水鳥在游泳</p>\n--b--\n", ""},
		"keywords and comments of a mail":       {"a.eml", "Subject: a\nKeywords: b, c\nComments: d\n\ne", "text: aaKeywordsb, cCommentsde"},
		"fields of a mail":                      {"a.eml", "Subject: a\nFrom: a@b.c\nContent-Type: text/html\n\n<p>a</p><input type=text value=b><input type=hidden><textarea>c</textarea>", "Fields and buttons of forms that were left out: 2."},
		"media of a mail":                       {"a.eml", "Subject: a\nFrom: a@b.c\nContent-Type: text/html\n\n<p>a</p><video src=b></video><embed src=c>", "Media and embedded objects of pages that were left out: 2."},
		"what is there for lack of an object":   {"a.eml", "Subject: a\nFrom: a@b.c\nContent-Type: text/html\n\n<object data=x><p>b</p></object><noscript><p>c</p></noscript>", "text: aaFroma@b.cbc"},
		"more behind a signature":               {"a.eml", "Subject: a\nContent-Type: multipart/signed; boundary=b\n\n--b\n\ntext\n--b\nContent-Type: application/pgp-signature\n\nx\n--b\n\nfooter\n--b--\n", "text: aatextfooter"},
		"pages of an archive that none shows":   {"a.mhtml", "MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\nContent-Location: http://a.test/\n\n--b\nContent-Type: text/html\n\n<p>a<iframe src='http://a.test/f'></iframe>\n--b\nContent-Type: text/html\nContent-Location: http://a.test/f\n\nframe\n--b\nContent-Type: text/html\nContent-Location: http://a.test/other\n\nother\n--b--\n", "Pages and texts of the archive that its page does not show, and that were left out: 1."},
		"the label of a button of Word":         {"a.docx", related(t, fmt.Sprintf(word, `<w:p><w:r><w:pict><v:shape><v:textbox><div>Press <b>me</b></div></v:textbox></v:shape></w:pict></w:r></w:p>`)), "text: Press me"},
		"cells below a merged cell":             {"a.xlsx", related(t, book, "worksheet", fmt.Sprintf(sheet, `<sheetData><row r="1"><c r="A1"><v>1</v></c><c r="B1"><v>2</v></c></row><row r="2"><c r="A2"><v>3</v></c><c r="B2"><v>4</v></c></row></sheetData><mergeCells><mergeCell ref="A1:B1"/></mergeCells>`)), covered},
		"cells in one place":                    {"a.xlsx", related(t, book, "worksheet", fmt.Sprintf(sheet, `<sheetData><row r="2"><c r="A2"><v>1</v></c><c r="A2"><v>2</v></c><c r="XFE2"><v>3</v></c></row><row r="1"><c r="A1"><v>5</v></c></row><row r="2"><c r="B2"><v>6</v></c></row></sheetData>`)), "3 " + misplaced},
		"formulas that share a text":            {"a.xlsx", related(t, book, "worksheet", fmt.Sprintf(sheet, `<sheetData><row r="1"><c r="A1"><f t="shared" ref="A1:A2" si="0">B1</f></c></row><row r="2"><c r="A2"><f t="shared" si="0"/><v/></c></row><row r="3"><c r="A3" t="str"><f t="shared" si="0"/><v></v></c></row></sheetData>`)), "Formulas that have no value, and whose text stands only with the first cell that shares it: 1."},
		"a shared text whose tag is damaged":    {"a.xlsx", related(t, book, "worksheet", fmt.Sprintf(sheet, `<sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row></sheetData>`), "sharedStrings", `<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sh><t>a</t></si><si><t>b</t></si></sst>`), "The part a/part1.xml was not read completely, or it is damaged."},
		"the texts behind it":                   {"a.xlsx", related(t, book, "worksheet", fmt.Sprintf(sheet, `<sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row></sheetData>`), "sharedStrings", `<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sh><t>a</t></si><si><t>b</t></si></sst>`), "text: ab"},
		"the label of a button of Excel":        {"a.xlsx", related(t, book, "worksheet", fmt.Sprintf(sheet, `<sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData><legacyDrawing r:id="r1"/>`), "vmlDrawing", button), "text: 1Press me"},
		"cells below a merged cell of a slide":  {"a.pptx", related(t, show, "slide", fmt.Sprintf(slide, `<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr><a:tc gridSpan="2"><a:txBody><a:p><a:r><a:t>a</a:t></a:r></a:p></a:txBody></a:tc><a:tc hMerge="1"><a:txBody><a:p><a:r><a:t>b</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>`)), covered},
		"a control on a slide":                  {"a.pptx", related(t, show, "slide", fmt.Sprintf(slide, ""), "control", "<ocx/>"), "1 embedded object was not read: control."},
		"covered cells of a text":               {"a.fodt", fmt.Sprintf(flat, "text", "<office:text>"+cells+"</office:text>"), covered},
		"covered cells of a sheet":              {"a.fods", fmt.Sprintf(flat, "spreadsheet", "<office:spreadsheet>"+cells+"</office:spreadsheet>"), covered},
		"messages beside cells":                 {"a.fods", fmt.Sprintf(flat, "spreadsheet", `<office:spreadsheet><table:content-validations><table:content-validation><table:help-message table:title="x"><text:p>a</text:p></table:help-message></table:content-validation><table:content-validation/></table:content-validations>`+cells+`</office:spreadsheet>`), "Messages that appear beside selected cells, which were left out: 1."},
		"the title of a sheet":                  {"a.fods", fmt.Sprintf(flat, "spreadsheet", `<office:spreadsheet><table:table><table:title>a</table:title><table:desc>b</table:desc><table:table-row><table:table-cell office:value-type="currency" office:currency="EUR" office:value="12.5"/></table:table-row></table:table></office:spreadsheet>`), "text: ab12.5 EUR"},
		"merged cells of RTF":                   {"a.rtf", `{\rtf1 a\par\trowd\clmgf\cellx1000\clmrg\cellx2000\intbl b\cell c\cell\row}`, covered},
	} {
		t.Run(name, func(t *testing.T) {
			var e parse.Engine
			tree, err := e.Parse(t.Context(), parse.Bytes(c.name, []byte(c.data)), nil)
			if err != nil {
				t.Fatal(err)
			}
			if want, ok := strings.CutPrefix(c.want, "text: "); ok {
				var text strings.Builder
				for n := range tree.Root.Descendants() {
					if n.Type == html.TextNode && n.Parent.Data != "h2" {
						text.WriteString(n.Data)
					}
				}
				if text.String() != want {
					t.Errorf("text %q, want %q", text.String(), want)
				}
				return
			}
			var got []string
			for _, w := range tree.Warnings {
				got = append(got, w.Text)
			}
			if c.want == "" && len(got) > 0 || c.want != "" && !slices.Contains(got, c.want) {
				t.Errorf("warnings %q, want %q", got, c.want)
			}
		})
	}
}

// TestSlideOfNotes reads slides that have only notes. They have a heading, so that the notes are not read as those of the slide before.
func TestSlideOfNotes(t *testing.T) {
	const (
		spaces = ` xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
		open   = `<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0" office:mimetype="application/vnd.oasis.opendocument.presentation"><office:body><office:presentation>`
	)
	for name, data := range map[string]string{
		"a.pptx": related(t, `<p:presentation`+spaces+`><p:sldIdLst><p:sldId id="256" r:id="r0"/></p:sldIdLst></p:presentation>`, "slide", `<p:sld`+spaces+`><p:cSld><p:spTree/></p:cSld></p:sld>`,
			"notesSlide", `<p:notes`+spaces+`><p:cSld><p:spTree><p:sp><p:nvSpPr><p:nvPr><p:ph type="body"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>say</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:notes>`),
		"a.fodp": open + `<draw:page><presentation:notes><draw:frame presentation:class="notes"><draw:text-box><text:p>say</text:p></draw:text-box></draw:frame></presentation:notes></draw:page></office:presentation></office:body></office:document>`,
	} {
		tree, err := new(parse.Engine).Parse(t.Context(), parse.Bytes(name, []byte(data)), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := htmlOf(t, tree); !strings.Contains(got, `<h2 data-role="slide-number">Slide 1</h2><aside data-role="notes">`) {
			t.Errorf("%s: %s", name, got)
		}
	}
}
