// SPDX-License-Identifier: Apache-2.0

// Package pace decides when a host may be asked: host -> turn. It knows no
// pages and no robots rules; it counts requests and listens to answers.
//
// A turn is leave to make one request to a host. All who make requests ask one
// [Scheduler] for turns, so that many jobs together are as polite as one.
// [Hosts] is the scheduler of one process.
package pace

import (
	"context"
	"time"
)

// Scheduler grants turns at hosts to all who make requests. A store that many
// processes share can implement it for all of them. It is safe for concurrent
// use, and no method but Robots waits for anything.
type Scheduler interface {
	// Join adds a party: a job, or a single request. Parties at one host take
	// turns. The party leaves when it makes no more requests.
	Join(Party) Turns

	// Robots returns the robots.txt that key stands for, if it is known and
	// has not expired. Otherwise it calls load, for one caller of a key at a
	// time, and keeps what load returns; nil is not kept, and the next caller
	// loads again. The error is ctx's cause.
	Robots(ctx context.Context, key string, load func() *Robots) (*Robots, error)
}

// Turns is one party's side of a [Scheduler].
type Turns interface {
	// Take asks for a turn at a host, which is a name without port. A verdict
	// that is not granted leaves the party waiting there, and others behind it,
	// until it asks again, rests or leaves.
	Take(host string, c Claim) Verdict

	// End gives a turn back and says what became of it.
	End(host string, r Report)

	// Rest says whether the party could use a turn at present. Nobody waits
	// for a party that rests.
	Rest(on bool)

	// Leave ends the party. Turns that it still has are given back.
	Leave()
}

// Party says who joins a [Scheduler].
type Party struct {
	// Wake is called when Take at a host that was refused may be granted now. It
	// must not block, nor call the scheduler. Nil: the party asks again by itself.
	Wake func(host string)

	// Forget makes the scheduler forget, when the party leaves, the hosts that
	// only such parties have met.
	Forget bool
}

// Claim is what a party wants of a turn.
type Claim struct {
	// Delay is the pause that this party keeps from the end of an answer to
	// its next request, and from the end of its answer to anybody's next. While
	// it waits for a turn all keep it. Any pause means one request in flight.
	Delay time.Duration

	// Most is how many requests the party would have in flight at the host. The
	// greatest that present parties ask for bounds all of them together. Zero
	// means 1.
	Most int

	// Bold takes a turn at a host that seems to be down: the party's only
	// request finds out.
	Bold bool
}

// Verdict answers a [Claim].
type Verdict struct {
	Granted bool
	Probe   bool // granted to find out whether the host still answers: any request does
	Down    bool // the host is given up for now: nobody is granted anything

	// At is when to ask again, if the turn was not granted; zero: when woken.
	At    time.Time
	Gap   time.Duration // the pause between requests at present
	Cause Cause         // of the pause, or of the refusal
}

// Cause says why a host is asked slowly, or not now.
type Cause string

// Causes, by descending weight.
const (
	Unreachable Cause = "unreachable" // it does not answer: it is left alone for a while
	RetryAfter  Cause = "retry-after" // it asked for a pause
	CrawlDelay  Cause = "crawl-delay" // a party keeps a delay
	Overload    Cause = "overload"    // it showed signs of overload
	Busy        Cause = "busy"        // as many requests as it may have are in flight
)

// Answer says what came of a request, for the host's pace.
type Answer uint8

// Answers.
const (
	Unasked   Answer = iota // no request was made
	Good                    // it answered
	Erred                   // it answered 5xx
	Throttled               // it answered 429, or 503 with Retry-After
	Broken                  // it did not answer: connection, timeout, reset
)

// Report says what became of a turn.
type Report struct {
	Answer Answer
	URL    string        // that was asked for; it tells URLs apart, no more
	Retry  bool          // the URL was asked for before
	Wait   time.Duration // that the host asks for (Retry-After)
	Delay  time.Duration // as [Claim.Delay]
	Began  time.Time     // of the request
	Ended  time.Time     // of its answer
}

// RobotsKey returns the key of a robots.txt for [Scheduler], as an agent with this
// User-Agent gets it. Insecure means that certificates are not checked: anybody
// may have sent such a file.
func RobotsKey(url, userAgent string, insecure bool) string {
	if insecure {
		url += " unchecked"
	}
	return url + " " + userAgent
}

// Robots is a robots.txt as an answer brought it.
type Robots struct {
	Body  []byte    // of a 2xx; else nil. Nobody changes it
	Until time.Time // it is to be asked for again from then on
}
