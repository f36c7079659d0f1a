// SPDX-License-Identifier: Apache-2.0

package xlsx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"example.com/curlew/internal/zipxml"
)

// Bounds on XML.
const (
	maxDepth   = 256
	maxAttrs   = 1000
	maxTag     = 1 << 20 // bytes
	maxRun     = 1 << 20 // bytes of one piece of text
	firstBuf   = 16 << 10
	streamBuf  = 64 << 10
	checkEvery = 1 << 14 // tokens between two checks of the context
)

// token is the kind of an XML token.
type token uint8

const (
	start token = iota + 1
	end
	text
)

// scanner reads the XML of a part as a stream of tags and texts. It
// identifies tags by their local names, which are unique in these parts. Its
// results are valid until the next call. It allocates nothing for a token.
//
// It is as lenient as [zipxml.Scanner]. It ignores document type
// declarations.
type scanner struct {
	ctx context.Context //nolint:containedctx // of one part
	r   io.Reader
	buf []byte // unread input begins at index at
	at  int
	err error // error of r

	name  []byte // local name of the tag
	attrs []byte // between the name and >
	raw   []byte // undecoded text
	cdata bool   // raw is a CDATA section without entities
	empty bool   // the tag is an empty element
	depth int
	count int

	guides    int  // texts with phonetic guides in all parts
	struck    int  // texts of which a part is struck through in all parts
	unmatched bool // tags do not match, or a tag has others in it

	word []byte // decoded text
}

// more reads more input and drops the input before s.at. It reports whether
// there is more.
func (s *scanner) more() bool {
	if s.err != nil {
		return false
	}
	if s.at > 0 {
		n := copy(s.buf, s.buf[s.at:])
		s.buf, s.at = s.buf[:n], 0
	}
	if len(s.buf) == cap(s.buf) {
		size := firstBuf
		if cap(s.buf) > 0 {
			size = max(2*cap(s.buf), streamBuf)
		}
		b := make([]byte, len(s.buf), size)
		copy(b, s.buf)
		s.buf = b
	}
	for range 100 {
		n, err := s.r.Read(s.buf[len(s.buf):cap(s.buf)])
		s.buf = s.buf[:len(s.buf)+n]
		s.err = err
		if n > 0 || err != nil {
			return n > 0
		}
	}
	s.err = io.ErrNoProgress
	return false
}

// next returns the next tag or text. At the end it returns 0 and the error,
// which is [io.EOF], wraps [zipxml.ErrMalformed] or [zipxml.ErrLimit], or is
// the error of ctx.
func (s *scanner) next() (token, error) {
	if s.count++; s.count%checkEvery == 0 && s.ctx.Err() != nil {
		return 0, context.Cause(s.ctx)
	}
	for {
		if s.at == len(s.buf) && !s.more() {
			return 0, s.ended()
		}
		if s.buf[s.at] != '<' {
			return text, s.run()
		}
		t, err := s.tag()
		if t != 0 || err != nil {
			return t, err
		}
	}
}

// ended returns why there is no more input.
func (s *scanner) ended() error {
	if !errors.Is(s.err, io.EOF) {
		return s.err
	}
	if s.depth > 0 {
		return fmt.Errorf("%w: XML ends inside an element", zipxml.ErrMalformed)
	}
	if s.unmatched {
		return zipxml.ErrTags
	}
	return io.EOF
}

// implied ends the element around the one of the last start tag, whose end tag is
// missing.
func (s *scanner) implied() {
	s.unmatched = true
	s.depth--
}

// run reads text up to the next tag.
func (s *scanner) run() error {
	from := 0
	for {
		if i := bytes.IndexByte(s.buf[s.at+from:], '<'); i >= 0 {
			s.raw, s.cdata = s.buf[s.at:s.at+from+i], false
			s.at += from + i
			return nil
		}
		from = len(s.buf) - s.at
		if from > maxRun {
			return &zipxml.LimitError{Name: "bytes of text", Value: maxRun}
		}
		if !s.more() {
			s.raw, s.cdata = s.buf[s.at:], false
			s.at = len(s.buf)
			return nil
		}
	}
}

// until returns the input from s.at+from up to mark, and advances past mark.
func (s *scanner) until(from int, mark string) ([]byte, error) {
	seen := from
	for {
		if len(s.buf)-s.at >= seen {
			if i := bytes.Index(s.buf[s.at+seen:], []byte(mark)); i >= 0 {
				b := s.buf[s.at+from : s.at+seen+i]
				s.at += seen + i + len(mark)
				return b, nil
			}
			seen = max(from, len(s.buf)-s.at-len(mark)+1)
		}
		if len(s.buf)-s.at > maxTag {
			return nil, &zipxml.LimitError{Name: "bytes without an end", Value: maxTag}
		}
		if !s.more() {
			if s.err != nil && !errors.Is(s.err, io.EOF) {
				return nil, s.err
			}
			return nil, fmt.Errorf("%w: XML ends inside a tag", zipxml.ErrMalformed)
		}
	}
}

