// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"iter"
	"slices"
	"time"

	"example.com/curlew/agent"
	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/llm"
	"example.com/curlew/agent/web"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/internal/jsonenc"
	"example.com/curlew/job"
	"example.com/curlew/threat"
)

// defaultModel is what an agent uses that names none.
const defaultModel = "spark-1-mini"

// task returns what the engine is asked, for at most so many credits.
func (o *AgentOptions) task(ceiling int) agent.Task {
	t := agent.Task{Prompt: o.Prompt, URLs: o.URLs, Strict: o.Strict, Schema: o.Schema, Model: o.Model}
	t.Limits.Credits = agent.Credits(ceiling) * llm.Credit
	return t
}

// defaultCredits is what an agent may spend that does not say.
const defaultCredits = 2500

// free reports whether a run is one of the team's free ones of the day.
func (p *parts) free(ctx context.Context, c *Caller, ceiling int) (bool, error) {
	most := c.Team.Policy.FreeAgentRuns
	if most == 0 || ceiling > defaultCredits {
		return false, nil
	}
	jobs, err := p.runner.List(ctx, c.owner(), job.Filter{Kind: KindAgent})
	if err != nil {
		return false, err
	}
	day := time.Now().UTC().Truncate(24 * time.Hour)
	for _, j := range slices.Backward(jobs) { // the first of a day are free
		if j.Created.Before(day) {
			continue
		}
		if most <= 0 {
			break
		}
		sp, err := readSpec(j)
		if err != nil {
			return false, err
		}
		if sp.Free {
			most--
		}
	}
	return most > 0, nil
}

// equipAgent fills in what the Agent of the Service lacks.
func (p *parts) equipAgent() {
	engine := p.service.Agent
	if engine == nil {
		return
	}
	p.agents.parts = p
	p.agents.open(&p.agents.rules, false)
	if engine.Fetch == nil {
		engine.Fetch = &p.agents
	}
	if engine.Map == nil {
		engine.Map = &p.agents
	}
	if engine.Admit == nil {
		engine.Admit = admitAgent
	}
}

// admitAgent asks the threat gate that is a task's policy.
func admitAgent(ctx context.Context, t *agent.Task, url string) (agent.Credits, error) {
	g, ok := t.Policy.(*threat.Gate)
	if !ok {
		return 0, nil
	}
	target, err := threat.ParseTarget(url)
	if err != nil {
		return 0, err
	}
	d, err := g.Check(ctx, target)
	if b, ok := errors.AsType[*threat.BlockedError](err); ok {
		d = b.Decision
	}
	return agent.Credits(d.Credits) * llm.Credit, err
}

// answer is the work of an agent job.
func (w *work) answer(ctx context.Context) error {
	task, err := w.task(ctx)
	if err != nil {
		return err
	}
	line := pace.NewLine(w.parts.pages.turns, w.Retained)
	defer line.Leave()
	slots := agentSlots{team: w.team, limit: w.Slots, log: w.meter.log, space: w.space, line: line}
	if w.Retained {
		slots.rules = new(web.Robots)
		w.parts.agents.open(slots.rules, true)
	}
	ctx = context.WithValue(ctx, agentTeam{}, slots)
	w.begun()
	run, err := w.parts.service.Agent.Start(ctx, task)
	if err != nil {
		return w.endAgent(ctx, nil, err)
	}
	w.parts.works.runs.Store(w.job, run)
	defer w.parts.works.runs.Delete(w.job)
	result, err := run.Wait(context.WithoutCancel(ctx)) // the run ends with ctx, and is waited for
	return w.endAgent(ctx, result, err)
}

