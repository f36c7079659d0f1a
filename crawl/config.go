// SPDX-License-Identifier: Apache-2.0

package crawl

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/crawl/scope"
	"example.com/curlew/fetch"
	"example.com/curlew/internal/weburl"
)

// Unlimited disables a limit whose zero value means a default.
const Unlimited = -1

// SitemapMode says how a crawl uses sitemaps.
type SitemapMode uint8

// Modes. With SitemapOnly the crawl requests the start page and the pages of
// the sitemaps, and follows no links.
const (
	SitemapInclude SitemapMode = iota
	SitemapSkip
	SitemapOnly
)

// RobotsPolicy says how a crawl obeys robots.txt.
type RobotsPolicy uint8

// Policies.
const (
	RobotsStrict  RobotsPolicy = iota // RFC 9309: an unreachable file disallows everything
	RobotsLenient                     // an unreachable file allows everything; Crawl-delay is not used
	RobotsIgnore                      // only its Sitemap lines are used
)

// Stage is the point at which Judge is called.
type Stage uint8

// Stages of Config.Judge.
const (
	Discovered Stage = iota // a link was found; Judge should only check lists
	Requested               // the URL is about to be requested
	Hopped                  // a redirect is about to be followed
)

// Config describes one crawl. The zero value of each field is the default of
// the contract.
type Config struct {
	URL string // absolute; userinfo is sent as Basic authorization to its host

	Include, Exclude []string // RE2 without anchors; at most 100 each, of at most 1,000 bytes
	FullURL          bool     // patterns match the whole URL instead of the path

	MaxDepth *int // nil means no limit; 0 means only the start page and sitemap pages; links of pages at this depth are not read, so nothing counts them
	Limit    int  // delivered pages; zero means 10,000, -1 no limit

	Sitemap      SitemapMode
	EntireDomain bool // include pages outside the start page's path on its host
	Subdomains   bool // include other hosts of the registrable domain
	External     bool // include pages of other sites, one hop away; their links are not followed
	IgnoreQuery  bool // treat URLs that differ only in their query as one page
	KeepSimilar  bool // do not treat http and https, www., a trailing slash and index.html as the same page

	Robots      RobotsPolicy
	RobotsAgent string // name to look up in robots.txt; empty means that of Engine.UserAgent
	PageRobots  bool   // obey meta robots, X-Robots-Tag and rel=nofollow

	// Delay is the pause between the end of one page and the start of the next,
	// over the whole crawl. If it is not zero, one page is requested at a time.
	// If the Fetcher requests a page again in a browser, it waits as long.
	Delay       time.Duration
	Concurrency int // pages in flight; zero means 8
	PerHost     int // requests in flight for each host; zero means Concurrency on the start host and 2 elsewhere

	// Ordered makes the pages and their order independent of timing and
	// Concurrency: breadth first, in the order of discovery. Only the time at
	// which a failing host is given up depends on them. While a host stalls,
	// other hosts wait for it.
	Ordered bool

	// List yields the pages that a crawl would request without requesting them.
	// Only robots.txt, the start page and the sitemaps are fetched. Pages other
	// than the start page have no Status and no Body. The order is that of
	// Ordered: the start page, sitemap pages in file order, links of the start
	// page.
	List bool

	Traps Traps

	// Since is the record of an earlier crawl. Each of its URLs is requested
	// again, with If-None-Match or If-Modified-Since if the site sent
	// validators, and every page has its Change. Pages that are gone are passed
	// to Visit but are not delivered. Nil means that there is no earlier crawl.
	Since Memory

	Request fetch.Request // template for page requests; if Timeout is zero, it is 60 s

	// Judge may refuse a URL at each stage (threat protection). Its error
	// becomes the error of the page. It is called for at most one link of a key
	// at a time, but may be called again. Nil allows every URL.
	Judge func(ctx context.Context, url string, s Stage) error

	// Visit is called by a worker for each page before it is yielded, including
	// failed pages. It may set Payload and Cost, which are committed with the
	// page, and may append to Links. If it returns an error, the page fails. At
	// most 8 pages are visited at once, or as many as there are processors if
	// that is more, whatever Concurrency is. A page counts once for each MiB,
	// because trees need many times the memory of their source.
	Visit func(ctx context.Context, p *Page) error

	// State stores the state of this crawl, so that a later Run continues it,
	// in the same process or another, whatever ended the first one.
	// [example.com/curlew/crawl/disk.Dir] stores it in a directory. The options
	// that decide which pages belong to the crawl, including Limit, must be the
	// same each time. Otherwise Run fails with [ErrConfig]. Concurrency, Delay,
	// Request and the funcs may change. Since must contain the same records.
	//
	// Run delivers each page once. A page is repeated only if its loop body had
	// not returned when the process or the loop ended. A crawl that has ended
	// yields nothing more. Nil means that the state is in memory.
	State frontier.Store

	// Frontier stores the state of this crawl. Run does not close it. It must
	// have been opened with the FrontierOptions of the same Config. If it is
	// nil, State is used.
	Frontier frontier.Frontier

	// Hosts grants turns at hosts. Crawls with the same Hosts take turns at
	// each host, and share its pace and its robots.txt. If it is nil, crawls
	// share the Hosts of the Engine. A Frontier that was opened without Hosts
	// has its own.
	Hosts pace.Scheduler

	// Share may have pages fetched and read by other processes. Their Visit is
	// then called there. The decisions about links, redirects and the time of
	// requests stay here. Nil means that this process does everything. Start
	// pages, robots.txt files, sitemaps, and pages of a crawl with List or Since
	// are not shared.
	Share Share

	// Forget keeps robots.txt files out of Hosts. When the Frontier is closed,
	// Hosts drops the hosts that only crawls with Forget have used.
	Forget bool
}

