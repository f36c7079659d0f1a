// SPDX-License-Identifier: Apache-2.0

// Package links finds where a page leads: HTML -> links.
//
// There are two extractors and one result. [Source.Tree] reads a tree that was
// built anyway; [Source.Scan] reads the markup itself, with the states of the
// HTML standard's tokenizer and as much of its tree construction as decides
// what is a link, at a tenth of the cost:
//
//	page := links.Source{URL: u, Header: h, Agent: "curlew"}
//	found := page.Scan(text)
//	if found.Doubtful {
//		found = page.Tree(root) // a few broken pages in ten thousand
//	}
//
// [Source.Markdown] does the same for text/markdown and text/plain.
//
// Taken are a and area href (of svg a, xlink:href too), iframe and frame src,
// link rel=next and rel=prev, meta refresh, the HTTP fields Refresh and Link
// with rel=next, and what stands in the documents of iframe srcdoc and of
// iframe src="data:text/html,...". Not taken is what stands in comments,
// script, style, textarea, title, template and the other elements whose content
// is text. What stands in noscript is taken: we do not run scripts.
//
// # Security
//
// Both extractors take time and memory linear in the page. A page yields at
// most 100,000 links, documents in documents are read three deep.
package links

import (
	"net/http"
	"slices"
	"sync"

	"golang.org/x/net/html"

	"example.com/curlew/internal/weburl"
)

// Bounds of one page.
const (
	maxLinks = 100_000
	maxText  = 256 // bytes of a link's text
	maxDepth = 3   // documents in documents
)

// Link is one reference in document order, resolved.
type Link struct {
	URL  weburl.URL
	Rel  string // as written, lower case; empty
	Text string // anchor text, white space folded, at most 256 bytes
}

// Found is what a page says about where it leads. Links of the HTTP header
// stand first; references that occur twice are here twice.
type Found struct {
	Base      weburl.URL // base of its references: <base href>, else its own URL
	Links     []Link     // at most 100,000
	Refused   int        // references that do not parse
	Schemes   int        // references that are not http(s)
	Cut       bool       // there were more than 100,000
	Canonical string     // link rel=canonical, absolute; empty
	NoFollow  bool       // meta robots or X-Robots-Tag for us, * or all: nofollow or none
	NoIndex   bool

	// Doubtful is set by Scan where the markup is broken in a way that only
	// tree construction can tell what becomes of it. The links are a good
	// guess then; those of Tree are right.
	Doubtful bool
}

// Source is a page before its content is read. The zero value of each field but
// URL is fine.
type Source struct {
	URL    weburl.URL
	Header http.Header
	Agent  string // our product token, as in robots.txt; empty means only rules for all bind

	// Encoder writes queries in the charset of the page, as the URL standard
	// has it. Nil means UTF-8. The text itself is UTF-8 always.
	Encoder weburl.Encoder
}

// Tree finds the links of a parsed page. It does not change the tree.
func (s Source) Tree(root *html.Node) Found {
	c := s.collector(64)
	walk(c, root)
	defer c.release()
	return c.found()
}

// Scan finds the same links without a tree. The text is UTF-8 as dom.Decode
// writes it. The result holds parts of it, and so keeps it alive.
func (s Source) Scan(text string) Found {
	c := s.collector(len(text) / 256) // a page has a link for each 400 bytes or so
	scan(c, text)
	defer c.release()
	return c.found()
}

// Markdown finds the links of a text/markdown or text/plain body, which is
// UTF-8: inline links, link definitions, autolinks in angle brackets, and bare
// http and https addresses and www names, none of them inside code. Images are
// no links.
func (s Source) Markdown(text string) Found {
	c := s.collector(0)
	markdown(c, text)
	defer c.release()
	return c.found()
}

// collector returns a collector that has read the HTTP header. It has room for
// about so many links, and gets more where that is not enough.
func (s Source) collector(links int) *collector {
	c := collectors.Get().(*collector) //nolint:forcetypeassert // it holds nothing else
	c.source, c.anchor = s, none
	c.refs = slices.Grow(c.refs, min(16+links, 1024))
	c.frames = append(c.frames, frame{}, frame{}) // the second is headerFrame
	c.header()
	return c
}

// collectors are those whose memory the next pages use.
var collectors = sync.Pool{New: func() any { return &collector{text: make([]byte, 0, 1024)} }}

// maxKept is the capacity up to which what a collector holds is kept for another
// page.
const maxKept = 1 << 12

// release gives the memory of c back, which keeps nothing of its page.
func (c *collector) release() {
	if cap(c.refs) > maxKept || cap(c.text) > 16*maxKept || cap(c.frames) > maxKept {
		return
	}
	clear(c.refs)
	clear(c.frames)
	*c = collector{refs: c.refs[:0], text: c.text[:0], frames: c.frames[:0]}
	collectors.Put(c)
}
