// SPDX-License-Identifier: Apache-2.0

// Package pages fetches single pages, reads documents and formats them.
package pages

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
	"strings"
	"time"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/fetch"
	"example.com/curlew/fetch/render"
	"example.com/curlew/format"
	"example.com/curlew/internal/jsonenc"
	"example.com/curlew/internal/service/meter"
	"example.com/curlew/internal/service/notices"
	"example.com/curlew/internal/service/reading"
	"example.com/curlew/internal/service/slots"
	"example.com/curlew/internal/service/viewing"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/parse"
	"example.com/curlew/threat"
)

// Pipeline makes documents of pages and files. Memory for a document is reserved before
// it is read, and a request to a host is made only in a turn at that host.
type Pipeline struct {
	Fetcher fetch.Fetcher
	Parser  *parse.Engine
	Format  format.Engine // its Loader is not used, because each page has its own
	Hosts   pace.Scheduler
	Browser viewing.Browser
	Budget  reading.Budget
	Logger  *slog.Logger

	// Busy returns the error of a document that was not read because there is no
	// memory. It returns other errors as they are.
	Busy func(error) error
}

// Reading says how a document is read and formatted.
type Reading struct {
	Format format.Options
	Read   parse.Options
	RawPDF bool         // see curlew.ParseOptions
	Sheets slots.Sheets // how style sheets are fetched; the Pipeline fills in the Fetcher
	Terms  reading.Terms
	Line   *pace.Line // for turns at hosts; nil means a separate line

	View *render.Request // what a browser is asked for; nil means only to show a page that needs scripts
	Keep viewing.Keep    // stores what the browser has produced; nil makes data URLs
}

// Visit says how a page is fetched, read and formatted.
type Visit struct {
	Reading
	Request fetch.Request // a Timeout of zero means 60 s
	Gate    *threat.Gate  // asked about the URL, and about redirects; nil admits all

	Turn    *crawl.Turn // if HasTurn is set, a turn that Scrape ends
	HasTurn bool

	// Fetched is called before a fetched body is read. It may be nil.
	Fetched func(ctx context.Context) error
}

// Fill sets the Fetcher, the Hosts and the Snapshots if they are nil.
func (p *Pipeline) Fill() {
	if p.Fetcher == nil {
		p.Fetcher = new(fetch.Client)
	}
	if p.Hosts == nil {
		p.Hosts = new(pace.Hosts)
	}
	if p.Format.Snapshots == nil {
		p.Format.Snapshots = new(format.MemorySnapshots)
	}
}

// Caching reports whether the fetcher has a cache.
func (p *Pipeline) Caching() bool {
	f, ok := p.Fetcher.(interface{ Caching() bool })
	return ok && f.Caching()
}

// mostScrapes is the maximum number of scrapes in flight to one host that responds
// normally, over all teams. The slots of a team limit its own scrapes.
const mostScrapes = 256

// TakeTurn waits for the first turn of a scrape at its host. The turn is taken before a
// slot, because two scrapes could otherwise wait for each other: one with a slot for a
// turn, one with the turn for a slot. A page that is cached needs no turn.
func (p *Pipeline) TakeTurn(ctx context.Context, v *Visit) (*crawl.Turn, error) {
	r := &v.Request
	if r.Lockdown || r.MinAge > 0 {
		return nil, nil
	}
	if r.MaxAge != 0 && p.Caching() {
		_, err := p.Fetcher.Fetch(ctx, &fetch.Request{
			URL: r.URL, Header: r.Header, InsecureTLS: r.InsecureTLS, Partition: r.Partition,
			MaxAge: r.MaxAge, Lockdown: true, Redirect: v.follows(ctx),
		})
		if err == nil {
			return nil, nil
		}
	}
	return crawl.TakeTurn(ctx, v.Line, r.URL, scrapeClaim(r.URL))
}

// TakeTimelyTurn is like TakeTurn, but its wait counts against the timeout, which it
// reduces.
func (p *Pipeline) TakeTimelyTurn(ctx context.Context, v *Visit) (*crawl.Turn, error) {
	if v.Request.Timeout <= 0 {
		return p.TakeTurn(ctx, v)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, v.Request.Timeout, fetch.ErrTimeout)
	defer cancel()
	turn, err := p.TakeTurn(ctx, v)
	if end, ok := ctx.Deadline(); ok {
		v.Request.Timeout = max(time.Until(end), time.Millisecond)
	}
	return turn, err
}

