// SPDX-License-Identifier: Apache-2.0

// Capacity measures how many pages processes can commit to one PostgreSQL database, and
// what a page costs there:
//
//	cd bench && go run ./capacity
//
// It starts a server of its own with fsync = on, or uses the empty database of -store. The
// crawlers are separate processes. Each crawls a site of its own, whose pages have 80
// links, of which two are new, and results that do not compress. Nothing is fetched or
// parsed: a page takes the time of -latency, and -at pages are in progress at once.
//
//	go run ./capacity -shared          one crawl, of which 1 to 4 processes do the pages
//	go run ./capacity -idle            statements of a worker that has nothing to do
//	go run ./capacity -rate 1500       the time of a status request at this rate
//	go run ./capacity -blobs DIR       results outside of the database
//	go run ./capacity -urls 1000000 -hosts 10000
//
// The last one crawls many hosts to the end, and shows how the speed, the database and the
// memory of the crawler develop, and how long another process takes to continue the crawl.
//
// Everything runs on one machine, so the processes, the database and other programs share
// its processors. The output begins with their number and with the load of the machine.
// The bytes of a page and the numbers of statements do not depend on that.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/curlew/job/blob"
	"example.com/curlew/job/postgres"
	"example.com/curlew/job/postgres/pgtest"
)

// load is what the processes of a measurement do.
type load struct {
	Role    string // "crawl", "hold", "help" or "simulate"
	URL     string // of the database
	Blobs   string // directory of results; empty means in the database
	Latency time.Duration
	At      int // pages in progress at once
	Payload int // bytes of a result
	Rate    int // maximum pages per second; zero means no limit
	Seed    uint64

	Processes int // that the pages in progress of a shared crawl are for

	URLs, Hosts int    // of a simulation
	Job         string // that a simulation continues; empty means a new one
	Stop        int    // pages after which a simulation stops; zero means at its end
}

// flags are the flags of the command.
type flags struct {
	load
	store      string
	processes  []int
	latencies  []time.Duration
	time       time.Duration
	shared     bool
	idle       bool
	statements int
}

func main() {
	if text := os.Getenv(roleVariable); text != "" {
		if err := child(text); err != nil {
			log.Fatal(err)
		}
		return
	}
	f, err := parse(os.Args[1:])
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, f); err != nil {
		stop()
		log.Fatal(err)
	}
}

func parse(args []string) (f flags, err error) {
	set := flag.NewFlagSet("capacity", flag.ExitOnError)
	processes := set.String("processes", "1,2,3,4", "measure with these `numbers` of processes")
	latencies := set.String("latency", "0s,50ms,400ms", "measure with pages that take these `times`")
	set.StringVar(&f.store, "store", "", "`URL` of an empty database; if empty, the command starts a server of its own")
	set.StringVar(&f.Blobs, "blobs", "", "store results in this `directory`")
	set.DurationVar(&f.time, "time", 6*time.Second, "how long each case is measured")
	set.IntVar(&f.At, "at", 64, "`pages` in progress of each process")
	set.IntVar(&f.Payload, "payload", 8<<10, "`bytes` of a result")
	set.IntVar(&f.Rate, "rate", 0, "`pages` per second of all processes together; 0 means as many as possible")
	set.BoolVar(&f.shared, "shared", false, "measure one crawl, of which all processes do pages")
	set.BoolVar(&f.idle, "idle", false, "measure a worker that has nothing to do")
	set.IntVar(&f.statements, "statements", 0, "also show this `number` of statements that took the most time")
	set.IntVar(&f.URLs, "urls", 0, "crawl this `number` of URLs to the end")
	set.IntVar(&f.Hosts, "hosts", 10_000, "`number` of hosts of -urls")
	set.StringVar(&f.Job, "job", "", "continue the crawl of -urls with this `ID` in the database of -store")
	if err := set.Parse(args); err != nil {
		return f, err
	}
	for text := range strings.SplitSeq(*processes, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return f, fmt.Errorf("-processes: %q is not a positive number", text)
		}
		f.processes = append(f.processes, n)
	}
	for text := range strings.SplitSeq(*latencies, ",") {
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 {
			return f, fmt.Errorf("-latency: %q is not a time", text)
		}
		f.latencies = append(f.latencies, d)
	}
	if set.NArg() > 0 || f.time <= 0 || f.At < 1 || f.Payload < 0 || f.Rate < 0 || f.URLs < 0 || f.Hosts < 1 {
		return f, errors.New("wrong arguments; see go doc ./capacity")
	}
	return f, nil
}

// run starts a server, unless there is one, and measures what the flags say.
func run(ctx context.Context, f flags) error {
	create := func() (string, error) { return f.store, nil }
	if f.store == "" {
		s, err := pgtest.New(true, "shared_buffers = 256MB", "max_wal_size = 4GB", "shared_preload_libraries = 'pg_stat_statements'")
		if err != nil {
			return err
		}
		defer s.Remove()
		create = s.Create
	}
	host, _ := os.ReadFile("/proc/loadavg")
	fmt.Printf("%d processors, load average %s\n", runtime.NumCPU(), bytes.TrimSpace(host))
	switch {
	case f.idle:
		return measureIdle(ctx, f, create)
	case f.URLs > 0:
		return simulate(ctx, f, create)
	case f.shared:
		return each(f, func(l load, n int) error { return measureShared(ctx, f, l, n, create) })
	}
	return each(f, func(l load, n int) error { return measureCrawls(ctx, f, l, n, create) })
}

// each calls measure for all cases.
func each(f flags, measure func(l load, n int) error) error {
	for _, latency := range f.latencies {
		for _, n := range f.processes {
			l := f.load
			l.Latency, l.Processes = latency, n
			if err := measure(l, n); err != nil {
				return err
			}
		}
	}
	return nil
}

// opened opens a store in the database of l.
func opened(ctx context.Context, l load, o postgres.Options) (*postgres.Store, func() error, error) {
	end := func() error { return nil }
	if l.Blobs != "" {
		dir, err := blob.OpenDir(l.Blobs)
		if err != nil {
			return nil, nil, err
		}
		o.Blobs, end = dir, dir.Close
	}
	st, err := postgres.Open(ctx, l.URL, &o)
	if err != nil {
		return nil, nil, errors.Join(err, end())
	}
	return st, func() error { return errors.Join(st.Close(), end()) }, nil
}

// measureIdle counts the statements of a worker that has nothing to do.
func measureIdle(ctx context.Context, f flags, create func() (string, error)) error {
	l := f.load
	var err error
	if l.URL, err = create(); err != nil {
		return err
	}
	l.Role = "idle"
	p, err := spawn(ctx, l)
	if err != nil {
		return err
	}
	defer func() { _ = p.end() }()
	if err := p.begin(); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, l.URL)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, `create extension if not exists pg_stat_statements`); err != nil {
		return err
	}
	pause(ctx, 2*time.Second)
	before, err := calls(ctx, conn)
	if err != nil {
		return err
	}
	begun := time.Now()
	pause(ctx, max(f.time, 20*time.Second))
	after, err := calls(ctx, conn)
	fmt.Printf("an idle worker: %.2f statements/s\n", float64(after-before)/time.Since(begun).Seconds())
	return err
}

// pause waits for a time or for the end of ctx.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
