// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sort"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/budget"
	"example.com/curlew/agent/internal/merge"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/llm"
)

// run answers the question in the goroutine of the run. Pages are fetched and read with
// the context work, which ends some time after a stop.
func (r *Run) run(ctx, work context.Context, accepted *journal.AcceptedRecord) {
	var watch sync.WaitGroup
	ended := make(chan struct{})
	watch.Go(func() { r.watch(ended) })
	var err error
	r.result, err = guarded(r.control, "run", func() (*Result, error) {
		if err := r.search(ctx, work, accepted); err != nil {
			return nil, err
		}
		return r.land(ctx)
	})
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if fault := r.fault(); fault != nil {
		err = fault
	}
	close(ended)
	r.rest(ErrStopped)
	watch.Wait()
	r.end(ctx, err)
}

// watch halts the run at its time limit, and cancels work in progress some time after a
// halt.
func (r *Run) watch(ended <-chan struct{}) {
	var wall <-chan time.Time
	if r.job.limits.Wall != Unlimited {
		t := time.NewTimer(r.job.limits.Wall - time.Since(r.job.began))
		defer t.Stop()
		wall = t.C
	}
	select {
	case <-ended:
		return
	case <-wall:
		r.halt(finding.ReasonWall)
	case <-r.halted:
	}
	t := time.NewTimer(grace)
	defer t.Stop()
	select {
	case <-ended:
	case <-t.C:
		r.rest(ErrStopped)
	}
}

// search reads pages: all URLs without decisions if possible, or else by the loop.
func (r *Run) search(ctx, work context.Context, accepted *journal.AcceptedRecord) error {
	if err := r.emit(ctx, journal.Event{Kind: journal.EventAccepted, Key: "accepted", Accepted: accepted}); err != nil {
		return err
	}
	if err := r.payer.settle(ctx); err != nil {
		return err
	}
	if r.tables.outline != nil {
		for _, text := range r.tables.outline.Warnings {
			r.note(ctx, finding.Issue{Kind: finding.IssueSchema, Detail: text})
		}
	}
	for _, issue := range r.job.thread.forgotten() {
		r.note(ctx, issue)
	}
	if r.job.limits.Credits != Unlimited && r.budget.Total() > r.budget.Ceiling {
		r.halt(finding.ReasonCredits)
		return nil
	}
	return r.gather(ctx, work)
}

// fast reads all URLs without decisions.
func (r *Run) fast(ctx, work context.Context) error {
	targets := make([]target, len(r.job.urls))
	for i, u := range r.job.urls {
		targets[i] = target{url: u, tables: r.tables.outline.Readable()}
	}
	r.readAll(work, targets)
	r.tables.tally()
	return context.Cause(ctx)
}

// estimate returns what reading so many pages may cost: a page and a short reading
// each.
func (r *Run) estimate(pages int) Credits {
	one := r.payer.rates.Page + r.payer.price.Of(llm.Usage{Input: 5000, Output: 200})
	if r.e.Admit != nil {
		one += r.payer.rates.Scan
	}
	return min(one*Credits(pages), r.budget.Ceiling)
}

// land makes the result from what was found.
func (r *Run) land(ctx context.Context) (*Result, error) {
	if err := r.enter(ctx, finding.PhaseFinish); err != nil {
		return nil, err
	}
	r.budget.Land()
	result := &Result{Prompts: protocol.PromptsHash()}
	tables := owned(r.tables.tally())
	short := append(r.tables.short(tables), r.library.severed(r.job.thread)...) // of all rows, whatever the question asks
	missed := r.tables.misses(tables)
	decided := r.polish(ctx, tables)
	o := r.tables.outline
	reason := cmp.Or(r.why(), r.tables.ending())
	if o != nil {
		a := &merge.Assembly{Outline: o, Tables: tables}
		var data any
		data, result.Valid, result.Fields = a.Build()
		result.Data, result.Schema = merge.Encode(data), o.Schema
		result.Found = len(result.Fields) > 0
		result.Issues = append(a.Issues, short...)
	}
	if whole := reason == finding.ReasonDone || reason == finding.ReasonDry; whole && (result.Found || r.unapplied == finding.ReasonCredits) {
		reason = cmp.Or(r.unapplied, reason) // the answer may contain rows that do not belong to it, or more credits would find more
	}
	if reason == finding.ReasonDone && (len(short) > 0 || missed || !decided || r.reader.dropped.rows.Load() || r.reader.dropped.leaves(o, tables) || o != nil && selection{r.tables, r.shape}.illegible(tables)) {
		reason = finding.ReasonDry // rows or values are known to exist, or to be possible, that the answer does not have
	}
	result.Stop = reason
	result.Partial = reason != finding.ReasonDone && reason != finding.ReasonDry
	found := r.notes()
	for _, p := range r.library.read() {
		result.Sources = append(result.Sources, finding.Source{ID: p.Rec.ID, URL: cmp.Or(p.Rec.Final, p.Rec.URL), Title: p.Rec.Title, SHA256: p.Rec.Digest, At: p.At})
	}
	sort.SliceStable(found, func(i, j int) bool {
		a, b := found[i], found[j]
		return cmp.Or(merge.CompareIDs(a.Source, b.Source), cmp.Compare(a.URL, b.URL), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Detail, b.Detail)) < 0
	})
	result.Issues = append(append(found, result.Issues...), r.cut()...)
	if !result.Found {
		switch {
		case reason == finding.ReasonProvider, r.payer.silent():
			result.Stop, result.Partial = finding.ReasonProvider, true
			return result, &Error{Task: r.job.task.ID, Part: "model", Err: llm.ErrProvider}
		case reason == finding.ReasonCredits:
			return result, &Error{Task: r.job.task.ID, Err: ErrBudget}
		}
		if len(result.Issues) == 0 {
			result.Issues = []finding.Issue{{Kind: finding.IssueMissing, Detail: "no page that was read states what the task asks for"}}
		}
	}
	return result, nil
}

