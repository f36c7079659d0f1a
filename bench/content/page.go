// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// A page is a page of the corpus with its expected content.
type page struct {
	id, kind, url string
	body          []byte
	truth         map[string]int // words of the main content with their counts
	size          int            // number of words
}

// readPages reads one of every `every` pages of dir.
func readPages(dir string, every int) ([]*page, error) {
	list, err := os.Open(filepath.Join(dir, "pages.tsv")) //nolint:gosec // the caller chooses the corpus
	if err != nil {
		return nil, err
	}
	defer list.Close()
	var all []*page
	lines := bufio.NewScanner(list)
	for n := -1; lines.Scan(); n++ {
		if n < 0 || n%every != 0 {
			continue
		}
		field := strings.Split(lines.Text(), "\t")
		p := &page{id: field[0], kind: field[1], url: field[5]}
		if err := p.read(dir, field[0]); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, lines.Err()
}

func (p *page) read(dir, id string) error {
	packed, err := os.ReadFile(filepath.Join(dir, "html", id+".html.gz")) //nolint:gosec // the caller chooses the corpus
	if err != nil {
		return err
	}
	unpack, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	if p.body, err = io.ReadAll(unpack); err != nil {
		return err
	}
	raw, err := os.ReadFile(filepath.Join(dir, "truth", id+".json")) //nolint:gosec // the caller chooses the corpus
	if err != nil {
		return err
	}
	var truth struct {
		Main *string `json:"main_content"`
	}
	if err := json.Unmarshal(raw, &truth); err != nil {
		return fmt.Errorf("truth of %s: %w", id, err)
	}
	p.truth = map[string]int{}
	if truth.Main != nil {
		for _, w := range words(*truth.Main) {
			p.truth[w]++
			p.size++
		}
	}
	return nil
}

// words returns the words of s, which consist of letters, digits and _, in
// lower case.
func words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '_'
	})
}

// f1 compares the multiset of the words of text with the truth of p.
func (p *page) f1(text string) float64 {
	seen := map[string]int{}
	common, predicted := 0, 0
	for _, w := range words(text) {
		predicted++
		if seen[w] < p.truth[w] {
			seen[w]++
			common++
		}
	}
	switch {
	case predicted == 0 && p.size == 0:
		return 1
	case common == 0:
		return 0
	}
	return 2 * float64(common) / float64(predicted+p.size)
}
