// SPDX-License-Identifier: Apache-2.0

package weburl

import (
	"strings"
	"unicode"
)

// inputError is what the wire answers to an address, and why.
type inputError struct {
	text string
	err  error // the sentinel
}

func (e *inputError) Error() string { return e.text }
func (e *inputError) Unwrap() error { return e.err }

// The contract's texts (contract.md 2.3).
var (
	errInputScheme = &inputError{"URL uses unsupported protocol", ErrScheme}
	errInputDomain = &inputError{"URL must have a valid top-level domain or be an IP address", ErrDomain}
	errInputSyntax = &inputError{"Invalid URL", ErrSyntax}
)

// Input reads what a person or client sent as an address, by the contract's
// URL rule (contract.md 2.3): trimmed, http:// where no scheme is given, no
// userinfo, a dotted host whose last label has two characters or an IP
// literal. singleLabel admits hosts without a dot. The error's text is the
// contract's; it wraps [ErrScheme], [ErrDomain] or [ErrSyntax].
func Input(raw string, singleLabel bool) (URL, error) {
	s := strings.TrimFunc(raw, func(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' })
	switch scheme, _ := cutScheme(s); {
	case !HasScheme(s):
		s = "http://" + s
	case scheme == "other":
		return URL{}, errInputScheme
	}
	u, err := Parse(s)
	if err != nil || u.userinfo() != "" {
		return URL{}, errInputSyntax
	}
	key := u.HostKey()
	if key == "" {
		return URL{}, errInputSyntax
	}
	if _, ok := u.Addr(); ok {
		return u, nil
	}
	dot := strings.LastIndexByte(key, '.')
	if (dot < 0 && !singleLabel) || (dot >= 0 && len(key)-dot-1 < 2) {
		return URL{}, errInputDomain
	}
	return u, nil
}

// HasScheme reports whether s begins with a scheme, whichever. The host of
// localhost:8080 is none.
func HasScheme(s string) bool {
	scheme, rest := cutScheme(s)
	return scheme != "" && (scheme != "other" || !startsWithPort(rest))
}

// startsWithPort tells localhost:3000/x, where the colon ends a host, from
// mailto:x, where it ends a scheme.
func startsWithPort(s string) bool {
	digits := 0
	for digits < len(s) && '0' <= s[digits] && s[digits] <= '9' {
		digits++
	}
	return digits > 0 && (digits == len(s) || strings.IndexByte(`/\?#`, s[digits]) >= 0)
}

// Redacted returns a URL as messages and logs may show it: without userinfo and
// without an empty fragment. Of what is no URL it is empty.
func Redacted(raw string) string {
	u, err := Parse(raw)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(u.WithoutUser().String(), "#")
}
