// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"encoding/json"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/llm"
)

// Result is what a run found.
type Result struct {
	Data    json.RawMessage             // fits Schema where Valid; nil after an error
	Schema  json.RawMessage             // the task's, or the one the plan made
	Valid   bool                        // Data satisfies Schema
	Partial bool                        // the run ended before it was done or dry
	Found   bool                        // at least one row or field
	Fields  map[string]finding.Evidence // by JSON Pointer into Data
	Sources []finding.Source            // pages that were read, by ID
	Issues  []finding.Issue             // what is missing, conflicting or could not be read
	Stop    finding.Reason
	Spend   Spend
	Prompts string // hash of the prompt set
}

// Spend is what a run has cost.
type Spend struct {
	Credits  Credits // sum of all charges, never above the limit
	Scans    Credits // part of Credits that Admit charged
	Lost     Credits // part of Credits: reserved before a crash, outcome unknown
	Overrun  Credits // used by the provider beyond its bound, not charged
	Pages    int     // brought and billed
	Failed   int     // not brought, or blocked; not billed
	Scanned  int     // URLs
	Searches int
	Maps     int
	Calls    int // of models
	Steps    int // decide calls
	Free     int // pages read without a model
	Usage    llm.Usage
}

// Snapshot is the state of a run at one moment.
type Snapshot struct {
	Phase          finding.Phase
	Spend          Spend
	Rows           int // of all tables
	Filled, Wanted int // cells of the required fields
	Pages          int // read
	Seq            int64
}
