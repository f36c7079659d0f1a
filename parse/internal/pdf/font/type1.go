// SPDX-License-Identifier: Apache-2.0

package font

import "bytes"

// type1Encoding returns the built-in encoding of a Type 1 font program
// (Adobe Type 1 Font Format, 2.2): glyph names by code, or nil if it has
// none. It only reads the unencrypted part.
func type1Encoding(b []byte) *[256]string {
	if be8(b, 0) == 0x80 { // a PFB segment header
		b = part(b, 6, len(b))
	}
	if i := bytes.Index(b, []byte("eexec")); i > 0 {
		b = b[:i]
	}
	i := bytes.Index(b, []byte("/Encoding"))
	if i < 0 {
		return nil
	}
	lex := psLexer{data: b, pos: i + len("/Encoding")}
	e := new([256]string)
	found := false
	code := -1 // code of the next name
	for range 4096 {
		t := lex.next()
		switch {
		case t.kind == psEnd:
			return nil
		case t.kind == psWord && t.text == "StandardEncoding":
			return encodings()["StandardEncoding"]
		case t.kind == psNumber:
			code = int(t.num)
		case t.kind == psName && code >= 0 && code < 256:
			e[byte(code)] = t.text
			found = true
			code = -1
		case t.kind == psWord && (t.text == "def" || t.text == "readonly"):
			if found {
				return e
			}
			if t.text == "def" && code < 0 {
				return e
			}
		}
	}
	return e
}
