// SPDX-License-Identifier: Apache-2.0

package markdown_test

import (
	"io"
	"os"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"example.com/curlew/internal/test/golden"
	"example.com/curlew/markdown"
)

// BenchmarkRender writes the pages in testdata/markdown, and pages that repeat
// lists or inline content.
func BenchmarkRender(b *testing.B) {
	for _, c := range []struct{ name, src string }{
		{"article", readGolden(b, "article.html")},
		{"tables", readGolden(b, "tables.html")},
		{"lists", strings.Repeat("<ul><li>a <b>bold</b> <a href=/x>link</a></li><li><p>b</p><ol><li>c<li>d</ol></li></ul><blockquote><p>q</p></blockquote>", 50)},
		{"inline", strings.Repeat("<p>some <em>text</em> with <code>code</code>, <a href='https://example.com/a'>a link</a> and 1. *stars* _under_ [brackets]</p>", 100)},
	} {
		b.Run(c.name, func(b *testing.B) {
			root, err := html.Parse(strings.NewReader(c.src))
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := markdown.Render(b.Context(), io.Discard, root, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func readGolden(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(golden.Testdata("markdown", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
