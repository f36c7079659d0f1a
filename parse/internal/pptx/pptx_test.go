// SPDX-License-Identifier: Apache-2.0

package pptx_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/test/doctreetest"
	"example.com/curlew/internal/test/golden"
	"example.com/curlew/internal/test/leak"
	"example.com/curlew/internal/test/zipxmltest"
	"example.com/curlew/internal/zipxml"
	"example.com/curlew/parse/internal/pptx"
)

func TestMain(m *testing.M) { leak.Main(m) }

const (
	transitional = `xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" ` +
		`xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ` +
		`xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" ` +
		`xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" ` +
		`xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" ` + others
	strict = `xmlns:p="http://purl.oclc.org/ooxml/presentationml/main" ` +
		`xmlns:a="http://purl.oclc.org/ooxml/drawingml/main" ` +
		`xmlns:r="http://purl.oclc.org/ooxml/officeDocument/relationships" ` +
		`xmlns:c="http://purl.oclc.org/ooxml/drawingml/chart" ` +
		`xmlns:m="http://purl.oclc.org/ooxml/officeDocument/math" ` + others
	others = `xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" ` +
		`xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main" ` +
		`xmlns:p188="http://schemas.microsoft.com/office/powerpoint/2018/8/main"`
)

const (
	relationship = `<Relationship Id="%s" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/%s" Target="%s"/>`
	rels         = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">%s</Relationships>`
)

// build returns a presentation made of sections. The section "slide" is the shape
// tree of a slide, and "slide hidden" is that of a hidden slide. "rels" has further
// relationships of the previous slide. "layout", "master" and "presentation" are
// the contents of these parts, and "presentation rels" has further relationships
// of the presentation. A section with another name is the part of that name.
func build(sections []zipxmltest.Part, space string) []byte {
	wrap := func(tag, s string) string {
		return "<" + tag + " " + space + ">" + s + "</" + strings.Fields(tag)[0] + ">"
	}
	var parts []zipxmltest.Part
	add := func(name, text string) { parts = append(parts, zipxmltest.Part{Name: name, Text: text}) }
	ids, more, presentation, slides := "", "", "", 0
	slideRels := map[int]string{}
	for _, s := range sections {
		switch s.Name {
		case "slide", "slide hidden":
			slides++
			tag := "p:sld"
			if s.Name != "slide" {
				tag += ` show="0"`
			}
			add(fmt.Sprintf("ppt/slides/s%d.xml", slides), wrap(tag, "<p:cSld><p:spTree>"+s.Text+"</p:spTree></p:cSld>"))
			ids += fmt.Sprintf(`<p:sldId r:id="s%d"/>`, slides)
			more += fmt.Sprintf(relationship, fmt.Sprint("s", slides), "slide", fmt.Sprintf("slides/s%d.xml", slides))
			slideRels[slides] = fmt.Sprintf(relationship, "layout", "slideLayout", "../layout.xml")
		case "rels":
			slideRels[slides] += s.Text
		case "layout":
			add("ppt/layout.xml", wrap("p:sldLayout", s.Text))
			add("ppt/_rels/layout.xml.rels", fmt.Sprintf(rels, fmt.Sprintf(relationship, "m", "slideMaster", "master.xml")))
		case "master":
			add("ppt/master.xml", wrap("p:sldMaster", s.Text))
		case "presentation":
			presentation = s.Text
		case "presentation rels":
			more += s.Text
		default:
			add(s.Name, strings.ReplaceAll(s.Text, "SPACE", space))
		}
	}
	for n, text := range slideRels {
		add(fmt.Sprintf("ppt/slides/_rels/s%d.xml.rels", n), fmt.Sprintf(rels, text))
	}
	add("ppt/presentation.xml", wrap("p:presentation", "<p:sldIdLst>"+ids+"</p:sldIdLst>"+presentation))
	add("ppt/_rels/presentation.xml.rels", fmt.Sprintf(rels, more))
	add("_rels/.rels", fmt.Sprintf(rels, fmt.Sprintf(relationship, "m", "officeDocument", "ppt/presentation.xml")))
	return zipxmltest.Pack(parts...)
}

