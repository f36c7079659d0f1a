// SPDX-License-Identifier: Apache-2.0

package links_test

import (
	"compress/gzip"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/links"
	"example.com/curlew/internal/test/golden"
)

// everyPage reads all real pages, which takes a minute or two with the race
// detector. Otherwise every tenth is read.
var everyPage = flag.Bool("every-page", false, "compare the extractors over every real page, not every tenth")

// pagesDir contains saved pages of the real web.
var pagesDir = golden.Root("../shared/corpora/wcxb-dev/html")

// realPages calls visit for each of them. If they are missing, the test is
// skipped.
func realPages(t testing.TB, visit func(name string, body []byte)) {
	t.Helper()
	names, err := filepath.Glob(pagesDir + "/*")
	if err != nil {
		t.Fatal(err)
	}
	if len(names) == 0 {
		t.Skip("the shared corpora are absent: no real pages")
	}
	for i, name := range names {
		if !*everyPage && i%10 != 0 {
			continue
		}
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		var r io.Reader = f
		if strings.HasSuffix(name, ".gz") {
			if r, err = gzip.NewReader(f); err != nil {
				t.Fatal(err)
			}
		}
		body, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		visit(filepath.Base(name), body)
	}
}

// TestPages compares the extractors on real pages. internal/dom builds the
// trees.
func TestPages(t *testing.T) {
	s := page(t)
	pages, doubtful, found, reordered, texts := 0, 0, 0, 0, 0
	realPages(t, func(name string, body []byte) {
		doc, err := dom.Parse(t.Context(), body, "text/html")
		if err != nil {
			t.Fatal(err)
		}
		pages++
		scanned := s.Scan(doc.Text)
		tree := s.Tree(doc.Root)
		found += len(scanned.Links)
		if scanned.Doubtful {
			if !strings.Contains(doc.Text, "shadowrootmode") { // such pages are always doubtful
				doubtful++
			}
			return
		}
		if a, b := essence(tree), essence(scanned); a != b {
			t.Errorf("%s: tree (-) and scan (+) differ:\n%s", name, cmp.Diff(strings.Split(a, "\n"), strings.Split(b, "\n")))
		}
		urls := func(f links.Found) (all []string) {
			for _, l := range f.Links {
				all = append(all, l.URL.String())
			}
			return all
		}
		if !cmp.Equal(urls(tree), urls(scanned)) {
			reordered++
			return
		}
		for i := range tree.Links {
			if tree.Links[i].Text != scanned.Links[i].Text {
				texts++
				t.Logf("%s: text %q, scanned %q", name, tree.Links[i].Text, scanned.Links[i].Text)
				break
			}
		}
	})
	t.Logf("%d pages, %d links, %d pages doubtful, %d with links moved or repeated by the tree, %d with other texts",
		pages, found, doubtful, reordered, texts)
	if doubtful*100 > pages {
		t.Errorf("%d of %d pages are doubtful, want under 1 %%", doubtful, pages)
	}
}
