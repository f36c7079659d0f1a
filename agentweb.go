// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash/fnv"
	"mime"
	"sync"
	"time"

	"example.com/curlew/agent"
	"example.com/curlew/agent/web"
	"example.com/curlew/crawl/pace"
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
	rules web.Robots
	once  sync.Once
	line  *pace.Line // of runs that are no job
}

// asker returns what makes the requests of a run, with the slot that they have.
func (w *agentWeb) asker(ctx context.Context, held *seat) *asker {
	a := &asker{fetcher: w.parts.pages.fetcher, seat: held}
	rules := w.robots(ctx)
	a.claim = func(url string) pace.Claim { return pace.Claim{Delay: rules.Delay(url), Most: agentHosts} }
	if slots, ok := ctx.Value(agentTeam{}).(agentSlots); ok {
		a.line = slots.line
		return a
	}
	w.once.Do(func() { w.line = pace.NewLine(w.parts.pages.turns, false) })
	a.line = w.line
	return a
}

// robots returns the robots.txt files that a run knows.
func (w *agentWeb) robots(ctx context.Context) *web.Robots {
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
	line  *pace.Line  // of the run
	rules *web.Robots // of the run; nil: those of all runs
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
	source := links.Source{URL: base, Header: resp.Header, Agent: w.robots(ctx).Token()}
	for _, l := range source.Tree(in.Root).Links {
		page.Links = append(page.Links, agent.Link{URL: l.URL.String(), Text: l.Text, Rel: l.Rel})
	}
	return page, nil
}

// allowed asks the robots.txt of a URL's origin. The slot of the caller is lent to
// others while it waits for the file.
func (w *agentWeb) allowed(ctx context.Context, held *seat, url string) error {
	return w.robots(ctx).Allowed(ctx, url, func(wait func() error) error { return held.lend(ctx, false, wait) })
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

// open prepares r for runs. The files of a private run are not shared with other
// jobs.
func (w *agentWeb) open(r *web.Robots, private bool) {
	r.UserAgent = w.parts.service.UserAgent
	if !private {
		r.Hosts = w.parts.pages.turns
	}
	r.Ask = func(ctx context.Context) web.Asker { return robotsAsker{w.asker(ctx, nil)} }
}

// robotsAsker requests a robots.txt.
type robotsAsker struct{ *asker }

// robotsPatience is how long a redirect of a robots.txt waits for its turn. It is
// longer than the longest Crawl-delay of an agent. Others may wait for the file
// meanwhile and hold the turn that it waits for.
const robotsPatience = time.Minute

// Take implements [web.Asker].
func (a robotsAsker) Take(ctx context.Context, url string) (release func(), err error) {
	turn, err := a.take(ctx, url)
	if err != nil {
		return nil, err
	}
	a.first, a.patience = turn, robotsPatience
	return func() { turn.End(nil, nil) }, nil
}
