// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"errors"
	"slices"
	"strings"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/budget"
	"example.com/curlew/agent/internal/filter"
	"example.com/curlew/agent/internal/linkrank"
	"example.com/curlew/agent/internal/merge"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/llm"
)

// loop gathers by plan and decisions. It is run by the run's own goroutine,
// which alone uses what is in it.
type loop struct {
	r        *Run
	f        *linkrank.Frontier
	step     int
	done     map[string]bool // actions by hash
	last     []any           // for the next prompt: ActedRecord, string
	refused  bool            // finish was, once
	fresh    int             // handles since the last check
	quiet    int             // decisions in a row that led nowhere
	fault    error           // of the last decision; nil: none
	folded   map[int]bool    // pages by number
	dry      int             // pages in a row that gave nothing
	finished bool
	novelty  *novelty
	state    [3]int // rows, cells, pages after the last batch
}

// gather plans, and reads what the plan says: all URLs if they are all that may be
// read, or if there are few and the answer is one record; else by decisions.
func (r *Run) gather(ctx, work context.Context) error {
	l := &loop{r: r, f: linkrank.New(), done: map[string]bool{}, folded: map[int]bool{}}
	if err := r.enter(ctx, finding.PhasePlan); err != nil {
		return err
	}
	l.f.Want(r.task.Prompt)
	for _, u := range slices.Concat(r.urls, linkrank.PromptURLs(r.task.Prompt)) {
		if r.gate.scope.Allows(u) {
			if s, _ := l.f.Add(u, "", 0, 0); s != nil {
				s.Seed = true
			}
		}
	}
	given := r.tables.outline != nil // the plan may add to it
	plan, err := l.plan(ctx, work)
	if err != nil || r.stopping() {
		return l.over(ctx, err)
	}
	r.shape = plan.Shape
	l.novelty = newNovelty(r.tables)
	if err := r.enter(ctx, finding.PhaseWork); err != nil {
		return err
	}
	all := given && r.task.Strict && len(r.urls) > 0
	if all || given && len(r.urls) > 0 && len(r.urls) <= 5 && len(r.tables.outline.Tables) == 1 && r.tables.outline.Tables[0].Record() {
		if err := r.fast(ctx, work); err != nil || r.stopping() || all || r.tables.filledUp() {
			return err
		}
		for _, p := range r.library.all() {
			if p != nil {
				l.f.Result(p.Rec.URL, p.Rows)
				l.foldPage(p)
			}
		}
	}
	return l.run(ctx, work, plan)
}

// run gathers by decisions.
func (l *loop) run(ctx, work context.Context, plan protocol.PlanReply) error {
	r := l.r
	opening := l.opening(plan)
	if err := r.emit(ctx, journal.Event{Kind: journal.EventDecided, Key: "step 0", Decided: &journal.DecidedRecord{Actions: opening}}); err != nil {
		return err
	}
	l.act(ctx, work, opening)
	for ctx.Err() == nil && !r.stopping() {
		if l.enough() {
			if l.fault != nil {
				r.note(ctx, finding.Issue{Kind: finding.IssueProvider, Detail: because("the model gave no decision that could be used", l.fault)})
			}
			break
		}
		actions, err := l.decide(ctx, work)
		if err != nil {
			return l.over(ctx, err)
		}
		l.act(ctx, work, actions)
		if l.finished {
			r.halt(finding.ReasonDone)
			break
		}
	}
	return context.Cause(ctx)
}

// over returns what an error of a call means for the run.
func (l *loop) over(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, budget.ErrBroke):
		l.r.halt(finding.ReasonCredits)
	case errors.Is(err, llm.ErrProvider), errors.Is(err, ErrStopped), err == nil:
	case errors.Is(err, errModel):
		l.r.note(ctx, finding.Issue{Kind: finding.IssueProvider, Detail: because("the model gave no plan that could be used", err)})
		l.r.halt(finding.ReasonStalled)
	default:
		return err
	}
	return nil
}

// can lists the actions there are.
func (l *loop) can() string {
	var all []string
	if l.r.e.Search != nil && l.r.gate.scope.Strict == nil {
		all = append(all, journal.DoSearch)
	}
	if l.r.e.Map != nil && l.r.gate.scope.Strict == nil {
		all = append(all, journal.DoMap)
	}
	return strings.Join(append(all, journal.DoRead, journal.DoCollect, journal.DoFind, journal.DoFinish), " ")
}

