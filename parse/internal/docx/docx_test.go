// SPDX-License-Identifier: Apache-2.0

package docx_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
	"example.com/curlew/parse/internal/docx"
)

func TestMain(m *testing.M) { leak.Main(m) }

// Namespaces of the two conformance classes.
const (
	transitional = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" ` +
		`xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" ` +
		`xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" ` +
		`xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ` +
		`xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" ` +
		`xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" ` +
		`xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture" ` +
		`xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" ` + others
	strict = `xmlns:w="http://purl.oclc.org/ooxml/wordprocessingml/main" ` +
		`xmlns:r="http://purl.oclc.org/ooxml/officeDocument/relationships" ` +
		`xmlns:m="http://purl.oclc.org/ooxml/officeDocument/math" ` +
		`xmlns:a="http://purl.oclc.org/ooxml/drawingml/main" ` +
		`xmlns:c="http://purl.oclc.org/ooxml/drawingml/chart" ` +
		`xmlns:dgm="http://purl.oclc.org/ooxml/drawingml/diagram" ` +
		`xmlns:pic="http://purl.oclc.org/ooxml/drawingml/picture" ` +
		`xmlns:wp="http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing" ` + others
	others = `xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" ` +
		`xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml" ` +
		`xmlns:w15="http://schemas.microsoft.com/office/word/2012/wordml" ` +
		`xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" ` +
		`xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office"`
)

const (
	officeRels  = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	packageRels = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">%s</Relationships>`
)

// build returns a document made of sections. The section "body" is its content.
// The sections "styles", "numbering", "footnotes", "endnotes", "comments" and
// "commentsExtended" are the contents of these parts. "core" and "app" are the
// parts with its properties. "rels" has further relationships. A section with
// another name is the part of that name.
func build(sections []zipxmltest.Part, space string) []byte {
	rels, parts, core := "", []zipxmltest.Part(nil), ""
	for _, s := range sections {
		wrap := func(tag string) string { return "<w:" + tag + " " + space + ">" + s.Text + "</w:" + tag + ">" }
		add := func(tag string) {
			rels += fmt.Sprintf(`<Relationship Id="%s" Type="%s" Target="%s.xml"/>`, s.Name, officeRels+s.Name, s.Name)
			parts = append(parts, zipxmltest.Part{Name: "word/" + s.Name + ".xml", Text: strings.ReplaceAll(wrap(tag), "w:w15", "w15")})
		}
		switch s.Name {
		case "body":
			parts = append(parts, zipxmltest.Part{Name: "word/document.xml", Text: `<?xml version="1.0"?>` + strings.Replace(wrap("document"), s.Text, "<w:body>"+s.Text+"</w:body>", 1)})
		case "styles", "numbering", "footnotes", "endnotes", "comments":
			add(s.Name)
		case "commentsExtended":
			add("w15:commentsEx")
		case "rels":
			rels += s.Text
		case "core":
			core += `<Relationship Id="c" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties" Target="core.xml"/>`
			parts = append(parts, zipxmltest.Part{Name: "core.xml", Text: s.Text})
		case "app":
			core += `<Relationship Id="a" Type="` + officeRels + `extended-properties" Target="app.xml"/>`
			parts = append(parts, zipxmltest.Part{Name: "app.xml", Text: `<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties">` + s.Text + `</Properties>`})
		default:
			parts = append(parts, zipxmltest.Part{Name: s.Name, Text: strings.ReplaceAll(s.Text, "SPACE", space)})
		}
	}
	main := `<Relationship Id="m" Type="` + officeRels + `officeDocument" Target="word/document.xml"/>`
	return zipxmltest.Pack(append([]zipxmltest.Part{
		{Name: "[Content_Types].xml", Text: `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="html" ContentType="text/html"/></Types>`},
		{Name: "_rels/.rels", Text: fmt.Sprintf(packageRels, main+core)},
		{Name: "word/_rels/document.xml.rels", Text: fmt.Sprintf(packageRels, rels)},
	}, parts...)...)
}

