// SPDX-License-Identifier: Apache-2.0

package grounding

import (
	"slices"
	"strings"
	"unicode"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/internal/schema"
)

// Bounds of the search for lines that a reply does not cite.
const (
	maxAnchors = 8    // lines with the key of one row
	maxCited   = 3000 // lines of a page
)

// Citer finds the lines of values that a reply cites wrongly or not at all. It looks
// in the lines of the value's own row only: the line of its key and those around it,
// up to the keys of other rows. The one row of a detail page may use the whole page.
type Citer struct {
	g      *Ground
	t      *outline.Table
	answer protocol.ExtractReply
	styles map[string]Style
	keys   [][]int          // lines that may hold the key of each row
	anchor []int            // the line chosen among them; -1: not chosen yet, zero: none
	marks  map[string]marks // by boolean field: what tells its values apart
}

// Citer returns the citer of a reply.
func (g *Ground) Citer(t *outline.Table, answer protocol.ExtractReply, styles map[string]Style) *Citer {
	return &Citer{g: g, t: t, answer: answer, styles: styles}
}

// prepare finds the lines of all keys.
func (c *Citer) prepare() {
	if c.anchor != nil {
		return
	}
	n := min(len(c.answer.Rows), MaxPageRows)
	c.keys, c.anchor = make([][]int, n), make([]int, n)
	for i := range n {
		c.anchor[i] = -1
		if len(c.t.Keys) == 0 || len(c.g.Lines) > maxCited {
			continue
		}
		key := value.Normal(PlainText(value.ScalarText(c.answer.Rows[i].V[c.t.Keys[0]])))
		for n := 1; n <= len(c.g.Lines) && key != "" && len(c.keys[i]) < maxAnchors; n++ {
			if value.Holds(Unlinked(c.g.Line(n)), key) > 0 {
				c.keys[i] = append(c.keys[i], n)
			}
		}
	}
}

// Check grounds a value of row i: where the reply cites it, or in the row's own lines.
func (c *Citer) Check(i int, f *outline.Field, raw any) Found {
	got := c.g.Check(f, raw, c.answer.Rows[i].Ln[f.Name], c.styles[f.Name])
	if got.Grade == finding.GradeDerived && f.Node.Type == schema.Boolean && c.denied(i, f, got) {
		return Found{Issue: finding.IssueUnsupported, Lines: got.Lines}
	}
	if got.Value == nil && got.Issue == finding.IssueUnsupported { // the line is wrong, or the value
		if own := c.Find(i, f, raw); own.Value != nil {
			return own
		}
	}
	return got
}

// Find grounds a value of row i in the row's own lines. Its value is nil if it does
// not stand there.
func (c *Citer) Find(i int, f *outline.Field, raw any) Found {
	none := Found{Issue: finding.IssueUnsupported}
	if i >= MaxPageRows || len(c.g.Lines) > maxCited {
		return none
	}
	c.prepare()
	at := c.anchorOf(i)
	if at > 0 {
		a, b := c.block(i, at)
		if f.Node.Type == schema.Boolean {
			a, b = c.own(i, at, topicOf(f))
		}
		for _, part := range [][2]int{{at, b}, {a, at}} {
			if got := c.check(f, raw, part[0], part[1]); got.Value != nil {
				return got
			}
		}
		if got := c.marked(i, f, raw); got.Value != nil {
			return got
		}
	}
	if len(c.answer.Rows) != 1 {
		return none
	}
	return c.onPage(f, raw)
}

// anchorOf returns the line that states the key of row i. If several lines state it,
// anchorOf returns the one with the most values of the row near it. If none does, it
// returns zero.
func (c *Citer) anchorOf(i int) int {
	if c.anchor[i] >= 0 {
		return c.anchor[i]
	}
	c.anchor[i] = 0
	best := -1
	for _, at := range c.keys[i] {
		score := 0
		if len(c.keys[i]) > 1 {
			a, b := c.block(i, at)
			for _, f := range c.t.Fields {
				raw, ok := c.answer.Rows[i].V[f.Name]
				if ok && raw != nil && f.Name != c.t.Keys[0] && c.check(f, raw, a, b).Value != nil {
					score++
				}
			}
		}
		if score > best {
			best, c.anchor[i] = score, at
		}
	}
	return c.anchor[i]
}

// block returns the lines around the key of row i up to the keys of other rows.
func (c *Citer) block(i, at int) (a, b int) {
	a, b = max(at-MaxSpan, 1), min(at+MaxSpan, len(c.g.Lines))
	for k, all := range c.keys {
		if k == i {
			continue
		}
		for _, n := range all {
			switch {
			case n < at:
				a = max(a, n+1)
			case n > at:
				b = min(b, n-1)
			}
		}
	}
	return a, b
}

// check grounds a value in lines a to b and nowhere else. What is concluded from lines
// needs the field's own words there.
func (c *Citer) check(f *outline.Field, raw any, a, b int) Found {
	if f.Node.Type == schema.Boolean {
		return c.checkBoolean(f, raw, a, b)
	}
	got := c.checkLines(f, raw, a, b)
	if got.Grade == finding.GradeDerived {
		return Found{Issue: finding.IssueUnsupported}
	}
	return got
}

// checkLines grounds a value in lines a to b as a page of their own.
func (c *Citer) checkLines(f *outline.Field, raw any, a, b int) Found {
	part := New(c.g.Lines[a-1:b], c.g.Links, c.g.Lang)
	got := part.Check(f, raw, []int{1, b - a + 1}, c.styles[f.Name])
	if got.Value != nil {
		got.Lines[0] += a - 1
		got.Lines[1] += a - 1
	}
	return got
}

// onPage grounds a value of the one row of a page: in a line with the name of the
// field, or in the only line of the page that states it.
func (c *Citer) onPage(f *outline.Field, raw any) Found {
	if v, ok := truthOf(raw); ok && f.Node.Type == schema.Boolean {
		if c.statesElsewhere(f, v) {
			return Found{Issue: finding.IssueUnsupported}
		}
	}
	only, count := Found{Issue: finding.IssueUnsupported}, 0
	for n := 1; n <= len(c.g.Lines); n++ {
		if strings.TrimSpace(c.g.Lines[n-1]) == "" {
			continue
		}
		got := c.check(f, raw, n, n)
		if got.Value == nil {
			continue
		}
		if names(c.g.Line(n), f.Name) {
			return got
		}
		if count++; count == 1 {
			only = got
		}
	}
	if count != 1 {
		return Found{Issue: finding.IssueUnsupported}
	}
	return only
}

// names reports whether a normal line has all words of the name of a field.
func names(line, field string) bool {
	words := strings.FieldsFunc(field, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return len(words) > 0 && !slices.ContainsFunc(words, func(word string) bool {
		word = strings.ToLower(word)
		return word != "is" && word != "has" && value.Holds(line, word) == 0
	})
}
