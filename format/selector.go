// SPDX-License-Identifier: Apache-2.0

package format

import (
	"context"
	"fmt"

	"golang.org/x/net/html"

	"example.com/curlew/format/internal/content"
	"example.com/curlew/format/internal/selector"
)

const (
	maxSelectors    = 100     // of the attributes form; the caller limits those of Include and Exclude
	maxSelectorSize = 1 << 10 // bytes
)

// Selector is a compiled CSS selector, or several separated by commas, in the
// grammar of Selectors Level 4 without pseudo-elements. The zero Selector matches
// nothing. A Selector is safe for concurrent use.
type Selector struct {
	read *selector.Selector
}

// ParseSelector compiles s, which may have up to 1 KB. The error is an [*Error] that
// wraps [ErrSelector] and names the cause.
func ParseSelector(s string) (Selector, error) {
	if len(s) > maxSelectorSize {
		return Selector{}, &Error{Selector: s, Err: fmt.Errorf("%w: longer than %d bytes", ErrSelector, maxSelectorSize)}
	}
	read, err := selector.Parse(s)
	if err != nil {
		return Selector{}, &Error{Selector: s, Err: fmt.Errorf("%w: %w", ErrSelector, err)}
	}
	return Selector{read}, nil
}

// MarshalText returns the text of s.
func (s Selector) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText compiles text as [ParseSelector] does. An empty text is the zero
// Selector.
func (s *Selector) UnmarshalText(text []byte) (err error) {
	*s = Selector{}
	if len(text) > 0 {
		*s, err = ParseSelector(string(text))
	}
	return err
}

// String returns the text of s.
func (s Selector) String() string {
	if s.read == nil {
		return ""
	}
	return s.read.String()
}

// An elementWalk visits all elements of a page in document order, including those
// that the index leaves out.
type elementWalk struct {
	ix    *content.Index
	n     *html.Node
	below bool  // there may be more below n
	at    int32 // the node of ix that comes next
}

// next returns the next element and its number in the index, or -1 if the index
// leaves it out. At the end it returns nil.
func (w *elementWalk) next() (*html.Node, int32) {
	root := w.ix.Nodes[0]
	for {
		switch {
		case w.n == nil:
			w.n = root
		case w.below && w.n.FirstChild != nil:
			w.n = w.n.FirstChild
		default:
			for w.n != root && w.n.NextSibling == nil {
				w.n = w.n.Parent
			}
			if w.n == root {
				return nil, -1
			}
			w.n = w.n.NextSibling
		}
		w.below = true
		if w.n.Type == html.ElementNode {
			break
		}
	}
	for w.at < w.ix.Len() && w.ix.Nodes[w.at].Type != html.ElementNode {
		w.at++
	}
	if w.at == w.ix.Len() || w.ix.Nodes[w.at] != w.n {
		w.below = false // the index leaves out its descendants too
		return w.n, -1
	}
	w.at++
	return w.n, w.at - 1
}

// skip skips the descendants of the element that next returned last, with number
// id.
func (w *elementWalk) skip(id int32) {
	w.below = false
	w.at = w.ix.End[id]
}

// selected returns the numbers of the outermost nodes that a selector matches, in
// document order, without those in drop and their descendants. The error is the
// cause of ctx or selector.ErrSteps.
func selected(ctx context.Context, ix *content.Index, selectors []Selector, drop content.Set) ([]int32, error) {
	var set selector.Set
	for _, s := range selectors {
		if s.read != nil {
			set.Add(s.read)
		}
	}
	if set.Len() == 0 {
		return nil, nil
	}
	var ids []int32
	pass := set.Start(ctx, ix.Nodes[0])
	w := elementWalk{ix: ix}
	for n, id := w.next(); n != nil; n, id = w.next() {
		matched, err := pass.Match(n)
		switch {
		case err != nil:
			return nil, err //nolint:wrapcheck // says all
		case id < 0:
		case drop.Has(id):
			w.skip(id)
		case len(matched) > 0:
			ids = append(ids, id)
			w.skip(id)
		}
	}
	return ids, nil
}
