// SPDX-License-Identifier: Apache-2.0

package crawl

import (
	"errors"
	"strconv"
	"strings"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/scope"
)

// ErrConfig ends a crawl. The others are errors of a page.
var (
	ErrConfig       = frontier.ErrConfig                               // the configuration of the crawl is invalid
	ErrDenied       = errors.New("refused by the crawl's rules")       // see [Error.Rule]
	ErrHostDown     = errors.New("host is down")                       // its circuit stays open
	ErrRedirectLoop = errors.New("redirects without end")              // more than 10 redirects
	ErrTries        = errors.New("all tries failed")                   // joined with the cause of the last try
	ErrRobots       = errors.New("robots.txt cannot be reached")       // so everything is disallowed
	ErrLost         = errors.New("processes died at this page")        // each process to which it was passed; see [Config].Share
	ErrPanic        = errors.New("panic while the page was processed") // in Visit, Judge or a reader
)

// errLeft is the cause that ends the context of workers when the caller leaves the
// loop.
var errLeft = errors.New("the caller left the loop over the crawl")

// Error says which URL could not be crawled, and why. In the last pair of
// [Engine.Run], the URL is that of the crawl.
type Error struct {
	URL   string     // absolute, without userinfo; as given or empty if it is not a URL
	Rule  scope.Rule // rule that refused it if Err wraps [ErrDenied] or [ErrRobots]; otherwise zero
	Value string     // what the rule matched: a pattern or a line of robots.txt; may be empty
	Err   error      // wraps an error of this package or of fetch, or is the error of Judge or Visit
}

// Error returns the URL and the cause.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("crawl")
	if e.URL != "" {
		b.WriteString(" ")
		b.WriteString(e.URL)
	}
	b.WriteString(": ")
	b.WriteString(e.Err.Error())
	if e.Rule != 0 {
		b.WriteString(": ")
		b.WriteString(e.Rule.String())
	}
	if e.Value != "" {
		b.WriteString(" ")
		b.WriteString(strconv.Quote(e.Value))
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
