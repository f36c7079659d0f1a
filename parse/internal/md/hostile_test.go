// SPDX-License-Identifier: Apache-2.0

package md_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.com/curlew/parse/internal/md"
)

// hostile has texts of about n bytes that are known to cause trouble in
// Markdown parsers.
var hostile = []struct {
	name string
	make func(n int) string
}{
	{"quotes", func(n int) string { return strings.Repeat(">", n) + "a" }},
	{"lists", func(n int) string { return strings.Repeat("- ", n/2) + "a" }},
	{"brackets", func(n int) string { return strings.Repeat("[", n) }},
	{"brackets both", func(n int) string { return strings.Repeat("[", n/2) + strings.Repeat("]", n/2) }},
	{"links", func(n int) string { return strings.Repeat("[a](", n/4) }},
	{"links in angles", func(n int) string { return strings.Repeat("[a](< ", n/6) }},
	{"links with titles", func(n int) string { return strings.Repeat("[a](b \"c\n", n/10) }},
	{"links with open titles", func(n int) string { return "\"" + strings.Repeat("[a](b 'c\n", n/10) }},
	{"links with brackets for titles", func(n int) string { return strings.Repeat("[a](b (c\n", n/10) }},
	{"definitions with titles", func(n int) string { return strings.Repeat("[a]: b \"c\n", n/10) }},
	{"open brackets in lines", func(n int) string { return strings.Repeat("[a\n", n/3) }},
	{"brackets in lines", func(n int) string { return strings.Repeat("[a][b][c\n]", n/11) }},
	{"link ends", func(n int) string { return strings.Repeat("](", n/2) }},
	{"images", func(n int) string { return strings.Repeat("![", n/2) + "a" + strings.Repeat("](b)", n/8) }},
	{"emphasis", func(n int) string { return strings.Repeat("*a _b ", n/6) }},
	{"emphasis that changes", func(n int) string { return strings.Repeat("*a_", n/3) }},
	{"emphasis nested", func(n int) string { return strings.Repeat("*a **b ", n/14) + strings.Repeat("c** d*", n/14) }},
	{"stars", func(n int) string { return strings.Repeat("*", n) + "a" + strings.Repeat("*", n) }},
	{"star pairs", func(n int) string { return strings.Repeat("a**b", n/4) + strings.Repeat("c* ", n/4) }},
	{"tildes", func(n int) string { return strings.Repeat("~~a ", n/4) }},
	{"backticks", func(n int) string {
		var b strings.Builder
		for i := 1; b.Len() < n; i++ {
			b.WriteString("e" + strings.Repeat("`", i))
		}
		return b.String()
	}},
	{"angles", func(n int) string { return strings.Repeat("<a ", n/3) }},
	{"comments", func(n int) string { return strings.Repeat("a <!-- ", n/7) }},
	{"instructions", func(n int) string { return "a" + strings.Repeat(" <?", n/3) }},
	{"declarations", func(n int) string { return "a" + strings.Repeat(" <!A", n/4) }},
	{"cdata", func(n int) string { return "a" + strings.Repeat(" <![CDATA[", n/10) }},
	{"references", func(n int) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, "[r%d]: x\n", i)
		}
		return b.String()
	}},
	{"reference use", func(n int) string { return "[a]: " + strings.Repeat("x", n/2) + "\n\n" + strings.Repeat("[a]", n/6) }},
	{"table rows", func(n int) string {
		return strings.Repeat("|a", n/8) + "\n" + strings.Repeat("|-", n/8) + "\n" + strings.Repeat("a\n", n/4)
	}},
	{"table heads", func(n int) string { return strings.Repeat("|a\n|-\n", n/6) }},
	{"autolinks", func(n int) string { return strings.Repeat("http://a.b", n/10) }},
	{"autolink brackets", func(n int) string { return "http://a.b" + strings.Repeat(")", n) }},
	{"autolink underscores", func(n int) string { return strings.Repeat("www._", n/5) }},
	{"emails", func(n int) string { return strings.Repeat("a@", n/2) }},
	{"entities", func(n int) string { return strings.Repeat("&", n) }},
	{"backslashes", func(n int) string { return strings.Repeat(`\`, n) }},
	{"setext", func(n int) string { return strings.Repeat("a\n", n/2) + "===" }},
	{"deep indent", func(n int) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			b.WriteString(strings.Repeat(" ", 2*i) + "- a\n")
		}
		return b.String()
	}},
	{"blank quote lines", func(n int) string { return strings.Repeat("> - a\n>\n", n/8) }},
	{"fences", func(n int) string { return strings.Repeat("```\n", n/4) }},
	{"spaces", func(n int) string { return "a" + strings.Repeat(" ", n) + "b" }},
	{"task boxes", func(n int) string { return strings.Repeat("- [ ] a\n", n/8) }},
}

// TestHostile checks that each text gives a result or ErrRefused.
// BenchmarkHostile measures the time.
func TestHostile(t *testing.T) {
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			body, _, err := md.HTML(h.make(128 << 10))
			if err != nil && !errors.Is(err, md.ErrRefused) {
				t.Fatal(err)
			}
			if len(body) > 4<<20 {
				t.Errorf("128 KiB became %d bytes", len(body))
			}
		})
	}
}

func BenchmarkHostile(b *testing.B) {
	for _, h := range hostile {
		for _, size := range []int{1 << 19, 1 << 20, 2<<20 - 100} {
			b.Run(fmt.Sprintf("%s/%dK", h.name, size>>10), func(b *testing.B) {
				text := h.make(size)
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					_, _, _ = md.HTML(text) // either result is fine
				}
			})
		}
	}
}
