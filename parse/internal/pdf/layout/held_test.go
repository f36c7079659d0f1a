// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"example.com/curlew/internal/test/pdftest"
)

// live returns the bytes of memory in use.
func live() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// TestHeld measures the memory of packed pages and of finished blocks. Each
// may take at most 40 bytes per word, a third of what words take.
func TestHeld(t *testing.T) {
	const pageCount, lineCount, perLine = 100, 42, 12
	contents := make([]string, pageCount)
	for i := range contents {
		var b strings.Builder
		for k := range lineCount {
			text := fmt.Sprintf("line %d of page %d has words of several lengths, as prose does in English", k, i)
			b.WriteString(pdftest.Text("F1", 9, 60, 740-float64(k)*11-float64(k/6)*11, text))
		}
		contents[i] = b.String()
	}
	pages := pagesOf(t, Options{}, pdftest.Pages(contents...))
	words := 0
	for _, p := range pages {
		for i := range p.Lines {
			words += len(p.Lines[i].Words)
		}
	}
	if words < pageCount*lineCount*perLine {
		t.Fatalf("%d words", words)
	}
	full := live()
	for _, p := range pages {
		p.Pack()
	}
	packed := live()
	if got := float64(full-packed) / float64(words); got < 80 {
		t.Errorf("packing frees %.0f bytes a word, want 80", got)
	}
	size := 0
	for _, p := range pages {
		size += len(p.away.data)
	}
	if got := float64(size) / float64(words); got > 40 {
		t.Errorf("a word that waits needs %.1f bytes, want 40", got)
	}
	d, err := Build(t.Context(), pages, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	before := live()
	lines := 0
	for i := range d.Blocks {
		for k := range d.Blocks[i].Lines {
			if l := &d.Blocks[i].Lines[k]; l.Words != nil {
				t.Fatal("a block keeps words")
			}
			lines++
		}
	}
	d.Blocks = nil
	if got := float64(before-live()) / float64(words); got > 40 {
		t.Errorf("a word in a block needs %.1f bytes, want 40", got)
	} else {
		t.Logf("%.1f bytes a word wait, %.1f stand in blocks", float64(size)/float64(words), got)
	}
	runtime.KeepAlive(pages)
	if lines < pageCount*lineCount {
		t.Errorf("%d lines", lines)
	}
}
