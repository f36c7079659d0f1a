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
	robotsBytes   = 512 << 10 // more than package robots reads
	failedRobots  = time.Hour // time after which an unreachable robots.txt is requested again
	maxCrawlDelay = 30 * time.Second
)

// errRobotsCut is a warning about a robots.txt.
var errRobotsCut = errors.New("only the first 500 KiB of robots.txt were read")

// rules are the rules in the robots.txt of one origin.
type rules struct {
	rules    *robots.Rules
	sitemaps []string
	err      error // why the file cannot be reached; nil if it was
	silent   error // why no connection to the origin is possible: its pages fail, but no rule disallows them
}

// allow returns the rules, or nil if none are known or the origin does not answer.
func (k *rules) allow() *robots.Rules {
	if k == nil || k.silent != nil {
		return nil
	}
	return k.rules
}

// size returns the memory that k uses, in bytes.
func (k *rules) size() int {
	const own, each = 256, 32
	n := own + k.rules.Size()
	for _, ref := range k.sitemaps {
		n += each + len(ref)
	}
	return n
}

// listed returns the URLs in the Sitemap lines.
func (k *rules) listed() []string {
	if k == nil {
		return nil
	}
	return k.sitemaps
}

// fault returns the reason why the file could not be reached.
func (k *rules) fault() error {
	if k == nil {
		return nil
	}
	return k.err
}

// silence returns the reason why no page of the origin can be requested, or
// nil. If a server refuses connections, its pages fail for that reason and not
// because of robots.txt.
func (k *rules) silence() error {
	if k == nil {
		return nil
	}
	return k.silent
}

// isSilence reports whether a robots.txt could not be reached because no
// connection to its origin is possible.
func isSilence(err error) bool {
	return errors.Is(err, fetch.ErrConnect) || errors.Is(err, fetch.ErrTLS) || errors.Is(err, fetch.ErrDNS)
}

// silenceOf returns the text for an error that [isSilence] accepts.
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

// originRules fetches robots.txt files and keeps their rules. Invariant: the
// rules of an origin are those of its last file that could be reached.
type originRules struct {
	*requester
	frontier frontier.Frontier
	agent    string // product token
	scope    *atomic.Pointer[scope.Scope]
	cache    ruleCache

	lineOnce sync.Once  // sets line
	line     *pace.Line // takes turns for requests without a lease; nil if there were none
}

// leave releases the turns of the line.
func (r *originRules) leave() {
	if r.line != nil {
		r.line.Leave()
	}
}

// rules returns the known rules of u's origin, or nil.
func (r *originRules) rules(u weburl.URL) *rules { return r.cache.get(u.Origin(), false) }

// binding is like rules, for a task that is about to be requested.
func (r *originRules) binding(u weburl.URL) *rules { return r.cache.get(u.Origin(), true) }

// maxUnruled is the number of tries of a page that may end because the rules of
// its origin were dropped from memory. After that the page fails. Rules can be
// dropped again as soon as a page of each origin in memory was requested. So
// this happens only if a host lets thousands of long files wait.
const maxUnruled = 200

// unruled ends a lease whose robots.txt was known once and was dropped from
// memory. The lease comes again after the file has been fetched. It returns
// false if the rules are known or not needed.
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

// ask gets one robots.txt: from another crawl that knows it, or by a request.
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
		return asked // nil if ctx is cancelled
	}
	c.Robots.Until = known.Until
	return r.know(c, scope.RobotsFile{URL: l.URL, Body: known.Body}, nil)
}

