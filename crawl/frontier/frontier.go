// SPDX-License-Identifier: Apache-2.0

// Package frontier holds the state of a crawl: leases, commits -> which URL is due
// next. [NewFrontier] keeps it in memory, [OpenFrontier] over a log, so that a
// crawl goes on after its process has ended. Package crawl fetches and reads;
// stores implement [Log].
package frontier

import (
	"context"
	"time"

	"example.com/curlew/crawl/internal/shape"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/crawl/scope"
)

// Frontier holds all state of one crawl: what was seen, what is pending, what
// was delivered. It decides what may be asked for and when, and when the crawl
// is over; the engine fetches, reads and judges.
//
// A task is a page, a robots.txt or a sitemap file. A lease is a task in
// progress. A target is a URL that a task's answer names. Keys are 64-bit
// fingerprints of a URL's dedupe key; a frontier compares them and never looks
// inside.
//
// Implementations are safe for concurrent use, return when ctx ends with an
// error that wraps its cause, and hold the following at every instant:
//
//   - delivered and leased pages together are at most Options.Limit; any end
//     but Delivered gives the place back;
//   - a key is entered once, so at most one lease of it is open;
//   - no page or sitemap of an origin is leased before a robots.txt lease of
//     that origin was committed with [Robots];
//   - a host that must pause is leased nothing;
//   - with Options.Levels, a page is leased only when all work of a lesser
//     depth has ended; without, links wait for the start page and the sitemaps
//     at least.
//
// A frontier serves one Run. What its process had leased when it died is
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

	// Stats returns live counters, also after Close. It waits for nobody.
	Stats(ctx context.Context) (Stats, error)

	// Close ends what the frontier runs; calls under way fail with [ErrClosed].
	// It may be called more than once.
	Close() error
}

// Task says what a lease is about.
type Task uint8

// Tasks.
const (
	PageTask Task = iota
	RobotsTask
	SitemapTask
)

// Lease is one task in progress. Its holder fills nothing in.
type Lease struct {
	Task  Task
	Token uint64 // names the lease
	Rank  uint64 // of an ordered crawl: commits, but for Retry and robots.txt, come in this order, from 0

	Seq   uint64 // rank of the URL's discovery; sitemap files have one too, robots.txt has none
	URL   string // to ask for
	Asked string // the first URL of its redirects; URL itself where there were none
	From  string // page that named it; empty for start and sitemap pages
	Depth int    // of a sitemap file, its nesting
	Kind  scope.Kind
	Start bool // the crawl's start page, wherever it moved
	Tries int  // requests made for it before, since it last moved
	Hops  int  // redirects followed so far

	// Sketch asks for Commit.Sketch: the page was found within its family, far
	// from the start.
	Sketch  bool
	Suspect bool // a URL of an endless space: nothing else was left

	Unruled int // times that it came back unasked, by [Commit.Unruled], since it last moved

	Seed   uint64 // fingerprints of this crawl's keys are made with it
	Listed bool   // a sitemap file that robots.txt names, or a part of one: Disallow does not bind it

	// Rule is not zero where the task is not to be asked for but to be ended
	// for this cause: threat-list, robots or, of a page that moved, duplicate.
	Rule scope.Rule
	Down bool // the same, because its host is down

	// Probe, of a robots.txt, asks for it even if it is known: its host may be
	// down, and the answer shows whether it is.
	Probe bool
}

// Outcome is how a lease ended.
type Outcome uint8

// Outcomes. A store that keeps what a crawl yields keeps, in commit order, the
// payloads of Delivered and of Failed, and Commit.Blocked.
const (
	Delivered Outcome = iota // a page; counts against the limit
	Failed                   // for good
	Dropped                  // not a page after all, for Commit.Rule; or a sitemap that cannot be read
	Duplicate                // moved to where another page is
	Moved                    // to the first target, which stays the same task
	Retry                    // after Commit.After
	Robots                   // a robots.txt, of any kind, is known
	Sitemap                  // a sitemap file was read
	Held                     // not an end: no request is under way any more, and the host may be asked again. Its end follows
)

// Answer says what a host did, for its pace.
type Answer = pace.Answer

// Answers.
const (
	Unasked   = pace.Unasked   // no request was made
	Good      = pace.Good      // it answered
	Erred     = pace.Erred     // it answered 5xx
	Throttled = pace.Throttled // it answered 429, or 503 with Retry-After
	Broken    = pace.Broken    // it did not answer: connection, timeout, reset
)

