// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"example.com/curlew/account"
	"example.com/curlew/agent"
	"example.com/curlew/agent/search"
	"example.com/curlew/audit"
	"example.com/curlew/crawl"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/fetch"
	"example.com/curlew/fetch/render"
	"example.com/curlew/format"
	"example.com/curlew/internal/service/admission"
	"example.com/curlew/internal/service/agents"
	"example.com/curlew/internal/service/meter"
	"example.com/curlew/internal/service/outbox"
	"example.com/curlew/internal/service/pages"
	"example.com/curlew/internal/service/policy"
	"example.com/curlew/internal/service/repeats"
	"example.com/curlew/internal/service/slots"
	"example.com/curlew/internal/service/stored"
	"example.com/curlew/internal/service/viewing"
	"example.com/curlew/job"
	"example.com/curlew/observe"
	"example.com/curlew/parse"
	"example.com/curlew/threat"
	"example.com/curlew/webhook"
)

// Service composes the engines. The zero value is ready to use: it fetches from public
// addresses, keeps jobs in memory and does not limit the credits of teams. A Service is
// safe for concurrent use. It must not be copied, nor changed after its first use.
type Service struct {
	Fetcher    fetch.Fetcher     // nil means a zero fetch.Client. A Fetcher with a cache has a method Caching() bool that returns true, as fetch.Client does
	Parser     parse.Engine      // reads fetched pages and uploaded documents
	Format     format.Engine     // formats them. A nil Writer means the Agent's model, and nil Snapshots mean 64 MiB in memory. The Loader is ignored: style sheets come from the Fetcher
	Store      job.Store         // nil means in memory, see Limits.Results
	Keep       time.Duration     // how long a job is stored after its end; zero means 24 h
	Classifier threat.Classifier // scores URLs for threat protection; if nil, URLs are not scored
	Credits    account.Credits   // if nil, credits are counted but not limited
	Webhooks   webhook.Config    // how events of jobs are delivered
	Agent      *agent.Engine     // answers questions; if nil, agents are refused. The Service fills in Fetch, Map and Admit if they are nil
	Renderer   render.Renderer   // the browser for pages that need scripts, and for requests that ask for it; if nil, no page is shown. See [ScrapeOptions].Browser
	Searcher   search.Provider   // searches the web for Search and, unless it has one of its own, for the Agent; if nil, searches are refused
	UserAgent  string            // User-Agent of crawls and agents; empty means "curlew"
	Hosts      pace.Scheduler    // limits the rate of requests of all jobs and scrapes to each host; nil means that of a Store that is a [job.Pacer], or else one in memory
	Limits     Limits            // how much of the machine the Service may use

	// Traps decides when a crawl suspects a site of endlessly many URLs, and how many
	// of them it requests. A crawl keeps the values with which it was started.
	Traps crawl.Traps

	// LocalNames allows host names without a dot. Whether their addresses may be dialed
	// depends only on the Fetcher.
	LocalNames bool

	Audit  audit.Sink     // gets an event for each URL that was fetched or refused; may be nil. Put an [audit.Queue] before a slow sink
	Trace  *observe.Trace // may be nil
	Logger *slog.Logger   // if nil, nothing is logged

	inner parts
}

// parts are the components of a Service. They are created from its fields at the first
// use, and never replaced.
type parts struct {
	once     sync.Once
	service  *Service
	capacity admission.Capacity
	pages    pages.Pipeline
	meters   meter.Meters
	slots    slots.Teams // pages that are processed here
	lent     slots.Teams // pages that other processes may process for jobs of this one
	backlog  slots.Backlog
	runner   job.Runner
	works    works
	files    viewing.Store
	outbox   outbox.Outbox
	repeats  repeats.Repeats
	agents   agents.Web
	closing  sync.Once
	closed   chan struct{} // closed when Shutdown begins
}

