// SPDX-License-Identifier: Apache-2.0

// Expected reads the test documents of a project in Java, such as Apache POI or Tika, and
// counts how many of the strings that the project's own tests expect of a document are in
// what our readers give.
//
//	cd bench && go run ./expected [-list] [-only docx] DIR
//
// DIR is the unpacked source, with tests (*Test*.java) and documents. Debian has the source
// package libapache-poi-java (apt-get source). A string is expected of a document if an
// assertion compares it with a text, and the document is the last one that the test method
// (or, if it names none, the set-up of its class) has named. Left out are assertions about
// something else (formulas, styles, names, messages), markup, and strings that the class also uses
// outside assertions, because it writes them itself. White space, quotes and labels such as
// "From:" do not count; a string of several lines or cells is found if each of them is. Tests of extractors are counted
// by themselves, because their assertions are about text for certain.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"

	"example.com/curlew/parse"
)

func main() {
	list := flag.Bool("list", false, "print the strings that are not found")
	only := flag.String("only", "", "file name extension of the documents")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "expected: one folder is needed")
		os.Exit(2)
	}
	if err := run(flag.Arg(0), *only, *list); err != nil {
		fmt.Fprintln(os.Stderr, "expected:", err)
		os.Exit(1)
	}
}

// count is how many strings were expected and found.
type count struct{ expected, found, unread int }

// want is a string that a test expects of a document.
type want struct{ text, class string }

func run(dir, only string, list bool) error {
	tests, documents, err := files(dir)
	if err != nil {
		return err
	}
	if len(tests) == 0 || len(documents) == 0 {
		return errors.New("no tests or no documents in " + dir)
	}
	wanted, err := wants(tests, documents)
	if err != nil {
		return err
	}
	var sums [2]count // of other tests, and of extractors
	kinds := map[string]*count{}
	for _, path := range slices.Sorted(maps.Keys(wanted)) {
		kind := strings.ToLower(filepath.Ext(path))
		if only != "" && kind != "."+only {
			continue
		}
		if kinds[kind] == nil {
			kinds[kind] = &count{}
		}
		text, err := textOf(path)
		if err != nil {
			fmt.Printf("%s: %v\n", filepath.Base(path), err)
		}
		for _, w := range wanted[path] {
			sum := &sums[0]
			if isExtractor(w.class) {
				sum = &sums[1]
			}
			found := has(text, w.text)
			sum.add(found, err)
			kinds[kind].add(found, err)
			if list && !found && err == nil {
				fmt.Printf("%s\t%s\t%q\n", filepath.Base(path), w.class, w.text)
			}
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		kinds[kind].print(kind)
	}
	sums[1].print("extractors")
	sums[0].print("other tests")
	return nil
}

// add counts a string. err says why its document is refused.
func (c *count) add(found bool, err error) {
	c.expected++
	switch {
	case err != nil:
		c.unread++
	case found:
		c.found++
	}
}

func (c *count) print(name string) {
	fmt.Printf("%-12s %6d expected %6d found (%.1f %%) %5d of documents that are refused\n", name, c.expected, c.found, 100*float64(c.found)/float64(max(c.expected, 1)), c.unread)
}

// wants reads what the tests expect, by document. A string that several tests expect of
// a document counts once.
func wants(tests []string, documents map[string]string) (map[string][]want, error) {
	classes := map[expectation]string{}
	for _, path := range tests {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		class := strings.TrimSuffix(filepath.Base(path), ".java")
		for _, e := range expectations(string(data), func(name string) string { return documents[filepath.Base(name)] }) {
			if old, ok := classes[e]; !ok || !isExtractor(old) {
				classes[e] = class
			}
		}
	}
	all := map[string][]want{}
	for e, class := range classes {
		all[e.document] = append(all[e.document], want{e.text, class})
	}
	for _, list := range all {
		slices.SortFunc(list, func(a, b want) int { return strings.Compare(a.text, b.text) })
	}
	return all, nil
}

// isExtractor reports whether a class tests the extraction of text.
func isExtractor(class string) bool { return strings.Contains(class, "Extract") }

// files lists the tests in dir, and the other files by name. If two have the same name,
// the first is used.
func files(dir string) (tests []string, documents map[string]string, err error) {
	documents = map[string]string{}
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		name := filepath.Base(path)
		switch {
		case err != nil || e.IsDir():
			return err
		case filepath.Ext(name) == ".java":
			if strings.Contains(name, "Test") {
				tests = append(tests, path)
			}
		case filepath.Ext(name) != "" && documents[name] == "":
			documents[name] = path
		}
		return nil
	})
	return tests, documents, err
}

// textOf returns the text of a document, its properties and its links, without white space.
func textOf(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	var e parse.Engine
	tree, err := e.Parse(context.Background(), parse.Bytes(filepath.Base(path), data), nil)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for n := range tree.Root.Descendants() {
		switch n.Type {
		case html.TextNode:
			b.WriteString(n.Data)
		case html.ElementNode:
			for _, a := range n.Attr {
				if a.Key == "href" || a.Key == "alt" || a.Key == "title" {
					b.WriteString(a.Val)
				}
			}
		}
	}
	fmt.Fprintf(&b, "%+v", tree.Meta)
	return squeezed(b.String()), nil
}

// label matches what POI writes before a property or a head line.
var label = regexp.MustCompile(`^(?:[A-Za-z]+ ?=|From:|To:|CC:|BCC:|Subject:|Attachment:|Sheet:) `)

// has reports whether a text without white space has a string, or each of its lines and
// cells.
func has(text, expected string) bool {
	expected = strings.ReplaceAll(label.ReplaceAllString(expected, ""), "'", "")
	if strings.Contains(text, squeezed(expected)) {
		return true
	}
	parts := strings.FieldsFunc(expected, func(r rune) bool { return r == '\n' || r == '\t' || r == '\r' || r == '\v' || r == '\u0007' })
	for _, part := range parts {
		if !strings.Contains(text, squeezed(part)) {
			return false
		}
	}
	return len(parts) > 1
}

// squeezed returns a text without white space and control characters.
func squeezed(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsControl(r) || r == '\u00AD' || r == '\uFEFF' || r == '\u200B' {
			return -1
		}
		if r == '\'' {
			return -1
		}
		return r
	}, text)
}
