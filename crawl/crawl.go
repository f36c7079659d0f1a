// SPDX-License-Identifier: Apache-2.0

package crawl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"
	"sync/atomic"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/crawl/scope"
	"example.com/curlew/fetch"
	"example.com/curlew/internal/weburl"
)

// Engine crawls sites. The zero value uses net/http, with a new client for each
// run. An Engine can run any number of crawls at once.
type Engine struct {
	Fetcher fetch.Fetcher // nil means a zero fetch.Client

	// UserAgent is sent with each request. If it is empty, the Fetcher decides.
	// The product token at its start ("wader" in "wader/1.0 (+https://...)"),
	// or "curlew", is looked up in robots.txt. If the token is not your name
	// ("Mozilla/5.0 (compatible; ...)"), set Config.RobotsAgent.
	UserAgent string

	Trace *Trace // nil reports nothing

	hosts     pace.Hosts // for crawls without Config.Hosts
	mostRules int        // limit for the robots.txt rules of a crawl in bytes, for tests; zero means maxRules
}

// Run crawls the site of c and yields pages as they finish: delivered pages and
// pages that failed for good. When the loop body returns, the outcome, links
// and payload of the page are committed. If the caller leaves the loop at a
// page, that page is not committed. If the crawl cannot continue, the last pair
// contains an [*Error] that wraps [ErrConfig], ctx's cause or an error of the
// frontier.
//
// If c.Frontier is nil, the sequence may be iterated again. That crawls again
// or, if c.State is set, continues. Run returns when every goroutine that it
// started has ended.
func (e *Engine) Run(ctx context.Context, c Config) iter.Seq2[*Page, error] {
	return func(yield func(*Page, error) bool) {
		c := c.withDefaults()
		sc, err := c.Compile()
		if err != nil {
			yield(nil, &Error{URL: c.shown(), Err: err})
			return
		}
		if c.Hosts == nil {
			c.Hosts = &e.hosts
		}
		r := newRun(&c, e)
		if r.fetcher == nil {
			client := &fetch.Client{UserAgent: e.UserAgent}
			defer client.CloseIdleConnections()
			r.fetcher, r.userAgent = client, ""
		}
		if err := r.crawl(ctx, sc, yield); err != nil && !errors.Is(err, errLeft) {
			yield(nil, &Error{URL: c.shown(), Err: err})
		}
	}
}

// crawl crawls the site. If the caller has left the loop, its error is errLeft.
func (r *run) crawl(ctx context.Context, sc *scope.Scope, yield func(*Page, error) bool) (err error) {
	if r.frontier == nil {
		if r.c.State != nil {
			r.frontier, err = r.c.State.Open(r.c.identity(), r.c.FrontierOptions())
		} else {
			r.frontier, err = frontier.NewFrontier(r.c.FrontierOptions())
		}
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, r.frontier.Close()) }() // the frontier belongs to this run
	}
	if err := r.open(ctx, sc); err != nil {
		return err
	}
	return r.walk(ctx, yield)
}

// run is one crawl in progress. Each of its parts maintains one invariant, and
// run coordinates them.
type run struct {
	*requester
	origins  *originRules
	sitemaps *sitemaps
	frontier frontier.Frontier

	scope atomic.Pointer[scope.Scope] // changes once, if the start page is redirected
	alone sync.Map                    // Seq of each page whose result is too large to be shared

	slots   chan struct{} // one for each open lease
	load    *load
	tasks   chan errand
	results chan *result

	// The following fields are used only by the caller's goroutine.
	bodies bodies
	order  sequence
}

// newRun returns a run of c whose frontier is not open yet.
func newRun(c *Config, e *Engine) *run {
	r := &run{
		requester: &requester{c: c, trace: e.Trace, fetcher: e.Fetcher, userAgent: e.UserAgent},
		frontier:  c.Frontier,
	}
	r.origins = &originRules{
		requester: r.requester, scope: &r.scope,
		cache: ruleCache{most: cmp.Or(e.mostRules, maxRules)},
	}
	r.sitemaps = &sitemaps{requester: r.requester, origins: r.origins}
	return r
}

