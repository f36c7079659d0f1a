// SPDX-License-Identifier: Apache-2.0

package content

import (
	"math"
	"sync"

	"example.com/curlew/parse/internal/pdf/object"
)

// operand is one operand of an operator.
type operand struct {
	kind operandKind
	num  float64
	str  []byte // of strings and names; valid until the next operator
	lo   int    // for arrays: the elements are items[lo:hi]
	hi   int
	dict object.Dict
}

type operandKind uint8

const (
	isNull operandKind = iota
	isNumber
	isString
	isName
	isArray
	isDict
)

// maxOperands is the maximum number of operands of an operator. ISO 32000
// allows 33.
const maxOperands = 64

// Bounds on one operand: the elements of an array, and the bytes of a string
// that must be decoded.
const (
	maxItems = 1 << 17
	maxText  = 4 << 20
)

// lexer reads operators with their operands (ISO 32000-1, 7.8.2). It skips
// what it does not understand and always advances.
type lexer struct {
	data   []byte
	pos    int
	args   []operand
	items  []operand // elements of the arrays in args
	buf    []byte    // decoded strings
	cut    bool      // an operand was too long
	faults int       // brackets without a partner, operands at the end, and what stands in an array and is no operand

	ended func() bool // called at intervals to ask whether to stop; nil: never stop
	ask   int         // position at which ended is called next
}

// lexers is a pool of lexers, because their buffers grow with each page.
var lexers = sync.Pool{New: func() any { return new(lexer) }}

// mostKept is the size above which a buffer of a lexer is not kept.
const mostKept = 1 << 12

// release returns a lexer to the pool.
func (l *lexer) release() {
	args, items, buf := l.args, l.items, l.buf
	*l = lexer{}
	if cap(args) <= mostKept && cap(items) <= mostKept && cap(buf) <= mostKept {
		clear(args[:cap(args)]) // release what they refer to
		clear(items[:cap(items)])
		l.args, l.items, l.buf = args[:0], items[:0], buf[:0]
	}
	lexers.Put(l)
}

// askEvery is the number of bytes between two calls of ended; reading them
// takes a few milliseconds.
const askEvery = 1 << 18

// more reports whether there is another byte to read. If ended returns true,
// there is none.
func (l *lexer) more() bool { return l.pos < l.ask || l.goOn() }

// goOn asks ended whether to stop and reports whether there is another byte to read.
func (l *lexer) goOn() bool {
	if l.pos < len(l.data) && l.ended != nil && l.ended() {
		l.pos = len(l.data)
	}
	l.ask = min(l.pos+askEvery, len(l.data))
	return l.pos < len(l.data)
}

// next reads up to the next operator and returns it. Its operands are in
// args. It returns nil at the end.
func (l *lexer) next() []byte {
	l.args, l.items, l.buf = l.args[:0], l.items[:0], l.buf[:0]
	for l.more() {
		c := l.data[l.pos]
		switch {
		case object.IsSpace(c):
			l.pos++
		case c == ']' || c == '}' || c == '{' || c == ')' || c == '>':
			l.pos++
			l.faults++
		case c == '[':
			l.pos++
			l.array(l.operand())
		default:
			o := l.operand()
			word := l.object(o, 0)
			if last := len(l.args) - 1; word != nil || o.kind == isNull && last == 0 {
				l.args = l.args[:last]
			}
			if word != nil {
				l.args = l.args[max(0, len(l.args)-maxOperands):]
				return word
			}
		}
	}
	if len(l.args) > 0 && l.faults == 0 {
		l.faults++ // operands without an operator, which a string without an end also leaves
	}
	return nil
}

// operand adds an operand to args, for the caller to fill. Operands are large, so they are
// read into their place.
func (l *lexer) operand() *operand {
	if len(l.args) == 2*maxOperands { // seldom, so that not every operand moves the others
		l.args = l.args[:copy(l.args, l.args[maxOperands:])]
	}
	l.args = append(l.args, operand{})
	return &l.args[len(l.args)-1]
}

// array reads elements up to the closing bracket. It flattens nested arrays.
func (l *lexer) array(a *operand) {
	lo := len(l.items)
	if !l.elements() {
		l.faults++
	}
	*a = operand{kind: isArray, lo: lo, hi: len(l.items)}
}

// elements adds elements to items, up to the closing bracket. It returns false if there is
// none.
func (l *lexer) elements() bool {
	for l.more() {
		c := l.data[l.pos]
		switch {
		case object.IsSpace(c), c == '[', c == '{', c == '}', c == ')', c == '>':
			l.pos++
			continue
		case c == ']':
			l.pos++
			return true
		}
		start, n := l.pos, len(l.items)
		l.items = append(l.items, operand{})
		o := &l.items[n]
		word := l.object(o, 0)
		if word == nil && o.kind != isNull && n < maxItems {
			continue
		}
		l.cut = l.cut || word == nil && o.kind != isNull
		l.items = l.items[:n]
		if word != nil {
			// An operator inside an array: the closing bracket is missing.
			if isOperator(word) {
				l.pos = start
				return false
			}
			l.faults++
		}
	}
	return false
}

