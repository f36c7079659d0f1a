// SPDX-License-Identifier: Apache-2.0

package pdf_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/test/pdftest"
	"example.com/curlew/markdown"
	"example.com/curlew/parse/internal/pdf"
)

// fakeChild reads a text file as one paragraph with an ID and a link to that
// ID. It returns nil for other files.
func fakeChild(_ context.Context, name, _ string, data []byte, _ int) *html.Node {
	if !strings.HasSuffix(name, ".txt") {
		return nil
	}
	var b doctree.Builder
	body := b.Element(atom.Body)
	b.Text(b.Append(b.Append(body, atom.P, "id", "page-1"), atom.A, "href", "#page-1"), string(data))
	return body
}

// TestAttachments checks that the embedded files are listed and that each of
// them is read once.
func TestAttachments(t *testing.T) {
	var d pdftest.Document
	one := d.Stream("/Type /EmbeddedFile /Subtype /text#2Fplain", "One says this.")
	two := d.Stream("", "Two says that.")
	picture := d.Stream("/Subtype /image#2Fpng", "PNG")
	origin := d.Stream("", "The same again.")
	formula := d.Stream("/Subtype /application#2Fmathml+xml", "<math/>")
	blob := d.Stream("", strings.Repeat("x", 20<<10))
	spec := func(name string, stream int, more string) string {
		return fmt.Sprintf("<</Type /Filespec /F (%s) /EF <</F %d 0 R>> %s>>", name, stream, more)
	}
	onPage := d.Add("<</Type /Annot /Subtype /FileAttachment /Rect [72 600 90 620] /Contents (See two.txt) /FS " + spec("two.txt", two, "") + ">>")
	hidden := d.Add("<</Type /Annot /Subtype /FileAttachment /F 2 /Rect [72 600 90 620] /FS " + spec("hidden.txt", d.Stream("", "Hidden."), "") + ">>")
	d.Page(pdftest.Text("F1", 10, 72, 700, "A page with files."), pdftest.Fonts, fmt.Sprintf("/Annots [%d 0 R %d 0 R]", onPage, hidden))
	d.Catalog = "/AF [" + spec("origin.txt", origin, "/AFRelationship /Source") + "] /Names <</EmbeddedFiles <</Names [" +
		"(a) " + spec("folder/one.txt", one, "/UF (one.txt) /Desc (What one says)") + "(b) " + spec("again.txt", one, "") +
		"(c) " + spec("picture.png", picture, "") + "(d) " + spec("formula.xml", formula, "") + "(e) " + spec("blob", blob, "") +
		"(f) <</F (elsewhere.txt)>> (g) 5]>>>>"
	data := d.Bytes()
	doc, err := pdf.Read(t.Context(), bytes.NewReader(data), int64(len(data)), pdf.Options{Extras: true, Child: fakeChild})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := markdown.Render(t.Context(), &b, doc.Root, nil); err != nil {
		t.Fatal(err)
	}
	want := "A page with files.[^1]\n\n## Attachments\n\n" +
		"- one.txt (text/plain, 14 bytes): What one says\n- picture.png (image/png, 3 bytes)\n- blob (20 KiB)\n- origin.txt (15 bytes)\n- two.txt (14 bytes)\n\n" +
		"## one.txt\n\n[One says this.](#file-1-page-1)\n\n## two.txt\n\n[Two says that.](#file-5-page-1)\n\n[^1]: See two.txt"
	if got := strings.TrimSpace(b.String()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	var unread []string
	for _, w := range doc.Warnings {
		if w.Code == "attachment-unread" {
			unread = append(unread, w.Text)
		}
	}
	if got := strings.Join(unread, " "); got != `The attachment "blob" was not read.` {
		t.Errorf("not read: %s", got)
	}
}

// TestAttachmentBounds reads a name tree that contains itself, and more
// files than the maximum.
func TestAttachmentBounds(t *testing.T) {
	var d pdftest.Document
	var names strings.Builder
	for i := range 3 * 100 {
		fmt.Fprintf(&names, "(%d) <</F (%d.txt) /EF <</F %d 0 R>>>>", i, i, d.Stream("", "text"))
	}
	const node = 303 // object number that follows those of the catalog, the page tree and the files
	d.Add(fmt.Sprintf("<</Kids [%d 0 R %d 0 R]>>", node, node+1))
	d.Add("<</Names [" + names.String() + "]>>")
	d.Page(pdftest.Text("F1", 10, 72, 700, "A page with files."), pdftest.Fonts, "")
	d.Catalog = fmt.Sprintf("/Names <</EmbeddedFiles %d 0 R>>", node)
	data := d.Bytes()
	calls := 0
	doc, err := pdf.Read(t.Context(), bytes.NewReader(data), int64(len(data)), pdf.Options{
		Extras: true,
		Child:  func(context.Context, string, string, []byte, int) *html.Node { calls++; return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	if calls != 100 {
		t.Errorf("%d files were read, want 100", calls)
	}
	want := pdf.Warning{Code: "truncated", Text: `The document has more attached files than are read: from "100.txt" on, 200 were left out.`}
	if !slices.Contains(doc.Warnings, want) {
		t.Errorf("no count among the %d warnings", len(doc.Warnings))
	}
	want = pdf.Warning{Code: "attachment-unread", Text: "There is 1 more warning."}
	if got := doc.Warnings[len(doc.Warnings)-1]; got != want || len(doc.Warnings) != 101 {
		t.Errorf("the last of %d warnings is %v, want %v", len(doc.Warnings), got, want)
	}
}
