// SPDX-License-Identifier: Apache-2.0

// Package filter decides which rows of a table meet the conditions of a question.
package filter

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

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
		if year, ok := value.OfBuddha(v); ok { // the pages and the question name the era, and the plan may not
			for _, n := range value.Numerals(value.Normal(c.Words)) {
				if said, _ := n.Value(value.MarksPoint, false); strconv.FormatFloat(said, 'f', -1, 64) == year {
					all = value.Numerals(year)
				}
			}
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
		if year, ok := value.OfBuddha(v[:min(len(v), 4)]); ok { // as in dates
			v = year + v[4:]
		}
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