// task returns what the engine is asked, with the job as its journal.
func (w *work) task(ctx context.Context) (agent.Task, error) {
	if w.parts.service.Agent == nil {
		return agent.Task{}, agent.ErrNoModel // the host has taken it away since
	}
	t := w.Agent.task(w.Limit)
	t.ID = w.job
	if w.meter.gate != nil {
		t.Policy = &threat.Gate{Rules: w.meter.gate.Rules, Classifier: w.parts.meters.classifier, Observe: w.meter.log.observe, NoStore: w.Retained}
	}
	for url, n := range w.Cleared {
		if t.Cleared == nil {
			t.Cleared = map[string]agent.Credits{}
		}
		t.Cleared[url] = agent.Credits(n) * llm.Credit
	}
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(w.job)) // never fails (hash.Hash)
	t.Seed = sum.Sum64()
	stats, err := w.space.Stats(ctx)
	if err != nil {
		return t, err
	}
	t.Journal = &agentJournal{space: w.space, light: w.Retained, told: stats.Cost, open: func() bool { return errors.Is(context.Cause(ctx), job.ErrShutdown) }}
	if stats.Items[job.Event] > 0 {
		t.History = agentHistory(ctx, w.space)
	}
	return t, nil
}

// agentJournal keeps the events of a run as items of its job. The cost of an
// item is what the run has spent since the one before, in whole credits: so the
// job's figures are live.
type agentJournal struct {
	space job.Space
	light bool        // nothing of a page or a model is kept
	told  int         // whole credits so far
	open  func() bool // whether the run ends here and goes on in the next process
}

// Append implements [journal.Journal].
func (a *agentJournal) Append(ctx context.Context, e journal.Event) error {
	if (e.Kind == journal.EventStopped || e.Kind == journal.EventFinished) && a.open() {
		return nil
	}
	if a.light {
		e = e.Light()
	}
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	spent := int(e.Spent.Whole())
	cost := max(0, spent-a.told)
	// The end of a run is kept whoever has left.
	if err := a.space.Append(context.WithoutCancel(ctx), job.Item{Kind: job.Event, Data: data, Cost: cost}); err != nil {
		return err
	}
	a.told += cost
	return nil
}

// agentHistory yields the events of a job.
func agentHistory(ctx context.Context, space job.Space) iter.Seq2[journal.Event, error] {
	return func(yield func(journal.Event, error) bool) {
		const chunk = 100
		for from := 0; ; from += chunk {
			items, err := space.Items(ctx, job.Event, from, chunk)
			if err != nil {
				yield(journal.Event{}, err)
				return
			}
			for _, it := range items {
				var e journal.Event
				err := it.Err
				if err == nil {
					err = json.Unmarshal(it.Data, &e)
				}
				if !yield(e, err) || err != nil {
					return
				}
			}
			if len(items) < chunk {
				return
			}
		}
	}
}

// endAgent keeps what a run has found, settles its credits and returns what the
// job ends with.
func (w *work) endAgent(ctx context.Context, result *agent.Result, err error) error {
	if errors.Is(context.Cause(ctx), job.ErrShutdown) {
		return job.ErrShutdown // it goes on in the next process
	}
	late := context.WithoutCancel(ctx)
	stats, failed := w.space.Stats(late)
	if failed != nil {
		return errors.Join(err, failed)
	}
	bill := stats.Cost
	switch {
	case ctx.Err() != nil: // cancelled: what is spent stays spent
	case err != nil:
		scans := 0
		if result != nil {
			scans = int(result.Spend.Scans.Whole())
		}
		// A run that found nothing bills its scans.
		failed = w.space.Append(late, job.Item{Kind: job.Note, Cost: scans - bill})
		bill = scans
	default:
		var data []byte
		if data, failed = jsonenc.Encode(outcome(result)); failed == nil {
			failed = w.space.Append(late, job.Item{Kind: job.Result, Data: data})
		}
	}
	if failed != nil {
		return errors.Join(err, failed)
	}
	if w.Free {
		bill = 0
	}
	if failed := w.meter.settle(late, bill); failed != nil {
		return errors.Join(err, fmt.Errorf("settle credits: %w", failed))
	}
	switch {
	case err == nil || ctx.Err() != nil:
		return err
	case errors.Is(err, agent.ErrBudget):
		return errMaxCredits
	case errors.Is(err, llm.ErrProvider):
		return errModel
	}
	w.parts.pages.logger.ErrorContext(ctx, "agent failed", "team", w.team, "err", err)
	return errJob
}
