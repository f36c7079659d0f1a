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
	"syscall"
	"time"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/internal/shape"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/crawl/robots"
	"example.com/curlew/crawl/scope"
	"example.com/curlew/crawl/sitemap"
	"example.com/curlew/fetch"
	"example.com/curlew/internal/weburl"
)

const (
	robotsTimeout = 8 * time.Second
	robotsTries   = 3
	robotsHops    = 5
	robotsBytes   = 512 << 10 // over what package robots reads
	failedRobots  = time.Hour // after which an unreachable robots.txt is asked for again
	maxCrawlDelay = 30 * time.Second

	sitemapTimeout  = 30 * time.Second
	sitemapTries    = 2
	sitemapTime     = 120 * time.Second // for all files of a crawl
	maxSitemapBytes = 50 << 20
	maxEntries      = 5_000_000 // in all files of a crawl
)

// rules are what the robots.txt of one origin says.
type rules struct {
	rules    *robots.Rules
	sitemaps []string
	err      error // it cannot be reached
	silent   error // because nobody answers there at all: then no rule keeps pages out, they fail
}

// allow returns the rules, nil where none are known, or nobody answers.
func (k *rules) allow() *robots.Rules {
	if k == nil || k.silent != nil {
		return nil
	}
	return k.rules
}

// size returns how many bytes of memory k takes.
func (k *rules) size() int {
	const own, each = 256, 32
	n := own + k.rules.Size()
	for _, ref := range k.sitemaps {
		n += each + len(ref)
	}
	return n
}

// listed returns the Sitemap lines.
func (k *rules) listed() []string {
	if k == nil {
		return nil
	}
	return k.sitemaps
}

// fault returns why the file could not be reached.
func (k *rules) fault() error {
	if k == nil {
		return nil
	}
	return k.err
}

// silence returns why no page of the origin can be asked for: a server that
// refuses connections keeps nothing out by robots.txt. Nil where one answers.
func (k *rules) silence() error {
	if k == nil {
		return nil
	}
	return k.silent
}

// isSilence reports whether a robots.txt could not be reached because no
// connection to its origin can be made.
func isSilence(err error) bool {
	return errors.Is(err, fetch.ErrConnect) || errors.Is(err, fetch.ErrTLS) || errors.Is(err, fetch.ErrDNS)
}

// silenceOf returns the words for an error that [isSilence] holds for.
func silenceOf(err error) string {
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.Is(err, fetch.ErrTLS):
		return "TLS handshake failed"
	case errors.Is(err, fetch.ErrDNS):
		return "host name not resolved"
	}
	return "connection failed"
}

// rules returns what is known of u's origin, nil where nothing is.
func (r *run) rules(u weburl.URL) *rules { return r.origins.get(u.Origin(), false) }

// binding is rules for a task that is due.
func (r *run) binding(u weburl.URL) *rules { return r.origins.get(u.Origin(), true) }

// maxUnruled is how many tries of a page may end because the rules of its origin
// had no room, before it fails. There is room for the next ones as soon as a page
// of each origin that has it was asked for, so it takes a host that lets
// thousands of long files wait to come that far.
const maxUnruled = 200

// unruled ends a lease whose robots.txt was known once and is not any more: it
// comes again after that. It reports false where the rules are there, or bind
// nobody.
func (r *run) unruled(c frontier.Commit, known *rules) (*result, bool) {
	if known != nil || r.c.Robots == RobotsIgnore || c.Lease.Unruled >= maxUnruled {
		return nil, false
	}
	c.Outcome, c.Unruled = frontier.Retry, true
	if c.Lease.Unruled > 0 {
		c.After = backoff(c.Lease.Unruled + 1)
	}
	return &result{commit: c}, true
}

// robots does one robots.txt: as another crawl found it, or by asking for it.
func (r *run) robots(ctx context.Context, l frontier.Lease) *result {
	c := frontier.Commit{Lease: l, URL: l.URL}
	u, err := weburl.Parse(l.URL)
	if err != nil {
		return r.know(c, scope.RobotsFile{URL: l.URL, Unreachable: true}, &Error{URL: l.URL, Err: err})
	}
	header := r.header(l.Task, u)
	if r.c.RobotsAgent != "" {
		header.Set("User-Agent", r.c.RobotsAgent)
	}
	if req := &r.c.Request; l.Probe || r.c.Forget || req.Lockdown || req.MinAge > 0 {
		res, _ := r.askRobots(ctx, c, header)
		return res
	}
	var asked *result
	known, err := r.c.Hosts.Robots(ctx, pace.RobotsKey(l.URL, header.Get("User-Agent"), r.c.Request.InsecureTLS), func() (found *pace.Robots) {
		asked, found = r.askRobots(ctx, c, header)
		return found
	})
	if asked != nil || known == nil || err != nil {
		return asked // nil where ctx has ended
	}
	c.Robots.Until = known.Until
	return r.know(c, scope.RobotsFile{URL: l.URL, Body: known.Body}, nil)
}

