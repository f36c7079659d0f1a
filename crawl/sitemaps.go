// SPDX-License-Identifier: Apache-2.0

package crawl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/scope"
	"example.com/curlew/crawl/sitemap"
	"example.com/curlew/internal/weburl"
)

const (
	sitemapTimeout  = 30 * time.Second
	sitemapTries    = 2
	sitemapTime     = 120 * time.Second // for all files of a crawl
	maxSitemapBytes = 50 << 20
	maxEntries      = 5_000_000 // in all files of a crawl
	maxFiles        = 1000      // that one page or file may name; the frontier limits the files of a crawl to as many
)

// sitemaps reads sitemap files. Invariant: the files of a crawl together stay
// within their limits of time and number of URLs.
type sitemaps struct {
	*requester
	origins *originRules

	mu     sync.Mutex // guards the fields below
	began  time.Time
	number int // number of entries so far
}

// open adds the crawl's sitemap files when its start page is done. They are
// those of the site to which the start page has redirected.
func (s *sitemaps) open(ctx context.Context, c *frontier.Commit, p *Page, sc *scope.Scope) {
	if s.c.Sitemap == SitemapSkip {
		return
	}
	u, err := weburl.Parse(sc.Origin())
	if err != nil {
		return
	}
	root, err := u.Link("/")
	if err != nil {
		return
	}
	var files []frontier.Target
	add := func(ref string, listed bool) {
		to, err := root.Link(ref)
		if err != nil {
			return
		}
		if !listed {
			if refused, _ := sc.Disallowed(to, s.origins.rules(to).allow()); refused {
				return
			}
		}
		files = s.addFile(ctx, c, files, to, frontier.Target{Listed: listed})
	}
	for _, ref := range s.origins.rules(u).listed() {
		add(ref, true)
	}
	add(u.Origin()+sc.Prefix()+"sitemap.xml", false)
	add("/sitemap.xml", false)
	if sc.Domain() != u.HostKey() {
		// Keep the port of the origin, because another port belongs to another
		// site.
		add(u.Scheme()+"://"+strings.Replace(u.HostPort(), u.Host(), sc.Domain(), 1)+"/sitemap.xml", false)
	}
	if p.Status != 0 && isSitemapName(u.Path()) {
		files = append(files, s.entries(ctx, c, p.URL, p.Body, sc, frontier.Target{})...)
	}
	// Pages of sitemaps come before the links of the start page.
	c.Targets = append(files, c.Targets...)
}

// addFile adds a sitemap file with the depth and flags of like to files, unless
// it is already there or the crawl has too many.
func (s *sitemaps) addFile(ctx context.Context, c *frontier.Commit, files []frontier.Target, u weburl.URL, like frontier.Target) []frontier.Target {
	cand := scope.Candidate{URL: u.WithoutUser().WithoutFragment()}
	t := s.target(&cand, c.Lease.Seed, like.Depth)
	t.Sitemap, t.Listed = true, like.Listed
	same := func(o frontier.Target) bool { return o.Sitemap && o.Key == t.Key }
	switch {
	case u.HostKey() == "", slices.ContainsFunc(files, same):
		return files
	case len(files) >= maxFiles:
		c.Refused[scope.RuleRoom]++
		return files
	case s.judge(ctx, t.URL, Discovered) != nil:
		return files
	}
	return append(files, t)
}

// late reports whether the time for sitemaps is over. The time starts at the
// first call.
func (s *sitemaps) late() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.began.IsZero() {
		s.began = time.Now()
	}
	return time.Since(s.began) > sitemapTime || s.number >= maxEntries
}

// errSitemapTime is the warning for files that were not read completely.
var errSitemapTime = errors.New("the limit of time or entries for sitemaps is reached")

// isNamed reports whether robots.txt or another sitemap names a sitemap file, given
// its nesting. Other files are guesses, which most sites do not have.
func isNamed(listed bool, nesting int) bool { return listed || nesting > 0 }

