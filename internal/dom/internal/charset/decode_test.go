// SPDX-License-Identifier: Apache-2.0

package charset_test

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"

	"example.com/curlew/internal/dom/internal/charset"
)

// TestDecode has what the standard says where Chromium does otherwise, and errors.
func TestDecode(t *testing.T) {
	for _, c := range []struct{ name, bytes, want string }{
		{"big5", "\x88\x62\x88\x64\x88\xa3\x88\xa5", "Ê̄Ê̌ê̄ê̌"},
		{"big5", "\x81a", "�a"},
		{"big5", "<p>\xa4", "<p>�"},
		{"euc-jp", "\x8f\xf0(\xa1\xe0", "�(÷"},
		{"euc-jp", "\x8f\xa2\xaf\x8f\xa2", "˘�"},
		{"iso-2022-jp", "\x1b(\x0f", "�(�"},
		{"iso-2022-jp", "\x1b(Jo\\\x1b(B\\\x1b$B4A\x1b(B", "o¥\\漢"},
		{"iso-2022-jp", "\x1b$B\x1b(Ba", "�a"},
		{"iso-2022-jp", "\x1b(I1\x1b$@4A\x1b", "ｱ漢�"},
		{"shift_jis", "\x83<b>\xa0\xb1\x81", "�<b>�ｱ�"},
		{"euc-kr", "\xc7\xd1\x80\xc7<", "한��<"},
		{"gb18030", "\x81\x30\x81\x30\x84\x31\xa4\x37\xff\x90\x30\x81\x30", "\u0080��\U00010000"},
		{"gb18030", "\x81\x30\x81a\x81\x30", "�0乤�"},
		{"gb18030", "\xfe\x39\xfe\x39\xa6\xd9\x80", "�︐€"},
		{"utf-16be", "\xd8\x00\xdc\x00\xd8\x00\x00a\xdc\x00\xd8", "\U00010000�a��"},
		{"utf-16le", "\x3d\xd8\x00\xde\x3d\xd8", "😀�"},
		{"utf-8", "\xe2\x82\xf0\x9f\x98a\xc3\xff\xe2\x82\xac\xf0", "��a��€�"},
		{"windows-1252", "caf\xe9\x81", "café\u0081"},
		{"iso-8859-8-i", "\xe0", "א"},
		{"x-user-defined", "a\x80\xff", "a\uf780\uf7ff"},
		{"no-such", "é", "é"},
	} {
		if got := charset.Decode(c.name, []byte(c.bytes)); got != c.want {
			t.Errorf("Decode(%s, %q) = %q, want %q", c.name, c.bytes, got, c.want)
		}
		for _, r := range []io.Reader{iotest.OneByteReader(strings.NewReader(c.bytes)), iotest.DataErrReader(strings.NewReader(c.bytes))} {
			if got, err := io.ReadAll(charset.NewReader(c.name, r)); err != nil || string(got) != c.want {
				t.Errorf("NewReader(%s, %q): %q, %v, want %q", c.name, c.bytes, got, err, c.want)
			}
		}
	}
}

// TestReaderError checks that a reader returns the text before an error, and no character for
// what the error cut off.
func TestReaderError(t *testing.T) {
	r := charset.NewReader("big5", io.MultiReader(strings.NewReader("\xba\x7e\xba"), iotest.ErrReader(io.ErrUnexpectedEOF)))
	if got, err := io.ReadAll(r); !errors.Is(err, io.ErrUnexpectedEOF) || string(got) != "漢" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := io.ReadAll(charset.NewReader("big5", idle{})); !errors.Is(err, io.ErrNoProgress) {
		t.Error(err)
	}
}

type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

