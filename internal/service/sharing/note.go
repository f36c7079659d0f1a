// SPDX-License-Identifier: Apache-2.0

package sharing

import (
	"context"
	"encoding/json"

	"example.com/curlew/audit"
)

// Note is an audit event that travels with the result of a task to the process which holds
// the job.
type Note struct{ event *audit.Event }

type noteKey struct{}

// Noted returns a ctx with which [Notes] keeps the event in the note.
func Noted(ctx context.Context) (context.Context, *Note) {
	n := new(Note)
	return context.WithValue(ctx, noteKey{}, n), n
}

// Encode returns the note as bytes, or nil if there is no event.
func (n *Note) Encode() []byte {
	if n.event == nil {
		return nil
	}
	b, err := json.Marshal(n.event)
	if err != nil {
		return nil
	}
	return b
}

// Event returns the event of a note that was encoded. It returns false if there is none, or
// if the note is damaged.
func Event(note []byte) (e audit.Event, ok bool) {
	if len(note) == 0 || json.Unmarshal(note, &e) != nil {
		return audit.Event{}, false
	}
	return e, true
}

// Notes is an [audit.Sink] that keeps the event of a task in the [Note] of its context.
type Notes struct{}

// Write implements [audit.Sink].
func (Notes) Write(ctx context.Context, events []audit.Event) error {
	if n, ok := ctx.Value(noteKey{}).(*Note); ok && len(events) > 0 {
		n.event = &events[0]
	}
	return nil
}
