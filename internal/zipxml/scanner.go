// SPDX-License-Identifier: Apache-2.0

package zipxml

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits for XML.
const (
	maxDepth   = 256
	maxAttrs   = 1000
	maxTag     = 1 << 20 // bytes
	checkEvery = 4096    // tokens between two checks of the context
)

// Vocabulary maps namespaces to the prefixes of the returned names. Names in
// other namespaces have the prefix "?". Names without a namespace have no
// prefix. It may also map names with their prefix to other names, for example those
// of an older version of a format.
type Vocabulary map[string]string

// Kind is the kind of a token.
type Kind uint8

// Kinds of tokens.
const (
	Start Kind = iota + 1
	End
	Text
)

// Attr is one attribute.
type Attr struct{ Name, Value string }

// Token is a start tag, an end tag or a text. An empty element gives two
// tokens.
type Token struct {
	Kind  Kind
	Name  string // of the element, such as "w:p"
	Attrs []Attr // of a start tag; valid until the next token
	Text  string // decoded
}

// Scanner reads the tokens of one part. It is lenient: it accepts text after
// the root, end tags without a start tag, and attributes without quotes.
type Scanner struct {
	text  string
	at    int
	words Vocabulary

	open   []opened
	closes bool // the last tag was an empty element
	bound  map[string]string
	undo   []binding
	names  map[string]string // raw -> canonical, for the current bindings
	attrs  []Attr
	raw    []Attr
	count  int

	elements []Element // free elements
	slots    []Attr
	tree     int // number of elements in use

	elementSlab []Element // contains the free elements
	slotSlab    []Attr

	unmatched int // attributes without a value, end tags without an element, elements without an end tag, names in damaged namespaces, and values with tags in them

	foreign [2]string // the last prefix and namespace that are not in the vocabulary

	from  int      // position of the last start tag
	later *Scanner // scanner for [Scanner.Later], or nil

	source *source // supplies what follows text; nil if text is complete
}

type opened struct {
	raw, name string
	undo      int // number of bindings to undo at its end
}

type binding struct{ prefix, before string }

// NewScanner returns a scanner for data, which is XML in UTF-8 or UTF-16, or in
// Latin-1 if it declares that.
func NewScanner(data string, v Vocabulary) *Scanner {
	s := &Scanner{bound: map[string]string{}, names: map[string]string{}}
	s.restart(data, v)
	return s
}

// restart lets s read other data. It reuses the memory of what s has returned.
func (s *Scanner) restart(data string, v Vocabulary) {
	s.Recycle()
	clear(s.bound)
	clear(s.names)
	*s = Scanner{
		text: decode(data), words: v, bound: s.bound, names: s.names,
		open: s.open[:0], undo: s.undo[:0], attrs: s.attrs[:0], raw: s.raw[:0],
		elements: s.elements, slots: s.slots, elementSlab: s.elementSlab, slotSlab: s.slotSlab,
	}
}

// Next returns the next token. The error is [io.EOF] at the end of the part,
// that of ctx, or wraps [ErrLimit] or [ErrMalformed]. ErrMalformed means that
// the part ends inside a tag or an element, or, if it is [ErrTags], that all of
// it was read but some of its tags do not match.
func (s *Scanner) Next(ctx context.Context) (Token, error) {
	if s.count++; s.count%checkEvery == 0 && ctx.Err() != nil {
		return Token{}, context.Cause(ctx)
	}
	if s.closes {
		s.closes = false
		return s.pop(), nil
	}
	if s.source != nil {
		s.fill(s.tree > 0)
	}
	for s.at < len(s.text) {
		if s.text[s.at] != '<' {
			end := strings.IndexByte(s.text[s.at:], '<')
			if end < 0 {
				end = s.whole()
			}
			piece := s.text[s.at : s.at+end]
			s.at += end
			if len(s.open) == 0 {
				s.fill(false)
				continue // outside the root
			}
			return Token{Kind: Text, Text: Unescape(piece)}, nil
		}
		t, ok, err := s.markup()
		if ok || err != nil {
			return t, err
		}
		s.fill(s.tree > 0)
	}
	if s.source != nil && s.source.err != nil {
		return Token{}, s.source.err
	}
	if len(s.open) > 0 {
		return Token{}, fmt.Errorf("%w: XML ends inside %s", ErrMalformed, s.open[len(s.open)-1].name)
	}
	if s.unmatched > 0 {
		return Token{}, s.tags()
	}
	return Token{}, io.EOF
}

