// SPDX-License-Identifier: Apache-2.0

package parse_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"example.com/curlew/internal/test/cfbtest"
	"example.com/curlew/internal/test/golden"
	"example.com/curlew/parse"
)

// flatten returns a package as Flat OPC. Its pictures and other binary parts are base64.
func flatten(t testing.TB, data []byte) string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var types struct {
		Default []struct {
			Extension, ContentType string `xml:",attr"`
		}
		Override []struct {
			PartName, ContentType string `xml:",attr"`
		}
	}
	parts := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		parts[f.Name] = string(b)
	}
	if err := xml.Unmarshal([]byte(parts["[Content_Types].xml"]), &types); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?><?mso-application progid="Any.Document"?><pkg:package xmlns:pkg="http://schemas.microsoft.com/office/2006/xmlPackage">`)
	for _, f := range z.File {
		name := f.Name
		if name == "[Content_Types].xml" || strings.HasSuffix(name, "/") {
			continue
		}
		contentType := ""
		for _, d := range types.Default {
			if strings.EqualFold("."+d.Extension, path.Ext(name)) {
				contentType = d.ContentType
			}
		}
		for _, o := range types.Override {
			if o.PartName == "/"+name {
				contentType = o.ContentType
			}
		}
		fmt.Fprintf(&b, `<pkg:part pkg:name="/%s" pkg:contentType="%s">`, name, contentType)
		if text := parts[name]; path.Ext(name) == ".xml" || path.Ext(name) == ".rels" {
			if strings.HasPrefix(text, "<?xml") {
				_, text, _ = strings.Cut(text, "?>")
			}
			b.WriteString("<pkg:xmlData>" + text + "</pkg:xmlData>")
		} else {
			b.WriteString("<pkg:binaryData>" + base64.StdEncoding.EncodeToString([]byte(text)) + "</pkg:binaryData>")
		}
		b.WriteString("</pkg:part>")
	}
	return b.String() + "</pkg:package>"
}

// TestFlatOPC reads packages that are one XML file as the same packages in ZIP.
func TestFlatOPC(t *testing.T) {
	var e parse.Engine
	for name, kind := range map[string]parse.Kind{"rich.docx": parse.DOCX, "sheet.xlsx": parse.XLSX, "slides.pptx": parse.PPTX} {
		data, err := os.ReadFile("testdata/legacy/" + name)
		if err != nil {
			t.Fatal(err)
		}
		want, err := e.Parse(t.Context(), parse.Bytes(name, data), nil)
		if err != nil {
			t.Fatal(err)
		}
		flat := flatten(t, data)
		for form, text := range map[string]string{"UTF-8": flat, "UTF-16": "\xFF\xFE" + cfbtest.Wide(flat)} {
			got, err := e.Parse(t.Context(), source("a.xml", "text/xml", text), nil)
			if err != nil {
				t.Errorf("%s, %s: %v", name, form, err)
				continue
			}
			if got.Kind != kind || got.Meta != want.Meta || !slices.Equal(got.Warnings, want.Warnings) || htmlOf(t, got) != htmlOf(t, want) {
				t.Errorf("%s, %s: %s %+v %v\n%s\nwant %+v %v\n%s", name, form, got.Kind, got.Meta, got.Warnings, htmlOf(t, got), want.Meta, want.Warnings, htmlOf(t, want))
			}
		}
	}
}

const wordNamespace = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`

// flatDocument returns Flat OPC with a document and further parts. The namespace of the
// document is declared around it.
func flatDocument(text, more string) string {
	return `<pkg:package xmlns:pkg="http://schemas.microsoft.com/office/2006/xmlPackage" ` + wordNamespace + `>` +
		`<pkg:part pkg:name="/_rels/.rels" pkg:contentType="application/vnd.openxmlformats-package.relationships+xml"><pkg:xmlData><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships></pkg:xmlData></pkg:part>` +
		`<pkg:part pkg:name="/word/document.xml" pkg:contentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"><pkg:xmlData><w:document><w:body>` + text + `</w:body></w:document></pkg:xmlData></pkg:part>` + more + `</pkg:package>`
}

