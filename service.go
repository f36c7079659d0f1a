// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"path"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"example.com/curlew/account"
	"example.com/curlew/agent"
	"example.com/curlew/audit"
	"example.com/curlew/crawl"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/fetch"
	"example.com/curlew/format"
	"example.com/curlew/internal/jsonenc"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/job"
	"example.com/curlew/parse"
	"example.com/curlew/threat"
	"example.com/curlew/webhook"
)

// Service composes the engines. The zero value works: it fetches from public
// addresses, keeps jobs in memory and bounds no team's credits. It is safe for
// concurrent use, not changed after its first, and not copied.
type Service struct {
	Fetcher    fetch.Fetcher     // nil: a zero fetch.Client. One with a cache says so by a method Caching() bool, as fetch.Client does
	Parser     parse.Engine      // reads what was fetched or uploaded
	Store      job.Store         // nil: in memory, see Limits.Results
	Keep       time.Duration     // life of a job after its end; zero means 24 h
	Classifier threat.Classifier // scores URLs for threat protection; nil: none can be scored
	Credits    account.Credits   // nil: no bound, still counted
	Snapshots  format.Snapshots  // what changeTracking compares with; nil: in memory, 64 MiB
	Webhooks   webhook.Config    // how events of jobs are delivered
	Agent      *agent.Engine     // answers questions; nil: there is none. Where it lacks Fetch, Map or Admit, the Service fills them in before its first run
	Writer     format.Writer     // a model, for the forms that one makes better; nil: the Agent's, and where there is none they are made without, or refused
	Ads        *format.AdRules   // filter lists of blockAds; nil: what an ad is by its structure
	UserAgent  string            // of crawls; empty means "curlew"
	Hosts      pace.Scheduler    // shares out requests to hosts among all jobs and scrapes; nil: in memory
	Limits     Limits            // what the process takes of its machine

	// Traps says when crawls hold URLs for endlessly many, and how many of them
	// they take. A crawl keeps to it from its first process to its last.
	Traps crawl.Traps

	// LocalNames admits host names without a dot. It opens no address: that is
	// the Fetcher's.
	LocalNames bool

	Audit  audit.Sink   // told of each URL that was fetched or refused, and by whom; nil: none. Put an [audit.Queue] before a slow one
	Trace  *Trace       // nil is silent
	Logger *slog.Logger // nil is silent

	once       sync.Once
	closing    atomic.Bool    // Shutdown has begun
	closed     chan struct{}  // made with jobs; closed then
	client     fetch.Client   // where there is no Fetcher
	ledger     account.Ledger // where there are no Credits
	capacity   capacity
	hosts      pace.Hosts // where there are no Hosts
	jobs       job.Runner
	sender     webhook.Sender // made with jobs
	slots      slots
	busyWith   busyWith
	backlog    backlog
	deliveries deliveries
	snapshots  format.MemorySnapshots // where there are no Snapshots
	rules      threat.Cache           // compiled policies
	careful    sync.Once              // guards what scanner is made of
	scanner    threat.Scanner         // of the Classifier, unless it is one
	runs       sync.Map               // id -> *agent.Run of an agent job at work
	since      sync.Map               // id of a crawl job at work -> *memory of the one before
	ready      sync.Map               // op -> *meter of a job that is about to begin
}

// runner returns what runs the Service's jobs.
func (s *Service) runner() *job.Runner {
	s.once.Do(func() {
		s.closed = make(chan struct{})
		s.jobs.Store, s.jobs.Keep, s.jobs.Logger = s.Store, s.Keep, s.Logger
		if s.Store == nil {
			s.jobs.Store = s.admission().results
		}
		s.jobs.Works = map[string]job.Work{
			KindCrawl: s.working((*work).crawl), KindBatch: s.working((*work).batch), KindAgent: s.working((*work).answer),
			kindHook: s.traced(s.sender.Work),
		}
		s.prepareAgent()
		s.prepareSender()
	})
	return &s.jobs
}

// Resume takes up the jobs that the Store found running when it was opened; see
// [job.Runner.Resume]. A host calls it once, when it starts. The error names
// jobs that could not be taken up.
func (s *Service) Resume(ctx context.Context) error {
	if err := s.runner().Resume(ctx); err != nil {
		return fmt.Errorf("resume: %w", err)
	}
	return nil
}