// has reports whether the input continues with prefix.
func (s *scanner) has(prefix string) bool {
	for len(s.buf)-s.at < len(prefix) && s.more() {
	}
	return bytes.HasPrefix(s.buf[s.at:], []byte(prefix))
}

// tag reads markup that begins with <. It returns 0 if it is not a tag or
// text.
func (s *scanner) tag() (token, error) {
	if len(s.buf)-s.at < 2 && !s.more() {
		return 0, s.ended()
	}
	switch s.buf[s.at+1] {
	case '!':
		return s.declaration()
	case '?':
		_, err := s.until(2, "?>")
		return 0, err
	case '/':
		if s.name = s.bare(2); s.name == nil {
			b, err := s.until(2, ">")
			if err != nil {
				return 0, err
			}
			s.name = local(bytes.TrimRight(b, " \t\r\n"))
		}
		if s.depth > 0 {
			s.depth--
		} else {
			s.unmatched = true
		}
		return end, nil
	}
	if s.name = s.bare(1); s.name != nil {
		s.attrs, s.empty = nil, false
	} else {
		b, err := s.opening()
		if err != nil {
			return 0, err
		}
		if s.empty = len(b) > 0 && b[len(b)-1] == '/'; s.empty {
			b = b[:len(b)-1]
		}
		n := 0
		for n < len(b) && b[n] > ' ' {
			n++
		}
		s.name, s.attrs = local(b[:n]), b[n:]
	}
	if !s.empty {
		if s.depth++; s.depth > maxDepth {
			return 0, &zipxml.LimitError{Name: "elements in each other", Value: maxDepth}
		}
	}
	return start, nil
}

// bare reads the rest of a tag that is nothing but a name of letters from s.at+from on,
// as most are, and returns the name. It returns nil and reads nothing if there is more
// in the tag. Spaces, quotes, slashes and colons sort before >.
func (s *scanner) bare(from int) []byte {
	b := s.buf[s.at+from:]
	n := 0
	for n < len(b) && b[n] > '>' {
		n++
	}
	if n == 0 || n == len(b) || b[n] != '>' {
		return nil
	}
	s.at += from + n + 1
	return b[:n]
}

// opening returns a start tag without its brackets. It ends at the first >
// outside attribute values.
func (s *scanner) opening() ([]byte, error) {
	if b := s.usual(); b != nil {
		return b, nil
	}
	quote, attrs := byte(0), 0
	for at := 1; ; at++ {
		for s.at+at >= len(s.buf) {
			if at > maxTag {
				return nil, &zipxml.LimitError{Name: "bytes in a tag", Value: maxTag}
			}
			if !s.more() {
				if s.err != nil && !errors.Is(s.err, io.EOF) {
					return nil, s.err
				}
				return nil, fmt.Errorf("%w: XML ends inside a tag", zipxml.ErrMalformed)
			}
		}
		switch c := s.buf[s.at+at]; {
		case quote == 0 && c == '>':
			b := s.buf[s.at+1 : s.at+at]
			s.at += at + 1
			return b, nil
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
			if attrs++; attrs > maxAttrs {
				return nil, &zipxml.LimitError{Name: "attributes", Value: maxAttrs}
			}
		case c == quote:
			quote = 0
		case c == '<':
			s.unmatched = true // a quote is missing, and the tag has others in it
		}
	}
}

// usual is [scanner.opening] for a tag with few attributes that stand between
// quotation marks, as most do. It returns nil and reads nothing for any other.
func (s *scanner) usual() []byte {
	quotes := 0
	for i, c := range s.buf[s.at+1:] {
		switch c {
		case '"':
			quotes++
		case '\'', '<':
			return nil
		case '>':
			if quotes%2 != 0 || quotes > 2*maxAttrs {
				return nil
			}
			b := s.buf[s.at+1:][:i]
			s.at += i + 2
			return b
		}
	}
	return nil
}

