// SPDX-License-Identifier: Apache-2.0

package doc_test

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"

	"example.com/curlew/internal/test/cfbtest"
	"example.com/curlew/internal/test/doctreetest"
)

// oldDraft describes a Word 6 or 95 document to write.
type oldDraft struct {
	language, charset int
	fonts             []oldFace
	text              []byte
	props             []byte // of the characters of the text
	pieces            bool   // the text is stored in two pieces, the second before the first
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
	put32(0x34, len(d.text))
	stored := slices.Clone(d.text)
	half := len(d.text) / 2
	if d.pieces {
		put16(0x0A, 4)
		stored = slices.Concat(d.text[half:], d.text[:half])
	}
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
		for _, at := range []int{0, half, len(d.text)} {
			clx = binary.LittleEndian.AppendUint32(clx, uint32(at))
		}
		for _, at := range []int{textAt + len(d.text) - half, textAt} {
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
		{"behind other properties", oldDraft{language: 0x409, fonts: []oldFace{times, {162, "Arial"}}, props: []byte{85, 1, 70, 1, 2, 3, 4, 68, 2, 9, 9, 93, 1, 0}, text: as(charmap.Windows1254, "İstanbul şiir")}, "İstanbul şiir", ""},
		{"language of the text", oldDraft{language: 0x409, fonts: []oldFace{times}, props: []byte{97, 0x15, 4}, text: as(charmap.Windows1250, "Zażółć gęślą")}, "Zażółć gęślą", "The code page of 7 characters was guessed by their language: 1250."},
		{"language of the document", oldDraft{language: 0x419, fonts: []oldFace{times}, text: as(charmap.Windows1251, "Да")}, "Да", "The code page of 2 characters was guessed by their language: 1251."},
		{"Macintosh", oldDraft{language: 0x409, charset: 256, fonts: []oldFace{times}, text: as(charmap.Macintosh, "Café – “naïve”")}, "Café – “naïve”", ""},
		{"Macintosh in Russian", oldDraft{language: 0x419, charset: 256, fonts: []oldFace{times}, text: as(charmap.MacintoshCyrillic, "Привет")}, "Привет", "The code page of 6 characters was guessed by their language: 10007."},
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
