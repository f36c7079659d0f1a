// SPDX-License-Identifier: Apache-2.0

package doc_test

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"

	"example.com/curlew/internal/test/cfbtest"
	"example.com/curlew/internal/test/doctreetest"
	"example.com/curlew/internal/test/golden"
)

// oldDraft describes a Word 6 or 95 document to write.
type oldDraft struct {
	language, charset int
	fonts             []oldFace
	text              []byte
	props             []byte // of the characters of the text
	pieces            bool   // the text is stored in two pieces, the second before the first
	wide              bool   // the text is UTF-16
}

type oldFace struct {
	charset byte
	name    string
}

func (d oldDraft) pack() []byte {
	const textAt, pageAt = 0x400, 0x800
	main := make([]byte, textAt)
	put16 := func(at, v int) { binary.LittleEndian.PutUint16(main[at:], uint16(v)) }
	put32 := func(at, v int) { binary.LittleEndian.PutUint32(main[at:], uint32(v)) }
	put16(0, 0xA5DC)
	put16(2, 0x65)
	put16(0x06, d.language)
	put16(0x14, d.charset)
	put32(0x18, textAt)
	width, flags := 1, 0
	if d.wide {
		width, flags = 2, 0x1000
	}
	units := len(d.text) / width
	put32(0x34, units)
	stored := slices.Clone(d.text)
	half := units / 2
	if d.pieces {
		flags |= 4
		stored = slices.Concat(d.text[half*width:], d.text[:half*width])
	}
	put16(0x0A, flags)
	main = append(main, stored...)
	main = append(main, make([]byte, pageAt-len(main))...)
	page := make([]byte, 512) // one run over all of the text
	binary.LittleEndian.PutUint32(page, textAt)
	binary.LittleEndian.PutUint32(page[4:], uint32(textAt+len(d.text)))
	page[8] = 200
	page[400] = byte(len(d.props))
	copy(page[401:], d.props)
	page[511] = 1
	main = append(main, page...)
	part := func(at int, b []byte) {
		put32(at, len(main))
		put32(at+4, len(b))
		main = append(main, b...)
	}
	plc := binary.LittleEndian.AppendUint32(nil, textAt)
	plc = binary.LittleEndian.AppendUint32(plc, uint32(textAt+len(d.text)))
	part(0xB8, binary.LittleEndian.AppendUint16(plc, pageAt/512))
	table := []byte{0, 0}
	for _, f := range d.fonts {
		table = append(table, byte(6+len(f.name)), 0, 0, 0, f.charset, 0)
		table = append(append(table, f.name...), 0)
	}
	part(0xD0, table)
	if d.pieces {
		var clx []byte
		for _, at := range []int{0, half, units} {
			clx = binary.LittleEndian.AppendUint32(clx, uint32(at))
		}
		for _, at := range []int{textAt + len(d.text) - half*width, textAt} {
			clx = binary.LittleEndian.AppendUint32(append(clx, 0, 0), uint32(at))
			clx = append(clx, 0, 0)
		}
		part(0x160, append(binary.LittleEndian.AppendUint32([]byte{2}, uint32(len(clx))), clx...))
	}
	return cfbtest.Pack(cfbtest.Stream{Name: "WordDocument", Data: main})
}

