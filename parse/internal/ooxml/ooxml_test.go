// SPDX-License-Identifier: Apache-2.0

package ooxml_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/test/leak"
	"example.com/curlew/internal/test/zipxmltest"
	"example.com/curlew/internal/zipxml"
	"example.com/curlew/parse/internal/ooxml"
)

func TestMain(m *testing.M) { leak.Main(m) }

func TestNumber(t *testing.T) {
	for _, c := range []struct {
		format string
		n      int
		want   string
	}{
		{"decimal", 12, "12"},
		{"unknown", 12, "12"},
		{"none", 3, ""},
		{"decimalZero", 7, "07"},
		{"decimalZero", 17, "17"},
		{"lowerLetter", 1, "a"},
		{"lowerLetter", 28, "bb"},
		{"upperLetter", 26, "Z"},
		{"lowerLetter", 0, "0"},
		{"upperLetter", 1 << 30, "1073741824"},
		{"upperRoman", 1994, "MCMXCIV"},
		{"lowerRoman", 4, "iv"},
		{"lowerRoman", -4, "-4"},
		{"upperRoman", 4000, "4000"},
		{"ordinal", 1, "1st"},
		{"ordinal", 12, "12th"},
		{"ordinal", 22, "22nd"},
		{"ordinal", 103, "103rd"},
		{"chineseCounting", 3, "三"},
		{"chineseCounting", 10, "十"},
		{"chineseCounting", 21, "二十一"},
		{"chineseCounting", 105, "一百〇五"},
		{"decimalEnclosedCircle", 3, "③"},
		{"decimalEnclosedCircle", 30, "30"},
		{"decimalFullWidth", 12, "１２"},
		{"ganada", 2, "나"},
		{"russianLower", 2, "б"},
		{"aiueo", 47, "ア"},
		{"ideographTraditional", 0, "0"},
	} {
		if got := ooxml.Number(c.format, c.n); got != c.want {
			t.Errorf("Number(%s, %d) = %q, want %q", c.format, c.n, got, c.want)
		}
	}
}

func TestDescribed(t *testing.T) {
	for _, c := range []struct{ attrs, want string }{
		{`descr="a" title="b"`, "[alt b: a]"},
		{`descr="a b" title="b"`, "[alt a b]"},
		{`descr="b" title="a b"`, "[alt a b]"},
		{`descr="a.png" title="b"`, "[alt b]"},
		{`descr="a Description automatically generated" title="b"`, "[alt b]"},
		{`descr="a Description automatically generated"`, "[alt  title a]"},
		{`name="Picture 1"`, "[alt ]"},
	} {
		e, err := zipxml.Parse(t.Context(), []byte("<a "+c.attrs+"/>"), ooxml.Words)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(ooxml.Described(e).Attrs()); got != c.want {
			t.Errorf("%s: %s, want %s", c.attrs, got, c.want)
		}
	}
}

func TestSymbol(t *testing.T) {
	for _, c := range []struct {
		font string
		r    rune
		want string
	}{
		{"Symbol", 'a', "α"},
		{"Symbol", 0xF061, "α"},
		{"symbol", 0xB7, "•"},
		{"Symbol", 0xB3, "≥"},
		{"Symbol", 0xF0E5, "∑"},
		{"Wingdings", 0xF0FC, "✓"},
		{"Wingdings", 0x01, "•"},
		{"Wingdings 2", 'R', "☑"},
		{"Webdings", 'x', "•"},
		{"Arial", 'x', "x"},
		{"Arial", 0xF078, "x"},
		{"Arial", 0xF0B7, "•"},
		{"", '字', "字"},
	} {
		if got := ooxml.Symbol(c.font, c.r); got != c.want {
			t.Errorf("Symbol(%q, %U) = %q, want %q", c.font, c.r, got, c.want)
		}
	}
}

