// SPDX-License-Identifier: Apache-2.0

package pace

import (
	"maps"
	"slices"
)

// Known returns the names of the hosts in memory, sorted.
func (a *Hosts) Known() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Sorted(maps.Keys(a.hosts))
}

// Files returns the number and the memory of the stored robots.txt files.
func (a *Hosts) Files() (n, weight int) {
	a.robots.mu.Lock()
	defer a.robots.mu.Unlock()
	return len(a.robots.byKey), a.robots.weight
}
