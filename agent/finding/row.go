// SPDX-License-Identifier: Apache-2.0

// Package finding defines the rows that a run finds, the evidence of each value
// and the issues that the run met.
package finding

// Row is a row of a table: its cells by field. A field without a value is absent.
type Row map[string]Cell

// Cell is a value and the lines that state it.
type Cell struct {
	Value  any      `json:"v"` // string, float64, bool, []any, map[string]any; as encoding/json decodes
	Grade  Grade    `json:"g"`
	Source string   `json:"s"`           // ID of the page
	Lines  [2]int   `json:"l,omitzero"`  // first and last line, from 1; zero: structured data
	Full   bool     `json:"f,omitempty"` // Lines are of journal.PageRecord.Full, not of Main
	Also   []string `json:"a,omitempty"` // IDs of other pages that agree
}
