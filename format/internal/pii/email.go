// SPDX-License-Identifier: Apache-2.0

package pii

import (
	"strings"
	"unicode/utf8"
)

// Limits for an address (RFC 5321, 4.5.3.1).
const (
	maxLocal  = 64
	maxDomain = 253
)

// signs lists the ways to write the @ of an address, longest first. points
// lists the ways to write a dot after an @ that is spelled out.
var (
	signs  = []string{" [at] ", " (at) ", " {at} ", "[at]", "(at)", "{at}", " [@] ", "[@]", "%40", "&#64;", "@", "＠"}
	points = []string{" [dot] ", " (dot) ", " {dot} ", "[dot]", "(dot)", "{dot}", " [punkt] ", "[punkt]", "(punkt)", " dot "}
)

// emails finds email addresses by their @.
func (x *scan) emails() {
	for i := 0; i < len(x.s) && !x.stopped(); {
		n := signAt(x.s[i:])
		if n == 0 {
			i++
			continue
		}
		start, end := x.local(i), x.domain(i+n, x.s[i:i+n] != "@")
		if start < i && end > i+n {
			x.add(start, end, Email)
			i = end
			continue
		}
		i += n
	}
}

// signAt returns the length of the @ that s begins with, or 0.
func signAt(s string) int {
	switch s[0] {
	case '@':
		return 1
	case ' ', '[', '(', '{', '%', '&', 0xEF:
	default:
		return 0
	}
	for _, sign := range signs {
		if len(s) >= len(sign) && strings.EqualFold(s[:len(sign)], sign) {
			return len(sign)
		}
	}
	return 0
}

// local returns the start of the local part that ends at end. If there is none,
// it returns end.
func (x *scan) local(end int) int {
	i := end
	if i > 0 && x.s[i-1] == '"' { // a quoted local part
		if open := strings.LastIndexByte(x.s[max(0, i-1-maxLocal):i-1], '"'); open >= 0 {
			return max(0, i-1-maxLocal) + open
		}
	}
	for i > 0 && end-i < maxLocal {
		c := x.s[i-1]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeLastRuneInString(x.s[:i])
			if !isLetter(r) {
				break
			}
			i -= size
			continue
		}
		if !isAlnum(c) && strings.IndexByte("!#$&'*+-/=?^_`{|}~.%", c) < 0 {
			break
		}
		// These characters separate the parts of a URL, so they end a local
		// part.
		if strings.IndexByte("/=?&", c) >= 0 {
			break
		}
		i--
	}
	for i < end && strings.IndexByte(".'`*_~|{}!#$^-", x.s[i]) >= 0 && x.s[i] != '_' {
		i++ // skip marks of quotes and emphasis before the address
	}
	return i
}

// domain returns the end of the domain at start. If there is none, it returns
// start.
func (x *scan) domain(start int, spelled bool) int { //nolint:gocognit // the grammar of a domain, label by label
	end, labels := start, 0
	last := ""
	for i := start; i < len(x.s) && i-start < maxDomain; {
		j := i
		for j < len(x.s) && j-i < 63*4 {
			c := x.s[j]
			if c >= utf8.RuneSelf {
				r, size := utf8.DecodeRuneInString(x.s[j:])
				if !isLetter(r) {
					break
				}
				j += size
				continue
			}
			if !isAlnum(c) && c != '-' {
				break
			}
			j++
		}
		label := strings.TrimRight(x.s[i:j], "-")
		if label == "" {
			break
		}
		labels++
		last, end = label, i+len(label)
		if i += len(label); i < j {
			break
		}
		n := 0
		if i < len(x.s) && x.s[i] == '.' {
			n = 1
		} else if spelled {
			for _, p := range points {
				if len(x.s)-i >= len(p) && strings.EqualFold(x.s[i:i+len(p)], p) {
					n = len(p)
					break
				}
			}
		}
		if n == 0 {
			break
		}
		i += n
	}
	if labels < 2 || !isTLD(last) {
		return start
	}
	return end
}

// isTLD reports whether a label can be a top-level domain. File name extensions
// are rejected, because logo@2x.png is not an address.
func isTLD(label string) bool {
	if len(label) < 2 || len(label) > 63 || digits(label) > 0 && !strings.HasPrefix(strings.ToLower(label), "xn--") {
		return false
	}
	switch strings.ToLower(label) {
	case "png", "jpg", "jpeg", "gif", "svg", "webp", "avif", "bmp", "ico", "css", "js", "mjs", "json", "html", "htm", "php", "woff", "woff2", "ttf", "pdf", "mp":
		return false
	}
	return true
}
