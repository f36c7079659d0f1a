// SPDX-License-Identifier: Apache-2.0

package value

import (
	"regexp"
	"strconv"
	"strings"
)

// counters matches a number in ideographs before a word that only counts things. Without such a word,
// they are parts of names and of other words: 三重県, 十分.
var counters = regexp.MustCompile(`([〇零一二三四五六七八九十百千两兩]+)(人|名|台|室|部屋|つ|個|本|枚|匹|頭|階|年|ヶ月|か月|カ月|週間|日間|日|泊|件|冊|軒|棟|席|歳|時間|分間|か所|箇所|カ所|个|間|间|张|張|条|層|层|天|小时|小時|分钟|分鐘|家|辆|輛|套|位|岁|歲|卧|房|卫|点|平方米|公里|米)`)

// ideographs are the digits among ideographs, and their factors.
var ideographs = map[rune]int{'〇': 0, '零': 0, '一': 1, '二': 2, '三': 3, '四': 4, '五': 5, '六': 6, '七': 7, '八': 8, '九': 9, '两': 2, '兩': 2, '十': 10, '百': 100, '千': 1000}

// ideographic returns a Japanese or Chinese text with figures in place of the numbers before words that
// count, or of the number that is the whole text.
func ideographic(s string) (string, bool) {
	if len(s) > maxSpoken {
		return s, false
	}
	if n, ok := ideographicNumber(strings.TrimSpace(s)); ok {
		return strconv.Itoa(n), true
	}
	done := false
	out := counters.ReplaceAllStringFunc(s, func(m string) string {
		at := strings.IndexFunc(m, func(r rune) bool { _, digit := ideographs[r]; return !digit })
		n, ok := ideographicNumber(m[:max(at, 0)])
		if !ok {
			return m
		}
		done = true
		return strconv.Itoa(n) + m[at:]
	})
	return out, done
}

// ideographicNumber reads 二十三, and 二〇二六 digit by digit.
func ideographicNumber(s string) (int, bool) {
	const most = 1e6
	total, now, digits, factors := 0, -1, 0, 0
	for _, r := range s {
		v, ok := ideographs[r]
		switch {
		case !ok || total > most || now > most:
			return 0, false
		case v < 10 && factors == 0:
			now, digits = max(now, 0)*10+v, digits+1
		case v < 10:
			now = v
		default:
			if digits > 1 {
				return 0, false
			}
			if now < 0 {
				now = 1
			}
			total, now, factors = total+now*v, -1, factors+1
		}
	}
	if s == "" {
		return 0, false
	}
	return total + max(now, 0), true
}
