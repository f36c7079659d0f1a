// SPDX-License-Identifier: Apache-2.0

package threat

import (
	"net/netip"

	"example.com/curlew/internal/weburl"
)

// nat64 is where IPv6 hosts reach IPv4 ones (RFC 6052).
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// Target is a URL as the gate and classifiers see it.
type Target struct {
	URL       string     // absolute, WHATWG form, without userinfo and fragment
	Canonical string     // the form of [Canonical]: hashed, and counted once a job
	Host      string     // the one form of the host: lower case, A-labels, IPv6 in brackets
	Addr      netip.Addr // where Host is an address; IPv4-mapped as IPv4

	// NoStore says that nothing about the URL may be kept beyond the call, be it
	// a hash: the job has zero data retention. A [Gate] sets it.
	NoStore bool

	embedded string // the host that a NAT64 address leads to
}

// ParseTarget reads an absolute http or https URL. Errors are of type [*Error]
// and wrap [ErrHost] where the host is none that can be looked up, or the URL
// parser's error.
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

// embedded returns the host of the IPv4 address in a NAT64 address, and nothing
// for any other.
func embedded(a netip.Addr) string {
	if !nat64.Contains(a) {
		return ""
	}
	b := a.As16()
	return netip.AddrFrom4([4]byte(b[12:])).String()
}
