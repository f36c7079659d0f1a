// SPDX-License-Identifier: Apache-2.0

package pace

import "time"

// Figures are the state of the hosts of a scheduler at one instant, for metrics.
type Figures struct {
	Hosts    int           // hosts that are remembered
	InFlight int           // requests in flight
	Waiting  map[Cause]int // hosts at which a party waits for a turn, by the reason
	Gap      time.Duration // the longest pause that a host gets between two requests now
}

// Figures returns the state of all hosts.
func (a *Hosts) Figures() Figures {
	now := time.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	f := Figures{Hosts: len(a.hosts), Waiting: map[Cause]int{}}
	for _, h := range a.hosts {
		f.InFlight += h.inflight
		var c Claim
		if len(h.waiters) > 0 {
			c = h.waiters[0].claim
			f.Waiting[h.cause(c, now)]++
		}
		f.Gap = max(f.Gap, h.gap(c))
	}
	return f
}
