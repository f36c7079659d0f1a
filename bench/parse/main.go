// SPDX-License-Identifier: Apache-2.0

// Command parse compares package parse with other programs on the office files
// of ../shared/corpora/office-dev: what is read of each file, how long it
// takes, and the cost of a large sheet.
//
//	cd bench && go run ./parse
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"

	"example.com/curlew/format"
	"example.com/curlew/markdown"
	"example.com/curlew/parse"
)

func main() {
	corpus := flag.String("corpus", "../../shared/corpora/office-dev", "files, a folder a kind")
	rounds := flag.Int("rounds", 15, "runs of each file; the best counts")
	big := flag.Bool("big", true, "measure a sheet of 100,000 x 20 cells")
	peers := flag.Bool("peers", true, "run what is installed in bench/peers")
	table := flag.Float64("csv", 0, "stream a table of so many GB through Tree.Rows, and measure nothing else")
	child := flag.String("child", "", "read this one workbook and print what it took")
	flag.Parse()
	if *table > 0 {
		if err := stream(context.Background(), int64(*table*1e9)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if err := run(*corpus, *child, *rounds, *big, *peers); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(corpus, child string, rounds int, big, peers bool) error {
	ctx := context.Background()
	if child != "" {
		return measureOne(ctx, child)
	}
	if err := kinds(ctx, corpus, rounds, peers); err != nil {
		return err
	}
	if err := workbooks(ctx, filepath.Join(corpus, "xlsx"), rounds); err != nil {
		return err
	}
	if big {
		return large(ctx)
	}
	return nil
}

// toTree parses a file like the server.
func toTree(ctx context.Context, name string, data []byte) (*parse.Tree, error) {
	var e parse.Engine
	return e.Parse(ctx, parse.Source{Name: name, Data: bytes.NewReader(data), Size: int64(len(data))}, nil)
}

// toMarkdown returns the Markdown that the server returns, without running
// headers and footers.
func toMarkdown(ctx context.Context, name string, data []byte) (string, error) {
	tree, err := toTree(ctx, name, data)
	if err != nil {
		return "", err
	}
	unlabel(tree.Root)
	d, err := format.Build(ctx, &format.Input{
		Root: tree.Root, Raw: tree.Verbatim, NotWeb: true,
		Verbatim: tree.Kind == parse.Text || tree.Kind == parse.Markdown,
	}, &format.Options{Markdown: markdown.Options{Tables: markdown.TablesGFM, Spans: markdown.SpansMirror}}) // as in the Markdown that it is compared with
	if err != nil {
		return "", err
	}
	return *d.Markdown, nil
}

// unlabel removes the numbers of slides without a title and the labels of notes,
// which the Markdown that ours is compared with does not have. The tree is not
// used elsewhere.
func unlabel(root *html.Node) {
	for _, n := range slices.Collect(root.Descendants()) {
		for _, a := range n.Attr {
			if a.Key == "data-role" && (a.Val == "slide-number" || a.Val == "notes-label") {
				n.Parent.RemoveChild(n)
			}
		}
	}
}

// convert is the measured work, which peers do too: from bytes to Markdown.
func convert(ctx context.Context, name string, data []byte) {
	tree, err := toTree(ctx, name, data)
	if err != nil {
		return
	}
	var b strings.Builder
	_ = markdown.Render(ctx, &b, tree.Root, nil)
}

// best returns the shortest of several runs in milliseconds.
func best(rounds int, work func()) float64 {
	least := time.Hour
	for range rounds {
		start := time.Now()
		work()
		least = min(least, time.Since(start))
	}
	return float64(least.Microseconds()) / 1000
}

// median returns the median of values, or 0.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	values = slices.Sorted(slices.Values(values))
	return values[len(values)/2]
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(max(1, len(values)))
}

// kinds scores and times every file by the directory that contains it.
func kinds(ctx context.Context, corpus string, rounds int, withPeers bool) error {
	folders, err := os.ReadDir(corpus)
	if err != nil {
		return fmt.Errorf("../shared is absent: %w", err)
	}
	others := installed(withPeers)
	fmt.Printf("%-8s %-10s %5s %8s %8s %9s\n", "kind", "reader", "files", "recall", "F1", "median ms")
	var low []string
	for _, folder := range folders {
		if !folder.IsDir() {
			continue
		}
		paths, err := filepath.Glob(filepath.Join(corpus, folder.Name(), "*"))
		if err != nil {
			return err
		}
		files := slices.DeleteFunc(paths, func(p string) bool { return strings.HasSuffix(p, ".md") })
		ours := score{}
		for _, p := range files {
			data, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			got, err := toMarkdown(ctx, filepath.Base(p), data)
			if err != nil {
				low = append(low, fmt.Sprintf("%s: %v", filepath.Base(p), err))
				ours.failed++
				continue
			}
			recall, f1, ok := compare(p, got)
			if ok {
				ours.recall, ours.f1 = append(ours.recall, recall), append(ours.f1, f1)
				if recall < .9 || f1 < .9 {
					low = append(low, fmt.Sprintf("%s: recall %.3f, F1 %.3f", filepath.Base(p), recall, f1))
				}
			}
			ours.times = append(ours.times, best(rounds, func() { convert(ctx, filepath.Base(p), data) }))
		}
		ours.print(folder.Name(), "curlew")
		for _, other := range others {
			s, ok, err := scored(ctx, other, files, rounds)
			if err != nil {
				return err
			}
			if ok {
				s.print(folder.Name(), other.Name)
			}
		}
	}
	fmt.Println("\nrecall or F1 under .9, or not read:")
	for _, line := range low {
		fmt.Println("  " + line)
	}
	return nil
}

// score is the result of a reader for one kind.
type score struct {
	recall, f1, times []float64
	failed            int
}

func (s score) print(kind, reader string) {
	recall, f1 := "-", "-" // if the kind has no expected Markdown
	if len(s.recall) > 0 {
		recall, f1 = fmt.Sprintf("%.4f", mean(s.recall)), fmt.Sprintf("%.4f", mean(s.f1))
	}
	fmt.Printf("%-8s %-10s %5d %8s %8s %9.3f", kind, reader, len(s.times), recall, f1, median(s.times))
	if s.failed > 0 {
		fmt.Printf("   %d not read", s.failed)
	}
	fmt.Println()
}
