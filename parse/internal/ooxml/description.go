// SPDX-License-Identifier: Apache-2.0

package ooxml

import (
	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/zipxml"
)

// Described returns the description in the non-visual properties of a shape:
// the attribute descr or, if that is empty, the title.
func Described(properties *zipxml.Element) doctree.Description {
	d, title := doctree.Describe(properties.Attr("descr")), doctree.Describe(properties.Attr("title"))
	if d.Text == "" && title.Text != "" {
		return title
	}
	return d
}
