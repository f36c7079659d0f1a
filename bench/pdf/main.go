// SPDX-License-Identifier: Apache-2.0

// Pdf compares the reading of PDF files with pdftotext:
//
//	cd bench && go run ./pdf [-corpora ../../shared/corpora] [-rounds 3]
//
// It prints the CPU time per page for full Markdown in this process and for the
// plain text of pdftotext without its start, over the files that both open. It also
// prints the slowest page, the time of a fresh process, and the word scores of files
// whose text two other engines agree on. Layout is scored by NID, TEDS and MHS
// (internal/test/scoretest), also for @llamaindex/liteparse and
// @firecrawl/pdf-inspector if `npm install` has installed them in bench/peers.
// With -words DIR it prints the words of PDF files that the Markdown lacks or has
// too often, by their cause.
// With -worst 20 it prints the documents of each set with the lowest scores.
// With -producers it compares the CPU time for the files of other programs: for
// each folder below a directory, which it fills if it is empty.
// With -single it reads pages of longer documents alone, and compares the running
// lines with those that repeat in the whole document. With -passages it looks for
// passages of single pages that pdftotext and mutool agree on.
// With -scale it prints the speedup of all cores compared with one.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"example.com/curlew/markdown"
	"example.com/curlew/parse"
)

var (
	corpora = flag.String("corpora", "../../shared/corpora", "folder of the development data")
	rounds  = flag.Int("rounds", 3, "rounds of which the best counts")
	one     = flag.String("one", "", "read one file, print the CPU time of the process in ns, and end")
	least   = flag.Int("worst", 0, "print so many of the worst documents of each set with their scores, and end")
	others  = flag.String("producers", "", "compare the CPU time for each folder of PDF files below this directory, filled if it is empty, and end")
	alone   = flag.String("single", "", "read pages of the PDF files below this directory alone, compare their running lines with those of the whole documents, and end")
	parts   = flag.String("passages", "", "read pages of the PDF files below this directory alone, look for passages that pdftotext and mutool agree on, and end")
	below   = flag.String("words", "", "print the words that the Markdown of PDF files below this directory lacks or has too often, by their cause, and end")
	verbose = flag.Bool("v", false, "with -single and -passages, print each line that differs, and with -worst the neighbours of cells that tables lose")
	cores   = flag.Bool("scale", false, "compare one core with all, and end")
)

func main() {
	flag.Parse()
	if *one != "" {
		if _, err := convert(*one, ""); err != nil {
			fail(err)
		}
		fmt.Println(cpu(syscall.RUSAGE_SELF).Nanoseconds())
		return
	}
	if *alone != "" {
		if err := single(*alone); err != nil {
			fail(err)
		}
		return
	}
	if *below != "" {
		if err := wordsBelow(*below); err != nil {
			fail(err)
		}
		return
	}
	if *parts != "" {
		if err := passages(*parts); err != nil {
			fail(err)
		}
		return
	}
	if *others != "" {
		if err := producers(*others); err != nil {
			fail(err)
		}
		return
	}
	files, err := filepath.Glob(filepath.Join(*corpora, "pdf-real-dev", "pdfs", "*.pdf"))
	if err != nil || len(files) == 0 {
		fail(fmt.Errorf("no files below %s", *corpora))
	}
	keys := passwords()
	if *least > 0 {
		worstDocuments(*least, files, keys)
		return
	}
	if *cores {
		scale(files, keys, *rounds)
		return
	}
	layout()
	tableScores()
	words(files, keys)
	speed(files, keys)
	cold(filepath.Join(*corpora, "pdf-layout-dev", "pdfs"))
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// read is the result for one file.
type read struct {
	tree *parse.Tree
	text string
	took time.Duration
}

// convert parses a file and renders its Markdown.
func convert(path, password string) (read, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return read{}, err
	}
	var e parse.Engine
	start := time.Now()
	tree, err := e.Parse(context.Background(), parse.Source{Data: bytes.NewReader(data), Size: int64(len(data))}, &parse.Options{Kind: parse.PDF, Password: password})
	if err != nil {
		return read{}, err
	}
	var b strings.Builder
	if err := markdown.Render(context.Background(), &b, tree.Root, nil); err != nil {
		return read{}, err
	}
	return read{tree, b.String(), time.Since(start)}, nil
}

