// SPDX-License-Identifier: Apache-2.0

package crawl

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/textproto"
	"sync/atomic"
	"time"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/internal/shape"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/crawl/scope"
	"example.com/curlew/fetch"
	"example.com/curlew/internal/weburl"
)

// requester makes the requests of a crawl. Invariant: no redirect to a URL that
// Judge refuses is followed, and headers, cookies and passwords for the
// caller's site are sent to no other site.
type requester struct {
	c         *Config // with defaults
	trace     *Trace
	fetcher   fetch.Fetcher
	userAgent string     // User-Agent header; empty for that of the fetcher
	home      weburl.URL // the site that the caller's headers and password are for
	jar       http.CookieJar
	judged    judged
}

// judge calls the caller's Judge.
func (r *requester) judge(ctx context.Context, url string, s Stage) error {
	if r.c.Judge == nil {
		return nil
	}
	return r.c.Judge(ctx, url, s)
}

// target converts c for the frontier.
func (r *requester) target(c *scope.Candidate, seed uint64, depth int) frontier.Target {
	var buf [512]byte
	return frontier.Target{
		URL: c.Address(), Key: shape.Fingerprint(seed, c.URL.AppendKey(buf[:0], r.c.keys())), Depth: depth, Kind: c.Kind,
	}
}

// reply is the result of one request.
type reply struct {
	resp   *fetch.Response
	moved  weburl.URL // target of a redirect; zero if resp is final
	err    error
	answer pace.Answer
	again  int           // number of tries that this outcome allows; zero if it is final
	wait   time.Duration // Retry-After
	ended  time.Time
	took   time.Duration
}

// get requests u. It does not follow redirects, because the frontier must pace,
// check and claim each hop first. If the page is known, needLinks says whether
// its links are needed. turns is nil if the fetch makes one request only.
func (r *requester) get(ctx context.Context, l frontier.Lease, u weburl.URL, known *Known, needLinks bool, turns *pageTurns) reply {
	var got reply
	task := l.Task
	req := r.c.Request
	req.URL, req.Jar, req.Retries = u.WithoutFragment().String(), r.jar, fetch.Unlimited
	req.Raw = l.Task != frontier.PageTask
	req.Header = r.header(l.Task, u)
	known.condition(req.Header, needLinks)
	if l.Task == frontier.SitemapTask {
		req.MaxBytes, req.Cut = maxSitemapBytes, true // accept the part of a longer file that was read
		if req.Timeout < 0 || req.Timeout > sitemapTimeout {
			req.Timeout = sitemapTimeout
		}
	}
	answered := false
	req.Redirect = func(h fetch.Hop) error {
		answered = true
		to, err := weburl.Parse(h.To)
		if err != nil {
			return fetch.ErrStopRedirect // return the redirect itself
		}
		if hook := r.c.Request.Redirect; hook != nil {
			if err := hook(h); err != nil {
				return err
			}
		}
		stage := Hopped
		if task != frontier.PageTask {
			stage = Discovered // lists only, because it is not a page
		}
		if err := r.judge(ctx, to.String(), stage); err != nil {
			return err
		}
		got.moved = to
		return fetch.ErrStopRedirect
	}
	if turns != nil {
		req.Turn = turns.take
		defer turns.end()
	}
	began := time.Now()
	got.resp, got.err = fetch.Do(ctx, r.fetcher, &req)
	got.ended = time.Now()
	got.took = got.ended.Sub(began)
	if turns != nil {
		got.took -= turns.waited
		answered = answered || turns.first.Answer != pace.Unasked
	}
	done := Fetched{Task: l.Task, URL: req.URL, Took: got.took, Err: got.err}
	if got.err != nil {
		got.moved = weburl.URL{}
		got.answer, got.again = classify(got.err)
		if answered && got.answer == pace.Unasked {
			got.answer = pace.Good // a redirect was refused after the host had answered
		}
	} else {
		done.Status, done.Bytes = got.resp.Status, len(got.resp.Body)
		if got.resp.Status < 300 || got.resp.Status > 399 {
			got.moved = weburl.URL{}
		}
		got.answer, got.again, got.wait = grade(got.resp.Status, got.resp.Header, got.ended)
	}
	r.trace.fetched(done)
	return got
}

// header returns the headers of a request. Headers that the caller gave for the
// site are not sent to other hosts, nor without encryption if the site uses
// https.
func (r *requester) header(task frontier.Task, u weburl.URL) http.Header {
	template := r.c.Request.Header
	home := task != frontier.RobotsTask && shape.Bare(u.HostKey()) == shape.Bare(r.home.HostKey()) && (u.Scheme() == r.home.Scheme() || u.Scheme() == "https")
	h := http.Header{}
	for name, values := range template {
		switch name = textproto.CanonicalMIMEHeaderKey(name); name {
		case "User-Agent", "Accept", "Accept-Language":
		default:
			if !home {
				continue
			}
		}
		h[name] = values
	}
	name, password, user := r.home.User()
	if user && home && h.Get("Authorization") == "" {
		h.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(name+":"+password)))
	}
	// A header would make the fetcher verify certificates, so do not add a
	// User-Agent if they must not be verified.
	bare := r.c.Request.InsecureTLS && len(template) == 0 && !user
	if r.userAgent != "" && h.Get("User-Agent") == "" && !bare {
		h.Set("User-Agent", r.userAgent)
	}
	return h
}

// judged remembers keys that Judge accepted at discovery, so that Judge is
// called once for links that all pages of a site share. It may forget keys at
// any time.
type judged []atomic.Uint64

func newJudged() judged { return make(judged, 1<<14) }

// admits calls Judge at discovery.
func (r *requester) admits(ctx context.Context, t *frontier.Target) bool {
	if r.c.Judge == nil {
		return true
	}
	slot := &r.judged[t.Key%uint64(len(r.judged))]
	if slot.Load() == t.Key {
		return true
	}
	if r.judge(ctx, t.URL, Discovered) != nil {
		return false
	}
	slot.Store(t.Key)
	return true
}

// answered tells the frontier that the request of a lease is over, although the
// answer still has to be read. Meanwhile other requests can use the host. An
// error occurs again in the commit that ends the lease.
func answered(ctx context.Context, f frontier.Frontier, c *frontier.Commit) {
	_ = f.Commit(ctx, frontier.Commit{Lease: c.Lease, Outcome: frontier.Held, Answer: c.Answer, Ended: c.Ended, Took: c.Took, Wait: c.Wait})
}
