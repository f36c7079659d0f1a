// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
)

// Run is a question being answered. Its methods are safe for concurrent use.
type Run struct{ done chan struct{} }

// Wrappers are what was learned of templates of pages, shared between runs.
// The zero value is ready to use.
type Wrappers struct{}

type pool struct{}

type job struct{}

func (e *Engine) prepare(Task) (*job, error) { return nil, ErrNoModel }

func start(context.Context, *Engine, *job) (*Run, error) { return nil, errors.ErrUnsupported }

// Snapshot returns the state of the run.
func (r *Run) Snapshot() Snapshot { return Snapshot{} }

// Events yields the run's events from the first, and waits for further ones
// until the run or ctx ends.
func (r *Run) Events(ctx context.Context) iter.Seq[Event] { return func(func(Event) bool) {} }

// Stop ends the search: what is known is landed, and Wait returns it. Stop
// returns at once, and may be called more than once.
func (r *Run) Stop() {}

// Wait waits for the end of the run or of ctx. The result holds what was found;
// it is not nil once the run has ended. The error wraps ctx's cause where the
// run was cancelled, [ErrBudget] or [ErrProvider] where nothing was found,
// [ErrScope], or what the journal failed with.
func (r *Run) Wait(ctx context.Context) (*Result, error) { return nil, nil }

// Writer makes the forms of a page that need a model. It meets format.Writer.
// Model is required.
type Writer struct {
	Model   Model
	Profile Profile
	Rates   Rates
	Spent   func(ctx context.Context, c Credits, u Usage) // told of every call; may be nil
}

// Write answers task from text, which may be long, with a value that fits
// schema.
func (w *Writer) Write(ctx context.Context, task, text string, schema json.RawMessage) (json.RawMessage, error) {
	return nil, ErrNoModel
}

// Planner turns a wish into crawl options. Model is required.
type Planner struct {
	Model   Model
	Profile Profile
	Rates   Rates
	Spent   func(ctx context.Context, c Credits, u Usage) // told of every call; may be nil
}

// CrawlPlan is what a wish comes to: options by their wire names, and why some
// of what the model said was dropped.
type CrawlPlan struct {
	Options  json.RawMessage // an object
	Warnings []string
}

// Plan returns options for a crawl of site, of which sample holds up to 120
// URLs.
func (p *Planner) Plan(ctx context.Context, prompt, site string, sample []string) (*CrawlPlan, error) {
	return nil, ErrNoModel
}
