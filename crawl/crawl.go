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

// Engine crawls. The zero value crawls over net/http with a client of its own
// for each run. It serves any number of crawls at once.
type Engine struct {
	Fetcher fetch.Fetcher // nil: a zero fetch.Client

	// UserAgent is sent with each request; empty leaves it to the Fetcher. The
	// product token that it begins with ("wader" of "wader/1.0 (+https://...)"),
	// or "curlew", is the name under which robots.txt is asked; where that is no
	// name of yours ("Mozilla/5.0 (compatible; ...)"), set Config.RobotsAgent.
	UserAgent string

	Trace *Trace // nil is silent

	hosts     pace.Hosts // of crawls without Config.Hosts
	mostRules int        // bytes of robots.txt rules that a crawl may keep, for tests; zero means maxRules
}

// Run walks the site of c and yields pages as they finish: delivered ones and
// those that failed for good. When the loop body returns, the page's outcome,
// links and payload are committed; a page on which the consumer leaves is not.
// An error is the last pair and means that the walk cannot go on: it is an
// [*Error] that wraps [ErrConfig], ctx's cause or what the frontier says.
//
// The sequence may be ranged again where c.Frontier is nil, which crawls again, or
// goes on if c.State is set.
// It returns when every goroutine that it started has ended.
func (e *Engine) Run(ctx context.Context, c Config) iter.Seq2[*Page, error] {
	return func(yield func(*Page, error) bool) {
		c := c.withDefaults()
		sc, err := c.Compile()
		if err == nil {
			err = c.validate()
			if err != nil {
				err = fmt.Errorf("%w: %w", ErrConfig, err)
			}
		}
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

// crawl walks the site. Where the consumer has left, its error is errLeft.
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
		defer func() { err = errors.Join(err, r.frontier.Close()) }() // nothing outlives it
	}
	if err := r.open(ctx, sc); err != nil {
		return err
	}
	return r.walk(ctx, yield)
}

// run is one crawl in progress. Its parts hold one invariant each, and it
// coordinates them.
type run struct {
	*requester
	origins  *originRules
	sitemaps *sitemaps
	frontier frontier.Frontier

	scope atomic.Pointer[scope.Scope] // changed once, when the start page has moved

	slots   chan struct{} // one for each open lease
	load    *load
	tasks   chan errand
	results chan *result

	// Only the consumer's goroutine uses the rest.
	bodies bodies
	order  sequence
}

// newRun returns a run of c, before its frontier is open.
func newRun(c *Config, e *Engine) *run {
	r := &run{
		requester: &requester{c: c, trace: e.Trace, fetcher: e.Fetcher, userAgent: e.UserAgent},
		frontier:  c.Frontier,
	}
	r.origins = &originRules{
		requester: r.requester, agent: scope.Agent(c.RobotsAgent, e.UserAgent), scope: &r.scope,
		cache: ruleCache{most: cmp.Or(e.mostRules, maxRules)},
	}
	r.sitemaps = &sitemaps{requester: r.requester, origins: r.origins}
	return r
}

// sequence holds the results of an ordered crawl until it is their turn. The
// invariant: results leave in the order of their ranks, and none leaves behind the
// last page.
type sequence struct {
	wanted uint64 // the next rank
	held   map[uint64]*result
	left   int // pages that may still be delivered
}

// put holds a result, and reports whether it is its turn.
func (s *sequence) put(res *result) bool {
	s.held[res.commit.Lease.Rank] = res
	return res.commit.Lease.Rank == s.wanted
}

// next takes out the result whose turn it is; nil if it is not there.
func (s *sequence) next() *result {
	res := s.held[s.wanted]
	if res == nil || s.left <= 0 { // what is behind the last page is there by chance
		return nil
	}
	delete(s.held, s.wanted)
	// A page that moved comes again under its rank.
	if res.commit.Outcome != frontier.Moved {
		s.wanted++
	}
	return res
}

// errand is a lease on its way to a worker.
type errand struct {
	frontier.Lease
	reckoned int64 // see [load]
}

// result is what a worker made of a lease.
type result struct {
	commit frontier.Commit
	page   *Page // to be yielded; nil where the consumer sees nothing
	weight int64
	seats  *seats // that the page holds until the consumer has it
}

// open prepares what the workers share.
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
	if stats.Origin != "" { // a crawl that goes on: its start page has moved
		if sc, err = sc.Moved(stats.Origin); err != nil {
			return fmt.Errorf("%w: %w", frontier.ErrCorrupt, err)
		}
	}
	r.scope.Store(sc)
	r.slots = make(chan struct{}, r.c.FrontierOptions().Leases())
	r.load = newLoad(r.c.Concurrency)
	r.tasks = make(chan errand)
	r.results = make(chan *result)
	r.origins.frontier = r.frontier
	r.order = sequence{held: map[uint64]*result{}, left: r.c.limit() - stats.Delivered}
	if r.c.Judge != nil {
		r.judged = newJudged()
	}
	alive := context.WithoutCancel(ctx) // the counters stay when the crawl is over
	r.trace.started(func() frontier.Stats {
		s, _ := r.frontier.Stats(alive) // live counters do not fail
		return s
	})
	return nil
}

// walk runs the workers and hands their pages to yield. It returns nil when the
// crawl is over, errLeft when yield left it, else why it ended.
func (r *run) walk(ctx context.Context, yield func(*Page, error) bool) error {
	defer r.origins.leave() // runs last
	var all sync.WaitGroup
	defer all.Wait() // runs second
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(errLeft) // runs first

	// What is not a page has no say any more once the frontier has run dry.
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
				return context.Cause(ctx) // nil where the crawl is over
			}
			if err := r.collect(ctx, res, yield); err != nil {
				return err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// dispatch leases tasks for the workers until the frontier says io.EOF, and
// returns that, or why it could not go on.
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

// reserve waits for one slot and takes what others are free.
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

// work does tasks until there are no more.
func (r *run) work(ctx, files context.Context) {
	for l := range r.tasks {
		r.load.busy.Add(1)
		r.trace.leased(l.Lease)
		taskCtx := ctx
		if l.Task != frontier.PageTask {
			taskCtx = files
		}
		res := r.try(taskCtx, l.Lease)
		if res == nil { // cut off
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

// try does one task; a panic on the way fails its page alone. It returns nil
// where ctx has ended.
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

// panicked ends a task in which foreign input, or the caller's code, panicked.
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

// collect yields and commits a result, in its turn. The error is errLeft
// where the consumer left.
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
	// What the consumer has seen is committed, even if it ended ctx meanwhile.
	if err := r.frontier.Commit(context.WithoutCancel(ctx), *c); err != nil {
		return err
	}
	r.trace.blocked(c.Blocked)
	r.trace.committed(*c)
	r.load.shed(res.weight)
	<-r.slots
	return nil
}
