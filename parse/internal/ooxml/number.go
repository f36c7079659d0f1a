// SPDX-License-Identifier: Apache-2.0

package ooxml

import (
	"strconv"
	"strings"

	"example.com/curlew/internal/doctree"
)

// Number formats n in a number format of ECMA-376 part 1, 17.18.59. It
// returns n in decimal if the format is unknown or cannot represent n.
func Number(format string, n int) string {
	switch format {
	case "lowerLetter":
		return letters(n, 'a')
	case "upperLetter":
		return letters(n, 'A')
	case "lowerRoman":
		return strings.ToLower(doctree.Roman(n))
	case "upperRoman":
		return doctree.Roman(n)
	case "decimalZero":
		if n >= 0 && n < 10 {
			return "0" + strconv.Itoa(n)
		}
	case "ordinal":
		return ordinal(n)
	case "none":
		return ""
	case "decimalFullWidth", "decimalFullWidth2":
		return strings.Map(func(r rune) rune { return r - '0' + '０' }, strconv.Itoa(max(n, 0)))
	case "decimalEnclosedCircle", "decimalEnclosedCircleChinese":
		if n >= 1 && n <= 20 {
			return string('①' + rune(n-1))
		}
	case "chineseCounting", "chineseCountingThousand", "ideographDigital", "japaneseCounting", "taiwaneseCounting",
		"taiwaneseCountingThousand", "koreanDigital2", "japaneseDigitalTenThousand":
		return ideographic(n)
	case "aiueo", "aiueoFullWidth":
		return pick("アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン", n)
	case "iroha", "irohaFullWidth":
		return pick("イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン", n)
	case "ganada":
		return pick("가나다라마바사아자차카타파하", n)
	case "chosung":
		return pick("ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ", n)
	case "ideographTraditional":
		return pick("甲乙丙丁戊己庚辛壬癸", n)
	case "ideographZodiac":
		return pick("子丑寅卯辰巳午未申酉戌亥", n)
	case "russianLower":
		return pick("абвгдежзиклмнопрстуфхцчшщыэюя", n)
	case "russianUpper":
		return pick("АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЫЭЮЯ", n)
	case "hebrew2":
		return pick("אבגדהוזחטיכלמנסעפצקרשת", n)
	case "arabicAlpha":
		return pick("أبتثجحخدذرزسشصضطظعغفقكلمنهوي", n)
	case "arabicAbjad":
		return pick("أبجدهوزحطيكلمنسعفصقرشتثخذضظغ", n)
	}
	return strconv.Itoa(n)
}

// letters formats 1 as a, 26 as z, 27 as aa, 28 as bb.
func letters(n int, first rune) string {
	if n < 1 || n > 26*20 {
		return strconv.Itoa(n)
	}
	return strings.Repeat(string(first+rune((n-1)%26)), (n-1)/26+1)
}

func ordinal(n int) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.Itoa(n) + suffix
}

// ideographic formats 1 to 9999 with Chinese numerals.
func ideographic(n int) string {
	digits := []rune("〇一二三四五六七八九")
	if n < 1 || n > 9999 {
		return strconv.Itoa(n)
	}
	var b strings.Builder
	zero := false
	for i, unit := range [...]struct {
		value int
		sign  string
	}{{1000, "千"}, {100, "百"}, {10, "十"}, {1, ""}} {
		d := n / unit.value % 10
		switch {
		case d == 0:
			zero = b.Len() > 0
			continue
		case zero:
			b.WriteRune('〇')
			zero = false
		}
		if d != 1 || i != 2 || b.Len() > 0 {
			b.WriteRune(digits[d])
		}
		b.WriteString(unit.sign)
	}
	return b.String()
}

// pick returns letter n of an alphabet, counted from 1. After the last
// letter it starts again.
func pick(alphabet string, n int) string {
	letters := []rune(alphabet)
	if n < 1 {
		return strconv.Itoa(n)
	}
	return string(letters[(n-1)%len(letters)])
}