// askRobots asks for one robots.txt. Found is nil where the answer is not for
// other crawls too; the result is nil where ctx has ended.
func (r *run) askRobots(ctx context.Context, c frontier.Commit, header http.Header) (res *result, found *pace.Robots) {
	l := c.Lease
	req := r.c.Request
	req.URL, req.Jar, req.Retries, req.Timeout, req.Header = l.URL, nil, fetch.Unlimited, robotsTimeout, header
	if !req.InsecureTLS { // cookies would have its certificates checked
		req.Jar = fetch.NewJar() // for redirects
	}
	req.MaxBytes, req.Cut = robotsBytes, true // RFC 9309 2.5: what is beyond is not read
	if !req.Lockdown {
		req.MaxAge = 0 // pages may be old; what the site allows today may not
	}
	began := time.Now()
	resp, hopped, err := r.followRobots(ctx, &c, &req)
	c.Ended = time.Now()
	c.Took = c.Ended.Sub(began)
	if ctx.Err() != nil {
		return nil, nil
	}
	done := Fetched{Task: frontier.RobotsTask, URL: l.URL, Took: c.Took, Err: err}
	if err != nil {
		var tries int
		c.Answer, tries = classify(err)
		r.trace.fetched(done)
		switch {
		case tries > 0 || c.Answer == frontier.Good:
			return r.unreachable(c, err), nil
		case (hopped || errors.Is(err, fetch.ErrScheme)) && !req.Lockdown: // the origin is there, and its rules are where nobody may look
			return r.know(c, scope.RobotsFile{URL: l.URL, Unreachable: true}, &Error{URL: l.URL, Err: fmt.Errorf("%w: %w", ErrRobots, err)}), nil
		}
		// No request can reach this origin: those for its pages say why, better
		// than a rule that nobody wrote.
		c.Robots.Until = c.Ended.Add(failedRobots)
		return r.know(c, scope.RobotsFile{URL: l.URL}, nil), nil
	}
	done.Status, done.Bytes = resp.Status, len(resp.Body)
	r.trace.fetched(done)
	c.Status = resp.Status
	c.Answer, _, c.Wait = grade(resp.Status, resp.Header, c.Ended)
	file := scope.NewRobotsFile(l.URL, resp.Status, resp.Body)
	if file.Unreachable {
		return r.unreachable(c, fmt.Errorf("HTTP status %d", resp.Status)), nil
	}
	c.Robots.Until = c.Ended.Add(robots.Lifetime(strings.Join(resp.Header.Values("Cache-Control"), ",")))
	return r.know(c, file, nil), &pace.Robots{Body: file.Body, Until: c.Robots.Until}
}

// followRobots asks for a robots.txt and follows its redirects. The turn of the
// lease is for the first request. Each hop takes a turn of its own, and before it
// waits for that, the turn of the request before is given back: two hosts whose
// files lead to each other would else wait for each other.
func (r *run) followRobots(ctx context.Context, c *frontier.Commit, req *fetch.Request) (resp *fetch.Response, hopped bool, err error) {
	var turn *Turn
	defer turn.End(nil, nil)
	for hops := 0; ; hops++ {
		next, began := "", time.Now()
		req.Redirect = func(h fetch.Hop) error {
			hopped = true
			if hops == robotsHops {
				return fetch.ErrStopRedirect
			}
			if err := r.judge(ctx, h.To, Discovered); err != nil {
				return err
			}
			next = h.To
			return fetch.ErrStopRedirect
		}
		resp, err = r.fetcher.Fetch(ctx, req)
		turn.End(resp, err)
		if err != nil || next == "" {
			return resp, hopped, err
		}
		if turn == nil {
			first := *c
			first.Ended = time.Now()
			first.Took = first.Ended.Sub(began)
			first.Answer, _, first.Wait = grade(resp.Status, resp.Header, first.Ended)
			r.answered(ctx, &first)
		}
		if turn, err = r.takeTurn(ctx, next); err != nil {
			return nil, hopped, err
		}
		req.URL = next
	}
}

// robotsPatience is how long a hop of a robots.txt waits for its turn. It is more
// than any Crawl-delay; a host that wants to be left alone for longer is one whose
// file cannot be reached now.
const robotsPatience = 2 * maxCrawlDelay

