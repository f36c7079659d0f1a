// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"example.com/curlew/format"
	"example.com/curlew/parse"
)

// A compared page is compared with its Markdown.
type compared struct {
	*page
	flaw, style, url, html string
	want                   []fact
	ends                   bool   // the rest is for others, so a warning must say that this is only the beginning
	rest                   []fact // what counts neither way
	main, whole            result
	meta                   *format.Metadata
}

// A result is what the Markdown of a page lacks, and has besides.
type result struct {
	lost        []fact
	words, gone int // of all facts, and of those that are lost
	more        int // words that belong to no fact
	counted     int // words that the warnings count
	excused     bool
	warnings    []string
}

// silent reports whether more is lost than the warnings count.
func (r *result) silent() bool { return r.gone > r.counted && !r.excused }

func (c *compared) compare(ctx context.Context) error {
	var e parse.Engine
	tree, err := e.Parse(ctx, parse.Bytes("page.html", []byte(c.html)), nil)
	if err != nil {
		return err
	}
	for _, whole := range []bool{false, true} {
		d, err := format.Build(ctx, &format.Input{Root: tree.Root, URL: c.url}, &format.Options{Forms: []format.Form{format.Markdown}, WholePage: whole, KeepAds: whole})
		if err != nil {
			return err
		}
		var warnings []string
		for _, w := range tree.Warnings {
			warnings = append(warnings, w.Text)
		}
		if d.Warning != "" {
			warnings = append(warnings, d.Warning)
		}
		r := &c.main
		if whole {
			r = &c.whole
		}
		c.meta = &d.Metadata
		r.check(c, *d.Markdown, warnings)
		r.excused = d.Lack != "" || strings.Contains(strings.Join(warnings, " "), "Such bytes")
		if c.ends && len(warnings) == 0 {
			r.gone++
		}
	}
	return nil
}

var (
	number = regexp.MustCompile(`(\d+) words`)
	bytes  = regexp.MustCompile(`Bytes of it: (\d+)`)
	link   = regexp.MustCompile(`\]\([^()\s]*`)
)

// check looks for the facts in Markdown.
func (r *result) check(c *compared, markdown string, warnings []string) {
	text := plain(link.ReplaceAllString(markdown, "]("))
	found, gone := 0, false // gone: the title of the record is lost, and with it its link
	for _, f := range c.want {
		words := len(strings.Fields(f.text)) // as warnings count them
		if f.kind == "link" && gone {
			words = 0
		}
		r.words += words
		ok := false
		switch f.kind {
		case "link", "picture":
			ok = strings.Contains(markdown, "]("+f.text)
		case "date":
			t, _ := time.Parse(time.DateOnly, f.text)
			ok = strings.Contains(markdown, f.text) || strings.Contains(markdown, t.Format("2 January 2006"))
		case "price":
			ok = strings.Contains(strings.ReplaceAll(text, " ", ""), strings.ReplaceAll(plain(f.text), " ", ""))
		default:
			ok = strings.Contains(text, plain(f.text))
		}
		gone = !ok
		if ok {
			if f.kind != "link" && f.kind != "picture" {
				found += len(strings.Fields(plain(f.text)))
			}
		} else {
			r.lost, r.gone = append(r.lost, f), r.gone+words
		}
	}
	r.more = max(0, len(strings.Fields(text))-found)
	for _, f := range c.rest {
		if f.kind != "link" && f.kind != "picture" && strings.Contains(text, plain(f.text)) {
			r.more -= min(r.more, len(strings.Fields(plain(f.text))))
		}
	}
	r.warnings = warnings
	for _, w := range r.warnings {
		for _, m := range append(number.FindAllStringSubmatch(w, -1), bytes.FindAllStringSubmatch(w, -1)...) {
			n, _ := strconv.Atoi(m[1])
			r.counted += n
		}
	}
}

func (c *compared) print(w io.Writer) {
	fmt.Fprintf(w, "%s, %s (%s)\n", c.kind, c.flaw, c.style)
	for _, r := range []struct {
		name string
		of   *result
	}{{"main content", &c.main}, {"whole page", &c.whole}} {
		if !r.of.silent() {
			continue
		}
		fmt.Fprintf(w, "  %s: %d of %d words lost, %d counted\n", r.name, r.of.gone, r.of.words, r.of.counted)
		for _, f := range r.of.lost[:min(5, len(r.of.lost))] {
			fmt.Fprintf(w, "    %s: %.90s\n", f.kind, f.text)
		}
		for _, s := range r.of.warnings {
			fmt.Fprintf(w, "    warning: %s\n", s)
		}
	}
}

// A share counts what is right.
type share struct{ right, all int }

func (s *share) add(ok bool) {
	s.all++
	if ok {
		s.right++
	}
}

func (s share) String() string {
	if s.all == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f", float64(s.right)/float64(s.all))
}

// A sum adds pages.
type sum struct {
	pages, facts        int
	main, whole         totals
	title, author, date share
}

type totals struct {
	facts, lost, kept, more  int
	silentPages, silentWords int
}

func (t *totals) add(r *result, facts int) {
	t.facts, t.lost = t.facts+facts, t.lost+len(r.lost)
	t.kept, t.more = t.kept+r.words-r.gone, t.more+r.more
	if r.silent() {
		t.silentPages, t.silentWords = t.silentPages+1, t.silentWords+r.gone-r.counted
	}
}

func (t *totals) recall() float64 { return 1 - float64(t.lost)/float64(max(1, t.facts)) }

func (t *totals) precision() float64 { return float64(t.kept) / float64(max(1, t.kept+t.more)) }

func add(sums map[string]*sum, name string, c *compared) {
	s := sums[name]
	if s == nil {
		s = &sum{}
		sums[name] = s
	}
	s.pages, s.facts = s.pages+1, s.facts+len(c.want)
	s.main.add(&c.main, len(c.want))
	s.whole.add(&c.whole, len(c.want))
	s.title.add(strings.Contains(c.meta.Title, c.title))
	if c.kind == "article" || c.kind == "recipe" {
		s.author.add(c.meta.Extra["author"] == c.author)
		s.date.add(strings.HasPrefix(c.meta.PublishedTime, c.day.Format(time.DateOnly)))
	}
}
