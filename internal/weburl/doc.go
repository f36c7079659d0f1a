// SPDX-License-Identifier: Apache-2.0

// Package weburl parses http and https URLs like browsers, by the WHATWG URL
// standard.
//
// It is the only URL parser of the module, and all packages that handle URLs
// use it. net/url is not suitable: it refuses URLs that browsers accept
// (/50%off), and does not normalize what browsers normalize.
//
//	u, err := weburl.Parse("HTTP://EX.test:80/a/../b") // http://ex.test/b
//	v, err := u.Link("c?x=1|2")                        // http://ex.test/c?x=1|2
//
// A text may have up to 2 MiB, and a non-ASCII host up to 512 bytes. A longer
// one is [ErrSyntax].
//
// # Security
//
// Requests are built from the parts of a [URL], never from the text that was
// parsed, because a second parser that interprets the text differently would
// bypass every rule. [URL.HostKey] is the form of the host that rules compare
// and that is dialed. Errors and [URL.LogValue] contain no userinfo and no
// query values.
package weburl