// follows returns a function that asks the gate about a redirect.
func (v *Visit) follows(ctx context.Context) func(fetch.Hop) error {
	return func(hop fetch.Hop) error { return meter.Admit(ctx, v.Gate, hop.To) }
}

// scrapeClaim describes the requests of scrapes to a scheduler of hosts.
func scrapeClaim(string) pace.Claim { return pace.Claim{Most: mostScrapes} }

// Scrape asks the threat gate about a page, fetches, reads and formats it.
func (p *Pipeline) Scrape(ctx context.Context, v *Visit) (*format.Document, error) {
	r, all := v.Request, ctx
	r.Timeout = cmp.Or(r.Timeout, time.Minute)
	if r.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, r.Timeout, fetch.ErrTimeout)
		defer cancel()
	}
	if err := meter.Admit(ctx, v.Gate, r.URL); err != nil {
		return nil, err
	}
	own := *v
	if own.Line == nil {
		own.Line = pace.NewLine(p.Hosts, v.Format.NoRetain)
		defer own.Line.Leave()
	}
	if !own.HasTurn {
		var err error
		if own.Turn, err = p.TakeTurn(ctx, &own); err != nil {
			return nil, err
		}
	}
	asks := slots.Asker{Fetcher: p.Shower(&own.Reading, 0, v.Gate), Line: own.Line, Claim: scrapeClaim, First: own.Turn, Seat: own.Terms.Seat}
	r.Redirect = v.follows(ctx)
	resp, err := asks.Fetch(ctx, &r)
	if err == nil && v.Fetched != nil {
		err = v.Fetched(ctx)
	}
	if err != nil {
		return nil, err
	}
	a := answer(r.URL, resp)
	if end, ok := ctx.Deadline(); ok && own.Terms.Patient {
		// Waiting for memory does not count against the timeout.
		own.Terms.Limit, ctx = max(time.Until(end), 1), all
	}
	return p.build(ctx, a, a.source(), &own.Reading)
}

