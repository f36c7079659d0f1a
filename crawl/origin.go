// SPDX-License-Identifier: Apache-2.0

package crawl

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/internal/shape"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/crawl/robots"
	"example.com/curlew/crawl/scope"
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
)

// rules are what the robots.txt of one origin says.
type rules struct {
	rules    *robots.Rules
	sitemaps []string
	err      error // why the file cannot be reached; nil: it was
	silent   error // why no connection to the origin can be made: its pages fail, but no rule disallows them
}

// allow returns the rules, or nil if none are known or the origin does not answer.
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

// originRules asks for robots.txt files, and keeps what they say. The invariant:
// the rules of an origin are those of its last file that could be reached.
type originRules struct {
	*requester
	frontier frontier.Frontier
	agent    string // product token
	scope    *atomic.Pointer[scope.Scope]
	cache    ruleCache

	lineOnce sync.Once  // sets line
	line     *pace.Line // takes turns for requests that no lease is for; nil: there were none
}

// leave gives back the turns of the line.
func (r *originRules) leave() {
	if r.line != nil {
		r.line.Leave()
	}
}

// rules returns what is known of u's origin, or nil if nothing is known.
func (r *originRules) rules(u weburl.URL) *rules { return r.cache.get(u.Origin(), false) }

// binding is rules for a task that is due.
func (r *originRules) binding(u weburl.URL) *rules { return r.cache.get(u.Origin(), true) }

// maxUnruled is how many tries of a page may end because the rules of its origin
// had no room, before it fails. There is room for the next ones as soon as a page
// of each origin that has it was asked for, so it takes a host that lets
// thousands of long files wait to come that far.
const maxUnruled = 200

// unruled ends a lease whose robots.txt was known once and is not any more: it
// comes again after that. It reports false where the rules are there, or bind
// nobody.
func (r *originRules) unruled(c frontier.Commit, known *rules) (*result, bool) {
	if known != nil || r.c.Robots == RobotsIgnore || c.Lease.Unruled >= maxUnruled {
		return nil, false
	}
	c.Outcome, c.Unruled = frontier.Retry, true
	if c.Lease.Unruled > 0 {
		c.After = backoff(c.Lease.Unruled + 1)
	}
	return &result{commit: c}, true
}

// ask does one robots.txt: as another crawl found it, or by asking for it.
func (r *originRules) ask(ctx context.Context, l frontier.Lease) *result {
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
func (r *originRules) askRobots(ctx context.Context, c frontier.Commit, header http.Header) (res *result, found *pace.Robots) {
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
		case tries > 0 || c.Answer == pace.Good:
			return r.unreachable(c, err), nil
		case (hopped || errors.Is(err, fetch.ErrScheme)) && !req.Lockdown: // the origin answers, but its rules are at an address that is refused
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
func (r *originRules) followRobots(ctx context.Context, c *frontier.Commit, req *fetch.Request) (resp *fetch.Response, hopped bool, err error) {
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
			answered(ctx, r.frontier, &first)
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
func (r *originRules) takeTurn(ctx context.Context, url string) (*Turn, error) {
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

// unreachable tries again, or gives up.
func (r *originRules) unreachable(c frontier.Commit, err error) *result {
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
func (r *originRules) know(c frontier.Commit, f scope.RobotsFile, err error) *result {
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
	k, fresh := r.cache.put(name, k)
	if fresh {
		r.trace.robots(f)
	}
	if delay, ok := k.rules.CrawlDelay(); ok && r.c.Robots == RobotsStrict {
		c.Robots.Delay = min(delay, maxCrawlDelay)
	}
	c.Outcome = frontier.Robots
	return &result{commit: c}
}
