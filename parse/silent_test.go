// SPDX-License-Identifier: Apache-2.0

package parse_test

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"example.com/curlew/parse"
)

// TestSilentLoss damages the documents of the development set, a part at a
// time: it is missing, empty or cut in half, it has the content of another part,
// or another part has its name. Whatever words that costs, the
// tree must have a warning that the whole document has not.
func TestSilentLoss(t *testing.T) {
	for _, path := range damageable(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			name := filepath.Base(path)
			words, notes, err := reading(t.Context(), name, data)
			if err != nil {
				return
			}
			whole := whole{name, words, notes}
			if bytes.HasPrefix(data, []byte("PK\x03\x04")) {
				whole.silentParts(t, data)
				return
			}
			for n := 4; n < 9; n++ { // less of a message may be a whole one
				whole.notSilent(t, "cut", data[:len(data)*n/9])
			}
		})
	}
}

// damageable returns the documents of the development set whose damage can be seen. A text
// or a simple message that is cut is a whole one.
func damageable(t *testing.T) []string {
	t.Helper()
	var list []string
	for _, pattern := range []string{"*/*.docx", "*/*.pptx", "*/*.xlsx", "*/*.xlsb", "*/*.epub", "*/*.od?", "*/*attachment.eml", "*/*.msg", "*/*.doc", "*/*.ppt", "*/*.xls"} {
		files, err := filepath.Glob("../../shared/corpora/office-dev/" + pattern)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, files...)
	}
	if len(list) == 0 {
		t.Skip("no development documents beside the checkout")
	}
	return list
}

// whole is what an undamaged document says.
type whole struct {
	name  string
	words map[string]int
	notes []parse.Warning
}

func (d whole) silentParts(t *testing.T, data []byte) {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range archive.File {
		if f.FileInfo().IsDir() {
			continue
		}
		fourth := "doubled"
		if i%2 == 0 && path.Ext(f.Name) != ".xhtml" { // a page of a book may be any page
			fourth = "swapped"
		}
		for _, harm := range []string{"missing", "empty", "half", fourth} {
			d.notSilent(t, harm+" "+f.Name, repack(t, archive, i, harm))
		}
	}
}