// Parse reads a document and formats it.
func (p *Pipeline) Parse(ctx context.Context, src parse.Source, o *Reading) (*format.Document, error) {
	var err error
	if src.Size, err = src.Len(); err != nil {
		return nil, &parse.Error{Name: src.Name, Err: err}
	}
	unread := o.unread(src)
	return atWork(ctx, p, o.Terms, p.kindOf(src, o.Read), src.Size, func(ctx context.Context, grow func(int64)) (_ *format.Document, err error) {
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
func (p *Pipeline) kindOf(src parse.Source, o parse.Options) parse.Kind {
	return cmp.Or(o.Kind, p.Parser.Detect(src).Kind)
}

// unread reports whether src is a PDF that the options leave unread.
func (o *Reading) unread(src parse.Source) bool {
	return o.RawPDF && parse.Detect(src).Kind == parse.PDF
}

// answered is the response of a server to the request for a page.
type answered struct {
	asked, url string // URL of the request, and URL after redirects
	status     int
	header     http.Header
	body       []byte
	truncated  bool
	excess     bool      // see fetch.Response
	cached     time.Time // when the cache received it from the site; zero if it was fetched now
	rendered   bool      // body is the document of a browser
	view       any       // see fetch.Response
}

// empty reports whether the body has no content from which a kind could be detected.
func (a *answered) empty() bool { return len(bytes.TrimSpace(a.body)) == 0 }

// answer returns the response to a request for the page asked.
func answer(asked string, r *fetch.Response) *answered {
	return &answered{asked: asked, url: r.URL, status: r.Status, header: r.Header, body: r.Body, truncated: r.Truncated, excess: r.Excess, cached: r.Cached, rendered: r.Rendered, view: r.View}
}

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

// Document formats a page of a crawl. HTML is not parsed again, because the page already
// has the tree.
func (p *Pipeline) Document(ctx context.Context, page *crawl.Page, o *Reading) (*format.Document, error) {
	if page == nil {
		return nil, errors.New("no page")
	}
	if page.Err != nil {
		return nil, page.Err
	}
	a := &answered{
		asked: cmp.Or(page.Asked, page.URL), url: page.URL, status: page.Status, header: page.Header, body: page.Body,
		truncated: page.Truncated, excess: page.Excess, cached: page.Cached, rendered: page.Rendered, view: page.View,
	}
	src := a.source()
	if a.empty() || p.Parser.Detect(src).Kind == parse.HTML {
		var err error
		if src.Root, err = page.Tree(); err != nil {
			return nil, err
		}
		src.Charset, src.Lost = page.Charset(), page.Lost()
	}
	return p.build(ctx, a, src, o)
}

// build makes the Document of a page.
func (p *Pipeline) build(ctx context.Context, a *answered, src parse.Source, o *Reading) (*format.Document, error) {
	how := o.Read
	if a.empty() {
		how.Kind = parse.HTML // an empty page has no content to detect its kind from
	}
	unread := !a.empty() && o.unread(src)
	kind := p.kindOf(src, how)
	doc, err := atWork(ctx, p, o.Terms, kind, src.Size, func(ctx context.Context, grow func(int64)) (_ *format.Document, err error) {
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
		in.Styles = styles(a.view)
		return p.show(ctx, in, tree, o)
	})
	if err != nil {
		return nil, err
	}
	if a.truncated {
		doc.Warning = notices.Join(doc.Warning, "The server sent less than it announced.")
	}
	doc.Warning = notices.Join(doc.Warning, notices.Coding(a.header.Get("Content-Encoding"), a.excess))
	if !a.cached.IsZero() {
		doc.Metadata.CacheState, doc.Metadata.CachedAt = "hit", jsonenc.Time(a.cached).String()
	}
	if a.status >= http.StatusBadRequest {
		doc.Metadata.Error = cmp.Or(http.StatusText(a.status), fmt.Sprintf("Status %d", a.status))
	}
	doc.Metadata.Rendered = a.rendered
	if err := p.attach(ctx, doc, a.view, o); err != nil {
		return nil, err
	}
	return doc, nil
}

// tree parses src. If a reader panics, tree returns an error for this document.
func (p *Pipeline) tree(ctx context.Context, src parse.Source, o parse.Options) (tree *parse.Tree, err error) {
	defer reading.Recover(ctx, p.Logger, &err)
	return p.Parser.Parse(ctx, src, &o)
}

// show formats a tree and adds its warnings.
func (p *Pipeline) show(ctx context.Context, in *format.Input, tree *parse.Tree, o *Reading) (doc *format.Document, err error) {
	defer reading.Recover(ctx, p.Logger, &err)
	engine := p.Format
	brought, line := o.Sheets, o.Line
	if line == nil {
		line = pace.NewLine(p.Hosts, o.Format.NoRetain)
		defer line.Leave()
	}
	brought.Fetcher = &slots.Asker{Fetcher: p.Fetcher, Line: line, Claim: scrapeClaim, Seat: o.Terms.Seat, Pressed: true}
	brought.How.NoStore = brought.How.NoStore || o.Format.NoRetain
	engine.Loader = &brought
	doc, err = engine.Build(ctx, in, &o.Format)
	if err != nil {
		return nil, err
	}
	doc.Warning = notices.Join(append([]string{doc.Warning}, notices.OfTree(tree.Warnings)...)...)
	return doc, nil
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

// atWork runs work over a document of size bytes, see [reading.Do]. An empty kind is
// detected.
func atWork[T any](ctx context.Context, p *Pipeline, t reading.Terms, kind parse.Kind, size int64, work func(ctx context.Context, grow func(int64)) (T, error)) (T, error) {
	v, err := reading.Do(ctx, &p.Budget, reading.Document{Terms: t, Kind: kind, Size: size}, work)
	return v, p.Busy(err)
}

// Views is a page in the forms that an agent reads.
type Views struct {
	Input      *format.Input
	Main, Full *format.Document // Markdown of the main content and of the whole page
}

// Views reads the response to a request for the page asked.
func (p *Pipeline) Views(ctx context.Context, asked string, resp *fetch.Response, t reading.Terms) (Views, error) {
	a := answer(asked, resp)
	var how parse.Options
	if a.empty() {
		how.Kind = parse.HTML
	}
	src := a.source()
	return atWork(ctx, p, t, p.kindOf(src, how), src.Size, func(ctx context.Context, grow func(int64)) (v Views, err error) {
		how := how
		how.Grow = grow
		tree, err := p.tree(ctx, src, how)
		if err != nil {
			return v, err
		}
		v.Input = input(tree)
		v.Input.Body, v.Input.SourceURL, v.Input.URL = a.body, asked, a.url
		v.Input.ContentType, v.Input.StatusCode = src.ContentType, a.status
		o := format.Options{Forms: []format.Form{format.Markdown}}
		if v.Main, err = p.show(ctx, v.Input, tree, &Reading{Format: o}); err == nil {
			o.WholePage = true
			v.Full, err = p.show(ctx, v.Input, tree, &Reading{Format: o})
		}
		return v, err
	})
}
