// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"example.com/curlew/agent"
	"example.com/curlew/agent/llm"
	"example.com/curlew/agent/outcome"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/internal/jsonenc"
	"example.com/curlew/internal/service/agents"
	"example.com/curlew/internal/service/faults"
	"example.com/curlew/job"
	"example.com/curlew/threat"
)

// task returns the task for the engine, with ceiling credits.
func (o *AgentOptions) task(ceiling int) agent.Task {
	t := agent.Task{Prompt: o.Prompt, URLs: o.URLs, Strict: o.Strict, Schema: o.Schema, Model: o.Model, Headers: o.Headers}
	t.Limits.Credits = agent.Credits(ceiling) * llm.Credit
	if o.Open && len(o.URLs) > 0 { // URLs in a prompt are where a run without a scope begins
		t.URLs, t.Strict = nil, false
		t.Prompt += "\n\nBegin with these pages: " + strings.Join(o.URLs, " ")
	}
	return t
}

// defaultCredits is the credit limit of agents whose request does not set one.
const defaultCredits = 2500

// free reports whether a run with a credit limit belongs to the free daily runs of its team.
func (l *launch) free(ctx context.Context, ceiling int) (bool, error) {
	c := &l.start.Caller
	most := c.Team.Policy.FreeAgentRuns
	if most == 0 || ceiling > defaultCredits {
		return false, nil
	}
	jobs, err := l.parts.runner.List(ctx, c.owner(), job.Filter{})
	if err != nil {
		return false, err
	}
	day := time.Now().UTC().Truncate(24 * time.Hour)
	for _, j := range slices.Backward(jobs) { // oldest first, because the first runs of a day are free
		if j.Created.Before(day) || j.Kind != KindAgent && j.Kind != KindExtract {
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

// equipAgent sets the fields of the Service's Agent that the program left empty.
func (p *parts) equipAgent() {
	engine := p.service.Agent
	if engine == nil {
		return
	}
	p.agents.Pages, p.agents.Slots, p.agents.UserAgent = &p.pages, &p.slots, p.service.UserAgent
	p.agents.List = func(ctx context.Context, r *agent.Request, filter string, n int) ([]string, error) {
		site, err := p.service.Map(ctx, r.URL, &MapOptions{Search: filter, Limit: n, Timeout: time.Minute, Admit: r.Gate})
		if err != nil {
			return nil, err
		}
		return site.URLs, nil
	}
	p.agents.Equip(engine, p.service.Searcher)
}

// continued completes the options of an agent that continues another one. If there is no
// such run, the agent does without, and the job has a warning.
func (p *parts) continued(ctx context.Context, team, kind string, o *AgentOptions, sp *spec) error {
	if o.Thread == "" {
		return nil
	}
	before, _, err := p.find(ctx, team, strings.ToLower(o.Thread))
	lost := errors.Is(err, job.ErrNotFound)
	if err != nil && !lost {
		return err
	}
	if lost || kind != KindAgent || before.Kind() != KindAgent || before.State() != job.Completed || before.spec.Retained || before.spec.Agent == nil {
		o.Thread = ""
		sp.Warnings = append(sp.Warnings, "There is no completed agent of this team with the ID of the thread whose pages are stored. The question is answered without it.")
		return nil
	}
	o.Thread = before.ID()
	if len(o.URLs) == 0 {
		o.URLs, o.Strict = before.spec.Agent.URLs, before.spec.Agent.Strict
	}
	return nil
}

// answer runs the agent of a job.
func (w *work) answer(ctx context.Context) error {
	task, err := w.task(ctx)
	if err != nil {
		return err
	}
	line := pace.NewLine(w.parts.pages.Hosts, w.Retained)
	defer line.Leave()
	ctx = w.parts.agents.Of(ctx, &agents.Run{Team: w.team, Limit: w.Slots, Log: w.meter.Log, Space: w.space, Line: line, Private: w.Retained})
	w.begun()
	run, err := w.parts.service.Agent.Start(ctx, task)
	if err != nil {
		return w.endAgent(ctx, nil, err)
	}
	works := &w.parts.works
	works.runs.Store(w.job, run)
	defer func() { works.runs.Delete(w.job); works.stops.Delete(w.job) }()
	if _, stop := works.stops.Load(w.job); stop { // it came while the run began
		run.Stop()
	}
	result, err := run.Wait(context.WithoutCancel(ctx)) // the run ends with ctx; wait until it has ended
	return w.endAgent(ctx, result, err)
}

// task returns the task for the engine, with the job as its journal.
func (w *work) task(ctx context.Context) (agent.Task, error) {
	if w.parts.service.Agent == nil {
		return agent.Task{}, agent.ErrNoModel // the program no longer has an agent
	}
	t := w.Agent.task(w.Limit)
	t.ID = w.job
	if w.meter.Gate != nil {
		t.Policy = &threat.Gate{Rules: w.meter.Gate.Rules, Classifier: w.parts.meters.Classifier, Observe: w.meter.Log.Observe, NoStore: w.Retained}
	}
	if w.meter.Gate == nil || w.parts.meters.Classifier == nil {
		t.Scan = -1 // nobody charges for the rules of a policy
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
	t.Journal = &agents.Journal{Space: w.space, Light: w.Retained, Told: stats.Cost, Open: func() bool { return errors.Is(context.Cause(ctx), job.ErrShutdown) }}
	if stats.Items[job.Event] > 0 {
		t.History = agents.History(ctx, w.space)
	}
	if w.Agent.Thread == "" {
		return t, nil
	}
	before, _, err := w.parts.find(ctx, w.team, w.Agent.Thread)
	switch lost := errors.Is(err, job.ErrNotFound); {
	case err == nil:
		t.Earlier = agents.History(ctx, before)
	case lost && t.History != nil:
		err = nil // the run has begun, so its own events have what it needs
	case lost:
		err = fmt.Errorf("agent %s, which this one continues, is no longer stored", w.Agent.Thread)
	}
	return t, err
}

// endAgent stores the answer of a run, settles its credits, and returns the error with
// which the job ends.
func (w *work) endAgent(ctx context.Context, result *agent.Result, err error) error {
	if errors.Is(context.Cause(ctx), job.ErrShutdown) {
		return job.ErrShutdown // the run continues in the next process
	}
	late := context.WithoutCancel(ctx)
	stats, failed := w.space.Stats(late)
	if failed != nil {
		return errors.Join(err, failed)
	}
	bill := stats.Cost
	switch {
	case ctx.Err() != nil: // the job was cancelled, so its spent credits are charged
	case err != nil:
		scans := 0
		if result != nil {
			scans = int(result.Spend.Scans.Whole())
		}
		// A failed run is charged only for its scans.
		failed = w.space.Append(late, job.Item{Kind: job.Note, Cost: scans - bill})
		bill = scans
	default:
		var data []byte
		if data, failed = jsonenc.Encode(outcome.Of(result)); failed == nil {
			failed = w.space.Append(late, job.Item{Kind: job.Result, Data: data})
		}
	}
	if failed != nil {
		return errors.Join(err, failed)
	}
	if w.Free {
		bill = 0
	}
	if failed := w.meter.Settle(late, bill); failed != nil {
		return errors.Join(err, failed)
	}
	switch {
	case err == nil || ctx.Err() != nil:
		return err
	case errors.Is(err, agent.ErrBudget):
		return faults.ErrMaxCredits
	case errors.Is(err, llm.ErrProvider):
		return faults.ErrModel
	}
	w.parts.pages.Logger.ErrorContext(ctx, "agent failed", "team", w.team, "err", err)
	return faults.ErrJob
}
