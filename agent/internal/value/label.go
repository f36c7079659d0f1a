// SPDX-License-Identifier: Apache-2.0

package value

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// labelEnd matches the part of a normal label that may say how its numbers are to be
// read: in parentheses, after a comma, or after "in".
var labelEnd = regexp.MustCompile(`(?:\(([^()]{1,40})\)|\[([^\[\]]{1,40})\]|, ([^,]{1,20})|(?:^| )(?:in|en|em|w|v|i) ([^,]{1,20}))[ :.]*$`)

// Labelled returns the scale and the unit that a normal label states for the numbers
// that it belongs to: "revenue (€ million)", "weight [kg]", "turnover in tsd. chf",
// "sales, $000". The scale is 1 if it states none, and NaN if it may mean different
// scales.
func Labelled(label string) (scale float64, unit Unit) {
	if !strings.ContainsAny(label, "([,") && !hasWord(label, "in", "en", "em", "w", "v", "i") { // most labels
		return 1, Unit{}
	}
	m := labelEnd.FindStringSubmatch(label)
	if m == nil {
		return 1, Unit{}
	}
	text, _, rate := strings.Cut(squares(strings.TrimSpace(m[1]+m[2]+m[3]+m[4])), "/")             // "€/m³": what follows is what a price refers to
	certain := m[1]+m[2] != ""                                                                     // words after a comma or after "in" may be anything
	after := m[4] != "" || m[3] != "" && units[text] != (Unit{}) && units[text].quantity != "time" // "depth, m", but not "on Monday, day"
	money := strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Sc, r) })
	var words []string
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && r != '²' }) {
		if currencies[w] {
			money = true
			continue
		}
		words = append(words, w)
	}
	if rest := strings.TrimFunc(text, func(r rune) bool { return r != '0' }); rest == "000" && (len(words) == 0 || words[0] == "s") { // $000, '000s
		return 1e3, Unit{}
	}
	if strings.ContainsAny(text, "23456789") { // "lesson (45 min)" says what is counted, and not how
		return 1, Unit{}
	}
	scale = 1
	for i, w := range words {
		factor, ok := scales[strings.TrimSuffix(w, "s")]
		if !ok {
			factor, ok = scales[w]
		}
		if first, size := utf8.DecodeRuneInString(w); !ok && i == 0 && Unspaced(first) {
			factor, ok = scales[w[:size]] // 万元
		}
		switch {
		case ok && i == 0 && w == "mil":
			return math.NaN(), Unit{} // a thousand in Spanish, and a million elsewhere
		case ok && i == 0 && (utf8.RuneCountInString(w) > 1 || money || w >= "\u0100"):
			scale = factor
		case unit == (Unit{}) && units[w] != (Unit{}) && !calendarNames[w] && (certain || after && len(words) == 1 || scale != 1):
			unit = units[w]
		case scale == 1:
			return 1, Unit{}
		}
	}
	if rate { // km/h is no length
		unit = Unit{}
	}
	return scale, unit
}

// Unread reports whether an unknown word stands between n and its currency, as in "40
// kzt zł". It may be a scale, so the value of n is not known.
func (n Numeral) Unread(s string) bool {
	if n.Scale != 1 || n.percent {
		return false
	}
	rest := strings.TrimLeft(s[n.End:], " ")
	word := firstWord(rest)
	if word == "" || currencies[word] || units[word] != (Unit{}) || perUnit[word] || counted[word] {
		return false
	}
	rest = strings.TrimLeft(rest[len(word):], " .")
	sign, size := utf8.DecodeRuneInString(rest)
	switch {
	case unicode.Is(unicode.Sc, sign):
		rest = rest[size:]
	case currencies[firstWord(rest)]:
		rest = rest[len(firstWord(rest)):]
	default:
		return false
	}
	next := strings.TrimLeft(rest, " ")
	return next == "" || next[0] < '0' || next[0] > '9' // the currency belongs to n, and not to the next number
}

