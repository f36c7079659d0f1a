// SPDX-License-Identifier: Apache-2.0

package links_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"example.com/curlew/internal/links"
	"example.com/curlew/internal/test/golden"
)

func TestMarkdown(t *testing.T) {
	tests := []struct{ text, want string }{
		{"[a](/x) and [b](y \"title\")", "/x|/dir/y"},
		{"[a](<x y>)", "/dir/x%20y"},
		{"[a](x(1)(2))", "/dir/x(1)(2)"},
		{"[a](x\\)y)", "/dir/x)y"},
		{"[a](?a=1&amp;b=2)", "/dir/page?a=1&b=2"},
		{"[a](x 'unclosed)", ""},
		{"[a] (x)", ""},
		{"\\[a](x)", ""},
		{"![a](x)", ""},
		{"[![a](img)](x)", "/dir/x"},
		{"[a [b](x) c](y)", "/dir/x"},
		{"[a][r] [r][] [r] [no]\n\n[r]: /x 'title'\n", "/x|/x|/x"},
		{"![a][r]\n\n[r]: /x", ""},
		{"[^1]\n\n[^1]: http://n.test/", "http://n.test/"},
		{"<http://a.test/x> <mailto:a@b.test>", "http://a.test/x"},
		{"see http://a.test/x, (https://b.test/y) or www.c.test.", "http://a.test/x|https://b.test/y|http://www.c.test/"},
		{"http://a.test/x_(y) xhttp://b.test http:// www. HTTP://C.test", "http://a.test/x_(y)|http://c.test/"},
		{"[http://a.test](/x)", "/x"},
		{"`[a](x)` ``[b](`y)`` `[c](z)", "/dir/z"},
		{"```\n[a](x)\n```\n[b](y)\n~~~ md\n[c](z)\n", "/dir/y"},
		{"text\n\n    [a](x)\n\n[b](y)", "/dir/y"},
		{"text\n    [a](x)", "/dir/x"},
		{"- item\n\n    [a](x)\n\n          [b](code)\n", "/dir/x"},
		{"> ```\n> [a](x)\n> ```\n> [b](y)", "/dir/y"},
		{"1. ```\n   [a](x)\n   ```\n2. [b](y)", "/dir/y"},
		{"<!-- [a](x)\n\n[b](y) --> [c](z)", "/dir/z"},
		{"<a href=\"x\">[a](y)</a>", "/dir/y"},
		{"- a ` b\n- [x](x) ` c\n", "/dir/x"},
		{"# [a](x)\n[b](y)", "/dir/x|/dir/y"},
		{"\t[a](x)\n", ""},
		{"[a](http://é.test/ü?ö)", "http://xn--9ca.test/%C3%BC?%C3%B6"},
		{"[a](javascript:x)", ""},
		{"https://a.test/`code`", "https://a.test/"},
	}
	for _, tt := range tests {
		var got []string
		for _, l := range page(t).Markdown(tt.text).Links {
			got = append(got, strings.TrimPrefix(l.URL.String(), "http://h.test"))
		}
		if s := strings.Join(got, "|"); s != tt.want {
			t.Errorf("Markdown(%q) = %s, want %s", tt.text, s, tt.want)
		}
	}
}

func TestMarkdownText(t *testing.T) {
	f := page(t).Markdown("[one\n two](x) <http://a.test/>")
	if len(f.Links) != 2 || f.Links[0].Text != "one two" || f.Links[1].Text != "http://a.test/" {
		t.Errorf("links %+v", f.Links)
	}
}

// TestCommonMark compares with the links in the examples of the specification,
// which are the hrefs in their HTML.
func TestCommonMark(t *testing.T) {
	text, err := os.ReadFile(golden.Root("../shared/corpora/markdown/commonmark.json"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the shared corpora are absent: CommonMark's examples are not checked")
	}
	if err != nil {
		t.Fatal(err)
	}
	var examples []struct {
		Markdown, HTML string
		Example        int
	}
	if err := json.Unmarshal(text, &examples); err != nil {
		t.Fatal(err)
	}
	urls := func(f links.Found) string {
		var all []string
		for _, l := range f.Links {
			all = append(all, l.URL.String())
		}
		return strings.Join(all, " ")
	}
	wrong := 0
	for _, e := range examples {
		if strings.Contains(e.Markdown, "<a") {
			continue // raw HTML is not supported
		}
		got, want := urls(page(t).Markdown(e.Markdown)), urls(page(t).Scan(e.HTML))
		if got != want {
			wrong++
			t.Logf("example %d: %q = %s, want %s", e.Example, e.Markdown, got, want)
		}
	}
	t.Logf("%d of %d examples differ", wrong, len(examples))
	if wrong > 30 {
		t.Errorf("%d examples differ, want at most 30", wrong)
	}
}

// TestMarkdownHostile would take hours if the time were not linear.
func TestMarkdownHostile(t *testing.T) {
	const size = 1 << 20
	for _, piece := range []string{"[", "]", "[a](", "[a](<", "[a](x \"", "`", "``` `` ` ", "<!--", "<a ", "\\", "![", "[a][", "[a]: ", "(", "http://", "www.a", "> ", "- ", "\n", "<a:", "<a x=\">", "[a]\n", "1. "} {
		if f := page(t).Markdown(strings.Repeat(piece, size/len(piece))); len(f.Links) > size/len("www.a") {
			t.Errorf("%q: %d links", piece, len(f.Links))
		}
	}
	var ticks strings.Builder
	for i := 1; ticks.Len() < size; i++ {
		ticks.WriteString(strings.Repeat("`", i%2000) + " ")
	}
	if f := page(t).Markdown(ticks.String()); len(f.Links) > 0 {
		t.Errorf("backticks: %d links", len(f.Links))
	}
}
