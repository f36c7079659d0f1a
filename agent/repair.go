// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/budget"
	"example.com/curlew/agent/internal/grid"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/lines"
	"example.com/curlew/agent/internal/linkrank"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/llm"
)

// repair asks once more for the rows of a reply that lost values, twice where
// the profile checks all, with the lines of those rows alone; what it says fills
// holes and changes nothing else. Rows of out from number from on, and cells
// lost from number lost on, are of that reply.
func (r *reader) repair(ctx context.Context, p *grounding.Page, g *grounding.Ground, t *outline.Table, out *extraction, from, lost int) error {
	tries := 1
	if r.payer.profile.Check == llm.CheckDerived {
		tries = maxRepairs
	}
	for try := range tries {
		rows := r.holes(t, out.rows[from:], out.lost[lost:])
		lines := linesOf(t, rows, out.rows[from:], g.Lines)
		if len(rows) == 0 || len(lines) == 0 {
			return nil
		}
		reply, err := r.payer.ask(ctx, ask{
			role: llm.RoleExtract, user: r.extractPrompt(p, g, t, lines, 0, len(rows)+1+try), schema: t.Reply(), landing: true,
			output: min(2*outline.CellTokens*len(t.Fields)*(len(rows)+2)+protocol.ShortExtractOutput/2, protocol.MaxExtractOutput),
		})
		answer, ok := protocol.ReadExtract(reply.JSON)
		switch {
		case errors.Is(err, errModel), errors.Is(err, budget.ErrBroke):
			return nil // what there is will do
		case err != nil:
			return err
		case !ok:
			return nil // a repair without use leaves things as they are
		}
		var again extraction
		r.take(p, g, t, answer, &again)
		for _, row := range rows {
			fillHoles(t, row, again.rows, len(rows) == 1)
		}
		out.lost = slices.DeleteFunc(out.lost, func(l grounding.LostCell) bool {
			_, ok := l.Row[l.Field]
			return ok
		})
		lost = min(lost, len(out.lost))
	}
	return nil
}

// holes returns the rows that lost a value, and those that lack a required one
// which nearly all others have, or one that a condition of the question is about:
// without it the row is left out. Where the profile
// checks all they are also those that lack any such value, or a required one that
// some row has.
func (r *reader) holes(t *outline.Table, rows []finding.Row, lost []grounding.LostCell) []finding.Row {
	open := func(row finding.Row) bool {
		return slices.ContainsFunc(lost, func(l grounding.LostCell) bool {
			_, ok := l.Row[l.Field]
			return !ok && grid.SameRow(l.Row, row)
		})
	}
	usual := map[string]bool{}
	decisive := r.tables.decisive(t)
	for _, f := range t.Fields {
		n := 0
		for _, row := range rows {
			if _, ok := row[f.Name]; ok {
				n++
			}
		}
		usual[f.Name] = n < len(rows) && 5*n >= 4*len(rows) && (f.Required || slices.Contains(decisive, f.Name))
		if r.payer.profile.Check == llm.CheckDerived {
			usual[f.Name] = f.Required && (n > 0 || len(rows) < linkrank.LeastGroup) || n < len(rows) && 5*n >= 4*len(rows)
		}
	}
	var out []finding.Row
	for _, row := range rows {
		lacks := slices.ContainsFunc(t.Fields, func(f *outline.Field) bool {
			_, ok := row[f.Name]
			return !ok && usual[f.Name]
		})
		if len(row) > 0 && (lacks || open(row)) && len(out) < outline.RowCap {
			out = append(out, row)
		}
	}
	return out
}

// linesOf returns the lines around the cells of rows, without those of the keys
// of others, and with the header of the table that they stand in: who answers
// may name but a few rows, and has to know the columns.
func linesOf(t *outline.Table, rows, all []finding.Row, body []string) lines.Chunk {
	var keys []int
	for _, row := range all {
		if c, ok := row[grid.FirstKey(t)]; ok && c.Lines[0] > 0 {
			keys = append(keys, c.Lines[0])
		}
	}
	slices.Sort(keys)
	marked := map[int]bool{}
	for _, row := range rows {
		first, last := 0, 0
		for _, c := range row {
			if c.Lines[0] > 0 && (first == 0 || c.Lines[0] < first) {
				first = c.Lines[0]
			}
			last = max(last, c.Lines[1])
		}
		if first == 0 {
			continue
		}
		from, to := max(first-grounding.NearLines, 1), min(last+grounding.MaxSpan, len(body))
		at, _ := slices.BinarySearch(keys, first)
		if at > 0 {
			from = max(from, keys[at-1]+1)
		}
		if at, _ = slices.BinarySearch(keys, last+1); at < len(keys) {
			to = min(to, keys[at]-1)
		}
		for n := from; n <= to; n++ {
			marked[n] = true
		}
		for n := first; n > 0 && strings.HasPrefix(strings.TrimSpace(body[n-1]), "|"); n-- {
			if lines.IsRule(body[n-1]) && n > 1 {
				marked[n-1], marked[n] = true, true
				break
			}
		}
	}
	return slices.Sorted(maps.Keys(marked))
}

// fillHoles takes the cells that a row lacks from the row of the same keys.
func fillHoles(t *outline.Table, row finding.Row, from []finding.Row, only bool) {
	for _, other := range from {
		same := only && len(from) == 1 && len(t.Keys) == 0 || t.Record()
		if len(t.Keys) > 0 {
			same = !slices.ContainsFunc(t.Keys, func(k string) bool {
				a, okA := row[k]
				b, okB := other[k]
				return !okA || !okB || !value.Agree(a.Value, b.Value)
			})
		}
		if !same {
			continue
		}
		for _, f := range t.Fields {
			if _, ok := row[f.Name]; ok {
				continue
			}
			if c, ok := other[f.Name]; ok {
				row[f.Name] = c
			}
		}
		return
	}
}
