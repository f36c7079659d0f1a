// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"
)

// parent returns an element with children.
func parent(name string, children ...*html.Node) *html.Node {
	n := &html.Node{Type: html.ElementNode, Data: name, DataAtom: atom.Lookup([]byte(name))}
	for _, c := range children {
		n.AppendChild(c)
	}
	return n
}

// tableOf returns a writer and the table in the HTML text src.
func tableOf(t *testing.T, src string, o Options) (tableWriter, *html.Node) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(src))
	if err != nil {
		t.Fatal(err)
	}
	w := &writer{steps: dom.NewSteps(t.Context())}
	w.options = o
	w.survey(root)
	for n := range root.Descendants() {
		if n.DataAtom == atom.Table {
			return tableWriter{w}, n
		}
	}
	t.Fatal("no table")
	return tableWriter{}, nil
}

// TestGrid resolves the spans of cells.
func TestGrid(t *testing.T) {
	for _, test := range []struct {
		name, src string
		spans     Spans
		head      []string
		body      [][]string
		align     string // 0 for none
	}{
		{"plain", "<tr><th>a<th>b<tr><td>1<td>2", SpansBlank, []string{"a", "b"}, [][]string{{"1", "2"}}, "00"},
		{"columns", "<tr><th>a<th>b<tr><td colspan=2>1", SpansBlank, []string{"a", "b"}, [][]string{{"1", ""}}, "00"},
		{"columns, repeated", "<tr><th>a<th>b<tr><td colspan=2>1", SpansMirror, []string{"a", "b"}, [][]string{{"1", "1"}}, "00"},
		{"rows", "<tr><th>a<th>b<tr><td rowspan=2>1<td>2<tr><td>3", SpansBlank, []string{"a", "b"}, [][]string{{"1", "2"}, {"", "3"}}, "00"},
		{"rows, repeated down", "<tr><th>a<th>b<th>c<tr><td rowspan=2>1<td>2<td>3<tr><td>4<td>5<tr><td colspan=3>6<tr><td colspan=2 rowspan=2>7<td>8<tr><td>9", SpansDown, []string{"a", "b", "c"}, [][]string{{"1", "2", "3"}, {"1", "4", "5"}, {"6", "", ""}, {"7", "", "8"}, {"7", "", "9"}}, "000"},
		{"rows, repeated", "<tr><th>a<th>b<tr><td rowspan=2>1<td>2<tr><td>3", SpansMirror, []string{"a", "b"}, [][]string{{"1", "2"}, {"1", "3"}}, "00"},
		{"rows to the end of the section", "<tr><th>a<th>b<tr><td rowspan=0>1<td>2<tr><td>3<tr><td>4", SpansMirror, []string{"a", "b"}, [][]string{{"1", "2"}, {"1", "3"}, {"1", "4"}}, "00"},
		{"rows end with their section", "<thead><tr><th rowspan=9>a<th>b</thead><tbody><tr><td>1<td>2", SpansMirror, []string{"a", "b"}, [][]string{{"1", "2"}}, "00"},
		{"header of two rows", "<thead><tr><th colspan=2>x<tr><th>a<th>b</thead><tr><td>1<td>2", SpansBlank, []string{"x a", "x b"}, [][]string{{"1", "2"}}, "00"},
		{"header that repeats itself", "<thead><tr><th>a<th>b<tr><th>a<th>c</thead><tr><td>1<td>2", SpansBlank, []string{"a", "b c"}, [][]string{{"1", "2"}}, "00"},
		{"alignment", "<tr><th align=right>a<th style='text-align:Center'>b<th>c<tr><td>1<td>2<td align=left>3", SpansBlank, []string{"a", "b", "c"}, [][]string{{"1", "2", "3"}}, "rcl"},
		{"short row", "<tr><th>a<th>b<tr><td>1", SpansBlank, []string{"a", "b"}, [][]string{{"1"}}, "00"},
	} {
		w, n := tableOf(t, "<table>"+test.src+"</table>", Options{Spans: test.spans})
		g := w.grid(tableRows(n))
		if d := cmp.Diff(test.head, g.head); d != "" {
			t.Errorf("%s: header: %s", test.name, d)
		}
		if d := cmp.Diff(test.body, g.body); d != "" {
			t.Errorf("%s: body: %s", test.name, d)
		}
		if got := strings.ReplaceAll(string(g.align), "\x00", "0"); got != test.align {
			t.Errorf("%s: alignment %q, want %q", test.name, got, test.align)
		}
	}
}

