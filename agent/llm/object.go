// SPDX-License-Identifier: Apache-2.0

package llm

import (
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// ErrPartial means that a reply ends, or cannot be read further, within its
// object. The complete members of the object are returned with it.
var ErrPartial = errors.New("reply ends within its object")

// errNoObject means that a text contains no JSON object, or several different ones.
var errNoObject = errors.New("reply is not one JSON object")

// Limits of a search for objects: the number of positions that are tried as the start
// of an object, each of which costs a look at the text after it, the number of bytes
// that are looked at, and the depth of nesting.
const (
	maxStarts = 200
	maxScan   = 64 << 20
	maxDeep   = 200
)

// ReadObject returns the only JSON object in the reply of a model. If the reply
// contains nothing else, clean is true. ReadObject ignores what models put around the
// object (thoughts, fences, prose), and finds it inside a JSON string or an array. It
// accepts comments, commas before a closing bracket, single quotes, names without
// quotes and the literals of Python. Bytes that are not UTF-8 become U+FFFD. If the
// same object occurs twice, it counts once.
//
// If an object is cut or broken, its complete members and list items are returned with
// [ErrPartial]. An object inside it never takes its place. For any other error there is
// no object: the reply contains none, or several different ones. An implementation of
// [Model] need not call ReadObject, because the engine calls it for [Reply].JSON.
func ReadObject(text string) (object json.RawMessage, clean bool, err error) {
	text = strings.TrimSpace(strings.TrimPrefix(strings.ToValidUTF8(text, "\ufffd"), "\ufeff"))
	if _, after, ok := strings.Cut(text, "</think>"); ok && !json.Valid([]byte(text)) { // otherwise it is a part of a value
		text = strings.TrimSpace(after)
	}
	for range 3 { // a string may contain a string
		if !json.Valid([]byte(text)) {
			break
		}
		switch text[0] {
		case '{':
			return json.RawMessage(text), true, nil
		case '[':
			var list []json.RawMessage
			if json.Unmarshal([]byte(text), &list) != nil || len(list) == 0 || list[0][0] != '{' {
				return nil, false, errNoObject
			}
			for _, other := range list[1:] {
				if !sameJSON(list[0], other) {
					return nil, false, errNoObject
				}
			}
			return list[0], false, nil
		case '"':
			var inner string
			if json.Unmarshal([]byte(text), &inner) != nil {
				return nil, false, errNoObject
			}
			text = strings.TrimSpace(inner)
		default:
			return nil, false, errNoObject
		}
	}
	return searchObject(text)
}

// searchObject looks for the object in a text that is not valid JSON.
func searchObject(text string) (object json.RawMessage, clean bool, err error) {
	for starts, seen := 0, 0; starts < maxStarts; starts++ {
		i := strings.IndexByte(text, '{')
		if i < 0 {
			break
		}
		if seen += len(text) - i; seen > maxScan {
			return nil, false, errNoObject
		}
		r := lenient{text: text[i:]}
		switch whole := r.object(0); {
		case whole && object == nil:
			object, text = r.out, r.text[r.at:]
		case whole && sameJSON(object, r.out):
			text = r.text[r.at:]
		case whole:
			return nil, false, errNoObject
		case r.members == 0: // a brace in prose
			text = text[i+1:]
		case object != nil || len(r.out) == len("{}"):
			return nil, false, errNoObject
		default:
			return r.out, false, ErrPartial
		}
	}
	if object == nil {
		return nil, false, errNoObject
	}
	return object, false, nil
}

// sameJSON reports whether two JSON texts have the same meaning.
func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// lenient reads the JSON dialects that models write, and writes JSON. If a value is
// incomplete, out contains its complete parts, properly closed.
type lenient struct {
	text    string
	at      int
	out     []byte
	members int // number of names with a colon that were read; with at least one, the braces are an object
}

// space skips white space and comments.
func (r *lenient) space() {
	for r.at < len(r.text) {
		rest := r.text[r.at:]
		switch {
		case strings.ContainsRune(" \t\r\n\ufeff\u00a0", rune(rest[0])) && rest[0] < utf8.RuneSelf:
			r.at++
		case strings.HasPrefix(rest, "//"):
			i := strings.IndexByte(rest, '\n')
			if i < 0 {
				i = len(rest)
			}
			r.at += i
		case strings.HasPrefix(rest, "/*"):
			i := strings.Index(rest, "*/")
			if i < 0 {
				i = len(rest) - 2
			}
			r.at += i + 2
		default:
			return
		}
	}
}

// next returns the next character that is not white space, or 0 at the end.
func (r *lenient) next() byte {
	r.space()
	if r.at == len(r.text) {
		return 0
	}
	return r.text[r.at]
}

// value reads a value and reports whether it is complete. If it is not, out contains
// the parts of it that are kept, or nothing new.
func (r *lenient) value(depth int) (whole bool) {
	if depth > maxDeep {
		return false
	}
	switch c := r.next(); c {
	case '{':
		return r.object(depth)
	case '[':
		return r.list(depth)
	case '"', '\'':
		return r.quoted()
	default:
		return r.bare()
	}
}

// object reads an object at the current position.
func (r *lenient) object(depth int) (whole bool) {
	r.at++
	r.out = append(r.out, '{')
	for first := true; ; {
		c := r.next()
		if c == '}' {
			r.at++
			r.out = append(r.out, '}')
			return true
		}
		mark := len(r.out)
		if !first {
			r.out = append(r.out, ',')
		}
		if c == 0 || !r.name() || r.next() != ':' {
			r.out = append(r.out[:mark], '}')
			return false
		}
		r.at++
		r.members++
		before := len(r.out)
		r.out = append(r.out, ':')
		if !r.value(depth + 1) {
			if len(r.out) == before+1 { // no part of the value is kept
				r.out = r.out[:mark]
			}
			r.out = append(r.out, '}')
			return false
		}
		first = false
		switch r.next() {
		case ',':
			r.at++
		case '}':
		default:
			r.out = append(r.out, '}')
			return false
		}
	}
}

// list reads a list at the current position. An incomplete item is dropped.
func (r *lenient) list(depth int) (whole bool) {
	r.at++
	r.out = append(r.out, '[')
	for first := true; ; {
		if r.next() == ']' {
			r.at++
			r.out = append(r.out, ']')
			return true
		}
		mark := len(r.out)
		if !first {
			r.out = append(r.out, ',')
		}
		if !r.value(depth + 1) {
			r.out = append(r.out[:mark], ']')
			return false
		}
		first = false
		switch r.next() {
		case ',':
			r.at++
		case ']':
		default:
			r.out = append(r.out, ']')
			return false
		}
	}
}

// name reads the name of a member, with or without quotes.
func (r *lenient) name() bool {
	if c := r.text[r.at]; c == '"' || c == '\'' {
		return r.quoted()
	}
	word := r.word()
	if word == "" {
		return false
	}
	r.out = appendJSON(r.out, word)
	return true
}

// quoted reads a text in single or double quotes. Line breaks in it are kept, and a
// backslash before a character that needs none is dropped.
func (r *lenient) quoted() bool {
	quote := r.text[r.at]
	var b strings.Builder
	for i := r.at + 1; i < len(r.text); i++ {
		switch c := r.text[i]; c {
		case quote:
			r.at = i + 1
			r.out = appendJSON(r.out, b.String())
			return true
		case '\\':
			n := escaped(r.text[i:], &b)
			if n == 0 {
				r.at = len(r.text)
				return false
			}
			i += n - 1
		default:
			b.WriteByte(c)
		}
	}
	r.at = len(r.text)
	return false
}

// escaped writes the character of the escape sequence at the start of s, and returns
// the length of the sequence. If s ends within the sequence, it returns 0.
func escaped(s string, b *strings.Builder) int {
	if len(s) < 2 {
		return 0
	}
	switch s[1] {
	case 'u':
		one, ok := hexRune(s)
		if two, pair := hexRune(s[min(len(s), 6):]); ok && pair && utf16.DecodeRune(one, two) != utf8.RuneError {
			b.WriteRune(utf16.DecodeRune(one, two))
			return 12
		}
		if ok {
			b.WriteRune(one) // half of a pair becomes U+FFFD
			return 6
		}
		if len(s) < 6 {
			return 0
		}
		b.WriteByte('u')
	case 'n':
		b.WriteByte('\n')
	case 't':
		b.WriteByte('\t')
	case 'r':
		b.WriteByte('\r')
	case 'b':
		b.WriteByte('\b')
	case 'f':
		b.WriteByte('\f')
	default:
		b.WriteByte(s[1])
	}
	return 2
}

// hexRune returns the 16 bits of an escape sequence such as \u00e9 at the start of s.
func hexRune(s string) (rune, bool) {
	if len(s) < 6 || s[:2] != `\u` {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:6], 16, 16)
	return rune(n), err == nil
}

// bare reads a number or a literal. If the text ends with it, it may be incomplete.
func (r *lenient) bare() bool {
	start := r.at
	word := r.word()
	if word == "" || r.at == len(r.text) {
		r.at = start
		return false
	}
	switch word {
	case "true", "True":
		r.out = append(r.out, "true"...)
	case "false", "False":
		r.out = append(r.out, "false"...)
	case "null", "None", "undefined", "NaN", "Infinity", "-Infinity":
		r.out = append(r.out, "null"...)
	default:
		if c := word[0]; c != '-' && (c < '0' || c > '9') || !json.Valid([]byte(word)) {
			r.at = start
			return false
		}
		r.out = append(r.out, word...)
	}
	return true
}

// word removes and returns the letters, digits and signs at the current position, of
// which numbers, literals and names without quotes consist.
func (r *lenient) word() string {
	start := r.at
	for r.at < len(r.text) {
		c := r.text[r.at]
		if c != '_' && c != '$' && c != '.' && c != '-' && c != '+' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			break
		}
		r.at++
	}
	return r.text[start:r.at]
}

// appendJSON appends s as a JSON string.
func appendJSON(dst []byte, s string) []byte {
	text, _ := json.Marshal(s) // cannot fail for a string
	return append(dst, text...)
}
