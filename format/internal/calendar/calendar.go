// SPDX-License-Identifier: Apache-2.0

// Package calendar reads the days that people write in texts and in URLs. A day is
// written as 2006-01-02; "" is no day.
package calendar

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"example.com/curlew/internal/sorting"
)

// firstYear is the first year of a day. Numbers below it are rarely years in texts of the web.
const firstYear = 1990

// A Date is a date that a text contains.
type Date struct {
	Day     string // "" if the text has none
	Swapped string // for dates such as 02/03/2025: the day if the first number is the day; Day is the one if it is the month
	Order   Order  // of the numbers in dates such as 24/03/2025

	MonthFirst string // for dates such as 02.03.2025: the day if the first number is the month, which is rare with full stops; Day is the other one
}

// An Order says in which order the month and the day are written in numbers.
type Order int

// The orders.
const (
	Unknown Order = iota
	MonthFirst
	DayFirst
)

// Find returns the first date in a short text. A date has a named month, or is written as
// 2006-01-02, 2006. 1. 2., 2006年1月2日, 02.01.2006, 02/01/2006 or 02-01-2006. If one of the last two may have
// two meanings, any other date in the text is returned instead.
func Find(s string) (d Date) {
	if !hasYear(s) {
		return d
	}
	words := strings.FieldsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) || isUnit(r)
	})
	words = sorting.Without(words, isFiller)
	for i := range words {
		before := ""
		if i > 0 {
			before = words[i-1]
		}
		found := from(s, before, words[i:])
		if i > 1 && Month(words[i]) > 0 && isRange(s, words[i-2], before) {
			continue // the days of an event, such as 9-23 February 2017
		}
		if found.Day != "" && found.Swapped == "" {
			return found
		}
		if d.Day == "" {
			d = found
		}
	}
	return d
}

// isFiller reports whether a word is between the parts of a date, as in "2 de enero de 2006".
func isFiller(word string) bool {
	switch word {
	case "de", "del", "of", "d", "m", "tháng", "năm":
		return true
	}
	return false
}

// isRange reports whether there is only a dash between two numbers in a text.
func isRange(text, first, last string) bool {
	if ordinal(first) == 0 || ordinal(last) == 0 {
		return false
	}
	_, rest, _ := strings.Cut(text, first)
	between, _, _ := strings.Cut(rest, last)
	between = strings.Trim(between, ". \u00a0")
	return between == "-" || between == "–" || between == "—"
}

// isUnit reports whether r follows a year, a month or a day in Chinese, Japanese or Korean.
func isUnit(r rune) bool {
	switch r {
	case '年', '月', '日', '년', '월', '일':
		return true
	}
	return false
}

// hasYear reports whether s contains four digits that [Of] takes for a year.
func hasYear(s string) bool {
	for i := 0; i+4 <= len(s); i++ {
		if (s[i] == '1' || s[i] == '2') && number(s[i:i+4], 4, 4) >= firstYear {
			return true
		}
	}
	return false
}

// from returns the date that the first of the words begins, or whose month
// it is. before is the word in front of it, which may be the number of the day.
func from(text, before string, words []string) Date {
	yearEnds := len(words) > 3 && number(words[3], 4, 4) > 0
	words = words[:min(len(words), 3)]
	if month := Month(words[0]); month > 0 {
		return Date{Day: named(text, before, words, month)}
	}
	if len(words) < 3 {
		return Date{}
	}
	if year := number(words[0], 4, 4); year > 0 { // 2006-01-02 or 2006-01-02T15:04
		if month := Month(words[1]); month > 0 && !yearEnds { // 2006. január 2.
			return Date{Day: Of(year, month, ordinal(words[2]))}
		}
		day, _, _ := strings.Cut(words[2], "T")
		least := 2 // digits
		if strings.ContainsAny(text, "/年년") || isKorean(text, words) {
			least = 1 // 2006年1月2日
		}
		return Date{Day: Of(year, number(words[1], least, 2), number(day, least, 2))}
	}
	return numbered(text, words)
}

// isKorean reports whether a text has a year, a month and a day with full stops and spaces between them, as
// in "2006. 1. 2.". Versions, such as 2006.1.2, have no spaces.
func isKorean(text string, words []string) bool {
	return strings.Contains(text, words[0]+". "+words[1]+". "+words[2])
}

// named returns the day of a date whose month has a name, which is the first of the words.
func named(text, before string, words []string, month int) string {
	if front, _, _ := strings.Cut(text, words[0]); strings.EqualFold(words[0], "listopada") && strings.HasSuffix(strings.TrimRight(front, " \u00a0"), ".") {
		month = 10 // in Croatian, which writes a full stop after the day; in Polish it is November
	}
	found := ""
	if len(words) > 1 { // 2 January 2006
		found = Of(number(words[1], 4, 4), month, ordinal(before))
	}
	if found == "" && len(words) > 2 { // January 2, 2006
		found = Of(number(words[2], 4, 4), month, ordinal(words[1]))
	}
	return found
}

