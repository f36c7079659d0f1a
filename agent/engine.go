// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/linkrank"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/llm"
)

// maxPrompt is the maximum length of a prompt in characters.
const maxPrompt = 10_000

// grace is how long work in progress may continue after a stop.
const grace = 10 * time.Second

// job is a task that was checked.
type job struct {
	task    Task
	urls    []string // canonical
	limits  Limits
	rates   llm.Rates
	profile llm.Profile
	outline *outline.Outline // nil if the plan makes one
	scope   linkrank.Scope
	thread  *thread   // what is known from the continued run; nil if there is none
	began   time.Time // when the run began, in its first process
}

// prepare checks a task.
func (e *Engine) prepare(t Task) (*job, error) {
	bad := func(part, text string) error {
		return &Error{Task: t.ID, Part: part, Err: fmt.Errorf("%w: %s", ErrTask, text)}
	}
	switch {
	case e.Model == nil:
		return nil, &Error{Task: t.ID, Err: ErrNoModel}
	case e.Fetch == nil:
		return nil, &Error{Task: t.ID, Err: ErrNoFetcher}
	case strings.TrimSpace(t.Prompt) == "":
		return nil, bad("prompt", "it is blank")
	case utf8.RuneCountInString(t.Prompt) > maxPrompt:
		return nil, bad("prompt", "it is longer than 10,000 characters")
	}
	if err := t.Limits.validate(); err != nil {
		return nil, bad("limits", err.Error())
	}
	j := &job{limits: t.Limits.within(e.Limits), rates: e.Rates.WithDefaults()}
	if t.Earlier != nil {
		var err error
		if j.thread, err = readThread(t.Earlier); err != nil {
			return nil, &Error{Task: t.ID, Part: "earlier", Err: err}
		}
		if len(t.URLs) == 0 {
			t.URLs, t.Strict = j.thread.urls, j.thread.strict
		}
	}
	j.task = t
	if t.Scan != 0 {
		j.rates.Scan = max(t.Scan, 0)
	}
	j.profile = llm.Profile{Plan: t.Model}
	if e.Profiles != nil {
		p, ok := e.Profiles[t.Model]
		if !ok {
			return nil, bad("model", "there is no model of this name")
		}
		j.profile = p
	}
	seen := map[string]bool{}
	for i, raw := range t.URLs {
		c := value.Canonical(raw)
		if c == "" {
			return nil, bad("urls", fmt.Sprintf("number %d is no http(s) URL that can be asked for", i+1))
		}
		if !seen[c] {
			seen[c] = true
			j.urls = append(j.urls, c)
		}
	}
	j.scope = linkrank.NewScope(j.urls, t.Strict)
	if len(t.Schema) > 0 && string(t.Schema) != "null" {
		o, err := outline.New(t.Schema)
		if err != nil {
			return nil, &Error{Task: t.ID, Part: "schema", Err: fmt.Errorf("%w: %w", ErrTask, err)}
		}
		if len(o.Tables) == 0 {
			return nil, bad("schema", "it has no member that could be found")
		}
		j.outline = o
	}
	if len(j.urls) == 0 && e.Search == nil && len(linkrank.PromptURLs(t.Prompt)) == 0 {
		return nil, bad("urls", "there is nothing to visit: no URL is given, and no search is configured")
	}
	return j, nil
}

// Run is a question being answered. Its methods are safe for concurrent use.
type Run struct {
	e   *Engine
	job *job

	*control
	payer   *payer
	gate    *gate
	library *library
	tables  *tables
	reader  *reader
	ahead   *ahead

	// The following fields belong to the goroutine of the run.
	shape     string         // of the answer, as the plan says
	unapplied finding.Reason // replaces done, because parts of the question are not applied; empty if all are

	rest   context.CancelCauseFunc // cancels the work that may continue for a while after a stop
	done   chan struct{}           // closed at the end, after result and err were set
	result *Result
	err    error
}

