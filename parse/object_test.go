// SPDX-License-Identifier: Apache-2.0

package parse_test

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"strings"
	"testing"

	"example.com/curlew/internal/test/cfbtest"
	"example.com/curlew/parse"
)

// TestEmbeddedObjects reads a workbook in documents of other kinds, and an object
// beside it that nothing can be read of.
func TestEmbeddedObjects(t *testing.T) {
	const (
		office    = `http://schemas.openxmlformats.org/officeDocument/2006/relationships`
		relations = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
		main      = relations + `<Relationship Id="m" Type="` + office + `/officeDocument" Target="MAIN"/></Relationships>`
		objects   = relations + `<Relationship Id="o1" Type="` + office + `/package" Target="EMBEDbook.xlsx"/>` +
			`<Relationship Id="o2" Type="` + office + `/oleObject" Target="EMBEDobject2.bin"/>` +
			`<Relationship Id="o3" Type="` + office + `/oleObject" Target="file:///c:/far.xlsx" TargetMode="External"/></Relationships>`
		spaces      = ` xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:r="` + office + `"`
		slideSpaces = ` xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="` + office + `"`
		types       = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`
	)
	container := func(path, up string, parts ...string) string {
		dir, name, _ := strings.Cut(path, "/")
		return pack(append([]string{
			"[Content_Types].xml", types, "_rels/.rels", strings.Replace(main, "MAIN", path, 1),
			dir + "/embeddings/book.xlsx", workbook(), dir + "/embeddings/object2.bin", "nothing known",
			dir + "/" + up + "_rels/" + name[strings.LastIndex(name, "/")+1:] + ".rels", strings.ReplaceAll(objects, "EMBED", "/"+dir+"/embeddings/"),
		}, parts...)...)
	}
	frame := func(id, program string) string {
		return `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="1" name="x"/></p:nvGraphicFramePr><a:graphic><a:graphicData><p:oleObj r:id="` + id + `" progId="` + program + `"><p:embed/></p:oleObj></a:graphicData></a:graphic></p:graphicFrame>`
	}
	object := func(id, program string) string {
		return `<w:p><w:r><w:object><o:OLEObject Type="Embed" ProgID="` + program + `" r:id="` + id + `"/></w:object></w:r></w:p>`
	}
	slides := pack(
		"[Content_Types].xml", types, "_rels/.rels", strings.Replace(main, "MAIN", "ppt/presentation.xml", 1),
		"ppt/presentation.xml", `<p:presentation`+slideSpaces+`><p:sldIdLst><p:sldId r:id="s"/></p:sldIdLst></p:presentation>`,
		"ppt/_rels/presentation.xml.rels", relations+`<Relationship Id="s" Type="`+office+`/slide" Target="slides/s.xml"/></Relationships>`,
		"ppt/slides/s.xml", `<p:sld`+slideSpaces+`><p:cSld><p:spTree>`+frame("o1", "Excel.Sheet.12")+frame("o1", "Excel.Sheet.12")+frame("o2", "Visio.Drawing")+frame("o3", "Excel.Sheet.12")+`</p:spTree></p:cSld></p:sld>`,
		"ppt/slides/_rels/s.xml.rels", strings.ReplaceAll(objects, "EMBED", "../embeddings/"),
		"ppt/embeddings/book.xlsx", workbook(), "ppt/embeddings/object2.bin", "nothing known",
	)
	book := pack(
		"[Content_Types].xml", types, "_rels/.rels", strings.Replace(main, "MAIN", "xl/workbook.xml", 1),
		"xl/workbook.xml", `<workbook `+sheetSpace+`><sheets><sheet name="Outer" sheetId="1" r:id="a"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", relations+`<Relationship Id="a" Type="`+office+`/worksheet" Target="sheet1.xml"/></Relationships>`,
		"xl/sheet1.xml", `<worksheet `+sheetSpace+`><sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData><oleObjects><oleObject progId="Excel.Sheet.12" r:id="o1"/><oleObject progId="Visio.Drawing" r:id="o2"/><oleObject progId="Excel.Sheet.12" r:id="o3"/></oleObjects></worksheet>`,
		"xl/_rels/sheet1.xml.rels", strings.ReplaceAll(objects, "EMBED", "embeddings/"),
		"xl/embeddings/book.xlsx", workbook(), "xl/embeddings/object2.bin", "nothing known",
	)
	for name, data := range map[string]string{
		"a.docx": container("word/document.xml", "", "word/document.xml", `<w:document`+spaces+`><w:body><w:p><w:r><w:t>before</w:t></w:r></w:p>`+
			object("o1", "Excel.Sheet.12")+object("o2", "Visio.Drawing")+object("o3", "Excel.Sheet.12")+`</w:body></w:document>`),
		"a.pptx": slides,
		"a.xlsx": book,
	} {
		t.Run(name, func(t *testing.T) {
			var e parse.Engine
			tree, err := e.Parse(t.Context(), source(name, "", data), nil)
			if err != nil {
				t.Fatal(err)
			}
			got := markdownOfTree(t, tree)
			for _, want := range []string{"Embedded object: book.xlsx (Excel.Sheet.12)", "told", "Embedded object: object2.bin (Visio.Drawing)"} {
				if strings.Count(got, want) != 1 {
					t.Errorf("not once %q in\n%s", want, got)
				}
			}
			var warned strings.Builder
			for _, w := range tree.Warnings {
				warned.WriteString(w.Code + ": " + w.Text + "\n")
			}
			if want := "attachment-unread: 1 embedded object was not read: object2.bin (Visio.Drawing).\nexternal-part: 1 linked object is outside the file and was not fetched.\n"; warned.String() != want {
				t.Errorf("%s\nwant\n%s", warned.String(), want)
			}
		})
	}
}

