// SPDX-License-Identifier: Apache-2.0

package ooxml

import (
	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/zipxml"
)

// Described returns the title and the description in the non-visual properties of a
// shape.
func Described(properties *zipxml.Element) doctree.Description {
	return doctree.Describe(properties.Attr("descr")).Titled(properties.Attr("title"))
}
