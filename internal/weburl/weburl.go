// SPDX-License-Identifier: Apache-2.0

// Package weburl reads text as browsers read it: text -> URL, by the WHATWG URL
// standard, for http and https.
package weburl

import (
	"errors"
	"log/slog"
	"net/netip"
	"net/url"
)

// Why a text is no URL of ours.
var (
	ErrSyntax = errors.New("invalid URL")        // the standard's parser fails
	ErrScheme = errors.New("URL is not http(s)") // it parses, with another scheme
)

// A URL is an absolute http or https URL in WHATWG form: one immutable string
// and offsets into it. URLs compare with ==. The zero URL is no URL.
type URL struct {
	href string
}

// Parse reads raw as an absolute URL. Errors wrap [ErrSyntax] or [ErrScheme].
func Parse(raw string) (URL, error) { panic("skeleton") }

// Resolve reads ref against the base u.
func (u URL) Resolve(ref string) (URL, error) { panic("skeleton") }

// Link is Resolve with the one repair that links get: http:/x and https:/x
// mean two slashes.
func (u URL) Link(ref string) (URL, error) { panic("skeleton") }

// Input reads what a person or client sent as an address, by the contract's
// URL rule (contract.md 2.3): trimmed, http:// where no scheme is given, no
// userinfo, a dotted host whose last label has two characters or an IP
// literal. singleLabel admits hosts without a dot. The error's text is the contract's.
func Input(raw string, singleLabel bool) (URL, error) { panic("skeleton") }

// IsZero reports whether u is the zero URL.
func (u URL) IsZero() bool { return u.href == "" }

// String returns the href.
func (u URL) String() string { return u.href }

// Scheme returns http or https.
func (u URL) Scheme() string { panic("skeleton") }

// Host returns the serialised host without port; IPv6 in brackets.
func (u URL) Host() string { panic("skeleton") }

// HostKey returns the one form of the host that rules, robots, pacing and the
// guard use: security.md 1.4. It is empty where the host is invalid by it.
func (u URL) HostKey() string { panic("skeleton") }

// Addr returns the host's address where it is one.
func (u URL) Addr() (netip.Addr, bool) { panic("skeleton") }

// Port returns the effective port: 80 or 443 where none is written.
func (u URL) Port() int { panic("skeleton") }

// User returns the decoded userinfo.
func (u URL) User() (name, password string, ok bool) { panic("skeleton") }

// Path returns the escaped path, which begins with a slash.
func (u URL) Path() string { panic("skeleton") }

// Query returns the query without its question mark, and whether there is one.
func (u URL) Query() (string, bool) { panic("skeleton") }

// Fragment returns the fragment without its number sign.
func (u URL) Fragment() string { panic("skeleton") }

// Origin returns scheme://host[:port].
func (u URL) Origin() string { panic("skeleton") }

// RobotsPath returns path and query as robots rules see them: escapes in upper case.
func (u URL) RobotsPath() string { panic("skeleton") }

// WithoutFragment returns u without its fragment.
func (u URL) WithoutFragment() URL { panic("skeleton") }

// WithoutUser returns u without userinfo.
func (u URL) WithoutUser() URL { panic("skeleton") }

// HTTP returns u for net/http, which sends exactly its bytes.
func (u URL) HTTP() *url.URL { panic("skeleton") }

// LogValue returns the redacted form: scheme, host, path and query names.
func (u URL) LogValue() slog.Value { panic("skeleton") }

// KeyOptions say which spellings are one page. The zero value folds similar
// ones and keeps the query.
type KeyOptions struct{ IgnoreQuery, KeepSimilar bool }

// AppendKey appends the dedupe key of u (crawl.md 4).
func (u URL) AppendKey(dst []byte, o KeyOptions) []byte { panic("skeleton") }

// Registrable returns the registrable domain of a host in HostKey form: the
// public suffix and one label; the host itself where it is an address or a suffix.
func Registrable(host string) string { panic("skeleton") }
