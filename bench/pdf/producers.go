// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"example.com/curlew/internal/test/roundtriptest"
)

// fewest is the number of pages below which a folder is not compared, because
// the start of pdftotext would be most of its time.
const fewest = 3

// producers compares the CPU time per page for each folder below root that
// holds PDF files. It fills an empty root first, with the files of the
// installed programs and with drawn ones.
func producers(root string) error {
	program, err := exec.LookPath("pdftotext")
	if err != nil {
		return err
	}
	if entries, err := os.ReadDir(root); err != nil || len(entries) == 0 {
		if err := fill(context.Background(), root); err != nil {
			return err
		}
	}
	folders := map[string][]string{}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.EqualFold(filepath.Ext(path), ".pdf") {
			folders[filepath.Dir(path)] = append(folders[filepath.Dir(path)], path)
		}
		return err
	})
	if err != nil {
		return err
	}
	var names []string
	for name := range folders {
		names = append(names, name)
	}
	slices.Sort(names)
	fmt.Printf("%-24s %5s %5s %9s %9s %6s\n", "folder", "files", "pages", "curlew", "pdftotext", "ratio")
	var ours, theirs, logs float64
	pages, compared := 0, 0
	for _, name := range names {
		c := compareFolder(program, folders[name])
		if c.pages < fewest {
			fmt.Printf("skipped: %s: %d pages that both read\n", name, c.pages)
			continue
		}
		short, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		c.print(short)
		ours, theirs, pages = ours+c.ours.Seconds(), theirs+c.theirs.Seconds(), pages+c.pages
		logs, compared = logs+math.Log(c.ratio()), compared+1
	}
	if compared > 0 {
		fmt.Printf("all folders, %d pages: %.2f of the CPU time of pdftotext; geometric mean of the folders %.2f\n", pages, ours/theirs, math.Exp(logs/float64(compared)))
	}
	return nil
}

// comparison is the CPU time for the files of one folder.
type comparison struct {
	files, pages int
	ours, theirs time.Duration
	unread       []string // files that only pdftotext reads
}

func (c *comparison) ratio() float64 { return c.ours.Seconds() / max(c.theirs.Seconds(), 1e-6) }

func (c *comparison) print(name string) {
	per := func(d time.Duration) float64 { return d.Seconds() * 1000 / float64(c.pages) }
	fmt.Printf("%-24s %5d %5d %6.2f ms %6.2f ms %6.2f\n", name, c.files, c.pages, per(c.ours), per(c.theirs), c.ratio())
	for _, f := range c.unread {
		fmt.Println("  not read by curlew, left out:", f)
	}
}

// compareFolder measures the files that both programs read, in rounds of which
// the best counts. The start of pdftotext is subtracted.
func compareFolder(program string, files []string) *comparison {
	run := func(args ...string) (time.Duration, bool) {
		before := cpu(syscall.RUSAGE_CHILDREN)
		err := exec.Command(program, args...).Run() // #nosec G204 -- a program that was found before
		return cpu(syscall.RUSAGE_CHILDREN) - before, err == nil
	}
	c := &comparison{}
	var both []string
	for _, f := range files { // warm-up
		r, err := convert(f, "")
		_, ok := run(f, os.DevNull)
		switch {
		case err == nil && ok:
			both = append(both, f)
			c.pages += len(r.tree.Pages)
		case ok:
			c.unread = append(c.unread, fmt.Sprintf("%s: %v", f, err))
		}
	}
	c.files, c.ours, c.theirs = len(both), math.MaxInt64, math.MaxInt64
	for range max(1, *rounds) {
		before := cpu(syscall.RUSAGE_SELF)
		for _, f := range both {
			if _, err := convert(f, ""); err != nil {
				fail(err)
			}
		}
		c.ours = min(c.ours, cpu(syscall.RUSAGE_SELF)-before)
		var sum time.Duration
		for _, f := range both {
			took, _ := run(f, os.DevNull)
			start, _ := run("-v")
			sum += took - start
		}
		c.theirs = min(c.theirs, sum)
	}
	return c
}

// fill writes PDF files into folders below root: generated documents converted
// by the installed programs, and drawn documents. Installed manuals can be
// copied beside them.
func fill(ctx context.Context, root string) error {
	var docs []*roundtriptest.Document
	for seed := range uint64(2) {
		docs = append(docs, roundtriptest.Generate(seed+1)...)
	}
	for _, r := range roundtriptest.Routes() {
		if r.Kind != "pdf" {
			continue
		}
		if p := r.Missing(); p != "" {
			fmt.Printf("skipped: %s: %s is not installed\n", r.Name, p)
			continue
		}
		if _, err := r.Make(ctx, root, docs); err != nil { // other documents may have been converted
			fmt.Printf("incomplete: %s: %.200s\n", r.Name, err)
		}
	}
	for name, data := range drawings() {
		dir := filepath.Join(root, "drawn "+name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name+".pdf"), data, 0o600); err != nil {
			return err
		}
	}
	return nil
}
