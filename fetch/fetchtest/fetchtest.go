// SPDX-License-Identifier: Apache-2.0

// Package fetchtest helps to test code that fetches pages. [Open] reads a site
// from one file and returns it as a [fetch.Fetcher]. [Check] tests any Fetcher.
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

// Hit is one request that a site has received.
type Hit = webtest.Hit

// Page is one response of a site.
type Page = webtest.Page

// Site is a set of pages in memory that implements [fetch.Fetcher]. It behaves
// like [fetch.Client], but without connections, TLS and network policy. It is
// safe for concurrent use and works inside a synctest bubble.
type Site struct {
	URL   string      // URL of the first page
	Cache fetch.Cache // nil means no cache

	web *webtest.Site
}

// Open reads the site in the txtar file at path. Each file of the archive is a
// response. Its name is the URL, without the scheme if that is http. If a URL
// occurs several times, its responses are returned in this order, and the last
// one repeats. If the first line of a file starts with "HTTP ", the file starts
// with a status and header lines up to an empty line. Any other file is a 200
// response whose Content-Type follows from the extension of the URL:
//
//	-- wader.test/ --
//	<title>Home</title> <a href="/old">old</a>
//	-- wader.test/old --
//	HTTP 301
//	Location: /
//	X-Latency: 50ms
//
// Some header fields control the site and are not sent: X-Latency is a delay
// before the response. X-Fault is reset, close, hang or truncate. X-Body is
// gzip, base64, or how often to repeat the body. Other URLs are answered by a
// 404 page. Other hosts do not resolve.
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

// Pages returns all responses in the order of the archive. The caller must not
// change them.
func (s *Site) Pages() []Page { return s.web.Pages() }

// Log returns the requests so far, in the order of their arrival.
func (s *Site) Log() []Hit { return s.web.Log() }

// Reset clears the log and starts again with the first response of each URL.
func (s *Site) Reset() { s.web.Reset() }

// Host reports whether the site has a page on host.
func (s *Site) Host(host string) bool { return s.web.Host(host) }

// ServeHTTP answers by the Host and path of the request.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.web.ServeHTTP(w, r) }

// Fetch answers from the archive and waits for latencies. The faults reset and
// close return [fetch.ErrConnect], hang waits for the timeout, and truncate
// returns half of the body. A host that is not in the archive returns
// [fetch.ErrDNS].
func (s *Site) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Response, error) {
	return fetch.Follow(ctx, r, s.Cache, s.exchange)
}

// Caching reports whether the site has a Cache.
func (s *Site) Caching() bool { return s.Cache != nil }

// Cached is like [fetch.Client.Cached].
func (s *Site) Cached(ctx context.Context, r *fetch.Request, exchange func(context.Context, *fetch.Exchange) (*fetch.Response, error)) (*fetch.Response, error) {
	return fetch.Follow(ctx, r, s.Cache, exchange)
}

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