// TestDecodeBrowser decodes the byte sequences of testdata/decode.html. The sums are those of the lines
// that Chromium 156 wrote for each encoding.
func TestDecodeBrowser(t *testing.T) {
	sums := map[string]*struct {
		lines int
		sum   uint32
	}{}
	decode := func(name string, bytes ...byte) {
		var text []string
		for _, r := range charset.Decode(name, bytes) {
			text = append(text, fmt.Sprintf("%x", r))
		}
		s := sums[name]
		if s == nil {
			s = new(struct {
				lines int
				sum   uint32
			})
			sums[name] = s
		}
		s.lines++
		line := fmt.Sprintf("%s|%s|%s\n", name, hex(bytes), strings.Join(text, " "))
		s.sum = crc32.Update(s.sum, crc32.IEEETable, []byte(line))
	}
	each := func(first, last int, f func(byte)) {
		for i := first; i <= last; i++ {
			f(byte(i))
		}
	}
	for name := range strings.FieldsSeq(`ibm866 iso-8859-2 iso-8859-3 iso-8859-4 iso-8859-5 iso-8859-6 iso-8859-7
		iso-8859-8 iso-8859-8-i iso-8859-10 iso-8859-13 iso-8859-14 iso-8859-15 iso-8859-16 koi8-r koi8-u macintosh
		windows-874 windows-1250 windows-1251 windows-1252 windows-1253 windows-1254 windows-1255 windows-1256
		windows-1257 windows-1258 x-mac-cyrillic x-user-defined`) {
		each(0, 255, func(a byte) { decode(name, a) })
	}
	for _, name := range []string{"gbk", "gb18030", "big5", "euc-jp", "shift_jis", "euc-kr"} {
		each(0, 255, func(a byte) { decode(name, a) })
		each(128, 255, func(a byte) {
			each(0, 255, func(b byte) {
				if !wrong(name, []byte{a, b}) {
					decode(name, a, b)
				}
			})
		})
	}
	each(128, 255, func(a byte) { each(128, 255, func(b byte) { decode("euc-jp", 0x8f, a, b) }) })
	each(0x20, 0x7f, func(a byte) { each(0x20, 0x7f, func(b byte) { decode("iso-2022-jp", 0x1b, 0x24, 0x42, a, b) }) })
	each(0x81, 0x84, func(a byte) {
		each(0x30, 0x39, func(b byte) {
			each(0x81, 0xfe, func(c byte) {
				each(0x30, 0x39, func(d byte) { decode("gb18030", a, b, c, d) })
			})
		})
	})
	state := 1
	random := func(n int) int {
		state = state * 48271 % 2147483647
		return state % n
	}
	known := "\x1b\x24\x28\x42\x4a\x49\x40\x21\x0e\x20\x30\x39\x3a\x41\x5c\x61\x7e\x7f\x80\x81\x84\x88\x8e\x8f\x90\x98\xa0\xa1\xa4\xb0\xc8\xd8\xdb\xdc\xdf\xe0\xe3\xf0\xf4\xfc\xfd\xfe\xff"
	for _, name := range []string{"gbk", "gb18030", "big5", "euc-jp", "shift_jis", "euc-kr", "iso-2022-jp", "utf-16be", "utf-16le", "utf-8"} {
		for range 5000 {
			var bytes []byte
			for range 1 + random(9) {
				if random(4) == 0 {
					bytes = append(bytes, byte(random(256)))
				} else if name == "iso-2022-jp" {
					bytes = append(bytes, known[random(9)])
				} else {
					bytes = append(bytes, known[random(len(known))])
				}
			}
			if !wrong(name, bytes) {
				decode(name, bytes...)
			}
		}
	}
	for name, s := range sums {
		if want := browser[name]; want != s.sum {
			t.Errorf("%s: sum %#08x of %d lines, want %#08x", name, s.sum, s.lines, want)
		}
	}
}

