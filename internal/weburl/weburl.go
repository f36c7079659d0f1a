// SPDX-License-Identifier: Apache-2.0

package weburl

import (
	"cmp"
	"errors"
	"net/netip"
	"strconv"
	"strings"
)

// Why a text is no URL of ours.
var (
	ErrSyntax = errors.New("invalid URL")         // the standard's parser fails
	ErrScheme = errors.New("URL is not http(s)")  // it names another scheme
	ErrDomain = errors.New("no top-level domain") // of [Input]: not dotted, no address
)

// Error says which part of a text is at fault. It never holds the text, which
// may carry a password.
type Error struct {
	Part string // scheme, host, port or length
	Err  error  // [ErrSyntax] or [ErrScheme]

	text string // in place of the part, where a sentence helps more
}

// Error returns the reason and the part.
func (e *Error) Error() string { return e.Err.Error() + ": " + cmp.Or(e.text, e.Part) }

// Unwrap returns the sentinel.
func (e *Error) Unwrap() error { return e.Err }

// A crawl meets broken links by the thousand: its errors are made once.
var (
	errLength   = &Error{Part: "length", Err: ErrSyntax}
	errRelative = &Error{Part: "scheme", Err: ErrSyntax, text: noScheme}
	errHost     = &Error{Part: "host", Err: ErrSyntax}
	errPort     = &Error{Part: "port", Err: ErrSyntax}
	errScheme   = &Error{Part: "scheme", Err: ErrScheme}
	errHostPort = &Error{Part: "scheme", Err: ErrScheme, text: noScheme} // localhost:8080
)

const noScheme = "it has no scheme; write https:// before it"

// A URL is an absolute http or https URL in WHATWG form: one immutable string
// and offsets into it. URLs compare with ==. The zero URL is no URL.
type URL struct {
	// href is scheme "://" [userinfo "@"] host [":" port] path ["?" query]
	// ["#" fragment]. The rest follows from it, so equal hrefs are equal URLs.
	href string
	offsets
}

// offsets are those of the parts of an href.
type offsets struct {
	host  uint32 // of the first byte of the host
	port  uint32 // behind the host: of the colon, or of the path
	path  uint32 // of the path's first slash
	query uint32 // of the question mark; zero where there is none
	frag  uint32 // of the number sign; zero where there is none

	// badName marks a host that the standard lets parse and that validName
	// does not let be fetched.
	badName bool
}

// An Encoder appends s in the charset of a page to dst and returns how many
// bytes of s it took. Where n < len(s) the character at s[n:] is not in the
// charset; the URL gets its number in place of it. The standard encodes
// queries so, and nothing else. A nil Encoder is UTF-8, which also stands in
// for UTF-16.
type Encoder func(dst []byte, s string) (out []byte, n int)

// Parse reads raw as an absolute URL. Errors wrap [ErrSyntax] or [ErrScheme].
// It does not allocate where raw is ASCII and in WHATWG form already.
func Parse(raw string) (URL, error) { return URL{}.Resolve(raw) }

// Resolve reads ref against the base u; the zero URL is no base, and only
// absolute references resolve against it. Errors wrap [ErrSyntax] or
// [ErrScheme].
func (u URL) Resolve(ref string) (v URL, err error) {
	if u.fast(&v, ref) {
		return v, nil
	}
	return parse(ref, u, mode{})
}

// Link is Resolve with the one repair that links get: http:/x and https:/x
// mean two slashes.
func (u URL) Link(ref string) (v URL, err error) {
	if u.fast(&v, ref) {
		return v, nil
	}
	return parse(ref, u, mode{repair: true})
}

// LinkIn is Link for a reference found on a page in another charset than
// UTF-8: the query is encoded by enc.
func (u URL) LinkIn(ref string, enc Encoder) (v URL, err error) {
	if u.fast(&v, ref) {
		return v, nil
	}
	return parse(ref, u, mode{repair: true, enc: enc})
}

// IsZero reports whether u is the zero URL.
func (u URL) IsZero() bool { return u.href == "" }

// String returns the href.
func (u URL) String() string { return u.href }

