// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2010 The Go Authors. All rights reserved.
// Use of this source code is governed by the license in the file LICENSE.

package htmltree

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// kind says what a token is.
type kind uint8

const (
	endOfText kind = iota
	textToken
	startTag
	endTag
	comment
	doctype
)

// A token is a part of the text.
type token struct {
	kind   kind
	closed bool // a start tag that ends in "/>"
	atom   atom.Atom
	data   string           // text, tag name, or content of a comment or doctype
	attr   []html.Attribute // of a start tag
}

// A tokenizer splits a text without NULs into tokens. It is the state machine
// of HTML 13.2.5 as implemented in golang.org/x/net/html.
type tokenizer struct {
	text string
	at   int // index of the next byte
	slab slab

	refs    references
	returns bool            // the text contains carriage returns
	seen    map[string]bool // attributes of the current tag, if there are many

	// raw is the name, in lower case, of the element whose content is text up
	// to its end tag. It is empty if the content is markup.
	raw        string
	allowCDATA bool

	loss Loss
}

// next reads the next token. At the end it returns endOfText.
func (z *tokenizer) next(t *token) {
	*t = token{}
	start := z.at
	if start == len(z.text) {
		return
	}
	if z.raw != "" {
		end, plain := z.rawText()
		if z.at = end; end > start {
			t.kind, t.data = textToken, z.string(z.text[start:end], plain)
			return
		}
	}
	for at := start; ; at++ {
		i := strings.IndexByte(z.text[at:], '<')
		if at += i; i < 0 || at+1 == len(z.text) {
			z.at = len(z.text)
			t.kind, t.data = textToken, z.string(z.text[start:], false)
			return
		}
		c := z.text[at+1]
		letter := isLetter(c)
		if !letter && c != '/' && c != '!' && c != '?' {
			continue
		}
		if at > start {
			z.at = at
			t.kind, t.data = textToken, z.string(z.text[start:at], false)
			return
		}
		switch z.at = at + 1; {
		case letter:
			z.startTag(t)
		case c == '/':
			z.endTag(t)
		case c == '!':
			z.declaration(t)
		default:
			z.bogus(t, z.at)
		}
		return
	}
}

// rawText returns the index at which the content of the element z.raw ends, and
// whether character references in it are plain text.
func (z *tokenizer) rawText() (end int, plain bool) {
	name := z.raw
	z.raw = ""
	switch name {
	case "plaintext":
		return len(z.text), true
	case "script":
		return z.script(), true
	}
	plain = name != "textarea" && name != "title"
	for at := z.at; ; {
		i := strings.Index(z.text[at:], "</")
		if i < 0 {
			z.loss.Unclosed = len(z.text) - z.at
			return len(z.text), plain
		}
		if at += i; z.isEnd(at+2, name) {
			return at, plain
		}
		at += 2
	}
}

// isEnd reports whether the name of an end tag starts at an index and is
// followed by a character that ends a name.
func (z *tokenizer) isEnd(at int, name string) bool {
	end := at + len(name)
	return end < len(z.text) && endsName(z.text[end]) && equalLower(z.text[at:end], name)
}

// States of the tokenizer in a script.
const (
	scriptData    = iota
	scriptEscaped // in a comment
	scriptDouble  // in a script in a comment
)

// script returns the index at which the content of a script ends. In a comment
// within a script, the end tag of a nested script does not end the content.
func (z *tokenizer) script() int {
	state, dashes := scriptData, 0
	for at := z.at; at < len(z.text); {
		if state == scriptData {
			i := strings.IndexByte(z.text[at:], '<')
			if i < 0 {
				break
			}
			at += i
		}
		switch c := z.text[at]; {
		case c == '-':
			dashes++
			at++
			continue
		case c == '>' && dashes >= 2:
			state = scriptData
			at++
		case c != '<':
			at++
		default:
			var size int
			state, dashes, size = z.scriptTag(state, at)
			if size == 0 {
				return at
			}
			at += size
			continue
		}
		dashes = 0
	}
	z.loss.Unclosed = len(z.text) - z.at
	return len(z.text)
}

