// SPDX-License-Identifier: Apache-2.0

// Command train makes the weights of package content: corpus -> weights.go.
//
//	go run ./format/internal/content/train -corpus ../shared/corpora/wcxb-dev
//
// It reads the pages and their main content, cross-validates all stages over
// five folds by host, prints the figures, fits all stages to all pages, and
// writes weights.go. The same corpus gives the same bytes on one architecture.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

func main() {
	dir := flag.String("corpus", "", "directory of the corpus: pages.tsv, html and truth (required)")
	out := flag.String("o", "format/internal/content/weights.go", "file to write; empty writes none")
	every := flag.Int("every", 1, "read one page of so many, to try things out")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, *dir, *out, *every); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

// run trains on dir and writes out.
func run(ctx context.Context, w io.Writer, dir, out string, every int) error {
	all, err := readCorpus(ctx, dir, every)
	if err != nil {
		return err
	}
	t := newTrainer(all)
	figures := crossValidate(w, t)
	if out == "" {
		return nil
	}
	text, err := source(t.modelWithout(0), len(all), figures)
	if err != nil {
		return err
	}
	return os.WriteFile(out, text, 0o644) //nolint:gosec // source is for all to read
}
