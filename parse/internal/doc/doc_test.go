// SPDX-License-Identifier: Apache-2.0

package doc_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/test/cfbtest"
	"example.com/curlew/internal/test/doctreetest"
	"example.com/curlew/internal/test/golden"
	"example.com/curlew/internal/test/leak"
	"example.com/curlew/parse/internal/cfb"
	"example.com/curlew/parse/internal/doc"
)

func TestMain(m *testing.M) { leak.Main(m) }

var bytesOf, wide = cfbtest.Bytes, cfbtest.Wide

// part is the text and the properties of a paragraph or a run. The
// properties of a paragraph begin with its style number.
type part struct {
	text  string
	props []byte
}

// draft describes a document to write.
type draft struct {
	paras  []part // texts include the paragraph marks
	runs   []part // the same text, divided into runs
	counts [8]int
	tables map[int][]byte // parts of the table stream
	flags  int
	data   []byte // the stream of pictures and form fields
}

// pages writes property pages and their list. size is the size of the data
// for one entry.
func pages(main *[]byte, parts []part, from, size int) []byte {
	var places, numbers []byte
	fc := from
	for _, p := range parts {
		for len(*main)%512 != 0 {
			*main = append(*main, 0)
		}
		page := make([]byte, 512)
		end := fc + len(wide(p.text))
		binary.LittleEndian.PutUint32(page, uint32(fc))
		binary.LittleEndian.PutUint32(page[4:], uint32(end))
		if len(p.props) > 0 {
			at := 100
			page[8] = byte(at / 2)
			if size == 13 {
				page[at] = byte((len(p.props) + 2) / 2)
				if len(p.props)%2 == 0 {
					page[at], page[at+1] = 0, byte(len(p.props)/2)
					at++
				}
			} else {
				page[at] = byte(len(p.props))
			}
			copy(page[at+1:], p.props)
		}
		page[511] = 1
		places = binary.LittleEndian.AppendUint32(places, uint32(fc))
		numbers = binary.LittleEndian.AppendUint32(numbers, uint32(len(*main)/512))
		*main = append(*main, page...)
		fc = end
	}
	places = binary.LittleEndian.AppendUint32(places, uint32(fc))
	return append(places, numbers...)
}

// pack returns the OLE container.
func (d draft) pack() []byte {
	const from = 1536
	var text strings.Builder
	for _, p := range d.paras {
		text.WriteString(p.text)
	}
	main := make([]byte, from)
	main = append(main, wide(text.String())...)
	binary.LittleEndian.PutUint32(main[0x18:], from)
	binary.LittleEndian.PutUint32(main[0x1C:], uint32(len(main)))
	put := func(at int, v int) { binary.LittleEndian.PutUint16(main[at:], uint16(v)) }
	put(0, 0xA5EC)
	put(2, 0xC1)
	put(0x0A, 0x200|d.flags)
	put(0x98, 136)
	units := len(utf16.Encode([]rune(text.String())))
	counts := d.counts
	if counts == ([8]int{}) {
		counts[0] = units
	}
	for i, n := range counts {
		binary.LittleEndian.PutUint32(main[0x4C+4*i:], uint32(n))
	}
	if d.tables == nil {
		d.tables = map[int][]byte{}
	}
	if d.tables[33] == nil {
		d.tables[33] = bytesOf(byte(1), 2, "xx", byte(2), uint32(16), uint32(0), uint32(units), 0, uint32(from), 0)
	}
	d.tables[13] = pages(&main, d.paras, from, 13)
	if d.runs != nil {
		d.tables[12] = pages(&main, d.runs, from, 1)
	}
	var table []byte
	for _, i := range []int{1, 2, 3, 4, 5, 11, 12, 13, 15, 21, 22, 33, 36, 40, 46, 47, 50, 56, 73, 74, 112} {
		b := d.tables[i]
		binary.LittleEndian.PutUint32(main[0x9A+8*i:], uint32(len(table)))
		n := len(b)
		if i == 73 && n > 0 {
			n = 2 + 28*int(b[0]) // the levels follow it
		}
		binary.LittleEndian.PutUint32(main[0x9A+8*i+4:], uint32(n))
		table = append(table, b...)
	}
	return cfbtest.Pack(cfbtest.Stream{Name: "WordDocument", Data: main}, cfbtest.Stream{Name: "1Table", Data: table}, cfbtest.Stream{Name: "Data", Data: d.data},
		cfbtest.Stream{Name: "\x05SummaryInformation", Data: cfbtest.Summary(map[uint32]any{2: "Report", 4: "Anna"})})
}

