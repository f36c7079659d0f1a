// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"example.com/curlew/account"
	"example.com/curlew/agent"
	"example.com/curlew/crawl"
	"example.com/curlew/format"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/job"
	"example.com/curlew/threat"
	"example.com/curlew/webhook"
)

// Start is what the start of any job says besides its work.
type Start struct {
	Caller        Caller
	Webhook       *webhook.Hook    // where events of the job go; nil: nowhere
	Threat        *threat.Override // changes the team's threat policy as far as the team may; nil: as it is
	ZeroRetention bool             // the job is kept in memory alone, and ends with the process
	Warnings      []string         // sentences that the warning of the job begins with

	// Memo is stored with the job for whoever started it, see [Job.Memo].
	Memo json.RawMessage
}

// CrawlRequest asks for a crawl. URL is all that it needs.
type CrawlRequest struct {
	Start
	CrawlOptions

	URL         string        // its start page; without a scheme it is https
	Page        ScrapeOptions // how its pages are brought and shown; Caller, ZeroRetention and Threat in it are not read
	Limit       int           // pages; zero means 10,000
	Concurrency int           // pages at once; zero: as many as the team may
	Since       string        // id of an earlier crawl that this one is compared with; empty: none
	Keep        time.Duration // life after the end; zero: the team's, or the Service's

	// Prompt says in words which pages are wanted. A model makes options of it, and
	// Merge takes them over into a copy of the request; nil sets those fields of
	// CrawlOptions and Limit that are zero. Empty: there is no prompt.
	Prompt string
	Merge  func(r *CrawlRequest, plan *agent.CrawlPlan) error
}

// BatchRequest asks for pages by their URLs.
type BatchRequest struct {
	Start

	URLs        []string
	Page        ScrapeOptions // as in a CrawlRequest
	Concurrency int           // pages at once; zero: as many as the team may
	AppendTo    string        // id of a running batch that gets the URLs; empty: a new one
}

// AgentRequest asks an agent a question.
type AgentRequest struct {
	Start
	AgentOptions

	Credits int // the most that it may spend; zero means 2,500
}

// StartCrawl starts a crawl that runs until it has delivered what it is to
// deliver, also in later processes over the same Store. Its errors wrap
// [ErrRequest] where the request cannot be done as it is written, and then are an
// [*Error] with the field; else [ErrEngine], [ErrRate], [ErrBusy] and those of
// account, threat and job.
func (s *Service) StartCrawl(ctx context.Context, r *CrawlRequest) (*Job, error) {
	own := *r
	r = &own
	if err := s.Admit(ctx, &r.Caller); err != nil {
		return nil, err
	}
	policy := &r.Caller.Team.Policy
	if r.Robots == crawl.RobotsIgnore && !policy.AllowIgnoreRobots {
		return nil, refuse(account.ErrForbidden, "ignoreRobotsTxt is not enabled for this team.")
	}
	if r.RobotsAgent != "" && !policy.AllowRobotsUserAgent {
		return nil, refuse(account.ErrForbidden, "robotsUserAgent is not enabled for this team.")
	}
	sp, err := s.newSpec(&r.Start, &r.Page)
	if err != nil {
		return nil, err
	}
	if r.Prompt != "" && s.planner() == nil {
		return nil, refuse(errNoPlanner, "A crawl's prompt needs a model, and this server has none configured.")
	}
	if r.Since != "" {
		sp.Since = strings.ToLower(r.Since)
		if err := s.earlier(ctx, r.Caller.owner(), sp.Since); err != nil {
			return nil, err
		}
	}
	sp.Keep = cmp.Or(r.Keep, sp.Keep)
	start, err := s.address(r.URL, "URL")
	if err != nil {
		return nil, err
	}
	sp.URL, sp.Asked, sp.Traps = start.String(), r.URL, s.Traps
	asked := cmp.Or(r.Limit, defaultLimit)
	sp.Limit = clamp(asked, policy.MaxPages)
	if sp.Limit < asked {
		sp.Warnings = append(sp.Warnings, fmt.Sprintf("The limit was lowered to %d, the most for this team.", sp.Limit))
	}
	sp.Width = clamp(cmp.Or(r.Concurrency, sp.Slots), sp.Slots)
	if r.Concurrency > sp.Slots {
		sp.Warnings = append(sp.Warnings, fmt.Sprintf("maxConcurrency was lowered to %d, the most for this team.", sp.Slots))
	}
	cost := sp.Page.Price(sp.Retained) + s.scanCost(sp.Threat)
	m, err := s.meter(ctx, r.Caller.owner(), sp.Threat, cost, sp.Limit*cost)
	if err != nil {
		return nil, err
	}
	m.follow(s.activityOf(&r.Caller, KindCrawl, sp.Retained), sp.Retained)
	if n := m.reserved / cost; n < sp.Limit {
		sp.Limit = n
		sp.Warnings = append(sp.Warnings, fmt.Sprintf("The limit was lowered to %d, which is what the credits can pay.", n))
	}
	j, err := s.beginCrawl(ctx, r, start, m, sp)
	if err != nil {
		return nil, errors.Join(err, m.settle(ctx, m.total()))
	}
	return j, nil
}

