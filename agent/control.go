// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/budget"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/journal"
)

// control knows the phase of a run and why it ends. The first reason and the first
// fault count. After one, no new work begins.
type control struct {
	task   string       // its ID
	logger *slog.Logger // nil discards everything
	log    *log
	budget *budget.Budget
	cancel context.CancelCauseFunc // cancels the run
	halted chan struct{}           // closed by halt
	out    atomic.Bool             // the provider is not available

	mu     sync.Mutex     // guards the fields below
	reason finding.Reason // the first argument of halt
	fatal  error          // the first argument of fail
	phase  finding.Phase
	issues []finding.Issue
	unsaid int // number of issues that were dropped because of maxIssues
}

// maxIssues is the maximum number of issues of a run.
const maxIssues = 1000

func newControl(e *Engine, t *Task, ceiling Credits) *control {
	c := &control{
		task: t.ID, logger: e.Logger, budget: budget.New(ceiling), cancel: func(error) {}, halted: make(chan struct{}),
		log: &log{journal: t.Journal, task: t.ID, known: map[string]bool{}, wake: make(chan struct{})},
	}
	if e.Trace != nil {
		c.log.trace = e.Trace.Event
	}
	return c
}

// halt ends the search for a reason. No new page and no new decision begins. Work in
// progress may continue for ten seconds.
func (c *control) halt(why finding.Reason) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reason != "" {
		return
	}
	c.reason = why
	close(c.halted)
	c.budget.Close()
}

// why returns the reason of halt, or "" if the search was not halted.
func (c *control) why() finding.Reason {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reason
}

// fault returns the error of fail, or nil if nothing has failed.
func (c *control) fault() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fatal
}

// notes returns the issues so far.
func (c *control) notes() []finding.Issue {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := slices.Clone(c.issues)
	if c.unsaid > 0 {
		all = append(all, finding.Issue{Kind: finding.IssueLimit, Detail: strconv.Itoa(c.unsaid) + " more issues are not listed"})
	}
	return all
}

// now returns the phase of the run.
func (c *control) now() finding.Phase {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.phase
}

// close ends the last phase.
func (c *control) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.phase = finding.PhaseEnd
}

// stopping reports whether the search has ended.
func (c *control) stopping() bool {
	select {
	case <-c.halted:
		return true
	default:
		return false
	}
}

// fail ends the run with an internal error.
func (c *control) fail(err error) {
	c.mu.Lock()
	first := c.fatal == nil
	if first {
		c.fatal = err
	}
	c.mu.Unlock()
	if first && c.logger != nil {
		c.logger.Error("agent run failed", "task", c.task, "err", err)
	}
	c.cancel(err)
}

// outage ends all calls of the model.
func (c *control) outage(detail string) {
	if c.out.CompareAndSwap(false, true) {
		c.mu.Lock()
		c.issues = append(c.issues, finding.Issue{Kind: finding.IssueProvider, Detail: "the model's provider failed: " + detail})
		c.mu.Unlock()
		if c.logger != nil {
			c.logger.Warn("agent's model is out", "task", c.task, "detail", detail)
		}
	}
	c.halt(finding.ReasonProvider)
}

// emit records an event. If that fails, the run ends.
func (c *control) emit(ctx context.Context, e journal.Event) error {
	err := c.log.emit(ctx, e)
	if err != nil {
		c.fail(err)
	}
	return err
}

// note adds an issue.
func (c *control) note(ctx context.Context, i finding.Issue) {
	i.Detail = value.Clip(i.Detail, 500)
	c.mu.Lock()
	if len(c.issues) >= maxIssues {
		c.unsaid++
		c.mu.Unlock()
		return
	}
	c.issues = append(c.issues, i)
	c.mu.Unlock()
	_ = c.emit(ctx, journal.Event{Kind: journal.EventIssue, Key: value.CallID("issue", string(i.Kind), i.Source, i.URL, i.Pointer, i.Detail), Issue: &i}) // if it failed, fail has ended the run
}

// enter begins a phase.
func (c *control) enter(ctx context.Context, p finding.Phase) error {
	c.mu.Lock()
	c.phase = p
	c.mu.Unlock()
	return c.emit(ctx, journal.Event{Kind: journal.EventPhase, Key: "phase " + string(p), Phase: p})
}

// guarded calls code of the embedding program, or a reader of untrusted bytes. A panic
// in it becomes its error, and ends neither the run nor the process.
func guarded[T any](c *control, what string, call func() (T, error)) (v T, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = c.panicked(what, panicked)
		}
	}()
	return call()
}

// panicked logs a panic and returns it as an error that contains no text of it.
func (c *control) panicked(what string, v any) error {
	if c.logger != nil {
		c.logger.Error("agent panicked", "task", c.task, "in", what, "panic", v, "stack", string(debug.Stack()))
	}
	return fmt.Errorf("panic in %s", what)
}
