// SPDX-License-Identifier: Apache-2.0

package xls_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/test/cfbtest"
	"example.com/curlew/internal/test/doctreetest"
	"example.com/curlew/internal/test/golden"
	"example.com/curlew/internal/test/leak"
	"example.com/curlew/parse/internal/cfb"
	"example.com/curlew/parse/internal/embedded"
	"example.com/curlew/parse/internal/xls"
)

func TestMain(m *testing.M) { leak.Main(m) }

// rec returns a record with the values joined by [cfbtest.Bytes].
func rec(id uint16, values ...any) []byte {
	b := cfbtest.Bytes(values...)
	head := binary.LittleEndian.AppendUint16(nil, id)
	return append(binary.LittleEndian.AppendUint16(head, uint16(len(b))), b...)
}

// str returns a BIFF8 text with a 16-bit length; its characters are wide if
// necessary.
func str(s string) string {
	units := utf16.Encode([]rune(s))
	b := binary.LittleEndian.AppendUint16(nil, uint16(len(units)))
	return string(b) + chars(s)
}

// chars returns the width flag and the characters of a text.
func chars(s string) string {
	for _, r := range s {
		if r > 0xFF {
			return "\x01" + cfbtest.Wide(s)
		}
	}
	var b []byte
	for _, r := range s {
		b = append(b, byte(r))
	}
	return "\x00" + string(b)
}

type sheetOf struct {
	name    string
	options int // visibility and type
	records [][]byte
}

// workbook returns the stream of a workbook.
func workbook(version int, globals [][]byte, sheets ...sheetOf) []byte {
	head := rec(0x809, version, 5, 0, 0, uint32(0), uint32(0))
	size := len(head) + 4
	for _, g := range globals {
		size += len(g)
	}
	name := func(s string) string {
		if version < 0x600 {
			return string([]byte{byte(len(s))}) + s
		}
		return string([]byte{byte(len([]rune(s)))}) + chars(s)
	}
	for _, s := range sheets {
		size += len(rec(0x85, uint32(0), s.options, name(s.name)))
	}
	var list, body []byte
	for _, s := range sheets {
		list = append(list, rec(0x85, uint32(size+len(body)), s.options, name(s.name))...)
		kind := 0x10
		if s.options>>8 == 2 {
			kind = 0x20
		}
		body = append(body, rec(0x809, version, kind, 0, 0, uint32(0), uint32(0))...)
		for _, r := range s.records {
			body = append(body, r...)
		}
		body = append(body, rec(0x0A)...)
	}
	out := head
	for _, g := range globals {
		out = append(out, g...)
	}
	out = append(append(out, list...), rec(0x0A)...)
	return append(out, body...)
}

func pack(stream []byte) []byte {
	return cfbtest.Pack(cfbtest.Stream{Name: "Workbook", Data: stream},
		cfbtest.Stream{Name: "\x05SummaryInformation", Data: cfbtest.Summary(map[uint32]any{2: "Ducks", 4: "Anna"})})
}

