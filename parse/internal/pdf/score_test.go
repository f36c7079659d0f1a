// SPDX-License-Identifier: Apache-2.0

package pdf_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/curlew/markdown"
	"example.com/curlew/parse/internal/pdf"
)

// markdownOf reads a document and returns it as Markdown.
func markdownOf(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	d, err := pdf.Read(t.Context(), bytes.NewReader(data), int64(len(data)), pdf.Options{})
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return ""
	}
	var b strings.Builder
	if err := markdown.Render(t.Context(), &b, d.Root, nil); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestLayout writes the results for the layout data to the folder given by
// -write. A program next to the data scores them.
func TestLayout(t *testing.T) {
	t.Parallel()
	for _, p := range corpus(t, "pdf-layout-dev/pdfs") {
		save(t, strings.TrimSuffix(filepath.Base(p), ".pdf")+".md", markdownOf(t, p))
	}
}
