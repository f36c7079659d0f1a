// SPDX-License-Identifier: Apache-2.0

package format_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/format"
)

// chunksOf builds the chunks of a page and checks that they cover its Markdown
// and that their spans are right.
func chunksOf(t *testing.T, in *format.Input, o format.Options) (*format.Document, []string) {
	t.Helper()
	o.Forms = []format.Form{format.ChunksForm, format.Markdown}
	doc, err := format.Build(t.Context(), in, &o)
	if err != nil {
		t.Fatal(err)
	}
	runes := []rune(*doc.Markdown)
	covered := 0
	var list []string
	for i, c := range doc.Chunks {
		if c.Start < 0 || c.End > len(runes) || c.Start >= c.End || !strings.Contains(c.Text, string(runes[c.Start:c.End])) {
			t.Fatalf("chunk %d is %+v of %d characters", i, c, len(runes))
		}
		if c.Start > covered && strings.TrimSpace(string(runes[covered:c.Start])) != "" {
			t.Errorf("no chunk has %q", string(runes[covered:c.Start]))
		}
		covered = max(covered, c.End)
		where := strings.Join(c.Headings, " > ")
		if c.Page > 0 {
			where += fmt.Sprint(" page ", c.Page)
		}
		if c.Sheet != "" {
			where += " sheet " + c.Sheet
		}
		list = append(list, where+": "+strings.ReplaceAll(c.Text, "\n", "/"))
	}
	if strings.TrimSpace(string(runes[covered:])) != "" {
		t.Errorf("no chunk has %q", string(runes[covered:]))
	}
	alone := o
	alone.Forms = []format.Form{format.ChunksForm}
	only, err := format.Build(t.Context(), in, &alone)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(doc.Chunks, only.Chunks); d != "" || only.Markdown != nil {
		t.Errorf("without Markdown the chunks differ: %s", d)
	}
	return doc, list
}

func TestChunks(t *testing.T) {
	long := strings.Repeat("The duck swims on the lake. ", 50)
	sheets := `<section data-sheet="Röm"><h2>Röm</h2><table data-table=sheet><thead><tr><th>a</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table></section>` +
		`<section data-sheet=B><h2>B</h2><table data-table=sheet><thead><tr><th>a</th></tr></thead><tbody><tr><td>2</td></tr></tbody></table></section>`
	ref := func(n int) string {
		return fmt.Sprintf(`<sup><a role=doc-noteref href="#fn-%d">%[1]d</a></sup>`, n)
	}
	note := func(n int) string { return fmt.Sprintf(`<li id=fn-%d role=doc-footnote>n%[1]d</li>`, n) }
	slides := `<section data-slide=1><h1>Title</h1></section><section data-slide=2><h2>Two</h2><p>` + long + `</p></section><section data-slide=3><h2>Three</h2><p>x</p></section>`
	for _, c := range []struct {
		what string
		in   *format.Input
		o    format.Options
		want []string
	}{
		{
			"pages", paged(t),
			format.Options{},
			[]string{"Ü page 1: # Ü//one two", "Zwei page 2: # Zwei//a\uE000page\uE001b//## Ü"},
		},
		{
			"pages with marks", paged(t),
			format.Options{PageMarkers: true},
			[]string{"Ü page 1: # Ü//one two//---//<!-- page 2 -->", "Zwei page 2: # Zwei//a\uE000page\uE001b//---//<!-- page 4 -->//## Ü"},
		},
		{
			"sheets", &format.Input{Root: tree(t, sheets), NotWeb: true},
			format.Options{},
			[]string{"Röm sheet Röm: ## Röm//| a |/| --- |/| 1 |", "B sheet B: ## B//| a |/| --- |/| 2 |"},
		},
		{
			"slides", &format.Input{Root: tree(t, slides), NotWeb: true},
			format.Options{Chunks: format.Chunking{Size: 400}},
			[]string{"Title page 1: # Title", "Title > Two page 2: ## Two//" + strings.TrimSpace(long), "Title > Three page 3: ## Three//x"},
		},
		{
			"notes belong to the slide that refers to them",
			&format.Input{Root: tree(t, `<section data-slide=1><h2>One</h2><p>a`+ref(1)+`</p></section><section data-slide=2><h2>Two</h2><p>b`+ref(2)+`</p></section>`+
				`<section role=doc-endnotes><ol>`+note(1)+note(2)+`</ol></section>`), NotWeb: true},
			format.Options{},
			[]string{"One page 1: ## One//a[^1]", "Two page 2: ## Two//b[^2]", "One page 1: [^1]: n1", "Two page 2: [^2]: n2"},
		},
		{
			"documents in a document",
			&format.Input{Root: tree(t, `<h1>Mail</h1><p>a</p><section data-role=attachment><h2>f.xlsx</h2><section data-sheet=S><h2>S</h2><p>b</p></section></section>`+
				`<section data-role=attachment><h2>g.docx</h2><h1>G</h1><p>c</p></section><section data-role=attachment><h2>h.docx</h2><p>d</p><figure data-role=object><figcaption>o</figcaption>`+
				`<div data-sheet=T><h2>T</h2><p>e</p></div></figure><p>f</p></section>`), NotWeb: true},
			format.Options{},
			[]string{
				"Mail: # Mail//a//## f.xlsx", "Mail > f.xlsx > S sheet S: ## S//b", "Mail: ## g.docx//# G//c//## h.docx//d//o",
				"Mail > h.docx > T sheet T: ## T//e", "Mail > h.docx: f",
			},
		},
		{
			"a web page", &format.Input{Root: tree(t, "<main><h1>A</h1><p>one</p><h2>B</h2><p>two</p></main>"), URL: "http://a.test/"},
			format.Options{},
			[]string{"A: # A//one//## B//two"},
		},
		{"text", &format.Input{Raw: "# A\n\nb\n", Verbatim: true, NotWeb: true}, format.Options{}, []string{"A: # A//b"}},
		{"code", &format.Input{Raw: `{"a":1}`, Lang: "json", NotWeb: true}, format.Options{}, []string{": ```json/{/  \"a\": 1/}/```"}},
		{"nothing", &format.Input{}, format.Options{}, nil},
	} {
		doc, got := chunksOf(t, c.in, c.o)
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.what, d)
		}
		if doc.Chunks == nil {
			t.Errorf("%s: the chunks are absent", c.what)
		}
	}
}

