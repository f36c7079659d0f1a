// SPDX-License-Identifier: Apache-2.0

package links_test

import (
	"fmt"
	"strings"
	"testing"
)

// article is a page of 36 KB with 80 links.
func article() string {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>A page &amp; more</title>" +
		"<link rel=\"stylesheet\" href=\"/style.css\"><script>var a = '<a href=no>';</script></head><body class=\"page\">\n<nav><ul>\n")
	for i := range 40 {
		fmt.Fprintf(&b, "<li class=\"nav-item item-%d\"><a class=\"nav-link\" href=\"/section/page-%d.html\" title=\"Page %d\">Page number %d</a></li>\n", i, i, i, i)
	}
	b.WriteString("</ul></nav><main>\n")
	for i := range 40 {
		fmt.Fprintf(&b, "<div class=\"block\" id=\"block-%d\"><h2>Heading %d</h2>\n<p>%s <a href=\"http://h.test/article/%d?ref=body\" rel=\"nofollow\">a link with some <b>bold</b> text</a>.</p>\n"+
			"<p>%s</p></div>\n", i, i, strings.Repeat("Some words of text that nobody reads. ", 6), i, strings.Repeat("More words, and more of them. ", 9))
	}
	b.WriteString("</main></body></html>")
	return b.String()
}

func BenchmarkScan(b *testing.B) {
	text, s := article(), page(b)
	if n := len(s.Scan(text).Links); n != 80 {
		b.Fatalf("%d links, want 80", n)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		s.Scan(text)
	}
}

func BenchmarkTree(b *testing.B) {
	text, s := article(), page(b)
	root, err := parse(text)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		s.Tree(root)
	}
}

// BenchmarkParse measures the work that Scan avoids.
func BenchmarkParse(b *testing.B) {
	text := article()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := parse(text); err != nil {
			b.Fatal(err)
		}
	}
}
