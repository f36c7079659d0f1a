// SPDX-License-Identifier: Apache-2.0

package chunk

import (
	"regexp"
	"strings"
	"unicode"
)

// kind is the kind of a block of Markdown.
type kind int

const (
	prose kind = iota // paragraphs, lists and quotes
	heading
	table
	htmlTable
	code
)

// block is a block of Markdown: the bytes from start to end, without the blank
// lines after it.
type block struct {
	kind       kind
	start, end int
	line       int    // line on which it begins, from 0
	level      int    // level of a heading
	title      string // text of a heading
	head       int    // end of the header of a table, or of the line that opens a code block
}

var (
	setext = regexp.MustCompile(`^ {0,3}(=+|-+)[ \t]*$`)
	rule   = regexp.MustCompile(`^ {0,3}\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$`)
	atx    = regexp.MustCompile(`^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$`)
	fence  = regexp.MustCompile("^[ \t]*(`{3,}|~{3,})([^`]*)$")
)

// scanner finds the blocks of a text.
type scanner struct {
	text   string
	blocks []block
	open   bool   // the last block may continue
	fence  string // the fence that closes the open code block
}

// blocksOf returns the blocks of Markdown in order. All text except white space is in one
// of them.
func blocksOf(text string) []block {
	s := &scanner{text: text}
	at, line := 0, 0
	for l := range strings.Lines(text) {
		s.line(at, line, strings.TrimRight(l, "\r\n"))
		at += len(l)
		line++
	}
	return s.blocks
}

// line reads the line l, without its line end, that begins at an offset.
func (s *scanner) line(at, number int, l string) {
	end := at + len(strings.TrimRightFunc(l, unicode.IsSpace))
	blank := strings.TrimSpace(l) == ""
	b := s.last()
	switch {
	case b != nil && b.kind == code:
		if !blank {
			b.end = end
		}
		if mark := strings.TrimSpace(l); mark != "" && strings.HasPrefix(mark, s.fence) && strings.Trim(mark, s.fence[:1]) == "" {
			s.open = false
		}
	case blank:
		s.open = false
	case b != nil && b.kind == htmlTable:
		b.end = end
		if strings.HasPrefix(strings.TrimSpace(l), "</thead>") {
			b.head = end
		}
	case isFence(l):
		m := fence.FindStringSubmatch(l)
		s.fence = m[1]
		s.begin(block{kind: code, start: at, end: end, line: number, head: end})
	case strings.HasPrefix(l, "<table"):
		s.begin(block{kind: htmlTable, start: at, end: end, line: number})
	case isHeading(l):
		m := atx.FindStringSubmatch(l)
		s.begin(block{kind: heading, start: at, end: end, line: number, level: len(m[1]), title: plain(m[2])})
		s.open = false
	case b != nil && b.kind == prose && b.line == number-1 && isUnderline(l):
		b.kind, b.level, b.title, b.end = heading, 1, plain(strings.TrimSpace(s.text[b.start:b.end])), end
		if strings.Contains(l, "-") {
			b.level = 2
		}
		s.open = false
	case b != nil && b.kind == prose && strings.Contains(l, "|") && isRule(l) && strings.Contains(s.text[s.lineStart(b.end):b.end], "|"):
		s.table(number, end)
	case b != nil:
		b.end = end
	default:
		s.begin(block{start: at, end: end, line: number})
	}
}

// The following functions look for single characters before they use a regular expression,
// because most lines are prose.

func isFence(l string) bool {
	return (strings.Contains(l, "```") || strings.Contains(l, "~~~")) && fence.MatchString(l)
}

func isHeading(l string) bool {
	return strings.HasPrefix(strings.TrimLeft(l, " "), "#") && atx.MatchString(l)
}

func isUnderline(l string) bool { return strings.Trim(l, "=- \t") == "" && setext.MatchString(l) }

func isRule(l string) bool { return strings.Trim(l, "|:- \t") == "" && rule.MatchString(l) }

// last returns the block that may continue, or nil if there is none.
func (s *scanner) last() *block {
	if !s.open {
		return nil
	}
	return &s.blocks[len(s.blocks)-1]
}

func (s *scanner) begin(b block) {
	s.blocks = append(s.blocks, b)
	s.open = true
}

// lineStart returns the beginning of the line that ends at an offset.
func (s *scanner) lineStart(end int) int { return strings.LastIndexByte(s.text[:end], '\n') + 1 }

// table makes the last line of the open block, which is a header, and the line
// below it a table.
func (s *scanner) table(number, end int) {
	b := s.last()
	from := s.lineStart(b.end)
	if from > b.start { // the lines above the header remain a block of their own
		b.end = len(strings.TrimRight(s.text[:from], " \t\r\n"))
		s.begin(block{start: from, line: number - 1})
		b = s.last()
	}
	b.kind, b.end, b.head = table, end, end
}

// link is a link or an image.
var link = regexp.MustCompile(`!?\[((?:[^\[\]\\]|\\.)*)\]\((?:<[^<>]*>|[^()\s]*)(?:[ \t]+"[^"]*")?\)`)

// plain returns the text of a heading without its marks.
func plain(s string) string {
	for range 2 { // a link may contain an image
		s = link.ReplaceAllString(s, "$1")
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", s[i+1]) >= 0:
			i++
			b.WriteByte(s[i])
		case s[i] != '*' && s[i] != '`':
			b.WriteByte(s[i])
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
