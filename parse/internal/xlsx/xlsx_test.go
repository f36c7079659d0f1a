// SPDX-License-Identifier: Apache-2.0

package xlsx_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/test/doctreetest"
	"example.com/curlew/internal/test/golden"
	"example.com/curlew/internal/test/leak"
	"example.com/curlew/internal/test/zipxmltest"
	"example.com/curlew/internal/zipxml"
	"example.com/curlew/parse/internal/sheet"
	"example.com/curlew/parse/internal/xlsx"
)

func TestMain(m *testing.M) { leak.Main(m) }

const (
	space = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	rels  = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">%s</Relationships>`
)

// build returns a workbook made of sections. "sheets" is the list of sheets
// and "properties" the elements before it; "styles", "strings", "sheetN" and
// "relsN" are the contents of these parts. Other names are names of parts.
func build(sections []zipxmltest.Part) []byte {
	parts := []zipxmltest.Part{
		{Name: "[Content_Types].xml", Text: `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`},
		{Name: "_rels/.rels", Text: fmt.Sprintf(rels, `<Relationship Id="rId1" Type="t/officeDocument" Target="xl/workbook.xml"/>`)},
	}
	book, properties, links := "", "", ""
	for i := 1; i <= 9; i++ {
		links += fmt.Sprintf(`<Relationship Id="rId%d" Type="t/worksheet" Target="worksheets/sheet%d.xml"/>`, i, i)
	}
	links += `<Relationship Id="s" Type="t/styles" Target="styles.xml"/><Relationship Id="t" Type="t/sharedStrings" Target="strings.xml"/><Relationship Id="p" Type="t/person" Target="persons/p.xml"/>`
	for _, s := range sections {
		switch {
		case s.Name == "sheets":
			book = s.Text
		case s.Name == "properties":
			properties = s.Text
		case s.Name == "styles":
			parts = append(parts, zipxmltest.Part{Name: "xl/styles.xml", Text: "<styleSheet " + space + ">" + s.Text + "</styleSheet>"})
		case s.Name == "strings":
			parts = append(parts, zipxmltest.Part{Name: "xl/strings.xml", Text: "<sst " + space + ">" + s.Text + "</sst>"})
		case strings.HasPrefix(s.Name, "sheet"):
			parts = append(parts, zipxmltest.Part{Name: "xl/worksheets/" + s.Name + ".xml", Text: `<?xml version="1.0"?><worksheet ` + space + ">" + s.Text + "</worksheet>"})
		case strings.HasPrefix(s.Name, "rels"):
			parts = append(parts, zipxmltest.Part{Name: "xl/worksheets/_rels/sheet" + s.Name[4:] + ".xml.rels", Text: fmt.Sprintf(rels, s.Text)})
		default:
			parts = append(parts, s)
		}
	}
	parts = append(
		parts,
		zipxmltest.Part{Name: "xl/workbook.xml", Text: "<workbook " + space + ">" + properties + "<sheets>" + book + "</sheets></workbook>"},
		zipxmltest.Part{Name: "xl/_rels/workbook.xml.rels", Text: fmt.Sprintf(rels, links)},
	)
	return zipxmltest.Pack(parts...)
}

// one returns a workbook with one sheet.
func one(sheet string, more ...zipxmltest.Part) []byte {
	return build(append(more, zipxmltest.Part{Name: "sheets", Text: `<sheet name="S" r:id="rId1"/>`}, zipxmltest.Part{Name: "sheet1", Text: sheet}))
}

func read(t testing.TB, data []byte) (*doctree.Document, error) {
	t.Helper()
	return xlsx.Read(t.Context(), bytes.NewReader(data), int64(len(data)), xlsx.Options{})
}

// body returns the content of the section of the first sheet.
func body(t testing.TB, data []byte) string {
	t.Helper()
	d, err := read(t, data)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := html.Render(&b, d.Root); err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(b.String(), "</h2>")
	rest, _, _ = strings.Cut(rest, "</section>")
	return rest
}

