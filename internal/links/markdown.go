// SPDX-License-Identifier: Apache-2.0

package links

import (
	"strings"

	"golang.org/x/net/html"
)

// Limits for parts of a Markdown link, in bytes, and for the number of open
// brackets. Without them, the end of an unclosed part would be searched for again
// and again.
const (
	maxDestination = 4 << 10
	maxTitle       = 4 << 10
	maxTag         = 1 << 10
	maxLabel       = 999 // CommonMark 4.7
	maxBrackets    = 1000
	maxTicks       = 80 // of consecutive backticks
)

// markdown reads Markdown: it splits the lines into blocks, and then reads the
// links of each block that is not code.
func markdown(c *collector, text string) {
	b := blocks{defined: map[string]string{}}
	b.read(text)
	for _, block := range b.inline {
		in := inline{collector: c, text: block, defined: b.defined}
		in.read()
	}
}

// blocks splits a document as far as code, comments and link definitions
// require it.
type blocks struct {
	inline  []string          // ranges of lines that may contain links, in order
	defined map[string]string // label -> destination, the first one for each label

	fence  string // the fence that opened the current code block, or empty
	indent int    // content indentation of the open list item, or zero
	blank  bool   // the previous line was blank or code, or there is none
	start  int    // start of the open range, or -1

	label  string // label of a definition whose destination is on the next line
	titled bool   // the previous line was a definition, so a title may follow
}

// read splits text.
func (b *blocks) read(text string) {
	b.blank, b.start = true, -1
	for at := 0; at < len(text); {
		next := behind(text, at, "\n")
		line := strings.TrimRight(text[at:next], "\r\n")
		if b.fence == "" && strings.HasPrefix(strings.TrimLeft(line, " "), "<!--") {
			b.end(text, at)
			at += strings.Index(line, "<!--") + len("<!--")
			at = commentEnd(text, at)
			continue
		}
		b.line(text, at, line)
		at = next
	}
	b.end(text, len(text))
}

// end ends the open range before the offset at.
func (b *blocks) end(text string, at int) {
	if b.start >= 0 {
		b.inline = append(b.inline, text[b.start:at])
	}
	b.start = -1
}

// line handles the line of text that starts at the offset at.
func (b *blocks) line(text string, at int, line string) {
	content, columns, item := container(line)
	if b.fence != "" {
		if closes(content, b.fence) {
			b.fence, b.blank = "", true
		}
		return
	}
	switch fence := opens(content); {
	case content == "":
		b.end(text, at)
		b.blank = true
		return
	case fence != "":
		b.end(text, at)
		b.fence = fence
		return
	case item:
		b.end(text, at)
		b.indent = columns
	case columns >= b.indent+4 && b.blank:
		return // indented code; blank stays set, because the next line may be code too
	case columns < b.indent && b.blank:
		b.indent = 0 // the list has ended
		if columns >= 4 {
			return
		}
	}
	b.blank = false
	if content[0] == '#' {
		b.end(text, at)
		b.inline = append(b.inline, line)
		return
	}
	if b.start < 0 && b.definition(content) {
		return
	}
	if b.start < 0 {
		b.start = at
	}
}

// container returns line without the markers of block quotes and list items,
// and the indentation of its content in columns. A tab counts as four.
func container(line string) (content string, columns int, item bool) {
	for {
		switch {
		case line == "":
			return "", columns, item
		case line[0] == ' ':
			line, columns = line[1:], columns+1
			continue
		case line[0] == '\t':
			line, columns = line[1:], columns+4
			continue
		case line[0] == '>' && columns < 4:
			line = strings.TrimPrefix(line[1:], " ")
			columns = 0
			continue
		}
		n := marker(line)
		if n == 0 || columns >= 4 && !item {
			return line, columns, item
		}
		line, columns, item = line[n:], columns+n, true
		if spaces := len(line) - len(strings.TrimLeft(line, " ")); spaces > 4 {
			return line[1:], columns + 1, item // a list item that starts with code
		}
	}
}

