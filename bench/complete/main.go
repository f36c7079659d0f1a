// SPDX-License-Identifier: Apache-2.0

// Complete looks for text that our readers lose: it compares the words of a tree
// with those of an independent conversion, LibreOffice to PDF to pdftotext.
//
//	cd bench && go run ./complete [-corpus DIR] [-kinds docx,xlsx] [-words 8]
//
// For each kind it prints how many files LibreOffice converted, how many distinct
// words these have, and the share of them that our trees have. Then it names the
// files of which words are missing. It needs soffice and pdftotext.
//
// Some words are missing on purpose:
//
//   - Hidden text, rows, columns, sheets and slides that LibreOffice prints, and
//     text that a master slide or an empty placeholder shows.
//   - Fields that LibreOffice computes when it prints: page numbers, dates, file
//     names.
//   - Headers and footers of printed sheets.
//   - Dates of sheets, which we write as ISO 8601, and numbers in the format
//     General, which we write with all their digits. LibreOffice writes ### if a
//     column is too narrow.
//   - Labels that LibreOffice generates: numbers of lists, legends and axes of
//     charts, "Comment" and the like.
//   - Text of embedded objects and pictures that are drawn from an image only.
//
// Words of one character and numbers of one or two digits are not counted, because
// most of them are labels.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/text/unicode/norm"

	"example.com/curlew/parse"
)

func main() {
	corpus := flag.String("corpus", "../../shared/corpora/office-dev", "files, a folder a kind")
	kinds := flag.String("kinds", "", "folders to read, joined by commas; empty: all")
	words := flag.Int("words", 8, "missing words to print of each file")
	flag.Parse()
	if err := run(context.Background(), *corpus, *kinds, *words); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// converted are the extensions that LibreOffice opens.
var converted = []string{".doc", ".docm", ".docx", ".odp", ".ods", ".odt", ".ppt", ".pptx", ".rtf", ".xls", ".xlsm", ".xlsx"}

func run(ctx context.Context, corpus, kinds string, words int) error {
	for _, program := range []string{"soffice", "pdftotext"} {
		if _, err := exec.LookPath(program); err != nil {
			return fmt.Errorf("%s is not installed: %w", program, err)
		}
	}
	folders, err := os.ReadDir(corpus)
	if err != nil {
		return err
	}
	var missing []string
	fmt.Printf("%-8s %6s %8s %8s %8s\n", "kind", "files", "words", "missing", "found")
	for _, f := range folders {
		if !f.IsDir() || kinds != "" && !slices.Contains(strings.Split(kinds, ","), f.Name()) {
			continue
		}
		var files []string
		err := filepath.WalkDir(filepath.Join(corpus, f.Name()), func(path string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() && slices.Contains(converted, strings.ToLower(filepath.Ext(path))) {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			return err
		}
		if len(files) == 0 {
			continue
		}
		t, err := compare(ctx, files, words)
		if err != nil {
			return err
		}
		fmt.Printf("%-8s %6d %8d %8d %8.4f\n", f.Name(), t.files, t.words, t.missing, 1-float64(t.missing)/float64(max(t.words, 1)))
		missing = append(missing, t.report...)
	}
	fmt.Println()
	for _, line := range missing {
		fmt.Println(line)
	}
	return nil
}

// total is the result for one kind.
type total struct {
	files, words, missing int
	report                []string // a line for each file with missing words
}

func compare(ctx context.Context, files []string, words int) (t total, err error) {
	dir, err := os.MkdirTemp("", "curlew-complete-")
	if err != nil {
		return t, err
	}
	defer os.RemoveAll(dir)
	for i, path := range files {
		theirs, err := print(ctx, path, filepath.Join(dir, fmt.Sprint(i)))
		if err != nil {
			t.report = append(t.report, fmt.Sprintf("%s: LibreOffice: %v", filepath.Base(path), err))
			continue
		}
		ours, err := read(ctx, path)
		if err != nil {
			t.report = append(t.report, fmt.Sprintf("%s: %v", filepath.Base(path), err))
			continue
		}
		want, whole := distinct(theirs), squeezed(ours)
		var lost []string
		for _, w := range slices.Sorted(maps.Keys(want)) {
			// A word may be divided between lines or elements, so spaces do not count.
			if !strings.Contains(whole, w) {
				lost = append(lost, w)
			}
		}
		t.files++
		t.words += len(want)
		t.missing += len(lost)
		if len(lost) > 0 {
			t.report = append(t.report, fmt.Sprintf("%s: %d of %d: %s", filepath.Base(path), len(lost), len(want), strings.Join(lost[:min(len(lost), words)], " ")))
		}
	}
	return t, nil
}

// print returns the text of a file as LibreOffice prints it. It works in dir.
func print(ctx context.Context, path, dir string) (string, error) {
	ctx, stop := context.WithTimeout(ctx, 2*time.Minute)
	defer stop()
	// #nosec G204 -- the programs of this benchmark
	c := exec.CommandContext(ctx, "soffice", "-env:UserInstallation=file://"+filepath.Join(filepath.Dir(dir), "profile"), "--headless", "--convert-to", "pdf", "--outdir", dir, path)
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %.200s", err, out)
	}
	pdf := filepath.Join(dir, strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))+".pdf")
	if _, err := os.Stat(pdf); err != nil {
		return "", errors.New("no PDF")
	}
	text, err := exec.CommandContext(ctx, "pdftotext", "-enc", "UTF-8", pdf, "-").Output() // #nosec G204 -- the same
	return string(text), err
}

// read returns the text of our tree, with that of running headers and footers, and
// the alternative text of pictures.
func read(ctx context.Context, path string) (string, error) {
	src, err := parse.File(path)
	if err != nil {
		return "", err
	}
	defer src.Close()
	tree, err := new(parse.Engine).Parse(ctx, src, nil)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for n := range tree.Root.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data + " ")
		}
		for _, a := range n.Attr {
			if slices.Contains([]string{"alt", "value", "data-author", "data-item-label"}, a.Key) {
				b.WriteString(a.Val + " ")
			}
		}
	}
	return b.String(), nil
}

// split returns the words of a text in lower case.
func split(text string) []string {
	return strings.FieldsFunc(strings.ToLower(norm.NFKC.String(text)), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
}

// distinct returns the words that count.
func distinct(text string) map[string]bool {
	words := map[string]bool{}
	for _, w := range split(text) {
		digits := strings.TrimFunc(w, unicode.IsDigit) == ""
		if n := utf8.RuneCountInString(w); n >= cmp.Or(map[bool]int{true: 3}[digits], 2) {
			words[w] = true
		}
	}
	return words
}

// squeezed returns the words of a text without spaces between them.
func squeezed(text string) string { return strings.Join(split(text), "") }
