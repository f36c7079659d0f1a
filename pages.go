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
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/curlew/agent"
	"example.com/curlew/crawl"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/fetch"
	"example.com/curlew/format"
	"example.com/curlew/internal/jsonenc"
	"example.com/curlew/internal/service/meter"
	"example.com/curlew/internal/service/reading"
	"example.com/curlew/internal/service/turns"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/parse"
)

// pages fetches single pages, reads documents and formats them. Memory for a
// document is reserved before it is read, and a request to a host is made only in
// a turn at that host.
type pages struct {
	fetcher fetch.Fetcher
	parser  *parse.Engine
	format  format.Engine // each page has its own Loader
	turns   pace.Scheduler
	budget  reading.Budget
	logger  *slog.Logger

	// Defaults for a Service without a Fetcher, Hosts or Snapshots.
	client fetch.Client
	hosts  pace.Hosts
	memory format.MemorySnapshots
}

// open fills in p from the settings of s.
func (p *pages) open(s *Service, c *capacity) {
	p.fetcher, p.parser, p.turns, p.logger = s.Fetcher, &s.Parser, s.Hosts, s.Logger
	p.format = s.Format
	if p.fetcher == nil {
		p.fetcher = &p.client
	}
	if p.turns == nil {
		p.turns = &p.hosts
	}
	if p.format.Snapshots == nil {
		p.format.Snapshots = &p.memory
	}
	if p.format.Writer == nil && s.Agent != nil && s.Agent.Model != nil {
		p.format.Writer = &agent.Writer{Model: s.Agent.Model, Profile: s.Agent.Profiles[defaultModel], Rates: s.Agent.Rates}
	}
	if p.logger == nil {
		p.logger = slog.New(slog.DiscardHandler)
	}
	p.budget.Memory, p.budget.Wait, p.budget.Logger = c.parses, c.limits.Wait, p.logger
}

// caching reports whether the fetcher has a cache.
func (p *pages) caching() bool {
	f, ok := p.fetcher.(interface{ Caching() bool })
	return ok && f.Caching()
}

// mostScrapes is the maximum number of scrapes in flight to one host that responds
// normally, over all teams. The slots of a team limit its own scrapes.
const mostScrapes = 256

// turn waits for the first turn of a scrape at its host. The turn is taken before a
// slot, because two scrapes could otherwise wait for each other: one with a slot for a
// turn, one with the turn for a slot. A page that is cached needs no turn.
func (p *pages) turn(ctx context.Context, line *pace.Line, url string, o *ScrapeOptions) (*crawl.Turn, error) {
	if o.Lockdown || o.MinAge > 0 {
		return nil, nil
	}
	if o.MaxAge != 0 && p.caching() {
		_, err := p.fetcher.Fetch(ctx, &fetch.Request{
			URL: url, Header: o.Header, InsecureTLS: o.InsecureTLS, Partition: o.Partition,
			MaxAge: o.MaxAge, Lockdown: true, Redirect: func(hop fetch.Hop) error { return meter.Admit(ctx, o.Gate, hop.To) },
		})
		if err == nil {
			return nil, nil
		}
	}
	return crawl.TakeTurn(ctx, line, url, scrapeClaim(url))
}

// scrapeClaim describes the requests of scrapes to a scheduler of hosts.
func scrapeClaim(string) pace.Claim { return pace.Claim{Most: mostScrapes} }

// Scrape asks the threat gate about a page, fetches, parses and formats it. The URL
// must be absolute. A page with any HTTP status gives a Document. Errors wrap those of
// packages threat, fetch, parse and format.
func (s *Service) Scrape(ctx context.Context, url string, o *ScrapeOptions) (*format.Document, error) {
	if o == nil {
		o = new(ScrapeOptions)
	}
	if o.Caller != nil {
		return s.parts().scrapeFor(ctx, url, o)
	}
	return s.parts().pages.scrape(ctx, url, o)
}

