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

// requester makes the requests of a crawl. The invariant: no redirect leads to a
// URL that Judge refuses, and headers, cookies and passwords that the caller gave
// for its site are sent to no other.
type requester struct {
	c         *Config // with defaults
	trace     *Trace
	fetcher   fetch.Fetcher
	userAgent string     // to be sent; empty: the fetcher's
	home      weburl.URL // what was asked for; what is sent to it is for it
	jar       http.CookieJar
	judged    judged
}

// judge asks the caller's Judge.
func (r *requester) judge(ctx context.Context, url string, s Stage) error {
	if r.c.Judge == nil {
		return nil
	}
	return r.c.Judge(ctx, url, s)
}

// target returns c as the frontier takes it.
func (r *requester) target(c *scope.Candidate, seed uint64, depth int) frontier.Target {
	var buf [512]byte
	return frontier.Target{
		URL: c.Address(), Key: shape.Fingerprint(seed, c.URL.AppendKey(buf[:0], r.c.keys())), Depth: depth, Kind: c.Kind,
	}
}

// reply is what came of one request.
type reply struct {
	resp   *fetch.Response
	moved  weburl.URL // where it is redirected to; zero: resp is final
	err    error
	answer pace.Answer
	again  int           // tries that this outcome is worth; zero: it is final
	wait   time.Duration // Retry-After
	ended  time.Time
	took   time.Duration
}

// get asks for u. A redirect is not followed: it is a matter of the frontier,
// so that each hop is paced, checked and claimed before it is asked for. Of a page
// that is known, needLinks says whether its links are needed.
func (r *requester) get(ctx context.Context, l frontier.Lease, u weburl.URL, known *Known, needLinks bool) reply {
	var got reply
	req := r.c.Request
	req.URL, req.Jar, req.Retries = u.WithoutFragment().String(), r.jar, fetch.Unlimited
	req.Header = r.header(l.Task, u)
	known.condition(req.Header, needLinks)
	if l.Task == frontier.SitemapTask {
		req.MaxBytes, req.Cut = maxSitemapBytes, true // what was read of a longer one stands
		if req.Timeout < 0 || req.Timeout > sitemapTimeout {
			req.Timeout = sitemapTimeout
		}
	}
	answered := false
	req.Redirect = func(h fetch.Hop) error {
		answered = true
		to, err := weburl.Parse(h.To)
		if err != nil {
			return fetch.ErrStopRedirect // the 3xx is the page
		}
		if hook := r.c.Request.Redirect; hook != nil {
			if err := hook(h); err != nil {
				return err
			}
		}
		stage := Hopped
		if l.Task != frontier.PageTask {
			stage = Discovered // lists only: it is no page
		}
		if err := r.judge(ctx, to.String(), stage); err != nil {
			return err
		}
		got.moved = to
		return fetch.ErrStopRedirect
	}
	began := time.Now()
	got.resp, got.err = r.fetcher.Fetch(ctx, &req)
	got.ended = time.Now()
	got.took = got.ended.Sub(began)
	done := Fetched{Task: l.Task, URL: req.URL, Took: got.took, Err: got.err}
	if got.err != nil {
		got.moved = weburl.URL{}
		got.answer, got.again = classify(got.err)
		if answered && got.answer == pace.Unasked {
			got.answer = pace.Good // it was a hop that was refused, after its answer
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

// header returns what is sent with a request. What the caller gave for the site
// is not for other hosts, nor to be sent in the clear where it was not meant to.
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
	// Where certificates are not checked nothing may be sent along.
	bare := r.c.Request.InsecureTLS && len(template) == 0 && !user
	if r.userAgent != "" && h.Get("User-Agent") == "" && !bare {
		h.Set("User-Agent", r.userAgent)
	}
	return h
}

// judged remembers keys that Judge admitted at discovery, so that the links
// that all pages of a site share are asked about once. It forgets as it likes.
type judged []atomic.Uint64

func newJudged() judged { return make(judged, 1<<14) }

// admits asks Judge at discovery.
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

// answered tells the frontier that the request of a lease is over, although what
// it brought is still to be read and handed over: its host is free for others
// meanwhile. An error is met again by the commit that ends the lease.
func answered(ctx context.Context, f frontier.Frontier, c *frontier.Commit) {
	_ = f.Commit(ctx, frontier.Commit{Lease: c.Lease, Outcome: frontier.Held, Answer: c.Answer, Ended: c.Ended, Took: c.Took, Wait: c.Wait})
}
