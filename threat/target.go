// SPDX-License-Identifier: Apache-2.0

package threat

import (
	"net/netip"

	"example.com/curlew/internal/weburl"
)

// nat64 is the prefix by which IPv6 hosts reach IPv4 hosts (RFC 6052).
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// Target is a URL as gates and classifiers see it.
type Target struct {
	URL       string     // absolute, as WHATWG URL writes it, without userinfo and fragment
	Canonical string     // the result of [Canonical], which is hashed and counted once a job
	Host      string     // normalized: lower case, A-labels, IPv6 in brackets
	Addr      netip.Addr // set if Host is an address; an IPv4-mapped one as IPv4

	// NoStore says that nothing about the URL may be kept after the call, not
	// even a hash, because the job has zero data retention. A [Gate] sets it.
	NoStore bool

	embedded string // the IPv4 host that a NAT64 address leads to
}

// ParseTarget parses an absolute http or https URL. The error is an [*Error].
// It wraps [ErrHost] if the host cannot be looked up, or the error of the URL
// parser.
func ParseTarget(raw string) (Target, error) {
	u, err := weburl.Parse(raw)
	if err != nil {
		return Target{}, &Error{Err: err}
	}
	u = u.WithoutUser().WithoutFragment()
	t := Target{URL: u.String(), Host: u.HostKey()}
	if t.Host == "" {
		return Target{}, &Error{URL: t.URL, Err: ErrHost}
	}
	t.Canonical = Canonical(t.URL)
	if a, ok := u.Addr(); ok {
		t.Addr = a
		t.embedded = embedded(a)
	}
	return t, nil
}

// embedded returns the host of the IPv4 address in a NAT64 address, or "" for
// any other address.
func embedded(a netip.Addr) string {
	if !nat64.Contains(a) {
		return ""
	}
	b := a.As16()
	return netip.AddrFrom4([4]byte(b[12:])).String()
}
