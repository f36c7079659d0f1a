// SPDX-License-Identifier: Apache-2.0

// Explain says why a crawl includes or excludes a URL:
//
//	go run ./examples/explain -exclude old https://example.com/docs/ https://example.com/shop
//
// It prints each rule that was applied, in order, with the value that decided.
// If the crawl would not follow the URL, it ends with status 1. The only
// network request is for the robots.txt of the target's origin.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/signal"
	"strconv"
	"text/tabwriter"
	"time"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/scope"
	"example.com/curlew/fetch"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	follows, err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "explain:", err)
		os.Exit(2)
	case !follows:
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out, status io.Writer) (follows bool, err error) {
	flags := flag.NewFlagSet("explain", flag.ContinueOnError)
	flags.SetOutput(status)
	flags.Usage = func() {
		fmt.Fprintln(status, "usage: explain [flags] START-URL TARGET-URL")
		flags.PrintDefaults()
	}
	private := flags.Bool("allow-private", false, "allow loopback and private addresses")
	offline := flags.Bool("offline", false, "make no request, so that robots.txt is unknown")
	agent := flags.String("agent", "", "the crawler's `User-Agent`")
	found := scope.Ref{}
	flags.StringVar(&found.URL, "from", "", "`URL` of the page where the target was found; the crawl's URL if not given")
	flags.IntVar(&found.Depth, "from-depth", 0, "number of `links` from the start page to that page")
	flags.StringVar(&found.Rel, "rel", "", "`rel` of the link, such as nofollow")
	var c crawl.Config
	configure(flags, &c)
	if err := flags.Parse(args); err != nil {
		return false, err
	}
	if flags.NArg() != 2 {
		return false, errors.New("two URLs are needed: the start URL of the crawl and the target")
	}
	c.URL = fetch.AddScheme(flags.Arg(0))
	found.URL = cmp.Or(fetch.AddScheme(found.URL), c.URL) // the target may be relative to the crawl's URL
	site, err := c.Compile()
	if err != nil {
		return false, err
	}
	found.Kind = site.Decide(scope.Ref{URL: c.URL, Via: scope.ViaStart}, found.URL, nil).Kind

	target := site.Decide(found, flags.Arg(1), nil)
	robots := scope.RobotsURL(target.URL)
	if robots == "" || *offline || c.Robots == crawl.RobotsIgnore {
		if *offline {
			fmt.Fprintln(out, "robots.txt: unknown")
		}
		return show(out, site.Explain(found, flags.Arg(1), nil)), nil
	}
	client := &fetch.Client{UserAgent: cmp.Or(c.RobotsAgent, *agent)}
	defer client.CloseIdleConnections()
	if *private {
		client.Allow = []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}
		client.Ports = []int{-1}
	}
	file, what := ask(ctx, client, robots)
	if file.Unreachable {
		what += map[crawl.RobotsPolicy]string{
			crawl.RobotsStrict:  "; a site whose robots.txt cannot be reached is not crawled (RFC 9309)",
			crawl.RobotsLenient: "; all is allowed then",
		}[c.Robots]
	}
	fmt.Fprintf(out, "%s: %s\n", robots, what)
	return show(out, site.Explain(found, flags.Arg(1), site.Rules(file, *agent))), nil
}

// configure defines the flags that describe the crawl.
func configure(flags *flag.FlagSet, c *crawl.Config) {
	flags.BoolVar(&c.EntireDomain, "entire-domain", false, "also crawl outside the start URL's directory")
	flags.BoolVar(&c.Subdomains, "subdomains", false, "also crawl subdomains")
	flags.BoolVar(&c.External, "external", false, "also crawl pages of other sites that are one link away")
	flags.BoolVar(&c.IgnoreQuery, "ignore-query", false, "treat URLs that differ only in their query as the same page")
	flags.BoolVar(&c.KeepSimilar, "keep-similar", false, "treat URLs that differ in http and https, www, a final slash or index.html as different pages")
	flags.StringVar(&c.RobotsAgent, "robots-agent", "", "the `name` to look up in robots.txt; if not given, that of -agent")
	flags.Func("robots", "`policy` of robots.txt: strict, lenient or ignore; strict if not given", func(s string) error {
		policy, ok := map[string]crawl.RobotsPolicy{
			"strict": crawl.RobotsStrict, "lenient": crawl.RobotsLenient, "ignore": crawl.RobotsIgnore,
		}[s]
		if !ok {
			return errors.New("must be strict, lenient or ignore")
		}
		c.Robots = policy
		return nil
	})
	flags.BoolVar(&c.FullURL, "full-url", false, "match patterns against the whole URL")
	flags.BoolVar(&c.PageRobots, "page-robots", false, "obey nofollow")
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
}

// ask fetches a robots.txt, and describes the result.
func ask(ctx context.Context, f fetch.Fetcher, url string) (file scope.RobotsFile, what string) {
	resp, err := f.Fetch(ctx, &fetch.Request{URL: url, Timeout: 8 * time.Second})
	if err != nil {
		return scope.NewRobotsFile(url, 0, nil), err.Error()
	}
	return scope.NewRobotsFile(url, resp.Status, resp.Body), fmt.Sprintf("HTTP status %d, %d bytes", resp.Status, len(resp.Body))
}

// show prints the steps of a decision and reports whether the crawl would
// follow the URL.
func show(out io.Writer, steps []scope.Decision) (follows bool) {
	last := steps[len(steps)-1]
	fmt.Fprintf(out, "%s\n", last.URL)
	if last.Key != "" {
		fmt.Fprintf(out, "%s; known by the key %s\n", last.Kind, last.Key)
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	end := "followed"
	for _, s := range steps {
		switch {
		case s.Rule == 0:
		case s.Follow:
			fmt.Fprintf(table, "  %s\tpasses\t%s\n", s.Rule, s.Value)
		default:
			fmt.Fprintf(table, "  %s\tREFUSES\t%s\n", s.Rule, s.Value)
			end = "not followed"
		}
	}
	_ = table.Flush() // an error of out cannot be reported anywhere else
	fmt.Fprintf(out, "\n%s\n", end)
	return last.Follow
}
