// SPDX-License-Identifier: Apache-2.0

package frontiertest

import (
	"context"
	"time"

	"example.com/curlew/crawl/frontier"
)

func (p *probe) robots() {
	ctx, cancel := context.WithTimeout(p.Context(), patience)
	defer cancel()
	leases, err := p.f.Lease(ctx, 8)
	if err != nil || len(leases) != 1 || leases[0].Task != frontier.RobotsTask || leases[0].URL != start+"robots.txt" {
		p.Fatalf("first leases: %+v, %v", leases, err)
	}
	p.blocks()
	p.commit(frontier.Commit{Lease: leases[0], Outcome: frontier.Retry, After: time.Millisecond})
	p.begin("http://b.test/x", "https://a.test/x", "http://a.test:8080/x")
	for range 3 {
		p.end(p.lease())
	}
	p.over()
	if len(p.known) != 4 {
		p.Errorf("robots.txt was asked of %v", p.known)
	}
}

func (p *probe) ignored() {
	p.known["http://a.test"], p.known["http://b.test"] = true, true
	p.begin("http://b.test/x")
	p.end(p.lease())
	p.over()
}

// unruled checks that, if a page is committed with Unruled, its robots.txt is
// requested again before it.
func (p *probe) unruled() {
	p.begin("x")
	l := p.lease()
	delete(p.known, "http://a.test") // the next lease must be a robots.txt
	p.commit(frontier.Commit{Lease: l, Outcome: frontier.Retry, Unruled: true})
	again := p.lease()
	if again.URL != l.URL || again.Seq != l.Seq || again.Tries != 0 || again.Unruled != 1 {
		p.Errorf("again: %+v", again)
	}
	if !p.known["http://a.test"] {
		p.Error("robots.txt was not leased again")
	}
	p.end(again)
	p.over()
}

// lost checks that a page whose result was lost is leased again, and that this is not
// a try.
func (p *probe) lost() {
	p.begin("x")
	l := p.lease()
	p.commit(frontier.Commit{Lease: l, Outcome: frontier.Retry, Lost: true})
	again := p.lease()
	if again.URL != l.URL || again.Seq != l.Seq || again.Tries != 0 || again.Lost != 1 {
		p.Errorf("again: %+v", again)
	}
	p.end(again)
	p.over()
}
