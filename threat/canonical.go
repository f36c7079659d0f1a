// SPDX-License-Identifier: Apache-2.0

package threat

import (
	"bytes"
	"strings"

	"example.com/curlew/internal/weburl"
)

// Canonical returns the form of a URL that is hashed, and by which URLs are
// counted and charged (cloud.google.com/web-risk/docs/urls-hashing). It accepts
// any bytes and is idempotent. It decodes more than a browser does, so it does
// not tell where a request goes; internal/weburl does that.
//
// Where the specification is silent, IPv6 addresses are compressed (RFC 5952),
// IPv4-mapped and NAT64 addresses are written as the IPv4 address that they
// contain, and ports and trailing dots of the host are removed until none is
// left.
func Canonical(raw string) string {
	text := strings.Trim(raw, " ")
	text, _, _ = strings.Cut(text, "#")
	// Most URLs fit into this buffer. Then only the result is allocated.
	var room [256]byte
	b := decode(room[:0], text)

	out := make([]byte, 0, len(b)+16)
	scheme, b := cutScheme(b)
	out = append(appendLower(out, scheme), "://"...)

	end := len(b)
	if i := bytes.IndexAny(b, "/?"); i >= 0 {
		end = i
	}
	out = appendHost(out, b[:end])
	path, query, asked := bytes.Cut(b[end:], []byte("?"))
	out = appendPath(out, path)
	if asked {
		out = appendEscaped(append(out, '?'), query)
	}
	return string(out)
}

// decode appends text without tab, CR and LF, and decodes percent escapes until
// none is left. An escape that is completed by a decoded byte is decoded at
// once. The result equals decoding the whole text repeatedly, but needs a
// single pass: two escapes never overlap, so their order does not matter.
func decode(dst []byte, text string) []byte {
	for i := range len(text) {
		c := text[i]
		if c == '\t' || c == '\r' || c == '\n' {
			continue
		}
		dst = append(dst, c)
		for n := len(dst); n >= 3 && dst[n-3] == '%'; n = len(dst) {
			hi, ok1 := unhex(dst[n-2])
			lo, ok2 := unhex(dst[n-1])
			if !ok1 || !ok2 {
				break
			}
			dst = append(dst[:n-3], hi<<4|lo)
		}
	}
	return dst
}

func unhex(c byte) (byte, bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}

// cutScheme removes the scheme and "://" from b. If there is none, the scheme
// is http.
func cutScheme(b []byte) (scheme, rest []byte) {
	for i, c := range b {
		switch {
		case 'a' <= c|0x20 && c|0x20 <= 'z':
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		case i > 0 && bytes.HasPrefix(b[i:], []byte("://")):
			return b[:i], b[i+3:]
		default:
			return []byte("http"), b
		}
	}
	return []byte("http"), b
}

// appendHost appends the canonical host of an authority.
func appendHost(dst, authority []byte) []byte {
	host := authority[bytes.LastIndexByte(authority, '@')+1:]
	for before := -1; before != len(host); {
		before = len(host)
		host = bytes.Trim(cutPort(host), ".")
	}
	start := len(dst)
	for i, c := range host {
		if c != '.' || host[i-1] != '.' {
			dst = append(dst, c)
		}
	}
	name := dst[start:]
	for i, c := range name {
		if 'A' <= c && c <= 'Z' {
			name[i] = c + 'a' - 'A'
		}
	}
	if addr, ok := canonicalAddr(name); ok {
		return append(dst[:start], addr...)
	}
	if bytes.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '#' || r == '%' }) {
		name = bytes.Clone(name)
		return appendEscaped(dst[:start], name)
	}
	return dst
}

// cutPort removes a port, which may be empty, from the host.
func cutPort(host []byte) []byte {
	i := bytes.LastIndexByte(host, ':')
	if i < 0 || len(bytes.Trim(host[i+1:], "0123456789")) > 0 {
		return host
	}
	return host[:i]
}

// canonicalAddr returns the address that host denotes, in brackets or in any
// spelling that inet_aton accepts.
func canonicalAddr(host []byte) (string, bool) {
	label := host[bytes.LastIndexByte(host, '.')+1:]
	if len(label) == 0 || label[0] != '[' && host[0] != '[' && (label[0] < '0' || label[0] > '9') {
		return "", false
	}
	u, err := weburl.Parse("http://" + string(host) + "/")
	if err != nil || u.Path() != "/" {
		return "", false
	}
	a, ok := u.Addr()
	if !ok {
		return "", false
	}
	if v4 := embedded(a); v4 != "" {
		return v4, true
	}
	return hostOf(a), true
}

// appendPath appends the path without dot segments and empty segments. The
// result is never empty, but at least a slash.
func appendPath(dst, path []byte) []byte {
	start := len(dst)
	dst = append(dst, '/')
	for len(path) > 0 {
		var segment []byte
		var more bool
		segment, path, more = bytes.Cut(path, []byte("/"))
		switch string(segment) {
		case "", ".":
			continue
		case "..":
			// dst ends with a slash here, because each segment was appended
			// with one.
			if i := bytes.LastIndexByte(dst[start:len(dst)-1], '/'); i >= 0 {
				dst = dst[:start+i+1]
			}
			continue
		}
		dst = appendEscaped(dst, segment)
		if more {
			dst = append(dst, '/')
		}
	}
	return dst
}

func appendLower(dst, b []byte) []byte {
	for _, c := range b {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}

// appendEscaped appends b and escapes the bytes that a canonical URL must not
// contain.
func appendEscaped(dst, b []byte) []byte {
	const hex = "0123456789ABCDEF"
	for _, c := range b {
		if c <= ' ' || c >= 0x7f || c == '#' || c == '%' {
			dst = append(dst, '%', hex[c>>4], hex[c&15])
		} else {
			dst = append(dst, c)
		}
	}
	return dst
}
