// SPDX-License-Identifier: Apache-2.0

package parse_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/internal/pdf/pdftest"
	"example.com/curlew/parse"
)

func TestPDF(t *testing.T) {
	data, err := os.ReadFile("../testdata/parse/report.pdf")
	if err != nil {
		t.Fatal(err)
	}
	var e parse.Engine
	tree, err := e.Parse(t.Context(), source("report.doc", "", string(data)), parse.Options{PDF: parse.PDFOptions{MaxPages: 2}})
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
		"1.0 p true native_text", "1.1 h1 true native_text", "1.2 p true native_text", "1.3 table true native_text", "1.4 p true native_text",
		"2.0 p true native_text", "2.1 h2 true native_text", "2.2 p true native_text", "2.3 ul true native_text", "2.4 p true native_text",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if p := tree.Page(2); p == nil || tree.Page(3) != nil {
		t.Errorf("page 2 is %v, page 3 %v", p, tree.Page(3))
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
		code   string // of the warning where there is no error
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
			tree, err := c.engine.Parse(t.Context(), source("a.pdf", "", string(c.data)), parse.Options{PDF: c.o})
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
