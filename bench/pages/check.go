// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/test/scoretest"
	"example.com/curlew/parse"
)

// statements are the kinds of statements, in the order of their columns.
var statements = []string{"present", "absent", "order", "table", "level", "formula", "mark", "entry", "blank", "signature"}

// labels are the kinds of blocks that are compared, in the order of their columns.
var labels = []string{"heading", "text", "item", "caption", "code", "note", "running"}

// score counts what is expected, what was found, and what is both.
type score struct{ both, wanted, found int }

// tally counts the statements that are true, and the blocks of the right kind.
type tally struct {
	pages      int
	statements map[string]score
	labels     map[string]score
}

func (t *tally) join(o *tally) {
	t.pages += o.pages
	for _, pair := range []struct{ to, from *map[string]score }{{&t.statements, &o.statements}, {&t.labels, &o.labels}} {
		if *pair.to == nil {
			*pair.to = map[string]score{}
		}
		for k, v := range *pair.from {
			s := (*pair.to)[k]
			(*pair.to)[k] = score{s.both + v.both, s.wanted + v.wanted, s.found + v.found}
		}
	}
}

func (t *tally) print(name string) {
	fmt.Printf("%-16s %3d pages:", name, t.pages)
	sum := score{}
	for _, k := range statements {
		s := t.statements[k]
		fmt.Printf(" %s %d/%d", k, s.both, s.wanted)
		sum.both, sum.wanted = sum.both+s.both, sum.wanted+s.wanted
	}
	fmt.Printf(", all %.3f\n%16s F1 of kinds:", float64(sum.both)/float64(max(1, sum.wanted)), "")
	mean := 0.0
	for _, k := range labels {
		s := t.labels[k]
		f := 2 * float64(s.both) / float64(max(1, s.wanted+s.found))
		mean += f / float64(len(labels))
		fmt.Printf(" %s %.3f", k, f)
	}
	fmt.Printf(", mean %.3f\n", mean)
}

// labelled is a block of a page: its kind, its text without spaces and marks, and the
// level of a heading or the depth of an item.
type labelled struct {
	label, text string
	level       int
	beside      bool // the text stands beside the others, so that it has no place in their order
}

// check compares what was read with the page.
func (t *tally) check(p *printer, pg *page, tree *parse.Tree, markdown string) {
	if t.statements == nil {
		t.statements, t.labels = map[string]score{}, map[string]score{}
	}
	t.pages++
	c := checker{t: t, name: p.name + " " + pg.base(), exact: p.name != "scan", read: bare(strings.Join(scoretest.Blocks(markdown), " "))}
	want := wanted(p, pg)
	c.texts(want)
	c.tables(pg, markdown)
	c.formulas(pg, markdown)
	c.papers(pg, markdown)
	c.kinds(want, found(tree))
}

// checker checks one page.
type checker struct {
	t     *tally
	name  string
	exact bool // the letters must be the same
	read  string
}

// state counts a statement.
func (c *checker) state(kind string, ok bool, what string) {
	s := c.t.statements[kind]
	s.wanted++
	if ok {
		s.both++
	} else if *verbose {
		fmt.Printf("%s: %s: %.150s\n", c.name, kind, what)
	}
	c.t.statements[kind] = s
}

// at returns the place of a text, or -1.
func (c *checker) at(text string) int {
	if c.exact {
		return strings.Index(c.read, text)
	}
	return nearly(text, c.read)
}

// passage is the number of letters of a text that are looked for at its beginning
// and at its end.
const passage = 60

// texts checks that texts are present or absent, and their order.
func (c *checker) texts(want []labelled) {
	last, before := -1, ""
	for _, b := range want {
		at := c.at(b.text[:min(len(b.text), passage)])
		if b.label == "running" {
			c.state("absent", at < 0, b.text)
			continue
		}
		c.state("present", at >= 0 && c.at(b.text[max(0, len(b.text)-passage):]) >= 0, b.label+" "+b.text)
		if at < 0 || len(b.text) < 12 || b.label == "caption" || b.label == "note" || b.beside || c.exact && strings.LastIndex(c.read, b.text[:min(len(b.text), passage)]) != at {
			continue // a text that occurs twice has no place, nor have figures and notes
		}
		if last >= 0 {
			c.state("order", last < at, before+" | "+b.text)
		}
		last, before = at, b.text
	}
}

// tables checks the neighbours of cells.
func (c *checker) tables(pg *page, markdown string) {
	grids := scoretest.Tables(markdown)
	for _, b := range pg.body {
		if b.kind != table {
			continue
		}
		for i, row := range b.rows {
			for j := range row {
				c.state("table", slices.ContainsFunc(grids, func(g [][]string) bool { return neighbours(g, b.rows, i, j) }), fmt.Sprintf("cell %d, %d: %s", i+1, j+1, row[j]))
			}
		}
	}
}

