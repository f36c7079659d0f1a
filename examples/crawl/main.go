// SPDX-License-Identifier: Apache-2.0

// Crawl writes the pages of a site as Markdown files:
//
//	go run ./examples/crawl https://example.com/docs/
//
// Without a URL it serves the built-in demo site on a loopback port and crawls
// it. With -serve it only serves the demo site.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"example.com/curlew"
	"example.com/curlew/crawl"
	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/scope"
	"example.com/curlew/examples/internal/demo"
	"example.com/curlew/fetch"
	"example.com/curlew/format"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "crawl:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out, status io.Writer) error {
	flags := flag.NewFlagSet("crawl", flag.ContinueOnError)
	flags.SetOutput(status)
	flags.Usage = func() {
		fmt.Fprintln(status, "usage: crawl [flags] [URL]")
		flags.PrintDefaults()
	}
	dir := flags.String("o", "pages", "`directory` to write to")
	serve := flags.String("serve", "", "only serve the demo site on this `address`")
	private := flags.Bool("allow-private", false, "allow loopback and private addresses")
	whole := flags.Bool("whole", false, "keep navigation and other boilerplate")
	var c crawl.Config
	configure(flags, &c)
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *serve != "" {
		return serveDemo(ctx, *serve, out)
	}
	switch flags.NArg() {
	case 0:
		stop, url, err := startDemo(ctx, "127.0.0.1:0")
		if err != nil {
			return err
		}
		defer stop()
		fmt.Fprintln(status, "no URL given: crawling the demo site")
		c.URL, *private = url, true
		c.EntireDomain = true
	case 1:
		c.URL = fetch.AddScheme(flags.Arg(0))
	default:
		return errors.New("more than one URL")
	}

	client := &fetch.Client{}
	defer client.CloseIdleConnections()
	if *private {
		client.Allow = []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}
		client.Ports = []int{-1}
	}
	return toFiles(ctx, client, c, format.Options{WholePage: *whole}, *dir, status)
}

// configure defines the flags that say what to crawl.
func configure(flags *flag.FlagSet, c *crawl.Config) {
	flags.IntVar(&c.Limit, "limit", 0, "maximum `number` of pages; 0 means 10,000")
	flags.IntVar(&c.Concurrency, "concurrency", 0, "maximum `number` of concurrent requests; 0 means 8")
	flags.DurationVar(&c.Delay, "delay", 0, "pause between pages")
	flags.IntVar(&c.Traps.Suspects, "endless-pages", 0, "maximum `number` of pages from endless spaces, such as calendars; 0 means 1,000 or as many as other pages, -1 means no limit")
	flags.BoolVar(&c.EntireDomain, "entire-domain", false, "also crawl outside the start URL's directory")
	flags.BoolVar(&c.Subdomains, "subdomains", false, "also crawl subdomains")
	flags.BoolVar(&c.External, "external", false, "also crawl pages of other sites that are one link away")
	flags.Func("depth", "maximum number of `links` from the start page", func(s string) error {
		n, err := strconv.Atoi(s)
		c.MaxDepth = &n
		return err
	})
	flags.Func("include", "only paths that match this `regexp`; may be repeated", func(s string) error {
		c.Include = append(c.Include, s)
		return nil
	})
	flags.Func("exclude", "exclude paths that match this `regexp`; may be repeated", func(s string) error {
		c.Exclude = append(c.Exclude, s)
		return nil
	})
	flags.Func("sitemap", "`mode` of sitemaps: include, skip or only; include if not given", func(s string) error {
		switch s {
		case "include":
			c.Sitemap = crawl.SitemapInclude
		case "skip":
			c.Sitemap = crawl.SitemapSkip
		case "only":
			c.Sitemap = crawl.SitemapOnly
		default:
			return errors.New("must be include, skip or only")
		}
		return nil
	})
}

// hint names the flag that admits a refused address.
func hint(err error) string {
	if errors.Is(err, fetch.ErrAddress) {
		return "; -allow-private opens all"
	}
	return ""
}

