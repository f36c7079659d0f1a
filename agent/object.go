// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// errNoObject means that a text holds no JSON object, or more than one.
var errNoObject = errors.New("reply is not one JSON object")

// Bounds of a search for objects: places that are tried as the start of one,
// each of which costs a look at what follows, and bytes looked at.
const (
	maxStarts = 200
	maxScan   = 64 << 20
)

// ReadObject returns the one JSON object of what a model says; clean means that
// there was nothing but it. It strips what models put around it (thoughts,
// fences, prose), takes an object inside a JSON string or alone in an array, and
// drops commas before a closing bracket; bytes that are no UTF-8 become U+FFFD.
// The error is not nil where there is no object, or more than one. An
// implementation of [Model] need not call it: the engine does with [Reply].JSON.
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
			if json.Unmarshal([]byte(text), &list) != nil || len(list) != 1 || list[0][0] != '{' {
				return nil, false, errNoObject
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
	for starts, seen := 0, 0; starts < maxStarts; starts++ {
		i := strings.IndexByte(text, '{')
		if i < 0 {
			break
		}
		if seen += len(text) - i; seen > maxScan {
			return nil, false, errNoObject
		}
		whole, rest, ok := balanced(text[i:])
		if !ok {
			text = text[i+1:]
			continue
		}
		if object != nil {
			return nil, false, errNoObject
		}
		object, text = whole, rest
	}
	if object == nil {
		return nil, false, errNoObject
	}
	return object, false, nil
}

// balanced cuts the object off that s begins with, without trailing commas; ok
// is false where it does not end or is no JSON.
func balanced(s string) (object json.RawMessage, rest string, ok bool) {
	depth, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth > 0 {
				continue
			}
			whole := []byte(s[:i+1])
			if !json.Valid(whole) {
				whole = withoutCommas(whole)
			}
			return whole, s[i+1:], json.Valid(whole)
		}
	}
	return nil, "", false
}

// withoutCommas drops the commas of JSON that stand before a closing bracket.
func withoutCommas(s []byte) []byte {
	out := make([]byte, 0, len(s))
	quoted := false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quoted && c == '\\' && i+1 < len(s):
			out = append(out, c)
			i++
			c = s[i]
		case c == '"':
			quoted = !quoted
		case !quoted && c == ',':
			if after := bytes.TrimLeft(s[i+1:], " \t\r\n"); len(after) > 0 && (after[0] == '}' || after[0] == ']') {
				continue
			}
		}
		out = append(out, c)
	}
	return out
}
