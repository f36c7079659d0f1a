// SPDX-License-Identifier: Apache-2.0

package dom_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"example.com/curlew/internal/dom"
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
		{"euc-kr", "한글", "\xc7\xd1\xb1\xdb", ""},
		{"big5", "漢", "\xba\x7e", ""},
		{"gbk", "汉字€", "\xba\xba\xd7\xd6\x80", ""},
		{"gbk", "😀", "", "😀"},
		{"gb18030", "汉字", "\xba\xba\xd7\xd6", ""},
		{"gb18030", "😀", "\x94\x39\xfc\x36", ""},
		{"windows-1252", strings.Repeat("é", 5000), strings.Repeat("\xe9", 5000), ""},
	} {
		got, n := dom.Encoder(c.charset)([]byte("?"), c.text)
		if string(got) != "?"+c.want || c.text[n:] != c.rest {
			t.Errorf("Encoder(%s): %.40q, rest %q; want %.40q, rest %q", c.charset, got, c.text[n:], "?"+c.want, c.rest)
		}
	}
	for _, name := range []string{"", "utf-8", "utf-16le", "utf-16be", "replacement", "no-such"} {
		if dom.Encoder(name) != nil {
			t.Errorf("Encoder(%q) is not nil", name)
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
	enc := dom.Encoder("shift_jis")
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

// FuzzEncoder checks that encoded text can be decoded, and that each call
// encodes everything or stops before a character.
func FuzzEncoder(f *testing.F) {
	names := []string{"windows-1252", "shift_jis", "gb18030", "gbk", "big5", "euc-jp", "euc-kr", "iso-2022-jp", "koi8-u", "macintosh", "x-user-defined"}
	for i := range names {
		f.Add(i, "café 漢字 汉字 한글 😀 \x1b\x0e")
	}
	f.Fuzz(func(t *testing.T, i int, text string) {
		text = strings.ToValidUTF8(text, "")
		enc := dom.Encoder(names[uint(i)%uint(len(names))])
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
