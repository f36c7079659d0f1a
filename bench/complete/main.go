// SPDX-License-Identifier: Apache-2.0

// Complete looks for text that our readers lose: it compares the words of a tree
// with those of an independent conversion.
//
//	cd bench && go run ./complete [-corpus DIR] [-pdf DIR] [-kinds docx,xlsx] [-words 8] [-keep DIR]
//
// LibreOffice converts 16 files in one process. A batch has 3 minutes and a file that it did not
// convert 45 seconds of its own, so that one file cannot hold up the others. With -keep, the texts of the
// conversions are kept in a folder, and a run that was interrupted goes on from there.
//
// The conversions are LibreOffice to PDF to pdftotext for office documents, pandoc
// for EPUB and HTML, the modules email and csv of Python for mail and CSV, and
// pdftotext for PDF. For each kind it prints how many files were converted, how many
// distinct words these have, and the share of them that our trees have. Then it names
// the files whose trees lack words. Kinds whose program is not installed are named, and
// those for which there is no conversion, such as Outlook messages.
//
// Some words are missing on purpose:
//
//   - Hidden text, rows, columns, sheets and slides that LibreOffice prints, and
//     text that a master slide or an empty placeholder shows.
//   - Fields that LibreOffice computes when it prints: page numbers, dates, file
//     names.
//   - Fields in headers and footers of printed sheets.
//   - Dates of sheets, which we write as ISO 8601, and numbers in the format
//     General, which we write with all their digits. LibreOffice writes ### if a
//     column is too narrow.
//   - Labels that LibreOffice generates: numbers of lists, legends and axes of
//     charts, "Comment" and the like.
//   - Text of embedded objects and pictures that are drawn from an image only.
//   - In PDF: words that viewers hide, and lines that pdftotext joins or divides at
//     a hyphen. In mail: attachments that are not text.
//
// Words of one character and numbers of one or two digits are not counted, because
// most of them are labels.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/text/unicode/norm"

	"example.com/curlew/parse"
)

func main() {
	corpus := flag.String("corpus", "../../shared/corpora/office-dev", "files, a folder a kind")
	pdfs := flag.String("pdf", "../../shared/corpora/pdf-layout-dev/pdfs", "folder of PDF files")
	kinds := flag.String("kinds", "", "folders to read, joined by commas; empty: all")
	words := flag.Int("words", 8, "missing words to print of each file")
	keep := flag.String("keep", "", "folder for the texts of conversions, which the next run does not make again")
	flag.Parse()
	if err := run(context.Background(), *corpus, *pdfs, *kinds, *keep, *words); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// conversion is a way to get the text of files without curlew.
type conversion struct {
	programs   []string
	extensions []string
	text       func(ctx context.Context, path string) (string, error) // nil: printed by LibreOffice
}

var conversions = []conversion{
	{[]string{office, "pdftotext"}, []string{".doc", ".docm", ".docx", ".fodp", ".fods", ".fodt", ".odp", ".ods", ".odt", ".ppt", ".pptx", ".rtf", ".xls", ".xlsb", ".xlsm", ".xlsx"}, nil},
	{[]string{"pandoc"}, []string{".epub", ".html"}, plain},
	{[]string{"python3"}, []string{".csv", ".tsv"}, script(cells)},
	{[]string{"python3"}, []string{".eml"}, script(letter)},
	{[]string{"pdftotext"}, []string{".pdf"}, pages},
}

// missing returns a program of c that is not installed, or "".
func (c conversion) missing() string {
	for _, program := range c.programs {
		if _, err := exec.LookPath(program); err != nil {
			return program
		}
	}
	return ""
}

// conversionOf returns the conversion of a file.
func conversionOf(path string) (conversion, bool) {
	for _, c := range conversions {
		if slices.Contains(c.extensions, strings.ToLower(filepath.Ext(path))) {
			return c, true
		}
	}
	return conversion{}, false
}

func run(ctx context.Context, corpus, pdfs, kinds, keep string, words int) error {
	found, err := os.ReadDir(corpus)
	if err != nil {
		return err
	}
	folders := [][2]string{{"pdf", pdfs}}
	for _, f := range found {
		if f.IsDir() {
			folders = append(folders, [2]string{f.Name(), filepath.Join(corpus, f.Name())})
		}
	}
	dir, err := os.MkdirTemp("", "curlew-complete-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if keep == "" {
		keep = dir
	}
	if keep, err = filepath.Abs(keep); err == nil {
		err = os.MkdirAll(keep, 0o700)
	}
	if err != nil {
		return err
	}
	texts := store{keep, dir}
	var missing []string
	fmt.Printf("%-8s %6s %8s %8s %8s\n", "kind", "files", "words", "missing", "found")
	for _, f := range folders {
		if kinds != "" && !slices.Contains(strings.Split(kinds, ","), f[0]) {
			continue
		}
		files, err := list(f[1])
		if err != nil {
			return err
		}
		if len(files) == 0 {
			continue
		}
		t, err := compare(ctx, texts, files, words)
		if err != nil {
			return err
		}
		fmt.Printf("%-8s %6d %8d %8d %8.4f\n", f[0], t.files, t.words, t.missing, 1-float64(t.missing)/float64(max(t.words, 1)))
		missing = append(missing, t.report...)
	}
	fmt.Println()
	for _, line := range missing {
		fmt.Println(line)
	}
	return nil
}

// truths are the extensions of the files beside the documents.
var truths = []string{".md", ".txt", ".json", ""}

// list returns the files in a folder that can be converted. It names the programs
// that are not installed.
func list(folder string) (files []string, err error) {
	said := map[string]bool{}
	err = filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		c, ok := conversionOf(path)
		if !ok {
			if ext := filepath.Ext(path); !said[ext] && !slices.Contains(truths, ext) {
				said[ext] = true
				fmt.Printf("%s: there is no independent conversion\n", ext)
			}
			return nil
		}
		if program := c.missing(); program != "" {
			if !said[program] {
				said[program] = true
				fmt.Printf("%s: %s is not installed\n", filepath.Ext(path), program)
			}
			return nil
		}
		files = append(files, path)
		return nil
	})
	return files, err
}

