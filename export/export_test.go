// SPDX-License-Identifier: Apache-2.0

package export_test

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/export"
	"example.com/curlew/internal/test/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

// of yields the documents, and then err if it is not nil.
func of(err error, docs ...string) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		for _, d := range docs {
			if !yield(json.RawMessage(d), nil) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

var site = []string{
	`{"markdown":"# A\n","links":["https://a.test/b","=cmd()"],"chunks":[{"text":"# A","headings":["A"],"start":0,"end":3,"tokens":2}],"metadata":{"title":"A \"x\"\n---","url":"https://a.test/","statusCode":200,"scrapeId":"01a2062f-f1d0-7000-8000-000000000000"}}`,
	`{"markdown":"gone","links":[],"metadata":{"sourceURL":"https://a.test/gone","statusCode":404,"error":"Not Found"}}`,
	`{"metadata":{"url":"https://a.test/empty","statusCode":200}}`,
	`null`,
	` {} `,
	`{"markdown":"B","links":["https://a.test/"],"metadata":{"url":"https://a.test/B","statusCode":200,"scrapeId":"x","cachedAt":"2026-11-22T00:00:00Z"}}`,
}

// TestLines checks that every document has a line, even if it cannot be read.
func TestLines(t *testing.T) {
	var b bytes.Buffer
	r, err := export.Write(&b, export.JSONL, of(nil, site...))
	if err != nil || r.Documents != 6 || r.Written != 5 || r.String() != "1 that cannot be read" {
		t.Errorf("%+v, %v", r, err)
	}
	all := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(all) != len(site) {
		t.Fatalf("%d lines", len(all))
	}
	for i, line := range all {
		var got, want map[string]any
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if err := json.Unmarshal([]byte(site[i]), &want); err != nil || want == nil {
			want = map[string]any{"error": "This document cannot be read."}
		}
		want["n"] = float64(i)
		if at := map[int]string{0: "2026-11-23T02:15:35.120Z", 5: "2026-11-22T00:00:00.000Z"}[i]; at != "" {
			want["fetchedAt"] = at
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	}
}

// TestArchive checks names, front matter and manifest, and that pages with an error
// status are only in the manifest.
func TestArchive(t *testing.T) {
	var b, again bytes.Buffer
	r, err := export.Write(&b, export.Markdown, of(nil, append(slices.Clone(site), site[0])...))
	if err != nil || r.Documents != 7 || r.Written != 3 {
		t.Errorf("%+v, %v", r, err)
	}
	if got, want := r.String(), "1 that cannot be read, 1 with an error status, 2 without Markdown"; got != want {
		t.Errorf("left out: %s", got)
	}
	if _, err := export.Write(&again, export.Markdown, of(nil, append(slices.Clone(site), site[0])...)); err != nil || !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Errorf("the same documents gave other bytes, %v", err)
	}
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	var names []string
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name], names = string(text), append(names, f.Name)
	}
	if d := cmp.Diff([]string{"a.test/index.md", export.FileName("https://a.test/B"), "a.test/index-2.md", "manifest.jsonl"}, names); d != "" {
		t.Error(d)
	}
	head, body, _ := strings.Cut(files["a.test/index.md"], "sha256: ")
	if want := "---\nurl: \"https://a.test/\"\ntitle: \"A \\\"x\\\"\\n---\"\nfetched_at: \"2026-11-23T02:15:35.120Z\"\nstatus: 200\n"; head != want {
		t.Errorf("front matter %q", head)
	}
	if _, text, _ := strings.Cut(body, "\n---\n\n"); text != "# A\n" {
		t.Errorf("text %q", text)
	}
	lines := strings.Split(strings.TrimSpace(files["manifest.jsonl"]), "\n")
	if len(lines) != 7 || !strings.Contains(lines[1], `"status":404,"error":"Not Found"`) || strings.Contains(lines[1], "file") {
		t.Errorf("manifest:\n%s", files["manifest.jsonl"])
	}
}

