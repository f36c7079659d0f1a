// SPDX-License-Identifier: Apache-2.0

package md_test

import (
	"errors"
	"strings"
	"testing"

	"example.com/curlew/internal/test/leak"
	"example.com/curlew/parse/internal/md"
)

func TestMain(m *testing.M) { leak.Main(m) }

func TestHTML(t *testing.T) {
	for _, c := range []struct{ name, text, body, title string }{
		{"empty", "", "", ""},
		{"paragraph", "# A\n\nb *c*", "<h1>A</h1>\n<p>b <em>c</em></p>\n", ""},
		{"table", "|a|b|\n|-|-:|\n|1|2|", "<table>\n<thead>\n<tr>\n<th>a</th>\n<th style=\"text-align:right\">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td style=\"text-align:right\">2</td>\n</tr>\n</tbody>\n</table>\n", ""},
		{"task list", "- [x] done", "<ul>\n<li><input checked=\"\" disabled=\"\" type=\"checkbox\"> done</li>\n</ul>\n", ""},
		{"bare link", "see https://example.org/x", "<p>see <a href=\"https://example.org/x\">https://example.org/x</a></p>\n", ""},
		{"raw HTML", "a <b>c</b>", "<p>a <b>c</b></p>\n", ""},
		{"front matter", "---\ntitle: \"The title\"\ntags: [a]\n---\ntext", "<p>text</p>\n", "The title"},
		{"front matter, CR LF", "---\r\ntitle: T\r\n...\r\ntext", "<p>text</p>\n", "T"},
		{"rule", "---\n\ntext", "<hr>\n<p>text</p>\n", ""},
		{"rule, never closed", "---\ntitle: x", "<hr>\n<p>title: x</p>\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			body, title, err := md.HTML(c.text)
			if err != nil {
				t.Fatal(err)
			}
			if string(body) != c.body || title != c.title {
				t.Errorf("HTML(%q) = %q, %q, want %q, %q", c.text, body, title, c.body, c.title)
			}
		})
	}
}

func TestHTMLRefuses(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"long", strings.Repeat("a\n\n", 1<<20)},
		{"quotes", strings.Repeat("> ", 300) + "a"},
		{"wide table", strings.Repeat("|a", 5000) + "\n" + strings.Repeat("|-", 5000) + "\n" + strings.Repeat("a\n", 5000)},
		{"long references", "[a]: " + strings.Repeat("x", 10_000) + "\n\n" + strings.Repeat("[a]\n\n", 100)},
	} {
		if _, _, err := md.HTML(c.text); !errors.Is(err, md.ErrRefused) {
			t.Errorf("%s: error %v, want ErrRefused", c.name, err)
		}
	}
}

// TestHTMLTakes reads large ordinary texts.
func TestHTMLTakes(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"list of links", strings.Repeat("- [name](https://example.org/path/to/page) - what it is, \"in words\"\n", 5000)},
		{"references", strings.Repeat("[name]: https://example.org/path/to/page\n", 3000) + "\n[name]"},
		{"table", "|a|b|c|\n|-|-|-|\n" + strings.Repeat("|1|2|[3](x)|\n", 3000)},
		{"prose", strings.Repeat("Some words in a paragraph (and more) of *text*.\n\n", 10_000)},
		{"rules", strings.Repeat("a\n\n"+strings.Repeat("-", 500)+"\n\n", 10)},
	} {
		if _, _, err := md.HTML(c.text); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{"# A\n\n- b\n  - c\n", "|a|\n|-|\n|b|", "---\ntitle: x\n---\n", "[a]: b 'c'\n\n[a]", "<div>\n*a*\n</div>", "> ```\n> x"} {
		f.Add(s)
	}
	for _, h := range hostile {
		f.Add(h.make(200))
	}
	f.Fuzz(func(t *testing.T, text string) {
		body, _, err := md.HTML(text)
		if err != nil && !errors.Is(err, md.ErrRefused) {
			t.Error(err)
		}
		if len(body) > 64*len(text)+1<<16 {
			t.Errorf("%d bytes became %d", len(text), len(body))
		}
	})
}

func BenchmarkHTML(b *testing.B) {
	text := strings.Repeat("## Head\n\nSome *text* with [a link](/x) and `code`.\n\n- one\n- two\n\n|a|b|\n|-|-|\n|1|2|\n\n", 500)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := md.HTML(text); err != nil {
			b.Fatal(err)
		}
	}
}
