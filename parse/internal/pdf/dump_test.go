// SPDX-License-Identifier: Apache-2.0

package pdf_test

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"example.com/curlew/markdown"
	"example.com/curlew/parse/internal/pdf"
)

var (
	dump = flag.String("dump", "", "print the Markdown and the warnings of this PDF file")
	keep = flag.Bool("keep", false, "with -dump: keep hidden text")
)

// TestDump prints the result of one document for inspection.
func TestDump(t *testing.T) {
	if *dump == "" {
		return
	}
	data, err := os.ReadFile(*dump)
	if err != nil {
		t.Fatal(err)
	}
	d, err := pdf.Read(t.Context(), bytes.NewReader(data), int64(len(data)), pdf.Options{KeepHidden: *keep})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := markdown.Render(t.Context(), &b, d.Root, nil); err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v\n%+v\n%+v\n%s", d.Meta, d.Pages, d.Warnings, b.String())
}
