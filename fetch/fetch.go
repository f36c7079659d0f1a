// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// A Fetcher brings one page. Implementations are safe for concurrent use,
// return when ctx ends, give an error that is an [*Error], and answer any HTTP
// status as a Response: a 404 is a page.
type Fetcher interface {
	Fetch(ctx context.Context, r *Request) (*Response, error)
}

// Request is one page to bring.
type Request struct {
	URL string // absolute http or https

	// Header is sent with the first request and dropped when the host
	// changes. Hop-by-hop names, Host, Content-Length, Proxy-* and Forwarded
	// are refused.
	Header http.Header

	Timeout  time.Duration // of the whole exchange, body included; zero means 30 s
	MaxBytes int64         // of the body, on the wire and inflated; zero: the client's
	Retries  int           // after connection failures; zero means 2, -1 none

	// Redirect is asked before each hop; nil follows up to 10. Returning
	// [ErrStopRedirect] makes the 3xx itself the response; any other error
	// ends the fetch with it.
	Redirect func(Hop) error

	InsecureTLS bool // skip certificate checks; ignored when Header is not empty
}

// Hop is one redirect, before it is followed.
type Hop struct {
	From, To string // absolute, WHATWG form
	Status   int
	Count    int // from 1
}

// Response is what a server answered. Its members are the caller's.
type Response struct {
	URL       string // of the last hop
	Status    int
	Header    http.Header
	Body      []byte // content-decoded; the charset is untouched
	Truncated bool   // the server stopped short of its Content-Length
}

// Why a page could not be brought.
var (
	ErrTooLarge     = errors.New("body over the limit")
	ErrInflate      = errors.New("body inflates beyond reason")
	ErrAddress      = errors.New("blocked by network policy")
	ErrScheme       = errors.New("URL is not http(s)")
	ErrRedirects    = errors.New("too many redirects")
	ErrStopRedirect = errors.New("redirect not followed")
	ErrProtocol     = errors.New("malformed HTTP answer")
	ErrTimeout      = errors.New("timed out")
	ErrDNS          = errors.New("host name does not resolve")
	ErrTLS          = errors.New("certificate or TLS handshake refused")
	ErrConnect      = errors.New("connection failed")
)

// Error says which page could not be brought.
type Error struct {
	URL string // redacted of userinfo
	Err error  // wraps one of the sentinels, the cause given by a hook, or ctx's error
}
