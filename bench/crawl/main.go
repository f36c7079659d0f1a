// SPDX-License-Identifier: Apache-2.0

// Crawl compares curlew's crawler with Colly's, in one run:
//
//	go run ./crawl
//
// A server and the clients are processes of their own, on a processor each
// where there are two. The server, which knows what it served, judges each run
// before its speed counts: pages found and missed, pages asked for twice,
// pages that robots.txt forbids. The clients take turns, and what is printed
// is the ratio of one turn to Colly's of the same round.
//
//	go run ./crawl -gates
//
// judges curlew alone, by what the server saw, on generated webs: that all
// pages are found and no other, none twice, none against robots.txt, none too
// soon; that every limit and every depth is exact; that traps end and faults
// are overcome. It ends with status 1 where one of that is not so.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// run holds what every process of one comparison agrees on.
type run struct {
	Pages, Concurrency int
	Seed               uint64
	Plain              bool
	Bytes              int // of text on a page; zero is the web's default
	Traps, Faults      bool
	CrawlDelay         float64
	Web                string // of webs; empty: the generated one
	Server             string // host:port
	Profiles           string // directory for profiles of the clients; empty: none
}

// client crawls and returns what it got.
type client func(ctx context.Context, r run) ([]got, error)

// got is one page that a client says it delivered.
type got struct {
	Path string // and query
	Sum  uint32 // of the body, by which the server knows that it was fetched
}

// peer is what is compared: a client that this program runs as a process of its
// own, or the command of another program. The first is what the others are
// measured against.
type peer struct {
	name    string
	run     client
	command func(ctx context.Context, r run) *exec.Cmd // nil: run, by this program
}

var peers = []peer{
	{name: "colly", run: colly},
	{name: "scrapy", command: scrapy},
	{name: "curlew, links", run: curlewLinks},
	{name: "curlew, tree", run: curlewTree},
	{name: "curlew, Markdown", run: curlewMarkdown},
}