// Shutdown stops the work of all jobs and waits for it, or for the end of ctx,
// whose cause it then returns. Documents that are being read are given up at
// once. The log says how many do not end; they are not waited for. Nothing can be
// started afterwards; what has been done can still be read.
func (s *Service) Shutdown(ctx context.Context) error {
	jobs := s.runner()
	if s.closing.CompareAndSwap(false, true) {
		close(s.closed)
	}
	var reading sync.WaitGroup
	defer reading.Wait()
	reading.Go(func() {
		if n, age := s.busyWith.stop(ctx); n > 0 {
			s.logger().ErrorContext(ctx, "documents are still being read at shutdown", "count", n, "oldest", age)
		}
	})
	if err := jobs.Shutdown(ctx); err != nil {
		return fmt.Errorf("shut down: %w", err)
	}
	s.sender.Client.CloseIdleConnections()
	return nil
}

// Closing returns a channel that is closed when Shutdown begins.
func (s *Service) Closing() <-chan struct{} {
	s.runner()
	return s.closed
}

// Balance returns the credits of a team.
func (s *Service) Balance(ctx context.Context, team string) (account.Balance, error) {
	return s.credits().Balance(ctx, teamOf(team))
}

// Load is what a team's work takes at the moment.
type Load struct {
	Pages  int // that its jobs have left
	Slots  int // that its work holds
	AtOnce int // pages that it may work on at once
}

// Load returns what the caller's team takes.
func (s *Service) Load(c *Caller) Load {
	return Load{Pages: s.backlog.left(c.owner()), Slots: s.slots.used(c.owner()), AtOnce: concurrency(&c.Team.Policy)}
}

// LastSuccess returns when a job of a team completed last; the zero time if none
// has, or none is kept.
func (s *Service) LastSuccess(ctx context.Context, team string) (last time.Time, err error) {
	done, err := s.runner().List(ctx, teamOf(team), job.Filter{State: job.Completed})
	for _, j := range done {
		if j.Kind != kindHook && j.Ended.After(last) {
			last = j.Ended
		}
	}
	return last, err
}

func (s *Service) fetcher() fetch.Fetcher {
	if s.Fetcher == nil {
		return &s.client
	}
	return s.Fetcher
}

// caching reports whether the fetcher has a cache.
func (s *Service) caching() bool {
	f, ok := s.fetcher().(interface{ Caching() bool })
	return ok && f.Caching()
}

// Agents returns the Agent with what it lacked filled in: for programs that ask
// it themselves. Nil where there is none.
func (s *Service) Agents() *agent.Engine {
	s.runner()
	return s.Agent
}

// writer returns the model of forms; nil where there is none.
func (s *Service) writer() format.Writer {
	if s.Writer != nil || s.Agent == nil || s.Agent.Model == nil {
		return s.Writer
	}
	return &agent.Writer{Model: s.Agent.Model, Profile: s.Agent.Profiles[defaultModel], Rates: s.Agent.Rates}
}

func (s *Service) credits() account.Credits {
	if s.Credits == nil {
		return &s.ledger
	}
	return s.Credits
}

func (s *Service) logger() *slog.Logger {
	if s.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return s.Logger
}

// Unlimited switches a bound off where zero means its default.
const Unlimited = -1

// ParseOptions say how a document is read and shown. The zero value is
// Markdown of what it is found to be.
type ParseOptions struct {
	Format format.Options
	Read   parse.Options

	// RawPDF leaves PDF files unread: their base64 stands for Markdown and HTML.
	RawPDF bool

	// Caller is on whose behalf the document is read: the policy of its team
	// holds, the team's credits pay, and the work waits for one of the team's
	// slots. Nil is the program itself, which none of these bind.
	Caller        *Caller          `json:"-"`
	ZeroRetention bool             `json:"-"` // of a Caller: nothing of the document is kept
	Threat        *threat.Override `json:"-"` // of a Caller: changes the team's threat policy as far as the team may

	sheets sheets // how style sheets are brought; the Service fills in its fetcher
	terms  terms  // on which it is worked on

	// attempt is called before what was fetched is read; see job.Attempt. Nil is
	// not called.
	attempt func(ctx context.Context) error
}