// parts returns the components of s. The first call creates them.
func (s *Service) parts() *parts {
	p := &s.inner
	p.once.Do(func() {
		p.service = s
		p.closed = make(chan struct{})
		p.capacity.Open(admission.Limits(s.Limits), s.Store)
		p.openMeters()
		p.openPages()
		p.repeats.Stored = p.storedStarts
		p.repeats.Key = func(ctx context.Context, id repeats.ID) (*job.Key, error) {
			return p.runner.Key(ctx, id.Team, id.Kind, id.Key)
		}
		p.runner.Store, p.runner.Keep, p.runner.Logger = s.Store, s.Keep, s.Logger
		if s.Store == nil {
			p.runner.Store = p.capacity.Results
		}
		if shared, ok := p.runner.Store.(job.Slotter); ok {
			p.slots.Common = shared.Slots()
		}
		p.openOutbox()
		p.runner.Works = map[string]job.Work{
			KindCrawl: p.working((*work).crawl), KindBatch: p.working((*work).batch), KindAgent: p.working((*work).answer), KindExtract: p.working((*work).answer),
			outbox.Kind: p.observed(p.outbox.Sender.Work), viewing.Kind: p.files.Work,
		}
		p.equipAgent()
	})
	return p
}

// openMeters creates the meters.
func (p *parts) openMeters() {
	s, m := p.service, &p.meters
	m.Credits, m.Classifier, m.Sink, m.Logger, m.Explain = s.Credits, s.Classifier, s.Audit, s.Logger, auditFault
	m.Fill()
}

// openPages creates the pipeline of pages and the store of their files.
func (p *parts) openPages() {
	s, g := p.service, &p.pages
	g.Fetcher, g.Parser, g.Format, g.Hosts, g.Logger = s.Fetcher, &s.Parser, s.Format, s.Hosts, p.meters.Logger
	g.Browser = viewing.Open(s.Renderer, g.Logger)
	if p, shares := s.Store.(job.Pacer); shares && g.Hosts == nil {
		g.Hosts = p.Hosts()
	}
	g.Fill()
	if w := agents.Writer(s.Agent); g.Format.Writer == nil && w != nil {
		g.Format.Writer = w
	}
	g.Budget.Memory, g.Budget.Wait, g.Budget.Logger = p.capacity.Parses, p.capacity.Limits.Wait, g.Logger
	g.Busy = func(err error) error { return outOf(admission.OfMemory, err) }
	p.files.Runner = &p.runner
	p.files.Ready = func() error { return busy(p.capacity.ShortOf()) }
	p.files.Full = func(err error) error { return outOf(admission.OfDisk, err) }
}

// openOutbox creates the outbox.
func (p *parts) openOutbox() {
	s, o := p.service, &p.outbox
	o.Runner, o.Stepped, o.Document = &p.runner, []string{KindAgent, KindExtract}, stored.Document
	o.Sender.Config, o.Sender.Logger, o.Sender.Client, o.Sender.Source = s.Webhooks, p.meters.Logger, s.Webhooks.NewClient(), o.Events
	o.Sender.Trace = func(ctx context.Context, a outbox.Attempt) (context.Context, func(error)) {
		return s.Trace.BeginWebhook(ctx, observe.Webhook{Job: a.Job, Team: a.Team, Event: a.Event, Attempt: a.Number})
	}
}

// Resume continues the jobs that were running when the Store was opened; see
// [job.Runner.Resume]. A program calls it once, when it starts. The error names
// the jobs that cannot be continued.
func (s *Service) Resume(ctx context.Context) error {
	if err := s.parts().runner.Resume(ctx); err != nil {
		return fmt.Errorf("resume: %w", err)
	}
	return nil
}

// Shutdown stops the work of all jobs and waits until it has stopped. If ctx ends
// before that, Shutdown returns its cause. The reading of documents for callers is
// aborted at once. Shutdown does not wait for readers that do not end, but logs their
// number. Afterwards no work can be started, but results can still be read.
func (s *Service) Shutdown(ctx context.Context) error {
	p := s.parts()
	p.closing.Do(func() { close(p.closed) })
	var reading sync.WaitGroup
	defer reading.Wait()
	reading.Go(func() {
		if n, age := p.pages.Budget.Stop(ctx); n > 0 {
			p.pages.Logger.ErrorContext(ctx, "documents are still being read at shutdown", "count", n, "oldest", age)
		}
	})
	if err := p.runner.Shutdown(ctx); err != nil {
		return fmt.Errorf("shut down: %w", err)
	}
	p.outbox.Sender.Client.CloseIdleConnections()
	if c, ok := s.Renderer.(render.Closer); ok {
		if err := c.Close(ctx); err != nil {
			return fmt.Errorf("shut down: close the browser: %w", err)
		}
	}
	return nil
}

