// SPDX-License-Identifier: Apache-2.0

package threat

import (
	"bytes"
	"strings"

	"example.com/curlew/internal/weburl"
)

// Canonical returns the form of a URL under which it is hashed, counted once
// and billed once (cloud.google.com/web-risk/docs/urls-hashing). It takes any
// bytes and is idempotent. It decodes more than a browser does, and says
// nothing about where a request goes: that is internal/weburl's.
//
// Where the published text is silent: IPv6 addresses are compressed (RFC 5952),
// mapped and NAT64 ones are written as the IPv4 address that they hold; the
// host's port and dots are cut until none is left to cut.
func Canonical(raw string) string {
	text := strings.Trim(raw, " ")
	text, _, _ = strings.Cut(text, "#")
	// Most URLs fit, and then only the result is allocated.
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

// decode appends text without tab, CR and LF and with every escape decoded, until
// none is left. An escape that a decoded byte completes is decoded as soon as it
// stands there. That is the result of decoding the whole again and again, in one
// pass: no two escapes overlap, so their order does not matter.
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

// cutScheme cuts scheme:// off b; where there is none it is http.
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

// cutPort cuts a port, which may be empty, off the host.
func cutPort(host []byte) []byte {
	i := bytes.LastIndexByte(host, ':')
	if i < 0 || len(bytes.Trim(host[i+1:], "0123456789")) > 0 {
		return host
	}
	return host[:i]
}

// canonicalAddr returns the text of the address that the host is, in any
// spelling that inet_aton knows or in brackets.
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

// appendPath appends the path without dot segments and empty segments; at least
// a slash.
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
			// dst ends with a slash, and so does what is before each segment.
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

// appendEscaped appends b with an escape for each byte that a canonical URL does
// not hold.
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