// numbered returns a date that consists of three numbers, of which the last is the year. The
// result is empty if the words are not such a date in text.
func numbered(text string, words []string) Date {
	a, b, year := number(words[0], 1, 2), number(words[1], 1, 2), number(words[2], 4, 4)
	if a == 0 || b == 0 || year == 0 {
		return Date{}
	}
	switch {
	case a <= 12 && strings.Contains(text, words[0]+"."+words[1]+"."+words[2]):
		return Date{Day: Of(year, b, a), MonthFirst: Of(year, a, b)}
	case strings.Contains(text, words[0]+"."+words[1]+"."+words[2]), strings.Contains(text, words[0]+". "+words[1]+". "+words[2]), strings.Contains(text, words[0]+" tháng "+words[1]):
		return Date{Day: Of(year, b, a)}
	case !strings.Contains(text, words[0]+"/"+words[1]+"/"+words[2]) && !strings.Contains(text, words[0]+"-"+words[1]+"-"+words[2]):
		return Date{}
	case a == b:
		return Date{Day: Of(year, b, a)}
	case a > 12:
		return Date{Day: Of(year, b, a), Order: DayFirst}
	case b > 12:
		return Date{Day: Of(year, a, b), Order: MonthFirst}
	}
	return Date{Day: Of(year, a, b), Swapped: Of(year, b, a)}
}

// InPath returns the day in the path of a URL, such as /2016/05/04/, /2016/may/04/ or
// /2016-05-04-birds.
func InPath(href string) string {
	_, path, _ := strings.Cut(href, "://")
	_, path, _ = strings.Cut(path, "/")
	path, _, _ = strings.Cut(path, "?")
	path, _, _ = strings.Cut(path, "#")
	for i := 0; i+len(time.DateOnly) <= len(path); i++ {
		if i > 0 && path[i-1] >= '0' && path[i-1] <= '9' {
			continue
		}
		s := path[i : i+len(time.DateOnly)]
		if (s[4] == '/' || s[4] == '-') && s[7] == s[4] {
			if day := Of(number(s[:4], 4, 4), number(s[5:7], 2, 2), number(s[8:], 2, 2)); day != "" {
				return day
			}
		}
	}
	parts := strings.Split(path, "/")
	for i := 0; i+2 < len(parts); i++ {
		if day := Of(number(parts[i], 4, 4), Month(parts[i+1]), number(parts[i+2], 1, 2)); day != "" {
			return day
		}
	}
	return ""
}

// Of returns the day of a year, a month and a day of the month, or "" if there is no such day.
func Of(year, month, day int) string {
	if year < firstYear || year > 2100 || month == 0 || day == 0 {
		return ""
	}
	s := fmt.Sprintf("%04d-%02d-%02d", year, month, day)
	if _, err := time.Parse(time.DateOnly, s); err != nil {
		return ""
	}
	return s
}

// OfTime returns the day of a time in ISO 8601, in the zone in which it is written.
func OfTime(at string) string {
	if len(at) < len(time.DateOnly) {
		return ""
	}
	if _, err := time.Parse(time.DateOnly, at[:len(time.DateOnly)]); err != nil {
		return ""
	}
	return at[:len(time.DateOnly)]
}

// mostBehind is how far the last time zone is behind UTC.
const mostBehind = 12 * time.Hour

// IsBefore reports whether a day is before a time in ISO 8601 in every time zone. A time without
// a zone may be in any.
func IsBefore(day, at string) bool {
	begin, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return false
	}
	end := begin.Add(24 * time.Hour)
	if t, err := time.Parse(time.RFC3339, at); err == nil {
		return !t.Before(end.Add(mostBehind))
	}
	t, err := time.Parse(time.DateOnly, OfTime(at))
	return err == nil && t.After(end)
}

// number returns the number that s is, if it has from least to most digits and nothing
// else. Otherwise it returns 0.
func number(s string, least, most int) int {
	if len(s) < least || len(s) > most {
		return 0
	}
	n := 0
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0
		}
		n = 10*n + int(c-'0')
	}
	return n
}

// ordinal returns the number of a day such as 2, 02, 2nd or 3rd, or 0.
func ordinal(s string) int {
	for _, end := range []string{"st", "nd", "rd", "th", "er", "º", "ª"} {
		s = strings.TrimSuffix(s, end)
	}
	return number(s, 1, 2)
}
