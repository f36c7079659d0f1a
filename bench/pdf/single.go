// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"example.com/curlew/internal/doctree"
)

// mostSingle is the number of pages of a document that are read alone. They
// are spread over the document.
const mostSingle = 12

// single reads pages of the documents below root alone. The running lines of the
// whole document, which repeat from page to page, are the truth: they must be
// absent from the text of a single page, and all other text must be present.
func single(root string) error {
	program, err := exec.LookPath("pdfseparate")
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "single")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	page := filepath.Join(dir, "page.pdf")
	var sum alike
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !strings.EqualFold(filepath.Ext(path), ".pdf") {
			return err
		}
		whole, err := convert(path, "")
		if err != nil || len(whole.tree.Pages) < 5 {
			return nil //nolint:nilerr // few pages do not show what repeats, and other figures count files that cannot be read
		}
		n := len(whole.tree.Pages)
		for i := 0; i < n; i += max(1, (n+mostSingle-1)/mostSingle) {
			number := strconv.Itoa(i + 1)
			if err := exec.CommandContext(context.Background(), program, "-f", number, "-l", number, path, page).Run(); err != nil { // #nosec G204 -- a program that was found before
				continue
			}
			if one, err := convert(page, ""); err == nil {
				sum.compare(whole.tree.Root, one.tree.Root, path, number)
			}
		}
		return nil
	})
	fmt.Printf("pages read alone: running lines absent %d of %d, other blocks present %d of %d\n", sum.absent-sum.kept, sum.absent, sum.present-sum.removed, sum.present)
	return err
}

// alike counts the running lines that must be absent from the text of single pages,
// and the other blocks that must be present, with those of them that are not.
type alike struct{ absent, kept, present, removed int }

// compare compares a page of a whole document with the same page read alone.
func (a *alike) compare(whole, one *html.Node, path, number string) {
	want, got := map[string]bool{}, map[string]bool{}
	a.present += runningLines(whole, number, want)
	runningLines(one, "1", got)
	a.absent += len(want)
	a.kept += count(want, got, "kept: "+path+" "+number)
	a.removed += count(got, want, "removed: "+path+" "+number)
}

// count returns how many lines others does not have.
func count(lines, others map[string]bool, what string) int {
	n := 0
	for line := range lines {
		if others[line] {
			continue
		}
		n++
		if *verbose {
			fmt.Printf("%s: %q\n", what, line)
		}
	}
	return n
}

// runningLines adds the running lines of a page to lines, and counts the other
// blocks with text.
func runningLines(n *html.Node, page string, lines map[string]bool) (others int) {
	for c := range n.ChildNodes() {
		if c.Type != html.ElementNode {
			continue
		}
		if doctree.IsRunning(c) {
			if doctree.Attr(c, "data-page") == page {
				var b strings.Builder
				shown(&b, c, true)
				lines[strings.Join(strings.Fields(b.String()), " ")] = true
			}
			continue
		}
		if doctree.Attr(c, "data-page") == page && c.Data != "section" {
			others++
			continue
		}
		others += runningLines(c, page, lines)
	}
	return others
}
