// SPDX-License-Identifier: Apache-2.0

// Package agents connects the runs of an agent with a service: Web fetches their pages,
// Journal stores their events in the record of a job, and Admit asks the threat gate.
package agents

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash/fnv"
	"mime"
	"net/http"
	"sync"
	"time"

	"example.com/curlew/agent"
	"example.com/curlew/agent/llm"
	"example.com/curlew/agent/web"
	"example.com/curlew/crawl"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/fetch"
	"example.com/curlew/fetch/render"
	"example.com/curlew/internal/links"
	"example.com/curlew/internal/service/meter"
	"example.com/curlew/internal/service/pages"
	"example.com/curlew/internal/service/reading"
	"example.com/curlew/internal/service/slots"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/job"
	"example.com/curlew/threat"
)

// Web fetches pages for agents. It obeys robots.txt, including the Crawl-delay. It must not
// be changed after its first use.
type Web struct {
	Pages     *pages.Pipeline
	Slots     *slots.Teams
	UserAgent string

	// List returns at most n URLs of a site, those that match the filter first.
	List func(ctx context.Context, r *agent.Request, filter string, n int) ([]string, error)

	once  sync.Once
	rules web.Robots // shared by runs that are not private
	line  *pace.Line // for turns of runs that are not jobs
}

// Run is a run that is a job.
type Run struct {
	Team    string
	Limit   int // slots of the team
	Log     *meter.Activity
	Space   job.Space
	Line    *pace.Line // for turns of this run
	Private bool       // its robots.txt files are not shared with other runs

	rules *web.Robots // nil means the shared ones
}

// runKey is the context key of a *Run. The run is passed in the context, because package
// agent does not know teams.
type runKey struct{}

// Of returns a context in which w works for a run.
func (w *Web) Of(ctx context.Context, r *Run) context.Context {
	if r.Private {
		r.rules = new(web.Robots)
		w.open(r.rules)
	}
	return context.WithValue(ctx, runKey{}, r)
}

// runOf returns the run of ctx, or nil if it is not a job.
func runOf(ctx context.Context) *Run {
	r, _ := ctx.Value(runKey{}).(*Run)
	return r
}

// shared returns w with the parts that all runs share.
func (w *Web) shared() *Web {
	w.once.Do(func() {
		w.line = pace.NewLine(w.Pages.Hosts, false)
		w.open(&w.rules)
		w.rules.Hosts = w.Pages.Hosts
	})
	return w
}

// open prepares r for runs.
func (w *Web) open(r *web.Robots) {
	r.UserAgent = w.UserAgent
	r.Ask = func(ctx context.Context) web.Asker { return robotsAsker{w.asker(ctx, nil)} }
}

// asker returns an asker for the run of ctx. held is the slot that the caller holds, or nil.
func (w *Web) asker(ctx context.Context, held *slots.Seat) *slots.Asker {
	a := &slots.Asker{Fetcher: w.Pages.Fetcher, Seat: held}
	rules := w.robots(ctx)
	a.Claim = func(url string) pace.Claim { return pace.Claim{Delay: rules.Delay(url), Most: mostOfHost} }
	if run := runOf(ctx); run != nil {
		a.Line = run.Line
	} else {
		a.Line = w.shared().line
	}
	return a
}

// robots returns the cache of robots.txt files for the run of ctx.
func (w *Web) robots(ctx context.Context) *web.Robots {
	if run := runOf(ctx); run != nil && run.rules != nil {
		return run.rules
	}
	return &w.shared().rules
}

// mostOfHost is the maximum number of requests in flight to one host.
const mostOfHost = 4

// Fetch implements [agent.Fetcher].
func (w *Web) Fetch(ctx context.Context, r *agent.Request) (page *agent.Page, err error) {
	run := runOf(ctx)
	if run != nil && run.Log != nil {
		id, began := job.NewID(), time.Now()
		defer func() {
			status := 0
			if page != nil {
				status = page.Status
			}
			run.Log.Tell(ctx, id, r.URL, status, began, err)
		}()
	}
	if err := r.Gate(ctx, r.URL); err != nil {
		return nil, err
	}
	if err := w.allowed(ctx, nil, r.URL); err != nil {
		return nil, err
	}
	err = slots.Again(ctx, func() error {
		turn, err := w.asker(ctx, nil).Take(ctx, r.URL) // taken before a slot, see pages.Pipeline.TakeTurn
		if err != nil {
			return err
		}
		defer turn.End(nil, nil)
		if run == nil {
			page, err = w.fetch(ctx, r, turn, nil)
			return err
		}
		return w.Slots.Within(ctx, run.Team, run.Limit, func(ctx context.Context, held *slots.Seat, _ time.Duration) error {
			page, err = w.fetch(ctx, r, turn, held)
			return err
		})
	})
	return page, err
}

// fetch fetches a page with a turn at its host. held is the slot, or nil.
func (w *Web) fetch(ctx context.Context, r *agent.Request, turn *crawl.Turn, held *slots.Seat) (page *agent.Page, err error) {
	run := runOf(ctx)
	hops := []string{r.URL}
	asks := w.asker(ctx, held)
	asks.First = turn
	var always *render.Request // else only pages that need scripts are shown in a browser
	if r.Render {
		always = new(render.Request)
	}
	asks.Fetcher = w.Pages.Browser.Fetcher(&render.Fetcher{Static: asks.Fetcher, Always: always})
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
	if run != nil {
		sum := fnv.New64a()
		_, _ = sum.Write([]byte(r.URL)) // never fails (hash.Hash)
		done, err := job.Attempt(ctx, run.Space, sum.Sum64())
		if err != nil {
			return nil, err
		}
		defer done()
	}
	if page, err = w.read(ctx, held, r.URL, resp); err != nil {
		return nil, err
	}
	page.Hops, page.Rendered = hops, resp.Rendered || resp.View != nil // a file that the browser received may be of a session, too
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
func (w *Web) read(ctx context.Context, held *slots.Seat, asked string, resp *fetch.Response) (*agent.Page, error) {
	v, err := w.Pages.Views(ctx, asked, resp, reading.Terms{Seat: held, Patient: true, Limit: time.Minute})
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
func (w *Web) allowed(ctx context.Context, held *slots.Seat, url string) error {
	return w.robots(ctx).Allowed(ctx, url, func(wait func() error) error { return held.Lend(ctx, false, wait) })
}

// Map implements [agent.Mapper].
func (w *Web) Map(ctx context.Context, r *agent.Request, filter string, n int) ([]agent.Link, error) {
	if err := r.Gate(ctx, r.URL); err != nil {
		return nil, err
	}
	urls, err := w.List(ctx, r, filter, n)
	if err != nil {
		return nil, err
	}
	found := make([]agent.Link, len(urls))
	for i, u := range urls {
		found[i].URL = u
	}
	return found, nil
}

// robotsAsker takes turns and slots for requests of robots.txt files.
type robotsAsker struct{ *slots.Asker }

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

// Admit asks the threat gate for the policy of a task.
func Admit(ctx context.Context, t *agent.Task, url string) (agent.Credits, error) {
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
