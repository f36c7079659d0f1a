// SPDX-License-Identifier: Apache-2.0

package parse_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/parse"
)

// tableOf returns the first table of a tree.
func tableOf(t *testing.T, tree *parse.Tree) *html.Node {
	t.Helper()
	for n := range tree.Root.Descendants() {
		if n.DataAtom == atom.Table {
			return n
		}
	}
	t.Fatal("the tree has no table")
	return nil
}

// rowsOf returns the rows of the first table as HTML.
func rowsOf(t *testing.T, tree *parse.Tree) (rows []string) {
	t.Helper()
	for tr, err := range tree.Rows(t.Context(), tableOf(t, tree)) {
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := html.Render(&b, tr); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, b.String())
	}
	return rows
}

func TestRows(t *testing.T) {
	wide := func(text string) string {
		var b strings.Builder
		for _, u := range utf16.Encode([]rune(text)) {
			b.Write([]byte{byte(u), byte(u >> 8)})
		}
		return b.String()
	}
	const text = "name,\"x\ny\"\nÜber,1\na&b,2\n"
	want := []string{"<tr><th>name</th><th>x<br/>y</th></tr>", "<tr><td>Über</td><td>1</td></tr>", "<tr><td>a&amp;b</td><td>2</td></tr>"}
	many := text + strings.Repeat("q,3\n", 30_000)
	for _, c := range []struct {
		name, data string
		stream     bool
		more       int
	}{
		{"nodes.csv", text, false, 0},
		{"stream.csv", text, true, 0},
		{"mark.csv", "\xEF\xBB\xBF" + text, true, 0},
		{"wide.csv", wide("\uFEFF" + text), true, 0},
		{"latin.csv", strings.ReplaceAll(text, "Ü", "\xDC"), true, 0},
		{"sep.csv", "sep=;\n" + strings.ReplaceAll(text, ",", ";"), true, 0},
		{"tab.tsv", strings.ReplaceAll(text, ",", "\t"), true, 0},
		{"grid.csv", many, false, 30_000},
		{"grid stream.csv", many, true, 30_000},
	} {
		tree, err := new(parse.Engine).Parse(t.Context(), source(c.name, "", c.data), &parse.Options{Stream: c.stream})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got := rowsOf(t, tree)
		if d := cmp.Diff(want, got[:min(3, len(got))]); d != "" || len(got) != 3+c.more {
			t.Errorf("%s: %d rows %s", c.name, len(got), d)
		}
		if again := rowsOf(t, tree); len(again) != len(got) {
			t.Errorf("%s: %d rows, then %d", c.name, len(got), len(again))
		}
		said := len(tree.Warnings) > 0 && tree.Warnings[len(tree.Warnings)-1].Code == parse.WarnStreamed
		if said != c.stream || c.stream && (tree.Verbatim != "" || strings.Contains(markdownOfTree(t, tree), "name")) {
			t.Errorf("%s: %v", c.name, tree.Warnings)
		}
	}
	tree, err := new(parse.Engine).Parse(t.Context(), source("a.csv", "", "a,b\n1,2\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []*html.Node{nil, tree.Root} {
		for tr, err := range tree.Rows(t.Context(), n) {
			if err == nil || tr != nil {
				t.Errorf("what is no table has the row %v", tr)
			}
		}
	}
}

// TestRowsInDoubt reads tables whose rows may be wrong, in both ways.
func TestRowsInDoubt(t *testing.T) {
	const (
		head  = "id,name,note\n1,a,b\n"
		stray = "Cells in quotes that contain a quote that is not doubled: %d, the first in line %d. They may hold more than one cell or row."
		open  = "A quote in line %d is never closed; quotes from there on are part of the text."
		rows  = "Rows with another number of cells than is most frequent (%d): %d of %d, the first in line %d."
		other = "Rows whose cells another character may separate: %d."
	)
	say := fmt.Sprintf
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"in order":                    {head + "2,\"c\r\nd\",\"say \"\"e\"\"\"\n\n3,,\n", nil},
		"closed by the next one":      {head + "2,\"c,d\n3,e,f\n4,\"g\",h\n5,i,j", []string{say(stray, 1, 3)}},
		"never closed":                {"sep=,\n" + head + "2,\"c,d\r\n3,e,f\n4,g\"x,h,i\n", []string{say(open, 4), say(rows, 3, 1, 5, 6)}},
		"other number of cells":       {"Report\r\r" + strings.ReplaceAll(head, "\n", "\r") + "2,c\r3,d,\"e\re\"\r4,f,g,h\r", []string{say(rows, 3, 3, 6, 1)}},
		"another separator":           {head + "2;c;d\n3,e,f\n4\tg\th\n", []string{say(rows, 3, 2, 5, 3), say(other, 2)}},
		"one column":                  {"text\nHello, world\nNo more\n", nil},
		"cells in quotes on one line": {head + "2,\"c,\"d\",e\n3,f,g\n", []string{say(stray, 1, 3)}},
	} {
		for _, stream := range []bool{false, true} {
			tree, err := new(parse.Engine).Parse(t.Context(), source("a.csv", "", c.text), &parse.Options{Stream: stream})
			if err != nil {
				t.Fatal(err)
			}
			rowsOf(t, tree)
			rowsOf(t, tree) // says nothing twice
			var got []string
			for _, w := range tree.Warnings {
				if w.Code == parse.WarnTable {
					got = append(got, w.Text)
				}
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("%s, stream %t (-want +got):\n%s", name, stream, d)
			}
		}
	}
}

