// SPDX-License-Identifier: Apache-2.0

package links

import "strings"

// maxAttributes is the maximum number of attributes of a tag that are read.
const maxAttributes = 1024

// tag is a start tag. The markup between name and end contains its attributes,
// which are read on the first access.
type tag struct {
	text   string // the document, the same for all tags of a scanner
	name   int    // offset after the name
	end    int    // offset after the tag
	closed bool   // it ends in a separate slash, as in <x/>
	many   bool   // it has more attributes than are read

	spans []span // in document order; nil until the first access
	read  bool
}

// span is the location of an attribute's name and value.
type span struct{ key, keyEnd, value, valueEnd int }

// start reads the tag whose name ends at name. If the document ends inside it,
// ok is false, because it is not a tag.
func (t *tag) start(name int) (ok bool) {
	text := t.text
	t.name, t.read, t.many, t.closed = name, false, false, false
	slash := -1
	for i := name; i < len(text); {
		switch c := text[i]; {
		case c == '>':
			t.end, t.closed = i+1, slash == i-1
			return true
		case c == '/':
			slash = i
			i++
		case isSpace(c):
			i++
		default:
			_, i = attribute(text, i)
		}
	}
	return false
}

// attribute reads the attribute that starts at i, by the standard's states from
// "before attribute name" to "after attribute value", and returns the offset
// after it.
func attribute(text string, i int) (span, int) {
	s := span{key: i}
	for i++; i < len(text); i++ { // the first character may be anything, even an equals sign
		if c := text[i]; c <= '>' && (c == '=' || c == '>' || c == '/' || isSpace(c)) {
			break
		}
	}
	s.keyEnd = i
	for i < len(text) && isSpace(text[i]) {
		i++
	}
	s.value, s.valueEnd = i, i
	if i == len(text) || text[i] != '=' {
		return s, i
	}
	for i++; i < len(text) && isSpace(text[i]); {
		i++
	}
	s.value, s.valueEnd = i, i
	if i == len(text) || text[i] == '>' {
		return s, i
	}
	if quote := text[i]; quote == '"' || quote == '\'' {
		n := strings.IndexByte(text[i+1:], quote)
		if n < 0 {
			return s, len(text)
		}
		s.value, s.valueEnd = i+1, i+1+n
		return s, s.valueEnd + 1
	}
	for i++; i < len(text) && text[i] != '>' && !isSpace(text[i]); {
		i++
	}
	s.valueEnd = i
	return s, i
}

// attr returns a decoded attribute. It is a substring of the document if it
// needs no decoding.
func (t *tag) attr(name string) (string, bool) {
	if !t.read {
		t.readAll()
	}
	for i := range t.spans {
		s := &t.spans[i]
		if s.keyEnd-s.key == len(name) && equalFold(t.text[s.key:s.keyEnd], name) {
			value := t.text[s.value:s.valueEnd]
			if strings.IndexByte(value, '\r') >= 0 {
				value = strings.ReplaceAll(strings.ReplaceAll(value, "\r\n", "\n"), "\r", "\n")
			}
			return unescape(value), true
		}
	}
	return "", false
}

func (t *tag) readAll() {
	t.read, t.spans = true, t.spans[:0]
	for i := t.name; i < t.end-1; {
		if c := t.text[i]; c == '/' || isSpace(c) {
			i++
			continue
		}
		if len(t.spans) == maxAttributes {
			t.many = true
			return
		}
		var s span
		s, i = attribute(t.text, i)
		t.spans = append(t.spans, s)
	}
}

// equalFold compares name, in ASCII of any letter case, with want in lower
// case.
func equalFold(name, want string) bool {
	if len(name) != len(want) {
		return false
	}
	for i := range len(name) {
		c := name[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != want[i] {
			return false
		}
	}
	return true
}