func read(t testing.TB, data []byte, o pptx.Options) *doctree.Document {
	t.Helper()
	d, err := pptx.Read(t.Context(), bytes.NewReader(data), int64(len(data)), o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestGolden(t *testing.T) {
	for p, text := range doctreetest.Cases(t, "testdata/*.txt") {
		t.Run(filepath.Base(p), func(t *testing.T) {
			sections := zipxmltest.Sections(text)
			got := doctreetest.Show(t, read(t, build(sections, transitional), pptx.Options{}))
			golden.Check(t, strings.TrimSuffix(p, ".txt")+".html", []byte(got))
			if again := doctreetest.Show(t, read(t, build(sections, strict), pptx.Options{})); again != got {
				t.Errorf("as a Strict presentation:\n%s", again)
			}
		})
	}
}

func text(s string) string {
	return `<p:sp><p:txBody><a:p><a:r><a:t>` + s + `</a:t></a:r></a:p></p:txBody></p:sp>`
}

// TestOrder places shapes and checks the order of their texts.
func TestOrder(t *testing.T) {
	at := func(s string, x, y, w, h int) string {
		return fmt.Sprintf(`<p:sp><p:spPr><a:xfrm><a:off x="%d" y="%d"/><a:ext cx="%d" cy="%d"/></a:xfrm></p:spPr><p:txBody><a:p><a:r><a:t>%s</a:t></a:r></a:p></p:txBody></p:sp>`, x, y, w, h, s)
	}
	group := func(inside string, x, y int) string {
		return fmt.Sprintf(`<p:grpSp><p:grpSpPr><a:xfrm><a:off x="%d" y="%d"/><a:ext cx="100" cy="100"/><a:chOff x="0" y="0"/><a:chExt cx="1000" cy="1000"/></a:xfrm></p:grpSpPr>%s</p:grpSp>`, x, y, inside)
	}
	for _, c := range []struct{ what, shapes, want string }{
		{"as they come", at("a", 0, 0, 10, 10) + at("b", 0, 20, 10, 10), "a b"},
		{"from above", at("b", 0, 20, 10, 10) + at("a", 0, 0, 10, 10), "a b"},
		{"from the left", at("b", 20, 0, 10, 10) + at("a", 0, 2, 10, 10), "a b"},
		{"columns", at("r1", 50, 0, 40, 10) + at("r2", 50, 20, 40, 10) + at("l", 0, 0, 40, 30), "l r1 r2"},
		{"over each other", at("b", 0, 0, 10, 10) + at("a", 1, 1, 10, 10), "b a"},
		{"no place", at("b", 0, 20, 10, 10) + text("x") + at("a", 0, 0, 10, 10), "b x a"},
		{"in a group", at("below", 0, 300, 100, 10) + group(at("in", 0, 0, 1000, 100), 0, 200), "in below"},
		{"group far down", group(at("in", 0, 0, 1000, 100), 0, 400) + at("above", 0, 300, 100, 10), "above in"},
	} {
		d := read(t, build([]zipxmltest.Part{{Name: "slide", Text: c.shapes}}, transitional), pptx.Options{})
		var words []string
		for n := range d.Root.Descendants() {
			if n.Type == html.TextNode {
				words = append(words, n.Data)
			}
		}
		if got := strings.Join(words, " "); got != "Slide 1 "+c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}

func TestErrors(t *testing.T) {
	slide := func(s string) []byte { // the first part is stored uncompressed
		return build([]zipxmltest.Part{{Name: "slide", Text: text("x")}, {Name: "slide", Text: s}}, transitional)
	}
	for _, c := range []struct {
		what string
		data []byte
		want error
	}{
		{"no container", []byte("nothing"), zipxml.ErrMalformed},
		{"no main part", zipxmltest.Pack(zipxmltest.Part{Name: "a"}), zipxml.ErrMalformed},
		{"bomb", slide(strings.Repeat(" ", 40<<20)), zipxml.ErrLimit},
		{"depth", slide(strings.Repeat("<p:grpSp>", 400)), zipxml.ErrLimit},
	} {
		if _, err := pptx.Read(t.Context(), bytes.NewReader(c.data), int64(len(c.data)), pptx.Options{}); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.what, err, c.want)
		}
	}
	ctx, stop := context.WithCancelCause(t.Context())
	stop(os.ErrDeadlineExceeded)
	data := slide(text("x"))
	if _, err := pptx.Read(ctx, bytes.NewReader(data), int64(len(data)), pptx.Options{}); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("after its context a presentation gives %v", err)
	}
}

