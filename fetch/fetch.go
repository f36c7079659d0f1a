// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"context"
	"net/http"
	"time"
)

// Unlimited switches off a limit whose zero value is a default.
const Unlimited = -1

// A Fetcher brings one page. Implementations are safe for concurrent use,
// return when ctx ends, give an error that is an [*Error], and answer any HTTP
// status as a Response: a 404 is a page. One that has no cache answers requests
// that may only look into it with [ErrNotCached]. [Follow] makes one out of single
// exchanges; [example.com/curlew/fetch/fetchtest] checks one.
type Fetcher interface {
	Fetch(ctx context.Context, r *Request) (*Response, error)
}

// Request is one page to bring.
type Request struct {
	// URL is absolute http or https. Userinfo becomes Basic authorization for
	// its origin and appears nowhere else.
	URL string

	// Header is sent with the first request and dropped when the host
	// changes or https gives way to http. Hop-by-hop names, Host,
	// Content-Length, Proxy-*, Forwarded and X-Forwarded-* are refused, and so
	// are more than 64 values or 8 KiB in all: [ErrHeader].
	Header http.Header

	// Jar keeps cookies from one request to the next. Nil keeps those of one
	// redirect for the next and forgets them with the fetch. [NewJar] makes one
	// that hostile sites cannot fill.
	Jar http.CookieJar

	Timeout  time.Duration // of the whole exchange, body included; zero means 30 s, -1 none
	MaxBytes int64         // of the body, on the wire and inflated; zero: the client's, -1 none
	Cut      bool          // a body over MaxBytes is cut there, Truncated, and not [ErrTooLarge]
	Retries  int           // after connection failures; zero means 2, -1 none

	// Redirect is asked before each hop; nil follows. More than 10 hops are
	// [ErrRedirects] either way. Returning [ErrStopRedirect] makes the 3xx
	// itself the response; any other error ends the fetch with it.
	Redirect func(Hop) error

	// Turn is asked before each request that a fetch makes: also before those
	// of redirects and further tries, but not for what the cache answers. It
	// may wait, under the ctx of the fetch: that time does not count towards
	// Timeout. Done is told how the request ended, before Redirect is asked. An
	// error ends the fetch with it. Nil asks nobody.
	Turn func(ctx context.Context, url string) (done func(*Response, error), err error)

	// MaxAge is how old a page of the fetcher's cache may be. A younger one
	// answers without a request; an older one is asked for again, if the site
	// gave it an ETag or Last-Modified then on the condition that it has
	// changed, and counts as fetched either way. Zero means that no cached page
	// will do, -1 any.
	MaxAge time.Duration

	// MinAge, where it is not zero, makes a fetch look into the cache only: what
	// is not there, is younger, or older than a MaxAge above zero is
	// [ErrNotCached]. One millisecond takes any.
	MinAge time.Duration

	Lockdown bool // never a request: as MinAge of a millisecond, and MaxAge zero means two years
	NoStore  bool // the cache keeps nothing of this fetch

	// Partition parts those whose headers differ in more than they show: an
	// answer to a request with Header, User-Agent aside, is kept for requests
	// of the same Partition alone. Pages asked for without Header are
	// everybody's (unless [Client.PartitionAll] is set), and those with Authorization or cookies of a Jar nobody's.
	Partition string

	// InsecureTLS skips certificate checks. It is ignored where the request
	// carries Header other than If-None-Match and If-Modified-Since, userinfo or
	// cookies of Jar.
	InsecureTLS bool
}

// Hop is one redirect, before it is followed.
type Hop struct {
	From, To string // absolute, WHATWG form, without userinfo and fragment
	Status   int
	Count    int // from 1
}

// Response is what a server answered. Its members are the caller's.
type Response struct {
	URL    string // of the last hop, without userinfo and fragment
	Status int

	// Header is the server's, without Content-Length and Content-Encoding
	// where Body was decoded.
	Header http.Header

	Body      []byte // content-decoded; the charset is untouched
	Truncated bool   // the server stopped short of its Content-Length or of the body's own end, or it was Cut

	Cached time.Time // when the page came that the cache answered with; zero: just now
}
