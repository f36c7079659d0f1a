// SPDX-License-Identifier: Apache-2.0

package weburl

import (
	"cmp"
	"errors"
	"net/netip"
	"strconv"
	"strings"
)

// Reasons why a text is not a valid URL.
var (
	ErrSyntax = errors.New("invalid URL")         // the standard's parser fails
	ErrScheme = errors.New("URL is not http(s)")  // it has another scheme
	ErrDomain = errors.New("no top-level domain") // of [Input]: the host is neither dotted nor an address
)

// Error says which part of a text is invalid. It never contains the text, which
// may include a password.
type Error struct {
	Part string // scheme, host, port or length
	Err  error  // [ErrSyntax] or [ErrScheme]

	text string // used instead of Part if a sentence is clearer
}

// Error returns the reason and the part.
func (e *Error) Error() string { return e.Err.Error() + ": " + cmp.Or(e.text, e.Part) }

// Unwrap returns the sentinel.
func (e *Error) Unwrap() error { return e.Err }

// A crawl finds thousands of broken links, so these errors are created once.
var (
	errLength   = &Error{Part: "length", Err: ErrSyntax, text: "it is too long"}
	errEmpty    = &Error{Part: "scheme", Err: ErrSyntax, text: "it is empty"}
	errRelative = &Error{Part: "scheme", Err: ErrSyntax, text: noScheme}
	errHost     = &Error{Part: "host", Err: ErrSyntax, text: "its host is missing or not valid"}
	errPort     = &Error{Part: "port", Err: ErrSyntax, text: "its port is not a number up to 65535"}
	errScheme   = &Error{Part: "scheme", Err: ErrScheme, text: "it has another scheme"}
	errHostPort = &Error{Part: "scheme", Err: ErrScheme, text: noScheme} // localhost:8080
)

const noScheme = "it has no scheme; write https:// before it"

// A URL is an absolute http or https URL in WHATWG form. It consists of an
// immutable string and offsets into it. URLs are comparable with ==. The zero
// URL is not a valid URL.
type URL struct {
	// href is scheme "://" [userinfo "@"] host [":" port] path ["?" query] ["#"
	// fragment]. The other fields follow from it, so URLs are equal if their
	// hrefs are.
	href string
	offsets
}

// offsets are the offsets of the parts of an href.
type offsets struct {
	host  uint32 // of the first byte of the host
	port  uint32 // end of the host: the offset of the colon or of the path
	path  uint32 // of the path's first slash
	query uint32 // of the question mark; zero if there is none
	frag  uint32 // of the number sign; zero if there is none

	// badName marks a host that the standard accepts, but that cannot be
	// fetched according to validName.
	badName bool
}

// An Encoder appends s in the charset of a page to dst and returns how many
// bytes of s it has encoded. If n < len(s), the character at s[n:] is not in
// the charset, and the URL gets its numeric reference instead. The standard
// encodes only queries in this way. A nil Encoder means UTF-8, which is also
// used for UTF-16.
type Encoder func(dst []byte, s string) (out []byte, n int)

// Parse parses raw as an absolute URL. Errors wrap [ErrSyntax] or [ErrScheme].
// It does not allocate if raw is ASCII and already in WHATWG form.
//
//go:noinline
func Parse(raw string) (URL, error) { return URL{}.Resolve(raw) }

// Resolve resolves ref against the base u. The zero URL is not a base, so only
// absolute references resolve against it. Errors wrap [ErrSyntax] or
// [ErrScheme].
//
//go:noinline
func (u URL) Resolve(ref string) (v URL, err error) {
	if u.fast(&v, ref) {
		return v, nil
	}
	return parse(ref, u, mode{})
}

// Link is like Resolve, but repairs http:/x and https:/x, which are treated as
// if they had two slashes.
//
//go:noinline
func (u URL) Link(ref string) (v URL, err error) {
	if u.fast(&v, ref) {
		return v, nil
	}
	return parse(ref, u, mode{repair: true})
}

// LinkIn is like Link for a page whose charset is not UTF-8: the query is
// encoded by enc.
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

// Scheme returns http or https, or "" for the zero URL.
func (u URL) Scheme() string {
	switch {
	case u.href == "":
		return ""
	case u.href[4] == 's':
		return "https"
	}
	return "http"
}

// Host returns the serialized host without port; IPv6 in brackets.
func (u URL) Host() string { return u.href[u.host:u.port] }

// HostPort returns the host with the port if it is not the default port.
func (u URL) HostPort() string { return u.href[u.host:u.path] }

// HostKey returns the normalized host that rules, robots.txt, the scheduler and
// the network policy use. It is Host without one trailing dot, and with
// IPv4-mapped addresses as IPv4. It is empty if the host is invalid because of an empty label, a label over 63 bytes, a length over 253,
// invalid Punycode, or one of "`{}, which net/http cannot send.
// Its many callers would be larger if it were inlined.
//
//go:noinline
func (u URL) HostKey() string {
	if u.badName {
		return ""
	}
	return hostKey(u.Host())
}

// Addr returns the host's address if it is one; an IPv4-mapped one as IPv4.
func (u URL) Addr() (netip.Addr, bool) { return hostAddr(u.Host()) }

// Port returns the port, which is 80 or 443 if none is given.
func (u URL) Port() int {
	switch {
	case u.port < u.path:
		n, _ := strconv.Atoi(u.href[u.port+1 : u.path]) // the parser has written it
		return n
	case u.href == "":
		return 0
	}
	return defaultPort(u.Scheme())
}

// defaultPort returns the default port of scheme.
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

// userinfo returns the escaped userinfo with its @, or "".
func (u URL) userinfo() string {
	if u.href == "" {
		return ""
	}
	return u.href[len(u.Scheme())+len("://") : u.host]
}

// Path returns the escaped path, which starts with a slash.
func (u URL) Path() string { return u.href[u.path:u.pathEnd()] }

// pathEnd returns the offset after the path.
func (u URL) pathEnd() int {
	if u.query > 0 {
		return int(u.query)
	}
	return u.queryEnd()
}

// queryEnd returns the offset after path and query.
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

// RobotsPath returns path and query in the form that robots.txt rules match:
// escapes in upper case.
func (u URL) RobotsPath() string { return upperEscapes(u.href[u.path:u.queryEnd()]) }

// WithoutFragment returns u without its fragment.
func (u URL) WithoutFragment() URL {
	u.href, u.frag = u.href[:u.queryEnd()], 0
	return u
}

// WithoutUser returns u without userinfo.
func (u URL) WithoutUser() URL {
	n := uint32(len(u.userinfo())) //nolint:gosec // at most maxBytes
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
