// SPDX-License-Identifier: Apache-2.0

package netguard

import (
	"context"
	"net"
	"net/netip"
)

// Lookups returns the lookup function of an empty cache for r.
func Lookups(r Resolver) func(ctx context.Context, host string) ([]netip.Addr, error) {
	n := names{resolver: r}
	return n.lookup
}

// Judge applies the address rules without the machine's own addresses.
func (p Policy) Judge(a netip.Addr, port int) error { return p.judge(a, port) }

// JudgeUnlisted applies the rule about the machine's own addresses if they cannot be
// listed.
func (p Policy) JudgeUnlisted(a netip.Addr) error { return p.judgeLocal(a, own{unlisted: true}) }

// Settle is called by an exchange that gets c. Abandon is called at the end of
// the exchange that c was dialed for.
func (c *Conn) Settle() {
	c.keep = func() bool { return false } // abandon is already running
	c.settle()
}

// Abandon calls abandon.
func (c *Conn) Abandon() { c.abandon() }

// DialFor dials for an exchange with a context as net/http passes it.
func (p Policy) DialFor(ctx, exchange context.Context, address string) (net.Conn, error) {
	g := &guard{policy: p, names: names{resolver: p.Resolver}}
	return g.dial(context.WithValue(ctx, exchangeKey{}, exchange), "tcp", address)
}

// TunnelAddress returns the address of the proxy of a URL.
func TunnelAddress(proxy string) (string, error) {
	t, err := newTunnel(proxy)
	if err != nil {
		return "", err
	}
	return t.address, nil
}
