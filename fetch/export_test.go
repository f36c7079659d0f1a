// SPDX-License-Identifier: Apache-2.0

package fetch

import "example.com/curlew/internal/webtest"

// Over returns c, to reach n in place of the network.
func (c *Client) Over(n *webtest.Net) *Client {
	c.replace = network{dial: n.Dial, resolver: n, roots: n.Roots()}
	return c
}
