// SPDX-License-Identifier: Apache-2.0

package filter

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/value"
)

// Test returns whether a cell meets the condition. line is the line of the page that
// states the cell, in normal form. It may be empty.
func (c *Condition) Test(cell finding.Cell, line string) State {
	if c.currency != "" {
		if other := currencyOf(line); other != "" && other != c.currency {
			return Open
		}
	}
	if list, ok := cell.Value.([]any); ok && len(list) > 0 {
		best, all := Unmet, Met
		for _, v := range list {
			s := c.one(v)
			best, all = better(best, s), worse(all, s)
		}
		if c.op == "!=" { // none of them may be the value
			return all
		}
		return best
	}
	return c.one(cell.Value)
}

func (c *Condition) one(v any) State {
	switch c.kind {
	case Boolean:
		flag, ok := v.(bool)
		if !ok {
			flag, ok = flagOf(value.Normal(value.ScalarText(v)))
		}
		return decide(ok, flag == c.flag)
	case Number:
		n, ok := numberOf(v)
		return decide(ok, c.compare(func(i int) (lo, hi int) { return cmp.Compare(n, c.numbers[i]), cmp.Compare(n, c.numbers[i]) }, len(c.numbers)))
	case Date:
		day, ok := spanOf(value.Normal(value.ScalarText(v)))
		if !ok {
			return Open
		}
		return c.within(day)
	}
	text := value.Canon(value.Normal(value.ScalarText(v)))
	if c.kind == Clock {
		n, ok := value.Seconds(value.Normal(value.ScalarText(v)))
		return decide(ok, c.compare(func(i int) (lo, hi int) { return cmp.Compare(n, c.seconds[i]), cmp.Compare(n, c.seconds[i]) }, len(c.seconds)))
	}
	if text == "" {
		return Open
	}
	raw := value.ScalarText(v)
	match := slices.ContainsFunc(c.texts, func(want string) bool { return c.matches(text, raw, want) })
	if match && c.op == "=" && strings.ContainsAny(raw, "/;|") && !slices.Contains(c.texts, text) && sole.MatchString(value.Normal(c.Words)) {
		return Open // "Phase 2/Phase 3" may or may not be "phase 2 only"
	}
	return decide(true, match == (c.op != "!="))
}

// sole matches the words with which a question excludes things that are something else, too.
var sole = regexp.MustCompile(`(?:^|[^\pL])(?:only|just|exclusively|nur|ausschließlich|seulement|uniquement|s[oó]lo|solamente|únicamente|soltanto|alleen|uitsluitend|apenas|somente)(?:$|[^\pL])`)

func decide(known, met bool) State {
	switch {
	case !known:
		return Open
	case met:
		return Met
	}
	return Unmet
}

// within compares the first and the last day that a cell may mean with the dates of the
// condition. If some of the days between them meet the condition and others do not, it is
// open: a page states only the year, or the month in words that are not known.
func (c *Condition) within(day [2]string) State {
	best := Unmet
	for _, want := range c.dates {
		var state State
		switch before, after := day[1] < want[0], day[0] > want[1]; c.op {
		case "<":
			state = between(before, day[0] >= want[0])
		case "<=":
			state = between(day[1] <= want[1], after)
		case ">":
			state = between(after, day[1] <= want[1])
		case ">=":
			state = between(day[0] >= want[0], before)
		default:
			state = between(day[0] >= want[0] && day[1] <= want[1], before || after)
		}
		best = better(best, state)
	}
	if c.op != "!=" || best == Open {
		return best
	}
	return decide(true, best == Unmet)
}

// between returns the state of a condition that all of some days meet, or none of them, or
// only a part.
func between(all, none bool) State {
	switch {
	case all:
		return Met
	case none:
		return Unmet
	}
	return Open
}

// numberOf returns the number in a cell.
func numberOf(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case string:
		if all := value.Numerals(value.Normal(v)); len(all) > 0 {
			n, _ := all[0].Value(value.MarksPoint, false)
			return n, !math.IsNaN(n)
		}
	}
	return 0, false
}

// compare applies the operator. at returns how a value compares with the begin and the
// end of the condition's i-th value.
func (c *Condition) compare(at func(i int) (lo, hi int), n int) bool {
	any := func(ok func(lo, hi int) bool) bool {
		for i := range n {
			if ok(at(i)) {
				return true
			}
		}
		return false
	}
	switch c.op {
	case "<":
		return any(func(lo, _ int) bool { return lo < 0 })
	case "<=":
		return any(func(_, hi int) bool { return hi <= 0 })
	case ">":
		return any(func(_, hi int) bool { return hi > 0 })
	case ">=":
		return any(func(lo, _ int) bool { return lo >= 0 })
	case "!=":
		return !any(func(lo, hi int) bool { return lo >= 0 && hi <= 0 })
	}
	return any(func(lo, hi int) bool { return lo >= 0 && hi <= 0 })
}

// leastStem is the number of letters that a text must have for "contains" to find it at the
// start of a word: repair in Repairs.
const leastStem = 4

// matches reports whether a text is the wanted one: as a whole, without legal forms, or
// by one of its parts, such as those of "Berlin, Germany".
func (c *Condition) matches(text, raw, want string) bool {
	if text == want || value.Unsuffixed(text) == value.Unsuffixed(want) && !value.OtherForms(text, want) {
		return true
	}
	if c.op == "contains" {
		return value.Holds(text, want) > 0 || utf8.RuneCountInString(want) >= leastStem && literal(text, want)
	}
	for part := range strings.FieldsFuncSeq(raw, func(r rune) bool { return strings.ContainsRune(",;/()|·", r) }) {
		if value.Canon(part) == want {
			return true
		}
	}
	return false
}
