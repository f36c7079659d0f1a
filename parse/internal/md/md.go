// SPDX-License-Identifier: Apache-2.0

// Package md renders Markdown as HTML: CommonMark with GitHub's tables,
// strikethrough, autolinks and task lists. Raw HTML is kept, so the result
// is as hostile as the text.
package md

import (
	"bytes"
	"errors"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
)

// ErrRefused means that goldmark would take too long or recurse too deeply
// for a text.
var ErrRefused = errors.New("too long or too deeply nested")

// Bounds on what is passed to goldmark. It recurses over the tree, its
// tables have as many cells as their header announces, it writes a reference
// definition at every use, and some characters make it look ahead to the end
// of the text.
const (
	maxBytes = 2 << 20
	maxDepth = 200      // nested containers and elements of the tree
	maxCells = 1 << 20  // estimated cells of all tables: lines of the text times the most columns
	maxOpen  = 400      // open brackets in one paragraph
	maxWork  = 24 << 20 // estimated bytes that goldmark examines
	maxMarks = 400_000  // inline markup characters; goldmark takes about 500 bytes for each
	maxPairs = 1 << 29  // pairs of emphasis runs in one paragraph: each closing run may be compared with all runs before it
)

// HTML returns the body of a text and the title in its YAML front matter, if
// there is one. The front matter is not part of the body.
func HTML(markdown string) (body []byte, title string, err error) {
	markdown, title = frontMatter(markdown)
	if len(markdown) > maxBytes || marks(markdown) > maxMarks || !tame(markdown) {
		return nil, title, ErrRefused
	}
	m := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe()))
	source := []byte(markdown)
	doc := m.Parser().Parse(text.NewReader(source))
	if deepOrLong(doc, 4*len(source)+1<<16) {
		return nil, title, ErrRefused
	}
	var b bytes.Buffer
	if err := m.Renderer().Render(&b, source, doc); err != nil {
		return nil, title, err
	}
	return b.Bytes(), title, nil
}

// frontMatter removes a block between lines of --- from the start of
// markdown.
func frontMatter(markdown string) (rest, title string) {
	inside, ok := strings.CutPrefix(markdown, "---\n")
	if !ok {
		if inside, ok = strings.CutPrefix(markdown, "---\r\n"); !ok {
			return markdown, ""
		}
	}
	at := 0
	for line := range strings.Lines(inside) {
		at += len(line)
		line = strings.TrimRight(line, " \t\r\n")
		switch value, ok := strings.CutPrefix(line, "title:"); {
		case line == "---" || line == "...":
			return inside[at:], title
		case line == "" && title == "" && at < 2:
			return markdown, "" // a thematic break
		case ok:
			title = strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	return markdown, "" // a block that is never closed is a thematic break
}

// tame reports whether markdown may be passed to goldmark.
func tame(markdown string) bool {
	var p paragraph
	lines, columns, work, pairs := 0, 0, 0, 0
	for line := range strings.Lines(markdown) {
		lines++
		if containers(line) > maxDepth {
			return false
		}
		if strings.Trim(line, " \t>|:-\r\n") == "" {
			columns = max(columns, strings.Count(line, "|")+1)
		}
		if blank := strings.TrimSpace(line) == ""; blank || isItem(line) {
			work += p.work()
			pairs += p.runs * p.runs
			p = paragraph{}
			if blank {
				continue
			}
		}
		if !p.add(line) {
			return false
		}
	}
	return columns*lines <= maxCells && work+p.work() <= maxWork && pairs+p.runs*p.runs <= maxPairs
}

// isItem reports whether line begins a list item.
func isItem(line string) bool {
	item := strings.TrimLeft(line, " ")
	if len(line)-len(item) > 3 || len(item) < 3 {
		return false
	}
	return (item[0] == '-' || item[0] == '*' || item[0] == '+') && item[1] == ' ' && strings.TrimSpace(item[2:]) != ""
}

// paragraph has the measures of consecutive lines without an empty line.
type paragraph struct {
	lines, brackets, targets int
	open                     int // open brackets
	ahead                    int // bytes examined to find the ends of links
	runs                     int // runs of equal emphasis characters
}

// add adds a line and reports whether its brackets are within the bounds.
func (p *paragraph) add(line string) bool {
	closing, targets := strings.Count(line, "]"), strings.Count(line, "](")
	p.lines++
	for i := range len(line) {
		if c := line[i]; (c == '*' || c == '_' || c == '~') && (i == 0 || line[i-1] != c) {
			p.runs++
		}
	}
	p.brackets += closing
	p.targets += targets
	p.open = max(p.open+strings.Count(line, "[")-closing, 0)
	// The target of a link may extend to the end of the line, its title to
	// the end of the paragraph.
	p.ahead += len(line) * (targets + strings.Count(line, "www.") + strings.Count(line, "://") + strings.Count(line, "]:"))
	if strings.ContainsAny(line, `"'`) {
		p.ahead += len(line) * p.targets
	}
	return p.open <= maxOpen && nesting(line) <= maxOpen
}

// work estimates the bytes that goldmark examines. It includes a quarter of the
// product of lines and brackets, because goldmark searches the paragraph for
// many brackets.
func (p *paragraph) work() int { return p.ahead + p.lines*p.brackets/4 }

// nesting returns the depth of brackets in line.
func nesting(line string) (most int) {
	open := 0
	for i := range len(line) {
		switch line[i] {
		case '[':
			open++
			most = max(most, open)
		case ']':
			open = max(open-1, 0)
		}
	}
	return most
}

// containers counts the quote and list markers at the start of line.
func containers(line string) (n int) {
	line = strings.TrimRight(line, " \t\r\n")
	for i := range len(line) {
		switch c := line[i]; {
		case c == '>':
			n++
		case c == '-' || c == '+' || c == '*' || c == '.' || c == ')':
			if i+1 < len(line) && (line[i+1] == ' ' || line[i+1] == '\t') {
				n++
			}
		case c == ' ' || c == '\t' || '0' <= c && c <= '9':
		default:
			if n > 0 && i > 2*maxDepth {
				return i // a list level takes two columns
			}
			return n
		}
	}
	return 0 // a thematic break, or nothing inside
}

// marks counts the characters that may begin or end inline markup.
func marks(text string) (n int) {
	for _, c := range "*_`[~" {
		n += strings.Count(text, string(c))
	}
	return n
}

// deepOrLong reports whether root is deeper than maxDepth or would write
// more than limit bytes of link targets.
func deepOrLong(root ast.Node, limit int) bool {
	depth := 0
	for n := root; n != nil; {
		switch n := n.(type) {
		case *ast.Link:
			limit -= len(n.Destination) + len(n.Title)
		case *ast.Image:
			limit -= len(n.Destination) + len(n.Title)
		}
		if limit < 0 {
			return true
		}
		if child := n.FirstChild(); child != nil {
			if depth++; depth > maxDepth {
				return true
			}
			n = child
			continue
		}
		for n != root && n.NextSibling() == nil {
			n = n.Parent()
			depth--
		}
		if n == root {
			return false
		}
		n = n.NextSibling()
	}
	return false
}
