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

// Unlimited switches a bound off where zero means its default.
const Unlimited = -1

// SitemapMode says what a crawl does with sitemaps.
type SitemapMode uint8

// Modes. SitemapOnly crawls the start page and the pages of the sitemaps, and
// follows no link.
const (
	SitemapInclude SitemapMode = iota
	SitemapSkip
	SitemapOnly
)

// RobotsPolicy says how robots.txt binds.
type RobotsPolicy uint8

// Policies.
const (
	RobotsStrict  RobotsPolicy = iota // RFC 9309: unreachable means disallowed
	RobotsLenient                     // unreachable means allowed; Crawl-delay is not used
	RobotsIgnore                      // read for its Sitemap lines only
)

// Stage says when a Judge is asked.
type Stage uint8

// Stages of Config.Judge.
const (
	Discovered Stage = iota // a link was found: lists only
	Requested               // it is about to be asked for
	Hopped                  // a redirect is about to be followed
)

// Config is one crawl. The zero value of each field is the contract's default.
type Config struct {
	URL string // absolute; its userinfo becomes Basic authorization for its host

	Include, Exclude []string // RE2, unanchored; at most 100 each, of 1,000 bytes
	FullURL          bool     // patterns match the whole URL instead of the path

	MaxDepth *int // nil: no bound; 0: start page and sitemap pages only
	Limit    int  // delivered pages; zero means 10,000, -1 no bound

	Sitemap      SitemapMode
	EntireDomain bool // pages outside the start page's path too, on its host
	Subdomains   bool // pages of other hosts of the registrable domain too
	External     bool // pages of other sites too, one hop away: their links are not followed
	IgnoreQuery  bool // URLs that differ in their query are one page
	KeepSimilar  bool // http and https, www., a trailing slash and index.html make other pages

	Robots      RobotsPolicy
	RobotsAgent string // asks robots.txt under another name; empty: Engine.UserAgent
	PageRobots  bool   // obey meta robots, X-Robots-Tag and rel=nofollow

	// Delay is the pause from the end of one page to the start of the next,
	// over the whole crawl; any pause forces one page at a time. Zero means none.
	Delay       time.Duration
	Concurrency int // pages in flight; zero means 8
	PerHost     int // requests in flight a host; zero: Concurrency on the start host, 2 elsewhere

	// Ordered makes the pages and their order independent of timing and
	// Concurrency: breadth first, in the order of discovery. Only the moment when a
	// host that keeps failing is given up depends on them. While a host stalls, the
	// others wait for it.
	Ordered bool

	// List yields the pages that a crawl would request, without requesting them:
	// only robots.txt, the start page and the sitemaps are fetched. Pages other than the start
	// page have no Status and no Body. The order is that of Ordered: start
	// page, sitemap pages in file order, links of the start page.
	List bool

	Traps Traps

	// Since is what an earlier crawl knew. Each of its URLs is requested again, with
	// If-None-Match or If-Modified-Since if the site gave it validators, and every
	// page has its Change. Pages that are gone are passed to Visit, but are not
	// delivered. Nil means that there is no earlier crawl.
	Since Memory

	Request fetch.Request // template of each page request; Timeout zero means 60 s

	// Judge may refuse a URL at each stage (threat protection); its error
	// becomes the page's. It is asked about at most one link of a key at a
	// time, but may be asked again. Nil admits all.
	Judge func(ctx context.Context, url string, s Stage) error

	// Visit runs on the worker for each page that will be yielded, failed ones
	// too, before it is. It may set Payload and Cost, which are committed with
	// the page, and add to Links. An error makes the page a failed one. At most
	// 8 pages, or as many as there are processors, are visited at once, whatever
	// Concurrency is, and a page counts once for each MiB: trees weigh many
	// times their bytes.
	Visit func(ctx context.Context, p *Page) error

	// State keeps the state of this crawl, so that a later Run goes on with it, in the
	// same process or another, whatever ended the first.
	// [example.com/curlew/crawl/disk.Dir] keeps it in a directory. The options that decide which pages belong to the crawl, the Limit
	// among them, have to be the same each time, else Run fails with [ErrConfig].
	// Concurrency, Delay, Request and the funcs may change, and Since has to know the
	// same.
	//
	// Run delivers each page once. Only a page whose loop body had not returned
	// when the process or the loop ended comes again. A crawl that has ended yields
	// nothing more. Nil: the state is in memory.
	State frontier.Store

	// Frontier keeps the state of this crawl; Run does not close it. It was
	// opened with the FrontierOptions of the same Config. Nil: State keeps it.
	Frontier frontier.Frontier

	// Hosts grants the turns at hosts: crawls with the same Hosts take turns at
	// each host, and share its pace and its robots.txt. Nil: the Engine's own, or
	// of a Frontier that was opened without, one of its own.
	Hosts pace.Scheduler

	// Forget keeps robots.txt files out of Hosts. When the Frontier is closed, Hosts
	// forgets the hosts that only crawls with Forget have met.
	Forget bool
}

