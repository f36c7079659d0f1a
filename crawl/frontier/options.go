// SPDX-License-Identifier: Apache-2.0

package frontier

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"time"

	"example.com/curlew/crawl/pace"
	"example.com/curlew/internal/weburl"
)

// Why a frontier cannot go on.
var (
	ErrConfig  = errors.New("invalid configuration")
	ErrClosed  = errors.New("frontier is closed")
	ErrStale   = errors.New("lease is no longer held") // a commit came twice, or too late
	ErrCorrupt = errors.New("frontier's record is damaged")
	ErrFull    = errors.New("frontier's log is full") // it holds 1 TiB
)

// Unlimited switches a bound of [Options] off.
const Unlimited = -1

// MaxSitemaps is how many sitemap files a crawl may have.
const MaxSitemaps = 1000

const (
	maxNesting    = 3 // of sitemaps
	orderedWindow = 4 // tasks of an ordered crawl that are leased at once, for each page in flight
)

// Options say what a frontier has to know of its crawl. The zero value of each
// field is the default of a crawl.
type Options struct {
	URL         string // of the start page; absolute
	IgnoreQuery bool   // URLs that differ in their query are one page
	KeepSimilar bool   // http and https, www., a trailing slash and index.html make other pages

	Limit   int  // delivered pages; zero means 10,000
	Levels  bool // a page is leased only when all work of a lesser depth has ended
	Ordered bool // the order does not depend on timing; implies Levels
	List    bool // only robots.txt, the start page and the sitemaps are asked for; implies Ordered

	Delay       time.Duration // between two pages; any pause forces one page at a time
	Concurrency int           // pages in flight; zero means 8
	PerHost     int           // requests in flight a host; zero: Concurrency on the start host, 2 elsewhere

	IgnoreRobots bool // no robots.txt binds
	NoSitemaps   bool // no sitemap is looked for

	// Bounds of endless spaces, see the fields of crawl.Traps.
	Chain    int // zero means 30
	Novelty  int // zero means 10; Unlimited: as if Chain were
	Void     int // zero means 20
	Suspects int // zero means 1,000, or as many as other pages, if these are more

	// Hosts grants the turns at hosts; nil: one of its own. If Forget is set, it
	// forgets the hosts that only such crawls have met when the frontier is
	// closed.
	Hosts  pace.Scheduler
	Forget bool
}

// withDefaults returns o with every default filled in. It may be applied twice.
func (o Options) withDefaults() Options {
	set := func(n *int, value int) {
		switch *n {
		case 0:
			*n = value
		case Unlimited:
			*n = math.MaxInt
		}
	}
	o.Limit = cmp.Or(o.Limit, 10_000)
	o.Concurrency = cmp.Or(o.Concurrency, 8)
	if o.List {
		o.Ordered, o.Delay = true, 0
	}
	if o.Delay > 0 {
		o.Concurrency = 1
	}
	o.Levels = o.Levels || o.Ordered
	if o.Novelty == Unlimited {
		o.Chain = Unlimited
	}
	set(&o.Chain, 30)
	set(&o.Novelty, 10)
	set(&o.Void, 20)
	if o.Suspects == Unlimited {
		o.Suspects = math.MaxInt
	}
	return o
}

// validate returns all that is wrong with o, one line a fault.
func (o Options) validate() error {
	var faults []error
	if _, err := weburl.Parse(o.URL); err != nil {
		faults = append(faults, fmt.Errorf("URL: %w", err))
	}
	for _, one := range []struct {
		name     string
		n, least int
	}{
		{"limit", o.Limit, Unlimited},
		{"concurrency", o.Concurrency, 0},
		{"requests in flight a host", o.PerHost, 0},
		{"a bound of traps", min(o.Chain, o.Novelty, o.Void, o.Suspects), Unlimited},
	} {
		if one.n < one.least {
			faults = append(faults, fmt.Errorf("%s %d is below %d", one.name, one.n, one.least))
		}
	}
	if o.Delay < 0 {
		faults = append(faults, fmt.Errorf("delay %v is below 0", o.Delay))
	}
	return errors.Join(faults...)
}

// limit returns the number of pages that may be delivered.
func (o Options) limit() int {
	if o.Limit == Unlimited {
		return math.MaxInt
	}
	return o.Limit
}

// Budget returns how many page requests the crawl may make, and so how many
// URLs it may ever hold: a site of failing pages would never use up the limit.
func (o Options) Budget() int {
	o = o.withDefaults()
	if o.Limit == Unlimited || o.Limit > math.MaxInt/20 {
		return math.MaxInt
	}
	return 10*o.Limit + 1000
}

// Leases returns how many leases may be open: one for each page in flight. In an
// ordered crawl finished pages wait for their turn, and there may be more.
func (o Options) Leases() int {
	o = o.withDefaults()
	if o.Ordered {
		return orderedWindow * o.Concurrency
	}
	return o.Concurrency
}

// perHost returns how many requests a host may have in flight.
func (o Options) perHost(start bool) int {
	switch {
	case o.PerHost > 0:
		return o.PerHost
	case start:
		return o.Concurrency
	}
	return 2
}

// keys returns which spellings are one page.
func (o Options) keys() weburl.KeyOptions {
	return weburl.KeyOptions{IgnoreQuery: o.IgnoreQuery, KeepSimilar: o.KeepSimilar}
}