// TestFlatOPCLosses reads damaged packages with a warning that says what is missing.
func TestFlatOPCLosses(t *testing.T) {
	whole := flatDocument("<w:p><w:r><w:t>first</w:t></w:r></w:p><w:p><w:r><w:t>second</w:t></w:r></w:p>", "")
	for _, c := range []struct{ what, text, want, warning string }{
		{"whole", whole, "first\n\nsecond", ""},
		{"cut", whole[:strings.Index(whole, "second")], "first", "ends too early"},
		{"part without a name", flatDocument("<w:p><w:r><w:t>first</w:t></w:r></w:p>", "<pkg:part><pkg:xmlData><a/></pkg:xmlData></pkg:part>"), "first", "which were not read: 1."},
		{"part without content", flatDocument("<w:p><w:r><w:t>first</w:t></w:r></w:p>", `<pkg:part pkg:name="/a.xml"/>`), "first", "which were not read: 1."},
		{"part with a known name", flatDocument("<w:p><w:r><w:t>first</w:t></w:r></w:p>", `<pkg:part pkg:name="/Word/Document.xml"><pkg:xmlData><a/></pkg:xmlData></pkg:part>`), "first", "the name of another part, which were not read: 1."},
		{"base64", flatDocument("<w:p><w:r><w:t>first</w:t></w:r></w:p>", `<pkg:part pkg:name="/a.png"><pkg:binaryData>AA!!AA==</pkg:binaryData></pkg:part>`), "first", "not base64"},
	} {
		tree, err := new(parse.Engine).Parse(t.Context(), source("a.xml", "", c.text), nil)
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		if got := strings.TrimSpace(markdownOfTree(t, tree)); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.what, got, c.want)
		}
		if c.warning == "" && len(tree.Warnings) > 0 || !strings.Contains(fmt.Sprint(tree.Warnings), c.warning) {
			t.Errorf("%s: %v, want %q", c.what, tree.Warnings, c.warning)
		}
	}
}

// TestWordXML reads a document of Word 2003 in XML.
func TestWordXML(t *testing.T) {
	data, err := os.ReadFile("testdata/word2003.xml")
	if err != nil {
		t.Fatal(err)
	}
	var e parse.Engine
	for _, name := range []string{"a.xml", "a.doc"} {
		tree, err := e.Parse(t.Context(), parse.Bytes(name, data), nil)
		if err != nil {
			t.Fatal(err)
		}
		if tree.Kind != parse.DOC || tree.Meta.Title != "A report" || tree.Meta.Author != "Ann" || tree.Meta.Pages != 3 || tree.Meta.Created.IsZero() {
			t.Errorf("%s: %s %+v", name, tree.Kind, tree.Meta)
		}
		golden.Check(t, "testdata/word2003.html", fmt.Appendf(nil, "%v\n%s", tree.Warnings, htmlOf(t, tree)))
	}
	cut, err := e.Parse(t.Context(), parse.Bytes("a.xml", data[:bytes.Index(data, []byte("After the table"))]), nil)
	if err != nil || !strings.Contains(fmt.Sprint(cut.Warnings), "ends too early") || !strings.Contains(markdownOfTree(t, cut), "| a | b |") {
		t.Errorf("cut: %v %v", cut, err)
	}
}

// TestWinmail reads a winmail.dat that is a file of its own.
func TestWinmail(t *testing.T) {
	attribute := func(level byte, id uint32, data string) string {
		sum := uint16(0)
		for i := range len(data) {
			sum += uint16(data[i])
		}
		b := binary.LittleEndian.AppendUint32([]byte{level}, id)
		b = binary.LittleEndian.AppendUint32(b, uint32(len(data)))
		return string(binary.LittleEndian.AppendUint16([]byte(string(b)+data), sum))
	}
	data := "\x78\x9F\x3E\x22\x01\x00" + attribute(1, 0x00078004, "A subject\x00") + attribute(1, 0x0002800C, "The words\x00") +
		attribute(2, 0x00069002, "") + attribute(2, 0x00018010, "t.csv\x00") + attribute(2, 0x0006800F, "left,right\n1,2\n")
	for _, c := range []struct{ what, data, want, warning string }{
		{"whole", data, "| left | right |", ""},
		{"cut", data[:len(data)-6], "The words", "ends too early"},
		{"changed", strings.Replace(data, "left", "lefd", 1), "| lefd | right |", "Places where that shows: 1."},
	} {
		tree, err := new(parse.Engine).Parse(t.Context(), source("winmail.dat", "application/ms-tnef", c.data), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := markdownOfTree(t, tree); tree.Kind != parse.MSG || !strings.Contains(got, "# A subject") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %s\n%s", c.what, tree.Kind, got)
		}
		if c.warning == "" && len(tree.Warnings) > 0 || !strings.Contains(fmt.Sprint(tree.Warnings), c.warning) {
			t.Errorf("%s: %v, want %q", c.what, tree.Warnings, c.warning)
		}
	}
}

func htmlOf(t testing.TB, tree *parse.Tree) string {
	t.Helper()
	var b strings.Builder
	if err := tree.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
