// SPDX-License-Identifier: Apache-2.0

package csv_test

import (
	"context"
	stdcsv "encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/test/leak"
	"example.com/curlew/parse/internal/csv"
)

func TestMain(m *testing.M) { leak.Main(m) }

func TestRecords(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       [][]string
	}{
		{"empty", "", nil},
		{"plain", "a,b\nc,d\n", [][]string{{"a", "b"}, {"c", "d"}}},
		{"no line end", "a,b\nc,d", [][]string{{"a", "b"}, {"c", "d"}}},
		{"CR LF, CR", "a,b\r\nc,d\re,f", [][]string{{"a", "b"}, {"c", "d"}, {"e", "f"}}},
		{"empty lines", "\n\na\n\r\n\nb\n", [][]string{{"a"}, {"b"}}},
		{"empty fields", ",a,\n,,", [][]string{{"", "a", ""}, {"", "", ""}}},
		{"ragged", "a,b,c\nd\ne,f", [][]string{{"a", "b", "c"}, {"d"}, {"e", "f"}}},
		{"quoted", `"a,1","b ""x""",""` + "\n", [][]string{{"a,1", `b "x"`, ""}}},
		{"quoted line ends", "\"a\r\nb\",\"c\nd\"\n", [][]string{{"a\nb", "c\nd"}}},
		{"quote inside", `a "x",b` + "\n" + `5",6'`, [][]string{{`a "x"`, "b"}, {`5"`, "6'"}}},
		{"text after the end quote", `"a" b,c` + "\n" + `d,e"`, [][]string{{`a" b,c` + "\n" + `d,e`}}},
		{"quote never closed", `a,"b` + "\n" + `c,"d"x`, [][]string{{"a", `"b`}, {"c", `"d"x`}}},
		{"two quotes at the end", `a,""`, [][]string{{"a", ""}}},
		{"three quotes", `a,"""`, [][]string{{"a", `"""`}}},
		{"spaces stay", " a , b ", [][]string{{" a ", " b "}}},
		{"blanks around quotes", `"a" ,  "b, ""c""", d "e"` + "\n" + `1, "x" y, "z`, [][]string{{"a", `b, "c"`, ` d "e"`}, {"1", ` "x" y`, ` "z`}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, slices.Collect(csv.Records(c.text, ','))); diff != "" {
				t.Errorf("Records(%q) (-want +got):\n%s", c.text, diff)
			}
		})
	}
	for r := range csv.Records("a\nb\nc", ',') {
		if r[0] == "b" {
			break // leaving the loop early is allowed
		}
	}
}

// TestRecordsAsWritten reads what encoding/csv writes.
func TestRecordsAsWritten(t *testing.T) {
	want := [][]string{{"id", "text"}, {"1", "a,b"}, {"2", `say "hi"`}, {"3", "two\nlines"}, {"4", ""}, {"", "5"}, {`"`, `""`}}
	for _, comma := range []byte(",;\t|") {
		var b strings.Builder
		w := stdcsv.NewWriter(&b)
		w.Comma = rune(comma)
		if err := w.WriteAll(want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, slices.Collect(csv.Records(b.String(), comma))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", comma, diff)
		}
	}
}

