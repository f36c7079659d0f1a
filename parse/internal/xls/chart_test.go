// SPDX-License-Identifier: Apache-2.0

package xls_test

import (
	"slices"
	"strings"
	"testing"

	"example.com/curlew/internal/test/cfbtest"
	"example.com/curlew/internal/test/doctreetest"
)

// drawn returns the records of a chart with two series and three points, one
// of which only the first series has.
func drawn(version int) [][]byte {
	name := func(s string) string { return string([]byte{byte(len([]rune(s)))}) + chars(s) }
	label := str
	if version < 0x600 {
		name = func(s string) string { return string([]byte{byte(len(s))}) + s }
		label = func(s string) string { return string([]byte{byte(len(s)), 0}) + s }
	}
	text := func(of int, s string) []byte {
		return []byte(string(rec(0x1025)) + string(rec(0x100D, 0, name(s))) + string(rec(0x1027, of, 0, 0)))
	}
	return [][]byte{
		rec(0x1002, uint32(0)), rec(0x1003, 1, 1), rec(0x100D, 0, name("Fees")), rec(0x1003, 1, 1), rec(0x100D, 0, name("Fines")),
		rec(0x100D, 0, name("not again")), rec(0x1017, 0, 0, 0), rec(0x1018, 0), rec(0x1017, 0, 0, 0),
		text(1, "Income"), text(2, "euros"), text(3, "Month"),
		rec(0x1065, 2), rec(0x204, 0, 0, 0, label("May")), rec(0x204, 1, 0, 0, label("June")), rec(0x203, 2, 0, 1, 45000.0), rec(0x204, 0, 1, 0, label("other")),
		rec(0x1065, 1), rec(0x203, 0, 0, 2, 1.5), rec(0x203, 1, 0, 0, 2.0), rec(0x205, 2, 0, 0, byte(7), byte(1)),
		rec(0x203, 0, 1, 0, 4.0), rec(0x203, 1, 1, 0, 5.0), rec(0x203, 1, 99, 0, 5.0), rec(0x203, 0xFFFF, 0, 0, 5.0),
		rec(0x1065, 3), rec(0x203, 2, 1, 0, 8.0),
	}
}

// TestCharts reads charts in a sheet.
func TestCharts(t *testing.T) {
	full := `<figure data-role="chart"><figcaption>Income (bar and line chart, euros)</figcaption>
<table data-table="source">
<thead>
<tr><th>Month</th><th>Fees</th><th>Fines</th></tr></thead>
<tbody>
<tr><td>May</td><td>1.5</td><td>4</td></tr>
<tr><td>June</td><td>2</td><td>5</td></tr>
<tr><td>45000</td><td>#DIV/0!</td><td></td></tr></tbody></table></figure>`
	for _, c := range []struct {
		what    string
		version int
		chart   [][]byte
		want    string
	}{
		{"of BIFF8", 0x600, drawn(0x600), full},
		{"of BIFF5", 0x500, drawn(0x500), full},
		{"without values", 0x600, [][]byte{rec(0x1003), rec(0x1019, 0, 0)}, `<figure data-role="chart"><figcaption>` + "Pie chart</figcaption></figure>"},
		{"with two value axes", 0x600, [][]byte{rec(0x1017), rec(0x100D, 0, byte(3), byte(0), "EUR"), rec(0x1027, 2, 0, 0), rec(0x100D, 0, byte(1), byte(0), "%"), rec(0x1027, 2, 0, 0)}, "<figcaption>Bar chart (EUR, %)</figcaption>"},
		{"doughnut", 0x600, [][]byte{rec(0x1019, 0, 50)}, "<figcaption>Doughnut chart</figcaption>"},
		{"bubbles", 0x600, [][]byte{rec(0x101B, 100, 1, 1)}, "<figcaption>Bubble chart</figcaption>"},
		{"points", 0x600, [][]byte{rec(0x101B, 100, 1, 0)}, "<figcaption>Scatter chart</figcaption>"},
		{"nothing", 0x600, nil, ""},
		{"cut", 0x600, [][]byte{rec(0x100D), rec(0x100D, 0, byte(200), "x"), rec(0x1065), rec(0x203, 0, 0, 0), rec(0x1027)}, ""},
	} {
		records := append([][]byte{rec(0x203, 0, 0, 0, 7.0), rec(0x809, c.version, 0x20, 0, 0)}, c.chart...)
		records = append(records, rec(0x0A), rec(0x203, 1, 0, 0, 8.0))
		got := doctreetest.Show(t, read(t, cfbtest.Pack(cfbtest.Stream{Name: "Workbook", Data: workbook(c.version, nil, sheetOf{name: "S", records: records})})))
		if !strings.Contains(got, c.want) || c.want == "" && strings.Contains(got, "figure") {
			t.Errorf("a chart %s:\n%s\nwant\n%s", c.what, got, c.want)
		}
		if !strings.Contains(got, "<td>7</td>") || !strings.Contains(got, "<td>8</td>") {
			t.Errorf("a chart %s: the cells around it are lost:\n%s", c.what, got)
		}
	}
}

