// SPDX-License-Identifier: Apache-2.0

package parse_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/curlew/parse"
)

// readerAt hides the Size method of the reader in it.
type readerAt struct{ io.ReaderAt }

// endless has a byte at every offset and records the highest offset read.
type endless struct{ last int64 }

func (e *endless) ReadAt(p []byte, at int64) (int, error) {
	e.last = max(e.last, at+int64(len(p)))
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}

// failing returns an error at every offset.
type failing struct{}

var errDisk = errors.New("disk failed")

func (failing) ReadAt([]byte, int64) (int, error) { return 0, errDisk }

// TestSourceWithoutSize checks that a document without a size is read like
// one with a size.
func TestSourceWithoutSize(t *testing.T) {
	var e parse.Engine
	for _, size := range []int{1, 2, 4095, 4096, 4097, 8191, 8192, 8193, 100_000} {
		text := strings.Repeat("a", size)
		src := parse.Source{Name: "a.txt", Data: readerAt{strings.NewReader(text)}}
		if n, err := src.Len(); n != int64(size) || err != nil {
			t.Errorf("Len of %d bytes = %d, %v", size, n, err)
		}
		if d := parse.Detect(src); d.Kind != parse.Text {
			t.Errorf("Detect of %d bytes = %+v", size, d)
		}
		tree, err := e.Parse(t.Context(), src, nil)
		if err != nil || tree.Verbatim != text {
			t.Errorf("Parse of %d bytes: %v", size, err)
		}
		if got, err := io.ReadAll(src.Reader()); string(got) != text || err != nil {
			t.Errorf("Reader gives %d of %d bytes, %v", len(got), size, err)
		}
	}
	for name, src := range map[string]parse.Source{
		"no data":      {Name: "a.txt"},
		"empty data":   {Name: "a.txt", Data: readerAt{strings.NewReader("")}},
		"empty sized":  {Name: "a.txt", Data: strings.NewReader("")},
		"empty buffer": parse.Bytes("a.txt", nil),
	} {
		if _, err := e.Parse(t.Context(), src, nil); !errors.Is(err, parse.ErrCorrupt) {
			t.Errorf("%s: %v, want ErrCorrupt", name, err)
		}
	}
}

// TestSourceLimits checks that the search for the end stops at the limit.
func TestSourceLimits(t *testing.T) {
	for _, limit := range []int64{1, 1000, 1 << 20, 0, parse.Unlimited} {
		e := parse.Engine{Limits: parse.Limits{Input: limit}}
		data := new(endless)
		_, err := e.Parse(t.Context(), parse.Source{Data: data}, nil)
		over, ok := errors.AsType[*parse.LimitError](err)
		if !ok || over.Name != "bytes" || limit > 0 && over.Value != limit {
			t.Errorf("limit %d: %v, want ErrLimit", limit, err)
		}
		if limit > 0 && data.last > max(8<<10, 4*limit) {
			t.Errorf("limit %d: read at %d", limit, data.last)
		}
	}
	e := parse.Engine{Limits: parse.Limits{Input: 10}}
	if _, err := e.Parse(t.Context(), parse.Source{Data: readerAt{strings.NewReader("eleven here")}}, nil); !errors.Is(err, parse.ErrLimit) {
		t.Errorf("11 bytes of 10: %v, want ErrLimit", err)
	}
	if _, err := e.Parse(t.Context(), parse.Source{Data: readerAt{strings.NewReader("ten bytes!")}}, nil); err != nil {
		t.Errorf("10 bytes of 10: %v", err)
	}
	if _, err := e.Parse(t.Context(), parse.Source{Data: failing{}}, nil); !errors.Is(err, errDisk) {
		t.Errorf("failing data: %v, want its error", err)
	}
	if d := parse.Detect(parse.Source{Data: failing{}}); !errors.Is(d.Err, errDisk) {
		t.Errorf("Detect of failing data: %+v, want its error", d)
	}
	if n, err := (parse.Source{Data: new(endless)}).Len(); !errors.Is(err, parse.ErrLimit) || n == math.MaxInt64 {
		t.Errorf("Len of endless data = %d, %v, want ErrLimit", n, err)
	}
}

func TestFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.csv")
	if err := os.WriteFile(path, []byte("a,b\n1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	src, err := parse.File(path)
	if err != nil {
		t.Fatal(err)
	}
	var e parse.Engine
	tree, err := e.Parse(t.Context(), src, nil)
	if err != nil || tree.Kind != parse.CSV || src.Name != "a.csv" {
		t.Errorf("Parse of %q: %v", src.Name, err)
	}
	if err := src.Close(); err != nil {
		t.Error(err)
	}
	if _, err := src.Data.ReadAt(make([]byte, 1), 0); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("read after Close: %v", err)
	}
	if _, err := parse.File(filepath.Join(dir, "missing.csv")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	if _, err := parse.File(dir); err == nil {
		t.Error("a directory opens as a file")
	}
	if err := (parse.Source{Data: bytes.NewReader(nil)}).Close(); err != nil {
		t.Errorf("Close of a buffer: %v", err)
	}
}
