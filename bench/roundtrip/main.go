// SPDX-License-Identifier: Apache-2.0

// Roundtrip measures what readers preserve of generated documents with known
// content, which the installed programs convert to files.
//
//	cd bench && go run ./roundtrip [-seed 1] [-n 1] [-kinds pdf,docx] [-themes lists,spans] [-worst 5] [-keep DIR]
//
// For each kind, program and reader it prints the means of NID, TEDS and MHS
// (over the documents with tables and headings), of the F1 of words and of the
// blocks in order (internal/test/scoretest). If cells have spans, our tables
// are HTML, because pipe tables cannot express them. With -cases it also counts
// single cases that pass: texts that are present or absent, texts in order, cells
// with their neighbours, and blocks of the right kind. Programs and readers that
// are not installed are named.
package main

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.com/curlew/bench/peers"
	"example.com/curlew/format"
	"example.com/curlew/internal/test/roundtriptest"
	"example.com/curlew/internal/test/scoretest"
	"example.com/curlew/markdown"
	"example.com/curlew/parse"
)

func main() {
	var b bench
	seed := flag.Uint64("seed", 1, "of the first document of each theme")
	n := flag.Uint64("n", 1, "documents of each theme, of seeds that follow each other")
	kinds := flag.String("kinds", "", "of files, joined by commas; empty: all")
	programs := flag.String("programs", "", "that make the files, joined by commas; empty: all")
	themes := flag.String("themes", strings.Join(roundtriptest.Themes(), ","), "of documents")
	flag.StringVar(&b.keep, "keep", "", "folder for files, truths and readings, where files that exist are not made again; empty: they are not kept")
	flag.IntVar(&b.failures, "cases", -1, "also count single cases by kind, and print so many that fail; -1: do not")
	flag.IntVar(&b.worst, "worst", 0, "name so many documents of each line, those read worst")
	flag.Parse()
	err := b.generate(strings.Split(*themes, ","), *seed, *n)
	if err == nil {
		err = b.run(context.Background(), chosen(*kinds), chosen(*programs))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// chosen returns a function that reports whether a name is in a list. An empty
// list contains all names.
func chosen(list string) func(string) bool {
	return func(name string) bool { return list == "" || slices.Contains(strings.Split(list, ","), name) }
}

// bench is one run.
type bench struct {
	docs     []*roundtriptest.Document
	keep     string
	worst    int
	failures int // cases to print that fail; -1 if they are not counted
}

func (b *bench) generate(themes []string, seed, n uint64) error {
	for s := range n {
		for _, theme := range themes {
			d := roundtriptest.Make(theme, seed+s)
			if d == nil {
				return fmt.Errorf("no theme %q", theme)
			}
			b.docs = append(b.docs, d)
		}
	}
	return nil
}

// run creates the files of each route and passes them to the readers.
func (b *bench) run(ctx context.Context, kind, program func(string) bool) error {
	dir := b.keep
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "curlew-roundtrip-"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	fmt.Printf("%-5s %-19s %-14s %4s %7s %7s %7s %7s %7s\n", "kind", "program", "reader", "docs", "NID", "TEDS", "MHS", "words", "blocks")
	skipped := map[string]bool{}
	for _, r := range append(roundtriptest.Routes(), workbooks) {
		if !kind(r.Kind) || !program(r.Name) {
			continue
		}
		if p := r.Missing(); p != "" {
			skipped[fmt.Sprintf("%s to %s: %s is not installed", r.Name, r.Kind, p)] = true
			continue
		}
		paths, err := r.Make(ctx, dir, b.docs)
		if err != nil {
			fmt.Fprintln(os.Stderr, err) // the program may have failed for only one document
		}
		docs := slices.DeleteFunc(slices.Clone(b.docs), func(d *roundtriptest.Document) bool { return paths[d.Name] == "" })
		if len(docs) == 0 {
			continue
		}
		var ours []*string
		for _, d := range docs {
			ours = append(ours, read(ctx, paths[d.Name], d.HasSpans()))
		}
		b.report(r, "curlew", docs, paths, ours)
		others := peers.Office()
		if r.Kind == "pdf" {
			others = peers.PDF()
		}
		for _, p := range others {
			if err := p.Missing(); err != nil {
				skipped[fmt.Sprintf("%s: %v", p.Name, err)] = true
				continue
			}
			if p.Kinds != nil && !slices.Contains(p.Kinds, r.Kind) {
				continue
			}
			var files []string
			for _, d := range docs {
				files = append(files, paths[d.Name])
			}
			readings, err := p.Read(ctx, files, 1)
			if err != nil {
				return err
			}
			var theirs []*string
			for _, t := range readings {
				theirs = append(theirs, t.Markdown)
			}
			b.report(r, p.Name, docs, paths, theirs)
		}
	}
	for _, s := range slices.Sorted(maps.Keys(skipped)) {
		fmt.Println("skipped:", s)
	}
	return nil
}

// read returns the Markdown that the server returns, or nil if the file cannot
// be read.
func read(ctx context.Context, path string, spans bool) *string {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	var e parse.Engine
	tree, err := e.Parse(ctx, parse.Source{Name: filepath.Base(path), Data: bytes.NewReader(data), Size: int64(len(data))}, nil)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return nil
	}
	o := format.Options{}
	if spans {
		o.Markdown.Tables = markdown.TablesHTML
	}
	d, err := format.Build(ctx, &format.Input{Root: tree.Root, NotWeb: true}, &o)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return nil
	}
	return d.Markdown
}

// report scores the results of a reader. A missing result counts as an empty
// text. A reader without results has no line.
func (b *bench) report(r roundtriptest.Route, reader string, docs []*roundtriptest.Document, paths map[string]string, readings []*string) {
	if !slices.ContainsFunc(readings, func(s *string) bool { return s != nil }) {
		return
	}
	var columns [5][]float64
	var counted tally
	type mark struct {
		name string
		scoretest.Scores
	}
	var marks []mark
	for i, d := range docs {
		got := ""
		if readings[i] != nil {
			got = *readings[i]
		}
		truth := d.Markdown()
		s := scoretest.Score(truth, got)
		for i, v := range []float64{s.NID, s.TEDS, s.MHS, s.Words, s.Blocks} {
			columns[i] = append(columns[i], v)
		}
		marks = append(marks, mark{d.Name, s})
		if b.failures >= 0 {
			counted.add(d.Name, cases(d, got))
		}
		if b.keep != "" {
			base := strings.TrimSuffix(paths[d.Name], "."+r.Kind)
			_ = os.WriteFile(base+".truth.md", []byte(truth), 0o600)
			_ = os.WriteFile(base+"."+reader+".md", []byte(got), 0o600)
		}
	}
	fmt.Printf("%-5s %-19s %-14s %4d", r.Kind, r.Name, reader, len(docs))
	for _, values := range columns {
		fmt.Print(" ", part(scoretest.Mean(values)))
	}
	fmt.Println()
	if b.failures >= 0 {
		counted.print(b.failures)
	}
	slices.SortStableFunc(marks, func(a, b mark) int { return cmp.Compare(a.Overall()+a.Blocks, b.Overall()+b.Blocks) })
	for _, m := range marks[:min(b.worst, len(marks))] {
		fmt.Printf("%6s%-40s %s %s %s %s %s\n", "", m.name, part(m.NID), part(m.TEDS), part(m.MHS), part(m.Words), part(m.Blocks))
	}
}

// part formats a score that may be missing.
func part(v float64) string {
	if v < 0 {
		return "      -"
	}
	return fmt.Sprintf("%7.4f", v)
}
