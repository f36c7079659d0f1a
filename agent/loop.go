// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/budget"
	"example.com/curlew/agent/internal/filter"
	"example.com/curlew/agent/internal/linkrank"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/llm"
)

// loop searches by a plan and decisions. Only the goroutine of the run uses it.
type loop struct {
	r        *Run
	f        *linkrank.Frontier
	finder   *finder
	policy   *policy
	briefing *briefing
	step     int
	last     []any // for the next prompt: of type ActedRecord or string
	refused  bool  // finish was refused once
	weak     int   // number of decisions that the planner should not have made
	pulse    pulse
	fault    error        // error of the last decision; nil if there was none
	folded   map[int]bool // pages by number
	finished bool
	novelty  *novelty
	onward   onward
}

// newLoop returns the loop of a run.
func newLoop(r *Run) *loop {
	f := linkrank.New()
	find := &finder{control: r.control, payer: r.payer, gate: r.gate, search: r.e.Search, mapper: r.e.Map}
	return &loop{r: r, f: f, finder: find, policy: newPolicy(r, f, find.searches()), briefing: &briefing{tables: r.tables, f: f, isolate: r.isolated()}, folded: map[int]bool{}, onward: onward{texts: map[string]string{}, sought: map[int]bool{}}}
}

// gather makes the plan, and reads what the plan names. It reads all URLs if no others
// may be read, or if there are few and the answer is one record. Otherwise it decides
// step by step.
func (r *Run) gather(ctx, work context.Context) error {
	l := newLoop(r)
	if err := r.enter(ctx, finding.PhasePlan); err != nil {
		return err
	}
	l.f.Want(r.job.question())
	for _, u := range slices.Concat(r.job.urls, linkrank.PromptURLs(r.job.task.Prompt)) {
		if r.gate.scope.Allows(u) {
			if s, _ := l.f.Add(u, "", 0, 0, false); s != nil {
				s.Seed = true
			}
		}
	}
	given := r.tables.outline != nil // the plan may add to it
	all := given && r.job.task.Strict && len(r.job.urls) > 0
	few := given && len(r.job.urls) > 0 && len(r.job.urls) <= 5 && len(r.tables.outline.Tables) == 1 && r.tables.outline.Tables[0].Record()
	plan, err := l.plan(ctx, work)
	if err != nil || r.stopping() {
		return l.over(ctx, err)
	}
	r.shape = plan.Shape
	l.novelty = newNovelty(r.tables)
	if err := r.enter(ctx, finding.PhaseWork); err != nil {
		return err
	}
	if plan.Same {
		if err := r.job.thread.carry(ctx, work, l); err != nil || r.stopping() {
			return err
		}
	}
	few = few && len(r.tables.outline.Tables) == 1
	if all || few {
		err := r.fast(ctx, work)
		if err == nil {
			l.follow(work)
		}
		if err != nil || r.stopping() || all || r.tables.ending() == finding.ReasonDone {
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

// run decides step by step what to read.
func (l *loop) run(ctx, work context.Context, plan protocol.PlanReply) error {
	r := l.r
	opening := l.opening(plan)
	if err := r.emit(ctx, journal.Event{Kind: journal.EventDecided, Key: "step 0", Decided: &journal.DecidedRecord{Actions: opening, Names: l.f.Names(opening)}}); err != nil {
		return err
	}
	l.act(ctx, work, opening)
	l.follow(work)
	for ctx.Err() == nil && !r.stopping() {
		if l.enough() {
			if l.fault != nil {
				r.note(ctx, finding.Issue{Kind: finding.IssueProvider, Detail: because("the model gave no decision that could be used", l.fault)})
			}
			break
		}
		actions, err := l.next(ctx, work)
		if err != nil {
			return l.over(ctx, err)
		}
		l.act(ctx, work, actions)
		l.follow(work)
		if l.finished {
			r.halt(r.tables.ending())
			break
		}
	}
	l.unread(ctx)
	return context.Cause(ctx)
}

// next returns the actions of the next step. They are those of the planner or, if the
// planner is weak or costs too much, of the policy.
func (l *loop) next(ctx, work context.Context) ([]journal.Action, error) {
	var actions []journal.Action
	note := "The planner ended too early: links are followed by rule."
	switch {
	case l.weak >= maxWeak:
		actions = l.policy.next()
	case l.r.lastPage():
		actions = l.policy.next()
		note = "The credits suffice for one more page, but not for a decision too: links are followed by rule."
	}
	if l.weak < maxWeak && len(actions) == 0 {
		return l.decide(ctx, work)
	}
	if l.fault != nil {
		l.r.note(ctx, finding.Issue{Kind: finding.IssueProvider, Detail: because("the model gave no decision that could be used", l.fault)})
		l.fault = nil
	}
	l.step++
	for _, v := range l.policy.sought {
		l.r.tables.hops.shown[v] = true
	}
	if len(actions) == 0 {
		actions = []journal.Action{{Do: journal.DoFinish, Why: "nothing plausible is left"}}
		note = "No link is left that is likely to add anything."
	}
	l.last = nil
	return actions, l.r.emit(ctx, journal.Event{Kind: journal.EventDecided, Key: "step " + strconv.Itoa(l.step), Decided: &journal.DecidedRecord{
		Step: l.step, Note: note, Actions: actions, Names: l.f.Names(actions),
	}})
}

// lastPage reports whether the credits suffice for one more page and its reading, but not
// for a decision too.
func (r *Run) lastPage() bool {
	if r.job.limits.Credits == Unlimited {
		return false
	}
	gauge, left := &r.payer.gauge, r.budget.Ceiling-r.budget.Total()
	_, decision := gauge.Extremes(llm.RoleDecide)
	least, _ := gauge.Extremes(llm.RoleExtract)
	page := r.pagePrice()
	return left >= page+least && left < cmp.Or(decision, gauge.Typical(llm.RolePlan))+page+gauge.Typical(llm.RoleExtract)
}

// over returns the consequence of a failed call for the run.
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

// plan asks for tables, keys, searches and start pages.
func (l *loop) plan(ctx, work context.Context) (protocol.PlanReply, error) {
	r := l.r
	var b protocol.Prompt
	b.Task(r.job.task.Prompt, r.job.earlier())
	if r.job.thread != nil {
		protocol.List(&b, "before", r.job.thread.before())
	}
	if r.tables.outline != nil {
		var tables []protocol.PromptTable
		for _, t := range r.tables.outline.Tables {
			tables = append(tables, t.Prompt())
		}
		protocol.List(&b, "tables", tables)
	}
	protocol.List(&b, "start", l.briefing.links(l.f.Rank()))
	b.Words("can", l.finder.can())
	b.Words("today", r.job.began.UTC().Format("Monday, 2006-01-02")) // the same after a restart
	q := ask{role: llm.RolePlan, user: b.String(), schema: protocol.PlanSchema, output: protocol.MaxPlanOutput}
	bound := r.payer.price.Bound(len(protocol.System(llm.RolePlan))+len(q.user)+len(protocol.PlanSchema), q.output)
	r.budget.SetAside(max(r.budget.CeilingPart(50), bound))
	var reply llm.Reply
	err := budget.ErrBroke
	if r.tables.outline == nil || r.affords(bound) {
		reply, err = r.payer.ask(work, q)
	}
	plan, ok := protocol.ReadPlan(reply.JSON)
	if err == nil && !ok {
		err = errModel
	}
	if err == nil {
		plan = l.heed(ctx, work, plan, q, bound)
	}
	if (errors.Is(err, errModel) || errors.Is(err, budget.ErrBroke)) && r.tables.outline != nil {
		if errors.Is(err, budget.ErrBroke) {
			r.budget.SetAside(0) // there are no credits for a final answer either
		}
		l.unplanned(ctx, err)
		return protocol.PlanReply{}, nil // the outline is sufficient
	}
	if err != nil {
		return plan, err
	}
	if r.tables.outline == nil {
		o, err := outline.Proposed(plan)
		if err != nil {
			return plan, errModel
		}
		r.tables.propose(o)
	}
	meant := r.tables.adopt(plan, r.job.question())
	for _, issue := range meant.issues {
		r.note(ctx, issue)
	}
	if meant.ignored {
		r.unapplied = finding.ReasonDry
	}
	record := &journal.PlannedRecord{Queries: plan.Queries, Shape: plan.Shape, Schema: r.tables.outline.Schema}
	for _, t := range r.tables.outline.Tables {
		if t.Subject {
			continue
		}
		table := journal.PlannedTable{ID: t.ID, What: t.What, Keys: t.Keys, Expect: t.Expect, Conditions: meant.conditions[t.ID]}
		for _, f := range t.Fields {
			table.Fields = append(table.Fields, journal.PlannedField{Name: f.Name, Kind: outline.KindOf(f.Node)})
		}
		record.Tables = append(record.Tables, table)
		record.Hops = append(record.Hops, r.tables.hops.fields[t.ID]...)
		for _, f := range t.Fields {
			l.f.Want(strings.ReplaceAll(f.Name, "_", " "))
		}
	}
	if err := r.emit(ctx, journal.Event{Kind: journal.EventPlanned, Key: "planned", Planned: record}); err != nil {
		return plan, err
	}
	return plan, r.emit(ctx, journal.Event{Kind: journal.EventEstimated, Key: "estimated after the plan", Amount: l.estimate()})
}

// heed asks for the plan again if it has no condition for a limit or a name that the task states, or for one of the earlier
// questions about the same things. If it is still ignored, the answer is not complete, whatever it contains.
func (l *loop) heed(ctx, work context.Context, plan protocol.PlanReply, q ask, bound Credits) protocol.PlanReply {
	r := l.r
	if o := r.tables.outline; (plan.Shape == protocol.ShapeOne || plan.Shape == protocol.ShapeText) && (o == nil || o.Tables[0].Record()) {
		return plan // "the postage for orders over $50" is one fact
	}
	by := func(plan protocol.PlanReply) []string {
		limits := filter.Ignored(r.job.task.Prompt, plan)
		if r.job.thread != nil {
			limits = append(limits, filter.Forgotten(r.job.task.Prompt, r.job.thread.tables, plan)...)
		}
		return limits
	}
	names := func(plan protocol.PlanReply) []string {
		return filter.Overlooked(r.job.task.Prompt, plan, strings.Join(r.job.task.URLs, " ")+" "+string(r.job.task.Schema))
	}
	ignored, overlooked := by(plan), names(plan)
	if len(ignored)+len(overlooked) > 0 && r.affords(bound) {
		var b protocol.Prompt
		protocol.List(&b, "ignored", slices.Concat(ignored, overlooked))
		q.user += b.String()
		reply, err := r.payer.ask(work, q)
		if again, ok := protocol.ReadPlan(reply.JSON); err == nil && ok {
			if left := by(again); len(left) < len(ignored) || len(left) == len(ignored) && len(names(again)) < len(overlooked) {
				plan, ignored = again, left
			}
		}
	}
	if len(ignored) > 0 {
		r.unapplied = finding.ReasonDry
		r.note(ctx, finding.Issue{Kind: finding.IssueUndecided, Detail: value.Clip("the plan has no condition for what the prompt says: "+strings.Join(ignored, "; "), 500)})
	}
	return plan
}

// unplanned records that there is no plan, so that nothing in the question besides its
// schema is applied. The answer is then not complete, whatever it contains.
func (l *loop) unplanned(ctx context.Context, err error) {
	what := "conditions and further questions of the prompt are not applied: "
	if errors.Is(err, budget.ErrBroke) {
		l.r.unapplied = finding.ReasonCredits
		what += "the credits do not allow a plan"
	} else {
		l.r.unapplied = finding.ReasonStalled
		what = because(what+"the model gave no plan that could be used", err)
	}
	l.r.note(ctx, finding.Issue{Kind: finding.IssueUndecided, Detail: what})
}

// pagePrice returns the most that fetching a page costs.
func (r *Run) pagePrice() Credits {
	if r.gate.admit != nil {
		return r.payer.rates.Page + r.payer.rates.Scan
	}
	return r.payer.rates.Page
}

// affords reports whether the credits suffice for a call with this bound and for a
// page.
func (r *Run) affords(bound Credits) bool {
	if r.job.limits.Credits == Unlimited {
		return true
	}
	return bound+r.pagePrice() <= r.budget.Ceiling-r.budget.Total()
}

// estimate returns what the task may cost: a page and a short reading for each expected
// row.
func (l *loop) estimate() Credits {
	r := l.r
	pages := len(r.job.urls) + 5
	for _, t := range r.tables.outline.Tables {
		pages += t.Expect
	}
	return r.estimate(pages)
}

// opening returns the first batch: the plan's searches and start pages.
func (l *loop) opening(plan protocol.PlanReply) []journal.Action {
	var actions []journal.Action
	if l.finder.searches() {
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
	start = slices.DeleteFunc(start, func(h string) bool { return l.r.library.at(l.f.Link(h).URL) != nil }) // it was taken over
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
	whole := r.tables.allWhole(tables)
	for _, t := range r.tables.outline.Tables {
		rows += len(tables[t.ID])
		for _, m := range tables[t.ID] {
			cells += len(m.Row)
		}
	}
	pages := len(r.library.all())
	l.pulse.beat(rows, cells, pages, l.step > 0)
	switch {
	case whole:
		r.halt(finding.ReasonDone)
	case l.pulse.quiet >= 3 && l.weak < maxWeak && len(l.policy.next()) > 0:
		l.pulse.quiet = 0
		l.weaken(maxWeak)
		return false
	case l.pulse.quiet >= 3:
		r.halt(finding.ReasonStalled)
	case l.pulse.dry >= max(5, pages/10) && l.spent():
		r.halt(r.tables.ending())
	case r.job.limits.Steps != Unlimited && l.step >= r.job.limits.Steps:
		r.halt(finding.ReasonSteps)
	default:
		return false
	}
	return true
}

// spent reports whether nothing is left that the rank of the links or the planner may find
// plausible. Only the planner can tell what it finds plausible, so it is asked as long as
// there are links that it has not read. It ends the search by finishing.
func (l *loop) spent() bool {
	if len(l.policy.next()) > 0 {
		return false
	}
	return l.weak >= maxWeak || !slices.ContainsFunc(l.f.Links, func(link *linkrank.Link) bool { return !link.Read && !l.r.library.tried(link.URL) })
}

// unread notes how many links that may add something a limit has left unread.
func (l *loop) unread(ctx context.Context) {
	if _, ok := limited[l.r.why()]; !ok {
		return
	}
	tables := l.r.tables.tally()
	if l.r.tables.allWhole(tables) {
		return
	}
	w := l.policy.wanting(tables)
	left := map[*linkrank.Link]bool{}
	for _, s := range l.f.Rank() {
		if s.Score > linkrank.Floor {
			left[s.Link] = true
		}
	}
	for _, g := range l.f.Groups {
		if l.policy.promise(w, g) <= 0 {
			continue
		}
		for _, link := range g.Links {
			if !link.Read {
				left[link] = true
			}
		}
	}
	maps.DeleteFunc(left, func(link *linkrank.Link, _ bool) bool { return l.r.library.tried(link.URL) })
	if len(left) > 0 {
		l.r.note(ctx, finding.Issue{Kind: finding.IssueLimit, Detail: strconv.Itoa(len(left)) + " links that may add something were not read"})
	}
}

// pulse detects whether the search still makes progress.
type pulse struct {
	fresh  int // new handles since the last beat
	barren int // pages since the last beat that neither had rows nor led to new pages
	quiet  int // consecutive decisions without progress
	dry    int // consecutive pages without rows
	rows   int // at the last beat, like the fields below
	cells  int
	pages  int
}

// beat records the state after a batch. decided is false for the batch that opened the
// search.
func (p *pulse) beat(rows, cells, pages int, decided bool) {
	same := rows == p.rows && cells == p.cells
	switch {
	case !same || pages != p.pages || p.fresh > 0:
		p.quiet = 0
	case decided:
		p.quiet++
	}
	switch {
	case !same:
		p.dry = 0
	case rows > 0:
		p.dry += p.barren
	}
	*p = pulse{quiet: p.quiet, dry: p.dry, rows: rows, cells: cells, pages: pages}
}
