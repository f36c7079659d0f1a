// SPDX-License-Identifier: Apache-2.0

// Package fetchtest stands in for the web in tests: archive -> pages. [Open]
// gives a site in one file as a [fetch.Fetcher]; [Check] proves any Fetcher.
package fetchtest

import (
	"context"
	"errors"
	"net/http"
	"os"
	"testing"

	"example.com/curlew/fetch"
	"example.com/curlew/internal/test/webtest"
)

// Hit is one request that a site has seen.
type Hit = webtest.Hit

// Page is one answer of a site.
type Page = webtest.Page

// Site is a web in memory that fetches from itself. It does what [fetch.Client]
// does on a real one, but for the wire: no connections, no TLS, no policy. It
// is safe for concurrent use and works inside a synctest bubble.
type Site struct {
	URL   string      // of the first page
	Cache fetch.Cache // nil: none

	web *webtest.Site
}

// Open reads the site in the txtar file at path: a file an answer, named by its
// URL, without a scheme http. The same URL several times gives successive
// answers, of which the last repeats. A file whose first line begins with
// "HTTP " starts with a status and header lines up to an empty line; any other is
// a 200 whose Content-Type follows from the URL's extension:
//
//	-- wader.test/ --
//	<title>Home</title> <a href="/old">old</a>
//	-- wader.test/old --
//	HTTP 301
//	Location: /
//	X-Latency: 50ms
//
// X-Latency passes before the answer, X-Fault is reset, close, hang or truncate,
// X-Body is gzip, base64 or how often the body stands there; none is sent. Other
// URLs are 404 pages, and other hosts do not resolve.
func Open(t testing.TB, path string) *Site {
	t.Helper()
	archive, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return New(t, archive)
}

// New reads the site in a txtar archive, as [Open] does.
func New(t testing.TB, archive []byte) *Site {
	t.Helper()
	web, err := webtest.Parse(archive)
	if err != nil {
		t.Fatal(err)
	}
	return &Site{URL: web.Pages()[0].URL, web: web}
}

// Pages returns all answers in the order of the archive. They are not to be
// changed.
func (s *Site) Pages() []Page { return s.web.Pages() }

// Log returns the requests so far, in the order in which they came.
func (s *Site) Log() []Hit { return s.web.Log() }

// Reset forgets the log and begins successive answers anew.
func (s *Site) Reset() { s.web.Reset() }

// Host reports whether the site has a page of host.
func (s *Site) Host(host string) bool { return s.web.Host(host) }

// ServeHTTP answers by the request's Host and path.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.web.ServeHTTP(w, r) }

// Fetch answers from the archive. Latencies pass; the faults reset and close
// are [fetch.ErrConnect], hang lasts until a timeout, truncate gives half of
// the body; a host that the archive does not have is [fetch.ErrDNS].
func (s *Site) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Response, error) {
	return fetch.Follow(ctx, r, s.Cache, s.exchange)
}

// Caching reports whether the site has a Cache.
func (s *Site) Caching() bool { return s.Cache != nil }

// exchange answers one request.
func (s *Site) exchange(ctx context.Context, x *fetch.Exchange) (*fetch.Response, error) {
	if x.Patience > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, x.Patience, fetch.ErrTimeout)
		defer cancel()
	}
	p, err := s.web.Answer(ctx, http.MethodGet, x.URL, x.Header)
	switch {
	case errors.Is(err, webtest.ErrHost):
		return nil, fetch.ErrDNS
	case err != nil:
		return nil, err
	case p.Fault == webtest.Reset, p.Fault == webtest.Close:
		return nil, fetch.ErrConnect
	}
	resp := &fetch.Response{URL: x.URL, Status: p.Status, Header: p.Header.Clone()}
	for name, values := range resp.Header {
		if len(values) == 0 {
			delete(resp.Header, name)
		}
	}
	limit := x.Limit(resp.Header)
	over := int64(len(p.Body)) > limit
	if over && !x.Cut {
		return nil, fetch.ErrTooLarge
	}
	resp.Body = append([]byte{}, p.Body[:min(int64(len(p.Body)), limit)]...)
	resp.Truncated = over
	if p.Fault == webtest.Truncate {
		resp.Body, resp.Truncated = resp.Body[:len(resp.Body)/2], true
	}
	return resp, nil
}
