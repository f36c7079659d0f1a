// SPDX-License-Identifier: Apache-2.0

package budget

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"example.com/curlew/agent/llm"
)

// Bounds of a gauge.
const (
	gaugeKeeps  = 40  // calls of a role
	gaugeSure   = 3   // calls of a role that tell what the next one needs
	gaugeMargin = 1.2 // of the measured need
	gaugeDoubt  = 2.0 // of the need that fewer calls, or those of other roles, tell
)

// Gauge measures what the model calls of a run cost, as a share of their bounds. A
// bound is several times what a call costs, and what is reserved for one call is
// missing for others.
type Gauge struct {
	mu     sync.Mutex // guards all below
	shares map[llm.Role][]float64
	costs  map[llm.Role][]llm.Credits
}

// Note adds a call.
func (g *Gauge) Note(role llm.Role, cost, bound llm.Credits) {
	if bound <= 0 || cost < 0 {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shares == nil {
		g.shares, g.costs = map[llm.Role][]float64{}, map[llm.Role][]llm.Credits{}
	}
	g.shares[role] = last(append(g.shares[role], float64(cost)/float64(bound)))
	g.costs[role] = last(append(g.costs[role], cost))
}

// last returns the calls that a gauge keeps.
func last[T any](all []T) []T { return all[max(len(all)-gaugeKeeps, 0):] }

// most returns what 19 of 20 values do not exceed.
func most[T cmp.Ordered](all []T) T {
	all = slices.Sorted(slices.Values(all))
	return all[(len(all)*19+19)/20-1]
}

// margin returns by what to multiply the need that so many calls tell.
func margin(calls int) float64 {
	if calls < gaugeSure {
		return gaugeDoubt
	}
	return gaugeMargin
}

// Usual returns what to reserve for a call whose prompt is not known yet: what 19 of
// 20 calls of its role cost, with a margin, and at most the bound.
func (g *Gauge) Usual(role llm.Role, bound llm.Credits) llm.Credits {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.costs[role]) == 0 {
		return bound
	}
	return min(bound, llm.Credits(math.Ceil(float64(most(g.costs[role]))*margin(len(g.costs[role])))))
}

// Need returns what to reserve for a call: what 19 of 20 calls of its role cost, with
// a margin. It is the bound before there are calls to go by.
func (g *Gauge) Need(role llm.Role, bound llm.Credits) llm.Credits {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := g.shares[role]
	by := margin(len(all))
	if len(all) == 0 {
		for _, role := range []llm.Role{llm.RolePlan, llm.RoleDecide, llm.RoleExtract, llm.RoleVerify, llm.RoleSynthesize} {
			all = append(all, g.shares[role]...)
		}
		if len(all) < gaugeSure {
			return bound
		}
	}
	return min(bound, llm.Credits(math.Ceil(float64(bound)*most(all)*by)))
}

// Least returns what to reserve for a call at the end of the credits: the share of the
// bound that half of the calls of its role cost at most.
func (g *Gauge) Least(role llm.Role, bound llm.Credits) llm.Credits {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := slices.Sorted(slices.Values(g.shares[role]))
	if len(all) == 0 {
		return bound
	}
	return min(bound, llm.Credits(math.Ceil(float64(bound)*all[(len(all)-1)/2])))
}

// Typical returns what half of the calls of a role cost at most. It is zero before
// there are calls to go by.
func (g *Gauge) Typical(role llm.Role) llm.Credits {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := slices.Sorted(slices.Values(g.costs[role]))
	if len(all) == 0 {
		return 0
	}
	return all[(len(all)-1)/2]
}
