// SPDX-License-Identifier: Apache-2.0

package zipxml

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// maxElements is the maximum number of elements and texts in memory. A tree that
// would have more is truncated.
const maxElements = 1_000_000

// Element is an element. If Name is empty, it is a text.
type Element struct {
	Name  string
	Text  string // content of a text
	Attrs []Attr

	first, last, next *Element
}

// Tree builds the tree of the element whose start tag is start. It is valid
// until [Scanner.Reuse]. If [Scanner.Next] fails, it returns the error and what
// was read before.
func (s *Scanner) Tree(ctx context.Context, start Token) (*Element, error) {
	root, err := s.element(start)
	if err != nil {
		return nil, err
	}
	open := make([]*Element, 1, 16)
	open[0] = root
	for {
		t, err := s.Next(ctx)
		if err != nil {
			return root, err
		}
		if t.Kind == End {
			if open = open[:len(open)-1]; len(open) == 0 {
				return root, nil
			}
			continue
		}
		e, err := s.element(t)
		if err != nil {
			return root, err
		}
		parent := open[len(open)-1]
		if parent.last == nil {
			parent.first = e
		} else {
			parent.last.next = e
		}
		parent.last = e
		if t.Kind == Start {
			open = append(open, e)
		}
	}
}

// Skip skips the element of the last start tag. It only looks for the start and
// end of tags.
func (s *Scanner) Skip(ctx context.Context) error {
	if s.closes {
		_, err := s.Next(ctx)
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if end := s.plainEnd(); end >= 0 {
		s.at += end
		_, err := s.Next(ctx)
		return err
	}
	for depth := 1; depth > 0; {
		if s.count++; s.count%checkEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		s.fill(false)
		i := strings.IndexByte(s.text[s.at:], '<')
		if i < 0 && s.source != nil && s.source.r != nil {
			s.at += s.whole()
			continue
		}
		if i < 0 {
			return s.torn()
		}
		s.at += i
		rest := s.text[s.at:]
		if strings.HasPrefix(rest, "<!") || strings.HasPrefix(rest, "<?") {
			if _, _, err := s.markup(); err != nil {
				return err
			}
			continue
		}
		end := closing(rest)
		switch {
		case end < 0:
			return s.torn()
		case rest[1] == '/':
			if depth--; depth == 0 {
				continue // its end tag is read below
			}
		case rest[end-1] != '/':
			depth++
		}
		s.at += end + 1
	}
	_, err := s.Next(ctx)
	return err
}

// plainEnd returns the position of the end tag of the innermost element. It
// returns -1 if the text before it contains something ambiguous: comments,
// CDATA, angle brackets in quotes, or elements of the same name.
func (s *Scanner) plainEnd() int {
	raw := s.open[len(s.open)-1].raw
	rest := s.text[s.at:]
	for at := 0; ; at++ {
		i := strings.IndexByte(rest[at:], '<')
		if i < 0 {
			return -1
		}
		at += i
		switch tag := rest[at+1:]; {
		case strings.HasPrefix(tag, "/"):
			if after, ok := strings.CutPrefix(tag[1:], raw); ok && strings.HasPrefix(after, ">") {
				if inside := rest[:at]; strings.Count(inside, `"`)%2 != 0 || strings.IndexByte(inside, '\'') >= 0 {
					return -1
				}
				return at
			}
		case strings.HasPrefix(tag, "!"), strings.HasPrefix(tag, "?"), strings.HasPrefix(tag, raw):
			return -1
		}
	}
}

// Later skips the element of the last start tag and returns a function that
// builds its tree, which can be called several times. Each call reuses the
// memory of the previous result.
func (s *Scanner) Later(ctx context.Context) (func(context.Context) (*Element, error), error) {
	if s.later == nil {
		s.later = &Scanner{words: s.words, bound: maps.Clone(s.bound), names: maps.Clone(s.names)}
	}
	later, from := s.later, s.from
	err := s.Skip(ctx)
	text := s.text[from:s.at]
	return func(ctx context.Context) (*Element, error) {
		later.Recycle()
		later.text, later.at, later.closes, later.open = text, 0, false, later.open[:0]
		t, err := later.Next(ctx)
		if err != nil {
			return nil, err
		}
		return later.Tree(ctx, t)
	}, err
}

// Fragment skips the element of the last start tag and returns it as XML that stands
// alone: its start tag declares the namespaces of the elements around it too. If the
// element has no end, it returns the rest of the text with the error.
func (s *Scanner) Fragment(ctx context.Context) (string, error) {
	tag := s.from + 1 + len(s.open[len(s.open)-1].raw) // the end of its name
	declared := map[string]bool{}
	for _, a := range s.raw {
		declared[a.Name] = true
	}
	var b strings.Builder
	b.WriteString(s.text[s.from:tag])
	for _, prefix := range slices.Sorted(maps.Keys(s.bound)) {
		name := "xmlns:" + prefix
		if prefix == "" {
			name = "xmlns"
		}
		if !declared[name] && s.bound[prefix] != "" {
			b.WriteString(" " + name + `="` + attributeText.Replace(s.bound[prefix]) + `"`)
		}
	}
	err := s.Skip(ctx)
	b.WriteString(s.text[tag:s.at])
	return b.String(), err
}

var attributeText = strings.NewReplacer("&", "&amp;", "<", "&lt;", `"`, "&quot;")

// closing returns the end of the tag at the start of text, or -1.
func closing(text string) int {
	quotes := 0
	for from := 0; ; {
		n := strings.IndexByte(text[from:], '>')
		if n < 0 {
			return -1
		}
		quotes += strings.Count(text[from:from+n], `"`)
		from += n
		if quotes%2 == 0 {
			return from
		}
		from++
	}
}

// element creates an element from t.
func (s *Scanner) element(t Token) (*Element, error) {
	if s.tree++; s.tree > maxElements {
		return nil, fmt.Errorf("%w: more than %d elements in one", ErrMalformed, maxElements)
	}
	if len(s.elements) == 0 {
		s.elements = make([]Element, s.ahead())
		s.elementSlab = s.elements
	}
	e := &s.elements[0]
	s.elements = s.elements[1:]
	e.Name, e.Text = t.Name, t.Text
	if n := len(t.Attrs); n > 0 {
		if len(s.slots) < n {
			s.slots = make([]Attr, max(n, s.ahead()))
			s.slotSlab = s.slots
		}
		e.Attrs = s.slots[:n:n]
		s.slots = s.slots[n:]
		copy(e.Attrs, t.Attrs)
	}
	return e, nil
}

// ahead is for how many more elements there should be memory. An element has at least
// some 16 bytes of text.
func (s *Scanner) ahead() int { return min(32+s.tree, 512, 1+(len(s.text)-s.at)/16) }

// Reuse says that elements returned before are no longer used.
func (s *Scanner) Reuse() {
	s.tree = 0
	if s.source != nil {
		s.source.held = 0
	}
}

// Keep says that elements returned before remain in use, whatever is called
// later.
func (s *Scanner) Keep() {
	s.elements, s.elementSlab, s.slots, s.slotSlab = nil, nil, nil, nil
}

// Recycle is Reuse for a caller that has kept no element. Their memory is
// reused.
func (s *Scanner) Recycle() {
	s.Reuse()
	clear(s.elementSlab[:len(s.elementSlab)-len(s.elements)])
	clear(s.slotSlab[:len(s.slotSlab)-len(s.slots)])
	s.elements, s.slots = s.elementSlab, s.slotSlab
}

// Parse returns the root of data. With an error that wraps [ErrMalformed] it
// also returns what could be read, or nil.
func Parse(ctx context.Context, data []byte, v Vocabulary) (*Element, error) {
	return NewScanner(string(data), v).root(ctx)
}

// root returns the root of the part. With an error that wraps [ErrMalformed] it also
// returns what could be read, or nil.
func (s *Scanner) root(ctx context.Context) (*Element, error) {
	for {
		t, err := s.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%w: no XML", ErrMalformed)
		}
		if err != nil {
			return nil, err
		}
		if t.Kind == Start {
			root, err := s.Tree(ctx, t)
			if err == nil && s.more(ctx) {
				err = ErrTags
			}
			if err == nil && s.unmatched > 0 {
				err = s.tags()
			}
			return root, err
		}
	}
}

