// SPDX-License-Identifier: Apache-2.0

package parse_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"example.com/curlew/parse"
)

// featureFile returns a file of testdata/features. LibreOffice 7.4 has written all
// others from text.fodt and sheets.fods, which were written by hand.
func featureFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile("testdata/features/" + name)
	if err != nil {
		data, err = os.ReadFile("testdata/features/" + name + ".gz")
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if data, err = io.ReadAll(z); err != nil {
			t.Fatal(err)
		}
	}
	return string(data)
}

// TestFeatures reads documents with the same content in each kind. Each feature is in the
// tree or counted in a warning. Exceptions are the kinds whose file does not have it, or in
// which it is written in another way.
func TestFeatures(t *testing.T) {
	type feature struct{ want, except string }
	const (
		link    = `<a href="https://example.com/linktarget">linkword</a>`
		merged  = `<td colspan="2">widecell</td><td rowspan="2">tallcell</td>`
		title   = `<title>metatitle</title>`
		heading = `<header data-role="running"><p>headerword</p></header>`
		picture = `picdescription"/>` // some kinds have a title before it
	)
	text := []feature{
		{title, ""},
		{`<meta name="author" content="metaauthor"/>`, ""},
		{`<meta name="subject" content="metasubject"/>`, ""},
		{heading, ""},
		{`<footer data-role="running"><p>footerword 1</p></footer>`, ""},
		{`<nav role="doc-toc">`, ""},
		{`<p>toctitle</p>`, ""},
		{`<li><a href="#__RefHeading___1">tocentry`, ""},
		{`<h1 id="headingone">`, ""},
		{`<h2 id="headingtwo">`, ""},
		{`<strong>boldword</strong> <s>struckword</s> x<sup>superword</sup>`, ""},
		{link, ""},
		{`withnote<sup><a role="doc-noteref" href="#fn-1">1</a></sup> and<sup><a role="doc-noteref" href="#fn-2">2</a></sup>`, ""},
		{`<li id="fn-1" role="doc-footnote">footnoteword</li><li id="fn-2" role="doc-footnote">endnoteword</li>`, ""},
		{`<strong>commenter</strong> (2024-01-02T03:04): commentword`, ""},
		{`before insertedword after`, ""},
		{`tracked-changes: Text of tracked changes was left out at 1 place.`, ""},
		{`hidden-text: Text that the document hides was left out at 2 places.`, "rtf"}, // Word has no hidden sections; DOC and DOCX have the stored text of SET
		{`hidden-text: Text that the document hides was left out at 1 place.`, "fodt odt docx doc"},
		{`<ol><li>decimalitem<ol type="a"><li data-item-label="(a)">letteritem</li></ol></li><li>seconditem</li></ol>`, ""},
		{`<ol type="I"><li data-item-label="I.">romanitem</li><li data-item-label="II.">romansecond</li></ol>`, ""},
		{`<ul><li>bulletitem</li></ul>`, ""},
		{merged, ""},
		{`nestedcell`, ""},
		{picture, "doc"}, // not in the file
		{`<aside data-role="textbox"><p>textboxword</p></aside>`, ""},
		{`<aside data-role="textbox"><p>shapeword</p></aside>`, "rtf"},
		{`<p>shapeword shape:</p>`, "fodt odt docx doc"},                  // as WordArt
		{`\frac{\mathrm{numerat}}{\mathrm{denomin}}`, "odt docx doc rtf"}, // not in the file
		{`<p>embeddedcell</p>`, "rtf"},                                    // a picture
		{`<img alt="objtitle"/>`, "docx doc rtf"},                         // not in the file
		{`field: inputword choiceone`, ""},
		{`ruby: rubybase(rubytext) line<br/>break`, ""},
	}
	sheets := []feature{
		{title, ""},
		{heading, ""},
		{`<footer data-role="running"><p>footerword</p></footer>`, ""},
		{`<h2 id="sheetname">Sheetname</h2>`, ""},
		{merged, ""},
		{link, ""},
		{`commented<sup><a role="doc-noteref" href="#comment-1"`, ""},
		{`<strong>commenter</strong>`, ""},
		{`commentword`, ""},
		{`rich boldword`, ""},
		{`<td><s>struckword</s></td>`, ""},
		{`line one<br/>linetwoword`, ""},
		{`<p>shapeword</p>`, ""},
		{`shapedescription"/>`, "xlsx xls"}, // not in the file
		{picture, "xls"},                    // not in the file
		{`<aside data-role="textbox"><p>textboxword</p></aside>`, ""},
		{`hidden-row: 1 row that the sheet hides was left out.`, ""},
		{`hidden-column: 1 column that the sheet hides was left out.`, ""},
		{`hidden-sheet: The sheet "Hiddensheet" is hidden and was left out.`, ""},
	}
	slides := []feature{
		{title, ""},
		{link, ""},
		{merged, ""},
		{picture, ""},
		{`<h2 id="titleword">titleword</h2><ul><li>bulletitem<ul><li>nesteditem</li></ul></li></ul>`, ""},
		{`<ol><li>decimalitem</li></ol><ol type="a"><li data-item-label="a)">letteritem</li></ol>`, ""},
		{`<p><img alt="shapetitle: shapedescription"/></p><p>shapeword</p><p>groupedword</p><p>groupedtwo</p>`, ""},
		{`<footer data-role="running"><p>footerword</p></footer>`, ""},
		{`<footer data-role="running"><p>masterword</p></footer>`, ""},
		{`<strong>Notes:</strong></p><p>notesword</p>`, ""},
		{`<strong>commenter</strong> (2024-01-02T03:04): commentword`, ""},
		{`\frac{\mathrm{numerat}}{\mathrm{denomin}}`, ""},
		{`<p><img alt="objtitle"/></p><figure data-role="object">`, ""},
		{`<figcaption>Embedded object: object</figcaption><p>embeddedcell</p>`, ""},
		{`hidden-slide: The slide is hidden and was left out.`, ""},
	}
	for _, c := range []struct {
		name     string
		kinds    []string
		features []feature
	}{
		{"text", []string{"fodt", "odt", "docx", "doc", "rtf"}, text},
		{"sheets", []string{"fods", "ods", "xlsx", "xls"}, sheets},
		{"slides", []string{"fodp"}, slides},
	} {
		for _, kind := range c.kinds {
			name := c.name + "." + kind
			got := treeAndWarnings(t, name, featureFile(t, name))
			for _, f := range c.features {
				has, want := strings.Contains(got, f.want), !slices.Contains(strings.Fields(f.except), kind)
				if has != want {
					t.Errorf("%s: %q is in it: %t, want %t\n%s", name, f.want, has, want, got)
				}
			}
			if n, most := strings.Count(got, "\n"), map[string]int{"sheets": 4, "text": 3, "slides": 2}[c.name]; n > most {
				t.Errorf("%s has more warnings than are wanted:\n%s", name, got)
			}
		}
	}
}

