// SPDX-License-Identifier: Apache-2.0

// Package webtest is a web in memory: archive -> answers. It serves sites that
// stand in one txtar file, by way of an [http.Handler], of in-memory
// connections ([Net]) or of a plain call ([Site.Answer]), and works inside a
// synctest bubble.
//
// Each file of the archive is an answer, its name the URL (without a scheme:
// http). The same URL several times gives successive answers, of which the
// last repeats. A file whose first line begins with "HTTP " starts with a
// status line and header lines up to an empty line; any other is a 200 whose
// Content-Type follows from the URL's extension.
//
//	-- demo.test/ --
//	<title>Home</title> <a href="/old">old</a>
//	-- demo.test/old --
//	HTTP 301
//	Location: /
//	-- https://demo.test/slow.txt --
//	HTTP 200
//	X-Latency: 50ms
//
//	Patience.
//
// Three header lines steer the answer and are not sent. X-Latency is a
// duration that passes before it. X-Fault is reset or close (the connection
// ends before any byte, with and without RST where there is TCP), hang
// (silence until the client leaves) or truncate (half of the body, under a
// Content-Length of all of it). X-Body is gzip (the body is sent as a gzip
// file, without a Content-Encoding), base64 (the body stands here in base64)
// or a number (the body is that many times what stands here).
//
// A URL that is not in the archive is a 404 page; a host that no file names
// does not resolve.
package webtest
