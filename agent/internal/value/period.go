// SPDX-License-Identifier: Apache-2.0

package value

import (
	"slices"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// maxBetween is how many words and marks may stand between the first day of a period and the
// last one: "from 3 March until Sunday, 14 June 2026".
const maxBetween = 4

// through are the words and marks between the two numbers of "3 to 14 June 2026".
var through = wordSet("- to until till through thru bis au al a til till tot do do a и до по az e y and und et en og och ja ~")

// begins returns the first day of a period that ends with d, which begins at token i: the day
// and the month before it have no year of their own. The tokens before from belong to another
// date.
func begins(t tokens, from, i int, d Day) (Day, bool) {
	if d.open {
		return Day{}, false
	}
	at := i - 1
	for n := 0; at >= 0 && wordOrMark(t[at]) && monthOf(t, at) == 0 && n < maxBetween; n++ {
		if t[at] == "." && at > 0 && wordOrMark(t[at-1]) && monthOf(t, at-1) == 0 { // the end of a sentence
			return Day{}, false
		}
		at--
	}
	if at < from {
		return Day{}, false
	}
	if m := monthOf(t, at); m > 0 { // 3 March - 14 June 2026, 3. März bis ...
		for k := at - 1; k >= from && k >= at-3; k-- {
			if n := t.number(k, 2); n > 0 {
				return before(d, m, n)
			} else if !wordOrMark(t[k]) {
				break
			}
		}
	}
	n := t.number(at, 2)
	switch {
	case n < 1 || at == i-1:
	case at > 0 && monthOf(t, at-1) > 0: // March 3 - June 14, 2026
		return before(d, monthOf(t, at-1), n)
	case at > 1 && t[at-1] == "." && t.number(at-2, 2) > 0 && t.at(at+1) == ".": // 3.5. - 14.6.2026
		if at < 4 || t[at-3] != "." {
			return before(d, n, t.number(at-2, 2))
		}
	case at > 1 && t[at-1] == "." && monthOf(t, at-2) > 0: // Mar. 3 - Jun. 14, 2026
		return before(d, monthOf(t, at-2), n)
	case n < d.b && thereby(t[at+1:i]) && (at == 0 || starts(t, at)): // 3 - 14 June 2026
		return valid1(Day{year: d.year, a: d.a, b: n})
	}
	return Day{}, false
}

// monthSpan reads "June 3 - 14, 2026". It returns the two days and the number of their tokens.
func monthSpan(t tokens) (first, last Day, n int) {
	m := monthOf(t, 0)
	i := t.skip(1, ".")
	a := t.number(i, 2)
	i = t.skip(i+1, "st", "nd", "rd", "th")
	j := i
	for j < len(t) && j < i+2 && through[t[j]] {
		j++
	}
	b := t.number(j, 2)
	k := t.skip(j+1, "st", "nd", "rd", "th", ",")
	if m == 0 || j == i || a < 1 || b <= a || t.year(k) < 0 {
		return first, last, 0
	}
	last, n = valid(Day{year: t.year(k), a: m, b: b}, k+1)
	return Day{year: t.year(k), a: m, b: a}, last, n
}

// before returns the day and the month before d: in its year, or in the year before.
func before(d Day, month, day int) (Day, bool) {
	year := d.year
	if month > d.a || month == d.a && day > d.b {
		year--
	}
	return valid1(Day{year: year, a: month, b: day})
}

func valid1(d Day) (Day, bool) {
	d, n := valid(d, 1)
	return d, n > 0
}

// starts reports whether the number at token i is neither a part of another one nor of a list.
func starts(t tokens, i int) bool {
	switch t[i-1] {
	case "-", "/", ",":
		return false
	case ":": // a time, or a label
		return i < 2 || wordOrMark(t[i-2])
	}
	return wordOrMark(t[i-1])
}

// thereby reports whether tokens only say that a period goes on.
func thereby(t []string) bool {
	said := false
	for _, w := range t {
		if w != "." && !through[w] {
			return false
		}
		said = said || through[w]
	}
	return said
}

// monthOf returns the number of the month that token i names, or 0.
func monthOf(t tokens, i int) int {
	if t.at(i) == listopada {
		return 0
	}
	return int(month(t.at(i)))
}

// wordOrMark reports whether a token is no number.
func wordOrMark(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return !unicode.IsDigit(r)
}

// Named reports whether a normal text without a year names the day and the month of d.
func (d Day) Named(s string) bool {
	month, day, ok := DayOf(s)
	return ok && !d.open && month == d.a && day == d.b
}

// Numbered reports whether a normal text is only the number of the day d in its month.
func (d Day) Numbered(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && len(s) <= 2 && !d.open && n == d.b
}

// DayOf reads the day and the month of a normal text without a year.
func DayOf(s string) (month, day int, ok bool) {
	t := tokens(dateTokens(s))
	var months, days []int
	for i := range t {
		switch {
		case monthOf(t, i) > 0:
			months = append(months, monthOf(t, i))
		case !wordOrMark(t[i]):
			days = append(days, t.number(i, 2))
		}
	}
	if len(months) == 0 && len(days) == 2 && slices.Contains(t, ".") { // 3.5.
		days, months = days[:1], days[1:]
	}
	if len(months) != 1 || len(days) != 1 || days[0] < 1 || days[0] > 31 || months[0] < 1 || months[0] > 12 {
		return 0, 0, false
	}
	return months[0], days[0], true
}

// MonthsAndYears returns the months and the years that a normal text names, such as a heading above
// dates without a year.
func MonthsAndYears(s string) (months, years []int) {
	t := tokens(dateTokens(s))
	for i := range t {
		if m := monthOf(t, i); m > 0 {
			months = append(months, m)
		}
		if y := t.year(i); y >= 1800 && y < 2200 {
			years = append(years, y)
		}
	}
	return months, years
}

// NamesDay reports whether a normal text names a day of a month without a year, as "fri 4 dec" and
// "december 4th" do.
func NamesDay(s string, month, day int) bool {
	t := tokens(dateTokens(s))
	for i := range t {
		if t.number(i, 2) == day {
			j := t.skip(i+1, ".", "st", "nd", "rd", "th", "º", "ª", "er", "of", "de", "d", "'", "-", "/")
			if monthOf(t, j) == month && t.year(t.skip(j+1, ".", ",", "de", "of", "-", "/")) < 0 {
				return true
			}
		}
		if monthOf(t, i) == month {
			if j := t.skip(i+1, "."); t.number(j, 2) == day && t.at(j+1) != ":" {
				return true
			}
		}
		if t.number(i, 2) == month && t.at(i+1) == "月" && t.number(i+2, 2) == day {
			return true
		}
	}
	return false
}
