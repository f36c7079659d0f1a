// SPDX-License-Identifier: Apache-2.0

package format

import (
	"context"
	"fmt"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"

	"example.com/curlew/internal/content"
)

// Bounds of what one request may select with. The caller counts selectors.
const (
	MaxSelectors    = 100
	maxSelectorSize = 1 << 10 // bytes
)

// Selector is a compiled CSS selector, or a group of them parted by commas.
// The zero Selector matches nothing. Safe for concurrent use.
type Selector struct {
	text  string
	group cascadia.SelectorGroup
}

// ParseSelector compiles s, of at most 1 KB; its error is an [*Error] that
// wraps [ErrSelector] and says why.
func ParseSelector(s string) (Selector, error) {
	if len(s) > maxSelectorSize {
		return Selector{}, &Error{Selector: s, Err: fmt.Errorf("%w: longer than %d bytes", ErrSelector, maxSelectorSize)}
	}
	group, err := cascadia.ParseGroup(s)
	if err != nil {
		return Selector{}, &Error{Selector: s, Err: fmt.Errorf("%w: %v", ErrSelector, err)} //nolint:errorlint // cascadia's errors are texts
	}
	return Selector{text: s, group: group}, nil
}

// String returns the text that s was made of.
func (s Selector) String() string { return s.text }

func (s Selector) matches(n *html.Node) bool {
	for _, sel := range s.group {
		if sel.Match(n) {
			return true
		}
	}
	return false
}

// selected returns the numbers of the outermost nodes that one of selectors
// matches, in document order, without those in drop and what is below them.
func selected(ctx context.Context, ix *content.Index, selectors []Selector, drop content.Set) ([]int32, error) {
	var ids []int32
	if len(selectors) == 0 {
		return nil, nil
	}
	steps := 0
	for id := int32(0); id < ix.Len(); {
		n := ix.Nodes[id]
		if drop.Has(id) {
			id = ix.End[id]
			continue
		}
		if n.Type == html.ElementNode {
			// One match may read all that is below or beside the node (:has,
			// :nth-child), so the context is asked often.
			if steps++; steps%64 == 0 && ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if matchesAny(selectors, n) {
				ids = append(ids, id)
				id = ix.End[id]
				continue
			}
		}
		id++
	}
	return ids, nil
}

func matchesAny(selectors []Selector, n *html.Node) bool {
	for _, s := range selectors {
		if s.matches(n) {
			return true
		}
	}
	return false
}
