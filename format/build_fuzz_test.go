// SPDX-License-Identifier: Apache-2.0

package format_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"example.com/curlew/format"
	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/test/golden"
)

// seedPages adds the pages of testdata/format and others as seeds.
func seedPages(f *testing.F, add func(src string)) {
	f.Helper()
	files, _ := filepath.Glob(golden.Testdata("format/*.html"))
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		add(string(data))
	}
	add(birds)
	add(herons)
	add(`<div id=root></div><script src=a.js></script><script type="application/ld+json">{"@context":"https://schema.org","@type":["Article","Product"],"name":"a\u0000 *b*","offers":[{"@type":"Offer","price":1}],"articleBody":"<p>c &lt; d\ud800"}</script>`)
	add("<frameset><frame src=a><frame src='javascript:b'><noframes><body><p>c</noframes></frameset>")
	add("\xff\xfe<\x00p\x00>\x00a\x00")
	add("<table><tr><td><ul><li><pre>a\n\n|b</pre><td rowspan=9 colspan=0>x</table><a href='x\ny'>[z](</a>\xe9\x80")
}

// FuzzEverything checks any input: every form is made and is UTF-8, the
// Markdown can be parsed, and a second run gives the same result.
func FuzzEverything(f *testing.F) {
	seedPages(f, func(src string) { f.Add([]byte(src), "text/html", "lamp") })
	f.Fuzz(func(t *testing.T, body []byte, contentType, query string) {
		make := func() (*format.Document, string) {
			d, err := dom.Parse(t.Context(), body, contentType)
			if err != nil {
				t.Fatal(err)
			}
			engine := format.Engine{
				Snapshots: new(format.MemorySnapshots), Loader: sheetMap{},
				Now: func() time.Time { return time.Unix(0, 0) },
			}
			doc, err := engine.Build(t.Context(), &format.Input{Root: d.Root, Raw: d.Text, Body: body, URL: pageURL, Charset: d.Charset, StatusCode: 200}, &format.Options{
				Forms: everyForm, Query: query, Question: query, JSON: format.Extraction{Deterministic: true},
				Attributes: []format.Attribute{{Selector: "*", Attribute: "class"}}, Changes: format.Changes{GitDiff: true, JSON: true},
			})
			if err != nil {
				t.Fatal(err)
			}
			return doc, encoded(t, doc)
		}
		doc, text := make()
		if _, again := make(); again != text {
			t.Error("two runs differ")
		}
		if !utf8.ValidString(text) || !utf8.ValidString(*doc.Markdown) || !utf8.ValidString(*doc.HTML) || !utf8.ValidString(*doc.RawHTML) {
			t.Errorf("not UTF-8: %q", text)
		}
		if strings.Contains(doc.Warning, "could not be made") {
			t.Errorf("a form broke: %s", doc.Warning)
		}
		if err := goldmark.New(goldmark.WithExtensions(extension.GFM)).Convert([]byte(*doc.Markdown), io.Discard); err != nil {
			t.Errorf("%v: %q", err, *doc.Markdown)
		}
	})
}

// FuzzRedacted checks that no form contains personal data, wherever it is on
// the page.
func FuzzRedacted(f *testing.F) {
	seedPages(f, func(src string) {
		for _, mark := range []string{"<p>", "href=", "</title>", "\"@type\"", "<style>", ""} {
			f.Add(src, strings.Index(src, mark)+len(mark), false)
		}
	})
	f.Fuzz(func(t *testing.T, src string, at int, loose bool) {
		at = min(max(at, 0), len(src))
		src = src[:at] + " planted@zq.example.org DE89370400440532013000 " + src[at:]
		mode := format.RedactFast
		if loose {
			mode = format.RedactAggressive
		}
		d := redacted(t, &format.Engine{Snapshots: new(format.MemorySnapshots)}, src, &format.Redact{Mode: mode})
		text := strings.ToLower(encoded(t, d))
		for _, leak := range []string{"planted@", "planted%40", "370400440532013"} {
			if strings.Contains(text, leak) {
				t.Errorf("%q is shown of %q: %s", leak, src, text)
			}
		}
	})
}
