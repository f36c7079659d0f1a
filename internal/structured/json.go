// SPDX-License-Identifier: Apache-2.0

package structured

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"example.com/curlew/internal/dom"
)

// A jsonValue is a value of a JSON text: an object, an array or a scalar.
type jsonValue struct {
	members []jsonMember // of an object
	list    []jsonValue  // of an array
	text    string       // of all others; empty for null
	kind    byte         // '{', '[', '"', '0' for a number, 'w' for true, false and null
}

type jsonMember struct {
	name  string
	value jsonValue
}

// A jsonReader reads JSON as people write it: with comments, trailing commas,
// line breaks and unknown escapes in strings, apostrophes in place of quotes, and unquoted names.
type jsonReader struct {
	steps  *dom.Steps
	s      string
	i      int
	values int
	// If it is not nil, names are values too: the parameters of the function around the text. The strings of
	// parameters may have room bytes together, each time that they are used.
	params map[string]jsonValue
	room   int
	left   int // strings that were left out because there was no room
}

// readJSON returns the consecutive values of a text, and whether it could be
// read to the end of the last one.
func readJSON(steps *dom.Steps, s string, most int) ([]jsonValue, bool) {
	r := jsonReader{steps: steps, s: s, values: most}
	var all []jsonValue
	for {
		r.space()
		if r.i == len(s) || s[r.i] != '{' && s[r.i] != '[' {
			return all, len(all) > 0 // the rest is not data
		}
		v, ok := r.value(0)
		if !ok {
			return all, false
		}
		all = append(all, v)
		for r.space(); r.i < len(s) && (s[r.i] == ';' || s[r.i] == ','); r.space() {
			r.i++
		}
	}
}

// space skips white space and comments.
func (r *jsonReader) space() {
	for r.i < len(r.s) {
		r.steps.Take(1)
		switch c := r.s[r.i]; {
		case c <= ' ':
			r.i++
		case strings.HasPrefix(r.s[r.i:], "\ufeff"):
			r.i += len("\ufeff")
		case strings.HasPrefix(r.s[r.i:], "\u00a0"):
			r.i += len("\u00a0")
		case strings.HasPrefix(r.s[r.i:], "//"):
			r.skip("\n")
		case strings.HasPrefix(r.s[r.i:], "/*"):
			r.skip("*/")
		default:
			return
		}
	}
}

// skip skips text up to and including end.
func (r *jsonReader) skip(end string) {
	if n := strings.Index(r.s[r.i:], end); n >= 0 {
		r.i += n + len(end)
		return
	}
	r.i = len(r.s)
}

// peek returns the next byte after white space, or zero at the end.
func (r *jsonReader) peek() byte {
	if r.space(); r.i < len(r.s) {
		return r.s[r.i]
	}
	return 0
}

func (r *jsonReader) value(depth int) (jsonValue, bool) {
	r.steps.Take(1)
	if r.values--; r.values < 0 || depth > maxDepth {
		return jsonValue{}, false
	}
	switch c := r.peek(); {
	case c == '{':
		return r.object(depth)
	case c == '[':
		return r.array(depth)
	case c == '"' || c == '\'':
		s, ok := r.text()
		return jsonValue{kind: '"', text: s}, ok
	case c == '-' || '0' <= c && c <= '9':
		return jsonValue{kind: '0', text: r.word()}, true
	}
	word := r.word()
	switch word {
	case "void": // as minifiers write undefined: with a zero after it
		r.peek()
		r.word()
		return jsonValue{kind: 'w'}, true
	case "new": // such as new Date(0), which is no text of the page
		if _, rest, ok := strings.Cut(r.s[r.i:], ")"); ok {
			r.i = len(r.s) - len(rest)
		}
		return jsonValue{kind: 'w'}, true
	case "null", "undefined": // as programs write their state
		return jsonValue{kind: 'w'}, true
	case "true", "false":
		return jsonValue{kind: 'w', text: word}, true
	}
	if word == "" || r.params == nil {
		return jsonValue{}, false
	}
	v := r.params[word]
	if r.room -= len(v.text); r.room < 0 || v.kind == 0 {
		if len(v.text) > 0 {
			r.left++
		}
		v = jsonValue{kind: 'w'}
	}
	return v, true
}

