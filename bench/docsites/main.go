// SPDX-License-Identifier: Apache-2.0

// Docsites measures the main content of real documentation: the HTML packages
// of Debian, each the work of one generator of documentation.
//
//	go run ./docsites
//
// The truth is the container in which the generator puts the content of a page.
// Menus within the container that only repeat its headings count neither way.
// For each generator it prints the share of the truth's words that the Markdown
// has, the pages that have fewer than nine tenths of them, the share of the
// words of the Markdown that are in the truth, and the shares of headings and
// of first headings that the Markdown has as headings. Packages that are not
// installed are named and skipped:
//
//	apt-get install apache2-doc git-doc sqlite3-doc qtbase5-doc-html erlang-doc rust-doc
//	apt-get install postgresql-doc-15 debian-handbook libglib2.0-doc libgtk-3-doc
//	apt-get install python3.11-doc python-django-doc libcommons-lang3-java-doc linux-doc-6.1
//	apt-get install libeigen3-doc libfftw3-doc libgtk-4-doc libghc-lens-doc weechat-doc asciidoctor-doc libcalendar-ocaml-doc
//	apt-get install python-djangorestframework-doc libboost1.81-doc nodejs-doc openjdk-17-doc twisted-doc octave-doc libstdc++-12-doc
//	apt-get install cmake-doc python-pandas-doc zsh-doc scala-doc exim4-doc-html
//	apt-get install fp-docs-3.2.2 groovy-doc yard-doc vim-doc
//	apt-get install awesome-doc racket-doc docutils-doc gnuplot-doc lilypond-doc-html allegro4-doc tomcat10-docs grass-doc
//	apt-get install gap-doc cppreference-doc-en-html swi-prolog-doc nim-doc mpich-doc
//
// With -root, the packages may be unpacked elsewhere (apt-get download, dpkg -x). With
// -repeats, it measures what is left after an export without the lines that the pages of a
// generator share.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

func main() {
	log.SetFlags(0)
	root := flag.String("root", "/", "directory below which the packages are installed")
	most := flag.Int("pages", 100, "pages of each generator, spread evenly over its files")
	only := flag.String("only", "", "measure only generators whose name has this in it")
	worst := flag.Int("worst", 0, "name so many pages of each generator that score lowest")
	repeats := flag.Bool("repeats", false, "leave out what the pages of a generator share at their beginnings and ends, as an export can")
	show := flag.String("show", "", "print the differences of the page whose path ends so")
	flag.Parse()
	ctx := context.Background()
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "generator\tpages\trecall\tunder .9\tprecision\theadings\tfirst heading\tempty\t")
	var missing []string
	for _, g := range generators {
		if !strings.Contains(g.name, *only) {
			continue
		}
		files := g.files(*root)
		if len(files) == 0 {
			missing = append(missing, g.name+" ("+g.debian+")")
			continue
		}
		if *show == "" {
			files = spread(files, *most)
		}
		pages := readAll(ctx, &g, files, *show)
		if *repeats {
			if err := withoutRepeats(pages); err != nil {
				log.Fatal(err)
			}
		}
		var all []score
		for _, p := range pages {
			all = append(all, p.score)
			if *show != "" {
				p.print(os.Stdout)
			}
		}
		t := total(all)
		fmt.Fprintf(out, "%s\t%d\t%.4f\t%d\t%.4f\t%.4f\t%.4f\t%d\t\n", g.name, t.pages, t.recall, t.poor, t.precision, t.headings, t.first, t.empty)
		slices.SortStableFunc(all, func(a, b score) int { return a.order(b) })
		for _, s := range all[:min(*worst, len(all))] {
			fmt.Fprintf(out, "  %s\t\t%.3f\t\t%.3f\t%d/%d\t%v\t\n", filepath.Base(filepath.Dir(s.file))+"/"+filepath.Base(s.file), s.recall(), s.precision(), s.kept, s.headings, s.first)
		}
	}
	out.Flush()
	for _, m := range missing {
		fmt.Println("not installed:", m)
	}
}

// readAll reads the pages of files whose path ends in suffix.
func readAll(ctx context.Context, g *generator, files []string, suffix string) (pages []*page) {
	for _, f := range files {
		if !strings.HasSuffix(f, suffix) {
			continue
		}
		p, err := read(ctx, g, f)
		if err != nil {
			log.Fatalf("%s: %v", f, err)
		}
		if p != nil { // otherwise the generator made no content
			pages = append(pages, p)
		}
	}
	return pages
}

// spread returns at most n of files, evenly spread.
func spread(files []string, n int) []string {
	if n <= 0 || len(files) <= n {
		return files
	}
	some := make([]string, n)
	for i := range some {
		some[i] = files[i*len(files)/n]
	}
	return some
}