func TestTree(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", ""},
		{"head", "name,age\nAda,36\n", "<table data-table=\"sheet\"><thead><tr><th>name</th><th>age</th></tr></thead><tbody><tr><td>Ada</td><td>36</td></tr></tbody></table>"},
		{"head alone", "name,age", "<table data-table=\"sheet\"><thead><tr><th>name</th><th>age</th></tr></thead></table>"},
		{"numbers", "1,-2.5\n3,4 %\n", "<table data-table=\"sheet\"><tbody><tr><td>1</td><td>-2.5</td></tr><tr><td>3</td><td>4 %</td></tr></tbody></table>"},
		{"years in the head", "country,2020\nA,1", "<table data-table=\"sheet\"><thead><tr><th>country</th><th>2020</th></tr></thead><tbody><tr><td>A</td><td>1</td></tr></tbody></table>"},
		{"semicolon", "a;b,c\n1;2,5\n3;4", "<table data-table=\"sheet\"><thead><tr><th>a</th><th>b,c</th></tr></thead><tbody><tr><td>1</td><td>2,5</td></tr><tr><td>3</td><td>4</td></tr></tbody></table>"},
		{"decimal commas", "1,5;2,5\n2,5;3,5", "<table data-table=\"sheet\"><tbody><tr><td>1,5</td><td>2,5</td></tr><tr><td>2,5</td><td>3,5</td></tr></tbody></table>"},
		{"tab", "a\tb\nc, d\te", "<table data-table=\"sheet\"><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>c, d</td><td>e</td></tr></tbody></table>"},
		{"bar", "a|b\nc|d", "<table data-table=\"sheet\"><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>c</td><td>d</td></tr></tbody></table>"},
		{"bars in a comma file", "a,tags\n1,x|y\n2,z\n3,u|v|w", "<table data-table=\"sheet\"><thead><tr><th>a</th><th>tags</th></tr></thead><tbody><tr><td>1</td><td>x|y</td></tr><tr><td>2</td><td>z</td></tr><tr><td>3</td><td>u|v|w</td></tr></tbody></table>"},
		{"sep line", "sep=|\r\na|b", "<table data-table=\"sheet\"><thead><tr><th>a</th><th>b</th></tr></thead></table>"},
		{"sep line in quotes", "\"sep=;\"\r\na;b", "<table data-table=\"sheet\"><thead><tr><th>a</th><th>b</th></tr></thead></table>"},
		{"prose", "text\nHello, world\nNo more\nNothing", "<table data-table=\"sheet\"><thead><tr><th>text</th></tr></thead><tbody><tr><td>Hello, world</td></tr><tr><td>No more</td></tr><tr><td>Nothing</td></tr></tbody></table>"},
		{"sep line with a blank", "sep= \na  \"b\"", "<table data-table=\"sheet\"><thead><tr><th>a</th><th></th><th>b</th></tr></thead></table>"},
		{"no sep line", "sep=\n\na", "<table data-table=\"sheet\"><thead><tr><th>sep=</th></tr></thead><tbody><tr><td>a</td></tr></tbody></table>"},
		{"one column", "Industry\nA/B\nC", "<table data-table=\"sheet\"><thead><tr><th>Industry</th></tr></thead><tbody><tr><td>A/B</td></tr><tr><td>C</td></tr></tbody></table>"},
		{"ragged", "a,b\n1\n1,2,3", "<table data-table=\"sheet\"><thead><tr><th>a</th><th>b</th><th></th></tr></thead><tbody><tr><td>1</td><td></td><td></td></tr><tr><td>1</td><td>2</td><td>3</td></tr></tbody></table>"},
		{"lines in a cell", "a\n\"x\n\ny\n\"", "<table data-table=\"sheet\"><thead><tr><th>a</th></tr></thead><tbody><tr><td>x<br/><br/>y<br/></td></tr></tbody></table>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc, cut, err := csv.Tree(t.Context(), c.text, csv.Options{Kind: "csv"})
			if err != nil || cut.Records > 0 {
				t.Fatalf("cut %v, error %v", cut, err)
			}
			var got strings.Builder
			if err := html.Render(&got, doc); err != nil {
				t.Fatal(err)
			}
			want := `<html data-kind="csv"><head></head><body>` + c.want + "</body></html>"
			if got.String() != want {
				t.Errorf("got  %s\nwant %s", &got, want)
			}
		})
	}
}

func count(doc *html.Node) (nodes int) {
	for range doc.Descendants() {
		nodes++
	}
	return nodes
}

func TestTreeIsBounded(t *testing.T) {
	wide := strings.Repeat(",", 5000) + "\n" + strings.Repeat("a\n", 5000)
	for _, c := range []struct {
		name, text string
		nodes      int
		cut        bool
	}{
		{"many records", strings.Repeat("a,b\n", 5000), 1000, true},
		{"second record is long", "a,b\n" + strings.Repeat("a,", 5000), 1000, true},
		{"padding", wide, 100_000, false},
		{"fits", strings.Repeat("a,b\n", 100), 1000, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc, cut, err := csv.Tree(t.Context(), c.text, csv.Options{Kind: "csv", Nodes: c.nodes})
			if err != nil {
				t.Fatal(err)
			}
			if got := count(doc); got > c.nodes || cut.Records > 0 != c.cut {
				t.Errorf("%d nodes, cut %v; want at most %d, %v", got, cut, c.nodes, c.cut)
			}
		})
	}
}

func isLimit(err error) bool { _, ok := errors.AsType[*csv.LimitError](err); return ok }

// TestTreeTooLong reads tables whose first record is over the limit.
func TestTreeTooLong(t *testing.T) {
	for name, text := range map[string]string{
		"one long record":      strings.Repeat("a,", 5000),
		"many lines in a cell": `"` + strings.Repeat("\n", 5000) + `"`,
	} {
		if _, _, err := csv.Tree(t.Context(), text, csv.Options{Kind: "csv", Nodes: 1000}); !isLimit(err) {
			t.Errorf("%s: %v, want a LimitError", name, err)
		}
	}
}

