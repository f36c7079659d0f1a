// SPDX-License-Identifier: Apache-2.0

package crawl

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/internal/shape"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/fetch"
	"example.com/curlew/internal/weburl"
)

// Turn allows one request outside a crawl, for programs that share their hosts with
// crawls. A nil Turn allows any.
type Turn struct {
	line  *pace.Line
	url   string
	host  string
	delay time.Duration
	began time.Time
}

// TakeTurn waits for a turn at the host of an absolute URL. If the URL is not valid,
// the turn is nil. The claim says how line uses the host. The error is ctx's cause.
// If the host asked for a pause that is longer than ctx lasts, the error wraps
// [fetch.ErrTimeout] and [pace.ErrPause].
func TakeTurn(ctx context.Context, line *pace.Line, url string, claim pace.Claim) (*Turn, error) {
	u, err := weburl.Parse(url)
	if err != nil {
		return nil, nil //nolint:nilerr // the request itself will report the invalid URL
	}
	t := &Turn{line: line, url: url, host: shape.Host(u.Origin()), delay: claim.Delay}
	if err := line.Take(ctx, t.host, claim); err != nil {
		if !errors.Is(err, pace.ErrPause) {
			return nil, err
		}
		return nil, &fetch.Error{URL: u.WithoutUser().String(), Err: fmt.Errorf("%w: %w", fetch.ErrTimeout, err)}
	}
	t.began = time.Now()
	return t, nil
}

// Lent returns a context for the requests of the page at an absolute URL, for which
// another process has taken the turn; see [pace.Lent].
func Lent(ctx context.Context, url string) context.Context {
	u, err := weburl.Parse(url)
	if err != nil {
		return ctx // there are no requests
	}
	return pace.Lent(ctx, shape.Host(u.Origin()))
}

// At reports whether the turn can be used for an absolute URL: the URL is on
// its host, and the turn has not ended.
func (t *Turn) At(url string) bool {
	if t == nil || t.line == nil {
		return false
	}
	u, err := weburl.Parse(url)
	return err == nil && shape.Host(u.Origin()) == t.host
}

// Begin marks the start of the request, because it may be later than the turn.
func (t *Turn) Begin() {
	if t != nil {
		t.began = time.Now()
	}
}

// End releases the turn and tells the host's pace the result of the request. A
// turn without an answer and without an error counts as unused. Only the first
// call has an effect.
func (t *Turn) End(resp *fetch.Response, err error) {
	if t == nil || t.line == nil {
		return
	}
	r := pace.Report{URL: t.url, Delay: t.delay, Began: t.began, Ended: time.Now()}
	switch {
	case err != nil:
		r.Answer, _ = classify(err)
	case resp != nil && resp.Cached.IsZero():
		r.Answer, _, r.Wait = grade(resp.Status, resp.Header, r.Ended)
	}
	t.line.End(t.host, r)
	t.line = nil
}

// pageTurns takes the turns for the requests of one page. The turn of its lease is
// for the first request. A fetcher that shows pages in a browser requests the
// document again, and this request takes a turn of its own. The turn before it has
// ended then, so that pages do not wait for each other. It is used by one goroutine
// at a time.
type pageTurns struct {
	origins *originRules
	lease   frontier.Lease
	delay   time.Duration // least pause between two requests

	asked    bool            // the turn of the lease was used
	answered bool            // the first request has ended
	first    frontier.Commit // result of the first request
	turn     *Turn           // of a later request
	waited   time.Duration   // for turns of later requests
}

// take is the [fetch.Request.Turn] of the page. It also calls that of the caller.
func (p *pageTurns) take(ctx context.Context, url string) (func(*fetch.Response, error), error) {
	if !p.asked {
		p.asked = true
		p.first = frontier.Commit{Lease: p.lease}
	} else if err := p.again(ctx, url); err != nil {
		return nil, err
	}
	began := time.Now()
	end := func(resp *fetch.Response, err error) {
		if p.turn != nil || p.answered {
			p.turn.End(resp, err)
			return
		}
		p.answered = true
		p.first.Ended = time.Now()
		p.first.Took = p.first.Ended.Sub(began)
		switch {
		case err != nil:
			p.first.Answer, _ = classify(err)
		case resp != nil:
			p.first.Answer, _, p.first.Wait = grade(resp.Status, resp.Header, p.first.Ended)
		}
	}
	hook := p.origins.c.Request.Turn
	if hook == nil {
		return end, nil
	}
	done, err := hook(ctx, url)
	if err != nil {
		p.turn.End(nil, nil)
		return nil, err
	}
	return func(resp *fetch.Response, err error) {
		end(resp, err)
		if done != nil {
			done(resp, err)
		}
	}, nil
}

// again ends the turn before, and waits for a turn for another request.
func (p *pageTurns) again(ctx context.Context, url string) (err error) {
	if p.turn == nil {
		answered(ctx, p.origins.frontier, &p.first)
	}
	p.end()
	began := time.Now()
	p.turn, err = p.origins.takeTurn(ctx, url, p.delay)
	p.waited += time.Since(began)
	return err
}

// end returns the turn of a request that has not ended, for example because it
// panicked.
func (p *pageTurns) end() { p.turn.End(nil, nil) }