// scriptTag reads what follows a '<' in a script. It returns the new state, the
// number of trailing dashes, and the length, which is zero if the script ends.
func (z *tokenizer) scriptTag(before, at int) (state, dashes, size int) {
	rest := z.text[at+1:]
	ends := strings.HasPrefix(rest, "/") && z.isEnd(at+2, "script")
	switch {
	case before == scriptDouble && ends:
		return scriptEscaped, 0, len("</script>")
	case before == scriptDouble:
		return scriptDouble, 0, 1
	case ends:
		return before, 0, 0
	case before == scriptData && strings.HasPrefix(rest, "!--"):
		return scriptEscaped, 2, len("<!--")
	case before == scriptData:
		return scriptData, 0, 1
	case z.isEnd(at+1, "script"):
		return scriptDouble, 0, len("<script>")
	case rest != "" && rest[0] != '/' && !isLetter(rest[0]):
		return scriptData, 0, 1 // a deviation from the standard
	}
	return scriptEscaped, 0, 1
}

// endTag reads an end tag, or what looks like one, from its '/'.
func (z *tokenizer) endTag(t *token) {
	start := z.at + 1
	switch {
	case start == len(z.text):
		t.kind, t.data = textToken, "</"
		z.at = start
	case z.text[start] == '>':
		t.kind = comment
		z.at = start + 1
	case isLetter(z.text[start]):
		z.at = start
		z.name(t)
		if _, ok := z.attributes(false); ok {
			t.kind = endTag
		} else {
			z.at, *t, z.loss.Unclosed = len(z.text), token{}, len(z.text)-start
		}
	default:
		z.bogus(t, start)
	}
}

// startTag reads a start tag from its name. An incomplete tag at the end of the
// text is dropped.
func (z *tokenizer) startTag(t *token) {
	start := z.at
	z.name(t)
	name := z.text[start:z.at]
	last, ok := z.attributes(true)
	t.attr = z.slab.tag()
	if !ok {
		z.at, *t, z.loss.Unclosed = len(z.text), token{}, len(z.text)-start
		return
	}
	t.kind = startTag
	// A '/' that ends an unquoted value belongs to the value.
	slash := z.at - len("/>")
	t.closed = z.text[slash] == '/' && last != slash+1
	z.raw = rawName(name)
}

// rawName returns the name in lower case if the content of the element is not
// markup, else "".
func rawName(name string) string {
	var names []string
	switch name[0] | 0x20 {
	case 'i':
		names = rawNames[:1]
	case 'n':
		names = rawNames[1:4]
	case 'p':
		names = rawNames[4:5]
	case 's':
		names = rawNames[5:7]
	case 't':
		names = rawNames[7:9]
	case 'x':
		names = rawNames[9:]
	}
	for _, raw := range names {
		if len(raw) == len(name) && equalLower(name, raw) {
			return raw
		}
	}
	return ""
}

var rawNames = [...]string{"iframe", "noembed", "noframes", "noscript", "plaintext", "script", "style", "textarea", "title", "xmp"}

// name reads the name of a tag. z.at is then its end.
func (z *tokenizer) name(t *token) {
	start := z.at
	var buf [32]byte
	small := 0 // bytes of the name in buf; -1 if it does not fit
	for z.at < len(z.text) && !endsName(z.text[z.at]) {
		if small >= 0 && small < len(buf) {
			buf[small] = lowerByte(z.text[z.at])
			small++
		} else {
			small = -1
		}
		z.at++
	}
	if small > 0 {
		if t.atom = atom.Lookup(buf[:small]); t.atom != 0 {
			t.data = t.atom.String()
			return
		}
	}
	t.data = z.lower(z.text[start:z.at])
}

