// SPDX-License-Identifier: Apache-2.0

package parse_test

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/curlew/internal/dom"
	"example.com/curlew/parse"
)

// legacyFile returns a file that LibreOffice 7.4 wrote. Files in legacy
// formats are stored compressed.
func legacyFile(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join("testdata", "legacy", name)
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		data, err = os.ReadFile(path + ".gz")
		if err == nil {
			var z *gzip.Reader
			if z, err = gzip.NewReader(bytes.NewReader(data)); err == nil {
				data, err = io.ReadAll(z)
			}
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func readLegacy(t testing.TB, name, password string) *parse.Tree {
	t.Helper()
	var e parse.Engine
	tree, err := e.Parse(t.Context(), source(name, "", legacyFile(t, name)), &parse.Options{Password: password})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// shape counts the structural elements of a tree.
func shape(tree *parse.Tree) map[string]int {
	count := map[string]int{}
	for n := range tree.Root.Descendants() {
		switch n.Data {
		case "h1", "h2", "h3", "ul", "ol", "li", "table", "tr", "td", "th", "a", "strong", "em", "s", "sup", "sub", "nav", "aside", "blockquote", "pre", "section":
			count[n.Data]++
		}
		for _, a := range n.Attr {
			switch a.Key {
			case "colspan", "rowspan", "start", "dir", "role":
				count[a.Key+"="+a.Val]++
			}
		}
	}
	return count
}

// TestLegacyAsNew compares legacy documents with the documents in current
// formats that LibreOffice wrote from the same source.
func TestLegacyAsNew(t *testing.T) {
	for _, c := range []struct {
		old, new string
		lost     string // text that only the new format has
		added    string // text that only the old format has: the number of a slide that has its title as text
		shapes   bool   // whether both must have the same structure
	}{
		{"rich.doc", "rich.docx", "A tiny red dot", "", true},
		{"sheet.xls", "sheet.xlsx", "", "", false}, // the old file lacks the values of the chart
		{"slides.ppt", "slides.pptx", "", "## Slide 2", false},
	} {
		before, after := readLegacy(t, c.new, ""), readLegacy(t, c.old, "")
		want, got := markdownOfTree(t, before), markdownOfTree(t, after)
		r, p := recall(tokens(strings.Replace(got, c.added, "", 1)), tokens(strings.ReplaceAll(want, c.lost, "")))
		if r < .98 || p < .98 {
			t.Errorf("%s: token recall %.3f, precision %.3f\n%s\nwant\n%s", c.old, r, p, got, want)
		}
		if s, w := shape(after), shape(before); c.shapes && !maps.Equal(s, w) {
			for _, k := range slices.Sorted(maps.Keys(w)) {
				if s[k] != w[k] {
					t.Errorf("%s: %d times %s, %s has %d", c.old, s[k], k, c.new, w[k])
				}
			}
		}
	}
}

// TestLegacyPasswords reads files that LibreOffice encrypted, and a file
// with XOR obfuscation that LibreOffice can read.
func TestLegacyPasswords(t *testing.T) {
	for _, c := range []struct{ name, plain, password string }{
		{"rich-locked.doc", "rich.doc", "secret"},
		{"rich-obfuscated.doc", "rich.doc", "Example"},
		{"sheet-locked.xls", "sheet.xls", "secret"},
		{"sheet-obfuscated.xls", "sheet.xls", "Example"},
	} {
		want, got := markdownOfTree(t, readLegacy(t, c.plain, "")), markdownOfTree(t, readLegacy(t, c.name, c.password))
		if got != want {
			t.Errorf("%s differs:\n%s\nwant\n%s", c.name, got, want)
		}
		var e parse.Engine
		for _, password := range []string{"", "wrong", c.password + " "} {
			if _, err := e.Parse(t.Context(), source(c.name, "", legacyFile(t, c.name)), &parse.Options{Password: password}); !errors.Is(err, parse.ErrEncrypted) {
				t.Errorf("%s, password %q: %v", c.name, password, err)
			}
		}
	}
}

// TestFormatsAsShown compares formatted numbers with the output of
// LibreOffice. It skips cells where LibreOffice differs from Excel: dates
// (this package writes ISO 8601), the General format and trailing decimal
// points.
func TestFormatsAsShown(t *testing.T) {
	rows, err := csv.NewReader(strings.NewReader(legacyFile(t, "sheet-formats.csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	tree := readLegacy(t, "sheet.xls", "")
	row := map[string][]string{}
	for n := range tree.Root.Descendants() {
		if n.Data != "tr" {
			continue
		}
		var cells []string
		for c := range n.ChildNodes() {
			cells = append(cells, strings.Join(strings.Fields(dom.Text(c)), " "))
		}
		if len(cells) > 1 && row[cells[0]] == nil {
			row[cells[0]] = cells
		}
	}
	compared := 0
	for _, want := range rows[1:] {
		code := want[0]
		if strings.ContainsAny(strings.ReplaceAll(code, "[RED]", ""), "YDHMSB@") || code == "General" || code == "#.##" {
			continue
		}
		got := row[strings.Join(strings.Fields(code), " ")]
		for i := range want {
			w := strings.Join(strings.Fields(want[i]), " ")
			if w == "#FMT" {
				continue // LibreOffice cannot format this value
			}
			compared++
			if i >= len(got) || got[i] != w {
				t.Errorf("%s, number %d: %q, want %q", code, i, got, w)
				break
			}
		}
	}
	if compared < 200 {
		t.Errorf("%d cells compared", compared)
	}
}
