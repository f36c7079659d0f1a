// SPDX-License-Identifier: Apache-2.0

// Package frontier contains the state of a crawl: which URLs it knows and which
// task is next. [NewFrontier] keeps the state in memory. [OpenFrontier] writes
// it to a log, so that a crawl continues after its process has ended. Package
// crawl leases tasks, fetches and reads them, and commits the results. A store
// implements [Log].
package frontier

import (
	"context"
	"time"

	"example.com/curlew/crawl/internal/shape"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/crawl/scope"
)

// Frontier holds all state of one crawl: which URLs were seen, are pending and
// were delivered. It decides which URL may be requested and when, and when the
// crawl is over. The engine fetches and reads pages and applies the rules.
//
// A task is a page, a robots.txt or a sitemap file. A lease is a task in
// progress. A target is a URL that a task's answer names. Keys are 64-bit
// fingerprints of a URL's dedupe key. A frontier only compares them.
//
// Implementations are safe for concurrent use, return when ctx ends with an
// error that wraps its cause, and hold the following at every instant:
//
//   - delivered and leased pages together are at most Options.Limit; every
//     outcome except Delivered frees the place;
//   - a key is entered once, so at most one lease of it is open;
//   - no page or sitemap of an origin is leased before a robots.txt lease of
//     that origin was committed with [Robots];
//   - no task of a host that must pause is leased;
//   - with Options.Levels, a page is leased only when all tasks of a lesser
//     depth have ended; without it, links wait at least for the start page and
//     the sitemaps.
//
// A frontier serves one Run. Tasks that were leased when its process died are
// pending again when a durable frontier is reopened.
// [example.com/curlew/crawl/frontier/frontiertest] checks an implementation.
type Frontier interface {
	// Lease hands out at least one and at most max tasks that are due. It
	// blocks until one is, and returns io.EOF when the crawl is over: the limit
	// is delivered, or nothing is pending and nothing leased, or the request
	// budget (10 x Limit + 1,000) is spent and nothing leased.
	Lease(ctx context.Context, max int) ([]Lease, error)

	// Commit ends leases. Each commit is atomic: outcome, targets, payload and
	// counters are kept together or not at all. It enters unseen targets in
	// their order. The error of a lease that is not open wraps [ErrStale], and
	// nothing of that commit is kept.
	Commit(ctx context.Context, c ...Commit) error

	// Stats returns live counters, also after Close. It does not block.
	Stats(ctx context.Context) (Stats, error)

	// Close stops the frontier. Calls in progress fail with [ErrClosed].
	// It may be called more than once.
	Close() error
}

// Task says what kind of URL a lease is for.
type Task uint8

// Tasks.
const (
	PageTask Task = iota
	RobotsTask
	SitemapTask
)

// Lease is one task in progress. Its holder does not change it.
type Lease struct {
	Task  Task
	Token uint64 // names the lease
	Rank  uint64 // in an ordered crawl, commits come in this order, from 0; except Retry and robots.txt

	Seq   uint64 // number of the URL in the order of discovery; robots.txt has none
	URL   string // URL to request
	Asked string // the first URL of its redirects; URL itself if there were none
	From  string // page that links to the URL; empty for start and sitemap pages
	Depth int    // depth of the page; for a sitemap file, its nesting
	Kind  scope.Kind
	Start bool // the crawl's start page, wherever it moved
	Tries int  // earlier requests for the URL
	Hops  int  // redirects followed so far

	// Sketch asks for Commit.Sketch, because the page is far from the start and
	// was found on a page of its own family.
	Sketch  bool
	Suspect bool // a URL of an endless space, which is leased only when nothing else is left

	Unruled int // number of commits with [Commit.Unruled] for the URL
	Lost    int // number of commits with [Commit.Lost] for the URL

	Seed   uint64 // seed for the fingerprints of this crawl's keys
	Listed bool   // a sitemap file that robots.txt names, or a part of one; Disallow does not apply to it

	// If Rule is not zero, the task ends for this reason without a request. It is
	// threat-list, robots or, for a page that moved, duplicate.
	Rule scope.Rule
	Down bool // the task ends without a request, because its host is down

	// If Probe is set, a robots.txt is requested even if it is known, to find out
	// whether its host is down.
	Probe bool
}

// Outcome says how a lease ended.
type Outcome uint8

// Outcomes. A store for the results of a crawl keeps, in the order of the commits,
// the payloads of Delivered and Failed, and Commit.Blocked.
const (
	Delivered Outcome = iota // the page is delivered and counts towards the limit
	Failed                   // the page has failed and is not tried again
	Dropped                  // the URL is not a page, because of Commit.Rule, or a sitemap that cannot be read
	Duplicate                // the page has moved to the URL of another page
	Moved                    // the task continues with the URL of the first target
	Retry                    // the task is tried again after Commit.After
	Robots                   // a robots.txt is known, also if it could not be read
	Sitemap                  // a sitemap file was read
	Held                     // the request has ended and the host is free, but the lease stays open until another commit
)

// Target is one URL in the response of a task. The rules up to nofollow have admitted
// it.
type Target struct {
	URL   string // absolute, WHATWG form, without userinfo
	Key   uint64
	Depth int
	Kind  scope.Kind

	// Rule is threat-list or robots if the target is refused. The target then counts
	// as seen, and is leased once, so that its task ends without a request.
	Rule    scope.Rule
	Sitemap bool // a sitemap file, not a page; Depth is its nesting
	Listed  bool // see [Lease.Listed]
}

