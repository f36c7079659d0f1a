// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// figure is a number of a text as it may be meant.
type figure struct {
	values []float64 // 1.234 may be 1234 too, and 5m may be 5 million
	unit   string    // the first word of a group of units; empty if none stands beside the number
	before string    // the words beside it; empty at the end of a text
	after  string
	scale  int  // the exponent of a word such as million, or 0
	weak   bool // it is a word such as "three"
	dated  bool // another number stands beside it
}

// figureAt returns the number at token i.
func figureAt(all []token, i int) *figure {
	f := new(figure)
	t := all[i]
	next := i + 1
	beside := func(i int) string {
		if i < 0 || i >= len(all) || all[i].number {
			return ""
		}
		return all[i].text
	}
	if t.number {
		f.values = valuesOf(t.text, 0)
		word := beside(next)
		if exponent := scales[word]; exponent > 0 {
			if next++; len(word) > 1 {
				f.scale, f.values = exponent, nil
			}
			f.values = append(f.values, valuesOf(t.text, exponent)...)
			if word == "billion" || word == "billionen" { // in some languages
				f.values = append(f.values, valuesOf(t.text, 12)...)
			}
		}
	} else {
		f.values, f.weak = []float64{float64(numerals[t.text])}, true
	}
	f.before, f.after = beside(i-1), beside(next)
	if next == i+2 && f.after == "" {
		f.after = beside(i + 1) // 5 m
	}
	f.unit = units[f.after]
	if unit := units[f.before]; money(unit) {
		f.unit = unit
	}
	return f
}

// valuesOf returns what a number may be, times ten to the power of an exponent.
func valuesOf(text string, exponent int) []float64 {
	sign := 1.0
	if rest, ok := strings.CutPrefix(text, "-"); ok {
		text, sign = rest, -1
	}
	var out []float64
	add := func(s string) {
		if v, err := strconv.ParseFloat(s+"e"+strconv.Itoa(exponent), 64); err == nil {
			out = append(out, sign*v)
		}
	}
	last := strings.LastIndexAny(text, ".,")
	if last < 0 {
		add(text)
		return out
	}
	whole := func(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, ".", ""), ",", "") }
	first := strings.IndexAny(text, ".,")
	if first == last || text[first] != text[last] {
		add(whole(text[:last]) + "." + text[last+1:])
	}
	if first < last && text[first] == text[last] || len(text)-last == 4 {
		add(whole(text))
	}
	return out
}

// monthOf returns the month of a word beside a number, or 0.
func monthOf(all []token, i int) int {
	if m := months[all[i].text]; m > 0 {
		for j := max(i-2, 0); j < min(i+3, len(all)); j++ {
			if all[j].number {
				return m
			}
		}
	}
	return 0
}

// year reports whether a number looks like a year.
func (f *figure) year() bool {
	return f.unit == "" && f.scale == 0 && slices.ContainsFunc(f.values, func(v float64) bool { return v >= 1900 && v < 2100 && v == math.Trunc(v) })
}

// agree reports whether two numbers do not stand in different units.
func (f *figure) agree(g *figure) bool { return f.unit == "" || g.unit == "" || f.unit == g.unit }

// rivals reports whether two numbers are of one kind.
func (f *figure) rivals(g *figure) bool {
	return f.unit != "" && f.unit == g.unit || f.year() && g.year() || f.beside(g)
}

// beside reports whether two numbers have a word beside them that says something.
func (f *figure) beside(g *figure) bool {
	same := func(a, b string) bool {
		return token{text: a}.content() && units[a] == "" && strings.TrimSuffix(a, "s") == strings.TrimSuffix(b, "s")
	}
	return same(f.after, g.after) || same(f.before, g.before)
}

// grouping removes the signs between groups of digits that cannot be decimal points.
func grouping(r rune) rune {
	switch {
	case strings.ContainsRune("'’\u00a0\u202f", r):
		return -1
	case unicode.IsDigit(r) && r > '9':
		return digit(r)
	}
	return r
}

// digit returns the ASCII digit that a decimal digit of any script stands for.
func digit(r rune) rune {
	zero := r
	for unicode.IsDigit(zero-1) && r-zero < 9 {
		zero--
	}
	return '0' + (r - zero)
}
