// SPDX-License-Identifier: Apache-2.0

package egress

import "example.com/curlew/internal/netguard"

// Resolving sets the resolver of the proxy to r, and returns o.
func (o *Options) Resolving(r netguard.Resolver) *Options {
	o.resolver = r
	return o
}
