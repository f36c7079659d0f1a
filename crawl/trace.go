// SPDX-License-Identifier: Apache-2.0

package crawl

import (
	"time"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/scope"
)

// Trace contains funcs that are called when events occur. Nil funcs are
// skipped. Several workers call the funcs concurrently, except Committed. The
// funcs should return soon.
type Trace struct {
	// Started passes a func that returns live counters, before the first
	// request. That func may be called at any time, also after the crawl, and
	// does not block.
	Started func(stats func() frontier.Stats)

	Leased func(frontier.Lease) // a task begins

	// Fetched is called for each request for a page, robots.txt or sitemap.
	Fetched func(Fetched)

	// Found is called for each link of a page and each URL of a sitemap, with
	// the rule that refuses it. If no rule does, r is zero, and the URL is
	// passed to the frontier, which still drops duplicates.
	Found func(from string, l Link, r scope.Rule)

	Blocked func(url string)            // only robots.txt disallows it
	Warned  func(url string, err error) // not the failure of a page: a robots.txt or sitemap that cannot be read

	// Robots is called with the content of a robots.txt before a page of its
	// origin is requested. Do not change its Body.
	Robots func(scope.RobotsFile)

	Committed func(frontier.Commit) // accepted by the frontier
}

// JoinTraces returns a trace that calls each of traces in order. It is useful
// because an Engine has only one Trace, and a program may want progress,
// metrics and spans. Nil traces and nil funcs are left out. If all traces are
// nil, the result is nil.
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

// bothFound is both for the type of Trace.Found.
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

// bothWarned is both for the type of Trace.Warned.
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

// Fetched is one completed request.
type Fetched struct {
	Task   frontier.Task
	URL    string // the requested URL
	Status int    // zero if Err is set
	Bytes  int    // size of the decoded body
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
