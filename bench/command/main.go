// SPDX-License-Identifier: Apache-2.0

// Command measures the program curlew: its size, the time until it serves, its memory
// when it is idle, and the time until a crawl has written its first page.
//
//	cd bench && go run ./command [-program FILE] [-runs 10] [-idle 5s]
//
// It builds the program as deploy/release does, unless -program names one. In turn with
// it, it measures a program with one handler and nothing else (net/http and
// encoding/json), because every figure depends on the machine and on its other work. The
// time of a start is the time from starting the process to the first answer, which is
// asked for on loopback. CPU time is the time of all threads of the process until then.
//
// Memory and CPU time are read from /proc, so they are measured on Linux only. "Resident"
// is what the kernel counts as resident. Its anonymous part belongs to the process. The
// rest are pages of the executable file, which the kernel shares between processes and
// takes back when memory is short. It maps up to 16 of these pages when one of them is
// used. Therefore "touched" counts page faults: the pages that the process itself has
// used for the first time.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/curlew/bench/site"
)

// Wanted are the figures of the program that we want to keep.
const (
	wantedBytes = 35e6
	wantedStart = 20 * time.Millisecond
	wantedIdle  = 16e6
	wantedPage  = 2 * time.Second
)

// bare is a server that does as little as possible.
const bare = `package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
)

func main() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Printf("bare listens on http://%s\n", l.Addr())
	panic(http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		json.NewEncoder(w).Encode(os.Args)
	})))
}
`

func main() {
	program := flag.String("program", "", "measure this `file` instead of building the program")
	runs := flag.Int("runs", 10, "starts of each program")
	idle := flag.Duration("idle", 5*time.Second, "how long a server is idle before its memory is read")
	flag.Parse()
	if *runs < 1 || *idle <= 0 || flag.NArg() > 0 {
		log.Fatal("usage: command [-program FILE] [-runs N, at least 1] [-idle TIME, above 0]")
	}
	if err := measure(context.Background(), *program, *runs, *idle); err != nil {
		log.Fatal(err)
	}
}

func measure(ctx context.Context, program string, runs int, idle time.Duration) error {
	dir, err := os.MkdirTemp("", "curlew-command-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if program == "" {
		program = filepath.Join(dir, "curlew")
		if err := build(ctx, "../cmd/curlew", program); err != nil {
			return err
		}
	} else if program, err = filepath.Abs(program); err != nil { // it runs in other folders
		return err
	}
	plain := filepath.Join(dir, "bare")
	if err := buildBare(ctx, dir, plain); err != nil {
		return err
	}
	info, err := os.Stat(program)
	if err != nil {
		return err
	}
	fmt.Printf("size                        %6.1f MB   %s\n", mega(info.Size()), wanted(float64(info.Size()) <= wantedBytes, "at most 35 MB"))

	var served, least []start
	for i := range runs {
		s, err := serve(ctx, 0, program, "serve", "--addr", "127.0.0.1:0", "--data", filepath.Join(dir, "data"+strconv.Itoa(i)))
		if err != nil {
			return err
		}
		b, err := serve(ctx, 0, plain)
		if err != nil {
			return err
		}
		served, least = append(served, s), append(least, b)
	}
	took := func(s start) time.Duration { return s.took }
	cpu := func(s start) time.Duration { return s.cpu } // zero without /proc
	middle, fastest := spread(served, took)
	fmt.Printf("start, median of %-3d        %6.1f ms   %s\n", runs, milli(middle), wanted(middle <= wantedStart, "at most 20 ms"))
	fmt.Printf("start, fastest              %6.1f ms\n", milli(fastest))
	middle, fastest = spread(least, took)
	fmt.Printf("  bare server               %6.1f ms   fastest %.1f ms\n", milli(middle), milli(fastest))
	middle, fastest = spread(served, cpu)
	fmt.Printf("start, CPU, median          %6.1f ms   fastest %.1f ms\n", milli(middle), milli(fastest))
	middle, fastest = spread(least, cpu)
	fmt.Printf("  bare server               %6.1f ms   fastest %.1f ms\n", milli(middle), milli(fastest))

	s, err := serve(ctx, idle, program, "serve", "--addr", "127.0.0.1:0", "--data", filepath.Join(dir, "idle"))
	if err != nil {
		return err
	}
	b, err := serve(ctx, idle, plain)
	if err != nil {
		return err
	}
	if s.resident == 0 {
		fmt.Println("idle                        not measured: this system has no /proc")
	} else {
		fmt.Printf("idle, resident              %6.1f MB   %s\n", mega(s.resident), wanted(float64(s.resident) <= wantedIdle, "at most 16 MB"))
		fmt.Printf("idle, anonymous             %6.1f MB\n", mega(s.anonymous))
		fmt.Printf("idle, pages of the file     %6.1f MB\n", mega(s.resident-s.anonymous))
		fmt.Printf("idle, touched               %6.1f MB   %d page faults\n", mega(s.faults*int64(os.Getpagesize())), s.faults)
		fmt.Printf("  bare server               %6.1f MB   anonymous %.1f MB, touched %.1f MB\n", mega(b.resident), mega(b.anonymous), mega(b.faults*int64(os.Getpagesize())))
	}

	var pages []start
	for i := range runs {
		p, err := firstPage(ctx, program, filepath.Join(dir, "pages"+strconv.Itoa(i)))
		if err != nil {
			return err
		}
		pages = append(pages, p)
	}
	middle, fastest = spread(pages, took)
	fmt.Printf("first page of a crawl       %6.1f ms   fastest %.1f ms   %s\n", milli(middle), milli(fastest), wanted(middle <= wantedPage, "at most 2 s"))
	return nil
}