// TestObjectNotes reads a document and two that it embeds. All have a note with the
// same id.
func TestObjectNotes(t *testing.T) {
	const (
		office    = `http://schemas.openxmlformats.org/officeDocument/2006/relationships`
		relations = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
		types     = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`
		word      = ` xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:r="` + office + `"`
	)
	document := func(text, more string, parts ...string) string {
		return pack(append([]string{
			"[Content_Types].xml", types,
			"_rels/.rels", relations + `<Relationship Id="m" Type="` + office + `/officeDocument" Target="word/document.xml"/></Relationships>`,
			"word/document.xml", `<w:document` + word + `><w:body><w:p><w:r><w:t>` + text + `</w:t><w:footnoteReference w:id="1"/></w:r></w:p>` + more + `</w:body></w:document>`,
			"word/_rels/document.xml.rels", relations + `<Relationship Id="n" Type="` + office + `/footnotes" Target="footnotes.xml"/><Relationship Id="o1" Type="` + office + `/package" Target="1.docx"/><Relationship Id="o2" Type="` + office + `/package" Target="2.docx"/></Relationships>`,
			"word/footnotes.xml", `<w:footnotes` + word + `><w:footnote w:id="1"><w:p><w:r><w:t>note of ` + text + `</w:t></w:r></w:p></w:footnote></w:footnotes>`,
		}, parts...)...)
	}
	object := func(id string) string {
		return `<w:p><w:r><w:object><o:OLEObject Type="Embed" ProgID="Word.Document.12" r:id="` + id + `"/></w:object></w:r></w:p>`
	}
	outer := document("outer", object("o1")+object("o2"), "word/1.docx", document("first", ""), "word/2.docx", document("second", ""))
	var e parse.Engine
	tree, err := e.Parse(t.Context(), source("a.docx", "", outer), nil)
	if err != nil {
		t.Fatal(err)
	}
	ids, links := map[string]int{}, map[string]int{}
	for n := range tree.Root.Descendants() {
		for _, a := range n.Attr {
			switch target, ok := strings.CutPrefix(a.Val, "#"); {
			case a.Key == "id":
				ids[a.Val]++
			case a.Key == "href" && ok:
				links[target]++
			}
		}
	}
	if len(ids) != 3 || !maps.Equal(ids, links) {
		t.Errorf("ids %v, links to %v: want three, each once", ids, links)
	}
	got := markdownOfTree(t, tree)
	for _, text := range []string{"outer", "first", "second"} {
		_, label, _ := strings.Cut(got, text+"[^")
		label, _, _ = strings.Cut(label, "]")
		if !strings.Contains(got, "[^"+label+"]: note of "+text) {
			t.Errorf("%q has not its note:\n%s", text, got)
		}
	}
}

// TestMetafiles reads the text of an EMF in a document, on a slide and over a sheet.
func TestMetafiles(t *testing.T) {
	const (
		office    = `http://schemas.openxmlformats.org/officeDocument/2006/relationships`
		relations = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
		main      = relations + `<Relationship Id="m" Type="` + office + `/officeDocument" Target="MAIN"/></Relationships>`
		image     = relations + `<Relationship Id="i" Type="` + office + `/image" Target="drawn.emf"/></Relationships>`
		types     = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`
		spaces    = ` xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="` + office + `"`
		blip      = `<a:blip r:embed="i"/>`
	)
	record := make([]byte, 88+80)
	for at, v := range map[int]uint32{0: 1, 4: 88, 88: 84, 92: 80, 88 + 44: 2, 88 + 48: 76, 88 + 76: 'O' | 'K'<<16} {
		binary.LittleEndian.PutUint32(record[at:], v)
	}
	copy(record[40:], " EMF")
	for name, data := range map[string]string{
		"a.docx": pack("[Content_Types].xml", types, "_rels/.rels", strings.Replace(main, "MAIN", "word/document.xml", 1),
			"word/document.xml", `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`+spaces+`><w:body>`+
				strings.Repeat(`<w:p><w:r><w:drawing>`+blip+`</w:drawing></w:r></w:p>`, 2)+`</w:body></w:document>`,
			"word/_rels/document.xml.rels", image, "word/drawn.emf", string(record)),
		"a.pptx": pack("[Content_Types].xml", types, "_rels/.rels", strings.Replace(main, "MAIN", "ppt/presentation.xml", 1),
			"ppt/presentation.xml", `<p:presentation xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"`+spaces+`><p:sldIdLst><p:sldId r:id="s"/></p:sldIdLst></p:presentation>`,
			"ppt/_rels/presentation.xml.rels", relations+`<Relationship Id="s" Type="`+office+`/slide" Target="s.xml"/></Relationships>`,
			"ppt/s.xml", `<p:sld xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"`+spaces+`><p:cSld><p:spTree><p:pic><p:blipFill>`+blip+`</p:blipFill></p:pic></p:spTree></p:cSld></p:sld>`,
			"ppt/_rels/s.xml.rels", image, "ppt/drawn.emf", string(record)),
		"a.xlsx": pack("[Content_Types].xml", types, "_rels/.rels", strings.Replace(main, "MAIN", "xl/workbook.xml", 1),
			"xl/workbook.xml", `<workbook `+sheetSpace+`><sheets><sheet name="S" sheetId="1" r:id="a"/></sheets></workbook>`,
			"xl/_rels/workbook.xml.rels", relations+`<Relationship Id="a" Type="`+office+`/worksheet" Target="sheet1.xml"/></Relationships>`,
			"xl/sheet1.xml", `<worksheet `+sheetSpace+`><sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData><drawing r:id="d"/></worksheet>`,
			"xl/_rels/sheet1.xml.rels", relations+`<Relationship Id="d" Type="`+office+`/drawing" Target="d.xml"/></Relationships>`,
			"xl/d.xml", `<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"`+spaces+`><xdr:twoCellAnchor><xdr:pic><xdr:blipFill>`+blip+`</xdr:blipFill></xdr:pic></xdr:twoCellAnchor></xdr:wsDr>`,
			"xl/_rels/d.xml.rels", image, "xl/drawn.emf", string(record)),
	} {
		var e parse.Engine
		tree, err := e.Parse(t.Context(), source(name, "", data), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := markdownOfTree(t, tree); strings.Count(got, "OK") != 1 {
			t.Errorf("%s: not once the text of the picture: %s", name, got)
		}
	}
}

