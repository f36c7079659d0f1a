// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/curlew/crawl"
	"example.com/curlew/fetch"
	"example.com/curlew/internal/service/sharing"
	"example.com/curlew/job"
	"example.com/curlew/job/postgres"
)

// stage is a database with processes that are ready to work.
type stage struct {
	conn  *pgx.Conn
	all   []*process
	space job.Space // of the job of the last process, as another process reads it
	ends  []func() error
}

// prepare starts processes with these loads on a new database.
func prepare(ctx context.Context, f flags, create func() (string, error), loads ...load) (*stage, error) {
	s := new(stage)
	url, err := create()
	if err != nil {
		return nil, err
	}
	for _, l := range loads {
		l.URL = url
		p, err := spawn(ctx, l)
		if err != nil {
			return nil, errors.Join(err, s.close(ctx))
		}
		s.all = append(s.all, p)
	}
	l := loads[0]
	l.URL = url
	st, end, err := opened(ctx, l, postgres.Options{})
	if err == nil {
		s.ends = append(s.ends, end)
		s.conn, err = pgx.Connect(ctx, url)
	}
	if err == nil {
		id := strings.TrimPrefix(s.all[len(s.all)-1].out.Text(), "ready ")
		s.space, err = st.Space(ctx, id)
	}
	if err == nil && f.statements > 0 {
		_, err = s.conn.Exec(ctx, `create extension if not exists pg_stat_statements`)
	}
	if err != nil {
		return nil, errors.Join(err, s.close(ctx))
	}
	return s, nil
}

func (s *stage) close(ctx context.Context) error {
	var faults []error
	for _, p := range s.all {
		_ = p.end() // it has ended, or it is of no use any more
	}
	if s.conn != nil {
		faults = append(faults, s.conn.Close(context.WithoutCancel(ctx)))
	}
	for _, end := range s.ends {
		faults = append(faults, end())
	}
	return errors.Join(faults...)
}

// measure lets the processes work for a time and prints the figures.
func (s *stage) measure(ctx context.Context, f flags, title string) error {
	for _, p := range s.all {
		if err := p.begin(); err != nil {
			return err
		}
	}
	ended := make(chan struct{})
	time.AfterFunc(f.time, func() { close(ended) })
	o, err := observe(ctx, s.conn, s.space, ended)
	if err != nil {
		return err
	}
	var sum result
	for i := len(s.all) - 1; i >= 0; i-- { // the holder of a shared crawl is the last one
		r, err := s.all[i].stop()
		if err != nil {
			return err
		}
		sum.Pages, sum.Elsewhere, sum.CPU = sum.Pages+r.Pages, sum.Elsewhere+r.Elsewhere, sum.CPU+r.CPU
		o.seconds = max(o.seconds, r.Seconds) // the last pages are committed after the end
	}
	s.all = nil
	if err := o.finish(ctx, s.conn); err != nil {
		return err
	}
	fmt.Printf("%s: %s  %.0f us CPU a page outside of the database", title, o.describe(sum.Pages), 1e6*sum.CPU/float64(max(sum.Pages, 1)))
	if sum.Elsewhere > 0 {
		fmt.Printf("  %d%% by other processes", 100*sum.Elsewhere/sum.Pages)
	}
	fmt.Println()
	return showStatements(ctx, s.conn, f.statements)
}

// measureCrawls measures n processes with a crawl each.
func measureCrawls(ctx context.Context, f flags, l load, n int, create func() (string, error)) error {
	l.Role = "crawl"
	loads := make([]load, n)
	for i := range loads {
		loads[i] = l
	}
	s, err := prepare(ctx, f, create, loads...)
	if err != nil {
		return err
	}
	err = s.measure(ctx, f, fmt.Sprintf("%d processes, %v a page", n, l.Latency))
	return errors.Join(err, s.close(ctx))
}

