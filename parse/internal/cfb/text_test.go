// SPDX-License-Identifier: Apache-2.0

package cfb_test

import (
	"encoding/binary"
	"testing"
	"unicode/utf16"

	"example.com/curlew/parse/internal/cfb"
)

// FuzzUTF16 compares Decode and UTF16 with package utf16.
func FuzzUTF16(f *testing.F) {
	for _, text := range []string{"", "Tabelle1", "Übersicht €", "𝒳 and 😀", "a\x00b"} {
		b := []byte{}
		for _, u := range utf16.Encode([]rune(text)) {
			b = binary.LittleEndian.AppendUint16(b, u)
		}
		f.Add(b)
	}
	f.Add([]byte{0x35, 0xD8})                   // half a pair
	f.Add([]byte{0x35, 0xD8, 0x41, 0, 0x42})    // half a pair, a letter, half a unit
	f.Add([]byte{0x00, 0xDC, 0x35, 0xD8, 0, 0}) // halves in the wrong order
	f.Fuzz(func(t *testing.T, b []byte) {
		var all, upTo []uint16
		ended := false
		for i := 0; i+1 < len(b); i += 2 {
			u := binary.LittleEndian.Uint16(b[i:])
			all = append(all, u)
			if ended = ended || u == 0; !ended {
				upTo = append(upTo, u)
			}
		}
		if got, want := cfb.Decode(all), string(utf16.Decode(all)); got != want {
			t.Errorf("Decode(%x) = %q, want %q", all, got, want)
		}
		if got, want := cfb.UTF16(b), string(utf16.Decode(upTo)); got != want {
			t.Errorf("UTF16(%x) = %q, want %q", b, got, want)
		}
	})
}
