// SPDX-License-Identifier: Apache-2.0

package grounding

import (
	"slices"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/value"
)

// free looks for a text that says that something costs nothing, that there is none of what the
// field counts, or that what it counts is sold out, where the model gave that text or zero.
func (g *Ground) free(raw any, a, b int, s Style) (got Found, ok bool) {
	text := value.Normal(value.ScalarText(raw))
	free := func(t string) bool { return value.OfMoney(s.words) && value.Frees(t) }
	none := func(t string) bool { return value.Nones(t, s.words) }
	stock := &topics[0]
	switch {
	case value.OfLeft(s.words) && slices.Contains(stock.no, text):
		none = func(t string) bool { return value.Holds(t, text) > 0 }
	case value.OfLeft(s.words) && text == "0":
		none = func(t string) bool {
			v, ok := stock.says(t)
			return ok && !v || value.Countable(s.words) && value.Nones(t, s.words)
		}
	case value.OfMoney(s.words) && value.Free(text):
		none = func(string) bool { return false }
	case value.None(text, s.words) && value.Countable(s.words), value.Lacks(text, s.name):
		none = func(t string) bool { return value.Holds(t, text) > 0 }
	case text == "0" && !value.OfMoney(s.words) && !value.Countable(s.words):
		none = func(t string) bool { return value.LacksPart(t, s.name) }
	case text != "0":
		return Found{}, false
	case !value.Countable(s.words):
		none = func(string) bool { return false }
	}
	said := text != "0"
	lines, found := g.locate(a, b, func(t string) bool { return (free(t) || none(t)) && (!said || value.Holds(t, text) > 0) }, nil)
	if !found {
		return Found{Issue: finding.IssueUnsupported, Lines: [2]int{a, b}}, said
	}
	return Found{0.0, lines, finding.GradeNormalized, "", 0}, true
}

// minor looks for an amount in the hundredth of a currency, such as 83p, for a field that wants
// the currency itself. The model may have copied the text, or only its number, or converted it.
func (g *Ground) minor(whole integral, raw any, a, b int, s Style) (got Found, ok bool) {
	if !value.OfMoney(s.words) || value.OfMinor(s.words) {
		return Found{}, false
	}
	said, copied := raw.(float64)
	text, is := raw.(string)
	if text = value.Normal(text); is {
		list := value.Minors(text)
		if len(list) != 1 || len(value.Numerals(text)) != 1 {
			return Found{}, false
		}
		said = list[0] / 100
	}
	if copied && g.any(max(a, 1), b, func(line string) bool { return plainly(line, said) }) {
		return Found{}, false
	}
	amount := 0.0
	lines, found := g.locate(a, b, func(line string) bool {
		for _, v := range value.Minors(line) {
			if value.Same(v, said*100) || copied && value.Same(v, said) {
				amount = v / 100
				return true
			}
		}
		return false
	}, nil)
	if !found {
		return Found{Issue: finding.IssueUnsupported, Lines: [2]int{a, b}}, is
	}
	return whole.found(amount, lines), true
}

// plainly reports whether a normal text has a number more often than in the hundredth of a
// currency.
func plainly(text string, v float64) bool {
	all, minor := 0, 0
	for _, n := range value.Numerals(text) {
		if slices.ContainsFunc(n.Readings(), func(x float64) bool { return value.Same(x, v) }) {
			all++
		}
	}
	for _, x := range value.Minors(text) {
		if value.Same(x, v) {
			minor++
		}
	}
	return all > minor
}