// Scheme returns http or https; of the zero URL, nothing.
func (u URL) Scheme() string {
	switch {
	case u.href == "":
		return ""
	case u.href[4] == 's':
		return "https"
	}
	return "http"
}

// Host returns the serialised host without port; IPv6 in brackets.
func (u URL) Host() string { return u.href[u.host:u.port] }

// HostPort returns the host and, where one is written, colon and port. A
// scheme's own port is never written.
func (u URL) HostPort() string { return u.href[u.host:u.path] }

// HostKey returns the one form of the host that rules, robots, pacing and the
// guard use: security.md 1.4. That is Host without one trailing dot, and with
// IPv4-mapped addresses as IPv4. It is empty where the host is invalid by it:
// with an empty label, one over 63 bytes, more than 253 in all, Punycode that
// IDNA refuses, or one of "`{}, which net/http cannot send.
func (u URL) HostKey() string {
	if u.badName {
		return ""
	}
	return hostKey(u.Host())
}

// Addr returns the host's address where it is one; IPv4-mapped as IPv4.
func (u URL) Addr() (netip.Addr, bool) { return hostAddr(u.Host()) }

// Port returns the effective port: 80 or 443 where none is written.
func (u URL) Port() int {
	switch {
	case u.port < u.path:
		n, _ := strconv.Atoi(u.href[u.port+1 : u.path]) // the parser wrote it
		return n
	case u.href == "":
		return 0
	}
	return defaultPort(u.Scheme())
}

// defaultPort returns the port that scheme leaves unwritten.
func defaultPort(scheme string) int {
	if scheme == "https" {
		return 443
	}
	return 80
}

// User returns the decoded userinfo.
func (u URL) User() (name, password string, ok bool) {
	info := u.userinfo()
	if info == "" {
		return "", "", false
	}
	// The parser escapes every further colon.
	name, password, _ = strings.Cut(info[:len(info)-1], ":")
	return string(appendUnescaped(nil, name)), string(appendUnescaped(nil, password)), true
}

// userinfo returns the escaped userinfo with its @; empty where there is none.
func (u URL) userinfo() string {
	if u.href == "" {
		return ""
	}
	return u.href[len(u.Scheme())+len("://") : u.host]
}

// Path returns the escaped path, which begins with a slash.
func (u URL) Path() string { return u.href[u.path:u.pathEnd()] }

// pathEnd returns the offset behind the path.
func (u URL) pathEnd() int {
	if u.query > 0 {
		return int(u.query)
	}
	return u.queryEnd()
}

// queryEnd returns the offset behind path and query.
func (u URL) queryEnd() int {
	if u.frag > 0 {
		return int(u.frag)
	}
	return len(u.href)
}

// Query returns the query without its question mark, and whether there is one.
func (u URL) Query() (string, bool) {
	if u.query == 0 {
		return "", false
	}
	return u.href[u.query+1 : u.queryEnd()], true
}

// Fragment returns the fragment without its number sign.
func (u URL) Fragment() string {
	if u.frag == 0 {
		return ""
	}
	return u.href[u.frag+1:]
}

// Origin returns scheme://host[:port].
func (u URL) Origin() string {
	if u.userinfo() == "" {
		return u.href[:u.path]
	}
	return u.Scheme() + "://" + u.HostPort()
}

// RobotsPath returns path and query as robots rules see them: escapes in upper case.
func (u URL) RobotsPath() string { return upperEscapes(u.href[u.path:u.queryEnd()]) }

// WithoutFragment returns u without its fragment.
func (u URL) WithoutFragment() URL {
	u.href, u.frag = u.href[:u.queryEnd()], 0
	return u
}

// WithoutUser returns u without userinfo.
func (u URL) WithoutUser() URL {
	n := uint32(len(u.userinfo())) //nolint:gosec // G115: part of a string of at most maxBytes
	if n == 0 {
		return u
	}
	u.href = u.href[:u.host-n] + u.href[u.host:]
	u.host, u.port, u.path = u.host-n, u.port-n, u.path-n
	if u.query > 0 {
		u.query -= n
	}
	if u.frag > 0 {
		u.frag -= n
	}
	return u
}