func read(t testing.TB, data []byte, o docx.Options) *doctree.Document {
	t.Helper()
	d, err := docx.Read(t.Context(), bytes.NewReader(data), int64(len(data)), o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestGolden reads the documents that the files of testdata describe. A
// Strict document must give the same tree as a Transitional one.
func TestGolden(t *testing.T) {
	for p, text := range doctreetest.Cases(t, "testdata/*.txt") {
		t.Run(filepath.Base(p), func(t *testing.T) {
			sections := zipxmltest.Sections(text)
			var o docx.Options
			switch {
			case strings.HasSuffix(p, "-reject.txt"):
				o.Changes = docx.Reject
			case strings.HasSuffix(p, "-mark.txt"):
				o.Changes = docx.Mark
			}
			o.Child = func(_ context.Context, name, contentType string, data []byte, _ int) *html.Node {
				n := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
				n.AppendChild(&html.Node{Type: html.TextNode, Data: fmt.Sprintf("%s (%s): %s", name, contentType, data)})
				return n
			}
			got := doctreetest.Show(t, read(t, build(sections, transitional), o))
			golden.Check(t, strings.TrimSuffix(p, ".txt")+".html", []byte(got))
			if again := doctreetest.Show(t, read(t, build(sections, strict), o)); again != got {
				t.Errorf("as a Strict document:\n%s", again)
			}
		})
	}
}

func TestMeta(t *testing.T) {
	core := `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">
<dc:title> A  title </dc:title><dc:creator>Ann</dc:creator><dc:subject>S</dc:subject><cp:keywords>k, l</cp:keywords><dc:language>fr-CA</dc:language>
<dcterms:created>2024-02-03T04:05:06Z</dcterms:created><dcterms:modified>2025-01-01T00:00:00Z</dcterms:modified></cp:coreProperties>`
	app := `<Application>Word</Application><Pages> 12 </Pages>`
	d := read(t, build([]zipxmltest.Part{{Name: "body", Text: `<w:p/>`}, {Name: "core", Text: core}, {Name: "app", Text: app}}, transitional), docx.Options{})
	want := doctree.Meta{
		Title: "A title", Author: "Ann", Subject: "S", Keywords: "k, l", Language: "fr-CA",
		Pages: 12, TotalPages: 12,
		Created: time.Date(2024, 2, 3, 4, 5, 6, 0, time.UTC), Modified: time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	if d.Meta != want {
		t.Errorf("Meta = %+v, want %+v", d.Meta, want)
	}
}

// TestPages reads invalid page counts.
func TestPages(t *testing.T) {
	for _, text := range []string{"", "<Pages/>", "<Pages>-1</Pages>", "<Pages>many</Pages>", "<Pages>99999999999999</Pages>", "<Pages>1e3</Pages>"} {
		d := read(t, build([]zipxmltest.Part{{Name: "body", Text: `<w:p/>`}, {Name: "app", Text: text}}, transitional), docx.Options{})
		if d.Meta.Pages != 0 || d.Meta.TotalPages != 0 {
			t.Errorf("%s: %d of %d pages", text, d.Meta.Pages, d.Meta.TotalPages)
		}
	}
}

func TestErrors(t *testing.T) {
	body := func(s string) []zipxmltest.Part { return []zipxmltest.Part{{Name: "body", Text: s}} }
	for _, c := range []struct {
		what string
		data []byte
		want error
	}{
		{"no container", []byte("PK nothing"), zipxml.ErrMalformed},
		{"no main part", zipxmltest.Pack(zipxmltest.Part{Name: "a", Text: "b"}), zipxml.ErrMalformed},
		{"no XML", zipxmltest.Pack(zipxmltest.Part{Name: "word/document.xml", Text: "text"}), nil},
		{"empty part", zipxmltest.Pack(zipxmltest.Part{Name: "word/document.xml"}), zipxml.ErrMalformed},
		{"bomb", build(body("<w:p>"+strings.Repeat(" ", 40<<20)+"</w:p>"), transitional), zipxml.ErrLimit},
		{"nested XML", build(body(strings.Repeat("<w:p>", 5000)), transitional), zipxml.ErrLimit},
		{"many attributes", build(body("<w:p "+strings.Repeat("a='b' ", 5000)+"/>"), transitional), zipxml.ErrLimit},
	} {
		_, err := docx.Read(t.Context(), bytes.NewReader(c.data), int64(len(c.data)), docx.Options{})
		if !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", c.what, err, c.want)
		}
	}
	ctx, stop := context.WithCancelCause(t.Context())
	stop(os.ErrDeadlineExceeded)
	data := build(body("<w:p/>"), transitional)
	if _, err := docx.Read(ctx, bytes.NewReader(data), int64(len(data)), docx.Options{}); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("after its context a document gives %v", err)
	}
}

// TestPartial reads documents that are truncated or exceed a limit. The rest
// is left out, with a warning.
func TestPartial(t *testing.T) {
	table := "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc><w:tc>"
	for _, c := range []struct {
		what, body, code, text string
		o                      docx.Options
	}{
		{"torn", "", "part-unreadable", "one", docx.Options{}},
		{"tables in tables", strings.Repeat(table, 40) + "<w:p/>" + strings.Repeat("</w:tc></w:tr></w:tbl>", 40), "truncated: The document is nested too deeply: 28 paragraphs, 28 characters in all, were left out.", "x", docx.Options{}},
		{"parts of a line in each other", "<w:p><w:r><w:t>near</w:t></w:r>" + strings.Repeat("<w:smartTag>", 40) + "<w:r><w:t>far</w:t></w:r>" + strings.Repeat("</w:smartTag>", 40) + "</w:p>", "truncated: The document is nested too deeply: 1 paragraph, 3 characters in all, was left out.", "near", docx.Options{}},
		{"too many nodes", strings.Repeat("<w:p><w:r><w:t>one</w:t></w:r></w:p>", 100), "truncated", "one", docx.Options{Nodes: 50}},
		{"no reader for a chunk", `<w:p><w:r><w:t>one</w:t></w:r></w:p><w:altChunk r:id="h"/>`, "part-unreadable", "one", docx.Options{}},
	} {
		sections := []zipxmltest.Part{
			{Name: "body", Text: c.body},
			{Name: "word/a.html", Text: "<p>"},
			{Name: "rels", Text: `<Relationship Id="h" Type="x/aFChunk" Target="a.html"/>`},
		}
		if c.what == "torn" {
			sections[0] = zipxmltest.Part{Name: "word/document.xml", Text: "<w:document SPACE><w:body><w:p><w:r><w:t>one</w:t></w:r></w:p><w:p><w:r><w:t>two"}
		}
		got := doctreetest.Show(t, read(t, build(sections, transitional), c.o))
		if !strings.Contains(got, "<!-- "+c.code) || !strings.Contains(got, c.text) {
			t.Errorf("%s: %.300s\nwant %s and %q", c.what, got, c.code, c.text)
		}
	}
}

// TestCut counts the paragraphs and table rows that are left out because the tree
// is full.
func TestCut(t *testing.T) {
	one := "<w:p><w:r><w:t>one</w:t></w:r></w:p>"
	row := "<w:tr><w:tc>" + one + "</w:tc><w:tc>" + one + "</w:tc></w:tr>"
	choice := "<mc:AlternateContent><mc:Choice Requires=\"wps\">" + one + "</mc:Choice><mc:Fallback>" + one + "</mc:Fallback></mc:AlternateContent>"
	sections := []zipxmltest.Part{{Name: "body", Text: strings.Repeat(one, 100) + choice}}
	doctreetest.CheckCut(t, read(t, build(sections, transitional), docx.Options{Nodes: 50}), 101)
	sections[0].Text = one + "<w:tbl>" + strings.Repeat(row, 50) + "</w:tbl>"
	d := read(t, build(sections, transitional), docx.Options{Nodes: 50})
	got := d.Warnings[len(d.Warnings)-1].Text
	if !strings.Contains(got, "rows of tables and ") || !strings.Contains(got, "paragraphs") {
		t.Errorf("a table that was cut gives %q", got)
	}
}

// TestCheckBoxes reads check boxes that have more than their symbol.
func TestCheckBoxes(t *testing.T) {
	box := func(content string) string {
		return `<w:sdt><w:sdtPr><w14:checkbox><w14:checked w14:val="1"/></w14:checkbox></w:sdtPr><w:sdtContent>` + content + `</w:sdtContent></w:sdt>`
	}
	run := func(text string) string { return "<w:r><w:t>" + text + "</w:t></w:r>" }
	d := read(t, build([]zipxmltest.Part{{Name: "body", Text: box("<w:p>"+run("☒")+"</w:p>") + box("<w:p>"+run("☒ Agreed")+"</w:p>") + "<w:p>" + box(run("☒")) + run("plain") + "</w:p><w:p>" + box(run("☒ Signed")) + "</w:p>"}}, transitional), docx.Options{})
	got := doctreetest.Show(t, d)
	for text, n := range map[string]int{"checked": 4, "☒": 2, "Agreed": 1, "Signed": 1, "plain": 1} {
		if strings.Count(got, text) != n {
			t.Errorf("%q is not there %d times:\n%s", text, n, got)
		}
	}
}

// TestWhite reads texts in white. Only on the page itself nobody sees them.
func TestWhite(t *testing.T) {
	const white = `<w:color w:val="FFFFFF"/>`
	run := func(properties string) string {
		return "<w:r><w:rPr>" + white + properties + "</w:rPr><w:t>text</w:t></w:r>"
	}
	shade := func(attributes string) string { return "<w:pPr><w:shd " + attributes + "/></w:pPr>" }
	styles := zipxmltest.Part{Name: "styles", Text: `<w:style w:type="paragraph" w:styleId="A"><w:name w:val="A"/>` + shade(`w:val="clear" w:fill="000080"`) + `</w:style><w:style w:type="paragraph" w:styleId="B"><w:name w:val="B"/><w:basedOn w:val="A"/></w:style>`}
	const box = `<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wps:txbx><w:txbxContent>%s</w:txbxContent></wps:txbx></w:drawing></mc:Choice></mc:AlternateContent></w:r>`
	for _, c := range []struct {
		what, body string
		more       []zipxmltest.Part
		shown      bool
	}{
		{"on the page", "<w:p>" + run("") + "</w:p>", nil, false},
		{"on white", "<w:p>" + shade(`w:val="clear" w:fill="ffffff"`) + run("") + "</w:p>", nil, false},
		{"on a coloured paragraph", "<w:p>" + shade(`w:fill="000080"`) + run("") + "</w:p>", nil, true},
		{"on a pattern", "<w:p>" + shade(`w:val="solid" w:color="000000" w:fill="FFFFFF"`) + run("") + "</w:p>", nil, true},
		{"in a style with a colour", `<w:p><w:pPr><w:pStyle w:val="B"/></w:pPr>` + run("") + "</w:p>", []zipxmltest.Part{styles}, true},
		{"highlighted", "<w:p>" + run(`<w:highlight w:val="black"/>`) + "</w:p>", nil, true},
		{"in a table", "<w:tbl><w:tr><w:tc><w:p>" + run("") + "</w:p></w:tc></w:tr></w:tbl>", nil, true},
		{"in a larger table", "<w:tbl>" + strings.Repeat("<w:tr><w:tc><w:p>"+run("")+"</w:p></w:tc></w:tr>", 2) + "</w:tbl>", nil, true},
		{"in a text box", "<w:p>" + fmt.Sprintf(box, "<w:p>"+run("")+"</w:p>") + "</w:p>", nil, true},
		{"on a picture", `<w:p><w:r><w:drawing><wp:anchor behindDoc="1"/></w:drawing></w:r>` + run("") + "</w:p>", nil, true},
		{"on a picture of the header", "<w:p>" + run("") + "</w:p>", []zipxmltest.Part{{Name: "rels", Text: `<Relationship Id="h" Type="` + officeRels + `header" Target="h.xml"/>`}, {Name: "word/h.xml", Text: `<w:hdr SPACE><w:p><w:r><w:drawing><wp:anchor behindDoc="1"/></w:drawing></w:r></w:p></w:hdr>`}}, true},
	} {
		d := read(t, build(append([]zipxmltest.Part{{Name: "body", Text: c.body}}, c.more...), transitional), docx.Options{})
		if got := strings.Contains(doctreetest.Show(t, d), "text<"); got != c.shown || len(d.Warnings) > 0 == c.shown {
			t.Errorf("%s: shown: %v, warnings %v", c.what, got, d.Warnings)
		}
	}
}

// TestUnknownNamespace says that a document without a body may have text.
func TestUnknownNamespace(t *testing.T) {
	d := read(t, zipxmltest.Pack(zipxmltest.Part{Name: "word/document.xml", Text: `<w:document xmlns:w="http://schemas.example.com/main"><w:body><w:p><w:r><w:t>lost</w:t></w:r></w:p></w:body></w:document>`}), docx.Options{})
	if got := doctreetest.Show(t, d); !strings.Contains(got, "The part word/document.xml has no body, or its XML namespace is unknown.") {
		t.Error(got)
	}
}

// TestRunning reads the headers of all sections, each text once. It leaves out
// headers that the document does not show.
func TestRunning(t *testing.T) {
	part := func(name, text string) zipxmltest.Part {
		return zipxmltest.Part{Name: "word/" + name + ".xml", Text: `<w:hdr SPACE><w:p><w:r><w:t>` + text + `</w:t></w:r></w:p></w:hdr>`}
	}
	section := func(rest string, ids ...string) string {
		for _, id := range ids {
			kind, _, _ := strings.Cut(id, "-")
			rest = `<w:headerReference w:type="` + kind + `" r:id="` + id + `"/>` + rest
		}
		return "<w:sectPr>" + rest + "</w:sectPr>"
	}
	one := "<w:p><w:r><w:t>one</w:t></w:r></w:p>"
	var rels strings.Builder
	parts := []zipxmltest.Part{{Name: "body", Text: "<w:p><w:pPr>" + section("", "default-1", "first-1", "even-1") + "</w:pPr></w:p>" + strings.Repeat(one, 50) +
		"<w:p><w:pPr>" + section("<w:titlePg/>", "default-2", "first-2") + "</w:pPr></w:p>" + strings.Repeat(one, 50) + section("", "default-3", "default-2")}}
	for _, id := range []string{"default-1", "first-1", "even-1", "default-2", "first-2", "default-3"} {
		text := id
		if id == "default-3" {
			text = "default-1"
		}
		rels.WriteString(`<Relationship Id="` + id + `" Type="` + officeRels + `header" Target="` + id + `.xml"/>`)
		parts = append(parts, part(id, text))
	}
	parts = append(parts, zipxmltest.Part{Name: "rels", Text: rels.String()})
	d := read(t, build(parts, transitional), docx.Options{})
	var got []string
	for n := range d.Root.Descendants() {
		if n.DataAtom == atom.Header {
			got = append(got, n.FirstChild.FirstChild.Data)
		}
	}
	if want := "default-1 first-2 default-2"; strings.Join(got, " ") != want {
		t.Errorf("headers %q, want %q", got, want)
	}
}

// TestThreads reads comments without a reference in the text. Each reply
// occurs once, below the comment that began its thread.
func TestThreads(t *testing.T) {
	for _, c := range []struct{ what, answers, want string }{
		{"alone", "", "a b c"},
		{"no paragraphs of that id", "1>7 7>1", "a b c"},
		{"two answers", "2>1 3>1", "a(b c)"},
		{"an answer to an answer", "2>1 3>2", "a(b c)"},
		{"to itself", "1>1", "a b c"},
		{"to each other", "1>2 2>1 3>1", "a b c"},
	} {
		comments, answers := "", ""
		for i, text := range []string{"a", "b", "c"} {
			comments += fmt.Sprintf(`<w:comment w:id="%d"><w:p w14:paraId="%d"><w:r><w:t>%s</w:t></w:r></w:p></w:comment>`, i, i+1, text)
		}
		for pair := range strings.FieldsSeq(c.answers) {
			id, parent, _ := strings.Cut(pair, ">")
			answers += fmt.Sprintf(`<w15:commentEx w15:paraId="%s" w15:paraIdParent="%s"/>`, id, parent)
		}
		d := read(t, build([]zipxmltest.Part{
			{Name: "body", Text: "<w:p/>"}, {Name: "comments", Text: comments}, {Name: "commentsExtended", Text: answers},
		}, transitional), docx.Options{})
		var got []string
		for n := range d.Root.Descendants() {
			if n.DataAtom != atom.Li || n.Parent.DataAtom != atom.Ol {
				continue
			}
			said, replies := "", []string(nil)
			for c := range n.Descendants() {
				switch {
				case c.Type != html.TextNode:
				case c.Parent == n:
					said += c.Data
				default:
					replies = append(replies, c.Data)
				}
			}
			if replies != nil {
				said += "(" + strings.Join(replies, " ") + ")"
			}
			got = append(got, said)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %s, want %s", c.what, s, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range doctreetest.Cases(f, "testdata/*.txt") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		data := build(zipxmltest.Sections(text), transitional)
		d, err := docx.Read(t.Context(), bytes.NewReader(data), int64(len(data)), docx.Options{Changes: docx.Mark, Nodes: 5000})
		if err != nil {
			return
		}
		_ = doctreetest.Show(t, d)
		depth := 0
		for n := range d.Root.Descendants() {
			up := 0
			for p := n.Parent; p != nil; p = p.Parent {
				up++
			}
			depth = max(depth, up)
		}
		if depth > 256 {
			t.Errorf("the tree is %d deep", depth)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	paths, _ := filepath.Glob(golden.Root("..", "shared", "corpora", "office-dev", "docx", "*.docx"))
	if len(paths) == 0 {
		b.Skip("no corpus office-dev")
	}
	var files [][]byte
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			b.Fatal(err)
		}
		files = append(files, data)
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, data := range files {
			read(b, data, docx.Options{})
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(files)), "µs/file")
}