// TestGuessedEncoding reads short texts that do not say their encoding.
func TestGuessedEncoding(t *testing.T) {
	const head = "From: a@example.com\nTo: b@example.com\nSubject: "
	for name, c := range map[string]struct{ file, text, want string }{
		"KOI8-R":                  {"a.txt", "\xF0\xD2\xC9\xD7\xC5\xD4", "Bytes beyond ASCII: 6."},
		"DOS, which is not known": {"a.txt", "\x8F\xE0\xA8\xA2\xA5\xE2", "Bytes beyond ASCII: 6."},
		"rows":                    {"a.csv", "\xC1;\xC2\n\xD7;\xC7\n", "It was read as koi8-r."},
		"the body of a mail":      {"a.eml", head + "a\n\n\xF0\xD2\xC9\xD7\xC5\xD4\n", "Bytes beyond ASCII: 6."},
		"the subject of a mail":   {"a.eml", head + "\xF0\xD2\xC9\xD7\xC5\xD4\n\na\n", "Fields of messages that do not say their encoding, which was guessed: 1."},
		"RTF":                     {"a.rtf", `{\rtf1\ansi{\fonttbl{\f0 Times;}}\'cf\'f0` + "\xE8\\par}", "The document does not state its code page. Characters that were read in the code page 1252: 3."},
		"RTF with a page":         {"a.rtf", `{\rtf1\ansi\ansicpg1251 \'cf\par}`, ""},
		"RTF with a font":         {"a.rtf", `{\rtf1\ansi{\fonttbl{\f0\fcharset204 Times;}}\f0 \'cf\par}`, ""},
		"RTF with Unicode":        {"a.rtf", `{\rtf1\ansi \u1087\'cf\par}`, ""},
	} {
		for _, stream := range []bool{false, true} {
			tree, err := new(parse.Engine).Parse(t.Context(), source(c.file, "", c.text), &parse.Options{Stream: stream})
			if err != nil {
				t.Fatal(err)
			}
			var said strings.Builder
			for _, w := range tree.Warnings {
				if w.Code == parse.WarnCodePage {
					said.WriteString(w.Text)
				}
			}
			if (said.String() != "") != (c.want != "") || !strings.Contains(said.String(), c.want) {
				t.Errorf("%s, stream %t: %q, want %q", name, stream, said.String(), c.want)
			}
		}
	}
	tree, err := new(parse.Engine).Parse(t.Context(), source("a.csv", "", "a,b\n"+strings.Repeat("1,2\n", 1<<18)+"c\xFF,d\n"), &parse.Options{Stream: true})
	if err != nil {
		t.Fatal(err)
	}
	rowsOf(t, tree)
	want := "Characters U+FFFD, which stand for bytes that are no characters of the encoding: 1."
	if w := tree.Warnings[len(tree.Warnings)-1]; w.Code != parse.WarnTable || w.Text != want {
		t.Errorf("%+v, want %q", w, want)
	}
}

