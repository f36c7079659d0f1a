// SPDX-License-Identifier: Apache-2.0

// Package md renders Markdown: text -> HTML, as CommonMark with GitHub's
// tables, strikethrough, bare links and task lists, raw HTML included. The
// HTML is as hostile as the text.
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

// ErrRefused is the error for text that would take goldmark too long or too
// deep.
var ErrRefused = errors.New("too long or too deeply nested")

// What goldmark is given. Its walks recurse, its tables have all the cells
// that their head announces, a reference is written out at each use, and from
// some signs on it looks ahead as far as the text goes.
const (
	maxBytes = 2 << 20
	maxDepth = 200      // containers, and elements of the tree
	maxCells = 1 << 20  // of all tables, for sure
	maxOpen  = 400      // brackets in one paragraph
	maxWork  = 24 << 20 // bytes looked at, for sure
	maxMarks = 400_000  // of inline markup: goldmark takes some 500 bytes for each
	maxPairs = 1 << 29  // of runs of emphasis in one paragraph: each that closes may look at all before it
)

// HTML returns the body of text, and its title where a YAML front matter has
// one; the front matter itself is no part of the body.
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

// frontMatter cuts a block between lines of --- off the start of markdown.
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
			return markdown, "" // a rule
		case ok:
			title = strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	return markdown, "" // never closed: a rule
}

// tame reports whether goldmark may be given markdown.
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

// isItem reports whether line begins an item of a list, whatever stands before.
func isItem(line string) bool {
	item := strings.TrimLeft(line, " ")
	if len(line)-len(item) > 3 || len(item) < 3 {
		return false
	}
	return (item[0] == '-' || item[0] == '*' || item[0] == '+') && item[1] == ' ' && strings.TrimSpace(item[2:]) != ""
}

// paragraph is what matters of lines without an empty one between them.
type paragraph struct {
	lines, brackets, targets int
	open                     int // brackets
	ahead                    int // bytes looked at for the ends of links
	runs                     int // of emphasis: equal signs beside each other
}

// add takes a line, and reports whether its brackets can be read.
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
	// The target of a link may reach to the end of the line, its title to the
	// end of the paragraph.
	p.ahead += len(line) * (targets + strings.Count(line, "www.") + strings.Count(line, "://") + strings.Count(line, "]:"))
	if strings.ContainsAny(line, `"'`) {
		p.ahead += len(line) * p.targets
	}
	return p.open <= maxOpen && nesting(line) <= maxOpen
}

// work is about how many bytes goldmark looks at, and lines times four: it
// goes through the paragraph for many a bracket.
func (p *paragraph) work() int { return p.ahead + p.lines*p.brackets/4 }

// nesting returns how deep the brackets of line go.
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

// containers counts the marks of quotes and lists that line begins with.
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
				return i // a level of a list takes two columns
			}
			return n
		}
	}
	return 0 // a rule, or nothing inside
}

// marks counts the signs that may begin or end inline markup.
func marks(text string) (n int) {
	for _, c := range "*_`[~" {
		n += strings.Count(text, string(c))
	}
	return n
}

// deepOrLong reports whether a walk of root would recurse beyond maxDepth, or
// write more than limit bytes of link targets.
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
