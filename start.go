// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/curlew/agent"
	"example.com/curlew/internal/service/admission"
	"example.com/curlew/internal/service/agents"
	"example.com/curlew/internal/service/faults"
	"example.com/curlew/internal/service/meter"
	"example.com/curlew/internal/service/policy"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/job"
	"example.com/curlew/threat"
	"example.com/curlew/webhook"
)

// Start contains the common options for starting jobs of all kinds.
type Start struct {
	Caller        Caller
	Webhook       *webhook.Hook    // where events of the job are sent; may be nil
	Threat        *threat.Override // changes the threat policy of the team as far as the team may; may be nil
	ZeroRetention bool             // the job is stored only in memory, and ends with the process
	Warnings      []string         // sentences at the beginning of the job's warning

	Idempotency Idempotency // makes the start repeatable, unless it is the zero value

	// Memo is data of the front end. It is stored with the job and returned by
	// [Job.Memo]. The Service does not read it.
	Memo json.RawMessage
}

// CrawlRequest is a request for a crawl. Only URL is required.
type CrawlRequest struct {
	Start
	CrawlOptions

	URL         string        // start page; http:// is put before it if it has no scheme
	Page        ScrapeOptions // how its pages are fetched and formatted; its Caller, ZeroRetention and Threat are ignored
	Limit       int           // maximum number of delivered pages; zero means 10,000
	Concurrency int           // how many pages are processed at once; zero means as many as the team may
	Since       string        // ID of an earlier crawl with which to compare; may be empty
	Keep        time.Duration // how long the job is stored after its end; zero means the default of the team or the Service

	// Archive stores each request and response as they were sent, for [Job.Archive]. Then no
	// page comes from a cache. What a browser requests to show a page is not stored. If the
	// Service has a browser, the warning of the job says so. Archive cannot be combined with
	// ZeroRetention.
	Archive bool

	// Prompt describes in words which pages are wanted. If it is not empty, a model turns
	// it into options, which Merge copies into the request. A nil Merge sets the zero
	// fields of CrawlOptions and Limit.
	Prompt string
	Merge  func(r *CrawlRequest, plan *agent.CrawlPlan) error
}

// BatchRequest is a request for pages by their URLs.
type BatchRequest struct {
	Start

	URLs        []string
	Page        ScrapeOptions // as in a CrawlRequest
	Concurrency int           // how many pages are processed at once; zero means as many as the team may
	AppendTo    string        // ID of a running batch that gets the URLs; empty means a new batch
	Archive     bool          // as in a CrawlRequest; URLs that are appended are archived if the batch is
}

// AgentRequest is a question for an agent.
type AgentRequest struct {
	Start
	AgentOptions

	Credits int  // maximum number of credits to spend; zero means 2,500
	Extract bool // the job has the kind KindExtract, which keeps it apart from the agents of the team
}

// StartCrawl starts a crawl. It runs until it has delivered its pages, if necessary in
// later processes with the same Store. If the request is not valid, the error is an
// [*Error] that wraps [ErrRequest] and names the field. Other errors wrap [ErrConflict],
// [ErrEngine], [ErrRate], [ErrBusy] and those of packages account, threat and job.
func (s *Service) StartCrawl(ctx context.Context, r *CrawlRequest) (*Job, error) {
	if r == nil {
		return nil, errNoRequest
	}
	own, p := *r, s.parts()
	if err := cmp.Or(own.Caller.MayUse("crawl"), own.check(), shut(p.closed)); err != nil {
		return nil, err
	}
	wanted := []any{own.CrawlOptions, own.URL, own.Page, own.Limit, own.Concurrency, own.Since, own.Keep, own.Archive, own.Prompt}
	return p.startOnce(ctx, KindCrawl, &own.Start, wanted, func() (*Job, error) { return p.startCrawl(ctx, &own) })
}

