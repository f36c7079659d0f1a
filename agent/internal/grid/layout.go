// SPDX-License-Identifier: Apache-2.0

package grid

import (
	"cmp"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/value"
)

// side says where the cells of a field are, seen from the key of their row.
type side int

// Values of side.
const (
	sideOpen   side = iota // not known
	sideAt                 // in the line of the key
	sideBefore             // in lines before the key, after the key of the previous row
	sideBehind             // in lines after the key, before the key of the next row
)

// leastSide is how many rows of a reply are needed to decide on which side a field is.
// Four in five of them must agree.
const leastSide = 5

// Layout describes where the rows of a reply are on the page: each around the line of
// its key, with each field always on the same side. It shows when a model has taken a
// value from a neighbouring row, because the model cites the lines that it read.
type Layout struct {
	t     *outline.Table
	g     *grounding.Ground
	rows  []finding.Row
	keys  []int // line of the key of each row; zero means unknown
	lines []int // the lines of keys, sorted, without zeros
	sides map[string]side
	above map[citation]int // number of rows that cite a line before their key for a field
}

// citation is a line that is cited for a field.
type citation struct {
	field string
	line  int
}

// leastShared is the number of rows that must cite a line above them for a field, such
// as a heading, so that the line counts as shared by all rows.
const leastShared = 3

// NewLayout returns the layout of the rows of a reply.
func NewLayout(t *outline.Table, g *grounding.Ground, rows []finding.Row) *Layout {
	l := &Layout{t: t, g: g, rows: rows, keys: make([]int, len(rows)), sides: map[string]side{}, above: map[citation]int{}}
	if len(rows) < 2 || len(t.Keys) == 0 {
		return l
	}
	for i, row := range rows {
		if c, ok := row[t.Keys[0]]; ok && c.Lines[0] == c.Lines[1] {
			l.keys[i] = c.Lines[0]
		}
	}
	l.lines = slices.DeleteFunc(slices.Sorted(slices.Values(l.keys)), func(n int) bool { return n == 0 })
	for _, f := range t.Fields {
		var count [sideBehind + 1]int
		sum := 0
		for i, row := range rows {
			if c, ok := row[f.Name]; ok && l.keys[i] > 0 && c.Lines[0] > 0 {
				count[sideOf(c, l.keys[i])]++
				sum++
				if c.Lines[1] < l.keys[i] {
					l.above[citation{f.Name, c.Lines[0]}]++
				}
			}
		}
		for _, s := range []side{sideAt, sideBefore, sideBehind} {
			if sum >= leastSide && 5*count[s] >= 4*sum {
				l.sides[f.Name] = s
			}
		}
	}
	return l
}

// sideOf returns the side of the key on which a cell is.
func sideOf(c finding.Cell, key int) side {
	switch {
	case c.Lines[1] < key:
		return sideBefore
	case c.Lines[0] > key:
		return sideBehind
	}
	return sideAt
}

// Settle corrects values that were found in the lines of another row, and values that
// were found nowhere: it looks for them in the lines of their own row. If a value is
// not there either, Settle removes it from its row. It returns the removed values.
func (l *Layout) Settle(lost []grounding.LostCell, styles map[string]grounding.Style) []grounding.LostCell {
	var out []grounding.LostCell
	for i, row := range l.rows {
		if l.keys[i] == 0 {
			continue
		}
		for _, f := range l.t.Fields {
			c, ok := row[f.Name]
			if !ok || !l.strange(f.Name, c, l.keys[i]) {
				continue
			}
			own, ok := l.own(f, c.Value, l.keys[i], styles[f.Name])
			switch {
			case ok: // only the cited line was wrong
				own.Source, own.Full = c.Source, c.Full
				row[f.Name] = own
				continue
			case c.Grade == finding.GradeDerived && !l.taken(c.Lines[0], l.keys[i]): // a derived value is not stated literally on the page
				continue
			}
			out = append(out, grounding.LostCell{Row: row, Field: f.Name, Value: value.Clip(value.JSONText(c.Value), 100), Issue: finding.IssueUnsupported, Raw: c.Value})
			delete(row, f.Name)
		}
	}
	for _, gone := range lost {
		if _, filled := gone.Row[gone.Field]; filled && gone.Items == 0 {
			continue
		}
		i := slices.IndexFunc(l.rows, func(row finding.Row) bool { return SameRow(row, gone.Row) })
		if i >= 0 && l.keys[i] > 0 && gone.Issue == finding.IssueUnsupported {
			if own, ok := l.own(l.t.Field(gone.Field), gone.Raw, l.keys[i], styles[gone.Field]); ok {
				of := l.rows[i][l.t.Keys[0]]
				own.Source, own.Full = of.Source, of.Full
				gone.Row[gone.Field] = own
				continue
			}
		}
		out = append(out, gone)
	}
	sort.SliceStable(out, func(i, j int) bool {
		return cmp.Or(cmp.Compare(out[i].Field, out[j].Field), cmp.Compare(out[i].Value, out[j].Value)) < 0
	})
	return out
}

