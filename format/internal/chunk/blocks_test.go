// SPDX-License-Identifier: Apache-2.0

package chunk_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"example.com/curlew/format/internal/chunk"
)

var reader = goldmark.New(goldmark.WithExtensions(extension.Table)).Parser()

// found is what goldmark finds in Markdown.
type found struct {
	rows  []string // of tables, without headers
	code  []string // lines, without blank ones
	heads []title  // of the outermost level
}

type title struct {
	at, level int
	text      string
}

func read(s string) (f found) {
	source := []byte(s)
	root := reader.Parse(text.NewReader(source))
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering || n.Type() == ast.TypeInline {
			return ast.WalkSkipChildren, nil
		}
		switch n := n.(type) {
		case *extast.TableRow:
			var cells []string
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				cells = append(cells, string(c.Lines().Value(source)))
			}
			f.rows = append(f.rows, strings.Join(cells, "|"))
		case *ast.FencedCodeBlock:
			for l := range strings.Lines(string(n.Lines().Value(source))) {
				if strings.TrimSpace(l) != "" {
					f.code = append(f.code, strings.TrimRight(l, " \n"))
				}
			}
		case *ast.Heading:
			if n.Parent() == root {
				f.heads = append(f.heads, title{n.Lines().At(0).Start, n.Level, string(n.Lines().Value(source))})
			}
		}
		return ast.WalkContinue, nil
	})
	return f
}

// nested returns Markdown whose blocks are in items, quotes and HTML.
func nested(r *rand.Rand) string {
	var b strings.Builder
	n := 0
	word := func() string { n++; return []string{"duck", "lake", "утка", "水"}[n%4] + strings.Repeat("x", n%7) }
	words := func(most int) string {
		var s []string
		for range 1 + r.IntN(most) {
			s = append(s, word())
		}
		return strings.Join(s, " ")
	}
	code := func() string {
		fence := []string{"```", "~~~", "````"}[r.IntN(3)]
		var s strings.Builder
		s.WriteString(fence + []string{"", "go"}[r.IntN(2)] + "\n")
		for range 1 + r.IntN(12) {
			s.WriteString(strings.Repeat(" ", r.IntN(9)) + []string{"# " + word(), words(4), "| a | b |", "<!-- " + word(), "- " + word()}[r.IntN(5)] + "\n")
		}
		return s.String() + fence + "\n"
	}
	table := func() string {
		var s strings.Builder
		s.WriteString("| a | b |\n| --- | :-: |\n")
		for range r.IntN(15) {
			s.WriteString("| " + words(4) + " | " + word() + " |\n")
		}
		return s.String()
	}
	indent := func(first, rest, s string) string {
		return first + strings.ReplaceAll(strings.TrimSuffix(s, "\n"), "\n", "\n"+rest) + "\n"
	}
	for range 2 + r.IntN(25) {
		inner := []func() string{code, table, func() string { return words(12) + "\n" }}[r.IntN(3)]()
		switch r.IntN(13) {
		case 0, 1, 2:
			b.WriteString(strings.Repeat("#", 1+r.IntN(6)) + " " + words(3) + "\n")
		case 3:
			b.WriteString(indent("- ", "  ", inner))
		case 4:
			b.WriteString(indent("12. ", "    ", inner))
		case 5:
			b.WriteString(indent("> ", "> ", inner))
		case 6:
			b.WriteString(indent("> - ", ">   ", inner))
		case 7:
			b.WriteString("- " + words(3) + "\n\n" + indent("  - ", "    ", inner))
		case 8:
			b.WriteString([]string{
				"<!-- a\n\n# " + word() + "\n\n-->\n", "<pre>\n# " + word() + "\n\n# b\n</pre>\n", "<div>\n# " + word() + "\n</div>\n",
				"<!-- page 4 -->\n", "<details>\n<summary>a</summary>\n\n" + inner + "\n</details>\n",
			}[r.IntN(5)])
		case 9:
			b.WriteString(words(3) + []string{"", "\n" + words(2)}[r.IntN(2)] + "\n" + []string{"===", "---"}[r.IntN(2)] + "\n")
		case 10:
			b.WriteString([]string{"- " + word(), "> " + word(), "1. " + word()}[r.IntN(3)] + "\n---\n")
		case 11:
			b.WriteString("- # " + word() + "\n  " + words(3) + "\n\n  ## " + word() + "\n")
		default:
			b.WriteString(inner)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestBlocks compares the headings of chunks, and the rows and lines of code that they have
// when each is read alone, with what another reader of Markdown finds in the text.
func TestBlocks(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 3))
		text := nested(r)
		o := chunk.Options{Size: 60 + r.IntN(200)}
		chunks := split(t, text, o)
		if err := check(text, o, chunks); err != nil {
			t.Fatalf("seed %d, %+v: %v", seed, o, err)
		}
		whole := read(text)
		var parts found
		var path []title
		next := 0
		for i, c := range chunks {
			p := read(c.Text)
			parts.rows, parts.code = append(parts.rows, p.rows...), append(parts.code, p.code...)
			if c.Bare {
				t.Fatalf("seed %d: chunk %d lacks a header", seed, i)
			}
			var applies [][]string // the headings of each part of the chunk
			at := c.Start
			for ; next < len(whole.heads) && whole.heads[next].at < c.End; next++ {
				h := whole.heads[next]
				if body(text[at:h.at]) {
					applies = append(applies, titles(path))
				}
				path = append(slices.Clip(path[:depth(path, h.level)]), h)
				at = h.at + len(h.text)
			}
			applies = append(applies, titles(path))
			want := applies[0]
			for _, a := range applies {
				n := 0
				for n < len(want) && n < len(a) && want[n] == a[n] {
					n++
				}
				want = want[:n]
			}
			if d := cmp.Diff(want, c.Headings); d != "" && len(want)+len(c.Headings) > 0 {
				t.Fatalf("seed %d: chunk %d has other headings: %s\n%s", seed, i, d, c.Text)
			}
		}
		if d := cmp.Diff(whole.code, parts.code); d != "" {
			t.Fatalf("seed %d, %+v: code: %s", seed, o, d)
		}
		if d := cmp.Diff(whole.rows, parts.rows); d != "" {
			t.Fatalf("seed %d, %+v: rows: %s", seed, o, d)
		}
	}
}

// body reports whether s has text besides the marks of headings.
func body(s string) bool {
	for l := range strings.Lines(s) {
		if strings.Trim(l, "#=- \n") != "" {
			return true
		}
	}
	return false
}

func titles(path []title) (list []string) {
	for _, h := range path {
		list = append(list, strings.Join(strings.Fields(h.text), " "))
	}
	return list
}

// depth returns how many headings of a path are above a heading of the given level.
func depth(path []title, level int) int {
	for i, h := range path {
		if h.level >= level {
			return i
		}
	}
	return len(path)
}
