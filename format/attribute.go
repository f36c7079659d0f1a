// SPDX-License-Identifier: Apache-2.0

package format

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/net/html"

	"example.com/curlew/format/internal/selector"
)

// maxAttributeBytes bounds the values of all attributes together.
const maxAttributeBytes = 16 << 20

// Attribute is one attribute of the elements that a selector matches. In [Options]
// it says what to read; in [Document] it also has the values.
type Attribute struct {
	Selector  string   `json:"selector"`  // CSS; an invalid one gives a warning
	Attribute string   `json:"attribute"` // name; elements without it are tried for data-NAME
	Values    []string `json:"values"`    // in document order; references are absolute
}

// makeAttributes makes the attributes form. Selectors are matched against the
// whole page, so they may name elements outside the view, but only elements in
// the view are read.
func makeAttributes(ctx context.Context, b *builder) error {
	b.doc.Attributes = make([]Attribute, len(b.o.Attributes))
	for i, a := range b.o.Attributes {
		a.Values = []string{}
		b.doc.Attributes[i] = a
	}
	r := attributeReader{page: &b.page, warnings: &b.warnings}
	if err := r.read(ctx, b.doc.Attributes); err != nil {
		return err
	}
	if r.full {
		b.warnings.add("The attributes are cut: they are too long.")
	}
	for i := range b.doc.Attributes {
		a := &b.doc.Attributes[i]
		values, err := b.redactor.maskedAll(a.Values)
		if a.Values = values; err != nil {
			b.doc.Attributes = []Attribute{}
			return err
		}
	}
	return nil
}

// An attributeReader reads attributes of one page.
type attributeReader struct {
	page     *page
	warnings *warnings
	size     int // bytes of all values so far
	full     bool
}

// read fills in the values of each attribute in all.
func (r *attributeReader) read(ctx context.Context, all []Attribute) error {
	if len(all) > maxSelectors {
		r.warnings.add(fmt.Sprintf("Only the first %d selectors of attributes were read.", maxSelectors))
		all = all[:maxSelectors]
	}
	var set selector.Set
	var of []*Attribute // by number in set
	for i := range all {
		s, err := ParseSelector(all[i].Selector)
		if err != nil {
			r.warnings.add(fmt.Sprintf("The selector %.100q of attributes cannot be read.", all[i].Selector))
			continue
		}
		set.Add(s.read)
		of = append(of, &all[i])
	}
	v := r.page.view
	if v == nil || len(of) == 0 {
		return nil // if there is no view, there is a warning already
	}
	pass := set.Start(ctx, v.ix.Nodes[0])
	w := elementWalk{ix: v.ix}
	roots := v.roots
	for n, id := w.next(); n != nil && !r.full; n, id = w.next() {
		matched, err := pass.Match(n)
		if errors.Is(err, selector.ErrSteps) {
			r.warnings.add("The attributes are cut: their selectors take too many steps on this page.")
			return nil
		}
		if err != nil {
			return err //nolint:wrapcheck // says all
		}
		if id < 0 {
			continue
		}
		if v.drop.Has(id) {
			w.skip(id)
			continue
		}
		for len(roots) > 0 && id >= v.ix.End[roots[0]] {
			roots = roots[1:]
		}
		if len(roots) == 0 {
			return nil
		}
		if id < roots[0] {
			continue // before the next root
		}
		for _, num := range matched {
			if val, ok := r.value(n, strings.ToLower(of[num].Attribute)); ok {
				of[num].Values = append(of[num].Values, val)
			}
		}
	}
	return nil
}

// value returns the attribute of n with a name in lower case, and whether n has
// it.
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
		val = r.page.base.resolve(val)
	}
	if r.size += len(val) + 8; r.size > maxAttributeBytes {
		r.full = true
		return "", false
	}
	return strings.ToValidUTF8(val, "\uFFFD"), true
}

// attribute returns the value of an attribute of n, and whether n has it.
func attribute(n *html.Node, key string) (string, bool) {
	for i := range n.Attr {
		if n.Attr[i].Key == key && n.Attr[i].Namespace == "" {
			return n.Attr[i].Val, true
		}
	}
	return "", false
}