// toFiles crawls and writes each page to a file in dir.
func toFiles(ctx context.Context, f fetch.Fetcher, c crawl.Config, o format.Options, dir string, status io.Writer) error {
	files, err := newFolder(dir)
	if err != nil {
		return err
	}
	defer files.Close()
	service := curlew.Service{Fetcher: f}
	c.Visit = func(ctx context.Context, p *crawl.Page) error {
		if p.Err != nil {
			return nil //nolint:nilerr // the loop below reports the error
		}
		doc, err := service.Document(ctx, p, &curlew.ParseOptions{Format: o})
		if err != nil {
			return err
		}
		text, err := doc.Text(format.Markdown)
		p.Payload = []byte(text)
		return err
	}
	line := progress{w: status, start: time.Now()}
	engine := crawl.Engine{Fetcher: f, Trace: &crawl.Trace{Started: line.follow}}
	defer line.stop()
	written := 0
	for page, err := range engine.Run(ctx, c) {
		if err != nil {
			return err
		}
		if page.Err != nil {
			line.say("%v%s", page.Err, hint(page.Err))
			continue
		}
		if err := files.write(page.URL, page.Payload); err != nil {
			return err
		}
		written++
	}
	line.stop()
	for _, e := range line.left() {
		fmt.Fprintf(status, "not visited: at least %d URLs like %s, for example %s\n", e.Left, e.Pattern, e.Example)
	}
	if written == 0 {
		return errors.New("no page to write")
	}
	fmt.Fprintf(status, "written to %s\n", dir)
	return nil
}

// progress is a line that is updated while the crawl runs. If w is not a
// terminal, it is written once at the end.
type progress struct {
	w     io.Writer
	start time.Time
	stats func() frontier.Stats
	once  sync.Once
	quit  chan struct{}
	gone  sync.WaitGroup
	mu    sync.Mutex // guards w
}

// follow updates the line ten times a second until stop is called.
func (p *progress) follow(stats func() frontier.Stats) {
	p.stats, p.quit = stats, make(chan struct{})
	if p.clear() == "" {
		return
	}
	p.gone.Go(func() {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-p.quit:
				return
			case <-tick.C:
				p.draw()
			}
		}
	})
}

// clear returns the sequence that clears the line of a terminal, or "" if w is
// not a terminal.
func (p *progress) clear() string {
	if f, ok := p.w.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			return "\r\x1b[K"
		}
	}
	return ""
}

func (p *progress) draw() {
	s := p.stats()
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprint(p.w, p.clear(), describe(&s), ", ", time.Since(p.start).Round(100*time.Millisecond))
}

// describe returns the state of a crawl in one line. It omits zeros, except for
// the number of pages.
func describe(s *frontier.Stats) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d pages, %d in progress, %d waiting", s.Delivered, s.Leased, s.Pending)
	outside := 0
	for rule := scope.RuleParse; rule < scope.RuleCount; rule++ {
		switch rule {
		case scope.RuleDuplicate, scope.RuleRobots, scope.RuleEndless:
		default:
			outside += s.Refused[rule]
		}
	}
	for _, one := range []struct {
		n    int
		what string
	}{
		{s.Failed, "failed"},
		{s.Blocked, "disallowed by robots.txt"},
		{s.Refused[scope.RuleDuplicate], "links to known pages"},
		{outside, "links out of scope"},
		{s.Endless.Left, "URLs of endless spaces left for last"},
	} {
		if one.n > 0 {
			fmt.Fprintf(&b, ", %d %s", one.n, one.what)
		}
	}
	for _, w := range s.Waits[:min(len(s.Waits), 1)] { // one line has room for a single host
		fmt.Fprintf(&b, ", waiting for %s (%s", w.Host, w.Cause)
		if w.Gap > 0 {
			fmt.Fprintf(&b, ", %v between requests", w.Gap)
		}
		if !w.Until.IsZero() {
			fmt.Fprintf(&b, ", until %s", w.Until.Format(time.TimeOnly))
		}
		b.WriteByte(')')
	}
	if wait := time.Until(s.Resumes); wait > 0 {
		fmt.Fprintf(&b, ", nothing can be requested for %v", wait.Round(time.Second))
	}
	return b.String()
}

// left returns the endless spaces that were not crawled completely.
func (p *progress) left() []frontier.EndlessSpace {
	if p.stats == nil {
		return nil
	}
	return p.stats().Endless.Spaces
}

func (p *progress) say(text string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.w, p.clear()+text+"\n", args...)
}

// stop writes the line for the last time.
func (p *progress) stop() {
	p.once.Do(func() {
		if p.quit == nil {
			return
		}
		close(p.quit)
		p.gone.Wait()
		p.draw()
		fmt.Fprintln(p.w)
	})
}

// serveDemo serves the demo site until ctx ends.
func serveDemo(ctx context.Context, addr string, out io.Writer) error {
	stop, url, err := startDemo(ctx, addr)
	if err != nil {
		return err
	}
	defer stop()
	fmt.Fprintln(out, "the demo site is on", url)
	<-ctx.Done()
	return nil
}

func startDemo(ctx context.Context, addr string) (stop func(), url string, err error) {
	handler, err := demo.Handler()
	if err != nil {
		return nil, "", err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, "", err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	var wg sync.WaitGroup
	wg.Go(func() { _ = server.Serve(listener) })
	return func() {
		_ = server.Close()
		wg.Wait()
	}, "http://" + listener.Addr().String() + "/", nil
}
