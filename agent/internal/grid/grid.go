// SPDX-License-Identifier: Apache-2.0

package grid

import (
	"slices"
	"strings"

	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/lines"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/value"
)

// Grid is a table in the lines of a page.
type Grid struct {
	Header []string // bare names
	heads  []string // as they are printed
	cells  [][]string
	Lines  []int  // of the rows
	above  string // the text above the table, in normal form
	At     int    // line of the header
}

// named returns the column whose header is a name of the field, or -1 if there is none.
func (g *Grid) named(f *outline.Field) int {
	return slices.Index(g.Header, value.BareName(f.Path[len(f.Path)-1]))
}

// repeats reports whether a row repeats the header in the columns of the fields.
func (g *Grid) repeats(cells []string, columns []int) bool {
	return !slices.ContainsFunc(columns, func(k int) bool { return k >= 0 && value.BareName(grounding.PlainText(cells[k])) != g.Header[k] })
}

// grids returns the tables of a page.
func grids(body []string) []Grid {
	var all []Grid
	for i := 0; i+1 < len(body); i++ {
		if !strings.HasPrefix(strings.TrimSpace(body[i]), "|") || !lines.IsRule(body[i+1]) {
			continue
		}
		g := Grid{Header: cellsOf(body[i]), At: i + 1, above: grounding.CaptionAbove(body, i+1)}
		g.heads = slices.Clone(g.Header)
		for k := range g.Header {
			g.Header[k] = value.BareName(grounding.PlainText(g.Header[k]))
		}
		j := i + 2
		for ; j < len(body) && strings.HasPrefix(strings.TrimSpace(body[j]), "|") && !lines.HeadsTable(body, j); j++ {
			if cells := cellsOf(body[j]); len(cells) == len(g.Header) {
				g.cells = append(g.cells, cells)
				g.Lines = append(g.Lines, j+1)
			}
		}
		i = j - 1
		all = append(all, g)
	}
	return all
}

// cellsOf splits a row of a Markdown table into cells.
func cellsOf(line string) []string {
	line = strings.TrimSpace(line)
	line = strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|")
	var cells []string
	start := 0
	for i := range len(line) {
		if line[i] == '|' && (i == 0 || line[i-1] != '\\') {
			cells = append(cells, strings.TrimSpace(line[start:i]))
			start = i + 1
		}
	}
	return append(cells, strings.TrimSpace(line[start:]))
}

// shares reports whether a column before that of the key has empty cells below a cell
// that is not empty. They may be shared by several rows, which only a reader can tell.
func (g *Grid) shares(t *outline.Table, columns []int) bool {
	key := slices.IndexFunc(t.Fields, func(f *outline.Field) bool { return f.Name == FirstKey(t) })
	if key < 0 {
		return false
	}
	for _, k := range columns {
		if k < 0 || k >= columns[key] {
			continue
		}
		filled := false
		for _, cells := range g.cells {
			if filled && blank(cells[k]) {
				return true
			}
			filled = filled || !blank(cells[k])
		}
	}
	return false
}

// resembles reports whether the header of a table names half of the fields that rows of
// t have. A model may then find more of them there.
func (g *Grid) resembles(t *outline.Table) bool {
	n, need := 0, t.Required()
	for _, f := range need {
		if g.named(f) >= 0 {
			n++
		}
	}
	return 2*n >= len(need) && len(g.cells) > 1
}

// match returns the column of each field. If a field has no column of its own, it
// returns nil. A hidden field without a column gets -1, but only if all columns belong
// to other fields.
func match(t *outline.Table, header []string) []int {
	columns := make([]int, len(t.Fields))
	used := map[int]bool{}
	for i, f := range t.Fields {
		name := value.BareName(f.Path[len(f.Path)-1])
		k := slices.Index(header, name)
		if k < 0 && len(f.Path) > 1 {
			k = slices.Index(header, value.BareName(f.Name))
		}
		if k < 0 && f.Hidden {
			columns[i] = -1
			continue
		}
		if k < 0 || used[k] {
			return nil
		}
		used[k] = true
		columns[i] = k
	}
	if slices.Contains(columns, -1) && len(used) < len(header) {
		return nil
	}
	return columns
}
