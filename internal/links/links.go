// SPDX-License-Identifier: Apache-2.0

// Package links finds where a page leads: HTML -> links.
package links

import (
	"net/http"

	"golang.org/x/net/html"

	"example.com/curlew/internal/weburl"
)

// Link is one reference in document order, resolved.
type Link struct {
	URL  weburl.URL
	Rel  string // as written, lower case; empty
	Text string // anchor text, white space folded, at most 256 bytes
}

// Found is what a page says about where it leads.
type Found struct {
	Base      weburl.URL // base of its references: <base href>, else its own URL
	Links     []Link     // at most 100,000
	Canonical string     // link rel=canonical, absolute; empty
	NoFollow  bool       // meta robots for us, * or all: nofollow or none
	NoIndex   bool
}

// Tree finds the links of a parsed page.
func Tree(root *html.Node, page weburl.URL, h http.Header, agent string) Found { panic("skeleton") }

// Scan finds the same links without building a tree.
func Scan(body []byte, page weburl.URL, h http.Header, agent string) Found { panic("skeleton") }