// TestChartLoss says what charts have and the tree does not.
func TestChartLoss(t *testing.T) {
	values := func(records ...[]byte) [][]byte {
		return append([][]byte{rec(0x1003), rec(0x1017, 0, 0, 0), rec(0x1065, 1)}, records...)
	}
	many := [][]byte{rec(0x1017, 0, 0, 0)}
	for range 258 {
		many = append(many, rec(0x1003))
	}
	many = append(many, rec(0x1065, 1))
	for series := range 258 {
		many = append(many, rec(0x203, 0, series, 0, 5.0))
	}
	for _, c := range []struct {
		what  string
		chart [][]byte
		want  []string
		shows string
	}{
		{"whole", values(rec(0x203, 0, 0, 0, 5.0)), nil, "<td>5</td>"},
		{"sizes of bubbles", append(values(rec(0x203, 0, 0, 0, 5.0)), rec(0x101B, 100, 1, 1), rec(0x1065, 3), rec(0x203, 0, 0, 0, 8.0)), nil, "<td>5</td><td>8</td>"},
		{"nothing", nil, []string{"1 chart has no title and no data that could be read."}, ""},
		{"no values", values(), []string{"1 series of a chart has no values: the file does not store a copy of the cells that it shows."}, "Bar chart"},
		{"points beyond the limit", values(rec(0x203, 0, 0, 0, 5.0), rec(0x203, 10_000, 0, 0, 5.0)), []string{"The charts are too large; left out: 1 point."}, "<td>5</td>"},
		{"series beyond the limit", many, []string{"The charts are too large; left out: 2 series."}, "<td>5</td>"},
		{"series that are not listed", values(rec(0x203, 0, 0, 0, 5.0), rec(0x203, 0, 7, 0, 5.0)), []string{"1 point of a chart has no valid place in it and was left out."}, "<td>5</td>"},
	} {
		records := append([][]byte{rec(0x809, 0x600, 0x20, 0, 0)}, c.chart...)
		d := read(t, pack(workbook(0x600, nil, sheetOf{name: "S", records: append(records, rec(0x0A))})))
		if got := doctreetest.Show(t, d); !strings.Contains(got, c.shows) {
			t.Errorf("%s: %.500s\nwant %s", c.what, got, c.shows)
		}
		var got []string
		for _, w := range d.Warnings {
			got = append(got, w.Text)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q\nwant %q", c.what, got, c.want)
		}
	}
}

