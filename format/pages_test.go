// SPDX-License-Identifier: Apache-2.0

package format_test

import (
	"strings"
	"testing"

	"example.com/curlew/format"
)

// twoPages is a document of four pages. Its first paragraph continues on page 2, and page 3
// contains only the continuation of a paragraph.
const twoPages = `<section data-page=1 data-w=100 data-h=200><header data-role=running data-page=1>Head <a href="http://a.test/">link</a></header>
<h1 data-page=1 data-bbox="10 20 50 40" data-conf=1>Ü</h1><p data-page=1 data-bbox="10 50 300 60">one<wbr data-page=2 data-bbox="1 1 2 2"> two</p></section>
<section data-page=2 data-w=100 data-h=200><h1 data-page=2>Zwei</h1><p data-page=2>a` + "\uE000page\uE001" + `<wbr data-page=3>b</p></section><section data-page=3 data-w=100 data-h=200></section>
<section data-page=4 data-w=0 data-h=200><h2 data-page=4>Ü</h2></section>`

func paged(t *testing.T) *format.Input {
	t.Helper()
	return &format.Input{Root: tree(t, twoPages), NotWeb: true, PageStatus: map[int]string{1: "ok", 2: "partial", 3: "ok", 4: "failed"}}
}

func TestPages(t *testing.T) {
	doc, err := format.Build(t.Context(), paged(t), &format.Options{
		Forms: []format.Form{format.Markdown, format.HTML, format.RawHTML, format.Links}, Pages: true, Blocks: true, PageMarkers: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = "# Ü\n\none two\n\n---\n\n<!-- page 2 -->\n\n# Zwei\n\na\uE000page\uE001b\n\n---\n\n<!-- page 4 -->\n\n## Ü\n"
	if *doc.Markdown != want {
		t.Errorf("Markdown is %q, want %q", *doc.Markdown, want)
	}
	if strings.Contains(*doc.HTML, "data-") || strings.Contains(*doc.HTML, "Head") || strings.Contains(*doc.HTML, "---") {
		t.Errorf("HTML is %q", *doc.HTML)
	}
	if !strings.Contains(*doc.RawHTML, "data-bbox") || !strings.Contains(*doc.RawHTML, "Head") {
		t.Errorf("the raw HTML is %q", *doc.RawHTML)
	}
	if len(doc.Links) > 0 || doc.PageCount != 4 {
		t.Errorf("links %q, %d pages", doc.Links, doc.PageCount)
	}
	for i, want := range []string{"# Ü\n\none\n", "two\n\n# Zwei\n\na\uE000page\uE001\n", "b\n", "## Ü\n"} {
		if p := doc.Pages[i]; p.Number != i+1 || p.Markdown != want {
			t.Errorf("page %d is %q, want %q", p.Number, p.Markdown, want)
		}
	}
	if len(doc.Blocks) != 4 || doc.Blocks[1].Status != "partial" || doc.Blocks[2].Items == nil {
		t.Fatalf("blocks %+v", doc.Blocks)
	}
	first := doc.Blocks[0].Items
	if b := first[0]; b.Type != "page_header" || b.Span != nil || b.Box != nil || b.ID != "p1.b0" {
		t.Errorf("the first block is %+v", b)
	}
	if b := first[1]; b.Type != "title" || b.Label != "h1" || *b.Box != [4]float64{.1, .1, .5, .2} || *b.Confidence.Layout != 1 || b.Confidence.OCR != nil {
		t.Errorf("the second block is %+v", b)
	}
	if b := first[2]; b.Box[2] != 1 || b.Content != "one two" || b.Confidence.Layout != nil {
		t.Errorf("the third block is %+v", b)
	}
	if b := doc.Blocks[1].Items[0]; b.Type != "section_header" {
		t.Errorf("a second title: %+v", b)
	}
	if b := doc.Blocks[3].Items[0]; b.Box != nil {
		t.Errorf("a share of nothing: %+v", b)
	}
	runes := []rune(*doc.Markdown)
	for _, p := range doc.Blocks {
		for _, b := range p.Items {
			if b.Span != nil && string(runes[b.Span[0]:b.Span[1]]) != b.Content {
				t.Errorf("block %s is %q, its span says %q", b.ID, b.Content, string(runes[b.Span[0]:b.Span[1]]))
			}
		}
	}
}

// TestPagesOfOthers checks documents without pages, options that do not ask for pages, and
// excluded elements.
func TestPagesOfOthers(t *testing.T) {
	o := &format.Options{Pages: true, Blocks: true, PageMarkers: true}
	doc, err := format.Build(t.Context(), &format.Input{Root: tree(t, twoPages)}, o)
	if err != nil || doc.Pages != nil || doc.Blocks != nil || strings.Contains(*doc.Markdown, "page 2") {
		t.Errorf("a web page: %+v, %v", doc, err)
	}
	if doc, err = format.Build(t.Context(), paged(t), nil); err != nil || doc.Pages != nil || doc.Blocks != nil || strings.Contains(*doc.Markdown, "page 2") {
		t.Errorf("not asked for: %+v, %v", doc, err)
	}
	h1, err := format.ParseSelector("h1")
	if err != nil {
		t.Fatal(err)
	}
	o.Exclude, o.Forms = []format.Selector{h1}, []format.Form{}
	doc, err = format.Build(t.Context(), paged(t), o)
	if err != nil || doc.Markdown != nil || doc.Pages[0].Markdown != "one\n" || len(doc.Blocks[0].Items) != 2 {
		t.Errorf("without headings: %+v, %v", doc, err)
	}
}

func TestUnparsed(t *testing.T) {
	in := &format.Input{Body: []byte("%PDF"), NotWeb: true, Unparsed: true}
	doc, err := format.Build(t.Context(), in, &format.Options{Forms: []format.Form{format.Markdown, format.HTML, format.Links, format.Summary}})
	if err != nil || *doc.Markdown != "JVBERg==" || *doc.HTML != "JVBERg==" || len(doc.Links) != 0 || *doc.Summary != "" {
		t.Errorf("%+v, %v", doc, err)
	}
}

// TestPagesRedacted checks that pages and blocks contain no personal data.
func TestPagesRedacted(t *testing.T) {
	const mail = "jane.roe@example.org"
	in := &format.Input{
		Root:   tree(t, `<section data-page=1 data-w=100 data-h=200><p data-page=1 data-bbox="1 1 9 9">Write to `+mail+` soon</p></section>`),
		NotWeb: true, PageStatus: map[int]string{1: "ok"},
	}
	doc, err := format.Build(t.Context(), in, &format.Options{Forms: []format.Form{format.Markdown}, Pages: true, Blocks: true, Redact: &format.Redact{}})
	if err != nil {
		t.Fatal(err)
	}
	if len(doc.Pages) != 1 || len(doc.Blocks) != 1 || len(doc.Blocks[0].Items) != 1 {
		t.Fatalf("pages %+v, blocks %+v", doc.Pages, doc.Blocks)
	}
	for _, text := range []string{*doc.Markdown, doc.Pages[0].Markdown, doc.Blocks[0].Items[0].Content} {
		if strings.Contains(text, mail) || !strings.Contains(text, "EMAIL") {
			t.Errorf("%q", text)
		}
	}
}
