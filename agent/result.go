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

// Result is the result of a run.
type Result struct {
	Data    json.RawMessage             // matches Schema if Valid is set; nil after an error
	Schema  json.RawMessage             // the task's schema, or the one that the plan made
	Valid   bool                        // Data matches Schema
	Partial bool                        // the run ended before it was done or dry
	Found   bool                        // there is at least one row or field
	Fields  map[string]finding.Evidence // by JSON Pointer into Data
	Sources []finding.Source            // pages that were read, by ID
	Issues  []finding.Issue             // what is missing, conflicting or could not be read
	Stop    finding.Reason
	Spend   Spend
	Prompts string // hash of the set of prompts
}

// Spend is the cost of a run.
type Spend struct {
	Credits  Credits // sum of all charges, never above the limit
	Scans    Credits // the part of Credits that Admit charged
	Lost     Credits // the part of Credits for calls whose outcome was lost in a crash
	Overrun  Credits // used by the provider beyond its bound, and not charged
	Pages    int     // fetched and billed
	Failed   int     // not fetched, or blocked; not billed
	Scanned  int     // scanned URLs
	Searches int
	Maps     int
	Calls    int // model calls
	Steps    int // decisions of the planner
	Free     int // pages that were read without a model
	Usage    llm.Usage
}

// Snapshot is the state of a run at one time.
type Snapshot struct {
	Phase          finding.Phase
	Spend          Spend
	Rows           int // in all tables
	Filled, Wanted int // cells of the required fields
	Pages          int // that were read
	Seq            int64
}

// Fold returns the data of a run after the event with the number seq, in the form of
// [Result].Data. It contains what pages stated, merged, without what is added at the
// end of a run. The events must be complete, as a [journal.Journal] stores them. Before
// there is a schema, it returns null. Errors are those of events and [ErrHistory].
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
