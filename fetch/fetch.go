// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"context"
	"net/http"
	"time"

	"example.com/curlew/internal/weburl"
)

// Unlimited turns off a limit whose zero value means a default.
const Unlimited = -1

// A Fetcher fetches one page. Implementations are safe for concurrent use,
// return when ctx ends, return errors of type [*Error], and return a Response
// for any HTTP status: a 404 is a page. An implementation without a cache
// answers requests that accept only cached pages with [ErrNotCached]. [Follow]
// builds a fetch from single exchanges.
// [example.com/curlew/fetch/fetchtest.Check] tests an implementation.
type Fetcher interface {
	Fetch(ctx context.Context, r *Request) (*Response, error)
}

// Do calls f, and returns an error that wraps [ErrProtocol] if f breaks its promise: if it
// returns neither a response nor an error, or a response whose Status is none of HTTP
// (RFC 9110, 15). Whoever calls a Fetcher that a user wrote calls it with Do.
func Do(ctx context.Context, f Fetcher, r *Request) (*Response, error) {
	resp, err := f.Fetch(ctx, r)
	switch {
	case err != nil:
		return resp, err
	case resp == nil:
		err = errNoResponse
	case resp.Status < 100 || resp.Status > 999:
		err = errNoStatus
	default:
		return resp, nil
	}
	return nil, &Error{URL: weburl.Redacted(r.URL), Err: err}
}

// Request describes one page to fetch.
type Request struct {
	// URL is an absolute http or https URL. Userinfo is sent as Basic
	// authorization to its origin, and is used nowhere else.
	URL string

	// Header is sent with the first request. It is dropped when a redirect
	// leads to another host or from https to http. Hop-by-hop fields, Host,
	// Content-Length, Proxy-*, Forwarded and X-Forwarded-* are refused with
	// [ErrHeader], and so are more than 64 values or 8 KiB in total.
	Header http.Header

	// Jar keeps cookies between requests. If it is nil, cookies set by a
	// redirect are sent to the next hop and forgotten after the fetch. [NewJar]
	// returns a jar of limited size.
	Jar http.CookieJar

	Timeout  time.Duration // for the whole exchange, including the body; zero means 30 s, -1 means none
	MaxBytes int64         // limit of the body, as received and as decoded; zero means the client's limit, -1 means none
	Cut      bool          // truncate a larger body at MaxBytes instead of failing with [ErrTooLarge]
	Retries  int           // further tries after connection failures; zero means 2, -1 means none

	// Redirect is called before each hop; nil follows every redirect. More than
	// 10 hops fail with [ErrRedirects] in any case. If Redirect returns
	// [ErrStopRedirect], the 3xx response itself is the result. Any other error
	// ends the fetch with that error.
	Redirect func(Hop) error

	// Turn, if not nil, is called before each HTTP request of a fetch, including
	// redirects and retries, but not if the cache answers. It may wait, under
	// the ctx of the fetch; this time does not count towards Timeout. The fetch
	// calls done when the request has ended, before it calls Redirect. If Turn
	// returns an error, the fetch ends with it.
	Turn func(ctx context.Context, url string) (done func(*Response, error), err error)

	// MaxAge is the maximum age of a cached page. A younger page is returned
	// without a request. An older one is fetched again, by a conditional
	// request if the site sent an ETag or Last-Modified, and counts as fetched
	// in either case. Zero accepts no cached page, -1 accepts any age.
	MaxAge time.Duration

	// MinAge, if not zero, makes the fetch use the cache only. If the page is
	// not cached, younger than MinAge, or older than a positive MaxAge, the
	// fetch fails with [ErrNotCached]. One millisecond accepts any cached page.
	MinAge time.Duration

	Lockdown bool // never send a request: like a MinAge of one millisecond, and a MaxAge of zero means two years
	NoStore  bool // do not cache the responses of this fetch

	// Partition separates the cached responses of callers whose headers do not
	// reveal how they differ. A response to a request with Header, except for
	// User-Agent, is returned only to requests of the same Partition. Pages
	// that were requested without Header are shared by all (unless
	// [Client.PartitionAll] is set). Pages that were requested with
	// Authorization or cookies of a Jar are never cached.
	Partition string

	// Raw asks for the bytes that the server sends, for example of a robots.txt. A
	// Fetcher that shows pages in a browser does not show this one.
	Raw bool

	// InsecureTLS disables the verification of certificates. It is ignored if
	// the request has a Header other than If-None-Match and If-Modified-Since,
	// userinfo, or cookies of Jar.
	InsecureTLS bool
}

// Hop is one redirect that is about to be followed.
type Hop struct {
	From, To string // absolute, as WHATWG URL writes them, without userinfo and fragment
	Status   int
	Count    int // from 1
}

// Response is the response of a server. Its fields belong to the caller.
type Response struct {
	URL    string // URL of the last hop, without userinfo and fragment
	Status int

	// Header is the server's header. If Body was decoded, it has no Content-Length,
	// and in Content-Encoding only the codings that are unknown and were not undone.
	Header http.Header

	Body      []byte // without the content codings that are known; the charset is unchanged
	Truncated bool   // the body ended before its declared or encoded end, is a part (206), or was cut because of Cut
	Excess    bool   // other data followed the end of a compressed body and were left out

	Cached time.Time // when the cached page was fetched; zero if this fetch requested it

	Rendered bool // a browser showed the page, and Body is the document after its scripts
	View     any  // what the browser returned, a *render.Page of package fetch/render; nil if it was not asked
}
