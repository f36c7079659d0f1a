// SPDX-License-Identifier: Apache-2.0

package cfb

import (
	"strings"

	"example.com/curlew/internal/dom"
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
	if upper := uppers[page]; upper != "" {
		return fromUpper(b, upper)
	}
	return dom.DecodeAs(charset(page), b)
}

// KnowsPage reports whether [Text] can decode a code page.
func KnowsPage(page int) bool {
	switch page {
	case 1200, 65001, 1252, 32769:
		return true
	}
	return uppers[page] != "" || charset(page) != "windows-1252"
}

// charset returns the WHATWG name of the encoding that a code page is read as.
func charset(page int) string {
	switch page {
	case 866:
		return "ibm866"
	case 874:
		return "windows-874"
	case 932, 10001:
		return "shift_jis"
	case 936, 10008:
		return "gbk"
	case 949, 1361, 10003:
		return "euc-kr"
	case 950, 10002:
		return "big5"
	case 1250:
		return "windows-1250"
	case 1251:
		return "windows-1251"
	case 1253:
		return "windows-1253"
	case 1254:
		return "windows-1254"
	case 1255, 10005:
		return "windows-1255"
	case 1256, 10004:
		return "windows-1256"
	case 1257:
		return "windows-1257"
	case 1258:
		return "windows-1258"
	case 10000, 32768:
		return "macintosh"
	case 10007:
		return "x-mac-cyrillic"
	case 20866:
		return "koi8-r"
	case 28592:
		return "iso-8859-2"
	case 28595:
		return "iso-8859-5"
	case 28605:
		return "iso-8859-15"
	case 50220, 50221, 50222:
		return "iso-2022-jp"
	case 51932:
		return "euc-jp"
	}
	return "windows-1252"
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

// uppers has the upper 128 characters of code pages that the Encoding Standard does not have: those of
// DOS, and of the Macintosh in Greek, Central European languages and Turkish.
var uppers = map[int]string{
	437:   "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0",
	850:   "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0",
	852:   "ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u00ad˝˛ˇ˘§÷¸°¨˙űŘř■\u00a0",
	10006: "Ä¹²É³ÖÜ΅àâä΄¨çéèêë£™îï•½‰ôö¦€ùûü†ΓΔΘΛΞΠß®©ΣΪ§≠°·Α±≤≥¥ΒΕΖΗΙΚΜΦΫΨΩάΝ¬ΟΡ≈Τ«»…\u00a0ΥΧΆΈœ–―“”‘’÷ΉΊΌΎέήίόΏύαβψδεφγηιξκλμνοπώρστθωςχυζϊϋΐΰ\u00ad",
	10029: "ÄĀāÉĄÖÜáąČäčĆćéŹźĎíďĒēĖóėôöõúĚěü†°Ę£§•¶ß®©™ę¨≠ģĮįĪ≤≥īĶ∂∑łĻļĽľĹĺŅņŃ¬√ńŇ∆«»…\u00a0ňŐÕőŌ–—“”‘’÷◊ōŔŕŘ‹›řŖŗŠ‚„šŚśÁŤťÍŽžŪÓÔūŮÚůŰűŲųÝýķŻŁżĢˇ",
	10081: "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»…\u00a0ÀÃÕŒœ–—“”‘’÷◊ÿŸĞğİıŞş‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\uf8ffÒÚÛÙ\ufffdˆ˜¯˘˙˚¸˝˛ˇ",
}

// fromUpper decodes b. upper has the characters from 0x80 on.
func fromUpper(b []byte, upper string) string {
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
