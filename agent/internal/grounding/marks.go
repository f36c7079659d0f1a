// SPDX-License-Identifier: Apache-2.0

package grounding

import (
	"strconv"
	"strings"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/internal/schema"
)

// marks contains the texts that distinguish the values of a boolean in the rows of a
// reply, and the side of the keys on which they are.
type marks struct {
	texts [2]map[string]int // for false, for true: the number of rows with the text
	side  side
}

// side says which lines around the key of a row are its own.
type side int

// The sides. Lines between two keys belong to the row before them or to the row after
// them, but not to both.
const (
	sideBehind side = iota // from the key on
	sideBefore             // up to the key
	sideBoth
)

// beside returns the lines of row i on one side of its key.
func (c *Citer) beside(i, at int, s side) (a, b int) {
	a, b = c.block(i, at)
	switch s {
	case sideBehind:
		return at, b
	case sideBefore:
		return a, at
	}
	return a, b
}

// marked looks for a text in the lines of all rows with one value that is in no row
// with the other value: "Cash only" under each row for which the model says false, and
// under no other row. It needs several rows.
func (c *Citer) marked(i int, f *outline.Field, raw any) Found {
	none := Found{Issue: finding.IssueUnsupported}
	v, ok := truthOf(raw)
	if !ok || f.Node.Type != schema.Boolean || len(c.answer.Rows) < leastRows {
		return none
	}
	m := c.marksOf(f)
	texts := m.texts[0]
	if v {
		texts = m.texts[1]
	}
	a, b := c.beside(i, c.anchorOf(i), m.side)
	for n := a; n <= b && len(texts) > 0; n++ {
		for _, p := range c.lineTexts(n) {
			if texts[p] > 0 {
				return Found{v, [2]int{n, n}, finding.GradeDerived, "", 0}
			}
		}
	}
	return none
}

// infer returns the boolean that the model left out of row i, if the row's own lines have
// a text with which at least four other rows have one value and hardly any has the other.
func (c *Citer) infer(i int, f *outline.Field) Found {
	if f.Node.Type != schema.Boolean || i >= MaxPageRows || len(c.answer.Rows) < leastRows || len(c.g.Lines) > maxCited {
		return Found{}
	}
	c.prepare()
	at := c.anchorOf(i)
	if at == 0 {
		return Found{}
	}
	m := c.marksOf(f)
	if m.side == sideBoth || m.side == sideBefore && (len(m.texts[0]) == 0 || len(m.texts[1]) == 0) {
		return Found{} // the lines before the key may be those of the row before
	}
	var out Found
	a, b := c.beside(i, at, m.side)
	for n := a; n <= b; n++ {
		for _, p := range c.lineTexts(n) {
			for which := range 2 {
				if m.texts[which][p] < leastSure {
					continue
				}
				if out.Value == (which == 0) { // the lines state both values
					return Found{}
				}
				out = Found{which == 1, [2]int{n, n}, finding.GradeDerived, "", 0}
			}
		}
	}
	return out
}

// outvoted reports whether the lines of row i have a text that stands in nearly all rows
// with the other value, and none that stands in the rows with this value. The model has
// then mistaken one row. The same is true if the row lacks the text that nearly all rows with
// its value have, and the model cites only the key. If it cites a line that does not have the
// key, only that line is looked at: other texts of the row may be there by chance, such as
// its author.
func (c *Citer) outvoted(i int, f *outline.Field, got Found) bool {
	v, ok := got.Value.(bool)
	if !ok || i >= MaxPageRows || len(c.answer.Rows) < leastRows || len(c.g.Lines) > maxCited {
		return false
	}
	c.prepare()
	at := c.anchorOf(i)
	if at == 0 {
		return false
	}
	m := c.marksOf(f)
	own, other := m.texts[0], m.texts[1]
	if v {
		own, other = other, own
	}
	found := false
	a, b := c.beside(i, at, m.side)
	if got.Lines[0] > at || got.Lines[1] < at {
		a, b = max(a, got.Lines[0]), min(b, got.Lines[1])
	} else if a < b {
		for _, n := range own { // nearly all rows with the value have this text
			found = found || n >= leastSure
		}
	}
	for n := a; n <= b && len(own)+len(other) > 0; n++ {
		for _, p := range c.lineTexts(n) {
			if own[p] > 0 {
				return false
			}
			found = found || other[p] > 0
		}
	}
	return found
}

