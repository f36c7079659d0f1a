// SPDX-License-Identifier: Apache-2.0

package parse_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"example.com/curlew/internal/test/golden"
	"example.com/curlew/markdown"
	"example.com/curlew/parse"
)

const sheetSpace = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`

// workbook returns a workbook with one cell.
func workbook() string {
	return pack(
		"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/xl/workbook.xml" ContentType="application/vnd.ms-excel.sheet.macroEnabled.main+xml"/></Types>`,
		"_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="a" Type="x/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml", `<workbook `+sheetSpace+`><sheets><sheet name="One" sheetId="1" r:id="a"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="a" Type="x/worksheet" Target="sheet1.xml"/></Relationships>`,
		"xl/sheet1.xml", `<worksheet `+sheetSpace+`><sheetData><row r="1"><c r="A1" t="str"><v>told</v></c><c r="B1"><v>1</v></c></row></sheetData></worksheet>`,
	)
}

func markdownOfTree(t *testing.T, tree *parse.Tree) string {
	t.Helper()
	var b bytes.Buffer
	if err := markdown.Render(t.Context(), &b, tree.Root, &peers); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestWorkbook reads a workbook with a wrong name and a wrong media type.
func TestWorkbook(t *testing.T) {
	var e parse.Engine
	tree, err := e.Parse(t.Context(), source("a.pdf", "text/csv", workbook()), nil)
	if err != nil {
		t.Fatal(err)
	}
	if tree.Kind != parse.XLSX || len(tree.Warnings) != 1 || tree.Warnings[0].Code != parse.WarnDeclaredType {
		t.Errorf("kind %s, warnings %+v", tree.Kind, tree.Warnings)
	}
	if got, want := markdownOfTree(t, tree), "## One\n\n| told | 1 |\n| --- | --- |\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestPassword reads an encrypted workbook with and without its password,
// and one that is only protected against changes.
func TestPassword(t *testing.T) {
	plain := workbook()
	lock := func(password string) string {
		// excelize writes short streams that no other program can read, so
		// pad the data. ZIP readers look for the directory from the end.
		data, err := excelize.Encrypt([]byte(strings.Repeat("\x00", 5000)+plain), &excelize.Options{Password: password})
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	var e parse.Engine
	for _, c := range []struct {
		locked, given string
		kind          parse.Kind
		want          error
	}{
		{"secret", "secret", "", nil},
		{"secret", "secret", parse.XLSX, nil},
		{"secret", "", "", parse.ErrEncrypted},
		{"secret", "", parse.XLSX, parse.ErrEncrypted},
		{"secret", "Secret", "", parse.ErrEncrypted},
		{"VelvetSweatshop", "", "", nil},
	} {
		tree, err := e.Parse(t.Context(), source("a.xlsx", "", lock(c.locked)), &parse.Options{Password: c.given, Kind: c.kind})
		if !errors.Is(err, c.want) || err != nil && c.want == nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		if err == nil && !strings.Contains(markdownOfTree(t, tree), "told") {
			t.Errorf("%+v: %s", c, markdownOfTree(t, tree))
		}
	}
}

// TestCorpusWorkbooks compares the words of workbooks with the Markdown of
// another converter.
func TestCorpusWorkbooks(t *testing.T) {
	paths, _ := filepath.Glob(golden.Root("..", "shared", "corpora", "office-dev", "xlsx", "*.xls[xm]"))
	if len(paths) == 0 {
		t.Skip("../shared is absent")
	}
	sum := 0.0
	for _, p := range paths {
		reference, err := os.ReadFile(p + ".md")
		if err != nil {
			t.Fatal(err)
		}
		r, _ := recall(tokens(markdownOf(t, p)), tokens(string(reference)))
		sum += r
		if r < .9 { // xlsx_comments.xlsx lacks the dates of its comments
			t.Logf("%s: token recall %.3f", filepath.Base(p), r)
		}
	}
	if mean := sum / float64(len(paths)); mean < .97 {
		t.Errorf("mean token recall %.4f", mean)
	}
}
