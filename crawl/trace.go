// SPDX-License-Identifier: Apache-2.0

package crawl

import (
	"time"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/scope"
)

// Trace is called as things happen; nil funcs are silent. The funcs are called
// by several workers at once, except Committed, and should return soon.
type Trace struct {
	// Started gives the crawl's live counters, before anything is asked for.
	// The func may be called at any time, also when the crawl is over, and does
	// not block.
	Started func(stats func() frontier.Stats)

	Leased func(frontier.Lease) // a task begins

	// Fetched tells of each request: of pages, robots.txt and sitemap files.
	Fetched func(Fetched)

	// Found tells of each link of a page and each URL of a sitemap, with the
	// rule that refuses it: zero where it goes to the frontier, which still
	// drops duplicates.
	Found func(from string, l Link, r scope.Rule)

	Blocked func(url string)            // robots.txt alone keeps it out
	Warned  func(url string, err error) // not a page's failure: robots.txt or a sitemap that cannot be read

	// Robots tells what a robots.txt was found to be, before a page of its
	// origin is asked for. Nobody changes its Body.
	Robots func(scope.RobotsFile)

	Committed func(frontier.Commit) // what the frontier has accepted
}

// JoinTraces returns a trace that calls each of traces in their order: an Engine
// has one Trace, and a program may want progress, metrics and spans of a crawl.
// Nil traces and nil funcs are left out. It returns nil if all traces are nil.
func JoinTraces(traces ...*Trace) *Trace {
	var joined *Trace
	for _, t := range traces {
		switch {
		case t == nil:
		case joined == nil:
			joined = new(*t)
		default:
			joined.Started = both(joined.Started, t.Started)
			joined.Leased = both(joined.Leased, t.Leased)
			joined.Fetched = both(joined.Fetched, t.Fetched)
			joined.Found = bothFound(joined.Found, t.Found)
			joined.Blocked = both(joined.Blocked, t.Blocked)
			joined.Warned = bothWarned(joined.Warned, t.Warned)
			joined.Robots = both(joined.Robots, t.Robots)
			joined.Committed = both(joined.Committed, t.Committed)
		}
	}
	return joined
}

// both returns a func that calls a and then b, either of which may be nil.
func both[T any](a, b func(T)) func(T) {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return func(v T) {
		a(v)
		b(v)
	}
}

// bothFound is both for Trace.Found.
func bothFound(a, b func(string, Link, scope.Rule)) func(string, Link, scope.Rule) {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return func(from string, l Link, r scope.Rule) {
		a(from, l, r)
		b(from, l, r)
	}
}

// bothWarned is both for Trace.Warned.
func bothWarned(a, b func(string, error)) func(string, error) {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return func(url string, err error) {
		a(url, err)
		b(url, err)
	}
}

// Fetched is one request that has ended.
type Fetched struct {
	Task   frontier.Task
	URL    string // asked for
	Status int    // zero where Err is set
	Bytes  int    // of the decoded body
	Took   time.Duration
	Err    error
}

func (t *Trace) started(stats func() frontier.Stats) {
	if t != nil && t.Started != nil {
		t.Started(stats)
	}
}

func (t *Trace) leased(l frontier.Lease) {
	if t != nil && t.Leased != nil {
		t.Leased(l)
	}
}

func (t *Trace) fetched(f Fetched) {
	if t != nil && t.Fetched != nil {
		t.Fetched(f)
	}
}

func (t *Trace) found(from string, l Link, r scope.Rule) {
	if t != nil && t.Found != nil {
		t.Found(from, l, r)
	}
}

func (t *Trace) blocked(urls []string) {
	if t == nil || t.Blocked == nil {
		return
	}
	for _, u := range urls {
		t.Blocked(u)
	}
}

func (t *Trace) warned(url string, err error) {
	if t != nil && t.Warned != nil {
		t.Warned(url, err)
	}
}

func (t *Trace) robots(f scope.RobotsFile) {
	if t != nil && t.Robots != nil {
		t.Robots(f)
	}
}

func (t *Trace) committed(c frontier.Commit) {
	if t != nil && t.Committed != nil {
		t.Committed(c)
	}
}
