// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"errors"
	"fmt"
	"strings"

	"example.com/curlew/internal/netguard"
	"example.com/curlew/internal/weburl"
)

// Reasons why a fetch failed.
var (
	ErrURL          = errors.New("invalid URL")
	ErrScheme       = errors.New("URL is not http(s)")
	ErrHeader       = errors.New("request header refused")
	ErrAddress      = errors.New("blocked by network policy")
	ErrDNS          = errors.New("host name does not resolve")
	ErrConnect      = errors.New("connection failed")
	ErrTLS          = errors.New("invalid certificate or failed TLS handshake")
	ErrTimeout      = errors.New("timed out")
	ErrProtocol     = errors.New("malformed HTTP response")
	ErrTooLarge     = errors.New("body over the limit")
	ErrInflate      = errors.New("decompressed body over the limit")
	ErrRedirects    = errors.New("too many redirects")
	ErrStopRedirect = errors.New("redirect not followed")
	ErrNotCached    = errors.New("not cached")
	ErrProxy        = errors.New("proxy cannot be used")
	ErrBusy         = errors.New("no capacity of this machine is free") // the page may be requested again later
)

// Errors of a Fetcher that breaks its promise; see [Do].
var (
	errNoResponse = fmt.Errorf("%w: the Fetcher returned neither a response nor an error", ErrProtocol)
	errNoStatus   = fmt.Errorf("%w: the Fetcher returned a response without a status", ErrProtocol)
)

// Error says which URL failed and why. Its text contains no userinfo, no query
// values and no resolved addresses.
type Error struct {
	URL string // the requested URL without userinfo; empty if it is not a URL
	Err error  // wraps one of the errors above, the error of a hook, or the error of ctx
}

// Error returns the redacted URL and the cause.
func (e *Error) Error() string {
	u, err := weburl.Parse(e.URL)
	if err != nil {
		return "fetch: " + e.Err.Error()
	}
	return "fetch " + u.LogValue().String() + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// fault is an exported error with its cause. The text of the cause is not
// shown, because net/http's errors contain addresses and bytes from the server.
type fault struct {
	kind  error // one of the exported errors
	cause error
}

func (f *fault) Error() string {
	if refused, ok := errors.AsType[*netguard.Error](f.cause); ok && f.kind == ErrAddress { //nolint:errorlint // the very sentinel
		return f.kind.Error() + ": " + advice(refused)
	}
	if text, ok := errors.AsType[*weburl.Error](f.cause); ok {
		return text.Error()
	}
	if proxy, ok := errors.AsType[*netguard.ProxyError](f.cause); ok {
		return f.kind.Error() + ": " + proxy.Error()
	}
	return f.kind.Error()
}

func (f *fault) Unwrap() []error { return []error{f.kind, f.cause} }

// advice says why the network policy refused a URL, and which option admits it,
// for the author of the program. It does not say what a name resolves to.
func advice(e *netguard.Error) string {
	if e.Reason == netguard.ReasonPort {
		return "the port is not 80, 443, 8080 or 8443 (fetch.Client.Ports allows others, Client.Allow all ports of an address)"
	}
	return "not a public address (fetch.Client.Allow allows others)"
}

// AddScheme returns address with https:// before it if it has no scheme, such
// as example.com/docs or localhost:8080. It is meant for addresses that a
// person types on a command line or into a form. The engines accept absolute
// URLs only.
func AddScheme(address string) string {
	address = strings.TrimSpace(address)
	if address == "" || weburl.HasScheme(address) {
		return address
	}
	return "https://" + strings.TrimPrefix(address, "//")
}

// parse parses raw as the URL of a page.
func parse(raw string) (weburl.URL, error) {
	u, err := weburl.Parse(raw)
	switch {
	case errors.Is(err, weburl.ErrScheme):
		return u, &fault{ErrScheme, err}
	case err != nil:
		return u, &fault{ErrURL, err}
	}
	return u, nil
}