// Traps contains limits that detect endlessly many URLs, such as the pages of a
// calendar. A URL that exceeds one counts as part of an endless site. A zero field
// means the default, and [Unlimited] disables a limit.
type Traps struct {
	URLBytes int // zero means 2,048
	Segments int // segments of the path; zero means 32
	Repeats  int // repetitions of one segment in a path; zero means 3
	Keys     int // repetitions of one key in a query; zero means 5

	// URLs of endless spaces are requested last, not refused. A URL belongs to one if
	// the last Chain pages on the way to it are of its family (the path, with digits
	// and repeated segments folded), and less than Novelty percent of the text of
	// each of them is new compared with the 16 pages of the family before it. A URL
	// also belongs to one if it differs from a known page only in keys of the query
	// that change nothing. A key changes nothing if Void pages of the path repeated
	// the text of another page that differs only in this key.
	Chain   int // zero means 30
	Novelty int // zero means 10; Unlimited has the same effect as for Chain
	Void    int // zero means 20

	// Suspects limits the number of pages of endless spaces that are delivered
	// when nothing else is left. Zero means 1,000, or the number of other pages
	// if that is larger.
	Suspects int
}

func (t Traps) withDefaults() Traps {
	set := func(n *int, value int) {
		switch *n {
		case 0:
			*n = value
		case Unlimited:
			*n = math.MaxInt
		}
	}
	set(&t.URLBytes, 2048)
	set(&t.Segments, 32)
	set(&t.Repeats, 3)
	set(&t.Keys, 5)
	if t.Novelty == Unlimited {
		t.Chain = Unlimited
	}
	set(&t.Chain, 30)
	set(&t.Novelty, 10)
	set(&t.Void, 20)
	if t.Suspects == Unlimited {
		t.Suspects = math.MaxInt
	}
	return t
}

// maxHops is the maximal number of redirects that are followed for a page.
const maxHops = 10

// withDefaults returns c with all defaults filled in. It may be applied twice.
func (c Config) withDefaults() Config {
	c.Limit = cmp.Or(c.Limit, 10_000)
	c.Concurrency = cmp.Or(c.Concurrency, 8)
	if c.Delay > 0 {
		c.Concurrency = 1
	}
	if c.List {
		c.Ordered, c.Delay = true, 0
		if c.MaxDepth == nil || *c.MaxDepth > 1 {
			c.MaxDepth = new(1) // only the links of the start page are needed
		}
	}
	c.Traps = c.Traps.withDefaults()
	c.Request.Timeout = cmp.Or(c.Request.Timeout, time.Minute)
	return c
}

// validate returns all errors in c, one on each line, except those of the
// patterns.
func (c Config) validate() error {
	var faults []error
	if _, err := weburl.Parse(c.URL); err != nil {
		faults = append(faults, fmt.Errorf("URL: %w", err))
	}
	atLeast := func(name string, n, least int) {
		if n < least {
			faults = append(faults, fmt.Errorf("%s %d is below %d", name, n, least))
		}
	}
	atLeast("limit", c.Limit, Unlimited)
	atLeast("concurrency", c.Concurrency, 0)
	atLeast("requests in flight a host", c.PerHost, 0)
	if c.Delay < 0 {
		faults = append(faults, fmt.Errorf("delay %v is below 0", c.Delay))
	}
	if c.MaxDepth != nil {
		atLeast("depth", *c.MaxDepth, 0)
	}
	for _, n := range [...]int{
		c.Traps.URLBytes, c.Traps.Segments, c.Traps.Repeats, c.Traps.Keys, c.Traps.Chain, c.Traps.Novelty, c.Traps.Void, c.Traps.Suspects,
	} {
		atLeast("a bound of traps", n, Unlimited)
	}
	if c.State != nil && c.Frontier != nil {
		faults = append(faults, errors.New("only one of State and Frontier may be set"))
	}
	if c.Sitemap > SitemapOnly || c.Robots > RobotsIgnore {
		faults = append(faults, errors.New("unknown mode of Sitemap or Robots"))
	}
	return errors.Join(faults...)
}

