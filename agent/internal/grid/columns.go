// SPDX-License-Identifier: Apache-2.0

package grid

import (
	"slices"
	"strings"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/value"
)

// Limits for learning the columns of a table.
const (
	SampleRows = 20 // rows that the model reads
	spareRows  = 5  // rows that must follow the sample; with fewer, the model may as well read all of them
)

// Partly returns the only long table of a page whose header names some fields but not
// all. If there is none, or more than one, it returns nil.
func Partly(p *grounding.Page, t *outline.Table) *Grid {
	var found *Grid
	all := grids(p.All().Lines)
	for i := range all {
		g := &all[i]
		named := slices.ContainsFunc(t.Fields, func(f *outline.Field) bool { return g.named(f) >= 0 })
		if len(g.cells) < SampleRows+spareRows || !named || match(t, g.Header) != nil {
			continue
		}
		if found != nil {
			return nil
		}
		found = g
	}
	return found
}

// blank reports whether a cell of a table is empty.
func blank(cell string) bool { return strings.TrimSpace(grounding.PlainText(cell)) == "" }

// Column says where the values of a field are in a table.
type Column struct {
	Of     int  // -1 if the table does not have the field
	Shared bool // an empty cell has the value of the nearest one above that is not empty
}

// SharedBy returns the column of a field, and whether its cells are shared by the rows
// below them, as those rows of a sample show whose cell is empty. If the rows contradict
// each other, ok is false.
func SharedBy(t *outline.Table, f *outline.Field, g *Grid, column int, rows []finding.Row) (c Column, ok bool) {
	c.Of = column
	alone := false // an empty cell means that there is no value
	for _, row := range rows {
		key, keyed := row[FirstKey(t)]
		n := slices.Index(g.Lines[:SampleRows], key.Lines[0])
		if !keyed || n < 0 || !blank(g.cells[n][column]) {
			continue
		}
		cell, has := row[f.Name]
		if !has {
			alone = true
			continue
		}
		for n--; n >= 0 && blank(g.cells[n][column]); n-- {
		}
		c.Shared = c.Shared || n >= 0 && cell.Lines[0] == g.Lines[n]
		alone = alone || n < 0 || cell.Lines[0] != g.Lines[n]
	}
	return c, !c.Shared || !alone
}

// ColumnOf returns the column of the sample that contains the values of a field, and
// the number of rows in which the field has a value. sure is set if four of five of
// these values are in the column, and no other column contains as many of them.
func ColumnOf(p *grounding.Page, f *outline.Field, g *Grid, rows []finding.Row) (column, stated int, sure bool) {
	hits := make([]int, len(g.Header))
	for _, row := range rows {
		cell, ok := row[f.Name]
		n := slices.Index(g.Lines[:SampleRows], cell.Lines[0])
		if !ok || n < 0 || cell.Lines[0] != cell.Lines[1] {
			continue
		}
		stated++
		for k, text := range g.cells[n] {
			if v, ok := fromCell(f, p.All(), text, p.All().StyleOf([]string{text}).Under(g.heads[k], g.above)); ok && value.Agree(v, cell.Value) {
				hits[k]++
			}
		}
	}
	column = g.named(f)
	if most := slices.Max(hits); column < 0 || hits[column] < most {
		column = slices.Index(hits, most)
		if slices.Contains(hits[column+1:], most) {
			return column, stated, false
		}
	}
	return column, stated, 5*hits[column] >= 4*stated
}

// RowsOf reads a table by the columns of its fields.
func RowsOf(p *grounding.Page, t *outline.Table, table *Grid, of []Column) []finding.Row {
	g := p.All()
	columns := make([]int, len(of))
	for i, c := range of {
		columns[i] = c.Of
	}
	styles := map[string]grounding.Style{}
	for i, f := range t.Fields {
		if columns[i] < 0 {
			continue
		}
		var texts []string
		for _, cells := range table.cells[:min(len(table.cells), 500)] {
			texts = append(texts, cells[columns[i]])
		}
		styles[f.Name] = g.StyleOf(texts).Under(table.heads[columns[i]], table.above)
	}
	shared := map[string]finding.Cell{} // the last values of columns with shared cells
	var rows []finding.Row
	for k, cells := range table.cells {
		if len(rows) == grounding.MaxPageRows*20 {
			break
		}
		if table.repeats(cells, columns) || interrupts(cells) {
			continue
		}
		row := fromCells(p, t, g, cells, columns, styles, table.Lines[k])
		share(t, of, cells, row, shared)
		_, keyed := row[FirstKey(t)]
		if len(row) > 0 && (keyed || FirstKey(t) == "") {
			rows = append(rows, row)
		}
	}
	return withoutSum(t, rows)
}

// leastCells is the number of cells that a row must have for a row of one text to be an
// interruption.
const leastCells = 3

