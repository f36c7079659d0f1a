// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"errors"
	"strings"

	"example.com/curlew/internal/netguard"
	"example.com/curlew/internal/weburl"
)

// Why a page could not be brought.
var (
	ErrURL          = errors.New("invalid URL")
	ErrScheme       = errors.New("URL is not http(s)")
	ErrHeader       = errors.New("request header refused")
	ErrAddress      = errors.New("blocked by network policy")
	ErrDNS          = errors.New("host name does not resolve")
	ErrConnect      = errors.New("connection failed")
	ErrTLS          = errors.New("certificate or TLS handshake refused")
	ErrTimeout      = errors.New("timed out")
	ErrProtocol     = errors.New("malformed HTTP answer")
	ErrTooLarge     = errors.New("body over the limit")
	ErrInflate      = errors.New("body inflates beyond reason")
	ErrRedirects    = errors.New("too many redirects")
	ErrStopRedirect = errors.New("redirect not followed")
	ErrNotCached    = errors.New("not cached")
	ErrProxy        = errors.New("proxy cannot be used")
)

// Error says which page could not be brought. Its text holds no userinfo, no
// query values and no resolved address.
type Error struct {
	URL string // as asked for, without userinfo; empty where it is no URL
	Err error  // wraps one of the sentinels, the cause given by a hook, or ctx's error
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

// fault is a sentinel with what lies behind it. The cause's text stays out of
// sight: net/http's holds addresses and bytes of the server.
type fault struct {
	kind  error // a sentinel
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

// advice says why the guard refused a URL, and which option admits it, for the
// program's author. It does not say what a name resolves to.
func advice(e *netguard.Error) string {
	if e.Reason == netguard.ReasonPort {
		return "the port is none of 80, 443, 8080, 8443 (fetch.Client.Ports opens others, Client.Allow all ports of an address)"
	}
	return "not a public address (fetch.Client.Allow opens others)"
}

// AddScheme returns an address as a person types it with https:// before it, and
// a URL that has a scheme as it is: example.com/docs and localhost:8080 have
// none. It is for what comes from a command line or a form. The engines take
// absolute URLs only.
func AddScheme(address string) string {
	address = strings.TrimSpace(address)
	if address == "" || weburl.HasScheme(address) {
		return address
	}
	return "https://" + strings.TrimPrefix(address, "//")
}

// parse reads raw as the URL of a page.
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
