// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/job"
	"example.com/curlew/job/postgres"
)

// tenths is how often a simulation is stopped and continued by a new process.
const tenths = 10

// simulate crawls a web of many hosts to its end. After each tenth the process stops, and a
// new one continues.
func simulate(ctx context.Context, f flags, create func() (string, error)) error {
	l := f.load
	l.Role = "simulate"
	var err error
	if l.URL, err = create(); err != nil {
		return err
	}
	st, end, err := opened(ctx, l, postgres.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = end() }()
	conn, err := pgx.Connect(ctx, l.URL)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if f.statements > 0 {
		if _, err := conn.Exec(ctx, `create extension if not exists pg_stat_statements`); err != nil {
			return err
		}
	}
	fmt.Printf("%d URLs of %d hosts, results of %d bytes\n", l.URLs, l.Hosts, l.Payload)
	var done int64
	if l.Job != "" {
		sp, err := st.Space(ctx, l.Job)
		if err != nil {
			return err
		}
		stats, err := sp.Stats(ctx)
		if err != nil {
			return err
		}
		done = int64(stats.Crawl.Delivered)
	}
	for i := done * tenths / int64(max(l.URLs, 1)); i < tenths; i++ {
		if l.Stop = l.URLs / tenths; i == tenths-1 {
			l.Stop = 0
		}
		n, err := l.tenth(ctx, st, conn, done)
		if err != nil {
			return err
		}
		done += n
	}
	if err := showStatements(ctx, conn, f.statements); err != nil {
		return err
	}
	return l.check(ctx, st, conn, done)
}

// tenth lets a new process crawl until it stops, prints its figures, and returns the
// number of its pages. done is the number of pages before.
func (l *load) tenth(ctx context.Context, st *postgres.Store, conn *pgx.Conn, done int64) (int64, error) {
	begun := time.Now()
	p, err := spawn(ctx, *l)
	if err != nil {
		return 0, err
	}
	ready := time.Since(begun)
	_, _ = fmt.Sscanf(p.out.Text(), "ready %s", &l.Job)
	sp, err := st.Space(ctx, l.Job)
	if err == nil {
		err = p.begin()
	}
	if err != nil {
		return 0, errors.Join(err, p.end())
	}
	ended := make(chan struct{})
	var r result
	var failed error
	go func() {
		defer close(ended)
		r, failed = p.result()
	}()
	o, err := observe(ctx, conn, sp, ended)
	<-ended
	if err = errors.Join(err, failed); err != nil {
		return 0, err
	}
	if err := o.finish(ctx, conn); err != nil {
		return 0, err
	}
	o.seconds = r.Seconds
	if r.Pages == 0 {
		return 0, nil // the processes before have done its pages, too
	}
	fmt.Printf("%10d pages: %s  lease p50 %.2f ms, p99 %.1f ms  ready after %.1f s  %.0f MB memory\n", done+r.Pages, o.describe(r.Pages), milli(r.LeaseMedian), milli(r.Lease99), ready.Seconds(), float64(r.Resident)/1e6)
	return r.Pages, nil
}

// check tests that each URL has exactly one result.
func (l *load) check(ctx context.Context, st *postgres.Store, conn *pgx.Conn, done int64) error {
	sp, err := st.Space(ctx, l.Job)
	if err != nil {
		return err
	}
	stats, err := sp.Stats(ctx)
	if err != nil {
		return err
	}
	different := int64(l.URLs)
	if l.Blobs == "" && l.Payload >= 8 { // a result begins with the number of its URL
		err = conn.QueryRow(ctx, `select count(distinct substring(data for 8)) from curlew.item where job = $1 and kind = $2`, l.Job, int(job.Result)).Scan(&different)
	}
	fmt.Printf("%d results, %d different, %d URLs\n", stats.Items[job.Result], different, l.URLs)
	if err == nil && (different != int64(l.URLs) || stats.Items[job.Result] != l.URLs || stats.Crawl.Delivered != l.URLs || done != int64(l.URLs)) {
		err = errors.New("pages were lost or doubled")
	}
	return err
}

// fanOut is the number of new links of a page.
const fanOut = 8

// simulate is the process of a simulation. URL i links to the URLs fanOut*i+1 and so on,
// and to 72 that have been found before.
func (l *load) simulate(ctx context.Context, st *postgres.Store, gate func() error, r *result) (err error) {
	var sp job.Space
	if l.Job == "" {
		l.Job, sp, err = create(ctx, st)
	} else {
		sp, err = st.Space(ctx, l.Job)
	}
	if err != nil {
		return err
	}
	f, err := sp.Frontier(ctx, frontier.Options{URL: l.page(0), Limit: frontier.Unlimited, NoSitemaps: true, IgnoreRobots: true, Concurrency: l.At, PerHost: 1})
	if err != nil {
		return err
	}
	if err := gate(); err != nil {
		return err
	}
	begun := time.Now()
	err = l.walk(ctx, f, r, func(n frontier.Lease, c *frontier.Commit) {
		var host, i int
		_, _ = fmt.Sscanf(n.URL, "http://h%d.test/%d", &host, &i)
		if len(c.Payload) >= 8 {
			binary.BigEndian.PutUint64(c.Payload, uint64(i)) //nolint:gosec // not negative
		}
		for k := range 80 {
			to := fanOut*i + 1 + k
			if k >= fanOut {
				to = i * (k - fanOut) / 72
			}
			if to > 0 && to < l.URLs { // the frontier gives the start page a key of its own
				c.Targets = append(c.Targets, target(l.page(to), n.Depth+1))
			}
		}
	})
	r.Seconds = time.Since(begun).Seconds()
	return errors.Join(err, f.Close())
}

func (l *load) page(i int) string { return fmt.Sprintf("http://h%d.test/%d", i%l.Hosts, i) }
