// SPDX-License-Identifier: Apache-2.0

package filter

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

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

// Incomparable reports whether a condition names a unit that code cannot convert to that of its
// field, because it measures something else or is not known.
func Incomparable(said journal.Condition, u value.Unit) bool {
	op := operators[strings.ToLower(strings.TrimSpace(said.Op))]
	unit := value.Normal(said.Unit)
	if u == (value.Unit{}) || op == "top" || op == "bottom" || !strings.ContainsFunc(unit, unicode.IsLetter) || currencyOf(unit) != "" {
		return false
	}
	if Converted(said, u).Value != said.Value {
		return false
	}
	return len(value.Measures("1 "+unit, u, value.MarksPoint)) == 0
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
