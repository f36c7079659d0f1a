// SPDX-License-Identifier: Apache-2.0

package markdown_test

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	goldhtml "github.com/yuin/goldmark/renderer/html"
	"golang.org/x/net/html"
)

// Random pages consist of these pieces.
var (
	randomWords = []string{
		"word", "two words", "*", "**", "_", "__", "snake_case", "`", "``", "[", "]", "](", "[x](y)", "![", "!", "<", "<b>", "&", "&amp;", "#", "##",
		"~", "~~", "\\", "\\*", "|", "-", "+", "1.", "2)", ">", "===", "---", "***", "```", "~~~", ":", "(", ")", "「", "」", "語", "é", "5", ".", ",", "www", "| - |",
	}
	randomInline = []string{"em", "strong", "del", "a", "code", "span", "b", "i", "kbd"}
	randomBlock  = []string{"p", "div", "ul", "ol", "blockquote", "h2", "pre", "table", "details", "p", "p"}
)

type random struct {
	*rand.Rand
	b strings.Builder
}

func (r *random) pick(of []string) string { return of[r.IntN(len(of))] }

func (r *random) inline(depth int) {
	for range 1 + r.IntN(4) {
		switch n := r.IntN(8); {
		case n < 4 || depth == 0:
			r.b.WriteString(html.EscapeString(r.pick(randomWords)))
			if r.IntN(2) == 0 {
				r.b.WriteString(" ")
			}
		case n == 4:
			r.b.WriteString("<br>")
		default:
			tag := r.pick(randomInline)
			attr := ""
			if tag == "a" {
				attr = ` href="/x"`
			}
			r.b.WriteString("<" + tag + attr + ">")
			r.inline(depth - 1)
			r.b.WriteString("</" + tag + ">")
		}
	}
}

func (r *random) blocks(depth int) {
	for range 1 + r.IntN(3) {
		tag := r.pick(randomBlock)
		r.b.WriteString("<" + tag + ">")
		switch {
		case tag == "ul" || tag == "ol":
			for range 1 + r.IntN(3) {
				r.b.WriteString("<li>")
				if r.IntN(3) == 0 && depth > 0 {
					r.blocks(depth - 1)
				} else {
					r.inline(2)
				}
				r.b.WriteString("</li>")
			}
		case tag == "table":
			for range 2 {
				r.b.WriteString("<tr>")
				for range 2 {
					r.b.WriteString("<th>")
					r.inline(2)
					r.b.WriteString("</th>")
				}
				r.b.WriteString("</tr>")
			}
		case tag == "pre":
			r.b.WriteString(html.EscapeString(r.pick(randomWords)) + "\n" + html.EscapeString(r.pick(randomWords)))
		case depth > 0 && tag != "p" && tag != "h2" && r.IntN(2) == 0:
			r.blocks(depth - 1)
		default:
			r.inline(3)
		}
		r.b.WriteString("</" + tag + ">")
	}
}

// shown returns the text of the HTML text src without white space.
func shown(t *testing.T, src string) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(src))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), "")
}

var long = flag.Bool("long", false, "more random pages")

// TestRandom writes random pages as Markdown, reads it back and checks that no
// character was lost or added.
func TestRandom(t *testing.T) {
	gm := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList))
	pages := 3_000
	if *long {
		pages = 100_000
	}
	for seed := range pages {
		r := random{Rand: rand.New(rand.NewPCG(uint64(seed), 0))}
		r.blocks(2)
		src := r.b.String()
		md := render(t, src)
		var back bytes.Buffer
		if err := gm.Convert([]byte(md), &back); err != nil {
			t.Fatal(err)
		}
		if got, want := shown(t, back.String()), shown(t, src); got != want {
			t.Fatalf("seed %d\nhtml     %s\nmarkdown %s\nback     %s\ngot  %s\nwant %s", seed, src, md, back.String(), got, want)
		}
	}
}

// TestRandomAgain writes random pages as Markdown, reads it back and writes it again, twice. The
// second and the third text must be the same: what Markdown cannot say, such as a tight list
// whose item has two paragraphs, is settled by the first reading.
func TestRandomAgain(t *testing.T) {
	gm := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList), goldmark.WithRendererOptions(goldhtml.WithUnsafe())) // breaks in cells are HTML
	again := func(md string) string {
		var back bytes.Buffer
		if err := gm.Convert([]byte(md), &back); err != nil {
			t.Fatal(err)
		}
		return render(t, back.String())
	}
	pages := 2_000
	if *long {
		pages = 100_000
	}
	changed, blank := 0, 0
	for seed := range pages {
		r := random{Rand: rand.New(rand.NewPCG(uint64(seed), 1))}
		r.blocks(2)
		src := r.b.String()
		first := render(t, src)
		second := again(first)
		if third := again(second); third != second {
			t.Fatalf("seed %d\nhtml   %s\nfirst  %s\nsecond %s\nthird  %s", seed, src, first, second, third)
		}
		if first != second {
			changed++
			if withoutBlank(first) == withoutBlank(second) {
				blank++
			}
		}
	}
	t.Logf("%d of %d differ after the first reading, %d of them only in blank lines", changed, pages, blank)
	if changed > pages/20 || changed-blank > pages/200 {
		t.Errorf("%d of %d differ after the first reading, %d of them only in blank lines", changed, pages, blank)
	}
}

// withoutBlank returns a text without its blank lines, also those in quotes.
func withoutBlank(s string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(s, "\n"), func(line string) bool { return strings.Trim(line, " >") == "" }), "\n")
}