// TestGolden reads the workbooks that the files of testdata describe, and
// the same as Strict documents with prefixes.
func TestGolden(t *testing.T) {
	for p, text := range doctreetest.Cases(t, "testdata/*.txt") {
		t.Run(filepath.Base(p), func(t *testing.T) {
			d, err := read(t, build(zipxmltest.Sections(text)))
			if err != nil {
				t.Fatal(err)
			}
			golden.Check(t, strings.TrimSuffix(p, ".txt")+".html", []byte(doctreetest.Show(t, d)))
		})
	}
}

const table = `<table data-table="sheet" data-ref="%s">%s</table>`

// TestSpelling reads one cell written in different XML syntax.
func TestSpelling(t *testing.T) {
	wide := func(s string) string {
		var b strings.Builder
		b.WriteString("\xFF\xFE")
		for _, u := range utf16.Encode([]rune(s)) {
			b.WriteByte(byte(u))
			b.WriteByte(byte(u >> 8))
		}
		return b.String()
	}
	whole := func(part string) []byte {
		return build([]zipxmltest.Part{{Name: "sheets", Text: `<sheet name="S" r:id="rId1"/>`}, {Name: "xl/worksheets/sheet1.xml", Text: part}})
	}
	for name, data := range map[string][]byte{
		"plain":     one(`<sheetData><row r="1"><c r="A1"><v>7</v></c></row></sheetData>`),
		"quotes":    one(`<sheetData><row r='1'><c t='n' r='A1' ><v>7</v></c></row></sheetData>`),
		"no places": one(`<sheetData><row><c><v>7</v></c></row></sheetData>`),
		"CDATA":     one(`<sheetData><row r="1"><c r="A1"><v><![CDATA[7]]></v></c></row></sheetData>`),
		"comment":   one(`<!-- <c> --><sheetData><?pi <row> ?><row r="1"><c r="A1"><v>7<!-- 8 --></v></c></row></sheetData>`),
		"entity":    one(`<sheetData><row r="1"><c r="A1"><v>&#55;</v></c></row></sheetData>`),
		"greater":   one(`<sheetData><row r="1" x="a>b"><c r="A1" x='">'><v>7</v></c></row></sheetData>`),
		"spaces":    one("<sheetData\n><row\tr = \"1\"\n><c  r=\"A1\"\n\n><v >7</v ></c></row></sheetData>"),
		"prefix":    whole(`<x:worksheet xmlns:x="http://purl.oclc.org/ooxml/spreadsheetml/main"><x:sheetData><x:row r="1"><x:c r="A1"><x:v>7</x:v></x:c></x:row></x:sheetData></x:worksheet>`),
		"mark":      whole("\xEF\xBB\xBF<worksheet><sheetData><row><c><v>7</v></c></row></sheetData></worksheet>"),
		"UTF-16":    whole(wide(`<?xml version="1.0" encoding="UTF-16"?><worksheet><sheetData><row><c><v>7</v></c></row></sheetData></worksheet>`)),
		"in lines":  one("<sheetData><row>\n<c>\n<v>\n7\n</v>\n</c>\n</row></sheetData>"),
		"shared":    one("<sheetData><row><c t=\"s\">\n<v>\n1\n</v>\n</c></row></sheetData>", zipxmltest.Part{Name: "strings", Text: "<si><t>6</t></si><si><t>7</t></si>"}),
		"doctype":   whole(`<!DOCTYPE worksheet [<!ENTITY a "<c>">]><worksheet><sheetData><row><c><v>7</v></c></row></sheetData></worksheet>`),
	} {
		if got := body(t, data); got != "<p>7</p>" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestOrder reads rows and cells in any order, and repeated ones.
func TestOrder(t *testing.T) {
	data := one(`<sheetData><row r="2"><c r="B2"><v>4</v></c><c r="A2"><v>3</v></c><c r="B2"><v>9</v></c></row><row r="1"><c r="B1"><v>2</v></c><c r="A1"><v>1</v></c></row><row r="2"><c r="C2"><v>9</v></c></row></sheetData>`)
	want := fmt.Sprintf(table, "A1:B2", "<tbody><tr><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></tbody>")
	if got := body(t, data); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// TestFormulaLinks reads links made by formulas.
func TestFormulaLinks(t *testing.T) {
	for formula, want := range map[string]string{
		`HYPERLINK("https://example.com/?a=""b""","x")`: `<p><a href="https://example.com/?a=&#34;b&#34;">x</a></p>`,
		`hyperlink( "mailto:a@example.com" )`:           `<p><a href="mailto:a@example.com">x</a></p>`,
		`HYPERLINK("#S!A1","x")`:                        `<p>x</p>`,
		`HYPERLINK("https://example.com/"&B1,"x")`:      `<p>x</p>`,
		`HYPERLINK(B1,"x")`:                             `<p>x</p>`,
		`HYPERLINK("javascript:x()","x")`:               `<p>x</p>`,
		`HEX2DEC("https://example.com/")`:               `<p>x</p>`,
	} {
		if got := body(t, one(`<sheetData><row r="1"><c r="A1" t="str"><f>`+html.EscapeString(formula)+`</f><v>x</v></c></row></sheetData>`)); got != want {
			t.Errorf("%s: %s, want %s", formula, got, want)
		}
	}
}

func TestZero(t *testing.T) {
	for _, v := range []string{"0", "-0", "-0.0", "0E0"} {
		if got := body(t, one("<sheetData><row><c><v>"+v+"</v></c></row></sheetData>")); got != "<p>0</p>" {
			t.Errorf("%s: %s", v, got)
		}
	}
}

// TestBarcodes reads long numbers without a format, which Excel shortens on the
// screen.
func TestBarcodes(t *testing.T) {
	for raw, want := range map[string]string{
		"5901234123457":         "5901234123457",
		"5.901234123457E12":     "5901234123457",
		"123456789012345":       "123456789012345",
		"12345678901234567890":  "12345678901234567890",
		"0.33333333333333331":   "0.333333333333333",
		"0.12345678901234":      "0.12345678901234",
		"0.00000001":            "1E-08",
		"1234567890.1234":       "1234567890.1234",
		"6.0221407599999999E23": "6.02214076E+23",
	} {
		if got := body(t, one("<sheetData><row><c><v>"+raw+"</v></c></row></sheetData>")); got != "<p>"+want+"</p>" {
			t.Errorf("%s: %s, want %s", raw, got, want)
		}
	}
}

// TestUncomputed reads formulas without a cached value, and one with an
// empty text.
func TestUncomputed(t *testing.T) {
	for cell, want := range map[string]string{
		`<c><f>1+1</f></c>`:                      "<p>=1+1</p>",
		`<c><f>1+1</f><v/></c>`:                  "<p>=1+1</p>",
		`<c t="str"><f>1+1</f></c>`:              "<p>=1+1</p>",
		`<c t="str"><f>IF(1,"",2)</f><v/></c>`:   "",
		`<c t="str"><f>A1&amp;""</f><v></v></c>`: "",
	} {
		if got := body(t, one("<sheetData><row>"+cell+"</row></sheetData>")); got != want {
			t.Errorf("%s: %s, want %s", cell, got, want)
		}
	}
}

// TestPictureInCell reads pictures in cells, which have an error as fallback
// value.
func TestPictureInCell(t *testing.T) {
	data := one(`<sheetData><row r="1"><c r="A1" t="e" vm="1"><v>#VALUE!</v></c><c r="B1" t="e"><v>#VALUE!</v></c><c r="C1" t="e" vm="2"><v>#N/A</v></c></row></sheetData>`)
	want := fmt.Sprintf(table, "B1:C1", "<tbody><tr><td>#VALUE!</td><td>#N/A</td></tr></tbody>")
	if got := body(t, data); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// TestGridLinks reads a link and a comment in a table that is too large for
// nodes.
func TestGridLinks(t *testing.T) {
	var b strings.Builder
	for i := range 30_000 {
		fmt.Fprintf(&b, `<row r="%d"><c><v>1</v></c><c t="str"><v>b</v></c></row>`, i+1)
	}
	data := one("<sheetData>"+b.String()+`</sheetData><hyperlinks><hyperlink ref="B20000" r:id="l"/></hyperlinks>`,
		zipxmltest.Part{Name: "rels1", Text: `<Relationship Id="l" Type="t/hyperlink" Target="https://example.com/" TargetMode="External"/>`})
	if got, want := body(t, data), `</table><ul><li>B20000: <a href="https://example.com/">b</a></li></ul>`; !strings.HasSuffix(got, want) {
		t.Errorf("...%s\nwant %s", got[max(0, len(got)-200):], want)
	}
}

func Test1904(t *testing.T) {
	data := one(`<sheetData><row><c s="0"><v>43538</v></c></row></sheetData>`,
		zipxmltest.Part{Name: "properties", Text: `<workbookPr date1904="true"/>`}, zipxmltest.Part{Name: "styles", Text: `<cellXfs><xf numFmtId="14"/></cellXfs>`})
	if got := body(t, data); got != "<p>2023-03-15</p>" {
		t.Error(got)
	}
}

// TestISODates reads dates as text, as in Strict workbooks. The number
// format applies to them; General shows them unchanged.
func TestISODates(t *testing.T) {
	styles := zipxmltest.Part{Name: "styles", Text: `<numFmts><numFmt numFmtId="170" formatCode="mmm yyyy"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="20"/><xf numFmtId="170"/></cellXfs>`}
	for _, c := range []struct{ style, value, want string }{
		{"0", "2024-02-29T13:30:00", "2024-02-29 13:30:00"},
		{"0", "2024-02-29T00:00:00Z", "2024-02-29"},
		{"1", "2024-02-29", "2024-02-29"},
		{"1", "1900-02-01", "1900-02-01"},
		{"1", "1850-02-01", "1850-02-01"},
		{"1", "9999-12-31", "9999-12-31"},
		{"2", "1900-01-01T06:30:00", "6:30"},
		{"2", "18:05:00", "18:05"},
		{"3", "2024-02-29T00:00:00", "Feb 2024"},
		{"1", "soon", "soon"},
	} {
		if got, want := body(t, one(`<sheetData><row><c t="d" s="`+c.style+`"><v>`+c.value+`</v></c></row></sheetData>`, styles)), "<p>"+c.want+"</p>"; got != want {
			t.Errorf("%s in style %s: %s, want %s", c.value, c.style, got, want)
		}
	}
}

// TestPrinted reads the printed headers and footers of a sheet. Those of first and
// even pages count only if the sheet uses them.
func TestPrinted(t *testing.T) {
	const texts = `<oddHeader>&amp;LConfidential&amp;RPage &amp;P</oddHeader><oddFooter>Draft</oddFooter><evenHeader>even</evenHeader><firstFooter>first</firstFooter>`
	for _, c := range []struct{ attrs, want string }{
		{"", `<header><p>Confidential</p></header><footer><p>Draft</p></footer>`},
		{
			` differentOddEven="1" differentFirst="1"`,
			`<header><p>Confidential</p></header><header><p>even</p></header><footer><p>Draft</p></footer><footer><p>first</p></footer>`,
		},
	} {
		d, err := read(t, one(`<sheetData><row><c t="str"><v>x</v></c></row></sheetData><headerFooter`+c.attrs+`>`+texts+`</headerFooter>`))
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for n := range d.Root.Descendants() {
			if n.DataAtom == atom.Header || n.DataAtom == atom.Footer {
				_ = html.Render(&b, n)
			}
		}
		if got := strings.ReplaceAll(b.String(), ` data-role="running"`, ""); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}

// TestHiddenValues reads values that formats hide, which gives a warning,
// and a zero that a format hides, which does not.
func TestHiddenValues(t *testing.T) {
	styles := zipxmltest.Part{Name: "styles", Text: `<numFmts><numFmt numFmtId="170" formatCode=";;;"/><numFmt numFmtId="171" formatCode="0;-0;;@"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="170"/><xf numFmtId="171"/></cellXfs>`}
	for _, c := range []struct {
		cell   string
		hidden bool
	}{
		{`<c s="1"><v>7</v></c>`, true},
		{`<c s="1" t="str"><v>seven</v></c>`, true},
		{`<c s="2"><v>0</v></c>`, false},
	} {
		d, err := read(t, one(`<sheetData><row><c><v>1</v></c>`+c.cell+`</row></sheetData>`, styles))
		if err != nil {
			t.Fatal(err)
		}
		got := doctreetest.Show(t, d)
		if !strings.Contains(got, "<p>1</p>") || strings.Contains(got, "7") || strings.Contains(got, "seven") || strings.Contains(got, "hidden-text") != c.hidden {
			t.Errorf("%s: %s", c.cell, got)
		}
	}
}

// TestBroken reads workbooks that are partly damaged.
func TestBroken(t *testing.T) {
	whole := `<sheetData><row r="1"><c r="A1" t="str"><v>kept</v></c></row>`
	for name, data := range map[string][]byte{
		"sheet ends":    build([]zipxmltest.Part{{Name: "sheets", Text: `<sheet name="S" r:id="rId1"/>`}, {Name: "xl/worksheets/sheet1.xml", Text: "<worksheet>" + whole + `<row r="2"><c r="A2"><v>lo`}}),
		"styles end":    one(whole+"</sheetData>", zipxmltest.Part{Name: "xl/styles.xml", Text: "<styleSheet><cellXfs"}),
		"strings wrong": one(whole+"</sheetData>", zipxmltest.Part{Name: "xl/strings.xml", Text: "\x00\x01"}),
		"no second":     build([]zipxmltest.Part{{Name: "sheets", Text: `<sheet name="S" r:id="rId1"/><sheet name="T" r:id="rId2"/>`}, {Name: "sheet1", Text: whole + "</sheetData>"}}),
	} {
		d, err := read(t, data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := doctreetest.Show(t, d); !strings.Contains(got, "<p>kept</p>") || !strings.Contains(got, "part-unreadable") {
			t.Errorf("%s: %s", name, got)
		}
	}
	for name, data := range map[string][]byte{
		"no container": []byte("PK"),
		"no workbook":  zipxmltest.Pack(zipxmltest.Part{Name: "a", Text: "b"}),
		"empty":        zipxmltest.Pack(zipxmltest.Part{Name: "xl/workbook.xml", Text: ""}),
	} {
		if _, err := read(t, data); !errors.Is(err, zipxml.ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestBombs reads small files that would expand to large ones. Each is
// refused or cut, within the limit on nodes.
func TestBombs(t *testing.T) {
	row := func(n int, cells string) string { return fmt.Sprintf(`<row r="%d">%s</row>`, n, cells) }
	var shared, diagonal, merges, links strings.Builder
	for i := range 3000 {
		shared.WriteString(row(i+1, `<c t="s"><v>0</v></c>`))
		diagonal.WriteString(row(i+1, fmt.Sprintf(`<c r="%s"><v>1</v></c><c r="%s"><v>1</v></c>`, sheet.Address(i, 0), sheet.Address(i, i%5000))))
	}
	for range 5000 {
		merges.WriteString(`<mergeCell ref="A1:XFD1048576"/><mergeCell ref="B1:XFC1048570"/>`)
		links.WriteString(`<hyperlink ref="A1:XFD1048576" location="x"/>`)
	}
	corners := row(1, `<c r="A1"><v>1</v></c>`) + row(1048576, `<c r="XFD1048576"><v>2</v></c>`)
	for _, c := range []struct {
		what string
		data []byte
		want error
	}{
		{"far cells", one("<sheetData>" + corners + "</sheetData><mergeCells>" + merges.String() + "</mergeCells><hyperlinks>" + links.String() + "</hyperlinks>"), nil},
		{"diagonal", one("<sheetData>" + diagonal.String() + "</sheetData>"), nil},
		{"merged", one("<sheetData>" + diagonal.String() + "</sheetData><mergeCells>" + merges.String() + "</mergeCells>"), nil},
		{"shared strings", one("<sheetData>"+shared.String()+"</sheetData>", zipxmltest.Part{Name: "strings", Text: "<si><t>" + strings.Repeat("lots ", 6000) + "</t></si>"}), nil},
		{"ratio", one("<sheetData>" + strings.Repeat(" ", 40<<20) + "</sheetData>"), zipxml.ErrLimit},
		{"depth", one(strings.Repeat("<a>", 300)), zipxml.ErrLimit},
		{"attributes", one("<a " + strings.Repeat(`b="" `, 1001) + "/>"), zipxml.ErrLimit},
		{"mixed attributes", one("<a c='>' " + strings.Repeat(`b="" `, 1001) + "/>"), zipxml.ErrLimit},
		{"tag", one(`<a b="` + strings.Repeat(">x", 1<<20) + `"/>`), zipxml.ErrLimit},
		{"text", one("<sheetData><row><c><v>" + strings.Repeat("xyzw", 1<<19)), zipxml.ErrLimit},
		{"laughs", one("<sheetData><row><c t=\"str\"><v>&lol9;</v></c></row></sheetData>"), nil},
	} {
		d, err := read(t, c.data)
		if !errors.Is(err, c.want) || err != nil && c.want == nil {
			t.Errorf("%s: %v, want %v", c.what, err, c.want)
			continue
		}
		nodes := 0
		if d != nil {
			for range d.Root.Descendants() {
				nodes++
			}
		}
		if nodes > 20*3000 {
			t.Errorf("%s: %d nodes", c.what, nodes)
		}
	}
}

func TestCancel(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	stop(errors.New("enough"))
	data := one("<sheetData>" + strings.Repeat(`<row><c><v>1</v></c></row>`, 20_000) + "</sheetData>")
	if _, err := xlsx.Read(ctx, bytes.NewReader(data), int64(len(data)), xlsx.Options{}); err == nil || err.Error() != "enough" {
		t.Error(err)
	}
}

// TestGrid compares a large table with a small one of the same cells.
func TestGrid(t *testing.T) {
	rows := func(n int) string {
		var b strings.Builder
		b.WriteString("<sheetData>")
		for i := range n {
			fmt.Fprintf(&b, `<row r="%d"><c t="str"><v>name %d</v></c><c><v>%d</v></c><c r="D%d" t="str"><v>a&lt;b</v></c></row>`, i+1, i%7, i, i+1)
		}
		return b.String() + "</sheetData>"
	}
	const n = 20_000
	d, err := read(t, one(rows(n)))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := doctree.Render(&b, d.Root); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(b.String(), "<tr>"); got != n {
		t.Errorf("%d rows", got)
	}
	if want := "<tr><td>name 2</td><td>2</td><td></td><td>a&lt;b</td></tr>"; !strings.Contains(b.String(), want) {
		t.Errorf("no row %s", want)
	}
	nodes := 0
	for range d.Root.Descendants() {
		nodes++
	}
	if nodes > 50 {
		t.Errorf("a grid of %d nodes", nodes)
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range doctreetest.Cases(f, "testdata/*.txt") {
		for _, s := range zipxmltest.Sections(text) {
			f.Add(s.Text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, data := range [][]byte{
			one(text, zipxmltest.Part{Name: "styles", Text: text}, zipxmltest.Part{Name: "strings", Text: text}),
			build([]zipxmltest.Part{{Name: "sheets", Text: text}, {Name: "sheet1", Text: text}}),
		} {
			d, err := read(t, data)
			if err == nil && d.Root == nil {
				t.Error("neither tree nor error")
			}
		}
	})
}

// TestSaid reads workbooks with small damage that loses something, and says it.
func TestSaid(t *testing.T) {
	const cells = `<sheetData><row r="1"><c r="A1" t="str"><v>a</v></c></row><row r="2"><c r="A2" t="str"><v>b</v></c></row></sheetData>`
	comments := func(id string) []zipxmltest.Part {
		return []zipxmltest.Part{
			{Name: "rels1", Text: `<Relationship Id="t" Type="t/threadedComment" Target="../t.xml"/>`},
			{Name: "xl/persons/p.xml", Text: `<personList><person displayName="Ann" id="{1}"/></personList>`},
			{Name: "xl/t.xml", Text: `<ThreadedComments><threadedComment ref="A1" personId="` + id + `" id="{a}"><text>Why?</text></threadedComment></ThreadedComments>`},
		}
	}
	for _, c := range []struct {
		what string
		data []byte
		want string
	}{
		{"a whole comment", one(cells, comments("{1}")...), ""},
		{"a comment of nobody", one(cells, comments("{2}")...), "Comments whose authors are not in the file's list of persons: 1."},
		{"comments without a cell", one(cells, append(comments("{1}")[:1:1], zipxmltest.Part{Name: "xl/t.xml", Text: `<ThreadedComments><threadedComment ref="A-1"><text>Why?</text></threadedComment></ThreadedComments>`},
			comments("{1}")[1])...), "Comments whose authors are not in the file's list of persons: 1.Comments that name no cell, which were left out: 1."},
		{"a note without a cell", one(cells, zipxmltest.Part{Name: "rels1", Text: `<Relationship Id="c" Type="t/comments" Target="../c.xml"/>`},
			zipxmltest.Part{Name: "xl/c.xml", Text: `<comments><commentList><comment ref="-1"><text><t>Why?</t></text></comment><comment ref=""><text/></comment></commentList></comments>`}), "Comments that name no cell, which were left out: 1."},
		{"phonetic guides", one(strings.Replace(cells, `<c r="A1" t="str"><v>a</v></c>`, `<c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>京</t><rPh sb="0" eb="1"><t>きょう</t></rPh></is></c>`, 1),
			zipxmltest.Part{Name: "strings", Text: `<si><t>東京</t><rPh sb="0" eb="1"><t>とう</t></rPh><rPh sb="1" eb="2"><t>きょう</t></rPh><rPh sb="0" eb="0"/><phoneticPr fontId="1"/></si>`}), guides(2)},
		{"phonetic guides of records", binaryWith(
			new(bin).record(131).record(153, 0, 0, "").record(156, 0, 1, "rId1", "Records").record(132),
			new(bin).record(145).row(0, false).record(7, 0, 0, 0).record(7, 1, 0, 1).record(146),
			new(bin).record(19, byte(2), "京", "きょう", 0).record(19, byte(3), "東京", 1, 0, "", 0).record(19, byte(3), "東", 1, 0, "とう", 0)), guides(2)},
		{"messages beside cells", one(cells + `<dataValidations count="3"><dataValidation sqref="A2" showInputMessage="1" prompt="Whole numbers"><formula1>1</formula1></dataValidation><dataValidation sqref="A3" showInputMessage="1"/><dataValidation sqref="A4" prompt="not shown"/></dataValidations>`), "Messages that appear beside selected cells, which were left out: 1."},
		{"rows that are in no list", one(strings.Replace(cells, "<sheetData>", "<sheepData>", 1)), "The part xl/worksheets/sheet1.xml was not read completely, or it is damaged."},
		{"a cell by another name", one(strings.Replace(cells, `<c r="A1"`, `<p://c r="A1"`, 1)), "The part xl/worksheets/sheet1.xml was not read completely, or it is damaged."},
		{"the end of a row by another name", one(strings.Replace(cells, `</row>`, `</rov>`, 1)), "The part xl/worksheets/sheet1.xml was not read completely, or it is damaged."},
		{"a missing quote", one(strings.Replace(cells, `r="A1" t="str"`, `r="A1" t="str`, 1)), "The part xl/worksheets/sheet1.xml was not read completely, or it is damaged."},
	} {
		d, err := read(t, c.data)
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for _, w := range d.Warnings {
			if !strings.HasPrefix(w.Text, "Relationships lead to") { // build lists more sheets than there are
				got.WriteString(w.Text)
			}
		}
		if got.String() != c.want {
			t.Errorf("%s: %q, want %q", c.what, got.String(), c.want)
		}
	}
}

// guides is the warning about phonetic guides.
func guides(places int) string {
	return fmt.Sprintf("Phonetic guides, which say how a text is read aloud, were left out at %d places.", places)
}

// TestUnlistedSheets reads workbooks whose list lacks a sheet that the package has.
func TestUnlistedSheets(t *testing.T) {
	parts := []zipxmltest.Part{{Name: "sheet1", Text: `<sheetData/>`}, {Name: "sheet2", Text: `<sheetData/>`}}
	for _, c := range []struct {
		what, warning string
		parts         []zipxmltest.Part
		count         int
	}{
		{"all listed", "does not list", append(parts, zipxmltest.Part{Name: "sheets", Text: `<sheet name="A" r:id="rId1"/><sheet name="B" r:id="rId2"/>`}), 0},
		{"one listed", "Sheets that the file has but does not list; left out: 1.", append(parts, zipxmltest.Part{Name: "sheets", Text: `<sheet name="A" r:id="rId1"/>`}), 1},
		{"no sheets", "The workbook lists no sheets.", nil, 1},
	} {
		d, err := read(t, build(c.parts))
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		for _, w := range d.Warnings {
			count += strings.Count(w.Text, c.warning)
		}
		if count != c.count {
			t.Errorf("%s: %v", c.what, d.Warnings)
		}
	}
}
