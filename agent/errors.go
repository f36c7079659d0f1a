// SPDX-License-Identifier: Apache-2.0

package agent

import "errors"

// Why a run is refused or fails.
var (
	ErrNoModel   = errors.New("no model is configured")
	ErrNoFetcher = errors.New("no fetcher is configured")
	ErrTask      = errors.New("task is not valid")           // the caller's fault
	ErrBudget    = errors.New("max credits exceeded")        // and nothing was found
	ErrScope     = errors.New("request outside the scope")   // a gate's refusal, or a broken Fetcher
	ErrHistory   = errors.New("journal is not of this task") // resume
	ErrStopped   = errors.New("run was stopped")
	ErrReply     = errors.New("model reply cannot be used") // Writer, Planner: after the second
)

// Error says which part of a run failed.
type Error struct {
	Task string // id of the task; may be empty
	Part string // prompt, urls, schema, model, limits, history, journal, page, plan ...
	Err  error  // wraps a sentinel of this package or ctx's cause
}

// Error returns the room, the task, the part and the cause.
func (e *Error) Error() string {
	text := "agent"
	if e.Task != "" {
		text += " " + e.Task
	}
	if e.Part != "" {
		text += ": " + e.Part
	}
	return text + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
