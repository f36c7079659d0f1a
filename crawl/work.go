// SPDX-License-Identifier: Apache-2.0

package crawl

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/crawl/scope"
	"example.com/curlew/fetch"
	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/weburl"
)

// newPage returns the page of a lease before it is requested.
func newPage(ctx context.Context, l frontier.Lease) *Page {
	p := &Page{ID: l.Seq, SameBody: l.Seq, URL: l.URL, Asked: l.Asked, From: l.From, Depth: l.Depth, Kind: l.Kind}
	ctx = context.WithoutCancel(ctx) // a consumer may need the tree after the crawl
	p.parse = func() (*dom.Document, error) { return dom.Parse(ctx, p.Body, p.Header.Get("Content-Type")) }
	return p
}

// page processes one page.
func (r *run) page(ctx context.Context, l frontier.Lease) *result {
	p := newPage(ctx, l)
	u, err := weburl.Parse(l.URL)
	if err != nil {
		return r.fail(ctx, frontier.Commit{Lease: l}, p, err)
	}
	c := frontier.Commit{Lease: l, URL: l.URL}
	if res, done := r.refused(ctx, c, p, u); done {
		return res
	}
	if r.c.List && !l.Start {
		return r.deliver(ctx, c, p)
	}
	if err := r.judge(ctx, l.URL, Requested); err != nil {
		c.Rule = scope.RuleThreat
		return r.fail(ctx, c, p, err)
	}
	known := r.known(ctx, l.URL)
	if r.shares(l, known) {
		return r.elsewhere(ctx, c, p, u)
	}
	return r.fetch(ctx, c, p, u, known)
}

// fetch requests a page that may be requested, and reads it.
func (r *run) fetch(ctx context.Context, c frontier.Commit, p *Page, u weburl.URL, known *Known) *result {
	l := c.Lease
	got := r.get(ctx, l, u, known, r.follows(l, r.scope.Load()), &pageTurns{origins: r.origins, lease: l, delay: r.c.Delay})
	c.Answer, c.Ended, c.Took, c.Wait = got.answer, got.ended, got.took, got.wait
	switch {
	case ctx.Err() != nil:
		return nil
	case got.again > 0 && l.Tries+1 < got.again:
		c.Outcome, c.After = frontier.Retry, backoff(l.Tries+2)
		return &result{commit: c}
	case !got.moved.IsZero():
		return r.move(ctx, c, p, u, got.moved)
	}
	answered(ctx, r.frontier, &c)
	if got.err != nil {
		if got.again > 0 {
			got.err = fmt.Errorf("%w: %w", ErrTries, got.err)
		}
		return r.fail(ctx, c, p, got.err)
	}
	p.take(got.resp, u)
	r.compare(p, known)
	c.URL, c.Status = p.URL, p.Status
	return r.deliver(ctx, c, p)
}

// take sets the response to the request of a page.
func (p *Page) take(resp *fetch.Response, asked weburl.URL) {
	p.Status, p.Header, p.Body, p.Truncated, p.Excess, p.Cached = resp.Status, resp.Header, resp.Body, resp.Truncated, resp.Excess, resp.Cached
	p.Rendered, p.View = resp.Rendered, resp.View
	if resp.URL != "" && resp.URL != asked.WithoutFragment().String() {
		p.URL = resp.URL // the fetcher has followed a redirect itself
	}
}

// refused ends a page that must not be requested.
func (r *run) refused(ctx context.Context, c frontier.Commit, p *Page, u weburl.URL) (*result, bool) {
	l := c.Lease
	switch {
	case l.Down:
		return r.fail(ctx, c, p, ErrHostDown), true
	case l.Rule == scope.RuleDuplicate:
		c.Outcome = frontier.Duplicate
		return &result{commit: c}, true
	case l.Rule == scope.RuleRobots:
		c.Outcome, c.Rule, c.Blocked = frontier.Dropped, scope.RuleRobots, []string{l.URL}
		return &result{commit: c}, true
	case l.Rule == scope.RuleThreat:
		c.Rule = scope.RuleThreat
		err := r.judge(ctx, l.URL, Discovered)
		if err == nil { // Judge accepts it now, but no other task has the URL
			err = &Error{URL: l.URL, Rule: scope.RuleThreat, Err: ErrDenied}
		}
		return r.fail(ctx, c, p, err), true
	}
	if l.Start && l.Hops == 0 {
		if err := r.judge(ctx, l.URL, Discovered); err != nil {
			c.Rule = scope.RuleThreat
			return r.fail(ctx, c, p, err), true
		}
	}
	return r.disallowed(ctx, c, p, u)
}