const relations = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="a" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument" Target="/dir/main.xml"/>
<Relationship Id="b" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="../other\styles.xml#x"/>
<Relationship Id="c" Type="x/hyperlink" Target="../up.html" TargetMode="External"/>
<Relationship Id="d" Type="x/out" Target="../../../../etc/passwd"/>
</Relationships>`

func open(t *testing.T, parts ...zipxmltest.Part) *ooxml.Package {
	t.Helper()
	data := zipxmltest.Pack(parts...)
	p, err := ooxml.Open(bytes.NewReader(data), int64(len(data)), nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const noRelations = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"/>`

// TestRoots checks that a warning names parts that are not what their relationships say.
func TestRoots(t *testing.T) {
	const list = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="a" Type="x/slide" Target="right.xml"/>` +
		`<Relationship Id="b" Type="x/slide" Target="swapped.xml"/><Relationship Id="c" Type="x/slide" Target="space.xml"/><Relationship Id="d" Type="x/theme" Target="other.xml"/></Relationships>`
	p := open(t, zipxmltest.Part{Name: "_rels/.rels", Text: list},
		zipxmltest.Part{Name: "right.xml", Text: `<p:sld xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"/>`},
		zipxmltest.Part{Name: "swapped.xml", Text: `<Types/>`},
		zipxmltest.Part{Name: "space.xml", Text: `<p:sld xmlns:p="http://damaged"/>`},
		zipxmltest.Part{Name: "other.xml", Text: `<any/>`})
	for range 2 { // each is named once
		for _, r := range p.Relations(t.Context(), "").All() {
			if _, err := p.XML(t.Context(), r.Target); err != nil {
				t.Fatal(err)
			}
		}
	}
	var d doctree.Document
	p.Warn(t.Context(), &d)
	const want = "Parts that are not what their relationships say, so that text may be missing: swapped.xml, space.xml."
	if len(d.Warnings) != 1 || d.Warnings[0].Text != want {
		t.Errorf("%v, want %s", d.Warnings, want)
	}
}

// TestUnknownRelations checks that a warning names parts with text that were not read,
// because the type of the relationship that leads to them is not known or another one.
func TestUnknownRelations(t *testing.T) {
	p := open(
		t,
		zipxmltest.Part{Name: "_rels/.rels", Text: `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="a" Type="x/fotnotes" Target="notes.xml"/>` +
			`<Relationship Id="b" Type="x/heder" Target="read.xml"/><Relationship Id="c" Type="x/extension" Target="other.xml"/><Relationship Id="d" Type="x/stylesWithEffects" Target="styles.xml"/>` +
			`<Relationship Id="e" Type="x/coments" Target="comments.bin"/><Relationship Id="f" Type="x/heder" Target="empty.bin"/><Relationship Id="g" Type="x/footer" Target="footer.xml"/><Relationship Id="h" Type="x/styles" Target="second.xml"/></Relationships>`},
		zipxmltest.Part{Name: "notes.xml", Text: "\uFEFF<?xml version='1.0'?>\n<!-- a -->\n<w:footnotes\nxmlns:w='x'/>"},
		zipxmltest.Part{Name: "read.xml", Text: "<hdr/>"},
		zipxmltest.Part{Name: "other.xml", Text: "<x:sldx/>"},
		zipxmltest.Part{Name: "styles.xml", Text: "<styles/>"},
		zipxmltest.Part{Name: "comments.bin", Text: "\xF4\x04\x00"},
		zipxmltest.Part{Name: "empty.bin", Text: "<"},
		zipxmltest.Part{Name: "footer.xml", Text: "<ftr/>"}, // which no section shows
		zipxmltest.Part{Name: "second.xml", Text: "<endnotes/>"},
	)
	if _, err := p.XML(t.Context(), "read.xml"); err != nil {
		t.Fatal(err)
	}
	var d doctree.Document
	p.Warn(t.Context(), &d)
	const want = "Relationships of other or unknown types lead to these parts, which were not read: notes.xml, comments.bin, second.xml."
	if len(d.Warnings) != 1 || d.Warnings[0].Text != want {
		t.Errorf("%v, want %s", d.Warnings, want)
	}
}