// marker returns the length of the list marker at the start of line.
func marker(line string) int {
	n := 0
	if strings.IndexByte("-+*", line[0]) < 0 {
		for n < len(line) && n < 9 && '0' <= line[n] && line[n] <= '9' {
			n++
		}
		if n == 0 || n == len(line) || line[n] != '.' && line[n] != ')' {
			return 0
		}
	}
	n++
	if n < len(line) && line[n] != ' ' && line[n] != '\t' {
		return 0
	}
	return n
}

// opens returns the fence at the start of content, or "".
func opens(content string) string {
	if content == "" || content[0] != '`' && content[0] != '~' {
		return ""
	}
	rest := strings.TrimLeft(content, content[:1])
	n := len(content) - len(rest)
	if n < 3 || content[0] == '`' && strings.Contains(rest, "`") {
		return ""
	}
	return content[:n]
}

// closes reports whether content ends the code block that fence opened.
func closes(content, fence string) bool {
	rest := strings.TrimLeft(content, fence[:1])
	return len(content)-len(rest) >= len(fence) && strings.TrimSpace(rest) == ""
}

// definition handles a line "[label]: destination 'title'", which may span
// three lines.
func (b *blocks) definition(content string) bool {
	if titled := b.titled; titled {
		b.titled = false
		if strings.IndexByte(`"'(`, content[0]) >= 0 && title(content) == len(content) {
			return true
		}
	}
	key, rest := b.label, content
	b.label = ""
	if key == "" {
		if content[0] != '[' || strings.HasPrefix(content, "[^") {
			return false
		}
		label, _, ok := strings.Cut(content[1:min(len(content), maxLabel+3)], "]:")
		if !ok || strings.ContainsAny(label, "[]") || strings.TrimSpace(label) == "" {
			return false
		}
		key, rest = labelKey(label), strings.TrimLeft(content[len("[")+len(label)+len("]:"):], " \t")
		if rest == "" {
			b.label = key
			return true
		}
	}
	target, n, ok := destination(rest)
	if !ok || n == 0 || n < len(rest) && rest[n] != ' ' && rest[n] != '\t' {
		return false
	}
	b.titled = strings.TrimSpace(rest[n:]) == ""
	if _, known := b.defined[key]; !known {
		b.defined[key] = target
	}
	return true
}

// labelKey returns the normalized form of a label.
func labelKey(label string) string {
	return strings.ToLower(strings.Join(strings.Fields(label), " "))
}

// inline reads the links of one block.
type inline struct {
	*collector
	text     string
	i        int
	defined  map[string]string
	brackets []bracket
	ticks    [maxTicks + 1]int // offset of the last sequence of this many backticks
}

// bracket is an opening bracket that may start a link.
type bracket struct {
	at    int // offset after the bracket
	refs  int // number of references found before it
	image bool
	dead  bool // it contains a link, and links cannot be nested
}

func (in *inline) read() {
	in.countTicks()
	for in.i < len(in.text) {
		n := strings.IndexAny(in.text[in.i:], "\\`<[]!hHwW")
		if n < 0 {
			return
		}
		in.i += n
		switch in.text[in.i] {
		case '\\':
			in.i += 2
		case '`':
			in.code()
		case '<':
			in.angle()
		case '!':
			in.i++
			if strings.HasPrefix(in.text[in.i:], "[") {
				in.i++
				in.push(true)
			}
		case '[':
			in.i++
			in.push(false)
		case ']':
			in.i++
			in.pop()
		default:
			in.bare()
		}
	}
}

// countTicks records the last sequence of each number of backticks, so that a
// sequence without a partner is not searched for.
func (in *inline) countTicks() {
	for i := 0; ; {
		n := strings.IndexByte(in.text[i:], '`')
		if n < 0 {
			return
		}
		i += n
		length := run(in.text[i:])
		if length <= maxTicks {
			in.ticks[length] = i
		}
		i += length
	}
}

// run returns the number of backticks at the start of s.
func run(s string) int { return len(s) - len(strings.TrimLeft(s, "`")) }

