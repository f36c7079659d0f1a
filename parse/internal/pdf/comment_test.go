// SPDX-License-Identifier: Apache-2.0

package pdf_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/test/pdftest"
	"example.com/curlew/markdown"
	"example.com/curlew/parse/internal/pdf"
)

// annotated writes a page with lines of text and the given annotations,
// whose object numbers begin at 5. Object 3 is the content stream and object
// 4 the page.
func annotated(annots ...string) []byte {
	var d pdftest.Document
	var refs strings.Builder
	for i := range annots {
		fmt.Fprintf(&refs, "%d 0 R ", 5+i)
	}
	d.Page(pdftest.Text("F1", 10, 72, 700, "The first line of the page says this.")+pdftest.Text("F1", 10, 72, 600, "Far below it stands another sentence."),
		pdftest.Fonts, "/Annots ["+refs.String()+"]")
	for _, a := range annots {
		d.Add("<</Type /Annot " + a + ">>")
	}
	return d.Bytes()
}

// TestComments checks how annotations are rendered.
func TestComments(t *testing.T) {
	const first, second = "The first line of the page says this.", "Far below it stands another sentence."
	quad := func(x0, x1, y0, y1 int) string {
		return fmt.Sprintf("/Rect [%d %d %d %d] /QuadPoints [%d %d %d %d %d %d %d %d]", x0, y0, x1, y1, x0, y1, x1, y1, x0, y0, x1, y0)
	}
	tests := map[string]struct {
		annots []string
		want   string
	}{
		"in the order of what they are on": {
			[]string{
				"/Subtype /Text /Rect [400 595 420 615] /Contents (Below.)",
				"/Subtype /Text /Rect [400 695 420 715] /Contents (Above.) /T (Ann) /M (D:20240131120000Z)",
			},
			first + "[^1]\n\n" + second + "[^2]\n\n[^1]: **Ann** (2024-01-31T12:00): Above.\n\n[^2]: Below.",
		},
		"answers stand with what they answer": {
			[]string{
				"/Subtype /Highlight " + quad(72, 90, 698, 710) + " /Contents (Why?) /T (Ann)",
				"/Subtype /Text /Rect [0 0 20 20] /Contents (So.) /T (Ben) /IRT 5 0 R",
				"/Subtype /Text /Rect [0 0 20 20] /Contents (Thanks.) /T (Ann) /IRT 6 0 R /RT /R",
			},
			first + "[^1]\n\n" + second + "\n\n[^1]: **Ann**: Why?\n\n    - **Ben**: So.\n    - **Ann**: Thanks.",
		},
		"answers to a mark without a text": {
			[]string{
				"/Subtype /Highlight " + quad(72, 90, 598, 610),
				"/Subtype /Text /Rect [0 0 20 20] /Contents (Wrong.) /IRT 5 0 R",
				"/Subtype /Text /Rect [0 0 20 20] /Contents (Right.) /IRT 5 0 R",
			},
			first + "\n\n" + second + "[^1]\n\n[^1]: Wrong.\n\n    - Right.",
		},
		"answers before what they answer": {
			[]string{
				"/Subtype /Text /Rect [0 0 20 20] /Contents (So.) /IRT 6 0 R",
				"/Subtype /Text /Rect [400 695 420 715] /Contents (Why?)",
			},
			first + "[^1]\n\n" + second + "\n\n[^1]: Why?\n\n    - So.",
		},
		"hidden ones, with their answers": {
			[]string{
				"/Subtype /Text /Rect [400 595 420 615] /F 2 /Contents (Hidden.)",
				"/Subtype /Text /Rect [400 595 420 615] /IRT 5 0 R /Contents (Hidden with it.)",
				"/Subtype /Text /Rect [400 595 420 615] /F 32 /Contents (Not to be viewed.)",
			},
			first + "\n\n" + second,
		},
		"states, groups, windows, links, fields": {
			[]string{
				"/Subtype /Text /Rect [400 595 420 615] /Contents (Accepted by Ann) /State (Accepted) /StateModel (Review)",
				"/Subtype /Text /Rect [400 595 420 615] /Contents (Part of it) /IRT 5 0 R /RT /Group",
				"/Subtype /Popup /Rect [400 595 420 615] /Contents (Window)",
				"/Subtype /Link /Rect [400 595 420 615] /Contents (Where it leads)",
				"/Subtype /Widget /Rect [400 595 420 615] /Contents (What to fill in)",
			},
			first + "\n\n" + second,
		},
		"what repeats the text that it marks": {
			[]string{
				"/Subtype /Highlight " + quad(72, 240, 698, 710) + " /Contents (The first line of the page says this)",
				"/Subtype /Underline " + quad(72, 240, 598, 610) + " /Contents (sentence)",
			},
			first + "\n\n" + second + "[^1]\n\n[^1]: sentence",
		},
		"lines are paragraphs": {
			[]string{"/Subtype /Caret /Rect [72 700 80 710] /Contents (One.\\r\\rTwo.)"},
			first + "[^1]\n\n" + second + "\n\n[^1]: One.\n\n    Two.",
		},
		"free text is text of the page": {
			[]string{
				"/Subtype /FreeText /Rect [72 400 300 460] /DA (/F1 12 Tf) /Contents (Set by a reviewer of the page, as viewers show it.)",
			},
			first + "\n\n" + second + "\n\nSet by a reviewer of the page, as viewers show it.",
		},
		"free text that is hidden": {
			[]string{"/Subtype /FreeText /F 2 /Rect [72 400 300 460] /Contents (Nobody sees it.)"},
			first + "\n\n" + second,
		},
		"an author's marks are text": {
			[]string{"/Subtype /Text /Rect [400 695 420 715] /T (<b>Ann</b>) /Contents (<script>x</script>)"},
			first + "[^1]\n\n" + second + "\n\n[^1]: **\\<b>Ann\\</b>**: \\<script>x\\</script>",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := render(t, annotated(test.annots...)); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// TestCommentForm checks the nodes of a comment.
func TestCommentForm(t *testing.T) {
	data := annotated("/Subtype /Text /Rect [400 695 420 715] /Contents (Above.) /T (Ann) /M (D:20240131120000Z)")
	d, err := pdf.Read(t.Context(), bytes.NewReader(data), int64(len(data)), pdf.Options{Extras: true})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := html.Render(&b, d.Root); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<sup><a role="doc-noteref" href="#comment-1" data-note="comment">comment 1</a></sup></p>`,
		`<section role="doc-endnotes"><ol><li id="comment-1" role="doc-footnote" data-note="comment" data-author="Ann"` +
			` data-date="2024-01-31T12:00:00Z" data-page="1" data-bbox="400 77 420 97"><strong>Ann</strong> (2024-01-31T12:00): Above.</li></ol></section>`,
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in\n%s", want, b.String())
		}
	}
	if page := doctree.Page(d.Root, 1); page == nil {
		t.Error("no page 1")
	} else if b.Reset(); html.Render(&b, page) != nil || !strings.Contains(b.String(), "Above.") {
		t.Errorf("the page lacks its comment: %s", b.String())
	}
}

// TestExtras checks that comments are included only if Options.Extras is
// set.
func TestExtras(t *testing.T) {
	data := annotated("/Subtype /Text /Rect [300 700 320 720] /Contents (Is that so?)")
	for _, extras := range []bool{false, true} {
		d, err := pdf.Read(t.Context(), bytes.NewReader(data), int64(len(data)), pdf.Options{Extras: extras})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := markdown.Render(t.Context(), &b, d.Root, nil); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.String(), "Is that so?"); got != extras {
			t.Errorf("%v: %s", extras, b.String())
		}
	}
}

// TestManyComments checks the limits of comments with a page whose many
// annotations share one long text and one rectangle.
func TestManyComments(t *testing.T) {
	var d pdftest.Document
	long := d.Add("(" + strings.Repeat("So much. ", 20_000) + ")")
	one := d.Add(fmt.Sprintf("<</Subtype /Text /Rect [400 695 420 715] /Contents %d 0 R>>", long))
	other := d.Add("<</Subtype /Highlight /Rect [72 695 420 715] /Contents (short)>>")
	few := strings.Repeat(fmt.Sprintf("%d 0 R ", one), 1000) + strings.Repeat(fmt.Sprintf("%d 0 R ", other), 10_000)
	for range 4 {
		d.Page(pdftest.Text("F1", 10, 72, 700, "The first line of the page says this."), pdftest.Fonts, "/Annots ["+few+"]")
	}
	data := d.Bytes()
	doc, err := pdf.Read(t.Context(), bytes.NewReader(data), int64(len(data)), pdf.Options{Extras: true})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := html.Render(&b, doc.Root); err != nil {
		t.Fatal(err)
	}
	if b.Len() > 20<<20 {
		t.Errorf("%d bytes of %d", b.Len(), len(data))
	}
	want := pdf.Warning{Code: "truncated", Page: 1, Text: "The document has more comments than are read: from this page on, 43487 were left out."}
	if !slices.Contains(doc.Warnings, want) {
		t.Errorf("no count in %v", doc.Warnings)
	}
}
