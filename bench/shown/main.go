// SPDX-License-Identifier: Apache-2.0

// Shown compares the Markdown of whole pages with what a browser shows of them, in which
// no script runs and which loads nothing from the network.
//
//	go run ./shown -every 20 ../../shared/corpora/wcxb-dev/html
//	go run ./shown -every 20 -damage -seed 3 ../../shared/corpora/wcxb-dev/html
//
// It reads the files of directories whose names end in .html or .html.gz. With -damage,
// each page is damaged in one way, which the seed chooses. A word that the browser shows
// and the Markdown does not have is lost. A page is silent if it has lost more words than
// its warnings may be about, which is none if it has none.
//
// A browser believes a wrong label of the encoding, and curlew reads what is UTF-8 as UTF-8,
// which is right. So the browser is given such a page with the right label.
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/curlew/bench/peers"
)

func main() {
	log.SetFlags(0)
	every := flag.Int("every", 1, "read one of so many pages")
	damaged := flag.Bool("damage", false, "damage each page in one way")
	seed := flag.Uint64("seed", 1, "seed of the damage")
	only := flag.String("only", "", "read only files that have this in their name")
	least := flag.Int("least", 3, "name pages that lost so many words")
	most := flag.Int("words", 12, "show so many of the words")
	keep := flag.String("keep", "", "directory for the pages as they were read")
	flag.Parse()
	var files []string
	for _, dir := range flag.Args() {
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && (strings.HasSuffix(path, ".html") || strings.HasSuffix(path, ".html.gz")) && strings.Contains(path, *only) {
				files = append(files, path)
			}
			return nil
		})
	}
	dir := *keep
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "shown-"); err != nil {
			log.Fatal(err)
		}
		defer os.RemoveAll(dir)
	}
	ctx := context.Background()
	sums := map[string]*sum{}
	err := peers.Chromium(ctx, func(b *peers.Browser) error {
		for i, file := range files {
			if i%*every != 0 {
				continue
			}
			body, err := load(file)
			if err != nil {
				return err
			}
			kind := "whole"
			if *damaged {
				r := rand.New(rand.NewPCG(*seed, uint64(i))) // #nosec G404 -- repeatable
				h := harms[r.IntN(len(harms))]
				kind, body = h.name, h.do(r, body)
			}
			theirs := body
			if kind == "wrong label" && utf8.Valid(body) {
				theirs = labelled.ReplaceAll(body, []byte("charset=${1}utf-8"))
			}
			p := &page{name: strings.TrimSuffix(filepath.Base(file), ".gz"), kind: kind}
			source := filepath.Join(dir, p.name)
			if err := os.WriteFile(source, theirs, 0o600); err != nil {
				return err
			}
			if err := p.compare(ctx, b, source, body); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			if sums[kind] == nil {
				sums[kind] = &sum{}
			}
			sums[kind].add(p)
			if p.isSilent() && len(p.lost) >= *least {
				p.print(os.Stdout, *most)
			}
			if *keep == "" {
				_ = os.Remove(source)
			}
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%-20s %6s %9s %8s %8s %8s %8s\n", "damage", "pages", "shown", "lost", "silent", "pages", "hidden")
	for _, kind := range slices.Sorted(maps.Keys(sums)) {
		s := sums[kind]
		fmt.Printf("%-20s %6d %9d %8d %8d %8d %8d\n", kind, s.pages, s.shown, s.lost, s.silent, s.silentPages, s.hidden)
	}
}

// load reads a file, which may be packed.
func load(file string) ([]byte, error) {
	data, err := os.ReadFile(file) //nolint:gosec // the caller chooses the directory
	if err != nil || !strings.HasSuffix(file, ".gz") {
		return data, err
	}
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// A sum adds pages.
type sum struct {
	pages, shown, lost, silent, silentPages, hidden int
}

func (s *sum) add(p *page) {
	s.pages++
	s.shown += p.shown
	s.lost += len(p.lost)
	s.hidden += len(p.hidden)
	if p.isSilent() {
		s.silent += len(p.lost)
		s.silentPages++
	}
}