// TestPictures reads a drawing that is divided by the records of its
// objects.
func TestPictures(t *testing.T) {
	art := func(version, kind int, data string) string {
		return string(rec(0, version, kind, uint32(len(data)), data)[4:])
	}
	shapeOf := func(sort int, alt string) string {
		alt = cfbtest.Wide(alt + "\x00")
		options := string(rec(0, 0xC381, uint32(len(alt)), alt)[4:])
		return art(0x0F, 0xF004, art(sort<<4, 0xF00A, strings.Repeat("\x00", 8))+art(0x13, 0xF00B, options))
	}
	drawing := art(0x0F, 0xF002, art(0x0F, 0xF003, shapeOf(0, "")+shapeOf(75, "A  duck")+art(0x0F, 0xF003, shapeOf(0, "")+shapeOf(75, "A goose"))+shapeOf(1, "No picture")+shapeOf(75, "")))
	for _, cut := range []int{len(drawing), 100, 10} {
		var records [][]byte
		for rest := drawing; rest != ""; rest = rest[min(cut, len(rest)):] {
			records = append(records, rec(0xEC, rest[:min(cut, len(rest))]), rec(0x5D, 0x15, 18, 8, 1, strings.Repeat("\x00", 14)))
		}
		got := doctreetest.Show(t, read(t, pack(workbook(0x600, nil, sheetOf{name: "S", records: append(records, rec(0x203, 0, 0, 0, 7.0))}))))
		want := `<figure><img alt="A duck"/></figure>` + "\n" + `<figure><img alt="A goose"/></figure>` + "\n" + `<figure><img alt="No picture"/></figure></section>`
		if !strings.Contains(got, want) {
			t.Errorf("in pieces of %d:\n%s\nwant\n%s", cut, got, want)
		}
	}
	word := cfbtest.Wide("Word Art\x00")
	drawn := art(0x0F, 0xF004, art(136<<4, 0xF00A, strings.Repeat("\x00", 8))+art(0x13, 0xF00B, string(rec(0, 0x80C0, uint32(len(word)), word)[4:])))
	if got := doctreetest.Show(t, read(t, pack(workbook(0x600, nil, sheetOf{name: "S", records: [][]byte{rec(0xEC, drawn)}})))); !strings.Contains(got, "<p>Word Art</p>") {
		t.Errorf("no WordArt:\n%s", got)
	}
	deep := shapeOf(75, "deep")
	for range 1000 {
		deep = art(0x0F, 0xF003, deep[:min(len(deep), 8000)])
	}
	read(t, pack(workbook(0x600, nil, sheetOf{name: "S", records: [][]byte{rec(0xEC, deep)}})))
}

// TestHiddenShapes leaves out hidden shapes, with a warning.
func TestHiddenShapes(t *testing.T) {
	art := func(version, kind int, data string) string {
		return string(rec(0, version, kind, uint32(len(data)), data)[4:])
	}
	shape := func(flags uint32, picture string) string {
		alt := cfbtest.Wide(picture + "\x00")
		options := string(rec(0, 0x3BF, flags, 0xC381, uint32(len(alt)), alt)[4:])
		return art(0x0F, 0xF004, art(75<<4, 0xF00A, strings.Repeat("\x00", 8))+art(0x23, 0xF00B, options)+art(0, 0xF011, ""))
	}
	object := rec(0x5D, 0x15, 18, 6, 2, strings.Repeat("\x00", 14))
	text := func(s string) [][]byte {
		return [][]byte{object, rec(0x1B6, strings.Repeat("\x00", 10), len(s), 16, uint32(0)), rec(0x3C, "\x00"+s), rec(0x3C, 0, 0)}
	}
	const hidden, shown, unused = 0x2_0002, 0x2_0000, 0x0_0002
	for _, c := range []struct {
		what   string
		shapes string // two with texts and, in a group, one without
		more   int    // objects missing in the drawing
		want   string
		warns  int
	}{
		{"shown", shape(shown, "one") + shape(unused, "two") + art(0x0F, 0xF003, shape(0, "")+shape(0, "three")), 0, "one two three ONE TWO", 0},
		{"hidden", shape(hidden, "one") + shape(unused, "two") + art(0x0F, 0xF003, shape(0, "")+shape(0, "three")), 0, "two three TWO", 1},
		{"in a hidden group", shape(0, "one") + shape(0, "two") + art(0x0F, 0xF003, shape(hidden, "")+shape(0, "three")), 0, "one two ONE TWO", 1},
		{"of other objects", shape(hidden, "one") + shape(0, "two") + art(0x0F, 0xF003, shape(0, "")+shape(0, "three")), 1, "two three ONE TWO", 1},
	} {
		records := [][]byte{rec(0xEC, art(0x0F, 0xF002, art(0x0F, 0xF003, art(0x0F, 0xF004, art(0, 0xF00A, strings.Repeat("\x00", 8)))+c.shapes)))}
		records = append(append(records, text("ONE")...), text("TWO")...)
		for range 2 + c.more {
			records = append(records, object)
		}
		d := read(t, pack(workbook(0x600, nil, sheetOf{name: "S", records: append(records, rec(0x203, 0, 0, 0, 7.0))})))
		got := doctreetest.Show(t, d)
		for _, word := range []string{"one", "two", "three", "ONE", "TWO"} {
			if has := strings.Contains(got, `"`+word+`"`) || strings.Contains(got, ">"+word+"<"); has != slices.Contains(strings.Fields(c.want), word) {
				t.Errorf("%s: %s is there: %v, want %s\n%s", c.what, word, has, c.want, got)
			}
		}
		if len(d.Warnings) != c.warns {
			t.Errorf("%s: %v", c.what, d.Warnings)
		}
	}
}
