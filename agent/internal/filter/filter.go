// SPDX-License-Identifier: Apache-2.0

// Package filter decides which rows of a table meet the conditions of a question.
package filter

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/journal"
)

// State says whether a row meets a condition.
type State int

// Values of State.
const (
	Open State = iota // the row does not show it
	Met
	Unmet
)

// Kind says how the values of a field are compared.
type Kind string

// Values of Kind.
const (
	Number  Kind = "number"
	Date    Kind = "date"
	Boolean Kind = "boolean"
	Clock   Kind = "time" // texts that are times of day
	Text    Kind = "string"
)

// Condition is a condition that code can evaluate.
type Condition struct {
	Field string
	Words string // words of the question that state the condition
	Or    bool   // the condition is an alternative to the previous one

	op       string
	kind     Kind
	numbers  []float64
	texts    []string // in the form in which keys are compared
	dates    [][2]string
	seconds  []int
	flag     bool
	rows     int    // for top and bottom
	currency string // ISO 4217; empty if there is none
}

// operators maps the names that models use for operators to the operators.
var operators = map[string]string{
	"=": "=", "==": "=", "eq": "=", "is": "=", "equals": "=", "equal": "=", "equal to": "=",
	"!=": "!=", "<>": "!=", "≠": "!=", "ne": "!=", "neq": "!=", "not": "!=", "is not": "!=", "not equal": "!=", "not in": "!=", "none of": "!=", "other than": "!=", "except": "!=",
	"<": "<", "lt": "<", "below": "<", "under": "<", "before": "<", "less": "<", "less than": "<", "cheaper than": "<", "lighter than": "<", "shorter than": "<", "smaller than": "<", "fewer than": "<", "lower than": "<", "earlier than": "<",
	"<=": "<=", "≤": "<=", "le": "<=", "lte": "<=", "at most": "<=", "until": "<=", "up to": "<=", "no more than": "<=", "not more than": "<=", "maximum": "<=",
	">": ">", "gt": ">", "above": ">", "over": ">", "after": ">", "more": ">", "more than": ">", "greater than": ">", "higher than": ">", "larger than": ">", "longer than": ">", "heavier than": ">", "later than": ">", "exceeds": ">",
	">=": ">=", "≥": ">=", "ge": ">=", "gte": ">=", "at least": ">=", "since": ">=", "from": ">=", "no less than": ">=", "not less than": ">=", "no fewer than": ">=", "minimum": ">=",
	"contains": "contains", "includes": "contains", "include": "contains", "like": "contains", "has": "contains",
	"in": "in", "one of": "in", "any": "in", "any of": "in",
	"top": "top", "max": "top", "highest": "top", "latest": "top", "newest": "top", "largest": "top", "most": "top", "desc": "top",
	"bottom": "bottom", "min": "bottom", "lowest": "bottom", "cheapest": "bottom", "oldest": "bottom", "earliest": "bottom", "smallest": "bottom", "least": "bottom", "asc": "bottom",
}

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

// Superlative reports whether a condition keeps the first rows by a field.
func (c *Condition) Superlative() bool { return c.op == "top" || c.op == "bottom" }

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

// Read returns a condition on a field of this kind. It returns false if code cannot
// evaluate the condition.
func Read(said journal.Condition, kind Kind) (*Condition, bool) {
	op, ok := operators[strings.ToLower(strings.TrimSpace(said.Op))]
	if !ok {
		return nil, false
	}
	c := &Condition{Field: said.Field, Words: said.Words, Or: said.Or, op: op, kind: kind}
	if c.Superlative() {
		c.rows = 1
		if all := value.Numerals(value.Normal(said.Value)); len(all) > 0 {
			n, _ := all[0].Value(value.MarksPoint, true)
			c.rows = int(min(max(n, 1), 50_000))
		}
		return c, true
	}
	parts := []string{said.Value}
	if op == "in" || strings.Contains(said.Value, "|") {
		parts = strings.FieldsFunc(said.Value, func(r rune) bool { return r == '|' || op == "in" && !strings.Contains(said.Value, "|") && r == ',' })
		if op == "=" {
			c.op = "in"
		}
	}
	for _, part := range parts {
		if !c.add(value.Normal(part)) {
			return nil, false
		}
	}
	c.currency = cmp.Or(currencyOf(value.Normal(said.Unit)), currencyOf(value.Normal(said.Value)), currencyOf(value.Normal(said.Words)))
	return c, len(parts) > 0
}

// add adds one value to a condition.
func (c *Condition) add(v string) bool {
	switch c.kind {
	case Boolean:
		flag, ok := flagOf(v)
		c.flag = !ok || flag // a value that is not a boolean names what is wanted, so it means true
		if c.op == "!=" {
			c.op, c.flag = "=", !c.flag
		}
		return c.op == "=" || c.op == "in" || c.op == "contains"
	case Number:
		all := value.Numerals(v)
		if len(all) == 0 {
			return false
		}
		n, _ := all[0].Value(value.MarksPoint, false)
		c.numbers = append(c.numbers, n)
		return !math.IsNaN(n)
	case Date:
		span, ok := spanOf(v)
		c.dates = append(c.dates, span)
		return ok
	case Clock:
		n, ok := value.Seconds(v)
		c.seconds = append(c.seconds, n)
		return ok
	}
	if c.op != "=" && c.op != "!=" && c.op != "in" && c.op != "contains" {
		return false
	}
	text := value.Canon(v)
	c.texts = append(c.texts, text)
	return text != ""
}

// flagOf reads a boolean.
func flagOf(v string) (flag, ok bool) {
	switch strings.TrimSpace(v) {
	case "true", "yes":
		return true, true
	case "false", "no":
		return false, true
	}
	return false, false
}