// TestChunksRedacted checks that chunks contain no personal data and have the right pages.
func TestChunksRedacted(t *testing.T) {
	in := &format.Input{
		Root:   tree(t, `<section data-page=1><p>one</p></section><section data-page=2><h1>Write</h1><p>to jane.roe@example.org soon</p></section>`),
		NotWeb: true, PageStatus: map[int]string{1: "ok", 2: "ok"},
	}
	_, got := chunksOf(t, in, format.Options{Redact: &format.Redact{}})
	if d := cmp.Diff([]string{" page 1: one", "Write page 2: # Write//to <EMAIL> soon"}, got); d != "" {
		t.Error(d)
	}
}

func TestChunkOptions(t *testing.T) {
	in := &format.Input{Root: tree(t, "<p>a</p>")}
	for _, c := range []struct {
		o  format.Chunking
		ok bool
	}{
		{format.Chunking{}, true},
		{format.Chunking{Size: 200, Overlap: 100}, true},
		{format.Chunking{Overlap: 500}, true},
		{format.Chunking{Size: 199}, false},
		{format.Chunking{Size: 8001}, false},
		{format.Chunking{Size: 200, Overlap: 101}, false},
		{format.Chunking{Overlap: -1}, false},
	} {
		_, err := format.Build(t.Context(), in, &format.Options{Forms: []format.Form{format.ChunksForm}, Chunks: c.o})
		if (err == nil) != c.ok || err != nil && !errors.Is(err, format.ErrForm) {
			t.Errorf("%+v: %v", c.o, err)
		}
	}
	doc, err := format.Build(t.Context(), &format.Input{Body: []byte("%PDF"), NotWeb: true, Unparsed: true}, &format.Options{Forms: []format.Form{format.ChunksForm}})
	if err != nil || len(doc.Chunks) > 0 || doc.Chunks == nil || doc.Warning == "" {
		t.Errorf("of a document that was not parsed: %+v, %v", doc, err)
	}
}
