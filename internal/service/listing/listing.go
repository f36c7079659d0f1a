// SPDX-License-Identifier: Apache-2.0

// Package listing lists the URLs of a site without requesting them.
package listing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"example.com/curlew/crawl"
	"example.com/curlew/fetch"
	"example.com/curlew/internal/service/meter"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/threat"
)

// MostRanked is how many URLs are found before they are ranked.
const MostRanked = 100_000

// List says which URLs of a site are listed.
type List struct {
	Fetcher   fetch.Fetcher
	UserAgent string
	Config    crawl.Config // Run sets its Judge. With Search, its Limit is applied after the ranking
	Search    string       // words; the URLs that contain the most of them come first

	// Gate and Admit are asked before each request for a page. The lists of the Gate
	// are also asked about each URL that is found. Nil admits all.
	Gate  *threat.Gate
	Admit func(ctx context.Context, url string) error
}

// Found is the result of Run.
type Found struct {
	URLs    []string // never nil
	Blocked int      // URLs that robots.txt disallows
	Cut     bool     // there may be URLs that were not ranked, because MostRanked were found
}

// Run lists the URLs in the order of their discovery, after those that match Search. If
// the start page fails and there are no URLs, it returns the error of the start page.
func (l *List) Run(ctx context.Context) (Found, error) {
	c := l.Config
	if l.Search != "" {
		c.Limit = MostRanked // rank all URLs before the list is cut
	}
	if l.Gate != nil || l.Admit != nil {
		c.Judge = l.judge
	}
	found := Found{URLs: []string{}}
	var failed error // the error of the start page
	var blocked atomic.Int64
	trace := &crawl.Trace{Blocked: func(string) { blocked.Add(1) }}
	engine := crawl.Engine{Fetcher: l.Fetcher, UserAgent: l.UserAgent, Trace: trace}
	for page, err := range engine.Run(ctx, c) {
		if err != nil {
			if cause := context.Cause(ctx); cause != nil {
				err = cause
			}
			return Found{}, failure(c.URL, err)
		}
		if page.Err == nil {
			found.URLs = append(found.URLs, page.URL)
		} else if page.Depth == 0 && page.From == "" && failed == nil {
			failed = page.Err
		}
	}
	if len(found.URLs) == 0 && failed != nil && !errors.Is(failed, crawl.ErrDenied) {
		return Found{}, failure(c.URL, failed)
	}
	found.Cut = l.Search != "" && len(found.URLs) >= MostRanked
	found.URLs, found.Blocked = ranked(found.URLs, l.Search, l.Config.Limit), int(blocked.Load())
	return found, nil
}

// judge asks Admit and the Gate.
func (l *List) judge(ctx context.Context, url string, stage crawl.Stage) error {
	if l.Admit != nil && stage != crawl.Discovered {
		if err := l.Admit(ctx, url); err != nil {
			return err
		}
	}
	if l.Gate == nil {
		return nil
	}
	m := meter.Meter{Gate: l.Gate}
	return m.Judge(ctx, url, stage == crawl.Discovered)
}

// failure adds the site to an error. If url is not a URL, it adds nothing, because err
// names it.
func failure(url string, err error) error {
	if shown := weburl.Redacted(url); shown != "" {
		return fmt.Errorf("map %s: %w", shown, err)
	}
	return fmt.Errorf("map: %w", err)
}

// ranked returns at most limit of urls, or all if limit is negative. The URLs that contain
// the most words of search come first.
func ranked(urls []string, search string, limit int) []string {
	if words := strings.Fields(strings.ToLower(search)); len(words) > 0 {
		score := make(map[string]int, len(urls))
		for _, u := range urls {
			lower := strings.ToLower(u)
			for _, w := range words {
				if strings.Contains(lower, w) {
					score[u]++
				}
			}
		}
		slices.SortStableFunc(urls, func(a, b string) int { return score[b] - score[a] })
	}
	if limit < 0 {
		return urls
	}
	return urls[:min(limit, len(urls))]
}