// Broken reports whether n has decimals and an unknown word behind it, as in "43,0 kzt". A
// count has no decimals, so the word is a scale or a unit, and the value of n is not known.
func (n Numeral) Broken(s string) bool {
	digits := ungrouped(n.digits)
	i := strings.LastIndexAny(digits, ".,")
	if i < 0 || n.Scale != 1 || n.percent || len(digits)-i-1 == 3 || strings.Count(digits, digits[i:i+1]) > 1 {
		return false
	}
	word := firstWord(strings.TrimLeft(s[n.End:], " "))
	_, unit := unitOf(word)
	return word != "" && !unit && !currencies[word] && !perUnit[word]
}

// MeasureAt returns the measure that begins with the number v in a normal text, in the
// smallest of its units: 85 minutes for "1 h 25 min". If no unit stands after v, or
// different ones do, ok is false.
func MeasureAt(s string, v float64) (total float64, u Unit, ok bool) {
	s = spoken(s)
	for _, n := range Numerals(s) {
		of, _ := n.unit(s)
		if of == (Unit{}) || n.IsMoney(s) || n.refers(s) {
			continue
		}
		plain := n
		if n.IsLength(s) {
			plain.Scale, plain.more = 1, 0
		}
		for _, m := range []Marks{MarksPoint, MarksComma} {
			if x, _ := plain.Value(m, false); !Same(x, v) {
				continue
			}
			if ok && of != u {
				return 0, Unit{}, false
			}
			total, u, ok = v, of, true
			for _, small := range parts(s, of) {
				for _, whole := range Measures(s, small, m) {
					if converted, _ := of.In(v, small); Same(whole.Plain[0], v) && !Same(whole.Value, converted) {
						return whole.Value, small, true
					}
				}
			}
			break
		}
	}
	return total, u, ok
}

// StandsAlone reports whether a normal text has the number v without a unit behind it.
func StandsAlone(s string, v float64) bool {
	s = spoken(s)
	return slices.ContainsFunc(Numerals(s), func(n Numeral) bool {
		of, _ := n.unit(s)
		return of == (Unit{}) && slices.ContainsFunc(n.Readings(), func(x float64) bool { return Same(x, v) })
	})
}

// Unconverted returns the number in a normal text that is v in another unit of the same
// quantity, such as 1.2 for 1200 and "1.2 km".
func Unconverted(s string, v float64) (printed float64, ok bool) {
	s = spoken(s)
	for _, n := range Numerals(s) {
		of, _ := n.unit(s)
		if of == (Unit{}) || n.IsMoney(s) || n.refers(s) {
			continue
		}
		plain := n
		if n.IsLength(s) {
			plain.Scale, plain.more = 1, 0
		}
		for _, m := range []Marks{MarksPoint, MarksComma} {
			x, _ := plain.Value(m, false)
			for _, u := range units {
				if there, same := of.In(x, u); same && x != 0 && Same(there, v) {
					return x, true
				}
			}
		}
	}
	return 0, false
}

// parts returns the units in s that are smaller than u, and minutes if u is an hour.
func parts(s string, u Unit) []Unit {
	var all []Unit
	for _, n := range Numerals(s) {
		if of, _ := n.unit(s); of.quantity == u.quantity && of.factor < u.factor {
			all = append(all, of)
		}
	}
	if u == units["h"] {
		all = append(all, units["min"])
	}
	return all
}

// In converts v from u to another unit of the same quantity. If the quantities differ, ok
// is false.
func (u Unit) In(v float64, to Unit) (out float64, ok bool) {
	if u.quantity == "" || u.quantity != to.quantity {
		return 0, false
	}
	return Rounded((v*u.factor + u.zero - to.zero) / to.factor), true
}

// Less reports whether u is a smaller unit than v of the same quantity, or belongs to
// another one.
func (u Unit) Less(v Unit) bool {
	if u.quantity != v.quantity {
		return u.quantity < v.quantity
	}
	return u.factor < v.factor
}

// Same reports whether two units measure the same quantity.
func (u Unit) Same(v Unit) bool { return u.quantity == v.quantity }

// String returns the first word of a unit in the table, such as km.
func (u Unit) String() string { return names[u] }

// hasWord reports whether one of the words is between spaces in s.
func hasWord(s string, words ...string) bool {
	for word := range strings.SplitSeq(s, " ") {
		if slices.Contains(words, word) {
			return true
		}
	}
	return false
}
