// SPDX-License-Identifier: Apache-2.0

package format

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/net/html"
)

// maxAttributeBytes bounds the values of all attributes together.
const maxAttributeBytes = 16 << 20

// Attribute names attributes of the elements that a selector matches: in
// [Options] what to read, in [Document] with what was found.
type Attribute struct {
	Selector  string   `json:"selector"`  // CSS; one that cannot be read is a warning
	Attribute string   `json:"attribute"` // name; an element without takes data-NAME
	Values    []string `json:"values"`    // in document order, of elements that have it; references absolute
}

// attributes makes the attributes form. Selectors are matched on the page as it
// was parsed, so that they may name what stands around; only nodes that the
// view shows are read.
func (b *builder) attributes(ctx context.Context) error {
	b.doc.Attributes = make([]Attribute, len(b.o.Attributes))
	r := attributeReader{b: b}
	for i, a := range b.o.Attributes {
		a.Values = []string{}
		b.doc.Attributes[i] = a
	}
	for i := range b.doc.Attributes {
		if i == MaxSelectors {
			b.warn(fmt.Sprintf("Only the first %d selectors of attributes were read.", MaxSelectors))
			break
		}
		if err := r.read(ctx, &b.doc.Attributes[i]); err != nil {
			return err
		}
	}
	if r.full {
		b.warn("The attributes are cut: they are too long.")
	}
	for i := range b.doc.Attributes {
		a := &b.doc.Attributes[i]
		values, err := b.maskedAll(a.Values)
		if a.Values = values; err != nil {
			b.doc.Attributes = []Attribute{}
			return err
		}
	}
	return nil
}

// An attributeReader reads attributes of one page.
type attributeReader struct {
	b    *builder
	size int // of all values so far, in bytes
	full bool
}

// read adds to a the values that its selector leads to.
func (r *attributeReader) read(ctx context.Context, a *Attribute) error {
	s, err := ParseSelector(a.Selector)
	if err != nil {
		r.b.warn(fmt.Sprintf("The selector %.100q of attributes cannot be read.", a.Selector))
		return nil //nolint:nilerr // it is the caller's, and a warning
	}
	v := r.b.view
	if v == nil {
		return nil // the view failed, and a warning says so
	}
	name := strings.ToLower(a.Attribute)
	steps := 0
	for _, root := range v.roots {
		for id := root; id < v.ix.End[root]; id++ {
			if v.drop.Has(id) {
				id = v.ix.End[id] - 1
				continue
			}
			n := v.ix.Nodes[id]
			if n.Type != html.ElementNode {
				continue
			}
			if steps++; steps%64 == 0 && ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if r.full || !s.matches(n) {
				continue
			}
			if val, ok := r.value(n, name); ok {
				a.Values = append(a.Values, val)
			}
		}
	}
	return nil
}

// value returns the attribute of n by its name in lower case, and whether it
// has one.
func (r *attributeReader) value(n *html.Node, name string) (string, bool) {
	val, ok := attribute(n, name)
	if !ok {
		val, ok = attribute(n, "data-"+name)
	}
	if !ok {
		return "", false
	}
	switch name {
	case "href", "src", "action", "formaction", "cite", "poster", "longdesc":
		val = r.b.base.resolve(val)
	}
	if r.size += len(val) + 8; r.size > maxAttributeBytes {
		r.full = true
		return "", false
	}
	return strings.ToValidUTF8(val, "\uFFFD"), true
}

// attribute returns the value of an attribute of n, and whether it has one.
func attribute(n *html.Node, key string) (string, bool) {
	for i := range n.Attr {
		if n.Attr[i].Key == key && n.Attr[i].Namespace == "" {
			return n.Attr[i].Val, true
		}
	}
	return "", false
}
