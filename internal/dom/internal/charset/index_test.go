// SPDX-License-Identifier: Apache-2.0

package charset

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"slices"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"

	"example.com/curlew/internal/test/golden"
)

// since2022 are the characters of the codes of former.
var since2022 = []rune("︐︒︑︓︔︕︖︗︘︙龴龵龶龷龸龹龺龻")

// TestIndexes compares the indexes with what the decoders of golang.org/x/text know, and with the
// codes that they do not know. With -update it writes the files.
func TestIndexes(t *testing.T) {
	// char returns the character of a code in an encoding, or 0.
	char := func(name string) func(code ...byte) rune {
		e, err := htmlindex.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		decoder := e.NewDecoder()
		return func(code ...byte) rune {
			decoder.Reset()
			text, err := decoder.Bytes(code)
			r, size := utf8.DecodeRune(text)
			if err != nil || r == utf8.RuneError || size != len(text) {
				return 0
			}
			return r
		}
	}
	// table calls at for each first and second byte.
	table := func(rows, columns int, at func(row, column byte) rune) index {
		var all index
		for row := range rows {
			for column := range columns {
				all = append(all, at(byte(row), byte(column)))
			}
		}
		return all
	}
	// second returns the second byte in a column of an encoding that leaves 0x7F out.
	second := func(column, low, high byte) byte {
		if b := column + low; b < 0x7F {
			return b
		}
		return column + high
	}

	var single index
	for _, name := range singles {
		decode := char(name)
		for c := 0x80; c <= 0xFF; c++ {
			r := decode(byte(c))
			switch {
			case r == 0 && c < 0xA0:
				r = rune(c) // the standard has control characters
			case r == 0:
				r = utf8.RuneError
			}
			single = append(single, r)
		}
	}
	big5, euckr, gb18030, jis, eucjp := char("big5"), char("euc-kr"), char("gb18030"), char("shift_jis"), char("euc-jp")
	pairs := table(126, 190, func(row, column byte) rune {
		code := []byte{0x81 + row, second(column, 0x40, 0x41)}
		return gb18030(code...)
	})
	private(pairs)
	for i, m := range former {
		pairs[int(m.code>>8-0x81)*190+int(m.code&0xFF)-offset(byte(m.code), 0x41)] = since2022[i]
	}
	var ranges index
	for pointer := range 39420 {
		var code [4]byte
		binary.BigEndian.PutUint32(code[:], fourBytes(uint32(pointer)))
		r := gb18030(code[:]...)
		switch pointer {
		case 7457: // U+1E3F until 2005
			r = 0xE7C7
		case 39417:
			r = utf8.RuneError // is in the range before it
		}
		if n := len(ranges); n == 0 || r != ranges[n-1]+rune(pointer)-ranges[n-2] {
			ranges = append(ranges, rune(pointer), r)
		}
	}
	for name, want := range map[string]index{
		"single":  single,
		"big5":    table(126, 157, func(row, column byte) rune { return big5(0x81+row, second(column, 0x40, 0x62)) }),
		"euc-kr":  table(126, 190, func(row, column byte) rune { return euckr(0x81+row, 0x41+column) }),
		"gb18030": pairs, "gb18030-ranges": ranges,
		"jis0208": table(60, 188, func(row, column byte) rune {
			first := 0x81 + row
			if first >= 0xA0 {
				first += 0x40
			}
			r := jis(first, second(column, 0x40, 0x41))
			if r >= 0xE000 && r <= 0xF8FF {
				return 0
			}
			return r
		}),
		"jis0212": table(94, 94, func(row, column byte) rune { return eucjp(0x8F, 0xA1+row, 0xA1+column) }),
	} {
		got := readIndex(name)
		if slices.Equal(got, want) {
			continue
		}
		for i := range min(len(got), len(want)) {
			if got[i] != want[i] {
				t.Errorf("%s: U+%04X at %d, and U+%04X in golang.org/x/text", name, got[i], i, want[i])
				break
			}
		}
		golden.Check(t, "index/"+name+".gz", packed(t, want))
	}
}

// private fills the codes of GB18030 that golang.org/x/text does not know. They are for private use,
// in three areas and, in ascending order, between other characters. Some of the latter have had characters since
// 2000 or 2005.
func private(pairs index) {
	next := rune(0xE766)
	for pointer, r := range pairs {
		row, column := rune(0x81+pointer/190), rune(pointer%190)
		code := row<<8 | (column + 0x40)
		if column >= 0x3F {
			code++
		}
		switch low := code & 0xFF; {
		case between16(code, 0xAAA1, 0xAFFE) && low >= 0xA1:
			r = 0xE000 + (row-0xAA)*94 + low - 0xA1
		case between16(code, 0xF8A1, 0xFEFE) && low >= 0xA1:
			r = 0xE234 + (row-0xF8)*94 + low - 0xA1
		case between16(code, 0xA140, 0xA7A0) && low <= 0xA0 && code != 0xA3A0:
			r = 0xE4C6 + (row-0xA1)*96 + column
		case code == 0xA3A0:
			r = '\u3000'
		case code == 0xA8BC:
			r = 'ḿ' // and U+E7C7 has four bytes
			next++
		case r == 0:
			r = next
			next++
		case code == 0xA2E3, code == 0xA8BF, between16(code, 0xA989, 0xA995), between16(code, 0xFE50, 0xFEA0):
			next++
		}
		pairs[pointer] = r
	}
}

func between16(code, low, high rune) bool { return low <= code && code <= high }

// packed returns an index in the form of its file.
func packed(t *testing.T, all index) []byte {
	t.Helper()
	var plain, file bytes.Buffer
	last := int64(-1)
	for _, r := range all {
		plain.Write(binary.AppendVarint(nil, int64(r)-last-1))
		last = int64(r)
	}
	w, err := gzip.NewWriterLevel(&file, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(plain.Bytes()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}