// Closing returns a channel that is closed when Shutdown begins.
func (s *Service) Closing() <-chan struct{} { return s.parts().closed }

// shut returns [job.ErrShutdown] after closed was closed.
func shut(closed <-chan struct{}) error {
	select {
	case <-closed:
		return job.ErrShutdown
	default:
		return nil
	}
}

// Ready returns nil if the Service can take new work. Otherwise it returns
// [job.ErrShutdown], the Store's error, or [ErrBusy] with the scarce resource.
func (s *Service) Ready(ctx context.Context) error {
	p := s.parts()
	if err := p.runner.Ready(ctx); err != nil {
		return outOf(admission.OfDisk, err)
	}
	return busy(p.capacity.Scarce())
}

// Balance returns the credits of a team.
func (s *Service) Balance(ctx context.Context, team string) (account.Balance, error) {
	return s.parts().meters.Credits.Balance(ctx, teamOf(team))
}

// History returns what a team has spent in each month. If the Credits do not count by
// month, the error wraps [ErrEngine].
func (s *Service) History(ctx context.Context, team string) ([]account.Period, error) {
	h, ok := s.parts().meters.Credits.(account.History)
	if !ok {
		return nil, refuse(ErrEngine, "The usage of past periods is not counted by this server.")
	}
	return h.History(ctx, teamOf(team))
}

// Load is the load of the Service by one team, as Service.Load has found it.
type Load struct {
	Pages  int // pages that its jobs in this process still have to process
	Slots  int // pages that this process, or another one for it, processes now
	AtOnce int // pages that all processes may process at once

	parts *parts
	team  string
}

// Load returns the load of the caller's team. A nil Caller is the zero Caller.
func (s *Service) Load(c *Caller) Load {
	p := s.parts()
	c = cmp.Or(c, new(Caller))
	return Load{Pages: p.backlog.Left(c.owner()), Slots: p.slots.Used(c.owner()) + p.lent.Used(c.owner()), AtOnce: policy.AtOnce(&c.Team.Policy), parts: p, team: c.owner()}
}

// LastSuccess returns when a job of the team was last completed. If none of the jobs that
// are stored was completed, the time is zero.
func (l Load) LastSuccess(ctx context.Context) (last time.Time, err error) {
	records, err := l.parts.runner.List(ctx, l.team, job.Filter{State: job.Completed})
	for _, record := range records {
		if !hidden(record.Kind) && record.Ended.After(last) {
			last = record.Ended
		}
	}
	return last, err
}

// Admit returns nil if the caller may start a job now. If the jobs of its team have as
// many waiting pages as the policy allows, the error wraps [ErrRate]. The Start methods
// call it. A front end can call it before it reads a large request. A nil Caller is the
// zero Caller.
func (s *Service) Admit(_ context.Context, c *Caller) error {
	c = cmp.Or(c, new(Caller))
	if bound := policy.Queue(&c.Team.Policy); bound >= 0 && s.parts().backlog.Left(c.owner()) >= bound {
		return &Error{Err: ErrRate, Wait: 10 * time.Second}
	}
	return nil
}

// Agents returns the Agent with Fetch, Map and Admit filled in, for programs that
// use it directly. It is nil if the Service has no Agent.
func (s *Service) Agents() *agent.Engine {
	s.parts()
	return s.Agent
}

// Capacity returns the Limits with their defaults filled in.
func (s *Service) Capacity() Limits { return Limits(s.parts().capacity.Limits) }

// HoldBody reserves n more bytes of memory for the body of a request. It is for front
// ends. If the bytes are not free, it waits up to [Limits].Wait, and then returns an error
// that wraps [ErrBusy]. JSON bodies and uploaded files (file is true) have separate
// budgets. held is the share that the request already has, or nil. The caller releases the
// returned share, also after an error.
func (s *Service) HoldBody(ctx context.Context, held *admission.Share, n int64, file bool) (*admission.Share, error) {
	held, err := s.parts().capacity.Hold(ctx, held, n, file)
	return held, outOf(admission.OfMemory, err)
}
