// SPDX-License-Identifier: Apache-2.0

// Imperfect makes web pages of ten kinds with known content, without faults and with the
// imperfections of real pages, and compares the Markdown with what it wrote:
//
//	go run ./imperfect
//	go run ./imperfect -seed 2 -only "empty dates" -show 3
//
// A fact is a paragraph, a heading, a cell, the title, link, price or date of a record and the
// like. Each is made of random words, so that it is on the page only once. For each imperfection,
// and for each kind of page, the command prints the share of the facts that the main content
// has, the share of its words that belong to facts, the pages that lack more words than
// their warnings count, and the same for whole pages. Pages on which an imperfection changes
// nothing are left out. It also prints how often the title, author and date are right.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"golang.org/x/text/encoding/charmap"
)

// flaws are the imperfections besides those of hiders.
var flaws = []string{
	"none", "end tags missing", "nested layout tables", "consent first", "consent last", "consent within", "newsletter", "related within", "related after", "comments",
	"lazy pictures", "pictures for no scripts", "two main headings", "no main heading", "heading outside", "custom elements", "shadow root", "misleading names", "content in aside",
	"all in a form", "script within", "film", "soft hyphens", "zero width", "no-break spaces", "a span for each word", "font tags", "no encoding", "wrong encoding", "mixed encodings",
	"right to left", "ads between", "ads between records", "cut", "paid", "endless list", "shell", "empty dates", "bold headings", "line breaks", "divs for paragraphs",
	"upper-case tags", "stray end tags", "misnested", "attributes without spaces", "each in a section", "split prices", "old prices", "buttons for questions",
	"checkboxes for questions", "closed answers", "picture links", "two links", "scripts for links",
}

func main() {
	log.SetFlags(0)
	seed := flag.Uint64("seed", 1, "seed of the pages")
	times := flag.Int("pages", 8, "pages of each kind with each imperfection")
	only := flag.String("only", "", "make only pages with this imperfection")
	kind := flag.String("kind", "", "make only pages of this kind")
	show := flag.Int("show", 0, "print what so many pages lack without a warning")
	keep := flag.String("keep", "", "write the pages that are printed to this directory")
	flag.Parse()
	if err := run(context.Background(), *seed, *times, *only, *kind, *show, *keep); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, seed uint64, times int, only, kind string, show int, keep string) error {
	all := append(slices.Clone(flaws), slices.Sorted(maps.Keys(hiders))...)
	byFlaw, byKind := map[string]*sum{}, map[string]*sum{}
	for _, flaw := range all {
		if only != "" && flaw != only {
			continue
		}
		for k, of := range kinds {
			if kind != "" && of != kind {
				continue
			}
			for i := range times {
				n := uint64(k*1000 + i) //nolint:gosec // small
				p := makePage(seed, n, of, flaw)
				if flaw != "none" && p.html == makePage(seed, n, of, "none").html {
					continue
				}
				if err := p.compare(ctx); err != nil {
					return fmt.Errorf("%s, %s: %w", of, flaw, err)
				}
				add(byFlaw, flaw, p)
				if flaw == "none" {
					add(byKind, of+", clean", p)
				} else {
					add(byKind, of, p)
				}
				if show > 0 && (p.main.silent() || p.whole.silent()) {
					show--
					p.print(os.Stdout)
					if keep != "" {
						if err := os.WriteFile(fmt.Sprintf("%s/%s-%s-%d.html", keep, of, flaw, i), []byte(p.html), 0o600); err != nil {
							return err
						}
					}
				}
			}
		}
	}
	printTable(byFlaw, all)
	var names []string
	for _, k := range kinds {
		names = append(names, k+", clean", k)
	}
	fmt.Println()
	printTable(byKind, names)
	return nil
}

// makePage makes a page of a kind with an imperfection.
func makePage(seed, n uint64, kind, flaw string) *compared {
	lang := "en"
	switch {
	case flaw == "right to left":
		lang = "he"
	case strings.Contains(flaw, "encoding"):
		lang = "de"
	}
	s := newSource(seed, n, lang)
	w := &writer{source: s, page: newPage(s, kind), flaw: flaw, style: pick(s, styles...), record: pick(s, recordStyles...)}
	if kind == "product grid" || kind == "event grid" || kind == "job list" {
		w.body = append(w.body, block{tag: "p", text: s.sentence()})
	}
	const site = "https://valley.example"
	url := site + "/" + strings.ReplaceAll(strings.ToLower(w.page.title), " ", "-")
	c := &compared{page: w.page, flaw: flaw, style: w.style + ", " + w.record, url: url}
	c.html = w.document(url)
	cut := w.body
	if flaw == "cut" || flaw == "paid" || flaw == "template" || flaw == "comment" { // nobody sees the second half
		cut = w.body[:len(w.body)/2]
	}
	if c.ends = (flaw == "cut" || flaw == "paid") && kind == "article"; flaw != "cut" && flaw != "paid" {
		c.rest = (&page{body: w.body[len(cut):]}).facts(site)[1:]
	}
	shown := *w.page
	shown.body = cut
	c.want = shown.facts(site)
	narrow := func(text string) string {
		text, _ = charmap.Windows1252.NewEncoder().String(text)
		return text
	}
	switch flaw {
	case "wrong encoding":
		c.html = narrow(c.html)
	case "mixed encodings":
		at := strings.Index(c.html, "<p")
		end := at + strings.Index(c.html[at:], "</p>")
		c.html = c.html[:at] + narrow(c.html[at:end]) + c.html[end:]
	}
	return c
}

func printTable(sums map[string]*sum, names []string) {
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "\tpages\tfacts\trecall\tprecision\tsilent\twords\twhole pages: recall\tsilent\twords\ttitle\tauthor\tdate\t")
	for _, n := range names {
		if s := sums[n]; s != nil {
			fmt.Fprintf(out, "%s\t%d\t%d\t%.4f\t%.4f\t%d\t%d\t%.4f\t%d\t%d\t%s\t%s\t%s\t\n", n, s.pages, s.facts, s.main.recall(), s.main.precision(), s.main.silentPages, s.main.silentWords,
				s.whole.recall(), s.whole.silentPages, s.whole.silentWords, s.title, s.author, s.date)
		}
	}
	out.Flush()
}