// shown returns the URL without userinfo, for use in errors.
func (c Config) shown() string {
	u, err := weburl.Parse(c.URL)
	switch {
	case err == nil:
		return u.WithoutUser().String()
	case strings.Contains(c.URL, "@"):
		return ""
	}
	return c.URL
}

// limit returns the number of pages that may be delivered.
func (c Config) limit() int {
	if c.Limit == Unlimited {
		return math.MaxInt
	}
	return c.Limit
}

// perHost returns the limit of requests in flight for a host.
func (c Config) perHost(start bool) int {
	switch {
	case c.PerHost > 0:
		return c.PerHost
	case start:
		return c.Concurrency
	}
	return 2
}

// scope returns the options of c that decide which URLs belong to the crawl.
func (c Config) scope() scope.Options {
	return scope.Options{
		URL: c.URL, Include: c.Include, Exclude: c.Exclude, FullURL: c.FullURL,
		MaxDepth: c.MaxDepth, EntireDomain: c.EntireDomain, Subdomains: c.Subdomains, External: c.External,
		IgnoreQuery: c.IgnoreQuery, KeepSimilar: c.KeepSimilar,
		PageRobots: c.PageRobots, IgnoreRobots: c.Robots == RobotsIgnore, LenientRobots: c.Robots != RobotsStrict, RobotsAgent: c.RobotsAgent,
		URLBytes: c.Traps.URLBytes, Segments: c.Traps.Segments, Repeats: c.Traps.Repeats, Keys: c.Traps.Keys,
	}
}

// Compile returns the rules of c with its URL as origin. Errors wrap
// [ErrConfig], and a [*scope.PatternError] for each invalid pattern. If there is
// no error, Run accepts c.
func (c Config) Compile() (*scope.Scope, error) {
	c = c.withDefaults()
	s, err := scope.New(c.scope())
	if err == nil {
		err = c.validate()
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return s, nil
}

// identity returns a hash of the options that decide which pages belong to the
// crawl. Other options, such as Concurrency, may change when it continues.
func (c Config) identity() [sha256.Size]byte {
	c = c.withDefaults()
	url := c.URL
	if u, err := weburl.Parse(url); err == nil {
		url = u.WithoutUser().String() // a password may change
	}
	depth := "any"
	if c.MaxDepth != nil {
		depth = strconv.Itoa(*c.MaxDepth)
	}
	return sha256.Sum256(fmt.Appendf(nil, "%q %q %q %t %s %d %d %t %t %t %t %t %d %q %t %t %t %v",
		url, c.Include, c.Exclude, c.FullURL, depth, c.Limit, c.Sitemap,
		c.EntireDomain, c.Subdomains, c.External, c.IgnoreQuery, c.KeepSimilar,
		c.Robots, c.RobotsAgent, c.PageRobots, c.Ordered, c.List, c.Traps))
}

// keys returns the options that decide which URLs are one page.
func (c Config) keys() weburl.KeyOptions {
	return weburl.KeyOptions{IgnoreQuery: c.IgnoreQuery, KeepSimilar: c.KeepSimilar}
}

// FrontierOptions returns the options for the frontier of the crawl.
func (c Config) FrontierOptions() frontier.Options {
	c = c.withDefaults()
	return frontier.Options{
		URL: c.URL, IgnoreQuery: c.IgnoreQuery, KeepSimilar: c.KeepSimilar,
		Limit: c.Limit, Levels: c.MaxDepth != nil, Ordered: c.Ordered, List: c.List,
		Delay: c.Delay, Concurrency: c.Concurrency, PerHost: c.PerHost,
		IgnoreRobots: c.Robots == RobotsIgnore, NoSitemaps: c.Sitemap == SitemapSkip,
		Chain: c.Traps.Chain, Novelty: c.Traps.Novelty, Void: c.Traps.Void, Suspects: c.Traps.Suspects,
		Hosts: c.Hosts, Forget: c.Forget,
	}
}

// budget returns how many page requests the crawl may make.
func (c Config) budget() int { return c.FrontierOptions().Budget() }
