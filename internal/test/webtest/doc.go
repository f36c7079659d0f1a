// SPDX-License-Identifier: Apache-2.0

// Package webtest implements a web in memory. It serves sites from a txtar file
// by an [http.Handler], by in-memory connections ([Net]) or by a plain call
// ([Site.Answer]). It works inside a synctest bubble.
//
// Each file of the archive is a response. Its name is the URL, without the
// scheme if that is http. If a URL occurs several times, its responses are
// returned in this order, and the last one repeats. If a file starts with
// "HTTP " or "HTTP/1", it has a status line and header lines up to an empty
// line, and the rest is the body. Any other file is a 200 response whose Content-Type follows
// from the extension of the URL.
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
// Three header fields control the response and are not sent. X-Latency is a
// delay before the response. X-Fault is reset or close (the connection ends
// before any byte, with or without RST if there is TCP), hang (no response
// until the client gives up) or truncate (half of the body, with the
// Content-Length of the whole). X-Body is gzip (the body is sent as a gzip
// file, without a Content-Encoding), base64 (the body in the file is encoded in
// base64) or a number (how often to repeat the body).
//
// A URL that is not in the archive is answered by a 404 page. A host that no
// file names does not resolve.
package webtest