// build builds a program as deploy/release does.
func build(ctx context.Context, from, to string) error {
	c := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -buildid=", "-o", to, ".")
	c.Dir, c.Stderr = from, os.Stderr
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	return c.Run()
}

// buildBare builds the program of bare as to.
func buildBare(ctx context.Context, dir, to string) error {
	from := filepath.Join(dir, "source")
	if err := os.Mkdir(from, 0o750); err != nil {
		return err
	}
	for name, text := range map[string]string{"go.mod": "module bare\n\ngo 1.26\n", "main.go": bare} {
		if err := os.WriteFile(filepath.Join(from, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return build(ctx, from, to)
}

// start is what one start of a program took.
type start struct {
	took, cpu           time.Duration // cpu is zero if it is unknown
	resident, anonymous int64         // bytes after the idle time, or zero
	faults              int64         // page faults until then
}

// serve starts a server, which prints a line that ends in its URL, and asks it for an
// answer. If idle is not zero, it then reads the memory after this time.
func serve(ctx context.Context, idle time.Duration, program string, args ...string) (s start, err error) {
	ctx, stop := context.WithTimeout(ctx, time.Minute+idle)
	defer stop()
	c := exec.CommandContext(ctx, program, args...)
	out, err := c.StdoutPipe()
	if err != nil {
		return s, err
	}
	c.Stderr = os.Stderr
	begun := time.Now()
	if err := c.Start(); err != nil {
		return s, err
	}
	defer func() { // data is in a folder that is removed, so it need not be stored
		_ = c.Process.Kill()
		_ = c.Wait()
	}()
	url := ""
	for lines := bufio.NewScanner(out); url == "" && lines.Scan(); {
		_, url, _ = strings.Cut(lines.Text(), " listens on ")
	}
	if url == "" {
		return s, fmt.Errorf("%s did not say where it listens", program)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/livez", nil)
	if err != nil {
		return s, err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return s, err
	}
	s.took = time.Since(begun)
	s.cpu = cpuTime(c.Process.Pid)
	if err := answer.Body.Close(); err != nil {
		return s, err
	}
	if answer.StatusCode != http.StatusOK {
		return s, fmt.Errorf("%s answered %s", program, answer.Status)
	}
	http.DefaultClient.CloseIdleConnections()
	if idle > 0 {
		time.Sleep(idle)
		s.resident, s.anonymous = memory(c.Process.Pid)
		s.faults = pageFaults(c.Process.Pid)
	}
	return s, nil
}

// cpuTime returns the CPU time of all threads of a process, or zero if the system does
// not tell.
func cpuTime(pid int) (sum time.Duration) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid)) // the pattern is valid
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			continue // the thread has ended
		}
		first, _, _ := strings.Cut(string(text), " ")
		n, err := strconv.ParseInt(first, 10, 64)
		if err == nil {
			sum += time.Duration(n)
		}
	}
	return sum
}

// memory returns the resident memory of a process and the anonymous part of it, in bytes,
// or zeros if the system does not tell.
func memory(pid int) (resident, anonymous int64) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, 0
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) != 3 || f[2] != "kB" {
			continue
		}
		n, err := strconv.ParseInt(f[1], 10, 64)
		switch {
		case err != nil:
		case f[0] == "VmRSS:":
			resident = n << 10
		case f[0] == "RssAnon:":
			anonymous = n << 10
		}
	}
	return resident, anonymous
}

// pageFaults returns how many page faults a process has had, or zero if the system does
// not tell.
func pageFaults(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(text), ") ") // the name of the program may contain spaces
	f := strings.Fields(after)
	if len(f) < 10 {
		return 0
	}
	minor, _ := strconv.ParseInt(f[7], 10, 64) // the kernel writes numbers
	major, _ := strconv.ParseInt(f[9], 10, 64)
	return minor + major
}

// firstPage crawls 300 generated pages and returns the time until the first one is in the folder.
func firstPage(ctx context.Context, program, dir string) (s start, err error) {
	web := site.New(site.Config{Seed: 1, Pages: 300, Plain: true})
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return s, err
	}
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, contentType, ok := web.Page(r.Host, r.URL.RequestURI())
		w.Header().Set("Content-Type", contentType)
		if !ok {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = w.Write(body) // the client sees what is missing
	})}
	go func() { _ = server.Serve(listener) }() // until Close
	defer func() { err = errors.Join(err, server.Close()) }()
	ctx, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	c := exec.CommandContext(ctx, program, "crawl", "http://"+listener.Addr().String()+"/", "--allow-private", "-q", "-o", dir)
	c.Stderr = os.Stderr
	begun := time.Now()
	if err := c.Start(); err != nil {
		return s, err
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for s.took == 0 {
		select {
		case err := <-ended:
			return s, fmt.Errorf("the crawl ended without a page: %w", err)
		case <-tick.C:
			if written(dir) {
				s.took = time.Since(begun)
			}
		}
	}
	return s, <-ended
}

// written reports whether a folder contains a complete page.
func written(dir string) bool {
	found := errors.New("found")
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil //nolint:nilerr // the crawl renames files meanwhile
		case d.IsDir() && d.Name() == "_curlew":
			return fs.SkipDir
		case strings.HasSuffix(path, ".md"):
			return found
		}
		return nil
	})
	return errors.Is(err, found)
}

// spread returns the median and the minimum of a value of starts.
func spread(of []start, value func(start) time.Duration) (middle, least time.Duration) {
	var all []time.Duration
	for _, s := range of {
		all = append(all, value(s))
	}
	slices.Sort(all)
	return all[len(all)/2], all[0]
}

// wanted says what a figure should be, and whether it is.
func wanted(met bool, what string) string {
	if met {
		return what + ": met"
	}
	return what + ": not met"
}

func milli(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func mega(n int64) float64 { return float64(n) / 1e6 }
