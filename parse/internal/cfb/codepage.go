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
	if upper := macintosh[page]; upper != "" {
		return fromMacintosh(b, upper)
	}
	text, err := codepage(page).NewDecoder().Bytes(b)
	if err != nil {
		return strings.ToValidUTF8(string(b), "\uFFFD")
	}
	return string(text)
}

// KnowsPage reports whether [Text] can decode a code page.
func KnowsPage(page int) bool {
	switch page {
	case 1200, 65001, 1252, 32769:
		return true
	}
	return macintosh[page] != "" || codepage(page) != charmap.Windows1252
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
	case 1250:
		return charmap.Windows1250
	case 1251:
		return charmap.Windows1251
	case 1253:
		return charmap.Windows1253
	case 1254:
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

// macintosh has the upper 128 characters of code pages of the Macintosh for which
// golang.org/x/text has no encoding: Greek, Central European and Turkish.
var macintosh = map[int]string{
	10006: "Ä¹²É³ÖÜ΅àâä΄¨çéèêë£™îï•½‰ôö¦€ùûü†ΓΔΘΛΞΠß®©ΣΪ§≠°·Α±≤≥¥ΒΕΖΗΙΚΜΦΫΨΩάΝ¬ΟΡ≈Τ«»…\u00a0ΥΧΆΈœ–―“”‘’÷ΉΊΌΎέήίόΏύαβψδεφγηιξκλμνοπώρστθωςχυζϊϋΐΰ\u00ad",
	10029: "ÄĀāÉĄÖÜáąČäčĆćéŹźĎíďĒēĖóėôöõúĚěü†°Ę£§•¶ß®©™ę¨≠ģĮįĪ≤≥īĶ∂∑łĻļĽľĹĺŅņŃ¬√ńŇ∆«»…\u00a0ňŐÕőŌ–—“”‘’÷◊ōŔŕŘ‹›řŖŗŠ‚„šŚśÁŤťÍŽžŪÓÔūŮÚůŰűŲųÝýķŻŁżĢˇ",
	10081: "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»…\u00a0ÀÃÕŒœ–—“”‘’÷◊ÿŸĞğİıŞş‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\uf8ffÒÚÛÙ\ufffdˆ˜¯˘˙˚¸˝˛ˇ",
}

// fromMacintosh decodes b. upper has the characters from 0x80 on.
func fromMacintosh(b []byte, upper string) string {
	letters := []rune(upper)
	var s strings.Builder
	for _, c := range b {
		if c < 0x80 {
			s.WriteByte(c)
		} else {
			s.WriteRune(letters[c-0x80])
		}
	}
	return s.String()
}
