// SPDX-License-Identifier: Apache-2.0

package curlew

import "example.com/curlew/internal/webtest"

// Over returns w, to reach n in place of the network.
func (w Webhooks) Over(n *webtest.Net) Webhooks {
	w.dial, w.resolver, w.Roots = n.Dial, n, n.Roots()
	return w
}