// TestGridBounds checks that spans cannot make a small table large.
func TestGridBounds(t *testing.T) {
	row := strings.Repeat("<td colspan=1000 rowspan=1000>"+strings.Repeat("x", 100), 20)
	w, n := tableOf(t, "<table>"+strings.Repeat("<tr>"+row, 50)+"</table>", Options{Spans: SpansMirror})
	g := w.grid(tableRows(n))
	slots, size := 0, 0
	for _, cells := range append(g.body, g.head) {
		slots += len(cells)
		for _, s := range cells {
			size += len(s)
		}
	}
	if most := 2*maxSlots + 50*20; slots > most {
		t.Errorf("%d slots, want at most %d", slots, most)
	}
	if most := maxRepeated + 3*50*20*100; size > most {
		t.Errorf("%d bytes, want at most %d", size, most)
	}
}

// TestLays tells tables of data from tables that serve the layout.
func TestLays(t *testing.T) {
	blocks := strings.Repeat("<p>x</p>", 3)
	for _, test := range []struct {
		name, src string
		want      bool
	}{
		{"data", "<table><tr><td>a<td>b<tr><td>c<td>d</table>", false},
		{"one row", "<table><tr><td>a<td>b</table>", true},
		{"one row with a header cell", "<table><tr><th>a<th>b</table>", false},
		{"one column", "<table><tr><td>a<tr><td>b</table>", true},
		{"one column with a caption", "<table><caption>x</caption><tr><td>a<tr><td>b</table>", false},
		{"blocks in most cells", "<table><tr><td>" + blocks + "<td>" + blocks + "<tr><td>" + blocks + "<td>d</table>", true},
		{"presentation", "<table role=presentation><tr><th>a<th>b<tr><td>c<td>d</table>", true},
		{"marked as data", "<table data-table=source role=presentation><tr><td>a</table>", false},
		{"mostly a nested table", "<table><tr><th>a<td><table><tr><td>a long text<td>x<tr><td>y<td>z</table></table>", true},
	} {
		w, n := tableOf(t, test.src, Options{})
		if got := w.lays(n, tableRows(n)); got != test.want {
			t.Errorf("%s: got %v", test.name, got)
		}
	}
}

// TestWriteGrid writes a grid as a GFM table.
func TestWriteGrid(t *testing.T) {
	g := gridTable{cols: 2, align: []byte{'r', 'c'}, head: []string{"a", "bé"}, body: [][]string{{"long", ""}, {"x"}}}
	for _, test := range []struct {
		style TableStyle
		want  string
	}{
		{TableCompact, "| a | bé |\n| ---: | :---: |\n| long | |\n| x | |"},
		{TablePadded, "| a     | bé    |\n| ----: | :---: |\n| long  |       |\n| x     |       |"},
	} {
		w := tableWriter{&writer{}}
		w.options.TableStyle = test.style
		if ok := w.writeGrid(&g); !ok || string(w.out) != test.want {
			t.Errorf("style %d: got %v\n%s\nwant\n%s", test.style, ok, w.out, test.want)
		}
	}
	if (tableWriter{&writer{}}).writeGrid(&gridTable{cols: 1, head: []string{""}}) {
		t.Error("a table without text is written")
	}
}

// TestPadding checks that a few wide rows do not pad many short rows without
// limit.
func TestPadding(t *testing.T) {
	g := gridTable{cols: 1000, head: make([]string, 1000)}
	for range 2000 {
		g.body = append(g.body, []string{"x"})
	}
	w := tableWriter{&writer{}}
	w.writeGrid(&g)
	if most := 3*maxSlots + 20*1000 + 10*2000; len(w.out) > most {
		t.Errorf("%d bytes, want at most %d", len(w.out), most)
	}
}
