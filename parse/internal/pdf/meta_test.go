// SPDX-License-Identifier: Apache-2.0

package pdf

import (
	"bytes"
	"testing"
	"time"

	"example.com/curlew/internal/test/pdftest"
	"example.com/curlew/parse/internal/pdf/content"
	"example.com/curlew/parse/internal/pdf/object"
)

func TestParseDate(t *testing.T) {
	tests := []struct{ in, want string }{
		{"D:20240131120000+01'00'", "2024-01-31T11:00:00Z"},
		{"D:20240131120000-0530", "2024-01-31T17:30:00Z"},
		{"D:20240131120000Z", "2024-01-31T12:00:00Z"},
		{"D:20240131120000Z00'00'", "2024-01-31T12:00:00Z"},
		{"20240131", "2024-01-31T00:00:00Z"},
		{"D:2024", "2024-01-01T00:00:00Z"},
		{"D:20241", ""},
		{"yesterday", ""},
		{"", ""},
	}
	for _, tt := range tests {
		got := ""
		if d := parseDate(tt.in); !d.IsZero() {
			got = d.UTC().Format(time.RFC3339)
		}
		if got != tt.want {
			t.Errorf("parseDate(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestLine(t *testing.T) {
	if got := line(" a\x00b\n c  "); got != "a b c" {
		t.Errorf("line = %q", got)
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{1: "1", 1.256: "1.26", -.001: "0", 612: "612", .5: "0.5"} {
		if got := number(v); got != want {
			t.Errorf("number(%v) = %q, want %q", v, got, want)
		}
	}
}

// TestDests checks all forms of destinations.
func TestDests(t *testing.T) {
	var d pdftest.Document
	d.Page("", "<<>>", "") // object 4
	d.Page("", "<<>>", "") // object 6
	d.Catalog = "/Dests <</Old [6 0 R /Fit]>> /Names <</Dests <</Kids [<</Names [(new) [4 0 R /Fit] (dict) <</D [6 0 R /Fit]>>]>>]>>>>"
	data := d.Bytes()
	f, err := object.Open(t.Context(), bytes.NewReader(data), int64(len(data)), object.Options{})
	if err != nil {
		t.Fatal(err)
	}
	pages, _ := f.Pages(0)
	ds := newDests(f, pages)
	tests := []struct {
		dest object.Object
		want int
	}{
		{object.Array{object.Ref{Num: 6}, object.Name("Fit")}, 2},
		{object.Name("Old"), 2},
		{object.String("new"), 1},
		{object.String("dict"), 2},
		{object.String("unknown"), 0},
		{object.Array{}, 0},
		{object.Array{0}, 0},
		{nil, 0},
	}
	for _, tt := range tests {
		if got := ds.page(tt.dest); got != tt.want {
			t.Errorf("page(%v) = %d, want %d", tt.dest, got, tt.want)
		}
	}
}

// TestRelativeLinks checks that links are resolved against the base URL of
// the document, if it sets one.
func TestRelativeLinks(t *testing.T) {
	for base, want := range map[string][]string{
		"": {"a/b.html", "http://www.example.com/x", "mailto:a@example.com", "https://example.com/"},
		"/URI <</Base (https://example.org/docs/)>>":   {"https://example.org/docs/a/b.html", "http://www.example.com/x", "mailto:a@example.com", "https://example.com/"},
		"/URI <</Base (javascript:alert\\(1\\)\\(/)>>": {"a/b.html", "http://www.example.com/x", "mailto:a@example.com", "https://example.com/"},
	} {
		d := pdftest.Document{Catalog: base}
		d.Page("", "<<>>", "")
		data := d.Bytes()
		f, err := object.Open(t.Context(), bytes.NewReader(data), int64(len(data)), object.Options{})
		if err != nil {
			t.Fatal(err)
		}
		links := []content.Link{{URI: "a/b.html"}, {URI: "www.example.com/x"}, {URI: "mailto:a@example.com"}, {URI: "https://example.com/"}}
		newDests(f, nil).resolve(links)
		for i := range links {
			if links[i].URI != want[i] {
				t.Errorf("base %q: %q, want %q", base, links[i].URI, want[i])
			}
		}
	}
}
