// SPDX-License-Identifier: Apache-2.0

package curlew_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/curlew"
	"example.com/curlew/markdown"
	"example.com/curlew/parse"
)

// TestParseThenRender checks that parse and markdown, used without the Service,
// write the same as the Service.
func TestParseThenRender(t *testing.T) {
	files, err := filepath.Glob("testdata/parse/*")
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, path := range files {
		if strings.HasSuffix(path, ".tree.html") {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var e parse.Engine
			tree, err := e.Parse(t.Context(), parse.Bytes(filepath.Base(path), data), nil)
			if err != nil {
				t.Skip(err)
			}
			switch tree.Kind {
			case parse.HTML, parse.Text, parse.Markdown, parse.JSON, parse.XML:
				return // the Service selects the main content, or shows the text itself
			}
			var got strings.Builder
			if err := markdown.Render(t.Context(), &got, tree.Root, &markdown.Options{SkipRunning: true}); err != nil {
				t.Fatal(err)
			}
			var service curlew.Service
			doc, err := service.Parse(t.Context(), parse.Bytes(filepath.Base(path), data), nil)
			if err != nil {
				t.Fatal(err)
			}
			if strings.TrimSpace(got.String()) != strings.TrimSpace(*doc.Markdown) {
				t.Errorf("parse and markdown write\n%s\nthe Service writes\n%s", got.String(), *doc.Markdown)
			}
			for _, w := range tree.Warnings {
				if !strings.Contains(doc.Warning, w.Text) {
					t.Errorf("the document lacks the tree's warning %q", w.Text)
				}
			}
			read++
		})
	}
	if read < 10 {
		t.Errorf("%d documents were compared, want at least 10", read)
	}
}
