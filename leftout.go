// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"fmt"
	"time"

	"example.com/curlew/crawl"
	"example.com/curlew/internal/jsonenc"
	"example.com/curlew/internal/wire"
	"example.com/curlew/job"
)

// leftOut says which known URLs a crawl that ended below its limit did not
// visit, and why.
func leftOut(s *crawl.Stats) (texts []string) {
	if e := s.Endless; e.Left > 0 {
		text := fmt.Sprintf("At least %d known URL(s) seem to belong to spaces without an end and were not visited, beside %d that were.", e.Left, e.Taken)
		if len(e.Spaces) > 0 {
			first := e.Spaces[0]
			text += fmt.Sprintf(" %d of them are like %s, for example %s.", first.Left, first.Pattern, first.Example)
		}
		texts = append(texts, text)
	}
	if n := s.Refused[crawl.RuleTrap]; n > 0 {
		texts = append(texts, fmt.Sprintf("%d link(s) were not followed because their URLs are too long, too deep or repeat themselves.", n))
	}
	if s.Spent {
		texts = append(texts, fmt.Sprintf("The crawl ended after %d requests, the most for its limit: pages that failed or moved have used them up.", s.Requests))
	}
	if n := s.Refused[crawl.RuleRoom]; n > 0 {
		texts = append(texts, fmt.Sprintf("%d link(s) were not followed because the crawl knew as many URLs as it may for its limit.", n))
	}
	return texts
}

// explainStats adds a crawl's figures to its status.
func explainStats(st *wire.Status, j *job.Job, s *crawl.Stats) {
	counts := &wire.CrawlStats{
		Delivered: s.Delivered, Failed: s.Failed, Duplicate: s.Refused[crawl.RuleDuplicate], Robots: s.Blocked,
		Endless: s.Endless.Left, EndlessTaken: s.Endless.Taken, Requests: s.Requests, Rules: map[string]int{},
	}
	if !j.State.Final() {
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
	if j.State.Final() {
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
