// SPDX-License-Identifier: Apache-2.0

package object_test

import (
	"bytes"
	"compress/lzw"
	"compress/zlib"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/internal/test/leak"
	"example.com/curlew/internal/test/pdftest"
	"example.com/curlew/parse/internal/pdf/object"
)

func TestMain(m *testing.M) { leak.Main(m) }

func open(t *testing.T, data []byte, o object.Options) *object.File {
	t.Helper()
	f, err := object.Open(t.Context(), bytes.NewReader(data), int64(len(data)), o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func deflate(s string) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	w.Write([]byte(s))
	w.Close()
	return b.String()
}

// TestData decodes a stream with each filter and with chains of filters.
func TestData(t *testing.T) {
	var lz bytes.Buffer
	w := lzw.NewWriter(&lz, lzw.MSB, 8)
	w.Write([]byte("short"))
	w.Close()
	tests := []struct {
		name, entries, data, want string
	}{
		{"none", "", "plain", "plain"},
		{"flate", "/Filter /FlateDecode", deflate("hello hello hello"), "hello hello hello"},
		{"short name in an array", "/Filter [/Fl]", deflate("x"), "x"},
		{"hex", "/Filter /ASCIIHexDecode", "68 65 6C6c 6F>rest", "hello"},
		{"hex, odd", "/Filter /ASCIIHexDecode", "417>", "Ap"},
		{"base 85", "/Filter /ASCII85Decode", "87cURD]i,\"Ebo80~>", "Hello World!"},
		{"base 85, zeros", "/Filter /ASCII85Decode", "z~>", "\x00\x00\x00\x00"},
		{"run lengths", "/Filter /RunLengthDecode", "\x02abc\xfed\x80x", "abcddd"},
		{"lzw", "/Filter /LZWDecode /DecodeParms <</EarlyChange 0>>", lz.String(), "short"},
		// The example of ISO 32000-1, 7.4.4.2.
		{"lzw of the standard", "/Filter [/ASCIIHexDecode /LZWDecode]", "800B6050220C0C8501>", "-----A---B"},
		{"chain", "/Filter [/ASCIIHexDecode /FlateDecode]", fmt.Sprintf("%x>", deflate("deep")), "deep"},
		{"png up", "/Filter /FlateDecode /DecodeParms <</Predictor 12 /Columns 3>>", deflate("\x02\x01\x02\x03\x02\x01\x01\x01"), "\x01\x02\x03\x02\x03\x04"},
		{"png sub, average, paeth", "/Filter /FlateDecode /DecodeParms <</Predictor 15 /Columns 2>>", deflate("\x01\x05\x05\x03\x01\x01\x04\x01\x01"), "\x05\x0a\x03\x07\x04\x08"},
		{"tiff", "/Filter /FlateDecode /DecodeParms <</Predictor 2 /Columns 3>>", deflate("\x01\x01\x01\x02\x02\x02"), "\x01\x02\x03\x02\x04\x06"},
		{"absurd columns", "/Filter /FlateDecode /DecodeParms <</Predictor 12 /Columns 999999999>>", deflate("abc"), "abc"},
		{"an image's filter stays", "/Filter /DCTDecode", "\xff\xd8", "\xff\xd8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var d pdftest.Document
			n := d.Stream(tt.entries, tt.data)
			d.Page("", "<<>>", "")
			f := open(t, d.Bytes(), object.Options{})
			got, err := f.Data(f.Stream(object.Ref{Num: n}))
			if err != nil || string(got) != tt.want {
				t.Errorf("Data = %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

// TestDamaged keeps the data before the fault of a damaged stream.
func TestDamaged(t *testing.T) {
	whole := deflate(strings.Repeat("abcdefghij", 200) + fmt.Sprint(strings.Fields("a b c d e f")))
	var d pdftest.Document
	n := d.Stream("/Filter /FlateDecode", whole[:len(whole)-12])
	d.Page("", "<<>>", "")
	f := open(t, d.Bytes(), object.Options{})
	got, err := f.Data(f.Stream(object.Ref{Num: n}))
	if !errors.Is(err, object.ErrCorrupt) || !strings.HasPrefix(string(got), "abcdefghij") {
		t.Errorf("Data = %d bytes, %v", len(got), err)
	}
}

func TestLimits(t *testing.T) {
	var d pdftest.Document
	n := d.Stream("/Filter /FlateDecode", deflate(strings.Repeat("0", 1<<20)))
	d.Page("", "<<>>", "")
	data := d.Bytes()

	f := open(t, data, object.Options{Limits: object.Limits{Stream: 1 << 16}})
	got, err := f.Data(f.Stream(object.Ref{Num: n}))
	if !errors.Is(err, object.ErrLimit) || len(got) != 1<<16 {
		t.Errorf("one stream: %d bytes, %v", len(got), err)
	}

	f = open(t, data, object.Options{Limits: object.Limits{Total: 1 << 20}})
	if _, err = f.Data(f.Stream(object.Ref{Num: n})); err != nil {
		t.Errorf("first of the total: %v", err)
	}
	if _, err = f.Data(f.Stream(object.Ref{Num: n})); !errors.Is(err, object.ErrLimit) {
		t.Errorf("over the total: %v", err)
	}

	f = open(t, data, object.Options{Limits: object.Limits{Total: 1 << 20}})
	for range 1 << 4 { // the dropped bytes were decoded too
		got, err = f.DataWithin(f.Stream(object.Ref{Num: n}), 1<<16)
		if len(got) > 1<<16 || !errors.Is(err, object.ErrLimit) {
			t.Errorf("%d bytes within %d, %v", len(got), 1<<16, err)
		}
	}
	if got, err = f.DataWithin(f.Stream(object.Ref{Num: n}), 1<<16); len(got) > 0 {
		t.Errorf("%d bytes over the total, %v", len(got), err)
	}

	_, err = object.Open(t.Context(), bytes.NewReader(data), int64(len(data)), object.Options{Limits: object.Limits{Input: 100}})
	if !errors.Is(err, object.ErrLimit) {
		t.Errorf("input: %v", err)
	}
}

func TestText(t *testing.T) {
	tests := []struct{ in, want string }{
		{"", ""},
		{"plain", "plain"},
		{"\xfe\xff\x00A\x20\xac", "A€"},
		{"\xff\xfeA\x00", "A"},
		{"\xfe\xff\xd8\x3d\xde\x00", "😀"},
		{"\xef\xbb\xbfé", "é"},
		{"caf\xe9 \x80 \x93 \xa0", "café • ﬁ €"},
	}
	for _, tt := range tests {
		if got := object.Text(tt.in); got != tt.want {
			t.Errorf("Text(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestPages(t *testing.T) {
	file := func(objects ...string) []byte {
		var d pdftest.Document
		for _, o := range objects {
			d.Add(o)
		}
		b := d.Bytes()
		return bytes.Replace(b, []byte("/Count 0 /Kids []"), []byte("/Kids [3 0 R]    "), 1)
	}
	tests := []struct {
		name    string
		objects []string
		want    []object.Rect
		rotate  int
	}{
		{
			"inherited box and turn",
			[]string{"<</Type /Pages /MediaBox [0 0 200 100] /Rotate -90 /Kids [4 0 R 5 0 R]>>", "<</Type /Page>>", "<</Type /Page /CropBox [10 10 50 50]>>"},
			[]object.Rect{{X1: 200, Y1: 100}, {X0: 10, Y0: 10, X1: 50, Y1: 50}},
			270,
		},
		{"cycle", []string{"<</Type /Pages /MediaBox [0 0 9 9] /Kids [3 0 R 4 0 R 3 0 R]>>", "<</Type /Page>>"}, []object.Rect{{X1: 9, Y1: 9}}, 0},
		{"reversed and empty boxes", []string{"<</Type /Pages /MediaBox [200 100 0 0] /CropBox [5 5 5 5] /Kids [4 0 R]>>", "<</Type /Page>>"}, []object.Rect{{X1: 200, Y1: 100}}, 0},
		{"no box", []string{"<</Type /Page /Parent 2 0 R>>"}, []object.Rect{{X1: 612, Y1: 792}}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := open(t, file(tt.objects...), object.Options{})
			pages, total := f.Pages(0)
			var got []object.Rect
			for _, p := range pages {
				got = append(got, p.Box)
				if p.Rotate != tt.rotate {
					t.Errorf("Rotate = %d, want %d", p.Rotate, tt.rotate)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || total != len(tt.want) {
				t.Errorf("Pages, total %d (-want +got):\n%s", total, diff)
			}
		})
	}
}

func TestJunk(t *testing.T) {
	data := append([]byte("HTTP/1.1 200 OK\r\n\r\n"), pdftest.Pages("", "")...)
	f := open(t, data, object.Options{})
	if _, total := f.Pages(1); total != 2 {
		t.Errorf("total = %d, want 2", total)
	}
}

func TestCorrupt(t *testing.T) {
	for _, data := range []string{"", "%PDF-1.4", "no document at all", "%PDF-1.4\n1 0 obj\n<<"} {
		_, err := object.Open(t.Context(), strings.NewReader(data), int64(len(data)), object.Options{})
		if !errors.Is(err, object.ErrCorrupt) {
			t.Errorf("Open(%q) = %v, want ErrCorrupt", data, err)
		}
	}
}

// FuzzOpen opens arbitrary bytes and decodes all streams.
func FuzzOpen(f *testing.F) {
	f.Add(pdftest.Pages(pdftest.Text("F1", 12, 72, 700, "seed")))
	f.Add([]byte("%PDF-1.4\n1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj 2 0 obj <</Kids [2 0 R]>> endobj trailer <</Root 1 0 R>>"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := object.Open(t.Context(), bytes.NewReader(data), int64(len(data)), object.Options{Limits: object.Limits{Stream: 1 << 20, Total: 1 << 22, Objects: 10_000}})
		if err != nil {
			return
		}
		pages, _ := file.Pages(100)
		for _, p := range pages {
			if s := file.Stream(p.Dict["Contents"]); s != nil {
				file.Data(s)
			}
		}
	})
}

// TestRebuild reads files without cross-reference tables.
func TestRebuild(t *testing.T) {
	whole := pdftest.Pages(pdftest.Text("F1", 12, 72, 700, "a"), "")
	cut := bytes.LastIndex(whole, []byte("xref\n"))
	cut = bytes.LastIndex(whole[:cut], []byte("endobj")) + len("endobj\n")
	tests := []struct {
		name  string
		data  []byte
		total int
	}{
		{"no table", whole[:cut], 2},
		{"a wrong table", bytes.ReplaceAll(whole, []byte("startxref\n"), []byte("startxref\n99")), 2},
		{"wrong offsets", bytes.Replace(whole, []byte("%PDF-1.7\n"), []byte("%PDF-1.7\n% moved by a comment\n"), 1), 2},
		{"a wrong length", bytes.Replace(whole[:cut], []byte("/Length "), []byte("/Length 9"), 1), 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := open(t, tt.data, object.Options{})
			pages, total := f.Pages(0)
			if total != tt.total {
				t.Fatalf("%d pages, want %d", total, tt.total)
			}
			data, err := f.Data(f.Stream(pages[0].Dict["Contents"]))
			if err != nil || !strings.Contains(string(data), "(a) Tj") {
				t.Errorf("content %q, %v", data, err)
			}
		})
	}
}
