// SPDX-License-Identifier: Apache-2.0

package crawl

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/crawl/scope"
	"example.com/curlew/fetch"
	"example.com/curlew/internal/weburl"
)

// Share passes the fetching and reading of a page to another process; see
// [Config].Share. The other process gives the task to [Assistant.Do]. Share returns
// its result, or calls here and returns nil. The gap is the pause that the host of
// the page must get after the request. After an error the page is leased again.
type Share func(ctx context.Context, task []byte, gap time.Duration, here func()) (result []byte, err error)

// pageTask is a page that another process is to fetch and read.
type pageTask struct {
	Lease   frontier.Lease
	Follow  bool          // its links can be followed
	Gap     time.Duration // pause between requests to its host
	Cookies []string      `json:",omitempty"` // as in a Cookie header
}

// pageResult is what the other process has found. The payload follows it.
type pageResult struct {
	TooLarge bool `json:",omitempty"` // the page must be done by the process that holds the crawl

	Answer  pace.Answer
	Again   bool          `json:",omitempty"` // the request is to be repeated later
	Wait    time.Duration `json:",omitempty"` // Retry-After
	Took    time.Duration
	Moved   string   `json:",omitempty"` // target of a redirect
	Cookies []string `json:",omitempty"` // as in Set-Cookie headers

	URL       string
	Status    int
	Bytes     int
	Truncated bool      `json:",omitempty"`
	Rendered  bool      `json:",omitempty"`
	Cached    time.Time `json:",omitzero"`
	Failure   string    `json:",omitempty"` // why the request or the page failed
	Cost      int
	Note      []byte `json:",omitempty"`

	Links     []Link `json:",omitempty"`
	Refused   int    `json:",omitempty"` // links that cannot be parsed
	Schemes   int    `json:",omitempty"` // links that are not http(s)
	Robots    PageRobots
	Canonical string `json:",omitempty"`
	Body      uint64
	Text      uint64   `json:",omitempty"`
	Sketch    []uint32 `json:",omitempty"`
}

// encode returns the result and the payload as bytes.
func (p *pageResult) encode(payload []byte) ([]byte, error) {
	head, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	b := make([]byte, 0, binary.MaxVarintLen64+len(head)+len(payload))
	b = binary.AppendUvarint(b, uint64(len(head)))
	return append(append(b, head...), payload...), nil
}

var errResult = errors.New("result of another process is damaged")

// decodeResult returns the result and the payload in b.
func decodeResult(b []byte) (p pageResult, payload []byte, err error) {
	size, n := binary.Uvarint(b)
	if n <= 0 || size > uint64(len(b)-n) { //nolint:gosec // G115: n is at most len(b)
		return p, nil, errResult
	}
	head, payload := b[n:n+int(size)], b[n+int(size):] //nolint:gosec // G115: just compared
	if err := json.Unmarshal(head, &p); err != nil {
		return p, nil, fmt.Errorf("%w: %w", errResult, err)
	}
	if len(payload) == 0 {
		payload = nil
	}
	return p, payload, nil
}

// mostLost is how often a page is passed on again after the process that had it has
// died. After that the page fails, because it probably is the reason.
const mostLost = 5

// shares reports whether a page that may be requested can be passed to another
// process. The start page decides on the scope and opens the sitemaps, and a known
// page is compared with its record, so they stay here.
func (r *run) shares(l frontier.Lease, known *Known) bool {
	if r.c.Share == nil || l.Start || r.c.Since != nil || known != nil || r.c.List {
		return false
	}
	_, alone := r.alone.Load(l.Seq)
	return !alone
}

// elsewhere has another process fetch and read a page. It calls here if this process
// is to do it.
func (r *run) elsewhere(ctx context.Context, c frontier.Commit, p *Page, u weburl.URL, here func() *result) (res *result) {
	l := c.Lease
	if l.Lost >= mostLost {
		return r.fail(ctx, c, p, ErrLost)
	}
	gap := r.c.Delay
	if asked, ok := r.origins.rules(u).allow().CrawlDelay(); ok && r.c.Robots == RobotsStrict {
		gap = max(gap, min(asked, maxCrawlDelay))
	}
	task := pageTask{Lease: l, Follow: r.follows(l, r.scope.Load()), Gap: gap}
	for _, cookie := range r.jar.Cookies(u.HTTP()) {
		task.Cookies = append(task.Cookies, cookie.Name+"="+cookie.Value)
	}
	data, err := json.Marshal(task)
	if err != nil {
		return here()
	}
	did := false
	found, err := r.c.Share(ctx, data, gap, func() { did, res = true, here() })
	switch {
	case did:
		return res
	case ctx.Err() != nil:
		return nil
	case err == nil:
		var got pageResult
		if got, p.Payload, err = decodeResult(found); err == nil {
			return r.received(ctx, c, p, u, &got)
		}
	}
	// Whether the request was made is unknown, so the host gets its pause.
	r.trace.warned(l.URL, err)
	c.Outcome, c.Lost, c.Answer = frontier.Retry, true, pace.Good
	return &result{commit: c}
}

