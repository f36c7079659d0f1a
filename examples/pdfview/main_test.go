// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"example.com/curlew/internal/test/leak"
	"example.com/curlew/internal/test/pdftest"
)

func TestMain(m *testing.M) { leak.Main(m) }

// drawn runs the program and returns its output and its messages.
func drawn(t *testing.T, args ...string) (page, said string) {
	t.Helper()
	var out, status bytes.Buffer
	if err := run(t.Context(), args, &out, &status); err != nil {
		t.Fatal(err)
	}
	if _, err := html.Parse(bytes.NewReader(out.Bytes())); err != nil {
		t.Error(err)
	}
	return out.String(), status.String()
}

func TestRun(t *testing.T) {
	page, _ := drawn(t, "../../testdata/parse/report.pdf")
	for _, want := range []string{
		"<title>Orchard report</title>", "3 of 3 pages", `viewBox="0 0 612 792"`,
		`<g class="box h1" id="p1b1">`, ">1 h1</text>", "sure 1.00: Orchard report", // a heading with its number, level and confidence
		`<rect class="cell head" x="72" y="292" width="150" height="20"><title>Item</title>`, `<b>3 table</b>`, "4 cells; read as walls 2x2 1, columns 2x2 1", "Item Price Apples 3",
		`<g class="box page_header"`, `<g class="box page_number"`, `<span class="key list">`, `class="item"`, "2 items",
		">orchard</text>", "<b>Page 3</b>, 612 × 792 pt: ok",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing", want)
		}
	}
	// One arrow leads from each block to the next.
	if got, want := strings.Count(page, `class="arrow"`), 4+4+3; got != want {
		t.Errorf("%d arrows, want %d", got, want)
	}
	if strings.Contains(page, "<script") || strings.Contains(page, "ZgotmplZ") {
		t.Error("a script, or a value that the template refused")
	}
	if page, _ := drawn(t, "-pages", "1", "../../testdata/parse/report.pdf"); !strings.Contains(page, "1 of 3 pages") || strings.Contains(page, "Page 2") {
		t.Error("more than one page")
	}
}

// TestHidden checks that text from the file is escaped, and that omissions are
// reported.
func TestHidden(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.pdf")
	long := strings.Repeat(pdftest.Text("F1", 10, 72, 700, "plain text"), 3) + pdftest.Text("F1", 10, 72, 500, "<b onclick=x>")
	if err := os.WriteFile(file, pdftest.Pages(long+"1 g "+pdftest.Text("F1", 10, 72, 600, "obey")), 0o600); err != nil {
		t.Fatal(err)
	}
	page, _ := drawn(t, file)
	if strings.Contains(page, "obey") || !strings.Contains(page, "hidden-text: 4 characters") || strings.Contains(page, "<b onclick") {
		t.Error(page)
	}
	if page, _ = drawn(t, "-hidden", file); !strings.Contains(page, "obey") {
		t.Error("hidden text is not kept")
	}
}

func TestImage(t *testing.T) {
	page, said := drawn(t, "-image", "../../testdata/parse/report.pdf")
	images := strings.Count(page, `<image href="data:image/jpeg;base64,/9j/`)
	if _, err := exec.LookPath("pdftoppm"); err != nil {
		if images > 0 || !strings.Contains(said, "no images") {
			t.Errorf("without pdftoppm there are %d images; %q", images, said)
		}
		return
	}
	if images != 3 || said != "" {
		t.Errorf("%d images of 3 pages; %q", images, said)
	}
}

func TestRunErrors(t *testing.T) {
	for _, args := range [][]string{{}, {"a", "b"}, {"none.pdf"}, {"main.go"}, {"-x"}} {
		var out, status bytes.Buffer
		if err := run(t.Context(), args, &out, &status); err == nil || out.Len() > 0 {
			t.Errorf("run(%q) = %v, %q", args, err, out.String())
		}
	}
}
