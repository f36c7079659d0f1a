// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"golang.org/x/net/html"

	"example.com/curlew/internal/dom"
)

// A story is a page of news-dev with its truth, which depends on its set.
type story struct {
	page

	ID      string
	Set     string
	URL     string
	Text    string   // aeb: the article
	With    []string // seg: what has to appear
	Without []string // seg: what must not appear
	HTML    string   // read: the article
}

// readStories reads one of every `every` pages of dir. The pages are decoded.
func readStories(ctx context.Context, dir string, every int) ([]*story, error) {
	list, err := os.Open(filepath.Join(dir, "truth.jsonl")) //nolint:gosec // the caller chooses the corpus
	if err != nil {
		return nil, err
	}
	defer list.Close()
	var all []*story
	lines := bufio.NewScanner(list)
	lines.Buffer(nil, 64<<20)
	for n := 0; lines.Scan(); n++ {
		if n%every != 0 {
			continue
		}
		s := &story{}
		if err := json.Unmarshal(lines.Bytes(), s); err != nil {
			return nil, fmt.Errorf("truth %d: %w", n, err)
		}
		if err := s.read(ctx, dir); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, lines.Err()
}

func (s *story) read(ctx context.Context, dir string) error {
	packed, err := os.ReadFile(filepath.Join(dir, "html", s.ID+".html.gz")) //nolint:gosec // the caller chooses the corpus
	if err != nil {
		return err
	}
	unpack, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	raw, err := io.ReadAll(unpack)
	if err != nil {
		return err
	}
	kind := "text/html"
	if s.Set != "seg" {
		kind += "; charset=utf-8"
	}
	doc, err := dom.Parse(ctx, raw, kind)
	if err != nil {
		return err
	}
	var b bytes.Buffer // all engines get UTF-8
	if err := html.Render(&b, doc.Root); err != nil {
		return err
	}
	s.url, s.body = s.URL, b.Bytes()
	s.truth = map[string]int{}
	if s.HTML != "" {
		root, err := html.Parse(strings.NewReader(s.HTML))
		if err != nil {
			return err
		}
		s.Text = find{node: root}.text()
	}
	for _, w := range words(s.Text) {
		s.truth[w]++
		s.size++
	}
	return nil
}

// compareNews prints a line for each engine.
func compareNews(ctx context.Context, dir, only string, every int, list bool) error {
	all, err := readStories(ctx, dir, every)
	if err != nil {
		return err
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(out, "\n%d pages of news\taeb\tprecision\trecall\tseg\tprecision\trecall\tread\t\n", len(all))
	for _, e := range engines {
		if !strings.Contains(e.name, only) {
			continue
		}
		var precision, recall, read mean
		var hits, misses, wrong float64
		for _, s := range all {
			text := e.find(ctx, &s.page).text()
			note := func(figures ...float64) {
				if list {
					fmt.Printf("%s\t%s/%s\t%.3f\t%s\n", e.name, s.Set, s.ID, figures, s.URL)
				}
			}
			switch s.Set {
			case "aeb":
				p, r := shingled(words(text), words(s.Text))
				note(p, r)
				precision.add(p)
				recall.add(r)
			case "seg":
				h, m, w := s.segments(text)
				note(h, m, w)
				hits, misses, wrong = hits+h, misses+m, wrong+w
			case "read":
				f := s.f1(text)
				read.add(f)
				note(f)
			}
		}
		p, r := precision.value(), recall.value()
		fmt.Fprintf(out, "%s\t%.4f\t%.3f\t%.3f\t%.4f\t%.3f\t%.3f\t%.4f\t\n", e.name, 2*p*r/max(p+r, 1e-9), p, r,
			2*hits/max(2*hits+misses+wrong, 1), hits/max(hits+wrong, 1), hits/max(hits+misses, 1), read.value())
	}
	return out.Flush()
}

// shingled compares the multisets of runs of four words.
func shingled(got, want []string) (precision, recall float64) {
	runs := func(words []string) map[string]int {
		all := map[string]int{}
		for i := 0; i+4 <= max(len(words), 4); i++ {
			all[strings.Join(words[i:min(i+4, len(words))], " ")]++
		}
		return all
	}
	a, b := runs(got), runs(want)
	both, mine, truth := 0, 0, 0
	for g, n := range a {
		mine += n
		both += min(n, b[g])
	}
	for _, n := range b {
		truth += n
	}
	return float64(both) / float64(max(mine, 1)), float64(both) / float64(max(truth, 1))
}

// segments counts the wanted segments that text has, those that it lacks, and the unwanted
// segments that it has.
func (s *story) segments(text string) (hits, misses, wrong float64) {
	text = strings.Join(strings.Fields(text), " ")
	has := func(segment string) bool { return strings.Contains(text, strings.Join(strings.Fields(segment), " ")) }
	for _, w := range s.With {
		if has(w) {
			hits++
		} else {
			misses++
		}
	}
	for _, w := range s.Without {
		if has(w) {
			wrong++
		}
	}
	return hits, misses, wrong
}
