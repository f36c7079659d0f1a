// SPDX-License-Identifier: Apache-2.0

// Package finding defines the rows that a run finds, the evidence of each value
// and the issues that the run met.
package finding

// Row is a row of a table: its cells by field. A field without a value is absent.
type Row map[string]Cell

// Cell is a value and the lines that contain it.
type Cell struct {
	Value  any      `json:"v"` // string, float64, bool, []any or map[string]any, as encoding/json decodes it
	Grade  Grade    `json:"g"`
	Source string   `json:"s"`           // ID of the page
	Lines  [2]int   `json:"l,omitzero"`  // first and last line, from 1; zero for structured data
	Full   bool     `json:"f,omitempty"` // Lines refer to journal.PageRecord.Full, not to Main
	Also   []string `json:"a,omitempty"` // IDs of other pages with the same value

	Sentences []Sentence `json:"t,omitempty"` // of a text that was written about rows
}
