// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/budget"
	"example.com/curlew/agent/internal/outline"
)

// readParts lets the model read a page for each part of a table. h is used up.
func (r *reader) readParts(ask func(part *outline.Table, h *budget.Hold) (extraction, error), t *outline.Table, h *budget.Hold) (extraction, error) {
	parts := t.Split()
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
			out.rows = t.Join(rows)
			return out, err
		}
	}
	out.rows = t.Join(rows)
	return out, nil
}
