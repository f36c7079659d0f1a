// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"context"

	"example.com/curlew/fetch"
	"example.com/curlew/format"
	"example.com/curlew/internal/webtest"
	"example.com/curlew/job"
	"example.com/curlew/threat"
)

// Over returns w, to reach n in place of the network.
func (w Webhooks) Over(n *webtest.Net) Webhooks {
	w.dial, w.resolver, w.Roots = n.Dial, n, n.Roots()
	return w
}

// Sheets returns what brings style sheets.
func Sheets(f fetch.Fetcher, g *threat.Gate) format.Fetcher { return &sheets{fetcher: f, gate: g} }

// Running returns how many jobs of the team "default" run.
func (s *Service) Running(ctx context.Context) int {
	jobs, err := s.runner().List(ctx, "default", job.Filter{State: job.Running})
	if err != nil {
		return -1
	}
	return len(jobs)
}
