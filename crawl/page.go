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
	URL   string // absolute, after redirects
	Asked string // the URL that was requested first
	From  string // URL of the page that links to it; empty for start and sitemap pages
	Depth int    // least number of hops with MaxDepth or Ordered, otherwise that of the first discovery
	Kind  scope.Kind

	Status    int // zero if there was no answer
	Header    http.Header
	Body      []byte // without content coding; in the original charset
	Truncated bool   // the server ended the answer too early
	Excess    bool   // as in [fetch.Response]

	Cached time.Time // time at which the cached answer was fetched; zero if it was not cached

	Rendered bool // as in [fetch.Response]
	View     any  // as in [fetch.Response]

	// Links in document order, followed by those that Visit added. They are
	// read after Visit, and only if they can be followed. They are not read at
	// MaxDepth, off the site, or with SitemapOnly, unless PageRobots requires
	// the page's robots rules.
	Links     []Link
	Robots    struct{ NoFollow, NoIndex bool } // of the page itself, by meta robots or X-Robots-Tag
	Canonical string                           // link rel=canonical; reported, never followed

	// Change compares the page with [Config.Since]. If the page is Unmodified,
	// the site sent no body. Status, Content-Type and Links are those of the
	// earlier crawl, and the consumer should deliver its earlier result again.
	Change     Change
	Unmodified bool
	Known      *Known // the record of the page in Since; nil if there is none

	// SameBody is the ID of the first page with the same body, among the last
	// 65,536 different bodies. If there is no earlier one, it is the ID of the
	// page itself.
	SameBody uint64

	// Shared says that another process has fetched and read the page; see
	// [Config].Share. It then has no Header, Body and View, and the text of Err
	// is all that is left of the error.
	Shared bool

	// Note is set by Visit if another process has called that; see [Config].Share.
	// It comes back with the page and is not committed.
	Note []byte

	Payload []byte // any bytes, committed with the page
	Cost    int    // any number, summed by the frontier

	Err error // why this page failed; wraps an error of fetch, ErrDenied, or an error of Judge or Visit

	doc   *dom.Document                 // parsed document for Tree; set once
	parse func() (*dom.Document, error) // parses doc; nil if the page was not made by a crawl
	seats *seats                        // seats for reading it; nil if there are none
}

// Hold is for a Visit whose work on the page may continue after Visit returns,
// for example because it ignores its deadline. Until release is called, the
// page counts as one of those that the crawl reads at once. Call Hold before
// Visit returns. release may be called at any time and more than once.
func (p *Page) Hold() (release func()) {
	if p.seats == nil {
		return func() {}
	}
	return p.seats.hold()
}

// Link is one link of a page.
type Link struct {
	URL  string // absolute
	Rel  string // the rel attribute in lower case; empty if the link has none
	Text string // text of the link with folded white space, at most 256 bytes
}

// Tree returns the HTML tree of the page. It is parsed on the first call and
// shared, so do not change it. Any bytes give a tree. Tree is not safe for
// concurrent use.
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

// Charset returns the WHATWG name of the encoding that [Page.Tree] decoded.
// Before the first call of Tree it is empty.
func (p *Page) Charset() string {
	if p.doc == nil {
		return ""
	}
	return p.doc.Charset
}

// Lost returns what [Page.Tree] leaves out or is not certain of, and how much: truncated,
// unclosed, swallowed, guessed (of the encoding) and wrong (for it) in bytes, deep-nesting
// in tags, flattened and frames in documents, and attributes. It is nil if there is
// nothing, and before the first call of Tree.
func (p *Page) Lost() map[string]int {
	if p.doc == nil {
		return nil
	}
	return p.doc.Lost
}

// parseAlone parses a page that was not made by a crawl.
func (p *Page) parseAlone() (*dom.Document, error) {
	return dom.Parse(never{}, p.Body, p.Header.Get("Content-Type"))
}

// never is a context that is never cancelled.
type never struct{}

func (never) Deadline() (deadline time.Time, ok bool) { return time.Time{}, false }
func (never) Done() <-chan struct{}                   { return nil }
func (never) Err() error                              { return nil }
func (never) Value(any) any                           { return nil }