// formulas checks that each formula is in the Markdown, in its order, with its structure.
func (c *checker) formulas(pg *page, markdown string) {
	var found []string
	for _, b := range scoretest.Blocks(markdown) {
		if tex, ok := strings.CutPrefix(b, "math "); ok {
			found = append(found, plainTeX(tex))
		}
	}
	for _, b := range pg.body {
		if b.kind != formula {
			continue
		}
		i := slices.Index(found, plainTeX(b.math.tex))
		c.state("formula", i >= 0, b.math.tex+", found "+strings.Join(found, "; "))
		found = found[i+1:]
	}
}

// papers checks the numbers of items, the page numbers of entries, the blanks behind labels,
// and that the lines of the persons who sign stand together.
func (c *checker) papers(pg *page, markdown string) {
	if pg.style.number == "" {
		return
	}
	var lines []string // without marks of Markdown
	for line := range strings.Lines(markdown) {
		line = strings.NewReplacer(`\`, "", "*", "", "- ", "", "<br>", " ").Replace(strings.TrimSpace(line))
		lines = append(lines, strings.TrimPrefix(line, "- "))
	}
	all := strings.Join(lines, "\n")
	for _, b := range pg.body {
		switch b.kind {
		case item:
			want := strings.TrimRight(b.mark, ".)") // the list of Markdown has points behind numbers only
			ok := slices.ContainsFunc(lines, func(l string) bool {
				mark, rest, _ := strings.Cut(l, " ")
				return strings.TrimRight(mark, ".)") == want && strings.HasPrefix(rest, b.text[:min(len(b.text), 12)])
			})
			c.state("mark", ok, b.mark+" "+b.text)
		case entry:
			pattern := regexp.QuoteMeta(b.text) + `[ ._…·]*` + b.mark + `\n`
			c.state("entry", regexp.MustCompile(pattern).MatchString(all+"\n"), b.text+" | "+b.mark)
		case blank:
			for _, l := range b.lines {
				c.state("blank", regexp.MustCompile(regexp.QuoteMeta(l)+`: ?__+`).MatchString(all), l)
			}
		case signature:
			line := `_[^a-zA-Z]*`
			if pg.style.sign == "lines" && strings.HasPrefix(c.name, "libreoffice") { // it leaves out these borders
				line = ""
			}
			pattern := ""
			for _, person := range b.rows {
				pattern += line + strings.ReplaceAll(strings.Join(person, `[^a-zA-Z]+`), ".", `\.`) + `[^a-zA-Z]*`
			}
			c.state("signature", regexp.MustCompile(pattern).MatchString(all), fmt.Sprint(b.rows))
		}
	}
}

// plainTeX returns a formula without what does not change its structure: spaces, and
// braces around one sign.
func plainTeX(s string) string {
	s = oneSign.ReplaceAllString(strings.Join(strings.Fields(s), ""), "$1")
	return strings.NewReplacer("−", "-", `\,`, "", `\left`, "", `\right`, "").Replace(s)
}

var oneSign = regexp.MustCompile(`\{([^{}\\])\}`)

// neighbours reports whether a table has the cell want[i][j] with the same cells to its
// right and below it.
func neighbours(grid, want [][]string, i, j int) bool {
	cell := func(g [][]string, i, j int) string {
		if i < len(g) && j < len(g[i]) {
			return bare(g[i][j])
		}
		return ""
	}
	for y := range grid {
		for x := range grid[y] {
			if bare(grid[y][x]) == bare(want[i][j]) && cell(grid, y, x+1) == cell(want, i, j+1) && cell(grid, y+1, x) == cell(want, i+1, j) {
				return true
			}
		}
	}
	return false
}

// kinds compares the kinds of the blocks and the levels of headings.
func (c *checker) kinds(want, got []labelled) {
	used := make([]bool, len(got))
	for _, g := range got {
		s := c.t.labels[g.label]
		s.found++
		c.t.labels[g.label] = s
	}
	lastWanted, lastGot := 0, 0 // the levels of the heading before
	for _, w := range want {
		s := c.t.labels[w.label]
		s.wanted++
		i := slices.IndexFunc(got, func(g labelled) bool {
			return g.label == w.label && c.same(g.text, w.text) && (w.label != "item" || g.level == w.level)
		})
		for i >= 0 && used[i] {
			next := slices.IndexFunc(got[i+1:], func(g labelled) bool {
				return g.label == w.label && c.same(g.text, w.text) && (w.label != "item" || g.level == w.level)
			})
			if next < 0 {
				i = -1
			} else {
				i += 1 + next
			}
		}
		if i >= 0 {
			used[i] = true
			s.both++
			if w.label == "heading" {
				if lastWanted > 0 {
					c.state("level", sign(w.level-lastWanted) == sign(got[i].level-lastGot), w.text)
				}
				lastWanted, lastGot = w.level, got[i].level
			}
		} else if *verbose {
			is := ""
			if j := slices.IndexFunc(got, func(g labelled) bool { return c.same(g.text, w.text) }); j >= 0 {
				is = fmt.Sprintf(", is %s %d", got[j].label, got[j].level)
			}
			fmt.Printf("%s: kind: %s %d: %.90s%s\n", c.name, w.label, w.level, w.text, is)
		}
		c.t.labels[w.label] = s
	}
	for i, g := range got {
		if !used[i] && *verbose && slices.Contains(labels, g.label) {
			fmt.Printf("%s: other: %s %d: %.90s\n", c.name, g.label, g.level, g.text)
		}
	}
}

func sign(v int) int { return min(1, max(-1, v)) }

func (c *checker) same(a, b string) bool {
	return a == b || !c.exact && len(a) < 2*len(b) && len(b) < 2*len(a) && nearly(b, a) >= 0 && nearly(a, b) >= 0
}

// wanted returns the blocks of a page with the running texts that the printer prints.
func wanted(p *printer, pg *page) []labelled {
	var out []labelled
	for _, b := range pg.blocks() {
		label, level, text := string(b.kind), 0, b.text
		switch b.kind {
		case title, section, subsection:
			label, level = "heading", int(b.kind[1]-'0')
		case figure, table, formula:
			continue
		case entry, blank, signature:
			out = append(out, b.paper()...)
			continue
		case margin:
			label = "text"
		case item:
			level = b.depth
			if pg.style.digits != "" && (pg.style.digits != "1" || b.mark[0] == '(') {
				text = b.mark + text // only the numbers 1. and 1) become those of a list
			}
		case code:
			text = strings.Join(b.lines, "\n")
		}
		out = append(out, labelled{label, bare(text), level, b.kind == margin})
	}
	for _, r := range pg.running {
		if strings.Contains(r.place, " ") || slices.Contains(p.places, r.place) {
			out = append(out, labelled{label: "running", text: bare(r.text)})
		}
	}
	return out
}

// found returns the blocks of a tree.
func found(tree *parse.Tree) []labelled {
	var out []labelled
	for b := range tree.Blocks() {
		if strings.HasPrefix(b.Type, "page_") {
			out = append(out, labelled{label: "running", text: bare(textOf(b.Node))})
			continue
		}
		if doctree.Attr(b.Node, "data-role") == "formula" {
			continue
		}
		switch b.Label {
		case "list":
			out = append(out, items(b.Node, 1)...)
		case "figure", "table":
			for n := range b.Node.Descendants() {
				if n.Data == "figcaption" || n.Data == "caption" {
					out = append(out, labelled{label: "caption", text: bare(textOf(n))})
				}
			}
		case "footnote":
			out = append(out, labelled{label: "note", text: bare(textOf(b.Node))})
		case "h1", "h2", "h3", "h4", "h5", "h6":
			out = append(out, labelled{label: "heading", text: bare(textOf(b.Node)), level: int(b.Label[1] - '0')})
		default:
			if text := bare(textOf(b.Node)); text != "" { // not a line to sign on
				out = append(out, labelled{label: b.Label, text: text})
			}
		}
	}
	return out
}

// items returns the items of a list and of the lists in it.
func items(list *html.Node, depth int) []labelled {
	var out []labelled
	for li := range list.ChildNodes() {
		if li.Data != "li" {
			continue
		}
		var own strings.Builder
		var below []labelled
		for n := range li.ChildNodes() {
			if n.Data == "ul" || n.Data == "ol" {
				below = append(below, items(n, depth+1)...)
			} else {
				own.WriteString(textOf(n))
			}
		}
		out = append(append(out, labelled{label: "item", text: bare(own.String()), level: depth}), below...)
	}
	return out
}

// textOf returns the text below n without the marks of notes.
func textOf(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	if n.Data == "sup" || doctree.Attr(n, "role") == "doc-noteref" || doctree.Attr(n, "role") == "doc-backlink" {
		return ""
	}
	var b strings.Builder
	for c := range n.ChildNodes() {
		b.WriteString(textOf(c))
	}
	return b.String()
}

// bare returns the letters and digits of a text.
func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

// nearly returns where a text occurs in another with at most a tenth of its letters
// changed, or -1. This is the algorithm of Sellers.
func nearly(text, in string) int {
	if i := strings.Index(in, text); i >= 0 {
		return i
	}
	limit := len(text) / 10
	column := make([]int, len(text)+1)
	for i := range column {
		column[i] = i
	}
	best, at := limit+1, -1
	for j := range len(in) {
		diagonal := column[0]
		for i := range len(text) {
			cost := diagonal
			if text[i] != in[j] {
				cost = 1 + min(diagonal, column[i], column[i+1])
			}
			diagonal, column[i+1] = column[i+1], cost
		}
		if column[len(text)] < best {
			best, at = column[len(text)], max(0, j+1-len(text))
		}
	}
	return at
}