// styleOf returns one style.
func styleOf(id, kind, base int, parts ...[]byte) []byte {
	b := bytesOf(id, kind|base<<4, len(parts), 0, 0, 1, wide("s"), 0)
	for _, p := range parts {
		if len(b)%2 != 0 {
			b = append(b, 0)
		}
		b = append(b, bytesOf(len(p), p)...)
	}
	if len(b)%2 != 0 {
		b = append(b, 0)
	}
	return bytesOf(len(b), b)
}

// styles returns Normal, Heading 1, a style based on Heading 1, and a bold
// character style.
func styles() []byte {
	return bytesOf(4, 4, 10, styleOf(0, 1, 0xFFF, bytesOf(0), nil), styleOf(1, 1, 0, bytesOf(1), bytesOf(0x0835, byte(1))),
		styleOf(0xFFE, 1, 1, bytesOf(2, 0x2640, byte(1)), nil), styleOf(0xFFE, 2, 0xFFF, bytesOf(0x0835, byte(1))))
}

// lists returns a numbered list and a bulleted list.
func lists() (all, uses []byte) {
	lvl := func(format byte, text string) []byte {
		return bytesOf(uint32(3), format, byte(0), strings.Repeat("\x00", 9), byte(0), uint32(0), uint32(0), byte(0), byte(0), 0, len([]rune(text)), wide(text))
	}
	one := func(id uint32) []byte {
		return bytesOf(id, uint32(0), strings.Repeat("\x00", 18), byte(1), byte(0))
	}
	use := func(id uint32) []byte { return bytesOf(id, uint32(0), uint32(0), byte(0), byte(0), 0) }
	return bytesOf(2, one(70), one(71), lvl(4, "\x00)"), lvl(23, "•")),
		bytesOf(uint32(2), use(70), use(71), uint32(0), uint32(0))
}

// report returns a document with one element of every kind.
func report() []byte {
	row := func(flags ...int) []byte { // two cells, the second 1 inch wide
		cells := bytesOf(byte(2), 0, 1440, 2880)
		for _, f := range flags {
			cells = append(cells, bytesOf(f, strings.Repeat("\x00", 18))...)
		}
		return bytesOf(0, 0x2416, byte(1), 0x2417, byte(1), 0xD608, len(cells)+1, cells)
	}
	cell := bytesOf(0, 0x2416, byte(1))
	all, uses := lists()
	d := draft{
		paras: []part{
			{"The title\r", bytesOf(1)},
			{"Below\r", bytesOf(2)},
			{"Plain bold gone hidden α\x02 and a \x13 HYPERLINK \"https://a.example/\" \\l \"x\" \x14link\x15 end\x05, \x13HYPERLINK \\l mark\x14up\x15.\r", bytesOf(0)},
			{"First\r", bytesOf(0, 0x460B, 1, 0x260A, byte(0))},
			{"Second\r", bytesOf(0, 0x460B, 1, 0x260A, byte(0))},
			{"Point\x0Bmore\r", bytesOf(0, 0x460B, 2)},
			{"a\x07", cell},
			{"b\x07", cell},
			{"\x07", row(0x60, 0)},
			{"\x07", cell},
			{"c\rd\x07", cell},
			{"\x07", row(0x20, 0)},
			{"Wide\x07", cell},
			{"\x07", cell},
			{"\x07", row(1, 2)},
			{"Last\x0Cnext page\r", bytesOf(0)},
			{"\x02 The note\r", bytesOf(0)},
			{"Head\r", bytesOf(0)},
			{"\x05Why?\r", bytesOf(0)},
			{"In a box\r", bytesOf(0)},
		},
		runs: []part{
			{"The title\rBelow\rPlain ", nil},
			{"bold ", bytesOf(0x4A30, 3)},
			{"gone ", bytesOf(0x0800, byte(1))},
			{"hidden ", bytesOf(0x083C, byte(1))},
			{"α", bytesOf(0x0836, byte(1), 0x2A48, byte(1))},
			{"\x02", bytesOf(0x0855, byte(1))},
		},
	}
	length := func(from, to int) (n int) {
		for _, p := range d.paras[from:to] {
			n += len(utf16.Encode([]rune(p.text)))
		}
		return n
	}
	d.counts = [8]int{length(0, 16), length(16, 17), length(17, 18), 0, length(18, 19), 0, length(19, 20)}
	var text strings.Builder
	for _, p := range d.paras {
		text.WriteString(p.text)
	}
	place := func(sign string) uint32 {
		return uint32(len(utf16.Encode([]rune(text.String()[:strings.Index(text.String(), sign)]))))
	}
	u := func(n int) uint32 { return uint32(n) }
	d.tables = map[int][]byte{
		1: styles(), 73: all, 74: uses,
		21: bytesOf(0xFFFF, 2, 0, 4, wide("mark"), 5, wide("other")), 22: bytesOf(u(0), u(3), u(d.counts[0]), 0, 0, 1, 0),
		2: bytesOf(place("\x02"), u(d.counts[0]), 1), 3: bytesOf(u(0), u(d.counts[1]), u(d.counts[1]+1)),
		4: bytesOf(place("\x05"), u(d.counts[0]), strings.Repeat("\x00", 30)), 5: bytesOf(u(0), u(d.counts[4]), u(d.counts[4]+1)),
		11: bytesOf(u(0), u(0), u(0), u(0), u(0), u(0), u(0), u(0), u(d.counts[2]), u(d.counts[2])),
		36: bytesOf(4, wide("Bert")), 56: bytesOf(u(0), u(d.counts[6]), strings.Repeat("\x00", 22)),
	}
	return d.pack()
}