const defaultLimit = 10_000

// beginCrawl asks the gate for the start URL, has what a prompt says planned,
// and starts a crawl.
func (s *Service) beginCrawl(ctx context.Context, r *CrawlRequest, start weburl.URL, m *meter, sp *spec) (*Job, error) {
	err := errors.Join(s.ask(ctx, &r.Caller.Team, m, start), askHook(&r.Caller.Team, m.gate, sp.Hook))
	if err != nil {
		m.log.tell(ctx, "", start.String(), 0, time.Now(), err)
		return nil, err
	}
	if r.Prompt != "" {
		if err := s.plan(ctx, r, start, m, sp); err != nil {
			return nil, err
		}
	}
	sp.Crawl = &r.CrawlOptions
	config := sp.config()
	if _, err := config.Compile(); err != nil {
		return nil, invalid("CrawlOptions", err)
	}
	return s.begun(ctx, KindCrawl, &r.Start, sp, m)
}

// StartBatch starts a batch, or gives one that runs more to do. URLs that the
// team's blocklist or the threat gate refuse are left out, see [Job.Refused].
// Errors are those of StartCrawl; [ErrFinished] of a batch that has ended.
func (s *Service) StartBatch(ctx context.Context, r *BatchRequest) (*Job, error) {
	if err := s.Admit(ctx, &r.Caller); err != nil {
		return nil, err
	}
	sp, err := s.newSpec(&r.Start, &r.Page)
	if err != nil {
		return nil, err
	}
	if len(r.URLs) == 0 {
		return nil, errNoURLs
	}
	sp.URLs = r.URLs
	sp.Width = clamp(cmp.Or(r.Concurrency, sp.Slots), sp.Slots)
	cost := sp.Page.Price(sp.Retained)
	most := len(r.URLs) * (cost + s.scanCost(sp.Threat))
	m, err := s.meter(ctx, r.Caller.owner(), sp.Threat, len(r.URLs)*cost, most)
	if err != nil {
		return nil, err
	}
	m.follow(s.activityOf(&r.Caller, "batch", sp.Retained), sp.Retained)
	j, err := s.beginBatch(ctx, r, m, sp)
	if err != nil {
		return nil, errors.Join(err, m.settle(ctx, m.total()))
	}
	return j, nil
}

// beginBatch asks the gate for each URL, and starts a batch with those that pass
// or appends them to one.
func (s *Service) beginBatch(ctx context.Context, r *BatchRequest, m *meter, sp *spec) (*Job, error) {
	if err := askHook(&r.Caller.Team, m.gate, sp.Hook); err != nil {
		return nil, err
	}
	var urls, scanned []string // to be asked for; refused, but not for nothing
	for i, raw := range sp.URLs {
		u, err := s.address(raw, fmt.Sprintf("URLs[%d]", i))
		if err != nil {
			return nil, err
		}
		u = u.WithoutFragment()
		before := m.total()
		switch err := s.ask(ctx, &r.Caller.Team, m, u); {
		case err == nil:
			urls = append(urls, raw)
		case errors.Is(err, errBlocked), errors.Is(err, threat.ErrBlocked):
			sp.Refused = append(sp.Refused, raw)
			if m.total() > before {
				scanned = append(scanned, raw)
			}
			m.log.tell(ctx, "", u.String(), 0, time.Now(), err)
		default:
			return nil, err
		}
	}
	if len(urls) == 0 {
		return nil, errNoURLs
	}
	if r.AppendTo != "" {
		j, err := s.appendTo(ctx, r.Caller.owner(), strings.ToLower(r.AppendTo), urls)
		if err != nil {
			return nil, err
		}
		j.spec.Refused = sp.Refused
		// What the scans cost is spent; the pages are the running job's.
		return j, m.settle(ctx, m.total())
	}
	sp.URLs = append(urls, scanned...) // the last fail at once: their entries say what the scans cost
	return s.begun(ctx, KindBatch, &r.Start, sp, m)
}

// appendTo gives a running batch more to do.
func (s *Service) appendTo(ctx context.Context, team, id string, urls []string) (*Job, error) {
	j, err := s.Job(ctx, team, id)
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
	// Counted first: its work may be done with them at once, and end.
	s.backlog.add(j.spec.Op, len(urls))
	err = s.runner().Append(ctx, team, id, items...)
	if err != nil {
		s.backlog.add(j.spec.Op, -len(urls))
	}
	if errors.Is(err, job.ErrEnded) {
		return nil, refuse(ErrFinished, "Batch scrape is already completed")
	}
	return j, outOf(ofDisk, err)
}