// more reports whether elements follow the root: damage has ended it too early.
func (s *Scanner) more(ctx context.Context) bool {
	for {
		t, err := s.Next(ctx)
		if err != nil || t.Kind == Start {
			return err == nil
		}
	}
}

// XML returns the root of the part name. If the part is incomplete, it returns
// what could be read, with an error that wraps [ErrMalformed].
func (a *Archive) XML(ctx context.Context, name string, v Vocabulary) (*Element, error) {
	return a.XMLIn(ctx, NewScanner("", nil), name, v)
}

// XMLIn is like [Archive.XML], but the elements use the memory of s. They are valid
// until the next call with s.
func (a *Archive) XMLIn(ctx context.Context, s *Scanner, name string, v Vocabulary) (*Element, error) {
	data, err := a.Text(name)
	if len(data) == 0 && err != nil {
		return nil, err
	}
	s.restart(data, v)
	root, parseErr := s.root(ctx)
	if parseErr != nil {
		return root, fmt.Errorf("part %s: %w", name, parseErr)
	}
	return root, err
}

// First returns the first element or text in e, or nil if there is none. A nil e has none.
func (e *Element) First() *Element {
	if e == nil {
		return nil
	}
	return e.first
}

// Next returns the element or text after e in the same element, or nil if there is none. Loops with First and Next
// take much less of the program than loops over an iterator.
func (e *Element) Next() *Element { return e.next }