// read processes one sitemap file.
func (s *sitemaps) read(ctx context.Context, l frontier.Lease) *result {
	c := frontier.Commit{Lease: l, URL: l.URL, Outcome: frontier.Dropped}
	// missed says that pages may be missing because of err.
	drop := func(err error, missed bool) *result {
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			s.trace.warned(l.URL, err)
		}
		if missed {
			c.Rule = scope.RuleParse
		}
		return &result{commit: c}
	}
	named := isNamed(l.Listed, l.Depth)
	u, err := weburl.Parse(l.URL)
	switch {
	case err != nil:
		return drop(err, named)
	case l.Down:
		return drop(ErrHostDown, named)
	case l.Rule != 0: // redirected to a known file
		return drop(nil, false)
	case s.late():
		return drop(errSitemapTime, true)
	}
	sc := s.origins.scope.Load()
	if !l.Listed {
		known := s.origins.binding(u)
		if res, again := s.origins.unruled(c, known); again {
			return res
		}
		refused, _ := sc.Disallowed(u, known.allow())
		if refused || known.silence() != nil || known == nil && s.c.Robots != RobotsIgnore {
			return drop(nil, named)
		}
	}
	got := s.get(ctx, l, u, nil, true, nil)
	c.Answer, c.Ended, c.Took, c.Wait = got.answer, got.ended, got.took, got.wait
	switch {
	case ctx.Err() != nil:
		return nil
	case got.again > 0 && l.Tries+1 < min(got.again, sitemapTries):
		c.Outcome, c.After = frontier.Retry, backoff(l.Tries+2)
		return &result{commit: c}
	case got.err != nil:
		home, err := weburl.Parse(sc.Origin())
		reached := !isSilence(got.err) // otherwise the pages of the site fail, too
		return drop(got.err, named || err == nil && home.HostKey() == u.HostKey() && reached)
	case !got.moved.IsZero() && l.Hops < maxHops:
		cand := scope.Candidate{URL: got.moved.WithoutUser().WithoutFragment()}
		c.Outcome, c.Targets = frontier.Moved, []frontier.Target{s.target(&cand, l.Seed, l.Depth)}
		return &result{commit: c}
	}
	answered(ctx, s.origins.frontier, &c)
	c.Status = got.resp.Status
	if c.Status < 200 || c.Status > 299 {
		if named || c.Status == http.StatusTooManyRequests || c.Status >= http.StatusInternalServerError {
			return drop(fmt.Errorf("sitemap: HTTP status %d %s", c.Status, http.StatusText(c.Status)), true)
		}
		return drop(nil, false)
	}
	c.Outcome = frontier.Sitemap
	if got.resp.Truncated {
		c.Rule = scope.RuleParse
	}
	c.Targets = s.entries(ctx, &c, l.URL, got.resp.Body, sc, frontier.Target{Depth: l.Depth, Listed: l.Listed})
	if ctx.Err() != nil {
		return nil
	}
	return &result{commit: c, weight: int64(len(got.resp.Body))} // its URLs take about as much memory
}

// entries reads a sitemap file: its pages, and the files it lists. parent gives
// its nesting. What cannot be read becomes a warning, and is noted in the commit.
func (s *sitemaps) entries(ctx context.Context, c *frontier.Commit, url string, body []byte, sc *scope.Scope, parent frontier.Target) []frontier.Target {
	found := frontier.Commit{Lease: c.Lease}
	ref := scope.Ref{URL: url, Via: scope.ViaSitemap}
	f := finder{requester: s.requester, origins: s.origins, ctx: ctx, commit: &found, scope: sc, ref: &ref, from: url}
	var files []frontier.Target
	room := s.c.budget()
	n := 0
	skip := func(_ string, err error) {
		rule := scope.RuleParse
		switch {
		case errors.Is(err, weburl.ErrScheme):
			rule = scope.RuleScheme
		case errors.Is(err, sitemap.ErrLong):
			rule = scope.RuleTrap
		}
		c.Refused[rule]++
	}
	for e, err := range sitemap.Read(bytes.NewReader(body), url, sitemap.Limits{Skip: skip}) {
		if err != nil {
			s.trace.warned(url, err)
			if isNamed(parent.Listed, parent.Depth) || !errors.Is(err, sitemap.ErrFormat) { // many sites answer a guess with a page
				c.Rule = scope.RuleParse
			}
			break
		}
		u, err := weburl.Parse(e.Loc)
		if err != nil {
			continue // never: Loc is a URL
		}
		n++
		if n%1024 == 0 && ctx.Err() != nil {
			break
		}
		if e.Nested {
			files = s.addFile(ctx, c, files, u, frontier.Target{Depth: parent.Depth + 1, Listed: parent.Listed})
			continue
		}
		if len(found.Targets) >= room { // the frontier is full
			c.Refused[scope.RuleRoom]++
			continue
		}
		f.add(&scope.Candidate{From: &ref, URL: u}, Link{URL: e.Loc})
	}
	s.mu.Lock()
	s.number += n
	s.mu.Unlock()
	for rule, n := range found.Refused {
		c.Refused[rule] += n
	}
	return append(found.Targets, files...)
}