// takeTurn waits for a turn at the host of a URL that no lease is for.
func (r *run) takeTurn(ctx context.Context, url string) (*Turn, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, robotsPatience, fetch.ErrTimeout)
	defer cancel()
	r.lineOnce.Do(func() { r.line = pace.NewLine(r.c.Hosts, r.c.Forget) })
	u, err := weburl.Parse(url)
	if err != nil {
		return nil, err
	}
	claim := pace.Claim{Most: r.c.perHost(false)}
	if delay, ok := r.rules(u).allow().CrawlDelay(); ok && r.c.Robots == RobotsStrict {
		claim.Delay = min(delay, maxCrawlDelay)
	}
	return TakeTurn(ctx, r.line, url, claim)
}

// answered tells the frontier that the request of a lease is over, although what
// it brought is still to be read and handed over: its host is free for others
// meanwhile. An error is met again by the commit that ends the lease.
func (r *run) answered(ctx context.Context, c *frontier.Commit) {
	_ = r.frontier.Commit(ctx, frontier.Commit{Lease: c.Lease, Outcome: frontier.Held, Answer: c.Answer, Ended: c.Ended, Took: c.Took, Wait: c.Wait})
}

// unreachable tries again, or gives up.
func (r *run) unreachable(c frontier.Commit, err error) *result {
	if c.Lease.Tries+1 < robotsTries && c.Wait <= maxWait && r.c.Robots != RobotsIgnore {
		c.Outcome, c.After = frontier.Retry, backoff(c.Lease.Tries+2)
		return &result{commit: c}
	}
	f := scope.RobotsFile{URL: c.Lease.URL, Unreachable: true}
	if isSilence(err) {
		f.Silence = silenceOf(err)
	}
	return r.know(c, f, &Error{URL: c.Lease.URL, Err: fmt.Errorf("%w: %w", ErrRobots, err)})
}

// know keeps what a robots.txt says. Where it cannot be reached, err says why,
// and what it said before still binds.
func (r *run) know(c frontier.Commit, f scope.RobotsFile, err error) *result {
	if err != nil {
		r.trace.warned(c.Lease.URL, err)
		c.Robots.Until = time.Now().Add(failedRobots)
	}
	name := shape.Origin(c.Lease.URL)
	file := r.scope.Load().File(&f)
	k := &rules{rules: file.Agent(r.agent), sitemaps: file.Sitemaps(), err: err}
	if cause, ok := errors.AsType[*fetch.Error](err); ok && f.Silence != "" && r.c.Robots == RobotsStrict {
		k.silent = cause
	}
	for i, ref := range k.sitemaps {
		k.sitemaps[i] = strings.Clone(ref) // else it would keep the whole file
	}
	k, fresh := r.origins.put(name, k)
	if fresh {
		r.trace.robots(f)
	}
	if delay, ok := k.rules.CrawlDelay(); ok && r.c.Robots == RobotsStrict {
		c.Robots.Delay = min(delay, maxCrawlDelay)
	}
	c.Outcome = frontier.Robots
	return &result{commit: c}
}

// openSitemaps names the crawl's sitemap files at the end of its start page: so
// they are those of the site where that page is at last.
func (r *run) openSitemaps(ctx context.Context, c *frontier.Commit, p *Page, sc *scope.Scope) {
	if r.c.Sitemap == SitemapSkip {
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
			if refused, _ := sc.Disallowed(to, r.rules(to).allow()); refused {
				return
			}
		}
		files = r.addFile(ctx, c, files, to, frontier.Target{Listed: listed})
	}
	for _, ref := range r.rules(u).listed() {
		add(ref, true)
	}
	add(u.Origin()+sc.Prefix()+"sitemap.xml", false)
	add("/sitemap.xml", false)
	if sc.Domain() != u.HostKey() {
		// On the origin's own port: a site under another is another program's.
		add(u.Scheme()+"://"+strings.Replace(u.HostPort(), u.Host(), sc.Domain(), 1)+"/sitemap.xml", false)
	}
	if p.Status != 0 && isSitemapName(u.Path()) {
		files = append(files, r.entries(ctx, c, p.URL, p.Body, sc, frontier.Target{})...)
	}
	// Sitemap pages come before the start page's links.
	c.Targets = append(files, c.Targets...)
}

// addFile adds a sitemap file like one to files, once: no more than a crawl may
// have.
func (r *run) addFile(ctx context.Context, c *frontier.Commit, files []frontier.Target, u weburl.URL, like frontier.Target) []frontier.Target {
	cand := scope.Candidate{URL: u.WithoutUser().WithoutFragment()}
	t := r.target(&cand, c.Lease.Seed, like.Depth)
	t.Sitemap, t.Listed = true, like.Listed
	same := func(o frontier.Target) bool { return o.Sitemap && o.Key == t.Key }
	switch {
	case u.HostKey() == "", slices.ContainsFunc(files, same):
		return files
	case len(files) >= frontier.MaxSitemaps:
		c.Refused[scope.RuleRoom]++
		return files
	case r.judge(ctx, t.URL, Discovered) != nil:
		return files
	}
	return append(files, t)
}

