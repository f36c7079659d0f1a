// SPDX-License-Identifier: Apache-2.0

package sheetml_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"example.com/curlew/internal/test/doctreetest"
	"example.com/curlew/internal/test/golden"
	"example.com/curlew/internal/test/leak"
	"example.com/curlew/internal/zipxml"
	"example.com/curlew/parse/internal/sheetml"
)

func TestMain(m *testing.M) { leak.Main(m) }

func book(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/book.xml")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestGolden(t *testing.T) {
	d, err := sheetml.Read(t.Context(), book(t), sheetml.Options{})
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/book.html", []byte(doctreetest.Show(t, d)))
	if d.Meta.Title != "A report" || d.Meta.Author != "Ann" || d.Meta.TotalPages != 2 || d.Meta.Created.IsZero() {
		t.Errorf("%+v", d.Meta)
	}
}

// TestCut reads what is there of a file that ends too early, with a warning.
func TestCut(t *testing.T) {
	data := book(t)
	for _, end := range []string{"<Data ss:Type=\"String\">wide", "</Worksheet>", "<WorksheetOptions"} {
		at := strings.Index(string(data), end)
		d, err := sheetml.Read(t.Context(), data[:at], sheetml.Options{})
		if err != nil {
			t.Fatal(err)
		}
		warned := false
		for _, w := range d.Warnings {
			warned = warned || w.Code == "part-unreadable"
		}
		if got := doctreetest.Show(t, d); !warned || !strings.Contains(got, "rich bold") {
			t.Errorf("before %q: %v\n%s", end, d.Warnings, got)
		}
	}
	if _, err := sheetml.Read(t.Context(), []byte("<Workbook"), sheetml.Options{}); !errors.Is(err, zipxml.ErrMalformed) {
		t.Errorf("no workbook: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(string(book(f)))
	f.Add(`<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"><Worksheet><Table><Row ss:Index="1048577"><Cell ss:Index="-1" ss:MergeAcross="99999" ss:MergeDown="2147483647"><Data ss:Type="DateTime">0000</Data></Cell></Row>`)
	f.Fuzz(func(t *testing.T, text string) {
		d, err := sheetml.Read(context.Background(), []byte(text), sheetml.Options{Nodes: 10_000, Cells: 100_000})
		if err == nil {
			doctreetest.Show(t, d)
		}
	})
}