// ScrapeOptions say how one page is brought and shown. The zero value is the
// Markdown of the page's main content.
type ScrapeOptions struct {
	ParseOptions

	Header  http.Header   // sent with the request; dropped when the host changes
	Timeout time.Duration // of bringing and reading together; zero means 60 s, Unlimited none

	// InsecureTLS skips certificate checks; ignored where Header is not empty.
	InsecureTLS bool

	// What the cache of the Fetcher may answer and keep, as in [fetch.Request].
	MaxAge, MinAge    time.Duration
	Lockdown, NoStore bool
	Partition         string

	// Gate is asked for the URL and each redirect before it is followed. Nil
	// admits all.
	Gate *threat.Gate `json:"-"`

	Notes []string // sentences that the warning of each document ends with

	turn    *crawl.Turn // that Scrape ends, where hasTurn is set
	hasTurn bool
}

// Scrape brings a page and shows it: threat gate, fetch, parse, format in a
// row. The URL is absolute. A page of any HTTP status is a Document; errors
// wrap those of the four rooms.
func (s *Service) Scrape(ctx context.Context, url string, o *ScrapeOptions) (*format.Document, error) {
	if o == nil {
		o = new(ScrapeOptions)
	}
	if o.Caller != nil {
		return s.scrapeFor(ctx, url, o)
	}
	timeout, all := cmp.Or(o.Timeout, time.Minute), ctx
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, timeout, fetch.ErrTimeout)
		defer cancel()
	}
	if err := admit(ctx, o.Gate, url); err != nil {
		return nil, err
	}
	how := o.reading()
	if how.terms.line == nil {
		how.terms.line = pace.NewLine(s.turns(), o.Format.NoRetain)
		defer how.terms.line.Leave()
	}
	turn := o.turn
	if !o.hasTurn {
		var err error
		if turn, err = s.turn(ctx, how.terms.line, url, o); err != nil {
			return nil, err
		}
	}
	asks := asker{fetcher: s.fetcher(), line: how.terms.line, claim: scrapeClaim, first: turn, seat: how.terms.seat}
	resp, err := asks.Fetch(ctx, &fetch.Request{
		URL:         url,
		Header:      o.Header,
		Timeout:     timeout,
		InsecureTLS: o.InsecureTLS,
		Redirect:    func(hop fetch.Hop) error { return admit(ctx, o.Gate, hop.To) },
		MaxAge:      o.MaxAge,
		MinAge:      o.MinAge,
		Lockdown:    o.Lockdown,
		NoStore:     o.NoStore,
		Partition:   o.Partition,
	})
	if err == nil && o.attempt != nil {
		err = o.attempt(ctx)
	}
	if err != nil {
		return nil, err
	}
	a := &answered{
		asked:     url,
		url:       resp.URL,
		status:    resp.Status,
		header:    resp.Header,
		body:      resp.Body,
		truncated: resp.Truncated,
		cached:    resp.Cached,
	}
	if end, ok := ctx.Deadline(); ok && how.terms.patient {
		// Its time does not run while it waits for memory.
		how.terms.limit, ctx = max(time.Until(end), 1), all
	}
	return s.build(ctx, a, a.source(), &how)
}

// Parse reads a document and shows it. Errors wrap those of parse and format.
func (s *Service) Parse(ctx context.Context, src parse.Source, o *ParseOptions) (*format.Document, error) {
	if o == nil {
		o = new(ParseOptions)
	}
	if o.Caller != nil {
		return s.parseFor(ctx, src, o)
	}
	var err error
	if src.Size, err = src.Len(); err != nil {
		return nil, &parse.Error{Name: src.Name, Err: err}
	}
	unread := o.unread(src)
	return atWork(ctx, s, reading{o.terms, s.kindOf(src, o.Read), src.Size}, func(ctx context.Context, grow func(int64)) (_ *format.Document, err error) {
		tree := &parse.Tree{Kind: parse.PDF}
		var body []byte
		if !unread {
			how := o.Read
			how.Grow = grow
			tree, err = s.tree(ctx, src, how)
		}
		if err == nil && (unread || slices.Contains(o.Format.Forms, format.RawBase64)) {
			body, err = io.ReadAll(io.NewSectionReader(src.Data, 0, src.Size))
		}
		if err != nil {
			return nil, err
		}
		in := input(tree)
		in.Body, in.Unparsed = body, unread
		in.SourceURL, in.URL = src.Name, src.URL
		in.ContentType, in.StatusCode = src.ContentType, http.StatusOK
		return s.show(ctx, in, tree, o)
	})
}