// Named returns the first child element of e with a name, or nil.
//
//go:noinline
func (e *Element) Named(name string) *Element {
	c := e.First()
	for c != nil && c.Name != name {
		c = c.next
	}
	return c
}

// Same returns the element after e in the same element that has the name of e, or nil.
//
//go:noinline
func (e *Element) Same() *Element {
	c := e.next
	for c != nil && c.Name != e.Name {
		c = c.next
	}
	return c
}

// Get follows names down from e to the first child element of each name. It
// returns nil if one is missing.
//
//go:noinline
func (e *Element) Get(names ...string) *Element {
	for _, name := range names {
		if e = e.Named(name); e == nil {
			return nil
		}
	}
	return e
}

// Find returns the first descendant of e with this name, or nil.
func (e *Element) Find(name string) *Element {
	for d := range e.Descendants() {
		if d.Name == name {
			return d
		}
	}
	return nil
}

// Descendants yields all descendants of e in document order.
func (e *Element) Descendants() iter.Seq[*Element] {
	return func(yield func(*Element) bool) { e.each(yield) }
}

func (e *Element) each(yield func(*Element) bool) bool {
	for c := e.First(); c != nil; c = c.Next() {
		if !yield(c) || !c.each(yield) { // the scanner limits the depth of the recursion
			return false
		}
	}
	return true
}

// Attr returns the value of an attribute, or "". A nil e has none. Some 350 calls in
// readers would each contain a copy of the loop or of its call.
//
//go:noinline
func (e *Element) Attr(name string) string {
	if e == nil {
		return ""
	}
	for i := range e.Attrs {
		if e.Attrs[i].Name == name {
			return e.Attrs[i].Value
		}
	}
	return ""
}

// Lookup returns the value of an attribute, and whether it exists.
//
//go:noinline
func (e *Element) Lookup(name string) (string, bool) {
	if e == nil {
		return "", false
	}
	for i := range e.Attrs {
		if e.Attrs[i].Name == name {
			return e.Attrs[i].Value, true
		}
	}
	return "", false
}

// Int returns an attribute as a number, or other if it is not a number.
func (e *Element) Int(name string, other int) int {
	v, ok := e.Lookup(name)
	if !ok {
		return other
	}
	n, err := strconv.ParseInt(strings.TrimSpace(v), 10, 32)
	if err != nil {
		f, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
		if err != nil || f < -1<<31 || f >= 1<<31 || f != f {
			return other
		}
		return int(f)
	}
	return int(n)
}

// Content returns all text in e.
func (e *Element) Content() string {
	if e == nil {
		return ""
	}
	if e.Plain() {
		return e.first.Text
	}
	var b strings.Builder
	for d := range e.Descendants() {
		b.WriteString(d.Text)
	}
	return b.String()
}

// Says reports whether an element in e with this name has text.
func (e *Element) Says(name string) bool {
	for d := range e.Descendants() {
		if d.Name == name && strings.TrimSpace(d.Content()) != "" {
			return true
		}
	}
	return false
}

// Plain reports whether the only content of e is one text.
func (e *Element) Plain() bool { return e.first != nil && e.first == e.last && e.first.Name == "" }

// New returns an element that does not come from a document.
func New(name string, attrs []Attr, children ...*Element) *Element {
	e := &Element{Name: name, Attrs: slices.Clone(attrs)}
	for i, c := range children {
		if i == 0 {
			e.first = c
		} else {
			e.last.next = c
		}
		e.last = c
	}
	return e
}
