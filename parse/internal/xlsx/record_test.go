// SPDX-License-Identifier: Apache-2.0

package xlsx_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/net/html"

	"example.com/curlew/internal/test/golden"
	"example.com/curlew/internal/test/zipxmltest"
	"example.com/curlew/internal/zipxml"

	"example.com/curlew/internal/test/doctreetest"
)

// bin writes records in the format of MS-XLSB 2.1.4. Values are bytes,
// little-endian uint16 and uint32, and texts with their length.
type bin struct{ b []byte }

func (w *bin) record(kind int, values ...any) *bin {
	var body []byte
	for _, v := range values {
		switch v := v.(type) {
		case byte:
			body = append(body, v)
		case uint16:
			body = binary.LittleEndian.AppendUint16(body, v)
		case int:
			body = binary.LittleEndian.AppendUint32(body, uint32(v))
		case float64:
			body = binary.LittleEndian.AppendUint64(body, math.Float64bits(v))
		case string:
			units := utf16.Encode([]rune(v))
			body = binary.LittleEndian.AppendUint32(body, uint32(len(units)))
			for _, u := range units {
				body = binary.LittleEndian.AppendUint16(body, u)
			}
		}
	}
	w.b = append(w.b, seven(kind)...)
	w.b = append(w.b, seven(len(body))...)
	w.b = append(w.b, body...)
	return w
}

func seven(n int) (b []byte) {
	for ; n >= 0x80; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(b, byte(n))
}

// row writes the header of a row.
func (w *bin) row(n int, hidden bool) *bin {
	flags := byte(0)
	if hidden {
		flags = 0x10
	}
	return w.record(0, n, 0, uint16(300), byte(0), flags, byte(0), 0)
}

func binary1(sheet *bin) []byte {
	var book bin
	return binaryOf(book.record(131).record(153, 0, 0, "").record(156, 0, 1, "rId1", "Records").record(156, 1, 2, "rId2", "Gone").record(132), sheet)
}

// binaryOf returns a workbook with a list of sheets and one sheet.
func binaryOf(book, sheet *bin) []byte {
	var texts bin
	return binaryWith(book, sheet, texts.record(159, 2, 2).record(19, byte(0), "shared").record(19, byte(1), "with runs", 0).record(160))
}

// binaryWith returns a workbook with a list of sheets, one sheet and shared texts.
func binaryWith(book, sheet, texts *bin) []byte {
	var styles bin
	styles.record(44, uint16(164), "yyyy-mm-dd hh:mm").record(626).record(47, uint16(0), uint16(9)).record(627)
	styles.record(617, 2).record(47, uint16(0), uint16(0)).record(47, uint16(0), uint16(14)).record(47, uint16(0), uint16(164)).record(618)
	return zipxmltest.Pack(
		zipxmltest.Part{Name: "[Content_Types].xml", Text: `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="bin" ContentType="application/vnd.ms-excel.sheet.binary.macroEnabled.main"/></Types>`},
		zipxmltest.Part{Name: "_rels/.rels", Text: strings.Replace(rels, "%s", `<Relationship Id="rId1" Type="t/officeDocument" Target="xl/workbook.bin"/>`, 1)},
		zipxmltest.Part{Name: "xl/_rels/workbook.bin.rels", Text: strings.Replace(rels, "%s", `<Relationship Id="rId1" Type="t/worksheet" Target="worksheets/sheet1.bin"/><Relationship Id="s" Type="t/styles" Target="styles.bin"/><Relationship Id="t" Type="t/sharedStrings" Target="sst.bin"/>`, 1)},
		zipxmltest.Part{Name: "xl/worksheets/_rels/sheet1.bin.rels", Text: strings.Replace(rels, "%s", `<Relationship Id="rId1" Type="t/hyperlink" Target="https://example.com/" TargetMode="External"/><Relationship Id="rId2" Type="t/comments" Target="../comments1.bin"/>`, 1)},
		zipxmltest.Part{Name: "xl/workbook.bin", Text: string(book.b)},
		zipxmltest.Part{Name: "xl/styles.bin", Text: string(styles.b)},
		zipxmltest.Part{Name: "xl/sst.bin", Text: string(texts.b)},
		zipxmltest.Part{Name: "xl/worksheets/sheet1.bin", Text: string(sheet.b)},
		zipxmltest.Part{Name: "xl/comments1.bin", Text: string(new(bin).record(632, "Ann").record(635, 0, 1, 1, 0, 0).record(637, byte(0), "a note").record(636).b)},
	)
}

// TestRecords reads a binary workbook with a cell of each kind.
func TestRecords(t *testing.T) {
	var s bin
	s.record(60, 5, 5, 0, 0, uint16(1)).record(145)
	s.row(0, false).record(7, 0, 0, 0).record(6, 1, 0, "inline").record(7, 2, 0, 1).record(1, 9, 0)
	s.row(1, false).record(2, 0, 0, 100<<2|2).record(2, 1, 0, 12345<<2|3).record(5, 2, 1, 45000.0).record(5, 3, 2, 45000.5)
	s.row(2, false).record(4, 0, 0, byte(1)).record(3, 1, 0, byte(0x2A)).record(8, 2, 0, "formula", uint16(0)).record(9, 3, 0, 2.5).record(10, 4, 0, byte(0)).record(5, 5, 0, 1.0)
	s.row(3, true).record(5, 0, 0, 9.0)
	s.row(4, false).record(11, 0, 0, byte(7)).record(62, 1, 0, byte(0), "rich").record(2, 2, 0, -2<<2|2)
	s.record(146).record(176, 0, 0, 2, 3).record(494, 0, 0, 1, 1, "rId1", "", "", "")
	d, err := read(t, binary1(&s))
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/records.html", []byte(doctreetest.Show(t, d)))
}