// total is the result for one kind.
type total struct {
	files, words, missing int
	report                []string // a line for each file with missing words
}

func compare(ctx context.Context, texts store, files []string, words int) (t total, err error) {
	texts.printAll(ctx, files)
	for _, path := range files {
		c, _ := conversionOf(path)
		theirs, err := texts.text(ctx, c, path)
		if err != nil {
			t.report = append(t.report, fmt.Sprintf("%s: %s: %v", filepath.Base(path), c.programs[0], err))
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

// plain returns the text of a page or a book as pandoc reads it.
func plain(ctx context.Context, path string) (string, error) {
	return output(ctx, "pandoc", "-t", "plain", "--wrap=none", path)
}

// pages returns the text of a PDF file in the order of its content.
func pages(ctx context.Context, path string) (string, error) {
	return output(ctx, "pdftotext", "-enc", "UTF-8", path, "-")
}

// cells is a script that prints the cells of a table, a line each.
const cells = `
import csv, sys
data = open(sys.argv[1], newline="", encoding="utf-8-sig", errors="replace").read()
try:
    dialect = csv.Sniffer().sniff(data[:65536], ",;\t|")
except csv.Error:
    dialect = csv.excel
for row in csv.reader(data.splitlines(True), dialect):
    print("\n".join(row))
`

// letter is a script that prints the subject, the people, the texts and the names
// of the attachments of a message.
const letter = `
import email, email.policy, html.parser, sys

class Text(html.parser.HTMLParser):
    skip = False
    def handle_starttag(self, tag, attrs):
        self.skip = self.skip or tag in ("style", "script", "title")
    def handle_endtag(self, tag):
        self.skip = self.skip and tag not in ("style", "script", "title")
    def handle_data(self, data):
        if not self.skip:
            print(data)

message = email.message_from_binary_file(open(sys.argv[1], "rb"), policy=email.policy.default)
for name in ("subject", "from", "to", "cc"):
    print(message[name] or "")
body = message.get_body(("html", "plain"))
for part in message.walk():
    print(part.get_filename() or "")
    if part is body or part.get_content_type() == "text/plain" and part.is_attachment():
        text = part.get_content()
        Text().feed(text) if part.get_content_type() == "text/html" else print(text)
`

// script returns a conversion by a script of Python.
func script(source string) func(ctx context.Context, path string) (string, error) {
	return func(ctx context.Context, path string) (string, error) {
		return output(ctx, "python3", "-I", "-X", "utf8", "-c", source, path)
	}
}

// output runs a program and returns what it prints.
func output(ctx context.Context, name string, args ...string) (string, error) {
	ctx, stop := context.WithTimeout(ctx, alone)
	defer stop()
	text, err := exec.CommandContext(ctx, name, args...).Output() // #nosec G204 -- the programs of this benchmark
	return string(text), err
}

// read returns the text of our tree, including running headers and footers and the
// alternative text of pictures.
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
