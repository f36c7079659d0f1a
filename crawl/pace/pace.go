// SPDX-License-Identifier: Apache-2.0

// Package pace decides when a request to a host may be made. It knows nothing
// about pages and robots rules. It counts requests and adapts to answers.
//
// A turn is the permission to make one request to a host. Everything that makes
// requests asks one [Scheduler] for turns, so that many jobs together are as
// polite as one. [Hosts] is the scheduler of a process. With [Common], several
// processes together are as polite as one.
package pace

import (
	"context"
	"time"
)

// Scheduler grants turns at hosts to everything that makes requests. A store
// that several processes share can implement it for all of them. It must be
// safe for concurrent use. Only Robots may block.
type Scheduler interface {
	// Join adds a party: a job, or a single request. Parties at one host take
	// turns. A party must leave when it makes no more requests.
	Join(Party) Turns

	// Robots returns the robots.txt for key if it is known and has not expired.
	// Otherwise it calls load, for one caller of a key at a time, and keeps the
	// result. It does not keep nil, so the next caller loads again. The error
	// is ctx's cause.
	Robots(ctx context.Context, key string, load func() *Robots) (*Robots, error)
}

// Turns is the interface of a [Scheduler] for one party.
type Turns interface {
	// Take asks for a turn at a host, given by a name without a port. If the
	// turn is not granted, the party waits there, and others wait after it,
	// until it tries again, rests or leaves.
	Take(host string, c Claim) Verdict

	// End returns a turn and reports its result.
	End(host string, r Report)

	// Rest says whether the party has no use for a turn at present. Other
	// parties do not wait for a party that rests.
	Rest(on bool)

	// Leave ends the party and returns the turns that it still has. Their requests may
	// have been made, so other parties keep the pauses after them.
	Leave()
}

// Party describes a party that joins a [Scheduler].
type Party struct {
	// Wake is called when a turn that was refused may be granted. It must not
	// block or call the scheduler. If it is nil, the party tries again by
	// itself.
	Wake func(host string)

	// Forget makes the scheduler drop, when the party leaves, the hosts that
	// only parties with Forget have used.
	Forget bool
}

// Claim says under which conditions a party wants a turn.
type Claim struct {
	// Delay is the pause that this party keeps between the end of an answer and
	// its next request. While the party waits for a turn, and for ten delays
	// after an answer to it, all parties keep the pause, because it may be at
	// work on the answer. If Delay is not zero, one request may be in flight.
	Delay time.Duration

	// Most is the number of requests that the party would have in flight at the
	// host. The highest number of the present parties limits all of them
	// together. Zero means 1.
	Most int

	// Bold takes a turn at a host that seems to be down, because the only
	// request of the party tests it.
	Bold bool

	lent bool // see Lent
}

// Verdict says whether a [Claim] is granted.
type Verdict struct {
	Granted bool
	Probe   bool // granted to test whether the host answers; any request will do
	Down    bool // the host is given up for now, and no turn is granted

	// At is when to try again if the turn was not granted. Zero means when
	// woken.
	At    time.Time
	Gap   time.Duration // current pause between requests
	Cause Cause         // reason for the pause or the refusal
}

// Cause is the reason why a host gets few requests, or none now.
type Cause string

// Causes in order of precedence.
const (
	Unreachable Cause = "unreachable" // it does not answer and gets no requests for a while
	RetryAfter  Cause = "retry-after" // it asked for a pause
	CrawlDelay  Cause = "crawl-delay" // a party keeps a delay
	Overload    Cause = "overload"    // it showed signs of overload
	Busy        Cause = "busy"        // the allowed number of requests is in flight
)

// Answer is the result of a request. It decides how often the host gets requests.
type Answer uint8

// Answers.
const (
	Unasked   Answer = iota // no request was made
	Good                    // it answered
	Erred                   // it answered 5xx
	Throttled               // it answered 429, or 503 with Retry-After
	Broken                  // it did not answer: connection, timeout, reset
	Dropped                 // the request was cancelled, and says nothing about the host
)

// Report describes the result of a turn.
type Report struct {
	Answer Answer
	URL    string        // requested URL, only used to distinguish URLs
	Retry  bool          // the URL was requested before
	Wait   time.Duration // pause that the host asks for (Retry-After)
	Delay  time.Duration // like [Claim.Delay]
	Began  time.Time     // start of the request
	Ended  time.Time     // end of the answer
}

// RobotsKey returns the key for [Scheduler] of a robots.txt that is requested
// with this User-Agent. insecure means that certificates are not verified, so
// that anyone may have sent the file.
func RobotsKey(url, userAgent string, insecure bool) string {
	if insecure {
		url += " unchecked"
	}
	return url + " " + userAgent
}

// Robots is a robots.txt that a host has returned.
type Robots struct {
	Body  []byte    // body of a 2xx answer, otherwise nil; must not be changed
	Until time.Time // time at which it must be requested again
}