// Commit is the end of one lease.
type Commit struct {
	Lease   Lease
	Outcome Outcome
	URL     string // URL of the page after its redirects
	Status  int    // HTTP status; zero if there was no response

	Payload []byte
	Cost    int
	Blocked []string // newly found URLs that only robots.txt disallows, in order

	Targets []Target             // in document order; exactly one if the outcome is Moved
	Refused [scope.RuleCount]int // links refused by each rule, without those in Targets
	Rule    scope.Rule           // for Dropped: the rule that applied. For a sitemap: RuleParse if it could not be read, or only in part
	Body    uint64               // fingerprint of a page's body; zero if it is empty
	Text    uint64               // for a delivered page with a query: fingerprint of its text; else zero
	Sketch  []uint32             // for a delivered page with Lease.Sketch: a sample of fingerprints of its content, ascending, at most 64
	Origin  string               // URL of a start page that moved to another host; else empty
	Answer  pace.Answer          // how the host responded, which decides its request rate
	Ended   time.Time            // when the response was complete; zero means now
	Took    time.Duration        // time from the request to the response; zero means since the lease
	After   time.Duration        // for Retry: how long to wait
	Wait    time.Duration        // pause that the host asks for (Retry-After)
	Robots  RobotsLifetime       // for Robots

	// Unruled, with Retry, says that the rules of the origin were dropped for lack
	// of memory. Its robots.txt is requested again before the task is.
	Unruled bool

	// Lost, with Retry, says that the request may have been made, but its result
	// is not known, because the process that made it has died. It does not count
	// as a try.
	Lost bool
}

// RobotsLifetime contains the values of a robots.txt that the frontier needs.
type RobotsLifetime struct {
	Until time.Time     // the robots.txt is requested again after this time
	Delay time.Duration // Crawl-delay
}

// Stats are the live counters of a crawl.
type Stats struct {
	Delivered   int
	Leased      int // pages in flight
	Pending     int // waiting pages
	Failed      int
	Unavailable int // delivered pages whose last answer was 429, or 500 and above
	Blocked     int // URLs that only robots.txt disallows
	Cost        int // sum of the costs of delivered and failed pages

	Requests int // requests for pages, including redirects and retries
	Retries  int
	Moved    int
	Sitemaps int                  // sitemap files that were read
	Damaged  int                  // sitemap files that could not be read, or only in part
	Refused  [scope.RuleCount]int // links refused by each rule
	Seen     int                  // known URLs, each counted once
	Hosts    int                  // hosts; one that is seen again after a long time counts again
	Level    int                  // greatest depth that may be leased; math.MaxInt if there is no limit
	Delay    time.Duration        // greatest Crawl-delay of all hosts
	Endless  Endless              // URLs that are requested last
	Spent    bool                 // the request budget is spent, so that not everything was crawled
	Origin   string               // URL of the start page if it moved to another host

	// Deepest is the greatest depth of a delivered page, and the number of delivered
	// pages at it. If it is the limit of depth of the crawl, the links of these pages
	// were not read, so nothing else counts them.
	Deepest struct{ Depth, Pages int }

	// Resumes is when the next request can be made, if no request is in progress
	// and all remaining tasks have to wait: for a Retry-After, a retry or a host that
	// is down. Otherwise it is zero.
	Resumes time.Time

	// Waits lists at most 10 hosts for which the crawl currently has to wait, the
	// hosts of the start page first.
	Waits []HostWait
}

// Endless describes URLs that seem to belong to endless spaces: calendars, session
// ids, filters, relative loops. They are requested last, and only up to a limit
// ([Options].Suspects).
type Endless struct {
	Taken  int            // how many of their pages were delivered
	Left   int            // how many of these URLs wait; after the crawl, how many were left out
	Spaces []EndlessSpace // the patterns with the most URLs in Left, at most 16
}

// Of returns the space in Spaces to which a URL belongs by its pattern. If there is
// none, it returns false.
func (e Endless) Of(url string) (EndlessSpace, bool) {
	if len(e.Spaces) == 0 {
		return EndlessSpace{}, false
	}
	name := shape.Pattern(url)
	for _, s := range e.Spaces {
		if s.Pattern == name {
			return s, true
		}
	}
	return EndlessSpace{}, false
}

// EndlessSpace describes endlessly many URLs of a site by a pattern.
type EndlessSpace struct {
	Pattern string // the path with N for digits, and the keys of the query
	Example string // one of the URLs
	Left    int    // how many URLs of this pattern are in Endless.Left
}

// Total returns the number of delivered, leased and pending pages, at most limit.
// A limit below 1 means no limit.
func (s Stats) Total(limit int) int {
	n := s.Delivered + s.Leased + s.Pending
	if limit > 0 {
		n = min(n, limit)
	}
	return n
}

// Store keeps the frontier of one crawl between its runs.
type Store interface {
	// Open returns the frontier that the Store keeps, or a new one. The hash crawl
	// stands for the options that decide which pages belong to the crawl. Open
	// returns [ErrConfig] if the Store keeps a crawl with another hash.
	Open(crawl [32]byte, o Options) (Frontier, error)
}

// Log stores the records of a durable frontier. The frontier reads only the heads of the
// records again. A head whose first byte is greater than 5 does not belong to the
// frontier. [example.com/curlew/internal/journal.Log] implements Log.
type Log interface {
	// Append writes one record and returns its position, which grows. Blob is
	// a page's payload and may be nil. Neither is kept or changed.
	Append(head, blob []byte) (pos int64, err error)
	// Head returns the head of the record at pos, which stays valid and
	// unchanged.
	Head(pos int64) ([]byte, error)
	// Replay calls visit for each record in order and stops at its first error.
	Replay(visit func(pos int64, head []byte) error) error
}
