// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"slices"
	"strings"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/budget"
	"example.com/curlew/agent/internal/value"
)

// split returns the tables that a model is asked for in the place of t, at most
// 100 fields each: members of one object stay together where they can, and the
// keys are in each. A table of no more fields is its own part.
func (t *table) split() []*table {
	t.cut.Do(func() {
		if len(t.fields) <= maxCallFields {
			t.parts = []*table{t}
			return
		}
		var keys, rest []*field
		for _, f := range t.fields {
			if slices.Contains(t.keys, f.name) {
				keys = append(keys, f)
			} else {
				rest = append(rest, f)
			}
		}
		room := maxCallFields - len(keys)
		var at []*field
		add := func() {
			t.parts = append(t.parts, &table{id: t.id, what: t.what, path: t.path, keys: t.keys, expect: t.expect, fields: slices.Concat(keys, at)})
			at = nil
		}
		for len(rest) > 0 {
			n := 1
			for n < len(rest) && n < room && rest[n].path[0] == rest[0].path[0] {
				n++
			}
			if len(at)+n > room {
				add()
			}
			at = append(at, rest[:n]...)
			rest = rest[n:]
		}
		add()
	})
	return t.parts
}

// join puts the rows of a page's parts together: those of one key are one, and
// where nothing tells rows apart, those of one place.
func (t *table) join(parts [][]finding.Row) []finding.Row {
	var out []finding.Row
	at := map[string]int{}
	for _, rows := range parts {
		for i, row := range rows {
			k, ok := t.keyOf(row)
			place := i
			if t.record() {
				place = 0
			} else if len(t.keys) > 0 {
				have, known := at[k]
				if place = have; !ok || !known {
					place = len(out)
				}
			}
			if place >= len(out) {
				place = len(out)
				out = append(out, finding.Row{})
			}
			for name, c := range row {
				if _, there := out[place][name]; !there {
					out[place][name] = c
				}
			}
			if ok {
				at[k] = place
			}
		}
	}
	return out
}

// keyOf returns the key of a row; false where a part of it is missing.
func (t *table) keyOf(row finding.Row) (string, bool) {
	var parts []string
	for _, name := range t.keys {
		c, ok := row[name]
		if !ok {
			return "", false
		}
		parts = append(parts, value.Canon(c.Value))
	}
	return strings.Join(parts, "\x00"), len(parts) > 0
}

// readParts lets the model read a page for each part of a table. h is used up.
func (r *Run) readParts(ask func(part *table, h *budget.Hold) (extraction, error), t *table, h *budget.Hold) (extraction, error) {
	parts := t.split()
	if len(parts) == 1 {
		return ask(t, h)
	}
	var out extraction
	var rows [][]finding.Row
	for _, part := range parts {
		got, err := ask(part, h)
		rows = append(rows, got.rows)
		out.lost = append(out.lost, got.lost...)
		out.total = max(out.total, got.total)
		if out.kind == "" {
			out.kind = got.kind
		}
		if err != nil {
			out.rows = t.join(rows)
			return out, err
		}
	}
	out.rows = t.join(rows)
	return out, nil
}