// kindOf returns the kind that src is read as.
func (s *Service) kindOf(src parse.Source, o parse.Options) parse.Kind {
	return cmp.Or(o.Kind, s.Parser.Detect(src).Kind)
}

// unread reports whether src is a PDF that is to stay as it is.
func (o *ParseOptions) unread(src parse.Source) bool {
	return o.RawPDF && parse.Detect(src).Kind == parse.PDF
}

// admit asks the gate for url; a nil gate admits all.
func admit(ctx context.Context, g *threat.Gate, url string) error {
	if g == nil {
		return nil
	}
	target, err := threat.ParseTarget(url)
	if err != nil {
		return err
	}
	d, err := g.Check(ctx, target)
	tally(ctx, d)
	return err
}

// answered is what a server sent for one page.
type answered struct {
	asked, url string // as first asked for; of the last hop
	status     int
	header     http.Header
	body       []byte
	truncated  bool
	cached     time.Time // when the cache had it from the site; zero: it was asked now
}

// empty reports whether there is nothing to detect a kind by.
func (a *answered) empty() bool { return len(bytes.TrimSpace(a.body)) == 0 }

func (a *answered) source() parse.Source {
	return parse.Source{
		Name:        a.name(),
		ContentType: a.header.Get("Content-Type"),
		URL:         a.url,
		Data:        bytes.NewReader(a.body),
		Size:        int64(len(a.body)),
	}
}

