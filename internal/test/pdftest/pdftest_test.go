// SPDX-License-Identifier: Apache-2.0

package pdftest_test

import (
	"bytes"
	"fmt"
	"testing"

	"example.com/curlew/internal/test/leak"
	"example.com/curlew/internal/test/pdftest"
)

func TestMain(m *testing.M) { leak.Main(m) }

func TestOffsets(t *testing.T) {
	b := pdftest.Pages(pdftest.Text("F1", 12, 72, 700, `a (b) \`), "")
	at := bytes.LastIndex(b, []byte("startxref\n"))
	var start int
	if _, err := fmt.Sscanf(string(b[at:]), "startxref\n%d", &start); err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(b[start:], []byte("xref\n0 7\n")) {
		t.Errorf("startxref points at %q", b[start:start+12])
	}
	if !bytes.Contains(b, []byte(`(a \(b\) \\) Tj`)) {
		t.Error("the string is not escaped")
	}
}

// TestHostileFiles checks that each file starts like a PDF and is not large.
func TestHostileFiles(t *testing.T) {
	seen := map[string]bool{}
	for _, h := range pdftest.HostileFiles() {
		if seen[h.Name] {
			t.Errorf("%s: the name is given twice", h.Name)
		}
		seen[h.Name] = true
		if b := h.Make(); !bytes.HasPrefix(b, []byte("%PDF-")) || len(b) > 8<<20 || bytes.Contains(b, []byte("%!d")) || bytes.Contains(b, []byte("%!(EXTRA")) {
			t.Errorf("%s: %d bytes, %.80q", h.Name, len(b), b)
		}
	}
}
