// SPDX-License-Identifier: Apache-2.0

package pace

import (
	"maps"
	"slices"
)

// Known returns the hosts that are remembered, sorted.
func (a *Hosts) Known() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Sorted(maps.Keys(a.hosts))
}

// Files returns how many robots.txt files are kept, and what they weigh.
func (a *Hosts) Files() (n, weight int) {
	a.robots.mu.Lock()
	defer a.robots.mu.Unlock()
	return len(a.robots.byKey), a.robots.weight
}