// sitemapClock bounds what all sitemaps of a crawl may take.
type sitemapClock struct {
	began   time.Time // guarded by run.mu, as is entries
	entries int
}

// late reports whether the time for sitemaps is up. The first call begins it.
func (r *run) late() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.clock.began.IsZero() {
		r.clock.began = time.Now()
	}
	return time.Since(r.clock.began) > sitemapTime || r.clock.entries >= maxEntries
}

// errSitemapTime is the warning for files that came too late.
var errSitemapTime = errors.New("time or entries for sitemaps are used up")

// sitemap does one sitemap file.
func (r *run) sitemap(ctx context.Context, l frontier.Lease) *result {
	c := frontier.Commit{Lease: l, URL: l.URL, Outcome: frontier.Dropped}
	drop := func(err error) *result {
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			r.trace.warned(l.URL, err)
		}
		return &result{commit: c}
	}
	u, err := weburl.Parse(l.URL)
	switch {
	case err != nil:
		return drop(err)
	case l.Down:
		return drop(ErrHostDown)
	case l.Rule != 0: // moved to one that is known
		return drop(nil)
	case r.late():
		return drop(errSitemapTime)
	}
	sc := r.scope.Load()
	if !l.Listed {
		known := r.binding(u)
		if res, again := r.unruled(c, known); again {
			return res
		}
		refused, _ := sc.Disallowed(u, known.allow())
		if refused || known.silence() != nil || known == nil && r.c.Robots != RobotsIgnore {
			return drop(nil)
		}
	}
	got := r.get(ctx, l, u, nil)
	c.Answer, c.Ended, c.Took, c.Wait = got.answer, got.ended, got.took, got.wait
	switch {
	case ctx.Err() != nil:
		return nil
	case got.again > 0 && l.Tries+1 < min(got.again, sitemapTries):
		c.Outcome, c.After = frontier.Retry, backoff(l.Tries+2)
		return &result{commit: c}
	case got.err != nil:
		return drop(got.err)
	case !got.moved.IsZero() && l.Hops < maxHops:
		cand := scope.Candidate{URL: got.moved.WithoutUser().WithoutFragment()}
		c.Outcome, c.Targets = frontier.Moved, []frontier.Target{r.target(&cand, l.Seed, l.Depth)}
		return &result{commit: c}
	}
	r.answered(ctx, &c)
	c.Status = got.resp.Status
	if c.Status < 200 || c.Status > 299 {
		if l.Listed { // the others were guesses
			return drop(fmt.Errorf("sitemap: HTTP status %d %s", c.Status, http.StatusText(c.Status)))
		}
		return drop(nil)
	}
	c.Outcome = frontier.Sitemap
	c.Targets = r.entries(ctx, &c, l.URL, got.resp.Body, sc, frontier.Target{Depth: l.Depth, Listed: l.Listed})
	if ctx.Err() != nil {
		return nil
	}
	return &result{commit: c, weight: int64(len(got.resp.Body))} // its URLs weigh that, about
}

// entries reads a sitemap file: its pages, and the files below it, of which
// parent is the nesting. What cannot be read is a warning.
func (r *run) entries(ctx context.Context, c *frontier.Commit, url string, body []byte, sc *scope.Scope, parent frontier.Target) []frontier.Target {
	found := frontier.Commit{Lease: c.Lease}
	ref := scope.Ref{URL: url, Via: scope.ViaSitemap}
	f := finder{run: r, ctx: ctx, commit: &found, scope: sc, ref: &ref, from: url}
	var files []frontier.Target
	room := r.c.budget()
	n := 0
	for e, err := range sitemap.Read(bytes.NewReader(body), url, sitemap.Limits{}) {
		if err != nil {
			r.trace.warned(url, err)
			break
		}
		u, err := weburl.Parse(e.Loc)
		if err != nil {
			if errors.Is(err, weburl.ErrScheme) {
				c.Refused[scope.RuleScheme]++
			} else {
				c.Refused[scope.RuleParse]++
			}
			continue
		}
		n++
		if n%1024 == 0 && ctx.Err() != nil {
			break
		}
		if e.Nested {
			files = r.addFile(ctx, c, files, u, frontier.Target{Depth: parent.Depth + 1, Listed: parent.Listed})
			continue
		}
		if len(found.Targets) >= room {
			break // the frontier has no room for more
		}
		f.add(&scope.Candidate{From: &ref, URL: u}, Link{URL: e.Loc})
	}
	r.mu.Lock()
	r.clock.entries += n
	r.mu.Unlock()
	for rule, n := range found.Refused {
		c.Refused[rule] += n
	}
	return append(found.Targets, files...)
}
