// SPDX-License-Identifier: Apache-2.0

package dom

import (
	"strings"

	"golang.org/x/net/html"
)

// Quoted returns how many bytes of markup the tree has as values of attributes because
// a quote is missing. The value then ends at the quote that should begin a later value,
// so it contains a tag, and what follows becomes an attribute whose name contains a
// quote.
func Quoted(root *html.Node) (size int) {
	for n := range root.Descendants() {
		for i, a := range n.Attr {
			if i > 0 && strings.ContainsAny(a.Key, `"'`) && strings.IndexByte(n.Attr[i-1].Val, '<') >= 0 {
				size += len(n.Attr[i-1].Val)
			}
		}
	}
	return size
}