// TestTable checks the lines, and that no cell is a formula.
func TestTable(t *testing.T) {
	var b bytes.Buffer
	r, err := export.Write(&b, export.Links, of(nil, site...))
	if err != nil || r.Written != 3 || r.String() != "1 that cannot be read, 2 without links" {
		t.Errorf("%+v, %v", r, err)
	}
	got, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"from", "status", "to"},
		{"https://a.test/", "200", "https://a.test/b"},
		{"https://a.test/", "200", "'=cmd()"},
		{"https://a.test/B", "200", "https://a.test/"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestPieces(t *testing.T) {
	var b bytes.Buffer
	r, err := export.Write(&b, export.Chunks, of(nil, site...))
	if err != nil || r.Written != 1 || r.String() != "1 that cannot be read, 1 with an error status, 3 without chunks" {
		t.Errorf("%+v, %v", r, err)
	}
	want := `#0","url":"https://a.test/","title":"A \"x\"\n---","headings":["A"],"text":"# A","tokens":2,"start":0,"end":3}` + "\n"
	if !strings.HasSuffix(b.String(), want) || !strings.HasPrefix(b.String(), `{"id":"`) {
		t.Errorf("%s", &b)
	}
}

// failing is a writer that fails after n bytes.
type failing struct{ n int }

func (f *failing) Write(b []byte) (int, error) {
	if f.n -= len(b); f.n < 0 {
		return 0, io.ErrShortWrite
	}
	return len(b), nil
}

func TestErrors(t *testing.T) {
	if _, err := export.Write(io.Discard, "xml", of(nil)); !errors.Is(err, export.ErrFormat) || !strings.Contains(err.Error(), "jsonl") {
		t.Errorf("an unknown format: %v", err)
	}
	if _, err := export.Write(io.Discard, export.JSONL, nil); !errors.Is(err, export.ErrMissing) {
		t.Errorf("without a sequence: %v", err)
	}
	var b bytes.Buffer
	if _, err := export.Write(&b, export.Chunks, of(nil, site[1:]...)); !errors.Is(err, export.ErrMissing) || !strings.Contains(err.Error(), "chunks") || b.Len() > 0 {
		t.Errorf("documents without chunks: %v, %d bytes", err, b.Len())
	}
	broken := errors.New("broken")
	for _, f := range export.Formats() {
		if _, err := export.Write(io.Discard, f, of(broken, site...)); !errors.Is(err, broken) {
			t.Errorf("%s: %v", f, err)
		}
		if _, err := export.Write(&failing{10}, f, of(nil, site...)); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("%s: %v", f, err)
		}
		b.Reset()
		if r, err := export.Write(&b, f, of(nil)); err != nil || r.Documents != 0 || r.String() != "" {
			t.Errorf("%s without documents: %+v, %v", f, r, err)
		}
		if f.ContentType() == "" || f.Extension() == "" {
			t.Errorf("%s has no type", f)
		}
	}
}

// TestMemory checks that the memory in use does not grow with the number of documents.
func TestMemory(t *testing.T) {
	text := strings.Repeat("long text ", 10_000)
	raw, err := json.Marshal(map[string]any{"markdown": text, "links": []string{}, "metadata": map[string]any{"url": "https://a.test/"}})
	if err != nil {
		t.Fatal(err)
	}
	var most uint64
	documents := func(yield func(json.RawMessage, error) bool) {
		for i := range 200 { // 20 MB
			if i%50 == 49 {
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapAlloc)
			}
			if !yield(raw, nil) {
				return
			}
		}
	}
	var before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for _, f := range []export.Format{export.JSONL, export.Markdown} {
		if _, err := export.Write(io.Discard, f, documents); err != nil {
			t.Fatal(err)
		}
	}
	if most > before.HeapAlloc+8<<20 {
		t.Errorf("%d bytes in use, %d before", most, before.HeapAlloc)
	}
}

