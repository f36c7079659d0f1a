// SPDX-License-Identifier: Apache-2.0

// Package stored reads the items of a job for its caller. A damaged item never ends a list:
// it is reported in its place.
package stored

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"

	"example.com/curlew/agent"
	"example.com/curlew/agent/journal"
	"example.com/curlew/internal/service/recrawl"
	"example.com/curlew/job"
)

// Chunk is how many items are read at once, unless they are large.
const Chunk = 50

// Items reads the stored items of a job. [job.Space] implements it.
type Items interface {
	Items(ctx context.Context, kind job.ItemKind, from, limit int) ([]job.Item, error)
}

// All yields the items of a kind, starting with index from. It reads chunk of them at once.
// If they cannot be read, the last pair is an error.
func All(ctx context.Context, j Items, kind job.ItemKind, from, chunk int) iter.Seq2[job.Item, error] {
	return func(yield func(job.Item, error) bool) {
		for {
			items, err := j.Items(ctx, kind, from, chunk)
			if err != nil {
				yield(job.Item{}, err)
				return
			}
			for _, it := range items {
				if !yield(it, nil) {
					return
				}
			}
			if from += len(items); len(items) == 0 {
				return
			}
		}
	}
}

// Values yields what read makes of each item. An error of items is the last value, an
// error of read is not.
func Values[T any](items iter.Seq2[job.Item, error], read func(job.Item) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for it, err := range items {
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			if !yield(read(it)) {
				return
			}
		}
	}
}

// Read reads an item whose data are JSON, without the record that a crawl keeps with a
// document. If the item is damaged, Read returns its error.
func Read[T any](it job.Item) (*T, error) {
	if it.Err != nil {
		return nil, it.Err
	}
	v := new(T)
	return v, json.Unmarshal(recrawl.Document(it.Data), v)
}

// Document returns a stored document. If it is damaged, Document returns one that reports
// the damage.
func Document(it job.Item) json.RawMessage { return intact(it, recrawl.Document) }

// Described is like Document, and adds the members of [recrawl.Described].
func Described(it job.Item) json.RawMessage { return intact(it, recrawl.Described) }

func intact(it job.Item, read func(data []byte) json.RawMessage) json.RawMessage {
	if it.Err != nil {
		return json.RawMessage(`{"warning":"This document was damaged in storage.","metadata":{}}`)
	}
	return read(it.Data)
}

// Documents returns documents of a job, starting with index from: at most limit documents
// and at most maxBytes bytes, but at least one document if there is one.
func Documents(ctx context.Context, j Items, from, limit, maxBytes int) ([]json.RawMessage, error) {
	const chunk = 25 // few, because documents beyond maxBytes are read in vain
	docs := []json.RawMessage{}
	size := 0
	for len(docs) < limit {
		items, err := j.Items(ctx, job.Result, from+len(docs), min(chunk, limit-len(docs)))
		if err != nil {
			return nil, err
		}
		for _, it := range items {
			doc := Document(it)
			if size += len(doc); size > maxBytes && len(docs) > 0 {
				return docs, nil
			}
			docs = append(docs, doc)
		}
		if len(items) == 0 {
			break
		}
	}
	return docs, nil
}

// Archive yields info and then the archived requests of a job. For a damaged one it yields an
// error that wraps [job.ErrCorrupt], and then continues.
func Archive(ctx context.Context, j Items, info []byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if !yield(info, nil) {
			return
		}
		for it, err := range All(ctx, j, job.Exchange, 0, 1) { // each can have tens of megabytes
			if !yield(it.Data, cmp.Or(err, it.Err)) {
				return
			}
		}
	}
}

// Events returns events of an agent, starting with index from, and the number of items that
// it has read. Damaged items count, but give no event.
func Events(ctx context.Context, j Items, from int) ([]journal.Event, int, error) {
	items, err := j.Items(ctx, job.Event, from, Chunk)
	if err != nil {
		return nil, 0, err
	}
	var events []journal.Event
	for _, it := range items {
		if e, err := Read[journal.Event](it); err == nil {
			events = append(events, *e)
		}
	}
	return events, len(items), nil
}

// Snapshot returns the merged data of an agent at the time of the event seq. If there is no
// such event, found is false. Damaged events are skipped.
func Snapshot(ctx context.Context, j Items, seq int64) (data json.RawMessage, found bool, err error) {
	data, err = agent.Fold(func(yield func(journal.Event, error) bool) {
		for it, err := range All(ctx, j, job.Event, 0, Chunk) {
			if err != nil {
				yield(journal.Event{}, err)
				return
			}
			e, damaged := Read[journal.Event](it)
			if damaged != nil {
				continue
			}
			found = found || e.Seq == seq
			if !yield(*e, nil) {
				return
			}
		}
	}, seq)
	return data, found, err
}
