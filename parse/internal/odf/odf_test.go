// SPDX-License-Identifier: Apache-2.0

package odf_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/test/doctreetest"
	"example.com/curlew/internal/test/golden"
	"example.com/curlew/internal/test/leak"
	"example.com/curlew/internal/test/zipxmltest"
	"example.com/curlew/internal/zipxml"
	"example.com/curlew/parse/internal/embedded"
	"example.com/curlew/parse/internal/odf"
)

func TestMain(m *testing.M) { leak.Main(m) }

const space = `xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" ` +
	`xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" ` +
	`xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0" ` +
	`xmlns:chart="urn:oasis:names:tc:opendocument:xmlns:chart:1.0" xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0" ` +
	`xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" ` +
	`xmlns:number="urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" xmlns:xlink="http://www.w3.org/1999/xlink" ` +
	`xmlns:loext="urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0" xmlns:officeooo="http://openoffice.org/2009/office" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:math="http://www.w3.org/1998/Math/MathML"`

// tags are the elements in office:body, by kind.
var tags = map[string]string{"odt": "text", "ods": "spreadsheet", "odp": "presentation"}

// build returns a document made of sections. The section "odt", "ods" or "odp" is
// its content. "styles", "automatic", "master" and "meta" are the contents of these
// elements. A section with another name is the part of that name. flat is the same
// document as flat XML, or nil if the document has further parts.
func build(sections []zipxmltest.Part) (kind string, packed, flat []byte) {
	text := map[string]string{}
	parts := []zipxmltest.Part{{Name: "mimetype", Text: "application/vnd.oasis.opendocument.text"}}
	for _, s := range sections {
		switch s.Name {
		case "odt", "ods", "odp":
			kind = s.Name
			text["body"] = "<office:body><office:" + tags[kind] + ">" + s.Text + "</office:" + tags[kind] + "></office:body>"
		case "styles", "automatic", "master", "meta":
			tag := map[string]string{"styles": "office:styles", "automatic": "office:automatic-styles", "master": "office:master-styles", "meta": "office:meta"}[s.Name]
			text[s.Name] = "<" + tag + ">" + s.Text + "</" + tag + ">"
		default:
			parts = append(parts, zipxmltest.Part{Name: s.Name, Text: strings.ReplaceAll(s.Text, "SPACE", space)})
		}
	}
	wrap := func(tag, s string) string { return "<office:" + tag + " " + space + ">" + s + "</office:" + tag + ">" }
	if len(parts) == 1 {
		flat = []byte(`<?xml version="1.0"?>` + strings.Replace(wrap("document", text["meta"]+text["styles"]+text["automatic"]+text["master"]+text["body"]), " ", ` office:mimetype="application/vnd.oasis.opendocument.`+tags[kind]+`" `, 1))
	}
	parts = append(
		parts,
		zipxmltest.Part{Name: "content.xml", Text: wrap("document-content", text["automatic"]+text["body"])},
		zipxmltest.Part{Name: "styles.xml", Text: wrap("document-styles", text["styles"]+text["master"])},
		zipxmltest.Part{Name: "meta.xml", Text: wrap("document-meta", text["meta"])},
	)
	return kind, zipxmltest.Pack(parts...), flat
}

