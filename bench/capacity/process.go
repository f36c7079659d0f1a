// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/job"
	"example.com/curlew/job/postgres"
)

// roleVariable is the variable of the environment with the load of a process.
const roleVariable = "CURLEW_CAPACITY_LOAD"

// process is a process that this one has started.
type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

// result is what a process reports at its end.
type result struct {
	Pages, Elsewhere int64
	Seconds          float64
	CPU              float64 // seconds
	Resident         int64   // maximum memory in bytes

	LeaseMedian, Lease99 time.Duration // how long it took to get a page from the frontier
}

// spawn starts a process and waits until it is ready.
func spawn(ctx context.Context, l load) (*process, error) {
	text, err := json.Marshal(l)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"="+string(text))
	cmd.Stderr = os.Stderr
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd, in, bufio.NewScanner(out)}
	if _, err := p.line(); err != nil {
		return nil, errors.Join(err, p.end())
	}
	return p, nil
}

// line reads a line that the process has written.
func (p *process) line() (string, error) {
	if p.out.Scan() {
		return p.out.Text(), nil
	}
	return "", errors.Join(errors.New("a process has ended early"), p.out.Err())
}

// begin lets the process work.
func (p *process) begin() error {
	_, err := fmt.Fprintln(p.in)
	return err
}

// stop ends the work of a process and returns its result.
func (p *process) stop() (r result, err error) {
	if err := p.in.Close(); err != nil {
		return r, err
	}
	return p.result()
}

// result waits for the end of a process and returns its result.
func (p *process) result() (r result, err error) {
	text, err := p.line()
	if err == nil {
		err = json.Unmarshal([]byte(text), &r)
	}
	return r, errors.Join(err, p.end())
}

// end ends the process.
func (p *process) end() error {
	_ = p.in.Close()
	return p.cmd.Wait()
}

// child is the main function of a process that spawn has started. It prints a line when
// it is ready, begins when it gets a line, and ends with its standard input.
func child(text string) error {
	var l load
	if err := json.Unmarshal([]byte(text), &l); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	st, end, err := opened(ctx, l, postgres.Options{Concurrency: l.At})
	if err != nil {
		return err
	}
	gate := func() error { // tells that the process is ready, and waits for the others
		if _, err := fmt.Println("ready " + l.Job); err != nil {
			return err
		}
		in := bufio.NewReader(os.Stdin)
		if _, err := in.ReadString('\n'); err != nil {
			return err
		}
		go func() {
			_, _ = io.Copy(io.Discard, in)
			stop()
		}()
		return nil
	}
	var r result
	switch l.Role {
	case "crawl":
		err = l.crawl(ctx, st, gate, &r)
	case "hold":
		err = l.hold(ctx, st, gate, &r)
	case "help":
		err = l.help(ctx, st, gate)
	case "idle":
		err = l.idle(ctx, st, gate)
	case "simulate":
		err = l.simulate(ctx, st, gate, &r)
	default:
		err = fmt.Errorf("unknown role %q", l.Role)
	}
	if err = errors.Join(err, end()); err != nil {
		return err
	}
	r.CPU, r.Resident = usage()
	return json.NewEncoder(os.Stdout).Encode(r)
}

// usage returns the CPU time and the maximum memory of this process.
func usage() (seconds float64, bytes int64) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds(), u.Maxrss << 10
}

// create creates a job.
func create(ctx context.Context, st *postgres.Store) (string, job.Space, error) {
	j := &job.Job{ID: job.NewID(), Kind: "crawl", Owner: "team", State: job.Running}
	if err := st.Create(ctx, j); err != nil {
		return "", nil, err
	}
	sp, err := st.Space(ctx, j.ID)
	return j.ID, sp, err
}

// crawl crawls an endless site until ctx ends.
func (l *load) crawl(ctx context.Context, st *postgres.Store, gate func() error, r *result) error {
	id, sp, err := create(ctx, st)
	if err != nil {
		return err
	}
	l.Job = id
	f, err := sp.Frontier(ctx, frontier.Options{URL: "http://a.test/", Limit: frontier.Unlimited, NoSitemaps: true, IgnoreRobots: true, Concurrency: l.At, PerHost: l.At})
	if err != nil {
		return err
	}
	if err := gate(); err != nil {
		return err
	}
	begun := time.Now()
	err = l.walk(ctx, f, r, func(n frontier.Lease, c *frontier.Commit) {
		for i := range 80 {
			k := uint64(i)
			if i < 2 {
				k = 2*n.Seq + uint64(i) + 80
			}
			c.Targets = append(c.Targets, target(fmt.Sprintf("http://a.test/%d/a-page-with-a-name", k), n.Depth+1))
		}
	})
	r.Seconds = time.Since(begun).Seconds()
	return errors.Join(err, f.Close())
}

// target returns a link. Its key is the same in all processes.
func target(url string, depth int) frontier.Target {
	h := fnv.New64a()
	_, _ = io.WriteString(h, url)
	return frontier.Target{URL: url, Key: h.Sum64(), Depth: depth}
}

// walk leases and commits pages with as many goroutines as l says, until the crawl or ctx
// ends. links adds the links of a page.
func (l *load) walk(ctx context.Context, f frontier.Frontier, r *result, links func(frontier.Lease, *frontier.Commit)) error {
	var pages atomic.Int64
	var all sync.WaitGroup
	faults := make(chan error, l.At)
	times := make([][]time.Duration, l.At)
	ticket := l.tickets(ctx)
	stopped, stop := context.WithCancel(ctx)
	defer stop()
	for i := range l.At {
		all.Go(func() {
			for stopped.Err() == nil {
				ticket()
				asked := time.Now()
				leases, err := f.Lease(stopped, 1)
				if errors.Is(err, io.EOF) || stopped.Err() != nil {
					return
				}
				if err != nil {
					faults <- err
					return
				}
				times[i] = append(times[i], time.Since(asked))
				pause(ctx, l.Latency)
				c := frontier.Commit{Lease: leases[0], URL: leases[0].URL, Payload: l.payload(leases[0].Seq), Cost: 1, Status: 200, Answer: pace.Good}
				links(leases[0], &c)
				if err := f.Commit(context.WithoutCancel(ctx), c); err != nil {
					faults <- err
					return
				}
				if n := pages.Add(1); l.Stop > 0 && n >= int64(l.Stop) {
					stop()
				}
			}
		})
	}
	all.Wait()
	r.Pages = pages.Load()
	r.LeaseMedian, r.Lease99 = percentiles(slices.Concat(times...))
	close(faults)
	return <-faults
}

// tickets returns a function that limits the pages per second.
func (l *load) tickets(ctx context.Context) func() {
	if l.Rate == 0 {
		return func() {}
	}
	gap := time.Duration(float64(time.Second) * float64(max(l.Processes, 1)) / float64(l.Rate))
	var mu sync.Mutex
	next := time.Now()
	return func() {
		mu.Lock()
		at := next
		next = next.Add(gap)
		mu.Unlock()
		pause(ctx, time.Until(at))
	}
}

// payload returns a result that does not compress.
func (l *load) payload(n uint64) []byte {
	b := make([]byte, l.Payload)
	_, _ = rand.NewChaCha8([32]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)}).Read(b)
	return b
}
