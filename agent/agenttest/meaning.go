// SPDX-License-Identifier: Apache-2.0

package agenttest

import (
	"regexp"
	"slices"
	"strings"

	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/journal"
)

// phrase is a way in which a question states a condition.
type phrase struct {
	pattern   *regexp.Regexp // its last group is the value
	field, op string
	value     string // used if the pattern has no group
	unit      string
}

// amount matches a number after a currency.
const amount = `(?:\$|€|CHF )?([0-9][0-9,.]*[0-9]|[0-9]+)`

// phrases are the phrases that the oracle understands. It looks for them only in the
// task of the prompt.
var phrases = []phrase{
	{regexp.MustCompile(`costs? less than ` + amount), "price", "<", "", ""},
	{regexp.MustCompile(`costs? more than ` + amount), "price", ">", "", ""},
	{regexp.MustCompile(`is in stock`), "available", "=", "true", ""},
	{regexp.MustCompile(`with a stock of more than ` + amount), "stock", ">", "", ""},
	{regexp.MustCompile(`sold since ([0-9]{4}) or later`), "since", ">=", "", ""},
	{regexp.MustCompile(`made by ([A-Z]\w+)(?: or ([A-Z]\w+))?`), "maker", "=", "", ""},
	{regexp.MustCompile(`among the ([0-9]+) cheapest`), "price", "bottom", "", ""},
	{regexp.MustCompile(`(?:the|is) the cheapest`), "price", "bottom", "1", ""},
	{regexp.MustCompile(`the most expensive`), "price", "top", "1", ""},
	{regexp.MustCompile(`the largest stock`), "stock", "top", "1", ""},
}

// conditionsOf returns the conditions that a task states.
func conditionsOf(task string) []journal.Condition {
	out := []journal.Condition{}
	for _, p := range phrases {
		m := p.pattern.FindStringSubmatch(task)
		if m == nil {
			continue
		}
		values := slices.DeleteFunc(m[1:], func(s string) bool { return s == "" })
		if p.value != "" {
			values = []string{p.value}
		}
		for i, v := range values {
			unit := ""
			for _, sign := range []string{"$", "€", "CHF"} {
				if strings.Contains(m[0], sign) {
					unit = sign
				}
			}
			out = append(out, journal.Condition{Field: p.field, Op: p.op, Value: strings.ReplaceAll(v, ",", ""), Unit: unit, Words: m[0], Or: i > 0})
		}
	}
	return out
}

// refers reports whether a task is about the same things as the task before it.
func refers(task string) bool {
	words := wordsOf(task)
	return slices.Contains(words, "them") || slices.Contains(words, "those")
}

// shapeOf returns the shape of the answer to a task.
func shapeOf(task string, conditions []journal.Condition) string {
	switch {
	case strings.HasPrefix(task, "How many"):
		return protocol.ShapeCount
	case strings.HasPrefix(task, "Find every"):
		return protocol.ShapeList
	case slices.ContainsFunc(conditions, func(c journal.Condition) bool { return c.Op == "top" || c.Op == "bottom" }):
		return protocol.ShapeBest
	}
	return protocol.ShapeOne
}

// makerOf matches a question about the maker of a thing.
var makerOf = regexp.MustCompile(`(Who|In which city) is (.*?)the company that makes the`)

// makersOf matches a question about the maker of each of several things.
var makersOf = regexp.MustCompile(`with the (chief executive|city) of the company that makes`)

// hopsOf returns the fields of a task that a further question is about.
func hopsOf(task string) []journal.Hop {
	if m := makersOf.FindStringSubmatch(task); m != nil {
		return []journal.Hop{{Field: "maker", Question: "The " + m[1] + " of the company", Fills: []string{strings.TrimSuffix(m[1], " executive")}}}
	}
	m := makerOf.FindStringSubmatch(task)
	if m == nil {
		return []journal.Hop{}
	}
	return []journal.Hop{{Field: "maker", Question: m[1] + " is " + m[2] + "the company"}}
}

// nextHop returns actions that lead to a known value which is asked about: reading the
// links whose text contains it, or a search.
func nextHop(a protocol.Asked, links []protocol.PromptLink) []journal.Action {
	for _, k := range protocol.ListOf[protocol.PromptKnown](a, "known") {
		for _, v := range k.Values {
			var read []string
			for _, l := range links {
				if strings.Contains(strings.ToLower(l.Text), strings.ToLower(v)) {
					read = append(read, l.Handle)
				}
			}
			if len(read) > 0 {
				return []journal.Action{{Do: journal.DoRead, H: read[:min(len(read), 4)]}}
			}
			if a.Can(journal.DoSearch) {
				return []journal.Action{{Do: journal.DoSearch, Q: v, N: 5}}
			}
		}
	}
	return nil
}

// namedLinks reads the links whose text occurs in a task.
func namedLinks(task string, links []protocol.PromptLink) []journal.Action {
	var read []string
	for _, l := range links {
		if len(strings.Fields(l.Text)) > 2 && strings.Contains(task, l.Text) {
			read = append(read, l.Handle)
		}
	}
	if len(read) == 0 {
		return nil
	}
	return []journal.Action{{Do: journal.DoRead, H: read[:min(len(read), 4)]}}
}
