// SPDX-License-Identifier: Apache-2.0

package agenttest

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"sync"

	"example.com/curlew/agent/journal"
)

// Journal is a [journal.Journal] in memory. It stores events in the form in which they
// would be written to a file. The zero value is empty. It is safe for concurrent use.
type Journal struct {
	mu     sync.Mutex
	events []journal.Event
}

// NewJournal returns a journal with events.
func NewJournal(events []journal.Event) *Journal { return &Journal{events: slices.Clone(events)} }

// Append implements [journal.Journal].
func (j *Journal) Append(_ context.Context, e journal.Event) error {
	raw, err := json.Marshal(e)
	if err != nil {
		return err
	}
	var own journal.Event
	if err := json.Unmarshal(raw, &own); err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.events = append(j.events, own)
	return nil
}

// Events returns the events so far.
func (j *Journal) Events() []journal.Event {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.events)
}

// History yields the events so far, for a task.
func (j *Journal) History() iter.Seq2[journal.Event, error] {
	events := j.Events()
	return func(yield func(journal.Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}
