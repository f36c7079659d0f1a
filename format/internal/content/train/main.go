// SPDX-License-Identifier: Apache-2.0

// Command train makes the weights of package content from pages whose content is
// known, and writes weights.go:
//
//	go run ./format/internal/content/train -corpus ../shared/corpora/wcxb-dev -news ../shared/corpora/news-dev
//
// It cross-validates all stages over five folds by host, prints the figures of each
// set, fits all stages to all pages, and writes weights.go. The same pages give the
// same bytes on one architecture. With -unseen it trains without the pages of one set
// and measures on them. With -worst it names the pages of each set that score lowest in the
// cross-validation, with the likely cause, and says how much is lost by cause. With -verify it
// fits nothing, and says whether weights.go was fitted to the pages, labels and features of today.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"example.com/curlew/format/internal/content"
)

func main() {
	dir := flag.String("corpus", "", "directory of the corpus: pages.tsv, html and truth (required)")
	out := flag.String("o", "format/internal/content/weights.go", "file to write; empty writes none")
	news := flag.String("news", "", "directory of news-dev: truth.jsonl and html; empty trains on the corpus alone")
	unseen := flag.String("unseen", "", "set to train without, and to measure on: wcxb, aeb, seg, read or news; writes nothing")
	every := flag.Int("every", 1, "read one page of so many, to try things out")
	worst := flag.Int("worst", 0, "pages of each set to print, those that score lowest")
	fewer := flag.Bool("curve", false, "also print what the best cut scores if it is fitted to fewer pages")
	check := flag.Bool("verify", false, "say whether the weights in the file of -o are fitted to these pages with these features; writes nothing")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	all, err := readSets(ctx, *dir, *news, *every)
	switch {
	case err != nil:
	case *unseen != "":
		err = leaveOut(os.Stdout, all, *unseen)
	case *check:
		err = newTrainer(all, all).verify(os.Stdout, *out)
	default:
		err = run(os.Stdout, all, *out, *worst, *fewer)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

// readSets reads one of every `every` pages of all sets. If news is empty, it reads only
// the set wcxb.
func readSets(ctx context.Context, dir, news string, every int) ([]*sample, error) {
	all, err := readCorpus(ctx, dir, every)
	if err != nil || news == "" {
		return all, err
	}
	more, err := readNews(ctx, news, every)
	return append(all, more...), err
}

// run trains on all, prints the worst pages of each set, and writes out. fewer says whether it
// then prints what fewer pages would give.
func run(w io.Writer, all []*sample, out string, worst int, fewer bool) error {
	t := newTrainer(all, all)
	digest := t.digest()
	figures := crossValidate(w, t, worst)
	if out != "" {
		news := 0
		for _, s := range all {
			if s.set != wcxb {
				news++
			}
		}
		text, err := source(t.modelWithout(0), len(all)-news, news, digest, figures)
		if err != nil {
			return err
		}
		if err := os.WriteFile(out, text, 0o644); err != nil { //nolint:gosec // source is for all to read
			return err
		}
	}
	if fewer {
		curve(w, t)
	}
	return nil
}

// leaveOut trains without the pages of a set and measures on them. This shows how good a
// model is on pages that other people have chosen and labeled.
func leaveOut(w io.Writer, all []*sample, unseen string) error {
	var rest, out []*sample
	for _, s := range all {
		if s.set.String() == unseen || unseen == "news" && s.set != wcxb {
			out = append(out, s)
		} else {
			rest = append(rest, s)
		}
	}
	if len(rest) == 0 || len(out) == 0 {
		return fmt.Errorf("no pages with or without the set %q", unseen)
	}
	t := newTrainer(rest, all)
	model := t.modelWithout(0)
	for _, l := range t.judge(out, func(s *sample) *content.Model {
		t.hear(s, 0, none)
		return model
	}) {
		fmt.Fprintf(w, "without %s: %s\n", unseen, l)
	}
	return nil
}
