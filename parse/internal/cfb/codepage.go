// SPDX-License-Identifier: Apache-2.0

package cfb

import (
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// Text decodes b from a Windows code page. Page 1200 is UTF-16 and 65001 is
// UTF-8. An unknown page is read as Windows-1252.
func Text(b []byte, page int) string {
	switch page {
	case 1200:
		return UTF16(b)
	case 65001:
		return strings.ToValidUTF8(string(b), "\uFFFD")
	}
	ascii := true
	for _, c := range b {
		ascii = ascii && c < 0x80
	}
	if ascii {
		return string(b)
	}
	text, err := codepage(page).NewDecoder().Bytes(b)
	if err != nil {
		return strings.ToValidUTF8(string(b), "\uFFFD")
	}
	return string(text)
}

func codepage(n int) encoding.Encoding {
	switch n {
	case 437:
		return charmap.CodePage437
	case 850:
		return charmap.CodePage850
	case 852:
		return charmap.CodePage852
	case 866:
		return charmap.CodePage866
	case 874:
		return charmap.Windows874
	case 932, 10001:
		return japanese.ShiftJIS
	case 936, 10008:
		return simplifiedchinese.GBK
	case 949, 1361, 10003:
		return korean.EUCKR
	case 950, 10002:
		return traditionalchinese.Big5
	case 1250, 10029:
		return charmap.Windows1250
	case 1251:
		return charmap.Windows1251
	case 1253, 10006:
		return charmap.Windows1253
	case 1254, 10081:
		return charmap.Windows1254
	case 1255, 10005:
		return charmap.Windows1255
	case 1256, 10004:
		return charmap.Windows1256
	case 1257:
		return charmap.Windows1257
	case 1258:
		return charmap.Windows1258
	case 10000, 32768:
		return charmap.Macintosh
	case 10007:
		return charmap.MacintoshCyrillic
	case 20866:
		return charmap.KOI8R
	case 28592:
		return charmap.ISO8859_2
	case 28595:
		return charmap.ISO8859_5
	case 28605:
		return charmap.ISO8859_15
	case 50220, 50221, 50222:
		return japanese.ISO2022JP
	case 51932:
		return japanese.EUCJP
	}
	return charmap.Windows1252
}

// FontPage returns the code page of a font's character set, or 0 if the set does
// not determine it.
func FontPage(charset int) int {
	switch charset {
	case 0:
		return 1252
	case 77:
		return 10000
	case 128:
		return 932
	case 129:
		return 949
	case 130:
		return 1361
	case 134:
		return 936
	case 136:
		return 950
	case 161:
		return 1253
	case 162:
		return 1254
	case 163:
		return 1258
	case 177:
		return 1255
	case 178:
		return 1256
	case 186:
		return 1257
	case 204:
		return 1251
	case 222:
		return 874
	case 238:
		return 1250
	case 255:
		return 850
	}
	return 0
}
