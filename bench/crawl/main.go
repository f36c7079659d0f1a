// SPDX-License-Identifier: Apache-2.0

// Crawl compares curlew's crawler with Colly's in one run:
//
//	go run ./crawl
//
// The server and the clients are separate processes, each on its own processor
// if there are two. The server knows which pages exist, so it checks each run
// before its speed counts: pages found and missed, pages requested twice, pages
// that robots.txt disallows. The clients take turns, and the output is the
// ratio of a turn to Colly's turn in the same round.
//
//	go run ./crawl -gates
//
// tests only curlew on generated webs, by the log of the server: all pages must
// be found and no others, none twice, none disallowed by robots.txt, none too
// soon. Every limit and every depth must be exact, traps must end, and faults
// must be overcome. If one of these fails, the exit status is 1.
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

// run contains the parameters that all processes of one comparison share.
type run struct {
	Pages, Concurrency int
	Seed               uint64
	Plain              bool
	Bytes              int // bytes of text on a page; zero means the default of the web
	Traps, Faults      bool
	CrawlDelay         float64
	Web                string // name of one of webs; empty means the generated web
	Server             string // host:port
	Profiles           string // directory for profiles of the clients; may be empty
}

// client crawls and returns the pages that it got.
type client func(ctx context.Context, r run) ([]got, error)

// got is a page that a client reports as delivered.
type got struct {
	Path string // path and query
	Sum  uint32 // checksum of the body, which proves that it was fetched
}

// peer is a client to compare: one that this program runs as a separate
// process, or the command of another program. The others are compared with the
// first one.
type peer struct {
	name    string
	run     client
	command func(ctx context.Context, r run) *exec.Cmd // nil means run, by this program
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
		// By default both webs are used. With one, the clients do the same
		// work. The other shows which of them recognize different spellings of
		// the same page.
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

// result is one turn of a client, checked and measured.
type result struct {
	verdict
	cpu, wall time.Duration
	peak      int64 // peak resident memory in bytes
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
	for round := range rounds + 1 { // the first round is a warm-up and does not count
		for _, c := range here {
			if c.command != nil && round > 2 {
				continue // two turns suffice for a client that takes a minute for each
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

// program returns the command line of this program for a role.
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

// measure runs one client as a process and checks it by the log of the server.
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

// control sends a request to the server that is not for a page.
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
