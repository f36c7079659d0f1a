// SPDX-License-Identifier: Apache-2.0

// Styles measures how tables in PDF files are read, by the style in which they
// are drawn: frames, rules, stripes, empty and wrapped cells, headers, spans
// and spacing, in combinations in which each pair of styles occurs.
//
//	cd bench && go run ./styles [-seed 1] [-n 100] [-programs chromium,libreoffice,latex] [-set rules=stub] [-keep DIR] [-worst 10]
//
// It generates tables with known content, has them printed by the programs
// that are installed, and prints the mean TEDS of each program, of each style
// and of the pairs of styles with the lowest means. It names programs that are
// not installed, and what it leaves out because a page does not show how to
// read it. With -keep, files that exist are not printed again.
package main

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"example.com/curlew/format"
	"example.com/curlew/internal/test/scoretest"
	"example.com/curlew/markdown"
	"example.com/curlew/parse"
)

// options are the flags.
type options struct {
	seed     uint64
	n, worst int
	keep     string
	programs string
	set      string
	least    float64
}

func main() {
	var o options
	flag.Uint64Var(&o.seed, "seed", 1, "of the styles and of the content")
	flag.IntVar(&o.n, "n", 100, "documents of each program")
	flag.StringVar(&o.programs, "programs", "", "that print the files, joined by commas; empty: all")
	flag.StringVar(&o.set, "set", "", "`levels` that all documents have, such as rules=stub, which no design has")
	flag.StringVar(&o.keep, "keep", "", "folder for files, truths and readings; empty: they are not kept")
	flag.IntVar(&o.worst, "worst", 0, "name so many documents, those read worst")
	flag.Float64Var(&o.least, "least", .9, "print the pairs of styles with a lower mean, and count the documents with a lower score")
	flag.Parse()
	if err := run(context.Background(), &o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o *options) error {
	if o.keep == "" {
		dir, err := os.MkdirTemp("", "curlew-styles-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		o.keep = dir
	}
	styles, missing := design(o.seed, o.n)
	if o.set != "" {
		var err error
		if styles, err = setLevels(styles, o.set); err != nil {
			return err
		}
		missing, o.keep = nil, filepath.Join(o.keep, o.set)
	}
	var docs []*sample
	for i, s := range styles {
		docs = append(docs, generate(fmt.Sprintf("s%d-%03d", o.seed, i), o.seed<<16+uint64(i), s))
	}
	var all results
	for _, p := range printers {
		if o.programs != "" && !slices.Contains(strings.Split(o.programs, ","), p.name) {
			continue
		}
		if _, err := exec.LookPath(p.program); err != nil {
			fmt.Printf("skipped: %s: %s is not installed\n", p.name, p.program)
			continue
		}
		found, err := p.score(ctx, filepath.Join(o.keep, p.name), docs)
		if err != nil {
			return err
		}
		fmt.Printf("%-16s %3d documents: TEDS %.4f\n", p.name, len(found), found.mean(func(result) bool { return true }))
		all = append(all, found...)
	}
	all.report(o)
	undecidable()
	for _, p := range missing {
		fmt.Println("no document has:", p[0], p[1])
	}
	return nil
}

// result is the score of one document of one printer.
type result struct {
	doc     *sample
	printer string
	teds    float64
	warned  bool // a table is said to be uncertain
}

type results []result

// score prints those documents that do not have a file yet, reads all, and
// scores them.
func (p *printer) score(ctx context.Context, dir string, docs []*sample) (results, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	var missing []*sample
	for _, d := range docs {
		if _, err := os.Stat(filepath.Join(dir, d.name+".pdf")); err != nil {
			missing = append(missing, d)
		}
	}
	if len(missing) > 0 {
		if err := p.print(ctx, dir, missing); err != nil {
			return nil, err
		}
	}
	var out results
	for _, d := range docs {
		base := filepath.Join(dir, d.name)
		truth := d.truth()
		text, warned, err := read(ctx, base+".pdf", strings.Contains(truth, "span="))
		if err != nil {
			return nil, err
		}
		out = append(out, result{d, p.name, scoretest.Score(truth, text).TEDS, warned})
		_ = os.WriteFile(base+".truth.md", []byte(truth), 0o600)
		_ = os.WriteFile(base+".md", []byte(text), 0o600)
	}
	return out, nil
}

// read returns the Markdown of a file, and whether there is a warning of an uncertain
// table. Pipe tables cannot express spans, so the
// tables of documents with spans are HTML.
func read(ctx context.Context, path string, spans bool) (text string, warned bool, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", false, err
	}
	var e parse.Engine
	tree, err := e.Parse(ctx, parse.Source{Name: filepath.Base(path), Data: bytes.NewReader(data), Size: int64(len(data))}, nil)
	if err != nil {
		return "", false, err
	}
	warned = slices.ContainsFunc(tree.Warnings, func(w parse.Warning) bool { return w.Code == parse.WarnTable })
	o := format.Options{}
	if spans {
		o.Markdown.Tables = markdown.TablesHTML
	}
	d, err := format.Build(ctx, &format.Input{Root: tree.Root, NotWeb: true}, &o)
	if err != nil || d.Markdown == nil {
		return "", false, err
	}
	return *d.Markdown, warned, nil
}

// mean is the mean TEDS of those that match.
func (rs results) mean(match func(result) bool) float64 {
	sum, n := 0.0, 0
	for _, r := range rs {
		if match(r) {
			sum += r.teds
			n++
		}
	}
	return sum / float64(max(1, n))
}

// report prints the means of all, of each level, and of the pairs of levels
// below the limit, and the documents read worst.
func (rs results) report(o *options) {
	if len(rs) == 0 {
		return
	}
	fmt.Printf("%-16s %3d documents: TEDS %.4f\n", "all", len(rs), rs.mean(func(result) bool { return true }))
	for _, f := range factors {
		fmt.Printf("  %-9s", f.name)
		for _, l := range slices.Concat(f.levels, extras[f.name]) {
			has := func(r result) bool { return r.doc.style[f.name] == l }
			if slices.ContainsFunc(rs, has) {
				fmt.Printf(" %s %.4f", l, rs.mean(has))
			}
		}
		fmt.Println()
	}
	sum, n := map[pair]float64{}, map[pair]int{}
	for _, r := range rs {
		for _, p := range r.doc.style.pairs() {
			sum[p] += r.teds
			n[p]++
		}
	}
	var low []pair
	for p := range sum {
		if sum[p]/float64(n[p]) < o.least {
			low = append(low, p)
		}
	}
	slices.SortFunc(low, func(a, b pair) int {
		return cmp.Or(cmp.Compare(sum[a]/float64(n[a]), sum[b]/float64(n[b])), cmp.Compare(a[0]+a[1], b[0]+b[1]))
	})
	fmt.Printf("pairs of styles: %d, below %.2f: %d\n", len(sum), o.least, len(low))
	for _, p := range low {
		fmt.Printf("  %.4f of %2d: %s %s\n", sum[p]/float64(n[p]), n[p], p[0], p[1])
	}
	silent, warned, needless := 0, 0, 0
	for _, r := range rs {
		switch {
		case r.teds < o.least && r.warned:
			warned++
		case r.teds < o.least:
			silent++
		case r.warned:
			needless++
		}
	}
	fmt.Printf("documents below %.2f: %d with a warning, %d without; %d others have one\n", o.least, warned, silent, needless)
	if o.worst > 0 {
		slices.SortStableFunc(rs, func(a, b result) int { return cmp.Compare(a.teds, b.teds) })
		for _, r := range rs[:min(o.worst, len(rs))] {
			fmt.Printf("%.4f %s %s, warned %t: %s\n", r.teds, r.printer, r.doc.name, r.warned, r.doc.style)
		}
	}
}
