// SPDX-License-Identifier: Apache-2.0

package weburl

import (
	"strings"
	"unicode"
)

// inputError is the error text of the contract for an invalid address, with its
// cause.
type inputError struct {
	text string
	err  error // [ErrScheme], [ErrDomain] or [ErrSyntax]
}

func (e *inputError) Error() string { return e.text }
func (e *inputError) Unwrap() error { return e.err }

// Texts of the contract.
var (
	errInputScheme = &inputError{"URL uses unsupported protocol", ErrScheme}
	errInputDomain = &inputError{"URL must have a valid top-level domain or be an IP address", ErrDomain}
	errInputSyntax = &inputError{"Invalid URL", ErrSyntax}
)

// Input parses an address that a person or client has sent, by the contract's
// URL rule: it is trimmed, gets http:// if it has no scheme,
// and must have no userinfo and either a dotted host whose last label has at
// least two characters or an IP literal. singleLabel allows hosts without a
// dot. The text of the error is the contract's; it wraps [ErrScheme],
// [ErrDomain] or [ErrSyntax].
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

// HasScheme reports whether s starts with any scheme. localhost:8080 does not.
func HasScheme(s string) bool {
	scheme, rest := cutScheme(s)
	return scheme != "" && (scheme != "other" || !startsWithPort(rest))
}

// startsWithPort distinguishes localhost:3000/x, in which the colon ends a
// host, from mailto:x, in which it ends a scheme.
func startsWithPort(s string) bool {
	digits := 0
	for digits < len(s) && '0' <= s[digits] && s[digits] <= '9' {
		digits++
	}
	return digits > 0 && (digits == len(s) || strings.IndexByte(`/\?#`, s[digits]) >= 0)
}

// Redacted returns a URL in a form for messages and logs: without userinfo and
// without an empty fragment. If raw is not a URL, it returns "".
func Redacted(raw string) string {
	u, err := Parse(raw)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(u.WithoutUser().String(), "#")
}
