// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// value is one JSON value of a request, with the bytes it was read from. It is
// nil, bool, string, json.Number, []value or members.
type value struct {
	v   any
	raw []byte
}

// members are the names and values of an object in order. Each name occurs
// once.
type members []member

type member struct {
	name  string
	value value
}

// read parses a complete body. Its error is ErrSyntax or ErrValues.
func read(body []byte) (value, error) {
	if !utf8.Valid(body) {
		body = bytes.ToValidUTF8(body, []byte("\uFFFD"))
	}
	// The token reader by itself accepts more than the grammar of JSON.
	if !json.Valid(body) {
		return value{}, ErrSyntax
	}
	p := parser{body: body, dec: json.NewDecoder(bytes.NewReader(body))}
	p.dec.UseNumber()
	v, err := p.value(0)
	if errors.Is(err, ErrValues) {
		return value{}, err
	}
	if err != nil {
		return value{}, ErrSyntax
	}
	if _, err := p.dec.Token(); err != io.EOF {
		return value{}, ErrSyntax
	}
	return v, nil
}

// parser converts the tokens of one body to values, within the limits.
type parser struct {
	body   []byte
	dec    *json.Decoder
	values int
}

func (p *parser) value(depth int) (value, error) {
	t, err := p.dec.Token()
	if err != nil {
		return value{}, err
	}
	return p.from(t, depth)
}

// from reads the value that starts with token t.
func (p *parser) from(t json.Token, depth int) (value, error) {
	p.values++
	if p.values > MaxValues {
		return value{}, ErrValues
	}
	delim, ok := t.(json.Delim)
	if !ok {
		return value{v: t}, nil
	}
	if depth == MaxDepth {
		return value{}, ErrSyntax
	}
	start := p.dec.InputOffset() - 1
	var v any
	var err error
	if delim == '{' {
		v, err = p.object(depth + 1)
	} else {
		v, err = p.array(depth + 1)
	}
	if err != nil {
		return value{}, err
	}
	return value{v: v, raw: p.body[start:p.dec.InputOffset()]}, nil
}

func (p *parser) object(depth int) (members, error) {
	var m members
	seen := map[string]bool{}
	for {
		t, err := p.dec.Token()
		if err != nil {
			return nil, err
		}
		name, ok := t.(string)
		if !ok {
			return m, nil // the closing brace
		}
		if seen[name] {
			return nil, ErrSyntax
		}
		seen[name] = true
		v, err := p.value(depth)
		if err != nil {
			return nil, err
		}
		m = append(m, member{name, v})
	}
}

func (p *parser) array(depth int) ([]value, error) {
	list := []value{}
	for {
		t, err := p.dec.Token()
		if err != nil {
			return nil, err
		}
		if t == json.Delim(']') {
			return list, nil
		}
		v, err := p.from(t, depth)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
}

// kind returns the name of v's type for fault messages.
func (v value) kind() string {
	switch v.v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case json.Number:
		return "number"
	case members:
		return "object"
	default:
		return "array"
	}
}

// wholePairs returns valid JSON with U+FFFD in place of escapes of unpaired
// surrogates. They do not encode characters, and many JSON parsers reject a
// text that contains them.
func wholePairs(text []byte) []byte {
	var b []byte // copy of text up to done; nil if nothing has been replaced yet
	done := 0
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		i++ // the escaped character, which exists because the text is valid
		if text[i] != 'u' {
			continue
		}
		first := escaped(text[i+1:])
		i += 4
		if !utf16.IsSurrogate(first) {
			continue
		}
		if bytes.HasPrefix(text[i+1:], []byte(`\u`)) && utf16.DecodeRune(first, escaped(text[i+3:])) != utf8.RuneError {
			i += 6
			continue
		}
		b = append(append(b, text[done:i-5]...), `\ufffd`...)
		done = i + 1
	}
	if b == nil {
		return text
	}
	return append(b, text[done:]...)
}

// escaped returns the code unit of the four hexadecimal digits at the start of
// text.
func escaped(text []byte) rune {
	n, err := strconv.ParseUint(string(text[:4]), 16, 16)
	if err != nil {
		return utf8.RuneError // cannot happen: the text is valid
	}
	return rune(n)
}