// declaration reads a comment, CDATA section or document type.
func (s *scanner) declaration() (token, error) {
	switch {
	case s.has("<!--"):
		_, err := s.until(4, "-->")
		return 0, err
	case s.has("<![CDATA["):
		b, err := s.until(9, "]]>")
		s.raw, s.cdata = b, true
		return text, err
	}
	// Declarations are ignored. An internal subset ends with ]>.
	b, err := s.until(2, ">")
	if err == nil && bytes.IndexByte(b, '[') >= 0 && bytes.IndexByte(b, ']') < 0 {
		_, err = s.until(0, "]>")
		if errors.Is(err, zipxml.ErrMalformed) {
			_, err = s.until(0, ">")
		}
	}
	return 0, err
}

// local returns a name without its prefix.
func local(name []byte) []byte {
	for i, c := range name { // names are too short for a search by machine words
		if c == ':' {
			return name[i+1:]
		}
	}
	return name
}

// skip skips the rest of the element of the last start tag.
func (s *scanner) skip() error {
	if s.empty {
		return nil
	}
	for depth := s.depth - 1; s.depth > depth; {
		if _, err := s.next(); err != nil {
			return err
		}
	}
	return nil
}

// attr returns the undecoded value of an attribute by its local name, or nil
// if there is none. It is valid until the next token.
func (s *scanner) attr(name string) []byte {
	var value []byte
	for rest := s.attrs; ; {
		key, v, left := nextAttr(rest)
		if key == nil {
			return value
		}
		if string(local(key)) == name {
			value = v
			if len(key) == len(name) {
				return value
			}
		}
		rest = left
	}
}

// nextAttr returns the first attribute in b and the rest of b. key is nil if
// there is none.
func nextAttr(b []byte) (key, value, rest []byte) {
	i := 0
	for i < len(b) && (b[i] <= ' ' || b[i] == '/') {
		i++
	}
	from := i
	for i < len(b) && b[i] != '=' && b[i] > ' ' {
		i++
	}
	if i == from {
		return nil, nil, nil
	}
	key = b[from:i]
	for i < len(b) && b[i] <= ' ' {
		i++
	}
	if i >= len(b) || b[i] != '=' {
		return key, b[i:i], b[i:]
	}
	i++
	for i < len(b) && b[i] <= ' ' {
		i++
	}
	if i >= len(b) {
		return key, nil, nil
	}
	if q := b[i]; q == '"' || q == '\'' {
		n := bytes.IndexByte(b[i+1:], q)
		if n < 0 {
			return key, b[i+1:], nil
		}
		return key, b[i+1 : i+1+n], b[i+n+2:]
	}
	from = i
	for i < len(b) && b[i] > ' ' {
		i++
	}
	return key, b[from:i], b[i:]
}

// value returns the decoded value of an attribute, or "" if there is none.
func (s *scanner) value(name string) string {
	return zipxml.Unescape(string(s.attr(name)))
}

// integer returns an attribute as a number, or other if it is not one.
func (s *scanner) integer(name string, other int) int {
	if n, ok := atoi(s.attr(name)); ok {
		return n
	}
	return other
}

// on reports whether an attribute is true.
func (s *scanner) on(name string) bool {
	v := s.attr(name)
	return string(v) == "1" || string(v) == "true" || string(v) == "on"
}

// atoi parses a number of up to nine digits.
func atoi(b []byte) (n int, ok bool) {
	if len(b) == 0 || len(b) > 9 {
		return 0, false
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

// content appends the text in the element of the last start tag to dst. It
// decodes escapes of the form _x000D_.
func (s *scanner) content(dst []byte) ([]byte, error) {
	if s.empty {
		return dst, nil
	}
	depth := s.depth - 1
	for s.depth > depth {
		t, err := s.next()
		if err != nil {
			return dst, err
		}
		if t == text {
			dst = s.append(dst)
		}
	}
	return dst, nil
}

// append appends the current text.
func (s *scanner) append(dst []byte) []byte {
	raw := s.raw
	if !escaped(raw) {
		return append(dst, raw...)
	}
	if bytes.IndexByte(raw, '&') >= 0 && !s.cdata {
		raw = []byte(zipxml.Unescape(string(raw)))
	}
	for {
		i := bytes.Index(raw, []byte("_x"))
		if i < 0 {
			return append(dst, raw...)
		}
		if len(raw) >= i+7 && raw[i+6] == '_' {
			if n, err := strconv.ParseUint(string(raw[i+2:i+6]), 16, 16); err == nil {
				dst = append(dst, raw[:i]...)
				dst = append(dst, string(rune(n))...)
				raw = raw[i+7:]
				continue
			}
		}
		dst = append(dst, raw[:i+2]...)
		raw = raw[i+2:]
	}
}

// escaped reports whether a text may have escapes. Most are too short for two searches.
func escaped(raw []byte) bool {
	for _, c := range raw {
		if c == '&' || c == '_' {
			return true
		}
	}
	return false
}
