// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"bytes"
	"strings"
)

// paragraph ends the current line and writes it as a paragraph, unless it is
// empty.
func (w *lineWriter) paragraph() {
	l := &w.line
	l.end()
	if !l.empty() {
		w.start(paragraph)
		w.inline(true)
	}
	l.reset()
}

// inline writes the current line. blocks is set if a block can begin at this
// place.
func (w *lineWriter) inline(blocks bool) {
	l := &w.line
	emphasis{l}.emphasize()
	w.count()
	first, fresh := true, blocks // first line of the paragraph; at the start of a line
	before := ' '
	for i := 0; i < len(l.toks); i++ {
		t := &l.toks[i]
		switch t.kind {
		case none:
			continue
		case text:
			w.text(i, before, fresh, first)
			before = l.last(*t)
		case raw:
			w.out = append(w.out, l.text[t.from:t.to]...)
			before = l.last(*t)
		case code:
			w.span(l.text[t.from:t.to])
			before = '`'
		case open:
			w.text(i, before, fresh, first)
			w.delimiter(t)
			w.scope.styles++
			before = rune(t.char)
		case closing:
			w.delimiter(t)
			w.scope.styles--
			before = rune(t.char)
			if t.from < t.to {
				w.text(i, before, false, first)
				before = l.last(*t)
			}
		case linkOpen:
			if w.auto(i) {
				i, before = t.mate, '>'
				break
			}
			if l.style == LinksCitation {
				continue
			}
			w.out = append(w.out, '[')
			w.scope.links++
			before = '['
		case linkClose:
			o := &l.toks[t.mate]
			w.linkEnd(o.dest, o.title)
			before = ']'
			if l.style != LinksCitation {
				w.scope.links--
			}
			if l.style == LinksInline {
				before = ')'
			}
		case image:
			w.picture(t)
			before = ')'
		case hardBreak:
			w.lineBreak()
			first, fresh, before = false, blocks, l.afterBreak()
			continue
		}
		fresh = false
	}
}

// count counts the characters of the line that decide about escapes.
func (w *lineWriter) count() {
	c := &w.scope
	c.links, c.styles, c.brackets, c.ticks = 0, 0, 0, 0
	brackets, ticks := bytes.IndexByte(w.line.text, ']') >= 0, bytes.IndexByte(w.line.text, '`') >= 0
	for _, t := range w.line.toks {
		switch t.kind {
		case text, open, closing:
			s := w.line.text[t.from:t.to]
			if brackets {
				c.brackets += bytes.Count(s, []byte("]"))
			}
			if ticks {
				c.ticks += stretches(s)
			}
		case code:
			c.ticks++
		case linkOpen, image:
			c.ticks += strings.Count(t.dest, "`") + strings.Count(t.title, "`") + strings.Count(t.alt, "`")
		}
	}
}

// stretches returns the number of runs of backticks in s.
func stretches(s []byte) int {
	n := 0
	for i := bytes.IndexByte(s, '`'); i >= 0 && i < len(s); i++ {
		if s[i] == '`' && (i == 0 || s[i-1] != '`') {
			n++
		}
	}
	return n
}

// delimiter writes the delimiter of t.
func (w *lineWriter) delimiter(t *token) {
	for range t.style.width() {
		w.out = append(w.out, t.char)
	}
}

// lineBreak writes a break inside a block.
func (w *lineWriter) lineBreak() {
	if w.scope.cell {
		w.out = append(w.out, "<br>"...)
		return
	}
	if w.options.Break == BreakSpaces {
		w.out = append(w.out, "  "...)
		w.newline()
		return
	}
	if n := len(w.out); n > 0 && w.out[n-1] == '\\' {
		w.out = append(w.out, "  "...) // some readers misread three backslashes
	} else {
		w.out = append(w.out, '\\')
	}
	w.newline()
}

// text writes token i.
func (w *lineWriter) text(i int, before rune, fresh, first bool) {
	l := &w.line
	t := &l.toks[i]
	s := l.text[t.from:t.to]
	if len(s) == 0 {
		return
	}
	after, whole := l.next(i+1), i+1 == len(l.toks) || l.toks[i+1].kind == hardBreak
	if t.kind == open {
		after, whole = rune(t.char), false
	}
	if fresh {
		if rest, ok := bytes.CutPrefix(s, []byte("\u00a0")); ok {
			w.out = append(w.out, "&nbsp;"...)
			s, before = rest, ';'
		} else if n := lineStart(s, whole, first); n >= 0 {
			w.out = append(append(w.out, s[:n]...), '\\', s[n])
			s, before = s[n+1:], '\\'
		}
	}
	if before == ']' && s[0] == '(' && w.line.style == LinksCitation {
		w.out = append(w.out, `\(`...) // without the escape, (...) after ] would be a link target
		if s = s[1:]; len(s) == 0 {
			return
		}
	}
	tail := ""
	if rest, ok := bytes.CutSuffix(s, []byte("\u00a0")); ok && i+1 == len(l.toks) {
		s, tail, after = rest, "&nbsp;", '&'
	}
	w.out = w.scope.escape(w.out, s, before, after)
	w.out = append(w.out, tail...)
}

// auto writes the link that opens at token i as an autolink in angle brackets,
// if its text equals its target.
func (w *lineWriter) auto(i int) bool {
	l := &w.line
	t := &l.toks[i]
	if t.mate != i+2 || t.title != "" || l.toks[i+1].kind != text {
		return false
	}
	s := l.text[l.toks[i+1].from:l.toks[i+1].to]
	if string(s) != t.dest || !isAutolink(s) {
		return false
	}
	w.scope.brackets -= bytes.Count(s, []byte("]"))
	w.out = append(append(append(w.out, '<'), s...), '>')
	return true
}

// picture writes an image.
func (w *lineWriter) picture(t *token) {
	alt := strings.Join(strings.Fields(strings.ToValidUTF8(t.alt, "\uFFFD")), " ")
	w.out = append(w.out, "!["...)
	w.scope.links++
	brackets := w.scope.brackets
	w.out = w.scope.escape(w.out, []byte(alt), '[', ']')
	w.scope.brackets = brackets
	w.scope.links--
	w.out = append(w.out, "]("...)
	w.destination(t.dest, t.title)
	w.out = append(w.out, ')')
}

// span writes s as a code span.
func (w *lineWriter) span(s []byte) {
	longest, at := 0, 0
	for i := range len(s) + 1 {
		if i < len(s) && s[i] == '`' {
			continue
		}
		longest, at = max(longest, i-at), i+1
	}
	fence := strings.Repeat("`", longest+1)
	pad := len(s) > 0 && (s[0] == '`' || s[len(s)-1] == '`' ||
		s[0] == ' ' && s[len(s)-1] == ' ' && len(bytes.Trim(s, " ")) > 0)
	w.out = append(w.out, fence...)
	if pad {
		w.out = append(w.out, ' ')
	}
	for _, c := range s {
		if c == '|' && w.scope.cell {
			w.out = append(w.out, '\\')
		}
		w.out = append(w.out, c)
	}
	if pad {
		w.out = append(w.out, ' ')
	}
	w.out = append(w.out, fence...)
}