// received ends a page that another process has fetched and read. The end of the
// request counts from now, because clocks differ.
func (r *run) received(ctx context.Context, c frontier.Commit, p *Page, u weburl.URL, got *pageResult) *result {
	c.Ended, c.Took, c.Answer, c.Wait = time.Now(), got.Took, got.Answer, got.Wait
	if got.TooLarge {
		r.alone.Store(c.Lease.Seq, true)
		c.Outcome, c.Lost = frontier.Retry, true
		return &result{commit: c}
	}
	var set []*http.Cookie
	for _, line := range got.Cookies {
		if cookie, err := http.ParseSetCookie(line); err == nil {
			set = append(set, cookie)
		}
	}
	if len(set) > 0 {
		r.jar.SetCookies(u.HTTP(), set)
	}
	done := Fetched{URL: u.WithoutFragment().String(), Status: got.Status, Bytes: got.Bytes, Took: got.Took}
	var failed error
	if got.Failure != "" {
		failed = errors.New(got.Failure)
		if done.Status == 0 {
			done.Err = failed
		}
	}
	r.trace.fetched(done)
	switch {
	case got.Again:
		c.Outcome, c.After = frontier.Retry, backoff(c.Lease.Tries+2)
		return &result{commit: c}
	case got.Moved != "":
		p.Payload = nil
		return r.movedTo(ctx, c, p, u, got)
	}
	p.Shared, p.Cost, p.Note = true, got.Cost, got.Note
	p.Status, p.Truncated, p.Cached, p.Rendered = got.Status, got.Truncated, got.Cached, got.Rendered
	if got.URL != "" {
		p.URL = got.URL
	}
	if failed != nil {
		p.Err = &Error{URL: c.Lease.URL, Err: failed}
	}
	c.URL, c.Status, c.Body, c.Text, c.Sketch = p.URL, p.Status, got.Body, got.Text, got.Sketch
	if p.Status != 0 {
		r.enterShared(ctx, &c, p, got)
	}
	if ctx.Err() != nil {
		return nil
	}
	res := r.conclude(c, p)
	res.weight = int64(len(p.Payload))
	return res
}

// movedTo ends a page that is redirected, after the checks that a request in this
// process makes during the redirect.
func (r *run) movedTo(ctx context.Context, c frontier.Commit, p *Page, u weburl.URL, got *pageResult) *result {
	to, err := weburl.Parse(got.Moved)
	if err == nil {
		err = r.judge(ctx, to.String(), Hopped)
	}
	if err != nil {
		return r.fail(ctx, c, p, err)
	}
	return r.move(ctx, c, p, u, to)
}

// enterShared makes targets of the links that another process has found.
func (r *run) enterShared(ctx context.Context, c *frontier.Commit, p *Page, got *pageResult) {
	follow := p.Status >= 200 && p.Status <= 299 && p.Kind != scope.External && r.follows(c.Lease, r.scope.Load())
	u, err := weburl.Parse(p.URL)
	if err != nil || !follow && !r.c.PageRobots {
		return
	}
	p.Links, p.Robots, p.Canonical = got.Links, got.Robots, got.Canonical
	c.Refused[scope.RuleParse] += got.Refused
	c.Refused[scope.RuleScheme] += got.Schemes
	if follow {
		r.enter(ctx, c, p, u, nil, r.scope.Load())
	}
}

// Assistant fetches and reads pages of a crawl for the process that holds it. It
// makes no decision about the crawl: the other process checks links and redirects,
// schedules requests and stores results. Create one with [Engine.Assist]. It is safe
// for concurrent use.
type Assistant struct {
	run *run
}

