// SPDX-License-Identifier: Apache-2.0

// Markdown measures curlew's Markdown and compares it with html-to-markdown and
// turndown in one run:
//
//	go run ./markdown
//
// It prints how many examples of the CommonMark and GFM specifications are
// unchanged after their HTML was rendered as Markdown and parsed by goldmark,
// how many data tables remain tables, the cost of five formats of a page
// compared with html.Parse, and how the time grows with the size of a page.
// turndown requires node and "npm install" in peers.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"runtime"
)

// verbose prints the tables whose cells differ.
var verbose = flag.Bool("v", false, "print the tables whose cells differ")

func main() {
	log.SetFlags(0)
	corpora := flag.String("corpora", "../../shared/corpora", "directory of the development data")
	only := flag.String("only", "", "trip, tables, cost or growth; empty runs all")
	rounds := flag.Int("rounds", 5, "of cost; the best counts")
	flag.Parse()
	if _, err := os.Stat(*corpora); err != nil {
		log.Fatalf("no development data: %v", err)
	}
	fmt.Printf("%s, %d processors, %s/%s\n\n", runtime.Version(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
	ctx := context.Background()
	for _, part := range []struct {
		name string
		run  func() error
	}{
		{"trip", func() error { return trip(*corpora) }},
		{"tables", func() error { return tables(ctx, *corpora) }},
		{"cost", func() error { return cost(ctx, *corpora, *rounds) }},
		{"growth", func() error { return growth(ctx) }},
	} {
		if *only != "" && *only != part.name {
			continue
		}
		if err := part.run(); err != nil {
			log.Fatalf("%s: %v", part.name, err)
		}
		fmt.Println()
	}
}