// measureShared measures a crawl that one process holds and n-1 others help with.
func measureShared(ctx context.Context, f flags, l load, n int, create func() (string, error)) error {
	loads := make([]load, n)
	for i := range loads {
		loads[i] = l
		loads[i].Role = "help"
	}
	loads[n-1].Role = "hold"
	s, err := prepare(ctx, f, create, loads...)
	if err != nil {
		return err
	}
	err = s.measure(ctx, f, fmt.Sprintf("one crawl, %d processes, %v a page", n, l.Latency))
	return errors.Join(err, s.close(ctx))
}

// web is the fetcher of one process. It fetches as many pages at once as slots has room
// for. A page has 80 links, of which two are new.
type web struct {
	slots   chan struct{}
	latency time.Duration
}

// Fetch implements fetch.Fetcher.
func (w *web) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Response, error) {
	w.slots <- struct{}{}
	defer func() { <-w.slots }()
	pause(ctx, w.latency)
	var n int
	_, _ = fmt.Sscanf(r.URL, "http://a.test/%d", &n) // the start page has no number
	var b strings.Builder
	for i := range 80 {
		next := i
		if i < 2 {
			next = 2*n + i + 80
		}
		fmt.Fprintf(&b, "<a href=/%d/a-page-with-a-name>x</a>\n", next)
	}
	return &fetch.Response{URL: r.URL, Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte(b.String())}, nil
}

// site returns the configuration of the crawl that processes share.
func (l *load) site() (*crawl.Engine, crawl.Config) {
	c := crawl.Config{URL: "http://a.test/", Limit: crawl.Unlimited, Robots: crawl.RobotsIgnore, Sitemap: crawl.SitemapSkip, Concurrency: l.At * max(l.Processes, 1)}
	c.Visit = func(_ context.Context, p *crawl.Page) error {
		p.Payload = l.payload(p.ID)
		return nil
	}
	return &crawl.Engine{Fetcher: &web{make(chan struct{}, l.At), l.Latency}}, c
}

const kind = "page" // of the tasks that processes share

// hold crawls a site that other processes help with.
func (l *load) hold(ctx context.Context, st *postgres.Store, gate func() error, r *result) error {
	id, sp, err := create(ctx, st)
	if err != nil {
		return err
	}
	l.Job = id
	engine, config := l.site()
	if config.Frontier, err = sp.Frontier(ctx, config.FrontierOptions()); err != nil {
		return err
	}
	config.Share = sharing.Pages(func(ctx context.Context, task []byte, gap time.Duration, here func()) ([]byte, error) {
		return job.Share(ctx, sp, job.Task{Kind: kind, Data: task, Gap: gap}, here)
	})
	if err := gate(); err != nil {
		return err
	}
	begun := time.Now()
	for p, err := range engine.Run(ctx, config) {
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return err
		}
		r.Pages++
		if p.Shared {
			r.Elsewhere++
		}
	}
	r.Seconds = time.Since(begun).Seconds()
	return config.Frontier.Close()
}

// help does pages of the crawl of another process.
func (l *load) help(ctx context.Context, st *postgres.Store, gate func() error) error {
	engine, config := l.site()
	helper, err := engine.Assist(config)
	if err != nil {
		return err
	}
	ready := make(chan error, 1)
	helping, stop := context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		err := gate() // a helper helps from the start on, so that the holder knows it
		if ready <- err; err == nil {
			<-ctx.Done()
		}
		stop()
	}()
	err = st.Help(helping, job.Help{Kind: kind, Most: l.At, Do: func(ctx context.Context, _ *job.Job, task []byte) ([]byte, error) {
		return sharing.Do(ctx, helper, task, nil)
	}})
	return errors.Join(err, <-ready)
}

// idle is help for a worker that also takes over the jobs of processes that have died, as
// often as curlew worker does.
func (l *load) idle(ctx context.Context, st *postgres.Store, gate func() error) error {
	tick := time.NewTicker(postgres.DefaultLease / 3)
	defer tick.Stop()
	var all sync.WaitGroup
	defer all.Wait()
	ending, stop := context.WithCancel(ctx)
	defer stop()
	all.Go(func() {
		for {
			select {
			case <-tick.C:
				_, _ = st.Unfinished(ending) // there are none
			case <-ending.Done():
				return
			}
		}
	})
	return l.help(ctx, st, gate)
}
