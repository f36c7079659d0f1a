// SPDX-License-Identifier: Apache-2.0

// Content compares the main content extracted by curlew with that of
// go-trafilatura, go-readability and go-domdistiller, in one run over the pages
// of wcxb-dev:
//
//	go run ./content
//	go run ./content -only Markdown
//	go run ./content -warnings
//
// It prints the F1 of words by type of page as the README of that directory
// defines it, the CPU time for a page from bytes to content, and the cost of
// each engine's packages at the start of a process. curlew's weights are fitted
// to these pages. format/internal/content/train prints the score on unseen
// pages, by cross-validation.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"example.com/curlew/format"
	"example.com/curlew/internal/dom"
)

func main() {
	log.SetFlags(0)
	corpus := flag.String("corpus", "../../shared/corpora/wcxb-dev", "directory of the pages")
	news := flag.String("news", "../../shared/corpora/news-dev", "directory of the pages of the second table")
	only := flag.String("only", "", "run only the engines whose name has this in it")
	list := flag.Bool("list", false, "print the score of each page too")
	every := flag.Int("every", 1, "read one page of so many")
	standIns := flag.Bool("standins", false, "only name the pages that count as tests for robots, missing pages, requests for consent or forms for signing in")
	warned := flag.Bool("warnings", false, "only say on how many pages of wcxb-dev and of all corpora the Markdown of the main content comes with each warning")
	idle := flag.Bool("idle", false, "end at once")
	flag.Parse()
	if *idle {
		return
	}
	ctx := context.Background()
	fmt.Printf("%s, %d processors, %s/%s\n\n", runtime.Version(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
	pages, err := readPages(*corpus, *every)
	if err != nil {
		log.Fatalf("no development data: %v", err)
	}
	if *standIns || *warned {
		own := len(pages)
		stories, err := readStories(ctx, *news, *every)
		if err != nil {
			log.Fatalf("no development data: %v", err)
		}
		for _, s := range stories {
			s.id = s.ID
			pages = append(pages, &s.page)
		}
		if *warned {
			countWarnings(ctx, pages, own)
		} else {
			nameStandIns(ctx, pages)
		}
		return
	}
	compare(ctx, pages, *only, *list)
	if err := compareNews(ctx, *news, *only, *every, *list); err != nil {
		log.Fatalf("no development data: %v", err)
	}
	if *only != "" {
		return
	}
	if err := starts(ctx, os.Stdout); err != nil {
		log.Fatalf("start: %v", err)
	}
}

// standIns are the names of pages that stand in for others.
var standIns = map[dom.StandIn]string{
	dom.Challenge: "a test for robots", dom.Missing: "a missing page", dom.Consent: "a request for consent", dom.SignIn: "a form for signing in",
	dom.Failing: "an error", dom.Limited: "too many requests", dom.Refused: "no access", dom.Closed: "maintenance", dom.Parked: "a domain for sale",
	dom.AgeGate: "a question for the age", dom.Scriptless: "a request for scripts", dom.Nothing: "nothing found",
}

// nameStandIns names the pages that seem to stand in for others. All pages of the corpora are
// articles and the like, so each of them is a false alarm.
func nameStandIns(ctx context.Context, pages []*page) {
	found := 0
	for _, p := range pages {
		doc, err := dom.Parse(ctx, p.body, "text/html; charset=utf-8")
		if err != nil {
			log.Fatal(err)
		}
		if kind := dom.StandsIn(doc.Root); kind != dom.Itself {
			fmt.Println(standIns[kind]+":", p.id, p.url)
			found++
		}
	}
	fmt.Printf("%d of %d pages\n", found, len(pages))
}

// countWarnings prints how many of the first own pages, and of all pages, have each warning. Warnings that
// differ only in their numbers are one.
func countWarnings(ctx context.Context, pages []*page, own int) {
	numbers := regexp.MustCompile(`\d+`)
	counts := map[string][2]int{}
	for i, p := range pages {
		doc, err := dom.Parse(ctx, p.body, "text/html; charset=utf-8")
		if err != nil {
			log.Fatal(err)
		}
		d, err := format.Build(ctx, &format.Input{Root: doc.Root, URL: p.url}, nil)
		if err != nil {
			log.Fatal(err)
		}
		seen := map[string]bool{}
		for text := range strings.SplitAfterSeq(numbers.ReplaceAllString(d.Warning, "N"), ". ") {
			if text = strings.TrimSpace(text); text != "" && !seen[text] {
				seen[text] = true
				n := counts[text]
				n[1]++
				if i < own {
					n[0]++
				}
				counts[text] = n
			}
		}
	}
	fmt.Printf("of %d  of %d\n", own, len(pages))
	for _, text := range slices.Sorted(maps.Keys(counts)) {
		fmt.Printf("%-8d %-8d %s\n", counts[text][0], counts[text][1], text)
	}
}

// kinds are the types of pages in the order of the table.
var kinds = []string{"article", "documentation", "service", "forum", "collection", "listing", "product"}

// compare prints a line for each engine.
func compare(ctx context.Context, pages []*page, only string, list bool) {
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(out, "%d pages\tall\twith a truth\t", len(pages))
	for _, k := range kinds {
		fmt.Fprintf(out, "%s\t", k)
	}
	fmt.Fprintln(out, "CPU a page\tof the first\t")
	var first time.Duration
	for _, e := range engines {
		if !strings.Contains(e.name, only) {
			continue
		}
		var all, honest mean
		by := map[string]*mean{}
		for _, k := range kinds {
			by[k] = &mean{}
		}
		var took time.Duration
		for _, p := range pages {
			start := cpu()
			find := e.find(ctx, p)
			took += cpu() - start
			f := p.f1(find.text())
			all.add(f)
			if list {
				fmt.Printf("%s\t%s\t%.3f\t%s\n", e.name, p.id, f, p.url)
			}
			by[p.kind].add(f)
			if p.size > 0 {
				honest.add(f)
			}
		}
		took /= time.Duration(len(pages))
		if first == 0 {
			first = took
		}
		fmt.Fprintf(out, "%s\t%.3f\t%.3f\t", e.name, all.value(), honest.value())
		for _, k := range kinds {
			fmt.Fprintf(out, "%.3f\t", by[k].value())
		}
		fmt.Fprintf(out, "%.2f ms\t%.2f\t\n", float64(took.Microseconds())/1000, float64(took)/float64(first))
	}
	out.Flush()
}

// A mean is the mean of the added values.
type mean struct{ sum, n float64 }

func (m *mean) add(x float64) { m.sum += x; m.n++ }

func (m *mean) value() float64 { return m.sum / max(m.n, 1) }