// TestLegacyObject reads the workbook in a document of Word 97, which LibreOffice
// wrote, where the document shows it.
func TestLegacyObject(t *testing.T) {
	tree := readLegacy(t, "object.doc", "")
	got := markdownOfTree(t, tree)
	want := "before object\n\nEmbedded object: Microsoft Excel 97-Tabelle\n\n## in\n\n| alpha | beta |\n| --- | --- |\n| 11 | 22 |\n| embedded | cellvalue |\n\nafter object"
	if strings.TrimSpace(got) != want || len(tree.Warnings) > 0 {
		t.Errorf("%v\n%s", tree.Warnings, got)
	}
}

// TestLegacyMetafiles reads the text of an EMF in documents of Word 97, which
// LibreOffice wrote: one in the text and one beside it.
func TestLegacyMetafiles(t *testing.T) {
	for _, name := range []string{"metafile-inline.doc", "metafile-anchor.doc"} {
		if got := markdownOfTree(t, readLegacy(t, name, "")); strings.TrimSpace(got) != "before\n\nMetaWords inside\n\nafter" {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}

// TestLegacyFurniture reads signs of symbol fonts, WordArt, and a text box that is
// anchored in a footer, in a document of Word 97 that LibreOffice wrote.
func TestLegacyFurniture(t *testing.T) {
	tree := readLegacy(t, "furniture.doc", "")
	want := "signs ✓α\n\nserious word art\n\nlast\n\nThe footer\n\nin a box of the footer"
	if got := strings.TrimSpace(markdownOfTree(t, tree)); got != want || len(tree.Warnings) > 0 {
		t.Errorf("%v\n%s\nwant\n%s", tree.Warnings, got, want)
	}
}

// TestWorkbookInXML reads a workbook of Excel 2003 in XML and in UTF-16.
func TestWorkbookInXML(t *testing.T) {
	const text = `<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet"><Worksheet ss:Name="S">` +
		`<Table><Row><Cell><Data ss:Type="String">told</Data></Cell><Cell><Data ss:Type="Number">5</Data></Cell></Row></Table></Worksheet></Workbook>`
	for name, data := range map[string]string{"a.xls": text, "b.xls": "\xFF\xFE" + cfbtest.Wide(text)} {
		var e parse.Engine
		tree, err := e.Parse(t.Context(), source(name, "application/vnd.ms-excel", data), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := markdownOfTree(t, tree); !strings.Contains(got, "## S\n\n| told | 5 |") || len(tree.Warnings) > 0 {
			t.Errorf("%s: %v\n%s", name, tree.Warnings, got)
		}
	}
}

// TestPackagedFile reads a text file that the program Packager has embedded in a
// document, and a container in which it finds nothing.
func TestPackagedFile(t *testing.T) {
	const office = `http://schemas.openxmlformats.org/officeDocument/2006/relationships`
	file := cfbtest.Bytes(uint32(60), "\x02\x00label\x00C:\\my\\notes.txt\x00", uint32(0), uint32(0), uint32(15), "a packaged text")
	object := func(id string) string {
		return `<w:p><w:r><w:object><o:OLEObject Type="Embed" ProgID="Package" r:id="` + id + `"/></w:object></w:r></w:p>`
	}
	relation := func(id string) string {
		return `<Relationship Id="` + id + `" Type="` + office + `/oleObject" Target="embeddings/` + id + `.bin"/>`
	}
	data := pack("[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
		"_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="m" Type="`+office+`/officeDocument" Target="word/document.xml"/></Relationships>`,
		"word/document.xml", `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:r="`+office+`"><w:body>`+object("a")+object("b")+`</w:body></w:document>`,
		"word/_rels/document.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`+relation("a")+relation("b")+`</Relationships>`,
		"word/embeddings/a.bin", string(cfbtest.Pack(cfbtest.Stream{Name: "\x01Ole10Native", Data: file})),
		"word/embeddings/b.bin", string(cfbtest.Pack(cfbtest.Stream{Name: "unknown", Data: file})))
	tree, err := new(parse.Engine).Parse(t.Context(), source("a.docx", "", data), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := markdownOfTree(t, tree)
	for _, want := range []string{"Embedded object: notes.txt (Package)", "a packaged text", "Embedded object: b.bin (Package)"} {
		if strings.Count(got, want) != 1 {
			t.Errorf("not once %q in\n%s", want, got)
		}
	}
	if len(tree.Warnings) != 1 || tree.Warnings[0].Text != "1 embedded object was not read: b.bin (Package)." {
		t.Errorf("%v", tree.Warnings)
	}
}

// equationNative returns the container of an object of an equation editor, whose formula
// has these records.
func equationNative(records string) string {
	header := make([]byte, 28)
	header[0] = 28
	return string(cfbtest.Pack(cfbtest.Stream{Name: "Equation Native", Data: append(header, "\x03\x01\x01\x03\x00"+records...)}))
}

// TestFormulaObjects reads formulas of the old equation editor where they stand.
func TestFormulaObjects(t *testing.T) {
	const (
		half   = "\x01\x03\x0E\x00\x00\x01\x02\x88\x31\x00\x00\x01\x02\x88\x32\x00\x00\x00\x00\x00"
		office = `http://schemas.openxmlformats.org/officeDocument/2006/relationships`
		types  = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`
		spaces = ` xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="` + office + `"`
	)
	relation := func(kind, target string) string {
		return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="o" Type="` + office + "/" + kind + `" Target="` + target + `"/></Relationships>`
	}
	equation := equationNative(half)
	old := "\x01\x05\x00\x00\x02\x00\x00\x00\x0B\x00\x00\x00Equation.3\x00" + strings.Repeat("\x00", 8) + string(binary.LittleEndian.AppendUint32(nil, uint32(len(equation)))) + equation
	for _, c := range []struct{ name, data, want string }{
		{"a.docx", pack("[Content_Types].xml", types, "_rels/.rels", relation("officeDocument", "word/document.xml"),
			"word/document.xml", `<w:document`+spaces+`><w:body><w:p><w:r><w:t xml:space="preserve">Let </w:t></w:r><w:r><w:object><o:OLEObject Type="Embed" ProgID="Equation.3" r:id="o"/></w:object></w:r><w:r><w:t xml:space="preserve"> be.</w:t></w:r></w:p></w:body></w:document>`,
			"word/_rels/document.xml.rels", relation("oleObject", "one.bin"), "word/one.bin", equation), `Let $\frac{1}{2}$ be.`},
		{"a.pptx", pack("[Content_Types].xml", types, "_rels/.rels", relation("officeDocument", "ppt/presentation.xml"),
			"ppt/presentation.xml", `<p:presentation`+strings.Replace(spaces, "wordprocessingml", "word", 1)+`><p:sldIdLst><p:sldId r:id="o"/></p:sldIdLst></p:presentation>`,
			"ppt/_rels/presentation.xml.rels", relation("slide", "slides/s.xml"),
			"ppt/slides/s.xml", `<p:sld`+spaces+`><p:cSld><p:spTree><p:graphicFrame><a:graphic><a:graphicData><p:oleObj r:id="o" progId="Equation.3"><p:embed/></p:oleObj></a:graphicData></a:graphic></p:graphicFrame></p:spTree></p:cSld></p:sld>`,
			"ppt/slides/_rels/s.xml.rels", relation("oleObject", "one.bin"), "ppt/slides/one.bin", equation), `$$\frac{1}{2}$$`},
		{"a.rtf", `{\rtf1 Let {\object\objemb{\*\objclass Equation.3}{\*\objdata ` + hex.EncodeToString([]byte(old)) + `}{\result half}} be.}`, `Let $\frac{1}{2}$`},
		{"formula.doc", legacyFile(t, "formula.doc"), `Let $\frac{x}{y}$ be.`},
	} {
		tree, err := new(parse.Engine).Parse(t.Context(), source(c.name, "", c.data), nil)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := markdownOfTree(t, tree); !strings.Contains(got, c.want) || len(tree.Warnings) > 0 {
			t.Errorf("%s: %s with the warnings %v, want %s", c.name, got, tree.Warnings, c.want)
		}
	}
}

// TestWord2003Objects reads the objects of a document of Word 2003 in XML, which are
// streams of one container: one that is shown twice, and one that is damaged.
func TestWord2003Objects(t *testing.T) {
	packed := func(object string) []byte {
		var b bytes.Buffer
		b.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(object))))
		z := zlib.NewWriter(&b)
		if _, err := z.Write([]byte(object)); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	book := packed(string(cfbtest.Pack(cfbtest.Stream{Name: "Package", Data: []byte(workbook())})))
	formula := packed(equationNative("\x01\x02\x83x\x00\x00"))
	all := cfbtest.Pack(cfbtest.Stream{Name: "_1", Data: book}, cfbtest.Stream{Name: "_2", Data: formula}, cfbtest.Stream{Name: "_3", Data: book[:len(book)/2]})
	object := func(id string) string {
		return `<w:p><w:r><w:pict><o:OLEObject Type="Embed" ProgID="Test.` + id + `" ObjectID="_` + id + `"/></w:pict></w:r></w:p>`
	}
	document := `<?xml version="1.0"?><w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml" xmlns:o="urn:schemas-microsoft-com:office:office">` +
		`<w:docOleData><w:binData w:name="oledata.mso">` + base64.StdEncoding.EncodeToString(all) + `</w:binData></w:docOleData><w:body>` +
		object("1") + object("2") + object("1") + object("3") + object("4") + `</w:body></w:wordDocument>`
	tree, err := new(parse.Engine).Parse(t.Context(), source("a.xml", "", document), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := markdownOfTree(t, tree)
	if strings.Count(got, "Embedded object: object1.bin (Test.1)") != 1 || !strings.Contains(got, "$x$") {
		t.Error(got)
	}
	if len(tree.Warnings) != 1 || tree.Warnings[0].Text != "2 embedded objects were not read: Test.3, Test.4." {
		t.Errorf("%v", tree.Warnings)
	}
}

// TestEquationObjects reads formulas of the old equation editor that are damaged: each is
// named where it stands and counted, although it has a picture.
func TestEquationObjects(t *testing.T) {
	const (
		office    = `http://schemas.openxmlformats.org/officeDocument/2006/relationships`
		relations = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
		types     = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`
		spaces    = ` xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:r="` + office + `"`
	)
	object := func(id, program string) string {
		return `<w:r><w:object><o:OLEObject Type="Embed" ProgID="` + program + `" r:id="` + id + `"/></w:object></w:r>`
	}
	equation := equationNative("\x01\x02\x83x")
	data := pack("[Content_Types].xml", types,
		"_rels/.rels", relations+`<Relationship Id="m" Type="`+office+`/officeDocument" Target="word/document.xml"/></Relationships>`,
		"word/document.xml", `<w:document`+spaces+`><w:body><w:p><w:r><w:t>Let </w:t></w:r>`+object("o1", "Equation.3")+`<w:r><w:t> and </w:t></w:r>`+object("o2", "Equation.DSMT4")+`<w:r><w:t> hold.</w:t></w:r></w:p></w:body></w:document>`,
		"word/_rels/document.xml.rels", relations+`<Relationship Id="o1" Type="`+office+`/oleObject" Target="embeddings/one.bin"/><Relationship Id="o2" Type="`+office+`/oleObject" Target="embeddings/two.bin"/></Relationships>`,
		"word/embeddings/one.bin", equation, "word/embeddings/two.bin", equation)
	tree, err := new(parse.Engine).Parse(t.Context(), source("a.docx", "", data), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := markdownOfTree(t, tree)
	for _, want := range []string{"Let", "one.bin (Equation.3)", "and", "two.bin (Equation.DSMT4)", "hold."} {
		if strings.Count(got, want) != 1 {
			t.Errorf("not once %q in\n%s", want, got)
		}
	}
	want := parse.Warning{Code: parse.WarnAttachment, Text: "2 embedded objects were not read: one.bin (Equation.3), two.bin (Equation.DSMT4)."}
	if len(tree.Warnings) != 1 || tree.Warnings[0] != want {
		t.Errorf("%v, want %v", tree.Warnings, want)
	}
}