// code skips a code span, or backticks that do not start one.
func (in *inline) code() {
	length := run(in.text[in.i:])
	in.i += length
	if length > maxTicks || in.ticks[length] < in.i {
		return
	}
	for at := in.i; ; {
		n := strings.IndexByte(in.text[at:], '`')
		if n < 0 {
			return
		}
		at += n
		other := run(in.text[at:])
		at += other
		if other == length {
			in.i = at
			return
		}
	}
}

// angle reads an autolink in angle brackets, or skips an HTML tag.
func (in *inline) angle() {
	rest := in.text[in.i+1:]
	if rest == "" || !isLetter(rest[0]) && rest[0] != '/' && rest[0] != '!' {
		in.i++
		return
	}
	if strings.HasPrefix(rest, "!--") {
		in.i = commentEnd(in.text, in.i+len("<!--"))
		return
	}
	end := strings.IndexAny(rest[:min(len(rest), maxDestination)], "<> \t\r\n")
	if end > 0 && rest[end] == '>' && hasScheme(rest[:end]) {
		in.link(rest[:end], rest[:end])
		in.i += end + len("<>")
		return
	}
	near := in.text[:min(len(in.text), in.i+maxTag)]
	t := tag{text: near}
	if isLetter(rest[0]) && strings.Contains(near[in.i:], ">") && t.start(nameEnd(near, in.i+1)) {
		in.i = t.end
		return
	}
	in.i++
}

// hasScheme reports whether s starts with a scheme of 2 to 32 characters.
func hasScheme(s string) bool {
	scheme, _, ok := strings.Cut(s, ":")
	if !ok || len(scheme) < 2 || len(scheme) > 32 || !isLetter(s[0]) {
		return false
	}
	for i := range len(scheme) {
		if c := scheme[i]; !isAlnum(c) && strings.IndexByte("+.-", c) < 0 {
			return false
		}
	}
	return true
}

// link adds a link and its text.
func (in *inline) link(target, text string) {
	in.add(target, "")
	in.open()
	in.say(text)
	in.close()
}

func (in *inline) push(image bool) {
	if len(in.brackets) == maxBrackets {
		in.brackets = in.brackets[:copy(in.brackets, in.brackets[maxBrackets/2:])]
	}
	in.brackets = append(in.brackets, bracket{at: in.i, refs: len(in.refs), image: image})
}

// pop handles the closing bracket before in.i, which ends a link text.
func (in *inline) pop() {
	if len(in.brackets) == 0 {
		return
	}
	b := in.brackets[len(in.brackets)-1]
	in.brackets = in.brackets[:len(in.brackets)-1]
	text := in.text[b.at : in.i-1]
	target, n, ok := in.target(text)
	if !ok || b.dead {
		return
	}
	in.i += n
	if b.image {
		return
	}
	in.refs = in.refs[:b.refs] // an address in the text of a link is not a link
	in.link(target, text)
	for i := range in.brackets {
		in.brackets[i].dead = in.brackets[i].dead || !in.brackets[i].image
	}
}

// target reads what follows a link text: "(destination)", "[label]", "[]", or
// nothing. It returns the length of that.
func (in *inline) target(text string) (target string, n int, ok bool) {
	rest := in.text[in.i:]
	if strings.HasPrefix(rest, "(") {
		if target, n, ok = parenthesis(rest); ok {
			return target, n, true
		}
	}
	label := text
	if strings.HasPrefix(rest, "[") {
		end := strings.IndexAny(rest[1:min(len(rest), maxLabel+2)], "[]")
		if end >= 0 && rest[1+end] == ']' {
			n = end + len("[]")
			if end > 0 {
				label = rest[1 : 1+end]
			}
		}
	}
	if len(label) > maxLabel {
		return "", 0, false
	}
	target, ok = in.defined[labelKey(label)]
	return target, n, ok
}

