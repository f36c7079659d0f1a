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

// maxElements is how many elements, pieces of text among them, may be in
// memory at once: a part with more than that in one piece is read as one that
// breaks off.
const maxElements = 1_000_000

// Element is an element, or a piece of text where Name is empty.
type Element struct {
	Name  string
	Text  string // of a piece of text
	Attrs []Attr

	first, last, next *Element
}

// Tree gathers the element that start began. It is good until [Scanner.Reuse].
// With an error of [Scanner.Next] comes what was read before it.
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

// Skip passes over the element whose start tag came last. It looks at nothing
// but where tags begin and end.
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

// plainEnd returns where the end tag of the innermost element is, -1 where
// something before it may only look like one: comments, text as it is, a sign
// in quotes, elements of the same name.
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

// Later passes over the element whose start tag came last and returns what
// gathers it, any number of times. Each takes the memory of the elements that
// the one before gave.
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

// closing returns where the tag that text begins with ends, -1 where it does
// not.
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

// element makes an element of t.
func (s *Scanner) element(t Token) (*Element, error) {
	if s.tree++; s.tree > maxElements {
		return nil, fmt.Errorf("%w: more than %d elements in one", ErrMalformed, maxElements)
	}
	if len(s.elements) == 0 {
		s.elements = make([]Element, min(32+s.tree, 512))
		s.elementSlab = s.elements
	}
	e := &s.elements[0]
	s.elements = s.elements[1:]
	e.Name, e.Text = t.Name, t.Text
	if n := len(t.Attrs); n > 0 {
		if len(s.slots) < n {
			s.slots = make([]Attr, max(n, min(32+s.tree, 512)))
			s.slotSlab = s.slots
		}
		e.Attrs = s.slots[:n:n]
		s.slots = s.slots[n:]
		copy(e.Attrs, t.Attrs)
	}
	return e, nil
}

// Reuse tells that no element given before is used any more.
func (s *Scanner) Reuse() {
	s.tree = 0
	if s.source != nil {
		s.source.held = 0
	}
}

// Keep tells that elements given before stay in use whatever is told later.
func (s *Scanner) Keep() {
	s.elements, s.elementSlab, s.slots, s.slotSlab = nil, nil, nil, nil
}

// Recycle is Reuse for a caller that has kept no element: their memory is taken
// again.
func (s *Scanner) Recycle() {
	s.Reuse()
	clear(s.elementSlab[:len(s.elementSlab)-len(s.elements)])
	clear(s.slotSlab[:len(s.slotSlab)-len(s.slots)])
	s.elements, s.slots = s.elementSlab, s.slotSlab
}

// Parse returns the root of data. With an error that wraps [ErrMalformed] comes
// what could be read, nil if nothing.
func Parse(ctx context.Context, data []byte, v Vocabulary) (*Element, error) {
	return parse(ctx, string(data), v)
}

func parse(ctx context.Context, data string, v Vocabulary) (*Element, error) {
	s := NewScanner(data, v)
	for {
		t, err := s.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%w: no XML", ErrMalformed)
		}
		if err != nil {
			return nil, err
		}
		if t.Kind == Start {
			return s.Tree(ctx, t)
		}
	}
}

// XML returns the root of the part name. Where it breaks off, what could be read
// comes with an error that wraps [ErrMalformed].
func (a *Archive) XML(ctx context.Context, name string, v Vocabulary) (*Element, error) {
	data, err := a.Text(name)
	if len(data) == 0 && err != nil {
		return nil, err
	}
	root, parseErr := parse(ctx, data, v)
	if parseErr != nil {
		return root, fmt.Errorf("part %s: %w", name, parseErr)
	}
	return root, err
}

// Children yields the elements and pieces of text in e. A nil e has none.
func (e *Element) Children() iter.Seq[*Element] {
	return func(yield func(*Element) bool) {
		if e == nil {
			return
		}
		for c := e.first; c != nil; c = c.next {
			if !yield(c) {
				return
			}
		}
	}
}

// All yields the elements of that name in e.
func (e *Element) All(name string) iter.Seq[*Element] {
	return func(yield func(*Element) bool) {
		if e == nil {
			return
		}
		for c := e.first; c != nil; c = c.next {
			if c.Name == name && !yield(c) {
				return
			}
		}
	}
}

// Get follows names down from e, the first element of each; nil where one is
// missing.
func (e *Element) Get(names ...string) *Element {
	for _, name := range names {
		var found *Element
		for c := range e.All(name) {
			found = c
			break
		}
		if found == nil {
			return nil
		}
		e = found
	}
	return e
}

// Find returns the first element of that name below e, nil if there is none.
func (e *Element) Find(name string) *Element {
	for d := range e.Descendants() {
		if d.Name == name {
			return d
		}
	}
	return nil
}

// Descendants yields all below e, in document order.
func (e *Element) Descendants() iter.Seq[*Element] {
	return func(yield func(*Element) bool) { e.each(yield) }
}

func (e *Element) each(yield func(*Element) bool) bool {
	for c := range e.Children() {
		if !yield(c) || !c.each(yield) { // as deep as the scanner goes
			return false
		}
	}
	return true
}

// Attr returns the value of an attribute, "" if there is none. A nil e has
// none.
func (e *Element) Attr(name string) string {
	v, _ := e.Lookup(name)
	return v
}

// Lookup returns the value of an attribute, and whether there is one.
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

// Int returns an attribute as a number, or other where it is none.
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

// Plain reports whether there is nothing but one piece of text in e.
func (e *Element) Plain() bool { return e.first != nil && e.first == e.last && e.first.Name == "" }

// New returns an element that no document has.
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
