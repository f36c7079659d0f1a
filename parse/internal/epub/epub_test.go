// SPDX-License-Identifier: Apache-2.0

package epub_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"golang.org/x/net/html"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/test/doctreetest"
	"example.com/curlew/internal/test/golden"
	"example.com/curlew/internal/test/leak"
	"example.com/curlew/internal/test/zipxmltest"
	"example.com/curlew/internal/zipxml"
	"example.com/curlew/parse/internal/epub"
)

func TestMain(m *testing.M) { leak.Main(m) }

const (
	container = `<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="book/content.opf"/></rootfiles></container>`
	opfSpace  = `xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"`
)

// build returns a book made of sections. "metadata" is the metadata of the
// package. Other names are files of the book; pages are in spine order.
func build(sections []zipxmltest.Part) []byte {
	parts := []zipxmltest.Part{{Name: "mimetype", Text: "application/epub+zip"}, {Name: "META-INF/container.xml", Text: container}}
	metadata, manifest, spine := "", "", ""
	for _, s := range sections {
		if s.Name == "metadata" {
			metadata = s.Text
			continue
		}
		if strings.HasPrefix(s.Name, "META-INF/") {
			parts = append(parts, s)
			continue
		}
		media, properties := "application/xhtml+xml", ""
		switch {
		case strings.HasSuffix(s.Name, ".ncx"):
			media = "application/x-dtbncx+xml"
		case strings.HasSuffix(s.Name, ".css"):
			media = "text/css"
		case strings.HasPrefix(s.Name, "nav"):
			properties = `properties="nav"`
		default:
			spine += `<itemref idref="` + s.Name + `"/>`
		}
		manifest += `<item id="` + s.Name + `" href="` + strings.ReplaceAll(s.Name, " ", "%20") + `" media-type="` + media + `" ` + properties + `/>`
		parts = append(parts, zipxmltest.Part{Name: "book/" + s.Name, Text: s.Text})
	}
	opf := `<?xml version="1.0"?><package ` + opfSpace + `><metadata>` + metadata + `</metadata><manifest>` + manifest + `</manifest><spine>` + spine + `</spine></package>`
	return zipxmltest.Pack(append(parts, zipxmltest.Part{Name: "book/content.opf", Text: opf})...)
}

func read(t testing.TB, data []byte, nodes int) *doctree.Document {
	t.Helper()
	d, err := epub.Read(t.Context(), bytes.NewReader(data), int64(len(data)), epub.Options{Nodes: nodes})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestGolden(t *testing.T) {
	for p, text := range doctreetest.Cases(t, "testdata/*.txt") {
		t.Run(filepath.Base(p), func(t *testing.T) {
			got := doctreetest.Show(t, read(t, build(zipxmltest.Sections(text)), 0))
			golden.Check(t, strings.TrimSuffix(p, ".txt")+".html", []byte(got))
		})
	}
}

func TestMeta(t *testing.T) {
	d := read(t, build([]zipxmltest.Part{{Name: "a.xhtml", Text: "<p>x"}, {Name: "metadata", Text: `<dc:title>T</dc:title><dc:title>Second</dc:title><dc:creator opf:role="aut">Ann</dc:creator><dc:creator>Bob</dc:creator><dc:creator opf:role="trl">Carla</dc:creator><dc:creator id="d">Dora</dc:creator><meta refines="#d" property="role">ill</meta>
<dc:subject>k</dc:subject><dc:subject>l</dc:subject><dc:language>en-GB</dc:language><dc:date>1901</dc:date><dc:description>D</dc:description><meta property="dcterms:modified">2024-01-02T03:04:05Z</meta>`}}), 0)
	want := doctree.Meta{
		Title: "T", Author: "Ann, Bob", Keywords: "k, l", Description: "D", Language: "en-GB",
		Created: time.Date(1901, 1, 1, 0, 0, 0, 0, time.UTC), Modified: time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC),
	}
	if d.Meta != want {
		t.Errorf("Meta = %+v, want %+v", d.Meta, want)
	}
}