// parenthesis parses `(destination "title")`.
func parenthesis(s string) (target string, n int, ok bool) {
	rest := strings.TrimLeft(s[1:], space)
	target, size, ok := destination(rest)
	if !ok {
		return "", 0, false
	}
	rest = rest[size:]
	after := strings.TrimLeft(rest, space)
	if len(after) < len(rest) && after != "" && strings.IndexByte(`"'(`, after[0]) >= 0 {
		size = title(after)
		if size == 0 {
			return "", 0, false
		}
		after = strings.TrimLeft(after[size:], space)
	}
	if !strings.HasPrefix(after, ")") {
		return "", 0, false
	}
	return target, len(s) - len(after) + 1, true
}

// title returns the length of the title at the start of s, or zero if it is not
// closed.
func title(s string) int {
	quote := s[0]
	if quote == '(' {
		quote = ')'
	}
	for i := 1; i < len(s) && i < maxTitle; i++ {
		switch s[i] {
		case quote:
			return i + 1
		case '\\':
			i++
		}
	}
	return 0
}

// destination parses a link destination (CommonMark 6.3). It returns the
// decoded destination and its length in s.
func destination(s string) (target string, n int, ok bool) {
	if strings.HasPrefix(s, "<") {
		for i := 1; i < len(s) && i < maxDestination; i++ {
			switch s[i] {
			case '>':
				return decode(s[1:i]), i + 1, true
			case '<', '\n':
				return "", 0, false
			case '\\':
				i++
			}
		}
		return "", 0, false
	}
	depth := 0
loop:
	for n < len(s) && s[n] > ' ' {
		switch s[n] {
		case '\\':
			if n+1 < len(s) && isPunct(s[n+1]) {
				n++
			}
		case '(':
			depth++
		case ')':
			if depth == 0 {
				break loop
			}
			depth--
		}
		if n++; n > maxDestination || depth > 32 {
			return "", 0, false
		}
	}
	return decode(s[:n]), n, depth == 0
}

// decode removes backslashes before punctuation and decodes character
// references.
func decode(s string) string {
	if strings.IndexByte(s, '\\') >= 0 {
		out := make([]byte, 0, len(s))
		for i := 0; i < len(s); i++ {
			if s[i] == '\\' && i+1 < len(s) && isPunct(s[i+1]) {
				i++
				if s[i] == '&' { // not decoded
					out = append(out, "&amp;"...)
					continue
				}
			}
			out = append(out, s[i])
		}
		s = string(out)
	}
	return html.UnescapeString(s)
}

func isPunct(c byte) bool { return c > ' ' && c < 0x7F && !isAlnum(c) }

// bare reads an address in plain text (GFM 6.9), or advances.
func (in *inline) bare() {
	rest := in.text[in.i:]
	prefix := ""
	switch {
	case in.i > 0 && isAlnum(in.text[in.i-1]):
	case hasPrefixFold(rest, "http://"), hasPrefixFold(rest, "https://"):
		prefix = rest[:strings.Index(rest, "//")+2]
	case hasPrefixFold(rest, "www."):
		prefix = rest[:len("www.")]
	}
	if prefix == "" {
		in.i++
		return
	}
	stops := space + "<>\"`"
	if len(in.brackets) > 0 {
		stops += "]"
	}
	end := strings.IndexAny(rest, stops)
	if end < 0 {
		end = len(rest)
	}
	address := trimAddress(rest[:end])
	in.i += max(len(address), len(prefix))
	if len(address) <= len(prefix) || !isAlnum(address[len(prefix)]) && address[len(prefix)] != '[' && address[len(prefix)] < 0x80 {
		return
	}
	target := address
	if prefix[0]|0x20 == 'w' {
		target = "http://" + address
	}
	in.link(target, address)
}

// trimAddress removes trailing punctuation that belongs to the sentence.
func trimAddress(s string) string {
	closing := strings.Count(s, ")") - strings.Count(s, "(")
	for s != "" {
		switch c := s[len(s)-1]; {
		case strings.IndexByte("?!.,:*_~';|", c) >= 0:
		case c == ')' && closing > 0:
			closing--
		default:
			return s
		}
		s = s[:len(s)-1]
	}
	return s
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && equalFold(s[:len(prefix)], prefix)
}