// TestStrayRelations checks that a warning names the comments of a slide to which only a
// layout leads.
func TestStrayRelations(t *testing.T) {
	list := func(kind, target string) string {
		return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="a" Type="x/` + kind + `" Target="` + target + `"/></Relationships>`
	}
	for kind, want := range map[string]int{"slideLayout": 1, "slide": 0} {
		p := open(t, zipxmltest.Part{Name: "_rels/.rels", Text: list(kind, "from.xml")}, zipxmltest.Part{Name: "from.xml", Text: "<a/>"},
			zipxmltest.Part{Name: "_rels/from.xml.rels", Text: list("comments", "comments.xml")}, zipxmltest.Part{Name: "comments.xml", Text: "<p:cmLst/>"})
		var d doctree.Document
		p.Warn(t.Context(), &d)
		if len(d.Warnings) != want {
			t.Errorf("%s: %v", kind, d.Warnings)
		}
	}
}

// TestTornRelations reads relationships that end too early and checks that the
// warning names their part once.
func TestTornRelations(t *testing.T) {
	p := open(
		t,
		zipxmltest.Part{Name: "a.xml", Text: "<a/>"},
		zipxmltest.Part{Name: "_rels/.rels", Text: noRelations},
		zipxmltest.Part{Name: "_rels/a.xml.rels", Text: relations[:strings.LastIndex(relations, "<Relationship ")+20]},
		zipxmltest.Part{Name: "_rels/b.xml.rels", Text: relations},
	)
	if got := p.Relations(t.Context(), "a.xml").Part("styles"); got != "other/styles.xml" {
		t.Errorf("the relationship before the fault leads to %q", got)
	}
	for _, part := range []string{"a.xml", "b.xml", "none.xml"} {
		p.Relations(t.Context(), part)
	}
	var d doctree.Document
	p.Warn(t.Context(), &d)
	if len(d.Warnings) != 2 || d.Warnings[0].Code != "part-unreadable" || !strings.Contains(d.Warnings[0].Text, "_rels/a.xml.rels") {
		t.Errorf("warnings: %v", d.Warnings)
	}
}

// TestPartsApart checks which parts a warning names: those to which no relationship
// leads, and those that are missing or empty. The main part is found by its name.
func TestPartsApart(t *testing.T) {
	const styles = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="a" Type="x/styles" Target="STYLES.xml"/>` +
		`<Relationship Id="b" Type="x/notes" Target="/word/notes.xml"/><Relationship Id="c" Type="x/empty" Target="empty.xml"/><Relationship Id="d" Type="x/image" Target="none.png"/>` +
		`<Relationship Id="e" Type="x/link" Target="http://a.test/x.xml" TargetMode="External"/></Relationships>`
	parts := []zipxmltest.Part{
		{Name: "[Content_Types].xml", Text: "<Types/>"},
		{Name: "_rels/.rels", Text: noRelations},
		{Name: "word/document.xml", Text: "<a/>"},
		{Name: "word/styles.xml", Text: "<a/>"},
		{Name: "word/empty.xml"},
		{Name: "docProps/core.xml", Text: "<a/>"},
		{Name: "customXml/item1.xml", Text: "<a/>"},
		{Name: "word/media/a.png", Text: "x"},
	}
	for _, tt := range []struct{ relations, want string }{
		{styles, "Relationships lead to these parts, which are missing or empty: word/notes.xml, word/empty.xml."},
		{"", "No relationship leads to these parts, which were not read: word/styles.xml, word/empty.xml."},
	} {
		all := parts
		if tt.relations != "" {
			all = append(slices.Clone(parts), zipxmltest.Part{Name: "word/_rels/document.xml.rels", Text: tt.relations})
		}
		p := open(t, all...)
		if _, err := p.Main(t.Context(), "word/document.xml"); err != nil {
			t.Fatal(err)
		}
		var d doctree.Document
		p.Warn(t.Context(), &d)
		if len(d.Warnings) != 1 || d.Warnings[0].Text != tt.want {
			t.Errorf("warnings %v, want %s", d.Warnings, tt.want)
		}
	}
}

func TestRelations(t *testing.T) {
	p := open(
		t,
		zipxmltest.Part{Name: "_rels/.rels", Text: relations},
		zipxmltest.Part{Name: "dir/main.xml", Text: "<a/>"},
		zipxmltest.Part{Name: "dir/_rels/main.xml.rels", Text: relations},
		zipxmltest.Part{Name: "[Content_Types].xml", Text: `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="XML" ContentType="x/xml"/><Override PartName="/dir/main.xml" ContentType="x/main"/></Types>`},
	)
	main, err := p.Main(t.Context())
	if main != "dir/main.xml" || err != nil {
		t.Errorf("Main = %q, %v", main, err)
	}
	r := p.Relations(t.Context(), main)
	for id, want := range map[string]string{"b": "other/styles.xml", "c": "../up.html", "d": "etc/passwd", "none": "", "": ""} {
		if got := r.Get(id).Target; got != want {
			t.Errorf("relation %q leads to %q, want %q", id, got, want)
		}
	}
	if got := r.Part("styles"); got != "other/styles.xml" {
		t.Errorf("Part = %q", got)
	}
	if got := r.Part("hyperlink"); got != "" {
		t.Errorf("a part outside: %q", got)
	}
	for part, want := range map[string]string{"dir/main.xml": "x/main", "other.xml": "x/xml", "a.bin": ""} {
		if got := p.ContentType(t.Context(), part); got != want {
			t.Errorf("ContentType(%q) = %q, want %q", part, got, want)
		}
	}
}

func TestSource(t *testing.T) {
	for _, c := range []struct {
		r    ooxml.Relation
		want string
	}{
		{ooxml.Relation{Target: "https://example.com/a.png", External: true}, "https://example.com/a.png"},
		{ooxml.Relation{Target: "HTTP://example.com/a.png", External: true}, "HTTP://example.com/a.png"},
		{ooxml.Relation{Target: "file:///C:/Users/ann/a.png", External: true}, ""},
		{ooxml.Relation{Target: `C:\Users\ann\a.png`, External: true}, ""},
		{ooxml.Relation{Target: "word/media/a.png"}, ""},
	} {
		if got := c.r.Source(); got != c.want {
			t.Errorf("Source of %q: %q, want %q", c.r.Target, got, c.want)
		}
	}
}

func TestMainMissing(t *testing.T) {
	p := open(t, zipxmltest.Part{Name: "x"}, zipxmltest.Part{Name: "word/document.xml"})
	if _, err := p.Main(t.Context()); !errors.Is(err, zipxml.ErrMalformed) {
		t.Errorf("Main = %v", err)
	}
	if main, err := p.Main(t.Context(), "a", "word/document.xml"); main != "word/document.xml" || err != nil {
		t.Errorf("Main = %q, %v", main, err)
	}
}

func TestAlternative(t *testing.T) {
	const mc = `xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"`
	for _, c := range []struct{ in, want string }{
		{`<mc:Choice Requires="wps">new</mc:Choice><mc:Fallback>old</mc:Fallback>`, "new"},
		{`<mc:Choice Requires="wps am3d">new</mc:Choice><mc:Fallback>old</mc:Fallback>`, "old"},
		{`<mc:Choice Requires="zz">first</mc:Choice><mc:Choice Requires="a14">second</mc:Choice><mc:Fallback>old</mc:Fallback>`, "second"},
		{`<mc:Choice Requires="zz">only</mc:Choice>`, "only"},
		{`<mc:Fallback>old</mc:Fallback>`, "old"},
		{``, ""},
	} {
		root, err := zipxml.Parse(t.Context(), []byte(`<mc:AlternateContent `+mc+`>`+c.in+`</mc:AlternateContent>`), ooxml.Words)
		if err != nil {
			t.Fatal(err)
		}
		if got := ooxml.Alternative(root).Content(); got != c.want {
			t.Errorf("Alternative(%s) = %q, want %q", c.in, got, c.want)
		}
	}
}
