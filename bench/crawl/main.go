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
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/exec"
	"runtime"
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
	Server             string // host:port
}

// client crawls and returns what it got.
type client func(ctx context.Context, r run) ([]got, error)

// got is one page that a client says it delivered.
type got struct {
	Path string // and query
	Sum  uint32 // of the body, by which the server knows that it was fetched
}

var clients = []struct {
	name string
	run  client
}{
	{"colly", colly},
	{"curlew, links", curlewLinks},
	{"curlew, tree", curlewTree},
	{"curlew, Markdown", curlewMarkdown},
}

func main() {
	log.SetFlags(0)
	var r run
	flag.IntVar(&r.Pages, "pages", 2000, "pages of the generated web")
	flag.IntVar(&r.Concurrency, "concurrency", 8, "pages in flight")
	flag.Uint64Var(&r.Seed, "seed", 0, "of the web; 0 draws one")
	flag.BoolVar(&r.Plain, "plain", false, "spell every link as an absolute path")
	flag.IntVar(&r.Bytes, "bytes", 0, "of text on a page; 0 is 24 KiB")
	flag.BoolVar(&r.Traps, "traps", false, "let the web have traps")
	flag.BoolVar(&r.Faults, "faults", false, "let pages of the web fail")
	flag.Float64Var(&r.CrawlDelay, "crawl-delay", 0, "seconds that robots.txt asks for")
	gates := flag.Bool("gates", false, "judge curlew's crawls instead: exact sets, depths, limits and gaps")
	rounds := flag.Int("rounds", 7, "turns of each client")
	role := flag.String("role", "", "for the program's own use")
	flag.StringVar(&r.Server, "server", "", "for the program's own use")
	flag.Parse()
	if r.Seed == 0 {
		r.Seed = uint64(time.Now().UnixNano()) // #nosec G115 -- any number will do
	}
	ctx := context.Background()
	var err error
	switch *role {
	case "":
		if *gates {
			err = judgeGates(ctx, r)
			break
		}
		err = compare(ctx, r, *rounds)
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
	for _, c := range clients {
		if c.name == name {
			pages, err := c.run(ctx, r)
			if err != nil {
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
	fmt.Printf("%d pages, concurrency %d, seed %d, %d rounds; %s, %d processors, %s/%s\n\n",
		r.Pages, r.Concurrency, r.Seed, rounds, runtime.Version(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
	results := make(map[string][]result)
	for round := range rounds + 1 { // the first warms up and does not count
		for _, c := range clients {
			res, err := measure(ctx, c.name, r)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			if round > 0 {
				results[c.name] = append(results[c.name], res)
			}
		}
	}
	report(os.Stdout, results)
	return nil
}

// program returns this program's arguments for a role.
func program(ctx context.Context, role string, r run) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], "-role", role, "-server", r.Server,
		"-pages", strconv.Itoa(r.Pages), "-concurrency", strconv.Itoa(r.Concurrency),
		"-seed", strconv.FormatUint(r.Seed, 10), "-plain="+strconv.FormatBool(r.Plain),
		"-bytes", strconv.Itoa(r.Bytes), "-traps="+strconv.FormatBool(r.Traps), "-faults="+strconv.FormatBool(r.Faults),
		"-crawl-delay", strconv.FormatFloat(r.CrawlDelay, 'g', -1, 64))
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
func measure(ctx context.Context, name string, r run) (result, error) {
	if _, err := control(ctx, r, "/reset"); err != nil {
		return result{}, err
	}
	cmd := program(ctx, name, r)
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