func TestPartial(t *testing.T) {
	for _, c := range []struct {
		what, shapes, code, text string
		o                        pptx.Options
	}{
		{"groups", text("one") + strings.Repeat("<p:grpSp>", 60) + text("two") + strings.Repeat("</p:grpSp>", 60), "The presentation is nested too deeply: 1 paragraph and 1 note or shape, 3 characters in all, were left out.", "one", pptx.Options{}},
		{"nodes", strings.Repeat(text("one"), 200), "177 paragraphs and 177 notes or shapes, 531 characters in all, were left out.", "one", pptx.Options{Nodes: 50}},
		{"torn notes", text("one"), "part-unreadable", "one", pptx.Options{}},
	} {
		got := doctreetest.Show(t, read(t, build([]zipxmltest.Part{
			{Name: "slide", Text: c.shapes},
			{Name: "rels", Text: fmt.Sprintf(relationship, "n", "notesSlide", "../notes.xml")},
			{Name: "ppt/notes.xml", Text: "<p:notes SPACE><p:cSld><p:spTree>"},
		}, transitional), c.o))
		if !strings.Contains(got, c.code) || !strings.Contains(got, c.text) {
			t.Errorf("%s: %.300s\nwant %s and %q", c.what, got, c.code, c.text)
		}
	}
}

// TestMissingSlides counts the slides for which the presentation has no
// relationship.
func TestMissingSlides(t *testing.T) {
	d := read(t, zipxmltest.Pack(
		zipxmltest.Part{Name: "ppt/presentation.xml", Text: "<p:presentation " + transitional + `><p:sldIdLst><p:sldId r:id="a"/><p:sldId r:id="b"/><p:sldId r:id="a"/><p:sldId/></p:sldIdLst></p:presentation>`},
		zipxmltest.Part{Name: "ppt/_rels/presentation.xml.rels", Text: fmt.Sprintf(rels, fmt.Sprintf(relationship, "a", "slide", "slide.xml"))},
		zipxmltest.Part{Name: "ppt/slide.xml", Text: "<p:sld " + transitional + "><p:cSld><p:spTree>" + text("one") + "</p:spTree></p:cSld></p:sld>"},
	), pptx.Options{})
	got := doctreetest.Show(t, d)
	if !strings.Contains(got, "part-unreadable: Slides that the file lists but does not have; left out: 2.") || !strings.Contains(got, "one") {
		t.Errorf("%.400s", got)
	}
}

// TestUnlistedSlides reads presentations whose list of slides does not have all of them.
func TestUnlistedSlides(t *testing.T) {
	for list, c := range map[string]struct {
		want  string
		words []string
	}{
		`<p:sldIdLst><p:sldId r:id="a"/></p:sldIdLst>`: {"part-unreadable: Slides that the file has but does not list; left out: 1.", []string{"one"}},
		`<p:sldIdL/>`: {"part-unreadable: The list of slides is missing or damaged. Slides that were read in the order of their relationships: 2.", []string{"one", "two"}},
	} {
		parts := []zipxmltest.Part{
			{Name: "ppt/presentation.xml", Text: "<p:presentation " + transitional + ">" + list + "</p:presentation>"},
			{Name: "ppt/_rels/presentation.xml.rels", Text: fmt.Sprintf(rels, fmt.Sprintf(relationship, "a", "slide", "one.xml")+fmt.Sprintf(relationship, "b", "slide", "two.xml"))},
		}
		for _, name := range []string{"one", "two"} {
			parts = append(parts, zipxmltest.Part{Name: "ppt/" + name + ".xml", Text: "<p:sld " + transitional + "><p:cSld><p:spTree>" + text(name) + "</p:spTree></p:cSld></p:sld>"})
		}
		got := doctreetest.Show(t, read(t, zipxmltest.Pack(parts...), pptx.Options{}))
		for _, word := range append(c.words, c.want) {
			if !strings.Contains(got, word) {
				t.Errorf("%s: no %q in %.500s", list, word, got)
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range doctreetest.Cases(f, "testdata/*.txt") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		data := build(zipxmltest.Sections(text), transitional)
		if d, err := pptx.Read(t.Context(), bytes.NewReader(data), int64(len(data)), pptx.Options{Nodes: 5000}); err == nil {
			_ = doctreetest.Show(t, d)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	paths, _ := filepath.Glob(golden.Root("..", "shared", "corpora", "office-dev", "pptx", "*.pptx"))
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
			read(b, data, pptx.Options{})
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(files)), "µs/file")
}