// disallowed ends a page that robots.txt disallows. The page fails if it was
// redirected to that URL. It also fails if it is the start page and its
// robots.txt cannot be reached, because otherwise the caller would not learn
// why there are no pages.
func (r *run) disallowed(ctx context.Context, c frontier.Commit, p *Page, u weburl.URL) (*result, bool) {
	known := r.origins.binding(u)
	if !r.c.List || c.Lease.Start { // other pages of a list are not requested and need no robots.txt
		if res, again := r.origins.unruled(c, known); again {
			return res, true
		}
		if known == nil && r.c.Robots != RobotsIgnore {
			c.Rule = scope.RuleRobots
			return r.fail(ctx, c, p, &Error{URL: c.Lease.URL, Rule: scope.RuleRobots, Err: ErrRobots}), true
		}
	}
	if err := known.silence(); err != nil {
		return r.fail(ctx, c, p, &Error{URL: c.Lease.URL, Err: err}), true
	}
	refused, line := r.scope.Load().Disallowed(u, known.allow())
	if !refused {
		return nil, false
	}
	c.Rule, c.Blocked = scope.RuleRobots, []string{c.Lease.URL}
	switch {
	case known.fault() != nil && c.Lease.Start:
		return r.fail(ctx, c, p, &Error{URL: c.Lease.URL, Rule: scope.RuleRobots, Err: known.fault()}), true
	case c.Lease.Hops > 0:
		return r.fail(ctx, c, p, &Error{URL: c.Lease.URL, Rule: scope.RuleRobots, Value: line, Err: ErrDenied}), true
	}
	c.Outcome = frontier.Dropped
	return &result{commit: c}, true
}

// fail ends a page for good. A failed start page still adds the sitemaps.
func (r *run) fail(ctx context.Context, c frontier.Commit, p *Page, err error) *result {
	if e, ok := errors.AsType[*Error](err); !ok || e.URL != c.Lease.URL {
		err = &Error{URL: c.Lease.URL, Err: err}
	}
	p.Err = err
	return r.deliver(ctx, c, p)
}

// deliver passes a page to Visit, reads its links and ends it as delivered or,
// if it has an error, as failed. It returns nil if ctx is cancelled.
func (r *run) deliver(ctx context.Context, commit frontier.Commit, p *Page) (res *result) {
	if len(p.Body) > 0 {
		// If a body is larger than expected, the difference counts while the
		// body waits.
		if more := int64(len(p.Body)) - r.load.typical.Load(); more > 0 {
			r.load.bodies.Add(more)
			defer r.load.shed(more)
		}
		// A tree with its links needs many times the memory of its page, so
		// only a few exist at once.
		seats, err := r.load.read(ctx, p.Body)
		if err != nil {
			return nil
		}
		p.seats = seats
		defer func() {
			if res == nil {
				seats.leave()
				return
			}
			res.seats = seats // work calls leave when the consumer has the page
		}()
	}
	out := &result{commit: commit}
	c := &out.commit
	sc := r.scope.Load()
	if c.Lease.Start && p.Status != 0 {
		sc = r.settle(c, p, sc)
	}
	if r.c.Visit != nil {
		err := r.c.Visit(ctx, p)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil && p.Err == nil {
			p.Err = &Error{URL: p.URL, Err: err}
		}
	}
	if p.Status != 0 {
		r.search(ctx, c, p, sc)
		r.describe(c, p)
	}
	if c.Lease.Start && c.Rule == 0 {
		r.sitemaps.open(ctx, c, p, sc)
		r.enterKnown(ctx, c, p, sc)
	}
	if ctx.Err() != nil {
		return nil
	}
	r.conclude(out, p)
	return out
}

// conclude decides on the outcome of a page that was read, and whether the result has
// the page.
func (r *run) conclude(res *result, p *Page) {
	c := &res.commit
	switch {
	case p.Err != nil:
		c.Outcome = frontier.Failed
	case p.Change == Gone, r.c.PageRobots && p.Robots.NoIndex:
		c.Outcome = frontier.Dropped
		return
	default:
		c.Outcome = frontier.Delivered
	}
	res.page = p
}

// settle moves the origin of the crawl to the host of the start page, if that
// has changed, and records whether the patterns exclude the page.
func (r *run) settle(c *frontier.Commit, p *Page, sc *scope.Scope) *scope.Scope {
	u, err := weburl.Parse(p.URL)
	if err != nil {
		return sc
	}
	if sc.KindOf(u.HostKey()) != scope.Internal {
		if sc, err = sc.Moved(p.URL); err != nil {
			return r.scope.Load()
		}
		r.scope.Store(sc)
		c.Origin = sc.Origin()
	}
	p.Kind = scope.Internal
	start := scope.Candidate{From: &scope.Ref{}, URL: u}
	for _, rule := range [...]scope.Rule{scope.RuleExcluded, scope.RuleNotIncluded} {
		if refused, value := sc.Ask(rule, &start, nil); refused && p.Err == nil {
			p.Err = &Error{URL: p.URL, Rule: rule, Value: value, Err: ErrDenied}
		}
	}
	return sc
}