// Target is one URL that a task's answer names, admitted by the rules up to
// nofollow.
type Target struct {
	URL   string // absolute, WHATWG form, without userinfo
	Key   uint64
	Depth int
	Kind  scope.Kind

	// Rule is threat-list or robots where the target is refused: it is then
	// entered as seen, and leased once to be ended, without a request.
	Rule    scope.Rule
	Sitemap bool // a sitemap file, not a page; Depth is its nesting
	Listed  bool // see [Lease.Listed]
}

// Commit is the end of one lease.
type Commit struct {
	Lease   Lease
	Outcome Outcome
	URL     string // where the page was at last
	Status  int    // HTTP; zero without an answer

	Payload []byte
	Cost    int
	Blocked []string // URLs that robots.txt alone kept out, found now, in order

	Targets []Target             // in document order; of Moved, the one
	Refused [scope.RuleCount]int // links refused by rule, but for those in Targets
	Rule    scope.Rule           // of Dropped
	Body    uint64               // fingerprint of a page's body; zero where it is empty
	Text    uint64               // of a delivered page with a query: fingerprint of its text; else zero
	Sketch  []uint32             // of a delivered page whose lease asks for it: a sample of what it says, ascending, at most 64
	Origin  string               // where a start page is that moved to another host; else empty
	Answer  Answer               //
	Ended   time.Time            // when the answer had come; zero means now
	Took    time.Duration        // from request to answer; zero means since the lease
	After   time.Duration        // of Retry: from now on
	Wait    time.Duration        // the host asks for a pause (Retry-After)
	Robots  RobotsLifetime       // of Robots

	// Unruled, of Retry: what the origin's robots.txt says had to make room. It
	// is to be asked for again before the task is.
	Unruled bool
}

// RobotsLifetime is what the frontier needs to know of a robots.txt.
type RobotsLifetime struct {
	Until time.Time     // it is asked for again from then on
	Delay time.Duration // Crawl-delay to be kept
}

// Stats are the live counters of a crawl.
type Stats struct {
	Delivered int
	Leased    int // pages in flight
	Pending   int // pages that wait
	Failed    int
	Blocked   int // URLs that robots.txt alone kept out
	Cost      int // sum of the delivered and failed pages'

	Requests int // for pages, redirects and retries among them
	Retries  int
	Moved    int
	Sitemaps int                  // files read
	Refused  [scope.RuleCount]int // links by rule
	Seen     int                  // keys
	Hosts    int                  // one that was idle for long counts again when it is met again
	Level    int                  // greatest depth that may be leased; math.MaxInt without a bound
	Delay    time.Duration        // greatest Crawl-delay that is kept
	Endless  Endless              // URLs that were put last
	Spent    bool                 // the request budget is spent: not all was crawled
	Origin   string               // where the start page is, if it moved to another host

	// Resumes is when the next request can be made, while none is under way and
	// all that is left must wait for it: a Retry-After, a retry, a host that is
	// parked. Zero at all other times.
	Resumes time.Time

	// Waits are hosts that the crawl has to wait for at present, at most 10, the
	// start page's first.
	Waits []HostWait
}

// Endless tells of URLs that seem to belong to spaces without an end: calendars,
// session ids, filters, relative loops. They are put last, and only so many of
// them are asked for ([Options].Suspects).
type Endless struct {
	Taken  int            // pages of them that were delivered
	Left   int            // URLs of them that are known and wait; at the end, that were left out
	Spaces []EndlessSpace // of Left, those of which there are most; at most 16
}

// Of returns the endless space that a URL belongs to by its pattern; false where
// it belongs to none of those that are told of.
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

// EndlessSpace is one pattern of URLs of an endless space.
type EndlessSpace struct {
	Pattern string // of the path, digits as N, and the keys of the query
	Example string // a URL
	Left    int    // known URLs
}

// Total returns delivered, leased and pending pages together, at most limit;
// a limit below 1 is none.
func (s Stats) Total(limit int) int {
	n := s.Delivered + s.Leased + s.Pending
	if limit > 0 {
		n = min(n, limit)
	}
	return n
}

// Log is what a durable frontier writes to: records, of which only heads are
// read again. Heads whose first byte is over 5 are somebody else's.
// [example.com/curlew/internal/journal.Log] is one.
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