func (p *parts) startCrawl(ctx context.Context, r *CrawlRequest) (*Job, error) {
	if err := p.service.Admit(ctx, &r.Caller); err != nil {
		return nil, err
	}
	team := &r.Caller.Team.Policy
	if err := r.Caller.mayAsk(&r.Page.ParseOptions); err != nil {
		return nil, err
	}
	if err := r.Caller.mayIgnore(r.Robots, r.RobotsAgent); err != nil {
		return nil, err
	}
	l, err := p.launch(KindCrawl, &r.Start, &r.Page)
	if err != nil {
		return nil, err
	}
	sp := l.spec
	if r.Prompt != "" && agents.Planner(p.service.Agent) == nil {
		return nil, refuse(faults.ErrNoPlanner, "A crawl's prompt needs a model, and this server has none configured.")
	}
	if r.Since != "" {
		sp.Since = strings.ToLower(r.Since)
		warning, err := p.earlier(ctx, r.Caller.owner(), sp.Since)
		if err != nil {
			return nil, err
		}
		if warning != "" {
			sp.Warnings = append(slices.Clip(sp.Warnings), warning)
		}
	}
	if err := l.archive(r.Archive); err != nil {
		return nil, err
	}
	sp.Keep = cmp.Or(r.Keep, sp.Keep)
	start, err := p.address(r.URL, "URL")
	if err != nil {
		return nil, err
	}
	sp.URL, sp.Asked, sp.Traps = start.String(), r.URL, p.service.Traps
	asked := cmp.Or(r.Limit, defaultLimit)
	if sp.Limit = policy.AtMost(asked, team.MaxPages); sp.Limit < asked {
		sp.Warnings = append(sp.Warnings, fmt.Sprintf("The limit was lowered to %d, the most for this team.", sp.Limit))
	}
	sp.Width = policy.AtMost(cmp.Or(r.Concurrency, sp.Slots), sp.Slots)
	if r.Concurrency > sp.Slots {
		sp.Warnings = append(sp.Warnings, fmt.Sprintf("maxConcurrency was lowered to %d, the most for this team.", sp.Slots))
	}
	cost := sp.Page.Price(sp.Retained) + p.meters.ScanCost(sp.Threat)
	if err := l.reserve(ctx, KindCrawl, cost, sp.Limit*cost); err != nil {
		return nil, err
	}
	if n := l.meter.Reserved() / cost; n < sp.Limit {
		sp.Limit = n
		sp.Warnings = append(sp.Warnings, fmt.Sprintf("The limit was lowered to %d, which is what the credits can pay.", n))
	}
	return l.end(ctx, func() (*Job, error) { return l.crawl(ctx, r, start) })
}

const defaultLimit = 10_000

// crawl asks the threat gate about the start URL, plans options from the prompt, and
// begins the job.
func (l *launch) crawl(ctx context.Context, r *CrawlRequest, start weburl.URL) (*Job, error) {
	err := errors.Join(ask(ctx, &r.Caller.Team, l.meter, start), askHook(ctx, &r.Caller.Team, l.meter, l.spec.Hook))
	if err != nil {
		l.meter.Log.Tell(ctx, "", start.String(), 0, time.Now(), err)
		return nil, err
	}
	if r.Prompt != "" {
		if err := l.plan(ctx, r, start); err != nil {
			return nil, err
		}
	}
	l.spec.Crawl = &r.CrawlOptions
	config := l.spec.config()
	if _, err := config.Compile(); err != nil {
		return nil, invalid("CrawlOptions", err)
	}
	return l.begin(ctx)
}

// StartBatch starts a batch, or appends URLs to a running one. URLs that the team's
// blocklist or the threat gate refuses are left out, see [Job.Refused]. The errors are
// those of StartCrawl, and [ErrFinished] if URLs cannot be appended because the batch
// has ended.
func (s *Service) StartBatch(ctx context.Context, r *BatchRequest) (*Job, error) {
	if r == nil {
		return nil, errNoRequest
	}
	own, p := *r, s.parts()
	if err := cmp.Or(own.Caller.MayUse("batch"), own.check(), shut(p.closed)); err != nil {
		return nil, err
	}
	wanted := []any{own.URLs, own.Page, own.Concurrency, own.AppendTo, own.Archive}
	return p.startOnce(ctx, KindBatch, &own.Start, wanted, func() (*Job, error) { return p.startBatch(ctx, &own) })
}

