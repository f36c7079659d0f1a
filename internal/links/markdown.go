// SPDX-License-Identifier: Apache-2.0

package links

func markdown(c *collector, text string) {}