func read(t testing.TB, data []byte) *doctree.Document {
	t.Helper()
	d, err := xls.Read(t.Context(), data, xls.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// book returns a workbook with one element of every kind.
func book() []byte {
	globals := [][]byte{
		rec(0x42, 1200), rec(0x22, 0), rec(0x41E, 164, str("0.00\"€\"")),
		rec(0xE0, 0, 0), rec(0xE0, 0, 14), rec(0xE0, 0, 164), rec(0xE0, 0, 9), // General, a date, euros, percent
		// The third text is cut twice and continues with other widths. The
		// fourth has runs and other optional data.
		rec(0xFC, uint32(5), uint32(5), str("Name"), str("Café Σ"), 10, byte(0), "abc"),
		rec(0x3C, byte(1), cfbtest.Wide("dΣf")),
		rec(0x3C, byte(0), "ghij", 3, byte(0x0C), 1, uint32(4), "xyz", 0, 0, "\xFF\xFF\xFF\xFF", str("last")),
	}
	link := rec(0x1B8, 1, 1, 0, 0, strings.Repeat("g", 16), uint32(2), uint32(3),
		"\xE0\xC9\xEA\x79\xF9\xBA\xCE\x11\x8C\x82\x00\xAA\x00\x4B\xA9\x0B", uint32(2*len("https://a.example/")+2), cfbtest.Wide("https://a.example/\x00"))
	data := sheetOf{"Data Σ", 0, [][]byte{
		rec(0x7D, 5, 5, 0, 0, 1, 0), rec(0x208, 4, 0, 0, 0, 0, 0, 0x20, 0),
		rec(0xFD, 0, 0, 0, uint32(0)), rec(0xFD, 0, 1, 0, uint32(3)), rec(0x204, 0, 2, 0, str("Day")), rec(0xFD, 0, 3, 0, uint32(4)),
		rec(0xFD, 1, 0, 0, uint32(1)), rec(0x203, 1, 1, 2, 12.5), rec(0x27E, 1, 2, 1, uint32(45000<<2|2)), rec(0x27E, 1, 3, 3, uint32(2500<<2|3)),
		rec(0xFD, 2, 0, 0, uint32(2)), rec(0xBD, 2, 1, 2, uint32(300<<2|2), 1, uint32(45001<<2|2), 2),
		rec(0x06, 2, 3, 0, 0.5, 0, uint32(0)),
		rec(0x06, 3, 0, 0, byte(0), "\x00\x00\x00\x00\x00", 0xFFFF, 0, uint32(0)), rec(0x207, str("shown")),
		rec(0x06, 3, 1, 0, byte(1), byte(0), byte(1), "\x00\x00\x00", 0xFFFF, 0, uint32(0)),
		rec(0x06, 3, 2, 0, byte(2), byte(0), byte(7), "\x00\x00\x00", 0xFFFF, 0, uint32(0)),
		rec(0x205, 3, 3, 0, byte(0x2A), byte(1)), rec(0x203, 3, 5, 0, 99.0), rec(0x203, 4, 0, 0, 98.0),
		rec(0xE5, 1, 5, 5, 0, 1), rec(0xFD, 5, 0, 0, uint32(1)), rec(0x205, 5, 2, 0, byte(0), byte(0)),
		link,
		rec(0x5D, 0x15, 18, 0x19, 1, strings.Repeat("\x00", 14)), rec(0x1B6, strings.Repeat("\x00", 10), 10, 16, uint32(0)), rec(0x3C, chars("Anna:\nWhy\x00")), rec(0x3C, 0, 0),
		rec(0x1C, 1, 1, 0, 1, str("Anna")),
		rec(0x5D, 0x15, 18, 6, 2, strings.Repeat("\x00", 14)), rec(0x1B6, strings.Repeat("\x00", 10), 5, 16, uint32(0)), rec(0x3C, chars("A box")), rec(0x3C, 0, 0),
	}}
	return pack(workbook(0x600, globals, data, sheetOf{"Hidden", 1, [][]byte{rec(0x203, 0, 0, 0, 7.0)}}, sheetOf{"Chart", 0x200, drawn(0x600)}))
}

func TestGolden(t *testing.T) {
	d := read(t, book())
	golden.Check(t, "testdata/book.html", []byte(doctreetest.Show(t, d)))
	if d.Meta.Title != "Ducks" || d.Meta.Author != "Anna" || d.Meta.TotalPages != 3 || d.Meta.Pages != 2 {
		t.Errorf("%+v", d.Meta)
	}
}

// TestGuides counts the phonetic guides of texts.
func TestGuides(t *testing.T) {
	text := func(guide string, count int) string {
		more := string(cfbtest.Bytes(1, 10+len(guide), 0, 0, 0, count, count, guide))
		return string(cfbtest.Bytes(1, byte(5), uint32(len(more)))) + cfbtest.Wide("京") + more
	}
	globals := [][]byte{rec(0x42, 1200), rec(0xFC, uint32(3), uint32(3), text(cfbtest.Wide("きょう"), 3), text("", 0), str("last"))}
	d := read(t, pack(workbook(0x600, globals, sheetOf{"S", 0, [][]byte{rec(0xFD, 0, 0, 0, uint32(0)), rec(0xFD, 1, 0, 0, uint32(2))}})))
	if len(d.Warnings) != 1 || d.Warnings[0].Text != "Phonetic guides, which say how a text is read aloud, were left out at 1 place." {
		t.Errorf("warnings %v", d.Warnings)
	}
	if got := doctreetest.Show(t, d); !strings.Contains(got, "last") {
		t.Error(got)
	}
}

// TestHiddenMerge reads a merged range that begins in a hidden row and
// column, and a hidden row without cells.
func TestHiddenMerge(t *testing.T) {
	got := doctreetest.Show(t, read(t, pack(workbook(0x600, nil, sheetOf{"S", 0, [][]byte{
		rec(0x7D, 0, 0, 0, 0, 1, 0), rec(0x208, 0, 0, 0, 0, 0, 0, 0x20, 0), rec(0x208, 1, 0, 0, 0, 0, 0, 0x20, 0),
		rec(0x204, 0, 0, 0, str("merged")), rec(0x203, 0, 2, 0, 7.0), rec(0x203, 2, 2, 0, 8.0), rec(0xE5, 1, 0, 2, 0, 1),
	}}))))
	if want := "<tr><td>merged</td><td>8</td></tr>"; !strings.Contains(got, want) || strings.Contains(got, "7") {
		t.Errorf("%s\nlacks %s", got, want)
	}
}

// TestFormulaLinks reads formulas that make a link, and similar ones that do
// not.
func TestFormulaLinks(t *testing.T) {
	text := func(s string) string { return "\x17" + string([]byte{byte(len([]rune(s)))}) + chars(s) }
	call := func(n int) string { return "\x42" + string([]byte{byte(n)}) + "\x67\x01" }
	const site, cell, joined = "https://a.example/Σ", "\x44\x00\x00\x01\xC0", "\x08"
	const want = `<a href="https://a.example/Σ">5</a>`
	for _, c := range []struct{ what, tokens, want string }{
		{"alone", text(site) + call(1), want},
		{"with a text", text(site) + text("shown") + call(2), want},
		{"with a cell", text(site) + cell + call(2), want},
		{"with a number", text(site) + "\x1E\x05\x00" + call(2), want},
		{"computed", text(site) + cell + joined + call(1), "5"},
		{"computed, with a text", text(site) + cell + joined + text("shown") + call(2), "5"},
		{"a place", text("#Sheet2!A1") + call(1), "5"},
		{"a script", text("javascript:x") + call(1), "5"},
		{"of a cell", cell + call(1), "5"},
		{"a text", text(site), "5"},
		{"another function", text(site) + "\x42\x01\x68\x01", "5"},
		{"cut", text(site) + text("shown")[:3], "5"},
		{"nothing", "", "5"},
	} {
		tokens := c.tokens
		d := read(t, pack(workbook(0x600, nil, sheetOf{"A", 0, [][]byte{rec(0x06, 0, 0, 0, 5.0, 0, uint32(0), len(tokens), tokens)}})))
		var b strings.Builder
		if err := html.Render(&b, d.Root); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "<p>"+c.want+"</p>") {
			t.Errorf("%s: %s, want %s", c.what, b.String(), c.want)
		}
	}
}

// old returns a BIFF5 workbook in code page 1253 with the 1904 date system.
func old() []byte {
	stream := workbook(0x500, [][]byte{rec(0x42, 1253), rec(0x22, 1), rec(0xE0, 0, 0), rec(0xE0, 0, 14)}, sheetOf{"\xD3", 0, [][]byte{
		rec(0x204, 0, 0, 0, 2, "\xE1\xE2"), rec(0x203, 0, 1, 1, 1.0), rec(0xD6, 1, 0, 0, 1, "x", byte(0)), rec(0x27E, 1, 1, 0, uint32(7<<2|2)), rec(0x1C, 0, 0, 3, "\xE1bc"),
	}})
	return cfbtest.Pack(cfbtest.Stream{Name: "BOOK", Data: stream})
}

func TestOld(t *testing.T) {
	golden.Check(t, "testdata/old.html", []byte(doctreetest.Show(t, read(t, old()))))
}

// TestTorn says that cells may be missing if records are damaged.
func TestTorn(t *testing.T) {
	cells := [][]byte{rec(0x203, 0, 0, 0, 1.0), rec(0x203, 1, 0, 0, 2.0)}
	whole := workbook(0x600, nil, sheetOf{name: "S", records: cells})
	long := rec(0x203, 2, 0, 0, 3.0)
	long[3] = 0xFF
	for _, c := range []struct {
		what   string
		stream []byte
		want   string
	}{
		{"whole", whole, ""},
		{"no end", whole[:len(whole)-4], "The sheet has no end; cells may be missing."},
		{"a record that is too long", workbook(0x600, nil, sheetOf{name: "S", records: append(slices.Clone(cells), long)}), "Records of the sheet that are damaged, or whose type is unknown, so that cells may be missing: 1."},
		{"a cell record of another length", workbook(0x600, nil, sheetOf{name: "S", records: append(slices.Clone(cells), rec(0x203, 2, 0, 0, 3.0, 0))}), "so that cells may be missing: 1."},
		{"a record without a type", workbook(0x600, nil, sheetOf{name: "S", records: append(slices.Clone(cells), rec(0))}), "so that cells may be missing: 1."},
		{"an end too early", workbook(0x600, nil, sheetOf{name: "S", records: append(slices.Clone(cells), rec(0x0A), rec(0x203, 2, 0, 0, 3.0))}), "so that cells may be missing: 1."},
		{"an unknown record", workbook(0x600, nil, sheetOf{name: "S", records: append(slices.Clone(cells), rec(0x7777, 0))}), "so that cells may be missing: 1."},
		{"an unknown record before the sheets", workbook(0x600, [][]byte{rec(0x7777, 0)}, sheetOf{name: "S", records: cells}), "The list of sheets, texts and formats is damaged or has no end."},
	} {
		d := read(t, pack(c.stream))
		got := doctreetest.Show(t, d)
		if (c.want == "") != (len(d.Warnings) == 0) || !strings.Contains(got, c.want) || !strings.Contains(got, "<td>2</td>") {
			t.Errorf("%s: %s", c.what, got)
		}
	}
}

// TestMissingSheets reads workbooks whose list of sheets is empty, or names a place twice.
func TestMissingSheets(t *testing.T) {
	twice := workbook(0x600, nil, sheetOf{name: "S", records: [][]byte{rec(0x203, 0, 0, 0, 1.0)}}, sheetOf{name: "T", records: [][]byte{rec(0x203, 0, 0, 0, 2.0)}})
	first := bytes.Index(twice, []byte("\x85\x00")) + 4
	second := first + bytes.Index(twice[first:], []byte("\x85\x00")) + 4
	copy(twice[second:second+4], twice[first:first+4])
	for want, stream := range map[string][]byte{
		"The workbook lists no sheets.":                                  workbook(0x600, nil),
		"The sheet is at the place of another one, which was read once.": twice,
	} {
		if got := doctreetest.Show(t, read(t, pack(stream))); !strings.Contains(got, want) {
			t.Errorf("%s lacks %q", got, want)
		}
	}
}

// TestOldCodePages counts characters whose code page the workbook does not state.
func TestOldCodePages(t *testing.T) {
	for _, c := range []struct {
		what    string
		globals [][]byte
		want    string
		warns   int
	}{
		{"stated", [][]byte{rec(0x42, 1251)}, "бв", 0},
		{"not stated", nil, "áâ", 1},
		{"unknown", [][]byte{rec(0x42, 4711)}, "áâ", 1},
	} {
		stream := workbook(0x500, c.globals, sheetOf{"S", 0, [][]byte{rec(0x204, 0, 0, 0, 2, "\xE1\xE2"), rec(0x204, 1, 0, 0, 1, "a")}})
		d := read(t, cfbtest.Pack(cfbtest.Stream{Name: "BOOK", Data: stream}))
		if got := doctreetest.Show(t, d); !strings.Contains(got, c.want) || len(d.Warnings) != c.warns || c.warns > 0 && !strings.Contains(got, "code-page-guessed: The workbook does not state a known code page. Characters that were read in the code page 1252: 2.") {
			t.Errorf("%s: %s", c.what, got)
		}
	}
}

// pad encrypts a stream in these tests.
func pad(b []byte, at int64) {
	for i := range b {
		b[i] ^= byte(at+int64(i)) * 7
	}
}

// encrypted returns an encrypted workbook. kind 0 is XOR obfuscation, where
// the position depends on the record's length.
func encrypted(kind int) []byte {
	stream := workbook(0x600, [][]byte{rec(0x2F, kind, "header"), rec(0xE1, 1200)},
		sheetOf{name: "Sheet", records: [][]byte{rec(0x204, 0, 0, 0, 6, byte(0), "secret"), rec(0x809, 0x600, 0x20), rec(0x1019, 0, 0), rec(0x0A)}})
	for at := 0; at+4 <= len(stream); {
		id, size := binary.LittleEndian.Uint16(stream[at:]), int(binary.LittleEndian.Uint16(stream[at+2:]))
		from, to := at+4, at+4+size
		if kind != 0 {
			size = 0
		}
		if id == 0x809 && to-from == 4 { // written this way by LibreOffice
			id = 0
		}
		switch id {
		case 0x809, 0x2F, 0xE1:
		case 0x85:
			pad(stream[from+4:to], int64(from+4+size))
		default:
			pad(stream[from:to], int64(from+size))
		}
		at = to
	}
	return pack(stream)
}

func TestEncrypted(t *testing.T) {
	wrong := fmt.Errorf("%w: password is wrong", cfb.ErrEncrypted)
	unlock := func(l cfb.Lock) (func([]byte, int64), error) {
		if string(l.Header) != "header" || (l.Block != 1024) != l.Rotate {
			return nil, wrong
		}
		return pad, nil
	}
	data := encrypted(1)
	before := bytes.Clone(data)
	d, err := xls.Read(t.Context(), data, xls.Options{Unlock: unlock})
	if err != nil {
		t.Fatal(err)
	}
	if text := doctreetest.Show(t, d); !strings.Contains(text, "Sheet") || !strings.Contains(text, "secret") || !strings.Contains(text, "Pie chart") {
		t.Errorf("the sheet is %s", text)
	}
	if !bytes.Equal(data, before) {
		t.Error("the caller's bytes were changed")
	}
	refuse := func(cfb.Lock) (func([]byte, int64), error) { return nil, wrong }
	for name, o := range map[string]xls.Options{"no password": {}, "a wrong one": {Unlock: refuse}} {
		if _, err := xls.Read(t.Context(), data, o); !errors.Is(err, cfb.ErrEncrypted) {
			t.Errorf("%s: %v", name, err)
		}
	}
	d, err = xls.Read(t.Context(), encrypted(0), xls.Options{Unlock: unlock})
	if err != nil {
		t.Fatal(err)
	}
	if text := doctreetest.Show(t, d); !strings.Contains(text, "Sheet") || !strings.Contains(text, "secret") {
		t.Errorf("the oldest way: the sheet is %s", text)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		what string
		data []byte
		want error
	}{
		{"no container", []byte("x"), cfb.ErrMalformed},
		{"no workbook", cfbtest.Pack(cfbtest.Stream{Name: "Other", Data: []byte("x")}), cfb.ErrMalformed},
		{"no records", pack([]byte("\x00")), cfb.ErrMalformed},
		{"encrypted", pack(workbook(0x600, [][]byte{rec(0x2F, 1)})), cfb.ErrEncrypted},
	} {
		if _, err := xls.Read(t.Context(), c.data, xls.Options{}); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.what, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	many := make([][]byte, 5000)
	for i := range many {
		many[i] = rec(0x203, i, 0, 0, 1.0)
	}
	if _, err := xls.Read(ctx, pack(workbook(0x600, nil, sheetOf{"a", 0, many})), xls.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestHostile reads files with too large counts.
func TestHostile(t *testing.T) {
	many := make([]sheetOf, 300)
	for i := range many {
		many[i] = sheetOf{"same", 0, nil}
	}
	same := workbook(0x600, nil, many...)
	for name, stream := range map[string][]byte{
		"counts":       workbook(0x600, [][]byte{rec(0xFC, uint32(0xFFFFFFFF), uint32(0xFFFFFFFF), 0xFFFF, byte(13), 0xFFFF, uint32(0xFFFFFFFF))}),
		"far sheet":    append(workbook(0x600, nil), rec(0x85, uint32(0xFFFFFFF0), 0, "\x01\x00a")...),
		"merges":       workbook(0x600, nil, sheetOf{"a", 0, [][]byte{rec(0x203, 0, 0, 0, 1.0), rec(0xE5, 0xFFFF, 0, 0xFFFF, 0, 0xFF), rec(0xE5, 1, 0, 0xFFFF, 0, 0xFF)}}),
		"corners":      workbook(0x600, nil, sheetOf{"a", 0, [][]byte{rec(0x203, 0, 0, 0, 1.0), rec(0x203, 0xFFFF, 0xFFFF, 0, 1.0), rec(0x203, 0xFFFF, 0xFF, 0, 1.0)}}),
		"short":        workbook(0x600, [][]byte{rec(0x41E, 1), rec(0x85), rec(0xE0), rec(0x42)}, sheetOf{"a", 0, [][]byte{rec(0x1B8, 1), rec(0xE5, 9), rec(0x1C, 0), rec(0x5D), rec(0x1B6), rec(0x207), rec(0x06, 0, 0, 0), rec(0xBD, 0)}}),
		"many sheets":  same,
		"nested":       workbook(0x600, nil, sheetOf{"a", 0, [][]byte{rec(0x809, 0x600, 0x20), rec(0x203, 0, 0, 0, 1.0)}}),
		"shared again": workbook(0x600, [][]byte{rec(0xFC, uint32(1), uint32(1), str(strings.Repeat("x", 8000)))}, sheetOf{"a", 0, [][]byte{rec(0xFD, 0, 0, 0, uint32(0xFFFFFFFF)), rec(0xFD, 0, 1, 0, uint32(0))}}),
	} {
		d, err := xls.Read(t.Context(), pack(stream), xls.Options{Nodes: 10_000})
		if err == nil && d.Root == nil || err != nil && !errors.Is(err, cfb.ErrMalformed) && !strings.Contains(err.Error(), "limit") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(book())
	f.Add(old())
	f.Add(cfbtest.Unpack(f, golden.Root("parse/testdata/legacy/sheet.xls.gz")))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := xls.Read(t.Context(), data, xls.Options{Nodes: 10_000})
		if err == nil && d.Root == nil {
			t.Error("neither a tree nor an error")
		}
	})
}

// FuzzRecords reads arbitrary records after a valid beginning, because a
// fuzzer can hardly guess an OLE container.
func FuzzRecords(f *testing.F) {
	file, err := cfb.Open(book())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(file.Root.Stream("Workbook"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		d, err := xls.Read(t.Context(), pack(stream), xls.Options{Nodes: 10_000})
		if err == nil && d.Root == nil {
			t.Error("neither a tree nor an error")
		}
	})
}

// TestObjects reads the objects of a workbook after its sheets.
func TestObjects(t *testing.T) {
	data := cfbtest.Pack(
		cfbtest.Stream{Name: "Workbook", Data: workbook(0x600, nil, sheetOf{"S", 0, [][]byte{rec(0x204, 0, 0, 0, str("cell"))}})},
		cfbtest.Stream{Name: "MBD0001/Package", Data: []byte("inner")},
		cfbtest.Stream{Name: "MBD0002/other", Data: []byte("unknown")},
	)
	child := func(_ context.Context, _, _ string, data []byte, _ int) *html.Node {
		n := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
		n.AppendChild(&html.Node{Type: html.TextNode, Data: string(data)})
		return n
	}
	d, err := xls.Read(t.Context(), data, xls.Options{Objects: embedded.Objects{Child: child}})
	if err != nil {
		t.Fatal(err)
	}
	got := doctreetest.Show(t, d)
	for _, want := range []string{"1 embedded object was not read: object.", "</section>\n<figure data-role=\"object\"><figcaption>Embedded object: object</figcaption>inner"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
}

// drawnText returns an EMF that draws a text, as a picture in a list.
func drawnText(text string) []byte {
	units := cfbtest.Wide(text)
	size := 76 + len(units) + len(units)%4
	record := cfbtest.Bytes(uint32(84), uint32(size), make([]byte, 36), uint32(len(units)/2), uint32(76), make([]byte, 24), units, make([]byte, len(units)%4))
	file := cfbtest.Bytes(uint32(1), uint32(88), make([]byte, 32), " EMF", make([]byte, 44), record)
	blip := cfbtest.Bytes(0x3D4<<4, 0xF01A, uint32(16+34+len(file)), make([]byte, 16), make([]byte, 32), byte(0xFE), byte(0xFE), file)
	return cfbtest.Bytes(0x22, 0xF007, uint32(36+len(blip)), make([]byte, 36), blip)
}

// TestHiddenObjects reads a workbook with an object that may belong to a hidden
// sheet.
func TestHiddenObjects(t *testing.T) {
	data := cfbtest.Pack(
		cfbtest.Stream{Name: "Workbook", Data: workbook(0x600, nil, sheetOf{"S", 0, [][]byte{rec(0x204, 0, 0, 0, str("cell"))}}, sheetOf{"H", 1, nil})},
		cfbtest.Stream{Name: "MBD0001/Package", Data: []byte("inner")},
	)
	child := func(context.Context, string, string, []byte, int) *html.Node {
		t.Error("the object is read")
		return nil
	}
	d, err := xls.Read(t.Context(), data, xls.Options{Objects: embedded.Objects{Child: child}})
	if err != nil {
		t.Fatal(err)
	}
	if got := doctreetest.Show(t, d); !strings.Contains(got, "1 embedded object was not read: object.") {
		t.Error(got)
	}
}

// TestMetafiles reads the text of a picture over a sheet once.
func TestMetafiles(t *testing.T) {
	group := rec(0xEB, cfbtest.Bytes(0xF, 0xF000, uint32(8+len(drawnText("words"))), 0x1F, 0xF001, uint32(len(drawnText("words"))), drawnText("words")))
	shape := cfbtest.Bytes(0xF, 0xF004, uint32(8+8+8+6), 75<<4|2, 0xF00A, uint32(8), uint32(1), uint32(0), 1<<4|3, 0xF00B, uint32(6), 0x0104, uint32(1))
	page := rec(0xEC, cfbtest.Bytes(0xF, 0xF002, uint32(2*len(shape)), shape, shape))
	d := read(t, pack(workbook(0x600, [][]byte{group}, sheetOf{"S", 0, [][]byte{rec(0x204, 0, 0, 0, str("cell")), page}})))
	if got := doctreetest.Show(t, d); strings.Count(got, "<p>words</p>") != 1 {
		t.Error(got)
	}
}