// isolated reports whether texts of pages must not reach the planner and the search
// provider. This is so if [Engine.Isolate] is set, or if the task has headers, because
// its pages may show what only the sender of the headers may see.
func (r *Run) isolated() bool { return r.e.Isolate || r.job.private() }

// private reports whether pages of the job may show what only the sender of the task's
// headers may see. What is learned from them is not shared with other runs.

func (j *job) private() bool {
	return len(j.task.Headers) > 0 && len(j.urls) > 0 || j.thread != nil && j.thread.private
}

// start begins a run.
func start(ctx context.Context, e *Engine, j *job) (*Run, error) {
	r := &Run{
		e: e, job: j,
		control: newControl(e, &j.task, j.limits.Credits), done: make(chan struct{}),
	}
	accepted := &journal.AcceptedRecord{
		Prompt: j.task.Prompt, URLs: j.urls, Strict: j.task.Strict, Schema: j.task.Schema, Model: j.task.Model,
		Credits: j.limits.Credits, Seed: j.task.Seed, Private: j.private(), Earlier: j.earlier(),
	}
	if j.thread != nil {
		accepted.Left = j.thread.left
	}
	m, err := r.log.recall(j.task.History, accepted)
	if err != nil {
		return nil, &Error{Task: j.task.ID, Part: "history", Err: err}
	}
	if j.thread == nil && len(m.accepted.Earlier) > 0 { // the continued run is no longer stored
		j.thread = &thread{private: m.accepted.Private}
		j.thread.ask(m.accepted.Earlier, m.accepted.Left)
	}
	m.know(j)
	r.payer = newPayer(r.control, e, j.profile, j.rates, j.limits.Tokens, e.Calls, m)
	r.gate = newGate(r.payer, j.scope, e.Admit, &j.task)
	r.library = newLibrary(r.gate, e.Fetch, j.limits.Pages)
	r.tables = newTables(r.library, j.urls, j.outline)
	learned := e.Learned
	if r.job.private() {
		learned = nil
	}
	r.reader = newReader(r.payer, r.library, r.tables, newLearner(learned), &j.task, e.Loose)
	r.reader.earlier = j.earlier()
	r.ahead = newAhead(r.payer, atLeast(e.Fetches, 8))
	began := m.began
	if began.IsZero() {
		began = time.Now()
	}
	ctx, r.cancel = context.WithCancelCause(ctx)
	var work context.Context
	work, r.rest = context.WithCancelCause(ctx)
	r.job.began = began
	go r.run(ctx, work, accepted)
	return r, nil
}

func atLeast(n, standard int) int {
	if n <= 0 {
		return standard
	}
	return n
}

// Snapshot returns the state of the run.
func (r *Run) Snapshot() Snapshot {
	s := Snapshot{Phase: r.now(), Spend: r.payer.spent(), Pages: len(r.library.read())}
	s.Rows, s.Filled, s.Wanted = r.tables.counts()
	r.log.mu.Lock()
	s.Seq = r.log.seq
	r.log.mu.Unlock()
	return s
}

// Events yields the events of the run, beginning with the first, without their large
// members. It waits for further events until the run or ctx ends.
func (r *Run) Events(ctx context.Context) iter.Seq[journal.Event] { return r.log.all(ctx) }

// Stop ends the search. The result is made from what was found, and Wait returns it.
// Stop returns at once, and may be called more than once.
func (r *Run) Stop() { r.halt(finding.ReasonStopped) }

// Wait waits for the end of the run or of ctx. When the run has ended, the result is
// not nil. It contains what was found and, also after an error, what was spent. The
// error wraps ctx's cause if the run was cancelled, [ErrBudget] or [llm.ErrProvider] if
// nothing was found, [ErrScope], or the error of the journal. The issues of the result then
// say more, such as the words of the provider.
func (r *Run) Wait(ctx context.Context) (*Result, error) {
	select {
	case <-r.done:
		return r.result, r.err
	default:
	}
	select {
	case <-r.done:
		return r.result, r.err
	case <-ctx.Done():
		select {
		case <-r.done: // both have ended
			return r.result, r.err
		default:
		}
		return nil, context.Cause(ctx)
	}
}
