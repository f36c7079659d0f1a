// SPDX-License-Identifier: Apache-2.0

package ooxml

import (
	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/zipxml"
)

// Described returns what the non-visual properties of a shape say of it: the
// attribute descr, else the title.
func Described(properties *zipxml.Element) doctree.Description {
	d, title := doctree.Describe(properties.Attr("descr")), doctree.Describe(properties.Attr("title"))
	if d.Text == "" && title.Text != "" {
		return title
	}
	return d
}