// tags returns the error for tags that do not match.
func (s *Scanner) tags() error { return fmt.Errorf("%w: %d of them", ErrTags, s.unmatched) }

// markup reads what starts with '<'. If it is not a token, ok is false.
func (s *Scanner) markup() (t Token, ok bool, err error) {
	rest := s.text[s.at:]
	switch {
	case strings.HasPrefix(rest, "</"):
		end := strings.IndexByte(rest, '>')
		if end < 0 {
			return t, false, s.torn()
		}
		s.at += end + 1
		t, ok = s.end(strings.TrimRight(rest[2:end], " \t\r\n"))
		return t, ok, nil
	case strings.HasPrefix(rest, "<![CDATA["):
		text, _, found := strings.Cut(rest[9:], "]]>")
		if !found {
			return t, false, s.torn()
		}
		s.at += 9 + len(text) + 3
		return Token{Kind: Text, Text: lineEnds(text)}, len(s.open) > 0, nil
	case strings.HasPrefix(rest, "<!--"):
		return t, false, s.skip(rest, 4, "-->")
	case strings.HasPrefix(rest, "<?"):
		return t, false, s.skip(rest, 2, "?>")
	case strings.HasPrefix(rest, "<!"):
		return t, false, s.doctype(rest)
	}
	if name, _ := s.word(s.at + 1); name == "" {
		s.at++ // a character without meaning
		return t, false, nil
	}
	t, err = s.start()
	return t, err == nil, err
}

func (s *Scanner) skip(rest string, from int, end string) error {
	i := strings.Index(rest[from:], end)
	if i < 0 {
		return s.torn()
	}
	s.at += from + i + len(end)
	return nil
}

// doctype skips a document type declaration with its subset.
func (s *Scanner) doctype(rest string) error {
	depth := 0
	for i := 2; i < len(rest); i++ {
		switch rest[i] {
		case '<':
			if strings.HasPrefix(rest[i:], "<!--") {
				n := strings.Index(rest[i+4:], "-->")
				if n < 0 {
					return s.torn()
				}
				i += 4 + n + 2
			}
		case '"', '\'':
			n := strings.IndexByte(rest[i+1:], rest[i])
			if n < 0 {
				return s.torn()
			}
			i += n + 1
		case '[':
			depth++
		case ']':
			depth--
		case '>':
			if depth <= 0 {
				s.at += i + 1
				return nil
			}
		}
	}
	return s.torn()
}

func (s *Scanner) torn() error {
	s.at = len(s.text)
	switch {
	case s.source == nil:
	case s.source.r != nil: // the text is larger than what is ever in memory
		return &LimitError{"bytes in a tag", maxTag}
	case s.source.err != nil:
		return s.source.err
	}
	return fmt.Errorf("%w: XML ends inside a tag", ErrMalformed)
}

// start reads a start tag.
func (s *Scanner) start() (Token, error) {
	name, i := s.word(s.at + 1)
	from := s.at
	s.from = from
	s.raw = s.raw[:0]
	for {
		i = s.blanks(i)
		if i >= len(s.text) {
			return Token{}, s.torn()
		}
		if i-from > maxTag {
			return Token{}, &LimitError{"bytes in a tag", maxTag}
		}
		switch s.text[i] {
		case '>':
			s.at = i + 1
			return s.push(name)
		case '/':
			if strings.HasPrefix(s.text[i:], "/>") {
				s.at, s.closes = i+2, true
				return s.push(name)
			}
			i++
			continue
		}
		var a Attr
		a.Name, i = s.word(i)
		if a.Name == "" {
			i++ // skip an unexpected character
			continue
		}
		if a.Value, i = s.value(i); i < 0 {
			return Token{}, s.torn()
		}
		if s.raw = append(s.raw, a); len(s.raw) > maxAttrs {
			return Token{}, &LimitError{"attributes", maxAttrs}
		}
	}
}