// Traps are the bounds beyond which a URL counts as one of endlessly many. A zero
// field means the default, and [Unlimited] switches a bound off.
type Traps struct {
	URLBytes int // zero means 2,048
	Segments int // of the path; zero means 32
	Repeats  int // of one segment in a path; zero means 3
	Keys     int // of one key in a query; zero means 5

	// URLs of endless spaces are requested last, not refused. A URL belongs to one if
	// the last Chain pages on the way to it are of its family (the path, with digits
	// and repeated segments folded), and less than Novelty percent of the text of
	// each of them is new compared with the 16 pages of the family before it. A URL
	// also belongs to one if it differs from a known page only in keys of the query
	// that change nothing. A key changes nothing if Void pages of the path repeated
	// the text of another page that differs only in this key.
	Chain   int // zero means 30
	Novelty int // zero means 10; Unlimited: as if Chain were
	Void    int // zero means 20

	// Suspects bounds how many pages of endless spaces are delivered when nothing
	// else is left. Zero means 1,000, or the number of other pages if that is
	// greater.
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

// maxHops is how many redirects of a page are followed.
const maxHops = 10

// withDefaults returns c with every default filled in. It may be applied twice.
func (c Config) withDefaults() Config {
	c.Limit = cmp.Or(c.Limit, 10_000)
	c.Concurrency = cmp.Or(c.Concurrency, 8)
	if c.Delay > 0 {
		c.Concurrency = 1
	}
	if c.List {
		c.Ordered, c.Delay = true, 0
		if c.MaxDepth == nil || *c.MaxDepth > 1 {
			c.MaxDepth = new(1) // only the start page is there to be searched
		}
	}
	c.Traps = c.Traps.withDefaults()
	c.Request.Timeout = cmp.Or(c.Request.Timeout, time.Minute)
	return c
}

// validate returns all that is wrong with c, one line a fault. Patterns are
// Compile's.
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
		faults = append(faults, errors.New("both State and Frontier would keep the crawl's state"))
	}
	if c.Sitemap > SitemapOnly || c.Robots > RobotsIgnore {
		faults = append(faults, errors.New("unknown mode"))
	}
	return errors.Join(faults...)
}

// shown returns the URL as an error may hold it: without userinfo.
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

// perHost returns how many requests a host may have in flight.
func (c Config) perHost(start bool) int {
	switch {
	case c.PerHost > 0:
		return c.PerHost
	case start:
		return c.Concurrency
	}
	return 2
}

// scope returns the options of c that say which URLs belong to the crawl.
func (c Config) scope() scope.Options {
	return scope.Options{
		URL: c.URL, Include: c.Include, Exclude: c.Exclude, FullURL: c.FullURL,
		MaxDepth: c.MaxDepth, EntireDomain: c.EntireDomain, Subdomains: c.Subdomains, External: c.External,
		IgnoreQuery: c.IgnoreQuery, KeepSimilar: c.KeepSimilar,
		PageRobots: c.PageRobots, IgnoreRobots: c.Robots == RobotsIgnore, LenientRobots: c.Robots != RobotsStrict, RobotsAgent: c.RobotsAgent,
		URLBytes: c.Traps.URLBytes, Segments: c.Traps.Segments, Repeats: c.Traps.Repeats, Keys: c.Traps.Keys,
	}
}

// Compile returns the rules of c around its URL. Errors wrap [ErrConfig], and a
// [*scope.PatternError] for each pattern that is no RE2.
func (c Config) Compile() (*scope.Scope, error) {
	s, err := scope.New(c.withDefaults().scope())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return s, nil
}

// identity returns a hash of the options that decide which pages belong to the
// crawl. The others, such as Concurrency, may be different when it goes on.
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

// keys returns which spellings are one page.
func (c Config) keys() weburl.KeyOptions {
	return weburl.KeyOptions{IgnoreQuery: c.IgnoreQuery, KeepSimilar: c.KeepSimilar}
}

// FrontierOptions returns what a frontier has to know of the crawl.
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