// repack writes the archive again with one part damaged.
func repack(t *testing.T, archive *zip.Reader, part int, harm string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	var other []byte
	if harm == "doubled" || harm == "swapped" {
		other = anotherPart(t, archive, part)
	}
	if harm == "doubled" {
		into, err := w.Create(archive.File[part].Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := into.Write(other); err != nil {
			t.Fatal(err)
		}
	}
	for i, f := range archive.File {
		if i != part || harm == "doubled" {
			if err := w.Copy(f); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if harm == "missing" {
			continue
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		content = content[:len(content)/2]
		switch harm {
		case "empty":
			content = nil
		case "swapped":
			content = other
		}
		into, err := w.CreateHeader(&zip.FileHeader{Name: f.Name, Method: f.Method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := into.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// anotherPart returns the content of the next part with the same extension that is not in
// the same folder, where parts are of the same kind.
func anotherPart(t *testing.T, archive *zip.Reader, part int) []byte {
	t.Helper()
	for i := range archive.File {
		f := archive.File[(part+1+i)%len(archive.File)]
		if path.Ext(f.Name) != path.Ext(archive.File[part].Name) || path.Dir(f.Name) == path.Dir(archive.File[part].Name) {
			continue
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	return nil
}

func (d whole) notSilent(t *testing.T, harm string, damaged []byte) {
	t.Helper()
	left, said, err := reading(t.Context(), d.name, damaged)
	if err != nil {
		return // an error is no silence
	}
	var lost []string
	for w, n := range d.words {
		if left[w] < n {
			lost = append(lost, w)
		}
	}
	slices.Sort(lost)
	if len(lost) == 0 || slices.ContainsFunc(said, func(w parse.Warning) bool { return !slices.Contains(d.notes, w) }) {
		return
	}
	t.Errorf("%s: %s: lost %d words in silence: %.80q", d.name, harm, len(lost), lost)
}

func reading(ctx context.Context, name string, data []byte) (map[string]int, []parse.Warning, error) {
	var e parse.Engine
	tree, err := e.Parse(ctx, parse.Bytes(name, data), nil)
	if err != nil {
		return nil, nil, err
	}
	words := map[string]int{}
	for n := range tree.Root.Descendants() {
		if n.Type == html.TextNode {
			for w := range strings.FieldsSeq(n.Data) {
				words[w]++
			}
		}
		for _, a := range n.Attr {
			if a.Key == "href" || a.Key == "src" || a.Key == "alt" {
				words[a.Key+"="+a.Val]++
			}
		}
	}
	return words, tree.Warnings, nil
}

// TestTags reads office documents with tags that do not match: texts are kept, no
// value is invented, and a warning says so. Whole documents have no such warning.
func TestTags(t *testing.T) {
	relation := func(kind, target string) string {
		return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" Type="x/` + kind + `" Target="` + target + `"/></Relationships>`
	}
	const types = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`
	word := func(body string) string {
		return pack("[Content_Types].xml", types, "_rels/.rels", relation("officeDocument", "word/document.xml"),
			"word/document.xml", `<w:document `+wordSpace+`><w:body>`+body+`</w:body></w:document>`)
	}
	slides := func(shapes string) string {
		const space = `xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
		return pack("[Content_Types].xml", types, "_rels/.rels", relation("officeDocument", "ppt/presentation.xml"),
			"ppt/presentation.xml", `<p:presentation `+space+`><p:sldIdLst><p:sldId id="256" r:id="r"/></p:sldIdLst></p:presentation>`,
			"ppt/_rels/presentation.xml.rels", relation("slide", "slide.xml"),
			"ppt/slide.xml", `<p:sld `+space+`><p:cSld><p:spTree>`+shapes+`</p:spTree></p:cSld></p:sld>`)
	}
	sheet := func(rows string) string {
		const space = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
		return pack("[Content_Types].xml", types, "_rels/.rels", relation("officeDocument", "xl/workbook.xml"),
			"xl/workbook.xml", `<workbook `+space+`><sheets><sheet name="S" sheetId="1" r:id="r"/></sheets></workbook>`,
			"xl/_rels/workbook.xml.rels", relation("worksheet", "sheet.xml"),
			"xl/sheet.xml", `<worksheet `+space+`><sheetData>`+rows+`</sheetData></worksheet>`)
	}
	text := func(body string) string {
		return pack("mimetype", "application/vnd.oasis.opendocument.text",
			"META-INF/manifest.xml", `<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>`,
			"content.xml", `<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:text>`+body+`</office:text></office:body></office:document-content>`)
	}
	p := func(s string) string { return "<w:p><w:r><w:t>" + s + "</w:t></w:r></w:p>" }
	shape := func(s string) string {
		return "<p:sp><p:txBody><a:p><a:r><a:t>" + s + "</a:t></a:r></a:p></p:txBody></p:sp>"
	}
	const table = "<w:tbl><w:tr><w:tc>"
	for _, c := range []struct {
		what, name, data, want string
		warn                   bool
	}{
		{"whole document", "a.docx", word(p("one") + table + p("cell") + "</w:tc></w:tr></w:tbl>" + p("two")), "one cell two", false},
		{"open run", "a.docx", word(p("one") + "<w:p><w:r><w:t>two</w:p>" + p("three")), "one two three", true},
		{"open table", "a.docx", word(p("one") + table + p("cell") + "</w:tc></w:tr>" + p("two")), "one cell two", true},
		{"open table of several cells", "a.docx", word(table + p("a") + "</w:tc><w:tc>" + p("b") + "</w:tc></w:tr>" + p("two")), "a b two", true},
		{"exchanged tags", "a.docx", word("<w:p><w:r><w:t>one</w:r></w:t></w:p>" + p("two")), "one two", true},
		{"too many end tags", "a.docx", word(p("one") + "</w:tc></w:tbl>" + p("two")), "one two", true},
		{"whole slide", "a.pptx", slides(shape("one") + shape("two")), "one two", false},
		{"open shape", "a.pptx", slides("<p:sp><p:txBody><a:p><a:r><a:t>one</a:p></p:txBody></p:sp>" + shape("two")), "one two", true},
		{"whole sheet", "a.xlsx", sheet(`<row><c><v>5</v></c><c><v>6</v></c></row>`), "5 6", false},
		{"open cell", "a.xlsx", sheet(`<row><c><v>5</c><c><v>6</v></c><c/></row><row><c><v>7</v></c></row>`), "5 6 7", true},
		{"too many end tags in a sheet", "a.xlsx", sheet(`<row><c><v>5</v></c></row></row></x></y>`), "5", true},
		{"whole text", "a.odt", text("<text:p>one</text:p><text:p>two</text:p>"), "one two", false},
		{"open paragraph", "a.odt", text("<text:p>one<text:p>two</text:p>"), "one two", true},
	} {
		var e parse.Engine
		tree, err := e.Parse(t.Context(), source(c.name, "", c.data), nil)
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		var words []string
		for n := range tree.Root.Descendants() {
			if n.Type == html.TextNode && n.Parent.Data != "h2" && n.Parent.Data != "title" {
				words = append(words, strings.Fields(n.Data)...)
			}
		}
		damaged := slices.ContainsFunc(tree.Warnings, func(w parse.Warning) bool { return strings.Contains(w.Text, "is damaged") })
		if got := strings.Join(words, " "); got != c.want || damaged != c.warn {
			t.Errorf("%s: %q with the warnings %+v, want %q and a warning: %v", c.what, got, tree.Warnings, c.want, c.warn)
		}
	}
}

// TestChecksum reads a document whose bytes are not those of its checksum.
func TestChecksum(t *testing.T) {
	whole := pack("[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
		"word/document.xml", `<w:document `+wordSpace+`><w:body><w:p><w:r><w:t>Pay 1,000</w:t></w:r></w:p></w:body></w:document>`)
	archive, err := zip.NewReader(strings.NewReader(whole), int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		content = bytes.Replace(content, []byte("1,000"), []byte("9,000"), 1)
		into, err := w.CreateRaw(&zip.FileHeader{Name: f.Name, Method: zip.Store, CRC32: f.CRC32, CompressedSize64: uint64(len(content)), UncompressedSize64: uint64(len(content))})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := into.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var e parse.Engine
	tree, err := e.Parse(t.Context(), parse.Bytes("a.docx", b.Bytes()), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(tree.Warnings, func(w parse.Warning) bool {
		return w.Text == "The part word/document.xml was not read completely, or it is damaged."
	}) {
		t.Errorf("warnings %+v", tree.Warnings)
	}
}
