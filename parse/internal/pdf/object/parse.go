// SPDX-License-Identifier: Apache-2.0

package object

import (
	"bytes"
	"context"
	"strconv"
	"strings"
)

// parser is a tolerant reader of objects (ISO 32000-1, 7.3).
type parser struct {
	data   []byte
	pos    int
	shared *shared // nil: the parser makes its own
	deep   bool    // something is nested too deeply: the rest of the object is lost
}

// shared is the state that the parsers of one document share. Only one
// parser may use it at a time.
type shared struct {
	names map[string]Object // names found so far; documents repeat few names often
	open  []Object          // elements of the arrays and dictionaries being read

	ctx   context.Context //nolint:containedctx // of the reading that the document serves; nil: never ends
	due   int             // objects until the next check of ctx
	left  int             // objects that may still be read
	cut   bool            // there were more objects
	ended bool            // ctx has ended
}

// maxElements bounds the objects of one document that are kept, including
// those in arrays and dictionaries. One takes about 25 bytes in an array and
// more in a dictionary.
const maxElements = 10_000_000

// take counts one more object. It returns false if there are too many or if
// the context has ended.
func (d *shared) take() bool {
	if d.left--; d.left < 0 {
		d.cut = true
		return false
	}
	if d.due--; d.due < 0 {
		d.due = pollSteps
		d.ended = d.ended || d.ctx != nil && d.ctx.Err() != nil
	}
	return !d.ended
}

// maxDepth bounds the nesting of arrays and dictionaries.
const maxDepth = 100

// Bounds on the cache of names.
const (
	maxNames    = 4096
	maxNameSize = 64
)

// at returns the shared state of the parser.
func (p *parser) at() *shared {
	if p.shared == nil {
		p.shared = &shared{left: maxElements}
	}
	return p.shared
}

// name returns the name with the raw bytes w.
func (d *shared) name(w []byte) Object {
	if o, ok := d.names[string(w)]; ok {
		return o
	}
	s := string(w)
	var o Object = Name(unescapeName(s))
	if d.names == nil {
		d.names = map[string]Object{}
	}
	if len(d.names) < maxNames && len(s) <= maxNameSize {
		d.names[s] = o
	}
	return o
}

// skip skips white space and comments.
func (p *parser) skip() {
	for p.pos < len(p.data) {
		switch c := p.data[p.pos]; {
		case IsSpace(c):
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

func (p *parser) word() []byte {
	start := p.pos
	for p.pos < len(p.data) && IsRegular(p.data[p.pos]) {
		p.pos++
	}
	return p.data[start:p.pos]
}

// natural reads an unsigned integer of at most ten digits. It returns false
// if there is none.
func (p *parser) natural() (int, bool) {
	p.skip()
	v, start := 0, p.pos
	for p.pos < len(p.data) && p.data[p.pos] >= '0' && p.data[p.pos] <= '9' {
		v = v*10 + int(p.data[p.pos]-'0')
		if p.pos++; p.pos-start > 10 {
			return 0, false
		}
	}
	return v, p.pos > start
}

// object reads one object. It returns false if there is none. It always
// advances, except at the end of the data and before a closing bracket.
func (p *parser) object(depth int) (Object, bool) {
	p.skip()
	if p.deep = p.deep || depth > maxDepth || !p.at().take(); p.deep || p.pos >= len(p.data) {
		return nil, false
	}
	c := p.data[p.pos]
	switch {
	case c == '/':
		p.pos++
		return p.at().name(p.word()), true
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
	case IsDelimiter(c):
		p.pos++
		return nil, true
	}
	return p.scalar()
}

// scalar reads a number, a reference or a keyword.
func (p *parser) scalar() (Object, bool) {
	w := p.word()
	switch string(w) {
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
	n, ok := whole(w)
	if !ok {
		f, err := strconv.ParseFloat(string(w), 64)
		if err != nil {
			return nil, true
		}
		return f, true
	}
	if gen, ok := p.reference(); ok && n > 0 {
		return Ref{n, gen}, true
	}
	return n, true
}

// whole converts a token to an integer.
func whole(w []byte) (int, bool) {
	digits := w
	if len(w) > 1 && (w[0] == '-' || w[0] == '+') {
		digits = w[1:]
	}
	if len(digits) > 18 { // ISO 32000 has no numbers of this size
		n, err := strconv.Atoi(string(w))
		return n, err == nil
	}
	n := 0
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	if w[0] == '-' {
		n = -n
	}
	return n, len(digits) > 0
}

// reference reads the rest of a reference such as "12 0 R". If there is
// none, it does not advance.
func (p *parser) reference() (gen int, ok bool) {
	save := p.pos
	p.skip()
	if p.pos < len(p.data) && p.data[p.pos] >= '0' && p.data[p.pos] <= '9' {
		if gen, ok := whole(p.word()); ok {
			p.skip()
			if w := p.word(); len(w) == 1 && w[0] == 'R' {
				return gen, true
			}
		}
	}
	p.pos = save
	return 0, false
}

func (p *parser) array(depth int) Array {
	d := p.at()
	first := len(d.open)
	for {
		p.skip()
		if p.pos < len(p.data) && p.data[p.pos] == ']' {
			p.pos++
			break
		}
		o, ok := p.object(depth + 1)
		if !ok {
			break
		}
		d.open = append(d.open, o)
	}
	a := make(Array, len(d.open)-first)
	copy(a, d.open[first:])
	d.close(first)
	return a
}

// close removes the elements from index first on.
func (d *shared) close(first int) {
	clear(d.open[first:])
	d.open = d.open[:first]
}

func (p *parser) dict(depth int) Dict {
	d := p.at()
	first := len(d.open)
	for {
		p.skip()
		if bytes.HasPrefix(p.data[p.pos:], []byte(">>")) {
			p.pos += 2
			break
		}
		key, ok := p.object(depth + 1)
		if !ok {
			break
		}
		if _, isName := key.(Name); !isName {
			continue
		}
		if v, ok := p.object(depth + 1); ok {
			d.open = append(d.open, key, v)
		}
	}
	pairs := d.open[first:]
	m := make(Dict, len(pairs)/2)
	for ; len(pairs) > 0; pairs = pairs[2:] {
		if name, ok := pairs[0].(Name); ok {
			m[name] = pairs[1]
		}
	}
	d.close(first)
	return m
}

func unescapeName(w string) string {
	if strings.IndexByte(w, '#') < 0 {
		return w
	}
	out := make([]byte, 0, len(w))
	for i := 0; i < len(w); i++ {
		if w[i] == '#' && i+2 < len(w) && HexDigit(w[i+1]) >= 0 && HexDigit(w[i+2]) >= 0 {
			out = append(out, byte(HexDigit(w[i+1])<<4|HexDigit(w[i+2]))) //nolint:gosec // two digits
			i += 2
			continue
		}
		out = append(out, w[i])
	}
	return string(out)
}

// literal reads a string in parentheses.
func (p *parser) literal() String {
	p.pos++
	for i, c := range p.data[p.pos:] { // most strings have no escapes
		if c == ')' {
			s := String(p.data[p.pos : p.pos+i])
			p.pos += i + 1
			return s
		}
		if c == '(' || c == '\\' {
			break
		}
	}
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

// escape reads the characters after a backslash and appends their meaning.
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
