// SPDX-License-Identifier: Apache-2.0

package mapi

import (
	"strconv"
	"strings"
)

// MaxText bounds the bytes to which all compressed texts of a message may
// expand together.
const MaxText = 64 << 20

// Texts are the forms of a message's text.
type Texts struct {
	HTML    []byte
	Charset string // of HTML, a WHATWG name; empty if the HTML declares it
	RTF     []byte // compressed ([MS-OXRTFCP])
	Plain   string
}

// Richest returns the richest form: HTML, HTML encapsulated in RTF, other
// RTF, or plain text. contentType is empty if there is none. Decompressed
// bytes are subtracted from left.
func (t Texts) Richest(left *int) (contentType string, data []byte) {
	if len(t.HTML) > 0 {
		if t.Charset == "" {
			return "text/html", t.HTML
		}
		return "text/html; charset=" + t.Charset, t.HTML
	}
	if len(t.RTF) > 0 {
		rtf := Inflate(t.RTF, *left)
		*left -= len(rtf)
		if text, ok := Unwrap(rtf); ok {
			return "text/html; charset=utf-8", []byte(text)
		}
		if len(rtf) > 0 && (t.Plain == "" || !strings.Contains(string(rtf[:min(len(rtf), 300)]), `\fromtext`)) {
			return "application/rtf", rtf
		}
	}
	if t.Plain == "" {
		return "", nil
	}
	return "text/plain; charset=utf-8", []byte(t.Plain)
}

// Charset returns the web name of a Windows code page, or "" if it has none.
func Charset(page int) string {
	switch {
	case page == 65001:
		return "utf-8"
	case page == 20127:
		return "us-ascii"
	case page >= 28591 && page <= 28606:
		return "iso-8859-" + strconv.Itoa(page-28590)
	case page >= 50220 && page <= 50222:
		return "iso-2022-jp"
	case page == 932:
		return "shift_jis"
	case page == 936:
		return "gbk"
	case page == 949:
		return "euc-kr"
	case page == 950:
		return "big5"
	case page == 20866:
		return "koi8-r"
	case page == 51932:
		return "euc-jp"
	case page == 874 || page >= 1250 && page <= 1258:
		return "windows-" + strconv.Itoa(page)
	}
	return ""
}