// sequence keeps the results of an ordered crawl until it is their turn.
// Invariant: results are returned in the order of their ranks, and none is
// returned after the last page.
type sequence struct {
	wanted uint64 // the next rank
	held   map[uint64]*result
	left   int // pages that may still be delivered
}

// put adds a result, and reports whether it is its turn.
func (s *sequence) put(res *result) bool {
	s.held[res.commit.Lease.Rank] = res
	return res.commit.Lease.Rank == s.wanted
}

// next removes and returns the result whose turn it is, or nil.
func (s *sequence) next() *result {
	res := s.held[s.wanted]
	if res == nil || s.left <= 0 { // which results follow the last page depends on timing
		return nil
	}
	delete(s.held, s.wanted)
	// A redirected page comes again with the same rank.
	if res.commit.Outcome != frontier.Moved {
		s.wanted++
	}
	return res
}

// errand is a lease that is passed to a worker.
type errand struct {
	frontier.Lease
	reckoned int64 // see [load]
}

// result is the result of a lease.
type result struct {
	commit frontier.Commit
	page   *Page // page to be yielded; nil if there is none
	weight int64
	seats  *seats // seats of the page until the caller has received it
}

// open prepares the state that the workers share.
func (r *run) open(ctx context.Context, sc *scope.Scope) error {
	var err error
	if r.home, err = weburl.Parse(r.c.URL); err != nil {
		return err
	}
	r.jar = r.c.Request.Jar
	if r.jar == nil {
		r.jar = fetch.NewJar()
	}
	stats, err := r.frontier.Stats(ctx)
	if err != nil {
		return err
	}
	if stats.Origin != "" { // the crawl continues, and its start page was redirected
		if sc, err = sc.Moved(stats.Origin); err != nil {
			return fmt.Errorf("%w: %w", frontier.ErrCorrupt, err)
		}
	}
	r.scope.Store(sc)
	r.slots = make(chan struct{}, r.c.FrontierOptions().Leases())
	r.load = newLoad(r.c.Concurrency)
	r.tasks = make(chan errand)
	r.results = make(chan *result)
	r.origins.frontier, r.origins.agent = r.frontier, sc.Agent(r.userAgent)
	r.order = sequence{held: map[uint64]*result{}, left: r.c.limit() - stats.Delivered}
	if r.c.Judge != nil {
		r.judged = newJudged()
	}
	alive := context.WithoutCancel(ctx) // the counters remain available after the crawl
	r.trace.started(func() frontier.Stats {
		s, _ := r.frontier.Stats(alive) // live counters do not fail
		return s
	})
	return nil
}