func read(t testing.TB, kind string, data []byte, nodes int) *doctree.Document {
	t.Helper()
	d, err := odf.Read(t.Context(), bytes.NewReader(data), int64(len(data)), odf.Options{Kind: kind, Nodes: nodes})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestOtherContent reads a document whose content is that of a chart in it.
func TestOtherContent(t *testing.T) {
	const spaces = `xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"`
	for body, want := range map[string]int{"text": 0, "chart": 1} {
		data := zipxmltest.Pack(zipxmltest.Part{Name: "mimetype", Text: "application/vnd.oasis.opendocument.text"},
			zipxmltest.Part{Name: "content.xml", Text: `<office:document-content ` + spaces + `><office:body><office:` + body + `><text:p>one</text:p></office:` + body + `></office:body></office:document-content>`})
		if d := read(t, "odt", data, 0); len(d.Warnings) != want {
			t.Errorf("%s: warnings %v", body, d.Warnings)
		}
	}
}

// TestGolden reads the documents that the files of testdata describe.
// Packaged and flat documents must give the same tree.
func TestGolden(t *testing.T) {
	for p, text := range doctreetest.Cases(t, "testdata/*.txt") {
		t.Run(filepath.Base(p), func(t *testing.T) {
			kind, packed, flat := build(zipxmltest.Sections(text))
			got := doctreetest.Show(t, read(t, kind, packed, 0))
			golden.Check(t, strings.TrimSuffix(p, ".txt")+".html", []byte(got))
			if flat != nil {
				if again := doctreetest.Show(t, read(t, kind, flat, 0)); again != got {
					t.Errorf("flat:\n%s", again)
				}
			}
		})
	}
}

func TestErrors(t *testing.T) {
	body := func(s string) []byte {
		_, packed, _ := build([]zipxmltest.Part{{Name: "odt", Text: s}})
		return packed
	}
	_, encrypted, _ := build([]zipxmltest.Part{{Name: "odt"}, {Name: "META-INF/manifest.xml", Text: `<manifest:manifest SPACE><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>`}})
	for _, c := range []struct {
		what string
		data []byte
		want error
	}{
		{"no container", []byte("nothing"), zipxml.ErrMalformed},
		{"empty", nil, zipxml.ErrMalformed},
		{"no content", zipxmltest.Pack(zipxmltest.Part{Name: "a"}), zipxml.ErrMalformed},
		{"no XML", zipxmltest.Pack(zipxmltest.Part{Name: "content.xml", Text: "text"}), zipxml.ErrMalformed},
		{"encrypted", encrypted, zipxml.ErrEncrypted},
		{"bomb", body(strings.Repeat(" ", 40<<20)), zipxml.ErrLimit},
		{"depth", body(strings.Repeat("<text:section>", 400)), zipxml.ErrLimit},
		{"laughs", []byte(`<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;">]><office:document ` + space + `><office:body><office:text><text:p>&b;</text:p></office:text></office:body></office:document>`), nil},
	} {
		if _, err := odf.Read(t.Context(), bytes.NewReader(c.data), int64(len(c.data)), odf.Options{Kind: "odt"}); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.what, err, c.want)
		}
	}
	ctx, stop := context.WithCancelCause(t.Context())
	stop(os.ErrDeadlineExceeded)
	data := body("<text:p>x</text:p>")
	if _, err := odf.Read(ctx, bytes.NewReader(data), int64(len(data)), odf.Options{Kind: "odt"}); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("after its context a document gives %v", err)
	}
}

// TestCut counts the paragraphs that are left out because the tree is full.
func TestCut(t *testing.T) {
	_, packed, _ := build([]zipxmltest.Part{{Name: "odt", Text: strings.Repeat("<text:p>one</text:p>", 100)}})
	doctreetest.CheckCut(t, read(t, "odt", packed, 50), 100)
	_, packed, _ = build([]zipxmltest.Part{{Name: "ods", Text: `<table:table table:name="a">` + strings.Repeat("<table:table-row><table:table-cell><text:p>x</text:p></table:table-cell></table:table-row>", 100) + "</table:table>"}})
	d, err := odf.Read(t.Context(), bytes.NewReader(packed), int64(len(packed)), odf.Options{Kind: "ods", Cells: 30})
	if err != nil {
		t.Fatal(err)
	}
	want := "The document has more than 30 cells: 70 rows of tables, 1 cell and 70 paragraphs, 70 characters in all, were left out."
	if len(d.Warnings) != 1 || d.Warnings[0].Text != want {
		t.Errorf("%v, want %s", d.Warnings, want)
	}
}

