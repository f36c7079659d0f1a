// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// mostPassages is the number of pages of a document that are read for passages.
// They are spread over the document.
const mostPassages = 3

// passageWords is the number of words of a passage, and leastLetters the number
// of letters and digits from which it is looked for.
const (
	passageWords = 10
	leastLetters = 30
)

// passages reads single pages of the documents below root and looks for passages
// of their paragraphs in our Markdown: each must be present, and each must stand
// after the one before it. The truth are passages, and orders of passages, that
// pdftotext and mutool agree on.
func passages(root string) error {
	for _, program := range []string{"pdfinfo", "pdfseparate", "pdftotext", "mutool"} {
		if _, err := exec.LookPath(program); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp("", "passages")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	page := filepath.Join(dir, "page.pdf")
	var sum found
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !strings.EqualFold(filepath.Ext(path), ".pdf") {
			return err
		}
		n := pageCount(path)
		for i := 0; i < n; i += max(1, (n+mostPassages-1)/mostPassages) {
			number := strconv.Itoa(i + 1)
			if exec.CommandContext(context.Background(), "pdfseparate", "-f", number, "-l", number, path, page).Run() != nil { // #nosec G204 -- a fixed program
				continue
			}
			sum.look(page, path+" "+number)
		}
		return nil
	})
	fmt.Printf("pages read alone: %d, %d cannot be read; passages present %d of %d, in order %d of %d\n", sum.pages, sum.failed, sum.present, sum.all, sum.ordered, sum.pairs)
	return err
}

// pageCount is the number of pages that pdfinfo reports, or 0.
func pageCount(path string) int {
	out, err := exec.CommandContext(context.Background(), "pdfinfo", path).Output() // #nosec G204 -- a fixed program
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(out)) {
		if count, ok := strings.CutPrefix(line, "Pages:"); ok {
			n, _ := strconv.Atoi(strings.TrimSpace(count))
			return n
		}
	}
	return 0
}

// found counts the pages that were read and the passages that were found.
type found struct{ pages, failed, present, all, ordered, pairs int }

// look looks for the passages of a page.
func (f *found) look(page, name string) {
	first, err := exec.CommandContext(context.Background(), "pdftotext", "-q", page, "-").Output() // #nosec G204 -- a fixed program
	if err != nil {
		return
	}
	second, err := exec.CommandContext(context.Background(), "mutool", "draw", "-q", "-F", "txt", page).Output() // #nosec G204 -- a fixed program
	if err != nil {
		return
	}
	ours, err := convert(page, "")
	if err != nil {
		f.failed++
		if *verbose {
			fmt.Printf("failed: %s: %v\n", name, err)
		}
		return
	}
	f.pages++
	var text strings.Builder
	shown(&text, ours.tree.Root, false)
	poppler, mupdf, all := bare(string(first)), bare(string(second)), bare(text.String())
	before, last, lastAt := "", -1, -1
	for _, passage := range passagesOf(string(first)) {
		key := bare(passage)
		if len(key) < leastLetters || strings.Count(mupdf, key) != 1 || strings.Count(poppler, key) != 1 {
			continue
		}
		f.all++
		theirs, at := strings.Index(mupdf, key), strings.Index(all, key)
		if at < 0 {
			if *verbose {
				fmt.Printf("absent: %s: %q\n", name, passage)
			}
			continue
		}
		f.present++
		if before != "" && theirs > last {
			f.pairs++
			switch {
			case at > lastAt:
				f.ordered++
			case *verbose:
				fmt.Printf("order: %s: %q, %q\n", name, before, passage)
			}
		}
		before, last, lastAt = passage, theirs, at
	}
}

// clause is the end of a sentence, or of a part of it.
var clause = regexp.MustCompile(`[.!?:;)]\s+|\n\s*\n|\f|[•∗*†‡§¶]`)

// passagesOf returns the first words of the sentences of a text. Those of which
// less than four fifths are letters are formulas or code.
func passagesOf(text string) []string {
	var out []string
	for _, s := range clause.Split(text, -1) {
		words := strings.Fields(s)
		passage := strings.Join(words[:min(len(words), passageWords)], " ")
		count, all := 0, 0
		for _, r := range passage {
			if unicode.IsSpace(r) {
				continue
			}
			all++
			if unicode.IsLetter(r) {
				count++
			}
		}
		if 5*count >= 4*all {
			out = append(out, passage)
		}
	}
	return out
}

// bare returns the letters and digits of a text in compatible forms, so that
// marks, spaces, hyphens, ligatures and forms of quotes do not count.
func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, norm.NFKC.String(s))
}