// walk runs the workers and passes their pages to yield. It returns nil when
// the crawl is over, and errLeft if yield returned false. Other errors end the
// crawl.
func (r *run) walk(ctx context.Context, yield func(*Page, error) bool) error {
	defer r.origins.leave() // runs last
	var all sync.WaitGroup
	defer all.Wait() // runs second
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(errLeft) // runs first

	// When the frontier is empty, files other than pages no longer matter.
	files, stopFiles := context.WithCancelCause(ctx)
	defer stopFiles(errLeft)
	var workers sync.WaitGroup
	for range r.c.Concurrency {
		workers.Go(func() { r.work(ctx, files) })
	}
	all.Go(func() {
		err := r.dispatch(ctx)
		close(r.tasks)
		if !errors.Is(err, io.EOF) {
			stop(err)
		}
		stopFiles(io.EOF)
		workers.Wait()
		close(r.results)
	})
	for {
		select {
		case res, ok := <-r.results:
			if !ok {
				return context.Cause(ctx) // nil if the crawl is over
			}
			if err := r.collect(ctx, res, yield); err != nil {
				return err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// dispatch leases tasks for the workers until the frontier returns an error,
// which is io.EOF when the crawl is over, and returns that error.
func (r *run) dispatch(ctx context.Context) error {
	for {
		n, err := r.reserve(ctx)
		if err != nil {
			return err
		}
		leases, err := r.frontier.Lease(ctx, n)
		for range n - len(leases) {
			<-r.slots
		}
		if err != nil {
			return err
		}
		for _, l := range leases {
			if err := r.load.wait(ctx, r.c.Ordered); err != nil {
				return err
			}
			select {
			case r.tasks <- errand{l, r.load.reckon(l.Task)}:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	}
}

// reserve waits for one slot and takes other free ones as well.
func (r *run) reserve(ctx context.Context) (n int, err error) {
	select {
	case r.slots <- struct{}{}:
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
	for n = 1; n < cap(r.slots); n++ {
		select {
		case r.slots <- struct{}{}:
		default:
			return n, nil
		}
	}
	return n, nil
}

// work processes tasks until there are no more.
func (r *run) work(ctx, files context.Context) {
	for l := range r.tasks {
		r.load.busy.Add(1)
		r.trace.leased(l.Lease)
		taskCtx := ctx
		if l.Task != frontier.PageTask {
			taskCtx = files
		}
		res := r.try(taskCtx, l.Lease)
		if res == nil { // cancelled
			r.load.end(l.reckoned, 0)
			continue
		}
		if res.page != nil {
			res.weight = int64(len(res.page.Body))
		}
		r.load.end(l.reckoned, res.weight)
		select {
		case r.results <- res:
		case <-ctx.Done():
			return
		}
		res.seats.leave()
	}
}

// try processes one task. A panic fails only its page. If ctx is cancelled, it
// returns nil.
func (r *run) try(ctx context.Context, l frontier.Lease) (res *result) {
	defer func() {
		if v := recover(); v != nil {
			res = r.panicked(ctx, l, v)
		}
	}()
	switch l.Task {
	case frontier.RobotsTask:
		return r.origins.ask(ctx, l)
	case frontier.SitemapTask:
		return r.sitemaps.read(ctx, l)
	}
	return r.page(ctx, l)
}

// panicked ends a task in which untrusted input, or code of the caller, caused
// a panic.
func (r *run) panicked(ctx context.Context, l frontier.Lease, v any) *result {
	c := frontier.Commit{Lease: l, URL: l.URL}
	err := &Error{URL: l.URL, Err: fmt.Errorf("%w: %v", ErrPanic, v)}
	switch l.Task {
	case frontier.RobotsTask:
		return r.origins.know(c, scope.RobotsFile{URL: l.URL, Unreachable: true}, err)
	case frontier.SitemapTask:
		r.trace.warned(l.URL, err)
		c.Outcome = frontier.Dropped
		return &result{commit: c}
	}
	c.Outcome = frontier.Failed
	p := newPage(ctx, l)
	p.Err = err
	return &result{commit: c, page: p}
}

// collect yields and commits a result when it is its turn. If the caller left
// the loop, the error is errLeft.
func (r *run) collect(ctx context.Context, res *result, yield func(*Page, error) bool) error {
	c := &res.commit
	if !r.c.Ordered || c.Lease.Task == frontier.RobotsTask || c.Outcome == frontier.Retry {
		return r.finish(ctx, res, yield)
	}
	if !r.order.put(res) {
		return r.frontier.Commit(ctx, frontier.Commit{Lease: c.Lease, Outcome: frontier.Held, Answer: c.Answer, Ended: c.Ended, Took: c.Took, Wait: c.Wait})
	}
	for res := r.order.next(); res != nil; res = r.order.next() {
		if err := r.finish(ctx, res, yield); err != nil {
			return err
		}
		if res.commit.Outcome == frontier.Delivered {
			r.order.left--
		}
	}
	return nil
}

// finish yields a result and commits it.
func (r *run) finish(ctx context.Context, res *result, yield func(*Page, error) bool) error {
	c := &res.commit
	if p := res.page; p != nil {
		r.bodies.mark(res)
		if !yield(p, nil) {
			return errLeft
		}
		c.Payload, c.Cost = p.Payload, p.Cost
	}
	// Commit what the caller has received, even if it cancelled ctx meanwhile.
	if err := r.frontier.Commit(context.WithoutCancel(ctx), *c); err != nil {
		return err
	}
	r.trace.blocked(c.Blocked)
	r.trace.committed(*c)
	r.load.shed(res.weight)
	<-r.slots
	return nil
}
