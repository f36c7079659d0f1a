// SPDX-License-Identifier: Apache-2.0

package crawl

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/internal/shape"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/crawl/scope"
	"example.com/curlew/fetch"
	"example.com/curlew/internal/weburl"
)

// Share passes the fetching and reading of a page to another process; see
// [Config].Share. The other process gives the task to [Assistant.Do]. Share returns
// its result, or calls here and returns nil. The host of the page must get the pause
// Gap of the task after the request. After an error the page is leased again.
type Share func(ctx context.Context, task *SharedTask, here func()) (result *SharedResult, err error)

// SharedTask is a page that another process is to fetch and read. The program
// decides how it gets there: all fields can be encoded, for example as JSON.
type SharedTask struct {
	Lease   frontier.Lease
	Follow  bool          // links of the page can be followed
	Gap     time.Duration // pause between requests to its host
	Cookies []string      `json:",omitempty"` // pairs of name and value, as in a Cookie header
}

// SharedResult is what the other process has found. All fields can be encoded, as
// those of [SharedTask]. The crawl checks the links and the target of a redirect as
// it checks those of its own requests.
type SharedResult struct {
	// TooLarge says that the result is too large to be passed on. The process that
	// holds the crawl then does the page itself, and only Answer, Took and Wait count.
	TooLarge bool `json:",omitempty"`

	Answer  pace.Answer   // what the outcome says about the host
	Again   bool          `json:",omitempty"` // the request is to be repeated later
	Wait    time.Duration `json:",omitempty"` // Retry-After
	Took    time.Duration // duration of the request
	Moved   string        `json:",omitempty"` // target of a redirect
	Cookies []string      `json:",omitempty"` // as in Set-Cookie headers

	URL       string    // of the page, after redirects
	Status    int       // HTTP status, or 0 if the request failed
	Bytes     int       // length of the body
	Truncated bool      `json:",omitempty"` // see [Page]
	Rendered  bool      `json:",omitempty"` // see [Page]
	Cached    time.Time `json:",omitzero"`  // see [Page]
	Failure   string    `json:",omitempty"` // why the request or the page failed
	Cost      int       // see [Page]
	Note      []byte    `json:",omitempty"` // see [Page]

	Links     []Link                           `json:",omitempty"` // see [Page]
	Refused   int                              `json:",omitempty"` // number of links that cannot be parsed
	Schemes   int                              `json:",omitempty"` // number of links that are not http(s)
	Cut       int                              `json:",omitempty"` // number of links beyond the 100,000 that are read
	Robots    struct{ NoFollow, NoIndex bool } // see [Page]
	Canonical string                           `json:",omitempty"` // see [Page]
	Body      uint64                           // hash of the body
	Text      uint64                           `json:",omitempty"` // hash of the text
	Sketch    []uint32                         `json:",omitempty"` // of the text, for pages that are nearly equal

	Payload []byte `json:",omitempty"` // see [Page]
}

// errNoResult means that Share has returned neither a result nor an error, and has
// not called here.
var errNoResult = errors.New("no result of another process")

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

// elsewhere has another process fetch and read a page that is not known. If Share
// calls here, this process does it.
func (r *run) elsewhere(ctx context.Context, c frontier.Commit, p *Page, u weburl.URL) (res *result) {
	l := c.Lease
	if l.Lost >= mostLost {
		return r.fail(ctx, c, p, ErrLost)
	}
	gap := r.c.Delay
	if asked, ok := r.origins.rules(u).allow().CrawlDelay(); ok && r.c.Robots == RobotsStrict {
		gap = max(gap, min(asked, maxCrawlDelay))
	}
	task := &SharedTask{Lease: l, Follow: r.follows(l, r.scope.Load()), Gap: gap}
	for _, cookie := range r.jar.Cookies(u.HTTP()) {
		task.Cookies = append(task.Cookies, cookie.Name+"="+cookie.Value)
	}
	did := false
	got, err := r.c.Share(ctx, task, func() { did, res = true, r.fetch(ctx, c, p, u, nil) })
	switch {
	case did:
		return res
	case ctx.Err() != nil:
		return nil
	case err == nil && got != nil:
		return r.received(ctx, c, p, u, got)
	case err == nil:
		err = errNoResult
	}
	// Whether the request was made is unknown, so the host gets its pause.
	r.trace.warned(l.URL, err)
	c.Outcome, c.Lost, c.Answer = frontier.Retry, true, pace.Good
	return &result{commit: c}
}

