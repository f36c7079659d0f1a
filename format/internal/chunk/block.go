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
	tail       int    // start of the line that closes a code block; zero if there is none
}

var (
	setext = regexp.MustCompile(`^ {0,3}(=+|-+)[ \t]*$`)
	rule   = regexp.MustCompile(`^[ \t]*\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$`)
	atx    = regexp.MustCompile(`^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$`)
	fence  = regexp.MustCompile("^[ \t]*(?:(?:[-+*]|[0-9]{1,9}[.)])[ \t]+)*(`{3,}[^`]*|~{3,}.*)$") // also as the first line of an item
	item   = regexp.MustCompile(`(?m)^[ \t]*(?:[-+*>]|[0-9]{1,9}[.)])(?:[ \t]|$)|^ {0,3}>|^(?: {4}|\t)`)
	marker = regexp.MustCompile(`^(?:[-+*]|[0-9]{1,9}[.)])(?: {1,4}|$)`)
	markup = regexp.MustCompile(`^ {0,3}<(?:(!--)|\?|!|(?i:(script|pre|style|textarea)\b|/?(?:address|article|aside|blockquote|body|center|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|header|hr|html|li|link|main|menu|nav|ol|p|search|section|summary|ul)(?:[ \t/>]|$)))`)
)

// scanner finds the blocks of a text.
type scanner struct {
	text   string
	blocks []block
	open   bool   // the last block may continue
	fence  string // the fence that closes the open code block
	depth  int    // quotes that the open code block is in
	until  string // what closes the open block of HTML, in lower case; empty: a blank line
	markup bool   // the open block is HTML
	item   int    // column at which the text of the last item begins; zero after the list
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
	inner, depth := unquote(l)
	blank := strings.TrimSpace(inner) == ""
	indent := len(l) - len(strings.TrimLeft(l, " "))
	if n := itemIndent(l[indent:]); n > 0 && indent < 4 {
		s.item = indent + n
	} else if !blank && indent < s.item {
		s.item = 0
	}
	b := s.last()
	if b != nil && (s.markup || b.kind == code && depth >= s.depth) {
		s.raw(b, l, at, end)
		return
	}
	if b != nil && b.kind == code { // the quote that it is in has ended
		s.open, b = false, nil
	}
	switch {
	case strings.TrimSpace(l) == "":
		s.open = false
	case blank && b != nil && b.kind != prose: // the line separates blocks of a quote
		s.begin(block{start: at, end: end, line: number})
	case b != nil && b.kind == htmlTable:
		b.end = end
		if b.head == 0 && strings.HasPrefix(strings.TrimSpace(inner), "</thead>") && strings.Count(s.text[b.start:at], "<table") == 1 {
			b.head = end
		}
	case isFence(inner):
		mark := strings.TrimLeft(fence.FindStringSubmatch(inner)[1], " \t")
		s.fence, s.depth = mark[:len(mark)-len(strings.TrimLeft(mark, mark[:1]))], depth
		s.begin(block{kind: code, start: at, end: end, line: number, head: end})
	case strings.HasPrefix(strings.TrimLeft(inner, " \t"), "<table"):
		s.begin(block{kind: htmlTable, start: at, end: end, line: number})
	case s.item == 0 && isHeading(l):
		m := atx.FindStringSubmatch(l)
		s.begin(block{kind: heading, start: at, end: end, line: number, level: len(m[1]), title: plain(m[2])})
		s.open = false
	case strings.Contains(l, "<") && markup.MatchString(l):
		s.html(block{start: at, end: end, line: number}, l)
	case b != nil && b.kind == prose && isUnderline(l) && isParagraph(s.text[b.start:b.end]):
		b.kind, b.level, b.title, b.end = heading, 1, plain(strings.TrimSpace(s.text[b.start:b.end])), end
		if strings.Contains(l, "-") {
			b.level = 2
		}
		s.open = false
	case b != nil && b.kind == prose && strings.Contains(l, "|") && isRule(inner) && strings.Contains(s.text[s.lineStart(b.end):b.end], "|"):
		s.table(number, end)
	case b != nil && !isNote(l):
		b.end = end
	default:
		s.begin(block{start: at, end: end, line: number})
	}
}

// raw reads a line of the open block of code or HTML, in which no mark has a meaning
// except the one that closes the block.
func (s *scanner) raw(b *block, l string, at, end int) {
	if strings.TrimSpace(l) != "" {
		b.end = max(b.end, end)
	}
	if b.kind != code {
		s.open = !s.closed(l)
		return
	}
	if s.depth > 0 {
		l, _ = unquote(l)
	}
	if mark := strings.TrimSpace(l); mark != "" && strings.HasPrefix(mark, s.fence) && strings.Trim(mark, s.fence[:1]) == "" {
		s.open, b.tail = false, at
	}
}

// html begins a block of HTML with the line l.
func (s *scanner) html(b block, l string) {
	m := markup.FindStringSubmatch(l)
	s.begin(b)
	s.markup = true
	mark := strings.TrimLeft(l, " ")
	switch {
	case m[1] != "":
		s.until = "-->"
	case m[2] != "":
		s.until = "</" + strings.ToLower(m[2]) + ">"
	case mark[1] == '?':
		s.until = "?>"
	case mark[1] == '!':
		s.until = ">"
	default:
		s.until = ""
	}
	s.open = s.until == "" || !s.closed(l)
}

// closed reports whether a line of HTML ends the block.
func (s *scanner) closed(l string) bool {
	if s.until == "" {
		return strings.TrimSpace(l) == ""
	}
	return strings.Contains(strings.ToLower(l), s.until)
}

// unquote returns a line without the marks of quotes before it, and their number.
func unquote(l string) (inner string, depth int) {
	for {
		rest := strings.TrimLeft(l, " ")
		if !strings.HasPrefix(rest, ">") || len(l)-len(rest) > 3 {
			return l, depth
		}
		l = strings.TrimPrefix(rest[1:], " ")
		depth++
	}
}

// isParagraph reports whether the lines of a block of prose can be those of a heading: they
// are not an item or a quote.
func isParagraph(s string) bool {
	return !item.MatchString(s)
}

// The following functions look for single characters before they use a regular expression,
// because most lines are prose.

func isFence(l string) bool {
	return (strings.Contains(l, "```") || strings.Contains(l, "~~~")) && fence.MatchString(l)
}

func isHeading(l string) bool {
	return strings.HasPrefix(strings.TrimLeft(l, " "), "#") && atx.MatchString(l)
}

// itemIndent returns the width of the mark of an item before l, or zero if there is none.
func itemIndent(l string) int {
	if l == "" || !strings.Contains("-+*0123456789", l[:1]) {
		return 0
	}
	return len(marker.FindString(l))
}

// isNote reports whether l begins with the mark of a note and a colon.
func isNote(l string) bool {
	return strings.HasPrefix(l, "[^") && strings.Index(l, "]:") == strings.IndexByte(l, ']')
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
	s.open, s.markup = true, false
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