// TestRepeats reads small documents that describe large trees.
func TestRepeats(t *testing.T) {
	cell := `<table:table-cell table:number-columns-repeated="16384"><text:p>x</text:p></table:table-cell>`
	for _, c := range []struct{ what, kind, body, code string }{
		{"of a text", "odt", `<table:table><table:table-row table:number-rows-repeated="1048576">` + cell + `</table:table-row></table:table>`, "truncated"},
		{"empty ones", "ods", `<table:table><table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"/></table:table-row><table:table-row><table:table-cell table:number-columns-repeated="3"/><table:table-cell><text:p>x</text:p></table:table-cell></table:table-row></table:table>`, ""},
		{"spans", "odt", `<table:table><table:table-row><table:table-cell table:number-columns-spanned="99999999" table:number-rows-spanned="99999999"><text:p>x</text:p></table:table-cell><table:table-cell/></table:table-row></table:table>`, ""},
		{"spaces", "odt", `<text:p>x` + strings.Repeat(`<text:s text:c="999999999"/>`, 1000) + `y</text:p>`, ""},
		{"lists", "odt", strings.Repeat(`<text:list><text:list-item>`, 60) + `<text:p>x</text:p>` + strings.Repeat(`</text:list-item></text:list>`, 60), "truncated"},
		{"tables", "odt", strings.Repeat(`<table:table><table:table-row><table:table-cell/><table:table-cell>`, 60) + `<text:p>x</text:p>` + strings.Repeat(`</table:table-cell></table:table-row></table:table>`, 60), "truncated"},
		{"spans in each other", "odt", `<text:p>x` + strings.Repeat(`<text:span>`, 60) + `y` + strings.Repeat(`</text:span>`, 60) + `</text:p>`, "truncated"},
	} {
		_, packed, _ := build([]zipxmltest.Part{{Name: c.kind, Text: c.body}})
		d := read(t, c.kind, packed, 200_000)
		var codes strings.Builder
		for _, w := range d.Warnings {
			codes.WriteString(w.Code)
		}
		if codes.String() != c.code {
			t.Errorf("%s: warnings %s, want %s", c.what, codes.String(), c.code)
		}
		nodes, text := 0, 0
		for n := range d.Root.Descendants() {
			nodes++
			if n.Type == html.TextNode {
				text += len(n.Data)
			}
		}
		if nodes > 201_000 || text > 16<<20 {
			t.Errorf("%s: %d nodes, %d bytes of text", c.what, nodes, text)
		}
	}
}

// TestRepeatedCells reads cells with unlimited repetition, and repetition
// that is common in sheets, such as a column filled to its end.
func TestRepeatedCells(t *testing.T) {
	for _, c := range []struct {
		what, rows, columns, text string
		want                      error
	}{
		{"sheet", "1048576", "16384", "x", zipxml.ErrLimit},
		{"long text", "1048576", "1", strings.Repeat("long ", 1000), zipxml.ErrLimit},
		{"column", "1048576", "2", "0", nil},
		{"as much as may be, across", "1", "64", strings.Repeat("x", 1<<20), nil},
		{"one byte more", "2", "32", strings.Repeat("x", 64<<20/63+1), zipxml.ErrLimit},
		{"as much as may be, down", "64", "1", strings.Repeat("x", 1<<20), nil},
	} {
		_, packed, _ := build([]zipxmltest.Part{{Name: "ods", Text: `<table:table><table:table-row table:number-rows-repeated="` + c.rows + `"><table:table-cell table:number-columns-repeated="` + c.columns + `"><text:p>` + c.text + `</text:p></table:table-cell></table:table-row></table:table>`}})
		if _, err := odf.Read(t.Context(), bytes.NewReader(packed), int64(len(packed)), odf.Options{Kind: "ods"}); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.what, err, c.want)
		}
	}
}