// marksOf returns the texts that distinguish the values of a field. It prefers a side of
// the keys on which both values have such texts, and the lines behind the keys to those
// before them. If fewer than two rows have one of the values, there are none.
func (c *Citer) marksOf(f *outline.Field) marks {
	if m, ok := c.marks[f.Name]; ok {
		return m
	}
	if c.marks == nil {
		c.marks = map[string]marks{}
	}
	var best marks
	most := 0
	for _, s := range []side{sideBehind, sideBefore, sideBoth} {
		texts := c.marksOn(f, s)
		if n := min(len(texts[0]), 1) + min(len(texts[1]), 1); n > most {
			best, most = marks{texts, s}, n
		}
	}
	c.marks[f.Name] = best
	return best
}

// marksOn is marksOf for one side of the keys. A text distinguishes a value if it is in
// four of five rows with the value, and in hardly any of the others, because a model may
// mistake some rows.
func (c *Citer) marksOn(f *outline.Field, s side) (texts [2]map[string]int) {
	var count [2]int
	var with [2]map[string]int
	with[0], with[1] = map[string]int{}, map[string]int{}
	for i := range min(len(c.answer.Rows), MaxPageRows) {
		v, ok := truthOf(c.answer.Rows[i].V[f.Name])
		at := c.anchorOf(i)
		if !ok || at == 0 {
			continue
		}
		which := 0
		if v {
			which = 1
		}
		count[which]++
		for p := range c.pieces(i, at, s) {
			with[which][p]++
		}
	}
	if count[0] < leastSide || count[1] < leastSide || count[0]+count[1] < leastRows {
		return texts
	}
	for which := range 2 {
		texts[which] = map[string]int{}
		for p, n := range with[which] {
			mistaken := n / 10
			if n >= leastSure {
				mistaken = max(mistaken, 1)
			}
			if 5*n >= 4*count[which] && with[1-which][p] <= mistaken {
				texts[which][p] = n
			}
		}
	}
	return texts
}

// pieces returns the short texts in the lines of row i on one side of its key.
func (c *Citer) pieces(i, at int, s side) map[string]bool {
	out := map[string]bool{}
	a, b := c.beside(i, at, s)
	for n := a; n <= b; n++ {
		for _, p := range c.lineTexts(n) {
			if len(out) < maxPieces {
				out[p] = true
			}
		}
	}
	return out
}

// lineTexts returns the short texts of line n, with its sentences and its parts that are
// emphasised or in brackets.
func (c *Citer) lineTexts(n int) []string {
	out := piecesOf(c.g.Line(n))
	if !strings.HasPrefix(c.g.Line(n), "|") {
		for _, s := range append(c.g.sayings(n), bracketed.FindAllString(Unlinked(c.g.Line(n)), 4)...) {
			if s = strings.TrimRight(s, " ."); s != "" && len(s) <= maxPiece {
				out = append(out, s)
			}
		}
	}
	return out
}

// piecesOf returns the short texts of a normal line: its cells with their columns if it
// is a row of a table, or else the texts between points, bars and commas.
func piecesOf(line string) []string {
	var out []string
	isRow := strings.HasPrefix(line, "|")
	split := func(r rune) bool { return r == '|' || !isRow && (r == '·' || r == '•' || r == ',' || r == ';') }
	parts := strings.FieldsFunc(line, split)
	if isRow {
		parts = strings.Split(strings.Trim(line, "| "), "|")
	}
	for k, p := range parts {
		p = strings.TrimLeft(strings.TrimSpace(p), "-*+ ")
		if p == "" || len(p) > maxPiece {
			continue
		}
		if isRow {
			p = strconv.Itoa(k) + "|" + p
		}
		out = append(out, p)
	}
	return out
}