// treeAndWarnings returns the tree of a document as HTML, and its warnings with a line each.
func treeAndWarnings(t *testing.T, name, data string) string {
	t.Helper()
	tree, err := new(parse.Engine).Parse(t.Context(), source(name, "", data), nil)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var b strings.Builder
	if err := tree.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	for _, w := range tree.Warnings {
		fmt.Fprintf(&b, "\n%s: %s", w.Code, w.Text)
	}
	return b.String() + "\n"
}

// TestDescribed reads the descriptions of shapes, groups, charts and tables that are not
// pictures.
func TestDescribed(t *testing.T) {
	const (
		word  = `<w:document ` + wordsSpace + ` xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:v="urn:schemas-microsoft-com:vml"><w:body>%s</w:body></w:document>`
		drawn = `<w:p><w:r><w:t>a</w:t><w:drawing><wp:inline><wp:docPr id="1" name="x" descr="said"/><a:graphic><a:graphicData>%s</a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`
		book  = `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="S" sheetId="1" r:id="r0"/></sheets></workbook>`
		sheet = `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheetData/><drawing r:id="r1"/></worksheet>`
		show  = `<p:presentation xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><p:sldIdLst><p:sldId id="256" r:id="r0"/></p:sldIdLst></p:presentation>`
		slide = `<p:sld xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><p:cSld><p:spTree>%s</p:spTree></p:cSld></p:sld>`
		named = `<p:cNvPr id="1" name="x" descr="said"/>`
		box   = `<p:sp><p:nvSpPr>%s</p:nvSpPr><p:txBody><a:p><a:r><a:t>b</a:t></a:r></a:p></p:txBody></p:sp>`
		shape = `{\shp{\*\shpinst{\sp{\sn wzDescription}{\sv said}}%s}}`
	)
	docx := func(body string) string { return related(t, fmt.Sprintf(word, body)) }
	pptx := func(body string) string { return related(t, show, "slide", fmt.Sprintf(slide, body)) }
	for name, c := range map[string]struct{ file, data, want string }{
		"a chart or a shape of Word":       {"a.docx", docx(fmt.Sprintf(drawn, "<a:x/>")), `<p>a<img alt="said"/></p>`},
		"a picture of Word":                {"a.docx", docx(fmt.Sprintf(drawn, "<a:blip/>")), `<p>a<img alt="said"/></p>`},
		"shapes of VML":                    {"a.docx", docx(`<w:p><w:r><w:pict><v:group alt="one"><v:shape alt="two"/><v:shape><v:imagedata/></v:shape></v:group></w:pict></w:r></w:p>`), `<p><img alt="two"/><img alt="one"/></p>`},
		"a table of Word":                  {"a.docx", docx(`<w:tbl><w:tblPr><w:tblCaption w:val="one"/><w:tblDescription w:val="two"/></w:tblPr><w:tr><w:tc><w:p/></w:tc><w:tc><w:p/></w:tc></w:tr></w:tbl>`), `aria-label="one: two"`},
		"a shape on a slide":               {"a.pptx", pptx(fmt.Sprintf(box, named)), `<p><img alt="said"/></p><p>b</p>`},
		"a group on a slide":               {"a.pptx", pptx(`<p:grpSp><p:nvGrpSpPr>` + named + `</p:nvGrpSpPr>` + fmt.Sprintf(box, "") + `</p:grpSp>`), `<p><img alt="said"/></p><p>b</p>`},
		"a table on a slide":               {"a.pptx", pptx(`<p:graphicFrame><p:nvGraphicFramePr>` + named + `</p:nvGraphicFramePr><a:graphic><a:graphicData><a:tbl><a:tr><a:tc><a:txBody><a:p><a:r><a:t>b</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>`), `<p><img alt="said"/></p><`},
		"a shape on a sheet":               {"a.xlsx", related(t, book, "worksheet", sheet, "drawing", `<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"><xdr:twoCellAnchor><xdr:sp><xdr:nvSpPr><xdr:cNvPr id="1" name="x" descr="said"/></xdr:nvSpPr></xdr:sp></xdr:twoCellAnchor></xdr:wsDr>`), `<figure><img alt="said"/></figure>`},
		"a shape of RTF":                   {"a.rtf", `{\rtf1 a` + fmt.Sprintf(shape, "") + `\par b{\pict 00}\par}`, `<p>a<img alt="said"/></p><p>b<img alt=""/></p>`},
		"a picture of RTF":                 {"a.rtf", `{\rtf1 a` + fmt.Sprintf(shape, `{\sp{\sn pib}{\sv {\pict 00}}}`) + `\par}`, `<p>a<img alt="said"/></p>`},
		"a picture before its text":        {"a.rtf", `{\rtf1 a{\shp{\*\shpinst{\sp{\sn pib}{\sv {\pict 00}}}{\sp{\sn wzDescription}{\sv said}}}}\par}`, `<p>a<img alt="said"/></p>`},
		"headers that LibreOffice repeats": {"a.rtf", `{\rtf1{\*\pgdsctbl{\pgdsc0 {\header x\par}Default;}}a\par}`, "<p>a</p></body></html>\n"},
	} {
		if got := treeAndWarnings(t, c.file, c.data); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s\nwant %s", name, got, c.want)
		}
	}
}