// StartAgent starts an agent that answers a question. Errors are those of
// StartCrawl; [ErrEngine] where the Service has none.
func (s *Service) StartAgent(ctx context.Context, r *AgentRequest) (*Job, error) {
	sp, err := s.newSpec(&r.Start, nil)
	if err != nil {
		return nil, err
	}
	if s.Agent == nil {
		return nil, errors.Join(refuse(ErrEngine, "The agent needs a model, and this server has none configured."), agent.ErrNoModel)
	}
	own := r.AgentOptions
	own.Model = cmp.Or(own.Model, defaultModel)
	ceiling := clamp(cmp.Or(r.Credits, defaultCredits), r.Caller.Team.Policy.MaxAgentCredits)
	s.runner() // fills the engine in
	if err := s.Agent.Check(own.task(ceiling)); errors.Is(err, agent.ErrTask) {
		return nil, invalid("AgentOptions", err)
	}
	if sp.Free, err = s.free(ctx, &r.Caller, ceiling); err != nil {
		return nil, err
	}
	least, want := min(1, ceiling), ceiling
	if sp.Free {
		least, want = 0, 0
	}
	m, err := s.meter(ctx, r.Caller.owner(), sp.Threat, least, want)
	if err != nil {
		return nil, err
	}
	m.follow(s.activityOf(&r.Caller, KindAgent, sp.Retained), sp.Retained)
	if sp.Limit = ceiling; !sp.Free {
		sp.Limit = m.reserved
	}
	sp.Agent = &own
	j, err := s.beginAgent(ctx, r, m, sp)
	if err != nil {
		return nil, errors.Join(err, m.settle(ctx, m.total()))
	}
	return j, nil
}

// beginAgent asks the gate for each URL that the task names, notes what that
// cost, and starts an agent.
func (s *Service) beginAgent(ctx context.Context, r *AgentRequest, m *meter, sp *spec) (*Job, error) {
	if err := askHook(&r.Caller.Team, m.gate, sp.Hook); err != nil {
		return nil, err
	}
	for i, raw := range r.URLs {
		before := m.total()
		u, err := s.address(raw, fmt.Sprintf("URLs[%d]", i))
		if err != nil {
			return nil, err
		}
		if err := s.ask(ctx, &r.Caller.Team, m, u); err != nil {
			m.log.tell(ctx, "", raw, 0, time.Now(), err)
			return nil, err
		}
		if sp.Cleared == nil {
			sp.Cleared = map[string]int{}
		}
		sp.Cleared[raw] = m.total() - before
	}
	return s.begun(ctx, KindAgent, &r.Start, sp, m)
}

// newSpec returns what a job is told, whatever its kind. Page is nil where it has
// no pages of its own.
func (s *Service) newSpec(r *Start, page *ScrapeOptions) (*spec, error) {
	policy := &r.Caller.Team.Policy
	var forms *format.Options
	if page != nil {
		forms = &page.Format
	}
	b, err := r.Caller.bounds(forms, r.ZeroRetention, r.Threat)
	if err != nil {
		return nil, err
	}
	if r.Webhook != nil {
		if err := s.Webhooks.CheckURL(r.Webhook.URL); err != nil {
			return nil, invalid("Webhook.URL", err)
		}
	}
	sp := &spec{
		Threat:   b.rules,
		Retained: b.retained,
		Slots:    concurrency(policy),
		External: r.Caller.ExternalID,
		Hook:     r.Webhook,
		Keep:     policy.Retention,
		KeyID:    r.Caller.Team.KeyID,
		Warnings: r.Warnings,
	}
	if page != nil {
		own := *page
		own.InsecureTLS = own.InsecureTLS && !policy.NoSkipTLS
		sp.Page = &own
	}
	return sp, nil
}

// begun starts a job, with which its meter goes.
func (s *Service) begun(ctx context.Context, kind string, r *Start, sp *spec, m *meter) (*Job, error) {
	sp.Audit, sp.Memo = m.log.logged(), r.Memo
	record, err := s.start(ctx, r.Caller.owner(), kind, *sp, m)
	if err != nil {
		return nil, err
	}
	return &Job{service: s, record: record, spec: *sp}, nil
}

// address reads a URL of a request.
func (s *Service) address(raw, field string) (weburl.URL, error) {
	u, err := weburl.Input(raw, s.LocalNames)
	if err != nil {
		return u, invalid(field, err)
	}
	return u, nil
}

// invalid says what is wrong with a field of a request in Go.
func invalid(field string, err error) error {
	return &Error{Err: fmt.Errorf("%w: %w", ErrRequest, err), Text: err.Error(), Field: field}
}