// TestSpine reads books whose spine has more than the pages that can be read. What is left out
// is said.
func TestSpine(t *testing.T) {
	book := func(manifest, spine string) *doctree.Document {
		opf := `<package ` + opfSpace + `><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>` + manifest + `</manifest><spine><itemref idref="a"/>` + spine
		return read(t, zipxmltest.Pack(zipxmltest.Part{Name: "META-INF/container.xml", Text: container}, zipxmltest.Part{Name: "book/a.xhtml", Text: "<html><body><p>x</p></body></html>"},
			zipxmltest.Part{Name: "book/c.xhtml", Text: "<html><body><nav><p>y</p></nav></body></html>"}, zipxmltest.Part{Name: "book/d.xhtml", Text: "<html><body><p>z</p></body></html>"}, zipxmltest.Part{Name: "book/content.opf", Text: opf}), 0)
	}
	const end = `</spine></package>`
	many := strings.Repeat(`<itemref idref="b"/>`, 3)
	for name, c := range map[string]struct{ manifest, spine, want string }{
		"whole":         {"", end, ""},
		"a picture":     {`<item id="b" href="b.svg" media-type="image/svg+xml"/>`, `<itemref idref="b"/>` + end, "that it does not have were not read: 1 (book/b.svg)."},
		"a fallback":    {`<item id="b" href="b.svg" media-type="image/svg+xml" fallback="e"/><item id="e" href="e.xyz" media-type="text/plain" fallback="c"/><item id="c" href="c.xhtml" media-type="application/xhtml+xml"/>`, `<itemref idref="b"/>` + end, ""},
		"a circle":      {`<item id="b" href="b.svg" media-type="image/svg+xml" fallback="b"/>`, `<itemref idref="b"/>` + end, "that it does not have were not read: 1 (book/b.svg)."},
		"no such item":  {"", many + end, "that it does not have were not read: 3 (b, b, b)."},
		"a page apart":  {`<item id="c" href="c.xhtml" media-type="application/xhtml+xml"/>`, `<itemxef idref="c"/>` + end, "lacks were not read: 1 (book/c.xhtml)."},
		"navigation":    {`<item id="c" href="c.xhtml" media-type="application/xhtml+xml" properties="nav"/>`, end, ""},
		"no navigation": {`<item id="d" href="d.xhtml" media-type="application/xhtml+xml" properties="nav"/>`, end, "lacks were not read: 1 (book/d.xhtml)."},
		"a broken list": {"", "", "The part book/content.opf was not read completely, or it is damaged."},
	} {
		var said []string
		for _, w := range book(c.manifest, c.spine).Warnings {
			said = append(said, w.Text)
		}
		if c.want == "" && said != nil || !strings.HasSuffix(strings.Join(said, " "), c.want) {
			t.Errorf("%s: warnings %q, want %q", name, said, c.want)
		}
	}
}

// TestWide reads a chapter in UTF-16.
func TestWide(t *testing.T) {
	var b []byte
	for _, u := range utf16.Encode([]rune("\uFEFF<?xml version='1.0' encoding='UTF-16'?><html><head><title/></head><body><p>Grüße<br/>x</p></body></html>")) {
		b = append(b, byte(u), byte(u>>8))
	}
	d := read(t, build([]zipxmltest.Part{{Name: "a.xhtml", Text: string(b)}}), 0)
	if got := doctreetest.Show(t, d); !strings.Contains(got, "<p>Grüße<br/>x</p>") || d.Warnings != nil {
		t.Errorf("%s\nwarnings: %v", got, d.Warnings)
	}
}

// TestTitles reads chapters without headings, which get titles from the
// navigation.
func TestTitles(t *testing.T) {
	for _, c := range []struct{ chapter, want string }{
		{"<p>Text</p>", "<h2>The title</h2><p>Text</p>"},
		{"<div><p>The\n<b>title</b></p></div><p>Text</p>", "<div><h2>The\n<b>title</b></h2></div><p>Text</p>"},
		{"<p>Text</p><p>The title</p>", "<h2>The title</h2><p>Text</p><p>The title</p>"},
		{"<p><img alt='a cover'></p>", `<h2>The title</h2><p><img alt="a cover"/></p>`},
		{"<section><p> </p></section>", "<section><p> </p></section>"},
		{"<h3>Its own</h3>", "<h3>Its own</h3>"},
	} {
		d := read(t, build([]zipxmltest.Part{
			{Name: "a.xhtml", Text: "<body>" + c.chapter + "</body>"},
			{Name: "nav.xhtml", Text: `<nav epub:type="page-list"><a href="a.xhtml#p7">7</a></nav><nav epub:type="toc"><a href="a.xhtml">The title</a></nav>`},
		}), 0)
		var b strings.Builder
		if err := html.Render(&b, d.Root); err != nil {
			t.Fatal(err)
		}
		if _, got, _ := strings.Cut(b.String(), `<section id="c1">`); got != c.want+"</section></body></html>" {
			t.Errorf("%s = %s, want %s", c.chapter, got, c.want)
		}
	}
}