// spanOf returns the first and the last day that a text names. For 2015 these are the
// first and the last day of the year.
func spanOf(v string) (span [2]string, ok bool) {
	v = strings.TrimSpace(v)
	digits := strings.ReplaceAll(v, "-", "")
	if value.DigitsOnly(digits) && len(v) <= len("2015-03") {
		switch {
		case len(v) == 4 && len(digits) == 4:
			return [2]string{v + "-01-01", v + "-12-31"}, true
		case len(v) == 7 && len(digits) == 6:
			return [2]string{v + "-01", v + "-31"}, true
		}
	}
	for _, d := range value.Dates(v) {
		if text := d.Text(value.OrderOpen); text != "" {
			return [2]string{text, text}, true
		}
	}
	for _, w := range value.Words(v) {
		if len(w) == 4 && value.DigitsOnly(w) {
			return spanOf(w)
		}
	}
	return span, false
}

// currencies maps signs and codes of currencies to codes of ISO 4217.
var currencies = map[string]string{
	"$": "USD", "usd": "USD", "dollar": "USD", "dollars": "USD", "us$": "USD", "€": "EUR", "eur": "EUR", "euro": "EUR", "euros": "EUR",
	"£": "GBP", "gbp": "GBP", "pounds": "GBP", "chf": "CHF", "fr.": "CHF", "francs": "CHF", "¥": "JPY", "jpy": "JPY", "yen": "JPY", "円": "JPY",
	"cad": "CAD", "aud": "AUD", "sek": "SEK", "nok": "NOK", "dkk": "DKK", "pln": "PLN", "czk": "CZK", "inr": "INR", "₹": "INR", "cny": "CNY", "krw": "KRW", "₩": "KRW",
}

// currencyOf returns the currency that a text in normal form names. If it names none or
// more than one, it returns "".
func currencyOf(text string) string {
	found := ""
	for sign, code := range currencies {
		holds := strings.Contains(text, sign)
		if len(sign) >= 3 && sign[0] < 0x80 {
			holds = slices.Contains(value.Words(text), sign)
		}
		if holds && found != "" && found != code {
			return ""
		}
		if holds {
			found = code
		}
	}
	return found
}

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
	match := slices.ContainsFunc(c.texts, func(want string) bool { return c.matches(text, value.ScalarText(v), want) })
	return decide(true, match == (c.op != "!="))
}

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
	if text == want || value.Unsuffixed(text) == value.Unsuffixed(want) {
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

// dayLike matches a day in words, also if the name of its month is not known.
var dayLike = regexp.MustCompile(`(?:^|\s)[0-9]{1,2}[.ªº]?\s+(?:\pL{1,3}\s+)?\pL[\pL\pM]{2,}\.?,?\s+(?:\pL{1,3}\s+)?(?:19|20)[0-9]{2}(?:$|\P{L})|\pL[\pL\pM]{2,}\.? [0-9]{1,2}, (?:19|20)[0-9]{2}(?:$|\P{L})`)

// ranking returns the superlative as it applies to these rows. If most of their cells are
// texts that state days, it ranks them by these, and not by the first number of each.
func (c *Condition) ranking(rows []finding.Row) *Condition {
	if c.kind != Number {
		return c
	}
	days, others := 0, 0
	for _, row := range rows {
		cell, ok := row[c.Field]
		if !ok {
			continue
		}
		said, is := cell.Value.(string)
		if text := value.Normal(said); is && (len(value.Dates(text)) > 0 || dayLike.MatchString(text)) {
			days++
		} else {
			others++
		}
	}
	if days <= others {
		return c
	}
	dated := *c
	dated.kind = Date
	return &dated
}

// ranks reports whether code can compare a cell with others by the field of a superlative.
func (c *Condition) ranks(cell finding.Cell) bool {
	text := value.Normal(value.ScalarText(cell.Value))
	if _, timed := value.Seconds(text); timed {
		return true
	}
	switch c.kind {
	case Number:
		_, ok := numberOf(cell.Value)
		return ok
	case Date:
		_, ok := spanOf(text)
		return ok
	}
	return text != ""
}

// rivals reports whether a cell that ranks behind another one may rank before it: their days
// overlap, because a page states only the year of one of them, or its month in words that are
// not known.
func (c *Condition) rivals(kept, left finding.Cell) bool {
	if c.kind != Date {
		return false
	}
	a, ok := spanOf(value.Normal(value.ScalarText(kept.Value)))
	b, both := spanOf(value.Normal(value.ScalarText(left.Value)))
	return ok && both && a[0] <= b[1] && b[0] <= a[1] && (a[0] != a[1] || b[0] != b[1])
}

// order compares two cells by the field of a superlative. The better one comes first.
func (c *Condition) order(a, b finding.Cell) int {
	var n int
	s, timed := value.Seconds(value.Normal(value.ScalarText(a.Value)))
	t, both := value.Seconds(value.Normal(value.ScalarText(b.Value)))
	if timed && both {
		n = cmp.Compare(s, t)
	} else if c.kind == Number {
		x, _ := numberOf(a.Value)
		y, _ := numberOf(b.Value)
		n = cmp.Compare(x, y)
	} else if x, ok := spanOf(value.Normal(value.ScalarText(a.Value))); ok && c.kind == Date {
		y, _ := spanOf(value.Normal(value.ScalarText(b.Value)))
		n = cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1]))
	} else {
		n = strings.Compare(value.Normal(value.ScalarText(a.Value)), value.Normal(value.ScalarText(b.Value)))
	}
	if c.op == "top" {
		return -n
	}
	return n
}
