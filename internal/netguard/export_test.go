// SPDX-License-Identifier: Apache-2.0

package netguard

import (
	"context"
	"net"
	"net/netip"
)

// Lookups returns the lookup of a fresh memory over r.
func Lookups(r Resolver) func(ctx context.Context, host string) ([]netip.Addr, error) {
	n := names{resolver: r}
	return n.lookup
}

// Judge is the address rule without the machine's own addresses.
func (p Policy) Judge(a netip.Addr, port int) error { return p.judge(a, port) }

// Settle is what an exchange does that gets c, Abandon what happens when the
// one has ended that c was dialled for.
func (c *Conn) Settle() {
	c.keep = func() bool { return false } // abandon is under way
	c.settle()
}

// Abandon is the other half.
func (c *Conn) Abandon() { c.abandon() }

// DialFor dials for an exchange with ctx as net/http gives it.
func (p Policy) DialFor(ctx, exchange context.Context, address string) (net.Conn, error) {
	g := &guard{policy: p, names: names{resolver: p.Resolver}}
	return g.dial(context.WithValue(ctx, exchangeKey{}, exchange), "tcp", address)
}

// TunnelAddress returns the address of the proxy that a URL names.
func TunnelAddress(proxy string) (string, error) {
	t, err := newTunnel(proxy)
	if err != nil {
		return "", err
	}
	return t.address, nil
}
