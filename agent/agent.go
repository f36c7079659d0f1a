// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"encoding/json"
	"iter"
	"log/slog"
	"time"

	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/llm"
)

// Engine answers questions. Model and Fetch are required. It is set before the
// first run, not changed afterwards, not copied, and serves any number of runs
// at once.
type Engine struct {
	Model    llm.Model
	Fetch    Fetcher
	Search   Searcher               // nil: no search action
	Map      Mapper                 // nil: no map action
	Admit    Admit                  // nil: only the scope decides
	Profiles map[string]llm.Profile // by the name a task asks for; nil: the name is the provider's
	Rates    llm.Rates
	Limits   Limits       // what a task's zeros mean, and its most
	Fetches  int          // pages at once per run; zero means 8
	Calls    int          // model calls at once per run, four times as many per Engine; zero means 8
	Learned  *Wrappers    // nil: wrappers die with their run
	Isolate  bool         // planner sees no string of a page
	Loose    bool         // keep unsupported values
	Trace    *Trace       // nil is silent
	Logger   *slog.Logger // an outage, a broken Fetcher, a journal that fails; nil is silent

	calls pool
}

// Trace is told what happens. Its funcs may be nil, are called by several
// goroutines at once, and must not block nor ask the [Run] that they are told of.
type Trace struct {
	Called func(task string, c CallTrace)
	Event  func(task string, e journal.Event)
}

// JoinTraces returns a trace that calls each of traces in their order. Nil traces
// and nil funcs are left out. It returns nil if all traces are nil.
func JoinTraces(traces ...*Trace) *Trace {
	var joined *Trace
	for _, t := range traces {
		switch {
		case t == nil:
		case joined == nil:
			joined = new(*t)
		default:
			joined.Called = both(joined.Called, t.Called)
			joined.Event = both(joined.Event, t.Event)
		}
	}
	return joined
}

// both returns a func that calls a and then b, either of which may be nil.
func both[T any](a, b func(string, T)) func(string, T) {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return func(task string, v T) {
		a(task, v)
		b(task, v)
	}
}

// CallTrace is one model call.
type CallTrace struct {
	ID       string
	Role     llm.Role
	Model    string
	Level    string
	Finish   string
	Usage    llm.Usage
	Spent    Credits
	Overrun  Credits
	Duration time.Duration
	Err      error
}

// Task is one question.
type Task struct {
	ID     string          // empty: events and errors carry none
	Prompt string          // at most 10,000 characters, not blank
	URLs   []string        // where to look: their hosts, or with Strict exactly they
	Strict bool            // no page but URLs; no effect without
	Schema json.RawMessage // JSON Schema of Data, or an example of it; empty: the plan makes one
	Model  string          // of Engine.Profiles; empty: the name "" of the table
	Limits Limits          // zeros mean Engine.Limits, and no more counts than those allow

	Policy  any                             // handed to Admit
	Scan    Credits                         // most that one Admit charges; zero means Rates.Scan, -1 nothing
	Cleared map[string]Credits              // URLs admitted before the start, and what that cost
	Labels  map[string]string               // events only
	Headers map[string]string               // sent to the hosts of URLs only, never shown to a model; implies Isolate
	Journal journal.Journal                 // nil: no resume
	History iter.Seq2[journal.Event, error] // journal to resume from; nil: a new run
	Seed    uint64                          // of nonces and samples
}

// Check reports why Start would refuse t: [ErrNoModel], [ErrNoFetcher] or
// [ErrTask]. It asks nobody and costs nothing.
func (e *Engine) Check(t Task) error {
	_, err := e.prepare(t)
	return err
}

// Start begins to answer t. The end of ctx cancels the run. Errors are those
// of [Engine.Check], what reading Task.History fails with, and [ErrHistory].
func (e *Engine) Start(ctx context.Context, t Task) (*Run, error) {
	j, err := e.prepare(t)
	if err != nil {
		return nil, err
	}
	return start(ctx, e, j)
}

// Run answers t: Start and Wait.
func (e *Engine) Run(ctx context.Context, t Task) (*Result, error) {
	r, err := e.Start(ctx, t)
	if err != nil {
		return nil, err
	}
	return r.Wait(ctx)
}