// name returns what the server calls the file that it sends (RFC 6266), else
// the last segment of its URL.
func (a *answered) name() string {
	_, params, err := mime.ParseMediaType(a.header.Get("Content-Disposition"))
	if name := params["filename"]; err == nil && name != "" {
		return path.Base(strings.ReplaceAll(name, `\`, "/"))
	}
	return lastSegment(a.url)
}

// Document shows a page of a crawl, for use in [crawl.Config.Visit]. It reads
// HTML from the page's own tree. Errors wrap those of parse and format.
func (s *Service) Document(ctx context.Context, p *crawl.Page, o *ParseOptions) (*format.Document, error) {
	if p == nil {
		return nil, errors.New("no page")
	}
	if o == nil {
		o = new(ParseOptions)
	}
	a := &answered{
		asked: cmp.Or(p.Asked, p.URL), url: p.URL, status: p.Status, header: p.Header, body: p.Body, truncated: p.Truncated,
		cached: p.Cached,
	}
	src := a.source()
	if a.empty() || s.Parser.Detect(src).Kind == parse.HTML {
		var err error
		if src.Root, err = p.Tree(); err != nil {
			return nil, err
		}
		src.Charset, src.Lost = p.Charset(), p.Lost()
	}
	return s.build(ctx, a, src, o)
}

// build makes the Document of a page.
func (s *Service) build(ctx context.Context, a *answered, src parse.Source, o *ParseOptions) (*format.Document, error) {
	how := o.Read
	if a.empty() {
		how.Kind = parse.HTML // nothing to detect by: an empty page
	}
	unread := !a.empty() && o.unread(src)
	kind := s.kindOf(src, how)
	doc, err := atWork(ctx, s, reading{o.terms, kind, src.Size}, func(ctx context.Context, grow func(int64)) (_ *format.Document, err error) {
		tree := &parse.Tree{}
		switch {
		case unread:
			tree.Kind = parse.PDF
		case !slices.Contains(o.Format.Forms, format.RawBase64) || a.empty() || kind == parse.HTML:
			how := how
			how.Grow = grow
			if tree, err = s.tree(ctx, src, how); err != nil {
				return nil, err
			}
		} // else nothing is read of it
		in := input(tree)
		in.Body, in.Unparsed = a.body, unread
		in.SourceURL, in.URL = a.asked, a.url
		in.ContentType, in.StatusCode = src.ContentType, a.status
		return s.show(ctx, in, tree, o)
	})
	if err != nil {
		return nil, err
	}
	if a.truncated {
		doc.Warning = join(doc.Warning, "The server sent less than it announced.")
	}
	if !a.cached.IsZero() {
		doc.Metadata.CacheState, doc.Metadata.CachedAt = "hit", jsonenc.Time(a.cached).String()
	}
	if a.status >= http.StatusBadRequest {
		doc.Metadata.Error = cmp.Or(http.StatusText(a.status), fmt.Sprintf("Status %d", a.status))
	}
	return doc, nil
}

// tree parses src; a panic of a reader is the document's fault.
func (s *Service) tree(ctx context.Context, src parse.Source, o parse.Options) (tree *parse.Tree, err error) {
	defer s.recovered(ctx, &err)
	return s.Parser.Parse(ctx, src, &o)
}

// show formats a tree, with its warnings.
func (s *Service) show(ctx context.Context, in *format.Input, tree *parse.Tree, o *ParseOptions) (doc *format.Document, err error) {
	defer s.recovered(ctx, &err)
	engine := format.Engine{Writer: s.writer(), Snapshots: s.Snapshots, Ads: s.Ads}
	brought := o.sheets
	line := o.terms.line
	if line == nil {
		line = pace.NewLine(s.turns(), o.Format.NoRetain)
		defer line.Leave()
	}
	brought.fetcher = &asker{fetcher: s.fetcher(), line: line, claim: scrapeClaim, seat: o.terms.seat, pressed: true}
	brought.how.NoStore = brought.how.NoStore || o.Format.NoRetain
	engine.Loader = &brought
	if s.Snapshots == nil {
		engine.Snapshots = &s.snapshots
	}
	doc, err = engine.Build(ctx, in, &o.Format)
	if err != nil {
		return nil, err
	}
	doc.Warning = join(append([]string{doc.Warning}, sentences(tree.Warnings)...)...)
	return doc, nil
}

// sentences returns a sentence for each warning; those of one code on several
// pages are one.
func sentences(warnings []parse.Warning) []string {
	var texts []string
	at := map[string]int{} // of the code's sentence
	more := map[string][]string{}
	for _, w := range warnings {
		_, again := at[w.Code]
		switch {
		case w.Page == 0:
			texts = append(texts, w.Text)
		case !again:
			at[w.Code] = len(texts)
			texts = append(texts, fmt.Sprintf("Page %d: %s", w.Page, w.Text))
		default:
			more[w.Code] = append(more[w.Code], strconv.Itoa(w.Page))
		}
	}
	for code, pages := range more {
		list := strings.Join(pages[:min(len(pages), 20)], ", ")
		if len(pages) > 20 {
			list += ", …"
		}
		texts[at[code]] += " So on pages " + list + "."
	}
	return texts
}

// recovered turns a panic over foreign bytes into an error.
func (s *Service) recovered(ctx context.Context, err *error) {
	if v := recover(); v != nil {
		s.logger().ErrorContext(ctx, "panic over a document", "panic", v, "stack", string(debug.Stack()))
		*err = errPanic
	}
}

// input is what format needs of a tree.
func input(t *parse.Tree) *format.Input {
	in := &format.Input{
		Root:       t.Root,
		Raw:        t.Verbatim,
		Charset:    t.Charset,
		Title:      t.Meta.Title,
		Author:     t.Meta.Author,
		Subject:    t.Meta.Subject,
		Keywords:   t.Meta.Keywords,
		Language:   t.Meta.Language,
		Pages:      t.Meta.Pages,
		TotalPages: t.Meta.TotalPages,
		NotWeb:     t.Kind != parse.HTML,
		Verbatim:   t.Kind == parse.Text || t.Kind == parse.Markdown,
	}
	if len(t.Pages) > 0 {
		in.PageStatus = make(map[int]string, len(t.Pages))
		for _, p := range t.Pages {
			in.PageStatus[p.Number] = string(p.Status)
		}
	}
	if t.Kind == parse.JSON || t.Kind == parse.XML {
		in.Lang = string(t.Kind)
	}
	return in
}

// lastSegment returns the name that a URL's path ends in.
func lastSegment(url string) string {
	u, err := weburl.Parse(url)
	if err != nil {
		return ""
	}
	path := u.Path()
	return path[strings.LastIndexByte(path, '/')+1:]
}

// marshal returns doc as it is stored and sent.
func marshal(doc *format.Document) ([]byte, error) { return jsonenc.Encode(doc) }
