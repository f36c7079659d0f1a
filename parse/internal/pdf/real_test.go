// SPDX-License-Identifier: Apache-2.0

package pdf_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"golang.org/x/net/html"

	"example.com/curlew/internal/test/golden"
	"example.com/curlew/parse/internal/pdf"
)

// corpora is the folder with the development data, which is outside of the
// module.
var corpora = golden.Root("../shared/corpora")

var half = flag.String("half", "", "which half of the data to score: dev, held or empty for both")

// corpus returns the paths of the PDF files in a folder of the development
// data that belong to the half selected by -half. It skips the test if the
// data does not exist.
func corpus(t *testing.T, folder string) []string {
	t.Helper()
	if testing.Short() {
		t.Skip("reads the development data: skipped with -short")
	}
	paths, _ := filepath.Glob(filepath.Join(corpora, folder, "*.pdf"))
	if len(paths) == 0 {
		t.Skipf("no development data at %s of ../shared", folder)
	}
	return slices.DeleteFunc(paths, func(p string) bool { return !inHalf(p) })
}

// inHalf reports whether a file belongs to the selected half. The halves are
// split by a hash of the file name, which no corpus uses for a split of its
// own.
func inHalf(path string) bool {
	h := fnv.New64a()
	h.Write([]byte("half" + filepath.Base(path)))
	held := h.Sum64()>>7&1 == 1
	return *half == "" || held == (*half == "held")
}

var write = flag.String("write", "", "folder to which the results are written")

// save writes a result to the folder given by -write, if there is one.
func save(t *testing.T, name, text string) {
	t.Helper()
	if *write == "" {
		return
	}
	if err := os.MkdirAll(*write, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*write, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func bag(s string) map[string]int {
	m := map[string]int{}
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '_' }) {
		m[w]++
	}
	return m
}

// f1 returns the F1 score of two multisets of words.
func f1(got, want map[string]int) float64 {
	common, g, w := 0, 0, 0
	for k, n := range want {
		w += n
		common += min(n, got[k])
	}
	for _, n := range got {
		g += n
	}
	if g+w == 0 {
		return 1
	}
	return 2 * float64(common) / float64(g+w)
}

// nodeText appends the text of n and its descendants to b, with a break
// after each block.
func nodeText(b *strings.Builder, n *html.Node) {
	if n.Type == html.TextNode {
		b.WriteString(n.Data)
	}
	if n.Data == "head" && n.Type == html.ElementNode {
		return
	}
	if n.Data == "ol" && n.Type == html.ElementNode { // the numbers of list items are visible, too
		number := 1
		for _, a := range n.Attr {
			if a.Key == "start" {
				number, _ = strconv.Atoi(a.Val)
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			fmt.Fprintf(b, "%d. ", number)
			nodeText(b, c)
			number++
		}
		return
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		nodeText(b, c)
	}
	switch n.Data {
	case "a", "b", "i", "em", "strong", "sup", "sub", "span":
	default:
		if n.Type == html.ElementNode {
			b.WriteByte('\n')
		}
	}
}

func passwords(t *testing.T) map[string]string {
	t.Helper()
	m := map[string]string{}
	data, err := os.ReadFile(filepath.Join(corpora, "pdf-real-dev", "files.tsv"))
	if err != nil {
		t.Skip(err)
	}
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(f) > 4 && f[4] != "" {
			m[f[0]] = f[4]
		}
	}
	return m
}

// TestReal reads every real file. It must not panic or hang, and it compares
// the text with the expected text for those files where two other programs
// agree.
func TestReal(t *testing.T) {
	t.Parallel()
	paths := corpus(t, "pdf-real-dev/pdfs")
	keys := passwords(t)
	type score struct {
		name string
		f1   float64
	}
	var scores []score
	pages, failures := 0, 0
	var cpu time.Duration
	for _, p := range paths {
		name := filepath.Base(p)
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		d, err := pdf.Read(ctx, bytes.NewReader(data), int64(len(data)), pdf.Options{Password: keys[name], KeepHidden: true})
		cancel()
		took := time.Since(start)
		cpu += took
		if took > 5*time.Second {
			t.Logf("%s took %v", name, took)
		}
		var text strings.Builder
		switch {
		case err == nil:
			pages += len(d.Pages)
			nodeText(&text, d.Root)
			for _, w := range d.Warnings {
				if strings.Contains(w.Text, "missing from the text") || strings.Contains(w.Text, "could not be found") || strings.Contains(w.Text, "could not be used") {
					t.Errorf("%s: page %d: %s", name, w.Page, w.Text)
				}
			}
		case errors.Is(err, pdf.ErrEncrypted), errors.Is(err, pdf.ErrCorrupt), errors.Is(err, pdf.ErrLimit), errors.Is(err, pdf.ErrOCRRequired):
			failures++
			t.Logf("%s: %v", name, err)
		default:
			t.Errorf("%s: %v", name, err)
		}
		save(t, strings.TrimSuffix(name, ".pdf")+".txt", text.String())
		want, err := os.ReadFile(filepath.Join(corpora, "pdf-real-dev", "text", strings.TrimSuffix(name, ".pdf")+".txt"))
		if err != nil {
			continue
		}
		scores = append(scores, score{name, f1(bag(text.String()), bag(string(want)))})
	}
	slices.SortFunc(scores, func(a, b score) int { return int((a.f1 - b.f1) * 1e9) })
	sum, high := 0.0, 0
	for _, s := range scores {
		sum += s.f1
		if s.f1 >= .95 {
			high++
		}
	}
	var worst strings.Builder
	for _, s := range scores[:min(30, len(scores))] {
		fmt.Fprintf(&worst, "%.3f %s\n", s.f1, s.name)
	}
	n := float64(max(1, len(scores)))
	t.Logf("worst:\n%s", worst.String())
	t.Logf("files %d refused %d pages %d time %v (%.2f ms/page, %d cores)", len(paths), failures, pages, cpu, cpu.Seconds()*1000/float64(max(1, pages)), runtime.GOMAXPROCS(0))
	t.Logf("references %d mean F1 %.4f, at .95 %.1f%%", len(scores), sum/n, 100*float64(high)/n)
}