// received ends a page that another process has fetched and read. The end of the
// request counts from now, because clocks differ.
func (r *run) received(ctx context.Context, c frontier.Commit, p *Page, u weburl.URL, got *SharedResult) *result {
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
		return r.movedTo(ctx, c, p, u, got)
	}
	p.Shared, p.Cost, p.Note, p.Payload = true, got.Cost, got.Note, got.Payload
	p.Status, p.Truncated, p.Cached, p.Rendered = got.Status, got.Truncated, got.Cached, got.Rendered
	if got.URL != "" {
		p.URL = got.URL
	}
	if failed != nil {
		p.Err = &Error{URL: c.Lease.URL, Err: failed}
	}
	res := &result{commit: c, weight: int64(len(p.Payload))}
	res.commit.URL, res.commit.Status = p.URL, p.Status
	res.commit.Body, res.commit.Text, res.commit.Sketch = got.Body, got.Text, got.Sketch
	if p.Status != 0 {
		r.enterShared(ctx, &res.commit, p, got)
	}
	if ctx.Err() != nil {
		return nil
	}
	r.conclude(res, p)
	return res
}

// movedTo ends a page that is redirected, after the checks that a request in this
// process makes during the redirect.
func (r *run) movedTo(ctx context.Context, c frontier.Commit, p *Page, u weburl.URL, got *SharedResult) *result {
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
func (r *run) enterShared(ctx context.Context, c *frontier.Commit, p *Page, got *SharedResult) {
	follow := p.Status >= 200 && p.Status <= 299 && p.Kind != scope.External && r.follows(c.Lease, r.scope.Load())
	u, err := weburl.Parse(p.URL)
	if err != nil || !follow && !r.c.PageRobots {
		return
	}
	p.Links, p.Robots, p.Canonical = got.Links, got.Robots, got.Canonical
	c.Refused[scope.RuleParse] += got.Refused
	c.Refused[scope.RuleScheme] += got.Schemes
	if follow {
		c.Refused[scope.RuleRoom] += got.Cut
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
// to be delivered, after its links were read; finish may change its Payload. The error
// is ctx's cause, or wraps [ErrConfig] if the task is not valid.
func (a *Assistant) Do(ctx context.Context, task *SharedTask, finish func(*Page) error) (*SharedResult, error) {
	u, err := weburl.Parse(task.Lease.URL)
	if err != nil {
		return nil, fmt.Errorf("task of another process: %w: %w", ErrConfig, err)
	}
	if task.Lease.Task != frontier.PageTask {
		return nil, fmt.Errorf("task of another process: %w: it is not a page", ErrConfig)
	}
	jar := &carried{CookieJar: fetch.NewJar()}
	for _, line := range task.Cookies {
		if cookies, err := http.ParseCookie(line); err == nil {
			jar.CookieJar.SetCookies(u.HTTP(), cookies)
		}
	}
	found := a.page(pace.Lent(ctx, shape.Host(u.Origin())), jar, task, u, finish)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	found.Cookies = jar.set
	return found, nil
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
func (a *Assistant) page(ctx context.Context, jar http.CookieJar, t *SharedTask, u weburl.URL, finish func(*Page) error) (found *SharedResult) {
	l, r := t.Lease, a.run
	found = &SharedResult{}
	defer func() {
		if v := recover(); v != nil {
			*found = SharedResult{Answer: found.Answer, Took: found.Took, Wait: found.Wait, Failure: fmt.Sprintf("%v: %v", ErrPanic, v)}
		}
	}()
	own := *r.requester
	own.jar = jar
	turns := &pageTurns{origins: r.origins, lease: l, asked: true, delay: t.Gap}
	got := own.get(ctx, l, u, nil, t.Follow, turns)
	found.Answer, found.Took, found.Wait = got.answer, got.took, got.wait
	switch {
	case ctx.Err() != nil:
		return found
	case got.again > 0 && l.Tries+1 < got.again:
		found.Again = true
		return found
	case !got.moved.IsZero():
		found.Moved = got.moved.String()
		return found
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
	found.Bytes, found.Cost, found.Note, found.Payload = len(p.Body), p.Cost, p.Note, p.Payload
	return found
}

// read calls Visit for a page and reads its links.
func (a *Assistant) read(ctx context.Context, t *SharedTask, p *Page, found *SharedResult, finish func(*Page) error) error {
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
		found.Refused, found.Schemes, found.Cut = links.Refused, links.Schemes, links.Cut
	}
	c := frontier.Commit{Lease: t.Lease}
	r.describe(&c, p)
	found.Body, found.Text, found.Sketch = c.Body, c.Text, c.Sketch
	if finish == nil || p.Err != nil || r.c.PageRobots && p.Robots.NoIndex {
		return nil
	}
	return finish(p)
}
