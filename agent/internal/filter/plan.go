// SPDX-License-Identifier: Apache-2.0

package filter

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/journal"
)

// Parts returns the conditions that a condition of a plan stands for. A condition with
// between has two.
func Parts(said journal.Condition) []journal.Condition {
	if op := strings.ToLower(strings.TrimSpace(said.Op)); op != "between" && op != "range" {
		return []journal.Condition{said}
	}
	ends := strings.Split(said.Value, "|")
	if len(ends) != 2 {
		ends = strings.Split(strings.NewReplacer("..", "|", " and ", "|", " to ", "|", "–", "|", " - ", "|").Replace(said.Value), "|")
	}
	if len(ends) != 2 {
		return []journal.Condition{said}
	}
	from, to := said, said
	from.Op, from.Value = ">=", strings.TrimSpace(ends[0])
	to.Op, to.Value, to.Or = "<=", strings.TrimSpace(ends[1]), false
	return []journal.Condition{from, to}
}

// Cited reports whether the question contains the words of a condition, or its value. A
// condition that the question does not state would drop rows for no reason.
func Cited(said journal.Condition, question string) bool {
	known := map[string]bool{}
	for _, w := range value.Words(value.Normal(question)) {
		known[w] = true
	}
	words := value.Normal(said.Words)
	if literal(value.Normal(question), strings.TrimSpace(words)) {
		return true // its last word may have an ending, or no spaces separate its words
	}
	if list := value.Words(words); len(list) > 0 {
		return !slices.ContainsFunc(list, func(w string) bool { return !known[w] })
	}
	v := value.Normal(said.Value)
	return len(v) > 1 && value.Holds(value.Normal(question), v) > 0
}

// Mentioned reports whether the question contains the value of a condition. If its words
// are not cited, the condition may still be a part of the question.
func Mentioned(said journal.Condition, question string) bool {
	text, v := value.Normal(question), value.Normal(said.Value)
	if value.Canon(v) == "" {
		return false
	}
	want, ok := numberOf(v)
	if !ok {
		_, flag := flagOf(v)
		return !flag && value.Holds(text, v) > 0
	}
	return slices.ContainsFunc(value.Numerals(text), func(n value.Numeral) bool {
		return slices.ContainsFunc(n.Readings(), func(x float64) bool { return value.Same(x, want) })
	})
}

// literal reports whether a question contains words, beginning with a word of its own and
// not within a number. No spaces separate the words of some languages.
func literal(question, words string) bool {
	if words == "" {
		return false
	}
	first, _ := utf8.DecodeRuneInString(words)
	last, _ := utf8.DecodeLastRuneInString(words)
	for from := 0; ; {
		i := strings.Index(question[from:], words)
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(question[:i])
		after, _ := utf8.DecodeRuneInString(question[i+len(words):])
		if (value.Unspaced(first) || !value.WordRune(before) || prefixed(question[:i], first)) && (!unicode.IsDigit(last) || !unicode.IsDigit(after)) {
			return true
		}
		from = i + len(words)
	}
}

// prefixed reports whether at most three letters of the same word stand before first. Arabic
// and Hebrew write "and", "the" and some prepositions as prefixes.
func prefixed(before string, first rune) bool {
	const most = 3
	if !unicode.In(first, unicode.Arabic, unicode.Hebrew) {
		return false
	}
	n := 0
	for n <= most {
		r, size := utf8.DecodeLastRuneInString(before)
		if !value.WordRune(r) {
			break
		}
		before = before[:len(before)-size]
		n++
	}
	return n <= most
}

// KindOf guesses the kind of a field that the schema does not have, from the condition
// and the name of the field.
func KindOf(said journal.Condition) Kind {
	op, v := operators[strings.ToLower(strings.TrimSpace(said.Op))], value.Normal(said.Value)
	if _, ok := flagOf(v); ok {
		return Boolean
	}
	name := value.BareName(said.Field)
	dated := slices.ContainsFunc([]string{"date", "since", "founded", "published", "released", "updated", "created"}, func(s string) bool { return strings.Contains(name, s) })
	switch {
	case len(value.Dates(v)) > 0, dated && op != "contains":
		return Date
	case op == "top" || op == "bottom":
		return Number
	case op == "contains" || op == "in":
		return Text
	}
	if _, ok := value.Seconds(v); ok {
		return Clock
	}
	if n := value.Numerals(v); len(n) > 0 && (op != "=" && op != "!=" || len(n) == 1 && measured(v, said.Unit)) {
		return Number
	}
	return Text
}

// measured reports whether a text in normal form has no words but units, currencies and
// factors. "PL 14041" is the number of a licence, and no number.
func measured(text, unit string) bool {
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })
	return !slices.ContainsFunc(words, func(w string) bool {
		factor := value.Numerals("1 " + w)
		return w != value.Normal(unit) && currencyOf(w) == "" && value.UnitWord(w) == (value.Unit{}) && (len(factor) == 0 || factor[0].Scale == 1)
	})
}

// Converted returns a condition with its numbers in the unit of its field, if the
// condition names another unit of the same quantity: in its value, as its unit, or in its
// words next to the same number.
func Converted(said journal.Condition, u value.Unit) journal.Condition {
	op := operators[strings.ToLower(strings.TrimSpace(said.Op))]
	if u == (value.Unit{}) || op == "top" || op == "bottom" {
		return said
	}
	texts := []string{said.Value, said.Value + " " + said.Unit, said.Words}
	number, ok := numberOf(said.Value)
	for i, text := range texts {
		all := value.Measures(value.Normal(text), u, value.MarksPoint)
		if len(all) == 1 && (i < 2 || ok && len(all[0].Plain) == 1 && value.Same(all[0].Plain[0], number)) {
			said.Value = strconv.FormatFloat(all[0].Value, 'f', -1, 64)
			return said
		}
	}
	return said
}

// UnitOf returns the unit of measurement in which a condition states its number, or the
// zero Unit.
func UnitOf(said journal.Condition) value.Unit {
	number, ok := numberOf(said.Value)
	if op := operators[strings.ToLower(strings.TrimSpace(said.Op))]; op == "top" || op == "bottom" || !ok {
		return value.Unit{}
	}
	for _, text := range []string{said.Value, said.Words} {
		if _, u, ok := value.MeasureAt(value.Normal(text), number); ok {
			return u
		}
	}
	return value.UnitWord(said.Unit)
}
