// SPDX-License-Identifier: Apache-2.0

package format

import (
	"strings"

	"golang.org/x/net/html"

	"example.com/curlew/internal/dom"
)

// isPixel reports whether the img n is at most one pixel large.
func isPixel(n *html.Node) bool {
	tiny := func(key string) bool {
		v := strings.TrimSuffix(strings.TrimSpace(dom.Attr(n, key)), "px")
		return v == "0" || v == "1"
	}
	return tiny("width") && tiny("height")
}

// isDataImage reports whether ref is a data: URL of a picture.
func isDataImage(ref string) bool {
	ref = strings.TrimLeft(ref, spaces)
	return len(ref) > 11 && strings.EqualFold(ref[:11], "data:image/")
}

// backgrounds returns the references in url() of an inline style's background.
func backgrounds(style string) []string {
	if !strings.Contains(style, "background") {
		return nil
	}
	var refs []string
	for {
		i := strings.Index(style, "url(")
		if i < 0 {
			return refs
		}
		style = style[i+len("url("):]
		ref := strings.TrimLeft(style, spaces)
		end := ")"
		if ref != "" && (ref[0] == '"' || ref[0] == '\'') {
			end, ref = ref[:1], ref[1:]
		}
		ref, rest, ok := strings.Cut(ref, end)
		if !ok {
			return refs
		}
		if ref = strings.Trim(ref, spaces); ref != "" {
			refs = append(refs, ref)
		}
		style = rest
	}
}
