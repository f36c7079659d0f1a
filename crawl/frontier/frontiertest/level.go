// SPDX-License-Identifier: Apache-2.0

package frontiertest

import (
	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/pace"
)

func (p *probe) levels() {
	p.begin("a", "b")
	a, b := p.lease(), p.lease()
	p.end(a, targets(2, "c")...)
	p.blocks() // b may still link to c at depth 1, so deeper pages must wait
	p.end(b)
	if c := p.lease(); c.Depth != 2 {
		p.Errorf("depth %d, want 2", c.Depth)
	} else {
		p.end(c)
	}
	p.over()
}

// file returns a sitemap file.
func file(path string) frontier.Target {
	t := targets(0, path)[0]
	t.Sitemap = true
	return t
}

func (p *probe) sitemaps() {
	p.end(p.lease(), append(targets(1, "link"), file("sitemap.xml"), file("sitemap.xml"))...)
	l := p.lease()
	if l.Task != frontier.SitemapTask {
		p.Fatalf("%s came before the sitemap", l.URL)
	}
	p.blocks()
	nested := file("more.xml")
	nested.Depth = 1
	p.commit(frontier.Commit{Lease: l, Outcome: frontier.Sitemap, Answer: pace.Good, Targets: append(targets(0, "listed"), nested)})
	if l = p.lease(); l.Task != frontier.SitemapTask || l.Depth != 1 {
		p.Errorf("after the first sitemap: %+v", l)
	}
	listed := p.lease() // at depth 0, so it need not wait
	if listed.URL != start+"listed" || listed.From != "" {
		p.Errorf("listed page: %+v", listed)
	}
	p.blocks()
	p.commit(frontier.Commit{Lease: l, Outcome: frontier.Dropped})
	p.end(listed) // a frontier may keep deeper pages waiting for it
	if l = p.lease(); l.URL != start+"link" || l.Depth != 1 {
		p.Errorf("after the sitemaps: %+v", l)
	}
	p.end(l)
	p.over()
	if s := p.stats(); s.Delivered != 3 || s.Sitemaps != 1 {
		p.Errorf("at the end: %+v", s)
	}
}

func (p *probe) promotion() {
	p.end(p.lease(), append(targets(1, "x", "y", "z"), file("sitemap.xml"))...)
	l := p.lease()
	p.commit(frontier.Commit{Lease: l, Outcome: frontier.Sitemap, Targets: targets(0, "y", "away", "y")})
	y, away := p.lease(), p.lease()
	if y.URL != start+"y" || y.Depth != 0 || y.From != "" {
		p.Errorf("a link that the sitemap has, too: %+v", y)
	}
	p.commit(frontier.Commit{Lease: away, Outcome: frontier.Moved, Answer: pace.Good, Targets: targets(0, "z")})
	z := p.lease()
	if z.URL != start+"z" || z.Depth != 0 || z.Asked != start+"away" {
		p.Errorf("moved to a link that waits: %+v", z)
	}
	p.end(y)
	p.end(z)
	if x := p.lease(); x.Depth != 1 || x.URL != start+"x" {
		p.Errorf("the link that was left: %+v", x)
	} else {
		p.end(x)
	}
	p.over()
	if s := p.stats(); s.Delivered != 4 || s.Pending != 0 {
		p.Errorf("at the end: %+v", s)
	}
}

func (p *probe) ranks() {
	p.begin("1", "2", "3")
	a, b := p.lease(), p.lease()
	if a.URL != start+"1" || b.URL != start+"2" || b.Rank != a.Rank+1 {
		p.Errorf("ranks %d of %s, %d of %s", a.Rank, a.URL, b.Rank, b.URL)
	}
	p.commit(frontier.Commit{Lease: b, Outcome: frontier.Held, Answer: pace.Good})
	p.commit(frontier.Commit{Lease: a, Outcome: frontier.Moved, Answer: pace.Good, Targets: targets(1, "one")})
	again := p.lease()
	if again.Rank != a.Rank || again.URL != start+"one" {
		p.Errorf("a page that moved comes again as rank %d, %s", again.Rank, again.URL)
	}
	p.end(again)
	p.end(b)
	p.end(p.lease())
	p.over()
}
