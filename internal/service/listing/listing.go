// SPDX-License-Identifier: Apache-2.0

// Package listing lists the URLs of a site without requesting them.
package listing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/robots"
	"example.com/curlew/crawl/scope"
	"example.com/curlew/fetch"
	"example.com/curlew/internal/service/faults"
	"example.com/curlew/internal/service/meter"
	"example.com/curlew/internal/sorting"
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
	Damaged int      // sitemaps that could not be read, or only in part
	Robots  string   // URL of a robots.txt of which only the beginning was read; "" if there is none
	Cut     bool     // there may be URLs that were not ranked, because MostRanked were found

	More bool // the site has more URLs than the limit

	// Failed is a sentence that says why the start page could not be read completely, so
	// that not all of its links are known. It is empty if the page was read.
	Failed string
}

// Run lists the URLs in the order of their discovery, after those that match Search. If
// the start page fails and there are no URLs, it returns the error of the start page.
func (l *List) Run(ctx context.Context) (Found, error) {
	c := l.Config
	switch {
	case l.Search != "":
		c.Limit = MostRanked // rank all URLs before the list is cut
	case c.Limit > 0:
		c.Limit++ // one more shows whether there are more
	}
	if l.Gate != nil || l.Admit != nil {
		c.Judge = l.judge
	}
	found := Found{URLs: []string{}}
	var failed error // the error of the start page
	status := 0      // of the start page
	cut := false     // the start page is not complete
	var blocked atomic.Int64
	var trouble atomic.Pointer[crawl.Fetched] // the last request that failed
	var stats func() frontier.Stats
	var long atomic.Pointer[string] // a robots.txt that was not read to its end
	trace := &crawl.Trace{
		Blocked: func(string) { blocked.Add(1) },
		Robots: func(f scope.RobotsFile) {
			if robots.Cut(f.Body) {
				long.Store(&f.URL)
			}
		},
		Started: func(s func() frontier.Stats) { stats = s },
		Fetched: func(f crawl.Fetched) {
			if f.Err != nil || f.Status == http.StatusTooManyRequests || f.Status >= http.StatusInternalServerError {
				trouble.Store(&f)
			}
		},
	}
	engine := crawl.Engine{Fetcher: l.Fetcher, UserAgent: l.UserAgent, Trace: trace}
	for page, err := range engine.Run(ctx, c) {
		if err != nil {
			if cause := context.Cause(ctx); cause != nil {
				err = after(cause, trouble.Load())
			}
			return Found{}, failure(c.URL, err)
		}
		if page.Err == nil {
			found.URLs = append(found.URLs, page.URL)
			status, cut = max(status, page.Status), cut || page.Truncated // only the start page is requested
		} else if page.Depth == 0 && page.From == "" && failed == nil {
			failed = page.Err
		}
	}
	if len(found.URLs) == 0 && failed != nil && !errors.Is(failed, crawl.ErrDenied) {
		return Found{}, failure(c.URL, failed)
	}
	if _, text := faults.Of(failed); failed != nil && !errors.Is(failed, crawl.ErrDenied) { // URLs that robots.txt disallows are counted
		found.Failed = cmp.Or(text, faults.Text(failed))
	} else if status >= http.StatusBadRequest {
		found.Failed = fmt.Sprintf("The site answered with HTTP status %d.", status)
	} else if cut {
		found.Failed = "The server sent less of it than it announced."
	}
	if stats != nil {
		found.Damaged = stats().Damaged
	}
	if url := long.Load(); url != nil {
		found.Robots = *url
	}
	found.Cut = l.Search != "" && len(found.URLs) >= MostRanked
	found.More = l.Config.Limit > 0 && len(found.URLs) > l.Config.Limit
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

// after adds to the reason why a list ended what became of the last request that failed. It
// may be nil.
func after(cause error, last *crawl.Fetched) error {
	switch {
	case last == nil:
		return cause
	case last.Err != nil:
		return fmt.Errorf("%w, after this error: %s", cause, last.Err.Error()) // not wrapped: the cause says what has happened
	}
	return fmt.Errorf("%w, after the site answered with HTTP status %d", cause, last.Status)
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
		sorting.Stable(urls, func(a, b string) int { return score[b] - score[a] })
	}
	if limit < 0 {
		return urls
	}
	return urls[:min(limit, len(urls))]
}