func main() {
	log.SetFlags(0)
	var r run
	flag.IntVar(&r.Pages, "pages", 2000, "pages of the generated web")
	flag.IntVar(&r.Concurrency, "concurrency", 8, "pages in flight")
	flag.Uint64Var(&r.Seed, "seed", 0, "of the web; 0 draws one")
	onlyPlain := flag.Bool("plain", false, "compare on the web of one spelling only")
	spelled := flag.Bool("spelled", false, "compare on the web of 31 spellings only")
	flag.IntVar(&r.Bytes, "bytes", 0, "of text on a page; 0 is 24 KiB")
	flag.BoolVar(&r.Traps, "traps", false, "let the web have traps")
	flag.BoolVar(&r.Faults, "faults", false, "let pages of the web fail")
	flag.Float64Var(&r.CrawlDelay, "crawl-delay", 0, "seconds that robots.txt asks for")
	flag.StringVar(&r.Web, "web", "", "for the program's own use")
	gates := flag.Bool("gates", false, "judge curlew's crawls instead: exact sets, depths, limits and gaps")
	rounds := flag.Int("rounds", 7, "turns of each client")
	flag.StringVar(&r.Profiles, "profiles", "", "directory in which each client leaves profiles of its last turn, of CPU and of allocations")
	role := flag.String("role", "", "for the program's own use")
	flag.StringVar(&r.Server, "server", "", "for the program's own use")
	flag.Parse()
	if r.Seed == 0 {
		r.Seed = uint64(time.Now().UnixNano()) // #nosec G115 -- any number will do
	}
	ctx := context.Background()
	r.Plain = *onlyPlain
	var err error
	switch *role {
	case "":
		if *gates {
			err = judgeGates(ctx, r)
			break
		}
		// Both webs are the default: on the one the clients do the same work, on
		// the other it shows which of them know that two spellings are one page.
		for _, plain := range []bool{true, false} {
			r.Plain = plain
			if err == nil && (plain && !*spelled || !plain && !*onlyPlain) {
				err = compare(ctx, r, *rounds)
			}
		}
	case "server":
		err = serve(r)
	default:
		err = turn(ctx, *role, r)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// turn runs one client and prints what it got.
func turn(ctx context.Context, name string, r run) error {
	for _, c := range peers {
		if c.name == name && c.run != nil {
			stop, err := profile(name, r)
			if err != nil {
				return err
			}
			pages, err := c.run(ctx, r)
			if err := errors.Join(err, stop()); err != nil {
				return err
			}
			return json.NewEncoder(os.Stdout).Encode(pages)
		}
	}
	return fmt.Errorf("no client %q", name)
}

// result is one client's turn, judged and measured.
type result struct {
	verdict
	cpu, wall time.Duration
	peak      int64 // bytes of resident memory
}

func compare(ctx context.Context, r run, rounds int) error {
	server, stop, err := startServer(ctx, r)
	if err != nil {
		return err
	}
	defer stop()
	r.Server = server
	spellings := "31 spellings of a link"
	if r.Plain {
		spellings = "one spelling of a link"
	}
	fmt.Printf("%s: %d pages, concurrency %d, seed %d, %d rounds; %s, %d processors, %s/%s\n\n", spellings,
		r.Pages, r.Concurrency, r.Seed, rounds, runtime.Version(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
	here := peers
	if !haveScrapy(ctx) {
		fmt.Println("left out: Scrapy is not installed (Debian: python3-scrapy)")
		here = slices.DeleteFunc(slices.Clone(peers), func(p peer) bool { return p.name == "scrapy" })
	}
	results := make(map[string][]result)
	for round := range rounds + 1 { // the first warms up and does not count
		for _, c := range here {
			if c.command != nil && round > 2 {
				continue // two turns are enough of a client that takes a minute for each
			}
			res, err := measure(ctx, c, r)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			if round > 0 {
				results[c.name] = append(results[c.name], res)
			}
		}
	}
	report(os.Stdout, here, results)
	return nil
}

// program returns this program's arguments for a role.
func program(ctx context.Context, role string, r run) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], "-role", role, "-server", r.Server,
		"-pages", strconv.Itoa(r.Pages), "-concurrency", strconv.Itoa(r.Concurrency),
		"-seed", strconv.FormatUint(r.Seed, 10), "-plain="+strconv.FormatBool(r.Plain),
		"-bytes", strconv.Itoa(r.Bytes), "-traps="+strconv.FormatBool(r.Traps), "-faults="+strconv.FormatBool(r.Faults),
		"-web", r.Web, "-profiles", r.Profiles, "-crawl-delay", strconv.FormatFloat(r.CrawlDelay, 'g', -1, 64))
	cmd.Stderr = os.Stderr
	return cmd
}

func startServer(ctx context.Context, r run) (address string, stop func(), err error) {
	cmd := program(ctx, "server", r)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := startOn(cmd, 0); err != nil {
		return "", nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return "", nil, fmt.Errorf("server: %w", err)
	}
	return strings.TrimSpace(line), func() { cmd.Process.Kill(); cmd.Wait() }, nil
}

// measure runs one client as a process and judges it by the server's log.
func measure(ctx context.Context, c peer, r run) (result, error) {
	if _, err := control(ctx, r, "/reset"); err != nil {
		return result{}, err
	}
	var cmd *exec.Cmd
	if c.command != nil {
		cmd = c.command(ctx, r)
		cmd.Stderr = os.Stderr
	} else {
		cmd = program(ctx, c.name, r)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return result{}, err
	}
	start := time.Now()
	if err := startOn(cmd, 1); err != nil {
		return result{}, err
	}
	var pages []got
	err = json.NewDecoder(out).Decode(&pages)
	io.Copy(io.Discard, out)
	if waited := cmd.Wait(); err == nil {
		err = waited
	}
	wall := time.Since(start)
	if err != nil {
		return result{}, err
	}
	data, err := control(ctx, r, "/log")
	if err != nil {
		return result{}, err
	}
	var hits []hit
	if err := json.Unmarshal(data, &hits); err != nil {
		return result{}, err
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return result{
		verdict: judge(r, hits, pages),
		cpu:     cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(),
		wall:    wall,
		peak:    usage.Maxrss * 1024,
	}, nil
}

// control asks the server for something that is no page.
func control(ctx context.Context, r run, what string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+r.Server+what, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set(controlHeader, "1")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	return io.ReadAll(res.Body)
}
