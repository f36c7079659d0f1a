// SPDX-License-Identifier: Apache-2.0

package netguard

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"

	"example.com/curlew/internal/weburl"
)

// ErrDenied is what every refusal wraps and says.
var ErrDenied = errors.New("blocked by network policy")

// ReasonPort is the [Error.Reason] of a port that is not open, whatever the
// address.
const ReasonPort = "port"

// Error is a refusal. Its text is that of [ErrDenied]; the fields are for the
// audit log alone.
type Error struct {
	Address string // host, or address and port
	Reason  string
}

// Error returns the text of ErrDenied.
func (e *Error) Error() string { return ErrDenied.Error() }

// Unwrap returns ErrDenied.
func (e *Error) Unwrap() error { return ErrDenied }

// A Resolver looks names up. It is safe for concurrent use. network is ip; the
// name ends with a dot, so that search domains never apply.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, name string) ([]netip.Addr, error)
}

// Policy says what may be dialled. The zero value: globally reachable unicast,
// ports 80, 443, 8080, 8443. It is not changed after its first use.
type Policy struct {
	Ports []int          // besides those four; -1: every port but the Fetch standard's bad ports
	Allow []netip.Prefix // exceptions for LAN crawls and tests, any port; metadata addresses only by a /32 or /128
	Deny  []netip.Prefix // own NAT addresses, provider ranges; beats Allow
	NAT64 []netip.Prefix // judge addresses below by the IPv4 address in their last 32 bits

	Resolver Resolver // nil: the system's

	// Dial connects to an address that has passed the check. Nil: the
	// system's, which asks the check once more.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// CheckURL judges u before any lookup: its host, its port and, where the host
// is an address, that address. Errors are an [*Error]. With any Allow prefix
// the names are not judged, nor their ports: their addresses will be.
func (p Policy) CheckURL(u weburl.URL) error {
	host := u.HostKey()
	if host == "" {
		return &Error{Address: u.Host(), Reason: "invalid host"}
	}
	if a, ok := u.Addr(); ok {
		return p.judge(a, u.Port())
	}
	switch {
	case len(p.Allow) > 0:
		return nil
	case !strings.Contains(host, "."):
		return &Error{Address: host, Reason: "single-label name"}
	case isSpecial(host):
		return &Error{Address: host, Reason: "special-use name"}
	case !p.port(u.Port()):
		return &Error{Address: host, Reason: ReasonPort}
	}
	return nil
}

// Check judges an address with its port, such as 192.0.2.1:80 or
// [2001:db8::1]:443, at the moment of dialling. Networks other than tcp, tcp4
// and tcp6 are refused. Errors are an [*Error].
func (p Policy) Check(network, address string) error {
	a, err := checkForm(network, address)
	if err != nil {
		return err
	}
	if err := p.judge(a.Addr(), int(a.Port())); err != nil {
		return err
	}
	return p.judgeLocal(a.Addr(), interfaces())
}

// checkForm reads an address as the dialer gives it.
func checkForm(network, address string) (netip.AddrPort, error) {
	a, err := netip.ParseAddrPort(address)
	switch {
	case network != "tcp" && network != "tcp4" && network != "tcp6":
		return a, &Error{Address: address, Reason: "network " + network}
	case err != nil:
		return a, &Error{Address: address, Reason: "no address"}
	}
	return a, nil
}

// judge decides on an address by all but the machine's own interfaces. It is
// pure.
func (p Policy) judge(a netip.Addr, port int) error {
	var reason string
	switch {
	case !a.IsValid():
		reason = "no address"
	case a.Zone() != "": // Unmap would drop it
		reason = "zone"
	default:
		reason = p.judgePlain(a.Unmap(), port)
	}
	if reason == "" {
		return nil
	}
	return &Error{Address: a.String(), Reason: reason}
}

// judgePlain returns why an address without zone, IPv4-mapped ones unmapped,
// is refused; nothing where it is not.
func (p Policy) judgePlain(a netip.Addr, port int) string {
	if contains(p.Deny, a) {
		return "denied by configuration"
	}
	if p.allows(a) {
		return ""
	}
	if a.Is6() && contains(p.NAT64, a) {
		b := a.As16()
		a = netip.AddrFrom4([4]byte(b[12:]))
		switch {
		case contains(p.Deny, a):
			return "denied by configuration"
		case p.allows(a):
			return ""
		}
	}
	if !p.port(port) {
		return ReasonPort
	}
	return special(a)
}

// judgeLocal refuses the addresses of the machine itself, given as own, unless
// Allow has them: our own listeners through our public address.
func (p Policy) judgeLocal(a netip.Addr, own []netip.Addr) error {
	a = a.Unmap()
	if slices.Contains(own, a) && !p.allows(a) {
		return &Error{Address: a.String(), Reason: "address of a local interface"}
	}
	return nil
}

// allows reports whether Allow opens a.
func (p Policy) allows(a netip.Addr) bool {
	for _, prefix := range p.Allow {
		if prefix.Contains(a) && (prefix.IsSingleIP() || !contains(metadata, a)) {
			return true
		}
	}
	return false
}

// port reports whether a port is open for addresses that Allow does not name.
func (p Policy) port(n int) bool {
	switch n {
	case 80, 443, 8080, 8443:
		return true
	}
	if slices.Contains(p.Ports, n) && n > 0 {
		return true
	}
	if !slices.Contains(p.Ports, -1) || n < 1 || n > 65535 {
		return false
	}
	_, bad := slices.BinarySearch(badPorts, n)
	return !bad
}

// contains reports whether one of prefixes has a.
func contains(prefixes []netip.Prefix, a netip.Addr) bool {
	for _, p := range prefixes {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// isSpecial reports whether a host is or lies below a special-use name
// (RFC 6761, RFC 6762, RFC 7686, RFC 8375, ICANN's internal).
func isSpecial(host string) bool {
	for _, name := range specialNames {
		if rest, ok := strings.CutSuffix(host, name); ok && (rest == "" || strings.HasSuffix(rest, ".")) {
			return true
		}
	}
	return false
}

// interfaces returns the addresses of the machine; none where the system does
// not tell.
func interfaces() []netip.Addr {
	list, err := net.InterfaceAddrs()
	if err != nil {
		return nil // the address rule stands without it
	}
	own := make([]netip.Addr, 0, len(list))
	for _, a := range list {
		if prefix, err := netip.ParsePrefix(a.String()); err == nil {
			own = append(own, prefix.Addr().Unmap().WithZone(""))
		}
	}
	return own
}
