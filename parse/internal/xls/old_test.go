// SPDX-License-Identifier: Apache-2.0

package xls_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/parse/internal/cfb"
	"example.com/curlew/parse/internal/xls"
)

// second is a sheet of Excel 2: a record of its size, cells of each type with the formats
// that their attributes name, and a hidden row.
func second() []byte {
	format := func(n byte) string { return "\x00" + string([]byte{n}) + "\x00" }
	return slices.Concat(
		rec(0x0009, 2, 0x10), rec(0x42, 0x8001), rec(0x0000, 0, 9, 0, 4),
		rec(0x1E, byte(7), "General"), rec(0x1E, byte(1), "0"), rec(0x1E, byte(4), "0.00"), rec(0x1E, byte(8), "d/m/yyyy"),
		rec(0x24, byte(3), byte(3), 0),
		rec(0x0004, 0, 0, format(0), byte(4), "Caf\xE9"), rec(0x0004, 0, 1, format(0), byte(5), "Price"), rec(0x0004, 0, 2, format(0), byte(3), "Day"), rec(0x0004, 0, 3, format(0), byte(6), "hidden"),
		rec(0x0002, 1, 0, format(0), 65535), rec(0x0003, 1, 1, format(2), 2.5), rec(0x0003, 1, 2, format(3), 36526.0),
		rec(0x0005, 2, 0, format(0), byte(1), byte(0)), rec(0x0005, 2, 1, format(0), byte(7), byte(1)),
		rec(0x0006, 2, 2, format(2), 7.0, byte(0), byte(0)),
		rec(0x0008, 3, 0, 2, 0, 0), rec(0x0004, 3, 0, format(0), byte(4), "away"),
		rec(0x0006, 4, 0, format(0), "\x00\x00\x00\x00\x00\x00\xFF\xFF", byte(0), byte(0)), rec(0x0007, byte(4), "said"),
		rec(0x0A),
	)
}

// sheetOf4 returns a sheet as Excel 3 (version 3) and 4 write it. Its formats and styles are its own.
func sheetOf4(version byte, kind int, format, text string) []byte {
	bof, style, formula := 0x0209, 0x0243, 0x0206
	formats := slices.Concat(rec(0x1E, byte(7), "General"), rec(0x1E, byte(len(format)), format))
	if version == 4 {
		bof, style, formula = 0x0409, 0x0443, 0x0406
		formats = slices.Concat(rec(0x41E, 0, byte(7), "General"), rec(0x41E, 0, byte(len(format)), format))
	}
	return slices.Concat(
		rec(uint16(bof), int(version), kind, 0), formats,
		rec(uint16(style), byte(0), byte(0), strings.Repeat("\x00", 10)), rec(uint16(style), byte(0), byte(1), strings.Repeat("\x00", 10)),
		rec(0x0204, 0, 0, 0, len(text), text), rec(0x027E, 0, 1, 1, uint32(5<<2|2)), rec(0x0203, 0, 2, 1, 1.5),
		rec(uint16(formula), 0, 3, 1, 3.0, 0, 0),
		rec(uint16(bof), int(version), 0x20, 0), rec(0x0204, 9, 9, 0, 5, "chart"), rec(0x0A), // an embedded chart
		rec(0x0A),
	)
}

// rows returns the headings and the rows of tables below n, one a line.
func rows(n *html.Node) string {
	var lines []string
	for d := range n.Descendants() {
		switch d.DataAtom {
		case atom.H2:
			lines = append(lines, d.FirstChild.Data)
		case atom.Tr:
			var cells []string
			for c := range d.ChildNodes() {
				text := ""
				if c.FirstChild != nil {
					text = c.FirstChild.Data
				}
				cells = append(cells, text)
			}
			lines = append(lines, strings.Join(cells, " | "))
		}
	}
	return strings.Join(lines, "\n")
}

