// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"iter"
	"mime"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/curlew/agent"
	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/llm"
	"example.com/curlew/agent/outcome"
	"example.com/curlew/agent/search"
	"example.com/curlew/agent/web"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/fetch"
	"example.com/curlew/internal/jsonenc"
	"example.com/curlew/internal/links"
	"example.com/curlew/internal/service/meter"
	"example.com/curlew/internal/service/reading"
	"example.com/curlew/internal/service/slots"
	"example.com/curlew/internal/service/turns"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/job"
	"example.com/curlew/threat"
)

// defaultModel is the model of agents whose request does not name one.
const defaultModel = "spark-1-mini"

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

// free reports whether a run belongs to the free daily runs of its team.
func (p *parts) free(ctx context.Context, c *Caller, ceiling int) (bool, error) {
	most := c.Team.Policy.FreeAgentRuns
	if most == 0 || ceiling > defaultCredits {
		return false, nil
	}
	jobs, err := p.answers(ctx, c.owner())
	if err != nil {
		return false, err
	}
	day := time.Now().UTC().Truncate(24 * time.Hour)
	for _, j := range slices.Backward(jobs) { // oldest first, because the first runs of a day are free
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

// answers returns the agents and extracts of a team, newest first.
func (p *parts) answers(ctx context.Context, team string) ([]*job.Job, error) {
	jobs, err := p.runner.List(ctx, team, job.Filter{})
	return slices.DeleteFunc(jobs, func(j *job.Job) bool { return j.Kind != KindAgent && j.Kind != KindExtract }), err
}

// equipAgent sets the fields of the Service's Agent that the program left empty.
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
	if engine.Search == nil && p.service.Searcher != nil {
		engine.Search = search.ForAgent(p.service.Searcher)
	}
	if engine.Map == nil {
		engine.Map = &p.agents
	}
	if engine.Admit == nil {
		engine.Admit = admitAgent
	}
}

// admitAgent asks the threat gate for the policy of a task.
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

// answer runs the agent of a job.
func (w *work) answer(ctx context.Context) error {
	task, err := w.task(ctx)
	if err != nil {
		return err
	}
	line := pace.NewLine(w.parts.pages.Hosts, w.Retained)
	defer line.Leave()
	own := agentRun{team: w.team, limit: w.Slots, log: w.meter.Log, space: w.space, line: line}
	if w.Retained {
		own.rules = new(web.Robots)
		w.parts.agents.open(own.rules, true)
	}
	ctx = context.WithValue(ctx, agentTeam{}, own)
	w.begun()
	run, err := w.parts.service.Agent.Start(ctx, task)
	if err != nil {
		return w.endAgent(ctx, nil, err)
	}
	w.parts.works.runs.Store(w.job, run)
	defer w.parts.works.runs.Delete(w.job)
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
	t.Journal = &agentJournal{space: w.space, light: w.Retained, told: stats.Cost, open: func() bool { return errors.Is(context.Cause(ctx), job.ErrShutdown) }}
	if stats.Items[job.Event] > 0 {
		t.History = agentHistory(ctx, w.space)
	}
	return t, nil
}

// agentJournal stores the events of a run as items of its job. The cost of an item is the
// number of whole credits that the run has spent since the previous item. So the figures
// of the job are always current.
type agentJournal struct {
	space job.Space
	light bool        // no text of a page or a model is stored
	told  int         // whole credits reported so far
	open  func() bool // reports whether the run stops here and continues in the next process
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
	// Store the end of a run even if the context has ended.
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
	w.parts.pages.Logger.ErrorContext(ctx, "agent failed", "team", w.team, "err", err)
	return errJob
}

// agentWeb fetches pages for agents. It obeys robots.txt, including the Crawl-delay.
type agentWeb struct {
	parts *parts
	rules web.Robots
	once  sync.Once
	line  *pace.Line // for turns of runs that are not jobs
}

// asker returns an asker for the run of ctx. held is the slot that the caller holds, or nil.
func (w *agentWeb) asker(ctx context.Context, held *slots.Seat) *turns.Asker {
	a := &turns.Asker{Fetcher: w.parts.pages.Fetcher, Seat: held}
	rules := w.robots(ctx)
	a.Claim = func(url string) pace.Claim { return pace.Claim{Delay: rules.Delay(url), Most: agentHosts} }
	if run, ok := ctx.Value(agentTeam{}).(agentRun); ok {
		a.Line = run.line
		return a
	}
	w.once.Do(func() { w.line = pace.NewLine(w.parts.pages.Hosts, false) })
	a.Line = w.line
	return a
}

// robots returns the cache of robots.txt files for the run of ctx.
func (w *agentWeb) robots(ctx context.Context) *web.Robots {
	if run, ok := ctx.Value(agentTeam{}).(agentRun); ok && run.rules != nil {
		return run.rules
	}
	return &w.rules
}

// agentTeam is the context key of an agentRun. The team is passed in the context, because
// package agent does not know teams.
type agentTeam struct{}

// agentRun is the value of agentTeam.
type agentRun struct {
	team  string
	limit int
	log   *meter.Activity
	space job.Space
	line  *pace.Line  // for turns of this run
	rules *web.Robots // robots.txt files of this run; nil means those that runs share
}

// agentHosts is the maximum number of requests in flight to one host.
const agentHosts = 4

// Fetch implements [agent.Fetcher].
func (w *agentWeb) Fetch(ctx context.Context, r *agent.Request) (page *agent.Page, err error) {
	if run, ok := ctx.Value(agentTeam{}).(agentRun); ok && run.log != nil {
		id, began := job.NewID(), time.Now()
		defer func() {
			status := 0
			if page != nil {
				status = page.Status
			}
			run.log.Tell(ctx, id, r.URL, status, began, err)
		}()
	}
	if err := r.Gate(ctx, r.URL); err != nil {
		return nil, err
	}
	if err := w.allowed(ctx, nil, r.URL); err != nil {
		return nil, err
	}
	turn, err := w.asker(ctx, nil).Take(ctx, r.URL) // taken before a slot, see pages.turn
	if err != nil {
		return nil, err
	}
	defer turn.End(nil, nil)
	var held *slots.Seat
	run, ofJob := ctx.Value(agentTeam{}).(agentRun)
	if ofJob {
		if held, _, err = w.parts.slots.Sit(ctx, run.team, run.limit); err != nil {
			return nil, err
		}
		defer held.Drop()
	}
	hops := []string{r.URL}
	asks := w.asker(ctx, held)
	asks.First = turn
	resp, err := asks.Fetch(ctx, &fetch.Request{URL: r.URL, Header: headerOf(r.Header), NoStore: len(r.Header) > 0, Timeout: time.Minute, Redirect: func(hop fetch.Hop) error {
		if err := r.Gate(ctx, hop.To); err != nil {
			return err
		}
		if err := w.allowed(ctx, held, hop.To); err != nil {
			return err
		}
		hops = append(hops, hop.To)
		return nil
	}})
	if err != nil {
		return nil, err
	}
	if ofJob {
		sum := fnv.New64a()
		_, _ = sum.Write([]byte(r.URL)) // never fails (hash.Hash)
		done, err := job.Attempt(ctx, run.space, sum.Sum64())
		if err != nil {
			return nil, err
		}
		defer done()
	}
	if page, err = w.read(ctx, held, r.URL, resp); err != nil {
		return nil, err
	}
	page.Hops = hops
	return page, nil
}

// headerOf returns the header of a request, or nil if there is none.
func headerOf(given map[string]string) http.Header {
	if len(given) == 0 {
		return nil
	}
	header := http.Header{}
	for name, v := range given {
		header.Set(name, v)
	}
	return header
}

// read makes the agent's page from a response.
func (w *agentWeb) read(ctx context.Context, held *slots.Seat, asked string, resp *fetch.Response) (*agent.Page, error) {
	v, err := w.parts.pages.Views(ctx, asked, resp, reading.Terms{Seat: held, Patient: true, Limit: time.Minute})
	if err != nil {
		return nil, err
	}
	media, _, _ := mime.ParseMediaType(v.Input.ContentType)
	sum := sha256.Sum256(resp.Body)
	page := &agent.Page{
		URL: asked, Final: resp.URL, Status: resp.Status, Title: v.Main.Metadata.Title, Type: media,
		Digest: hex.EncodeToString(sum[:]), Root: v.Input.Root, Main: *v.Main.Markdown, Full: *v.Full.Markdown,
	}
	base, err := weburl.Parse(resp.URL)
	if err != nil {
		return nil, err
	}
	source := links.Source{URL: base, Header: resp.Header, Agent: w.robots(ctx).Token()}
	for _, l := range source.Tree(v.Input.Root).Links {
		page.Links = append(page.Links, agent.Link{URL: l.URL.String(), Text: l.Text, Rel: l.Rel})
	}
	return page, nil
}

// allowed checks the robots.txt of a URL's origin. While it waits for the file, it
// releases the caller's slot to others.
func (w *agentWeb) allowed(ctx context.Context, held *slots.Seat, url string) error {
	return w.robots(ctx).Allowed(ctx, url, func(wait func() error) error { return held.Lend(ctx, false, wait) })
}

// Map implements [agent.Mapper].
func (w *agentWeb) Map(ctx context.Context, r *agent.Request, filter string, n int) ([]agent.Link, error) {
	if err := r.Gate(ctx, r.URL); err != nil {
		return nil, err
	}
	site, err := w.parts.service.Map(ctx, r.URL, &MapOptions{Search: filter, Limit: n, Timeout: time.Minute, Admit: r.Gate})
	if err != nil {
		return nil, err
	}
	found := make([]agent.Link, len(site.URLs))
	for i, u := range site.URLs {
		found[i].URL = u
	}
	return found, nil
}

// open prepares r for runs. If private is true, the robots.txt files are not shared with
// other jobs.
func (w *agentWeb) open(r *web.Robots, private bool) {
	r.UserAgent = w.parts.service.UserAgent
	if !private {
		r.Hosts = w.parts.pages.Hosts
	}
	r.Ask = func(ctx context.Context) web.Asker { return robotsAsker{w.asker(ctx, nil)} }
}

// robotsAsker takes turns and slots for requests of robots.txt files.
type robotsAsker struct{ *turns.Asker }

// robotsPatience is how long a redirect of a robots.txt waits for its turn. It is
// longer than the longest Crawl-delay of an agent. The wait needs a limit, because
// another request may hold this turn and wait for the file.
const robotsPatience = time.Minute

// Take implements [web.Asker].
func (a robotsAsker) Take(ctx context.Context, url string) (release func(), err error) {
	turn, err := a.Asker.Take(ctx, url)
	if err != nil {
		return nil, err
	}
	a.First, a.Patience = turn, robotsPatience
	return func() { turn.End(nil, nil) }, nil
}
