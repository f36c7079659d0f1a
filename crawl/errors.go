// SPDX-License-Identifier: Apache-2.0

package crawl

import (
	"errors"
	"strconv"
	"strings"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/scope"
)

// Why a page failed.
var (
	ErrDenied       = errors.New("refused by the crawl's rules")    // see [Error.Rule]
	ErrHostDown     = errors.New("host is down")                    // its circuit stays open
	ErrRedirectLoop = errors.New("redirects without end")           // over 10 hops
	ErrTries        = errors.New("all tries failed")                // joined with the cause of the last try
	ErrRobots       = errors.New("robots.txt cannot be reached")    // everything is disallowed then
	ErrPanic        = errors.New("panic while the page was worked") // by Visit, Judge or a reader
)

// ErrConfig means that the configuration of a crawl is invalid. Other errors come
// from its frontier.
var ErrConfig = frontier.ErrConfig

// errLeft is the cause that ends the context of workers when the caller leaves the
// loop.
var errLeft = errors.New("the caller left the loop over the crawl")

// Error says which URL could not be crawled. As the last pair of [Engine.Run]
// its URL is the crawl's.
type Error struct {
	URL   string     // absolute, without userinfo; as given or empty where it is no URL
	Rule  scope.Rule // that refused it, where Err wraps [ErrDenied] or [ErrRobots]; else zero
	Value string     // what decided by Rule: a pattern, a line of robots.txt; may be empty
	Err   error      // wraps an error of this package or of fetch, or is what Judge or Visit returned
}

// Error returns place and cause.
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
