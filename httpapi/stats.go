// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"time"

	"example.com/curlew"
	"example.com/curlew/crawl"
	"example.com/curlew/httpapi/internal/wire"
	"example.com/curlew/internal/jsonenc"
)

// explainStats adds a crawl's figures to its status.
func explainStats(st *wire.Status, now *curlew.Status) {
	s := &now.Crawl
	counts := &wire.CrawlStats{
		Delivered: s.Delivered, Failed: s.Failed, Duplicate: s.Refused[crawl.RuleDuplicate], Robots: s.Blocked,
		Endless: s.Endless.Left, EndlessTaken: s.Endless.Taken, Requests: s.Requests, Rules: map[string]int{},
	}
	if !now.State.Final() {
		counts.Queued, counts.InFlight = s.Pending, s.Leased
	}
	for rule, n := range s.Refused {
		if n == 0 {
			continue
		}
		counts.Rules[crawl.Rule(rule).String()] = n
		switch crawl.Rule(rule) {
		case crawl.RuleDuplicate, crawl.RuleRobots, crawl.RuleEndless:
		default:
			counts.Scope += n
		}
	}
	for _, e := range s.Endless.Spaces {
		counts.EndlessSpaces = append(counts.EndlessSpaces, wire.EndlessSpace{Pattern: e.Pattern, Example: e.Example, Left: e.Left})
	}
	st.Stats = counts
	if now.State.Final() {
		return
	}
	for _, w := range s.Waits {
		host := wire.HostWait{Host: w.Host, GapMS: w.Gap.Milliseconds(), Cause: string(w.Cause)}
		if !w.Until.IsZero() {
			host.Until = new(jsonenc.Time(w.Until))
		}
		st.Hosts = append(st.Hosts, host)
	}
	if s.Resumes.After(time.Now()) {
		st.WaitingUntil = new(jsonenc.Time(s.Resumes))
	}
}