func TestTreeEndsWithContext(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	stop(cause)
	if _, _, err := csv.Tree(ctx, "a,b", csv.Options{}); !errors.Is(err, cause) {
		t.Errorf("error %v, want the cause of the end", err)
	}
}

func FuzzCSV(f *testing.F) {
	for _, s := range []string{
		"a,b\nc,d", "\"a\"\"b\",c\r\n\"d", "sep=;\na;b", "\xEF\xBB\xBFa\tb", "a|b\n\n|", `"""`, "1;2,3\n4;5,6", ",\r\r\n\"\n\"",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, nodes := range []int{0, 40} {
			doc, cut, err := csv.Tree(t.Context(), text, csv.Options{Kind: "csv", Nodes: nodes})
			if nodes > 0 && isLimit(err) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := count(doc); nodes > 0 && got > nodes {
				t.Errorf("%d nodes of at most %d", got, nodes)
			}
			if cut.Records > 0 {
				continue
			}
			// Only separators, quotes and line ends may be lost.
			want := strings.Count(text, "x")
			got := 0
			for n := range doc.Descendants() {
				if n.Type == html.TextNode {
					got += strings.Count(n.Data, "x")
				}
			}
			if got != want && !strings.HasPrefix(text, "sep=") {
				t.Errorf("%d of %d letters are left", got, want)
			}
		}
	})
}

func BenchmarkTree(b *testing.B) {
	var text strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&text, "%d,Name %d,\"a, quoted\",2020-01-%02d,x\n", i, i, i%28+1)
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := csv.Tree(b.Context(), text.String(), csv.Options{Kind: "csv"}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkHostile reads texts for which a careless reader takes quadratic
// time.
func BenchmarkHostile(b *testing.B) {
	for name, text := range map[string]string{
		"quotes":          strings.Repeat(`"`, 2<<20+1),
		"open quotes":     strings.Repeat(`,"a`, 1<<20),
		"doubled quotes":  `"` + strings.Repeat(`""`, 1<<20),
		"empty lines":     strings.Repeat("\n", 2<<20),
		"one long record": strings.Repeat("a,", 1<<20),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, _, err := csv.Tree(b.Context(), text, csv.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestGrid reads tables that are written as a grid because they have many cells.
func TestGrid(t *testing.T) {
	quoted := "\"a \x1f\x1e\nb\",c\n"
	for name, c := range map[string]struct {
		text          string
		rows, columns int
		cut           csv.Cut
	}{
		"all":       {"x,y\n" + strings.Repeat("1,2\n", 30_000) + quoted, 30_002, 2, csv.Cut{Of: 30_002}},
		"too many":  {strings.Repeat(strings.Repeat("1,", 99)+"1\n", 1003), 1000, 100, csv.Cut{Records: 3, Of: 1003}},
		"5 M cells": {"x" + strings.Repeat(strings.Repeat(",", 999)+"\n", 5000), 5000, 1000, csv.Cut{Of: 5000}},
		"too wide":  {"x,y\n" + strings.Repeat("1,2\n", 30_000) + strings.Repeat(",", 1<<14), 30_001, 2, csv.Cut{Records: 1, Of: 30_002}},
		"late wide": {"x\n" + strings.Repeat("1\n", 60_000) + "1,2,3\n", 60_002, 3, csv.Cut{Of: 60_002}},
	} {
		o := csv.Options{Kind: "csv"}
		if name == "too many" {
			o.Cells = 100_000
		}
		doc, cut, err := csv.Tree(t.Context(), c.text, o)
		if err != nil || cut.Records != c.cut.Records || cut.Of != c.cut.Of {
			t.Fatalf("%s: cut %+v, %v", name, cut, err)
		}
		if n := count(doc); n > 10 {
			t.Errorf("%s: %d nodes", name, n)
		}
		for n := range doc.Descendants() {
			g, ok := doctree.GridOf(n)
			if !ok {
				continue
			}
			rows, last := 0, ""
			for r := range g.Rows() {
				rows, last = rows+1, r
			}
			if rows != c.rows || g.Columns != c.columns || g.Head != (name != "too many") {
				t.Errorf("%s: %d rows, %d columns, head %v", name, rows, g.Columns, g.Head)
			}
			if name == "all" && !slices.Equal(slices.Collect(doctree.Cells(last)), []string{"a \nb", "c"}) {
				t.Errorf("the last row is %q", last)
			}
		}
	}
}
