// SPDX-License-Identifier: Apache-2.0

// Package crawl walks a site: site -> pages.
package crawl

import (
	"context"
	"iter"
	"net/http"
	"time"

	"golang.org/x/net/html"

	"example.com/curlew/fetch"
)

// Unlimited switches a bound off where zero means its default.
const Unlimited = -1

// Engine crawls. The zero value crawls over a zero fetch.Client. It serves any
// number of crawls at once.
type Engine struct {
	Fetcher   fetch.Fetcher // nil: a zero fetch.Client
	UserAgent string        // empty means "curlew"; its product token is asked of robots.txt
	Trace     *Trace        // nil is silent
}

// Trace is called as things happen; nil funcs are silent. (crawl's owner fills it.)
type Trace struct{}

// SitemapMode says what a crawl does with sitemaps.
type SitemapMode uint8

// RobotsPolicy says how robots.txt binds.
type RobotsPolicy uint8

// Values of SitemapMode and RobotsPolicy; the first is the default.
const (
	SitemapInclude SitemapMode = iota
	SitemapSkip
	SitemapOnly

	RobotsStrict  RobotsPolicy = iota - 3 // RFC 9309
	RobotsLenient                         // unreachable means allowed
	RobotsIgnore                          // Sitemap lines only
)

// Stage says when a Judge is asked.
type Stage uint8

// Stages of Config.Judge.
const (
	Discovered Stage = iota // a link was found: lists only
	Requested               // it is about to be asked for
	Hopped                  // a redirect is about to be followed
)

// Kind says where a page stands against the crawl's origin.
type Kind uint8

// Kinds of pages.
const (
	Internal Kind = iota
	Subdomain
	External
)

// Config is one crawl. The zero value of each field is the contract's default.
type Config struct {
	URL string // absolute

	Include, Exclude []string // RE2, unanchored
	FullURL          bool     // patterns match the whole URL instead of the path

	MaxDepth *int // nil: no bound; 0: start page and sitemap pages only
	Limit    int  // delivered pages; zero means 10,000

	Sitemap                            SitemapMode
	EntireDomain, Subdomains, External bool
	IgnoreQuery, KeepSimilar           bool

	Robots      RobotsPolicy
	RobotsAgent string // asks robots.txt under another name; empty: Engine.UserAgent

	// Delay is the pause from the end of one page to the start of the next,
	// over the whole crawl; any pause forces one page at a time. Zero means none.
	Delay       time.Duration
	Concurrency int // pages in flight; zero means 8

	Request fetch.Request // template of each page request; Timeout zero means 60 s

	// Judge may refuse a URL at each stage (threat protection); its error
	// becomes the page's. Nil admits all.
	Judge func(ctx context.Context, url string, s Stage) error

	// Visit runs on the worker for each page that will be yielded, failed ones
	// too, before it is. It may set Payload and Cost, which are committed with
	// the page. An error makes the page a failed one.
	Visit func(ctx context.Context, p *Page) error

	Frontier Frontier // nil: in memory
}

// Page is one page of a crawl.
type Page struct {
	ID    uint64 // rank of its discovery, from 0
	URL   string // where it was found at last, absolute
	Asked string // the URL first asked for
	From  string // the page that named it; empty for start and sitemap pages
	Depth int
	Kind  Kind

	Status    int
	Header    http.Header
	Body      []byte
	Truncated bool

	Payload []byte // opaque, committed with the page
	Cost    int    // opaque, summed by the frontier

	Err error // only this page failed; wraps fetch's errors, ErrDenied, Judge's or Visit's
}

// Tree returns the page's HTML tree, parsed once and shared: nobody changes it.
func (p *Page) Tree() (*html.Node, error) { panic("skeleton") }

// Run walks the site of c and yields pages as they finish. When the loop body
// returns, the page is committed; a page on which the consumer leaves is not.
// An error is the last pair and means that the walk cannot go on.
func (e *Engine) Run(ctx context.Context, c Config) iter.Seq2[*Page, error] { panic("skeleton") }

// Frontier holds all state of one crawl: what was seen, what is pending, what
// was delivered. (The owner of this room writes the full contract here.)
type Frontier interface {
	// Lease hands out at most max tasks that are due, blocks until one is, and
	// returns io.EOF when the crawl is over.
	Lease(ctx context.Context, max int) ([]Lease, error)
	// Commit ends leases; each is atomic.
	Commit(ctx context.Context, c ...Commit) error
	// Stats returns live counters and costs nothing.
	Stats(ctx context.Context) (Stats, error)
	Close() error
}

// Lease is one task in progress. (fields by the owner)
type Lease struct {
	Seq   uint64
	URL   string
	Depth int
}

// Outcome is how a lease ended.
type Outcome uint8

// Outcomes. A store that keeps what a crawl yields keeps, in commit order, the
// payloads of Delivered and of Failed, and Commit.Blocked.
const (
	Delivered Outcome = iota // counts against the limit
	Failed                   // for good
	Dropped
	Duplicate
	Moved
	Retry
	Robots
	Sitemap
)

// Commit is the end of one lease.
type Commit struct {
	Lease   Lease
	Outcome Outcome
	URL     string // where the page was at last
	Payload []byte
	Cost    int
	Blocked []string // URLs that robots.txt alone kept out, found now, in order
	// links found, retry time, robots file, ...: by the owner
}

// Stats are the live counters of a crawl.
type Stats struct {
	Delivered, Leased, Pending, Failed, Blocked int
	Cost                                        int // sum of the delivered pages'
	// by rule, by host, ...: by the owner
}

// Total returns delivered, leased and pending pages together, at most limit.
func (s Stats) Total(limit int) int { panic("skeleton") }