// scrape implements Scrape for the program itself.
func (p *pages) scrape(ctx context.Context, url string, o *ScrapeOptions) (*format.Document, error) {
	timeout, all := cmp.Or(o.Timeout, time.Minute), ctx
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, timeout, fetch.ErrTimeout)
		defer cancel()
	}
	if err := meter.Admit(ctx, o.Gate, url); err != nil {
		return nil, err
	}
	how := o.reading()
	if how.terms.line == nil {
		how.terms.line = pace.NewLine(p.turns, o.Format.NoRetain)
		defer how.terms.line.Leave()
	}
	turn := o.turn
	if !o.hasTurn {
		var err error
		if turn, err = p.turn(ctx, how.terms.line, url, o); err != nil {
			return nil, err
		}
	}
	asks := turns.Asker{Fetcher: p.fetcher, Line: how.terms.line, Claim: scrapeClaim, First: turn, Seat: how.terms.Seat}
	resp, err := asks.Fetch(ctx, &fetch.Request{
		URL:         url,
		Header:      o.Header,
		Timeout:     timeout,
		InsecureTLS: o.InsecureTLS,
		Redirect:    func(hop fetch.Hop) error { return meter.Admit(ctx, o.Gate, hop.To) },
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
	if end, ok := ctx.Deadline(); ok && how.terms.Patient {
		// Waiting for memory does not count against the timeout.
		how.terms.Limit, ctx = max(time.Until(end), 1), all
	}
	return p.build(ctx, a, a.source(), &how)
}

// Parse reads a document and formats it. Errors wrap those of packages parse and
// format.
func (s *Service) Parse(ctx context.Context, src parse.Source, o *ParseOptions) (*format.Document, error) {
	if o == nil {
		o = new(ParseOptions)
	}
	if o.Caller != nil {
		return s.parts().parseFor(ctx, src, o)
	}
	return s.parts().pages.parse(ctx, src, o)
}

// parse implements Parse for the program itself.
func (p *pages) parse(ctx context.Context, src parse.Source, o *ParseOptions) (*format.Document, error) {
	var err error
	if src.Size, err = src.Len(); err != nil {
		return nil, &parse.Error{Name: src.Name, Err: err}
	}
	unread := o.unread(src)
	return atWork(ctx, p, o.terms.Terms, p.kindOf(src, o.Read), src.Size, func(ctx context.Context, grow func(int64)) (_ *format.Document, err error) {
		tree := &parse.Tree{Kind: parse.PDF}
		var body []byte
		if !unread {
			how := o.Read
			how.Grow = grow
			tree, err = p.tree(ctx, src, how)
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
		return p.show(ctx, in, tree, o)
	})
}

// kindOf returns the kind as which src is read.
func (p *pages) kindOf(src parse.Source, o parse.Options) parse.Kind {
	return cmp.Or(o.Kind, p.parser.Detect(src).Kind)
}

// unread reports whether src is a PDF that the options leave unread.
func (o *ParseOptions) unread(src parse.Source) bool {
	return o.RawPDF && parse.Detect(src).Kind == parse.PDF
}

// answered is the response of a server to the request for a page.
type answered struct {
	asked, url string // URL of the request, and URL after redirects
	status     int
	header     http.Header
	body       []byte
	truncated  bool
	cached     time.Time // when the cache received it from the site; zero if it was fetched now
}

// empty reports whether the body has no content from which a kind could be detected.
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

// name returns the file name that the server sent (RFC 6266), or the last segment of
// the URL.
func (a *answered) name() string {
	_, params, err := mime.ParseMediaType(a.header.Get("Content-Disposition"))
	if name := params["filename"]; err == nil && name != "" {
		return path.Base(strings.ReplaceAll(name, `\`, "/"))
	}
	return lastSegment(a.url)
}

// Document formats a page of a crawl. It is meant for [crawl.Config.Visit]. HTML is not
// parsed again, because the page already has the tree. Errors wrap those of packages
// parse and format.
func (s *Service) Document(ctx context.Context, page *crawl.Page, o *ParseOptions) (*format.Document, error) {
	return s.parts().pages.document(ctx, page, o)
}

// document implements Document.
func (p *pages) document(ctx context.Context, page *crawl.Page, o *ParseOptions) (*format.Document, error) {
	if page == nil {
		return nil, errors.New("no page")
	}
	if o == nil {
		o = new(ParseOptions)
	}
	a := &answered{
		asked: cmp.Or(page.Asked, page.URL), url: page.URL, status: page.Status, header: page.Header, body: page.Body,
		truncated: page.Truncated, cached: page.Cached,
	}
	src := a.source()
	if a.empty() || p.parser.Detect(src).Kind == parse.HTML {
		var err error
		if src.Root, err = page.Tree(); err != nil {
			return nil, err
		}
		src.Charset, src.Lost, src.Cut = page.Charset(), page.Lost(), page.Cut()
	}
	return p.build(ctx, a, src, o)
}

// build makes the Document of a page.
func (p *pages) build(ctx context.Context, a *answered, src parse.Source, o *ParseOptions) (*format.Document, error) {
	how := o.Read
	if a.empty() {
		how.Kind = parse.HTML // an empty page has no content to detect its kind from
	}
	unread := !a.empty() && o.unread(src)
	kind := p.kindOf(src, how)
	doc, err := atWork(ctx, p, o.terms.Terms, kind, src.Size, func(ctx context.Context, grow func(int64)) (_ *format.Document, err error) {
		tree := &parse.Tree{}
		switch {
		case unread:
			tree.Kind = parse.PDF
		case !slices.Contains(o.Format.Forms, format.RawBase64) || a.empty() || kind == parse.HTML:
			how := how
			how.Grow = grow
			if tree, err = p.tree(ctx, src, how); err != nil {
				return nil, err
			}
		} // else only the bytes were requested
		in := input(tree)
		in.Body, in.Unparsed = a.body, unread
		in.SourceURL, in.URL = a.asked, a.url
		in.ContentType, in.StatusCode = src.ContentType, a.status
		return p.show(ctx, in, tree, o)
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

// tree parses src. If a reader panics, tree returns an error for this document.
func (p *pages) tree(ctx context.Context, src parse.Source, o parse.Options) (tree *parse.Tree, err error) {
	defer reading.Recover(ctx, p.logger, &err)
	return p.parser.Parse(ctx, src, &o)
}

// show formats a tree and adds its warnings.
func (p *pages) show(ctx context.Context, in *format.Input, tree *parse.Tree, o *ParseOptions) (doc *format.Document, err error) {
	defer reading.Recover(ctx, p.logger, &err)
	engine := p.format
	brought := o.sheets
	line := o.terms.line
	if line == nil {
		line = pace.NewLine(p.turns, o.Format.NoRetain)
		defer line.Leave()
	}
	brought.Fetcher = &turns.Asker{Fetcher: p.fetcher, Line: line, Claim: scrapeClaim, Seat: o.terms.Seat, Pressed: true}
	brought.How.NoStore = brought.How.NoStore || o.Format.NoRetain
	engine.Loader = &brought
	doc, err = engine.Build(ctx, in, &o.Format)
	if err != nil {
		return nil, err
	}
	doc.Warning = join(append([]string{doc.Warning}, sentences(tree.Warnings)...)...)
	return doc, nil
}

// sentences returns a sentence for each warning. Warnings of one code about several pages
// are combined in one sentence.
func sentences(warnings []parse.Warning) []string {
	var texts []string
	at := map[string]int{} // index of the sentence for each code
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

// input returns the input of package format for a tree.
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
		for _, page := range t.Pages {
			in.PageStatus[page.Number] = string(page.Status)
		}
	}
	if t.Kind == parse.JSON || t.Kind == parse.XML {
		in.Lang = string(t.Kind)
	}
	return in
}

// lastSegment returns the last segment of a URL's path.
func lastSegment(url string) string {
	u, err := weburl.Parse(url)
	if err != nil {
		return ""
	}
	path := u.Path()
	return path[strings.LastIndexByte(path, '/')+1:]
}

// marshal returns doc as the JSON that is stored and sent.
func marshal(doc *format.Document) ([]byte, error) { return jsonenc.Encode(doc) }