// TestStreams reads sheets of Excel 2, 3 and 4, a workbook of Excel 4, and a sheet of Excel 5 that
// is in no workbook.
func TestStreams(t *testing.T) {
	bundle := slices.Concat(rec(0x409, 4, 0x100, 0),
		rec(0x8F, uint32(0), byte(3), "One"), sheetOf4(4, 0x10, "0.0", "first"),
		rec(0x8F, uint32(0), byte(5), "Magic"), sheetOf4(4, 0x40, "0.0", "macro"),
		rec(0x8F, uint32(0), byte(3), "Two"), sheetOf4(4, 0x10, "0.000", "second"), rec(0x0A))
	for name, c := range map[string]struct {
		data     []byte
		want     string
		warnings []string
	}{
		"2":       {second(), "Café | Price | Day\n65535 | 2.50 | 2000-01-01\nTRUE | #DIV/0! | 7.00\nsaid |  | ", []string{"hidden-row", "hidden-column"}},
		"3":       {sheetOf4(3, 0x10, "0.00", "third"), "third | 5.00 | 1.50 | 3.00", nil},
		"4":       {sheetOf4(4, 0x10, "0.00%", "fourth"), "fourth | 500.00% | 150.00% | 300.00%", nil},
		"bundle":  {bundle, "One\nfirst | 5.0 | 1.5 | 3.0\nTwo\nsecond | 5.000 | 1.500 | 3.000", []string{"hidden-sheet"}},
		"5":       {slices.Concat(rec(0x809, 0, 0x1000, 0x3237, 0x3236), rec(0x203, 0, 0, 0, 4.0), rec(0x204, 0, 1, 0, 2, "ab"), rec(0x0A)), "4 | ab", nil},
		"drawn":   {slices.Concat(rec(0x209, 3, 0x10, 0), rec(0x204, 0, 0, 0, 1, "a"), rec(0x204, 0, 1, 0, 1, "b"), rec(0x5D, uint32(1), 6, 1), rec(0x0A)), "a | b", []string{"attachment-unread"}},
		"no end":  {bytes.TrimSuffix(sheetOf4(3, 0x10, "0.00", "third"), rec(0x0A)), "third | 5.00 | 1.50 | 3.00", []string{"part-unreadable"}},
		"cut":     {slices.Concat(rec(0x209, 3, 0x10, 0), rec(0x0204, 0, 0), rec(0x0204, 0, 1, 0, 1, "x"), rec(0x0A)), "", []string{"part-unreadable"}},
		"invalid": {slices.Concat(rec(0x209, 3, 0x10, 0), rec(0x0203, 0, 0, 0, "cut"), rec(0x0204, 0, 1, 0, 1, "x"), rec(0x0A)), "", []string{"part-unreadable"}},
	} {
		if !xls.IsStream(c.data) {
			t.Errorf("%s: not detected", name)
		}
		d := read(t, c.data)
		var codes []string
		for _, w := range d.Warnings {
			codes = append(codes, w.Code)
		}
		if diff := cmp.Diff(c.warnings, codes); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if got := rows(d.Root); c.want != "" && got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
	if _, err := xls.Read(t.Context(), slices.Concat(rec(0x209, 3, 0x10, 0), rec(0x2F, 1, 2), rec(0x0A)), xls.Options{}); !errors.Is(err, cfb.ErrEncrypted) {
		t.Errorf("encrypted: %v", err)
	}
	for _, text := range []string{"", "\t\x00", "\x09\x00\x04\x00\x02\x00\x10\x00", "\x09\x08\x08\x00 plain text", "\t\tname\tvalue\n"} {
		if xls.IsStream([]byte(text)) {
			t.Errorf("%q is taken for a sheet", text)
		}
	}
}

// FuzzStreams reads streams that are in no container.
func FuzzStreams(f *testing.F) {
	f.Add(second())
	f.Add(sheetOf4(3, 0x10, "0.00", "third"))
	f.Add(sheetOf4(4, 0x10, "0.00", "fourth"))
	f.Add(slices.Concat(rec(0x409, 4, 0x100, 0), rec(0x8F, uint32(0), byte(3), "One"), sheetOf4(4, 0x10, "0.0", "first"), rec(0x0A)))
	f.Fuzz(func(t *testing.T, data []byte) {
		if !xls.IsStream(data) {
			t.Skip()
		}
		d, err := xls.Read(t.Context(), data, xls.Options{Nodes: 10_000})
		if err == nil && d.Root == nil {
			t.Error("neither a tree nor an error")
		}
	})
}
