// SPDX-License-Identifier: Apache-2.0

// Package fetch fetches web pages by URL and returns their bytes. All requests
// for web pages go through it.
//
// A [Client] fetches over the network. Its zero value is ready to use. Code
// that only needs pages should accept a [Fetcher], so that tests can pass one
// of [example.com/curlew/fetch/fetchtest]. [Follow] helps to write another
// Fetcher.
//
//	var c fetch.Client
//	page, err := c.Fetch(ctx, &fetch.Request{URL: "https://example.com/"})
//	switch {
//	case errors.Is(err, fetch.ErrTimeout):
//		return later(err)
//	case err != nil:
//		return err
//	}
//	use(page.URL, page.Status, page.Body)
//
// An HTTP error status is not an error: a 404 response is a page. By default, a
// fetch takes at most 30 s, follows up to 10 redirects, and tries twice more
// after a failed connection. It speaks HTTP/1.1 and HTTP/2, decodes gzip,
// Brotli, zstd and deflate, and does not convert the charset.
//
// If a Client has a [Cache], a request with MaxAge is answered from the cache
// if possible. If the cached page is too old, the client sends a conditional
// request:
//
//	c := fetch.Client{Cache: new(fetch.MemoryCache)}
//	page, err := c.Fetch(ctx, &fetch.Request{URL: url, MaxAge: time.Hour})
//
// The cache stores pages of status 200 and the redirects to them, unless the
// site forbids it (no-store) or the response is for a single visitor
// (Set-Cookie, Authorization, cookies). [Request] documents the details.
//
// # Security
//
// Servers may be hostile. The size of a body is limited as received and as
// decoded (10 MiB, or 50 MiB for documents: [ErrTooLarge]), and so are its
// compression ratio (200 after the first mebibyte: [ErrInflate]) and its rate
// (at least 1 KiB/s over 10 s: [ErrTimeout]). Headers are limited to 256 KiB,
// interim (1xx) responses to 10, and other data on a connection to 1 MiB
// ([ErrProtocol]). The tests run against some hundreds of such servers.
//
// Connections are made only to globally reachable unicast addresses on the
// ports 80, 443, 8080 and 8443, whatever a redirect or a name server says
// ([ErrAddress]). Only Client.Allow and Client.Ports admit more. A proxy is
// used only if Client.Proxy names one; environment variables are not read.
// Headers, userinfo and cookies of a request are not sent after a redirect to
// another host or from https to http. The text of an error contains no
// userinfo, no query values and no resolved addresses.
//
// Cached pages follow the same rules as fetched ones. The network policy,
// Client.Check and Request.Redirect apply to each hop. Cached pages are never
// shared between clients with different Allow or Ports, between requests with
// different headers, or between requests with and without InsecureTLS. Requests
// with different Partitions share nothing if they have headers or if
// Client.PartitionAll is set.
package fetch