// Share gives the rows of a section the value that its heading states for all of them. A
// field is stated by headings if nearly all rows that have it cite a line above their keys
// that other rows cite too. The nearest of these lines above a row then counts for it,
// whatever the model said, unless there is a heading between them that no row cites.
func (l *Layout) Share() {
	for _, f := range l.t.Fields {
		heads := l.headings(f)
		if len(heads) == 0 {
			continue
		}
		lines := slices.Sorted(maps.Keys(heads))
		for i, row := range l.rows {
			at, _ := slices.BinarySearch(lines, l.keys[i])
			if l.keys[i] == 0 || at == 0 {
				continue
			}
			n := lines[at-1]
			c, ok := row[f.Name]
			_, other := heads[c.Lines[0]] // the model has taken it from another section
			if (!ok || other) && !slices.ContainsFunc(l.g.Lines[n:l.keys[i]-1], isHeading) {
				row[f.Name] = heads[n]
			}
		}
	}
}

// headings returns the lines that state a field for the rows below them, with the cell of
// one of these rows. If rows below a line disagree, or the field is not stated in this way,
// it returns nil.
func (l *Layout) headings(f *outline.Field) map[int]finding.Cell {
	heads := map[int]finding.Cell{}
	cited, shared := 0, 0
	for i, row := range l.rows {
		c, ok := row[f.Name]
		if !ok || l.keys[i] == 0 || c.Lines[0] == 0 {
			continue
		}
		cited++
		n := c.Lines[0]
		if n != c.Lines[1] || n >= l.keys[i] || l.above[citation{f.Name, n}] < leastShared && !isHeading(l.g.Lines[n-1]) {
			continue
		}
		if _, key := slices.BinarySearch(l.lines, n); key {
			continue
		}
		shared++
		if before, ok := heads[n]; ok && !value.Agree(before.Value, c.Value) {
			return nil
		}
		heads[n] = c
	}
	if shared < leastSide || 5*shared < 4*cited {
		return nil
	}
	return heads
}

// isHeading reports whether a line is a heading in Markdown.
func isHeading(line string) bool { return strings.HasPrefix(line, "#") }

// strange reports whether a cell is in the lines of another row, or on another side
// than nearly all cells of its field.
func (l *Layout) strange(name string, c finding.Cell, key int) bool {
	n := c.Lines[0]
	if n == 0 || n != c.Lines[1] || n == key || n < key && (l.above[citation{name, n}] >= leastShared || l.heads(n, key)) {
		return false
	}
	if l.taken(n, key) {
		return true
	}
	here, usual := sideOf(c, key), l.sides[name]
	if usual == sideOpen || here == usual {
		return false
	}
	// A value that does not fit into the line of its key may continue after it. After
	// the last key of a reply, however, there may be rows that the reply does not have.
	return usual != sideAt || here == sideBefore || key == l.lines[len(l.lines)-1]
}

// heads reports whether line n is a heading that names no row itself, and no heading of its level or a
// higher one stands between it and the line of a key. It is then about all rows below it.
func (l *Layout) heads(n, key int) bool {
	if _, other := slices.BinarySearch(l.lines, n); other || !isHeading(l.g.Lines[n-1]) {
		return false
	}
	level := levelOf(l.g.Lines[n-1])
	return !slices.ContainsFunc(l.g.Lines[n:key-1], func(line string) bool { return isHeading(line) && levelOf(line) <= level })
}

// levelOf returns the number of signs at the start of a heading.
func levelOf(line string) int { return len(line) - len(strings.TrimLeft(line, "#")) }

// taken reports whether line n belongs to another row than the one with a key: it is
// the line of another key, or another key is between them.
func (l *Layout) taken(n, key int) bool {
	at, other := slices.BinarySearch(l.lines, n)
	own, _ := slices.BinarySearch(l.lines, key)
	if n > key { // the row of the first key, if several rows share a line
		for own+1 < len(l.lines) && l.lines[own+1] == key {
			own++
		}
	}
	return other || n > key && at > own+1 || n < key && at < own
}

// own looks for a value only in the lines of the row whose key is in a line.
func (l *Layout) own(f *outline.Field, raw any, key int, s grounding.Style) (finding.Cell, bool) {
	own, _ := slices.BinarySearch(l.lines, key)
	a, b := key, key+grounding.MaxSpan
	for _, n := range l.lines[own:] {
		if n > key {
			b = min(b, n-1)
			break
		}
	}
	switch l.sides[f.Name] {
	case sideAt:
		b = key
	case sideBefore:
		a, b = max(key-grounding.MaxSpan, 1), key
		if own > 0 {
			a = max(a, l.lines[own-1]+1)
		}
	}
	b = min(b, len(l.g.Lines))
	part := l.g.Part(a, b)
	if text, ok := raw.(string); ok && outline.KindOf(f.Node) == "url" {
		if i := slices.Index(l.g.Links, text); i >= 0 {
			raw = "L" + strconv.Itoa(i+1)
		}
	}
	got := part.Check(f, raw, []int{1, b - a + 1}, s)
	if got.Value == nil || got.Grade == finding.GradeDerived {
		return finding.Cell{}, false
	}
	return finding.Cell{Value: got.Value, Grade: got.Grade, Lines: [2]int{got.Lines[0] + a - 1, got.Lines[1] + a - 1}}, true
}

// SameRow reports whether two rows are the same map.
func SameRow(a, b finding.Row) bool {
	if len(a) != len(b) {
		return false
	}
	for k, c := range a {
		if o, ok := b[k]; !ok || o.Lines != c.Lines || value.JSONText(o.Value) != value.JSONText(c.Value) {
			return false
		}
	}
	return true
}
