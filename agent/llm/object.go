// SPDX-License-Identifier: Apache-2.0

package llm

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"unicode/utf8"
)

// ErrPartial means that a reply ends, or cannot be read further, within its
// object. The complete members of the object are returned with it.
var ErrPartial = errors.New("reply ends within its object")

// errNoObject means that a text holds no JSON object, or several that differ.
var errNoObject = errors.New("reply is not one JSON object")

// Bounds of a search for objects: places that are tried as the start of one,
// each of which costs a look at what follows; bytes looked at; and how deep an
// object may nest.
const (
	maxStarts = 200
	maxScan   = 64 << 20
	maxDeep   = 200
)

// ReadObject returns the one JSON object of what a model says; clean means that
// there was nothing but it. It strips what models put around it (thoughts,
// fences, prose), takes an object inside a JSON string or an array, and
// reads comments, commas before a closing bracket, single quotes, names without
// quotes and the literals of Python. Bytes that are no UTF-8 become U+FFFD. The
// same object twice is one.
//
// An object that is cut or broken is never replaced by one inside it: its
// members and list items that are whole are returned with [ErrPartial], nothing
// of a list item that is not. Other errors come without an object: there is
// none, or there are several that differ. An implementation of [Model] need not
// call ReadObject: the engine does with [Reply].JSON.
func ReadObject(text string) (object json.RawMessage, clean bool, err error) {
	text = strings.TrimSpace(strings.TrimPrefix(strings.ToValidUTF8(text, "\ufffd"), "\ufeff"))
	if _, after, ok := strings.Cut(text, "</think>"); ok {
		text = strings.TrimSpace(after)
	}
	for range 3 { // a string in a string
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

// searchObject looks for the object in a text that is no JSON as it stands.
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

// sameJSON reports whether two texts of JSON say the same.
func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// lenient reads what models write for JSON, and writes it as JSON. Where a value
// does not end, out keeps what is whole of it, closed.
type lenient struct {
	text    string
	at      int
	out     []byte
	members int // names followed by a colon that were met: there is an object, then
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

// next returns the character that follows white space; 0 at the end.
func (r *lenient) next() byte {
	r.space()
	if r.at == len(r.text) {
		return 0
	}
	return r.text[r.at]
}

// value reads a value and reports whether it is whole. Where it is not, out
// holds what is kept of it, or nothing new.
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

// object reads an object that begins here.
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
			if len(r.out) == before+1 { // nothing of the value is kept
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

// list reads a list that begins here. An item that is not whole is dropped.
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

// name reads the name of a member, with quotes or without.
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

// quoted reads a text in quotes of either kind. Line ends in it stay, and a
// backslash before what needs none is dropped.
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

// escaped writes the character that s, which begins with a backslash, stands
// for, and returns how long that is in s, or 0 if s ends before it does.
func escaped(s string, b *strings.Builder) int {
	if len(s) < 2 {
		return 0
	}
	switch s[1] {
	case 'u':
		var text string
		for _, n := range []int{12, 6} { // a pair of surrogates, or one character
			if n <= len(s) && (n == 6 || s[6:8] == `\u`) && json.Unmarshal([]byte(`"`+s[:n]+`"`), &text) == nil &&
				(n == 6 || utf8.RuneCountInString(text) == 1) {
				b.WriteString(text)
				return n
			}
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

// bare reads a number or a literal. One that the text ends with may go on.
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

// word cuts off the letters, digits and signs that a number, a literal or a
// name without quotes is made of.
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

// appendJSON appends s as a text of JSON.
func appendJSON(dst []byte, s string) []byte {
	text, _ := json.Marshal(s) // a text can always be written
	return append(dst, text...)
}
