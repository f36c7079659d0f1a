// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"example.com/curlew/internal/test/pdftest"
	"example.com/curlew/internal/zipxml"
)

// portfolio returns a PDF with embedded files.
func portfolio(text string, files map[string][]byte) []byte {
	var d pdftest.Document
	d.Page(pdftest.Text("F1", 10, 72, 700, text), pdftest.Fonts, "")
	var names strings.Builder
	for name, data := range files {
		fmt.Fprintf(&names, "(%s) <</Type /Filespec /F (%s) /EF <</F %d 0 R>>>>", name, name, d.Stream("", string(data)))
	}
	d.Catalog = "/Collection <</View /D>> /Names <</EmbeddedFiles <</Names [" + names.String() + "]>>>>"
	return d.Bytes()
}

// TestPortfolio reads PDFs nested in PDFs, up to the same depth as documents
// of other kinds.
func TestPortfolio(t *testing.T) {
	data := portfolio("At the bottom.", nil)
	for i := 4; i >= 1; i-- {
		data = portfolio(fmt.Sprintf("At level %d.", i), map[string][]byte{"next.pdf": data})
	}
	var e Engine
	tree, err := e.Parse(t.Context(), Source{Data: bytes.NewReader(data), Size: int64(len(data))}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := html.Render(&b, tree.Root); err != nil {
		t.Fatal(err)
	}
	for i := 1; i <= 4; i++ {
		if want := fmt.Sprintf("At level %d.", i); strings.Count(b.String(), want) != 1 {
			t.Errorf("%d of %q", strings.Count(b.String(), want), want)
		}
	}
	if strings.Contains(b.String(), "bottom") {
		t.Error("it is read to the bottom")
	}
	found := false
	for _, w := range tree.Warnings {
		found = found || w.Code == WarnAttachment
	}
	if !found {
		t.Errorf("no warning of what was not read: %v", tree.Warnings)
	}
	for n := range tree.Root.Descendants() {
		for _, a := range n.Attr {
			if a.Key == "id" && strings.Count(b.String(), `id="`+a.Val+`"`) != 1 {
				t.Errorf("id %s twice", a.Val)
			}
		}
	}
}

// TestPortfolioBudget checks that PDFs inside a document use what is left of
// its decompression budget.
func TestPortfolioBudget(t *testing.T) {
	small, large := portfolio("Small.", nil), portfolio(strings.Repeat("Large. ", 1000), nil)
	in := &input{limits: Limits{}.withDefaults(), budget: zipxml.NewBudget(4096)}
	if in.child(t.Context(), "small.pdf", "", small, 1000) == nil {
		t.Error("the small one was not read")
	}
	left := in.budget.Left()
	if left >= 4096 {
		t.Errorf("%d bytes left of 4096", left)
	}
	if body := in.child(t.Context(), "large.pdf", "", large, 1000); body != nil {
		var b strings.Builder
		if err := html.Render(&b, body); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(b.String(), "Large."); n > 4096/len("Large. ") {
			t.Errorf("%d words were read from a budget of %d bytes", n, left)
		}
	}
}