// word returns the name at i and its end.
func (s *Scanner) word(i int) (string, int) {
	from := i
	for i < len(s.text) {
		switch s.text[i] {
		case ' ', '\t', '\r', '\n', '/', '>', '=', '<', '"', '\'':
			return s.text[from:i], i
		}
		i++
	}
	return s.text[from:i], i
}

func (s *Scanner) blanks(i int) int {
	for i < len(s.text) && (s.text[i] == ' ' || s.text[i] == '\n' || s.text[i] == '\t' || s.text[i] == '\r') {
		i++
	}
	return i
}

// value returns the value of the attribute whose name ends at i, and its end.
// If the value does not end, the end is -1.
func (s *Scanner) value(i int) (string, int) {
	j := s.blanks(i)
	if j >= len(s.text) || s.text[j] != '=' {
		s.unmatched++ // XML has no attributes without a value
		return "", i
	}
	j = s.blanks(j + 1)
	if j >= len(s.text) {
		return "", -1
	}
	q := s.text[j]
	if q != '"' && q != '\'' {
		return s.word(j)
	}
	n := strings.IndexByte(s.text[j+1:], q)
	if n < 0 {
		return "", -1
	}
	if strings.IndexByte(s.text[j+1:j+1+n], '<') >= 0 { // a quote is missing, and the value has tags in it
		s.unmatched++
	}
	return Unescape(s.text[j+1 : j+1+n]), j + n + 2
}

// push opens the element whose attributes are in s.raw.
func (s *Scanner) push(raw string) (Token, error) {
	if len(s.open) >= maxDepth {
		return Token{}, &LimitError{"elements in each other", maxDepth}
	}
	undo := len(s.undo)
	for _, a := range s.raw {
		if a.Name == "xmlns" {
			s.bind("", a.Value)
		} else if prefix, ok := strings.CutPrefix(a.Name, "xmlns:"); ok {
			s.bind(prefix, a.Value)
		}
	}
	s.attrs = s.attrs[:0]
	for _, a := range s.raw {
		if a.Name == "xmlns" || strings.HasPrefix(a.Name, "xmlns:") {
			continue
		}
		if strings.IndexByte(a.Name, ':') >= 0 {
			a.Name = s.name(a.Name)
		}
		s.attrs = append(s.attrs, a)
	}
	name := s.name(raw)
	s.open = append(s.open, opened{raw, name, undo})
	return Token{Kind: Start, Name: name, Attrs: s.attrs}, nil
}

// bind binds a prefix to a namespace until the element ends. A prefix that had
// no namespace before keeps the new one after that, which makes no difference
// for well-formed documents and keeps the cached names valid.
func (s *Scanner) bind(prefix, space string) {
	before, ok := s.bound[prefix]
	if ok && before == space {
		return
	}
	s.bound[prefix] = space
	if ok || prefix == "" {
		s.undo = append(s.undo, binding{prefix, before})
	}
	s.renamed()
}

// renamed clears the cached names after a change of a namespace.
func (s *Scanner) renamed() {
	clear(s.names)
	s.later = nil
}

// name returns the canonical form of a name.
func (s *Scanner) name(raw string) string {
	if name, ok := s.names[raw]; ok {
		return name
	}
	prefix, local, ok := strings.Cut(raw, ":")
	if !ok {
		prefix, local = "", raw
	}
	var name string
	space, bound := s.bound[prefix]
	short, known := s.words[space]
	known = known && bound
	switch {
	case prefix == "xml":
		name = raw
	case space == "" && prefix == "":
		name = local
	default:
		if !known {
			if known = s.meant(prefix, space, bound); known {
				short = prefix
				s.unmatched++
			}
		}
		switch {
		case !known:
			name = "?:" + local
		case short == "":
			name = local
		case short == prefix:
			name = raw // most documents use the usual prefixes
		default:
			name = short + ":" + local
		}
		name = cmp.Or(s.words[name], name)
	}
	if len(s.names) < 4096 {
		s.names[raw] = name
	}
	return name
}