// passwords returns the passwords of encrypted files.
func passwords() map[string]string {
	keys := map[string]string{}
	data, err := os.ReadFile(filepath.Join(*corpora, "pdf-real-dev", "files.tsv"))
	if err != nil {
		return keys
	}
	for line := range strings.Lines(string(data)) {
		if f := strings.Split(line, "\t"); len(f) > 4 {
			keys[f[0]] = f[4]
		}
	}
	return keys
}

// cpu is the CPU time of this process, or of its ended child processes.
func cpu(who int) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		fail(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// speed compares the CPU time per page.
func speed(files []string, keys map[string]string) {
	program, err := exec.LookPath("pdftotext")
	if err != nil {
		fmt.Println("skipped: pdftotext is not installed (poppler-utils)")
		return
	}
	run := func(args ...string) (time.Duration, bool) {
		before := cpu(syscall.RUSAGE_CHILDREN)
		err := exec.Command(program, args...).Run() // #nosec G204 -- a program that was found before
		return cpu(syscall.RUSAGE_CHILDREN) - before, err == nil
	}
	var both []string
	pages := 0
	worst, slowest := time.Duration(0), ""
	for _, f := range files { // warm-up
		name := filepath.Base(f)
		r, err := convert(f, keys[name])
		if err != nil {
			continue
		}
		if _, ok := run("-upw", keys[name], f, os.DevNull); !ok {
			continue
		}
		both = append(both, f)
		pages += len(r.tree.Pages)
		if n := max(1, len(r.tree.Pages)); r.took/time.Duration(n) > worst {
			worst, slowest = r.took/time.Duration(n), name
		}
	}
	ours, theirs := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	for range *rounds {
		before := cpu(syscall.RUSAGE_SELF)
		for _, f := range both {
			if _, err := convert(f, keys[filepath.Base(f)]); err != nil {
				fail(err)
			}
		}
		ours = min(ours, cpu(syscall.RUSAGE_SELF)-before)
		var sum, start time.Duration
		for _, f := range both {
			took, _ := run("-upw", keys[filepath.Base(f)], f, os.DevNull)
			sum += took
			begin, _ := run("-v")
			start += begin
		}
		theirs = min(theirs, sum-start)
	}
	per := func(d time.Duration) float64 { return d.Seconds() * 1000 / float64(pages) }
	fmt.Printf("CPU a page over %d files, %d pages: curlew %.2f ms (Markdown), pdftotext %.2f ms (text, start-up subtracted): %.2f\n",
		len(both), pages, per(ours), per(theirs), per(ours)/per(theirs))
	fmt.Printf("slowest, per page of its file: %.0f ms, %s\n", worst.Seconds()*1000, slowest)
}

// cold runs fresh processes and prints the best of several rounds for each
// file. It measures their CPU time, including the start of the program, because
// other work on the machine does not change it.
func cold(folder string) {
	files, _ := filepath.Glob(filepath.Join(folder, "*.pdf"))
	self, err := os.Executable()
	if err != nil || len(files) == 0 {
		return
	}
	var all []float64
	for _, f := range files[:min(len(files), 20)] {
		best := math.Inf(1)
		for range *rounds {
			out, err := exec.Command(self, "-one", f).Output() // #nosec G204 -- this program
			ns, err2 := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
			if err == nil && err2 == nil {
				best = min(best, float64(ns)/1e6)
			}
		}
		if !math.IsInf(best, 1) {
			all = append(all, best)
		}
	}
	if len(all) == 0 {
		return
	}
	slices.Sort(all)
	fmt.Printf("first result of a fresh process, CPU time with its start, %d files: median %.1f ms, worst %.1f ms\n", len(all), all[len(all)/2], all[len(all)-1])
}