// Assist returns an assistant for a crawl with the same Config. Its Share, Frontier,
// State, Since, List and Judge are not used.
func (e *Engine) Assist(c Config) (*Assistant, error) {
	c = c.withDefaults()
	if err := c.validate(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	// The holder limits the requests in flight to a host. Here only the pause
	// between the requests for one page remains.
	c.PerHost = max(c.PerHost, c.Concurrency)
	c.Judge, c.Share, c.Since = nil, nil, nil
	if c.Hosts == nil {
		c.Hosts = &e.hosts
	}
	r := newRun(&c, e)
	if r.fetcher == nil {
		return nil, fmt.Errorf("%w: an assistant needs a Fetcher", ErrConfig)
	}
	r.frontier, r.origins.frontier = nowhere{}, nowhere{}
	r.load = newLoad(c.Concurrency)
	var err error
	r.home, err = weburl.Parse(c.URL)
	return &Assistant{r}, err
}

// nowhere is the frontier of an assistant. It is told early that a request has
// ended, which only matters in the process that holds the crawl.
type nowhere struct{ frontier.Frontier }

func (nowhere) Commit(context.Context, ...frontier.Commit) error { return nil }

// Close releases the turns of the assistant. Call it when no Do is in progress.
func (a *Assistant) Close() { a.run.origins.leave() }

// Do fetches and reads a page. It calls finish, unless it is nil, for a page that is
// to be delivered, after its links were read; finish may change its Payload. If the
// result would be larger than most bytes, it only says so. The error is ctx's cause,
// or says that the task is not valid.
func (a *Assistant) Do(ctx context.Context, task []byte, most int, finish func(*Page) error) ([]byte, error) {
	var t pageTask
	if err := json.Unmarshal(task, &t); err != nil {
		return nil, fmt.Errorf("task of another process: %w", err)
	}
	u, err := weburl.Parse(t.Lease.URL)
	if err != nil || t.Lease.Task != frontier.PageTask {
		return nil, fmt.Errorf("task of another process: %w: %w", ErrConfig, err)
	}
	jar := &carried{CookieJar: fetch.NewJar()}
	for _, line := range t.Cookies {
		if cookies, err := http.ParseCookie(line); err == nil {
			jar.CookieJar.SetCookies(u.HTTP(), cookies)
		}
	}
	found, payload := a.page(ctx, jar, &t, u, finish)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	found.Cookies = jar.set
	b, err := found.encode(payload)
	if err == nil && len(b) > most {
		b, err = (&pageResult{TooLarge: true, Answer: found.Answer, Took: found.Took, Wait: found.Wait}).encode(nil)
	}
	return b, err
}

// carried is a cookie jar for the request of one page. It notes what the site sets,
// for the jar of the crawl.
type carried struct {
	http.CookieJar
	mu  sync.Mutex
	set []string // guarded by mu until the request has ended
}

// SetCookies implements [http.CookieJar].
func (j *carried) SetCookies(u *url.URL, cookies []*http.Cookie) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.CookieJar.SetCookies(u, cookies)
	for _, c := range cookies {
		if line := c.String(); line != "" && len(j.set) < maxCarried {
			j.set = append(j.set, line)
		}
	}
}

// maxCarried limits the number of cookies that one page returns.
const maxCarried = 50

// page fetches and reads a page. A panic fails only this page.
func (a *Assistant) page(ctx context.Context, jar http.CookieJar, t *pageTask, u weburl.URL, finish func(*Page) error) (found *pageResult, payload []byte) {
	l, r := t.Lease, a.run
	found = &pageResult{}
	defer func() {
		if v := recover(); v != nil {
			payload = nil
			*found = pageResult{Answer: found.Answer, Took: found.Took, Wait: found.Wait, Failure: fmt.Sprintf("%v: %v", ErrPanic, v)}
		}
	}()
	own := *r.requester
	own.jar = jar
	turns := &pageTurns{origins: r.origins, lease: l, asked: true, delay: t.Gap}
	got := own.get(ctx, l, u, nil, t.Follow, turns)
	found.Answer, found.Took, found.Wait = got.answer, got.took, got.wait
	switch {
	case ctx.Err() != nil:
		return found, nil
	case got.again > 0 && l.Tries+1 < got.again:
		found.Again = true
		return found, nil
	case !got.moved.IsZero():
		found.Moved = got.moved.String()
		return found, nil
	}
	p := newPage(ctx, l)
	if got.err != nil {
		if got.again > 0 {
			got.err = fmt.Errorf("%w: %w", ErrTries, got.err)
		}
		p.Err = &Error{URL: l.URL, Err: got.err}
	} else {
		p.take(got.resp, u)
	}
	if err := a.read(ctx, t, p, found, finish); err != nil && p.Err == nil {
		p.Err = &Error{URL: p.URL, Err: err}
	}
	if p.Err != nil {
		found.Failure = p.Err.Error()
		if own, ok := errors.AsType[*Error](p.Err); ok {
			found.Failure = own.Err.Error() // the holder adds the URL
		}
	}
	found.URL, found.Status, found.Truncated, found.Rendered, found.Cached = p.URL, p.Status, p.Truncated, p.Rendered, p.Cached
	found.Bytes, found.Cost, found.Note = len(p.Body), p.Cost, p.Note
	return found, p.Payload
}

// read calls Visit for a page and reads its links.
func (a *Assistant) read(ctx context.Context, t *pageTask, p *Page, found *pageResult, finish func(*Page) error) error {
	r := a.run
	if len(p.Body) > 0 {
		seats, err := r.load.read(ctx, p.Body)
		if err != nil {
			return err
		}
		p.seats = seats
		defer seats.leave()
	}
	if r.c.Visit != nil {
		if err := r.c.Visit(ctx, p); err != nil && p.Err == nil {
			p.Err = &Error{URL: p.URL, Err: err}
		}
	}
	if p.Status == 0 || ctx.Err() != nil {
		return nil
	}
	follow := t.Follow && p.Status >= 200 && p.Status <= 299 && p.Kind != scope.External
	if u, err := weburl.Parse(p.URL); err == nil && (follow || r.c.PageRobots) {
		links := r.read(p, u)
		note(p, &links)
		found.Links, found.Robots, found.Canonical = p.Links, p.Robots, p.Canonical
		found.Refused, found.Schemes = links.Refused, links.Schemes
	}
	c := frontier.Commit{Lease: t.Lease}
	r.describe(&c, p)
	found.Body, found.Text, found.Sketch = c.Body, c.Text, c.Sketch
	if finish == nil || p.Err != nil || r.c.PageRobots && p.Robots.NoIndex {
		return nil
	}
	return finish(p)
}
