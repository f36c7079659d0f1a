// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"maps"
	"slices"

	"example.com/curlew/crawl"
	"example.com/curlew/internal/test/webtest"
)

// progressive is a large or endless web.
type progressive struct {
	web   webtest.Web
	limit int
	pages int // number of pages to deliver; zero means that the web is endless
	plain int // for an endless web: maximum number of pages that are not suspected
}

// webs are webs that a crawl must deliver completely, and endless ones, whose
// crawl must end and report what was omitted.
var webs = map[string]progressive{
	"catalogue of 2,000":         {web: webtest.Catalogue(100, 20), pages: 1 + 100 + 2000},
	"gallery of 1,000":           {web: webtest.Gallery(1000), pages: 1000},
	"300 tables":                 {web: webtest.Tables(400), limit: 300, pages: 300},
	"forum, 25 threads of 40":    {web: webtest.Forum(25, 40), pages: 1 + 25 + 25*40},
	"documentation, 30 versions": {web: webtest.Manual(30, 20), pages: 1 + 30*20 + 30},
	"calendar":                   {web: webtest.Calendar, plain: 130},
	"growing query":              {web: webtest.GrowingQuery, plain: 60},
	"session ids":                {web: webtest.Sessions, plain: 2000},
	"relative loop":              {web: webtest.Circle, plain: 10},
	"faceted search, 12 filters": {web: webtest.Facets, plain: 2500},
}

// suspectsTaken is the maximum number of suspected pages of an endless web in a
// gate.
const suspectsTaken = 100

// progressiveGates returns a gate for each web in webs.
func progressiveGates() []gate {
	var list []gate
	for _, name := range slices.Sorted(maps.Keys(webs)) {
		list = append(list, gate{name, func(r *run) { small(r); r.Pages, r.Web = 10, name }, webs[name].try})
	}
	return list
}

// try crawls the web at three levels of concurrency.
func (w progressive) try(ctx context.Context, r run, s *score) error {
	var first *trip
	for _, concurrency := range []int{1, 8, 64} {
		c := crawl.Config{Concurrency: concurrency, Limit: 10_000, Sitemap: crawl.SitemapSkip}
		c.Traps.URLBytes = crawl.Unlimited // another gate tests this rule
		if w.limit > 0 {
			c.Limit = w.limit
		}
		if w.pages == 0 {
			c.Traps.Suspects = suspectsTaken
		}
		t, err := travel(ctx, r, c)
		if err != nil {
			return err
		}
		s.runs++
		s.pages += len(t.pages)
		served := map[got]int{}
		for _, h := range t.hits {
			if served[got{h.Path, h.Sum}]++; served[got{h.Path, h.Sum}] > 1 {
				s.duplicates++
				s.fault("%s is asked for twice", h.Path)
			}
		}
		for _, p := range t.pages {
			if served[p.got] == 0 {
				s.wrong++
				s.fault("%s is delivered and was not served", p.Path)
			}
		}
		left := t.stats.Endless.Left
		switch {
		case w.pages > 0 && (len(t.pages) != w.pages || left > 0 && w.limit == 0):
			s.missing += max(1, w.pages-len(t.pages))
			s.fault("%d pages at concurrency %d, want %d; %d left out", len(t.pages), concurrency, w.pages, left)
		case w.pages == 0 && (len(t.plain) > w.plain || t.suspects != suspectsTaken || left == 0 || len(t.stats.Endless.Spaces) == 0):
			s.traps++
			s.fault("%d pages and %d suspects at concurrency %d, want at most %d and %d; %d are told of",
				len(t.plain), t.suspects, concurrency, w.plain, suspectsTaken, left)
		}
		if first == nil {
			first = t
		}
		if !maps.Equal(first.plain, t.plain) || first.suspects != t.suspects {
			s.order++
			s.fault("other pages at concurrency %d: %d and %d suspects, want %d and %d", concurrency,
				len(t.plain), t.suspects, len(first.plain), first.suspects)
		}
	}
	return nil
}