// TestEmptyElements reads empty elements in the short form that XHTML allows
// and HTML does not.
func TestEmptyElements(t *testing.T) {
	for in, want := range map[string]string{
		`<title/><p><a id="x"/>text</p>`:                                         `<p><a id="c1-x"></a>text</p>`,
		`<div/><p>a<br/>b</p>`:                                                   `<div></div><p>a<br/>b</p>`,
		`<script src="a"/><p>x</p>`:                                              `<p>x</p>`,
		`<p title="/>">x</p>`:                                                    `<p title="/&gt;">x</p>`,
		`<!-- <a/> --><p>1 < 2 /> 3</p>`:                                         `<p>1 &lt; 2 /&gt; 3</p>`,
		`<p>&nbsp;&eacute;&#8212;</p>`:                                           "<p>\u00a0é—</p>",
		`<img src="a.png" alt="A"/><img src="http://e.org/a.png"/>`:              `<img alt="A"/><img src="http://e.org/a.png"/>`,
		`<p onclick="x()" style="color:red">x</p>`:                               `<p>x</p>`,
		`<p style="Display : none !important">x</p><p>y</p>`:                     `<p>y</p>`,
		`<p>a<i style="visibility:hidden">x</i>b</p>`:                            `<p>ab</p>`,
		`<p><ruby>漢<rt>かん</rt></ruby></p>`:                                       `<p><ruby>漢<rt>(かん)</rt></ruby></p>`,
		`<table><tr><td style="color:red;text-align: right">1</td></tr></table>`: `<table><tbody><tr><td align="right">1</td></tr></tbody></table>`,
	} {
		got := doctreetest.Show(t, read(t, build([]zipxmltest.Part{{Name: "a.xhtml", Text: `<?xml version="1.0"?><html><head/><body>` + in + `</body></html>`}}), 0))
		got = strings.ReplaceAll(strings.TrimSuffix(got[strings.Index(got, `<section id="c1">`)+17:], "</section></body></html>\n"), "\n", "")
		if got != want {
			t.Errorf("%s = %s, want %s", in, got, want)
		}
	}
}

// TestSwitch reads one of several alternatives, and names with prefixes.
func TestSwitch(t *testing.T) {
	const (
		head   = `<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><body>`
		unread = `<epub:case required-namespace="http://www.example.com/music"><p>notes</p></epub:case>`
		maths  = `<epub:case required-namespace="http://www.w3.org/1998/Math/MathML"><m:math xmlns:m="http://www.w3.org/1998/Math/MathML"><m:mi>x</m:mi><m:mo>=</m:mo><m:mn>2</m:mn></m:math></epub:case>`
		other  = `<epub:default><p>a picture</p></epub:default>`
	)
	for _, c := range []struct{ what, page, want string }{
		{"unknown names", head + `<epub:switch>` + unread + other + `</epub:switch></body></html>`, "a picture"},
		{"known names", head + `<epub:switch>` + unread + maths + other + `</epub:switch></body></html>`, "x=2"},
		{"none is known", head + `<epub:switch>` + unread + `</epub:switch></body></html>`, "notes"},
		{"another prefix", strings.ReplaceAll(head+`<epub:switch>`+unread+other+`</epub:switch></body></html>`, "epub:", "ops:"), "a picture"},
		{"pages with prefixes", `<h:html xmlns:h="http://www.w3.org/1999/xhtml"><h:head><h:title>t</h:title></h:head><h:body><h:p>one<h:br/>two</h:p><h:P xmlns:x="urn:x">three<x:p/></h:P></h:body></h:html>`, "one two three"},
	} {
		d := read(t, build([]zipxmltest.Part{{Name: "a.xhtml", Text: c.page}}), 0)
		var got strings.Builder
		for n := range d.Root.Descendants() {
			if n.Type == html.TextNode && n.Parent.Data != "annotation" {
				got.WriteString(n.Data + " ")
			}
		}
		if text := strings.Join(strings.Fields(got.String()), " "); text != c.want || len(d.Warnings) > 0 {
			t.Errorf("%s: %q, want %q; %v", c.what, text, c.want, d.Warnings)
		}
	}
}