// TestRecordsWithoutList reads a workbook whose list of sheets is damaged.
func TestRecordsWithoutList(t *testing.T) {
	var book, s bin
	s.record(145)
	s.row(0, false).record(6, 0, 0, "kept")
	s.record(146)
	d, err := read(t, binaryOf(book.record(131).record(132), &s))
	if err != nil {
		t.Fatal(err)
	}
	const want = "The list of sheets is missing or damaged. Sheets that were read in the order of their relationships: 1. Hidden sheets may be shown."
	if got := doctreetest.Show(t, d); !strings.Contains(got, "kept") || len(d.Warnings) == 0 || d.Warnings[0].Text != want {
		t.Errorf("%v\n%s", d.Warnings, got)
	}
}

// TestRecordsHiddenMerge reads a merged range that begins in a hidden
// column.
func TestRecordsHiddenMerge(t *testing.T) {
	var s bin
	s.record(60, 0, 0, 0, 0, uint16(1)).record(145)
	s.row(0, false).record(6, 0, 0, "merged").record(6, 2, 0, "right")
	s.record(146).record(176, 0, 0, 0, 1)
	d, err := read(t, binary1(&s))
	if err != nil {
		t.Fatal(err)
	}
	if got := doctreetest.Show(t, d); !strings.Contains(got, "<td>merged</td><td>right</td>") {
		t.Error(got)
	}
}

// TestRecordErrors reads truncated parts and invalid lengths.
func TestRecordErrors(t *testing.T) {
	for name, c := range map[string]struct {
		tail []byte
		warn bool
		want error
	}{
		"whole":       {nil, false, nil},
		"kind alone":  {[]byte{0x85}, false, nil},
		"torn":        {[]byte{5, 16, 0}, true, nil},
		"huge":        {[]byte{5, 0xFF, 0xFF, 0xFF, 0x7F}, true, zipxml.ErrLimit},
		"short cell":  {[]byte{5, 2, 0, 0}, false, nil},
		"long string": {append([]byte{6, 12, 1, 0, 0, 0, 0, 0, 0, 0}, 0xF0, 0xFF, 0xFF, 0x7F), false, nil},
		"far cell":    {append([]byte{5, 16, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0}, make([]byte, 8)...), false, nil},
	} {
		var s bin
		s.row(0, false).record(6, 0, 0, "kept")
		s.b = append(s.b, c.tail...)
		d, err := read(t, binary1(&s))
		if !errors.Is(err, c.want) || err != nil && c.want == nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err != nil {
			continue
		}
		got := doctreetest.Show(t, d)
		if !strings.Contains(got, "kept") || strings.Contains(got, "was not read completely") != c.warn {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func FuzzRecords(f *testing.F) {
	var s bin
	s.row(0, false).record(7, 0, 0, 0).record(2, 1, 0, 12345<<2|3).record(176, 0, 0, 2, 3).record(494, 0, 0, 1, 1, "rId1", "", "", "")
	f.Add(s.b)
	f.Fuzz(func(t *testing.T, part []byte) {
		d, err := read(t, binary1(&bin{part}))
		if err == nil && d.Root == nil {
			t.Error("neither tree nor error")
		}
	})
}

// TestManyStrings reads workbooks with more shared texts than are kept in memory: the
// cells have theirs, wherever it is in the list.
func TestManyStrings(t *testing.T) {
	const texts, runes = 60, 300_000
	long := strings.Repeat("語", runes)
	var list strings.Builder
	var binaryList bin
	binaryList.record(159, texts, texts)
	for i := range texts {
		text := strconv.Itoa(i) + ":" + long
		list.WriteString("<si><t>" + text + "</t></si>")
		binaryList.record(19, byte(0), text)
	}
	binaryList.record(160)
	var rows strings.Builder
	var records, book bin
	records.record(145)
	for i, at := range []int{59, 3, 58, 0, 3, 77} {
		fmt.Fprintf(&rows, `<row r="%d"><c t="s"><v>%d</v></c></row>`, i+1, at)
		records.row(i, false).record(7, 0, 0, at)
	}
	records.record(146)
	for name, data := range map[string][]byte{
		"XML":    one("<sheetData>"+rows.String()+"</sheetData>", zipxmltest.Part{Name: "strings", Text: list.String()}),
		"binary": binaryWith(book.record(131).record(156, 0, 1, "rId1", "S").record(132), &records, &binaryList),
	} {
		d, err := read(t, stored(t, data))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var got []string
		for n := range d.Root.Descendants() {
			if n.Type == html.TextNode && utf8.RuneCountInString(n.Data) > runes {
				number, _, _ := strings.Cut(n.Data, ":")
				got = append(got, number)
			}
		}
		if want := []string{"59", "3", "58", "0", "3"}; !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
		if len(d.Warnings) == 0 || !strings.HasPrefix(d.Warnings[0].Text, "1 cell refers to a text that the file does not have") {
			t.Errorf("%s: %v", name, d.Warnings)
		}
	}
}

// stored returns a container with the same parts that is not compressed, so that a limit
// on ratios does not apply.
func stored(t *testing.T, data []byte) []byte {
	t.Helper()
	from, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	to := zip.NewWriter(&b)
	for _, f := range from.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		w, err := to.CreateHeader(&zip.FileHeader{Name: f.Name, Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(w, r); err != nil {
			t.Fatal(err)
		}
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
