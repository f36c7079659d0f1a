// SPDX-License-Identifier: Apache-2.0

package netguard

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"
	"syscall"

	"example.com/curlew/internal/weburl"
)

// ErrDenied is wrapped by every refusal, which also has its text.
var ErrDenied = errors.New("blocked by network policy")

// ReasonPort is the [Error.Reason] for a port that is not allowed.
const ReasonPort = "port"

// Error is a refusal. Its text is that of [ErrDenied]. The fields are only for
// the audit log.
type Error struct {
	Address string // host, or address and port
	Reason  string
}

// Error returns the text of ErrDenied.
func (e *Error) Error() string { return ErrDenied.Error() }

// Unwrap returns ErrDenied.
func (e *Error) Unwrap() error { return ErrDenied }

// A Resolver resolves names. It is safe for concurrent use. network is ip. The
// name ends in a dot, so that search domains do not apply.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, name string) ([]netip.Addr, error)
}

// Policy says which addresses may be dialed. The zero value allows globally
// reachable unicast addresses on the ports 80, 443, 8080 and 8443. It must not
// be changed after its first use.
type Policy struct {
	Ports []int // additional ports; -1 means every port except the bad ports of the Fetch standard
	// Allow contains exceptions for local networks and tests, on any port.
	// Addresses of metadata services are only allowed by a /32 or /128.
	Allow []netip.Prefix
	// Deny contains refused ranges, such as the operator's own NAT addresses.
	// It has precedence over Allow.
	Deny []netip.Prefix
	// NAT64 contains prefixes whose addresses are checked by the IPv4 address
	// in their last 32 bits.
	NAT64 []netip.Prefix

	Resolver Resolver // nil means the system's

	// Dial connects to an address that has passed the check. Nil means the
	// system's dialer, which repeats the check.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// CheckURL checks u before any lookup: its host, its port and, if the host is
// an address, that address. The error is an [*Error]. If there is any Allow
// prefix, names and their ports are not checked, because their addresses will
// be.
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

// Check checks an address with its port, such as 192.0.2.1:80 or
// [2001:db8::1]:443, when it is dialed. Networks other than tcp, tcp4 and tcp6
// are refused. The error is an [*Error].
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

// checkForm parses an address in the form that a dialer gets.
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

// judge checks an address against everything except the machine's own
// interfaces. It is a pure function.
func (p Policy) judge(a netip.Addr, port int) error {
	var reason string
	switch {
	case !a.IsValid():
		reason = "no address"
	case a.Zone() != "": // Unmap would remove it
		reason = "zone"
	default:
		reason = p.judgePlain(a.Unmap(), port)
	}
	if reason == "" {
		return nil
	}
	return &Error{Address: a.String(), Reason: reason}
}

// judgePlain returns why an address is refused, or "". The address has no zone
// and is not IPv4-mapped.
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

// judgeLocal refuses the machine's own addresses, unless Allow contains them.
// They would reach our own listeners through a public address.
func (p Policy) judgeLocal(a netip.Addr, own own) error {
	a = a.Unmap()
	if own.has(a) && !p.allows(a) {
		return &Error{Address: a.String(), Reason: "address of a local interface"}
	}
	return nil
}

// allows reports whether Allow contains a.
func (p Policy) allows(a netip.Addr) bool {
	for _, prefix := range p.Allow {
		if prefix.Contains(a) && (prefix.IsSingleIP() || !contains(metadata, a)) {
			return true
		}
	}
	return false
}

// port reports whether a port is allowed for addresses that are not in Allow.
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

// contains reports whether one of prefixes contains a.
func contains(prefixes []netip.Prefix, a netip.Addr) bool {
	for _, p := range prefixes {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// isSpecial reports whether host is a special-use name or below one (RFC 6761,
// RFC 6762, RFC 7686, RFC 8375, and ICANN's internal).
func isSpecial(host string) bool {
	for _, name := range specialNames {
		if rest, ok := strings.CutSuffix(host, name); ok && (rest == "" || strings.HasSuffix(rest, ".")) {
			return true
		}
	}
	return false
}

// own contains the addresses of the machine. If they cannot be listed, for example
// because a sandbox allows no netlink sockets, list is nil and unlisted is set.
type own struct {
	list     []netip.Addr
	unlisted bool
}

// interfaces returns the addresses of the machine.
func interfaces() own {
	list, err := net.InterfaceAddrs()
	if err != nil {
		return own{unlisted: true}
	}
	o := own{list: make([]netip.Addr, 0, len(list))}
	for _, a := range list {
		if prefix, err := netip.ParsePrefix(a.String()); err == nil {
			o.list = append(o.list, prefix.Addr().Unmap().WithZone(""))
		}
	}
	return o
}

// has reports whether a is an address of the machine. If the addresses cannot be
// listed, it tries to bind a socket to a, which is only possible for an address of
// the machine. If the reason of a failure is another one, a counts as an address of
// the machine.
func (o own) has(a netip.Addr) bool {
	if !o.unlisted {
		return slices.Contains(o.list, a)
	}
	c, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(a, 0)))
	if err != nil {
		return !errors.Is(err, syscall.EADDRNOTAVAIL)
	}
	_ = c.Close()
	return true
}