// TestOldCodePages reads documents of Word 6 and 95 in letters that are not
// western. The code page follows from the font of the text, from its language or
// from the language of the document. It is a guess unless the font determines it.
func TestOldCodePages(t *testing.T) {
	as := func(e encoding.Encoding, s string) []byte {
		b, err := e.NewEncoder().Bytes([]byte(s + "\r"))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	utf16 := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	macCzech := []byte("\xEBlu\xE9ou\x8Bk\xF9 k\xF3\xCB\r")
	macGreek := []byte("\xBA\xE1\xEC\xE8\xED\xDB\xF2\xE1\r")
	times := oldFace{0, "Times New Roman"}
	second := []byte{93, 1, 0}
	for _, c := range []struct {
		what  string
		draft oldDraft
		want  string
		guess string
	}{
		{"western", oldDraft{language: 0x409, fonts: []oldFace{times}, text: as(charmap.Windows1252, "Café – “naïve”")}, "Café – “naïve”", ""},
		{"Cyrillic font", oldDraft{language: 0x409, fonts: []oldFace{times, {204, "Arial"}}, props: second, text: as(charmap.Windows1251, "Привет, мир")}, "Привет, мир", ""},
		{"name of a font", oldDraft{language: 0x409, fonts: []oldFace{times, {0, "Times New Roman CE"}}, props: second, text: as(charmap.Windows1250, "Žluťoučký kůň")}, "Žluťoučký kůň", ""},
		{"first font", oldDraft{language: 0x409, fonts: []oldFace{{161, "Arial"}}, text: as(charmap.Windows1253, "Καλημέρα")}, "Καλημέρα", ""},
		{"behind other properties", oldDraft{language: 0x409, fonts: []oldFace{times, {162, "Arial"}}, props: []byte{85, 0, 70, 1, 2, 3, 4, 68, 2, 9, 9, 93, 1, 0}, text: as(charmap.Windows1254, "İstanbul şiir")}, "İstanbul şiir", ""},
		{"language of the text", oldDraft{language: 0x409, fonts: []oldFace{times}, props: []byte{97, 0x15, 4}, text: as(charmap.Windows1250, "Zażółć gęślą")}, "Zażółć gęślą", "The code page of 7 characters was guessed by their language: 1250."},
		{"language of the document", oldDraft{language: 0x419, fonts: []oldFace{times}, text: as(charmap.Windows1251, "Да")}, "Да", "The code page of 2 characters was guessed by their language: 1251."},
		{"Macintosh", oldDraft{language: 0x409, charset: 256, fonts: []oldFace{times}, text: as(charmap.Macintosh, "Café – “naïve”")}, "Café – “naïve”", ""},
		{"Macintosh in Russian", oldDraft{language: 0x419, charset: 256, fonts: []oldFace{times}, text: as(charmap.MacintoshCyrillic, "Привет")}, "Привет", "The code page of 6 characters was guessed by their language: 10007."},
		{"Macintosh in Czech", oldDraft{language: 0x405, charset: 256, fonts: []oldFace{times}, text: macCzech}, "Žluťoučký kůň", "The code page of 6 characters was guessed by their language: 10029."},
		{"Macintosh in Greek", oldDraft{language: 0x408, charset: 256, fonts: []oldFace{times}, text: macGreek}, "Καλημέρα", "The code page of 8 characters was guessed by their language: 10006."},
		{"Japanese font", oldDraft{language: 0x409, fonts: []oldFace{times, {128, "Mincho"}}, props: second, text: as(japanese.ShiftJIS, "日本語とﾊﾝｶｸ, ok")}, "日本語とﾊﾝｶｸ, ok", ""},
		{"traditional Chinese", oldDraft{language: 0x404, fonts: []oldFace{times}, text: as(traditionalchinese.Big5, "細明體")}, "細明體", "The code page of 3 characters was guessed by their language: 950."},
		{"simplified Chinese in pieces", oldDraft{language: 0x804, fonts: []oldFace{{134, "SimSun"}}, pieces: true, text: as(simplifiedchinese.GBK, "先是第一段然后来")}, "先是第一段然后来", ""},
		{"half a character", oldDraft{language: 0x409, fonts: []oldFace{{128, "Mincho"}}, text: []byte("\x93\xFA\x93\r")}, "日“", ""},
		{"UTF-16", oldDraft{language: 0x404, wide: true, fonts: []oldFace{{136, "Ming"}}, text: as(utf16, "細明體 Café")}, "細明體 Café", ""},
		{"UTF-16 in pieces", oldDraft{language: 0x404, wide: true, pieces: true, fonts: []oldFace{{136, "Ming"}}, text: as(utf16, "先來後到")}, "先來後到", ""},
		{"pieces", oldDraft{language: 0x409, fonts: []oldFace{{204, "Arial"}}, pieces: true, text: as(charmap.Windows1251, "Сначала, потом")}, "Сначала, потом", ""},
		{"no such font", oldDraft{language: 0x409, props: []byte{93, 9, 9}, text: as(charmap.Windows1252, "é")}, "é", ""},
		{"properties cut", oldDraft{language: 0x409, props: []byte{93, 9, 68, 200, 3}, text: as(charmap.Windows1252, "é")}, "é", ""},
	} {
		got := doctreetest.Show(t, read(t, c.draft.pack()))
		if !strings.Contains(got, "<p>"+c.want+"</p>") {
			t.Errorf("%s: no %s in %s", c.what, c.want, got)
		}
		if c.guess == "" && strings.Contains(got, "guessed") || !strings.Contains(got, c.guess) {
			t.Errorf("%s: warnings of %s, want %q", c.what, got, c.guess)
		}
	}
}

// oldPara is a paragraph of a Word 6 document.
type oldPara struct {
	text  string
	style int
	props []byte
}

// packOld returns a Word 6 document with these paragraphs, character runs and other parts
// by their offset in the file information block. counts has the lengths of its texts.
func packOld(paras []oldPara, runs []oldPara, counts [8]int, parts map[int][]byte) []byte {
	const textAt = 0x400
	main := make([]byte, textAt)
	put32 := func(at, v int) { binary.LittleEndian.PutUint32(main[at:], uint32(v)) }
	binary.LittleEndian.PutUint16(main, 0xA5DC)
	binary.LittleEndian.PutUint16(main[2:], 0x65)
	binary.LittleEndian.PutUint16(main[6:], 0x409)
	put32(0x18, textAt)
	copy(main[0x200:], "\x02\x00\x99\x0A") // the section has headers and footers of odd pages
	for i, n := range counts {
		put32(0x34+4*i, n)
	}
	for _, p := range paras {
		main = append(main, p.text...)
	}
	page := func(list []oldPara, entry int, data func(p oldPara) []byte) []byte {
		main = append(main, make([]byte, (512-len(main)%512)%512)...)
		b := make([]byte, 512)
		at, free, kept := textAt, 510, map[string]byte{}
		for i, p := range list {
			binary.LittleEndian.PutUint32(b[4*i:], uint32(at))
			at += len(p.text)
			one := data(p)
			if kept[string(one)] == 0 {
				if free = (free - len(one)) &^ 1; free < (4+entry)*len(list)+4 {
					panic("properties of more than a page")
				}
				copy(b[free:], one)
				kept[string(one)] = byte(free / 2)
			}
			b[4*(len(list)+1)+entry*i] = kept[string(one)]
		}
		binary.LittleEndian.PutUint32(b[4*len(list):], uint32(at))
		b[511] = byte(len(list))
		main = append(main, b...)
		return cfbtest.Bytes(uint32(textAt), uint32(at), len(main)/512-1)
	}
	parts[0xC0] = page(paras, 7, func(p oldPara) []byte {
		b := append([]byte{byte(p.style), 0}, p.props...)
		if len(b)%2 != 0 {
			b = append(b, 0)
		}
		return append([]byte{byte(len(b) / 2)}, b...)
	})
	if runs != nil {
		parts[0xB8] = page(runs, 1, func(p oldPara) []byte { return append([]byte{byte(len(p.props))}, p.props...) })
	}
	for at, b := range parts {
		put32(at, len(main))
		put32(at+4, len(b))
		main = append(main, b...)
	}
	return cfbtest.Pack(cfbtest.Stream{Name: "WordDocument", Data: main})
}

// oldReport returns a Word 6 document with styles, lists, a table, notes, a comment,
// headers, a text box, hidden and deleted text.
func oldReport() []byte {
	number := func(level, format byte, before, after string, start byte) []byte {
		anld := make([]byte, 22)
		anld[0], anld[1], anld[2], anld[10] = format, byte(len(before)), byte(len(before)+len(after)), start
		copy(anld[20:], before+after)
		return append(append([]byte{12, 22}, anld...), 13, level)
	}
	letters := number(10, 4, "(", ")", 1)
	cell, end := []byte{24, 1}, []byte{24, 1, 25, 1}
	row := func(merged byte) []byte { // three cells; the second may be merged with the first
		b := []byte{3, 0, 0, 100, 0, 200, 0, 44, 1}
		for _, flags := range []byte{merged, 2 * merged, 0} {
			b = append(append(b, flags, 0), make([]byte, 8)...)
		}
		return append(append(slices.Clone(end), 190, byte(len(b)+1), 0), b...)
	}
	texts := []oldPara{
		{"Chapter\r", 1, nil},
		{"Body\x02 said\x05 and\x02 secret gone.\r", 0, nil},
		{"alpha\r", 0, letters},
		{"beta\r", 0, letters},
		{"between\r", 0, nil},
		{"again\r", 0, letters},
		{"dot\r", 0, number(11, 0, "\xB7", "", 0)},
		{"a\x07", 0, cell},
		{"b\x07", 0, cell},
		{"c\x07", 0, cell},
		{"\x07", 0, row(0)},
		{"wide\x07", 0, cell},
		{"\x07", 0, cell},
		{"d\x07", 0, cell},
		{"\x07", 0, row(1)},
		{"last\r", 0, nil},
	}
	sizes := func(list []oldPara) (n int) {
		for _, p := range list {
			n += len(p.text)
		}
		return n
	}
	body := sizes(texts)
	notes := []oldPara{{"\x02 Foot note\r", 0, nil}, {"\r", 0, nil}}
	headers := []oldPara{{"separator\r", 0, nil}, {"Page head\r", 0, nil}, {"Page foot\r", 0, nil}, {"\r", 0, nil}}
	comments := []oldPara{{"\x05 Check this\r", 0, nil}, {"\r", 0, nil}}
	ends := []oldPara{{"\x02 End note\r", 0, nil}, {"\r", 0, nil}}
	boxes := []oldPara{{"In a box\r", 0, nil}, {"\r", 0, nil}}
	all := slices.Concat(texts, notes, headers, comments, ends, boxes)
	var whole strings.Builder
	for _, p := range all {
		whole.WriteString(p.text)
	}
	var runs []oldPara
	special, hidden, deleted := []byte{117, 1}, []byte{92, 1}, []byte{65, 1}
	for rest := whole.String(); rest != ""; {
		size, props := len(rest), []byte(nil)
		for mark, p := range map[string][]byte{"\x02": special, "\x05": special, " secret": hidden, " gone": deleted} {
			if i := strings.Index(rest, mark); i == 0 {
				size, props = len(mark), p
				break
			} else if i > 0 && i < size {
				size, props = i, nil
			}
		}
		runs = append(runs, oldPara{text: rest[:size], props: props})
		rest = rest[size:]
	}
	u := func(n int) uint32 { return uint32(n) }
	place := func(mark string, n int) uint32 {
		at := -1
		for range n {
			at += 1 + strings.Index(whole.String()[at+1:], mark)
		}
		return uint32(at)
	}
	style := func(id, base int, name string) []byte {
		std := cfbtest.Bytes(id, base<<4|1, 0, 0, byte(len(name)), name, byte(0))
		if len(std)%2 != 0 {
			std = append(std, 0)
		}
		return append(cfbtest.Bytes(len(std)), std...)
	}
	sheet := slices.Concat(cfbtest.Bytes(4, 2, 8), style(0, 0xFFF, "Normal"), style(1, 0, "heading 1"))
	author := append(make([]byte, 10), 1, 0)
	comment := append(author, make([]byte, 8)...)
	section := cfbtest.Bytes(uint32(0), uint32(body), 0, uint32(0x200), 0, uint32(0))
	data := packOld(all, runs, [8]int{body, sizes(notes), sizes(headers), 0, sizes(comments), sizes(ends), sizes(boxes)}, map[int][]byte{
		0x60: sheet,
		0x68: cfbtest.Bytes(place("\x02", 1), u(body), 1), 0x70: cfbtest.Bytes(u(0), u(len(notes[0].text)), u(sizes(notes))),
		0x78: cfbtest.Bytes(place("\x05", 1), u(body), comment), 0x80: cfbtest.Bytes(u(0), u(len(comments[0].text)), u(sizes(comments))),
		0x88:  section,
		0xB0:  cfbtest.Bytes(u(0), u(10), u(20), u(30), u(31)),
		0x150: {0, 1}, 0x178: []byte("\x03Ann\x03Bob"),
		0x1D2: cfbtest.Bytes(place("\x02", 2), u(body), 1), 0x1DA: cfbtest.Bytes(u(0), u(len(ends[0].text)), u(sizes(ends))),
	})
	return data
}

// TestOldReport reads what Word 6 and 95 documents have besides their text.
func TestOldReport(t *testing.T) {
	golden.Check(t, "testdata/oldreport.html", []byte(doctreetest.Show(t, read(t, oldReport()))))
}
