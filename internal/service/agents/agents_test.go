// SPDX-License-Identifier: Apache-2.0

package agents_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"example.com/curlew/agent"
	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/llm"
	"example.com/curlew/internal/service/agents"
	"example.com/curlew/job"
	"example.com/curlew/threat"
)

// space stores items in memory.
type space struct {
	job.Space
	items []job.Item
}

func (s *space) Append(_ context.Context, items ...job.Item) error {
	s.items = append(s.items, items...)
	return nil
}

func (s *space) Items(_ context.Context, _ job.ItemKind, from, most int) ([]job.Item, error) {
	all := s.items[min(from, len(s.items)):]
	return all[:min(most, len(all))], nil
}

// TestJournal charges whole credits once, and leaves out the end of a run that
// continues in the next process.
func TestJournal(t *testing.T) {
	s, open := new(space), true
	j := &agents.Journal{Space: s, Told: 1, Open: func() bool { return open }}
	for _, e := range []journal.Event{
		{Seq: 1, Spent: llm.Credit},
		{Seq: 2, Spent: 2*llm.Credit + llm.Credit/2},
		{Seq: 3, Spent: 4 * llm.Credit},
		{Seq: 4, Kind: journal.EventStopped},
		{Seq: 5, Kind: journal.EventFinished},
	} {
		if err := j.Append(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	total := 1
	for _, it := range s.items {
		total += it.Cost
	}
	if len(s.items) != 3 || total != 4 {
		t.Errorf("%d events with %d credits, want 3 with 4", len(s.items), total)
	}
	open = false
	if err := j.Append(t.Context(), journal.Event{Seq: 4, Kind: journal.EventFinished, Spent: 4 * llm.Credit}); err != nil || s.items[3].Cost != 0 {
		t.Errorf("%+v, %v", s.items[3], err)
	}
	var seen []int64
	for e, err := range agents.History(t.Context(), s) {
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, e.Seq)
	}
	if len(seen) != 4 || seen[3] != 4 {
		t.Errorf("%v", seen)
	}
	s.items = append(s.items, job.Item{Data: json.RawMessage("{")}, job.Item{Data: json.RawMessage("{}")})
	n, faults := 0, 0
	for _, err := range agents.History(t.Context(), s) {
		if n++; err != nil {
			faults++
		}
	}
	if n != 5 || faults != 1 {
		t.Errorf("read %d events with %d faults, want that the first fault ends the history", n, faults)
	}
}

// TestAdmit asks the gate of a task.
func TestAdmit(t *testing.T) {
	rules, err := threat.Compile(threat.Policy{Mode: threat.Normal, Blacklist: []string{"bad.test"}, Failure: threat.Open})
	if err != nil {
		t.Fatal(err)
	}
	task := &agent.Task{Policy: &threat.Gate{Rules: rules}}
	if _, err := agents.Admit(t.Context(), task, "http://bad.test/"); !errors.Is(err, threat.ErrBlocked) {
		t.Errorf("%v", err)
	}
	if n, err := agents.Admit(t.Context(), task, "http://a.test/"); n != 0 || err != nil {
		t.Errorf("%v, %v", n, err)
	}
	if n, err := agents.Admit(t.Context(), new(agent.Task), "http://bad.test/"); n != 0 || err != nil {
		t.Errorf("without a gate: %v, %v", n, err)
	}
}
