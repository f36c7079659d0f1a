// SPDX-License-Identifier: Apache-2.0

package sheet_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/test/leak"
	"example.com/curlew/parse/internal/sheet"
)

func TestMain(m *testing.M) { leak.Main(m) }

func book() *sheet.Book {
	b := &sheet.Book{Doc: &doctree.Document{}, Nodes: 100_000}
	b.Begin("xlsx")
	return b
}

// lay fills a sheet from lines of cells separated by vertical bars and returns
// the HTML of its content. A cell of digits is a number.
func lay(t *testing.T, lines []string, more func(s *sheet.Sheet)) string {
	t.Helper()
	b := book()
	s := b.Sheet(1, "")
	for r, line := range lines {
		s.Row(r, false)
		for c, cell := range strings.Split(line, "|") {
			kind := sheet.Text
			if cell != "" && strings.Trim(cell, "0123456789") == "" {
				kind = sheet.Number
			}
			s.Cell(c, kind, []byte(cell))
		}
	}
	if more != nil {
		more(s)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for n := range s.Node.ChildNodes() {
		if err := html.Render(&out, n); err != nil {
			t.Fatal(err)
		}
	}
	return strings.ReplaceAll(out.String(), ` data-table="sheet"`, "")
}

func TestBlocks(t *testing.T) {
	for _, c := range []struct{ what, cells, want string }{
		{"nothing", "", ""},
		{"one", "|a", "<p>a</p>"},
		{"head", "a|b;1|2", `<table data-ref="A1:B2"><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>`},
		{"no head", "1|2;3|4", `<table data-ref="A1:B2"><tbody><tr><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></tbody></table>`},
		{"rows apart", "1|2;;;3|4", `<table data-ref="A1:B1"><tbody><tr><td>1</td><td>2</td></tr></tbody></table><table data-ref="A4:B4"><tbody><tr><td>3</td><td>4</td></tr></tbody></table>`},
		{"a row between", "1|2;;3|4", `<table data-ref="A1:B3"><tbody><tr><td>1</td><td>2</td></tr><tr data-row="3"><td>3</td><td>4</td></tr></tbody></table>`},
		{"a new head", "1|2;;a|b;3|4", `<table data-ref="A1:B1"><tbody><tr><td>1</td><td>2</td></tr></tbody></table><table data-ref="A3:B4"><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>3</td><td>4</td></tr></tbody></table>`},
		{"columns apart", "1|2|||3|4", `<table data-ref="A1:B1"><tbody><tr><td>1</td><td>2</td></tr></tbody></table><table data-ref="E1:F1"><tbody><tr><td>3</td><td>4</td></tr></tbody></table>`},
		{"label and value apart", "a||||1;b||||2", `<table data-ref="A1:E2"><tbody><tr><td>a</td><td></td><td></td><td></td><td>1</td></tr><tr><td>b</td><td></td><td></td><td></td><td>2</td></tr></tbody></table>`},
		{"values apart", "1|2|||3|||4", `<table data-ref="A1:H1"><tbody><tr><td>1</td><td>2</td><td></td><td></td><td>3</td><td></td><td></td><td>4</td></tr></tbody></table>`},
		{"columns of other rows", "1|2;3|4;||||5", `<table data-ref="A1:B2"><tbody><tr><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></tbody></table><p>5</p>`},
		{"lines", "a\rb\r\nc", `<p>a<br/>b<br/>c</p>`},
		{"far apart", "1" + strings.Repeat("|", 14) + "2", `<p>1</p><p>2</p>`},
		{"a column between", "1||3", `<table data-ref="A1:C1"><tbody><tr><td>1</td><td></td><td>3</td></tr></tbody></table>`},
		{"caption", "Title;a|b;1|2", `<table data-ref="A2:B3"><caption>Title</caption><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>`},
		{"a note", "a|b;c|2;;Source: d", `<table data-ref="A1:B2"><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>c</td><td>2</td></tr></tbody></table><p>Source: d</p>`},
		{"two notes", "a|b;c|2;;Source: d;;e", `<table data-ref="A1:B2"><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>c</td><td>2</td></tr></tbody></table><p>Source: d</p><p>e</p>`},
		{"a label that is no note", "a|b;c|2;;d", `<table data-ref="A1:B4"><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>c</td><td>2</td></tr><tr data-row="4"><td>d</td><td></td></tr></tbody></table>`},
		{"a label of more rows", "a|b;c|2;;South and west;d|3", `<table data-ref="A1:B5"><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>c</td><td>2</td></tr><tr data-row="4"><td>South and west</td><td></td></tr><tr><td>d</td><td>3</td></tr></tbody></table>`},
		{"a table behind the note", "a|b;c|2;;Source: d;;;1|2", `<table data-ref="A1:B2"><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>c</td><td>2</td></tr></tbody></table><p>Source: d</p><table data-ref="A7:B7"><tbody><tr><td>1</td><td>2</td></tr></tbody></table>`},
		{"corner to corner", "1|2;||3|4", `<table data-ref="A1:B1"><tbody><tr><td>1</td><td>2</td></tr></tbody></table><table data-ref="C2:D2"><tbody><tr><td>3</td><td>4</td></tr></tbody></table>`},
	} {
		if got := lay(t, strings.Split(c.cells, ";"), nil); got != c.want {
			t.Errorf("%s: %s\nwant %s", c.what, got, c.want)
		}
	}
}

func TestOverlay(t *testing.T) {
	rect := func(ref string) sheet.Range {
		r, ok := sheet.ParseRange(ref)
		if !ok {
			t.Fatal(ref)
		}
		return r
	}
	got := lay(t, []string{"a||c", "1|2|3", "4||6"}, func(s *sheet.Sheet) {
		s.Merge(rect("A1:B1"))
		s.Merge(rect("B2:B9"))
		s.Link(rect("C2"), "https://example.com/")
	})
	want := `<table data-ref="A1:C3"><thead><tr><th colspan="2">a</th><th>c</th></tr></thead><tbody><tr><td>1</td><td rowspan="2">2</td><td><a href="https://example.com/">3</a></td></tr><tr><td>4</td><td>6</td></tr></tbody></table>`
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	got = lay(t, []string{"x|a|b|y", "x|1|2|y"}, func(s *sheet.Sheet) { s.Table(rect("B1:C2"), true) })
	if !strings.Contains(got, `<table data-ref="B1:C2"><thead><tr><th>a</th><th>b</th></tr></thead>`) || strings.Count(got, ">a<") != 1 {
		t.Errorf("declared table: %s", got)
	}
}

// TestHeads reads headers of several rows, and tables that begin one empty
// row below other content.
func TestHeads(t *testing.T) {
	for _, c := range []struct{ what, cells, merges, want string }{
		{
			"merged down and across", "a||b|c|;||d|e|f;x|y|1|2|3", "A1:B2 C1:C1 D1:E1",
			`<table data-ref="A1:E3"><thead><tr><th colspan="2" rowspan="2">a</th><th>b</th><th colspan="2">c</th></tr><tr><th>d</th><th>e</th><th>f</th></tr></thead><tbody><tr><td>x</td><td>y</td><td>1</td><td>2</td><td>3</td></tr></tbody></table>`,
		},
		{
			"merged across", "a||b;c|d|e;1|2|3", "A1:B1",
			`<table data-ref="A1:C3"><thead><tr><th colspan="2">a</th><th>b</th></tr><tr><th>c</th><th>d</th><th>e</th></tr></thead><tbody><tr><td>1</td><td>2</td><td>3</td></tr></tbody></table>`,
		},
		{
			"texts below texts", "a||b;c|d|e;f|g|h", "A1:B1",
			`<table data-ref="A1:C3"><thead><tr><th colspan="2">a</th><th>b</th></tr></thead><tbody><tr><td>c</td><td>d</td><td>e</td></tr><tr><td>f</td><td>g</td><td>h</td></tr></tbody></table>`,
		},
		{
			"merged down over values", "a|b;|1;|2", "A1:A3",
			`<table data-ref="A1:B3"><tbody><tr><td rowspan="3">a</td><td>b</td></tr><tr><td>1</td></tr><tr><td>2</td></tr></tbody></table>`,
		},
		{
			"a wider head", "a|b;;c|d|e;1|2|3", "",
			`<table data-ref="A1:B1"><tbody><tr><td>a</td><td>b</td></tr></tbody></table><table data-ref="A3:C4"><thead><tr><th>c</th><th>d</th><th>e</th></tr></thead><tbody><tr><td>1</td><td>2</td><td>3</td></tr></tbody></table>`,
		},
		{
			"a head of two rows", "a|1;;c|d|;|e|f;x|2|3", "A3:A4 B3:C3",
			`<table data-ref="A1:B1"><tbody><tr><td>a</td><td>1</td></tr></tbody></table><table data-ref="A3:C5"><thead><tr><th rowspan="2">c</th><th colspan="2">d</th></tr><tr><th>e</th><th>f</th></tr></thead><tbody><tr><td>x</td><td>2</td><td>3</td></tr></tbody></table>`,
		},
		{
			"a wide title above one row", "Title||;a|1", "A1:C1",
			`<table data-ref="A2:B2"><caption>Title</caption><tbody><tr><td>a</td><td>1</td></tr></tbody></table>`,
		},
	} {
		got := lay(t, strings.Split(c.cells, ";"), func(s *sheet.Sheet) {
			for ref := range strings.FieldsSeq(c.merges) {
				r, ok := sheet.ParseRange(ref)
				if !ok {
					t.Fatal(ref)
				}
				s.Merge(r)
			}
		})
		if got != c.want {
			t.Errorf("%s: %s\nwant %s", c.what, got, c.want)
		}
	}
}

// TestHiddenGaps checks that hidden rows between others do not divide a
// table.
func TestHiddenGaps(t *testing.T) {
	got := lay(t, []string{"a", "b", "c", "", "e", "", "", "h"}, func(s *sheet.Sheet) {
		s.HideRows(1, 1)
		s.HideRows(3, 3)
		s.HideRows(6, 6)
	})
	want := `<table data-ref="A1:A5"><thead><tr><th>a</th></tr></thead><tbody><tr data-row="3"><td>c</td></tr><tr data-row="5"><td>e</td></tr></tbody></table><p>h</p>`
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// TestHiddenMerges reads merged ranges that begin in hidden rows or columns.
// The text is shown in the first visible cell.
func TestHiddenMerges(t *testing.T) {
	for _, c := range []struct{ what, cells, rows, columns, merges, want string }{
		{"column", "a|b|c;m||3;4|5|6", "", "A", "A2:B2", "<tr><th>b</th><th>c</th></tr>;<tr><td>m</td><td>3</td></tr>;<tr><td>5</td><td>6</td></tr>"},
		{"two of three", "a|b|c|d;m|||3", "", "A", "A2:C2", `<tr><th>b</th><th>c</th><th>d</th></tr>;<tr><td colspan="2">m</td><td>3</td></tr>`},
		{"row", "a|b;m|2;|4;5|6", "2", "", "A2:A3", `<tr><th>a</th><th>b</th></tr>;<tr data-row="3"><td>m</td><td>4</td></tr>;<tr><td>5</td><td>6</td></tr>`},
		{"row of nothing but it", "a|b;m;;4|5", "2", "", "A2:A3", `<tr><th>a</th><th>b</th></tr>;<tr data-row="3"><td>m</td><td></td></tr>;<tr><td>4</td><td>5</td></tr>`},
		{"hidden rows without cells", "1|2;m|;|;|6;7|8", "2 3", "", "A2:A5", `<tr><td>1</td><td>2</td></tr>;<tr data-row="4"><td rowspan="2">m</td><td>6</td></tr>;<tr><td>8</td></tr>`},
		{"corner", "m||3;4||6;7|8|9", "1", "A", "A1:B2", "<tr><td>m</td><td>6</td></tr>;<tr><td>8</td><td>9</td></tr>"},
		{"over what it covers", "a|b;m|under", "", "A", "A2:B2", "<tr><th>b</th></tr>;<tr><td>m</td></tr>"},
		{"nothing over it", "a|b;|stays", "", "A", "A2:B2", "<tr><th>b</th></tr>;<tr><td>stays</td></tr>"},
		{"all hidden", "a|b|c;m||3", "", "A B", "A2:B2", "<tr><th>c</th></tr>;<tr><td>3</td></tr>"},
		{"behind the last row", "1|2;3|4;m", "3", "", "A3:A4", `<tr><td>1</td><td>2</td></tr>;<tr><td>3</td><td>4</td></tr>;<tr data-row="4"><td>m</td><td></td></tr>`},
		{"two in a row", "a|b|c|d;m|||n", "1", "A D", "A2:B2 D2:E2", "<tr><td>m</td><td></td><td>n</td></tr>"},
		{"one over another", "a|b;m|n|", "", "A B", "A2:C2 B2:C2", "<p>m</p>"},
	} {
		b := book()
		s := b.Sheet(1, "")
		for ref := range strings.FieldsSeq(c.columns) {
			column := int(ref[0] - 'A')
			s.HideColumns(column, column)
		}
		for r, line := range strings.Split(c.cells, ";") {
			s.Row(r, strings.Contains(c.rows, string(rune('1'+r))))
			for column, cell := range strings.Split(line, "|") {
				kind := sheet.Text
				if strings.Trim(cell, "0123456789") == "" {
					kind = sheet.Number
				}
				s.Cell(column, kind, []byte(cell))
			}
		}
		for ref := range strings.FieldsSeq(c.merges) {
			r, ok := sheet.ParseRange(ref)
			if !ok {
				t.Fatal(ref)
			}
			s.Merge(r)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		var rows []string
		for n := range s.Node.Descendants() {
			if n.Data == "tr" || n.Data == "p" {
				var out strings.Builder
				if err := html.Render(&out, n); err != nil {
					t.Fatal(err)
				}
				rows = append(rows, out.String())
			}
		}
		if got := strings.Join(rows, ";"); got != c.want {
			t.Errorf("%s: %s\nwant %s", c.what, got, c.want)
		}
	}
}

// TestHiddenOverlay reads a link and a comment of a merged range that begins
// in a hidden column, and cells in any order.
func TestHiddenOverlay(t *testing.T) {
	b := book()
	s := b.Sheet(1, "")
	s.HideColumns(0, 0)
	s.HideRows(7, 9)
	for _, row := range []int{8, 3, 2} {
		s.Row(row, false)
		s.Cell(2, sheet.Text, []byte("c"))
		s.Cell(0, sheet.Text, []byte("m"))
		s.Cell(0, sheet.Text, []byte("again"))
	}
	s.Merge(sheet.Range{Row: 2, LastRow: 3, LastColumn: 1})
	s.Merge(sheet.Range{Row: 8, LastRow: 1<<20 - 1, LastColumn: 1<<14 - 1})
	s.Link(sheet.Range{Row: 2, LastRow: 2}, "https://example.com/")
	s.Comment(2, 0, "", "", "why")
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := html.Render(&out, s.Node); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<td rowspan="2"><a href="https://example.com/">m</a><sup>`, `<p>m</p>`,
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s\nlacks %s", out.String(), want)
		}
	}
	if strings.Contains(out.String(), "again") {
		t.Error(out.String())
	}
}

// TestShared repeats a shared text beyond the limit. The rows beyond it are counted.
func TestShared(t *testing.T) {
	b := book()
	b.Strings.Add([]byte(strings.Repeat("x", 1<<20)))
	s := b.Sheet(1, "S")
	for r := range 100 {
		s.Row(r, false)
		s.Shared(0, sheet.Text, 0)
		s.Shared(1, sheet.Text, 1) // does not exist
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.End()
	rows := 0
	for n := range s.Node.Descendants() {
		if n.DataAtom == atom.Tr {
			rows++
		}
	}
	want := "The workbook is too large. 37 of its 100 rows with cells were left out."
	if rows != 63 || len(b.Doc.Warnings) != 1 || b.Doc.Warnings[0].Text != want {
		t.Errorf("%d rows, %v", rows, b.Doc.Warnings)
	}
}

// TestMissingText counts the cells whose shared text the workbook does not
// have.
func TestMissingText(t *testing.T) {
	b := book()
	b.Strings.Add([]byte("there"))
	s := b.Sheet(1, "S")
	s.Row(0, false)
	for i := range 4 {
		s.SharedText(i, 0, i-1)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.End()
	if len(b.Doc.Warnings) != 1 || b.Doc.Warnings[0].Code != "part-unreadable" || !strings.HasPrefix(b.Doc.Warnings[0].Text, "3 cells refer to texts that the file does not have") {
		t.Errorf("warnings: %v", b.Doc.Warnings)
	}
}

// TestThreads reads comments with replies, and the copy of a thread.
func TestThreads(t *testing.T) {
	const notice = "[Unterhaltung]\n\nIhre Version: https://go.microsoft.com/fwlink/?linkid=870924\n\n"
	b := book()
	s := b.Sheet(1, "")
	s.Row(0, false)
	s.Cell(0, sheet.Text, []byte("x"))
	s.Comment(0, 0, "Ann", "2024-01-02", "Why?")
	s.Comment(0, 1, "tc={1}", "", notice+"Kommentar:\n    One\n    more\nAntwort:\n    Two\n")
	s.Reply(0, 0, "Bo", "", "Because.\nOf that.")
	s.Reply(7, 7, "Bo", "", "to nothing")
	s.Comment(8, 8, "", "", notice)
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.End()
	var out strings.Builder
	if err := html.Render(&out, b.Body.LastChild); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<p><strong>Ann</strong> (2024-01-02): Why?</p><ul><li data-author="Bo"><strong>Bo</strong>: Because.<br/>Of that.</li></ul></li>`,
		`<p>One<br/>more</p><ul><li>Two</li></ul></li>`,
		`<p><strong>Bo</strong>: to nothing</p></li>`,
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s\nlacks %s", out.String(), want)
		}
	}
	if n := strings.Count(out.String(), "doc-footnote"); n != 4 {
		t.Errorf("%d comments: %s", n, out.String())
	}
}

// TestClean reads texts with characters that a tree must not have.
func TestClean(t *testing.T) {
	got := lay(t, []string{"a\x1fb\x1e\x00c\r", "\xff", "\x01"}, nil)
	want := `<table data-ref="A1:A2"><thead><tr><th>abc</th></tr></thead><tbody><tr><td>` + "\uFFFD" + `</td></tr></tbody></table>`
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestRange(t *testing.T) {
	for ref, want := range map[string]string{
		"A1": "A1", "B3:F40": "B3:F40", "$B$3:$F$40": "B3:F40", "Sheet1!A1:B2": "A1:B2", "XFD1048576": "XFD1048576", "a1": "A1",
		"": "", "A": "", "1": "", "A0": "", "XFE1": "", "A1048577": "", "B2:A1": "", "A1:": "", "AAAAAAAAAAAAAAAAA1": "", "A99999999999999999999": "", "A-1": "",
	} {
		r, ok := sheet.ParseRange(ref)
		if got := r.String(); ok != (want != "") || ok && got != want {
			t.Errorf("ParseRange(%q) = %s, %v", ref, got, ok)
		}
	}
}

// TestStrings reads back shared texts of all lengths around that of a chunk.
func TestStrings(t *testing.T) {
	const chunkSize = 1 << 20
	var s sheet.Strings
	var want []string
	for i, n := range []int{0, 3, chunkSize - 3, 0, 1, chunkSize, 0, 0, chunkSize + 5, 2, chunkSize - 1, 1, 1, 3 * chunkSize, 0, 7} {
		text := strings.Repeat(string(rune('a'+i)), n)
		want = append(want, text)
		s.Add([]byte(text))
	}
	for i, text := range want {
		if got := s.At(i); got != text {
			t.Errorf("text %d has %d bytes, want %d", i, len(got), len(text))
		}
	}
	if s.At(-1) != "" || s.At(len(want)) != "" {
		t.Error("there are more texts than were added")
	}
}

// TestFullStrings adds more texts than are kept. Those that are used are kept when all are
// added again.
func TestFullStrings(t *testing.T) {
	var s sheet.Strings
	long := []byte(strings.Repeat("x", 1<<20))
	add := func() {
		for i := range 60 {
			long[0] = byte('A' + i)
			s.Add(long)
		}
	}
	if add(); !s.Full() || !s.Has(0) || s.Has(55) {
		t.Errorf("full %v, text 0 %v, text 55 %v", s.Full(), s.Has(0), s.Has(55))
	}
	for _, i := range []int{55, 2, -1, 60} {
		if !s.Use(i) {
			t.Errorf("no room for text %d", i)
		}
	}
	s.Again()
	if add(); s.Full() || s.Has(0) || !s.Has(2) || !s.Has(55) || s.At(55)[0] != 'A'+55 || s.At(2)[0] != 'C' || s.At(3) != "" {
		t.Errorf("full %v, text 0 %v, text 2 %v, text 55 %v", s.Full(), s.Has(0), s.Has(2), s.Has(55))
	}
	room := 0
	for s.Use(55) {
		if room++; room > 100 {
			t.Fatal("room for any number of texts")
		}
	}
}

// TestSkip counts sheets that are left out, also if no other limit is reached.
func TestSkip(t *testing.T) {
	b := &sheet.Book{Doc: &doctree.Document{}, Nodes: 100_000}
	b.Begin("xlsx")
	b.Skip(1)
	b.Skip(2)
	b.End()
	if len(b.Doc.Warnings) != 1 || b.Doc.Warnings[0].Text != "The workbook is too large. 3 sheets were not read." {
		t.Errorf("warnings = %+v", b.Doc.Warnings)
	}
}

// TestMargins reads printed headers without the codes for fonts and fields.
func TestMargins(t *testing.T) {
	for _, c := range []struct{ code, want string }{
		{`&LLeft &"Arial,Bold"&12text&CR&&D report&RRight`, `<p>Left text</p><p>R&amp;D report</p><p>Right</p>`},
		{`&CPage &P of &N&RReport of the year &P`, `<p>Report of the year</p>`},
		{`&L&D&C&P/&N&R&F`, ``},
		{`&K00-034Cut&KFF0000Red&`, `<p>CutRed&amp;</p>`},
		{`&"no end`, ``},
		{``, ``},
	} {
		want := c.want
		if want != "" {
			want = `<header data-role="running">` + want + `</header>`
		}
		if got := lay(t, nil, func(s *sheet.Sheet) { s.Header(c.code); s.Header(c.code) }); got != want {
			t.Errorf("%s: %s, want %s", c.code, got, want)
		}
	}
}

// TestGridPieces reads a table whose text is longer than several pieces of a grid.
// Its cells are freed while it is written, unless something else needs them: a table
// beside it, a link, or rows out of order.
func TestGridPieces(t *testing.T) {
	const rows, columns = 5100, 20
	text := func(row, column int) string {
		return fmt.Sprintf("text %d of a long row %d %s", column, row, strings.Repeat("x", row%40))
	}
	for _, c := range []struct {
		what string
		more func(s *sheet.Sheet)
		want int // grids
	}{
		{"a table", func(*sheet.Sheet) {}, 1},
		{"a table with a caption", nil, 1},
		{"a link", func(s *sheet.Sheet) { s.Link(sheet.Range{Row: 1, LastRow: 1}, "https://a.test/") }, 1},
		{"a declared table", func(s *sheet.Sheet) { s.Table(sheet.Range{Row: 0, LastRow: rows, Column: 0, LastColumn: 9}, true) }, 2},
		{"rows out of order", func(s *sheet.Sheet) { s.Row(3, false); s.Cell(0, sheet.Text, []byte("again")) }, 1},
	} {
		b := book()
		s := b.Sheet(1, "Long")
		first := 0
		if c.more == nil {
			s.Row(0, false)
			s.Cell(0, sheet.Text, []byte("About"))
			first = 1
		}
		for row := range rows {
			s.Row(first+row, false)
			for column := range columns {
				s.Cell(column, sheet.Text, []byte(text(row, column)))
			}
		}
		if c.more != nil {
			c.more(s)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		grids, cells, pieces := 0, 0, 0
		for n := range s.Node.Descendants() {
			g, ok := doctree.GridOf(n)
			if !ok {
				continue
			}
			grids++
			row := 0
			for line := range g.Rows() {
				at := 0
				for cell := range doctree.Cells(line) {
					if cell != text(row, at+columns-g.Columns) && cell != text(row, at) {
						t.Fatalf("%s: row %d has the cell %q", c.what, row, cell)
					}
					at++
					cells++
				}
				row++
			}
			for range n.LastChild.ChildNodes() {
				pieces++
			}
		}
		if grids != c.want || cells != rows*columns || pieces < 4 {
			t.Errorf("%s: %d grids of %d pieces with %d cells", c.what, grids, pieces, cells)
		}
	}
}

// TestGridGaps reads large tables whose rows have gaps, begin late, or end early. The
// text of a row as it is stored is that of a grid only if the table begins in column A
// and no gap is large.
func TestGridGaps(t *testing.T) {
	const rows, columns = 1200, 90
	for _, c := range []struct {
		what  string
		first int // column
		has   func(row, column int) bool
	}{
		{"all cells", 0, func(int, int) bool { return true }},
		{"column B", 1, func(int, int) bool { return true }},
		{"blank first cells", 0, func(row, column int) bool { return row%3 == 0 || column > row%7 }},
		{"short rows", 0, func(row, column int) bool { return column == 0 || column < row%(columns+1) }},
		{"small gaps", 0, func(row, column int) bool { return (row*7+column*3)%5 != 0 }},
		{"large gaps", 0, func(row, column int) bool { return row%2 == 0 || column < 3 || column > 80 }},
	} {
		b := book()
		s := b.Sheet(1, "Gaps")
		want := make([]string, rows)
		for row := range rows {
			s.Row(row, false)
			var line []string
			for column := range columns {
				if c.has(row, column) {
					cell := fmt.Sprintf("%d:%d", row, column)
					s.Cell(c.first+column, sheet.Text, []byte(cell))
					for len(line) < column {
						line = append(line, "")
					}
					line = append(line, cell)
				}
			}
			want[row] = strings.Join(line, string(doctree.GridEnd))
		}
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		row := 0
		for n := range s.Node.Descendants() {
			g, ok := doctree.GridOf(n)
			if !ok {
				continue
			}
			for line := range g.Rows() {
				if row == rows || line != want[row] {
					t.Fatalf("%s: row %d is %q, want %q", c.what, row, line, want[min(row, rows-1)])
				}
				row++
			}
		}
		if row != rows {
			t.Errorf("%s: %d rows", c.what, row)
		}
	}
}
