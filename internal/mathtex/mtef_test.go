// SPDX-License-Identifier: Apache-2.0

package mathtex_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"example.com/curlew/internal/mathtex"
)

// native returns a stream "Equation Native" with a formula.
func native(version byte, records string) []byte {
	stream := make([]byte, 28)
	stream[0] = 28
	stream = append(stream, version, 1, 1, 3, 0)
	if version == 5 {
		stream = append(stream, "DSMT7\x00\x00"...)
	}
	return append(stream, records...)
}

// Records of version 5.
func mLine(content ...string) string { return "\x01\x00" + strings.Join(content, "") + "\x00" }

const mEmpty = "\x01\x01"

func mTemplate(selector, variation byte, slots ...string) string {
	return "\x03\x00" + string([]byte{selector, variation, 0}) + strings.Join(slots, "") + "\x00"
}

// mText returns characters of a style.
func mText(style byte, text string) string {
	var b []byte
	for _, r := range text {
		b = append(b, 2, 0, 128+style, byte(r), byte(r>>8))
	}
	return string(b)
}

func mVar(text string) string { return mText(3, text) }

// TestMTEF reads records of MathType 4 to 7.
func TestMTEF(t *testing.T) {
	x, a, b := mLine(mVar("x")), mLine(mVar("a")), mLine(mVar("b"))
	sup := func(s string) string { return mTemplate(28, 0, "\x0B", mEmpty, mLine(s)) + "\x0A" }
	preferences := "\x13Win\x00\x11\x05Times\x00\x12\x00\x02\x21\x2F\x45\xF0\x01\x41\x5F\x03\x01\x00\x00\x02\x02"
	for _, c := range []struct{ what, in, want string }{
		{"preferences", preferences + "\x0A" + mLine(mVar("x")), `x`},
		{"quadratic formula", mLine(mTemplate(11, 0, mLine("\x02\x04\x86\x12\x22\x2D", mVar("b"), "\x02\x04\x86\xB1\x00\xB1",
			mTemplate(10, 0, mLine(mVar("b"), sup(mText(8, "2")), mText(6, "−"), mText(8, "4"), mVar("ac")), mEmpty)),
			mLine(mText(8, "2"), mVar("a")))), `\frac{-b\pm\sqrt{b^{2}-4ac}}{2a}`},
		{"root", mTemplate(10, 1, x, mLine(mText(8, "3"))), `\sqrt[3]{x}`},
		{"fraction with a slash", mTemplate(11, 2, a, b), `a/b`},
		{"fences", mTemplate(1, 3, x) + mTemplate(3, 1, x) + mTemplate(7, 2, x) + mTemplate(9, 0x32, x), `\left(x\right)\left[x\right.\left.x\right\rceil\left[x\right]`},
		{"cases", mTemplate(2, 1, mLine("\x04\x00\x01\x00"+a+b+"\x00"), mText(22, "{")), `\begin{cases}a \\ b\end{cases}`},
		{"matrix", mTemplate(3, 3, mLine("\x05\x00\x01\x02\x01\x02\x02\x00\x00"+a+b+b+a+"\x00")), `\begin{bmatrix}a & b \\ b & a\end{bmatrix}`},
		{"sum", mTemplate(16, 0x70, x, a, b, mText(22, "∑")), `\sum_{a}^{b}{x}`},
		{"integrals", mTemplate(15, 0x11, x, a, mEmpty) + mTemplate(15, 6, x), `\int_{a}{x}\oiint{x}`},
		{"operators", mTemplate(22, 0x30, x, a, b, mText(6, "⨁")) + mTemplate(21, 0x10, x, a, mEmpty, mLine(mVar("R"))), `\bigoplus_{a}^{b}{x}R_{a}x`},
		{"limit", mTemplate(23, 0x10, mLine(mText(2, "lim")), a, mEmpty) + mVar("f"), `\lim_{a}f`},
		{"braces", mTemplate(24, 1, x, a) + mTemplate(24, 0, x, b), `\overbrace{x}^{a}\underbrace{x}_{b}`},
		{"bars", mTemplate(12, 0, x) + mTemplate(13, 0, x), `\underline{x}\overline{x}`},
		{"arrows", mTemplate(14, 0x24, a) + mTemplate(14, 0x18, a), `\xrightarrow{a}\underset{a}{\leftarrow}`},
		{"scripts", mVar("x") + mTemplate(29, 0, a, b) + mTemplate(27, 1, a) + mVar("y"), `x_{a}^{b}{}_{a}{}y`},
		{"script of a word", mText(2, "log") + mTemplate(27, 0, mLine(mText(8, "2"))) + mVar("x"), `\log_{2}x`},
		{"bra and ket", mTemplate(30, 3, a, b) + mTemplate(30, 1, a) + mTemplate(30, 2, b), `\left\langle a\middle|b\right\rangle\left\langle a\right|\left|b\right\rangle`},
		{"hats", mTemplate(31, 2, mLine(mVar("AB"))) + mTemplate(33, 0, x) + mTemplate(32, 0, x), `\overrightarrow{AB}\hat{x}\tilde{x}`},
		{"box", mTemplate(37, 0x1E, x), `\boxed{x}`},
		{"marks", "\x02\x01\x83x\x00\x06\x00\x09\x00" + "\x02\x01\x83x\x00\x06\x00\x05\x00" + "\x02\x01\x86=\x00\x06\x00\x0A\x00", `\hat{x}x'\neq`},
		{"words", mText(1, "for all") + mVar("x") + mText(3, "Вес"), `\text{for all}x\text{Вес}`},
		{"vectors and spaces", mText(7, "v") + mText(24, "\uEB02") + mVar("w"), `\mathbf{v}\,w`},
		{"nudges and colors", "\x10\x00\x00\x00\x00\x00\x00\x00\x0F\x00\x02\x08\x80\x80\x01\x00\x02\x00\x83x\x00\x02\x08\x7F\x81\x83y\x00", `xy`},
		{"unknown template", mTemplate(36, 1, x), ""},
		{"unknown character", mText(11, "\uE000"), ""},
		{"unknown mark", "\x02\x01\x83x\x00\x06\x00\x16\x00", ""},
		{"open line", "\x01\x00" + mVar("x"), ""},
		{"open character", "\x02\x00\x83x", ""},
		{"cells missing", "\x05\x00\x01\x02\x01\x02\x02\x00\x00" + a + b + b + "\x00", ""},
		{"unknown record", "\x20" + x, ""},
		{"skipped record", "\x64\x03abc" + x, "x"},
		{"too deep", strings.Repeat("\x01\x00", 60) + mVar("x") + strings.Repeat("\x00", 60), ""},
		{"too long", strings.Repeat(mVar("x"), 30_000), ""},
		{"nothing", "", ""},
	} {
		if got := mathtex.MTEF(native(5, c.in)); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}

// TestMTEFOld reads records of the Equation Editor, some of which LibreOffice wrote.
func TestMTEFOld(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"0a 01 12 83 78 00 02 86 3d 00 12 83 41 00 12 82 73 00 12 82 69 00 12 82 6e 00 02 84 b8 03 00 00", `x=A\sin\theta`},
		{"0a 01 03 0d 00 00 01 03 2a 00 00 11 0b 11 01 02 88 32 00 00 0d 01 12 83 78 00 00 00 00 00 00 00", `\sqrt{x^{2}}`},
		{"0a 01 0a 01 03 0d 01 00 01 02 83 78 00 00 01 02 88 33 00 00 00 00 00", `\sqrt[3]{x}`},
		{"0a 01 03 02 00 00 01 02 83 61 00 00 02 96 7b 00 02 96 00 00 00 00", `\left\{a\right.`},
		{"01 03 01 00 00 01 02 83 78 00 00 02 99 08 23 02 99 09 23 00 00", `\left\lceil x\right\rceil`},
		{"01 03 08 00 00 01 02 83 78 00 00 00 03 0b 00 00 01 02 83 78 00 00 00 00", `\left[x\right[\left[x\right)`},
		{"01 22 83 78 00 06 09 00 00 02 83 2b 00 22 83 76 00 06 0b 00 00 00", `\hat{x}+\vec{v}`},
		{"01 03 2b 01 00 11 0b 01 02 83 78 00 00 11 0a 01 12 82 6c 00 12 82 69 00 12 82 6d 00 02 98 04 eb 00 00 02 83 79 00 00", `\lim_{x}y`},
		{"01 03 19 01 00 01 02 83 67 00 00 0b 01 02 83 41 00 00 11 0d 02 86 2b 22 00 00", `\iint_{A}{g}`},
		{"01 03 15 03 00 01 02 83 67 00 00 11 11 00 00", `\oint{g}`},
		{"01 02 83 78 00 03 0f 00 00 0b 11 01 02 88 32 00 00 00 02 83 79 00 03 0f 01 00 0b 01 02 83 69 00 00 11 00 00", `x^{2}y_{i}`},
		{"01 03 29 00 00 01 02 83 61 00 00 01 02 83 62 00 00 00 03 2f 01 00 01 02 83 61 00 00 00 03 12 00 00 01 02 83 61 00 00 00 00", `a/b\vec{a}\xleftarrow{a}`},
		{"04 01 00 01 02 83 61 00 00 01 02 83 62 00 00 00", `\begin{gathered}a \\ b\end{gathered}`},
		{"21 07 01 00 10 00 02 83 61 00 00", `a`},
		{"08 81 00 54 69 6d 65 73 00 09 64 01 00 01 09 65 10 00 09 01 80 01 02 83 61 00 00", `a`},
		{"03 50 00 00 01 02 83 61 00 00 00", ``},
	} {
		records, err := hex.DecodeString(strings.ReplaceAll(c.in, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		if got := mathtex.MTEF(native(3, string(records))); got != c.want {
			t.Errorf("%s: %s, want %s", c.in, got, c.want)
		}
	}
	for _, stream := range [][]byte{nil, make([]byte, 28), make([]byte, 100), native(2, mLine("")), append([]byte{255, 255}, make([]byte, 100)...)} {
		if got := mathtex.MTEF(stream); got != "" {
			t.Errorf("% x: %s", stream, got)
		}
	}
}

func FuzzMTEF(f *testing.F) {
	f.Add(native(5, mLine(mTemplate(11, 0, mLine(mVar("b")), mLine(mVar("a"))))))
	f.Add(native(5, mTemplate(16, 0x70, mLine(mVar("x")), mEmpty, mLine(mText(8, "1")))))
	f.Add(native(3, "\x01\x03\x2F\x00\x00\x01\x02\x83a\x00\x00\x00\x22\x83x\x00\x06\x09\x00\x00"))
	f.Add(native(3, "\x05\x01\x02\x01\x02\x02\x00\x00\x01\x00\x01\x00\x01\x00\x01\x00\x00"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		tex := mathtex.MTEF(stream)
		if !balanced(tex) {
			t.Errorf("% x has braces without a partner: %s", stream, tex)
		}
		if len(tex) > 1<<20 {
			t.Errorf("a formula of %d bytes from %d", len(tex), len(stream))
		}
	})
}