func (p *parts) startBatch(ctx context.Context, r *BatchRequest) (*Job, error) {
	if err := p.service.Admit(ctx, &r.Caller); err != nil {
		return nil, err
	}
	l, err := p.launch(KindBatch, &r.Start, &r.Page)
	if err != nil {
		return nil, err
	}
	if len(r.URLs) == 0 {
		return nil, refuse(faults.ErrNoURLs, "No valid URLs provided")
	}
	if r.Archive && r.AppendTo != "" {
		return nil, refuse(ErrRequest, "A running batch cannot be archived from now on. Ask for warc when it starts.")
	}
	if err := l.archive(r.Archive); err != nil {
		return nil, err
	}
	sp := l.spec
	sp.URLs = r.URLs
	sp.Width = policy.AtMost(cmp.Or(r.Concurrency, sp.Slots), sp.Slots)
	cost := sp.Page.Price(sp.Retained)
	most := len(r.URLs) * (cost + p.meters.ScanCost(sp.Threat))
	if err := l.reserve(ctx, "batch", len(r.URLs)*cost, most); err != nil {
		return nil, err
	}
	return l.end(ctx, func() (*Job, error) { return l.batch(ctx, r) })
}

// batch asks the threat gate about each URL. With the URLs that it allows, batch begins a
// batch, or it appends them to one.
func (l *launch) batch(ctx context.Context, r *BatchRequest) (*Job, error) {
	m, sp := l.meter, l.spec
	if err := askHook(ctx, &r.Caller.Team, m, sp.Hook); err != nil {
		return nil, err
	}
	var urls, scanned []string // URLs to fetch; refused URLs whose scans were billed
	for i, raw := range sp.URLs {
		u, err := l.parts.address(raw, fmt.Sprintf("URLs[%d]", i))
		if err != nil {
			return nil, err
		}
		u = u.WithoutFragment()
		before := m.Total()
		switch err := ask(ctx, &r.Caller.Team, m, u); {
		case err == nil:
			urls = append(urls, raw)
		case errors.Is(err, faults.ErrBlocked), errors.Is(err, threat.ErrBlocked):
			sp.Refused = append(sp.Refused, raw)
			if m.Total() > before {
				scanned = append(scanned, raw)
			}
			m.Log.Tell(ctx, "", u.String(), 0, time.Now(), err)
		default:
			return nil, err
		}
	}
	if len(urls) == 0 {
		return nil, refuse(faults.ErrNoURLs, "No valid URLs provided")
	}
	if r.AppendTo != "" {
		j, err := l.appendTo(ctx, strings.ToLower(r.AppendTo), urls)
		if err != nil {
			return nil, err
		}
		j.spec.Refused = sp.Refused
		// This call pays for the scans, the running job for the pages.
		return j, m.Settle(ctx, m.Total())
	}
	sp.URLs = append(urls, scanned...) // refused URLs fail at once, and their entries name the cost of the scans
	return l.begin(ctx)
}

