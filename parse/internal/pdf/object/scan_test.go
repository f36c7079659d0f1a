// SPDX-License-Identifier: Apache-2.0

package object

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.com/curlew/internal/test/pdftest"
)

// scanned opens a file by a scan.
func scanned(t *testing.T, data []byte) *indexed {
	t.Helper()
	s, err := readScanned(t.Context(), data, "", Limits{}.withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestScanned finds the objects of damaged files. The tag of the page shows
// which of several objects was used.
func TestScanned(t *testing.T) {
	const (
		tree    = "%PDF-1.7\n1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj\n2 0 obj <</Type /Pages /Kids [3 0 R]>> endobj\n"
		old     = "3 0 obj <</Type /Page /Parent 2 0 R /Tag (old)>> endobj\n"
		newer   = "3 0 obj <</Type /Page /Parent 2 0 R /Tag (new)>> endobj\n"
		trailer = "trailer <</Root 1 0 R>>\n"
		pack    = "4 0 obj <</Type /ObjStm /N 1 /First 4 /Length 41>> stream\n3 0 <</Type /Page /Parent 2 0 R /Tag (new)>>\nendstream endobj\n"
	)
	inner := tree + strings.Replace(old, "old", "attached", 1) + trailer
	attached := fmt.Sprintf("5 0 obj <</Length %d>> stream\n%s\nendstream endobj\n", len(inner), inner)
	tests := []struct {
		name, file string
		want       Object
	}{
		{"one of each", tree + newer + trailer, String("new")},
		{"the last of two", tree + old + newer + trailer, String("new")},
		{"the last is empty", tree + newer + "3 0 obj\n4 0 obj 7 endobj\n" + trailer, String("new")},
		{"the last is null", tree + newer + "3 0 obj null endobj\n" + trailer, nil},
		{"the last is cut off", tree + newer + trailer + "3 0 obj <</Type /Page /Tag (cut", String("new")},
		{"the last revision is cut off", tree + newer + trailer + "startxref\n0\n%%EOF\n" + strings.Replace(old, "/Parent", "/Contents 99 0 R /Parent", 1), String("new")},
		{"the last revision lost its end", tree + old + trailer + "startxref\n0\n%%EOF\n" + newer, String("new")},
		{"no trailer", tree + newer, String("new")},
		{"no catalog", strings.Replace(tree, "1 0 obj", "", 1) + newer + trailer, String("new")},
		{"no tree", newer + trailer, String("new")},
		{"a trailer without a root behind", tree + newer + trailer + "trailer <</Root 99 0 R>>", String("new")},
		{"a root that is no catalog", tree + newer + "trailer <</Root 3 0 R>>", String("new")},
		{"an encryption dictionary that is lost", tree + newer + "trailer <</Root 1 0 R /Encrypt 99 0 R>>", String("new")},
		{"an attached document", tree + newer + attached + trailer, String("new")},
		{"an attached document of a wrong length", tree + newer + strings.Replace(attached, "/Length ", "/Length 9", 1), String("attached")},
		{"in an object stream", tree + pack + trailer, String("new")},
		{"in an object stream, and before", tree + old + pack + trailer, String("new")},
		{"in an object stream, and behind", tree + strings.Replace(pack, "new", "was", 1) + newer + trailer, String("new")},
		{"in an object stream of a wrong count", tree + strings.Replace(pack, "/N 1", "/N 9", 1) + trailer, String("new")},
		{"in an object stream of no count", tree + strings.Replace(pack, "/N 1", "/N 0", 1) + trailer, String("new")},
		{"in an object stream of a wrong place", tree + strings.Replace(pack, "/First 4", "/First 9", 1) + trailer, String("new")},
		{"in an object stream of no place", tree + strings.Replace(pack, "/First 4", "", 1) + trailer, String("new")},
		{"in an object stream of a wrong length", tree + strings.Replace(pack, "/Length 41", "/Length 1", 1) + trailer, String("new")},
		{"no white space", strings.ReplaceAll(tree+newer+trailer, "endobj\n", "endobj"), String("new")},
		{"no ends", strings.ReplaceAll(tree+newer+trailer, "endobj", ""), String("new")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := scanned(t, []byte(tt.file)).file()
			pages, _ := f.Pages(0)
			var got Object
			if len(pages) > 0 {
				got = pages[0].Dict["Tag"]
			}
			if got != tt.want || len(pages) > 1 {
				t.Errorf("%d pages, the first is %v, want %v\n%s", len(pages), got, tt.want, tt.file)
			}
		})
	}
}

// TestScannedStream reads streams with a wrong length or end.
func TestScannedStream(t *testing.T) {
	const next = "8 0 obj (next) endobj\n"
	for name, c := range map[string]struct{ file, want string }{
		"sound":                   {"7 0 obj <</Length 4>> stream\ntext\nendstream endobj\n" + next, "text"},
		"a length elsewhere":      {"7 0 obj <</Length 9 0 R>> stream\n1 0 obj endstream\nendstream endobj\n9 0 obj 17 endobj\n" + next, "1 0 obj endstream"},
		"a wrong length":          {"7 0 obj <</Length 9>> stream\ntext\nendstream endobj\n" + next, "text\n"},
		"no length":               {"7 0 obj <<>> stream\ntext\nendstream endobj\n" + next, "text\n"},
		"no end":                  {"7 0 obj <</Length 4>> stream\ntext\nendobj\n" + next, "text"},
		"no end, wrong length":    {"7 0 obj <</Length 9>> stream\ntext\n" + next + "9 0 obj <<>> stream\nendstream", "text\n"},
		"the end of another one":  {"7 0 obj <</Length 30>> stream\ntext\n8 0 obj <<>> stream\ntext\nendobj\n", "text\n"},
		"the file ends before it": {"7 0 obj <</Length 400>> stream\ntext", "text"},
	} {
		s := scanned(t, []byte("%PDF-1.4\n"+c.file))
		st, _ := s.object(7).(*Stream)
		if st == nil || string(st.raw) != c.want {
			t.Errorf("%s: %v, want %q", name, st, c.want)
		}
	}
}

// TestScannedCrypt opens an encrypted file without a trailer, by its
// encryption dictionary. Revisions before 5 also need the file identifier,
// which is only in trailers.
func TestScannedCrypt(t *testing.T) {
	for _, revision := range []int{5, 6} {
		data := locked(t, revision, "", false)
		data = data[:bytes.LastIndex(data, []byte("trailer"))]
		f, err := Open(t.Context(), Bytes(data), int64(len(data)), Options{})
		if err != nil {
			t.Fatal(revision, err)
		}
		pages, _ := f.Pages(0)
		if got, err := f.Data(f.Stream(pages[0].Dict["Contents"])); err != nil || string(got) != "secret" {
			t.Errorf("revision %d: %q, %v", revision, got, err)
		}
	}
}

// counted is a context that counts how often it is checked. It ends at check
// number end; zero means never.
type counted struct {
	context.Context

	looks, end int
}

func (c *counted) Err() error {
	if c.looks++; c.end > 0 && c.looks >= c.end {
		return context.Canceled
	}
	return nil
}

// TestScanGrows opens hostile files of some size and of twice that size. The
// number of context checks, which measures the steps, and the bytes read may
// at most double.
func TestScanGrows(t *testing.T) {
	repeat := func(format string) func(n int) string {
		return func(n int) string {
			var b strings.Builder
			for i := range n {
				b.WriteString(strings.ReplaceAll(format, "#", fmt.Sprint(i+1)))
			}
			return b.String()
		}
	}
	for name, write := range map[string]func(n int) string{
		"no headers":           repeat("zzz obj\n"),
		"one number":           repeat("7 0 obj\n"),
		"nested dictionaries":  repeat("# 0 obj <</A "),
		"streams without ends": repeat("# 0 obj <</Length 7>> stream\n"),
		"object streams":       repeat("# 0 obj <</Type /ObjStm /N 9 /First 9>> stream\n"),
		"strings without ends": repeat("# 0 obj (\n"),
		"trailers":             repeat("trailer <<"),
		"sound objects":        repeat("# 0 obj <</A [1 2 3] /B (c)>> endobj\n"),
	} {
		measure := func(n int) (looks, read int) {
			data := []byte("%PDF-1.4\n" + write(n) + "startxref\n7\n%%EOF")
			ctx := &counted{Context: t.Context()}
			s, err := readScanned(ctx, data, "", Limits{}.withDefaults())
			if err != nil {
				t.Fatal(name, err)
			}
			s.file().hasPages(false)
			return ctx.looks, spendable(data) - s.left
		}
		const n = 5_000
		looks1, read1 := measure(n)
		looks2, read2 := measure(2 * n)
		if looks1 < n/pollSteps || looks1 == 0 {
			t.Errorf("%s: %d looks at the context for %d lines", name, looks1, n)
		}
		if looks2 > 2*looks1+20 || read2 > 2*read1+read1/4+100_000 { // a constant is added, and the numbers have more digits
			t.Errorf("%s: %d looks and %d bytes, for twice as much %d and %d", name, looks1, read1, looks2, read2)
		}
	}
}

// TestOpenEnds ends the context at each point where opening checks it.
func TestOpenEnds(t *testing.T) {
	for _, h := range pdftest.HostileFiles() {
		if h.Name == "pages that share a content stream" || h.Name == "annotations that are shared" {
			continue // opening reads nothing of them
		}
		data := h.Make()
		for _, end := range []int{1, 5, 100} {
			ctx := &counted{Context: t.Context(), end: end}
			f, err := Open(ctx, Bytes(data), int64(len(data)), Options{})
			if f == nil && err == nil || err != nil && ctx.looks >= end && !errors.Is(err, context.Canceled) && !errors.Is(err, ErrCorrupt) {
				t.Errorf("%s, ended at look %d: %v", h.Name, end, err)
			}
			if ctx.looks > end+20 {
				t.Errorf("%s: ended at look %d, asked until %d", h.Name, end, ctx.looks)
			}
		}
	}
}

// FuzzScanned opens arbitrary bytes by a scan and reads all objects.
func FuzzScanned(f *testing.F) {
	f.Add(written(inPack))
	f.Add([]byte("%PDF-1.4\n1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj 2 0 obj <</Kids [2 0 R]>> endobj trailer <</Root 1 0 R>>"))
	f.Add([]byte("1 0 obj <</Length 2 0 R>> stream\n2 0 obj 9 endobj endstream endobj"))
	f.Add(pdftest.Pages(pdftest.Text("F1", 12, 72, 700, "seed")))
	f.Fuzz(func(t *testing.T, data []byte) {
		limits := Limits{Stream: 1 << 20, Total: 1 << 22, Objects: 10_000}.withDefaults()
		s, err := readScanned(t.Context(), data, "", limits)
		if err != nil {
			return
		}
		before := bytes.Clone(data)
		file := s.file()
		for num := range s.xref.all() {
			if st, ok := s.object(num).(*Stream); ok {
				file.Data(st)
			}
		}
		file.Pages(100)
		if !bytes.Equal(before, data) {
			t.Fatal("reading changed the file")
		}
	})
}
