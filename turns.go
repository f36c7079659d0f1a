// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"context"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/fetch"
)

// mostScrapes is how many scrapes one host gets at a time while it is well: what
// a team may do at once is bounded by its slots.
const mostScrapes = 256

// turns returns what grants turns at hosts to all that the Service does.
func (s *Service) turns() pace.Scheduler {
	if s.Hosts == nil {
		return &s.hosts
	}
	return s.Hosts
}

// turn waits for a turn of line at the host of a scrape. It is taken before any
// slot: who has a slot waits for no host, or two could wait for each other. A
// page that the cache has needs no turn.
func (s *Service) turn(ctx context.Context, line *pace.Line, url string, o *ScrapeOptions) (*crawl.Turn, error) {
	if o.Lockdown || o.MinAge > 0 {
		return nil, nil
	}
	if o.MaxAge != 0 && s.caching() {
		_, err := s.fetcher().Fetch(ctx, &fetch.Request{
			URL: url, Header: o.Header, InsecureTLS: o.InsecureTLS, Partition: o.Partition,
			MaxAge: o.MaxAge, Lockdown: true, Redirect: func(hop fetch.Hop) error { return admit(ctx, o.Gate, hop.To) },
		})
		if err == nil {
			return nil, nil
		}
	}
	return crawl.TakeTurn(ctx, line, url, pace.Claim{Most: mostScrapes})
}
