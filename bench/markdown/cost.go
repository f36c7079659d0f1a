// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"golang.org/x/net/html"

	"example.com/curlew/format"
	"example.com/curlew/internal/dom"
)

// articles are the ids of 150 articles of the WCXB development set: the first
// ones of 60 to 360 KB, 178 KiB on average.
//
//go:embed articles.txt
var articles string

// A bill is the cost of some work for all pages.
type bill struct {
	cpu           time.Duration
	bytes, allocs uint64
}

// measure runs work for pages in this process.
func measure(pages [][]byte, work func([]byte) error) (bill, error) {
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := cpu()
	for _, p := range pages {
		if err := work(p); err != nil {
			return bill{}, err
		}
	}
	took := cpu() - start
	runtime.ReadMemStats(&after)
	return bill{took, after.TotalAlloc - before.TotalAlloc, after.Mallocs - before.Mallocs}, nil
}

// cpu returns the CPU time of this process.
func cpu() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// cost prints the cost of five formats of the articles, and of html.Parse.
func cost(ctx context.Context, corpora string, rounds int) error {
	var pages [][]byte
	size := 0
	for id := range strings.FieldsSeq(articles) {
		p, err := readPage(corpora, id)
		if err != nil {
			return err
		}
		pages = append(pages, p)
		size += len(p)
	}
	forms := []format.Form{format.Markdown, format.HTML, format.Links, format.Images}
	build := func(p []byte, o *format.Options) error {
		d, err := dom.Parse(ctx, p, "text/html; charset=utf-8")
		if err != nil {
			return err
		}
		_, err = format.Build(ctx, &format.Input{Root: d.Root, Raw: d.Text, URL: "https://a.example/page"}, o)
		return err
	}
	works := []struct {
		name string
		work func([]byte) error
	}{
		{"html.Parse", func(p []byte) error { _, err := html.Parse(bytes.NewReader(p)); return err }},
		{"dom.Parse", func(p []byte) error { _, err := dom.Parse(ctx, p, "text/html; charset=utf-8"); return err }},
		{"markdown, html, links, images, metadata", func(p []byte) error { return build(p, &format.Options{Forms: forms}) }},
		{"the same of the whole page", func(p []byte) error { return build(p, &format.Options{Forms: forms, WholePage: true}) }},
		{"markdown, metadata", func(p []byte) error { return build(p, nil) }},
	}
	best := make([]bill, len(works))
	for r := range rounds {
		for i, w := range works {
			b, err := measure(pages, w.work)
			if err != nil {
				return err
			}
			if r == 0 || b.cpu < best[i].cpu {
				best[i] = b
			}
		}
	}
	n := len(pages)
	fmt.Printf("%d articles, %d KB on average, best of %d rounds\n", n, size/n/1000, rounds)
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "per page\tCPU\tMB/s\ttimes Parse\tallocations\ttimes Parse\tKB\t")
	for i, w := range works {
		b := best[i]
		fmt.Fprintf(out, "%s\t%v\t%.0f\t%.2f\t%d\t%.2f\t%d\t\n", w.name, (b.cpu / time.Duration(n)).Round(time.Microsecond),
			float64(size)/1e6/b.cpu.Seconds(), float64(b.cpu)/float64(best[0].cpu), b.allocs/uint64(n), float64(b.allocs)/float64(best[0].allocs), b.bytes/uint64(n)/1000)
	}
	return out.Flush()
}

// growing are pages of about n bytes that are expensive for naive code.
var growing = map[string]func(n int) string{
	"article": func(n int) string {
		return "<main>" + strings.Repeat("<h2>Head</h2><p>Some <b>bold</b> words and a <a href=/x>link</a>.</p>", n/70)
	},
	"rows":               func(n int) string { return "<table>" + strings.Repeat("<tr><td>a<td>b<td>c", n/19) + "</table>" },
	"siblings":           func(n int) string { return strings.Repeat("<p>x", n/4) },
	"nested div":         func(n int) string { return strings.Repeat("<div>x", n/6) },
	"one attribute":      func(n int) string { return "<p title='" + strings.Repeat("a", n) + "'>x" },
	"many attributes":    func(n int) string { return strings.Repeat("<p a b c d e f>x", n/16) },
	"one text":           func(n int) string { return "<p>" + strings.Repeat("word *_`[] ", n/11) },
	"links":              func(n int) string { return strings.Repeat("<a href=/(x title=y>z</a> ", n/26) },
	"open formats":       func(n int) string { return strings.Repeat("<b><i><u>", 5) + strings.Repeat("<p>x", n/4) },
	"text foster parent": func(n int) string { return "<table>" + strings.Repeat("x<tr>", n/5) },
}

// growth prints the time of five formats for pages of 1, 10 and 50 MB.
func growth(ctx context.Context) error {
	fmt.Printf("%-26s%10s%10s%10s  %s\n", "five forms of a page, CPU", "1 MB", "10 MB", "50 MB", "a MB at 50, times at 1")
	names := make([]string, 0, len(growing))
	for name := range growing {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Printf("%-26s", name)
		var took []time.Duration
		sizes := []int{1, 10, 50}
		for _, mb := range sizes {
			page := []byte(growing[name](mb << 20))
			least := time.Duration(0)
			for round := range 3 {
				b, err := measure([][]byte{page}, func(p []byte) error {
					d, err := dom.Parse(ctx, p, "text/html")
					if err != nil {
						return err
					}
					_, err = format.Build(ctx, &format.Input{Root: d.Root, URL: "https://a.example/"}, &format.Options{
						Forms: []format.Form{format.Markdown, format.HTML, format.Links, format.Images},
					})
					return err
				})
				if err != nil {
					return err
				}
				if least == 0 || b.cpu < least {
					least = b.cpu
				}
				if round == 0 && mb > 1 {
					break
				}
			}
			took = append(took, least)
			fmt.Printf("%10v", least.Round(time.Millisecond))
		}
		fmt.Printf("  %.2f\n", float64(took[2])/float64(took[0])/float64(sizes[2])*float64(sizes[0]))
	}
	return nil
}
