// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"slices"
	"strings"
	"sync"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/budget"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/lines"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/value"
)

// Bounds of learning the columns of a table.
const (
	sampleRows  = 20 // the model reads so many
	leastSample = 3  // that state a field
	spareRows   = 5  // behind the sample, or the model may as well read all
)

// columns is what is learned of the tables with one header, of which only some
// columns go by the name of a field: the model reads the first rows of the first
// such table, and what stands where it found its values is the field's column.
type columns struct {
	done chan struct{} // closed when of is set
	once sync.Once
	of   []int // column of each field, -1: none; nil: nothing was learned
}

// end says what was learned; the first counts.
func (c *columns) end(of []int) {
	c.once.Do(func() {
		c.of = of
		close(c.done)
	})
}

// columnsOf returns what is learned of the header of p's partly named table;
// nil where it has none. Whose page is the first is the one who learns: pages
// ask in their order.
func (r *Run) columnsOf(p *grounding.Page, t *outline.Table) (c *columns, first bool) {
	if t.Record() || t.Bare || len(t.Fields) > outline.MaxCallFields {
		return nil, false
	}
	g := partly(p, t)
	if g == nil {
		return nil, false
	}
	key := t.ID + "\x00" + strings.Join(g.header, "\x00")
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.columns[key]; c != nil {
		return c, false
	}
	c = &columns{done: make(chan struct{})}
	if r.columns == nil {
		r.columns = map[string]*columns{}
	}
	r.columns[key] = c
	return c, true
}

// partly returns the one table of a page that names some fields and not all, and
// is long; nil where there is none, or more than one.
func partly(p *grounding.Page, t *outline.Table) *grid {
	var found *grid
	all := grids(p.All().Lines)
	for i := range all {
		g := &all[i]
		named := slices.ContainsFunc(t.Fields, func(f *outline.Field) bool { return g.named(f) >= 0 })
		if len(g.cells) < sampleRows+spareRows || !named || match(t, g.header) != nil {
			continue
		}
		if found != nil {
			return nil
		}
		found = g
	}
	return found
}

// named returns the column that goes by a field's name; -1 where there is none.
func (g *grid) named(f *outline.Field) int {
	return slices.Index(g.header, value.BareName(f.Path[len(f.Path)-1]))
}

// partial reads a partly named table by its columns, which the first page
// learns; false means that the model is to read the page. h is used up where the
// page learns.
func (r *Run) partial(ctx context.Context, p *grounding.Page, t *outline.Table, k ticket, h *budget.Hold) (rows []finding.Row, ok bool, err error) {
	g := partly(p, t)
	if g == nil { // cannot be
		return nil, false, nil
	}
	if k.first {
		of, err := r.learnColumns(ctx, p, t, g, h)
		k.columns.end(of)
		if err != nil {
			return nil, false, err
		}
	} else {
		select {
		case <-k.columns.done:
		case <-ctx.Done():
			return nil, false, context.Cause(ctx)
		}
	}
	if k.columns.of == nil {
		return nil, false, nil
	}
	return rowsOf(p, t, g, k.columns.of), true, nil
}

// learnColumns lets the model read the first rows of a table, and finds the
// columns of what it says; nil where that leaves doubts.
func (r *Run) learnColumns(ctx context.Context, p *grounding.Page, t *outline.Table, g *grid, h *budget.Hold) ([]int, error) {
	c := lines.Chunk{g.at, g.at + 1}
	c = append(c, g.lines[:sampleRows]...)
	var got extraction
	if err := r.extractChunk(ctx, p, p.All(), t, c, &got, h); err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, nil //nolint:nilnil // the page is read as others are, and fails as they do
	}
	of := make([]int, len(t.Fields))
	for i, f := range t.Fields {
		column, stated, sure := columnOf(p, f, g, got.rows)
		switch {
		case stated == 0 && !f.Required && !slices.Contains(t.Keys, f.Name):
			of[i] = -1
		case stated < leastSample || !sure || slices.Contains(of[:i], column):
			return nil, nil //nolint:nilnil // doubts
		default:
			of[i] = column
		}
	}
	return of, nil
}

// columnOf returns the column of the sample in which the values of a field
// stand, in how many rows there is one, and whether four in five of them stand
// there and in no other column as often.
func columnOf(p *grounding.Page, f *outline.Field, g *grid, rows []finding.Row) (column, stated int, sure bool) {
	hits := make([]int, len(g.header))
	for _, row := range rows {
		cell, ok := row[f.Name]
		n := slices.Index(g.lines[:sampleRows], cell.Lines[0])
		if !ok || n < 0 || cell.Lines[0] != cell.Lines[1] {
			continue
		}
		stated++
		for k, text := range g.cells[n] {
			if v, ok := fromCell(p, f, p.All(), text, p.All().StyleOf([]string{text})); ok && value.Agree(v, cell.Value) {
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

// rowsOf reads a table by the columns of its fields.
func rowsOf(p *grounding.Page, t *outline.Table, table *grid, columns []int) []finding.Row {
	g := p.All()
	styles := map[string]grounding.Style{}
	for i, f := range t.Fields {
		if columns[i] < 0 {
			continue
		}
		var texts []string
		for _, cells := range table.cells[:min(len(table.cells), 500)] {
			texts = append(texts, cells[columns[i]])
		}
		styles[f.Name] = g.StyleOf(texts)
	}
	var rows []finding.Row
	for k, cells := range table.cells {
		if len(rows) == grounding.MaxPageRows*20 {
			break
		}
		if table.heads(cells, columns) {
			continue
		}
		row := fromCells(p, t, g, cells, columns, styles, table.lines[k])
		_, keyed := row[firstKey(t)]
		if len(row) > 0 && (keyed || firstKey(t) == "") {
			rows = append(rows, row)
		}
	}
	return withoutSum(t, rows)
}

// heads reports whether a row says the header again, in the columns of fields.
func (g *grid) heads(cells []string, columns []int) bool {
	return !slices.ContainsFunc(columns, func(k int) bool { return k >= 0 && value.BareName(grounding.PlainText(cells[k])) != g.header[k] })
}

// sums name the last row of a table that adds up those above it.
var sums = map[string]bool{
	"total": true, "totals": true, "grand total": true, "sum": true, "sum total": true, "overall": true, "summe": true, "gesamt": true, "gesamtsumme": true, "insgesamt": true,
	"total général": true, "totale": true, "suma": true, "suma total": true, "soma": true, "totaal": true, "razem": true, "ogółem": true, "celkem": true, "итого": true, "всего": true,
	"合計": true, "总计": true, "合计": true, "總計": true, "합계": true,
}

// withoutSum returns rows without the last where that is no thing but their sum:
// none of its numbers is below one above it.
func withoutSum(t *outline.Table, rows []finding.Row) []finding.Row {
	last := len(rows) - 1
	if last < 1 {
		return rows
	}
	if name, _ := rows[last][firstKey(t)].Value.(string); !sums[value.Canon(name)] {
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
