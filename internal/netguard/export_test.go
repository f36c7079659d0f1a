// SPDX-License-Identifier: Apache-2.0

package netguard

import (
	"context"
	"net/netip"
)

// Lookups returns the lookup of a fresh memory over r.
func Lookups(r Resolver) func(ctx context.Context, host string) ([]netip.Addr, error) {
	n := names{resolver: r}
	return n.lookup
}

// Judge is the address rule without the machine's own addresses.
func (p Policy) Judge(a netip.Addr, port int) error { return p.judge(a, port) }
