// SPDX-License-Identifier: Apache-2.0

package budget

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"example.com/curlew/agent/llm"
)

// Limits and factors of a Gauge.
const (
	gaugeKeeps  = 40  // number of calls of each role that are remembered
	gaugeSure   = 3   // number of calls of a role from which the next one can be predicted
	gaugeMargin = 1.2 // factor for the predicted cost
	gaugeDoubt  = 2.0 // factor for the predicted cost if there were fewer calls, or only calls of other roles
)

// Gauge measures the cost of the model calls of a run as a share of their bounds. A
// bound is several times what a call costs, and credits that are reserved for one call
// are missing for others.
type Gauge struct {
	mu     sync.Mutex // guards the fields below
	shares map[llm.Role][]float64
	costs  map[llm.Role][]llm.Credits
}

// Note records a call.
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

// last returns the last calls, as many as a Gauge remembers.
func last[T any](all []T) []T { return all[max(len(all)-gaugeKeeps, 0):] }

// most returns a value that 19 of 20 values do not exceed.
func most[T cmp.Ordered](all []T) T {
	all = slices.Sorted(slices.Values(all))
	return all[(len(all)*19+19)/20-1]
}

// margin returns the factor for a prediction that is based on so many calls.
func margin(calls int) float64 {
	if calls < gaugeSure {
		return gaugeDoubt
	}
	return gaugeMargin
}

// Usual returns how much to reserve for a call whose prompt is not known yet: the cost
// that 19 of 20 calls of its role did not exceed, with a margin, and at most the bound.
func (g *Gauge) Usual(role llm.Role, bound llm.Credits) llm.Credits {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.costs[role]) == 0 {
		return bound
	}
	return min(bound, llm.Credits(math.Ceil(float64(most(g.costs[role]))*margin(len(g.costs[role])))))
}

// Need returns how much to reserve for a call: the share of the bound that 19 of 20
// calls of its role did not exceed, with a margin. If there were not enough calls, it
// returns the bound.
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

// Least returns how much to reserve for a call when few credits are left: the share of
// the bound that half of the calls of its role did not exceed.
func (g *Gauge) Least(role llm.Role, bound llm.Credits) llm.Credits {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := slices.Sorted(slices.Values(g.shares[role]))
	if len(all) == 0 {
		return bound
	}
	return min(bound, llm.Credits(math.Ceil(float64(bound)*all[(len(all)-1)/2])))
}

// Typical returns a cost that half of the calls of a role did not exceed. If there were
// none, it returns zero.
func (g *Gauge) Typical(role llm.Role) llm.Credits {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := slices.Sorted(slices.Values(g.costs[role]))
	if len(all) == 0 {
		return 0
	}
	return all[(len(all)-1)/2]
}

// Extremes returns the least and the greatest cost of the calls of a role. If there were
// none, they are zero.
func (g *Gauge) Extremes(role llm.Role) (least, greatest llm.Credits) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if all := g.costs[role]; len(all) > 0 {
		return slices.Min(all), slices.Max(all)
	}
	return 0, 0
}
