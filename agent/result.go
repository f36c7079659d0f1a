// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"cmp"
	"encoding/json"
	"iter"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/merge"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/llm"
)

// Result is what a run found.
type Result struct {
	Data    json.RawMessage             // fits Schema if Valid; nil after an error
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
	Pages    int     // fetched and billed
	Failed   int     // not fetched, or blocked; not billed
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

// Fold returns the data that the events of a run amount to up to and with
// number seq, as [Result].Data would hold it: what pages gave, merged, without
// what the end of a run adds. The events must be whole, as a [journal.Journal] keeps
// them. It returns null before there is a schema; errors are those of events
// and [ErrHistory].
func Fold(events iter.Seq2[journal.Event, error], seq int64) (json.RawMessage, error) {
	var o *outline.Outline
	hosts := map[string]string{}
	seen := map[string][]merge.Sighting{}
	for e, err := range events {
		if err != nil {
			return nil, err
		}
		if e.Seq > seq {
			break
		}
		switch {
		case e.Accepted != nil && len(e.Accepted.Schema) > 0:
			o, err = outline.New(e.Accepted.Schema)
		case e.Planned != nil:
			if o == nil {
				o, err = outline.New(e.Planned.Schema)
			}
			if err == nil {
				o.Planned(e.Planned.Tables)
			}
		case e.Page != nil:
			hosts[e.Page.ID] = value.Host(cmp.Or(e.Page.Final, e.Page.URL))
		case e.Extracted != nil:
			n, ok := value.HandleNumber(e.Extracted.Source, 'S')
			if !ok {
				return nil, ErrHistory
			}
			for i, row := range e.Extracted.Rows {
				seen[e.Extracted.Table] = append(seen[e.Extracted.Table], merge.Sighting{Page: n, At: i, Method: e.Extracted.Method, Row: row})
			}
		}
		if err != nil {
			return nil, ErrHistory
		}
	}
	if o == nil {
		return json.RawMessage("null"), nil
	}
	a := &merge.Assembly{Outline: o, Tables: map[string][]merge.Merged{}}
	for _, t := range o.Tables {
		m := merge.Merger{Table: t, Hosts: hosts}
		a.Tables[t.ID] = m.Merge(seen[t.ID])
	}
	data, _, _ := a.Build()
	return merge.Encode(data), nil
}