// meant reports whether a prefix whose namespace is missing or unknown seems to be a
// usual prefix of the vocabulary, and the document damaged.
func (s *Scanner) meant(prefix, space string, bound bool) bool {
	if prefix == "" || bound && s.foreign == [2]string{prefix, space} {
		return false
	}
	for known, short := range s.words {
		if short == prefix && (!bound || resembles(space, known)) {
			return true
		}
	}
	if bound {
		s.foreign = [2]string{prefix, space}
	}
	return false
}

// resembles reports whether a namespace has at least three quarters of a known one, at
// its start and its end, or lacks only a part of it.
func resembles(space, known string) bool {
	start, end, size := 0, 0, min(len(space), len(known))
	for start < size && space[start] == known[start] {
		start++
	}
	for end < size-start && space[len(space)-1-end] == known[len(known)-1-end] {
		end++
	}
	return start+end >= len(known)*3/4 || start+end == len(space)
}

// end closes the innermost element with this name, and all elements in it.
func (s *Scanner) end(raw string) (Token, bool) {
	if n := len(s.open); n > 0 && s.open[n-1].raw == raw {
		return s.pop(), true
	}
	s.unmatched++
	for _, o := range slices.Backward(s.open) {
		if o.raw == raw {
			// The end tag is read again until its element is the innermost.
			s.at -= len(raw) + 3
			for s.text[s.at] != '<' {
				s.at--
			}
			return s.pop(), true
		}
	}
	return Token{}, false
}

// pop closes the innermost element.
func (s *Scanner) pop() Token {
	top := s.open[len(s.open)-1]
	s.open = s.open[:len(s.open)-1]
	for len(s.undo) > top.undo {
		b := s.undo[len(s.undo)-1]
		s.undo = s.undo[:len(s.undo)-1]
		s.bound[b.prefix] = b.before
		s.renamed()
	}
	return Token{Kind: End, Name: top.name}
}

// lineEnds normalizes line ends to line feeds (XML 1.0, 2.11).
func lineEnds(s string) string {
	if strings.IndexByte(s, '\r') < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

// Unescape replaces the five predefined entities of XML and character
// references. Others, which only a document type could declare, are unchanged.
func Unescape(s string) string {
	s = lineEnds(s)
	if strings.IndexByte(s, '&') < 0 {
		return s
	}
	var b strings.Builder
	for {
		i := strings.IndexByte(s, '&')
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		s = s[i:]
		end := strings.IndexByte(s[:min(len(s), 16)], ';')
		if r, ok := entity(s, end); ok {
			if r != 0 {
				b.WriteRune(r)
			}
			s = s[end+1:]
			continue
		}
		b.WriteByte('&')
		s = s[1:]
	}
}

// entity returns the character of the reference s[:end+1], or 0 if XML does not
// allow it.
func entity(s string, end int) (rune, bool) {
	if end < 2 {
		return 0, false
	}
	switch name := s[1:end]; name {
	case "amp":
		return '&', true
	case "lt":
		return '<', true
	case "gt":
		return '>', true
	case "quot":
		return '"', true
	case "apos":
		return '\'', true
	default:
		digits, ok := strings.CutPrefix(name, "#")
		if !ok {
			return 0, false
		}
		base := 10
		if hex, ok := strings.CutPrefix(strings.ToLower(digits), "x"); ok {
			digits, base = hex, 16
		}
		n, err := strconv.ParseUint(digits, base, 31)
		if err != nil {
			return 0, false
		}
		r := rune(n)
		if r < 0x20 && isControl(byte(r)) || !utf8.ValidRune(r) || r == 0xFFFE || r == 0xFFFF {
			return 0, true
		}
		return r, true
	}
}