// TestGeneral reads numbers that are longer than the text of their cells. Only
// cells in the format General give the whole number.
func TestGeneral(t *testing.T) {
	styles := zipxmltest.Part{Name: "automatic", Text: `<number:number-style style:name="N0"><number:number number:min-integer-digits="1"/></number:number-style>` +
		`<number:number-style style:name="N2"><number:number number:decimal-places="2" number:min-integer-digits="1"/></number:number-style>` +
		`<number:number-style style:name="N9"><number:scientific-number number:decimal-places="2"/></number:number-style>` +
		`<style:style style:name="general" style:family="table-cell" style:data-style-name="N0"/>` +
		`<style:style style:name="two" style:family="table-cell" style:data-style-name="N2"/>` +
		`<style:style style:name="power" style:family="table-cell" style:data-style-name="N9"/>`}
	for _, c := range []struct{ style, value, text, want string }{
		{"", "5901234123457", "5.90123E+12", "5901234123457"},
		{"general", "5901234123457", "5.90123E+12", "5901234123457"},
		{"general", "0.333333333333333", "0,3333", "0,333333333333333"},
		{"two", "0.333333333333333", "0.33", "0.33"},
		{"power", "5901234123457", "5.90E+12", "5.90E+12"},
		{"", "5901234123457", "Bread", "Bread"},
	} {
		_, packed, _ := build([]zipxmltest.Part{styles, {Name: "ods", Text: `<table:table><table:table-row><table:table-cell table:style-name="` + c.style +
			`" office:value-type="float" office:value="` + c.value + `"><text:p>` + c.text + `</text:p></table:table-cell></table:table-row></table:table>`}})
		if got := doctreetest.Show(t, read(t, "ods", packed, 0)); !strings.Contains(got, "<p>"+c.want+"</p>") {
			t.Errorf("%s in style %q: %s, want %s", c.text, c.style, got, c.want)
		}
	}
}