// isOperator reports whether a word ends a text array without a closing
// bracket.
func isOperator(w []byte) bool {
	switch string(w) {
	case "TJ", "Tj", "ET", "BT", "Td", "Tf", "Tm", "Q", "q":
		return true
	}
	return false
}

// object reads one object that is not an array at the current byte, which is
// not white space, into o, which is zero. If the next word is not an object, it returns the word.
func (l *lexer) object(o *operand, depth int) (word []byte) {
	c := l.data[l.pos]
	switch {
	case c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.':
		return l.number(o)
	case c == '/':
		l.pos++
		o.kind, o.str = isName, unescapeName(l.word())
	case c == '(':
		o.kind, o.str = isString, l.literal()
	case c == '<' && l.pos+1 < len(l.data) && l.data[l.pos+1] == '<':
		l.pos += 2
		if depth <= maxDictDepth { // a stack overflow would end the process
			o.kind, o.dict = isDict, l.dict(depth+1)
		}
	case c == '<':
		o.kind, o.str = isString, l.hex()
	case c == '%':
		for l.more() && l.data[l.pos] != '\n' && l.data[l.pos] != '\r' {
			l.pos++
		}
	case !object.IsRegular(c):
		l.pos++
	default:
		w := l.word()
		switch string(w) {
		case "true", "false", "null":
			return nil
		}
		return w
	}
	return nil
}

func (l *lexer) word() []byte {
	start, end := l.pos, l.pos
	for end < len(l.data) && object.IsRegular(l.data[end]) {
		end++
	}
	l.pos = end
	return l.data[start:end]
}

// exactDigits is the number of decimal digits that an integer of a float64 always holds.
const exactDigits = 15

// scales are the values of the first digits behind a decimal point.
var scales = func() (s [exactDigits]float64) {
	scale := .1
	for i := range s {
		s[i] = scale
		scale /= 10
	}
	return s
}()

// number reads a number as tolerantly as viewers do: "--5" is -5, and
// "1.2.3" and "1-2" end early. If the text is not a number after all, it
// returns it as a word.
func (l *lexer) number(o *operand) (word []byte) {
	data, start := l.data, l.pos
	i := start
	neg := false
	for i < len(data) && (data[i] == '-' || data[i] == '+') {
		neg = neg || data[i] == '-'
		i++
	}
	from := i
	n := uint64(0)
	for i < len(data) && data[i]-'0' <= 9 && i-from < exactDigits {
		n = n*10 + uint64(data[i]-'0')
		i++
	}
	v := float64(n)
	for i < len(data) && data[i]-'0' <= 9 {
		v = v*10 + float64(data[i]-'0')
		i++
	}
	digits := i - from
	if i < len(data) && data[i] == '.' {
		i++
		from = i
		scale := 0.0
		for i < len(data) && data[i]-'0' <= 9 {
			if i-from < len(scales) {
				scale = scales[i-from]
			} else {
				scale /= 10
			}
			v += float64(data[i]-'0') * scale
			i++
		}
		digits += i - from
	}
	for i < len(data) && (data[i] == '-' || data[i] == '.' || data[i]-'0' <= 9) {
		i++
	}
	l.pos = i
	if digits == 0 && (i == start || i < len(data) && object.IsRegular(data[i])) {
		if len(l.word()) == 0 {
			l.pos++
		}
		return data[start:l.pos]
	}
	if math.IsInf(v, 0) {
		v = 0
	}
	if neg {
		v = 0 - v // avoid negative zero
	}
	o.kind, o.num = isNumber, v
	return nil
}

func unescapeName(w []byte) []byte {
	for i, c := range w {
		if c != '#' {
			continue
		}
		out := append([]byte(nil), w[:i]...)
		for ; i < len(w); i++ {
			if w[i] == '#' && i+2 < len(w) && object.HexDigit(w[i+1]) >= 0 && object.HexDigit(w[i+2]) >= 0 {
				out = append(out, byte(object.HexDigit(w[i+1])<<4|object.HexDigit(w[i+2]))) //nolint:gosec // two digits
				i += 2
				continue
			}
			out = append(out, w[i])
		}
		return out
	}
	return w
}

func (l *lexer) hex() []byte {
	l.pos++
	start := len(l.buf)
	for l.more() && l.pos+1 < l.ask { // most strings have nothing but pairs of digits
		a, b := object.HexDigit(l.data[l.pos]), object.HexDigit(l.data[l.pos+1])
		if a < 0 || b < 0 {
			break
		}
		l.put(byte(a<<4 | b)) //nolint:gosec // two digits
		l.pos += 2
	}
	hi, ended := -1, false
	for ; l.more(); l.pos++ {
		c := l.data[l.pos]
		if c == '>' {
			l.pos++
			ended = true
			break
		}
		v := object.HexDigit(c)
		switch {
		case v < 0:
		case hi < 0:
			hi = v
		default:
			l.put(byte(hi<<4 | v)) //nolint:gosec // two digits
			hi = -1
		}
	}
	if !ended {
		l.faults++
	}
	if hi >= 0 {
		l.put(byte(hi << 4)) //nolint:gosec // a digit
	}
	return l.buf[start:len(l.buf):len(l.buf)]
}

