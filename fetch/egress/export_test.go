// SPDX-License-Identifier: Apache-2.0

package egress

import "example.com/curlew/internal/netguard"

// Resolving makes a proxy of these options use the resolver r.
func (o *Options) Resolving(r netguard.Resolver) *Options {
	o.resolver = r
	return o
}
