// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/zip"
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"

	"example.com/curlew/parse"
)

// A loss is at least minLost different words of at least minWord letters that the whole
// document has, that are still in the bytes of the damaged one, and that its text does
// not have.
const (
	minLost = 3
	minWord = 5
)

// whole has what was read of a document that is not damaged.
type whole struct {
	words    map[string]bool
	warnings map[string]bool // codes and texts
	hay      [][]byte
}

var wholes = map[string]*whole{}

// wholeOf reads the document at path once.
func wholeOf(path string) *whole {
	if w := wholes[path]; w != nil {
		return w
	}
	w := &whole{words: map[string]bool{}, warnings: map[string]bool{}}
	wholes[path] = w
	data, err := os.ReadFile(path) //nolint:gosec // the caller chooses the corpus
	if err != nil {
		return w
	}
	var e parse.Engine
	tree, err := e.Parse(context.Background(), parse.Bytes(filepath.Base(path), data), nil)
	if err != nil {
		return w
	}
	hay := contents(data)
	for word := range wordsOf(textOf(tree)) {
		if holds(hay, word) {
			w.words[word] = true
		}
	}
	for _, x := range tree.Warnings {
		w.warnings[x.Code+x.Text] = true
	}
	w.hay = hay
	return w
}

// compare fills in what a damaged document has lost. If parts is set, a word that the
// damage has removed at one place is not lost by the reader.
func (a *answer) compare(path string, data []byte, tree *parse.Tree, text string, parts bool) {
	w := wholeOf(path)
	got := wordsOf(text)
	var hay [][]byte
	for word := range w.words {
		if got[word] || strings.Contains(text, word) { // damage may join words
			continue
		}
		if hay == nil {
			hay = contents(data)
		}
		if holds(hay, word) && (!parts || count(hay, word) >= count(w.hay, word)) {
			a.Lost = append(a.Lost, word)
		}
	}
	slices.Sort(a.Lost)
	for _, x := range tree.Warnings {
		a.Warned = a.Warned || !w.warnings[x.Code+x.Text]
	}
}

// wordsOf returns the words of a text that are long enough to be compared.
func wordsOf(text string) map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if len(word) >= minWord {
			words[word] = true
		}
	}
	return words
}

// contents returns the bytes of a file and, if it is a ZIP container or a PDF, those of
// its parts.
func contents(data []byte) [][]byte {
	all := [][]byte{data}
	if bytes.HasPrefix(data, []byte("%PDF")) {
		return append(all, inflated(data)...)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return all
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			continue
		}
		part, _ := io.ReadAll(io.LimitReader(r, maxInflated)) // what comes before a fault counts
		all = append(all, part)
	}
	return all
}

// inflated returns the content of the streams of a PDF that zlib can read.
func inflated(data []byte) (all [][]byte) {
	for _, at := range stream.FindAllIndex(data, -1) {
		z, err := zlib.NewReader(bytes.NewReader(data[at[1]:]))
		if err != nil {
			continue
		}
		part, _ := io.ReadAll(io.LimitReader(z, maxInflated)) // what comes before a fault counts
		all = append(all, part)
	}
	return all
}

// holds reports whether one of the parts has a word, in single bytes or in UTF-16.
func holds(parts [][]byte, word string) bool {
	var wide []byte
	for _, u := range utf16.Encode([]rune(word)) {
		wide = binary.LittleEndian.AppendUint16(wide, u)
	}
	return slices.ContainsFunc(parts, func(b []byte) bool { return bytes.Contains(b, []byte(word)) || bytes.Contains(b, wide) })
}

// count returns how often a file or, if it is a container, its parts have a word. The
// first of contents is the file itself, which holds parts that are not compressed.
func count(contents [][]byte, word string) int {
	n := 0
	for _, b := range contents[1:] {
		n += bytes.Count(b, []byte(word))
	}
	return max(n, bytes.Count(contents[0], []byte(word)))
}

// losses counts documents of one kind.
type losses struct {
	read, failed, lossy, silent int
	worst                       []result
}

// lose counts a result.
func (s *report) lose(r result) {
	if s.losses == nil {
		s.losses = map[string]*losses{}
	}
	kind := strings.ToLower(filepath.Ext(r.Path))
	l := s.losses[kind]
	if l == nil {
		l = &losses{}
		s.losses[kind] = l
	}
	switch {
	case r.Error != "" || r.err != nil:
		l.failed++
		return
	case len(r.Lost) >= minLost:
		l.lossy++
		if !r.Warned {
			l.silent++
			l.worst = append(l.worst, r)
		}
	}
	l.read++
}

// printLosses writes a line for each kind, and the documents that lose most without a
// warning.
func (s *report) printLosses() {
	fmt.Printf("%-6s %8s %8s %8s %8s\n", "kind", "error", "read", "lossy", "silent")
	for _, kind := range slices.Sorted(maps.Keys(s.losses)) {
		l := s.losses[kind]
		fmt.Printf("%-6s %8d %8d %8d %8d\n", kind, l.failed, l.read, l.lossy, l.silent)
	}
	for _, kind := range slices.Sorted(maps.Keys(s.losses)) {
		l := s.losses[kind]
		slices.SortFunc(l.worst, func(a, b result) int { return len(b.Lost) - len(a.Lost) })
		for _, r := range l.worst[:min(len(l.worst), 12)] {
			fmt.Printf("%s: %d words lost without a warning, such as %s\n", r.job, len(r.Lost), strings.Join(r.Lost[:min(len(r.Lost), 5)], ", "))
		}
	}
}

// keepLoss writes a document that loses words without a warning to dir.
func (r result) keepLoss(dir string) error {
	if r.Error != "" || r.Warned || len(r.Lost) < minLost {
		return nil
	}
	return r.save(dir)
}
