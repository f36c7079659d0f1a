// SPDX-License-Identifier: Apache-2.0

package format

import (
	"context"
	"fmt"

	"golang.org/x/net/html"

	"example.com/curlew/format/internal/content"
	"example.com/curlew/internal/selector"
)

// Bounds of what one request may select with. The caller counts selectors.
const (
	MaxSelectors    = 100
	maxSelectorSize = 1 << 10 // bytes
)

// Selector is a compiled CSS selector, or a group of them parted by commas: the
// grammar is that of Selectors Level 4, besides pseudo-elements. The zero
// Selector matches nothing. Safe for concurrent use.
type Selector struct {
	read *selector.Selector
}

// ParseSelector compiles s, of at most 1 KB; its error is an [*Error] that
// wraps [ErrSelector] and says why.
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

// MarshalText returns the text that s was made of.
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

// String returns the text that s was made of.
func (s Selector) String() string {
	if s.read == nil {
		return ""
	}
	return s.read.String()
}

// An elementWalk goes through the elements of a page in document order, with
// those that no view shows.
type elementWalk struct {
	ix    *content.Index
	n     *html.Node
	below bool  // there may be more below n
	at    int32 // the node of ix that comes next
}

// next returns the next element and its number in the index, which is -1 if no
// view shows it; nil at the end.
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
		w.below = false // nor does it show what is below
		return w.n, -1
	}
	w.at++
	return w.n, w.at - 1
}

// skip leaves out what is below the element with a number, which came last.
func (w *elementWalk) skip(id int32) {
	w.below = false
	w.at = w.ix.End[id]
}

// selected returns the numbers of the outermost nodes that one of selectors
// matches, in document order, without those in drop and what is below them. The
// error is ctx's cause, or says that it takes too many steps.
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
