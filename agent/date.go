// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// order says which of day and month a column writes first.
type order byte

const (
	orderOpen order = iota
	orderDay
	orderMonth
)

// orderOf returns what the language of a page says: that of English depends on
// the country.
func orderOf(lang string) order {
	lang = strings.ReplaceAll(strings.ToLower(lang), "_", "-")
	base, region, _ := strings.Cut(lang, "-")
	switch {
	case base == "" || lang == "en":
		return orderOpen
	case base == "en" && (region == "us" || region == "ph"):
		return orderMonth
	}
	return orderDay
}

// months are the names of months and their beginnings, of the languages that
// pages are most written in.
var months = func() map[string]time.Month {
	all := map[string]time.Month{}
	for _, list := range []string{
		"january february march april may june july august september october november december",
		"jan feb mar apr may jun jul aug sep oct nov dec",
		"januar februar märz april mai juni juli august september oktober november dezember",
		"jän feb mrz apr mai jun jul aug sept okt nov dez",
		"janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
		"janv févr mars avr mai juin juil août sept oct nov déc",
		"enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
		"ene feb mar abr may jun jul ago set oct nov dic",
		"gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
		"gen feb mar apr mag giu lug ago set ott nov dic",
		"janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
		"jan fev mar abr mai jun jul ago set out nov dez",
		"januari februari maart april mei juni juli augustus september oktober november december",
		"stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
		"января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
		"januari februari mars april maj juni juli augusti september oktober november december",
		"ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık",
	} {
		for i, name := range strings.Fields(list) {
			if _, ok := all[name]; !ok {
				all[name] = time.Month(i + 1)
			}
		}
	}
	return all
}()

// day is a date as printed.
type day struct {
	year, a, b int  // a and b in the order of printing where open
	open       bool // month and day cannot be told apart
}

// dates returns the dates in a normal text, at most 50.
func dates(s string) []day {
	tokens := dateTokens(s)
	var all []day
	for i := 0; i < len(tokens) && len(all) < 50; i++ {
		if d, n := dateAt(tokens[i:]); n > 0 {
			all = append(all, d)
			i += n - 1
		}
	}
	return all
}

// dateTokens splits s into numbers, words and marks; spaces are lost.
func dateTokens(s string) []string {
	var all []string
	for i := 0; i < len(s) && len(all) < 4000; {
		j := i
		for k, r := range s[i:] {
			kind := func(r rune) int {
				switch {
				case r >= '0' && r <= '9':
					return 1
				case unicode.IsLetter(r) && !unspaced(r) && !unicode.Is(unicode.Hangul, r):
					return 2
				}
				return 0
			}
			first := kind(rune(s[i]))
			if s[i] >= 0x80 {
				first = kind([]rune(s[i : i+min(4, len(s)-i)])[0])
			}
			if k > 0 && (first == 0 || kind(r) != first) {
				break
			}
			j = i + k + len(string(r))
		}
		if t := strings.TrimSpace(s[i:j]); t != "" {
			all = append(all, t)
		}
		i = j
	}
	return all
}

// dateAt reads a date at the start of tokens, and how many it takes.
func dateAt(tokens []string) (day, int) {
	at := func(i int) string {
		if i < len(tokens) {
			return tokens[i]
		}
		return ""
	}
	number := func(i, digits int) int {
		t := at(i)
		if len(t) == 0 || len(t) > digits || t[0] < '0' || t[0] > '9' {
			return -1
		}
		n, err := strconv.Atoi(t)
		if err != nil {
			return -1
		}
		return n
	}
	year := func(i int) int {
		if n := number(i, 4); len(at(i)) == 4 && n >= 1000 {
			return n
		}
		return -1
	}
	// 2024-03-03, 2024/3/3, 2024.3.3, 2024年3月3日, 2024년 3월 3일
	if y := year(0); y > 0 {
		if slices.Contains([]string{"-", "/", ".", "年", "년"}, at(1)) && number(2, 2) > 0 && slices.Contains([]string{"-", "/", ".", "月", "월"}, at(3)) && number(4, 2) > 0 {
			return valid(day{year: y, a: number(2, 2), b: number(4, 2)}, 5)
		}
		return day{}, 0
	}
	// 3 March 2024, 3rd of March 2024, 3. März 2024, 3 de marzo de 2024
	if n := number(0, 2); n > 0 {
		i := 1
		for slices.Contains([]string{".", "st", "nd", "rd", "th", "º", "ª", "er", "of", "de", "-", " "}, at(i)) {
			i++
		}
		if m := month(at(i)); m > 0 {
			j := i + 1
			for slices.Contains([]string{".", ",", "de", "of", "del", "-"}, at(j)) {
				j++
			}
			if y := year(j); y > 0 {
				return valid(day{year: y, a: int(m), b: n}, j+1)
			}
			return day{}, 0
		}
		// 04/05/2024, 03.04.2024, 03-04-2024
		if mark := at(1); (mark == "/" || mark == "." || mark == "-") && at(3) == mark && number(2, 2) > 0 && year(4) > 0 {
			a, b := n, number(2, 2)
			switch {
			case mark == "." || a > 12 || a == b:
				return valid(day{year: year(4), a: b, b: a}, 5)
			case b > 12:
				return valid(day{year: year(4), a: a, b: b}, 5)
			case a > 12 && b > 12:
				return day{}, 0
			}
			return day{year: year(4), a: a, b: b, open: true}, 5
		}
		return day{}, 0
	}
	// March 3, 2024; Mar. 3rd 2024
	if m := month(at(0)); m > 0 {
		i := 1
		if at(i) == "." {
			i++
		}
		if n := number(i, 2); n > 0 {
			j := i + 1
			for slices.Contains([]string{",", "st", "nd", "rd", "th", "."}, at(j)) {
				j++
			}
			if y := year(j); y > 0 {
				return valid(day{year: y, a: int(m), b: n}, j+1)
			}
		}
	}
	return day{}, 0
}

func month(word string) time.Month { return months[word] }

// valid returns d, whose a is the month, and n; nothing where there is no such
// day.
func valid(d day, n int) (day, int) {
	t := time.Date(d.year, time.Month(d.a), d.b, 0, 0, 0, 0, time.UTC)
	if d.a < 1 || d.a > 12 || t.Day() != d.b {
		return day{}, 0
	}
	return d, n
}

// text writes d as 2024-03-03; empty where it cannot be told.
func (d day) text(o order) string {
	m, n := d.a, d.b
	if d.open {
		switch o {
		case orderOpen:
			return ""
		case orderDay:
			m, n = d.b, d.a
		}
	}
	t := time.Date(d.year, time.Month(m), n, 0, 0, 0, 0, time.UTC)
	if m < 1 || m > 12 || t.Day() != n {
		return ""
	}
	return t.Format(time.DateOnly)
}

// dayOrders returns the order that the dates of a column show: that of the one
// that can be told, as 13/05/2024.
func dayOrders(s string) order {
	tokens := dateTokens(s)
	for i := 0; i+4 < len(tokens); i++ {
		if tokens[i+1] != "/" && tokens[i+1] != "-" || tokens[i+3] != tokens[i+1] || len(tokens[i+4]) != 4 {
			continue
		}
		a, errA := strconv.Atoi(tokens[i])
		b, errB := strconv.Atoi(tokens[i+2])
		switch {
		case errA != nil || errB != nil || a > 31 || b > 31:
		case a > 12 && b <= 12:
			return orderDay
		case b > 12 && a <= 12:
			return orderMonth
		}
	}
	return orderOpen
}