// TestFormatWithoutText reads numbers of which the format shows nothing. They are left
// out with a count, as in other workbooks, unless no program has written any text.
func TestFormatWithoutText(t *testing.T) {
	styles := zipxmltest.Part{Name: "automatic", Text: `<number:number-style style:name="N1"><number:text/></number:number-style>` +
		`<style:style style:name="none" style:family="table-cell" style:data-style-name="N1"/>`}
	const hidden = "2 values that their number formats hide were left out."
	for _, c := range []struct{ style, value, text, want, warning string }{
		{"none", "1234.5", `<text:p/>`, "<p>seen</p>", hidden},
		{"none", "0", `<text:p/>`, "<p>seen</p>", ""},
		{"none", "1234.5", ``, "<td>1234.5</td><td>1234.5</td>", ""},
		{"", "1234.5", `<text:p/>`, "<td>1234.5</td><td>1234.5</td>", ""},
		{"none", "1E+021", `<text:p>#FMT</text:p>`, "<td>1E+21</td>", ""},
		{"none", "nan", `<text:p>#FMT</text:p>`, "<td>nan</td>", ""},
	} {
		_, packed, _ := build([]zipxmltest.Part{styles, {Name: "ods", Text: `<table:table><table:table-row><table:table-cell><text:p>seen</text:p></table:table-cell>` +
			`<table:table-cell table:number-columns-repeated="2" table:style-name="` + c.style + `" office:value-type="float" office:value="` + c.value + `">` + c.text + `</table:table-cell></table:table-row></table:table>`}})
		got := doctreetest.Show(t, read(t, "ods", packed, 0))
		if !strings.Contains(got, c.want) || strings.Contains(got, hidden) != (c.warning != "") {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// TestObjects reads an embedded workbook and two objects that cannot be read, which
// a warning names.
func TestObjects(t *testing.T) {
	_, packed, _ := build([]zipxmltest.Part{
		{Name: "odt", Text: `<text:p><draw:frame><draw:object xlink:href="./Object 1"/></draw:frame></text:p>` +
			`<text:p><draw:frame><draw:object-ole xlink:href="./Object 2"/><draw:image/></draw:frame></text:p>` +
			`<text:p><draw:frame><draw:object xlink:href="./Object 3"/></draw:frame></text:p>`},
		{Name: "Object 1/content.xml", Text: `<office:document-content SPACE><office:body><office:spreadsheet><table:table><table:table-row><table:table-cell><text:p>told</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet></office:body></office:document-content>`},
	})
	got := doctreetest.Show(t, read(t, "odt", packed, 0))
	for _, want := range []string{"Embedded object: Object 1", "told", "attachment-unread: 2 embedded objects were not read: Object 2, Object 3."} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
}

// TestChartsWithoutValues says how many series have only references to cells.
func TestChartsWithoutValues(t *testing.T) {
	chart := `<text:p><draw:frame><draw:object><office:document><office:body><office:chart><chart:chart chart:class="chart:bar"><chart:title><text:p>Fees</text:p><calligra:text xmlns:calligra="http://www.calligra.org/2005/"><text:p>Fees</text:p></calligra:text></chart:title>` +
		`<chart:plot-area><chart:series/><chart:series/></chart:plot-area></chart:chart></office:chart></office:body></office:document></draw:object></draw:frame></text:p>`
	_, packed, _ := build([]zipxmltest.Part{{Name: "odt", Text: chart}})
	d := read(t, "odt", packed, 0)
	want := []doctree.Warning{{Code: "part-unreadable", Text: "2 series of charts have no values: the file does not store copies of the cells that they show."}}
	if got := doctreetest.Show(t, d); !strings.Contains(got, "Fees (bar chart)") || !slices.Equal(d.Warnings, want) {
		t.Errorf("%v\n%s", d.Warnings, got)
	}
}

// TestForeignObjects reads objects of other programs, in a package and in a flat
// document.
func TestForeignObjects(t *testing.T) {
	child := func(_ context.Context, _, _ string, data []byte, _ int) *html.Node {
		n := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
		n.AppendChild(&html.Node{Type: html.TextNode, Data: string(data)})
		return n
	}
	_, packed, _ := build([]zipxmltest.Part{
		{Name: "odt", Text: `<text:p><draw:frame><draw:object-ole xlink:href="./Obj1"/><draw:image/></draw:frame><draw:frame><draw:object xlink:href="Obj2"/></draw:frame></text:p>`},
		{Name: "Obj1", Text: "first"},
		{Name: "Obj2", Text: "second"},
	})
	_, _, flat := build([]zipxmltest.Part{{Name: "odt", Text: `<text:p><draw:frame><draw:object-ole><office:binary-data>Zmly
		c3Q=</office:binary-data></draw:object-ole></draw:frame><draw:frame><draw:object-ole><office:binary-data>c2Vjb25k</office:binary-data></draw:object-ole></draw:frame></text:p>`}})
	for name, data := range map[string][]byte{"packed": packed, "flat": flat} {
		d, err := odf.Read(t.Context(), bytes.NewReader(data), int64(len(data)), odf.Options{Kind: "odt", Objects: embedded.Objects{Child: child}})
		if err != nil {
			t.Fatal(err)
		}
		got := doctreetest.Show(t, d)
		if !strings.Contains(got, "</figcaption>first</figure>") || !strings.Contains(got, "</figcaption>second</figure>") || strings.Contains(got, "unread") {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestOutline checks that rows of a collapsed group are kept and that a hidden
// row after it is left out.
func TestOutline(t *testing.T) {
	row := func(attr, text string) string {
		return `<table:table-row` + attr + `><table:table-cell><text:p>` + text + `</text:p></table:table-cell></table:table-row>`
	}
	const collapse = ` table:visibility="collapse"`
	_, packed, _ := build([]zipxmltest.Part{{Name: "ods", Text: `<table:table>` + row("", "a") + `<table:table-row-group table:display="false">` +
		row(collapse, "folded") + `</table:table-row-group>` + row(collapse, "unseen") + row("", "b") + `</table:table>`}})
	got := doctreetest.Show(t, read(t, "ods", packed, 0))
	if !strings.Contains(got, "<td>folded</td>") || strings.Contains(got, "unseen") || !strings.Contains(got, "1 row that the sheet hides was left out.") {
		t.Error(got)
	}
}

// TestLongSheet reads a sheet that is larger than other parts may be. Data
// from its start must still be available at its end.
// TestSymbols reads characters of symbol fonts and the fields of a form. LibreOffice writes such fields when it
// converts a Word document.
func TestSymbols(t *testing.T) {
	const fields = `xmlns:field="urn:openoffice:names:experimental:ooo-ms-interop:xmlns:field:1.0"`
	style := func(name, font string) string {
		return `<style:style style:name="` + name + `" style:family="text"><style:text-properties style:font-name="` + font + `"/></style:style>`
	}
	mark := func(kind string, parameters ...string) string {
		var out strings.Builder
		out.WriteString(`<field:fieldmark ` + fields + ` field:type="vnd.oasis.opendocument.field.` + kind + `">`)
		for i := 0; i < len(parameters); i += 2 {
			out.WriteString(`<field:param field:name="` + parameters[i] + `" field:value="` + parameters[i+1] + `"/>`)
		}
		return out.String() + `</field:fieldmark>`
	}
	_, data, _ := build([]zipxmltest.Part{
		{Name: "automatic", Text: style("W", "Wingdings1") + style("S", "Symbol") + style("A", "Arial")},
		{Name: "odt", Text: `<text:p><text:span text:style-name="W">` + "\uF0FC" + `</text:span> done, <text:span text:style-name="S">a<text:span text:style-name="A">a</text:span></text:span>` + "\uF0B7" + `</text:p>` +
			`<text:p>` + mark("FORMDROPDOWN", "Dropdown_ListEntry", "North", "Dropdown_ListEntry", "South", "Dropdown_Selected", "1") + mark("FORMDROPDOWN", "Dropdown_Selected", "7") + `|</text:p>` +
			`<text:p>` + mark("FORMCHECKBOX", "Checkbox_Checked", "true") + ` yes</text:p><text:p>` + mark("FORMCHECKBOX") + ` no</text:p>`},
	})
	got := doctreetest.Show(t, read(t, "odt", data, 0))
	for _, want := range []string{"<p>✓ done, αa•</p>", "<p>South|</p>", `<input type="checkbox" disabled="" checked=""/> yes`, `<input type="checkbox" disabled=""/> no`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in\n%s", want, got)
		}
	}
}

func TestLongSheet(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString(`<table:table table:name="Long">`)
	rows := 0
	for ; b.Len() < 66<<20; rows++ {
		fmt.Fprintf(&b, `<table:table-row><table:table-cell office:value-type="float" office:value="%d"><text:p>%d</text:p></table:table-cell><table:table-cell office:value-type="string" table:style-name="%s"><text:p>%x</text:p></table:table-cell></table:table-row>`, rows, rows, strings.Repeat("x", 400), rnd.Uint64())
	}
	b.WriteString(`</table:table><table:table table:name="End"><table:table-row><table:table-cell office:value-type="date" office:date-value="2024-05-06"/><table:table-cell table:style-name="b"><text:p>last <text:span text:style-name="b">é</text:span></text:p></table:table-cell></table:table-row></table:table>`)
	_, packed, _ := build([]zipxmltest.Part{{Name: "ods", Text: b.String()}})
	d := read(t, "ods", packed, 200_000)
	var out strings.Builder
	if err := doctree.Render(&out, d.Root); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(out.String(), "<tr>"); got != rows+1 || len(d.Warnings) > 0 {
		t.Errorf("%d rows of %d, %v", got, rows+1, d.Warnings)
	}
	if want := "<tr><td>2024-05-06</td><td>last é</td></tr>"; !strings.Contains(out.String(), want) {
		t.Errorf("no %s", want)
	}
}

func TestMeta(t *testing.T) {
	_, packed, flat := build([]zipxmltest.Part{{Name: "odt", Text: "<text:p>x</text:p>"}, {
		Name: "meta",
		Text: `<dc:title>T</dc:title><meta:initial-creator>Ann</meta:initial-creator><dc:creator>Bob</dc:creator><dc:subject>S</dc:subject><meta:keyword>k</meta:keyword><meta:keyword>l</meta:keyword><dc:language>de</dc:language><meta:creation-date>2024-01-02T03:04:05</meta:creation-date><dc:date>2024-02-02T03:04:05.123</dc:date><meta:document-statistic meta:page-count="7"/>`,
	}})
	want := doctree.Meta{
		Title: "T", Author: "Ann", Subject: "S", Keywords: "k, l", Language: "de",
		Pages: 7, TotalPages: 7,
		Created: time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC), Modified: time.Date(2024, 2, 2, 3, 4, 5, 123e6, time.UTC),
	}
	for _, data := range [][]byte{packed, flat} {
		if got := read(t, "odt", data, 0).Meta; got != want {
			t.Errorf("Meta = %+v, want %+v", got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range doctreetest.Cases(f, "testdata/*.txt") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		kind, packed, flat := build(zipxmltest.Sections(text))
		for _, data := range [][]byte{packed, flat} {
			if d, err := odf.Read(t.Context(), bytes.NewReader(data), int64(len(data)), odf.Options{Kind: kind, Nodes: 5000}); err == nil {
				_ = doctreetest.Show(t, d)
			}
		}
	})
}

// TestHiddenShapes leaves out shapes that are neither displayed nor printed,
// because of themselves, their group or their layer, with one warning.
func TestHiddenShapes(t *testing.T) {
	box := func(attrs, text string) string {
		return `<draw:frame ` + attrs + `><draw:text-box><text:p>` + text + `</text:p></draw:text-box></draw:frame>`
	}
	ooo := `xmlns:drawooo="http://openoffice.org/2010/draw" `
	shapes := box("", "shown") + box(ooo+`drawooo:display="none"`, "one") + box(`draw:display="none"`, "two") + box(`draw:layer="off"`, "three") +
		box(`draw:layer="on"`, "above") + box(ooo+`drawooo:display="printer"`, "printed") + `<draw:g draw:display="none">` + box("", "four") + `</draw:g>`
	layers := `<draw:layer-set><draw:layer draw:name="on" draw:display="always"/><draw:layer draw:name="off" draw:display="none"/></draw:layer-set>`
	for kind, body := range map[string]string{
		"odt": `<text:p>x` + shapes + `</text:p>`,
		"ods": `<table:table table:name="S"><table:shapes>` + shapes + `</table:shapes><table:table-row><table:table-cell><text:p>x</text:p>` + shapes + `</table:table-cell></table:table-row></table:table>`,
		"odp": `<draw:page>` + shapes + `</draw:page>`,
	} {
		_, packed, flat := build([]zipxmltest.Part{{Name: "master", Text: layers}, {Name: kind, Text: body}})
		for _, data := range [][]byte{packed, flat} {
			d := read(t, kind, data, 0)
			got := doctreetest.Show(t, d)
			for word, want := range map[string]bool{"shown": true, "above": true, "printed": true, "one": false, "two": false, "three": false, "four": false} {
				if strings.Contains(got, word+"<") != want {
					t.Errorf("%s: %q is there: %v\n%s", kind, word, !want, got)
				}
			}
			if len(d.Warnings) != 1 || d.Warnings[0].Code != "hidden-text" {
				t.Errorf("%s: %v", kind, d.Warnings)
			}
		}
	}
}