// plan asks for tables, keys, searches and where to start.
func (l *loop) plan(ctx, work context.Context) (protocol.PlanReply, error) {
	r := l.r
	var b protocol.Prompt
	b.Value("task", r.task.Prompt)
	if r.tables.outline != nil {
		var tables []protocol.PromptTable
		for _, t := range r.tables.outline.Tables {
			tables = append(tables, t.Prompt())
		}
		protocol.List(&b, "tables", tables)
	}
	protocol.List(&b, "start", l.shown(l.f.Rank()))
	b.Words("can", l.can())
	q := ask{role: llm.RolePlan, user: b.String(), schema: protocol.PlanSchema, output: protocol.MaxPlanOutput}
	r.budget.SetAside(max(r.budget.CeilingPart(50), r.payer.price.Bound(len(protocol.System(llm.RolePlan))+len(q.user)+len(protocol.PlanSchema), protocol.MaxPlanOutput)))
	reply, err := r.payer.ask(work, q)
	plan, ok := protocol.ReadPlan(reply.JSON)
	if err == nil && !ok {
		err = errModel
	}
	if (errors.Is(err, errModel) || errors.Is(err, budget.ErrBroke)) && r.tables.outline != nil {
		if errors.Is(err, budget.ErrBroke) {
			r.budget.SetAside(0) // nor is there anything to land with
		}
		plan, err = protocol.PlanReply{}, nil // the outline will do
	}
	if err != nil {
		return plan, err
	}
	if r.tables.outline == nil {
		o, err := outline.Proposed(plan.Fields)
		if err != nil {
			return plan, errModel
		}
		r.tables.propose(o)
	}
	meant := r.tables.adopt(plan, r.task.Prompt)
	for _, issue := range meant.issues {
		r.note(ctx, issue)
	}
	record := &journal.PlannedRecord{Queries: plan.Queries, Shape: plan.Shape, Schema: r.tables.outline.Schema}
	for _, t := range r.tables.outline.Tables {
		record.Tables = append(record.Tables, journal.PlannedTable{ID: t.ID, What: t.What, Keys: t.Keys, Expect: t.Expect, Conditions: meant.conditions[t.ID]})
		record.Hops = append(record.Hops, r.tables.hops[t.ID]...)
		for _, f := range t.Fields {
			l.f.Want(strings.ReplaceAll(f.Name, "_", " "))
		}
	}
	if err := r.emit(ctx, journal.Event{Kind: journal.EventPlanned, Key: "planned", Planned: record}); err != nil {
		return plan, err
	}
	return plan, r.emit(ctx, journal.Event{Kind: journal.EventEstimated, Key: "estimated after the plan", Amount: l.estimate()})
}

// estimate returns what the task may cost: a page and a short reading for each
// row that is expected.
func (l *loop) estimate() Credits {
	r := l.r
	pages := len(r.urls) + 5
	for _, t := range r.tables.outline.Tables {
		pages += t.Expect
	}
	return r.estimate(pages)
}

// opening is the first batch: the plan's searches and start pages.
func (l *loop) opening(plan protocol.PlanReply) []journal.Action {
	var actions []journal.Action
	if strings.Contains(l.can(), journal.DoSearch) {
		for _, q := range plan.Queries[:min(len(plan.Queries), 6)] {
			actions = append(actions, journal.Action{Do: journal.DoSearch, Q: q, N: 10})
		}
	}
	var start []string
	for _, h := range plan.Start {
		if l.f.Link(h) != nil && !slices.Contains(start, h) && len(start) < protocol.MaxHandles {
			start = append(start, h)
		}
	}
	if len(start) == 0 {
		for _, s := range l.f.Links[:min(len(l.f.Links), 5)] {
			start = append(start, s.Handle())
		}
	}
	if len(start) > 0 {
		actions = append(actions, journal.Action{Do: journal.DoRead, H: start})
	}
	return actions
}

// enough applies the rules that end the search before a decision.
func (l *loop) enough() bool {
	r := l.r
	tables := r.tables.tally()
	rows, cells := 0, 0
	whole := true
	for _, t := range r.tables.outline.Tables {
		if t.Drawn {
			continue
		}
		have := tables[t.ID]
		whole = whole && l.whole(t, have)
		rows += len(have)
		for _, m := range have {
			cells += len(m.Row)
		}
	}
	pages := len(r.library.all())
	now := [3]int{rows, cells, pages}
	if now != l.state || l.fresh > 0 {
		l.quiet = 0
	} else if l.step > 0 {
		l.quiet++
	}
	l.fresh = 0
	gained := now[0] != l.state[0] || now[1] != l.state[1]
	if gained {
		l.dry = 0
	} else {
		l.dry += now[2] - l.state[2]
	}
	l.state = now
	switch {
	case whole:
		r.halt(finding.ReasonDone)
	case l.quiet >= 3:
		r.halt(finding.ReasonStalled)
	case l.dry >= max(5, pages/10):
		r.halt(finding.ReasonDry)
	case r.limits.Steps != Unlimited && l.step >= r.limits.Steps:
		r.halt(finding.ReasonSteps)
	default:
		return false
	}
	return true
}

// whole reports whether a table has all rows that the plan or a page lets expect,
// and each of those that belong to the answer has its required cells. What the plan
// expects of rows that meet a condition says nothing of how many there are to choose
// from.
func (l *loop) whole(t *outline.Table, have []merge.Merged) bool {
	total := 1
	if !t.Record() {
		claim, _ := l.r.library.claimed(t)
		total = claim
		if l.r.tables.filters[t.ID] == nil {
			total = max(t.Expect, claim)
		}
	}
	if total == 0 || len(have) < total {
		return false
	}
	need := t.Required()
	return !slices.ContainsFunc(have, func(m merge.Merged) bool {
		return m.State == filter.Open || m.State == filter.Met && slices.ContainsFunc(need, func(f *outline.Field) bool { _, ok := m.Row[f.Name]; return !ok })
	})
}
