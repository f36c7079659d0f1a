// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"

	"example.com/curlew/agent"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/crawl/robots"
	"example.com/curlew/crawl/scope"
	"example.com/curlew/fetch"
	"example.com/curlew/format"
	"example.com/curlew/internal/links"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/job"
	"example.com/curlew/parse"
)

// agentWeb brings pages to agents: fetch, parse and format in a row, under
// robots.txt and with a pause where a host asks for one.
type agentWeb struct {
	parts *parts
	rules agentRobots
	once  sync.Once
	line  *pace.Line // of runs that are no job
}

// asker returns what makes the requests of a run, with the slot that they have.
func (w *agentWeb) asker(ctx context.Context, held *seat) *asker {
	a := &asker{fetcher: w.parts.pages.fetcher, seat: held}
	rules := w.robots(ctx)
	a.claim = func(url string) pace.Claim { return pace.Claim{Delay: rules.delay(url), Most: agentHosts} }
	if slots, ok := ctx.Value(agentTeam{}).(agentSlots); ok {
		a.line = slots.line
		return a
	}
	w.once.Do(func() { w.line = pace.NewLine(w.parts.pages.turns, false) })
	a.line = w.line
	return a
}

// robots returns the robots.txt files that a run knows.
func (w *agentWeb) robots(ctx context.Context) *agentRobots {
	if slots, ok := ctx.Value(agentTeam{}).(agentSlots); ok && slots.rules != nil {
		return slots.rules
	}
	return &w.rules
}

// agentTeam is the key under which a run's ctx carries its team: the engine
// hands its ctx on, and knows no teams.
type agentTeam struct{}

// agentSlots is what stands there.
type agentSlots struct {
	team  string
	limit int
	log   *activity
	space job.Space
	line  *pace.Line   // of the run
	rules *agentRobots // of the run; nil: those of all runs
}

// agentHosts is how many pages of one host are asked for at once.
const agentHosts = 4