// put adds a byte to the current string.
func (l *lexer) put(c byte) {
	if len(l.buf) >= maxText {
		l.cut = true
		return
	}
	l.buf = append(l.buf, c)
}

// literal reads a string in parentheses (ISO 32000-1, 7.3.4.2).
func (l *lexer) literal() []byte {
	l.pos++
	start := l.pos
	for i := start; i < len(l.data); i++ { // most strings have no escapes
		switch l.data[i] {
		case ')':
			l.pos = i + 1
			return l.data[start:i:i]
		case '(', '\\', '\r':
			return l.escaped()
		}
	}
	l.pos = len(l.data)
	l.faults++
	return l.data[start:]
}

func (l *lexer) escaped() []byte {
	start, depth := len(l.buf), 1
	for l.more() {
		c := l.data[l.pos]
		l.pos++
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return l.buf[start:len(l.buf):len(l.buf)]
			}
		case '\r':
			if l.pos < len(l.data) && l.data[l.pos] == '\n' {
				l.pos++
			}
			c = '\n'
		case '\\':
			l.escape()
			continue
		}
		l.put(c)
	}
	l.faults++
	return l.buf[start:len(l.buf):len(l.buf)]
}

// escape reads the characters after a backslash.
func (l *lexer) escape() {
	if l.pos >= len(l.data) {
		return
	}
	c := l.data[l.pos]
	l.pos++
	switch c {
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case '\n':
		return
	case '\r':
		if l.pos < len(l.data) && l.data[l.pos] == '\n' {
			l.pos++
		}
		return
	case '0', '1', '2', '3', '4', '5', '6', '7':
		v := int(c - '0')
		for range 2 {
			if l.pos < len(l.data) && l.data[l.pos] >= '0' && l.data[l.pos] <= '7' {
				v = v<<3 | int(l.data[l.pos]-'0')
				l.pos++
			}
		}
		c = byte(v & 0xff)
	}
	l.put(c)
}

// maxDictDepth bounds the nesting of dictionaries.
const maxDictDepth = 16

func (l *lexer) dict(depth int) object.Dict {
	d := object.Dict{}
	for l.more() {
		c := l.data[l.pos]
		switch {
		case object.IsSpace(c):
			l.pos++
			continue
		case c == '>':
			l.pos++
			if l.pos < len(l.data) && l.data[l.pos] == '>' {
				l.pos++
			}
			return d
		case c != '/':
			if word := l.object(new(operand), depth); word != nil && (string(word) == "ID" || string(word) == "BDC") {
				l.pos -= len(word)
				return d
			}
			continue
		}
		l.pos++
		key := object.Name(unescapeName(l.word()))
		if v, ok := l.value(depth); ok {
			d[key] = v
		}
	}
	return d
}

// value reads the value of a dictionary key. It returns false if there is
// none.
func (l *lexer) value(depth int) (object.Object, bool) {
	for l.pos < len(l.data) && object.IsSpace(l.data[l.pos]) {
		l.pos++
	}
	if l.pos >= len(l.data) || l.data[l.pos] == '>' || depth > maxDictDepth {
		return nil, false
	}
	if l.data[l.pos] == '[' {
		l.pos++
		a := object.Array{}
		for l.pos < len(l.data) && len(a) < 4096 {
			if object.IsSpace(l.data[l.pos]) {
				l.pos++
				continue
			}
			if l.data[l.pos] == ']' {
				l.pos++
				break
			}
			v, ok := l.value(depth + 1)
			if !ok {
				break
			}
			a = append(a, v)
		}
		return a, true
	}
	start := l.pos
	var o operand
	if word := l.object(&o, depth); word != nil {
		return string(word) == "true", true
	}
	switch o.kind {
	case isNumber:
		if r, ok := l.reference(o.num, start); ok {
			return r, true
		}
		return o.num, true
	case isString:
		return object.String(o.str), true
	case isName:
		return object.Name(o.str), true
	case isDict:
		return o.dict, true
	}
	return string(l.data[start:l.pos]) == "true", true
}

// reference reads the rest of a reference such as "12 0 R". Some writers put
// references into property lists.
func (l *lexer) reference(num float64, start int) (object.Ref, bool) {
	save := l.pos
	rest := l.data[l.pos:min(l.pos+12, len(l.data))]
	i := 0
	for i < len(rest) && rest[i] == ' ' {
		i++
	}
	j := i
	for j < len(rest) && rest[j] >= '0' && rest[j] <= '9' {
		j++
	}
	if j > i && j+1 < len(rest) && rest[j] == ' ' && rest[j+1] == 'R' && save > start {
		l.pos += j + 2
		return object.Ref{Num: int(num)}, true
	}
	return object.Ref{}, false
}