// move ends a page that is redirected.
func (r *run) move(ctx context.Context, c frontier.Commit, p *Page, from, to weburl.URL) *result {
	l := c.Lease
	if l.Hops >= maxHops {
		return r.fail(ctx, c, p, ErrRedirectLoop)
	}
	sc := r.scope.Load()
	ref := scope.Ref{URL: from.String(), Depth: l.Depth, Kind: l.Kind, Via: scope.ViaRedirect}
	if l.Start {
		ref.Via = scope.ViaMoved
	}
	cand := scope.Candidate{From: &ref, URL: to.WithoutUser()}
	rule, value := sc.Judge(&cand)
	if rule == 0 && !l.Start {
		if refused, v := sc.Ask(scope.RuleTrap, &cand, nil); refused {
			rule, value = scope.RuleTrap, v
		}
	}
	if rule != 0 {
		c.Rule = rule
		return r.fail(ctx, c, p, &Error{URL: l.URL, Rule: rule, Value: value, Err: ErrDenied})
	}
	if l.Start {
		cand.Kind = scope.Internal
	}
	c.Outcome = frontier.Moved
	c.Targets = []frontier.Target{r.target(&cand, l.Seed, l.Depth)}
	return &result{commit: c}
}

// maxWait is the longest pause that a host is granted. If Retry-After is
// longer, it is shortened and the page fails.
const maxWait = 10 * time.Minute

// classify returns what a failed request means for its host, and how many tries
// it allows.
func classify(err error) (a pace.Answer, tries int) {
	const retry, later = 3, 10
	dns, isDNS := errors.AsType[*net.DNSError](err)
	_, isCertificate := errors.AsType[*tls.CertificateVerificationError](err)
	switch {
	case errors.Is(err, fetch.ErrTimeout), errors.Is(err, fetch.ErrConnect):
		return pace.Broken, retry
	case errors.Is(err, fetch.ErrDNS):
		if isDNS && dns.IsTemporary {
			return pace.Broken, retry
		}
		return pace.Broken, 0
	case errors.Is(err, fetch.ErrTLS):
		if isCertificate {
			return pace.Broken, 0
		}
		return pace.Broken, retry
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return pace.Broken, retry
	case errors.Is(err, fetch.ErrProtocol), errors.Is(err, fetch.ErrTooLarge), errors.Is(err, fetch.ErrInflate):
		return pace.Good, 0 // the page is at fault, not the host
	case errors.Is(err, fetch.ErrBusy):
		return pace.Unasked, later // the worker is free for other pages meanwhile
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return pace.Dropped, 0
	}
	return pace.Unasked, 0 // refused by the guard, by Judge or for its scheme before it was sent
}

// grade returns what an answer means for its host, how many tries it allows,
// and how long a pause the host asks for.
func grade(status int, h http.Header, now time.Time) (a pace.Answer, tries int, wait time.Duration) {
	wait, told := retryAfter(h, now)
	switch status {
	case http.StatusTooManyRequests:
		a, tries = pace.Throttled, 5
	case http.StatusServiceUnavailable:
		if !told {
			return pace.Erred, 3, 0
		}
		a, tries = pace.Throttled, 5
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusGatewayTimeout:
		return pace.Erred, 3, 0
	case http.StatusRequestTimeout, http.StatusTooEarly:
		return pace.Good, 3, 0
	default:
		if status >= 500 {
			return pace.Erred, 0, 0
		}
		return pace.Good, 0, 0
	}
	if wait > maxWait {
		tries = 0
	}
	return a, tries, wait
}

// retryAfter reads a Retry-After header with seconds or a date. A date in the
// past gives zero.
func retryAfter(h http.Header, now time.Time) (wait time.Duration, told bool) {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if value == "" {
		return 0, false
	}
	if n, err := strconv.ParseInt(value, 10, 64); err == nil {
		n = min(max(n, 0), int64(365*24*time.Hour/time.Second))
		return time.Duration(n) * time.Second, true
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(date.Sub(now), 0), true
	}
	return 0, false
}

// backoff returns the pause before the n-th try, for n from 2, with full
// jitter.
func backoff(n int) time.Duration {
	most := min(time.Minute, time.Second<<min(n, 10))
	return rand.N(most + 1) //nolint:gosec // G404: the value spreads requests and is not a secret
}

// isSitemapName reports whether a path looks like that of a sitemap.
func isSitemapName(p string) bool {
	p = strings.TrimSuffix(strings.ToLower(p), ".gz")
	return path.Ext(p) == ".xml"
}
