// SPDX-License-Identifier: Apache-2.0

package picture_test

import (
	"encoding/binary"
	"slices"
	"testing"
	"unicode/utf16"

	"example.com/curlew/parse/internal/picture"
)

// emf returns an EMF that draws texts.
func emf(draw func(text func(x, y int, s string))) []byte {
	b := make([]byte, 88)
	binary.LittleEndian.PutUint32(b, 1)
	binary.LittleEndian.PutUint32(b[4:], 88)
	copy(b[40:], " EMF")
	draw(func(x, y int, s string) {
		units := utf16.Encode([]rune(s))
		record := make([]byte, 76+2*len(units))
		for at, v := range map[int]int{0: 84, 4: len(record), 36: x, 40: y, 44: len(units), 48: 76} {
			binary.LittleEndian.PutUint32(record[at:], uint32(v))
		}
		for i, u := range units {
			binary.LittleEndian.PutUint16(record[76+2*i:], u)
		}
		b = append(b, record...)
	})
	return append(b, 14, 0, 0, 0, 8, 0, 0, 0)
}

// wmf returns a WMF of records, each a function and its words as bytes.
func wmf(placeable bool, records ...[]byte) []byte {
	var b []byte
	if placeable {
		b = append([]byte("\xD7\xCD\xC6\x9A"), make([]byte, 18)...)
	}
	b = append(b, 1, 0, 9, 0)
	b = append(b, make([]byte, 14)...)
	for _, r := range records {
		b = binary.LittleEndian.AppendUint32(b, uint32(4+len(r))/2)
		b = append(b, r...)
	}
	return b
}

func TestMetafileText(t *testing.T) {
	drawn := emf(func(text func(x, y int, s string)) {
		text(10, 200, "Below")
		text(90, 100, "π")
		text(10, 100, " Flow ")
		text(0, 300, " ")
	})
	out := []byte("\x21\x05\x05\x00Hello\x00\x07\x00\x03\x00")
	ext := []byte("\x32\x0A\x01\x00\x02\x00\x04\x00\x00\x00Caf\xE9")
	boxed := []byte("\x32\x0A\x02\x00\x02\x00\x02\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00in")
	for what, c := range map[string]struct {
		data []byte
		want []string
	}{
		"EMF":           {drawn, []string{"Flow π", "Below"}},
		"EMF, cut":      {drawn[:len(drawn)-60], []string{"Flow π", "Below"}},
		"WMF":           {wmf(false, out, ext, boxed), []string{"Café", "in", "Hello"}},
		"placeable WMF": {wmf(true, ext), []string{"Café"}},
		"length lies":   {wmf(false, []byte("\x21\x05\xFF\x7FHi"), []byte("\x32\x0A\x01\x00\x02\x00\xFF\x7F\x00\x00Hi")), nil},
		"no metafile":   {[]byte("\x89PNG\r\n\x1a\n and more than a few bytes of it"), nil},
		"nothing":       {nil, nil},
	} {
		if got := picture.MetafileText(c.data); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", what, got, c.want)
		}
	}
}

// TestTextless finds out by the first bytes of a metafile that it has no text.
func TestTextless(t *testing.T) {
	bitmap := func(records ...[]byte) []byte {
		b := emf(func(func(int, int, string)) {})
		b = b[:88]
		for _, r := range records {
			b = append(b, r...)
		}
		return b
	}
	record := func(kind, size int) []byte {
		r := make([]byte, size)
		binary.LittleEndian.PutUint32(r, uint32(kind))
		binary.LittleEndian.PutUint32(r[4:], uint32(size))
		return r
	}
	large, end, text := record(81, 100_000), record(14, 20), record(84, 80)
	for what, c := range map[string]struct {
		data []byte
		want bool
	}{
		"bitmap":         {bitmap(large, end), true},
		"text after it":  {bitmap(large, text, end), false},
		"text before it": {bitmap(text, large, end), false},
		"two bitmaps":    {bitmap(large, large, end), false}, // the second begins beyond the first bytes
		"broken record":  {bitmap(large[:200]), true},
		"WMF":            {wmf(true, append([]byte("\x43\x0F"), make([]byte, 50_000)...), []byte("\x00\x00")), true},
		"WMF with text":  {wmf(true, []byte("\x21\x05\x05\x00Hello\x00\x07\x00\x03\x00")), false},
		"no metafile":    {make([]byte, 100), false},
	} {
		if got := picture.Textless(c.data[:min(len(c.data), 4096)], int64(len(c.data))); got != c.want {
			t.Errorf("%s: %v, want %v", what, got, c.want)
		}
	}
}

func FuzzMetafile(f *testing.F) {
	f.Add(emf(func(text func(x, y int, s string)) { text(1, 2, "a") }))
	f.Add(wmf(true, []byte("\x21\x05\x05\x00Hello\x00\x07\x00\x03\x00")))
	f.Fuzz(func(t *testing.T, data []byte) {
		lines := picture.MetafileText(data)
		for _, line := range lines {
			if line == "" {
				t.Error("an empty line")
			}
		}
		for _, n := range []int{len(data), len(data) / 2, min(len(data), 200)} {
			if picture.Textless(data[:n], int64(len(data))) && lines != nil {
				t.Errorf("by its first %d bytes it has no text, but it has %q", n, lines)
			}
		}
	})
}