// appendTo appends URLs to a running batch.
func (l *launch) appendTo(ctx context.Context, id string, urls []string) (*Job, error) {
	p, team := l.parts, l.start.Caller.owner()
	j, _, err := p.find(ctx, team, id)
	if err == nil && j.Kind() != KindBatch {
		err = job.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	items := make([]job.Item, len(urls))
	for i, u := range urls {
		items[i] = job.Item{Kind: job.Input, Data: []byte(u)}
	}
	key, err := l.key()
	if err != nil {
		return nil, err
	}
	// Count the URLs before they are appended, because the batch may process them and end
	// at once.
	p.backlog.Add(j.spec.Op, len(urls))
	err = p.runner.AppendOnce(ctx, team, id, key, items...)
	if err != nil {
		p.backlog.Add(j.spec.Op, -len(urls))
	}
	if errors.Is(err, job.ErrEnded) {
		return nil, refuse(ErrFinished, "Batch scrape is already completed")
	}
	return j, outOf(admission.OfDisk, err)
}

// StartAgent starts an agent that answers a question. The errors are those of StartCrawl.
// If the Service has no Agent, the error wraps [ErrEngine].
func (s *Service) StartAgent(ctx context.Context, r *AgentRequest) (*Job, error) {
	if r == nil {
		return nil, errNoRequest
	}
	own, p, kind := *r, s.parts(), KindAgent
	if r.Extract {
		kind = KindExtract
	}
	if err := cmp.Or(own.Caller.MayUse("agent"), own.check(), shut(p.closed)); err != nil {
		return nil, err
	}
	return p.startOnce(ctx, kind, &own.Start, []any{own.AgentOptions, own.Credits}, func() (*Job, error) { return p.startAgent(ctx, kind, &own) })
}

func (p *parts) startAgent(ctx context.Context, kind string, r *AgentRequest) (*Job, error) {
	l, err := p.launch(kind, &r.Start, nil)
	if err != nil {
		return nil, err
	}
	engine, sp := p.service.Agent, l.spec
	if engine == nil || engine.Model == nil {
		return nil, refuse(fmt.Errorf("%w: %w", ErrEngine, agent.ErrNoModel), "The agent needs a model, and this server has none configured.")
	}
	own := r.AgentOptions
	own.Model = cmp.Or(own.Model, agents.DefaultModel)
	if err := p.continued(ctx, r.Caller.owner(), kind, &own, sp); err != nil {
		return nil, err
	}
	r.URLs = own.URLs
	ceiling := policy.AtMost(cmp.Or(r.Credits, defaultCredits), r.Caller.Team.Policy.MaxAgentCredits)
	if err := engine.Check(own.task(ceiling)); errors.Is(err, agent.ErrTask) {
		return nil, invalid("AgentOptions", err)
	}
	if sp.Free, err = l.free(ctx, ceiling); err != nil {
		return nil, err
	}
	least, want := min(1, ceiling), ceiling
	if sp.Free {
		least, want = 0, 0
	}
	if err := l.reserve(ctx, kind, least, want); err != nil {
		return nil, err
	}
	if sp.Limit = ceiling; !sp.Free {
		sp.Limit = l.meter.Reserved()
	}
	sp.Agent = &own
	return l.end(ctx, func() (*Job, error) { return l.agent(ctx, r) })
}

// agent asks the threat gate about each URL of the task, records the cost, and begins the
// job.
func (l *launch) agent(ctx context.Context, r *AgentRequest) (*Job, error) {
	m, sp := l.meter, l.spec
	if err := askHook(ctx, &r.Caller.Team, m, sp.Hook); err != nil {
		return nil, err
	}
	for i, raw := range r.URLs {
		before := m.Total()
		u, err := l.parts.address(raw, fmt.Sprintf("URLs[%d]", i))
		if err != nil {
			return nil, err
		}
		if err := ask(ctx, &r.Caller.Team, m, u); err != nil {
			m.Log.Tell(ctx, "", raw, 0, time.Now(), err)
			return nil, err
		}
		if sp.Cleared == nil {
			sp.Cleared = map[string]int{}
		}
		sp.Cleared[raw] = m.Total() - before
	}
	return l.begin(ctx)
}

// launch is the start of one job. Credits that it reserves go to the job, or are
// given back if the job does not begin.
type launch struct {
	parts *parts
	kind  string
	start *Start
	spec  *spec
	meter *meter.Meter // nil until reserve is called
}

// launch checks the parts of a request that all kinds of jobs have. If the job has no
// options for pages, page is nil.
func (p *parts) launch(kind string, r *Start, page *ScrapeOptions) (*launch, error) {
	team := &r.Caller.Team.Policy
	if page != nil && page.Read.Password != "" {
		return nil, invalid("Page.Read.Password", errors.New("jobs store their options, so they have no password"))
	}
	b, err := r.Caller.pageBounds(&p.pages.Browser, page, r.ZeroRetention, r.Threat)
	if err != nil {
		return nil, err
	}
	if r.Webhook != nil {
		if field, err := p.service.Webhooks.Check(r.Webhook, Events(kind)); err != nil {
			return nil, invalid("Webhook."+field, err)
		}
	}
	sp := &spec{
		specBounds: specBounds{Threat: b.rules, Retained: b.retained, KeyID: r.Caller.Team.KeyID, External: r.Caller.ExternalID},
		specShare:  specShare{Slots: policy.AtOnce(team), Shown: team.MaxRendered},
		Hook:       r.Webhook,
		Keep:       team.Retention,
		Warnings:   r.Warnings,
	}
	if page != nil {
		own := *page
		own.InsecureTLS = own.InsecureTLS && !team.NoSkipTLS
		sp.Page = &own
	}
	return &launch{parts: p, kind: kind, start: r, spec: sp}, nil
}

// archive makes the job store its requests and responses, if asked is set.
func (l *launch) archive(asked bool) error {
	if l.spec.Archive = asked; asked && l.spec.Retained {
		return refuse(ErrRequest, "A "+l.kind+" with zero data retention cannot be archived.")
	}
	if asked && l.parts.service.Renderer != nil {
		l.spec.Warnings = append(l.spec.Warnings, "The web archive has the requests of this server. What a browser requests to show a page is not in it.")
	}
	return nil
}

// reserve opens the meter of the job, and reserves up to want credits. If the team has
// fewer than least credits, reserve returns an error.
func (l *launch) reserve(ctx context.Context, endpoint string, least, want int) (err error) {
	all := &l.parts.meters
	if l.meter, err = all.Open(ctx, l.start.Caller.owner(), l.spec.Threat, least, want); err != nil {
		return err
	}
	l.meter.Follow(l.start.Caller.activity(all, endpoint, l.spec.Retained), l.spec.Retained)
	return nil
}

// end returns the job that begin makes. If begin fails, end settles the credits.
func (l *launch) end(ctx context.Context, begin func() (*Job, error)) (*Job, error) {
	j, err := begin()
	if err != nil {
		return nil, errors.Join(err, l.meter.Settle(ctx, l.meter.Total()))
	}
	return j, nil
}

// begin stores the job and hands it the meter.
func (l *launch) begin(ctx context.Context) (*Job, error) {
	p, sp, team := l.parts, l.spec, l.start.Caller.owner()
	if err := busy(p.capacity.ShortOf()); err != nil {
		return nil, err
	}
	sp.Audit, sp.Memo = l.meter.Log.Base(), l.start.Memo
	if l.start.Idempotency.Key != "" {
		sp.Idempotency = &l.start.Idempotency
	}
	sp.Version, sp.Op, sp.Reserved = specVersion, l.meter.Op(), l.meter.Reserved()
	raw, err := json.Marshal(sp)
	if err != nil {
		return nil, err
	}
	key, err := l.key()
	if err != nil {
		return nil, err
	}
	p.works.ready.Store(sp.Op, l.meter)
	p.backlog.Set(team, sp.Op, len(sp.URLs))
	record, err := p.runner.Begin(ctx, job.Job{Kind: l.kind, Owner: team, Spec: raw, Keep: sp.Keep, Volatile: sp.Retained, Key: key})
	if err != nil {
		p.works.ready.Delete(sp.Op)
		p.backlog.Leave(sp.Op)
		return nil, outOf(admission.OfDisk, err)
	}
	return &Job{parts: p, record: record, spec: *sp}, nil
}

// address reads a URL of a request.
func (p *parts) address(raw, field string) (weburl.URL, error) {
	u, err := weburl.Input(raw, p.service.LocalNames)
	if err == nil {
		return u, nil
	}
	fault := &Error{Err: fmt.Errorf("%w: %w", ErrRequest, err), Text: err.Error(), Field: field}
	if _, local := weburl.Input(raw, true); local == nil {
		fault.Text += " (Service.LocalNames allows names without a dot, such as localhost)"
	}
	return u, fault
}

// errNoRequest means that a request is nil.
var errNoRequest error = &Error{Err: ErrRequest, Text: "the request is nil"}

// invalid returns the error for a field of a Go request that is not valid.
func invalid(field string, err error) error {
	return &Error{Err: fmt.Errorf("%w: %w", ErrRequest, err), Text: err.Error(), Field: field}
}
