// SPDX-License-Identifier: Apache-2.0

// Resume crawls a site and prints the URL of each page. When it is started
// again, it continues where it ended, even after Ctrl-C, kill -9 or a power
// failure.
//
//	go run ./examples/resume https://example.com/docs/ state
//
// The directory contains the state of the crawl. Remove it to start a new
// crawl.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/signal"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/disk"
	"example.com/curlew/fetch"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	private := flag.Bool("allow-private", false, "crawl loopback addresses too")
	flag.Parse()
	if flag.NArg() != 2 {
		fmt.Fprintln(os.Stderr, "usage: resume [flags] URL DIRECTORY")
		os.Exit(2)
	}
	client := new(fetch.Client)
	if *private {
		client.Allow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	}
	if err := run(ctx, client, fetch.AddScheme(flag.Arg(0)), flag.Arg(1), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "resume:", err)
		os.Exit(1)
	}
}

// run prints the URL of each page that no earlier run has printed.
func run(ctx context.Context, f fetch.Fetcher, url, dir string, out io.Writer) error {
	engine := crawl.Engine{Fetcher: f}
	var faults []error
	for page, err := range engine.Run(ctx, crawl.Config{URL: url, State: disk.Dir(dir)}) {
		if err != nil {
			return err // the crawl cannot continue now, but can be resumed later
		}
		if page.Err != nil {
			faults = append(faults, page.Err)
			continue
		}
		// When the loop body returns, the page is done. If the process ends
		// before, the page is delivered again, so this code may run twice for
		// it.
		if _, err := fmt.Fprintln(out, page.URL); err != nil {
			return err
		}
	}
	return errors.Join(faults...)
}