// limited names the limit that ended a run.
var limited = map[finding.Reason]string{
	finding.ReasonCredits: "the credits do not allow to go on",
	finding.ReasonWall:    "the time is up",
	finding.ReasonPages:   "the limit of pages is reached",
	finding.ReasonTokens:  "the limit of tokens is reached",
	finding.ReasonSteps:   "the limit of decisions is reached",
	finding.ReasonStopped: "the run was stopped",
}

// cut returns issues about what the limit that ended the run means for the answer.
func (r *Run) cut() []finding.Issue {
	text, ok := limited[r.why()]
	if !ok {
		return nil
	}
	text += " before the answer is known to be complete"
	unread := 0
	for _, u := range r.job.urls {
		if r.library.at(u) == nil {
			unread++
		}
	}
	if unread > 0 {
		text += fmt.Sprintf("; %d of %d given pages were not read", unread, len(r.job.urls))
	}
	if (selection{r.tables, r.shape}).ranks() {
		text += "; it is chosen from, or counts, only what was found by then"
	}
	return []finding.Issue{{Kind: finding.IssueLimit, Detail: text}}
}

// polish asks the last questions. If the caller or the time limit has ended the run,
// they have as much time as the calls that were in progress. It reports whether each row
// certainly belongs to the answer or certainly does not, and the texts about them were written.
func (r *Run) polish(ctx context.Context, tables map[string][]merge.Merged) (decided bool) {
	reason := r.why()
	if reason == finding.ReasonStopped || reason == finding.ReasonWall {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, grace, ErrStopped)
		defer cancel()
	}
	r.verify(ctx, tables)
	if r.tables.outline == nil {
		return true
	}
	r.tables.outline.Complete()
	unasked := slices.Concat(r.tables.hops.unasked(r.tables.outline, tables), r.tables.hops.unanswered(r.tables.outline, tables))
	answer := selection{r.tables, r.shape}
	none := answer.nothing(tables)
	doubts, certain := doubts(r.tables, r.job.task.Prompt, tables) // of the rows that are left out, too
	open := answer.chosen(tables)
	for _, issue := range slices.Concat(unasked, none, open, r.tables.uneven(), doubts) {
		r.note(ctx, issue)
	}
	answer.draw(tables)
	written := r.synthesize(ctx, tables)
	return len(open) == 0 && certain && written
}

// failure returns a few words about why a run failed, or "" if it did not. They contain
// no text from outside.
func failure(err error) string {
	if err == nil {
		return ""
	}
	for _, known := range []error{ErrBudget, llm.ErrProvider, ErrScope} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return "the run was cut off"
}

// end closes the run.
func (r *Run) end(ctx context.Context, err error) {
	result := r.result
	if result == nil {
		result = &Result{Prompts: protocol.PromptsHash()}
	}
	if err != nil {
		result.Data, result.Fields, result.Valid, result.Found = nil, nil, false, false
		if ctx.Err() != nil && r.fault() == nil { // fail cancels ctx too
			result.Stop, result.Partial = finding.ReasonCancelled, true
		}
	}
	if result.Stop != "" {
		_ = r.log.emit(ctx, journal.Event{Kind: journal.EventStopped, Key: "stopped", Stop: result.Stop}) // err already contains an error of the journal
	}
	if fault := r.log.emit(ctx, journal.Event{Kind: journal.EventFinished, Key: "finished", Stop: result.Stop, Result: result.Data, Note: failure(err)}); fault != nil && err == nil {
		err = fault
		result.Data, result.Fields = nil, nil
	}
	r.close()
	result.Spend = r.payer.spent()
	r.cancel(nil)
	r.log.end()
	r.result, r.err = result, err
	if err != nil {
		if _, ok := errors.AsType[*Error](err); !ok {
			r.err = &Error{Task: r.job.task.ID, Err: err}
		}
	}
	close(r.done)
}

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

// failed logs why a search or a map failed, and returns what the caller may know of it.
func (c *control) failed(what string, err error) string {
	if c.logger != nil {
		c.logger.Warn("agent's "+what+" failed", "task", c.task, "err", err)
	}
	var say interface{ Reason() string }
	if errors.As(err, &say) && say.Reason() != "" {
		return ": " + value.Clip(say.Reason(), 200)
	}
	return ""
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
