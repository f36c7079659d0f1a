// SPDX-License-Identifier: Apache-2.0

package filter

import (
	"cmp"
	"regexp"
	"strings"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/value"
)

// Superlative reports whether a condition keeps the first rows by a field.
func (c *Condition) Superlative() bool { return c.op == "top" || c.op == "bottom" }

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
