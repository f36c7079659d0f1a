// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"slices"
	"sync"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/budget"
	"example.com/curlew/agent/internal/grid"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/lines"
	"example.com/curlew/agent/internal/outline"
)

// leastSample is how many rows of a sample state a field.
const leastSample = 3

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

// partial reads a partly named table by its columns, which the first page
// learns; false means that the model is to read the page. h is used up where the
// page learns.
func (r *reader) partial(ctx context.Context, p *grounding.Page, t *outline.Table, k ticket, h *budget.Hold) (rows []finding.Row, ok bool, err error) {
	g := grid.Partly(p, t)
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
	return grid.RowsOf(p, t, g, k.columns.of), true, nil
}

// learnColumns lets the model read the first rows of a table, and finds the
// columns of what it says; nil where that leaves doubts.
func (r *reader) learnColumns(ctx context.Context, p *grounding.Page, t *outline.Table, g *grid.Grid, h *budget.Hold) ([]int, error) {
	c := lines.Chunk{g.At, g.At + 1}
	c = append(c, g.Lines[:grid.SampleRows]...)
	var got extraction
	if err := r.extractChunk(ctx, p, p.All(), t, c, &got, h); err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, nil //nolint:nilnil // the page is read as others are, and fails as they do
	}
	of := make([]int, len(t.Fields))
	for i, f := range t.Fields {
		column, stated, sure := grid.ColumnOf(p, f, g, got.rows)
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