// browser has the sums of testdata/decode.html.
var browser = map[string]uint32{
	"ibm866":         0x8dc33e10,
	"iso-8859-2":     0xf6574fab,
	"iso-8859-3":     0xa16d4a85,
	"iso-8859-4":     0xe00f99f4,
	"iso-8859-5":     0x2275a00b,
	"iso-8859-6":     0x92f44e38,
	"iso-8859-7":     0x4a2a6d52,
	"iso-8859-8":     0xf930de13,
	"iso-8859-8-i":   0x010742df,
	"iso-8859-10":    0xf47d4de2,
	"iso-8859-13":    0xc95d8177,
	"iso-8859-14":    0xb2f63d4a,
	"iso-8859-15":    0xeebcc2fc,
	"iso-8859-16":    0xca8c111a,
	"koi8-r":         0x51b332f0,
	"koi8-u":         0xdbde23f9,
	"macintosh":      0xa6d7d5d4,
	"windows-874":    0x0ede0f12,
	"windows-1250":   0xcbe54e59,
	"windows-1251":   0x8c151fcc,
	"windows-1252":   0xa93dd1c1,
	"windows-1253":   0x671f434e,
	"windows-1254":   0xbe0f5247,
	"windows-1255":   0x0cb5fed8,
	"windows-1256":   0x259820c6,
	"windows-1257":   0xe31e87a7,
	"windows-1258":   0xe3cc26df,
	"x-mac-cyrillic": 0xa728dbe9,
	"x-user-defined": 0xf179b875,
	"gbk":            0x168bc6b5,
	"gb18030":        0xfdef397b,
	"big5":           0x44e0e719,
	"euc-jp":         0xac14c146,
	"shift_jis":      0x3e20de63,
	"euc-kr":         0xb072bc41,
	"iso-2022-jp":    0x10db9fc4,
	"utf-16be":       0x13f38b7a,
	"utf-16le":       0x50ddaab8,
	"utf-8":          0x8afe29a2,
}

var wrongly = map[string]*regexp.Regexp{
	"big5":        regexp.MustCompile(`88 (62|64|a3|a5)`),
	"euc-jp":      regexp.MustCompile(`8f .* `),
	"iso-2022-jp": regexp.MustCompile(`1b (24 ([^4]|4[^02]|.$)|28 ([^4]|4[^2a9]|.$))`),
}

// wrong is the function of testdata/decode.html.
func wrong(name string, bytes []byte) bool {
	return wrongly[name] != nil && wrongly[name].MatchString(hex(bytes))
}

func hex(bytes []byte) string {
	var b strings.Builder
	for i, c := range bytes {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%x", c)
	}
	return b.String()
}

// FuzzDecode checks that the result does not depend on how much of the text each read
// returns, and that decoded text which can be encoded is decoded again.
func FuzzDecode(f *testing.F) {
	names := strings.Fields("gbk gb18030 big5 euc-jp iso-2022-jp shift_jis euc-kr utf-16be utf-16le utf-8 windows-1252 x-user-defined")
	for i := range names {
		f.Add(i, []byte("a\xba\x7e\x81\x30\x81\x30\x8f\xa2\xaf\x1b$B4A\x1b(J\\\x1b(B\xff\xe9"))
	}
	f.Fuzz(func(t *testing.T, i int, b []byte) {
		name := names[uint(i)%uint(len(names))]
		want := charset.Decode(name, b)
		if want != strings.ToValidUTF8(want, "") {
			t.Fatalf("%q is not UTF-8", want)
		}
		got, err := io.ReadAll(charset.NewReader(name, iotest.OneByteReader(strings.NewReader(string(b)))))
		if err != nil || string(got) != want {
			t.Fatalf("%q, %v; want %q", got, err, want)
		}
		encode := charset.Encoder(name)
		if encode == nil {
			return
		}
		for _, r := range want {
			if code, n := encode(nil, string(r)); n > 0 && charset.Decode(name, code) != string(r) && !strings.ContainsRune("¥‾−\ue5e5", r) && (r < 0xE000 || r > 0xF8FF) && (r < 0xFF61 || r > 0xFF9F) {
				t.Fatalf("%q is encoded as %q", r, code)
			}
		}
	})
}
