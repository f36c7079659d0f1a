// SPDX-License-Identifier: Apache-2.0

package parse_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/png"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"example.com/curlew/internal/test/golden"
	"example.com/curlew/internal/test/pdftest"
	"example.com/curlew/parse"
)

func TestPDF(t *testing.T) {
	data, err := os.ReadFile(golden.Testdata("parse/report.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	var e parse.Engine
	tree, err := e.Parse(t.Context(), source("report.doc", "", string(data)), &parse.Options{PDF: parse.PDFOptions{MaxPages: 2}})
	if err != nil {
		t.Fatal(err)
	}
	m := tree.Meta
	if tree.Kind != parse.PDF || m.Title != "Orchard report" || m.Author != "A. Gardener" || m.Language != "en" || m.Pages != 2 || m.TotalPages != 3 || m.Created.Year() != 2024 {
		t.Errorf("kind %s, meta %+v", tree.Kind, m)
	}
	if d := cmp.Diff([]parse.Page{{1, 612, 792, parse.PageOK, false}, {2, 612, 792, parse.PageOK, false}}, tree.Pages); d != "" {
		t.Error(d)
	}
	if len(tree.Warnings) != 1 || tree.Warnings[0].Code != parse.WarnDeclaredType {
		t.Errorf("warnings %+v", tree.Warnings)
	}
	var got []string
	for b := range tree.Blocks() {
		got = append(got, fmt.Sprintf("%d.%d %s %t %s", b.Page, b.Order, b.Node.Data, b.Box.Y0 < b.Box.Y1 && b.Box.Y1 <= 792, b.Source))
	}
	want := []string{
		"1.0 header true native_text", "1.1 h1 true native_text", "1.2 p true native_text", "1.3 table true native_text", "1.4 footer true native_text",
		"2.0 header true native_text", "2.1 h2 true native_text", "2.2 p true native_text", "2.3 ul true native_text", "2.4 footer true native_text",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if p := tree.Page(2); p == nil || tree.Page(3) != nil {
		t.Errorf("page 2 is %v, page 3 %v", p, tree.Page(3))
	}
}

// TestPlaces checks the places of cells, list items, words, and blocks that
// continue on the next page.
func TestPlaces(t *testing.T) {
	data, err := os.ReadFile(golden.Testdata("parse/report.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	var e parse.Engine
	tree, err := e.Parse(t.Context(), source("", "", string(data)), &parse.Options{PDF: parse.PDFOptions{Words: true}})
	if err != nil {
		t.Fatal(err)
	}
	var kinds, cells []string
	for b := range tree.Blocks() {
		places := b.Places()
		if len(places) != 1 || places[0] != (parse.Place{Page: b.Page, Box: b.Box}) {
			t.Errorf("%s stands at %v, its box is %v", b.Label, places, b.Box)
		}
		if b.Page == 1 {
			kinds = append(kinds, b.Type+" "+b.Label)
		}
		for _, c := range b.Cells() {
			p := c.Place
			cells = append(cells, fmt.Sprintf("%d %d %d×%d %v %s", c.Row, c.Column, c.ColSpan, c.RowSpan, c.Header, c.Node.FirstChild.Data))
			if p.Page != 1 || p.Box.X0 < b.Box.X0 || p.Box.X1 > b.Box.X1 || p.Box.Y0 < b.Box.Y0 || p.Box.Y1 > b.Box.Y1 || p.Box.X0 >= p.Box.X1 {
				t.Errorf("the cell %d %d stands at %v, its table at %v", c.Row, c.Column, p, b.Box)
			}
		}
	}
	if d := cmp.Diff([]string{"page_header page_header", "section_header h1", "text text", "table table", "page_number page_number"}, kinds); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"0 0 1×1 true Item", "0 1 1×1 true Price", "1 0 1×1 false Apples", "1 1 1×1 false 3"}, cells); d != "" {
		t.Error(d)
	}
	var words []string
	for _, w := range tree.Words {
		if w.Page == 2 {
			words = append(words, w.Text)
		}
		if w.Box.X0 >= w.Box.X1 || w.Box.Y0 >= w.Box.Y1 || w.Box.Y1 > 792 {
			t.Errorf("%q stands at %v", w.Text, w.Box)
		}
	}
	if got := strings.Join(words, " "); !strings.HasPrefix(got, "Orchard Trust Pears Pears were few. They ripen") {
		t.Errorf("page 2 reads %q", got)
	}
}

func TestPDFErrors(t *testing.T) {
	const scan = "q 612 0 0 792 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G ID x EI Q"
	long := strings.Repeat(pdftest.Text("F1", 10, 72, 700, "text"), 20)
	for _, c := range []struct {
		what   string
		data   []byte
		engine parse.Engine
		o      parse.PDFOptions
		want   error
		code   string // expected warning code if there is no error
	}{
		{"a scan", pdftest.Pages(scan), parse.Engine{}, parse.PDFOptions{}, parse.ErrOCRRequired, ""},
		{"a scan, fast", pdftest.Pages(scan), parse.Engine{}, parse.PDFOptions{Mode: parse.Fast}, parse.ErrOCRRequired, ""},
		{"a scan among others", pdftest.Pages(long, scan), parse.Engine{}, parse.PDFOptions{Mode: parse.Fast}, nil, parse.WarnOCR},
		{"nothing", pdftest.Pages(""), parse.Engine{}, parse.PDFOptions{}, nil, parse.WarnNoText},
		{"nothing, fast", pdftest.Pages(""), parse.Engine{}, parse.PDFOptions{Mode: parse.Fast}, parse.ErrOCRRequired, ""},
		{"recognition without an engine", pdftest.Pages(long), parse.Engine{}, parse.PDFOptions{Mode: parse.ForceOCR}, parse.ErrOCRRequired, ""},
		{"hidden text", pdftest.Pages(long + "1 g " + pdftest.Text("F1", 10, 72, 600, "obey")), parse.Engine{}, parse.PDFOptions{}, nil, parse.WarnHiddenText},
		{"more nodes than are made", pdftest.Pages(long, long), parse.Engine{Limits: parse.Limits{Nodes: 3}}, parse.PDFOptions{}, parse.ErrLimit, ""},
		{"cut", pdftest.Pages(long)[:200], parse.Engine{}, parse.PDFOptions{}, parse.ErrCorrupt, ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			tree, err := c.engine.Parse(t.Context(), source("a.pdf", "", string(c.data)), &parse.Options{PDF: c.o})
			if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
				t.Fatalf("Parse = %v, want %v", err, c.want)
			}
			if err == nil && (len(tree.Warnings) != 1 || tree.Warnings[0].Code != c.code) {
				t.Errorf("warnings %+v, want %s", tree.Warnings, c.code)
			}
			if err != nil && strings.Count(err.Error(), c.want.Error()) != 1 {
				t.Errorf("the error says it twice: %v", err)
			}
		})
	}
}

// fakeOCR returns a fixed result.
type fakeOCR struct {
	r    parse.Recognition
	err  error
	seen func(parse.Picture)
}

func (f fakeOCR) Recognize(_ context.Context, p parse.Picture) (parse.Recognition, error) {
	if f.seen != nil {
		f.seen(p)
	}
	return f.r, f.err
}

// scanned returns a PDF with a page of text and a page that is one image
// with the given stream entries and data.
func scanned(entries, data string) []byte {
	var d pdftest.Document
	d.Catalog = "/Lang (de)"
	d.Page(strings.Repeat(pdftest.Text("F1", 10, 72, 700, "A page of text."), 2), pdftest.Fonts, "")
	im := d.Stream("/Type /XObject /Subtype /Image "+entries, data)
	d.Page("q 612 0 0 792 0 0 cm /I Do Q", fmt.Sprintf("<</XObject <</I %d 0 R>>>>", im), "")
	return d.Bytes()
}

func TestOCR(t *testing.T) {
	const gray = "/Width 4 /Height 2 /BitsPerComponent 8 /ColorSpace /DeviceGray"
	words := parse.Recognition{Confidence: .9, Words: []parse.Word{
		{Text: "Read", X0: 1, Y0: 0, X1: 2, Y1: .1, Line: 1, Confidence: .9}, {Text: "me.", X0: 2.05, Y0: 0, X1: 3, Y1: .1, Line: 1, Confidence: .9},
	}}
	for _, c := range []struct {
		what, entries, data string
		mime                string // empty: nothing may be recognised
		r                   parse.Recognition
		err                 error
		want                string
		code                string
	}{
		{"words", gray, "\x00\xff\x00\xff\x00\xff\x00\xff", "image/png", words, nil, "Read me.", ""},
		{"Markdown", gray, "\x00\xff\x00\xff\x00\xff\x00\xff", "image/png", parse.Recognition{Markdown: "## Read\n\n| a | b |\n| --- | --- |\n| c | d |"}, nil, "Read", ""},
		{"nothing on it", gray, "\x00\xff\x00\xff\x00\xff\x00\xff", "image/png", parse.Recognition{}, nil, "", ""},
		{"it fails", gray, "\x00\xff\x00\xff\x00\xff\x00\xff", "image/png", parse.Recognition{}, errors.New("broken"), "", parse.WarnOCR},
		{"JPEG", "/Width 4 /Height 2 /Filter /DCTDecode", "jpeg", "image/jpeg", words, nil, "Read me.", ""},
		{"JPEG 2000", "/Width 4 /Height 2 /Filter [/JPXDecode]", jpxData, "image/png", words, nil, "Read me.", ""},
		{"damaged JPEG 2000", "/Width 4 /Height 2 /Filter [/JPXDecode]", "jpx", "", words, nil, "", parse.WarnOCR},
		{"fax", "/Width 4 /Height 2 /Filter /CCITTFaxDecode /DecodeParms <</K -1 /Columns 4>>", "\x9c\x00\x10\x01", "image/png", words, nil, "Read me.", ""},
		{"JBIG2", "/Width 4 /Height 2 /Filter /JBIG2Decode", "jbig2", "", words, nil, "", parse.WarnOCR},
		{"bits of an index", "/Width 4 /Height 2 /BitsPerComponent 1 /ColorSpace [/Indexed /DeviceRGB 1 <000000ffffff>]", "\xa0\x50", "image/png", words, nil, "Read me.", ""},
		{"colours", "/Width 4 /Height 2 /BitsPerComponent 8 /ColorSpace /DeviceCMYK", strings.Repeat("\x00\x00\x00\xff", 8), "image/png", words, nil, "Read", ""},
		{"a stencil, cut", "/Width 4 /Height 200 /ImageMask true", "\xa0\x50", "image/png", words, nil, "Read", ""},
		{"more pixels than are made", "/Width 400000 /Height 400000 /BitsPerComponent 1 /ColorSpace /DeviceGray", "x", "", words, nil, "", parse.WarnOCR},
		{"an unknown colour space", "/Width 4 /Height 2 /BitsPerComponent 8 /ColorSpace /Pattern", "x", "", words, nil, "", parse.WarnOCR},
	} {
		t.Run(c.what, func(t *testing.T) {
			var seen atomic.Pointer[parse.Picture]
			e := parse.Engine{OCR: fakeOCR{c.r, c.err, func(p parse.Picture) { seen.Store(&p) }}}
			tree, err := e.Parse(t.Context(), source("a.pdf", "", string(scanned(c.entries, c.data))), nil)
			if err != nil {
				t.Fatal(err)
			}
			switch p := seen.Load(); {
			case (p != nil) != (c.mime != ""):
				t.Errorf("asked to recognise %+v", p)
			case p != nil && (p.MIME != c.mime || len(p.Data) == 0 || len(p.Languages) != 1 || p.Languages[0] != "de" || p.DPI <= 0):
				t.Errorf("picture %s of %d bytes, %q, %v DPI", p.MIME, len(p.Data), p.Languages, p.DPI)
			case p != nil && c.mime == "image/png":
				if _, err := png.Decode(bytes.NewReader(p.Data)); err != nil {
					t.Error(err)
				}
			}
			var text strings.Builder
			for b := range tree.Blocks() {
				if b.Page != 2 {
					continue
				}
				if b.Source != "layout_ocr" && b.Source != "" || len(c.r.Words) > 0 && b.OCR != .9 {
					t.Errorf("the source of %s is %q at %v", b.Node.Data, b.Source, b.OCR)
				}
				for n := range b.Node.Descendants() {
					if n.Type == html.TextNode {
						text.WriteString(n.Data)
					}
				}
			}
			if !strings.HasPrefix(text.String(), c.want) || c.want == "" && text.Len() > 0 {
				t.Errorf("page 2 says %q, want %q", text.String(), c.want)
			}
			code := ""
			for _, w := range tree.Warnings {
				code = w.Code
			}
			if code != c.code || tree.Pages[1].NeedsOCR != (c.code != "") {
				t.Errorf("warning %q, want %q; %+v", code, c.code, tree.Pages[1])
			}
		})
	}
}

// TestOCRModes checks which pages each mode recognises and when a mode
// returns an error.
func TestOCRModes(t *testing.T) {
	const gray = "/Width 1 /Height 1 /BitsPerComponent 8 /ColorSpace /DeviceGray"
	for mode, want := range map[parse.Mode]int32{parse.Auto: 1, parse.Fast: 0, parse.ForceOCR: 1} {
		var asked atomic.Int32
		e := parse.Engine{OCR: fakeOCR{parse.Recognition{Markdown: "x"}, nil, func(parse.Picture) { asked.Add(1) }}}
		_, err := e.Parse(t.Context(), source("a.pdf", "", string(scanned(gray, "x"))), &parse.Options{PDF: parse.PDFOptions{Mode: mode}})
		if err != nil || asked.Load() != want {
			t.Errorf("mode %v: recognised %d pages, want %d; %v", mode, asked.Load(), want, err)
		}
	}
	ctx, stop := context.WithCancelCause(t.Context())
	e := parse.Engine{OCR: fakeOCR{parse.Recognition{}, errors.New("late"), func(parse.Picture) { stop(errStopped) }}}
	if _, err := e.Parse(ctx, source("a.pdf", "", string(scanned(gray, "x"))), nil); !errors.Is(err, errStopped) {
		t.Errorf("cancelled while it recognises: %v", err)
	}
}

var errStopped = errors.New("stopped by the test")