// TestShown reads what documents hold in rare places, each of which is in the tree or counted.
func TestShown(t *testing.T) {
	const (
		space  = `xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
		show   = `<p:presentation ` + space + `><p:sldIdLst><p:sldId id="256" r:id="r0"/></p:sldIdLst>%s</p:presentation>`
		slide  = `<p:sld ` + space + `><p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:rPr>%s</a:rPr><a:t>a</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>`
		notes  = `<p:notes ` + space + `><p:cSld><p:spTree><p:sp><p:nvSpPr><p:nvPr><p:ph type="dt"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>May</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:notes>`
		parts  = `<p:extLst><p:ext><p14:sectionLst xmlns:p14="http://schemas.microsoft.com/office/powerpoint/2010/main"><p14:section name="One"/><p14:section name="Two"/></p14:sectionLst></p:ext></p:extLst>`
		flat   = `<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0" office:mimetype="application/vnd.oasis.opendocument.%s"><office:body>%s</office:body></office:document>`
		book   = `<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet"><Styles><Style ss:ID="s1"><Font ss:StrikeThrough="1"/></Style></Styles><Worksheet ss:Name="S"><Table><Row><Cell ss:StyleID="s1"><Data ss:Type="Number">1</Data></Cell><Cell><Data ss:Type="Number">2</Data></Cell></Row></Table></Worksheet></Workbook>`
		sheet  = `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1"><c r="A1" t="inlineStr"><is><r><rPr><strike/></rPr><t>a</t></r><r><rPr><strike val="0"/></rPr><t>b</t></r></is></c></row></sheetData></worksheet>`
		sheet1 = `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="S" sheetId="1" r:id="r0"/></sheets></workbook>`
	)
	page := func(shapes string) string {
		return fmt.Sprintf(flat, "presentation", "<office:presentation><draw:page>"+shapes+"</draw:page></office:presentation>")
	}
	for name, c := range map[string]struct{ file, data, want string }{
		"sections of slides":       {"a.pptx", related(t, fmt.Sprintf(show, parts), "slide", fmt.Sprintf(slide, "")), `Names of sections of the presentation that were left out: 2.`},
		"custom shows":             {"a.pptx", related(t, fmt.Sprintf(show, `<p:custShowLst><p:custShow name="For guests" id="0"/></p:custShowLst>`), "slide", fmt.Sprintf(slide, "")), `Custom shows, which name some of the slides, that were left out: 1.`},
		"a text beside a link":     {"a.pptx", related(t, fmt.Sprintf(show, ""), "slide", fmt.Sprintf(slide, `<a:hlinkClick r:id="r0" tooltip="See there"/>`)), `Texts that appear beside links and were left out: 1.`},
		"a film on a slide":        {"a.pptx", related(t, fmt.Sprintf(show, ""), "slide", fmt.Sprintf(slide, ""), "video", "x"), "1 embedded object was not read: part1.xml."},
		"a link under the pointer": {"a.pptx", related(t, fmt.Sprintf(show, ""), "slide", fmt.Sprintf(slide, `<a:hlinkMouseOver r:id="r0"/>`)), `<a href="#slide-1">a</a>`},
		"the date of notes":        {"a.pptx", related(t, fmt.Sprintf(show, ""), "slide", fmt.Sprintf(slide, ""), "notesSlide", notes), `<footer data-role="running"><p>May</p></footer>`},
		"links of shapes of ODF":   {"a.fodp", page(`<draw:a xlink:href="https://example.com/"><draw:rect><text:p>a</text:p></draw:rect></draw:a><draw:rect><office:event-listeners><presentation:event-listener xlink:href="https://example.org/"/></office:event-listeners><text:p>b</text:p></draw:rect>`), `<p><a href="https://example.com/">a</a></p><p><a href="https://example.org/">b</a></p>`},
		"a film of ODF":            {"a.fodp", page(`<draw:frame><draw:plugin xlink:href="a/film.mp4"/><svg:desc>said</svg:desc></draw:frame>`), "1 embedded object was not read: film.mp4."},
		"what it is called":        {"a.fodp", page(`<draw:frame><draw:plugin xlink:href="a/film.mp4"/><svg:desc>said</svg:desc></draw:frame>`), `<img alt="said"/>`},
		"changes of a sheet":       {"a.fods", fmt.Sprintf(flat, "spreadsheet", `<office:spreadsheet><table:tracked-changes><table:cell-content-change><table:previous><table:change-track-table-cell><text:p>old</text:p></table:change-track-table-cell></table:previous></table:cell-content-change><table:insertion/></table:tracked-changes><table:table><table:table-row><table:table-cell><text:p>new</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet>`), "<p>new</p></section></body></html>\ntracked-changes: Text of tracked changes was left out at 1 place."},
		"a struck cell of old XML": {"a.xml", book, `<s>1</s></td><td>2</td>`},
		"a cell struck in part":    {"a.xlsx", related(t, sheet1, "worksheet", sheet), "Cells that are struck through, wholly or in part, and are shown without it: 1."},
	} {
		if got := treeAndWarnings(t, c.file, c.data); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s\nwant %s", name, got, c.want)
		}
	}
}