func read(t testing.TB, data []byte) *doctree.Document {
	t.Helper()
	d, err := doc.Read(t.Context(), data, doc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestGolden(t *testing.T) {
	d := read(t, report())
	golden.Check(t, "testdata/report.html", []byte(doctreetest.Show(t, d)))
	if d.Meta.Title != "Report" || d.Meta.Author != "Anna" {
		t.Errorf("%+v", d.Meta)
	}
}

// old returns a Word 6 document.
func old() []byte {
	text := "Caf\xE9 \x93old\x94\rTable\x07cell\x07\x07After\r"
	main := make([]byte, 0x300)
	binary.LittleEndian.PutUint16(main, 0xA5DC)
	binary.LittleEndian.PutUint16(main[2:], 0x65)
	binary.LittleEndian.PutUint32(main[0x18:], 0x300)
	binary.LittleEndian.PutUint32(main[0x34:], uint32(len(text)))
	return cfbtest.Pack(cfbtest.Stream{Name: "WordDocument", Data: append(main, text...)})
}

func TestOld(t *testing.T) {
	golden.Check(t, "testdata/old.html", []byte(doctreetest.Show(t, read(t, old()))))
}

// TestEncrypted reads the report with encrypted streams. The encryption
// header has 8 bytes at the start of the table stream.
func TestEncrypted(t *testing.T) {
	pad := func(b []byte, at int64) {
		for i := range b {
			b[i] ^= byte(at+int64(i)) * 7
		}
	}
	c, err := cfb.Open(report())
	if err != nil {
		t.Fatal(err)
	}
	main := bytes.Clone(c.Root.Stream("WordDocument"))
	table := append([]byte("header__"), c.Root.Stream("1Table")...)
	for at := 0x9A; at < 0x9A+8*93; at += 8 { // the table has moved
		if binary.LittleEndian.Uint32(main[at+4:]) > 0 {
			binary.LittleEndian.PutUint32(main[at:], binary.LittleEndian.Uint32(main[at:])+8)
		}
	}
	binary.LittleEndian.PutUint16(main[0x0A:], 0x300)
	binary.LittleEndian.PutUint32(main[0x0E:], 8)
	pad(main[68:], 68)
	pad(table[8:], 8)
	data := cfbtest.Pack(cfbtest.Stream{Name: "WordDocument", Data: main}, cfbtest.Stream{Name: "1Table", Data: table})
	unlock := func(l cfb.Lock) (func([]byte, int64), error) {
		if string(l.Header) != "header__" || l.Block != 512 {
			return nil, cfb.ErrEncrypted
		}
		return pad, nil
	}
	d, err := doc.Read(t.Context(), data, doc.Options{Unlock: unlock})
	if err != nil {
		t.Fatal(err)
	}
	want := read(t, report())
	want.Meta = doctree.Meta{}
	text := func(d *doctree.Document) string {
		_, body, _ := strings.Cut(doctreetest.Show(t, d), "<body>")
		return body
	}
	if diff := cmp.Diff(text(want), text(d)); diff != "" {
		t.Errorf("encrypted, it differs (-plain +encrypted):\n%s", diff)
	}
	if _, err := doc.Read(t.Context(), data, doc.Options{}); !errors.Is(err, cfb.ErrEncrypted) {
		t.Errorf("without a password: %v", err)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		what string
		data []byte
		want error
	}{
		{"no container", []byte("x"), cfb.ErrMalformed},
		{"no document", cfbtest.Pack(cfbtest.Stream{Name: "Other", Data: []byte("x")}), cfb.ErrMalformed},
		{"encrypted", draft{paras: []part{{"x\r", nil}}, flags: 0x100}.pack(), cfb.ErrEncrypted},
	} {
		if _, err := doc.Read(t.Context(), c.data, doc.Options{}); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.what, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := doc.Read(ctx, report(), doc.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestHostile reads tables with loops and with too large counts.
func TestHostile(t *testing.T) {
	var pieces []byte
	const n = 2000
	for i := range n + 1 {
		pieces = binary.LittleEndian.AppendUint32(pieces, uint32(i*10_000))
	}
	for range n {
		pieces = append(pieces, bytesOf(0, uint32(1024), 0)...)
	}
	self := bytesOf(1, styleOf(1, 1, 0, bytesOf(0), nil))
	nested := make([]part, 300)
	for i := range nested {
		nested[i] = part{"x\r", bytesOf(0, 0x6649, uint32(i*1000))}
	}
	for name, d := range map[string]draft{
		"pieces of the same text": {paras: []part{{strings.Repeat("x\r", 5000), nil}}, tables: map[int][]byte{33: bytesOf(byte(2), uint32(len(pieces)), pieces)}},
		"style of itself":         {paras: []part{{"x\r", bytesOf(0)}}, tables: map[int][]byte{1: bytesOf(4, 1, 10, self[2:])}},
		"nested tables":           {paras: nested},
		"nested fields":           {paras: []part{{strings.Repeat("\x13", 5000) + strings.Repeat("\x14x\x15", 5000) + "\r", nil}}},
		"note of itself":          {paras: []part{{"\x02x\r", nil}}, tables: map[int][]byte{2: bytesOf(uint32(0), uint32(9), 1), 3: bytesOf(uint32(0xFFFFFFFD), uint32(9), uint32(9))}},
		"counts":                  {paras: []part{{"x\r", nil}}, counts: [8]int{0x7FFFFFFF, 0x7FFFFFFF, 0x7FFFFFFF}},
		"lists":                   {paras: []part{{"x\r", bytesOf(0, 0x460B, 1)}}, tables: map[int][]byte{73: bytesOf(0), 74: bytesOf(uint32(0xFFFFFFFF), strings.Repeat("\xFF", 100))}},
	} {
		d, err := doc.Read(t.Context(), d.pack(), doc.Options{Nodes: 1000})
		if err != nil || d.Root == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(report())
	f.Add(old())
	f.Add(oldReport())
	f.Add(cfbtest.Unpack(f, sample))
	f.Add(written(false, run{"one\r\n", "\x01\x01", "\x01"}, run{text: "two\r\n"}))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := doc.Read(t.Context(), data, doc.Options{Nodes: 10_000})
		if err == nil && d.Root == nil {
			t.Error("neither a tree nor an error")
		}
	})
}

// TestCut counts the paragraphs that are left out because the tree is full.
func TestCut(t *testing.T) {
	d, err := doc.Read(t.Context(), draft{paras: []part{{text: strings.Repeat("one\r", 100)}}}.pack(), doc.Options{Nodes: 50})
	if err != nil {
		t.Fatal(err)
	}
	doctreetest.CheckCut(t, d, 100)
}

// sample is a document that LibreOffice wrote.
var sample = golden.Root("parse/testdata/legacy/rich.doc.gz")

// FuzzStreams reads arbitrary streams, because a fuzzer can hardly guess an
// OLE container.
func FuzzStreams(f *testing.F) {
	for _, data := range [][]byte{report(), old(), oldReport(), cfbtest.Unpack(f, sample)} {
		file, err := cfb.Open(data)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(file.Root.Stream("WordDocument"), file.Root.Stream("1Table"), file.Root.Stream("Data"))
	}
	f.Fuzz(func(t *testing.T, main, table, data []byte) {
		data = cfbtest.Pack(cfbtest.Stream{Name: "WordDocument", Data: main}, cfbtest.Stream{Name: "1Table", Data: table}, cfbtest.Stream{Name: "Data", Data: data})
		d, err := doc.Read(t.Context(), data, doc.Options{Nodes: 10_000})
		if err == nil && d.Root == nil {
			t.Error("neither a tree nor an error")
		}
	})
}
