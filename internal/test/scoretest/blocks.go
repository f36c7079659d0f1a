// SPDX-License-Identifier: Apache-2.0

package scoretest

import (
	"fmt"
	"html"
	"regexp"
	"strings"
)

var (
	item     = regexp.MustCompile(`^([ \t]*)([-*+•]|\d{1,9}[.)])[ \t]+(.*)$`)
	noteText = regexp.MustCompile(`^\[\^([^\]]+)\]:[ \t]*(.*)$`)
	formula  = regexp.MustCompile(`^\$[^$]+\$$`)
	inline   = regexp.MustCompile(`\$[^$ ][^$]*\$`)
	fence    = regexp.MustCompile("^[ \t]*(```+|~~~+)")
	emphasis = strings.NewReplacer("**", "", "__", "", "*", "", "~~", "", `\`, "")
)

// Blocks lists the blocks of Markdown in order, one text for each: its kind
// with its properties (the level of a heading, the depth and number of an item,
// the spans of cells), followed by its text without emphasis and escapes.
// Formulas have no spaces. Each row of a table is a block.
func Blocks(md string) []string {
	r := blockReader{lines: strings.Split(tablesAsHTML(md), "\n"), kind: "p"}
	for len(r.lines) > 0 {
		r.next()
	}
	r.flush()
	return r.blocks
}

type blockReader struct {
	lines  []string
	blocks []string
	kind   string   // of the open block
	text   []string // its lines
	depths []int    // indentation of the open items
}

// open starts a block, which ends at a blank line or another block.
func (r *blockReader) open(kind, text string) {
	r.flush()
	r.kind, r.text = kind, []string{text}
}

func (r *blockReader) flush() {
	text := strings.Join(r.text, " ")
	switch s := plain(text); {
	case s == "":
	case r.kind == "p" && formula.MatchString(text): // alone in a paragraph
		r.math(text)
	default:
		r.blocks = append(r.blocks, r.kind+" "+s)
	}
	r.kind, r.text = "p", nil
}

func (r *blockReader) math(text string) {
	r.blocks = append(r.blocks, "math "+strings.ReplaceAll(folded(strings.Trim(text, "$")), " ", ""))
}

// plain returns a text without emphasis, escapes and entities.
func plain(s string) string {
	s = inline.ReplaceAllStringFunc(breaks.ReplaceAllString(s, " "), func(f string) string { return strings.ReplaceAll(f, " ", "") })
	return folded(html.UnescapeString(emphasis.Replace(s)))
}

// next reads a line, or the lines of a table, a formula or code.
func (r *blockReader) next() {
	line := r.lines[0]
	r.lines = r.lines[1:]
	trimmed := strings.TrimSpace(line)
	switch {
	case trimmed == "":
		r.flush()
		return
	case fence.MatchString(line):
		r.flush()
		r.blocks = append(r.blocks, "code "+strings.Join(r.until(fence.MatchString), "\n"))
		return
	case trimmed == "$$":
		r.flush()
		r.math(strings.Join(r.until(func(s string) bool { return strings.TrimSpace(s) == "$$" }), " "))
		return
	case len(trimmed) > 4 && strings.HasPrefix(trimmed, "$$") && strings.HasSuffix(trimmed, "$$"):
		r.flush()
		r.math(trimmed)
		return
	case strings.HasPrefix(strings.ToLower(trimmed), "<table"):
		r.table(trimmed)
		return
	}
	if m := heading.FindStringSubmatch(line); m != nil {
		r.depths = nil
		r.open(fmt.Sprint("h", strings.IndexByte(line, ' ')), m[1])
		r.flush()
		return
	}
	if m := noteText.FindStringSubmatch(line); m != nil {
		r.depths = nil
		r.open("note "+m[1], m[2])
		return
	}
	if m := item.FindStringSubmatch(line); m != nil {
		r.item(len(strings.ReplaceAll(m[1], "\t", "    ")), m[2], m[3])
		return
	}
	if rest, ok := strings.CutPrefix(trimmed, ">"); ok && (r.text == nil || r.kind == "quote") {
		if r.text == nil {
			r.kind = "quote"
		}
		r.text = append(r.text, rest)
		return
	}
	if r.text == nil && line == trimmed { // not inside an item
		r.depths = nil
	}
	r.text = append(r.text, trimmed)
}

// item starts an item. Its parents are the items with less indentation.
func (r *blockReader) item(indent int, mark, text string) {
	for len(r.depths) > 0 && indent <= r.depths[len(r.depths)-1] {
		r.depths = r.depths[:len(r.depths)-1]
	}
	r.depths = append(r.depths, indent)
	if number := strings.TrimRight(mark, ".)"); number != mark {
		mark = number + "."
	} else {
		mark = "-"
	}
	r.open(fmt.Sprint("item ", len(r.depths), " ", mark), text)
}

// until returns the lines before the end of a block, and skips the end.
func (r *blockReader) until(end func(string) bool) (body []string) {
	for len(r.lines) > 0 {
		line := r.lines[0]
		r.lines = r.lines[1:]
		if end(line) {
			break
		}
		body = append(body, strings.TrimRight(line, " \t\r"))
	}
	return body
}

// table reads the rows of a table, which may span several lines.
func (r *blockReader) table(text string) {
	r.flush()
	for !strings.Contains(strings.ToLower(text), "</table>") && len(r.lines) > 0 {
		text += r.lines[0]
		r.lines = r.lines[1:]
	}
	for _, t := range tableTree([]string{text}).kids {
		for _, tr := range t.kids {
			var cells []string
			for _, td := range tr.kids {
				cells = append(cells, strings.TrimPrefix(td.kind, "td")+plain(td.text))
			}
			r.blocks = append(r.blocks, "row "+strings.Join(cells, "|"))
		}
	}
}