func (r *jsonReader) object(depth int) (jsonValue, bool) {
	v := jsonValue{kind: '{'}
	r.i++
	for {
		switch r.peek() {
		case '}':
			r.i++
			return v, true
		case ',':
			r.steps.Take(1)
			r.i++
			continue
		}
		name, ok := r.name()
		if !ok || r.peek() != ':' {
			return v, false
		}
		r.i++
		member, ok := r.value(depth + 1)
		if !ok {
			return v, false
		}
		v.members = append(v.members, jsonMember{name, member})
		if c := r.peek(); c != ',' && c != '}' {
			return v, false
		}
	}
}

func (r *jsonReader) array(depth int) (jsonValue, bool) {
	v := jsonValue{kind: '['}
	r.i++
	for {
		switch r.peek() {
		case ']':
			r.i++
			return v, true
		case ',':
			r.steps.Take(1)
			r.i++
			continue
		}
		item, ok := r.value(depth + 1)
		if !ok {
			return v, false
		}
		v.list = append(v.list, item)
		if c := r.peek(); c != ',' && c != ']' {
			return v, false
		}
	}
}

// name reads the name of a member.
func (r *jsonReader) name() (string, bool) {
	if c := r.peek(); c == '"' || c == '\'' {
		return r.text()
	}
	s := r.word()
	return s, s != ""
}

// word reads letters, digits and other characters of numbers and names.
func (r *jsonReader) word() string {
	start := r.i
	for r.i < len(r.s) {
		c := r.s[r.i]
		alnum := 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9'
		if !alnum && strings.IndexByte("+-._@$", c) < 0 {
			break
		}
		r.i++
	}
	return r.s[start:r.i]
}

// text reads a string between quotes or apostrophes.
func (r *jsonReader) text() (string, bool) {
	quote := r.s[r.i]
	r.i++
	start := r.i
	defer func() { r.steps.Take((r.i - start) / 16) }()
	for r.i < len(r.s) && r.s[r.i] != quote && r.s[r.i] != '\\' {
		r.i++
	}
	if r.i < len(r.s) && r.s[r.i] == quote {
		r.i++
		return r.s[start : r.i-1], true
	}
	var b strings.Builder
	b.WriteString(r.s[start:r.i])
	for r.i < len(r.s) {
		c := r.s[r.i]
		r.i++
		switch c {
		case quote:
			return b.String(), true
		case '\\':
			r.escape(&b)
		default:
			b.WriteByte(c)
		}
	}
	return "", false
}

// escape reads the character after a backslash. An unknown escape is the
// character itself.
func (r *jsonReader) escape(b *strings.Builder) {
	if r.i == len(r.s) {
		return
	}
	c := r.s[r.i]
	r.i++
	switch c {
	case 'n', 'r', 'f', 'b':
		b.WriteByte('\n')
	case 't':
		b.WriteByte('\t')
	case 'x':
		b.WriteRune(r.hex(2))
	case 'u':
		u := r.hex(4)
		if utf16.IsSurrogate(u) && strings.HasPrefix(r.s[r.i:], `\u`) {
			r.i += 2
			u = utf16.DecodeRune(u, r.hex(4))
		}
		b.WriteRune(u)
	default:
		b.WriteByte(c)
	}
}

// hex reads the n digits of an escape.
func (r *jsonReader) hex(n int) rune {
	if len(r.s)-r.i < n {
		return utf8.RuneError
	}
	var u rune
	for _, c := range []byte(r.s[r.i : r.i+n]) {
		switch {
		case '0' <= c && c <= '9':
			u = u<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			u = u<<4 | rune(c|0x20-'a'+10)
		default:
			return utf8.RuneError
		}
	}
	r.i += n
	return u
}
