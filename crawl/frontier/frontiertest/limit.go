// SPDX-License-Identifier: Apache-2.0

package frontiertest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/crawl/scope"
)

func (p *probe) limit() {
	p.begin("1", "2", "3", "4", "5")
	ctx, cancel := context.WithTimeout(p.Context(), patience)
	defer cancel()
	leases, err := p.f.Lease(ctx, 10)
	if err != nil || len(leases) > 2 {
		p.Fatalf("Lease gave %d of 2 places, %v", len(leases), err)
	}
	for len(leases) < 2 {
		leases = append(leases, p.lease())
	}
	p.blocks()
	if s := p.stats(); s.Delivered != 1 || s.Leased != 2 || s.Total(3) != 3 {
		p.Errorf("Stats: %+v", s)
	}
	p.end(leases[0])
	p.end(leases[1])
	p.over()
	if s := p.stats(); s.Delivered != 3 {
		p.Errorf("%d delivered, want 3", s.Delivered)
	}
}

// race lets 8 workers end leases in every way. The number of places must never
// be exceeded.
func (p *probe) race() {
	var first []string
	for i := range 200 {
		first = append(first, fmt.Sprint("n", i))
	}
	p.begin(first...)
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for n := w; ; n++ {
				leases, err := p.f.Lease(p.Context(), 3)
				if err != nil {
					if !errors.Is(err, io.EOF) {
						p.Errorf("Lease: %v", err)
					}
					return
				}
				for _, l := range leases {
					o := []frontier.Outcome{frontier.Delivered, frontier.Failed, frontier.Delivered, frontier.Dropped, frontier.Delivered}[n%5]
					c := frontier.Commit{Lease: l, Outcome: o, URL: l.URL, Answer: pace.Good}
					if err := p.f.Commit(p.Context(), c); err != nil {
						p.Errorf("Commit: %v", err)
					}
					if s := p.stats(); s.Delivered+s.Leased > 50 {
						p.Errorf("%d delivered and %d leased, over the limit 50", s.Delivered, s.Leased)
					}
				}
			}
		})
	}
	wg.Wait()
	if s := p.stats(); s.Delivered != 50 || s.Leased != 0 {
		p.Errorf("at the end: %+v", s)
	}
}

func (p *probe) refund() {
	l := p.lease()
	p.commit(frontier.Commit{Lease: l, Outcome: frontier.Failed, Answer: pace.Good, Cost: 2, Targets: targets(1, "x", "y", "z")})
	for _, o := range []frontier.Outcome{frontier.Dropped, frontier.Duplicate} {
		l = p.lease()
		p.blocks()
		p.commit(frontier.Commit{Lease: l, Outcome: o, Answer: pace.Good})
	}
	p.commit(frontier.Commit{Lease: p.lease(), Outcome: frontier.Delivered, Cost: 3, Blocked: []string{start + "b"}})
	p.over()
	if s := p.stats(); s.Delivered != 1 || s.Failed != 1 || s.Cost != 5 || s.Blocked != 1 {
		p.Errorf("at the end: %+v", s)
	}
}

// budget uses up 10 x 1 + 1,000 requests with pages that fail.
func (p *probe) budget() {
	const budget = 1010
	var all []string
	for i := range 2 * budget {
		all = append(all, fmt.Sprint("n", i))
	}
	l := p.lease()
	p.commit(frontier.Commit{Lease: l, Outcome: frontier.Failed, Answer: pace.Good, Targets: targets(1, all...)})
	n := 1
	for {
		l, err := p.try(patience)
		if err != nil {
			if !errors.Is(err, io.EOF) {
				p.Fatalf("Lease: %v", err)
			}
			break
		}
		n++
		p.commit(frontier.Commit{Lease: l, Outcome: frontier.Failed, Answer: pace.Good})
	}
	s := p.stats()
	if n != budget || s.Requests != budget || s.Refused[scope.RuleRoom] != 2*budget-budget+1 {
		p.Errorf("%d requests, want %d; %d URLs had no room", n, budget, s.Refused[scope.RuleRoom])
	}
}
