// SPDX-License-Identifier: Apache-2.0

package object

import (
	"bytes"
	"strconv"
)

// parser reads objects from bytes (ISO 32000-1, 7.3), forgivingly.
type parser struct {
	data []byte
	pos  int
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func isDelimiter(c byte) bool { return bytes.IndexByte([]byte("()<>[]{}/%"), c) >= 0 }

// skip moves over white space and comments.
func (p *parser) skip() {
	for p.pos < len(p.data) {
		switch c := p.data[p.pos]; {
		case isSpace(c):
			p.pos++
		case c == '%':
			for p.pos < len(p.data) && p.data[p.pos] != '\n' && p.data[p.pos] != '\r' {
				p.pos++
			}
		default:
			return
		}
	}
}

func (p *parser) word() string {
	start := p.pos
	for p.pos < len(p.data) && !isSpace(p.data[p.pos]) && !isDelimiter(p.data[p.pos]) {
		p.pos++
	}
	return string(p.data[start:p.pos])
}

// object reads one object; false where none stands. It moves on in any case,
// unless at the end or before a closing bracket.
func (p *parser) object(depth int) (Object, bool) {
	p.skip()
	if p.pos >= len(p.data) || depth > maxDepth {
		return nil, false
	}
	c := p.data[p.pos]
	switch {
	case c == '/':
		p.pos++
		return Name(unescapeName(p.word())), true
	case c == '(':
		return p.literal(), true
	case c == '<' && p.pos+1 < len(p.data) && p.data[p.pos+1] == '<':
		p.pos += 2
		return p.dict(depth), true
	case c == '<':
		end := bytes.IndexByte(p.data[p.pos:], '>')
		if end < 0 {
			end = len(p.data) - p.pos - 1
		}
		s := String(unhex(p.data[p.pos+1 : p.pos+end+1]))
		p.pos += end + 1
		return s, true
	case c == '[':
		p.pos++
		return p.array(depth), true
	case c == ']' || c == '>':
		return nil, false
	case isDelimiter(c):
		p.pos++
		return nil, true
	}
	return p.scalar()
}

// scalar reads a number, a reference or a keyword.
func (p *parser) scalar() (Object, bool) {
	w := p.word()
	switch w {
	case "true":
		return true, true
	case "false":
		return false, true
	case "null":
		return nil, true
	case "endobj", "endstream", "stream", "obj":
		p.pos -= len(w)
		return nil, false
	}
	n, err := strconv.Atoi(w)
	if err != nil {
		f, err := strconv.ParseFloat(w, 64)
		if err != nil {
			return nil, true
		}
		return f, true
	}
	save := p.pos
	p.skip()
	gen, err := strconv.Atoi(p.word())
	if err == nil && gen >= 0 && n > 0 {
		p.skip()
		if p.word() == "R" {
			return Ref{n, gen}, true
		}
	}
	p.pos = save
	return n, true
}

func (p *parser) array(depth int) Array {
	a := Array{}
	for {
		p.skip()
		if p.pos < len(p.data) && p.data[p.pos] == ']' {
			p.pos++
			return a
		}
		o, ok := p.object(depth + 1)
		if !ok {
			return a
		}
		a = append(a, o)
	}
}

func (p *parser) dict(depth int) Dict {
	d := Dict{}
	for {
		p.skip()
		if bytes.HasPrefix(p.data[p.pos:], []byte(">>")) {
			p.pos += 2
			return d
		}
		key, ok := p.object(depth + 1)
		if !ok {
			return d
		}
		name, isName := key.(Name)
		if !isName {
			continue
		}
		if v, ok := p.object(depth + 1); ok {
			d[name] = v
		}
	}
}

func unescapeName(w string) string {
	b := []byte(w)
	out := b[:0]
	for i := 0; i < len(b); i++ {
		if b[i] == '#' && i+2 < len(b) && hexDigit(b[i+1]) >= 0 && hexDigit(b[i+2]) >= 0 {
			out = append(out, byte(hexDigit(b[i+1])<<4|hexDigit(b[i+2]))) //nolint:gosec // two digits
			i += 2
			continue
		}
		out = append(out, b[i])
	}
	return string(out)
}

// literal reads a string in parentheses.
func (p *parser) literal() String {
	p.pos++
	var out []byte
	for depth := 1; p.pos < len(p.data); {
		c := p.data[p.pos]
		p.pos++
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return String(out)
			}
		case '\\':
			out = p.escape(out)
			continue
		}
		out = append(out, c)
	}
	return String(out)
}

// escape reads what follows a backslash and appends what it means.
func (p *parser) escape(out []byte) []byte {
	if p.pos >= len(p.data) {
		return out
	}
	c := p.data[p.pos]
	p.pos++
	if i := bytes.IndexByte([]byte("nrtbf"), c); i >= 0 {
		return append(out, "\n\r\t\b\f"[i])
	}
	switch {
	case c == '\r':
		if p.pos < len(p.data) && p.data[p.pos] == '\n' {
			p.pos++
		}
		return out
	case c == '\n':
		return out
	case c >= '0' && c <= '7':
		v := int(c - '0')
		for range 2 {
			if p.pos < len(p.data) && p.data[p.pos] >= '0' && p.data[p.pos] <= '7' {
				v = v<<3 | int(p.data[p.pos]-'0')
				p.pos++
			}
		}
		return append(out, byte(v&0xff))
	}
	return append(out, c)
}