// Fetch implements [agent.Fetcher].
func (w *agentWeb) Fetch(ctx context.Context, r *agent.Request) (page *agent.Page, err error) {
	if slots, ok := ctx.Value(agentTeam{}).(agentSlots); ok && slots.log != nil {
		id, began := job.NewID(), time.Now()
		defer func() {
			status := 0
			if page != nil {
				status = page.Status
			}
			slots.log.tell(ctx, id, r.URL, status, began, err)
		}()
	}
	if err := r.Gate(ctx, r.URL); err != nil {
		return nil, err
	}
	if err := w.allowed(ctx, nil, r.URL); err != nil {
		return nil, err
	}
	turn, err := w.asker(ctx, nil).take(ctx, r.URL) // before a slot, see Service.turn
	if err != nil {
		return nil, err
	}
	defer turn.End(nil, nil)
	var held *seat
	slots, ofJob := ctx.Value(agentTeam{}).(agentSlots)
	if ofJob {
		if held, _, err = w.parts.slots.sit(ctx, slots.team, slots.limit); err != nil {
			return nil, err
		}
		defer held.drop()
	}
	hops := []string{r.URL}
	asks := w.asker(ctx, held)
	asks.first = turn
	resp, err := asks.Fetch(ctx, &fetch.Request{URL: r.URL, Timeout: time.Minute, Redirect: func(hop fetch.Hop) error {
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
		done, err := job.Attempt(ctx, slots.space, sum.Sum64())
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

// agentPage is what is read of an answer.
type agentPage struct {
	in         *format.Input
	main, full *format.Document
}

// read makes the page of an answer.
func (w *agentWeb) read(ctx context.Context, held *seat, asked string, resp *fetch.Response) (*agent.Page, error) {
	a := &answered{asked: asked, url: resp.URL, status: resp.Status, header: resp.Header, body: resp.Body}
	var how parse.Options
	if a.empty() {
		how.Kind = parse.HTML
	}
	src := a.source()
	d := reading{terms{seat: held, patient: true, limit: time.Minute}, w.parts.pages.kindOf(src, how), src.Size}
	read, err := atWork(ctx, &w.parts.pages, d, func(ctx context.Context, grow func(int64)) (p agentPage, err error) {
		how.Grow = grow
		tree, err := w.parts.pages.tree(ctx, src, how)
		if err != nil {
			return p, err
		}
		p.in = input(tree)
		p.in.Body, p.in.SourceURL, p.in.URL, p.in.ContentType, p.in.StatusCode = a.body, asked, a.url, a.header.Get("Content-Type"), a.status
		markdown := []format.Form{format.Markdown}
		if p.main, err = w.parts.pages.show(ctx, p.in, tree, &ParseOptions{Format: format.Options{Forms: markdown}}); err == nil {
			p.full, err = w.parts.pages.show(ctx, p.in, tree, &ParseOptions{Format: format.Options{Forms: markdown, WholePage: true}})
		}
		return p, err
	})
	if err != nil {
		return nil, err
	}
	in, main, full := read.in, read.main, read.full
	media, _, _ := mime.ParseMediaType(in.ContentType)
	sum := sha256.Sum256(resp.Body)
	page := &agent.Page{
		URL: asked, Final: resp.URL, Status: resp.Status, Title: main.Metadata.Title, Type: media,
		Digest: hex.EncodeToString(sum[:]), Root: in.Root, Main: *main.Markdown, Full: *full.Markdown,
	}
	base, err := weburl.Parse(resp.URL)
	if err != nil {
		return nil, err
	}
	source := links.Source{URL: base, Header: resp.Header, Agent: robots.Token(w.parts.service.agentName())}
	for _, l := range source.Tree(in.Root).Links {
		page.Links = append(page.Links, agent.Link{URL: l.URL.String(), Text: l.Text, Rel: l.Rel})
	}
	return page, nil
}

// agentName is the User-Agent that the Service's agents go by in robots.txt.
func (s *Service) agentName() string {
	if s.UserAgent == "" {
		return "curlew"
	}
	return s.UserAgent
}

// errRobots means that robots.txt keeps a page from us.
var errRobots = errors.New("kept out by robots.txt")

// allowed asks the robots.txt of a URL's origin. The slot that the caller has is
// lent to others while the file is waited for.
func (w *agentWeb) allowed(ctx context.Context, held *seat, url string) error {
	u, err := weburl.Parse(url)
	if err != nil {
		return err
	}
	rules := w.robots(ctx)
	file := rules.known(u.Origin())
	if file == nil {
		err = held.lend(ctx, false, func() (err error) {
			file, err = rules.of(ctx, w, u)
			return err
		})
	}
	switch {
	case err != nil:
		return err
	case file.silent != nil:
		return file.silent
	}
	if ok, _ := file.rules.Allowed(u.RobotsPath()); !ok {
		return fmt.Errorf("%s: %w", weburl.Redacted(url), errRobots)
	}
	return nil
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

// agentRobots keeps the robots.txt of origins: each is asked for once in its
// lifetime.
type agentRobots struct {
	private bool // files are not shared with other jobs: nothing of the run is kept

	mu    sync.Mutex
	files map[string]*agentFile // guarded by mu; by origin
}

// maxOrigins bounds how many files are kept; beyond it all are forgotten and
// asked for anew.
const maxOrigins = 10_000

// agentFile is one robots.txt; its other fields are set when done is closed.
type agentFile struct {
	done    chan struct{}
	rules   *robots.Rules
	expires time.Time
	silent  error // no connection to the origin can be made: no rule keeps its pages out
	err     error
}

// key returns the origin of a URL.
func (a *agentRobots) key(url string) string {
	u, err := weburl.Parse(url)
	if err != nil {
		return ""
	}
	return u.Origin()
}

// known returns the file of an origin if it has been read; else nil.
func (a *agentRobots) known(origin string) *agentFile {
	a.mu.Lock()
	f := a.files[origin]
	a.mu.Unlock()
	if f == nil {
		return nil
	}
	select {
	case <-f.done:
		if f.err == nil && !f.over() {
			return f
		}
	default:
	}
	return nil
}

// delay returns the pause that a known robots.txt asks for.
func (a *agentRobots) delay(url string) time.Duration {
	f := a.known(a.key(url))
	if f == nil {
		return 0
	}
	d, _ := f.rules.CrawlDelay()
	return min(d, agentMaxDelay)
}

// agentMaxDelay is the longest pause that a host gets: a run has minutes.
const agentMaxDelay = 30 * time.Second

// of returns the file of u's origin.
func (a *agentRobots) of(ctx context.Context, w *agentWeb, u weburl.URL) (*agentFile, error) {
	origin := u.Origin()
	for {
		a.mu.Lock()
		f := a.files[origin]
		mine := f == nil || f.over()
		if mine {
			if a.files == nil || len(a.files) >= maxOrigins {
				a.files = map[string]*agentFile{}
			}
			f = &agentFile{done: make(chan struct{})}
			a.files[origin] = f
		}
		a.mu.Unlock()
		if mine {
			f.load(ctx, w, origin, a.private)
			close(f.done)
			return f, f.err
		}
		select {
		case <-f.done:
			if f.err == nil {
				return f, nil
			}
			a.forget(origin, f) // its reader left; this one asks itself
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func (a *agentRobots) forget(origin string, f *agentFile) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.files[origin] == f {
		delete(a.files, origin)
	}
}

// over reports whether the file has been read and has expired.
func (f *agentFile) over() bool {
	select {
	case <-f.done:
		return !time.Now().Before(f.expires)
	default:
		return false
	}
}

// load asks for the file, or takes it from another job that has asked for it. It
// fails only if ctx ends.
func (f *agentFile) load(ctx context.Context, w *agentWeb, origin string, private bool) {
	s := w.parts.service
	ask := robotsRequest{url: origin + "/robots.txt", header: http.Header{}}
	if s.UserAgent != "" {
		ask.header.Set("User-Agent", s.UserAgent)
	}
	known, err := ask.shared(ctx, w, private)
	if ctx.Err() != nil {
		f.err = context.Cause(ctx)
		return
	}
	if known != nil {
		f.rules, f.expires = robots.Parse(known.Body).Agent(robots.Token(s.agentName())), known.Until
		return
	}
	if errors.Is(err, fetch.ErrConnect) || errors.Is(err, fetch.ErrTLS) || errors.Is(err, fetch.ErrDNS) {
		f.silent = err
	}
	file, _ := robots.FromStatus(0, nil, false)
	f.rules, f.expires = file.Agent(robots.Token(s.agentName())), time.Now().Add(time.Minute)
}

// robotsRequest asks for one robots.txt.
type robotsRequest struct {
	url    string
	header http.Header
}

// robotsPatience is how long a redirect of a robots.txt waits for its turn: longer
// than for any pause that a host gets. Others may wait for the file meanwhile, with
// the turn that it waits for.
const robotsPatience = 2 * agentMaxDelay

// shared returns the file as any job knows it, or asks for it in a turn. If the
// file cannot be reached it is nil, with the error if there was no answer.
func (r *robotsRequest) shared(ctx context.Context, w *agentWeb, private bool) (file *pace.Robots, err error) {
	all, key := w.parts.pages.turns, pace.RobotsKey(r.url, w.parts.service.UserAgent, false)
	if !private {
		file, err = all.Robots(ctx, key, func() *pace.Robots { return nil })
		if file != nil || err != nil {
			return file, err
		}
	}
	asks := w.asker(ctx, nil)
	// Before the file is asked for: whoever has a turn may wait for the file.
	turn, err := asks.take(ctx, r.url)
	if err != nil {
		return nil, err
	}
	defer turn.End(nil, nil)
	asks.first, asks.patience = turn, robotsPatience
	var failed error
	load := func() *pace.Robots {
		var found *pace.Robots
		found, failed = r.ask(ctx, asks)
		return found
	}
	if private {
		return load(), failed
	}
	file, err = all.Robots(ctx, key, load)
	return file, errors.Join(err, failed)
}

// ask asks for the file.
func (r *robotsRequest) ask(ctx context.Context, f fetch.Fetcher) (*pace.Robots, error) {
	resp, err := f.Fetch(ctx, &fetch.Request{
		URL: r.url, Header: r.header, Timeout: 30 * time.Second, MaxBytes: maxRobotsFile, Cut: true,
		Redirect: func(hop fetch.Hop) error {
			if hop.Count > 5 { // RFC 9309 2.3.1.2
				return fetch.ErrStopRedirect
			}
			return nil
		},
	})
	if err != nil {
		return nil, err
	}
	file := scope.NewRobotsFile(r.url, resp.Status, resp.Body)
	if file.Unreachable {
		return nil, nil
	}
	life := robots.Lifetime(strings.Join(resp.Header.Values("Cache-Control"), ","))
	return &pace.Robots{Body: file.Body, Until: time.Now().Add(life)}, nil
}

// maxRobotsFile is what is read of a robots.txt, in bytes: more than RFC 9309 2.5
// asks for, and what package robots reads.
const maxRobotsFile = 512 << 10
