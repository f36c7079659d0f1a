// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"slices"
	"sync"

	"example.com/curlew/agent/internal/filter"
	"example.com/curlew/agent/internal/merge"
	"example.com/curlew/agent/internal/outline"
)

// dropped has the names of fields of which values were not accepted, because their lines do
// not state them. It is safe for concurrent use.
type dropped struct{ names sync.Map }

// add adds a field.
func (d *dropped) add(field string) { d.names.Store(field, true) }

// leaves reports whether a row of the answer has no value of one of the fields. The dropped
// value may have been right, and only its lines wrong.
func (d *dropped) leaves(o *outline.Outline, tables map[string][]merge.Merged) bool {
	if o == nil {
		return false
	}
	for _, t := range o.Tables {
		for _, f := range t.Fields {
			if _, ok := d.names.Load(f.Name); ok && slices.ContainsFunc(tables[t.ID], func(m merge.Merged) bool {
				_, filled := m.Row[f.Name]
				return !filled && m.State != filter.Unmet
			}) {
				return true
			}
		}
	}
	return false
}
