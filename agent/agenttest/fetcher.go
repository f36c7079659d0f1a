// SPDX-License-Identifier: Apache-2.0

package agenttest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/agent"
	"example.com/curlew/internal/links"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/markdown"
	"example.com/curlew/parse"
)

// maxHops is the maximum number of redirects.
const maxHops = 10

var errHops = errors.New("too many redirects")

// brought is a page of the web after it was parsed. All callers that fetch it share it.
type brought struct {
	title, main, full string
	root              *html.Node
	links             []agent.Link
}

type fetcher struct{ w *Web }

// Fetcher returns an [agent.Fetcher] that returns pages of the web without a network.
// Documents are parsed and written as Markdown. The gate is called before each request.
func (w *Web) Fetcher() agent.Fetcher { return fetcher{w} }

// Fetch returns one page.
func (f fetcher) Fetch(ctx context.Context, r *agent.Request) (*agent.Page, error) {
	p := &agent.Page{URL: r.URL, Final: r.URL, Rendered: r.Render}
	for {
		if err := r.Gate(ctx, p.Final); err != nil {
			return nil, fmt.Errorf("fetch: %w", err)
		}
		if len(p.Hops) == maxHops {
			return nil, errHops
		}
		p.Hops = append(p.Hops, p.Final)
		u, err := weburl.Parse(p.Final)
		if err != nil {
			return nil, err
		}
		key := strings.TrimPrefix(strings.TrimPrefix(u.String(), "https://"), "http://")
		f.w.note(p.Final)
		answer := f.w.page(key)
		if err := f.w.pause(ctx, key, answer); err != nil {
			return nil, err
		}
		if answer.location != "" {
			p.Final = answer.location
			continue
		}
		read, err := f.w.read(ctx, u, key, answer)
		if err != nil {
			return nil, err
		}
		p.Status, p.Title, p.Root, p.Main, p.Full, p.Links = answer.status, read.title, read.root, read.main, read.full, read.links
		p.Type, _, _ = strings.Cut(answer.kind, ";")
		return p, nil
	}
}

// read parses a page once.
func (w *Web) read(ctx context.Context, u weburl.URL, key string, p page) (*brought, error) {
	w.mu.Lock()
	b := w.cached[key]
	w.mu.Unlock()
	if b != nil {
		return b, nil
	}
	var e parse.Engine
	tree, err := e.Parse(ctx, parse.Source{Name: key, ContentType: p.kind, URL: u.String(), Data: bytes.NewReader(p.body), Size: int64(len(p.body))}, nil)
	if err != nil {
		return nil, err
	}
	b = &brought{root: tree.Root}
	o := &markdown.Options{Base: u.String(), Tables: markdown.TablesGFM, Spans: markdown.SpansDown}
	b.title = tree.Meta.Title
	if b.full, err = render(ctx, tree.Root, o); err != nil {
		return nil, err
	}
	for n := range tree.Root.Descendants() {
		switch {
		case n.Type != html.ElementNode:
		case n.DataAtom == atom.Main && b.main == "":
			if b.main, err = render(ctx, n, o); err != nil {
				return nil, err
			}
		case n.DataAtom == atom.Title && b.title == "" && n.FirstChild != nil:
			b.title = n.FirstChild.Data
		}
	}
	for _, l := range (links.Source{URL: u}).Tree(tree.Root).Links {
		b.links = append(b.links, agent.Link{URL: l.URL.String(), Text: l.Text, Rel: l.Rel})
	}
	w.mu.Lock()
	w.cached[key] = b
	w.mu.Unlock()
	return b, nil
}

func render(ctx context.Context, n *html.Node, o *markdown.Options) (string, error) {
	var b strings.Builder
	err := markdown.Render(ctx, &b, n, o)
	return b.String(), err
}

type searcher struct{ w *Web }

// Searcher returns an [agent.Searcher] over the first pages of all sites. The pages
// that have the most words in common with the query come first.
func (w *Web) Searcher() agent.Searcher { return searcher{w} }

// Search returns at most q.N hits.
func (s searcher) Search(ctx context.Context, q agent.Query) ([]agent.Hit, error) {
	if s.w.Latency {
		if err := sleep(ctx, 500*time.Millisecond); err != nil {
			return nil, err
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	asked := strings.Fields(strings.ToLower(q.Text))
	type scored struct {
		hit   agent.Hit
		score int
	}
	var all []scored
	for _, c := range s.w.catalogs {
		host := c.allHosts()[0]
		if len(q.Sites) > 0 && !slices.Contains(q.Sites, host) {
			continue
		}
		for _, r := range c.records {
			if c.names != nil && strings.Contains(strings.ToLower(q.Text), strings.ToLower(r.name)) {
				all = append(all, scored{agent.Hit{URL: r.url(), Title: r.name, Snippet: "Who they are."}, 5})
			}
		}
		n := 0
		for _, word := range asked {
			word = strings.Trim(word, ".,;:!?()")
			if word == strings.ToLower(c.noun) || word == strings.ToLower(c.noun)+"s" || word == c.id {
				n++
			}
		}
		if n > 0 {
			all = append(all, scored{agent.Hit{URL: c.entry(), Title: c.title(), Snippet: "All of them, with prices."}, n})
		}
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var hits []agent.Hit
	for _, h := range all[:min(len(all), max(q.N, 0))] {
		hits = append(hits, h.hit)
	}
	return hits, nil
}

type mapper struct{ w *Web }

// Mapper returns an [agent.Mapper]. It lists the pages of a host in the order of their
// URLs. Those that contain a word of the filter come first.
func (w *Web) Mapper() agent.Mapper { return mapper{w} }

// Map returns at most n links.
func (m mapper) Map(ctx context.Context, r *agent.Request, filter string, n int) ([]agent.Link, error) {
	u, err := weburl.Parse(r.URL)
	if err != nil {
		return nil, err
	}
	if err := r.Gate(ctx, r.URL); err != nil {
		return nil, fmt.Errorf("map: %w", err)
	}
	host, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(u.String(), "https://"), "http://"), "/")
	var all []agent.Link
	for key := range m.w.pages {
		if strings.HasPrefix(key, host+"/") {
			all = append(all, agent.Link{URL: "https://" + key})
		}
	}
	held := func(l agent.Link) int {
		for word := range strings.FieldsSeq(strings.ToLower(filter)) {
			if strings.Contains(l.URL, word) {
				return 0
			}
		}
		return 1
	}
	slices.SortFunc(all, func(a, b agent.Link) int { return cmp.Or(held(a)-held(b), cmp.Compare(a.URL, b.URL)) })
	return all[:min(len(all), max(n, 0))], nil
}
