// SPDX-License-Identifier: Apache-2.0

package parse_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/curlew/format"
	"example.com/curlew/internal/test/golden"
	"example.com/curlew/internal/test/roundtriptest"
	"example.com/curlew/internal/test/scoretest"
	"example.com/curlew/parse"
)

var remake = flag.Bool("roundtrip", false, "write the files of testdata/roundtrip again with the installed programs")

// roundtrips are small documents written by real programs, at least one of
// each kind that an installed program can write.
var roundtrips = []struct{ theme, program, kind string }{
	{"tiny", "libreoffice", "pdf"},
	{"tiny", "libreoffice tagged", "pdf"},
	{"tiny", "chromium tagged", "pdf"},
	{"tiny", "groff", "pdf"},
	{"tiny", "pandoc", "docx"},
	{"tiny", "libreoffice", "docx"},
	{"tiny", "pandoc", "odt"},
	{"tiny", "libreoffice", "odt"},
	{"tiny", "pandoc", "rtf"},
	{"tiny", "libreoffice", "rtf"},
	{"tiny", "pandoc", "epub"},
	{"tiny", "libreoffice", "epub"},
	{"tiny", "libreoffice", "doc"},
	{"slides", "pandoc", "pptx"},
	{"slides", "pandoc libreoffice", "odp"},
	{"sheets", "libreoffice", "xlsx"},
	{"sheets", "libreoffice", "xls"},
	{"sheets", "libreoffice", "ods"},
}

// TestRoundTrip reads documents whose content was generated from a seed and
// is therefore known. With -roundtrip, the installed programs write the
// files again.
func TestRoundTrip(t *testing.T) {
	for _, c := range roundtrips {
		t.Run(c.theme+" "+c.program+" "+c.kind, func(t *testing.T) {
			d := roundtriptest.Make(c.theme, 1)
			path := golden.Testdata("roundtrip", d.Name+"."+strings.ReplaceAll(c.program, " ", "-")+"."+c.kind)
			if *remake {
				rewrite(t, d, c.program, c.kind, path)
			}
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			truth, got := d.Markdown(), written(t, filepath.Base(path), string(data))
			s := scoretest.Score(truth, got)
			t.Logf("%+.4v", s)
			words, blocks := .99, .95
			switch {
			case c.kind == "pdf":
				blocks = .75 // a PDF without tags has only lines, so blocks are guessed from their looks
			case c.kind == "epub" && c.program == "libreoffice":
				words, blocks = .95, .4 // LibreOffice writes no headings, list items or table headers to EPUB
			}
			if s.Words < words || s.Blocks < blocks {
				t.Errorf("words %.4f of at least %v, blocks %.4f of at least %v; truth:\n%s\ngot:\n%s", s.Words, words, s.Blocks, blocks, truth, got)
			}
		})
	}
}

// rewrite makes a program write the file of d.
func rewrite(t *testing.T, d *roundtriptest.Document, program, kind, path string) {
	t.Helper()
	for _, r := range roundtriptest.Routes() {
		if r.Name != program || r.Kind != kind || r.Form != d.Form {
			continue
		}
		if p := r.Missing(); p != "" {
			t.Skipf("%s is not installed", p)
		}
		files, err := r.Make(t.Context(), t.TempDir(), []*roundtriptest.Document{d})
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(files[d.Name])
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Fatalf("no route by %s to %s", program, kind)
}

// written returns the Markdown of a document.
func written(t *testing.T, name, data string) string {
	t.Helper()
	var e parse.Engine
	tree, err := e.Parse(t.Context(), source(name, "", data), nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := format.Build(t.Context(), &format.Input{Root: tree.Root, NotWeb: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return *d.Markdown
}
