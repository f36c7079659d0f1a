// SPDX-License-Identifier: Apache-2.0

package format_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"example.com/curlew/format"
)

// randomPage returns a page of random elements, some of which contain words.
func randomPage(rng *rand.Rand) string {
	tags := []string{
		"div", "p", "nav", "aside", "header", "footer", "main", "article", "section", "ul", "li", "table", "tr", "td", "h1", "h2", "a href=/x",
		"span", "form", "blockquote", "dl", "dd", "details", "summary", "figure", "dialog", "noscript", "label", "b",
	}
	names := []string{
		"", "", "nav", "footer", "sidebar", "content", "post", "comments", "related", "cookie-banner", "modal", "ad", "menu", "product",
		"card", "share", "newsletter", "pagination", "login", "hero", "tablist", "tabpanel",
	}
	var b strings.Builder
	var open []string
	for range 5 + rng.IntN(60) {
		switch k := rng.IntN(10); {
		case k < 4:
			tag, name := tags[rng.IntN(len(tags))], names[rng.IntN(len(names))]
			fmt.Fprintf(&b, "<%s class=%q role=%q>", tag, name, name)
			bare, _, _ := strings.Cut(tag, " ")
			open = append(open, bare)
		case k < 6 && len(open) > 0:
			fmt.Fprintf(&b, "</%s>", open[len(open)-1])
			open = open[:len(open)-1]
		default:
			for range 1 + rng.IntN(1+rng.IntN(60)) {
				fmt.Fprintf(&b, "word%d ", rng.IntN(900))
			}
			b.WriteString(". ")
		}
	}
	return b.String()
}

// TestNeverEmpty checks that a page with visible words never gives an empty
// result. The result is the main content, or the page without navigation, or
// the whole page. A warning says if it is not the main content.
func TestNeverEmpty(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for range 400 {
		src := randomPage(rng)
		main := build(t, src, format.Options{})
		whole := build(t, src, format.Options{WholePage: true})
		got, all := *main.Markdown, *whole.Markdown
		if strings.Contains(all, "word") && !strings.Contains(got, "word") {
			t.Errorf("%s\ngives %q with warning %q, whole: %q", src, got, main.Warning, all)
		}
		if strings.Count(got, "word") > strings.Count(all, "word") {
			t.Errorf("%s\nthe main content has more than the page: %q, %q", src, got, all)
		}
	}
}
