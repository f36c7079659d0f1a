// SPDX-License-Identifier: Apache-2.0

package dom

import "golang.org/x/net/html"

// Next returns the node after n in document order, or nil after the last one
// below root.
func Next(n, root *html.Node) *html.Node {
	if n.FirstChild != nil {
		return n.FirstChild
	}
	return After(n, root)
}

// After is like [Next], but skips the descendants of n.
func After(n, root *html.Node) *html.Node {
	for n != root && n.NextSibling == nil {
		n = n.Parent
	}
	if n == root {
		return nil
	}
	return n.NextSibling
}