// maxOfEnd is how many bytes an end tag may have behind its name without being counted
// as one that has swallowed text.
const maxOfEnd = 16

// attributes reads a tag from the end of its name. A tag is open if it has another tag
// in the name of an attribute, or in a value that ends at the quote that should begin a
// later value, so that a name behind it contains a quote. It returns where the value
// of the last kept attribute ends, or zero. If the text ends before the tag, it
// returns false.
func (z *tokenizer) attributes(keep bool) (last int, ok bool) {
	text := z.text
	z.slab.attrs = z.slab.attrs[:0]
	at := skipSpace(text, z.at)
	seen, open := at, false // text[:seen] was searched for another tag
	for first := at; at < len(text); {
		if text[at] == '>' {
			z.at = at + 1
			if open || !keep && at-first > maxOfEnd {
				z.loss.Swallowed += at - first
			}
			return last, true
		}
		start, odd := at, byte(0)
		for at < len(text) && attributeBytes[text[at]]&endOfName == 0 && (text[at] != '=' || at == start) {
			odd |= attributeBytes[text[at]]
			at++
		}
		key := text[start:at]
		if odd != 0 && !open {
			open, seen = strings.IndexByte(text[seen:at], '<') >= 0, at
		}
		from, to, next := value(text, at)
		if keep && key != "" {
			if key = z.lower(key); !z.has(key) {
				z.slab.attr(key, z.value(text[from:to]))
				last = to
			}
		}
		at = skipSpace(text, next)
	}
	return 0, false
}

// attributeBytes classifies the bytes of a tag behind its name.
var attributeBytes = [256]byte{
	'>': endOfName, '/': endOfName, ' ': endOfName, '\t': endOfName, '\n': endOfName, '\f': endOfName, '\r': endOfName,
	'<': oddInName, '"': oddInName, '\'': oddInName,
}

const (
	endOfName = 1 << iota // ends the name of an attribute, as endsName says
	oddInName             // in the name of an attribute, it shows that a tag or a value lacks its end
)

// manyAttrs is the number of attributes from which a map holds their names.
const manyAttrs = 24

// has reports whether the current tag has the attribute key.
func (z *tokenizer) has(key string) bool {
	attrs := z.slab.attrs
	if len(attrs) < manyAttrs {
		for i := range attrs {
			if attrs[i].Key == key {
				return true
			}
		}
		return false
	}
	if len(attrs) == manyAttrs {
		z.seen = make(map[string]bool, 2*manyAttrs)
		for i := range attrs {
			z.seen[attrs[i].Key] = true
		}
	}
	if z.seen[key] {
		return true
	}
	z.seen[key] = true
	return false
}

// value finds the value of the attribute whose name ends at an index. It
// returns the start and end of the value, and the index after it, which is the
// end of the text if the value does not end.
func value(text string, at int) (from, to, next int) {
	i := skipSpace(text, at)
	switch {
	case i == len(text):
		return at, at, i
	case text[i] == '/':
		return at, at, i + 1
	case text[i] != '=':
		return at, at, i
	}
	if i = skipSpace(text, i+1); i == len(text) {
		return at, at, i
	}
	switch quote := text[i]; quote {
	case '>':
		return at, at, i
	case '"', '\'':
		from = i + 1
		n := strings.IndexByte(text[from:], quote)
		if n < 0 {
			return from, len(text), len(text)
		}
		return from, from + n, from + n + 1
	}
	for to = i + 1; to < len(text) && text[to] != '>' && !isSpace(text[to]); to++ {
	}
	return i, to, to
}

