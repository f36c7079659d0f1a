// SPDX-License-Identifier: Apache-2.0

// Package weburl reads text as browsers read it: text -> URL, by the WHATWG URL
// standard, for http and https.
//
// Every room that holds an address imports it; it is the only URL parser of the
// module. net/url is none for this work: it refuses what browsers take
// (/50%off) and keeps what they rewrite.
//
//	u, err := weburl.Parse("HTTP://EX.test:80/a/../b") // http://ex.test/b
//	v, err := u.Link("c?x=1|2")                        // http://ex.test/c?x=1|2
//
// A text is read up to 2 MiB, a host beyond ASCII up to 512 bytes; what is longer is
// [ErrSyntax].
//
// # Security
//
// Requests are built from the parts of a [URL], never from the text it was read
// from: a second parser that reads the text another way is a bypass of every
// rule. [URL.HostKey] is the form of the host that rules compare and that is
// dialled. Errors and [URL.LogValue] hold no userinfo and no query values.
package weburl
