// SPDX-License-Identifier: Apache-2.0

package agents

import (
	"context"
	"encoding/json"
	"iter"

	"example.com/curlew/agent/journal"
	"example.com/curlew/job"
)

// Journal stores the events of a run as items of its job. The cost of an item is the
// number of whole credits that the run has spent since the previous item. So the figures
// of the job are always current.
type Journal struct {
	Space job.Space
	Light bool        // no text of a page or a model is stored
	Told  int         // whole credits reported so far
	Open  func() bool // reports whether the run stops here and continues in the next process
}

// Append implements [journal.Journal].
func (j *Journal) Append(ctx context.Context, e journal.Event) error {
	if (e.Kind == journal.EventStopped || e.Kind == journal.EventFinished) && j.Open() {
		return nil
	}
	if j.Light {
		e = e.Light()
	}
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	spent := int(e.Spent.Whole())
	cost := max(0, spent-j.Told)
	// Store the end of a run even if the context has ended.
	if err := j.Space.Append(context.WithoutCancel(ctx), job.Item{Kind: job.Event, Data: data, Cost: cost}); err != nil {
		return err
	}
	j.Told += cost
	return nil
}

// Items reads the stored items of a job. [job.Space] implements it.
type Items interface {
	Items(ctx context.Context, kind job.ItemKind, from, limit int) ([]job.Item, error)
}

// History yields the events of a job.
func History(ctx context.Context, stored Items) iter.Seq2[journal.Event, error] {
	return func(yield func(journal.Event, error) bool) {
		const chunk = 100
		for from := 0; ; from += chunk {
			items, err := stored.Items(ctx, job.Event, from, chunk)
			if err != nil {
				yield(journal.Event{}, err)
				return
			}
			for _, it := range items {
				var e journal.Event
				err := it.Err
				if err == nil {
					err = json.Unmarshal(it.Data, &e)
				}
				if !yield(e, err) || err != nil {
					return
				}
			}
			if len(items) < chunk {
				return
			}
		}
	}
}
