// SPDX-License-Identifier: Apache-2.0

package doctree

import "golang.org/x/net/html"

// Hidden says what becomes of content that a document hides.
type Hidden uint8

const (
	// HiddenDropped leaves it out, with a warning that counts it.
	HiddenDropped Hidden = iota
	// HiddenMarked keeps it, in elements with the attribute data-hidden.
	HiddenMarked
	// HiddenKept keeps it like other content.
	HiddenKept
)

// Mark marks an element that the document hides, if h says so.
func (h Hidden) Mark(n *html.Node) {
	if h == HiddenMarked {
		n.Attr = append(n.Attr, html.Attribute{Key: "data-hidden"})
	}
}

// Style returns the style of text that the document hides.
func (h Hidden) Style(s Style) Style {
	s.Hidden = h == HiddenMarked
	return s
}
