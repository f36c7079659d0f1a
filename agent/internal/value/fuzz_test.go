// SPDX-License-Identifier: Apache-2.0

package value_test

import (
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"example.com/curlew/agent/internal/value"
)

// numbersOf and datesOf read what stands in a text, in all ways.
func numbersOf(s string) (values []float64) {
	for _, n := range value.Numerals(s) {
		for _, m := range []string{"", "de", "en", "hi"} {
			for _, whole := range []bool{false, true} {
				v, _ := n.Value(value.MarksOf(m), whole)
				values = append(values, v)
			}
		}
		values = append(values, n.Readings()...)
	}
	return values
}

// datesOf returns the dates of a text, written as a language does.
func datesOf(s, lang string) (texts []string) {
	for _, d := range value.Dates(s) {
		texts = append(texts, d.Text(value.OrderOf(lang)))
	}
	return texts
}

// FuzzNumbers reads numbers: none is infinite.
func FuzzNumbers(f *testing.F) {
	for _, s := range []string{"$10.99", "1.234,50 €", "12k stars, 3.4 M", "40 %", "1'234.5", "−3", "1 234 567,8", "٣٫٤", "1e999", "0x10", ".5.", "9,99,999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 10_000 {
			return
		}
		for _, v := range numbersOf(value.Normal(s)) {
			if math.IsInf(v, 0) { // what is no number is NaN
				t.Fatalf("%q: %v", s, v)
			}
		}
	})
}

// FuzzDates reads dates: each that is written out is a day of the calendar.
func FuzzDates(f *testing.F) {
	for _, s := range []string{"3 March 2024", "2024年3月3日", "04/05/2024", "31.12.1999", "Feb 30, 2024", "le 1er mai 2020", "2024-02-29T12:00:00Z", "20240303", "March 2024"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 10_000 {
			return
		}
		for _, lang := range []string{"", "en", "en-gb", "de", "ja"} {
			for _, text := range datesOf(s, lang) {
				if text == "" { // ambiguous
					continue
				}
				if _, err := time.Parse(time.DateOnly, text); err != nil {
					t.Fatalf("%q in %q: %v", s, lang, err)
				}
			}
		}
	})
}

// FuzzNormal checks that a normal text is its own normal form, and that texts of ASCII
// are read like any other.
func FuzzNormal(f *testing.F) {
	for _, s := range []string{"", " ", "a  b", "A_b _c_", "x ", "`a`", "1\t2", "½ *x*", "\\_", "a\u00a0b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := value.Normal(s)
		if long := value.Normal(s + "é"); !strings.HasSuffix(long, "é") && len(s) > 0 {
			t.Skip("a mark joins the letter")
		} else if want := strings.TrimSuffix(strings.TrimSuffix(long, "é"), " "); got != want && !strings.ContainsAny(s, "_\\`*") && utf8.ValidString(s) && isASCII(s) {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	})
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}