// askRobots requests one robots.txt. found is nil if the answer must not be
// shared with other crawls. The result is nil if ctx is cancelled.
func (r *originRules) askRobots(ctx context.Context, c frontier.Commit, header http.Header) (res *result, found *pace.Robots) {
	l := c.Lease
	req := r.c.Request
	req.Raw = true
	req.URL, req.Jar, req.Retries, req.Timeout, req.Header = l.URL, nil, fetch.Unlimited, robotsTimeout, header
	if !req.InsecureTLS { // a jar would make the client verify certificates
		req.Jar = fetch.NewJar() // cookies for redirects
	}
	req.MaxBytes, req.Cut = robotsBytes, true // RFC 9309, 2.5: the rest is not read
	if !req.Lockdown {
		req.MaxAge = 0 // a cached page may be old, but the rules of the site must be current
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
		case (hopped || errors.Is(err, fetch.ErrScheme)) && !req.Lockdown: // the origin answers, but its rules are at a URL that is refused
			return r.know(c, scope.RobotsFile{URL: l.URL, Unreachable: true}, &Error{URL: l.URL, Err: fmt.Errorf("%w: %w", ErrRobots, err)}), nil
		}
		// No request can reach this origin. The requests for its pages report
		// that better than a rule that does not exist.
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
	if resp.Truncated && len(resp.Body) < robotsBytes { // the rest may disallow anything
		return r.unreachable(c, errors.New("the site sent less than it announced")), nil
	}
	c.Robots.Until = c.Ended.Add(robots.Lifetime(strings.Join(resp.Header.Values("Cache-Control"), ",")))
	return r.know(c, file, nil), &pace.Robots{Body: file.Body, Until: c.Robots.Until}
}

// followRobots requests a robots.txt and follows its redirects. The turn of the
// lease is for the first request. Each redirect takes its own turn. Before it
// waits for that turn, it releases the previous one, because otherwise two
// hosts whose files redirect to each other would wait for each other.
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
		resp, err = fetch.Do(ctx, r.fetcher, req)
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
		wait, cancel := context.WithTimeoutCause(ctx, robotsPatience, fetch.ErrTimeout)
		turn, err = r.takeTurn(wait, next, 0)
		cancel()
		if err != nil {
			return nil, hopped, err
		}
		req.URL = next
	}
}

// robotsPatience is the longest wait of a redirected robots.txt for its turn.
// It is longer than any Crawl-delay. If a host asks for a longer pause, its
// file counts as unreachable.
const robotsPatience = 2 * maxCrawlDelay

// takeTurn waits for a turn for a request without a lease of its own. It keeps
// the host's Crawl-delay, and at least delay.
func (r *originRules) takeTurn(ctx context.Context, url string, delay time.Duration) (*Turn, error) {
	r.lineOnce.Do(func() { r.line = pace.NewLine(r.c.Hosts, r.c.Forget) })
	u, err := weburl.Parse(url)
	if err != nil {
		return nil, err
	}
	claim := pace.Claim{Most: r.c.perHost(false), Delay: delay}
	if asked, ok := r.rules(u).allow().CrawlDelay(); ok && r.c.Robots == RobotsStrict {
		claim.Delay = max(delay, min(asked, maxCrawlDelay))
	}
	return TakeTurn(ctx, r.line, url, claim)
}

// unreachable schedules another try, or gives up.
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

// know stores the rules of a robots.txt. If the file cannot be reached, err is
// the reason, and its previous rules still apply.
func (r *originRules) know(c frontier.Commit, f scope.RobotsFile, err error) *result {
	if err != nil {
		r.trace.warned(c.Lease.URL, err)
		c.Robots.Until = time.Now().Add(failedRobots)
	} else if robots.Cut(f.Body) {
		r.trace.warned(c.Lease.URL, &Error{URL: c.Lease.URL, Err: errRobotsCut})
	}
	name := shape.Origin(c.Lease.URL)
	file := r.scope.Load().File(&f)
	k := &rules{rules: file.Agent(r.agent), sitemaps: file.Sitemaps(), err: err}
	if cause, ok := errors.AsType[*fetch.Error](err); ok && f.Silence != "" && r.c.Robots == RobotsStrict {
		k.silent = cause
	}
	for i, ref := range k.sitemaps {
		k.sitemaps[i] = strings.Clone(ref) // a substring would keep the whole file in memory
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
