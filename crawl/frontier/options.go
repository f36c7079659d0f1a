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

// Errors of a frontier.
var (
	ErrConfig  = errors.New("invalid configuration")
	ErrClosed  = errors.New("frontier is closed")
	ErrStale   = errors.New("lease is no longer held") // a commit was repeated or came too late
	ErrCorrupt = errors.New("frontier's record is damaged")
	ErrFull    = errors.New("frontier's log is full") // it has reached 1 TiB
)

// Unlimited disables a limit of [Options].
const Unlimited = -1

const (
	maxSitemaps   = 1000 // sitemap files of a crawl
	maxNesting    = 3    // nesting of sitemaps
	orderedWindow = 4    // leased tasks of an ordered crawl for each page in flight
)

// Options describe a crawl for its frontier. The zero value of each field is
// the default of a crawl.
type Options struct {
	URL         string // URL of the start page; absolute
	IgnoreQuery bool   // treat URLs that differ only in their query as one page
	KeepSimilar bool   // do not treat http and https, www., a trailing slash and index.html as the same page

	Limit   int  // delivered pages; zero means 10,000
	Levels  bool // lease a page only when all tasks of a lesser depth have ended
	Ordered bool // make the order independent of timing; implies Levels
	List    bool // request only robots.txt, the start page and the sitemaps; implies Ordered

	Delay       time.Duration // between two pages; if not zero, one page at a time
	Concurrency int           // pages in flight; zero means 8
	PerHost     int           // requests in flight for each host; zero means Concurrency on the start host and 2 elsewhere

	IgnoreRobots bool // ignore robots.txt
	NoSitemaps   bool // do not look for sitemaps

	// Limits for endless spaces; see the fields of crawl.Traps.
	Chain    int // zero means 30
	Novelty  int // zero means 10; Unlimited has the same effect as for Chain
	Void     int // zero means 20
	Suspects int // zero means 1,000, or the number of other pages if that is larger

	// Hosts grants turns at hosts. If it is nil, the frontier has its own. If
	// Forget is set, Hosts drops the hosts that only such crawls have used when
	// the frontier is closed.
	Hosts  pace.Scheduler
	Forget bool
}

// withDefaults returns o with all defaults filled in. It may be applied twice.
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

// validate returns all errors in o, one on each line.
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

// Budget returns how many page requests the crawl may make, and therefore how
// many URLs it may ever store. A site of failing pages would never reach the
// limit.
func (o Options) Budget() int {
	o = o.withDefaults()
	if o.Limit == Unlimited || o.Limit > math.MaxInt/20 {
		return math.MaxInt
	}
	return 10*o.Limit + 1000
}

// Leases returns how many leases may be open: one for each page in flight. An
// ordered crawl has more, because finished pages wait for their turn.
func (o Options) Leases() int {
	o = o.withDefaults()
	if o.Ordered {
		return orderedWindow * o.Concurrency
	}
	return o.Concurrency
}

// perHost returns the limit of requests in flight for a host.
func (o Options) perHost(start bool) int {
	switch {
	case o.PerHost > 0:
		return o.PerHost
	case start:
		return o.Concurrency
	}
	return 2
}

// keys returns the options that decide which URLs are one page.
func (o Options) keys() weburl.KeyOptions {
	return weburl.KeyOptions{IgnoreQuery: o.IgnoreQuery, KeepSimilar: o.KeepSimilar}
}
