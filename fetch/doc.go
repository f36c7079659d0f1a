// SPDX-License-Identifier: Apache-2.0

// Package fetch is the only door to web pages: URL -> bytes.
//
// A [Client] fetches over the network; its zero value is ready. Who only needs
// pages takes a [Fetcher], so that tests can give one of
// [example.com/curlew/fetch/fetchtest]. Who writes one builds it on [Follow].
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
// An HTTP status is no error: a 404 is a page. A fetch takes at most 30 s,
// follows 10 redirects, and tries twice more after a failed connection, all of
// which the [Request] can change. It speaks HTTP/1.1 and HTTP/2, decodes gzip,
// Brotli, zstd and deflate, and leaves the charset alone.
//
// A Client with a [Cache] answers a request with MaxAge from it where it can,
// and asks for an older page on the condition that it has changed:
//
//	c := fetch.Client{Cache: new(fetch.MemoryCache)}
//	page, err := c.Fetch(ctx, &fetch.Request{URL: url, MaxAge: time.Hour})
//
// It keeps pages of status 200, and the redirects to them, of sites that
// neither forbid it (no-store) nor talk to one visitor (Set-Cookie,
// Authorization, cookies); [Request] has the rest.
//
// # Security
//
// Servers are hostile. A body is bounded on the wire and inflated (10 MiB, for
// documents 50 MiB: [ErrTooLarge]), in its ratio (200 after the first
// mebibyte: [ErrInflate]) and in its rate (1 KiB/s over 10 s: [ErrTimeout]);
// headers are bounded to 256 KiB, interim answers to 10, and what a connection
// sends besides its pages to a mebibyte ([ErrProtocol]). The tests meet some
// hundreds of servers that try.
//
// Addresses are the guard's affair: only globally reachable unicast on the
// ports 80, 443, 8080 and 8443 is connected to, whatever a redirect or a name
// server says ([ErrAddress]). Client.Allow and Client.Ports open more; no
// environment variable does, nor does one name a proxy: Client.Proxy is the only
// one. Headers, userinfo and cookies of a request do not follow a redirect to
// another host or from https to http. The text of an error holds no userinfo, no
// query values and no resolved address.
//
// Cached pages are under the same rules as fresh ones. The guard, Client.Check
// and Request.Redirect are asked for each hop; clients of different Allow or
// Ports share nothing, nor do requests of different headers, of different
// Partitions where they have headers or Client.PartitionAll is set, and with and without InsecureTLS.
package fetch