func TestErrors(t *testing.T) {
	encrypted := func(algorithm string) []byte {
		return build([]zipxmltest.Part{{Name: "a.xhtml", Text: "<p>x"}, {Name: "META-INF/encryption.xml", Text: `<encryption xmlns="urn:x" xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData><enc:EncryptionMethod Algorithm="` + algorithm + `"/></enc:EncryptedData></encryption>`}})
	}
	for _, c := range []struct {
		what string
		data []byte
		want error
	}{
		{"no container", []byte("nothing"), zipxml.ErrMalformed},
		{"no package", zipxmltest.Pack(zipxmltest.Part{Name: "a"}), zipxml.ErrMalformed},
		{"no spine", build(nil), zipxml.ErrMalformed},
		{"encrypted", encrypted("http://www.w3.org/2001/04/xmlenc#aes128-cbc"), zipxml.ErrEncrypted},
		{"fonts encrypted", encrypted("http://www.idpf.org/2008/embedding"), nil},
		{"bomb", build([]zipxmltest.Part{{Name: "a.xhtml", Text: strings.Repeat(" ", 40<<20)}}), zipxml.ErrLimit},
		{"package found without container", zipxmltest.Pack(zipxmltest.Part{Name: "x.OPF", Text: `<package ` + opfSpace + `><manifest><item id="a" href="a.html"/></manifest><spine><itemref idref="a"/></spine></package>`}, zipxmltest.Part{Name: "a.html", Text: "x"}), nil},
		{"no page", zipxmltest.Pack(zipxmltest.Part{Name: "x.opf", Text: `<package ` + opfSpace + `><manifest><item id="a" href="a.html"/></manifest><spine><itemref idref="a"/></spine></package>`}), zipxml.ErrMalformed},
	} {
		if _, err := epub.Read(t.Context(), bytes.NewReader(c.data), int64(len(c.data)), epub.Options{}); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.what, err, c.want)
		}
	}
	ctx, stop := context.WithCancelCause(t.Context())
	stop(os.ErrDeadlineExceeded)
	data := build([]zipxmltest.Part{{Name: "a.xhtml", Text: "<p>x"}})
	if _, err := epub.Read(ctx, bytes.NewReader(data), int64(len(data)), epub.Options{}); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("after its context a book gives %v", err)
	}
}

func TestPartial(t *testing.T) {
	data := build([]zipxmltest.Part{{Name: "a.xhtml", Text: strings.Repeat("<p>one</p>", 100)}, {Name: "b.xhtml", Text: "<p>two</p>"}})
	got := doctreetest.Show(t, read(t, data, 50))
	if want := "The book needs more than 50 nodes: 1 of its 2 chapters were not read."; !strings.Contains(got, want) {
		t.Errorf("%.400s, want %s", got, want)
	}
	if want := "Bytes that were left out: 754 of 1000."; !strings.Contains(got, want) {
		t.Errorf("%.400s, want %s", got, want)
	}
	if !strings.Contains(got, "truncated") || !strings.Contains(got, "one") || strings.Contains(got, "two") {
		t.Errorf("%.300s", got)
	}
	got = doctreetest.Show(t, read(t, build([]zipxmltest.Part{{Name: "a.xhtml", Text: strings.Repeat("<div>", 800) + "deep"}}), 0))
	if !strings.Contains(got, "deep-nesting") || !strings.Contains(got, "deep") {
		t.Errorf("%.300s", got)
	}
	got = doctreetest.Show(t, read(t, build([]zipxmltest.Part{{Name: "a.xhtml", Text: `<p style="display:none">a</p><p style="display:none">b</p><p>c</p>`}}), 0))
	if strings.Count(got, "hidden-text") != 1 {
		t.Errorf("two hidden paragraphs: %s", got)
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range doctreetest.Cases(f, "testdata/*.txt") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		data := build(zipxmltest.Sections(text))
		if d, err := epub.Read(t.Context(), bytes.NewReader(data), int64(len(data)), epub.Options{Nodes: 5000}); err == nil {
			for n := range d.Root.Descendants() {
				if n.Type == html.ElementNode && n.Data == "script" {
					t.Error("a script is left")
				}
			}
		}
	})
}

// TestShown reads what a page of a book draws, hides and asks for. Each is in the tree or counted.
func TestShown(t *testing.T) {
	d := read(t, build([]zipxmltest.Part{
		{Name: "a.xhtml", Text: `<svg xmlns="http://www.w3.org/2000/svg"><title>name</title><desc>said</desc><text>drawn</text><text>by <tspan>hand</tspan></text></svg><p hidden="">not shown</p><p>seen <span aria-hidden="true">not said</span></p><noscript>without scripts</noscript><audio controls=""></audio><form><input type="text"/><input type="hidden"/><button>send</button></form><ol style="list-style-type: upper-roman"><li>item</li></ol>`},
		{Name: "metadata", Text: `<dc:title id="sub">Below</dc:title><dc:title id="main">Above</dc:title><meta refines="#main" property="title-type">main</meta>`},
	}), 0)
	var got strings.Builder
	got.WriteString(doctreetest.Show(t, d))
	for _, w := range d.Warnings {
		got.WriteString(w.Text + "\n")
	}
	for _, want := range []string{
		`<img alt="name: said"/> drawn by hand`, `<p>seen </p>`, `<div>without scripts</div>`, `<ol type="I">`,
		"Text that the book hides was left out at 2 places.", "Frames, media and embedded objects of pages that were left out: 1.", "Fields and buttons of forms that were left out: 2.",
	} {
		if !strings.Contains(got.String(), want) {
			t.Errorf("no %q in\n%s", want, got.String())
		}
	}
	if d.Meta.Title != "Above" {
		t.Errorf("title %q", d.Meta.Title)
	}
}