// declaration reads markup that starts with "<!", from the '!'.
func (z *tokenizer) declaration(t *token) {
	const mark, section = "DOCTYPE", "[CDATA["
	start := z.at + 1
	switch rest := z.text[start:]; {
	case len(rest) < 2:
		t.kind, t.data = comment, z.string(strings.TrimSuffix(rest, ">"), false)
		z.at = len(z.text)
	case strings.HasPrefix(rest, "--"):
		z.comment(t, start+2)
	case len(rest) >= len(mark) && strings.EqualFold(rest[:len(mark)], mark):
		z.bogus(t, skipSpace(z.text, start+len(mark)))
		t.kind = doctype
	case z.allowCDATA && strings.HasPrefix(rest, section):
		s, _, closed := strings.Cut(rest[len(section):], "]]>")
		z.at = start + len(section) + len(s)
		if closed {
			z.at += len("]]>")
		}
		t.kind, t.data = textToken, z.string(s, false)
	default:
		z.bogus(t, start)
	}
}

// bogus reads a comment that ends at the next '>'.
func (z *tokenizer) bogus(t *token, start int) {
	s, _, closed := strings.Cut(z.text[start:], ">")
	z.at = start + len(s)
	if closed {
		z.at++
	} else {
		z.loss.Unclosed = len(s)
	}
	t.kind, t.data = comment, z.string(s, false)
}

// comment reads a comment after its "<!--".
func (z *tokenizer) comment(t *token, start int) {
	end := z.commentEnd(start)
	t.kind, t.data = comment, z.string(z.text[start:max(start, end)], false)
}

// commentEnd returns the end of a comment's content. For very short comments it
// is before start.
func (z *tokenizer) commentEnd(start int) int {
	text, at := z.text, start
	dashes, beginning := 0, true
	for at < len(text) {
		if dashes == 0 && !beginning {
			i := strings.IndexByte(text[at:], '-')
			if i < 0 {
				break
			}
			at += i
		}
		c := text[at]
		at++
		switch {
		case c == '-':
			dashes++
			continue
		case c == '>' && (dashes >= 2 || beginning):
			z.at = at
			return at - len("-->")
		case c == '!' && dashes >= 2 && at < len(text):
			c = text[at]
			at++
			if c == '>' {
				z.at = at
				return at - len("--!>")
			}
			if c == '-' {
				dashes, beginning = 1, false
				continue
			}
		}
		dashes, beginning = 0, false
	}
	z.at, z.loss.Unclosed = len(text), len(text)-start
	rest := text[start:]
	for _, mark := range [...]string{"--!", "--", "-"} {
		if strings.HasSuffix(rest, mark) {
			return len(text) - len(mark)
		}
	}
	return len(text)
}

// string returns a part of the text with normalized line ends and, unless it is
// plain, with decoded references.
func (z *tokenizer) string(s string, plain bool) string {
	if z.returns {
		s = newlines(s)
	}
	if !plain {
		s = z.refs.text(s)
	}
	return s
}

// value is string for attribute values.
func (z *tokenizer) value(s string) string {
	if z.returns {
		s = newlines(s)
	}
	return z.refs.value(s)
}

// newlines replaces carriage returns, alone or before a line feed, by line
// feeds.
func newlines(s string) string {
	if strings.IndexByte(s, '\r') < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

// lower returns s with ASCII letters in lower case.
func (z *tokenizer) lower(s string) string {
	for i := range len(s) {
		if 'A' <= s[i] && s[i] <= 'Z' {
			b := []byte(s)
			for j := i; j < len(b); j++ {
				b[j] = lowerByte(b[j])
			}
			return string(b)
		}
	}
	return s
}

func lowerByte(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c |= 0x20
	}
	return c
}

// equalLower reports whether s equals name, which is in lower case, ignoring
// case.
func equalLower(s, name string) bool {
	for i := range len(name) {
		if s[i] != name[i] && s[i] != name[i]-('a'-'A') {
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' }

// endsName reports whether c ends the name of a tag or attribute.
func endsName(c byte) bool { return c == '>' || c == '/' || isSpace(c) }

// skipSpace returns the index of the first character from at on that is not
// white space.
func skipSpace(text string, at int) int {
	for at < len(text) && isSpace(text[at]) {
		at++
	}
	return at
}
