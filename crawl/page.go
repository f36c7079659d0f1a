// SPDX-License-Identifier: Apache-2.0

package crawl

import (
	"net/http"
	"time"

	"golang.org/x/net/html"

	"example.com/curlew/crawl/scope"
	"example.com/curlew/internal/dom"
)

// Page is one page of a crawl.
type Page struct {
	ID    uint64 // unique in the crawl, ascending in the order of discovery
	URL   string // where it was found at last, absolute
	Asked string // the URL first asked for
	From  string // the page that named it; empty for start and sitemap pages
	Depth int    // with MaxDepth or Ordered the least number of hops, else that of the first discovery
	Kind  scope.Kind

	Status    int // zero where no answer came
	Header    http.Header
	Body      []byte // content-decoded; the charset is untouched
	Truncated bool   // the server stopped short

	Cached time.Time // when the page came that the fetcher's cache answered with; zero: just now

	// Links in document order, then those that Visit added. They are read
	// after Visit, and only from pages whose links may be followed: not at
	// MaxDepth, off the site, or with SitemapOnly, unless PageRobots asks for
	// the page's robots rules.
	Links     []Link
	Robots    PageRobots
	Canonical string // link rel=canonical; reported, never followed

	// Change says how the page stands against [Config.Since]. Of an Unmodified one
	// the site sent no body: Status, Content-Type and Links are those of the
	// earlier crawl, and what it delivered is to be delivered again.
	Change     Change
	Unmodified bool
	Known      *Known // what Since knows of it; nil: nothing

	// SameBody is the ID of the first page with the same body, among the last
	// 65,536 different ones: the page's own where it is the first.
	SameBody uint64

	Payload []byte // opaque, committed with the page
	Cost    int    // opaque, summed by the frontier

	Err error // only this page failed; wraps fetch's errors, ErrDenied, Judge's or Visit's

	doc   *dom.Document                 // of Tree; set once
	parse func() (*dom.Document, error) // makes doc; nil: the page was made by hand
	seats *seats                        // that reading it takes; nil: none
}

// Hold is for a Visit whose work on the page may go on after it has returned, as
// work that does not heed a deadline does: until release is called the page still
// counts as one of those that the crawl reads at once. It may be called until
// Visit returns; release at any time, more than once.
func (p *Page) Hold() (release func()) {
	if p.seats == nil {
		return func() {}
	}
	return p.seats.hold()
}

// Link is one reference of a page.
type Link struct {
	URL  string // absolute
	Rel  string // as written, in lower case; empty if the link has none
	Text string // of the anchor, white space folded, at most 256 bytes
}

// PageRobots is what a page says to crawlers, in meta robots or X-Robots-Tag.
type PageRobots struct{ NoFollow, NoIndex bool }

// Tree returns the page's HTML tree, parsed on the first call and shared:
// nobody changes it. Any bytes give a tree. It is not safe for concurrent use.
func (p *Page) Tree() (*html.Node, error) {
	if p.doc == nil {
		parse := p.parse
		if parse == nil {
			parse = p.parseAlone
		}
		doc, err := parse()
		if err != nil {
			return nil, err
		}
		p.doc = doc
	}
	return p.doc.Root, nil
}

// Charset returns the WHATWG name of the encoding that [Page.Tree] was read in;
// empty before its first call.
func (p *Page) Charset() string {
	if p.doc == nil {
		return ""
	}
	return p.doc.Charset
}

// Lost returns what [Page.Tree] lacks of the page: truncated, deep-nesting,
// flattened, attributes. It is nil where it lacks nothing, and before its first
// call.
func (p *Page) Lost() []string {
	if p.doc == nil {
		return nil
	}
	return p.doc.Warnings
}

// parseAlone parses a page that no crawl has made.
func (p *Page) parseAlone() (*dom.Document, error) {
	return dom.Parse(never{}, p.Body, p.Header.Get("Content-Type"))
}

// never is a context that does not end.
type never struct{}

func (never) Deadline() (deadline time.Time, ok bool) { return time.Time{}, false }
func (never) Done() <-chan struct{}                   { return nil }
func (never) Err() error                              { return nil }
func (never) Value(any) any                           { return nil }
