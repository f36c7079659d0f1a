// SPDX-License-Identifier: Apache-2.0

// Package links extracts the links of a page.
//
// There are two extractors with the same results. [Source.Tree] reads a parsed
// tree. [Source.Scan] reads the markup itself, with the states of the HTML
// standard's tokenizer and the parts of tree construction that matter for
// links, at a tenth of the cost:
//
//	page := links.Source{URL: u, Header: h, Agent: "curlew"}
//	found := page.Scan(text)
//	if found.Doubtful {
//		found = page.Tree(root) // a few broken pages in ten thousand
//	}
//
// [Source.Markdown] reads text/markdown and text/plain.
//
// The extractors find the href of a and area (and xlink:href of svg a), the src
// of iframe and frame, link rel=next and rel=prev, meta refresh, the HTTP
// fields Refresh and Link with rel=next, and the links of documents in iframe
// srcdoc and iframe src="data:text/html,...". They ignore comments, script,
// style, textarea, title, template and other elements whose content is text.
// They read noscript, because scripts are not run. Package dom shows the shadow
// trees that templates declare, so Scan calls pages with such templates Doubtful.
//
// # Security
//
// Both extractors take time and memory linear in the size of the page. A page
// yields at most 100,000 links. Embedded documents are read up to a depth of
// three.
package links

import (
	"net/http"
	"slices"
	"sync"

	"golang.org/x/net/html"

	"example.com/curlew/internal/weburl"
)

// Limits for one page.
const (
	maxLinks = 100_000
	maxText  = 256 // bytes of a link text
	maxDepth = 3   // of embedded documents
)

// Link is one resolved reference. Links are in document order.
type Link struct {
	URL  weburl.URL
	Rel  string // as in the source, in lower case; may be empty
	Text string // link text with collapsed white space, at most 256 bytes
}

// Found contains the links of a page and what else it says about them. Links of
// the HTTP header come first. A reference that occurs several times is listed
// several times.
type Found struct {
	Base      weburl.URL // base of the references: <base href>, else the page's own URL
	Links     []Link     // at most 100,000
	Refused   int        // number of references that cannot be parsed
	Schemes   int        // number of references that are not http(s)
	Cut       int        // number of links that were left out, because there are more than 100,000
	Canonical string     // link rel=canonical, absolute; may be empty
	NoFollow  bool       // nofollow or none in a meta robots or X-Robots-Tag for our agent, * or all
	NoIndex   bool

	// Doubtful is set by Scan if only tree construction can tell the links: the
	// markup is malformed in such a way, or declares shadow trees. The links are then a good guess, and those
	// of Tree are correct.
	Doubtful bool
}

// Source describes a page before its content is read. Only URL is required.
type Source struct {
	URL    weburl.URL
	Header http.Header
	Agent  string // our product token as in robots.txt; if empty, only rules for all agents apply

	// Encoder encodes queries in the charset of the page, as the URL standard
	// demands. Nil means UTF-8. The text itself is always UTF-8.
	Encoder weburl.Encoder
}

// Tree finds the links of a parsed page. It does not modify the tree.
func (s Source) Tree(root *html.Node) Found {
	c := s.collector(64)
	walk(c, root)
	defer c.release()
	return c.found()
}

// Scan finds the same links without a tree. The text is UTF-8 as returned by
// dom.Decode. The result contains parts of the text, and so keeps it in memory.
func (s Source) Scan(text string) Found {
	c := s.collector(len(text) / 256) // a page has about one link for each 400 bytes
	scan(c, text)
	defer c.release()
	return c.found()
}

// Markdown finds the links of a text/markdown or text/plain body in UTF-8:
// inline links, link definitions, autolinks in angle brackets, and bare http,
// https and www addresses, except in code. Images are not links.
func (s Source) Markdown(text string) Found {
	c := s.collector(0)
	markdown(c, text)
	defer c.release()
	return c.found()
}

// collector returns a collector that has read the HTTP header. links is the
// expected number of links.
func (s Source) collector(links int) *collector {
	c := collectors.Get().(*collector) //nolint:forcetypeassert // the pool contains nothing else
	c.source, c.anchor = s, none
	c.refs = slices.Grow(c.refs, min(16+links, 1024))
	c.frames = append(c.frames, frame{}, frame{}) // the second is headerFrame
	c.header()
	return c
}

// collectors reuses memory for the next pages.
var collectors = sync.Pool{New: func() any { return &collector{text: make([]byte, 0, 1024)} }}

// maxKept is the maximum capacity of a slice that is kept for another page.
const maxKept = 1 << 12

// release returns c to the pool without any data of its page.
func (c *collector) release() {
	if cap(c.refs) > maxKept || cap(c.text) > 16*maxKept || cap(c.frames) > maxKept {
		return
	}
	clear(c.refs)
	clear(c.frames)
	*c = collector{refs: c.refs[:0], text: c.text[:0], frames: c.frames[:0]}
	collectors.Put(c)
}
