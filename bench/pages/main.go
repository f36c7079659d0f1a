// SPDX-License-Identifier: Apache-2.0

// Pages measures how single pages of PDF files are read, by statements that are
// true or not: a text is present, a running head is absent, two texts stand in
// their order, a cell has its neighbours, and a block is of its kind.
//
//	cd bench && go run ./pages [-seed 1] [-n 35] [-set beside|marks|papers] [-programs chromium,latex] [-keep DIR] [-v]
//
// It generates pages with known content (journals, reports, books, newspapers,
// manuals, small print, letters), and has each printed on one sheet by the programs
// that are installed. There are three other sets. In beside, pages have
// formulas, watermarks and texts in the margin. In marks, some watermarks are not slanted.
// In papers, there are contracts, forms and lists of contents. The last printer makes pictures with the text that tesseract
// recognizes; there, a tenth of the letters may differ. Programs that are not
// installed are named.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"example.com/curlew/format"
	"example.com/curlew/parse"
)

var (
	seed     = flag.Uint64("seed", 1, "of the pages")
	set      = flag.String("set", "", "of genres: empty for journals to letters; beside for formulas, watermarks and texts in the margin; marks for watermarks; papers for contracts and forms")
	count    = flag.Int("n", 35, "pages of each program")
	programs = flag.String("programs", "", "that print the pages, joined by commas; empty: all")
	keep     = flag.String("keep", "", "folder for files, where those that exist are not printed again; empty: they are not kept")
	verbose  = flag.Bool("v", false, "print each statement that is not true")
)

func main() {
	flag.Parse()
	if sets[*set] == nil {
		fmt.Fprintln(os.Stderr, "no such set:", *set)
		os.Exit(2)
	}
	if err := measure(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func measure(ctx context.Context) error {
	if *keep == "" {
		dir, err := os.MkdirTemp("", "curlew-pages-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		*keep = dir
	}
	var all tally
	for _, p := range printers {
		if *programs != "" && !slices.Contains(strings.Split(*programs, ","), p.name) {
			continue
		}
		if i := slices.IndexFunc(p.needs, func(program string) bool { _, err := exec.LookPath(program); return err != nil }); i >= 0 {
			fmt.Printf("skipped: %s: %s is not installed\n", p.name, p.needs[i])
			continue
		}
		if *set != "" && *set != "papers" && p.name == "libreoffice" {
			fmt.Println("skipped: libreoffice: it prints no formulas and texts in the margin")
			continue
		}
		var pages []*page
		for i := range *count {
			pages = append(pages, generate(*seed, i))
		}
		t, err := p.check(ctx, filepath.Join(*keep, p.name), pages)
		if err != nil {
			return err
		}
		t.print(p.name)
		all.join(t)
	}
	all.print("all")
	return nil
}

// mostRounds is the number of times that pages are printed until they fit.
const mostRounds = 10

// check prints the pages, shortens those that take more than one sheet, and checks
// how they are read.
func (p *printer) check(ctx context.Context, dir string, pages []*page) (*tally, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	t := &tally{}
	for round := 0; len(pages) > 0 && round < mostRounds; round++ {
		missing := slices.DeleteFunc(slices.Clone(pages), func(pg *page) bool {
			_, err := os.Stat(filepath.Join(dir, pg.base()+".pdf"))
			return err == nil
		})
		if len(missing) > 0 {
			if err := p.print(ctx, dir, missing); err != nil {
				return nil, err
			}
		}
		var long []*page
		for _, pg := range pages {
			base := filepath.Join(dir, pg.base())
			tree, err := read(ctx, base+".pdf")
			if err != nil {
				return nil, err
			}
			if len(tree.Pages) > 1 {
				pg.shorten()
				long = append(long, pg)
				continue
			}
			d, err := format.Build(ctx, &format.Input{Root: tree.Root, NotWeb: true}, &format.Options{})
			if err != nil || d.Markdown == nil {
				return nil, fmt.Errorf("%s: no Markdown: %w", base, err)
			}
			_ = os.WriteFile(base+".md", []byte(*d.Markdown), 0o600)
			t.check(p, pg, tree, *d.Markdown)
		}
		pages = long
	}
	for _, pg := range pages {
		fmt.Printf("left out: %s: %s takes more than one sheet\n", p.name, pg.name)
	}
	return t, nil
}

func read(ctx context.Context, path string) (*parse.Tree, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var e parse.Engine
	tree, err := e.Parse(ctx, parse.Source{Name: filepath.Base(path), Data: bytes.NewReader(data), Size: int64(len(data))}, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return tree, nil
}