// TestFileName checks that every file system accepts the names, that they stay inside the
// directory, and that different URLs have names that differ not only in case.
func TestFileName(t *testing.T) {
	names := map[string]string{}
	for _, tt := range []struct{ url, name string }{
		{"http://a.test/", "a.test/index.md"},
		{"http://a.test:8080/x/y", "a.test_8080/x/y.md"},
		{"http://a.test/x/", "a.test/x/index.md"},
		{"http://a.test/x", "a.test/x.md"},
		{"http://a.test/X", "a.test/X-"},
		{"http://a.test/x?q=1", "a.test/x-"},
		{"http://a.test/x?q=2", "a.test/x-"},
		{"http://a.test/x#/route", "a.test/x-"},
		{"http://a.test/..%2f..%2fetc/passwd", "a.test/"},
		{"http://a.test/%2e%2e/z", "a.test/z.md"},
		{"http://a.test/%7a", "a.test/z-"},
		{"http://a.test./z", "a.test/z-"},
		{"http://a.test/index", "a.test/index-"},
		{"http://a.test/x/index", "a.test/x/index-"},
		{"http://a.test/x/index.html", "a.test/x/index.html.md"},
		{"http://a.test/caf%C3%A9", "a.test/caf_-"},
		{"http://a.test/con", "a.test/_con-"},
		{"http://a.test/Aux.html", "a.test/_Aux.html-"},
		{"http://a.test/dot.", "a.test/dot-"},
		{"http://a.test/space%20", "a.test/space_-"},
		{"http://a.test/" + strings.Repeat("long", 100), "a.test/longlong"},
		{"http://a.test/" + strings.Repeat("deep/", 100), "a.test/deep/"},
		{"http://a.test/50%off", "a.test/50_off-"},
		{"ftp://a.test/x", "other/"},
		{"http://a.test/a", "a.test/a.md"},
		{"http://a.test/a.md/b", "a.test/a.md_/b-"},
		{"http://a.test/a.md_/b", "a.test/a.md_/b.md"},
		{"http://a.test/a.MD.Partial/b", "a.test/a.MD.Partial_/b-"},
		{"http://a.test/p?x=1", "a.test/p-203c1d9b32b0.md"},
		{"http://a.test/p-203c1d9b32b0", "a.test/p-203c1d9b32b0-"},
		{"http://a.test/x%2Fy", "a.test/x_y-"},
		{"http://[::1]/x", "__1/x.md"},
		{"", "other/index-"},
	} {
		name := export.FileName(tt.url)
		if !strings.HasPrefix(name, tt.name) || !filepath.IsLocal(name) || len(name) > 240 {
			t.Errorf("FileName(%q) = %q, want %s…", tt.url, name, tt.name)
		}
		folded := strings.ToLower(name)
		if other, taken := names[folded]; taken {
			t.Errorf("%q and %q share the file %q", tt.url, other, name)
		}
		names[folded] = tt.url
	}
	for name := range names { // no directory has the name of a file
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if other, taken := names[dir]; taken {
				t.Errorf("the folder of %s is the file of %q", name, other)
			}
		}
	}
}

// TestArchiveNames writes a page twice, and one whose name is that of its second file.
func TestArchiveNames(t *testing.T) {
	var documents []string
	for _, page := range []string{"x", "x", "x-2", "x", "x-2"} {
		documents = append(documents, fmt.Sprintf(`{"markdown":"x","metadata":{"url":"https://a.test/%s","statusCode":200}}`, page))
	}
	var b bytes.Buffer
	if _, err := export.Write(&b, export.Markdown, of(nil, documents...)); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range z.File {
		names = append(names, f.Name)
	}
	if d := cmp.Diff([]string{"a.test/x.md", "a.test/x-2.md", "a.test/x-2-2.md", "a.test/x-3.md", "a.test/x-2-3.md", "manifest.jsonl"}, names); d != "" {
		t.Error(d)
	}
}

func FuzzFileName(f *testing.F) {
	f.Add("https://a.test/x/../y")
	f.Fuzz(func(t *testing.T, page string) {
		name := export.FileName(page)
		if !filepath.IsLocal(name) || len(name) > 240 || strings.Contains(name, "//") {
			t.Errorf("FileName(%q) = %q", page, name)
		}
	})
}

// Example writes the Markdown of two pages as an archive and names its files.
func Example() {
	documents := of(nil,
		`{"markdown":"# Waders\n","metadata":{"url":"https://example.com/","title":"Waders","statusCode":200}}`,
		`{"markdown":"Nothing","metadata":{"url":"https://example.com/x","statusCode":404}}`,
	)
	var b bytes.Buffer
	report, err := export.Write(&b, export.Markdown, documents)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Written, "written; left out:", report.String())
	// Output: 1 written; left out: 1 with an error status
}
