// SPDX-License-Identifier: Apache-2.0

package charset_test

import (
	"fmt"
	"hash/crc32"
	"strings"
	"testing"
	"unicode/utf8"

	"example.com/curlew/internal/dom/internal/charset"
	"example.com/curlew/internal/weburl"
)

// TestEncoder compares with the indexes of the Encoding Standard.
func TestEncoder(t *testing.T) {
	for _, c := range []struct{ charset, text, want, rest string }{
		{"windows-1252", "café €", "caf\xe9 \x80", ""},
		{"windows-1252", "a漢b", "a", "漢b"},
		{"windows-1251", "мир", "\xec\xe8\xf0", ""},
		{"iso-8859-2", "žluť", "\xbelu\xbb", ""},
		{"koi8-r", "мир", "\xcd\xc9\xd2", ""},
		{"shift_jis", "漢字", "\x8a\xbf\x8e\x9a", ""},
		{"shift_jis", "é", "", "é"},
		{"euc-jp", "漢字", "\xb4\xc1\xbb\xfa", ""},
		{"iso-2022-jp", "漢", "\x1b$B4A\x1b(B", ""},
		{"iso-2022-jp", "a漢b¥c\\é", "a\x1b$B4A\x1b(Bb\x1b(J\\c\x1b(B\\", "é"},
		{"iso-2022-jp", "漢é", "\x1b$B4A\x1b(B", "é"},
		{"iso-2022-jp", "ｱ\x00\x1b", "\x1b$B%\"\x1b(B\x00", "\x1b"},
		{"shift_jis", "¥‾−ｱ\u0080", "\\~\x81\x7c\xb1\x80", ""},
		{"euc-jp", "ｱ", "\x8e\xb1", ""},
		{"euc-jp", "©", "", "©"},
		{"euc-kr", "한글", "\xc7\xd1\xb1\xdb", ""},
		{"big5", "漢", "\xba\x7e", ""},
		{"gbk", "汉字€", "\xba\xba\xd7\xd6\x80", ""},
		{"gbk", "😀", "", "😀"},
		{"gb18030", "汉字", "\xba\xba\xd7\xd6", ""},
		{"gb18030", "😀", "\x94\x39\xfc\x36", ""},
		{"windows-1252", strings.Repeat("é", 5000), strings.Repeat("\xe9", 5000), ""},
	} {
		got, n := charset.Encoder(c.charset)([]byte("?"), c.text)
		if string(got) != "?"+c.want || c.text[n:] != c.rest {
			t.Errorf("Encoder(%s): %.40q, rest %q; want %.40q, rest %q", c.charset, got, c.text[n:], "?"+c.want, c.rest)
		}
	}
	for _, name := range []string{"", "utf-8", "utf-16le", "utf-16be", "replacement", "no-such"} {
		if charset.Encoder(name) != nil {
			t.Errorf("Encoder(%q) is not nil", name)
		}
	}
}

// TestEncoderBrowser compares all characters up to U+2FFFF, except those for private use, with what Chromium 156
// writes. The sums are those of its answers: a page in each encoding set the query of a link
// to each character, and a line "code point, bytes" in hexadecimal was written for each one that was
// not escaped.
func TestEncoderBrowser(t *testing.T) {
	for _, c := range []struct {
		charset string
		chars   int
		sum     uint32
	}{
		{"gbk", 21891, 0x8dacbb13},
		{"gb18030", 188032, 0xa1d0b616},
		{"big5", 14653, 0xb7004c68},
		{"euc-jp", 7392, 0xaf6edf56},
		{"shift_jis", 7393, 0xce3ceddc},
		{"euc-kr", 17048, 0xaa794319},
		{"iso-2022-jp", 7392, 0xb6f288e6},
	} {
		encode, sum, chars := charset.Encoder(c.charset), crc32.NewIEEE(), 0
		for r := rune(0x80); r < 0x30000; r++ {
			if r >= 0xD800 && r < 0xF900 {
				continue // surrogates and private use
			}
			if code, n := encode(nil, string(r)); n > 0 {
				chars++
				fmt.Fprintf(sum, "%x %x\n", r, code)
			}
		}
		if chars != c.chars || sum.Sum32() != c.sum {
			t.Errorf("%s: %d characters, sum %08x; want %d, %08x", c.charset, chars, sum.Sum32(), c.chars, c.sum)
		}
	}
}

// TestEncoderAgain uses one encoder for several texts, as for a page, and
// escapes missing characters like package weburl.
func TestEncoderAgain(t *testing.T) {
	base, err := weburl.Parse("http://h/")
	if err != nil {
		t.Fatal(err)
	}
	enc := charset.Encoder("shift_jis")
	for _, c := range []struct{ ref, want string }{
		{"/a?q=é漢é", "http://h/a?q=%26%23233%3B%8A%BF%26%23233%3B"},
		{"/é?q=字", "http://h/%C3%A9?q=%8E%9A"},
		{"/a?q=x#字", "http://h/a?q=x#%E5%AD%97"},
	} {
		if u, err := base.LinkIn(c.ref, enc); err != nil || u.String() != c.want {
			t.Errorf("%s is %s, %v; want %s", c.ref, u, err, c.want)
		}
	}
}

// FuzzEncoder checks that each call encodes everything or stops before a character.
func FuzzEncoder(f *testing.F) {
	names := []string{"windows-1252", "shift_jis", "gb18030", "gbk", "big5", "euc-jp", "euc-kr", "iso-2022-jp", "koi8-u", "macintosh", "x-user-defined"}
	for i := range names {
		f.Add(i, "café 漢字 汉字 한글 😀 \x1b\x0e")
	}
	f.Fuzz(func(t *testing.T, i int, text string) {
		text = strings.ToValidUTF8(text, "")
		enc := charset.Encoder(names[uint(i)%uint(len(names))])
		for text != "" {
			_, n := enc(nil, text)
			if n < 0 || n > len(text) || n < len(text) && !utf8.RuneStart(text[n]) {
				t.Fatalf("%q: took %d", text, n)
			}
			if n == len(text) {
				return
			}
			_, size := utf8.DecodeRuneInString(text[n:])
			text = text[n+size:]
		}
	})
}