// interrupts reports whether a row is no thing but an advertisement or a heading between
// things: all cells but one are empty, and that one links nothing.
func interrupts(cells []string) bool {
	filled := slices.DeleteFunc(slices.Clone(cells), blank)
	return len(cells) >= leastCells && len(filled) == 1 && !strings.Contains(filled[0], "](")
}

// legible reports whether at least half of the cells of each column that are not empty can be
// read as values of its field. A model may understand the signs in the others.
func (g *Grid) legible(t *outline.Table, of []Column, rows []finding.Row) bool {
	for i, f := range t.Fields {
		if of[i].Of < 0 {
			continue
		}
		filled, read := 0, 0
		for _, cells := range g.cells {
			text := cells[of[i].Of]
			if !interrupts(cells) && strings.Trim(value.Normal(text), "-. ") != "" && !grounding.Absent(grounding.PlainText(text)) {
				filled++
			}
		}
		for _, row := range rows {
			if _, ok := row[f.Name]; ok {
				read++
			}
		}
		if 2*read < filled {
			return false
		}
	}
	return true
}

// Unread returns the cells of a table that have a text which cannot be read as a value of
// their field, such as a date with the name of a month that is not known. The rows are those
// that were read from it. If of is nil, the columns are those of the header, and if table is
// nil, all tables of the page count whose header has all fields.
func Unread(p *grounding.Page, t *outline.Table, table *Grid, of []Column, rows []finding.Row) []grounding.LostCell {
	if !slices.ContainsFunc(rows, func(row finding.Row) bool { return len(row) < len(t.Fields) }) {
		return nil
	}
	var all []grounding.LostCell
	if table == nil {
		for _, g := range grids(p.All().Lines) {
			if columns := match(t, g.Header); columns != nil {
				of = make([]Column, len(columns))
				for i, k := range columns {
					of[i].Of = k
				}
				all = append(all, Unread(p, t, &g, of, rows)...)
			}
		}
		return all
	}
	at := map[int]int{} // by line
	for n, line := range table.Lines {
		at[line] = n
	}
	for _, row := range rows {
		n, ok := at[row[FirstKey(t)].Lines[0]]
		for i, f := range t.Fields {
			if _, read := row[f.Name]; read || !ok || of[i].Of < 0 || f.Free {
				continue
			}
			text := strings.TrimSpace(grounding.PlainText(table.cells[n][of[i].Of]))
			if strings.Trim(value.Normal(text), "-. ") != "" && !grounding.Absent(text) {
				all = append(all, grounding.LostCell{Row: row, Field: f.Name, Value: value.Clip(value.JSONText(text), 100), Issue: finding.IssueInvalid, Raw: text})
			}
		}
	}
	return all
}

// share fills the empty cells of columns with shared cells from the rows above, which last
// contains.
func share(t *outline.Table, of []Column, cells []string, row finding.Row, last map[string]finding.Cell) {
	for i, c := range of {
		if !c.Shared {
			continue
		}
		name := t.Fields[i].Name
		above, known := last[name]
		if known && blank(cells[c.Of]) {
			row[name] = above
		}
		if cell, ok := row[name]; ok {
			last[name] = cell
		} else {
			delete(last, name) // the cell cannot be read
		}
	}
}

// sums contains the names for the last row of a table if it contains sums.
var sums = map[string]bool{
	"total": true, "totals": true, "grand total": true, "sum": true, "sum total": true, "overall": true, "summe": true, "gesamt": true, "gesamtsumme": true, "insgesamt": true,
	"total général": true, "totale": true, "suma": true, "suma total": true, "soma": true, "totaal": true, "razem": true, "ogółem": true, "celkem": true, "итого": true, "всего": true,
	"ukupno": true, "spolu": true, "skupaj": true, "összesen": true, "σύνολο": true, "toplam": true, "total geral": true, "total general": true, "totalt": true, "i alt": true, "yhteensä": true,
	"jumlah": true, "tổng cộng": true, "סך הכל": true, "الإجمالي": true, "المجموع": true, "कुल": true, "разом": true, "всього": true, "общо": true, "viso": true, "kokku": true, "kopā": true,
	"合計": true, "总计": true, "合计": true, "總計": true, "합계": true,
}

// withoutSum returns rows without the last one if that contains the sum of the others:
// its name says so, and none of its numbers is less than one above it.
func withoutSum(t *outline.Table, rows []finding.Row) []finding.Row {
	last := len(rows) - 1
	if last < 1 {
		return rows
	}
	if name, _ := rows[last][FirstKey(t)].Value.(string); !sums[value.Canon(name)] {
		return rows
	}
	for _, f := range t.Fields {
		n, ok := rows[last][f.Name].Value.(float64)
		if ok && slices.ContainsFunc(rows[:last], func(row finding.Row) bool { v, ok := row[f.Name].Value.(float64); return ok && v > n }) {
			return rows
		}
	}
	return rows[:last]
}