// long is a CSV of so many bytes that is made while it is read.
type long struct {
	size, fails int64 // a read of the byte at fails gives errBroken; zero: none does
}

var errBroken = errors.New("broken")

const longRow = "The duck,swims on the lake,12345.67,2023-05-12\n"

func (l long) ReadAt(p []byte, at int64) (int, error) {
	if l.fails > 0 && at <= l.fails && at+int64(len(p)) > l.fails {
		return 0, errBroken
	}
	n := int(min(int64(len(p)), l.size-at))
	if n <= 0 {
		return 0, io.EOF
	}
	for i := range n {
		p[i] = longRow[(at+int64(i))%int64(len(longRow))]
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// TestRowsMemory streams a table that is much larger than the memory it may take.
func TestRowsMemory(t *testing.T) {
	const rows = 400_000
	size := int64(rows * len(longRow)) // 18 MiB
	e := parse.Engine{Limits: parse.Limits{Input: size}}
	tree, err := e.Parse(t.Context(), parse.Source{Name: "a.csv", Data: long{size: size}, Size: size}, &parse.Options{Stream: true})
	if err != nil {
		t.Fatal(err)
	}
	live := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, most, n := live(), uint64(0), 0
	for tr, err := range tree.Rows(t.Context(), tableOf(t, tree)) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n%50_000 == 0 {
			most = max(most, live())
			if tr.FirstChild.FirstChild.Data != "The duck" {
				t.Fatalf("row %d begins with %q", n, tr.FirstChild.FirstChild.Data)
			}
		}
	}
	if n != rows {
		t.Errorf("%d rows, want %d", n, rows)
	}
	if most > before+8<<20 {
		t.Errorf("%d bytes are live while %d are streamed", most-before, size)
	}
}

// TestRowsErrors ends streams by their context and by errors of their sources.
func TestRowsErrors(t *testing.T) {
	size := int64(100_000 * len(longRow))
	parsed := func(l long) *parse.Tree {
		tree, err := new(parse.Engine).Parse(t.Context(), parse.Source{Name: "a.csv", Data: l, Size: size}, &parse.Options{Kind: parse.CSV, Stream: true})
		if err != nil {
			t.Fatal(err)
		}
		return tree
	}
	tree := parsed(long{size: size})
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	var ended error
	n := 0
	for tr, err := range tree.Rows(ctx, tableOf(t, tree)) {
		if n++; tr == nil {
			ended = err
			break
		}
		if n == 10 {
			stop(errStopped)
		}
	}
	if !errors.Is(ended, errStopped) || n > 10_000 {
		t.Errorf("%d rows after the end: %v", n, ended)
	}
	tree = parsed(long{size: size, fails: 3 << 20})
	ended = nil
	for tr, err := range tree.Rows(t.Context(), tableOf(t, tree)) {
		if tr == nil {
			ended = err
		}
	}
	if !errors.Is(ended, errBroken) {
		t.Errorf("a source that fails: %v", ended)
	}
	e := parse.Engine{Limits: parse.Limits{Input: 1000}}
	if _, err := e.Parse(t.Context(), parse.Source{Name: "a.csv", Data: long{size: size}, Size: size}, &parse.Options{Stream: true}); !errors.Is(err, parse.ErrLimit) {
		t.Errorf("over the limit of the input: %v", err)
	}
}

// ExampleTree_Rows adds up a column of a table of any size.
func ExampleTree_Rows() {
	const data = "bird,cm\ncurlew,55\nwhimbrel,42\n"
	src := parse.Source{Name: "birds.csv", Data: strings.NewReader(data), Size: int64(len(data))}
	tree, err := new(parse.Engine).Parse(context.Background(), src, &parse.Options{Stream: true})
	if err != nil {
		panic(err)
	}
	for n := range tree.Root.Descendants() {
		if n.DataAtom != atom.Table {
			continue
		}
		for tr, err := range tree.Rows(context.Background(), n) {
			if err != nil {
				panic(err)
			}
			fmt.Println(tr.FirstChild.FirstChild.Data, tr.LastChild.FirstChild.Data)
		}
	}
	// Output:
	// bird cm
	// curlew 55
	// whimbrel 42
}
